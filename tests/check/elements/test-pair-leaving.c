/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Both elements against each other over the loopback interface: one end stops, stands still
 * or cannot be reached any more, and the other one says so.
 */
#include "pair.h"

/* One end stops in the middle: the other one says so and can end. */
static void
test_receiver_stops (void)
{
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (200000);
  g_autoptr (GstMessage) added = NULL, removed = NULL;
  const GstStructure *came, *went;
  guint64 bytes, duration;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_wait_for_size (pair, 100000);
  pair_stop (pair->receiver);
  added = pair_wait_element (pair->sender, "connection-added");
  removed = pair_wait_element (pair->sender, "connection-removed");
  came = gst_message_get_structure (added);
  went = gst_message_get_structure (removed);
  g_assert_nonnull (strstr (gst_structure_get_string (went, "reason"), "stopped before the end"));
  g_assert_nonnull (gst_structure_get_string (came, "address-string"));
  g_assert_cmpstr (gst_structure_get_string (came, "address-string"), ==,
      gst_structure_get_string (went, "address-string"));
  g_assert_cmpstr (gst_structure_get_string (went, "streamid"), ==, "");
  g_assert_false (gst_structure_has_field (went, "peer-key"));
  g_assert_true (gst_structure_get_uint64 (went, "bytes", &bytes));
  g_assert_true (gst_structure_get_uint64 (went, "duration", &duration));
  /* what it had confirmed; test-receivers counts them */
  g_assert_cmpuint (bytes, >, 0);
  g_assert_cmpuint (bytes, <=, 100000);
  g_assert_cmpuint (duration, >, 0);
  g_assert_cmpuint (duration, <, 60 * GST_SECOND);
  pair_expect (pair->sender, GST_MESSAGE_WARNING, "The stream is held");
}

static void
test_sender_stops (void)
{
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (200000);
  g_autofree gchar *text = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_wait_for_size (pair, 100000);
  pair_stop (pair->sender);
  text = pair_wait_text (pair->receiver, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "stopped before the end"));
  g_assert_nonnull (strstr (text, "keep-listening=true"));
  gst_message_unref (pair_wait (pair->receiver, GST_MESSAGE_EOS));
  g_assert_cmpmem (pair->got->data, pair->got->len, g_bytes_get_data (stream, NULL), 100000);
}

/* Waits until the peer of this end is gone, and checks the reason that the end gives. */
static void
check_reason (GstElement *pipeline, const gchar *text, guint code)
{
  g_autoptr (GstMessage) removed = NULL;
  const GstStructure *s;
  const gchar *reason;
  guint given;

  do { /* an error may come first */
    g_clear_pointer (&removed, gst_message_unref);
    removed = pair_wait (pipeline, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
  } while (!gst_message_has_name (removed, "connection-removed"));
  s = gst_message_get_structure (removed);
  reason = gst_structure_get_string (s, "reason");
  g_test_message ("%s", reason);
  g_assert_nonnull (strstr (reason, text));
  g_assert_true (gst_structure_get_uint (s, "reason-code", &given));
  g_assert_cmpuint (given, ==, code);
}

/* An end that is set to READY says so itself, and does not blame its peer, which plays on. */
static void
test_stops_itself (gconstpointer data)
{
  gboolean sends = GPOINTER_TO_INT (data);
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (100000);

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_wait_for_size (pair, 100000);
  gst_element_set_state (sends ? pair->sender : pair->receiver, GST_STATE_READY);
  check_reason (pair->sender, sends ? "this end was stopped" : "stopped before the end",
      sends ? 13 : 2);
  check_reason (pair->receiver, sends ? "stopped before the end" : "this end was stopped",
      sends ? 2 : 13);
}

typedef struct
{
  const gchar *sink, *source;               /* settings */
  const gchar *sink_reason, *source_reason; /* that the ends give */
  guint code;
} Leaving;

/* One end disconnects the other, as it is too slow, or as it did not send everything: each says
 * which end it was. */
static const Leaving leavings[] = {
  { "slow-policy=drop-receiver", "", " was too slow for the stream", "disconnected this end", 3 },
  { "slow-policy=skip", "require-complete=true", " refused the stream",
      "disconnected by this end (require-complete)", 4 },
};

static void
test_disconnects (gconstpointer data)
{
  const Leaving *l = data;
  g_autofree gchar *sink =
      g_strdup_printf ("uri=fasp://127.0.0.1:PORT buffer-size=262144 %s " SECRET, l->sink);
  g_autofree gchar *source =
      g_strdup_printf ("uri=fasp://:PORT buffer-size=262144 %s " SECRET, l->source);
  g_autoptr (Pair) pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (3000000);

  g_object_set (pair_get_in (pair), "max-bytes", (guint64) 0, NULL);
  pair_play (pair);
  pair_push (pair, stream, 0, 20000, 1000);
  pair_wait_for_size (pair, 20000);
  gst_element_set_state (pair->receiver, GST_STATE_PAUSED);
  pair_push (pair, stream, 20000, 3000000, 1000);
  gst_message_unref (pair_wait (pair->sender, GST_MESSAGE_WARNING)); /* it does not keep up */
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  check_reason (pair->sender, l->sink_reason, l->code);
  check_reason (pair->receiver, l->source_reason, l->code);
}

/* A receiver stops that a sink does not do without: the error says what to do. */
static void
test_receiver_lost (gconstpointer data)
{
  gboolean ends = GPOINTER_TO_INT (data);
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) sender = pair_launch (
      "audiotestsrc %s ! audio/x-raw, format=S16LE, channels=1 ! faspsink name=sink uri=fasp://%s:%u "
      "auto-reconnect=false max-bitrate=100000 " SECRET,
      ends ? "num-buffers=40" : "is-live=true", ends ? "" : "127.0.0.1", port);
  g_autoptr (GstElement) receiver = pair_launch ("faspsrc name=source uri=fasp://%s:%u " SECRET
                                                 " ! fakesink sync=false async=false",
      ends ? "127.0.0.1" : "", port);

  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  pair_wait_for_least (receiver, "source", "bytes-received-total", 1);
  /* before all is written the sender would wait for another receiver */
  if (ends)
    pair_wait_for_least (sender, "sink", "bytes-sent-total", 40 * 2048);
  pair_stop (receiver);
  pair_expect (sender, GST_MESSAGE_ERROR,
      ends ? "send the stream again" : "With auto-reconnect=true");
}

