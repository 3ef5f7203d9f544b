/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Capture times over the loopback interface: receivers have them, also behind a relay, and play the
 * same bytes at the same moment; a receiver that cannot says so.  The times are compared as they
 * are set, not as they pass.
 */
#include "chain.h"
#include "pair.h"

#define PUSHES 60
#define EVERY (50 * G_TIME_SPAN_MILLISECOND)
#define DELAY "1500"
#define LATENCY "latency=200"

typedef struct
{
  GstClockTime media, wall, pts; /* wall: NONE: the buffer has no capture time */
} Seen;

typedef struct
{
  GstElement *pipeline;
  GMutex lock;
  GArray *seen; /* of Seen */
} Receiver;

static GstClockTime
get_reference (GstBuffer *buffer, const gchar *name)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple (name);
  GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta (buffer, caps);

  return meta != NULL ? meta->timestamp : GST_CLOCK_TIME_NONE;
}

static GstPadProbeReturn
note (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Receiver *r = data;
  Seen seen = { get_reference (buffer, "timestamp/x-fasp"),
    get_reference (buffer, "timestamp/x-unix"), GST_BUFFER_PTS (buffer) };

  g_mutex_lock (&r->lock);
  g_array_append_val (r->seen, seen);
  g_mutex_unlock (&r->lock);
  return GST_PAD_PROBE_OK;
}

static Receiver *
receiver_new_with_sink (guint port, const gchar *more, const gchar *sink)
{
  Receiver *r = g_new0 (Receiver, 1);
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstPad) pad = NULL;

  g_mutex_init (&r->lock);
  r->seen = g_array_new (FALSE, FALSE, sizeof (Seen));
  r->pipeline =
      pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u " SECRET " " LATENCY " %s ! %s",
          port, more, sink);
  source = gst_bin_get_by_name (GST_BIN (r->pipeline), "source");
  pad = gst_element_get_static_pad (source, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note, r, NULL);
  gst_element_set_state (r->pipeline, GST_STATE_PLAYING);
  return r;
}

static Receiver *
receiver_new (guint port, const gchar *more)
{
  return receiver_new_with_sink (port, more, "fakesink sync=true");
}

static void
receiver_free (Receiver *r)
{
  pair_end (r->pipeline);
  g_array_unref (r->seen);
  g_mutex_clear (&r->lock);
  g_free (r);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Receiver, receiver_free)

static void
push_slowly (GstElement *sender)
{
  g_autoptr (GBytes) stream = pair_make_stream (PUSHES * CHUNK);

  for (guint i = 0; i < PUSHES; i++) {
    chain_push (sender, stream, i * CHUNK, (i + 1) * CHUNK, 0);
    g_usleep (EVERY);
  }
}

static const Seen *
find (const Receiver *r, GstClockTime media)
{
  for (guint i = 0; i < r->seen->len; i++)
    if (g_array_index (r->seen, Seen, i).media == media)
      return &g_array_index (r->seen, Seen, i);
  return NULL;
}

/* The latency of source and sink together, with which the sink plays. */
static GstClockTime
get_latency (const Receiver *r)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime latency;

  g_assert_true (gst_element_query (r->pipeline, query));
  gst_query_parse_latency (query, NULL, &latency, NULL);
  return latency;
}

/* Both play on the same machine, so their monotonic clocks are one. */
static GstClockTimeDiff
get_played (const Receiver *r, const Seen *seen)
{
  return seen->pts + gst_element_get_base_time (r->pipeline) + get_latency (r);
}

/* Wall time less monotonic time. Reads both again if this thread was held up in between. */
static GstClockTimeDiff
get_wall_offset (void)
{
  gint64 before, wall, after;

  do {
    before = g_get_monotonic_time ();
    wall = g_get_real_time ();
    after = g_get_monotonic_time ();
  } while (after - before > G_TIME_SPAN_MILLISECOND);
  return (wall - after) * GST_USECOND;
}

/* The stream's first sender, and a relay: what both send is played at the same moment, DELAY after
 * its capture. */
static void
test_same_moment (void)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (PairPipeline) sender =
      chain_make_sender (ports[0], LATENCY " send-reference-timestamps=true");
  g_autoptr (Tap) relay = tap_new_relay (ports[0], ports[1], "! queue", LATENCY);
  g_autoptr (Receiver) direct = receiver_new (ports[0], "presentation-delay=" DELAY);
  g_autoptr (Receiver) behind = receiver_new (ports[1], "presentation-delay=" DELAY);
  GstClockTimeDiff to_wall = get_wall_offset ();
  Receiver *both[] = { direct, behind };
  guint same = 0;

  chain_wait_for_callers (relay->pipeline);
  push_slowly (sender);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstMessage) message = pair_wait_element (both[i]->pipeline, "fasp-presentation");
    gboolean in_time = FALSE;

    gst_structure_get_boolean (gst_message_get_structure (message), "in-time", &in_time);
    g_assert_true (in_time);
    g_mutex_lock (&both[i]->lock);
  }
  g_assert_cmpuint (direct->seen->len, >, PUSHES / 2);
  /* the first ones were pushed before the sink's latency was known */
  for (guint i = direct->seen->len / 2; i < direct->seen->len; i++) {
    const Seen *a = &g_array_index (direct->seen, Seen, i), *b = find (behind, a->media);

    if (b == NULL || a->wall == GST_CLOCK_TIME_NONE || b->wall == GST_CLOCK_TIME_NONE)
      continue;
    same++;
    g_assert_cmpint (ABS (GST_CLOCK_DIFF (a->wall, b->wall)), <=, 500 * GST_USECOND);
    g_assert_cmpint (ABS (get_played (direct, a) - get_played (behind, b)), <=, 20 * GST_MSECOND);
    g_assert_cmpint (ABS (get_played (direct, a) + to_wall - (GstClockTimeDiff) a->wall
                         - 1500 * (GstClockTimeDiff) GST_MSECOND),
        <=, 20 * GST_MSECOND);
  }
  g_assert_cmpuint (same, >, PUSHES / 6);
  for (guint i = 0; i < 2; i++)
    g_mutex_unlock (&both[i]->lock);
}

