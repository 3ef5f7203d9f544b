/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A faspsink that holds its stream: no receiver is there, or the channel is full, and the stream's
 * thread waits with the preroll lock, which others need.
 */
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/base/gstbasesink.h>
#include "pair.h"

/* Its thread has not kept the lock: it does not write. */
static void
lock_preroll (GstElement *sink)
{
  gint64 until = g_get_monotonic_time () + HANGS * G_TIME_SPAN_MILLISECOND;

  while (!g_mutex_trylock (GST_BASE_SINK_GET_PREROLL_LOCK (sink))) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
  }
}

/* It waits to be set to PLAYING. */
static gboolean
is_prerolled (GstElement *sink)
{
  gboolean is;

  lock_preroll (sink);
  is = GST_BASE_SINK (sink)->have_preroll;
  GST_BASE_SINK_PREROLL_UNLOCK (sink);
  return is;
}

static GstElement *
launch_held (GstElement **sink)
{
  GstElement *pipeline =
      pair_launch ("fakesrc sizetype=fixed ! faspsink name=sink localport=0 " SECRET);

  *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  return pipeline;
}

/* A thread that sets async does not wait for a receiver. */
static void
test_async (void)
{
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstElement) pipeline = launch_held (&sink);
  gboolean async;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  /* until it is held */
  for (guint i = 0; i < 100000; i++)
    g_object_set (sink, "async", i % 2, NULL);
  g_object_get (sink, "async", &async, NULL);
  g_assert_true (async);
  g_assert_cmpuint (pair_stop (pipeline), <, HANGS);
}

/* A tee in front of it waits as well, with all of its branches, unless a queue that leaks is in
 * between. */
static void
test_tee (gconstpointer queue)
{
  g_autoptr (PairPipeline) pipeline = pair_launch (
      "fakesrc sizetype=fixed sizemax=1000 ! tee name=t ! %s faspsink name=sink localport=0 " SECRET
      " t. ! fakesink name=out async=false",
      (const gchar *) queue);
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  gboolean leaks = ((const gchar *) queue)[0] != '\0';
  gint64 until = g_get_monotonic_time () + (leaks ? HANGS : 300) * G_TIME_SPAN_MILLISECOND;
  guint64 rendered = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (rendered < 1000 && g_get_monotonic_time () < until) {
    GstStructure *stats;

    g_object_get (out, "stats", &stats, NULL);
    gst_structure_get_uint64 (stats, "rendered", &rendered);
    gst_structure_free (stats);
    g_usleep (1000);
  }
  g_assert_true ((rendered >= 1000) == leaks);
  g_assert_cmpuint (pair_get_stat (pipeline, "sink", "bytes-sent-total"), ==, 0);
}

static void
wait_until_playing (GstElement *pipeline, GstElement *element)
{
  GstState state = GST_STATE_NULL;

  while (state != GST_STATE_PLAYING) {
    g_autoptr (GstMessage) message = pair_wait (pipeline, GST_MESSAGE_STATE_CHANGED);

    if (GST_MESSAGE_SRC (message) == GST_OBJECT (element))
      gst_message_parse_state_changed (message, NULL, &state, NULL);
  }
}

/* A sink whose first buffer comes in the middle of its way from PAUSED to PLAYING. */
static gpointer sink_class;

static GstStateChangeReturn
change_state_late (GstElement *element, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) {
    g_autoptr (GstElement) pipeline = GST_ELEMENT (gst_object_get_parent (GST_OBJECT (element)));
    g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (pipeline), "in");

    gst_app_src_push_buffer (GST_APP_SRC (in), gst_buffer_new_allocate (NULL, 1316, NULL));
    /* the buffer passes, as the sink is to play, and is held then, as no receiver is there: its
     * thread has the lock that this change needs, from before the message until it writes */
    wait_until_playing (pipeline, element);
    g_assert_false (GST_BASE_SINK (element)->need_preroll);
  }
  return GST_ELEMENT_CLASS (sink_class)->change_state (element, transition);
}

static void
late_sink_init (gpointer klass, gpointer unused)
{
  sink_class = g_type_class_peek_parent (klass);
  GST_ELEMENT_CLASS (klass)->change_state = change_state_late;
}

static GAsyncQueue *has_set; /* pipelines */

static gpointer
set_playing (gpointer pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_async_queue_push (has_set, pipeline);
  return NULL;
}

