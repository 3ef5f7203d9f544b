/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream from several sources at once, over the loopback interface: what is told of
 * them, what the application chooses, what is refused.
 */
#include <gst/app/gstappsrc.h>
#include "chain.h"
#include "gstfaspcommon.h"
#include "pair.h"

#define RELAYS 2
/* Bytes of push_long() in 400 s, which is more than meson gives to this program. */
#define LONG (400 * 5 * CHUNK)
#define KEPT "history=60000000000 join-at=back resume-timeout=2000000000"

typedef struct
{
  GBytes *stream;
  GstElement *sender;
  Tap *relays[RELAYS];
  Tap *last;   /* has both relays as its sources */
  gint enough; /* push_long() may end; atomic */
} Two;

/* A receiver with two sources, which calls them. */
static Tap *
make_last (const guint *ports, const gchar *redundancy, const gchar *more)
{
  return tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
                               "fallback-addresses=127.0.0.1:%u redundancy=%s " SECRET
                               " %s ! fakesink async=false",
      ports[0], ports[1], redundancy, more));
}

static void
two_begin (Two *two, const gchar *redundancy)
{
  guint ports[1 + RELAYS];

  two->enough = FALSE;
  two->stream = pair_make_stream (SIZE);
  for (guint i = 0; i <= RELAYS; i++)
    ports[i] = pair_get_port ();
  two->sender = chain_make_sender (ports[0], KEPT);
  for (guint i = 0; i < RELAYS; i++)
    two->relays[i] =
        tap_new_relay (ports[0], ports[1 + i], "", "latency=500 wait-for-connection=false " KEPT);
  two->last = make_last (ports + 1, redundancy, "require-complete=true");
  for (guint i = 0; i < RELAYS; i++)
    chain_wait_for_callers (two->relays[i]->pipeline);
}

/* The whole stream has come. */
static void
two_end (Two *two)
{
  chain_finish (two->sender, two->last, two->stream, 0);
  g_assert_cmpuint (pair_get_stat (two->last->pipeline, "source", "bytes-received-total"), ==,
      g_bytes_get_size (two->stream));
  g_assert_cmpuint (pair_get_stat (two->last->pipeline, "source", "bytes-missing-total"), ==, 0);
  tap_free (two->last);
  for (guint i = 0; i < RELAYS; i++)
    tap_free (two->relays[i]);
  pair_end (two->sender);
  g_bytes_unref (two->stream);
}

/* A live stream, of 2 Mbit/s. */
static gpointer
push_slowly (gpointer data)
{
  Two *two = data;

  for (gsize at = 0; at < SIZE; at += CHUNK) {
    chain_push (two->sender, two->stream, at, at + CHUNK, 0);
    g_usleep (40000);
  }
  return NULL;
}

/* 400 kbit/s until `enough' is set; returns how many bytes. A source leads by data, so however long
 * a busy machine takes for its changes, there must be some. */
static gpointer
push_long (gpointer data)
{
  Two *two = data;
  gsize at = 0;

  while (!g_atomic_int_get (&two->enough)) {
    chain_push (two->sender, two->stream, at, at + CHUNK, 0);
    at += CHUNK;
    g_usleep (200000);
  }
  return GSIZE_TO_POINTER (at);
}

static GThread *
begin_long (Two *two)
{
  g_clear_pointer (&two->stream, g_bytes_unref);
  two->stream = pair_make_stream (LONG);
  return g_thread_new ("push", push_long, two);
}

/* The stream is what was pushed. */
static void
end_long (Two *two, GThread *thread)
{
  g_autoptr (GBytes) whole = two->stream;

  g_atomic_int_set (&two->enough, TRUE);
  two->stream = g_bytes_new_from_bytes (whole, 0, GPOINTER_TO_SIZE (g_thread_join (thread)));
}

/* Until a source leads: which one. */
static guint
wait_for_leader (Tap *tap)
{
  guint source = G_MAXUINT;

  while (source == G_MAXUINT) {
    g_autoptr (GstMessage) message = pair_wait_element (tap->pipeline, "stream-source");
    const GstStructure *s = gst_message_get_structure (message);

    g_assert_nonnull (gst_structure_get_string (s, "why"));
    g_assert_nonnull (gst_structure_get_string (s, "address-string"));
    if (g_str_equal (gst_structure_get_string (s, "change"), "leads"))
      g_assert_true (gst_structure_get_uint (s, "source", &source));
  }
  g_assert_cmpuint (source, <, RELAYS);
  return source;
}

/* The messages about sources. */
static void
test_messages (void)
{
  guint first;
  Two two;

  two_begin (&two, "hot");
  chain_push (two.sender, two.stream, 0, SIZE / 2, 0);
  first = wait_for_leader (two.last);
  tap_wait_for (two.last, SIZE / 2);
  pair_stop (two.relays[first]->pipeline);
  g_assert_cmpuint (wait_for_leader (two.last), ==, 1 - first);
  chain_push (two.sender, two.stream, SIZE / 2, SIZE, 0);
  two_end (&two);
}