static void
test_keep_listening (void)
{
  g_autoptr (Pair) pair =
      pair_new ("uri=fasp://127.0.0.1:PORT", "uri=fasp://:PORT keep-listening=true");
  g_autoptr (GBytes) stream = pair_make_stream (100000);

  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  for (guint round = 1; round <= 3; round++) {
    gst_element_set_state (pair->sender, GST_STATE_PLAYING);
    pair_push (pair, stream, 0, 100000, 1316);
    gst_app_src_end_of_stream (pair_get_in (pair));
    gst_message_unref (pair_wait (pair->sender, GST_MESSAGE_EOS));
    g_assert_cmpuint (pair_stop (pair->sender), <, HANGS);
    pair_wait_for_size (pair, round * 100000);
  }
  for (guint round = 0; round < 3; round++)
    g_assert_cmpmem (pair->got->data + round * 100000, 100000, g_bytes_get_data (stream, NULL),
        100000);
  /* each new sender is told apart (the first buffer of all is, too) */
  g_assert_cmpuint (pair->discont, >=, 2);
  g_assert_cmpuint (pair->backwards, ==, 0);
}

/* A source that dials, and may not call again, waits for no other sender: none would come. */
static void
test_keep_listening_alone (gconstpointer data)
{
  g_autoptr (Pair) pair = pair_new ("uri=fasp://:PORT " SECRET,
      "uri=fasp://127.0.0.1:PORT keep-listening=true auto-reconnect=false " SECRET);
  g_autoptr (GBytes) stream = pair_make_stream (100000);

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_wait_for_size (pair, 100000);
  if (GPOINTER_TO_INT (data)) {
    gst_app_src_end_of_stream (pair_get_in (pair));
  } else {
    pair_stop (pair->sender);
    pair_expect (pair->receiver, GST_MESSAGE_WARNING, "With auto-reconnect=true");
  }
  gst_message_unref (pair_wait (pair->receiver, GST_MESSAGE_EOS));
}

/* The sender's application disconnects a source that dials: it would be refused again, so this is
 * an error, and no other sender is waited for. */
static void
test_dropped (gconstpointer data)
{
  g_autofree gchar *source =
      g_strdup_printf ("uri=fasp://127.0.0.1:PORT %s " SECRET, (const gchar *) data);
  g_autoptr (Pair) pair = pair_new ("uri=fasp://:PORT " SECRET, source);
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autoptr (GstMessage) failed = NULL;
  g_autoptr (GError) error = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_wait_for_size (pair, 100000);
  pair_drop_caller (pair->sender);
  failed = pair_wait (pair->receiver, GST_MESSAGE_ERROR);
  gst_message_parse_error (failed, &error, NULL);
  g_assert_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED);
  g_assert_nonnull (strstr (error->message, "has disconnected it"));
}

/* A source that was read to the end takes no other sender: its stream would not be read. */
static void
test_no_other (void)
{
  g_autoptr (Pair) pair =
      pair_new ("uri=fasp://127.0.0.1:PORT " SECRET, "uri=fasp://:PORT " SECRET);
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autofree gchar *text = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_finish (pair, stream);
  pair_stop (pair->sender);
  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
  pair_push (pair, stream, 0, 1316, 1316);
  text = pair_wait_text (pair->sender, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "keep-listening=true"));
  g_assert_nonnull (strstr (text, "dialling goes on"));
  /* started again it does */
  pair_stop (pair->receiver);
  g_byte_array_set_size (pair->got, 0);
  pair->last_pts = GST_CLOCK_TIME_NONE;
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  pair_push (pair, stream, 1316, 100000, 1316);
  pair_finish (pair, stream);
}

