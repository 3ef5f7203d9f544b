/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What GStreamer's encoder of SMPTE ST 2022-1 repairs is recovered byte by byte, and strangers'
 * repairs take no memory.
 */
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>
#include <string.h>
#include "relayfec.h"

#define FIRST 65500 /* number of the first packet, so that numbers wrap */
#define SSRC 0      /* as the encoder wants it */
#define MATRICES 4  /* the second one loses */

static GstBuffer *
make_packet (GRand *rand, guint n)
{
  guint size = n % 13 == 0 ? 188 : 7 * 188;
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (size, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 *data;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, GST_RTP_PAYLOAD_MP2T);
  gst_rtp_buffer_set_seq (&rtp, FIRST + n);
  gst_rtp_buffer_set_timestamp (&rtp, n * 90);
  gst_rtp_buffer_set_marker (&rtp, n % 7 == 0);
  gst_rtp_buffer_set_ssrc (&rtp, SSRC);
  data = gst_rtp_buffer_get_payload (&rtp);
  for (guint i = 0; i < size; i++)
    data[i] = g_rand_int (rand);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

typedef struct
{
  guint columns, rows;
  RelayFec *fec;
  GstHarness *media;
  GstPad *pads[2];   /* of the repairs of columns, of rows */
  GQueue repairs[2]; /* GstBuffers that came there */
  GPtrArray *sent;
  guint recovered;
} Line;

static GstFlowReturn
on_repair (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  g_queue_push_tail (g_object_get_data (G_OBJECT (pad), "repairs"), buffer);
  return GST_FLOW_OK;
}

static void
add_repairs (GstElement *encoder, GstPad *pad, gpointer data)
{
  Line *line = data;
  guint row = g_str_equal (GST_PAD_NAME (pad), "fec_1");
  GstPad *sink = line->pads[row] = gst_pad_new ("sink", GST_PAD_SINK);

  g_object_set_data (G_OBJECT (sink), "repairs", &line->repairs[row]);
  gst_pad_set_chain_function (sink, on_repair);
  gst_pad_set_active (sink, TRUE);
  g_assert_cmpint (gst_pad_link (pad, sink), ==, GST_PAD_LINK_OK);
}

static void
begin (Line *line, guint columns, guint rows)
{
  GstElement *encoder = gst_element_factory_make ("rtpst2022-1-fecenc", NULL);

  g_assert_nonnull (encoder);
  g_object_set (encoder, "columns", columns, "rows", rows, NULL);
  *line = (Line) { .columns = columns, .rows = rows };
  line->fec = relay_fec_new (columns, rows);
  line->sent = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  g_signal_connect (encoder, "pad-added", G_CALLBACK (add_repairs), line);
  line->media = gst_harness_new_with_element (encoder, "sink", "src");
  gst_harness_set_src_caps_str (line->media, "application/x-rtp");
  gst_object_unref (encoder);
  g_assert_true (line->pads[0] != NULL && line->pads[1] != NULL);
}

static void
end (Line *line)
{
  relay_fec_free (line->fec);
  g_ptr_array_unref (line->sent);
  gst_harness_teardown (line->media);
  for (guint row = 0; row < 2; row++) {
    g_queue_clear_full (&line->repairs[row], (GDestroyNotify) gst_buffer_unref);
    gst_object_unref (line->pads[row]);
  }
}

/* What is recovered is what was sent. */
static void
pop (Line *line)
{
  GBytes *bytes;

  while ((bytes = relay_fec_pop (line->fec)) != NULL) {
    gsize size;
    const guint8 *data = g_bytes_get_data (bytes, &size);
    guint16 n = (data[2] << 8 | data[3]) - FIRST;

    g_assert_cmpuint (n, <, line->sent->len);
    g_assert_cmpuint (size, ==, gst_buffer_get_size (line->sent->pdata[n]));
    g_assert_cmpint (gst_buffer_memcmp (line->sent->pdata[n], 0, data, size), ==, 0);
    line->recovered++;
    g_bytes_unref (bytes);
  }
}

static void
take (Line *line, GstBuffer *buffer, gint row)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  if (row < 0)
    relay_fec_take_media (line->fec, map.data, map.size);
  else
    g_assert_true (relay_fec_take_repair (line->fec, row, map.data, map.size));
  gst_buffer_unmap (buffer, &map);
  pop (line);
}

/* Sends the packet @n; the repairs that the encoder makes of it come after it, as the network may
 * have it.  @lost: it does not come. */