static void
expect_state (const gchar *sender_more, const gchar *more, const gchar *state)
{
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) sender = chain_make_sender (port, sender_more);
  g_autoptr (Receiver) receiver = receiver_new (port, more);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstStructure) stats = NULL;
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (receiver->pipeline), "source");
  gboolean in_time = TRUE;

  push_slowly (sender);
  message = pair_wait_element (receiver->pipeline, "fasp-presentation");
  g_assert_cmpstr (gst_structure_get_string (gst_message_get_structure (message), "state"), ==,
      state);
  pair_expect (receiver->pipeline, GST_MESSAGE_WARNING, "at the same moment");
  g_object_get (source, "stats", &stats, NULL);
  g_assert_cmpstr (gst_structure_get_string (stats, "presentation"), ==, state);
  g_assert_true (gst_structure_get_boolean (stats, "presented-in-time", &in_time));
  g_assert_false (in_time);
}

static void
test_no_time (void)
{
  expect_state ("", "presentation-delay=1500", "no-capture-time");
}

static void
test_too_short (void)
{
  expect_state ("send-reference-timestamps=true", "presentation-delay=100", "delay-too-short");
}

/* Replaces the first buffer by a copy, as an element does that changes it. */
static GstPadProbeReturn
change_first (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  GST_PAD_PROBE_INFO_DATA (info) = gst_buffer_copy_deep (buffer);
  gst_buffer_unref (buffer);
  return GST_PAD_PROBE_REMOVE;
}

/* A relay that changes one buffer sends a stream of its own, with media times of its own: what
 * belongs to the media times of the first sender is not passed on, also by buffers as they were. */
static void
test_changed (void)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (PairPipeline) sender =
      chain_make_sender (ports[0], LATENCY " send-reference-timestamps=true");
  g_autoptr (Tap) relay = tap_new_relay (ports[0], ports[1], "! queue", LATENCY);
  g_autoptr (Receiver) behind = receiver_new (ports[1], "");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (relay->pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (behind->pipeline), "source");
  g_autoptr (GstStructure) stats = NULL;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, change_first, NULL, NULL);
  chain_wait_for_callers (relay->pipeline);
  push_slowly (sender);
  g_object_get (source, "stats", &stats, NULL);
  g_assert_false (gst_structure_has_field (stats, "capture-clock"));
  g_mutex_lock (&behind->lock);
  g_assert_cmpuint (behind->seen->len, >, PUSHES / 2);
  for (guint i = 0; i < behind->seen->len; i++)
    g_assert_cmpuint (g_array_index (behind->seen, Seen, i).wall, ==, GST_CLOCK_TIME_NONE);
  g_mutex_unlock (&behind->lock);
}

/* NULL: none was posted. */
static GstMessage *
pop_full (const Receiver *r)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (r->pipeline);
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL
      && !gst_message_has_name (message, "fasp-buffer-full"))
    gst_message_unref (message);
  return message;
}

/* A buffer that holds a second and a half does not do for a delay of four. */
static void
test_full (void)
{
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) sender = chain_make_sender (port, "send-reference-timestamps=true");
  g_autoptr (Receiver) receiver = receiver_new (port, "presentation-delay=4000 buffer-size=300000");
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GBytes) chunk = pair_make_stream (CHUNK);
  guint64 size, wanted;

  while ((message = pop_full (receiver)) == NULL) {
    chain_push (sender, chunk, 0, CHUNK, 0);
    g_usleep (EVERY);
  }
  g_assert_true (gst_structure_get (gst_message_get_structure (message), "buffer-size",
      G_TYPE_UINT64, &size, "wanted", G_TYPE_UINT64, &wanted, NULL));
  g_assert_cmpuint (size, ==, 300000);
  g_assert_cmpuint (wanted, >, size);
  pair_expect (receiver->pipeline, GST_MESSAGE_WARNING, "stops the sender");
}

/* A slow sink that plays by no clock fills any buffer, and is not warned of. */
static void
test_slow (void)
{
  const guint size = 3 * PUSHES * CHUNK;
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) sender = chain_make_sender (port, "");
  g_autoptr (Receiver) receiver = receiver_new_with_sink (port, "latency=4000 buffer-size=300000",
      "identity sleep-time=50000 ! fakesink");
  g_autoptr (GBytes) stream = pair_make_stream (size);

  chain_push (sender, stream, 0, size, 0);
  pair_wait_for_least (receiver->pipeline, "source", "bytes-received-total", size);
  g_assert_null (pop_full (receiver));
}

/* Who uses none of it has no figure of it. */
static void
test_off (void)
{
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (10000);
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstStructure) stats = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 10000, 1000);
  pair_wait_for_size (pair, 10000);
  source = gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
  g_object_get (source, "stats", &stats, NULL);
  g_assert_false (gst_structure_has_field (stats, "presentation"));
  g_assert_false (gst_structure_has_field (stats, "capture-clock"));
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/presentation/same-moment", test_same_moment);
  g_test_add_func ("/presentation/no-time", test_no_time);
  g_test_add_func ("/presentation/too-short", test_too_short);
  g_test_add_func ("/presentation/changed", test_changed);
  g_test_add_func ("/presentation/full", test_full);
  g_test_add_func ("/presentation/slow", test_slow);
  g_test_add_func ("/presentation/off", test_off);
  return g_test_run ();
}
