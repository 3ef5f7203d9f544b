/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Both elements against each other over the loopback interface: changes of state and
 * flushes of either, with a peer and without.
 */
#include "pair.h"

#define HOUR (3600 * GST_SECOND)

/* The receiver has played for an hour, by @clock. */
static void
play_after_hour (Pair *pair, GstClock *clock)
{
  /* the machine may not have been on for so long */
  gst_clock_set_calibration (clock, 0, HOUR, 1, 1);
  gst_pipeline_use_clock (GST_PIPELINE (pair->receiver), clock);
  gst_element_set_state (pair->receiver, GST_STATE_PAUSED);
  gst_element_set_start_time (pair->receiver, HOUR);
  pair_play (pair);
}

/* Running time begins anew in the receiver's elements.  After a flush its pipeline does that, but
 * GStreamer 1.28.8 gives the new base time to the pipeline alone. */
static void
begin_anew (Pair *pair, GstClock *clock)
{
  static const gchar *const names[] = { "source", "out" };
  GstClockTime now = gst_clock_get_time (clock);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pair->receiver), names[i]);

    gst_element_set_base_time (element, now);
  }
}

/* A flush that lets running time begin anew, after an hour: so do the buffers. */
static void
test_new_time (void)
{
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (1500);
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
  g_autoptr (GstClock) clock = g_object_new (GST_TYPE_SYSTEM_CLOCK, NULL);

  play_after_hour (pair, clock);
  pair_push (pair, stream, 0, 500, 500);
  g_assert_cmpuint (pair_wait_for_size (pair, 500), >=, HOUR);
  pair_push (pair, stream, 500, 1000, 500);
  g_assert_cmpuint (pair_wait_for_size (pair, 1000), >=, HOUR);
  gst_element_send_event (source, gst_event_new_flush_start ());
  begin_anew (pair, clock);
  gst_element_send_event (source, gst_event_new_flush_stop (TRUE));
  pair_push (pair, stream, 1000, 1500, 500);
  g_assert_cmpuint (pair_wait_for_size (pair, 1500), <, HOUR);
}

/* Lets so many buffers through. */
typedef struct
{
  GMutex lock;
  GCond changed;
  guint came, let;
} Gate;

static GstPadProbeReturn
pass_gate (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Gate *gate = data;

  g_mutex_lock (&gate->lock);
  gate->came++;
  g_cond_broadcast (&gate->changed);
  while (gate->came > gate->let)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
  return GST_PAD_PROBE_OK;
}

/* And waits until the one behind them is there. */
static void
let_through (Gate *gate, guint n)
{
  g_mutex_lock (&gate->lock);
  gate->let = n;
  g_cond_broadcast (&gate->changed);
  while (gate->came <= n)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

static void
open_gate (Gate *gate)
{
  g_mutex_lock (&gate->lock);
  gate->let = G_MAXUINT;
  g_cond_broadcast (&gate->changed);
  g_mutex_unlock (&gate->lock);
}

/* The same for buffers that were there before the flush, while the pad was blocked. */
static void
test_new_time_held (void)
{
  Gate gate = { .let = 0 }; /* first, as buffers come until the pair is freed */
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (2500);
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  g_autoptr (GstClock) clock = g_object_new (GST_TYPE_SYSTEM_CLOCK, NULL);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, pass_gate, &gate, NULL);
  play_after_hour (pair, clock);
  pair_push (pair, stream, 0, 500, 500);
  let_through (&gate, 0);
  for (gsize at = 500; at < 2500; at += 500) {
    pair_push (pair, stream, at, at + 500, 500);
    pair_wait_for_least (pair->receiver, "source", "bytes-received", at + 500);
  }
  /* the next is read with all that came meanwhile */
  let_through (&gate, 1);
  g_assert_cmpuint (pair_wait_for_size (pair, 500), >=, HOUR);
  gst_element_send_event (source, gst_event_new_flush_start ());
  begin_anew (pair, clock);
  open_gate (&gate);
  gst_element_send_event (source, gst_event_new_flush_stop (TRUE));
  /* but for one, which was flushed */
  g_assert_cmpuint (pair_wait_for_size (pair, 2000), <, HOUR);
}

static gboolean
ignore (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  return TRUE;
}

/* The clock keeps what it was asked for until what comes earlier has been: it does not keep the
 * element. */
static void
test_stats_end (void)
{
  GstElement *sink = pair_launch ("fakesrc ! faspsink name=s uri=fasp://:%u stats-interval=3600000",
      pair_get_port ());
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockID earlier =
      gst_clock_new_single_shot_id (clock, gst_clock_get_time (clock) + 1000 * GST_SECOND);
  GstElement *element = gst_bin_get_by_name (GST_BIN (sink), "s");
  PairWatch *watch = pair_watch_new (element);

  gst_clock_id_wait_async (earlier, ignore, NULL, NULL);
  gst_object_unref (element);
  gst_element_set_state (sink, GST_STATE_PLAYING);
  pair_stop (sink);
  gst_object_unref (sink);
  pair_watch_end (watch);
  gst_clock_id_unschedule (earlier);
  gst_clock_id_unref (earlier);
}

static void
test_pause (void)
{
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (3000000);

  pair_play (pair);
  for (gsize at = 0; at < 3000000; at += 300000) {
    GstElement *which = at / 300000 % 2 ? pair->sender : pair->receiver;

    pair_push (pair, stream, at, at + 300000, 1316);
    gst_element_set_state (which, GST_STATE_PAUSED);
    gst_element_set_state (which, GST_STATE_PLAYING);
  }
  pair_finish (pair, stream);
}

