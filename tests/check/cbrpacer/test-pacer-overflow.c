/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: a source that is faster than the rate, or than what is
 * behind, waits for room or loses its oldest data, and the user is warned.
 */
#include "pacer.h"

static gpointer
push_thread (gpointer data)
{
  Pacer *f = data;

  return GINT_TO_POINTER (gst_harness_push (f->h, pacer_make (1000, GST_CLOCK_TIME_NONE)));
}

/* A source that waits for room is let go by a flush, a stop, an error. */
static void
test_blocked_and_let_go (void)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (Pacer) f = pacer_new ("bitrate=8000 max-burst=1000 max-delay=1000000", SIMPLE);
    GThread *thread;

    pacer_push (f, 1000);
    pacer_assert_pull (f, 1000);
    pacer_push (f, 1000);
    thread = g_thread_new ("push", push_thread, f);
    pacer_wait_for_stat (f, "overruns", 1);
    if (i == 0)
      gst_harness_push_event (f->h, gst_event_new_flush_start ());
    else
      gst_element_set_state (f->h->element, GST_STATE_NULL);
    g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==, GST_FLOW_FLUSHING);
  }
}

static gpointer
push_on (gpointer data)
{
  Pacer *f = data;

  while (gst_harness_push (f->h, pacer_make (1000, GST_CLOCK_TIME_NONE)) == GST_FLOW_OK)
    ;
  return NULL;
}

/* A live source that is too fast is later and later: that is told. */
static void
test_held (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=80000 max-burst=1000 max-delay=1000", SIMPLE);
  GThread *thread = g_thread_new ("push", push_on, f);
  g_autofree gchar *text = NULL;
  GstMessage *warning = NULL;
  guint left;

  /* within some seconds, of which each lets ten buffers leave */
  for (left = 0; warning == NULL && left < 100; left++) {
    pacer_assert_pull (f, 1000);
    /* the source has filled the room that this left, and waits */
    pacer_wait_for_stat (f, "bytes-queued", 1000);
    pacer_advance_to (f, (left + 1) * 100 * MS);
    warning = gst_bus_pop_filtered (f->bus, GST_MESSAGE_WARNING);
  }
  g_assert_nonnull (warning);
  g_assert_cmpuint (left, >, 30);
  gst_bus_post (f->bus, warning);
  text = pacer_wait_text (f, GST_MESSAGE_WARNING);
  pacer_assert_text (text, "faster than bitrate");
  /* it may have been meant in kbit/s */
  pacer_assert_text (text, "bitrate=80000000");
  gst_harness_push_event (f->h, gst_event_new_flush_start ());
  g_thread_join (thread);
}

/* Each buffer takes a twentieth longer than its rate says, as with a sink that plays at the time of
 * the stream; before that, the source fills the room that it left. */
static GstPadProbeReturn
take_long (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Pacer *f = data;
  gint64 until = g_get_monotonic_time () + LIMIT;

  while (pacer_get_stat (f, "bytes-queued") < 10000 && !GST_PAD_IS_FLUSHING (pad)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (1000);
  }
  gst_test_clock_advance_time (f->clock, 10500 * GST_USECOND);
  return GST_PAD_PROBE_OK;
}

/* It is not faster than bitrate, but than what is behind. */
static void
test_held_from_behind (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=800000 max-burst=1000 max-delay=100000000", SIMPLE);
  g_autofree gchar *text = NULL;
  GThread *thread;

  gst_pad_add_probe (f->src, GST_PAD_PROBE_TYPE_BUFFER, take_long, f, NULL);
  thread = g_thread_new ("push", push_on, f);
  pacer_pull_in_time (f, 500); /* 5.25 s */
  text = pacer_wait_text (f, GST_MESSAGE_WARNING);
  pacer_assert_text (text, "faster than the elements behind");
  pacer_assert_text (text, "sync=false");
  gst_harness_push_event (f->h, gst_event_new_flush_start ());
  g_thread_join (thread);
}

static gpointer
push_five (gpointer data)
{
  Pacer *f = data;

  pacer_push_many (f, 5, 1000);
  return NULL;
}

/* One that waits now and then, and has caught up each time, is not. */
static void
test_held_for_a_moment (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=80000 max-burst=1000 max-delay=200", SIMPLE);

  for (guint second = 0; second < 8; second++) {
    GThread *thread = g_thread_new ("push", push_five, f);

    pacer_pull_in_time (f, 5);
    g_thread_join (thread);
    gst_test_clock_set_time (f->clock, (second + 1) * GST_SECOND);
  }
  g_assert_cmpuint (pacer_get_stat (f, "overruns"), >, 8);
  g_assert_null (gst_bus_pop_filtered (f->bus, GST_MESSAGE_WARNING));
}

