/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What faspsink asks of whatever is upstream, for its receivers, and for what is behind them; and
 * where another thread holds the pad.
 */
#include <gst/video/video.h>
#include "pair.h"

/* An event that is held until its sink is stopped. */
typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean held, stopped, over;
  gboolean in_time; /* stopped while it was held */
} Held;

static void
wait_until (Held *held, gboolean *what, gint64 time)
{
  gint64 until = g_get_monotonic_time () + time;

  while (!*what && g_cond_wait_until (&held->changed, &held->lock, until))
    ;
}

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Held *held = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CUSTOM_UPSTREAM)
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
  GstElement *sender =
      pair_launch ("audiotestsrc is-live=true ! faspsink name=sink uri=fasp://:%u " SECRET, port);
  GstElement *receiver =
      pair_launch ("faspsrc uri=fasp://127.0.0.1:%u " SECRET " ! fakesink", port);
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

/* A sink that is stopped has no rate, and says so. */
static void
test_stopped (void)
{
  guint port = pair_get_port ();
  g_autoptr (GstElement) sender = pair_launch (
      "audiotestsrc is-live=true ! faspsink name=sink max-bitrate=5000000 uri=fasp://:%u " SECRET,
      port);
  g_autoptr (PairPipeline) receiver =
      pair_launch ("faspsrc uri=fasp://127.0.0.1:%u " SECRET " ! fakesink", port);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  guint64 bitrate;
  gint notified = 0;

  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_message_unref (pair_wait_element (sender, "fasp-available-bitrate"));
  g_object_get (sink, "available-bitrate", &bitrate, NULL);
  g_assert_cmpuint (bitrate, >, 0);
  g_signal_connect_swapped (sink, "notify::available-bitrate", G_CALLBACK (g_atomic_int_inc),
      &notified);
  pair_stop (sender);
  g_object_get (sink, "available-bitrate", &bitrate, NULL);
  g_assert_cmpuint (bitrate, ==, 0);
  g_assert_cmpint (g_atomic_int_get (&notified), >, 0);
}

/* --- key frames ---------------------------------------------------------------------- */

static GstPadProbeReturn
count_key_frames (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info)))
    g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

/* A sender whose encoder counts what it is asked for; it is not started. */
static GstElement *
make_origin (guint port, gint *asked)
{
  GstElement *origin = pair_launch ("audiotestsrc is-live=true ! identity "
                                    "name=encoder ! faspsink name=sink wait-for-connection=false "
                                    "uri=fasp://:%u " SECRET,
      port);
  g_autoptr (GstElement) encoder = gst_bin_get_by_name (GST_BIN (origin), "encoder");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_key_frames, asked, NULL);
  return origin;
}

/* As a decoder does that has lost track. */
static gboolean
want (GstElement *player)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (player), "play");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");

  return gst_pad_push_event (pad,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE, 0));
}

/* What is behind faspsrc needs a key frame: the encoder at the other end is asked.  Where there is
 * no sender, faspsrc says that none was asked. */
static void
test_wanted (void)
{
  guint port = pair_get_port ();
  g_autoptr (GstElement) player = pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u " SECRET
                                               " ! queue ! fakesink name=play async=false",
      port);
  g_autoptr (GstElement) origin = NULL;
  guint64 wanted;
  gint asked = 0;

  gst_element_set_state (player, GST_STATE_PLAYING);
  g_assert_false (want (player));
  origin = make_origin (port, &asked);
  gst_element_set_state (origin, GST_STATE_PLAYING);
  pair_wait_for_stat (player, "source", "connected-callers", 1);
  pair_wait_for_count (&asked, 1);
  /* where the machine stands still, a gap wants one, too */
  wanted = pair_get_stat (player, "source", "key-frames-wanted");
  g_assert_true (want (player));
  pair_wait_for_count (&asked, 2);
  pair_wait_for_least (player, "source", "key-frames-wanted", wanted + 1);
  pair_wait_for_least (origin, "sink", "key-frames-wanted", wanted + 1);
  pair_stop (origin);
  pair_stop (player);
  g_assert_false (want (player));
}

