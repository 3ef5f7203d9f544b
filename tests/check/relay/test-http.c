/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The relay's web server: it ends while some ask it; clients hang up.
 */
#include <string.h>
#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include "relayhttp.h"

#define ROUNDS 200
#define ASK 6 /* the API; and as many ask for a page */

static RelayFeed *feed; /* of /events */

static gboolean
make_page (const gchar *path, RelayPage *page, gpointer data)
{
  page->text = g_strdup ("a page\n");
  if (g_str_equal (path, "/events"))
    page->feed = relay_feed_ref (feed);
  return TRUE;
}

static gboolean
accepts (GInetAddress *address, gpointer data)
{
  g_assert_not_reached (); /* a UNIX socket has none */
}

static RelayVerdict
admit (const RelayAsk *ask, RelayAdmitted *admitted, RelayPage *page, gpointer data)
{
  g_assert_true (ask->local);
  return RELAY_ALLOWED;
}

static gboolean
may_stay (const RelayAsk *ask, gpointer data)
{
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
  static const RelayHttpFuncs funcs = { accepts, make_page, admit, NULL, NULL, take };
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

/* A server at a UNIX socket. */
typedef struct
{
  gchar *folder;
  GSocketAddress *address;
  GQueue taken;
  RelayHttp *http;
} Server;

static void
begin (Server *server)
{
  static const RelayHttpFuncs funcs = { accepts, make_page, admit, may_stay, NULL, take };
  g_autofree gchar *path = NULL;
  g_autoptr (GError) error = NULL;

  server->folder = g_dir_make_tmp ("fasp-http-XXXXXX", NULL);
  path = g_build_filename (server->folder, "socket", NULL);
  server->address = g_unix_socket_address_new (path);
  server->http = relay_http_new (server->address, &funcs, &server->taken, &error);
  g_assert_no_error (error);
}

static void
end (Server *server)
{
  relay_http_free (server->http);
  g_object_unref (server->address);
  g_rmdir (server->folder);
  g_free (server->folder);
}

/* A client that listens and hangs up gives its place up, also when there is nothing to send. */
static void
test_listener_gone (void)
{
  Server server = { NULL };
  GSocketConnection *asked;

  feed = relay_feed_new_of_all (NULL, 1, 1, G_USEC_PER_SEC);
  begin (&server);
  asked = ask (server.address, "/events");
  while (relay_feed_count (feed) == 0)
    g_main_context_iteration (NULL, FALSE);
  g_object_unref (asked);
  while (relay_feed_count (feed) > 0)
    g_main_context_iteration (NULL, TRUE);
  end (&server);
  relay_feed_unref (feed);
}

/* A client that comes when all places are taken is told. */
static void
test_full (void)
{
  Server server = { NULL };
  g_autoptr (GSocketConnection) one = NULL, other = NULL;
  g_autofree gchar *answer = NULL;

  feed = relay_feed_new_of_all (NULL, 1, 1, G_USEC_PER_SEC);
  begin (&server);
  one = ask (server.address, "/events");
  while (relay_feed_count (feed) == 0)
    g_main_context_iteration (NULL, FALSE);
  other = ask (server.address, "/events");
  answer = read_answer (other);
  g_assert_true (g_str_has_prefix (answer, "HTTP/1.1 503 "));
  g_assert_nonnull (strstr (answer, "As many watch this as may"));
  g_assert_nonnull (strstr (answer, "Cross-Origin-Resource-Policy: same-origin"));
  end (&server);
  relay_feed_unref (feed);
}

/* It is known whether a client still waits for an answer. */
static void
test_asker_gone (void)
{
  Server server = { NULL };
  GSocketConnection *asked;
  RelayRequest *request;
  RelayPage page = { 200, "text/plain" };

  begin (&server);
  asked = ask (server.address, "/api/v1/streams");
  while (server.taken.length == 0)
    g_main_context_iteration (NULL, TRUE);
  request = g_queue_pop_head (&server.taken);
  g_assert_true (relay_request_waits (request));
  g_object_unref (asked);
  g_assert_false (relay_request_waits (request));
  page.text = g_strdup ("late\n");
  relay_request_answer (request, &page);
  end (&server);
}

/* --- requests about which a server is asked ---------------------------------------------- */

/* What a server is asked about, and says. */
typedef struct
{
  GQueue asked; /* RelayRequest */
  gchar *address;
  guint admitted, made;
} Asking;

static RelayVerdict
admit_asked (const RelayAsk *head, RelayAdmitted *admitted, RelayPage *page, gpointer data)
{
  Asking *asking = data;

  g_atomic_int_inc (&asking->admitted);
  if (head->hooked == RELAY_NOT_ASKED)
    return RELAY_ASKS;
  g_assert_cmpint (head->hooked_role, ==, RELAY_ROLE_OPERATE);
  if (head->hooked == RELAY_LET_IN)
    return RELAY_ALLOWED;
  relay_page_set_text (page, 401, g_strdup ("no\n"));
  return RELAY_REFUSED;
}

static gboolean
make_asked (const gchar *path, RelayPage *page, gpointer data)
{
  g_atomic_int_inc (&((Asking *) data)->made);
  page->text = g_strdup ("metrics\n");
  return TRUE;
}

static gboolean
accepts_all (GInetAddress *address, gpointer data)
{
  g_autofree gchar *name = g_inet_address_to_string (address);

  g_assert_cmpstr (name, ==, "127.0.0.1");
  return TRUE;
}

static void
note_asking (RelayRequest *request, const RelayAsk *head, gpointer data)
{
  Asking *asking = data;

  g_queue_push_tail (&asking->asked, request);
  g_free (asking->address);
  asking->address = g_strdup (head->address);
}

static const RelayHttpFuncs asking_funcs = { accepts_all, make_asked, admit_asked, may_stay,
  note_asking, NULL };

/* Serves IPv4 and IPv6 at a port that is free. */
static RelayHttp *
serve_asking (Asking *asking, GSocketAddress **address)
{
  RelayHttp *http = NULL;

  for (guint i = 0; http == NULL; i++) {
    guint port = g_random_int_range (20000, 60000);
    g_autoptr (GSocketAddress) any = g_inet_socket_address_new_from_string ("::", port);

    g_assert_cmpuint (i, <, 100);
    http = relay_http_new (any, &asking_funcs, asking, NULL);
    *address = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  }
  return http;
}

static GSocketConnection *
ask_asking (Asking *asking, GSocketAddress *address)
{
  guint n = asking->asked.length;
  GSocketConnection *asked = ask (address, "/metrics");

  while (asking->asked.length == n)
    g_main_context_iteration (NULL, TRUE);
  return asked;
}

static void
expect_answer (GSocketConnection *asked, const gchar *begin)
{
  g_autofree gchar *answer = read_answer (asked);

  g_assert_true (g_str_has_prefix (answer, begin));
}

/* Nothing is made for a client before it is let in, and then once; a server that ends answers
 * those that wait, and what is decided later counts for nothing. A client of IPv4 has that address
 * also where IPv6 is served. */
static void
test_asked (void)
{
  Asking asking = { G_QUEUE_INIT };
  g_autoptr (GSocketAddress) address = NULL;
  RelayHttp *http = serve_asking (&asking, &address);
  g_autoptr (GSocketConnection) in = ask_asking (&asking, address);
  g_autoptr (GSocketConnection) out = ask_asking (&asking, address);
  g_autoptr (GSocketConnection) unknown = ask_asking (&asking, address);
  g_autoptr (GSocketConnection) late = ask_asking (&asking, address);

  g_assert_cmpuint (asking.made, ==, 0);
  g_assert_cmpstr (asking.address, ==, "127.0.0.1");
  relay_request_decide (g_queue_pop_head (&asking.asked), RELAY_LET_IN, RELAY_ROLE_OPERATE);
  expect_answer (in, "HTTP/1.1 200 ");
  relay_request_decide (g_queue_pop_head (&asking.asked), RELAY_NOT_LET_IN, RELAY_ROLE_OPERATE);
  expect_answer (out, "HTTP/1.1 401 ");
  relay_request_decide (g_queue_pop_head (&asking.asked), RELAY_UNDECIDED, RELAY_ROLE_OPERATE);
  expect_answer (unknown, "HTTP/1.1 401 ");
  relay_http_free (http);
  check_answer (late, "HTTP/1.1 503 ");
  relay_request_decide (g_queue_pop_head (&asking.asked), RELAY_LET_IN, RELAY_ROLE_OPERATE);
  g_assert_cmpuint (asking.made, ==, 1);
  g_assert_cmpuint (asking.admitted, ==, 4 + 3);
  g_free (asking.address);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/http/end", test_end);
  g_test_add_func ("/relay/http/listener-gone", test_listener_gone);
  g_test_add_func ("/relay/http/full", test_full);
  g_test_add_func ("/relay/http/asker-gone", test_asker_gone);
  g_test_add_func ("/relay/http/asked", test_asked);
  return g_test_run ();
}