static void
test_block (void)
{
  /* 3 ms: three datagrams may wait */
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000 max-delay=3000000", SIMPLE);
  GThread *thread;

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  pacer_push_many (f, 3, 1000);
  g_assert_cmpuint (pacer_get_stat (f, "delay"), ==, 3 * MS);
  g_assert_cmpuint (pacer_get_stat (f, "overruns"), ==, 0);
  thread = g_thread_new ("push", push_thread, f);
  pacer_wait_for_stat (f, "overruns", 1);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), ==, 3000);
  pacer_advance_to (f, 1 * MS);
  g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==, GST_FLOW_OK);
  pacer_assert_pull (f, 1000);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), ==, 3000);
  /* more room while it waits */
  thread = g_thread_new ("push", push_thread, f);
  pacer_wait_for_stat (f, "overruns", 2);
  g_object_set (f->h->element, "max-delay", 5 * MS, NULL);
  g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==, GST_FLOW_OK);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
}

/* Less may wait than a datagram needs: it is filled all the same. */
static void
test_no_room_for_a_datagram (void)
{
  g_autoptr (Pacer) f =
      pacer_new ("bitrate=8000000 payload-size=1000 max-burst=1 max-delay=0", SIMPLE);

  pacer_push (f, 400);
  pacer_push (f, 400);
  pacer_push (f, 400);
  pacer_assert_pull (f, 1000);
  pacer_push (f, 400);
  pacer_push (f, 400);
  pacer_assert_pull_at (f, 1 * MS, 1000);
}

static void
test_drop_oldest (void)
{
  g_autoptr (Pacer) f =
      pacer_new ("bitrate=8000000 max-burst=1000 max-delay=3000000 overflow=drop-oldest", SIMPLE);
  GstBuffer *buffer;

  for (guint i = 0; i < 10; i++) {
    g_assert_cmpint (gst_harness_push (f->h, pacer_make (1000, i)), ==, GST_FLOW_OK);
    if (i == 0)
      pacer_assert_pull (f, 1000);
  }
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 6000);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), ==, 3000);
  pacer_assert_message (f, GST_MESSAGE_WARNING, "faster than bitrate. Raise bitrate or max-delay");
  pacer_advance_to (f, 1 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, 7);
  g_assert_true (GST_BUFFER_IS_DISCONT (buffer));
  gst_buffer_unref (buffer);
  pacer_advance_to (f, 2 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, 8);
  g_assert_false (GST_BUFFER_IS_DISCONT (buffer));
  gst_buffer_unref (buffer);
}

/* What is behind takes nothing, of a stream of half the rate. */
static void
test_drop_from_behind (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000 overflow=drop-oldest", SIMPLE);
  PacerGate *gate = pacer_gate_close (f->src, DATA);

  pacer_push (f, 1000);
  pacer_gate_wait (gate);
  for (guint i = 1; pacer_get_stat (f, "bytes-dropped") == 0; i++) {
    gst_test_clock_set_time (f->clock, 2 * i * MS);
    pacer_push (f, 1000);
  }
  pacer_assert_message (f, GST_MESSAGE_WARNING, "faster than the elements behind");
  pacer_gate_open (gate);
}

/* Nothing that was measured on a clock counts on another one: neither what the warning goes by, nor
 * the time between two cycles. */
static void
test_clock_changes_behind (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000 overflow=drop-oldest", SIMPLE);
  PacerGate *gate = pacer_gate_close (f->src, DATA);

  pacer_push (f, 1000);
  pacer_gate_wait (gate);
  for (guint i = 1; i < 950; i++) {
    gst_test_clock_set_time (f->clock, 2 * i * MS);
    pacer_push (f, 1000);
  }
  pacer_set_clock (f, 3600 * GST_SECOND);
  for (guint i = 1; pacer_get_stat (f, "bytes-dropped") == 0; i++) {
    gst_test_clock_set_time (f->clock, 3600 * GST_SECOND + 2 * i * MS);
    pacer_push (f, 1000);
  }
  pacer_assert_message (f, GST_MESSAGE_WARNING, "faster than the elements behind");
  pacer_gate_open (gate);
  pacer_pull_in_time (f, 10);
  g_assert_cmpuint (pacer_get_stat (f, "gap-error-max-ns"), <, GST_SECOND);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/blocked-and-let-go", test_blocked_and_let_go);
  g_test_add_func ("/pacer/held", test_held);
  g_test_add_func ("/pacer/held-from-behind", test_held_from_behind);
  g_test_add_func ("/pacer/held-for-a-moment", test_held_for_a_moment);
  g_test_add_func ("/pacer/block", test_block);
  g_test_add_func ("/pacer/no-room-for-a-datagram", test_no_room_for_a_datagram);
  g_test_add_func ("/pacer/drop-oldest", test_drop_oldest);
  g_test_add_func ("/pacer/drop-from-behind", test_drop_from_behind);
  g_test_add_func ("/pacer/clock-changes-behind", test_clock_changes_behind);
  return g_test_run ();
}
