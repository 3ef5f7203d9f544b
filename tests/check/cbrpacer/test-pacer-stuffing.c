/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: null packets fill a transport stream up to the rate.
 */
#include "pacer.h"

/* The clock goes on as the thread waits for it. */
static void
pull_event_when_due (Pacer *f, GstEventType type)
{
  gint64 until = g_get_monotonic_time () + LIMIT;
  GstEventType last = GST_EVENT_UNKNOWN;

  while (last != type) {
    GstEvent *event = gst_harness_try_pull_event (f->h);

    g_assert_cmpint (g_get_monotonic_time (), <, until);
    if (event != NULL) {
      last = GST_EVENT_TYPE (event);
      gst_event_unref (event);
    } else if (gst_test_clock_peek_id_count (f->clock) > 0) {
      gst_test_clock_crank (f->clock);
    }
  }
}

/* With null packets, what is no packet is dropped, and counted. */
static void
test_null_ts_breaks (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts", TS);

  gst_harness_push (f->h, pacer_make_part (188, 0, 9 * 188 + 100));
  pacer_assert_pull (f, 1316);
  gst_harness_push_event (f->h, gst_event_new_gap (0, 1));
  gst_harness_push_event (f->h, gst_event_new_eos ());
  pacer_advance_to (f, 1 * MS);
  pacer_assert_nulls (f, 5);
  pull_event_when_due (f, GST_EVENT_EOS);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 100);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-stuffed"), ==, 5 * 188);
}

static void
test_null_ts (void)
{
  /* 1316 bytes in 1 ms, two datagrams a cycle */
  g_autoptr (Pacer) f = pacer_new ("bitrate=10528000 max-burst=2632 stuffing=null-ts", TS);
  static const struct
  {
    guint packets, nulls[2];
  } steps[] = {
    { 14, { 0, 0 } },
    { 7, { 0, 7 } },
    { 0, { 7, 7 } },
    { 3, { 4, 7 } },
    { 20, { 0, 0 } },
    { 0, { 1, 7 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    if (steps[i].packets > 0)
      gst_harness_push (f->h, pacer_make_ts (steps[i].packets));
    if (i > 0)
      pacer_advance_to (f, 2 * i * MS);
    for (guint j = 0; j < 2; j++) {
      GstBuffer *buffer = pacer_pull (f);

      g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 1316);
      g_assert_cmpuint (pacer_count_nulls (buffer), ==, steps[i].nulls[j]);
      g_assert_cmpint (!!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP), ==,
          steps[i].nulls[j] == 7);
      gst_buffer_unref (buffer);
    }
    if (i == 4) {
      /* 6 packets wait; after them nothing comes */
      GstStructure *stats;
      gdouble achieved;

      g_object_get (f->h->element, "stats", &stats, NULL);
      g_assert_true (gst_structure_get_double (stats, "bitrate-achieved", &achieved));
      g_assert_cmpfloat (achieved, ==, 10528000);
      gst_structure_free (stats);
    }
  }
  pacer_wait_for_stat (f, "bytes-stuffed", 40 * 188);
  g_assert_cmpuint (pacer_get_stat (f, "underruns"), ==, 0);
  /* the end is not stuffed any further */
  gst_harness_push_event (f->h, gst_event_new_eos ());
  pacer_wait_for_stat (f, "cycles", 6);
  g_assert_cmpuint (gst_harness_buffers_in_queue (f->h), ==, 0);
}

/* Where PCRs are restamped, what leaves together is due within half a millisecond. */
static void
test_null_ts_cycles (void)
{
  static const struct
  {
    const gchar *properties;
    guint datagrams; /* of a cycle */
  } rows[] = {
    { "bitrate=10528000 stuffing=null-ts", 1 }, /* each takes 1 ms */
    { "bitrate=52640000 stuffing=null-ts", 2 }, /* each takes 0.2 ms */
    { "bitrate=526400000 stuffing=null-ts", 6 },
    { "bitrate=10528000 stuffing=null-ts restamp=false", 6 },
    { "bitrate=10528000 stuffing=null-ts max-burst=5264", 4 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (Pacer) f = pacer_new (rows[i].properties, TS);

    gst_harness_push (f->h, pacer_make_ts (7 * 20));
    for (guint j = 0; j < rows[i].datagrams; j++)
      gst_buffer_unref (pacer_pull (f));
    pacer_assert_nothing (f);
  }
}

/* Part of a packet waits for its rest: nulls go before it, never into it. */
static void
test_null_ts_split_packets (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts", TS);
  GstBuffer *whole = pacer_make_ts (8);

  gst_harness_push (f->h, gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 0, 7 * 188 + 100));
  pacer_assert_pull (f, 1316);
  pacer_advance_to (f, 1 * MS);
  pacer_assert_nulls (f, 7);
  gst_harness_push (f->h, gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 7 * 188 + 100, 88));
  pacer_advance_to (f, 2 * MS);
  pacer_assert_nulls (f, 6);
  gst_buffer_unref (whole);
}

