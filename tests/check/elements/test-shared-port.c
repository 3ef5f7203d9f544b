/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Several streams at one port: which of them a caller gets, and that they have
 * nothing else in common.
 */
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gio/gio.h>
#include <string.h>
#include "pair.h"

#define SIZE 300000

static guint port;

/* --- streams ----------------------------------------------------------------------- */

typedef struct
{
  GstElement *pipeline;
  GstAppSrc *in;   /* of one that sends */
  GByteArray *got; /* by one that receives, under `lock' */
  GMutex lock;
} End;

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer data)
{
  End *end = data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstMapInfo map;

  gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ);
  g_mutex_lock (&end->lock);
  g_byte_array_append (end->got, map.data, map.size);
  g_mutex_unlock (&end->lock);
  gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  return GST_FLOW_OK;
}

static End *
end_new (void)
{
  End *end = g_new0 (End, 1);

  g_mutex_init (&end->lock);
  end->got = g_byte_array_new ();
  return end;
}

/* @keys: of its URI, behind host and port.  Not started. */
static End *
make_sender (const gchar *host, const gchar *keys)
{
  End *end = end_new ();

  end->pipeline = pair_launch ("appsrc name=in block=true max-bytes=100000 ! "
                               "faspsink name=end max-bitrate=50000000 uri=\"fasp://%s:%u?%s\"",
      host, port, keys);
  end->in = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (end->pipeline), "in"));
  return end;
}

static End *
make_receiver (const gchar *host, const gchar *keys)
{
  GstAppSinkCallbacks callbacks = { .new_sample = on_sample };
  End *end = end_new ();
  g_autoptr (GstElement) out = NULL;

  end->pipeline = pair_launch ("faspsrc name=end uri=\"fasp://%s:%u?%s\" ! "
                               "appsink name=out sync=false async=false buffer-list=false",
      host, port, keys);
  out = gst_bin_get_by_name (GST_BIN (end->pipeline), "out");
  gst_app_sink_set_callbacks (GST_APP_SINK (out), &callbacks, end, NULL);
  return end;
}

static void
end_free (End *end)
{
  pair_stop (end->pipeline);
  g_clear_object (&end->in);
  gst_object_unref (end->pipeline);
  g_byte_array_unref (end->got);
  g_mutex_clear (&end->lock);
  g_free (end);
}

static End *
play (End *end)
{
  g_assert_cmpint (gst_element_set_state (end->pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  return end;
}

static GstElement *
get_element (End *end)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (end->pipeline), "end");

  gst_object_unref (element); /* the pipeline holds it */
  return element;
}

/* Every stream is another one. */
static GBytes *
make_stream (guint seed)
{
  g_autoptr (GBytes) all = pair_make_stream (SIZE + 1000 * seed);

  return g_bytes_new_from_bytes (all, 1000 * seed, SIZE);
}

static void
free_streams (GBytes **streams, guint n)
{
  for (guint i = 0; i < n; i++)
    g_bytes_unref (streams[i]);
}

static void
push (End *end, GBytes *stream, gsize from, gsize to)
{
  for (gsize at = from; at < to; at += 1316) {
    g_autoptr (GBytes) part = g_bytes_new_from_bytes (stream, at, MIN (1316, to - at));

    g_assert_cmpint (gst_app_src_push_buffer (end->in, gst_buffer_new_wrapped_bytes (part)), ==,
        GST_FLOW_OK);
  }
}

static void
wait_for_size (End *end, gsize size)
{
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  for (gsize got = 0; got < size;) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
    g_mutex_lock (&end->lock);
    got = end->got->len;
    g_mutex_unlock (&end->lock);
  }
}

static void
wait_for_callers (End *end, guint n)
{
  pair_wait_for_stat (end->pipeline, "end", "connected-callers", n);
}

static void
assert_got (End *end, GBytes *stream)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (stream, &size);

  wait_for_size (end, size);
  g_assert_cmpmem (end->got->data, end->got->len, data, size);
}