static void
wait_for_lead (Tap *tap, guint source)
{
  while (wait_for_leader (tap) != source)
    ;
}

/* The application chooses the source that leads. */
static void
test_switch (gconstpointer redundancy)
{
  g_autoptr (GstElement) source = NULL;
  GThread *thread;
  gboolean done;
  gint first;
  Two two;

  two_begin (&two, redundancy);
  source = gst_bin_get_by_name (GST_BIN (two.last->pipeline), "source");
  thread = begin_long (&two);
  first = wait_for_leader (two.last);
  pair_wait_for_stat (two.last->pipeline, "source", "connected-callers", RELAYS);
  for (guint i = 0; i < 2; i++) {
    guint wanted = i == 0 ? 1 - first : first;

    g_signal_emit_by_name (source, "switch-source", wanted, &done);
    g_assert_true (done);
    wait_for_lead (two.last, wanted);
  }
  g_signal_emit_by_name (source, "switch-source", RELAYS, &done);
  g_assert_false (done);
  pair_wait_for_least (two.last->pipeline, "source", "sources-promised-interval", 1);
  end_long (&two, thread);
  two_end (&two);
  g_signal_emit_by_name (source, "switch-source", 0, &done);
  g_assert_false (done);
}

/* The source that is first in the settings leads again once it is back. */
static void
test_restore (void)
{
  guint port = pair_get_port (), ports[2];
  PairWire *wires[2] = { pair_wire_new (port, &ports[0]), pair_wire_new (port, &ports[1]) };
  Two two = { .sender = chain_make_sender (port, KEPT) };
  GThread *thread;

  two.last = make_last (ports, "hot", "wait-to-restore=100");
  pair_wait_for_stat (two.sender, "sink", "connected-callers", 2);
  thread = begin_long (&two);
  wait_for_lead (two.last, 0);
  pair_wire_switch (wires[0], FALSE);
  wait_for_lead (two.last, 1);
  pair_wire_switch (wires[0], TRUE);
  wait_for_lead (two.last, 0);
  end_long (&two, thread);
  chain_finish (two.sender, two.last, two.stream, 0);
  tap_free (two.last);
  pair_end (two.sender);
  g_bytes_unref (two.stream);
  for (guint i = 0; i < 2; i++)
    pair_wire_free (wires[i]);
}

/* A name that may have several addresses is two sources. */
static void
test_name (void)
{
  g_autoptr (PairPipeline) last = pair_launch ("faspsrc name=source uri=fasp://localhost:%u "
                                               "redundancy=hot " SECRET " ! fakesink async=false",
      pair_get_port ());
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (last), "source");
  g_autoptr (GstStructure) stats = NULL;

  gst_element_set_state (last, GST_STATE_PLAYING);
  g_object_get (source, "stats", &stats, NULL);
  g_assert_cmpuint (
      gst_fasp_value_get_array (gst_structure_get_value (stats, "source-list"))->n_values, ==, 2);
}

static GstElement *
make_caller (guint source, guint port)
{
  GstElement *relay = pair_launch ("faspsrc uri=fasp://127.0.0.1:%u " SECRET
                                   " ! faspsink name=sink uri=fasp://127.0.0.1:%u?latency=500 "
                                   "wait-for-connection=false " SECRET " " KEPT,
      source, port);

  gst_element_set_state (relay, GST_STATE_PLAYING);
  return relay;
}

/* A receiver that listens takes two senders at its port; a third is told to wait until one goes. */
static void
test_called (gconstpointer redundancy)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  Two two = { .stream = pair_make_stream (SIZE), .sender = chain_make_sender (ports[0], KEPT) };
  GstElement *relays[3];
  GThread *thread;

  two.last = tap_new (pair_launch ("faspsrc name=source uri=fasp://:%u redundancy=%s " SECRET
                                   " ! fakesink async=false",
      ports[1], (const gchar *) redundancy));
  relays[0] = make_caller (ports[0], ports[1]);
  relays[1] = make_caller (ports[0], ports[1]);
  pair_wait_for_stat (two.last->pipeline, "source", "connected-callers", 2);
  relays[2] = make_caller (ports[0], ports[1]);
  gst_message_unref (pair_wait (two.last->pipeline, GST_MESSAGE_WARNING)); /* it is turned away */
  thread = g_thread_new ("push", push_slowly, &two);
  tap_wait_for (two.last, SIZE / 4);
  pair_end (relays[0]);
  pair_wait_for_stat (relays[2], "sink", "connected-callers", 1);
  pair_end (relays[1]);
  g_thread_join (thread);
  chain_finish (two.sender, two.last, two.stream, 0);
  tap_free (two.last);
  pair_end (relays[2]);
  pair_end (two.sender);
  g_bytes_unref (two.stream);
}

