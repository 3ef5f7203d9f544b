/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Both elements against each other over the loopback interface: which callers are let in.
 */
#include <gio/gio.h>
#include "pair.h"

static gsize
get_size (Pair *pair)
{
  gsize size;

  g_mutex_lock (&pair->lock);
  size = pair->got->len;
  g_mutex_unlock (&pair->lock);
  return size;
}

static gboolean
on_connecting (GstElement *element, GSocketAddress *address, const gchar *streamid, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
  return g_strcmp0 (streamid, "let me in") == 0;
}

/* With a secret and `authentication', or with neither: a handler is asked. */
static void
test_asked (const gchar *streamid, gboolean open)
{
  gboolean welcome = g_str_equal (streamid, "let me in");
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:PORT streamid=\"%s\" %s",
      streamid, open ? "" : SECRET);
  g_autofree gchar *source =
      g_strdup_printf ("uri=fasp://:PORT %s", open ? "" : "authentication=true " SECRET);
  g_autoptr (Pair) pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (10000);
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
  gint asked = 0;

  g_signal_connect (element, "caller-connecting", G_CALLBACK (on_connecting), &asked);
  pair_play (pair);
  if (welcome) {
    pair_push (pair, stream, 0, 10000, 1316);
    pair_finish (pair, stream);
  } else {
    g_autofree gchar *text = NULL;
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1000, NULL);

    gst_buffer_memset (buffer, 0, 0, 1000);
    gst_app_src_push_buffer (pair_get_in (pair), buffer);
    text = pair_wait_text (pair->sender, GST_MESSAGE_ERROR);
    g_assert_nonnull (strstr (text, "refused"));
    g_assert_nonnull (strstr (text, "has to let this one in"));
    g_assert_cmpuint (get_size (pair), ==, 0);
  }
  g_assert_cmpint (g_atomic_int_get (&asked), ==, 1);
}

static void
test_authentication (gconstpointer data)
{
  test_asked (data, FALSE);
}

static void
test_judge (gconstpointer data)
{
  test_asked (data, TRUE);
}

/* The application has no handler: no caller is refused. */
static void
test_no_handler (void)
{
  g_autoptr (Pair) pair = pair_new ("uri=fasp://127.0.0.1:PORT " SECRET,
      "uri=fasp://:PORT authentication=true " SECRET);
  g_autoptr (GBytes) stream = pair_make_stream (10000);

  pair_play (pair);
  pair_push (pair, stream, 0, 10000, 1316);
  pair_finish (pair, stream);
}

/* A question that is answered later. */
typedef struct
{
  GAsyncQueue *tickets;
  gint answered, early;
} Later;

static gboolean
on_asked (GstElement *element, const gchar *address, const gchar *streamid, const gchar *key,
    const gchar *name, const gchar *ticket, Later *later)
{
  g_assert_true (g_str_has_prefix (address, "127.0.0.1:"));
  g_assert_cmpstr (streamid, ==, "news");
  g_assert_null (key);
  g_assert_null (name);
  g_async_queue_push (later->tickets, g_strdup (ticket));
  return TRUE;
}

static void
on_added (GstElement *element, gint unused, GSocketAddress *address, Later *later)
{
  if (!g_atomic_int_get (&later->answered))
    g_atomic_int_inc (&later->early);
}

/* The caller comes in when the answer is given, and not before, or is turned away. */
static void
test_later (gconstpointer data)
{
  gboolean welcome = GPOINTER_TO_INT (data), known = TRUE;
  g_autoptr (Pair) pair = pair_new ("uri=fasp://127.0.0.1:PORT streamid=news", "uri=fasp://:PORT");
  g_autoptr (GBytes) stream = pair_make_stream (10000);
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
  Later later = { g_async_queue_new_full (g_free) };
  g_autofree gchar *ticket = NULL;

  g_signal_connect (element, "caller-asked", G_CALLBACK (on_asked), &later);
  g_signal_connect (element, "caller-added", G_CALLBACK (on_added), &later);
  pair_play (pair);
  pair_push (pair, stream, 0, 10000, 1316);
  ticket = g_async_queue_pop (later.tickets);
  g_signal_emit_by_name (element, "decide-caller", "no ticket", TRUE, NULL, NULL, FALSE, &known);
  g_assert_false (known);
  g_atomic_int_set (&later.answered, TRUE);
  g_signal_emit_by_name (element, "decide-caller", ticket, welcome, "its licence is over",
      "try again at noon", FALSE, &known);
  g_assert_true (known);
  g_signal_emit_by_name (element, "decide-caller", ticket, !welcome, NULL, NULL, FALSE, &known);
  g_assert_false (known);
  if (welcome) {
    pair_finish (pair, stream);
  } else {
    g_autofree gchar *told = pair_wait_text (pair->sender, GST_MESSAGE_ERROR);
    g_autofree gchar *why = NULL;

    g_assert_nonnull (strstr (told, "refused the call (try again at noon)"));
    g_assert_null (strstr (told, "licence"));
    do {
      g_free (why);
      why = pair_wait_text (pair->receiver, GST_MESSAGE_WARNING);
    } while (strstr (why, "its licence is over") == NULL);
    g_assert_cmpuint (get_size (pair), ==, 0);
  }
  g_assert_cmpint (later.early, ==, 0);
  g_assert_cmpint (g_async_queue_length (later.tickets), ==, 0);
  gst_element_set_state (pair->receiver, GST_STATE_NULL);
  g_async_queue_unref (later.tickets);
}

/* Two senders dial each other's kind: an error that says it. */
static void
test_same_role (void)
{
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) one =
      pair_launch ("audiotestsrc is-live=true ! faspsink uri=fasp://:%u", port);
  g_autoptr (PairPipeline) two =
      pair_launch ("audiotestsrc is-live=true ! faspsink uri=fasp://127.0.0.1:%u", port);

  gst_element_set_state (one, GST_STATE_PLAYING);
  gst_element_set_state (two, GST_STATE_PLAYING);
  pair_expect (two, GST_MESSAGE_ERROR, "send");
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/pair/authentication/accept", "let me in", test_authentication);
  g_test_add_data_func ("/pair/authentication/refuse", "please", test_authentication);
  g_test_add_data_func ("/pair/judge/accept", "let me in", test_judge);
  g_test_add_data_func ("/pair/judge/refuse", "please", test_judge);
  g_test_add_data_func ("/pair/later/accept", GINT_TO_POINTER (TRUE), test_later);
  g_test_add_data_func ("/pair/later/refuse", GINT_TO_POINTER (FALSE), test_later);
  g_test_add_func ("/pair/authentication/no-handler", test_no_handler);
  g_test_add_func ("/pair/same-role", test_same_role);
  return g_test_run ();
}