/* The end of the stream is at both. */
static void
finish (End *sender, End *receiver)
{
  gst_app_src_end_of_stream (sender->in);
  gst_message_unref (pair_wait (sender->pipeline, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (receiver->pipeline, GST_MESSAGE_EOS));
}

static void
assert_free (void)
{
  GError *error = NULL;
  g_autoptr (GSocket) socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GInetAddress) any = g_inet_address_new_any (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (any, port);

  g_socket_bind (socket, address, FALSE, &error);
  g_assert_no_error (error);
}

static void
assert_told (End *end, const gchar *what)
{
  g_autofree gchar *text = pair_wait_text (end->pipeline, GST_MESSAGE_ERROR);

  if (strstr (text, what) == NULL)
    g_error ("\"%s\" is not in \"%s\"", what, text);
}

/* --- which stream a caller gets ------------------------------------------------------ */

#define ONE "passphrase=the-first-of-them"
#define TWO "passphrase=the-second-of-them"

/* Each with a key of its own; a caller with the wrong one, or of no stream here, is told
 * so, and no stream feels it. */
static void
test_sinks (void)
{
  GBytes *streams[] = { make_stream (1), make_stream (2), make_stream (3) };
  End *senders[3], *receivers[3], *wrong, *absent, *unnamed;

  port = pair_get_port ();
  senders[0] = play (make_sender ("", "streamid=one&" ONE));
  senders[1] = play (make_sender ("", "streamid=two&" TWO));
  senders[2] = play (make_sender ("", "streamid=open"));
  receivers[0] = play (make_receiver ("127.0.0.1", "streamid=one&" ONE));
  receivers[1] = play (make_receiver ("127.0.0.1", "streamid=two&" TWO));
  receivers[2] = play (make_receiver ("127.0.0.1", "streamid=open"));
  for (guint i = 0; i < 3; i++)
    wait_for_callers (senders[i], 1);
  for (guint i = 0; i < 3; i++)
    push (senders[i], streams[i], 0, SIZE / 2);
  wrong = play (make_receiver ("127.0.0.1", "streamid=one&" TWO));
  absent = play (make_receiver ("127.0.0.1", "streamid=three&" TWO));
  unnamed = play (make_receiver ("127.0.0.1", TWO));
  assert_told (wrong, "the passphrases differ");
  assert_told (absent, "no stream of this streamid");
  assert_told (unnamed, "several streams at this port");
  for (guint i = 0; i < 3; i++)
    push (senders[i], streams[i], SIZE / 2, SIZE);
  for (guint i = 0; i < 3; i++)
    finish (senders[i], receivers[i]);
  for (guint i = 0; i < 3; i++) {
    assert_got (receivers[i], streams[i]);
    end_free (senders[i]);
    end_free (receivers[i]);
  }
  end_free (wrong);
  end_free (absent);
  end_free (unnamed);
  free_streams (streams, 3);
  assert_free ();
}

/* The listener says what the caller wanted, and why it did not get that. */
static void
test_misdirected (void)
{
  End *sender, *receiver;

  port = pair_get_port ();
  sender = play (make_sender ("", "streamid=one&" ONE));
  receiver = play (make_receiver ("127.0.0.1", "streamid=read:two:joe:password&" ONE));
  assert_told (receiver, "no stream of this streamid");
  pair_expect (sender->pipeline, GST_MESSAGE_WARNING,
      "its streamid is \"read:two:joe:*\" (there is no stream of this streamid)");
  end_free (sender);
  end_free (receiver);
  assert_free ();
}

/* --- coming and going ----------------------------------------------------------------- */

/* One stops while the other goes on, and comes back: its receiver, which is told that it
 * has stopped, has waited.  Any order. */
static void
test_restart (gconstpointer which)
{
  guint goes = GPOINTER_TO_UINT (which), stays = 1 - goes;
  static const gchar *const keys[] = { "streamid=one&" ONE, "streamid=two&" TWO };
  g_autoptr (GBytes) stream = make_stream (10), again = make_stream (11);
  End *senders[2], *receivers[2];

  port = pair_get_port ();
  for (guint i = 0; i < 2; i++)
    senders[i] = play (make_sender ("", keys[i]));
  for (guint i = 0; i < 2; i++) {
    receivers[i] = play (make_receiver ("127.0.0.1", keys[i]));
    wait_for_callers (senders[i], 1);
  }
  push (senders[stays], stream, 0, SIZE / 3);
  end_free (senders[goes]);
  push (senders[stays], stream, SIZE / 3, SIZE / 2);
  wait_for_size (receivers[stays], SIZE / 2);
  /* long enough for a refusal to be believed */
  for (gboolean busy = FALSE; !busy;) {
    g_autofree gchar *text = pair_wait_text (receivers[goes]->pipeline, GST_MESSAGE_WARNING);

    busy = strstr (text, "has stopped just now") != NULL;
  }
  senders[goes] = play (make_sender ("", keys[goes]));
  wait_for_callers (senders[goes], 1);
  push (senders[goes], again, 0, SIZE);
  push (senders[stays], stream, SIZE / 2, SIZE);
  for (guint i = 0; i < 2; i++)
    finish (senders[i], receivers[i]);
  assert_got (receivers[stays], stream);
  assert_got (receivers[goes], again);
  for (guint i = 0; i < 2; i++) {
    end_free (senders[i]);
    end_free (receivers[i]);
  }
  assert_free ();
}

typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean held, go;
} Barrier;