static void
send (Line *line, GRand *rand, guint n, gboolean lost, const gboolean *lost_repairs)
{
  GstBuffer *packet = make_packet (rand, n), *repair;

  g_ptr_array_add (line->sent, packet);
  g_assert_cmpint (gst_harness_push (line->media, gst_buffer_ref (packet)), ==, GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (line->media));
  if (!lost)
    take (line, packet, -1);
  for (guint row = 0; row < 2; row++)
    while ((repair = g_queue_pop_head (&line->repairs[row])) != NULL) {
      if (!lost_repairs[row])
        take (line, repair, row);
      gst_buffer_unref (repair);
    }
}

/* A character for each packet of the second matrix, of 5 columns and 4 rows: x is lost. */
static const struct
{
  const gchar *name, *lost;
  gboolean lost_repairs[2]; /* those of columns, of rows */
  guint recovered;
} losses[] = {
  { "none", "..... ..... ..... ....." },
  { "one of each row", "x.... .x... ..x.. ...x.", { 0 }, 4 },
  { "one of each row, rows alone", "x.... x.... x.... x....", { TRUE, FALSE }, 4 },
  { "a row", "..... xxxxx ..... .....", { 0 }, 5 },
  { "a row, columns alone", "..... xxxxx ..... .....", { FALSE, TRUE }, 5 },
  { "a row, rows alone", "..... xxxxx ..... .....", { TRUE, FALSE }, 0 },
  { "a column", "..x.. ..x.. ..x.. ..x..", { 0 }, 4 },
  { "one after the other", "xx... x.... ..... .....", { 0 }, 3 },
  { "a row and more", "..... xxxxx ...x. .....", { 0 }, 6 },
  { "a square", "..... .x.x. ..... .x.x.", { 0 }, 0 },
  { "a square and one", "x.... .x.x. ..... .x.x.", { 0 }, 1 },
  { "all", "xxxxx xxxxx xxxxx xxxxx", { 0 }, 0 },
  { "no repairs", "x.... ..... ..... .....", { TRUE, TRUE }, 0 },
};

static void
test_losses (void)
{
  const guint cells = 5 * 4;

  for (guint i = 0; i < G_N_ELEMENTS (losses); i++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (i);
    Line line;

    begin (&line, 5, 4);
    for (guint n = 0; n < MATRICES * cells; n++) {
      guint cell = n % cells;
      gboolean lost = n / cells == 1 && losses[i].lost[cell + cell / 5] == 'x';

      send (&line, rand, n, lost, losses[i].lost_repairs);
    }
    g_test_message ("%s: %u", losses[i].name, line.recovered);
    g_assert_cmpuint (line.recovered, ==, losses[i].recovered);
    end (&line);
  }
}

/* One loss in each row comes back in a matrix of any size, for longer than numbers take to wrap. */
static void
test_sizes (void)
{
  static const guint sizes[][2] = { { 1, 4 }, { 4, 4 }, { 5, 20 }, { 20, 5 }, { 10, 10 } };
  static const gboolean none[2] = { FALSE, FALSE };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (i);
    guint lost = 0, last = 2000;
    Line line;

    begin (&line, sizes[i][0], sizes[i][1]);
    for (guint n = 0; n < last; n++) {
      guint row = n / line.columns;
      gboolean is_lost = n > 0 && n % line.columns == row % line.columns && n < last - 400
          && (line.columns > 1 || row % line.rows == 0);

      lost += is_lost;
      send (&line, rand, n, is_lost, none);
    }
    g_assert_cmpuint (line.recovered, ==, lost);
    end (&line);
  }
}

/* Where the stream begins anew, nothing of it is mixed with another one. */
static void
test_restart (void)
{
  static const gboolean none[2] = { FALSE, FALSE };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  Line line;

  begin (&line, 5, 4);
  for (guint n = 0; n < 12; n++)
    send (&line, rand, n, n == 11, none);
  relay_fec_forget (line.fec);
  for (guint n = 12; n < 15; n++)
    send (&line, rand, n, FALSE, none); /* the row's repair has two that have not come */
  g_assert_cmpuint (line.recovered, ==, 0);
  end (&line);
}

/* The same packets that come by a second leg, later by more than the ring holds, take no place of
 * newer ones, which repairs still need. */
