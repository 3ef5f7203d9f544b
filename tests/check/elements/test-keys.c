/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passphrases, key files and ciphers as the elements' properties have them:
 * which peers are connected, what is said, and what is never said.
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/app/gstappsrc.h>
#include <string.h>
#include "pair.h"

#define PASSPHRASE "a-secret-of-both-ends"

static gchar *directory;

/* --- pipelines -------------------------------------------------------------- */

typedef struct
{
  GstElement *sender, *receiver;
} Ends;

static Ends
launch (const gchar *sink, const gchar *source)
{
  guint port = pair_get_port ();
  Ends ends;

  ends.receiver =
      pair_launch ("faspsrc name=source uri=fasp://:%u latency=20 %s ! fakesink sync=false", port,
          source);
  ends.sender =
      pair_launch ("audiotestsrc num-buffers=20 ! faspsink name=sink uri=fasp://127.0.0.1:%u %s",
          port, sink);
  return ends;
}

static void
play (Ends *ends)
{
  gst_element_set_state (ends->receiver, GST_STATE_PLAYING);
  gst_element_set_state (ends->sender, GST_STATE_PLAYING);
}

static void
stop (Ends *ends)
{
  pair_stop (ends->sender);
  pair_stop (ends->receiver);
  gst_object_unref (ends->sender);
  gst_object_unref (ends->receiver);
}

static gchar *
get_stat (GstElement *pipeline, const gchar *name, const gchar *field)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstStructure *stats;
  gchar *value;

  g_object_get (element, "stats", &stats, NULL);
  value = g_strdup (gst_structure_get_string (stats, field));
  gst_structure_free (stats);
  return value;
}

static gboolean
has_message (GstElement *pipeline, GstMessageType type)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, type);

  return message != NULL;
}

/* --- keys ----------------------------------------------------------------------- */

/* What the messages tell the user to type. */
static gchar *
make_key (const gchar *name, gchar **public_key)
{
  gchar *path = g_build_filename (directory, name, NULL);
  g_autofree gchar *make = g_strdup_printf ("openssl genpkey -algorithm X25519 -out %s", path);
  g_autofree gchar *show = g_strdup_printf ("openssl pkey -in %s -pubout", path);
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_true (g_spawn_command_line_sync (make, NULL, NULL, NULL, NULL));
  g_assert_true (g_spawn_command_line_sync (show, &text, NULL, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), >=, 3);
  *public_key = g_strdup (lines[1]);
  return path;
}

