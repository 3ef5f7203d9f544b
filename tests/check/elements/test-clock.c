/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose clock a pipeline has, and a sender whose clock jumps.
 */
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/check/gsttestclock.h>
#include "pair.h"

static GstClock *
play_and_get_clock (GstElement *pipeline)
{
  GstClock *clock;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  clock = gst_element_get_clock (pipeline);
  g_assert_nonnull (clock);
  return clock;
}

/* The property decides, as often as it is changed; and the sink uses what it says. */
static void
test_provide (void)
{
  g_autoptr (PairPipeline) pipeline =
      pair_launch ("faspsrc name=source uri=fasp://:%u ! fakesink name=out async=false",
          pair_get_port ());
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  g_autofree gchar *uri = g_strdup_printf ("fasp://:%u?provide-clock=true", pair_get_port ());

  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstClock) clock = NULL, sinks = NULL;

    if (i % 2 == 1)
      g_object_set (source, "provide-clock", i == 1, NULL);
    else if (i == 2)
      g_assert_true (gst_uri_handler_set_uri (GST_URI_HANDLER (source), uri, NULL));
    clock = play_and_get_clock (pipeline);
    sinks = gst_element_get_clock (out);
    g_assert_true (clock == sinks);
    g_assert_cmpstr (G_OBJECT_TYPE_NAME (clock), ==,
        i == 1 || i == 2 ? "GstFaspClock" : "GstSystemClock");
    gst_element_set_state (pipeline, GST_STATE_READY);
  }
}

typedef struct
{
  GstElement *sender, *receiver, *sink;
  GstAppSrc *in;
  GstAppSink *out;
  GstClockTime pts; /* of the last buffer */
  guint disconts, backwards;
} Line;

/* @provide: whether the receiver provides a clock. Nothing is started. */
static void
line_init (Line *line, const gchar *provide)
{
  guint port = pair_get_port ();

  *line = (Line) { .pts = GST_CLOCK_TIME_NONE };
  line->sender =
      pair_launch ("appsrc name=in ! faspsink name=sink uri=fasp://127.0.0.1:%u " SECRET, port);
  line->receiver = pair_launch ("faspsrc uri=fasp://:%u?latency=50 " SECRET
                                " provide-clock=%s ! appsink name=out sync=false async=false",
      port, provide);
  line->sink = gst_bin_get_by_name (GST_BIN (line->sender), "sink");
  line->in = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (line->sender), "in"));
  line->out = GST_APP_SINK (gst_bin_get_by_name (GST_BIN (line->receiver), "out"));
}

/* By the sender's clock. */
static void
line_play (Line *line, GstClock *clock)
{
  gst_element_set_state (line->receiver, GST_STATE_PLAYING);
  gst_pipeline_use_clock (GST_PIPELINE (line->sender), clock);
  gst_element_set_state (line->sender, GST_STATE_PLAYING);
}

static void
line_clear (Line *line)
{
  pair_stop (line->sender);
  pair_stop (line->receiver);
  gst_object_unref (line->sink);
  gst_object_unref (line->in);
  gst_object_unref (line->out);
  gst_object_unref (line->sender);
  gst_object_unref (line->receiver);
}

/* One buffer through it. */
static void
pass (Line *line)
{
  g_autoptr (GstSample) sample = NULL;
  GstBuffer *buffer;

  gst_app_src_push_buffer (line->in, gst_buffer_new_allocate (NULL, 100, NULL));
  sample = gst_app_sink_try_pull_sample (line->out, 20 * GST_SECOND);
  g_assert_nonnull (sample);
  buffer = gst_sample_get_buffer (sample);
  if (GST_CLOCK_TIME_IS_VALID (line->pts)) {
    line->disconts += GST_BUFFER_IS_DISCONT (buffer);
    line->backwards += GST_BUFFER_PTS (buffer) < line->pts;
  }
  line->pts = GST_BUFFER_PTS (buffer);
}

/* Lets real time pass on the sender's clock, for as long as it takes until a jump is
 * believed again. */
static void
pass_a_while (Line *line, GstClock *clock)
{
  GstTestClock *test = GST_TEST_CLOCK (clock);
  GstClockTime time = gst_clock_get_time (clock);
  gint64 start, now;

  /* until then it may have had to connect */
  pass (line);
  start = now = g_get_monotonic_time ();
  for (; now - start < 1100000; now = g_get_monotonic_time ()) {
    gst_test_clock_set_time (test, time + (now - start) * GST_USECOND);
    pass (line);
  }
}