/* Without a peer: it starts, it stops, in every mode. */
static void
test_absent (void)
{
  static const gchar *const lines[] = {
    "appsrc name=in ! faspsink uri=fasp://127.0.0.1:%u",
    "appsrc name=in ! faspsink uri=fasp://:%u",
    "appsrc name=in ! faspsink uri=fasp://no.such.host.invalid:%u",
    "audiotestsrc is-live=true ! faspsink uri=fasp://127.0.0.1:%u",
    ("audiotestsrc is-live=true ! faspsink uri=fasp://127.0.0.1:%u?wait-for-connection=false"),
    "faspsrc uri=fasp://127.0.0.1:%u ! fakesink",
    "faspsrc uri=fasp://:%u ! fakesink",
    "faspsrc uri=fasp://no.such.host.invalid:%u ! fakesink",
  };
  static const GstState states[] = { GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    for (guint j = 0; j < G_N_ELEMENTS (states); j++) {
      gint64 before = g_get_monotonic_time ();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
      GstElement *pipeline = pair_launch (lines[i], pair_get_port ());
#pragma GCC diagnostic pop

      g_assert_cmpint (gst_element_set_state (pipeline, states[j]), !=, GST_STATE_CHANGE_FAILURE);
      g_assert_cmpint (g_get_monotonic_time () - before, <, G_TIME_SPAN_SECOND);
      g_assert_cmpuint (pair_stop (pipeline), <, HANGS);
      gst_object_unref (pipeline);
    }
}

/* Live, without a receiver, and not asked to wait for one: it plays. */
static void
test_unheard (void)
{
  g_autoptr (PairPipeline) pipeline =
      pair_launch ("audiotestsrc num-buffers=20 ! faspsink "
                   "name=sink uri=fasp://127.0.0.1:%u wait-for-connection=false",
          pair_get_port ());

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (pair_wait (pipeline, GST_MESSAGE_EOS));
  g_assert_cmpuint (pair_get_stat (pipeline, "sink", "bytes-dropped-unheard"), >, 0);
}

/* A flush in front of the sink: it goes on. */
static void
test_flush (void)
{
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pair->sender), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  G_GNUC_UNUSED g_autoptr (GstPad) peer = gst_pad_get_peer (pad);

  pair_play (pair);
  pair_push (pair, stream, 0, 50000, 1316);
  pair_wait_for_size (pair, 50000);
  gst_element_send_event (GST_ELEMENT (pair_get_in (pair)), gst_event_new_flush_start ());
  gst_element_send_event (GST_ELEMENT (pair_get_in (pair)), gst_event_new_flush_stop (TRUE));
  pair_push (pair, stream, 50000, 100000, 1316);
  pair_finish (pair, stream);
}

/* A sink waits for a preroll if it synchronises, or was told to. */
static void
test_async (void)
{
  static const struct
  {
    const gchar *properties;
    gboolean waits;
  } cases[] = {
    { "", FALSE },
    { "sync=true", TRUE },
    { "sync=true async=false", FALSE },
    { "async=false sync=true", FALSE },
    { "async=true", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstElement) pipeline =
        pair_launch ("appsrc ! faspsink localport=0 %s", cases[i].properties);

    for (guint round = 0; round < 2; round++) {
      g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PAUSED), ==,
          cases[i].waits ? GST_STATE_CHANGE_ASYNC : GST_STATE_CHANGE_SUCCESS);
      g_assert_cmpuint (pair_stop (pipeline), <, HANGS);
    }
  }
}

/* All of the stream, and its end, before it plays. */
static void
test_end_in_pause (void)
{
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (50000);

  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  gst_element_set_state (pair->sender, GST_STATE_PAUSED);
  pair_push (pair, stream, 0, 50000, 1316);
  gst_app_src_end_of_stream (pair_get_in (pair));
  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
  pair_finish (pair, stream);
}

static void
restart (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_READY);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
}

/* After an error, and after the end, whole pipelines that are set to READY and back to PLAYING
 * carry another stream, as docs/applications.md says. */
static void
test_start_again (void)
{
  g_autoptr (Pair) pair =
      pair_new ("uri=fasp://127.0.0.1:PORT auto-reconnect=false resume-timeout=1000000000 " SECRET,
          "uri=fasp://:PORT " SECRET);
  g_autoptr (GBytes) stream = pair_make_stream (50000);

  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
  pair_push (pair, stream, 0, 1316, 1316);
  gst_message_unref (pair_wait (pair->sender, GST_MESSAGE_ERROR)); /* no peer answers */
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  for (guint i = 0; i < 2; i++) {
    restart (pair->sender);
    pair_push (pair, stream, 0, 50000, 1316);
    pair_finish (pair, stream);
    g_byte_array_set_size (pair->got, 0);
    pair->last_pts = GST_CLOCK_TIME_NONE;
    restart (pair->receiver);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pair/pause", test_pause);
  g_test_add_func ("/pair/absent", test_absent);
  g_test_add_func ("/pair/unheard", test_unheard);
  g_test_add_func ("/pair/flush", test_flush);
  g_test_add_func ("/pair/new-time", test_new_time);
  g_test_add_func ("/pair/new-time/held", test_new_time_held);
  g_test_add_func ("/pair/stats-end", test_stats_end);
  g_test_add_func ("/pair/async", test_async);
  g_test_add_func ("/pair/end-in-pause", test_end_in_pause);
  g_test_add_func ("/pair/start-again", test_start_again);
  return g_test_run ();
}