typedef struct
{
  GstPad *encoder;
  gint early; /* key frames that were asked for while the encoder could not hear */
} Early;

static GstPadProbeReturn
count_early (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Early *early = data;

  if (gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info))
      && !gst_pad_is_active (early->encoder))
    g_atomic_int_inc (&early->early);
  return GST_PAD_PROBE_OK;
}

/* Receivers join before the elements upstream of faspsink have started: the encoder is asked when
 * it has. */
static void
test_early (void)
{
  guint port = pair_get_port ();
  gint asked = 0;
  g_autoptr (GstElement) origin = make_origin (port, &asked);
  g_autoptr (GstElement) encoder = gst_bin_get_by_name (GST_BIN (origin), "encoder");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (origin), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  Early early = { gst_element_get_static_pad (encoder, "src"), 0 };
  GstElement *players[2];

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_early, &early, NULL);
  gst_element_set_state (sink, GST_STATE_PLAYING);
  /* the request of the first has left, if it can, when the second is there */
  for (guint i = 0; i < G_N_ELEMENTS (players); i++) {
    players[i] = pair_launch ("faspsrc uri=fasp://127.0.0.1:%u " SECRET " ! fakesink", port);
    gst_element_set_state (players[i], GST_STATE_PLAYING);
    pair_wait_for_least (origin, "sink", "key-frames-requested", i + 1);
  }
  gst_element_set_state (origin, GST_STATE_PLAYING);
  pair_wait_for_count (&asked, 1);
  g_assert_cmpint (g_atomic_int_get (&early.early), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (players); i++)
    pair_end (players[i]);
  pair_stop (origin);
  gst_object_unref (early.encoder);
}

/* A receiver joins a relay, or what is behind it needs a key frame: the encoder of the origin is
 * asked, whichever output of the relay it is, and whatever is between the relay's ends. */
static void
test_relay (gconstpointer data)
{
  const gchar *between = data;
  guint ports[3];
  gint asked = 0;
  g_autoptr (GstElement) origin = NULL;
  g_autoptr (GstElement) relay = NULL;
  g_autoptr (GstElement) player = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (ports); i++)
    ports[i] = pair_get_port ();
  origin = make_origin (ports[0], &asked);
  gst_element_set_state (origin, GST_STATE_PLAYING);
  relay = pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u " SECRET
                       " ! tee name=t ! %sfaspsink wait-for-connection=false uri=fasp://:%u " SECRET
                       " t. ! %sfaspsink wait-for-connection=false uri=fasp://:%u " SECRET,
      ports[0], between, ports[1], between, ports[2]);
  gst_element_set_state (relay, GST_STATE_PLAYING);
  pair_wait_for_count (&asked, 1);
  pair_wait_for_stat (relay, "source", "connected-callers", 1);

  player = pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u " SECRET
                        " ! queue ! fakesink name=play async=false",
      ports[2]);
  gst_element_set_state (player, GST_STATE_PLAYING);
  pair_wait_for_count (&asked, 2);
  pair_wait_for_least (origin, "sink", "key-frames-wanted", 1);
  pair_wait_for_stat (player, "source", "connected-callers", 1);
  g_assert_true (want (player));
  pair_wait_for_count (&asked, 3);
  pair_wait_for_least (origin, "sink", "key-frames-wanted", 2);
  pair_stop (player);
  pair_stop (relay);
  pair_stop (origin);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/upstream/held", test_held);
  g_test_add_func ("/upstream/stopped", test_stopped);
  g_test_add_func ("/upstream/wanted", test_wanted);
  g_test_add_func ("/upstream/early", test_early);
  g_test_add_data_func ("/upstream/relay/direct", "", test_relay);
  g_test_add_data_func ("/upstream/relay/queues", "queue ! ", test_relay);
  return g_test_run ();
}