static void
hold (GstElement *element, gint unused, GSocketAddress *address, Barrier *barrier)
{
  g_mutex_lock (&barrier->lock);
  barrier->held = TRUE;
  g_cond_broadcast (&barrier->changed);
  while (!barrier->go)
    g_cond_wait (&barrier->changed, &barrier->lock);
  g_mutex_unlock (&barrier->lock);
}

/* An application that holds up the network of one stream, the one that was there first,
 * holds up no other. */
static void
test_held (void)
{
  g_autoptr (GBytes) stream = make_stream (12);
  End *held, *other, *receivers[2];
  Barrier barrier = { 0 };

  g_mutex_init (&barrier.lock);
  g_cond_init (&barrier.changed);
  port = pair_get_port ();
  held = make_sender ("", "streamid=held&" SECRET);
  g_signal_connect (get_element (held), "caller-added", G_CALLBACK (hold), &barrier);
  play (held);
  receivers[0] = play (make_receiver ("127.0.0.1", "streamid=held&" SECRET));
  g_mutex_lock (&barrier.lock);
  while (!barrier.held)
    g_cond_wait (&barrier.changed, &barrier.lock);
  g_mutex_unlock (&barrier.lock);
  other = play (make_sender ("", "streamid=other&" SECRET));
  receivers[1] = play (make_receiver ("127.0.0.1", "streamid=other&" SECRET));
  wait_for_callers (other, 1);
  push (other, stream, 0, SIZE);
  finish (other, receivers[1]);
  assert_got (receivers[1], stream);
  g_mutex_lock (&barrier.lock);
  barrier.go = TRUE;
  g_cond_broadcast (&barrier.changed);
  g_mutex_unlock (&barrier.lock);
  push (held, stream, 0, SIZE);
  finish (held, receivers[0]);
  assert_got (receivers[0], stream);
  for (guint i = 0; i < 2; i++)
    end_free (receivers[i]);
  end_free (held);
  end_free (other);
  g_mutex_clear (&barrier.lock);
  g_cond_clear (&barrier.changed);
  assert_free ();
}