/* None of many answers the goodbye: that takes no longer than one of them. */
static void
test_goodbye (void)
{
  enum
  {
    N = 5
  };
  guint port = pair_get_port (), ports[N];
  PairWire *wires[N];
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  GstElement *sender = chain_make_sender (port, KEPT), *last;

  for (guint i = 0; i < N; i++)
    wires[i] = pair_wire_new (port, &ports[i]);
  last = pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u redundancy=hot " SECRET
                      " fallback-addresses=127.0.0.1:%u,127.0.0.1:%u,127.0.0.1:%u,127.0.0.1:%u"
                      " ! fakesink async=false",
      ports[0], ports[1], ports[2], ports[3], ports[4]);
  gst_element_set_state (last, GST_STATE_PLAYING);
  pair_wait_for_stat (sender, "sink", "connected-callers", N);
  chain_push (sender, stream, 0, SIZE / 2, 0);
  pair_wait_for_least (last, "source", "bytes-received-total", SIZE / 2);
  for (guint i = 0; i < N; i++)
    pair_wire_switch (wires[i], FALSE);
  g_assert_cmpuint (pair_stop (last), <, HANGS);
  gst_object_unref (last);
  pair_end (sender);
  for (guint i = 0; i < N; i++)
    pair_wire_free (wires[i]);
}

/* A source refuses the call: the other is enough. */
static void
test_refused_source (void)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  g_autoptr (PairPipeline) sender = chain_make_sender (ports[0], KEPT);
  g_autoptr (PairPipeline) stranger =
      pair_launch ("appsrc ! faspsink streamid=other uri=fasp://:%u " SECRET, ports[1]);
  g_autoptr (Tap) last = NULL;

  gst_element_set_state (stranger, GST_STATE_PLAYING);
  last = make_last (ports, "hot", "streamid=mine");
  pair_expect (last->pipeline, GST_MESSAGE_WARNING, "the other sources are used");
  chain_push (sender, stream, 0, SIZE, 0);
  chain_finish (sender, last, stream, 0);
}

/* A source disconnects the receiver, which is told so; the other is enough. */
static void
test_dropped (void)
{
  Two two;
  g_autofree gchar *why = NULL;

  two_begin (&two, "hot");
  chain_wait_for_callers (two.sender);
  pair_drop_caller (two.relays[1]->pipeline);
  why = pair_wait_text (two.last->pipeline, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (why, "has disconnected it"));
  g_assert_nonnull (strstr (why, "the other sources are used"));
  chain_push (two.sender, two.stream, 0, SIZE, 0);
  two_end (&two);
}

static void
test_bad_settings (gconstpointer value)
{
  g_autoptr (PairPipeline) source =
      pair_launch ("faspsrc redundancy=hot " SECRET " %s ! fakesink", (const gchar *) value);

  gst_element_set_state (source, GST_STATE_PLAYING);
  pair_expect (source, GST_MESSAGE_ERROR, "redundancy=hot");
}

int
main (int argc, char **argv)
{
  static const gchar *const ways[] = { "hot", "standby" };
  static const gchar *const bad[] = {
    "uri=fasp://127.0.0.1:9",
    "uri=fasp://:7001 wait-to-restore=1000",
    "uri=fasp://127.0.0.1:9 redundancy=none wait-to-restore=1000",
    "uri=fasp://:7001 flowlets=2",
    "uri=fasp://127.0.0.1:7001?mode=listener bonding-addresses=127.0.0.2:7001",
    "uri=fasp://127.0.0.1:9?mode=rendezvous",
    "uri=fasp://239.1.2.3:7001",
    "uri=fasp://127.0.0.1:9 bonding-addresses=127.0.0.1:10",
    "uri=fasp://127.0.0.1:9 fallback-addresses=a:1 localport=7001",
    "uri=fasp://127.0.0.1:9 fallback-addresses=a:1,a:2,a:3,a:4,a:5,a:6,a:7,a:8",
  };

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autofree gchar *called = g_strdup_printf ("/redundancy/%s/called", ways[i]);
    g_autofree gchar *choice = g_strdup_printf ("/redundancy/%s/switch", ways[i]);

    g_test_add_data_func (choice, ways[i], test_switch);
    g_test_add_data_func (called, ways[i], test_called);
  }
  g_test_add_func ("/redundancy/messages", test_messages);
  g_test_add_func ("/redundancy/name", test_name);
  g_test_add_func ("/redundancy/restore", test_restore);
  g_test_add_func ("/redundancy/goodbye", test_goodbye);
  g_test_add_func ("/redundancy/refused/one", test_refused_source);
  g_test_add_func ("/redundancy/refused/dropped", test_dropped);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree gchar *name = g_strdup_printf ("/redundancy/bad/%u", i);

    g_test_add_data_func (name, bad[i], test_bad_settings);
  }
  return g_test_run ();
}