static GstClockTimeDiff
get_jump (Line *line)
{
  g_autoptr (GstMessage) message = pair_wait_element (line->receiver, "fasp-clock-jump");
  gint64 jump;

  g_assert_true (gst_structure_get_int64 (gst_message_get_structure (message), "jump", &jump));
  return jump;
}

static guint
count_jumps (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL) {
    n += gst_message_has_name (message, "fasp-clock-jump");
    gst_message_unref (message);
  }
  return n;
}

/* Ahead, then back, and to another clock altogether; with either clock at this end. */
static void
test_jump (gconstpointer provide)
{
  g_autoptr (GstClock) clock = gst_test_clock_new_with_start_time (GST_SECOND * 10000);
  g_autoptr (GstClock) other = gst_test_clock_new_with_start_time (GST_SECOND * 9000);
  Line line;
  GstClockTime pts;
  GstClockTimeDiff jump;

  line_init (&line, provide);
  line_play (&line, clock);

  pass_a_while (&line, clock);
  g_assert_cmpuint (line.disconts, ==, 0);
  pts = line.pts;
  gst_test_clock_advance_time (GST_TEST_CLOCK (clock), 3600 * GST_SECOND / 4);
  pass (&line);
  g_assert_cmpuint (line.disconts, ==, 1);
  jump = get_jump (&line);
  /* less what passed here meanwhile */
  g_assert_cmpint (jump, <=, 900 * GST_SECOND);
  g_assert_cmpint (jump, >, 880 * (GstClockTimeDiff) GST_SECOND);
  /* for the player it is as it was */
  g_assert_cmpuint (line.pts - pts, <, 20 * GST_SECOND);

  pass_a_while (&line, clock);
  g_assert_cmpuint (line.disconts, ==, 1);
  pts = line.pts;
  gst_element_set_clock (line.sink, other);
  pass (&line);
  g_assert_cmpuint (line.disconts, ==, 2);
  jump = get_jump (&line);
  g_assert_cmpint (jump, <, -1880 * (GstClockTimeDiff) GST_SECOND);
  g_assert_cmpint (jump, >, -1940 * (GstClockTimeDiff) GST_SECOND);
  g_assert_cmpuint (line.pts - pts, <, 20 * GST_SECOND);
  for (guint i = 0; i < 100; i++)
    pass (&line);
  g_assert_cmpuint (line.disconts, ==, 2);
  g_assert_cmpuint (line.backwards, ==, 0);
  g_assert_cmpuint (count_jumps (line.receiver), ==, 0);

  line_clear (&line);
}

/* Ahead by less than a jump, which is slewed: buffers are ahead of running time, and that is no
 * reason to begin anew. Then back. */
static void
test_ahead (void)
{
  g_autoptr (GstClock) clock = gst_test_clock_new_with_start_time (GST_SECOND * 10000);
  g_autoptr (GstClock) other = gst_test_clock_new_with_start_time (GST_SECOND * 9000);
  Line line;

  line_init (&line, "false");
  line_play (&line, clock);

  pass_a_while (&line, clock);
  gst_test_clock_advance_time (GST_TEST_CLOCK (clock), 400 * GST_MSECOND);
  pass (&line);
  pass (&line);
  gst_element_set_clock (line.sink, other);
  pass (&line);
  g_assert_cmpint (get_jump (&line), <, 0);
  g_assert_cmpuint (line.backwards, ==, 0);

  line_clear (&line);
}

/* Buffers have the time that the pipeline's clock shows, calibrated as it is. */
static void
test_calibrated (void)
{
  Line line;
  g_autoptr (GstClock) clock = NULL;
  GstClockTime pts;

  line_init (&line, "true");
  clock = play_and_get_clock (line.receiver);
  g_assert_cmpstr (G_OBJECT_TYPE_NAME (clock), ==, "GstFaspClock");
  gst_element_set_state (line.sender, GST_STATE_PLAYING);
  pass (&line);
  pts = line.pts;
  gst_clock_set_calibration (clock, 0, 3600 * GST_SECOND, 1, 1);
  pass (&line);
  g_assert_cmpuint (line.pts - pts, >, 3599 * GST_SECOND);
  g_assert_cmpuint (line.pts, <=, gst_element_get_current_running_time (line.receiver));
  /* it never goes back: neither do they */
  gst_clock_set_calibration (clock, 0, 0, 1, 1);
  pass (&line);
  g_assert_cmpuint (line.backwards, ==, 0);
  line_clear (&line);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/clock/provide", test_provide);
  g_test_add_func ("/clock/calibrated", test_calibrated);
  g_test_add_func ("/clock/ahead", test_ahead);
  g_test_add_data_func ("/clock/jump", "false", test_jump);
  g_test_add_data_func ("/clock/jump-own-clock", "true", test_jump);
  return g_test_run ();
}
