/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: events and queries keep their place in the stream,
 * its end arrives, and upstream hears what comes from downstream.
 */
#include "pacer.h"

/* A DISCONT of an empty buffer is that of the next one. */
static void
test_empty_discont (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);

  for (guint i = 0; i < 6; i++) {
    GstBuffer *buffer = pacer_make (i == 3 ? 0 : 1000, GST_CLOCK_TIME_NONE);

    if (i % 3 == 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    g_assert_cmpint (gst_harness_push (f->h, buffer), ==, GST_FLOW_OK);
  }
  for (guint i = 0; i < 5; i++) {
    GstBuffer *buffer;

    if (i > 0)
      pacer_advance_to (f, i * MS);
    buffer = pacer_pull (f);
    g_assert_cmpint (GST_BUFFER_IS_DISCONT (buffer), ==, i % 3 == 0);
    gst_buffer_unref (buffer);
  }
}

static void
test_eos (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000 payload-size=1000", SIMPLE);

  pacer_push (f, 1000);
  pacer_push (f, 1500);
  pacer_assert_pull (f, 1000);
  pacer_forget_events (f);
  gst_harness_push_event (f->h, gst_event_new_eos ());
  g_assert_cmpint (gst_harness_push (f->h, pacer_make (10, 0)), ==, GST_FLOW_EOS);
  pacer_assert_pull_at (f, 1 * MS, 1000);
  g_assert_null (gst_harness_try_pull_event (f->h));
  pacer_assert_pull_at (f, 2 * MS, 500); /* short, at its time */
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_EOS);
  /* another stream */
  gst_harness_push_event (f->h, gst_event_new_stream_start ("2"));
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_STREAM_START);
}

/* Events keep their place between what they stood between: those that begin or
 * end something exactly, others to a datagram. */
static void
test_event_order (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 payload-size=1000", SIMPLE);

  pacer_push (f, 2500);
  pacer_assert_pull (f, 1000);
  pacer_assert_pull (f, 1000);
  pacer_forget_events (f);
  gst_harness_push_event (f->h, gst_event_new_gap (0, 1));
  pacer_push (f, 500);
  pacer_assert_pull_at (f, 2 * MS, 1000);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_GAP);
  pacer_push (f, 500);
  pacer_push_segment (f, GST_FORMAT_TIME);
  pacer_push (f, 1000);
  pacer_assert_pull_at (f, 3 * MS, 500);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_SEGMENT);
  pacer_assert_pull_at (f, 3 * MS + 500 * GST_USECOND, 1000);
}

static gpointer
drain_thread (gpointer data)
{
  Pacer *f = data;
  GstQuery *query = gst_query_new_drain ();
  gboolean result = gst_pad_peer_query (f->h->srcpad, query);

  gst_query_unref (query);
  return GINT_TO_POINTER (result + 1);
}

/* A query with a place in the stream is answered after what came before, or
 * given up in a flush. */
static void
test_serialized_query (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  GThread *thread;

  pacer_push_many (f, 3, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  thread = g_thread_new ("drain", drain_thread, f);
  pacer_assert_pull_at (f, 1 * MS, 1000);
  pacer_assert_pull_at (f, 2 * MS, 1000);
  g_thread_join (thread);
  pacer_push (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  thread = g_thread_new ("drain", drain_thread, f);
  g_usleep (10000);
  gst_harness_push_event (f->h, gst_event_new_flush_start ());
  g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==, 1);
}

/* Another stream that is there before the end of the first has left. */
static void
test_stream_behind_eos (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);

  pacer_push (f, 1000);
  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  pacer_forget_events (f);
  gst_harness_push_event (f->h, gst_event_new_eos ());
  pacer_begin_stream (f, GST_FORMAT_TIME);
  pacer_push (f, 500);
  pacer_assert_pull_at (f, 1 * MS, 1000);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_EOS);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_STREAM_START);
  pacer_assert_pull_at (f, 2 * MS, 500);
}

static GstPadProbeReturn
enough (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_EOS;
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  return GST_PAD_PROBE_HANDLED;
}

/* A sink that has all it wants: the source is told, and its EOS goes through. */
static void
test_downstream_eos (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  gint64 until = g_get_monotonic_time () + LIMIT;
  GstFlowReturn ret = GST_FLOW_OK;

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  pacer_push_many (f, 5, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  gst_pad_add_probe (f->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, enough, NULL, NULL);
  pacer_advance_to (f, 1 * MS);
  while (ret == GST_FLOW_OK && g_get_monotonic_time () < until)
    ret = gst_harness_push (f->h, pacer_make (10, 0));
  g_assert_cmpint (ret, ==, GST_FLOW_EOS);
  pacer_wait_for_stat (f, "bytes-queued", 0);
  pacer_forget_events (f);
  gst_harness_push_event (f->h, gst_event_new_eos ());
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_EOS);
}

static GstPadProbeReturn
refuse (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_NOT_LINKED;
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  return GST_PAD_PROBE_HANDLED;
}

/* What the sink says reaches the source; after EOS, the application. */
static void
test_downstream_error (void)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
    g_autofree gchar *text = NULL;
    GstFlowReturn ret = GST_FLOW_OK;

    pacer_push (f, 1000);
    pacer_assert_pull (f, 1000);
    pacer_push (f, 1000);
    gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
    gst_pad_add_probe (f->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, refuse, NULL, NULL);
    if (i == 1)
      gst_harness_push_event (f->h, gst_event_new_eos ());
    pacer_advance_to (f, 1 * MS);
    if (i == 1) {
      text = pacer_wait_text (f, GST_MESSAGE_ERROR);
    } else {
      gint64 until = g_get_monotonic_time () + LIMIT;

      while (ret == GST_FLOW_OK && g_get_monotonic_time () < until)
        ret = gst_harness_push (f->h, pacer_make (10, 0));
      g_assert_cmpint (ret, ==, GST_FLOW_NOT_LINKED);
    }
  }
}