/* A source whose application does not read fills its buffer, and nobody else's. */
static void
test_paused (void)
{
  g_autoptr (GBytes) stream = make_stream (13);
  End *paused, *reads, *flood, *sender;

  port = pair_get_port ();
  paused = make_receiver ("", "streamid=paused&buffer-size=262144&" SECRET);
  gst_element_set_state (paused->pipeline, GST_STATE_PAUSED);
  reads = play (make_receiver ("", "streamid=reads&" SECRET));
  flood =
      play (make_sender ("127.0.0.1", "streamid=paused&max-bitrate=0&rate-control=fixed&" SECRET));
  sender = play (make_sender ("127.0.0.1", "streamid=reads&" SECRET));
  push (flood, stream, 0, SIZE);
  push (sender, stream, 0, SIZE);
  finish (sender, reads);
  assert_got (reads, stream);
  gst_element_set_state (paused->pipeline, GST_STATE_PLAYING);
  finish (flood, paused);
  assert_got (paused, stream);
  end_free (paused);
  end_free (reads);
  end_free (flood);
  end_free (sender);
  assert_free ();
}

/* --- mistakes ---------------------------------------------------------------------------- */

static void
test_mistake (gconstpointer data)
{
  static const gchar *const mistakes[][3] = {
    { "streamid=one", "streamid=one", "has the stream \"one\" at UDP port" },
    { "latency=20", "latency=30", "neither has a streamid" },
    { "streamid=one", "streamid=two&tos=8", "another tos" },
    { "streamid=one", "streamid=two&ttl=8", "another ttl" },
    { "streamid=one", "streamid=two&localaddress=127.0.0.1", "another localaddress" },
    { "streamid=one", "streamid=two&flowlets=2", "does not share its port" },
    { "streamid=one&flowlets=2", "streamid=two", "does not share its port" },
  };
  const gchar *const *m = mistakes[GPOINTER_TO_UINT (data)];
  End *first, *second;

  port = pair_get_ports (2);
  first = play (make_receiver ("", m[0]));
  second = make_receiver ("", m[1]);
  g_assert_cmpint (gst_element_set_state (second->pipeline, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_FAILURE);
  assert_told (second, m[2]);
  end_free (second);
  /* and it has left nothing behind */
  end_free (first);
  assert_free ();
  second = play (make_receiver ("", m[1]));
  end_free (second);
}

/* --- everything at a time ------------------------------------------------------------------- */

#define STREAMS 4

static gpointer
come_and_go (gpointer data)
{
  guint which = GPOINTER_TO_UINT (data);
  /* without a passphrase: it takes its time to be stretched */
  g_autofree gchar *keys = g_strdup_printf ("streamid=%u", which);
  g_autoptr (GBytes) stream = make_stream (20 + which);

  for (guint i = 0; i < 6; i++) {
    End *sender = play (make_sender ("", keys));
    End *receiver = play (make_receiver ("127.0.0.1", keys));

    wait_for_callers (sender, 1);
    push (sender, stream, 0, i % 2 ? SIZE : SIZE / 2);
    if (i % 2) {
      finish (sender, receiver);
      assert_got (receiver, stream);
    }
    end_free (i % 3 ? sender : receiver);
    end_free (i % 3 ? receiver : sender);
  }
  return NULL;
}

static void
test_crowd (void)
{
  GThread *threads[STREAMS];

  port = pair_get_port ();
  for (guint i = 0; i < STREAMS; i++)
    threads[i] = g_thread_new ("crowd", come_and_go, GUINT_TO_POINTER (i));
  for (guint i = 0; i < STREAMS; i++)
    g_thread_join (threads[i]);
  assert_free ();
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/port/sinks", test_sinks);
  g_test_add_func ("/port/misdirected", test_misdirected);
  g_test_add_data_func ("/port/restart/first", GUINT_TO_POINTER (0), test_restart);
  g_test_add_data_func ("/port/restart/second", GUINT_TO_POINTER (1), test_restart);
  g_test_add_func ("/port/held", test_held);
  g_test_add_func ("/port/paused", test_paused);
  for (guint i = 0; i < 7; i++) {
    g_autofree gchar *path = g_strdup_printf ("/port/mistake/%u", i);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_mistake);
  }
  g_test_add_func ("/port/crowd", test_crowd);
  return g_test_run ();
}
