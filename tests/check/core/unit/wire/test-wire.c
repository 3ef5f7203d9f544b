/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the wire writes and reads: sizes, and texts of a peer. The vectors of docs/protocol.md are
 * in unit/session/test-vectors.c.
 */
#include "faspwire.h"
#include "faspwirehello.h"

/* The fullest feedback is as large as room is kept for, which is all that keeps one below the
 * least path MTU. */
static void
test_feedback_size (void)
{
  const guint64 large = FASP_VARINT_MAX / 4;

  for (guint n_flows = 0; n_flows <= FASP_FLOWS_MAX; n_flows += 8) {
    g_autofree FaspFeedback *f = g_new0 (FaspFeedback, 1), *read = g_new0 (FaspFeedback, 1);
    FaspFrame frame = { .feedback = read };
    gsize size = FASP_FEEDBACK_SIZE_MAX;
    guint8 data[1 << 16];
    FaspWriter w = { data, sizeof data };
    FaspReader r = { data };

    f->serial = f->clock = G_MAXUINT32;
    f->window = f->latency = f->skips = f->wanted = FASP_VARINT_MAX;
    f->ack = large;
    f->from = 2 * large;
    f->end = 4 * large;
    f->tail = f->has_timestamps = f->has.known = f->stands_by = TRUE;
    f->n_flows = n_flows;
    for (guint i = 0; i < n_flows; i++) {
      f->flows[i] = (FaspFeedbackFlow) { i, 0xffffff, FASP_VARINT_MAX, FASP_VARINT_MAX,
        FASP_VARINT_MAX, FASP_VARINT_MAX, FASP_VARINT_MAX, FASP_TIMESTAMPS };
      for (guint j = 0; j < FASP_TIMESTAMPS; j++)
        f->flows[i].timestamps[j] = (FaspFeedbackTimestamp) { FASP_BACK_MAX, G_MAXUINT32 };
      size += FASP_FEEDBACK_FLOW_MAX + FASP_TIMESTAMPS * FASP_FEEDBACK_ARRIVAL_MAX;
    }
    f->n_ranges = FASP_RANGES_MAX;
    for (guint i = 0; i < f->n_ranges; i++) {
      f->ranges[i] = (FaspRange) { f->from + 30000 * i + 20000, 10000 };
      size += fasp_wire_range_size (20000, 10000);
    }
    fasp_wire_write_feedback (&w, f);
    g_assert_false (w.failed);
    g_assert_cmpuint (w.used, ==, size);
    r.left = w.used;
    g_assert_true (fasp_wire_next_frame (&r, &frame));
    g_assert_cmpuint (r.left, ==, 0);
  }
}

/* And so are the others that go with it. */
static void
test_small_size (void)
{
  guint8 data[100];
  FaspWriter ping = { data, sizeof data }, expired = ping;

  fasp_wire_write_number (&ping, FASP_FRAME_PING, G_MAXUINT64);
  g_assert_cmpuint (ping.used, ==, FASP_PING_SIZE);
  fasp_wire_write_number (&expired, FASP_FRAME_EXPIRED, G_MAXUINT32);
  g_assert_cmpuint (expired.used, ==, FASP_EXPIRED_SIZE);
}

/* What a terminal would act on, or nobody see, is not taken from a peer. */
static void
test_plain (void)
{
  static const struct
  {
    const gchar *text;
    gboolean plain;
  } texts[] = {
    { "studio 3", TRUE },
    { "Caf\303\251, \346\227\245\346\234\254 \360\237\230\200", TRUE },
    { "\327\251\327\234\327\225\327\235", TRUE }, /* Hebrew, as it is */
    { "a\tb", FALSE },
    { "a\033[2J", FALSE },
    { "a\177", FALSE },
    { "a\302\2332J", FALSE },    /* U+009B, CSI */
    { "a\302\205b", FALSE },     /* U+0085, next line */
    { "a\342\200\256b", FALSE }, /* U+202E, right to left */
    { "a\342\201\246b", FALSE }, /* U+2066, isolate */
    { "a\342\200\213b", FALSE }, /* U+200B, not seen */
    { "a\342\200\250b", FALSE }, /* U+2028, end of a line */
    /* cut */
    { "a\303", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    FaspHello hello = { .role = FASP_ROLE_RECEIVER, .cid = 1, .flows = 1 }, read;
    guint8 data[FASP_MESSAGE_MAX];
    FaspWriter w = { data, sizeof data };

    g_strlcpy (hello.streamid, texts[i].text, sizeof hello.streamid);
    fasp_wire_write_hello (&w, &hello);
    g_assert_true (fasp_wire_parse_hello (data, w.used, &read));
    g_assert_cmpstr (read.streamid, ==, texts[i].plain ? texts[i].text : "");
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wire/plain", test_plain);
  g_test_add_func ("/wire/size/feedback", test_feedback_size);
  g_test_add_func ("/wire/size/small", test_small_size);
  return g_test_run ();
}