/* The thread of the source pad has given up. */
static void
wait_for_end (Pacer *f)
{
  gint64 until = g_get_monotonic_time () + LIMIT;

  while (gst_pad_get_task_state (f->src) != GST_TASK_PAUSED) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
  }
}

static GstCaps *
pull_caps (Pacer *f)
{
  GstEvent *event = gst_harness_pull_event (f->h);
  GstCaps *caps;

  g_assert_nonnull (event);
  g_assert_cmpint (GST_EVENT_TYPE (event), ==, GST_EVENT_CAPS);
  gst_event_parse_caps (event, &caps);
  gst_caps_ref (caps);
  gst_event_unref (event);
  return caps;
}

/* When the pad is not linked, upstream gets NOT_LINKED and no error, whatever events it sends; an
 * element that is linked later gets the last of these, in order, before data. */
static void
test_unlinked (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  g_autoptr (GstCaps) one = gst_caps_from_string ("application/x-one");
  g_autoptr (GstCaps) two = gst_caps_from_string ("application/x-two");
  g_autoptr (GstCaps) heard = NULL;
  GstSegment segment;
  GstEvent *event;

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_pad_unlink (f->src, f->h->sinkpad);
  pacer_push (f, 1000);
  pacer_advance_to (f, 1 * MS);
  wait_for_end (f);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < 3; i++) {
    gst_harness_push_event (f->h, gst_event_new_caps (i < 2 ? one : two));
    segment.start = segment.time = i * GST_SECOND;
    gst_harness_push_event (f->h, gst_event_new_segment (&segment));
    g_assert_cmpint (gst_harness_push (f->h, pacer_make (1000, 0)), ==, GST_FLOW_NOT_LINKED);
  }
  pacer_forget_events (f);
  g_assert_cmpint (gst_pad_link (f->src, f->h->sinkpad), ==, GST_PAD_LINK_OK);
  pacer_push (f, 500);
  pacer_assert_pull (f, 500);
  heard = pull_caps (f);
  g_assert_true (gst_caps_is_equal (heard, two));
  event = gst_harness_pull_event (f->h);
  gst_event_copy_segment (event, &segment);
  gst_event_unref (event);
  g_assert_cmpuint (segment.start, ==, 2 * GST_SECOND);
  g_assert_null (gst_harness_try_pull_event (f->h));
}

static GstPadProbeReturn
refuse_once (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  /* linked again before we have returned */
  gst_pad_push_event (pad, gst_event_new_reconfigure ());
  refuse (pad, info, NULL);
  return GST_PAD_PROBE_HANDLED;
}

/* The pad is linked again while the last push still returns NOT_LINKED: the next buffer goes
 * there. */
static void
test_linked_meanwhile (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  gulong probe;

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  probe = gst_pad_add_probe (f->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, refuse_once, NULL, NULL);
  pacer_push (f, 1000);
  pacer_advance_to (f, 1 * MS);
  pacer_wait_for_stat (f, "cycles", 2);
  gst_pad_remove_probe (f->h->sinkpad, probe);
  pacer_push (f, 500);
  pacer_push (f, 500);
  pacer_pull_in_time (f, 2);
}

/* Of the first buffer alone. */
static GstPadProbeReturn
enough_at_first (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gboolean *first = data;

  if (!*first)
    return GST_PAD_PROBE_OK;
  *first = FALSE;
  return enough (pad, info, NULL);
}

/* The sink has all it wants of a segment, when another one waits already whose first data was
 * dropped: that other one passes. */
static void
test_drop_behind_segment (void)
{
  gboolean first = TRUE; /* declared first, as the probe runs until the pacer is freed */
  g_autoptr (Pacer) f =
      pacer_new ("bitrate=8000000 max-burst=1000 max-delay=3000000 overflow=drop-oldest", SIMPLE);
  PacerGate *gate = pacer_gate_close (f->src, DATA);

  pacer_push (f, 1000);
  pacer_gate_wait (gate);
  pacer_push_segment (f, GST_FORMAT_TIME);
  pacer_push_many (f, 10, 1000);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), >, 0);
  pacer_forget_events (f);
  gst_pad_add_probe (f->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, enough_at_first, &first, NULL);
  pacer_gate_open (gate);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_SEGMENT);
  pacer_push (f, 1000);
  pacer_pull_in_time (f, 1);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/empty-discont", test_empty_discont);
  g_test_add_func ("/pacer/eos", test_eos);
  g_test_add_func ("/pacer/event-order", test_event_order);
  g_test_add_func ("/pacer/serialized-query", test_serialized_query);
  g_test_add_func ("/pacer/stream-behind-eos", test_stream_behind_eos);
  g_test_add_func ("/pacer/downstream-eos", test_downstream_eos);
  g_test_add_func ("/pacer/downstream-error", test_downstream_error);
  g_test_add_func ("/pacer/unlinked", test_unlinked);
  g_test_add_func ("/pacer/linked-meanwhile", test_linked_meanwhile);
  g_test_add_func ("/pacer/drop-behind-segment", test_drop_behind_segment);
  return g_test_run ();
}
