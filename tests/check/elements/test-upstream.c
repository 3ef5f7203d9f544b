/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What faspsink asks of whatever is upstream, where somebody holds the pad.
 */
#include <gst/gst.h>
#include "pair.h"

/* An event that is held until its sink is stopped. */
typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean held, stopped, over;
  gboolean in_time;             /* stopped while it was held */
} Held;

static void
wait_until (Held * held, gboolean * what, gint64 time)
{
  gint64 until = g_get_monotonic_time () + time;

  while (!*what && g_cond_wait_until (&held->changed, &held->lock, until));
}

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Held *held = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) !=
      GST_EVENT_CUSTOM_UPSTREAM)
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&held->lock);
  held->held = TRUE;
  g_cond_broadcast (&held->changed);
  wait_until (held, &held->stopped, 10 * G_TIME_SPAN_SECOND);
  held->in_time = held->stopped;
  held->over = TRUE;
  g_cond_broadcast (&held->changed);
  g_mutex_unlock (&held->lock);
  return GST_PAD_PROBE_OK;
}

/* As when a branch is taken out of a pipeline in a probe that holds its pad: what is on its way
 * upstream waits for the probe, which waits for the sink to stop. */
static void
test_held (void)
{
  guint port = pair_get_port ();
  GstElement *sender = pair_launch ("audiotestsrc is-live=true ! faspsink "
      "name=sink uri=fasp://:%u " SECRET, port);
  GstElement *receiver = pair_launch ("faspsrc uri=fasp://127.0.0.1:%u " SECRET
      " ! fakesink", port);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  Held held = { 0 };

  g_mutex_init (&held.lock);
  g_cond_init (&held.changed);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, hold, &held, NULL);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  g_mutex_lock (&held.lock);
  wait_until (&held, &held.held, 20 * G_TIME_SPAN_SECOND);
  g_assert_true (held.held);
  g_mutex_unlock (&held.lock);

  pair_stop (sender);
  g_mutex_lock (&held.lock);
  held.stopped = TRUE;
  g_cond_broadcast (&held.changed);
  wait_until (&held, &held.over, 20 * G_TIME_SPAN_SECOND);
  g_assert_true (held.in_time);
  g_mutex_unlock (&held.lock);

  pair_stop (receiver);
  gst_object_unref (sender);
  gst_object_unref (receiver);
  g_mutex_clear (&held.lock);
  g_cond_clear (&held.changed);
}

/* A sink that is stopped has no rate for anybody, and says so. */
static void
test_stopped (void)
{
  guint port = pair_get_port ();
  g_autoptr (GstElement) sender = pair_launch ("audiotestsrc is-live=true ! "
      "faspsink name=sink max-bitrate=5000000 uri=fasp://:%u " SECRET, port);
  g_autoptr (GstElement) receiver = pair_launch ("faspsrc uri="
      "fasp://127.0.0.1:%u " SECRET " ! fakesink", port);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  guint64 bitrate;
  gint notified = 0;

  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_message_unref (pair_wait_element (sender, "fasp-available-bitrate"));
  g_object_get (sink, "available-bitrate", &bitrate, NULL);
  g_assert_cmpuint (bitrate, >, 0);
  g_signal_connect_swapped (sink, "notify::available-bitrate",
      G_CALLBACK (g_atomic_int_inc), &notified);
  pair_stop (sender);
  g_object_get (sink, "available-bitrate", &bitrate, NULL);
  g_assert_cmpuint (bitrate, ==, 0);
  g_assert_cmpint (g_atomic_int_get (&notified), >, 0);
  pair_stop (receiver);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/upstream/held", test_held);
  g_test_add_func ("/upstream/stopped", test_stopped);
  return g_test_run ();
}