/* Nothing of a file arrives at a peer that is heard, and so its thread waits for it: for room in
 * the buffer, or at the end for all that is in it. That is told of all the same. */
static void
test_stuck (gconstpointer data)
{
  gboolean ends = GPOINTER_TO_INT (data);
  guint port = pair_get_port (), by;
  g_autoptr (PairWire) wire = pair_wire_new (port, &by);
  g_autofree gchar *sink =
      g_strdup_printf ("uri=fasp://127.0.0.1:%u buffer-size=262144 " SECRET, by);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u " SECRET, port);
  g_autoptr (Pair) pair = pair_new (sink, source);
  gsize size = ends ? 100000 : 500000;
  g_autoptr (GBytes) stream = pair_make_stream (size);

  g_object_set (pair_get_in (pair), "max-bytes", (guint64) 0, NULL);
  pair_play (pair);
  pair_wait_for_least (pair->sender, "sink", "connected-callers", 1);
  pair_wire_cut (wire);
  pair_push (pair, stream, 0, size, 50000);
  if (ends)
    gst_app_src_end_of_stream (pair_get_in (pair));
  pair_expect (pair->sender, GST_MESSAGE_WARNING, "Nothing of the stream arrives");
}

/* A receiver that stands still is not waited for: both ends are told, and the receiver how much it
 * lacks. */
static void
test_left_behind (void)
{
  g_autoptr (Pair) pair =
      pair_new ("uri=fasp://127.0.0.1:PORT slow-policy=skip buffer-size=262144 " SECRET,
          "uri=fasp://:PORT buffer-size=262144 " SECRET);
  g_autoptr (GBytes) stream = pair_make_stream (3000000);
  g_autofree gchar *told = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 20000, 1000);
  pair_wait_for_size (pair, 20000);
  gst_element_set_state (pair->receiver, GST_STATE_PAUSED);
  pair_push (pair, stream, 20000, 3000000, 1000);
  gst_app_src_end_of_stream (pair_get_in (pair));
  told = pair_wait_text (pair->sender, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (told, "slow-policy=skip"));
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  pair_expect (pair->receiver, GST_MESSAGE_WARNING, "A part of the stream is missing");
  gst_message_unref (pair_wait (pair->sender, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (pair->receiver, GST_MESSAGE_EOS));
  g_assert_cmpuint (pair->got->len, <, 3000000);
  g_assert_cmpuint (pair_get_stat (pair->receiver, "source", "bytes-missing-total"), ==,
      3000000 - pair->got->len);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/pair/stuck/writing", GINT_TO_POINTER (FALSE), test_stuck);
  g_test_add_data_func ("/pair/stuck/ending", GINT_TO_POINTER (TRUE), test_stuck);
  g_test_add_func ("/pair/left-behind", test_left_behind);
  g_test_add_func ("/pair/receiver-stops", test_receiver_stops);
  g_test_add_func ("/pair/sender-stops", test_sender_stops);
  g_test_add_data_func ("/pair/stops-itself/receiver", GINT_TO_POINTER (FALSE), test_stops_itself);
  g_test_add_data_func ("/pair/stops-itself/sender", GINT_TO_POINTER (TRUE), test_stops_itself);
  g_test_add_data_func ("/pair/disconnects/too-slow", &leavings[0], test_disconnects);
  g_test_add_data_func ("/pair/disconnects/incomplete", &leavings[1], test_disconnects);
  g_test_add_data_func ("/pair/receiver-lost/playing", GINT_TO_POINTER (FALSE), test_receiver_lost);
  g_test_add_data_func ("/pair/receiver-lost/ending", GINT_TO_POINTER (TRUE), test_receiver_lost);
  g_test_add_func ("/pair/keep-listening", test_keep_listening);
  g_test_add_data_func ("/pair/keep-listening/alone/stops", GINT_TO_POINTER (FALSE),
      test_keep_listening_alone);
  g_test_add_data_func ("/pair/keep-listening/alone/ends", GINT_TO_POINTER (TRUE),
      test_keep_listening_alone);
  g_test_add_data_func ("/pair/dropped/once", "", test_dropped);
  g_test_add_data_func ("/pair/dropped/keep-listening", "keep-listening=true", test_dropped);
  g_test_add_data_func ("/pair/dropped/calls-once", "auto-reconnect=false", test_dropped);
  g_test_add_func ("/pair/no-other", test_no_other);
  return g_test_run ();
}
