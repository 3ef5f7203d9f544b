/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Continuity errors of a transport stream: which packets are one, wherever the data is cut.
 */
#include <string.h>
#include "gstfaspcontinuity.h"

#define PACKET 188
#define PID 0x101

/* The adaptation field's flags are those behind its length; 0: the field has length 0. */
static void
make_packet (guint8 *packet, guint pid, guint control, guint counter, guint8 flags)
{
  memset (packet, 0x47, PACKET); /* bytes that look like the beginning of a packet */
  packet[1] = pid >> 8;
  packet[2] = pid;
  packet[3] = control << 4 | counter;
  packet[4] = flags != 0;
  packet[5] = flags;
}

static GstStructure *
read_figures (const GstFaspContinuity *c)
{
  GstStructure *stats = gst_structure_new_empty ("stats");

  gst_fasp_continuity_add_figure (c, stats);
  return stats;
}

static void
assert_errors (const GstFaspContinuity *c, guint64 wanted)
{
  g_autoptr (GstStructure) stats = read_figures (c);
  guint64 errors = G_MAXUINT64;

  g_assert_true (gst_structure_get_uint64 (stats, "continuity-errors", &errors));
  g_assert_cmpuint (errors, ==, wanted);
}

static void
assert_absent (const GstFaspContinuity *c)
{
  g_autoptr (GstStructure) stats = read_figures (c);

  g_assert_cmpint (gst_structure_n_fields (stats), ==, 0);
}

/* --- packets ------------------------------------------------------------------------------- */

#define BOTH 3
#define FIELD 2
#define DATA 1

typedef struct
{
  guint pid, control, counter;
  guint8 flags;
} Packet;

static const struct
{
  const gchar *name;
  Packet packets[6]; /* ended by one of control 0 and PID 0 */
  guint errors;
} rows[] = {
  { "in order", { { PID, DATA, 14 }, { PID, DATA, 15 }, { PID, DATA, 0 }, { PID, BOTH, 1 } }, 0 },
  { "one is missing", { { PID, DATA, 1 }, { PID, DATA, 3 }, { PID, DATA, 4 } }, 1 },
  { "they go back", { { PID, DATA, 4 }, { PID, DATA, 3 }, { PID, DATA, 4 } }, 1 },
  { "two gaps", { { PID, DATA, 1 }, { PID, DATA, 3 }, { PID, DATA, 6 } }, 2 },
  { "twice", { { PID, DATA, 1 }, { PID, DATA, 1 }, { PID, DATA, 2 } }, 0 },
  { "three times", { { PID, DATA, 1 }, { PID, DATA, 1 }, { PID, DATA, 1 }, { PID, DATA, 2 } }, 1 },
  { "no payload", { { PID, DATA, 1 }, { PID, FIELD, 1 }, { PID, FIELD, 1 }, { PID, DATA, 2 } }, 0 },
  { "no payload, counted", { { PID, DATA, 1 }, { PID, FIELD, 2 }, { PID, DATA, 3 } }, 1 },
  { "announced", { { PID, DATA, 1 }, { PID, BOTH, 9, 0x80 }, { PID, DATA, 10 } }, 0 },
  { "announced without payload", { { PID, DATA, 1 }, { PID, FIELD, 9, 0x80 }, { PID, DATA, 10 } },
      0 },
  { "other flags", { { PID, DATA, 1 }, { PID, BOTH, 9, 0x50 } }, 1 },
  { "another PID",
      { { PID, DATA, 1 }, { PID + 1, DATA, 9 }, { PID, DATA, 2 }, { PID + 1, DATA, 9 } }, 0 },
  { "null packets", { { 0x1fff, DATA, 1 }, { 0x1fff, DATA, 9 }, { 0x1fff, DATA, 4 } }, 0 },
  { "damaged", { { PID, DATA, 1 }, { 0x8000 | PID, DATA, 9 }, { PID, DATA, 2 } }, 0 },
  { "damaged, and missing", { { PID, DATA, 1 }, { 0x8000 | PID, DATA, 2 }, { PID, DATA, 3 } }, 1 },
  { "reserved", { { PID, DATA, 1 }, { PID, 0, 9 }, { PID, DATA, 2 } }, 0 },
};

