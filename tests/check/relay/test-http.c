/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The relay's web server ends while some ask it.
 */
#include <string.h>
#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include "relayhttp.h"

#define ROUNDS 200
#define ASK 6 /* the API; and as many ask for a page */

static gboolean
make_page (const gchar *path, RelayPage *page, gpointer data)
{
  page->text = g_strdup ("a page\n");
  return TRUE;
}

static gboolean
admit (const RelayAsk *ask, RelayAdmitted *admitted, RelayPage *page, gpointer data)
{
  g_assert_true (ask->local);
  return TRUE;
}

static void
take (RelayRequest *request, gpointer data)
{
  g_queue_push_tail (data, request);
}

static GSocketConnection *
ask (GSocketAddress *address, const gchar *path)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autofree gchar *head = g_strdup_printf ("GET %s HTTP/1.1\r\nHost: relay\r\n\r\n", path);
  g_autoptr (GError) error = NULL;
  GSocketConnection *asked =
      g_socket_client_connect (client, G_SOCKET_CONNECTABLE (address), NULL, &error);

  g_assert_no_error (error);
  g_output_stream_write_all (g_io_stream_get_output_stream (G_IO_STREAM (asked)), head,
      strlen (head), NULL, NULL, NULL);
  return asked;
}

/* All that came until the connection ended; what is cut off is empty. */
static gchar *
read_answer (GSocketConnection *asked)
{
  g_autoptr (GString) answer = g_string_new (NULL);
  gchar piece[512];
  gssize n;

  while ((n = g_input_stream_read (g_io_stream_get_input_stream (G_IO_STREAM (asked)), piece,
              sizeof piece, NULL, NULL))
      > 0)
    g_string_append_len (answer, piece, n);
  return g_string_free (g_steal_pointer (&answer), FALSE);
}

static void
check_answer (GSocketConnection *asked, const gchar *begin)
{
  g_autofree gchar *answer = read_answer (asked);

  if (answer[0] != '\0' && !g_str_has_prefix (answer, begin))
    g_error ("not %s: %s", begin, answer);
}

/* A client that waits for the API is answered, or cut off; a later answer goes nowhere. */
static void
test_end (void)
{
  static const RelayHttpFuncs funcs = { make_page, admit, NULL, take };
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-http-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "socket", NULL);
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);

  for (guint round = 0; round < ROUNDS; round++) {
    GQueue taken = G_QUEUE_INIT;
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) waiting = g_ptr_array_new_with_free_func (g_object_unref);
    g_autoptr (GPtrArray) pages = g_ptr_array_new_with_free_func (g_object_unref);
    RelayHttp *http = relay_http_new (address, &funcs, &taken, &error);
    RelayRequest *request;

    g_assert_no_error (error);
    for (guint i = 0; i < ASK; i++)
      g_ptr_array_add (waiting, ask (address, "/api/v1/streams"));
    while (taken.length < ASK)
      g_main_context_iteration (NULL, TRUE);
    for (guint i = 0; i < ASK; i++)
      g_ptr_array_add (pages, ask (address, "/"));
    relay_http_free (http);
    for (guint i = 0; i < ASK; i++) {
      check_answer (waiting->pdata[i], "HTTP/1.1 503 ");
      check_answer (pages->pdata[i], "HTTP/1.1 200 ");
    }
    while ((request = g_queue_pop_head (&taken)) != NULL) {
      RelayPage page = { 200, "text/plain", .text = g_strdup ("late\n") };

      relay_request_answer (request, &page);
    }
  }
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/http/end", test_end);
  return g_test_run ();
}