static gchar *
write_file (const gchar *name, const gchar *text)
{
  gchar *path = g_build_filename (directory, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

/* A caller's key and name are known before it is let in. */
static gboolean
on_identified (GstElement *element, const gchar *address, const gchar *streamid, const gchar *key,
    const gchar *name, gpointer welcome)
{
  g_autofree gchar *public_key = NULL;

  g_object_get (element, "public-key", &public_key, NULL);
  g_assert_true (g_str_has_prefix (address, "127.0.0.1:"));
  g_assert_cmpstr (streamid, ==, "camera 1");
  return g_strcmp0 (key, public_key) == 0 && g_strcmp0 (name, welcome) == 0;
}

/* @data: the name that the application lets in; the peer has none. */
static void
test_identified (gconstpointer data)
{
  g_autofree gchar *our_key = NULL, *their_key = NULL;
  g_autofree gchar *ours = make_key ("ours.pem", &our_key);
  g_autofree gchar *theirs = make_key ("theirs.pem", &their_key);
  g_autofree gchar *source =
      g_strdup_printf ("authentication=true key-file=%s public-key=\"%s\"", ours, their_key);
  g_autofree gchar *sink =
      g_strdup_printf ("key-file=%s public-key=\"%s\" streamid=\"camera 1\"", theirs, our_key);
  Ends ends = launch (sink, source);
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (ends.receiver), "source");
  g_autofree gchar *text = NULL;

  g_signal_connect (element, "caller-identified", G_CALLBACK (on_identified), (gpointer) data);
  play (&ends);
  if (((const gchar *) data)[0] == '\0') {
    gst_message_unref (pair_wait (ends.sender, GST_MESSAGE_EOS));
    gst_message_unref (pair_wait (ends.receiver, GST_MESSAGE_EOS));
  } else {
    text = pair_wait_text (ends.sender, GST_MESSAGE_ERROR);
    g_assert_nonnull (strstr (text, "refused"));
    /* the streamid was right */
    g_assert_nonnull (strstr (text, "address, streamid and key"));
  }
  stop (&ends);
}

static void
test_keys (void)
{
  g_autofree gchar *our_key = NULL, *their_key = NULL, *other_key = NULL;
  g_autofree gchar *ours = make_key ("ours.pem", &our_key);
  g_autofree gchar *theirs = make_key ("theirs.pem", &their_key);
  G_GNUC_UNUSED g_autofree gchar *other = make_key ("other.pem", &other_key);
  g_autofree gchar *list =
      g_strdup_printf ("# who may send\n%s  studio 3\n\n%s van\n", their_key, other_key);
  g_autofree gchar *allowed = write_file ("allowed", list);
  g_autofree gchar *source = g_strdup_printf ("key-file=%s allowed-keys=%s", ours, allowed);
  g_autofree gchar *sink = g_strdup_printf ("key-file=%s public-key=\"%s\"", theirs, our_key);
  g_autofree gchar *name = NULL, *key = NULL, *cipher = NULL;
  g_autoptr (GstMessage) added = NULL;
  const GstStructure *who;
  Ends ends = launch (sink, source);

  play (&ends);
  added = pair_wait_element (ends.receiver, "connection-added");
  who = gst_message_get_structure (added);
  g_assert_cmpstr (gst_structure_get_string (who, "peer-name"), ==, "studio 3");
  g_assert_cmpstr (gst_structure_get_string (who, "peer-key"), ==, their_key);
  gst_message_unref (pair_wait (ends.sender, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (ends.receiver, GST_MESSAGE_EOS));
  name = get_stat (ends.receiver, "source", "peer-name");
  key = get_stat (ends.receiver, "source", "peer-key");
  cipher = get_stat (ends.receiver, "source", "encryption");
  g_assert_cmpstr (name, ==, "studio 3");
  g_assert_cmpstr (key, ==, their_key);
  g_assert_cmpstr (cipher, !=, "none");
  stop (&ends);
}

/* Others may read the key and change the list: each is told of at the start, and is used. */
static void
test_open_files (void)
{
  g_autofree gchar *our_key = NULL;
  g_autofree gchar *ours = make_key ("open.pem", &our_key);
  g_autofree gchar *allowed = write_file ("open", our_key);
  GstElement *source = pair_launch ("faspsrc uri=fasp://:%u key-file=%s allowed-keys=%s ! fakesink",
      pair_get_port (), ours, allowed);
  g_autofree gchar *read = NULL, *change = NULL;

  g_assert_cmpint (g_chmod (ours, 0604), ==, 0);
  g_assert_cmpint (g_chmod (allowed, 0666), ==, 0);
  gst_element_set_state (source, GST_STATE_PLAYING);
  read = pair_wait_text (source, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (read, "can read"));
  g_assert_nonnull (strstr (read, ours));
  change = pair_wait_text (source, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (change, "can change"));
  g_assert_nonnull (strstr (change, allowed));
  pair_stop (source);
  g_assert_cmpint (g_chmod (ours, 0600), ==, 0);
  g_assert_cmpint (g_chmod (allowed, 0644), ==, 0);
  gst_element_set_state (source, GST_STATE_PLAYING);
  g_assert_false (has_message (source, GST_MESSAGE_WARNING));
  pair_stop (source);
  gst_object_unref (source);
}

static void
test_unknown_key (void)
{
  g_autofree gchar *our_key = NULL, *their_key = NULL;
  g_autofree gchar *ours = make_key ("ours.pem", &our_key);
  g_autofree gchar *theirs = make_key ("theirs.pem", &their_key);
  g_autofree gchar *source = g_strdup_printf ("key-file=%s public-key=%s", ours, our_key);
  g_autofree gchar *sink = g_strdup_printf ("key-file=%s public-key=%s", theirs, our_key);
  Ends ends = launch (sink, source);

  play (&ends);
  pair_expect (ends.sender, GST_MESSAGE_ERROR, "allowed-keys");
  stop (&ends);
}

/* --- the application decides --------------------------------------------------------------- */

typedef struct _Door Door;

/* A listener that has a key, and a handler instead of the keys of callers. */
struct _Door
{
  Ends ends;
  GstElement *element; /* which listens */
  gulong handler;
  gchar *key;                  /* the caller's */
  gboolean welcome;            /* the handler lets in a caller that has it */
  void (*before) (Door *door); /* NULL, or what the handler does before it answers */
  gint asked, release;         /* atomic */
};

static gboolean
on_key (GstElement *element, const gchar *address, const gchar *streamid, const gchar *key,
    const gchar *name, gpointer data)
{
  Door *door = data;

  g_assert_cmpstr (key, ==, door->key);
  g_assert_cmpstr (name, ==, "");
  g_atomic_int_inc (&door->asked);
  if (door->before != NULL)
    door->before (door);
  return door->welcome;
}

/* @knows: the caller knows the listener's key. */
static Door *
door_new (gboolean knows)
{
  Door *door = g_new0 (Door, 1);
  g_autofree gchar *our_key = NULL, *other_key = NULL;
  g_autofree gchar *ours = make_key ("ours.pem", &our_key);
  g_autofree gchar *theirs = make_key ("theirs.pem", &door->key);
  G_GNUC_UNUSED g_autofree gchar *other = make_key ("other.pem", &other_key);
  g_autofree gchar *source = g_strdup_printf ("key-file=%s", ours);
  g_autofree gchar *sink =
      g_strdup_printf ("key-file=%s public-key=\"%s\"", theirs, knows ? our_key : other_key);

  door->ends = launch (sink, source);
  door->element = gst_bin_get_by_name (GST_BIN (door->ends.receiver), "source");
  door->handler = g_signal_connect (door->element, "caller-identified", G_CALLBACK (on_key), door);
  return door;
}

static void
door_free (Door *door)
{
  stop (&door->ends);
  gst_object_unref (door->element);
  g_free (door->key);
  g_free (door);
}

static void
assert_let_in (Door *door)
{
  g_autoptr (GstMessage) added = pair_wait_element (door->ends.receiver, "connection-added");
  const GstStructure *who = gst_message_get_structure (added);

  g_assert_cmpstr (gst_structure_get_string (who, "peer-key"), ==, door->key);
  g_assert_cmpstr (gst_structure_get_string (who, "peer-name"), ==, "");
  gst_message_unref (pair_wait (door->ends.sender, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (door->ends.receiver, GST_MESSAGE_EOS));
  g_assert_cmpint (g_atomic_int_get (&door->asked), ==, 1);
}

/* @why: part of what the caller is told. */
static void
assert_kept_out (Door *door, const gchar *why)
{
  g_autofree gchar *text = pair_wait_text (door->ends.sender, GST_MESSAGE_ERROR);

  g_assert_nonnull (strstr (text, why));
  g_assert_false (has_message (door->ends.receiver, GST_MESSAGE_ELEMENT));
}

/* @data: is the key welcome? */
static void
test_asked (gconstpointer data)
{
  Door *door = door_new (TRUE);

  door->welcome = GPOINTER_TO_INT (data);
  play (&door->ends);
  if (door->welcome) {
    assert_let_in (door);
  } else {
    assert_kept_out (door, "the application there refused it");
    g_assert_cmpint (g_atomic_int_get (&door->asked), ==, 1);
  }
  door_free (door);
}

/* A caller that has not proved that the key is its own is not told of. */
static void
test_asked_nothing (void)
{
  Door *door = door_new (FALSE);

  door->welcome = TRUE;
  play (&door->ends);
  assert_kept_out (door, "public-key is not that of the listener");
  g_assert_cmpint (g_atomic_int_get (&door->asked), ==, 0);
  door_free (door);
}

static gboolean
on_connecting (GstElement *element, GSocketAddress *address, const gchar *streamid, gpointer unused)
{
  return TRUE;
}

/* Without a handler that can be told the key, everybody would come in: it does not start. */
static void
test_nobody_decides (void)
{
  Door *door = door_new (TRUE);
  gchar *why;

  g_signal_handler_block (door->element, door->handler);
  g_signal_connect (door->element, "caller-connecting", G_CALLBACK (on_connecting), NULL);
  g_signal_emit_by_name (door->element, "check-settings", &why);
  g_assert_nonnull (strstr (why, "caller-identified"));
  g_free (why);
  g_assert_cmpint (gst_element_set_state (door->ends.receiver, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_FAILURE);
  g_free (pair_wait_text (door->ends.receiver, GST_MESSAGE_ERROR));
  g_signal_handler_unblock (door->element, door->handler);
  g_signal_emit_by_name (door->element, "check-settings", &why);
  g_assert_null (why);
  door_free (door);
}

/* Once the handler is gone, no caller comes in any more. */
static void
test_handler_gone (void)
{
  Door *door = door_new (TRUE);

  door->welcome = TRUE;
  gst_element_set_state (door->ends.receiver, GST_STATE_PLAYING);
  g_signal_handler_disconnect (door->element, door->handler);
  gst_element_set_state (door->ends.sender, GST_STATE_PLAYING);
  assert_kept_out (door, "the application there refused it");
  door_free (door);
}

static void
wait_for_release (Door *door)
{
  while (!g_atomic_int_get (&door->release))
    g_usleep (1000);
}

/* As long as the handler has not answered, neither end says that it is connected. */
static void
test_handler_blocks (void)
{
  Door *door = door_new (TRUE);

  door->welcome = TRUE;
  door->before = wait_for_release;
  play (&door->ends);
  pair_wait_for_count (&door->asked, 1);
  g_usleep (300 * G_TIME_SPAN_MILLISECOND);
  g_assert_false (has_message (door->ends.receiver, GST_MESSAGE_ELEMENT));
  g_assert_false (has_message (door->ends.sender, GST_MESSAGE_ELEMENT));
  g_atomic_int_set (&door->release, TRUE);
  assert_let_in (door);
  door_free (door);
}

static void
stop_receiver (GstElement *element, gpointer door)
{
  gst_element_set_state (element, GST_STATE_NULL);
  g_atomic_int_set (&((Door *) door)->release, TRUE);
}

static void
stop_rightly (Door *door)
{
  gst_element_call_async (door->ends.receiver, stop_receiver, door, NULL);
}

/* The element stops because of a caller, which was welcome. */
static void
test_handler_stops (void)
{
  Door *door = door_new (TRUE);

  door->welcome = TRUE;
  door->before = stop_rightly;
  play (&door->ends);
  pair_wait_for_count (&door->asked, 1);
  wait_for_release (door);
  door_free (door);
}

/* As its thread would wait for itself, it does not stop, and the caller is answered all the same.
 */
static void
stop_wrongly (Door *door)
{
  g_assert_cmpint (gst_element_set_state (door->element, GST_STATE_NULL), ==,
      GST_STATE_CHANGE_FAILURE);
}

static void
test_handler_stops_itself (void)
{
  Door *door = door_new (TRUE);

  door->before = stop_wrongly;
  g_test_expect_message ("GStreamer-fasp", G_LOG_LEVEL_CRITICAL, "*gst_element_call_async*");
  play (&door->ends);
  pair_expect (door->ends.receiver, GST_MESSAGE_ERROR, "gst_element_call_async");
  assert_kept_out (door, "the application there refused it");
  g_test_assert_expected_messages ();
  door_free (door);
}

/* --- passphrases --------------------------------------------------------------------- */

static void
test_passphrase (gconstpointer data)
{
  Ends ends = launch ("passphrase=" PASSPHRASE, data);

  play (&ends);
  if (strstr (data, PASSPHRASE) != NULL) {
    gst_message_unref (pair_wait (ends.sender, GST_MESSAGE_EOS));
    gst_message_unref (pair_wait (ends.receiver, GST_MESSAGE_EOS));
  } else {
    g_autofree gchar *text = pair_wait_text (ends.sender, GST_MESSAGE_ERROR);
    g_autofree gchar *heard = NULL;

    g_assert_nonnull (strstr (text, "set the same on both"));
    /* that side may have to act as well */
    heard = pair_wait_text (ends.receiver, GST_MESSAGE_WARNING);
    if (strstr (heard, "not authenticated") != NULL) {
      g_free (heard);
      heard = pair_wait_text (ends.receiver, GST_MESSAGE_WARNING);
    }
    g_assert_nonnull (strstr (heard, "set the same on both"));
    /* once, though the call was repeated for a second */
    g_assert_cmpuint (pair_get_stat (ends.receiver, "source", "handshakes-refused"), >, 1);
    g_assert_false (has_message (ends.receiver, GST_MESSAGE_WARNING));
  }
  stop (&ends);
}

/* Without any key it just works, with one warning on either end. */
static void
test_anonymous (void)
{
  Ends ends = launch ("", "");

  play (&ends);
  for (guint i = 0; i < 2; i++) {
    GstElement *end = i == 0 ? ends.sender : ends.receiver;
    g_autofree gchar *text = pair_wait_text (end, GST_MESSAGE_WARNING);
    GstMessage *message;

    g_assert_nonnull (strstr (text, "not authenticated"));
    message = pair_wait (end, GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
    g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
    gst_message_unref (message);
  }
  stop (&ends);
}

static void
test_clear (void)
{
  Ends ends = launch ("encryption=none", "encryption=none");
  g_autofree gchar *cipher = NULL;

  play (&ends);
  pair_expect (ends.sender, GST_MESSAGE_WARNING, "not encrypted");
  gst_message_unref (pair_wait (ends.sender, GST_MESSAGE_EOS));
  cipher = get_stat (ends.sender, "sink", "encryption");
  g_assert_cmpstr (cipher, ==, "none");
  stop (&ends);
}

/* --- mistakes ------------------------------------------------------------------------- */

typedef struct
{
  const gchar *settings; /* of a listener; %s: the directory */
  const gchar *says;
} Mistake;

static const Mistake mistakes[] = {
  { "passphrase=short", "at least 10 characters" },
  { "passphrase=\"\"", "at least 10 characters" },
  { "key-file=\"\"", "set to nothing" },
  { "passphrase=long-enough-for-this encryption=none", "leave one of them out" },
  { "authentication=true", "set passphrase" },
  { "allowed-keys=%s/allowed", "need a key-file" },
  { "key-file=%s/nothing-there public-key=CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      "nothing-there" },
  { "key-file=%s/rsa.pem public-key=x", "is not a public key" },
  { "key-file=%s/rsa.pem public-key=CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      "openssl genpkey -algorithm X25519 -out NEW-FILE" },
  { "key-file=%s/good.pem", "needs allowed-keys" },
  { "authentication=true key-file=%s/good.pem", "caller-identified" },
  { "key-file=%s/good.pem allowed-keys=%s/empty", "no peer could connect" },
  { "key-file=%s/good.pem allowed-keys=%s/wrong", "Line 2 of allowed-keys" },
  { "key-file=%s/good.pem mode=caller uri=fasp://127.0.0.1:9", "public-key" },
};

static void
test_mistake (gconstpointer data)
{
  const Mistake *mistake = data;
  g_autofree gchar *key = NULL;
  G_GNUC_UNUSED g_autofree gchar *good = make_key ("good.pem", &key);
  G_GNUC_UNUSED g_autofree gchar *rsa = write_file ("rsa.pem",
      "-----BEGIN PRIVATE KEY-----\n"
      "MFMCAQEwBQYDK2VwBCIEILNO\n-----END PRIVATE KEY-----\n");
  G_GNUC_UNUSED g_autofree gchar *empty = write_file ("empty", "# nobody\n\n");
  g_autofree gchar *line = g_strdup_printf ("%s somebody\nnonsense\n", key);
  G_GNUC_UNUSED g_autofree gchar *wrong = write_file ("wrong", line);
  g_auto (GStrv) parts = g_strsplit (mistake->settings, "%s", -1);
  g_autofree gchar *settings = g_strjoinv (directory, parts);
  g_autoptr (PairPipeline) pipeline =
      pair_launch ("faspsrc uri=fasp://:%u %s ! fakesink", pair_get_port (), settings);

  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_FAILURE);
  pair_expect (pipeline, GST_MESSAGE_ERROR, mistake->says);
}

/* --- what is never said ------------------------------------------------------------------ */

static void
test_secrets (void)
{
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) pipeline =
      pair_launch ("faspsrc name=source uri=\"fasp://:%u?passphrase=" PASSPHRASE
                   "&latency=20\" ! fakesink",
          port);
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autofree gchar *uri = NULL, *dot = NULL, *stats = NULL;
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (source), "passphrase");
  GstStructure *structure;

  g_assert_false (pspec->flags & G_PARAM_READABLE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_object_get (source, "uri", &uri, "stats", &structure, NULL);
  stats = gst_structure_to_string (structure);
  gst_structure_free (structure);
  dot = gst_debug_bin_to_dot_data (GST_BIN (pipeline), GST_DEBUG_GRAPH_SHOW_VERBOSE);
  g_assert_nonnull (strstr (uri, "latency=20"));
  g_assert_nonnull (strstr (dot, "FaspSrc"));
  g_assert_null (strstr (uri, PASSPHRASE));
  g_assert_null (strstr (dot, PASSPHRASE));
  g_assert_null (strstr (stats, PASSPHRASE));
}

/* What was logged, at every level there is. */
typedef struct
{
  GMutex mutex;
  GString *text;
} Log;

static void
keep_log (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function,
    gint line, GObject *object, GstDebugMessage *message, gpointer data)
{
  Log *log = data;
  /* which may log something itself: not under the lock */
  const gchar *text = gst_debug_message_get (message);

  g_mutex_lock (&log->mutex);
  g_string_append_printf (log->text, "%s %s\n", gst_debug_category_get_name (category), text);
  g_mutex_unlock (&log->mutex);
}

/* A stream with a key file and a passphrase, once as a property, once in a URI:
 * no log holds any of it. */
static void
test_secrets_in_logs (void)
{
  g_autofree gchar *our_key = NULL, *their_key = NULL, *pem = NULL;
  g_autofree gchar *ours = make_key ("ours.pem", &our_key);
  g_autofree gchar *theirs = make_key ("theirs.pem", &their_key);
  g_autofree gchar *source = g_strdup_printf ("key-file=%s public-key=\"%s\"", ours, their_key);
  g_autofree gchar *sink = g_strdup_printf ("key-file=%s public-key=\"%s\"", theirs, our_key);
  Ends ends = launch (sink, source);
  g_autoptr (GstElement) one = gst_bin_get_by_name (GST_BIN (ends.sender), "sink");
  g_autoptr (GstElement) other = gst_bin_get_by_name (GST_BIN (ends.receiver), "source");
  g_autofree gchar *uri = NULL, *with_secret = NULL;
  g_auto (GStrv) lines = NULL;
  Log log = { .text = g_string_new (NULL) };

  g_mutex_init (&log.mutex);
  g_object_get (one, "uri", &uri, NULL);
  with_secret = g_strdup_printf ("%s?passphrase=" PASSPHRASE, uri);
  g_assert_true (g_file_get_contents (ours, &pem, NULL, NULL));
  lines = g_strsplit (pem, "\n", -1);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (keep_log, &log, NULL);
  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_from_string ("*:9", TRUE);
  g_object_set (one, "uri", with_secret, NULL);
  g_object_set (other, "passphrase", PASSPHRASE, NULL);
  play (&ends);
  gst_message_unref (pair_wait (ends.sender, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (ends.receiver, GST_MESSAGE_EOS));
  stop (&ends);
  gst_debug_set_default_threshold (GST_LEVEL_NONE);
  gst_debug_set_active (FALSE);
  gst_debug_remove_log_function (keep_log);
  g_assert_nonnull (strstr (log.text->str, "\nfasp"));
  g_assert_null (strstr (log.text->str, PASSPHRASE));
  g_assert_null (strstr (log.text->str, lines[1]));
  g_string_free (log.text, TRUE);
  g_mutex_clear (&log.mutex);
}

/* A mistake in a URI is quoted in the message, the secret in it is not. */
static void
test_secret_in_bad_uri (void)
{
  g_autoptr (GstElement) source = gst_element_factory_make ("faspsrc", NULL);
  static const gchar *bad[] = {
    "fasp://:5000?passphrase=" PASSPHRASE "&latency=never",
    "fasp://:5000?latency=-7&passphrase=" PASSPHRASE,
    "fasp://:5000?passphrase=" PASSPHRASE "&nosuchkey=1",
    "fasp://:5000/path?passphrase=" PASSPHRASE,
    "fasp://?passphrase=" PASSPHRASE,
    "http://:5000?passphrase=" PASSPHRASE,
    "fasp://:5000:1?passphrase=" PASSPHRASE,
    "fasp://:5000&passphrase=" PASSPHRASE,
    "fasp://:5000/latency=7&passphrase=" PASSPHRASE,
    "fasp://:5000?latency=7passphrase=" PASSPHRASE,
    "fasp://:5000?latency=7;passphrase=" PASSPHRASE,
    "fasp://:5000?latency=7,passphrase:" PASSPHRASE,
    "fasp://:5000?passphrase:" PASSPHRASE,
    "fasp://:5000/passphrase:" PASSPHRASE,
    "fasp://passphrase:" PASSPHRASE,
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (gst_uri_handler_set_uri (GST_URI_HANDLER (source), bad[i], &error));
    g_assert_nonnull (error);
    g_assert_null (strstr (error->message, PASSPHRASE));
  }
}

static void
remove_directory (void)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree gchar *path = g_build_filename (directory, name, NULL);

    g_unlink (path);
  }
  g_rmdir (directory);
  g_free (directory);
}

int
main (int argc, char **argv)
{
  int result;

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  directory = g_dir_make_tmp ("fasp-keys-XXXXXX", NULL);
  g_test_add_func ("/keys/files", test_keys);
  g_test_add_func ("/keys/open-files", test_open_files);
  g_test_add_func ("/keys/unknown", test_unknown_key);
  g_test_add_data_func ("/keys/identified/let-in", "", test_identified);
  g_test_add_data_func ("/keys/identified/refused", "studio 3", test_identified);
  g_test_add_data_func ("/keys/asked/let-in", GINT_TO_POINTER (TRUE), test_asked);
  g_test_add_data_func ("/keys/asked/refused", GINT_TO_POINTER (FALSE), test_asked);
  g_test_add_func ("/keys/asked/nothing", test_asked_nothing);
  g_test_add_func ("/keys/asked/nobody", test_nobody_decides);
  g_test_add_func ("/keys/asked/handler-gone", test_handler_gone);
  g_test_add_func ("/keys/asked/handler-blocks", test_handler_blocks);
  g_test_add_func ("/keys/asked/handler-stops", test_handler_stops);
  g_test_add_func ("/keys/asked/handler-stops-itself", test_handler_stops_itself);
  g_test_add_data_func ("/keys/passphrase/same", "passphrase=" PASSPHRASE, test_passphrase);
  g_test_add_data_func ("/keys/passphrase/other", "passphrase=something-else", test_passphrase);
  g_test_add_data_func ("/keys/passphrase/none", "", test_passphrase);
  g_test_add_func ("/keys/anonymous", test_anonymous);
  g_test_add_func ("/keys/clear", test_clear);
  for (guint i = 0; i < G_N_ELEMENTS (mistakes); i++) {
    g_autofree gchar *path = g_strdup_printf ("/keys/mistake/%u", i);

    g_test_add_data_func (path, &mistakes[i], test_mistake);
  }
  g_test_add_func ("/keys/secrets", test_secrets);
  g_test_add_func ("/keys/secrets-in-logs", test_secrets_in_logs);
  g_test_add_func ("/keys/secret-in-bad-uri", test_secret_in_bad_uri);
  result = g_test_run ();
  remove_directory ();
  return result;
}
