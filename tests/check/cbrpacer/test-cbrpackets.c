/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a transport stream is cut, whatever comes, in whatever pieces, and whatever is missing.
 */
#include <string.h>
#include "cbrpackets.h"

#define MOST 7 /* packets in a datagram */

static const guint sizes[] = { 188, 192, 204, 208 };

/* The letter that a byte stands for is in it, but for sync bytes. */
static void
append (GByteArray *bytes, guint size, gchar letter, guint n, gboolean begins)
{
  guint at = bytes->len;

  g_byte_array_set_size (bytes, at + n);
  memset (bytes->data + at, letter, n);
  if (begins && n > ts_sync_get_front (size))
    bytes->data[at + ts_sync_get_front (size)] = TS_SYNC;
}

static void
push (CbrQueue *queue, const GByteArray *bytes, guint from, guint n, gboolean discont)
{
  GstBuffer *buffer = gst_buffer_new_memdup (bytes->data + from, n);

  if (discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  cbr_queue_push_buffer (queue, buffer, (CbrMark) { 0, 0 });
}

/* A letter each, as in the table below. @query: for Q. */
static void
push_letters (CbrQueue *queue, const gchar *letters, guint size, GstQuery *query)
{
  gboolean discont = FALSE;

  for (; *letters != 0; letters++) {
    GByteArray *bytes = g_byte_array_new ();

    switch (*letters) {
      case 'p':
        append (bytes, size, 'p', size, TRUE);
        break;
      case 'h':
        append (bytes, size, 'h', size / 2, TRUE);
        break;
      case 'r':
        append (bytes, size, 'r', size / 2, FALSE);
        break;
      case 'f':
        append (bytes, size, 'f', 50, FALSE);
        break;
      case 'T':
        cbr_queue_push (queue, GST_MINI_OBJECT_CAST (gst_event_new_gap (0, 1)));
        break;
      case 'E':
        cbr_queue_push (queue, GST_MINI_OBJECT_CAST (gst_event_new_eos ()));
        break;
      case 'Q':
        cbr_queue_push (queue, GST_MINI_OBJECT_CAST (query));
        break;
    }
    if (bytes->len > 0)
      push (queue, bytes, 0, bytes->len, discont);
    discont = *letters == 'D';
    g_byte_array_unref (bytes);
  }
}

/* Appends the letters of what leaves, without repeating them. */
static void
cut (CbrQueue *queue, gsize n, GString *out, guint size)
{
  GstBuffer *buffer = cbr_queue_cut (queue, n);
  GstMapInfo map;
  gchar last = 0;
  gsize run = 0;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (gsize i = 0; i < map.size; i++) {
    gchar letter = (gchar) map.data[i];

    if (letter == TS_SYNC)
      letter = i + 1 < map.size ? (gchar) map.data[i + 1] : last;
    if (letter != last || run == (letter == 'p' ? size : letter == 'f' ? 50 : size / 2)) {
      g_string_append_c (out, letter);
      run = 0;
    }
    last = letter;
    run++;
  }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

static gboolean
pop_other (CbrQueue *queue, CbrPackets *packets, GString *out)
{
  GstMiniObject *other = cbr_queue_pop_other (queue);

  if (other == NULL)
    return FALSE;
  if (cbr_queue_is_break (other))
    packets->lost = FALSE;
  g_string_append (out,
      GST_IS_QUERY (other)                        ? "Q " :
          GST_EVENT_TYPE (other) == GST_EVENT_EOS ? "E " :
                                                    "T ");
  if (GST_IS_EVENT (other))
    gst_mini_object_unref (other);
  return TRUE;
}

/* What leaves until nothing more does, and how: !: is in no packet; +: more could have come; ?:
 * after patience; ~: a packet waits for its rest. */
static gchar *
play (CbrPackets *packets, CbrQueue *queue)
{
  GString *out = g_string_new (NULL);

  for (;;) {
    CbrPiece piece;

    if (pop_other (queue, packets, out))
      continue;
    piece = cbr_packets_look (packets, queue, MOST * packets->size, FALSE);
    if (piece.held && cbr_queue_let_pass (queue))
      continue;
    if (piece.doubt) {
      g_string_append_c (out, '?');
      piece = cbr_packets_look (packets, queue, MOST * packets->size, TRUE);
      g_assert_cmpuint (piece.size, >, 0);
    }
    if (piece.size == 0) {
      g_string_append (out, piece.held ? "~" : "");
      return g_strchomp (g_string_free (out, FALSE));
    }
    g_string_append (out, piece.foreign ? "!" : "");
    cut (queue, piece.size, out, packets->size);
    cbr_packets_took (packets, &piece);
    g_string_append (out, piece.whole ? " " : "+ ");
  }
}

/* p: a packet; h, r: the halves of one; f: 50 foreign bytes; D: what follows has DISCONT; E: an
 * event that ends something; T: one that does not; Q: a query. Each letter is a buffer. */
static void
test_cases (void)
{
  static const struct
  {
    const gchar *in, *out, *m2ts;
  } cases[] = {
    { "ppppppp", "ppppppp" },
    { "pppppppppp", "ppppppp ppp+" },
    { "hrhrhr", "hrhrhr+" },
    /* half a packet waits, for ever, and what does not end it goes first */
    { "h", "~" },
    { "pph", "pp+ ~" },
    { "pppppppph", "ppppppp p+ ~" },
    { "hT", "T ~" },
    { "hQ", "Q ~" },
    { "phTQ", "p T Q ~" },
    { "hTr", "hr+ T" },
    /* until a break, behind which there is no rest */
    { "hE", "!h E" },
    { "pphE", "pp !h E" },
    { "ppDp", "pp p+" },
    { "pphDpp", "pp !h pp+" },
    { "phErpp", "p !h E !r pp+" },
    { "phDrpDp", "p !h !r p p+" },
    { "hDhDh", "!h !h ~" },
    /* foreign bytes */
    { "pfpp", "p !f pp+" },
    { "fpp", "!f pp+" },
    { "pfffE", "p !fff E" },
    { "ffE", "!ff E" },
    /* whose last may be those in front of a sync byte */
    { "ff", "!ff+", "!ff ?!f+" },
    { "ppf", "pp !f+", "pp !f ?!f+" },
    /* missing ones */
    { "phpp", "p !h pp+" },
    { "prpp", "p !r pp+" },
    { "phpE", "p !h p E" },
    { "phphpp", "p !h p !h pp+" },
    { "rppp", "!r ppp+" },
    { "hrrppp", "hr !r ppp+" },
    /* in doubt */
    { "fp", "!f ?p+" },
    { "fpE", "!f p E" },
    { "fh", "!f ?!h+" },
    { "fhrp", "!f hrp+" },
    { "fhQ", "!f Q ?!h+" },
    { "", "" },
    { "E", "E" },
  };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
      CbrPackets packets = { .size = sizes[s], .sure = TRUE };
      GstQuery *query = gst_query_new_drain ();
      g_autofree gchar *out = NULL;
      CbrQueue queue;

      cbr_queue_init (&queue);
      push_letters (&queue, cases[i].in, sizes[s], query);
      out = play (&packets, &queue);
      g_test_message ("%u: %s", sizes[s], cases[i].in);
      g_assert_cmpstr (out, ==,
          sizes[s] == 192 && cases[i].m2ts != NULL ? cases[i].m2ts : cases[i].out);
      cbr_queue_finalize (&queue);
      gst_query_unref (query);
    }
}

/* Bytes that never were a transport stream do not wait for ever, even with a sync byte among
 * them by accident. */
static void
test_unsure (void)
{
  static const gchar *cases[][2] = { { "h", "?!h+" }, { "hE", "!h E" }, { "hr", "hr+" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    CbrPackets packets = { .size = 188 };
    g_autofree gchar *out = NULL;
    CbrQueue queue;

    cbr_queue_init (&queue);
    push_letters (&queue, cases[i][0], 188, NULL);
    out = play (&packets, &queue);
    g_assert_cmpstr (out, ==, cases[i][1]);
    cbr_queue_finalize (&queue);
  }
}

typedef struct
{
  guint size;
  GRand *rand;
  GByteArray *bytes, *whose; /* packets, and to which each byte belongs; 0: it is damaged */
  gsize in;                  /* bytes pushed */
  gboolean discont;          /* before the next one */
  CbrQueue queue;
  CbrPackets packets;
  gsize out, whole; /* bytes that left, and those of them in packets */
} Stream;

static void
append_packet (Stream *stream, guint n)
{
  guint8 owner = n % 255 + 1;
  guint from = stream->bytes->len;

  append (stream->bytes, stream->size, 0, stream->size, TRUE);
  for (guint i = from; i < stream->bytes->len; i++) {
    if (i != from + ts_sync_get_front (stream->size))
      stream->bytes->data[i] = (guint8) g_rand_int_range (stream->rand, 0x48, 0x100);
    g_byte_array_append (stream->whose, &owner, 1);
  }
}

/* A packet with bytes missing, or with others in it or behind it. */
static void
append_damaged (Stream *stream)
{
  guint from = stream->bytes->len, n = stream->size;
  guint at = g_rand_int_range (stream->rand, 1, n);

  append_packet (stream, 0);
  if (g_rand_boolean (stream->rand)) {
    guint cut = g_rand_int_range (stream->rand, 1, n - at + 1);

    g_byte_array_remove_range (stream->bytes, from + at, cut);
  } else {
    guint8 foreign[2000];
    guint more = g_rand_int_range (stream->rand, 1, sizeof foreign);

    /* right behind it, it is still a packet */
    memset (foreign, 0xda, sizeof foreign);
    g_byte_array_append (stream->bytes, foreign, more);
    if (g_rand_boolean (stream->rand)) {
      memmove (stream->bytes->data + from + at + more, stream->bytes->data + from + at, n - at);
      memset (stream->bytes->data + from + at, 0xda, more);
    } else {
      from += n;
    }
  }
  g_byte_array_set_size (stream->whose, stream->bytes->len);
  memset (stream->whose->data + from, 0, stream->bytes->len - from);
}

/* Some more, in a buffer of any size, and perhaps something that is no data. */
static void
push_some (Stream *stream)
{
  gsize n = g_rand_int_range (stream->rand, 1, 1 << g_rand_int_range (stream->rand, 1, 13));

  n = MIN (n, stream->bytes->len - stream->in);
  push (&stream->queue, stream->bytes, stream->in, n, stream->discont);
  stream->discont = FALSE;
  stream->in += n;
  if (g_rand_int_range (stream->rand, 0, 4) == 0)
    cbr_queue_push (&stream->queue, GST_MINI_OBJECT_CAST (gst_event_new_gap (0, 1)));
}

/* Are there only good packets around the next byte, so that what was damaged is known to be, and
 * the place is found again between two damages? */
static gboolean
is_quiet (Stream *stream)
{
  gsize far = 3 * stream->size;

  for (gsize i = stream->in - MIN (far, stream->in); i < MIN (stream->in + far, stream->whose->len);
      i++)
    if (stream->whose->data[i] == 0)
      return FALSE;
  return TRUE;
}

/* In the middle of a packet it damages that. */
static void
break_here (Stream *stream, gboolean discont)
{
  gsize i = stream->in;
  guint8 owner =
      i > 0 && i < stream->bytes->len && stream->whose->data[i - 1] == stream->whose->data[i] ?
      stream->whose->data[i] :
      0;

  if (discont)
    stream->discont = TRUE;
  else
    cbr_queue_push (&stream->queue,
        GST_MINI_OBJECT_CAST (gst_event_new_segment_done (GST_FORMAT_BYTES, 1)));
  if (owner == 0)
    return;
  while (i > 0 && stream->whose->data[i - 1] == owner)
    i--;
  for (; stream->whose->data[i] == owner; i++)
    stream->whose->data[i] = 0;
}

/* All that may leave does, and is as it should be. */
static void
take_all (Stream *stream)
{
  for (;;) {
    GstMiniObject *other = cbr_queue_pop_other (&stream->queue);
    GstBuffer *buffer;
    GstMapInfo map;
    CbrPiece piece;

    if (other != NULL) {
      if (cbr_queue_is_break (other))
        stream->packets.lost = FALSE;
      gst_mini_object_unref (other);
      continue;
    }
    piece = cbr_packets_look (&stream->packets, &stream->queue, MOST * stream->size, FALSE);
    if (piece.held && cbr_queue_let_pass (&stream->queue))
      continue;
    if (piece.size == 0 || (!piece.whole && g_rand_boolean (stream->rand)))
      return;
    buffer = cbr_queue_cut (&stream->queue, piece.size);
    cbr_packets_took (&stream->packets, &piece);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    g_assert_cmpmem (map.data, map.size, stream->bytes->data + stream->out, piece.size);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
    g_assert_true (piece.foreign || piece.size % stream->size == 0);
    for (gsize i = 0; i < piece.size; i++) {
      guint8 owner = stream->whose->data[stream->out + i];
      gsize begin = stream->out + i / stream->size * stream->size;

      /* packets are not broken, and what is none is with none */
      g_assert_true (owner == 0
          || (!piece.foreign && stream->whose->data[begin] == owner
              && stream->whose->data[begin + stream->size - 1] == owner));
    }
    stream->out += piece.size;
    stream->whole += piece.foreign ? 0 : piece.size;
  }
}

/* A stream with damages, in pieces of any size, with breaks anywhere: no byte is lost or moved, and
 * each packet that came whole leaves whole, between packets. */
static void
test_seeds (void)
{
  for (guint seed = 0; seed < 400; seed++) {
    Stream stream = {
      .size = sizes[seed % 4],
      .rand = g_rand_new_with_seed (seed),
      .bytes = g_byte_array_new (),
      .whose = g_byte_array_new (),
    };
    gsize good = 0;

    for (guint i = 0; i < 300; i++) {
      if (i % 4 == 3 && g_rand_int_range (stream.rand, 0, 5) == 0)
        append_damaged (&stream);
      else
        append_packet (&stream, i + 1);
    }
    stream.packets = (CbrPackets) { .size = stream.size, .sure = TRUE };
    cbr_queue_init (&stream.queue);
    while (stream.in < stream.bytes->len) {
      push_some (&stream);
      if (seed % 3 == 0 && g_rand_int_range (stream.rand, 0, 4) == 0 && is_quiet (&stream))
        break_here (&stream, g_rand_boolean (stream.rand));
      if (g_rand_boolean (stream.rand) && is_quiet (&stream))
        take_all (&stream);
    }
    cbr_queue_push (&stream.queue, GST_MINI_OBJECT_CAST (gst_event_new_eos ()));
    while (!cbr_queue_is_empty (&stream.queue))
      take_all (&stream);
    g_assert_cmpuint (stream.out, ==, stream.bytes->len);
    for (gsize i = 0; i < stream.whose->len; i++)
      good += stream.whose->data[i] != 0;
    g_assert_cmpuint (stream.whole, >=, good);
    cbr_queue_finalize (&stream.queue);
    g_byte_array_unref (stream.bytes);
    g_byte_array_unref (stream.whose);
    g_rand_free (stream.rand);
  }
}

/* Any share of the bytes are sync bytes: it ends, and each byte leaves. */
static void
test_hostile (void)
{
  for (guint seed = 0; seed < 100; seed++) {
    GRand *rand = g_rand_new_with_seed (seed);
    CbrPackets packets = { .size = sizes[seed % 4] };
    GByteArray *bytes = g_byte_array_new ();
    gsize in = 0, out = 0;
    CbrQueue queue;

    g_byte_array_set_size (bytes, 20000);
    for (guint i = 0; i < bytes->len; i++)
      bytes->data[i] =
          (guint) g_rand_int_range (rand, 0, 20) <= seed % 20 ? TS_SYNC : g_rand_int (rand);
    cbr_queue_init (&queue);
    while (out < bytes->len) {
      gsize n = g_rand_int_range (rand, 1, 900);
      CbrPiece piece;

      n = MIN (n, bytes->len - in);
      if (n > 0)
        push (&queue, bytes, in, n, FALSE);
      in += n;
      piece =
          cbr_packets_look (&packets, &queue, MOST * packets.size, g_rand_boolean (rand) || n == 0);
      g_assert_true (piece.size > 0 || piece.doubt);
      if (piece.size > 0) {
        gst_buffer_unref (cbr_queue_cut (&queue, piece.size));
        cbr_packets_took (&packets, &piece);
      }
      out += piece.size;
    }
    cbr_queue_finalize (&queue);
    g_byte_array_unref (bytes);
    g_rand_free (rand);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/packets/cases", test_cases);
  g_test_add_func ("/packets/unsure", test_unsure);
  g_test_add_func ("/packets/seeds", test_seeds);
  g_test_add_func ("/packets/hostile", test_hostile);
  return g_test_run ();
}
