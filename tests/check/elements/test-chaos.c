/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whatever an application does to either end, in whatever order: no crash,
 * and nothing takes longer than it may.  FASP_SEEDS sets how many orders are
 * tried (default 10).
 */
#include <gst/app/gstappsrc.h>
#include <gst/base/gstbasesrc.h>
#include "../../netsim/seeds.h"
#include "pair.h"

#define STEPS 40
/* One second for a goodbye, and what a slow machine adds. */
#define LIMIT (3 * G_TIME_SPAN_SECOND)

typedef struct
{
  GRand *rand;
  GstElement *pipelines[2]; /* sender, receiver */
  GstElement *ends[2];      /* faspsink, faspsrc */
  GstElement *in;
  GString *story;
} Chaos;

static GstState
any_state (Chaos *c)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED,
    GST_STATE_PLAYING, GST_STATE_PLAYING, GST_STATE_PLAYING };

  return states[g_rand_int_range (c->rand, 0, G_N_ELEMENTS (states))];
}

static void
push (Chaos *c)
{
  guint n = g_rand_int_range (c->rand, 1, 100);

  while (n-- > 0) {
    gsize size = 1 << g_rand_int_range (c->rand, 0, 15);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

    gst_buffer_memset (buffer, 0, n, size);
    gst_app_src_push_buffer (GST_APP_SRC (c->in), buffer);
  }
}

static guint64
count_received (Chaos *c)
{
  GstStructure *stats = NULL;
  guint64 bytes = 0;

  g_object_get (c->ends[1], "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "bytes-received-total", &bytes);
  gst_structure_free (stats);
  return bytes;
}

/* Both play; goes on in the midst of what arrives, if it does. */
static void
play_both (Chaos *c)
{
  gint64 until = g_get_monotonic_time () + 50 * G_TIME_SPAN_MILLISECOND;
  guint64 before;

  for (guint i = 0; i < 2; i++)
    gst_element_set_state (c->pipelines[i], GST_STATE_PLAYING);
  before = count_received (c);
  push (c);
  while (count_received (c) == before && g_get_monotonic_time () < until)
    g_thread_yield ();
}

static void
set_something (Chaos *c)
{
  GstElement *sink = c->ends[0], *source = c->ends[1];

  switch (g_rand_int_range (c->rand, 0, 7)) {
    case 0:
      g_object_set (sink, "max-bitrate", (guint64) g_rand_int (c->rand), NULL);
      break;
    case 1:
      g_object_set (sink, "slow-policy", g_rand_int_range (c->rand, 0, 3), NULL);
      break;
    case 2:
      g_object_set (sink, "wait-for-connection", g_rand_boolean (c->rand), NULL);
      break;
    case 3:
      g_object_set (source, "too-late", g_rand_int_range (c->rand, 0, 2), NULL);
      break;
    case 4:
      g_object_set (source, "keep-listening", g_rand_boolean (c->rand), NULL);
      break;
    case 5:
      g_object_set (c->ends[g_rand_int_range (c->rand, 0, 2)], "latency",
          g_rand_int_range (c->rand, 0, 100), NULL);
      break;
    case 6:
      g_object_set (c->ends[g_rand_int_range (c->rand, 0, 2)], "stats-interval",
          g_rand_int_range (c->rand, 0, 5), NULL);
      break;
  }
}

static void
look (Chaos *c)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstQuery) query = gst_query_new_latency ();
    GstStructure *stats = NULL;
    gchar *uri = NULL;

    g_object_get (c->ends[i], "stats", &stats, "uri", &uri, NULL);
    gst_element_query (c->ends[i], query);
    gst_structure_free (stats);
    g_free (uri);
  }
}

static void
step (Chaos *c)
{
  gint64 before = g_get_monotonic_time ();
  guint what = g_rand_int_range (c->rand, 0, 14);
  guint side = g_rand_int_range (c->rand, 0, 2);
  GstState state;

  switch (what) {
    case 0:
    case 1:
    case 2:
    case 3:
      state = any_state (c);
      g_string_append_printf (c->story, " %s:%s", side == 0 ? "sender" : "receiver",
          gst_element_state_get_name (state));
      gst_element_set_state (c->pipelines[side], state);
      break;
    case 4:
      g_string_append (c->story, " flush");
      gst_element_send_event (c->in, gst_event_new_flush_start ());
      gst_element_send_event (c->in, gst_event_new_flush_stop (TRUE));
      break;
    case 5:
      if (g_rand_boolean (c->rand)) {
        g_string_append (c->story, " eos");
        gst_app_src_end_of_stream (GST_APP_SRC (c->in));
      }
      break;
    case 6:
      set_something (c);
      break;
    case 7:
      look (c);
      break;
    case 8:
    case 9:
    case 10:
      g_string_append (c->story, " play");
      play_both (c);
      break;
    default:
      push (c);
      break;
  }
  if (g_get_monotonic_time () - before > LIMIT)
    g_error ("took too long:%s", c->story->str);
}

