/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: other clocks, every change of state, and a flush.
 */
#include "pacer.h"

static void
test_another_clock (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);

  pacer_push_many (f, 4, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  pacer_set_clock (f, 5 * GST_SECOND);
  pacer_assert_pull (f, 1000); /* begins anew */
  pacer_assert_pull_at (f, 5 * GST_SECOND + 1 * MS, 1000);
}

/* To a clock that is far behind, with a backlog. */
static void
test_earlier_clock (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);

  gst_test_clock_set_time (f->clock, 3600 * GST_SECOND);
  pacer_push_many (f, 4, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  pacer_set_clock (f, 1 * MS);
  pacer_assert_pull (f, 1000);
  for (guint i = 0; i < 2; i++)
    pacer_assert_pull_at (f, (2 + i) * MS, 1000);
}

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

/* In PAUSED a sink holds what it prerolls with; when it goes on, the schedule
 * does, too. */
static void
test_pause (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  gulong probe;

  pacer_push_many (f, 10, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  probe = gst_pad_add_probe (f->src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, hold,
      NULL, NULL);
  gst_element_set_state (f->h->element, GST_STATE_PAUSED);
  pacer_advance_to (f, 1 * MS); /* not before its time */
  while (!gst_pad_is_blocking (f->src))
    g_thread_yield ();
  gst_test_clock_set_time (f->clock, 100 * MS);
  pacer_assert_nothing (f);
  gst_element_set_state (f->h->element, GST_STATE_PLAYING);
  gst_pad_remove_probe (f->src, probe);
  pacer_assert_pull (f, 1000);
  pacer_assert_pull_at (f, 101 * MS, 1000);
  pacer_assert_pull_at (f, 102 * MS, 1000);
  g_assert_cmpuint (pacer_get_stat (f, "underruns"), ==, 0);
  g_assert_cmpuint (pacer_get_stat (f, "stalls"), ==, 0);
}

static void
test_states (void)
{
  for (guint i = 0; i < 20; i++) {
    g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);

    pacer_push_many (f, 10, 1000);
    pacer_assert_pull (f, 1000);
    /* while it sleeps, from every state */
    if (i % 2)
      gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
    gst_element_set_state (f->h->element,
        i % 3 == 0     ? GST_STATE_NULL :
            i % 3 == 1 ? GST_STATE_READY :
                         GST_STATE_PAUSED);
    gst_element_set_state (f->h->element, GST_STATE_NULL);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), ==, 0);
  }
}

static void
test_flush (void)
{
  g_autoptr (Pacer) f =
      pacer_new ("bitrate=8000 max-burst=1000 payload-size=600 max-delay=60000000000", SIMPLE);
  GstSegment segment;

  pacer_push (f, 1000);
  pacer_assert_pull (f, 600); /* 400 wait for their rest */
  pacer_push (f, 5000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  pacer_forget_events (f);
  /* a seek */
  gst_harness_push_event (f->h, gst_event_new_flush_start ());
  g_assert_cmpint (gst_pad_push (f->h->srcpad, pacer_make (100, 0)), ==, GST_FLOW_FLUSHING);
  gst_harness_push_event (f->h, gst_event_new_flush_stop (TRUE));
  g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), ==, 0);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 10 * GST_SECOND;
  gst_harness_push_event (f->h, gst_event_new_segment (&segment));
  pacer_push (f, 1200);
  pacer_assert_pull (f, 600); /* at once */
  pacer_assert_pull_at (f, 600 * MS, 600);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_FLUSH_START);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_FLUSH_STOP);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_SEGMENT);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/another-clock", test_another_clock);
  g_test_add_func ("/pacer/earlier-clock", test_earlier_clock);
  g_test_add_func ("/pacer/pause", test_pause);
  g_test_add_func ("/pacer/states", test_states);
  g_test_add_func ("/pacer/flush", test_flush);
  return g_test_run ();
}
