/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The property `record' of both elements.
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/resource.h>
#include "pair.h"

#define SIZE 2000000

typedef struct
{
  gchar *directory, *in, *sent, *received;
  GBytes *stream;
  GByteArray *got;
  guint port;
} Case;

static Case *
case_new (const gchar *sent, const gchar *received)
{
  Case *c = g_new0 (Case, 1);

  c->directory = g_dir_make_tmp ("fasp-record-XXXXXX", NULL);
  c->in = g_build_filename (c->directory, "in", NULL);
  c->sent = g_build_filename (c->directory, sent, NULL);
  c->received = g_build_filename (c->directory, received, NULL);
  c->stream = pair_make_stream (SIZE);
  c->got = g_byte_array_new ();
  c->port = pair_get_port ();
  g_assert_true (g_file_set_contents (c->in, g_bytes_get_data (c->stream, NULL), SIZE, NULL));
  return c;
}

static void
case_free (Case *c)
{
  g_autoptr (GDir) dir = g_dir_open (c->directory, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree gchar *path = g_build_filename (c->directory, name, NULL);

    g_unlink (path);
  }
  g_rmdir (c->directory);
  g_bytes_unref (c->stream);
  g_byte_array_unref (c->got);
  g_free (c->directory);
  g_free (c->in);
  g_free (c->sent);
  g_free (c->received);
  g_free (c);
}

static void
on_handoff (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  g_byte_array_append (data, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

static GstElement *
receiver_of (Case *c)
{
  GstElement *receiver =
      pair_launch ("faspsrc name=source uri=fasp://:%u " SECRET
                   " record=%s ! fakesink name=out signal-handoffs=true sync=false async=false",
          c->port, c->received);
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (receiver), "out");

  g_signal_connect (out, "handoff", G_CALLBACK (on_handoff), c->got);
  return receiver;
}

static GstElement *
sender_of (Case *c, gboolean records)
{
  GstElement *sender = pair_launch (
      "filesrc location=%s blocksize=1316 ! faspsink name=sink uri=fasp://127.0.0.1:%u " SECRET,
      c->in, c->port);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (sender), "sink");

  if (records)
    g_object_set (sink, "record", c->sent, NULL);
  return sender;
}

/* A whole stream; @blocks: what the sink counted. Both are stopped. */
static void
run (Case *c, GstElement *sender, GstElement *receiver, guint64 *blocks)
{
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_message_unref (pair_wait (sender, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (receiver, GST_MESSAGE_EOS));
  *blocks = pair_get_stat (sender, "sink", "blocks-sent");
  pair_stop (sender);
  pair_stop (receiver);
  g_assert_cmpmem (c->got->data, c->got->len, g_bytes_get_data (c->stream, NULL), SIZE);
}

static gint64
query (const gchar *path, const gchar *text)
{
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  gint64 value;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  if (sqlite3_prepare_v2 (database, text, -1, &statement, NULL) != SQLITE_OK
      || sqlite3_step (statement) != SQLITE_ROW)
    value = -1;
  else
    value = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  sqlite3_close (database);
  return value;
}

/* Two runs into the same files. */
static void
test_sqlite (void)
{
  Case *c = case_new ("sent.db", "received.SQLite");
  guint64 blocks[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstElement) receiver = receiver_of (c);
    g_autoptr (GstElement) sender = sender_of (c, TRUE);

    g_byte_array_set_size (c->got, 0);
    run (c, sender, receiver, &blocks[i]);
  }
  g_assert_cmpint (query (c->sent, "SELECT count(*) FROM run"), ==, 2);
  g_assert_cmpint (query (c->sent, "SELECT count(*) FROM block WHERE round = 0 AND copy = 0"), ==,
      blocks[0] + blocks[1]);
  g_assert_cmpint (query (c->received, "SELECT count(*) FROM block WHERE fresh"), ==,
      blocks[0] + blocks[1]);
  g_assert_cmpint (query (c->received, "SELECT sum(payload_size) FROM block WHERE fresh"), ==,
      2 * SIZE);
  g_assert_cmpint (query (c->sent,
                       "SELECT count(*) FROM block WHERE full_size - payload_size NOT IN (60, 80)"),
      ==, 0);
  g_assert_cmpint (
      query (c->received,
          "SELECT count(*) FROM block WHERE since_last < 0 OR time <= 0 OR sender_time <= 0"),
      ==, 0);
  /* the end of the stream has no bytes but is a block */
  g_assert_cmpint (query (c->received,
                       "SELECT count(*) FROM block WHERE fresh AND payload_size = 0"),
      ==, 2);
  case_free (c);
}

static void
test_csv (void)
{
  Case *c = case_new ("sent.csv", "received.csv");
  g_autoptr (GstElement) receiver = receiver_of (c);
  g_autoptr (GstElement) sender = sender_of (c, TRUE);
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint64 blocks, payload = 0;

  run (c, sender, receiver, &blocks);
  g_assert_true (g_file_get_contents (c->received, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpstr (lines[0], ==,
      "run,time,since_last,full_size,payload_size,number,round,copy,fresh,sender_time,session");
  for (guint i = 1; lines[i][0] != '\0'; i++) {
    g_auto (GStrv) fields = g_strsplit (lines[i], ",", -1);

    g_assert_cmpuint (g_strv_length (fields), ==, 11);
    if (g_str_equal (fields[8], "1"))
      payload += g_ascii_strtoull (fields[4], NULL, 10);
  }
  g_assert_cmpuint (payload, ==, SIZE);
  case_free (c);
}

/* A mistake is told when the element starts. */
static void
test_bad_path (void)
{
  static const gchar *const names[] = { "x.txt", "none/x.db", "none/x.csv" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    Case *c = case_new (names[i], "received.db");
    g_autoptr (GstElement) sender = sender_of (c, TRUE);

    g_assert_cmpint (gst_element_set_state (sender, GST_STATE_PLAYING), ==,
        GST_STATE_CHANGE_FAILURE);
    pair_expect (sender, GST_MESSAGE_ERROR, names[i]);
    pair_stop (sender);
    case_free (c);
  }
}

static void
on_warning (GstBus *bus, GstMessage *message, gpointer data)
{
  g_autoptr (GError) warning = NULL;

  gst_message_parse_warning (message, &warning, NULL);
  g_assert_nonnull (strstr (warning->message, "Recording"));
  g_atomic_int_inc ((gint *) data);
}

/* How long SQLite was told to sleep since the sink was stopped, ms. */
static gint slept, slept_before;
static GstPad *stopping;
static int (*really_sleep) (sqlite3_vfs *, int);

static int
count_sleep (sqlite3_vfs *vfs, int us)
{
  g_atomic_int_add (gst_pad_is_active (stopping) ? &slept_before : &slept, us / 1000);
  return really_sleep (vfs, us);
}

/* A sink that stops does not wait for another program that has the database. */
static void
test_busy (void)
{
  Case *c = case_new ("sent.db", "received.csv");
  g_autoptr (GstElement) receiver = receiver_of (c);
  g_autoptr (GstElement) sender = sender_of (c, TRUE);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  sqlite3_vfs counting = *sqlite3_vfs_find (NULL);
  sqlite3 *other = NULL;

  really_sleep = counting.xSleep;
  counting.xSleep = count_sleep;
  counting.zName = "counting";
  stopping = gst_element_get_static_pad (sink, "sink");
  sqlite3_vfs_register (&counting, TRUE);
  gst_element_set_state (sender, GST_STATE_PAUSED);
  g_assert_cmpint (sqlite3_open (c->sent, &other), ==, SQLITE_OK);
  sqlite3_busy_timeout (other, 20000);
  g_assert_cmpint (sqlite3_exec (other, "BEGIN IMMEDIATE", NULL, NULL, NULL), ==, SQLITE_OK);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  pair_wait_for_count (&slept_before, 1);
  pair_stop (sender);
  g_assert_cmpint (g_atomic_int_get (&slept), <, 1000);
  pair_stop (receiver);
  sqlite3_close (other);
  sqlite3_vfs_unregister (&counting);
  gst_clear_object (&stopping);
  case_free (c);
}

static void
stop_it (GstBus *bus, GstMessage *message, gpointer tried)
{
  g_assert_cmpint (gst_element_set_state (GST_ELEMENT (GST_MESSAGE_SRC (message)), GST_STATE_NULL),
      ==, GST_STATE_CHANGE_FAILURE);
  g_atomic_int_inc ((gint *) tried);
}

/* The recorder's thread cannot be waited for by a handler of what it says. */
static void
test_own_handler (void)
{
  struct rlimit before, small = { 0 };
  Case *c = case_new ("sent.csv", "received.csv");
  g_autoptr (GstElement) receiver = receiver_of (c);
  g_autoptr (GstElement) sender = sender_of (c, FALSE);
  g_autoptr (GstBus) bus = gst_element_get_bus (receiver);
  gint tried = 0;

  g_test_expect_message ("GStreamer-fasp", G_LOG_LEVEL_CRITICAL, "*gst_element_call_async*");
  gst_bus_enable_sync_message_emission (bus);
  g_signal_connect (bus, "sync-message::warning", G_CALLBACK (stop_it), &tried);
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &before);
  small.rlim_cur = 50000;
  small.rlim_max = before.rlim_max;
  setrlimit (RLIMIT_FSIZE, &small);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  pair_expect (receiver, GST_MESSAGE_ERROR, "gst_element_call_async");
  setrlimit (RLIMIT_FSIZE, &before);
  pair_stop (receiver);
  pair_stop (sender);
  g_assert_cmpint (tried, ==, 1);
  g_test_assert_expected_messages ();
  case_free (c);
}

/* A file that cannot grow any more: one warning, and the stream goes on. */
static void
test_full (gconstpointer data)
{
  struct rlimit before, small = { 0 };
  g_autofree gchar *name = g_strdup_printf ("received.%s", (const gchar *) data);
  Case *c = case_new ("sent.csv", name);
  g_autoptr (GstElement) receiver = receiver_of (c);
  g_autoptr (GstElement) sender = sender_of (c, FALSE);
  g_autoptr (GstBus) bus = gst_element_get_bus (receiver);
  guint64 blocks;
  gint warnings = 0;

  gst_bus_enable_sync_message_emission (bus);
  g_signal_connect (bus, "sync-message::warning", G_CALLBACK (on_warning), &warnings);
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &before);
  small.rlim_cur = 50000;
  small.rlim_max = before.rlim_max;
  setrlimit (RLIMIT_FSIZE, &small);
  run (c, sender, receiver, &blocks);
  setrlimit (RLIMIT_FSIZE, &before);
  g_assert_cmpint (g_atomic_int_get (&warnings), ==, 1);
  case_free (c);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/record/sqlite", test_sqlite);
  g_test_add_func ("/record/csv", test_csv);
  g_test_add_func ("/record/bad-path", test_bad_path);
  g_test_add_data_func ("/record/full/sqlite", "db", test_full);
  g_test_add_data_func ("/record/full/csv", "csv", test_full);
  g_test_add_func ("/record/busy", test_busy);
  g_test_add_func ("/record/own-handler", test_own_handler);
  return g_test_run ();
}