static void
test_chaos (void)
{
  for (guint seed = 1; seed <= count_seeds (10); seed++) {
    guint port = pair_get_port ();
    Chaos c = { .rand = g_rand_new_with_seed (seed) };

    c.story = g_string_new (NULL);
    g_string_append_printf (c.story, "seed %u:", seed);
    c.pipelines[0] =
        pair_launch ("appsrc name=in max-bytes=4000000 ! faspsink name=end uri=fasp://127.0.0.1:%u",
            port);
    c.pipelines[1] = pair_launch ("faspsrc name=end uri=fasp://:%u ! fakesink sync=%s", port,
        seed % 2 ? "true" : "false");
    c.in = gst_bin_get_by_name (GST_BIN (c.pipelines[0]), "in");
    for (guint i = 0; i < 2; i++) {
      c.ends[i] = gst_bin_get_by_name (GST_BIN (c.pipelines[i]), "end");
      gst_element_set_state (c.pipelines[i], GST_STATE_PLAYING);
    }
    /* it is chaos of a stream */
    push (&c);
    pair_wait_for_least (c.pipelines[1], "end", "bytes-received-total", 1);
    for (guint i = 0; i < STEPS; i++)
      step (&c);
    for (guint i = 0; i < 2; i++) {
      g_assert_cmpuint (pair_stop (c.pipelines[i]), <, LIMIT / 1000);
      gst_object_unref (c.ends[i]);
    }
    gst_object_unref (c.in);
    for (guint i = 0; i < 2; i++)
      gst_object_unref (c.pipelines[i]);
    g_string_free (c.story, TRUE);
    g_rand_free (c.rand);
  }
}

typedef struct
{
  GstBaseSrc *source;
  gint end; /* atomic */
} Flusher;

static gpointer
unlock_often (gpointer data)
{
  Flusher *f = data;

  while (!g_atomic_int_get (&f->end))
    GST_BASE_SRC_GET_CLASS (f->source)->unlock (f->source);
  return NULL;
}

#define ROUNDS 1000

/* Another thread flushes it while it opens and closes; as the base class does, which has a
 * race of its own in the rest of it. */
static void
test_unlock (void)
{
  g_autoptr (GstElement) pipeline =
      pair_launch ("faspsrc name=end uri=fasp://:%u ! fakesink async=false", pair_get_port ());
  GstElement *end = gst_bin_get_by_name (GST_BIN (pipeline), "end");
  Flusher f = { GST_BASE_SRC (end) };
  GThread *thread = g_thread_new ("unlock", unlock_often, &f);

  for (guint i = 0; i < ROUNDS; i++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    g_assert_cmpuint (pair_stop (pipeline), <, LIMIT / 1000);
  }
  g_atomic_int_set (&f.end, TRUE);
  g_thread_join (thread);
  gst_object_unref (end);
}

/* Behind the first event that it pushes, the streaming thread waits, with the stream lock held. */
static void
wait_for_streaming (GstElement *source)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  for (;;) {
    g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, GST_EVENT_STREAM_START, 0);

    if (event != NULL)
      return;
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (1000);
  }
}

/* The end of a flush that did not begin, or of one before it was closed: it is closed again. */
static void
test_end_of_flush (gconstpointer state)
{
  g_autoptr (GstElement) pipeline =
      pair_launch ("faspsrc name=end uri=fasp://:%u ! fakesink async=false", pair_get_port ());
  g_autoptr (GstElement) end = gst_bin_get_by_name (GST_BIN (pipeline), "end");

  gst_element_set_state (pipeline, GPOINTER_TO_INT (state));
  wait_for_streaming (end);
  g_assert_true (gst_element_send_event (end, gst_event_new_flush_stop (TRUE)));
  g_assert_cmpuint (pair_stop (pipeline), <, LIMIT / 1000);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chaos/orders", test_chaos);
  g_test_add_func ("/chaos/unlock", test_unlock);
  g_test_add_data_func ("/chaos/flush/paused", GINT_TO_POINTER (GST_STATE_PAUSED),
      test_end_of_flush);
  g_test_add_data_func ("/chaos/flush/playing", GINT_TO_POINTER (GST_STATE_PLAYING),
      test_end_of_flush);
  return g_test_run ();
}
