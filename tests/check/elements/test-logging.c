/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The property `log' of both elements: the file, and GST_DEBUG=faspdecision:5.
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include "pair.h"

#define SIZE 500000

typedef struct
{
  gchar *directory, *in, *sent, *received;
  guint port;
} Case;

static Case *
case_new (void)
{
  Case *c = g_new0 (Case, 1);
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);

  c->directory = g_dir_make_tmp ("fasp-log-XXXXXX", NULL);
  c->in = g_build_filename (c->directory, "in", NULL);
  c->sent = g_build_filename (c->directory, "sent.sqlog", NULL);
  c->received = g_build_filename (c->directory, "received.sqlog", NULL);
  c->port = pair_get_port ();
  g_assert_true (g_file_set_contents (c->in, g_bytes_get_data (stream, NULL), SIZE, NULL));
  return c;
}

static void
case_free (Case *c)
{
  g_unlink (c->in);
  g_unlink (c->sent);
  g_unlink (c->received);
  g_assert_cmpint (g_rmdir (c->directory), ==, 0);
  g_free (c->directory);
  g_free (c->in);
  g_free (c->sent);
  g_free (c->received);
  g_free (c);
}

/* @warned, or NULL: also until the element warns of its log, before the end or after it. */
static void
wait_for_end (GstElement *receiver, gboolean *warned)
{
  gboolean ended = FALSE, told = warned == NULL;

  while (!ended || !told) {
    g_autoptr (GstMessage) message =
        pair_wait (receiver, GST_MESSAGE_EOS | (told ? 0 : GST_MESSAGE_WARNING));

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
      ended = TRUE;
    else {
      g_autoptr (GError) error = NULL;

      gst_message_parse_warning (message, &error, NULL);
      *warned = strstr (error->message, "Logging to") != NULL;
      told = TRUE;
    }
  }
}

/* A whole stream; the files may be one. */
static void
run (Case *c, const gchar *sent, const gchar *received, gboolean *warned)
{
  g_autoptr (PairPipeline) receiver =
      pair_launch ("faspsrc name=rx uri=fasp://:%u " SECRET " %s%s ! fakesink async=false", c->port,
          received != NULL ? "log=" : "", received != NULL ? received : "");
  g_autoptr (PairPipeline) sender =
      pair_launch ("filesrc location=%s blocksize=1316 ! "
                   "faspsink name=tx uri=fasp://127.0.0.1:%u " SECRET
                   " streamid=read:x:joe:correct-horse max-bitrate=50000000 %s%s",
          c->in, c->port, sent != NULL ? "log=" : "", sent != NULL ? sent : "");

  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_message_unref (pair_wait (sender, GST_MESSAGE_EOS));
  wait_for_end (receiver, warned);
}

static guint
count (const gchar *text, const gchar *what)
{
  guint n = 0;

  for (const gchar *at = text; (at = strstr (at, what)) != NULL; at++)
    n++;
  return n;
}

static gchar *
read_log (const gchar *path)
{
  gchar *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpuint (text[0], ==, 0x1e);
  g_assert_true (g_str_has_suffix (text, "}\n"));
  /* each record is a line */
  g_assert_cmpuint (count (text, "\x1e{"), ==, count (text, "}\n"));
  g_assert_null (strstr (text, "correct-horse"));
  return text;
}

/* From the first call to the goodbye, which comes when the element stops; and another run behind
 * it. */
static void
test_file (void)
{
  Case *c = case_new ();

  for (guint i = 1; i <= 2; i++) {
    g_autofree gchar *sent = NULL, *received = NULL;

    run (c, c->sent, c->received, NULL);
    sent = read_log (c->sent);
    received = read_log (c->received);
    g_assert_cmpuint (count (sent, "\"file_schema\""), ==, i);
    g_assert_cmpuint (count (sent, "\"fasp:call_started\""), ==, i);
    g_assert_cmpuint (count (sent, "\"fasp:session_connected\""), ==, i);
    g_assert_cmpuint (count (sent, "\"fasp:session_closed\""), ==, i);
    g_assert_cmpuint (count (sent, "\"reason\":\"finished\""), ==, i);
    g_assert_cmpuint (count (received, "\"fasp:session_closed\""), ==, i);
    g_assert_nonnull (strstr (sent, "\"title\":\"tx\""));
    g_assert_nonnull (strstr (sent, "\"role\":\"sender\""));
    g_assert_nonnull (strstr (received, "\"streamid\":\"read:x:joe:*\""));
    g_assert_nonnull (strstr (received, "\"role\":\"receiver\""));
    g_assert_nonnull (strstr (sent, "\"address\":\"127.0.0.1:"));
  }
  case_free (c);
}

/* Both ends have one file: no record of one is inside another's.  The tool prints both. */
static void
test_shared (void)
{
  Case *c = case_new ();
  g_autofree gchar *text = NULL, *printed = NULL;
  const gchar *words[] = { "python3", g_getenv ("FASP_LOG_TOOL"), c->sent, "--name", "session_c*",
    NULL };
  gint status;

  run (c, c->sent, c->sent, NULL);
  text = read_log (c->sent);
  g_assert_cmpuint (count (text, "\"file_schema\""), ==, 2);
  g_assert_cmpuint (count (text, "\"fasp:session_connected\""), ==, 2);
  g_assert_true (g_spawn_sync (NULL, (gchar **) words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
      &printed, NULL, &status, NULL));
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpuint (count (printed, "\n"), ==, 4);
  g_assert_cmpuint (count (printed, " tx "), ==, 2);
  g_assert_cmpuint (count (printed, " rx "), ==, 2);
  case_free (c);
}

static gchar *
print_log (const gchar *path, gchar **complaints)
{
  const gchar *words[] = { "python3", g_getenv ("FASP_LOG_TOOL"), path, NULL };
  gchar *printed;
  gint status;

  g_assert_true (g_spawn_sync (NULL, (gchar **) words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
      &printed, complaints, &status, NULL));
  g_assert_cmpint (status, ==, 0);
  return printed;
}

/* The tool says what it leaves out: what is no event, and events whose header is missing. */
static void
test_damaged (void)
{
  const gchar *text =
      "\x1e{\"title\":\"tx\",\"trace\":{\"common_fields\":{\"run\":8}}}\n"
      "\x1e{\"time\":1,\"name\":\"fasp:good\",\"run\":8,\"data\":{\"x\":true}}\n"
      "\x1e{\"time\":1,\"name\":\"fasp:stray\",\"run\":7,\"data\":{}}\n"
      "\x1e{\"time\":2,\"name\":\"fasp:stray\",\"run\":7,\"data\":{}}\n"
      "\x1e[1]\n\x1e\"x\"\n\x1e{\"time\":1,\"run\":8}\n\x1e{\"trace\":1}\n\x1e{\"ti";
  Case *c = case_new ();
  g_autofree gchar *printed = NULL, *complaints = NULL, *nothing = NULL, *other = NULL;

  g_assert_true (g_file_set_contents (c->sent, text, -1, NULL));
  printed = print_log (c->sent, &complaints);
  g_assert_cmpstr (printed, ==, "   0.000000 tx - good x=true\n");
  g_assert_cmpuint (count (complaints, "a record is damaged"), ==, 5);
  g_assert_cmpuint (count (complaints, "events left out: 2."), ==, 1);
  g_assert_null (strstr (complaints, "Traceback"));
  nothing = print_log (c->in, &other);
  g_assert_cmpstr (nothing, ==, "");
  g_assert_nonnull (strstr (other, "this is no log"));
  case_free (c);
}

/* A file that cannot grow any more: a warning, and the stream goes on. */
static void
test_full (void)
{
  struct rlimit before, small = { 0 };
  Case *c = case_new ();
  gboolean warned;

  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &before);
  small.rlim_cur = 700; /* the header, and little more */
  small.rlim_max = before.rlim_max;
  setrlimit (RLIMIT_FSIZE, &small);
  run (c, NULL, c->received, &warned);
  setrlimit (RLIMIT_FSIZE, &before);
  g_assert_true (warned);
  case_free (c);
}

/* A file that is full is set aside, and the next begins with a header: of both ends, which share
 * it. */
static void
test_next_file (void)
{
  Case *c = case_new ();
  g_autofree gchar *old = g_strconcat (c->sent, ".1", NULL), *text = NULL;
  struct stat what;

  g_assert_true (g_file_set_contents (c->sent, "full", -1, NULL));
  g_assert_cmpint (truncate (c->sent, 256 * 1024 * 1024), ==, 0);
  run (c, c->sent, c->sent, NULL);
  text = read_log (c->sent);
  g_assert_cmpuint (count (text, "\"file_schema\""), ==, 2);
  g_assert_cmpuint (count (text, "\"fasp:session_closed\""), ==, 2);
  g_assert_cmpint (stat (old, &what), ==, 0);
  g_assert_cmpint (what.st_size, ==, 256 * 1024 * 1024);
  g_assert_cmpint (unlink (old), ==, 0);
  case_free (c);
}

static gint lines, closed;

static void
on_line (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function,
    gint line, GObject *object, GstDebugMessage *message, gpointer data)
{
  if (!g_str_equal (gst_debug_category_get_name (category), "faspdecision"))
    return;
  g_assert_cmpint (level, ==, GST_LEVEL_DEBUG);
  g_atomic_int_inc (&lines);
  if (strstr (gst_debug_message_get (message), " session_closed reason=finished ") != NULL)
    g_atomic_int_inc (&closed);
}

/* The same as lines among GStreamer's own, without a file. */
static void
test_debug (void)
{
  Case *c = case_new ();

  gst_debug_set_color_mode (GST_DEBUG_COLOR_MODE_OFF);
  gst_debug_add_log_function (on_line, NULL, NULL);
  gst_debug_set_threshold_from_string ("faspdecision:5", FALSE);
  run (c, NULL, NULL, NULL);
  g_assert_cmpint (g_atomic_int_get (&lines), >, 8);
  g_assert_cmpint (g_atomic_int_get (&closed), ==, 2);
  gst_debug_unset_threshold_for_name ("faspdecision");
  gst_debug_remove_log_function (on_line);
  case_free (c);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/logging/file", test_file);
  g_test_add_func ("/logging/shared", test_shared);
  g_test_add_func ("/logging/damaged", test_damaged);
  g_test_add_func ("/logging/full", test_full);
  g_test_add_func ("/logging/next-file", test_next_file);
  g_test_add_func ("/logging/debug", test_debug);
  return g_test_run ();
}