static void
test_null_ts_of_nothing_else (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=10528000 stuffing=null-ts", SIMPLE);

  pacer_push (f, 70000);
  pacer_assert_message (f, GST_MESSAGE_ERROR, "tsparse");
}

/* Packets that null packets do not fit in between: it is not payload-size that
 * helps. */
static void
test_null_ts_of_larger_packets (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 stuffing=null-ts",
      "video/mpegts,systemstream=true,packetsize=192");

  pacer_push (f, 7 * 192);
  pacer_assert_message (f, GST_MESSAGE_ERROR, "these have 192");
}

static void
test_bad_payload (void)
{
  GstElement *element = gst_element_factory_make ("cbrpacer", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;

  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  g_object_set (element, "payload-size", 1400, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "stuffing", "null-ts");
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
}

/* After a loss it goes on at the next packet. */
static void
test_null_ts_resync (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts", TS);
  GstBuffer *whole = pacer_make_ts (9), *buffer;

  gst_harness_push (f->h, pacer_make_ts (7));
  pacer_assert_pull (f, 1316);
  buffer = gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 88, 8 * 188 - 88);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (f->h, buffer);
  pacer_advance_to (f, 1 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpuint (pacer_count_nulls (buffer), ==, 0);
  /* what told of the loss was in front of it */
  g_assert_true (GST_BUFFER_IS_DISCONT (buffer));
  gst_buffer_unref (buffer);
  pacer_wait_for_stat (f, "bytes-dropped", 100);
  gst_buffer_unref (whole);
}

/* Bytes that are no packet are dropped at once, also in 60000 buffers of one byte. */
static void
test_null_ts_resync_tiny (gconstpointer flags)
{
  g_autoptr (Pacer) f =
      pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts max-delay=1000000000", TS);
  GstBufferList *list = gst_buffer_list_new ();
  gint64 before;
  GstBuffer *buffer;

  gst_harness_push (f->h, pacer_make_ts (7));
  pacer_assert_pull (f, 1316);
  for (guint i = 0; i < 60000; i++) {
    buffer = pacer_make (1, GST_CLOCK_TIME_NONE);
    GST_BUFFER_FLAG_SET (buffer, GPOINTER_TO_UINT (flags));
    gst_buffer_list_add (list, buffer);
  }
  gst_buffer_list_add (list, pacer_make_ts (7));
  g_assert_cmpint (gst_pad_push_list (f->h->srcpad, list), ==, GST_FLOW_OK);
  before = g_get_monotonic_time ();
  pacer_advance_to (f, 1 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpint (g_get_monotonic_time () - before, <, 4 * G_TIME_SPAN_SECOND);
  g_assert_cmpuint (pacer_count_nulls (buffer), ==, 0);
  g_assert_true (GST_BUFFER_IS_DISCONT (buffer));
  gst_buffer_unref (buffer);
  pacer_wait_for_stat (f, "bytes-dropped", 60000);
}

/* Found out while playing, too. */
static void
test_bad_payload_later (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=10528000 max-burst=1 stuffing=null-ts", TS);

  gst_harness_push (f->h, pacer_make_ts (7));
  pacer_assert_pull (f, 1316);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  g_object_set (f->h->element, "payload-size", 1000, NULL);
  pacer_advance_to (f, 1 * MS);
  pacer_assert_message (f, GST_MESSAGE_ERROR, "188");
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/null-ts", test_null_ts);
  g_test_add_func ("/pacer/null-ts/cycles", test_null_ts_cycles);
  g_test_add_func ("/pacer/null-ts/breaks", test_null_ts_breaks);
  g_test_add_func ("/pacer/null-ts/split-packets", test_null_ts_split_packets);
  g_test_add_func ("/pacer/null-ts/resync", test_null_ts_resync);
  g_test_add_data_func ("/pacer/null-ts/resync/tiny", NULL, test_null_ts_resync_tiny);
  g_test_add_data_func ("/pacer/null-ts/resync/tiny-discont",
      GUINT_TO_POINTER (GST_BUFFER_FLAG_DISCONT), test_null_ts_resync_tiny);
  g_test_add_func ("/pacer/null-ts/of-nothing-else", test_null_ts_of_nothing_else);
  g_test_add_func ("/pacer/null-ts/of-larger-packets", test_null_ts_of_larger_packets);
  g_test_add_func ("/pacer/null-ts/bad-payload", test_bad_payload);
  g_test_add_func ("/pacer/null-ts/bad-payload-later", test_bad_payload_later);
  return g_test_run ();
}
