/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handlers that do to an element what its own threads cannot bear.
 */
#include <string.h>
#include "pair.h"
#include "vcases.h"

/* The element that a handler stops, and what came of it. */
typedef struct
{
  GstElement *victim;
  GMutex lock;
  GCond changed;
  gboolean tried;
  GstStateChangeReturn result;
} Attempt;

static void
attempt_init (Attempt *a, GstElement *victim)
{
  *a = (Attempt) { victim };
  g_mutex_init (&a->lock);
  g_cond_init (&a->changed);
}

static void
try (Attempt *a)
{
  GstStateChangeReturn result = gst_element_set_state (a->victim, GST_STATE_NULL);

  g_mutex_lock (&a->lock);
  a->result = result;
  a->tried = TRUE;
  g_cond_signal (&a->changed);
  g_mutex_unlock (&a->lock);
}

/* It was refused, loudly, and nothing is broken: another thread can. */
static void
attempt_end (Attempt *a, GstElement *pipeline)
{
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  g_mutex_lock (&a->lock);
  while (!a->tried)
    g_assert_true (g_cond_wait_until (&a->changed, &a->lock, until));
  g_mutex_unlock (&a->lock);
  g_assert_cmpint (a->result, ==, GST_STATE_CHANGE_FAILURE);
  pair_expect (pipeline, GST_MESSAGE_ERROR, "gst_element_call_async");
  g_test_assert_expected_messages ();
  pair_stop (pipeline);
  g_mutex_clear (&a->lock);
  g_cond_clear (&a->changed);
}

static void
expect_complaint (void)
{
  g_test_expect_message ("GStreamer-fasp", G_LOG_LEVEL_CRITICAL, "*gst_element_call_async*");
}

static void
on_caller (GstElement *element, gint number, GObject *address, gpointer a)
{
  try (a);
}

/* @data: the end that listens, and is stopped as it hears of a caller, by itself or with
 * its pipeline. */
static void
test_signal (gconstpointer data)
{
  gboolean sends = strstr (data, "sink") != NULL;
  gboolean alone = strstr (data, "alone") != NULL;
  guint port = pair_get_port ();
  GstElement *listens =
      pair_launch (sends ? "audiotestsrc is-live=true ! faspsink name=end uri=fasp://:%u " SECRET :
                           "faspsrc name=end uri=fasp://:%u " SECRET " ! fakesink",
          port);
  g_autoptr (PairPipeline) calls =
      pair_launch (sends ? "faspsrc uri=fasp://127.0.0.1:%u " SECRET " ! fakesink" :
                           "audiotestsrc is-live=true ! faspsink uri=fasp://127.0.0.1:%u " SECRET,
          port);
  GstElement *end = gst_bin_get_by_name (GST_BIN (listens), "end");
  PairWatch *watch = pair_watch_new (end);
  Attempt attempt;

  attempt_init (&attempt, alone ? end : listens);
  g_signal_connect (end, "caller-added", G_CALLBACK (on_caller), &attempt);
  expect_complaint ();
  gst_element_set_state (listens, GST_STATE_PLAYING);
  gst_element_set_state (calls, GST_STATE_PLAYING);
  attempt_end (&attempt, listens);
  gst_object_unref (end);
  gst_object_unref (listens);
  pair_watch_end (watch);
}

static GstBusSyncReply
on_message (GstBus *bus, GstMessage *message, gpointer a)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    try (a);
  return GST_BUS_PASS;
}

/* The thread that looks for names. */
static void
test_resolver (void)
{
  g_autoptr (GstElement) pipeline = pair_launch (
      "audiotestsrc is-live=true ! faspsink uri=fasp://no.such.host.invalid:%u " SECRET,
      pair_get_port ());
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  Attempt attempt;

  attempt_init (&attempt, pipeline);
  expect_complaint ();
  gst_bus_set_sync_handler (bus, on_message, &attempt, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  attempt_end (&attempt, pipeline);
}

int
main (int argc, char **argv)
{
  static const gchar *const ends[] = { "sink", "source", "sink-alone", "source-alone", NULL };

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  vcases_add_texts ("/handlers", ends, test_signal);
  g_test_add_func ("/handlers/resolver", test_resolver);
  return g_test_run ();
}
