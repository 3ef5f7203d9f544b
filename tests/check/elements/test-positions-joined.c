/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Streams joined in the past, at a key frame, or where a receiver stood that goes on at
 * another sender, over the loopback interface.
 */
#include <gst/app/gstappsrc.h>
#include "chain.h"
#include "pair.h"

/* A relay goes away: the receiver goes on at another, at the byte where it stood. */
static void
test_move (void)
{
  guint ports[3] = { pair_get_port (), pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  g_autoptr (PairPipeline) sender =
      chain_make_sender (ports[0], "history=60000000000 join-at=back");
  const gchar *keeps = "wait-for-connection=false history=60000000000 join-at=back";
  g_autoptr (Tap) first = tap_new_relay (ports[0], ports[1], "", keeps);
  g_autoptr (Tap) second = tap_new_relay (ports[0], ports[2], "", keeps);
  g_autoptr (Tap) last = tap_new (pair_launch (
      "faspsrc name=source uri=fasp://127.0.0.1:%u fallback-addresses=127.0.0.1:%u " SECRET
      " ! fakesink async=false",
      ports[1], ports[2]));
  g_autoptr (GstMessage) moved = NULL;
  guint64 missing = 1;

  chain_push (sender, stream, 0, SIZE / 2, 0);
  tap_wait_for (last, SIZE / 2);
  pair_stop (first->pipeline);
  chain_push (sender, stream, SIZE / 2, SIZE, 0);
  moved = pair_wait_element (last->pipeline, "stream-moved");
  g_assert_true (gst_structure_get_uint64 (gst_message_get_structure (moved), "bytes-missing",
      &missing));
  g_assert_cmpuint (missing, ==, 0);
  chain_finish (sender, last, stream, 0);
  tap_assert_got (second, stream, 0);
}

/* No sender listens at the first address. */
static void
test_first_absent (void)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  g_autoptr (PairPipeline) sender = chain_make_sender (ports[0], "");
  g_autoptr (Tap) last =
      tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
                            "fallback-addresses=\"[::ffff:127.0.0.1]:%u, localhost:%u\" " SECRET
                            " ! fakesink async=false",
          ports[1], ports[1], ports[0]));

  chain_push (sender, stream, 0, SIZE, 0);
  chain_finish (sender, last, stream, 0);
}

/* At the newest key frame, whichever end asks for it. */
static void
test_key_frame (gconstpointer data)
{
  const gchar *const *who = data;
  guint port = pair_get_port ();
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  g_autoptr (PairPipeline) sender = chain_make_sender (port, who[0]);
  g_autoptr (Tap) last = NULL;

  chain_push (sender, stream, 0, SIZE / 2, 70000);
  chain_wait_for_sink (sender, SIZE / 2);
  last = tap_new_caller (port, who[1]);
  tap_wait_for (last, SIZE / 2);
  chain_push (sender, stream, SIZE / 2, SIZE, 70000);
  chain_finish (sender, last, stream, SIZE / 2 / 70000 * 70000);
}

/* Buffers and memories of no bytes begin nothing: the key frame does that comes behind them. */
static void
test_key_frame_hollow (void)
{
  guint port = pair_get_port ();
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  g_autoptr (PairPipeline) sender =
      chain_make_sender (port, "wait-for-connection=false join-at=keyframe");
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");
  g_autoptr (GBytes) part = g_bytes_new_from_bytes (stream, 140000, CHUNK);
  GstBuffer *buffer = gst_buffer_new ();
  g_autoptr (Tap) last = NULL;

  chain_push (sender, stream, 0, 70000, 70000);
  gst_app_src_push_buffer (GST_APP_SRC (in), gst_buffer_new ());
  chain_push (sender, stream, 70000, 140000, 70000);
  chain_wait_for_sink (sender, 140000);
  last = tap_new_caller (port, "");
  tap_wait_for (last, 140000);
  gst_buffer_append_memory (buffer,
      gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, (gpointer) "", 1, 0, 0, NULL, NULL));
  buffer = gst_buffer_append (buffer, gst_buffer_new_wrapped_bytes (part));
  g_assert_cmpuint (gst_buffer_n_memory (buffer), ==, 2);
  gst_app_src_push_buffer (GST_APP_SRC (in), buffer);
  chain_push (sender, stream, 140000 + CHUNK, SIZE, 70000);
  chain_finish (sender, last, stream, 70000);
  g_assert_cmpuint (last->keys, ==, (SIZE - 1) / 70000);
}

/* A relay knows where they begin, too, and says so on its buffers. */
static void
test_key_frame_relayed (void)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  g_autoptr (PairPipeline) sender = chain_make_sender (ports[0], "join-at=keyframe");
  g_autoptr (Tap) relay =
      tap_new_relay (ports[0], ports[1], "", "wait-for-connection=false join-at=keyframe");
  g_autoptr (Tap) last = NULL;

  chain_push (sender, stream, 0, SIZE / 2, 70000);
  chain_wait_for_sink (relay->pipeline, SIZE / 2);
  last = tap_new_caller (ports[1], "");
  tap_wait_for (last, SIZE / 2);
  chain_push (sender, stream, SIZE / 2, SIZE, 70000);
  chain_finish (sender, last, stream, SIZE / 2 / 70000 * 70000);
  /* from the first one that the relay was told of */
  g_assert_cmpuint (relay->keys, ==, (SIZE - 1) / 70000);
  g_assert_cmpuint (last->keys, ==, (SIZE - 1) / 70000 - SIZE / 2 / 70000 + 1);
}

static void
test_refused (gconstpointer value)
{
  g_autoptr (PairPipeline) source =
      pair_launch ("faspsrc uri=fasp://127.0.0.1:%u %s " SECRET " ! fakesink", pair_get_port (),
          (const gchar *) value);

  gst_element_set_state (source, GST_STATE_PLAYING);
  pair_expect (source, GST_MESSAGE_ERROR, "fallback-addresses");
}

int
main (int argc, char **argv)
{
  static const gchar *const sink[] = { "wait-for-connection=false join-at=keyframe", "" };
  static const gchar *const source[] = { "wait-for-connection=false history=60000000000",
    "join-at=keyframe" };
  static const gchar *const bad[] = {
    "fallback-addresses=nowhere",
    "fallback-addresses=1.2.3.4:0",
    "fallback-addresses=fe80::1:7001",
    "fallback-addresses=,",
    "fallback-addresses=a:1,b:70000",
    "fallback-addresses=:7001",
    "fallback-addresses=[]:7001",
    "fallback-addresses=a:1 mode=listener",
    "fallback-addresses=a:1 bonding-addresses=127.0.0.1:9",
  };

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/positions/move", test_move);
  g_test_add_func ("/positions/first-absent", test_first_absent);
  g_test_add_data_func ("/positions/key-frame/sink", sink, test_key_frame);
  g_test_add_data_func ("/positions/key-frame/source", source, test_key_frame);
  g_test_add_func ("/positions/key-frame/hollow", test_key_frame_hollow);
  g_test_add_func ("/positions/key-frame/relayed", test_key_frame_relayed);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree gchar *name = g_strdup_printf ("/positions/refused/%u", i);

    g_test_add_data_func (name, bad[i], test_refused);
  }
  return g_test_run ();
}