static void
test_late_leg (void)
{
  static const gboolean none[2] = { FALSE, FALSE };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  const guint late = RELAY_FEC_MEDIA + 88, last = 3000;
  guint lost = 0;
  Line line;

  begin (&line, 10, 10);
  for (guint n = 0; n < last; n++) {
    gboolean is_lost = n % 100 >= 20 && n % 100 < 30 && n < last - 200;

    lost += is_lost;
    send (&line, rand, n, is_lost, none);
    if (n >= late)
      take (&line, line.sent->pdata[n - late], -1);
  }
  g_assert_cmpuint (line.recovered, ==, lost);
  end (&line);
}

static gboolean
take_bytes (RelayFec *fec, guint8 kind, guint8 offset, guint8 count, gsize size, gboolean row)
{
  guint8 data[4096] = { 0x80, 96 };

  data[24] = kind;
  data[25] = offset;
  data[26] = count;
  return relay_fec_take_repair (fec, row, data, size);
}

/* What is no repair of this matrix is refused; what only looks like one takes no memory and no
 * time, and gives nothing that is too large. */
static void
test_strangers (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  RelayFec *fec = relay_fec_new (10, 5);
  guint8 data[RELAY_FEC_PACKET_MAX];
  GBytes *bytes;

  g_assert_true (take_bytes (fec, 0, 10, 5, 1344, FALSE));
  g_assert_true (take_bytes (fec, 0x40, 1, 10, 1344, TRUE));
  g_assert_false (take_bytes (fec, 0x40, 1, 10, 1344, FALSE));
  g_assert_false (take_bytes (fec, 0, 10, 5, 1344, TRUE));
  g_assert_false (take_bytes (fec, 0x80, 10, 5, 1344, FALSE));
  g_assert_false (take_bytes (fec, 0, 5, 10, 1344, FALSE));
  g_assert_false (take_bytes (fec, 0x40, 1, 0, 1344, TRUE));
  g_assert_false (take_bytes (fec, 0, 10, 5, 27, FALSE));
  g_assert_false (take_bytes (fec, 0, 10, 5, 4096, FALSE));
  for (guint n = 0; n < 20000; n++) {
    gboolean row = g_rand_boolean (rand);
    gsize size = g_rand_int_range (rand, 28, sizeof data + 1);

    for (guint i = 0; i < sizeof data; i++)
      data[i] = n % 64 == 0 ? g_rand_int (rand) : data[i];
    data[0] = 0x80;
    data[12] = n >> 8;
    data[13] = n + g_rand_int_range (rand, -200, 200);
    data[24] = row ? 0x40 : 0;
    data[25] = row ? 1 : 10;
    data[26] = row ? 10 : 5;
    g_assert_true (relay_fec_take_repair (fec, row, data, size));
    data[2] = n >> 8;
    data[3] = n;
    if (n % 9 != 0)
      relay_fec_take_media (fec, data, g_rand_int_range (rand, 0, sizeof data + 1));
    while ((bytes = relay_fec_pop (fec)) != NULL) {
      g_assert_cmpuint (g_bytes_get_size (bytes), >=, 12);
      g_assert_cmpuint (g_bytes_get_size (bytes), <=, sizeof data);
      g_bytes_unref (bytes);
    }
  }
  relay_fec_free (fec);
}

static void
test_read (void)
{
  static const struct
  {
    const gchar *text;
    guint columns, rows; /* 0: it is refused */
  } texts[] = { { "5x10", 5, 10 }, { "20x5", 20, 5 }, { "1x4", 1, 4 }, { "10x10", 10, 10 }, { "" },
    { "5" }, { "5x" }, { "x5" }, { "0x5" }, { "5x3" }, { "21x4" }, { "4x21" }, { "11x10" },
    { "5x10x" }, { "5X10" }, { " 5x10" }, { "5x 10" }, { "-5x10" }, { "5x+10" }, { "5x100" },
    { "4294967301x5" } };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    guint columns = 0, rows = 0;
    gboolean good = relay_fec_read (texts[i].text, &columns, &rows);

    g_assert_cmpint (good, ==, texts[i].columns > 0);
    g_assert_true (!good || (columns == texts[i].columns && rows == texts[i].rows));
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rtpfec/losses", test_losses);
  g_test_add_func ("/rtpfec/sizes", test_sizes);
  g_test_add_func ("/rtpfec/restart", test_restart);
  g_test_add_func ("/rtpfec/late-leg", test_late_leg);
  g_test_add_func ("/rtpfec/strangers", test_strangers);
  g_test_add_func ("/rtpfec/read", test_read);
  return g_test_run ();
}