/* A thread that sets the state does not wait for a receiver, whenever the first buffer comes. */
static void
test_at_start (void)
{
  g_autoptr (GstElement) probe = gst_element_factory_make ("faspsink", NULL);
  GTypeQuery query;
  GstElement *pipeline, *in, *sink;
  GThread *thread;

  g_type_query (G_OBJECT_TYPE (probe), &query);
  sink = g_object_new (g_type_register_static_simple (G_OBJECT_TYPE (probe), "LateSink",
                           query.class_size, late_sink_init, query.instance_size, NULL, 0),
      "localport", 0, "passphrase", "correct-horse-battery", NULL);
  pipeline = gst_pipeline_new (NULL);
  in = gst_element_factory_make ("appsrc", "in");
  gst_bin_add_many (GST_BIN (pipeline), in, sink, NULL);
  g_assert_true (gst_element_link (in, sink));
  has_set = g_async_queue_new ();
  thread = g_thread_new ("play", set_playing, pipeline);
  g_assert_nonnull (g_async_queue_timeout_pop (has_set, 5 * G_USEC_PER_SEC));
  g_thread_join (thread);
  g_assert_cmpuint (pair_stop (pipeline), <, HANGS);
  gst_object_unref (pipeline);
  g_async_queue_unref (has_set);
}

/* In PAUSED it does not write, however soon after PLAYING. */
static void
test_paused (void)
{
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstElement) pipeline = launch_held (&sink);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_until_playing (pipeline, sink);
  for (guint i = 0; i < 5000; i++) {
    gint64 until = g_get_monotonic_time () + HANGS * G_TIME_SPAN_MILLISECOND;

    gst_element_set_state (sink, GST_STATE_PAUSED);
    while (!is_prerolled (sink))
      g_assert_cmpint (g_get_monotonic_time (), <, until);
    gst_element_set_state (sink, GST_STATE_PLAYING);
  }
  g_assert_cmpuint (pair_stop (pipeline), <, HANGS);
}

/* A thread that wants the lock gets it, though another had it meanwhile. */
static void
test_two (void)
{
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstElement) pipeline = launch_held (&sink);
  GstBaseSinkClass *klass;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_until_playing (pipeline, sink);
  klass = GST_BASE_SINK_GET_CLASS (sink);
  for (guint i = 0; i < 1000; i++) {
    klass->unlock (GST_BASE_SINK (sink));
    gst_element_set_state (sink, GST_STATE_PAUSED);
    gst_element_set_state (sink, GST_STATE_PLAYING);
    lock_preroll (sink);
    klass->unlock_stop (GST_BASE_SINK (sink));
    GST_BASE_SINK_PREROLL_UNLOCK (sink);
  }
  g_assert_cmpuint (pair_stop (pipeline), <, HANGS);
}

/* A flushing step does not send twice what was sent of a buffer. */
static void
test_step (void)
{
  guint port = pair_get_port ();
  g_autoptr (GstElement) sender = pair_launch (
      "appsrc name=in format=time ! faspsink "
      "name=sink uri=fasp://127.0.0.1:%u max-bitrate=16000000 buffer-size=262144 " SECRET,
      port);
  g_autoptr (GstElement) receiver =
      pair_launch ("faspsrc uri=fasp://:%u " SECRET " ! appsink name=out sync=false", port);
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (receiver), "out");
  g_autoptr (GBytes) stream = pair_make_stream (800000);
  g_autoptr (GByteArray) got = g_byte_array_new ();
  GstSample *sample;

  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (in), gst_buffer_new_wrapped_bytes (stream));
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (out))) != NULL) {
    GstMapInfo map;

    if (got->len == 0) {
      gst_element_send_event (sink, gst_event_new_step (GST_FORMAT_BUFFERS, 1, 1, TRUE, FALSE));
      gst_app_src_end_of_stream (GST_APP_SRC (in));
    }
    gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ);
    g_byte_array_append (got, map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
  }
  g_assert_cmpmem (got->data, got->len, g_bytes_get_data (stream, NULL), g_bytes_get_size (stream));
  g_assert_cmpuint (pair_stop (sender), <, HANGS);
  g_assert_cmpuint (pair_stop (receiver), <, HANGS);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hold/async", test_async);
  g_test_add_data_func ("/hold/tee/waits", "", test_tee);
  g_test_add_data_func ("/hold/tee/leaks", "queue leaky=downstream !", test_tee);
  g_test_add_func ("/hold/at-start", test_at_start);
  g_test_add_func ("/hold/paused", test_paused);
  g_test_add_func ("/hold/two", test_two);
  g_test_add_func ("/hold/step", test_step);
  return g_test_run ();
}