static gsize
fill (guint8 *data, const Packet *packets)
{
  guint n = 0;

  for (; n < G_N_ELEMENTS (rows[0].packets) && (packets[n].pid | packets[n].control) != 0; n++)
    make_packet (data + n * PACKET, packets[n].pid, packets[n].control, packets[n].counter,
        packets[n].flags);
  return n * PACKET;
}

/* Each row, in one piece, byte by byte, and cut once at each byte. */
static void
test_packets (void)
{
  guint8 data[G_N_ELEMENTS (rows[0].packets) * PACKET];

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    gsize size = fill (data, rows[i].packets);

    g_test_message ("%s", rows[i].name);
    for (gsize cut = 0; cut < size; cut++) {
      g_autofree GstFaspContinuity *c = gst_fasp_continuity_new ();

      for (gsize j = 0; cut == 0 && j < size; j++)
        gst_fasp_continuity_push (c, data + j, 1);
      if (cut != 0) {
        gst_fasp_continuity_push (c, data, cut);
        gst_fasp_continuity_push (c, data + cut, size - cut);
      }
      assert_errors (c, rows[i].errors);
    }
  }
}

/* --- data that is something else ------------------------------------------------------------- */

/* What comes before, between and instead of packets: they are found, and nothing else is. */
static void
test_other_data (void)
{
  static const Packet first[] = { { PID, DATA, 1 }, { PID, DATA, 2 }, { PID, DATA, 3 }, { 0 } };
  static const Packet later[] = { { PID, DATA, 5 }, { PID, DATA, 6 }, { PID, DATA, 7 }, { 0 } };
  g_autofree GstFaspContinuity *c = gst_fasp_continuity_new ();
  guint8 data[3 * PACKET], other[1000];
  gsize size = fill (data, first);

  memset (other, 0x11, sizeof other);
  other[500] = 0x47;
  gst_fasp_continuity_push (c, other, sizeof other);
  gst_fasp_continuity_push (c, data, PACKET);
  assert_absent (c);
  gst_fasp_continuity_push (c, data + PACKET, size - PACKET);
  assert_errors (c, 0);
  /* a single byte too many is found, and the gap behind it */
  gst_fasp_continuity_push (c, other, 1);
  gst_fasp_continuity_push (c, data, fill (data, later));
  assert_errors (c, 1);
  /* another stream needs not follow */
  gst_fasp_continuity_begin (c);
  gst_fasp_continuity_push (c, data, fill (data, first));
  assert_errors (c, 1);
}

/* Bytes of chance: whatever they are, it ends, and packets behind them are found. */
static void
test_chance (void)
{
  static const Packet packets[] = { { PID, DATA, 1 }, { PID, DATA, 2 }, { PID, DATA, 4 },
    { PID, DATA, 5 }, { PID, DATA, 6 }, { PID, DATA, 7 } };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < 2000; i++) {
    g_autofree GstFaspContinuity *c = gst_fasp_continuity_new ();
    g_autoptr (GstBuffer) buffer = gst_buffer_new ();
    guint8 data[G_N_ELEMENTS (packets) * PACKET];
    guint64 before;

    for (guint pieces = g_rand_int_range (rand, 1, 6); pieces > 0; pieces--) {
      gsize size = g_rand_int_range (rand, 1, 3 * PACKET);
      guint8 *bytes = g_malloc (size);

      for (gsize j = 0; j < size; j++)
        bytes[j] = g_rand_int_range (rand, 0, 8) == 0 ? 0x47 : g_rand_int (rand);
      gst_buffer_append_memory (buffer,
          gst_memory_new_wrapped (0, bytes, size, 0, size, bytes, g_free));
    }
    gst_fasp_continuity_push_buffer (c, buffer);
    g_assert_cmpuint (c->errors, <=, c->packets);
    g_assert_cmpuint (c->packets, <=, gst_buffer_get_size (buffer) / PACKET + 1);
    gst_fasp_continuity_begin (c);
    before = c->errors;
    gst_fasp_continuity_push (c, data, fill (data, packets));
    assert_errors (c, before + 1);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/continuity/packets", test_packets);
  g_test_add_func ("/continuity/other-data", test_other_data);
  g_test_add_func ("/continuity/chance", test_chance);
  return g_test_run ();
}
