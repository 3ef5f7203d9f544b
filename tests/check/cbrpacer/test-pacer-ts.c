/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: of a transport stream, whole packets leave, seven in a
 * datagram, with caps or without.
 */
#include "pacer.h"

static void
pull_size (Pacer *f, gsize size)
{
  GstBuffer *buffer = pacer_pull_when_due (f);

  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, size);
  gst_buffer_unref (buffer);
}

/* The first at once. */
static void
assert_one_a_ms (Pacer *f, gsize size, guint n)
{
  pacer_assert_pull (f, size);
  for (guint i = 1; i < n; i++)
    pacer_assert_pull_at (f, i * MS, size);
}

/* Seven packets a datagram, whatever comes; without caps, too. */
static void
test_ts_datagrams (void)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (Pacer) f = pacer_new ("bitrate=10528000 max-burst=1316", i == 0 ? TS : NULL);

    for (guint j = 0; j < 7; j++)
      gst_harness_push (f->h, pacer_make_ts (i == 0 ? 1 : 3));
    for (guint j = 0; i == 0 && j < 14; j++)
      gst_harness_push (f->h, pacer_make_ts (1));
    assert_one_a_ms (f, 1316, 3);
  }
}

/* A source of one packet at a time, without caps: what they begin with tells,
 * and a first one that was none by accident is no harm. */
static void
test_ts_packets (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=10528000 max-burst=1316", NULL);
  g_autoptr (Pacer) other = pacer_new ("bitrate=1504000 max-burst=188", NULL);

  for (guint i = 0; i < 21; i++)
    gst_harness_push (f->h, pacer_make_ts (1));
  assert_one_a_ms (f, 1316, 3);

  gst_harness_push (other->h, pacer_make_ts (1));
  pacer_push_many (other, 3, 188);
  assert_one_a_ms (other, 188, 4);
}

/* Buffers that wait are cut by the caps that they came with, not by those behind them. */
static void
test_other_caps (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=4000000 max-burst=500", SIMPLE);

  pacer_push_list (f, 3, 500);
  pacer_push_caps (f, TS);
  for (guint i = 0; i < 14; i++)
    gst_harness_push (f->h, pacer_make_ts (1));
  pacer_push_caps (f, SIMPLE);
  pacer_push_list (f, 2, 500);
  pacer_assert_pull (f, 500);
  for (guint i = 1; i < 3; i++)
    pacer_assert_pull_at (f, i * MS, 500);
  for (guint i = 0; i < 2; i++)
    pacer_assert_pull_at (f, 3 * MS + i * 2632 * GST_USECOND, 1316);
  pacer_assert_pull_at (f, 3 * MS + 2 * 2632 * GST_USECOND, 500);
}

/* Caps that a flush drops on their way count all the same. */
static void
test_flushed_caps (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=4000000 max-burst=500", SIMPLE);

  pacer_push_list (f, 3, 500);
  pacer_assert_pull (f, 500);
  pacer_push_caps (f, TS);
  gst_harness_push_event (f->h, gst_event_new_flush_start ());
  gst_harness_push_event (f->h, gst_event_new_flush_stop (TRUE));
  pacer_push_segment (f, GST_FORMAT_BYTES);
  for (guint i = 0; i < 7; i++)
    gst_harness_push (f->h, pacer_make_ts (1));
  pacer_assert_pull (f, 1316);
}

static const guint packets[] = { 188, 192, 204, 208 };

/* Half a packet never leaves before its rest, however long it waits; with caps or without, and when
 * payload-size is no multiple of a packet. */
static void
test_ts_wait (void)
{
  for (guint i = 0; i < 4 * G_N_ELEMENTS (packets); i++) {
    guint size = packets[i / 4], half = size / 2;
    g_autofree gchar *caps = g_strdup_printf ("video/mpegts,systemstream=true,packetsize=%u", size);
    g_autoptr (Pacer) f = pacer_new (i % 2 == 0 ? "bitrate=80000000 max-burst=1" :
                                                  "bitrate=80000000 max-burst=1 payload-size=1499",
        i % 4 < 2 ? caps : NULL);

    gst_harness_push (f->h, pacer_make_part (size, 0, 10 * size + half));
    pull_size (f, 7 * size);
    pull_size (f, 3 * size);
    g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), ==, 250 * MS);
    /* a day later */
    gst_test_clock_set_time (f->clock, 86400 * GST_SECOND);
    gst_harness_push (f->h, pacer_make_part (size, 10 * size + half, 17 * size));
    pull_size (f, 7 * size);
  }
}

/* The stream comes in pieces of any size, also the first one: seven whole packets leave each time.
 */
static void
test_ts_pieces (void)
{
  static const guint pieces[] = { 1, 3, 50, 100, 187, 189, 1000, 4096 };

  for (guint i = 0; i < G_N_ELEMENTS (packets) * G_N_ELEMENTS (pieces); i++) {
    guint size = packets[i / G_N_ELEMENTS (pieces)];
    guint piece = pieces[i % G_N_ELEMENTS (pieces)], end = 70 * size;
    g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1", NULL);
    GstBufferList *list = gst_buffer_list_new ();

    for (guint at = 0; at < end; at += piece)
      gst_buffer_list_add (list, pacer_make_part (size, at, MIN (at + piece, end)));
    g_assert_cmpint (gst_pad_push_list (f->h->srcpad, list), ==, GST_FLOW_OK);
    for (guint n = 0; n < 10; n++)
      pull_size (f, 7 * size);
  }
}

/* An event that ends the stream ends the wait for half a packet; another one passes it. */
static void
test_ts_breaks (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=80000000 max-burst=1", TS);
  GstQuery *query = gst_query_new_drain ();
  GstBuffer *buffer;

  gst_harness_push (f->h, pacer_make_part (188, 0, 7 * 188 + 100));
  pacer_assert_pull (f, 1316);
  pacer_forget_events (f);
  gst_pad_peer_query (f->h->srcpad, query);
  gst_query_unref (query);
  gst_harness_push_event (f->h, gst_event_new_gap (0, 1));
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_GAP);
  buffer = pacer_make_part (188, 0, 5 * 188 + 100);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (f->h, buffer);
  pull_size (f, 100);
  gst_harness_push_event (f->h, gst_event_new_eos ());
  pull_size (f, 5 * 188);
  pull_size (f, 100);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_EOS);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/ts-datagrams", test_ts_datagrams);
  g_test_add_func ("/pacer/ts-packets", test_ts_packets);
  g_test_add_func ("/pacer/other-caps", test_other_caps);
  g_test_add_func ("/pacer/flushed-caps", test_flushed_caps);
  g_test_add_func ("/pacer/ts-wait", test_ts_wait);
  g_test_add_func ("/pacer/ts-pieces", test_ts_pieces);
  g_test_add_func ("/pacer/ts-breaks", test_ts_breaks);
  return g_test_run ();
}
