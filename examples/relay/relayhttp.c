/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <microhttpd.h>
#include "relayguests.h"
#include "relayhttp.h"

/* The library stops to accept at its limit.  Those that have to go make room only once its thread
 * has seen that: until then, as many again may come. */
#define CONNECTIONS (2 * RELAY_GUESTS_MAX)
#define IDLE 5       /* s */
#define MEMORY 16384 /* bytes for each connection */

struct _RelayHttp
{
  struct MHD_Daemon *daemon;
  RelayHttpFunc func;
  gpointer data;
  guint timer;
  GMutex lock; /* guards */
  RelayGuests guests;
};

/* The library closes a connection that has ended. */
static void
show_out (const RelayGuest *guest)
{
  if (guest != NULL)
    shutdown (guest->fd, SHUT_RDWR);
}

static void
on_connection (void *data, struct MHD_Connection *connection, void **guest,
    enum MHD_ConnectionNotificationCode code)
{
  RelayHttp *http = data;

  g_mutex_lock (&http->lock);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const RelayGuest *leaves;

    *guest = relay_guests_add (&http->guests, g_get_monotonic_time (),
        MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
        MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr,
        &leaves);
    show_out (leaves);
  } else {
    relay_guests_remove (&http->guests, *guest);
    *guest = NULL;
  }
  g_mutex_unlock (&http->lock);
}

/* The library closes silent connections.  This closes old ones: a client that sends a byte now and
 * then would otherwise keep its place for ever. */
static gboolean
show_out_late (gpointer data)
{
  gint64 now = g_get_monotonic_time ();
  RelayHttp *http = data;
  const RelayGuest *late;

  g_mutex_lock (&http->lock);
  while ((late = relay_guests_find_late (&http->guests, now)) != NULL)
    show_out (late);
  g_mutex_unlock (&http->lock);
  return G_SOURCE_CONTINUE;
}

static void
note_asked (RelayHttp *http, struct MHD_Connection *connection)
{
  RelayGuest *guest =
      MHD_get_connection_info (connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;

  g_mutex_lock (&http->lock);
  guest->asked = TRUE;
  g_mutex_unlock (&http->lock);
}

static void
make_page (RelayHttp *http, const gchar *host, const gchar *path, const gchar *method,
    RelayPage *page)
{
  *page = (RelayPage) { 200, "text/plain; charset=utf-8" };
  if (!g_str_equal (method, "GET") && !g_str_equal (method, "HEAD")) {
    page->status = 405;
    page->text = g_strdup ("GET and HEAD only\n");
  } else if (!http->func (host, path, page, http->data)) {
    page->status = 404;
    page->text = g_strdup ("There are /status.json, /metrics, /healthz and /readyz.\n");
  }
}

static enum MHD_Result
answer (void *data, struct MHD_Connection *connection, const char *path, const char *method,
    const char *version, const char *body, size_t *body_size, void **state)
{
  static int begun;
  struct MHD_Response *response;
  enum MHD_Result result;
  RelayPage page;

  /* the first of two calls: only the header has been read */
  if (*state == NULL) {
    note_asked (data, connection);
    *state = &begun;
    return MHD_YES;
  }
  if (*body_size > 0) {
    *body_size = 0;
    return MHD_YES;
  }
  make_page (data, MHD_lookup_connection_value (connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST),
      path, method, &page);
  response =
      MHD_create_response_from_buffer_with_free_callback (strlen (page.text), page.text, g_free);
  if (response == NULL) {
    g_free (page.text);
    return MHD_NO;
  }
  MHD_add_response_header (response, "Content-Type", page.type);
  MHD_add_response_header (response, "Cache-Control", "no-store");
  MHD_add_response_header (response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header (response, "Connection", "close");
  if (page.status == 405)
    MHD_add_response_header (response, "Allow", "GET, HEAD");
  result = MHD_queue_response (connection, page.status, response);
  MHD_destroy_response (response);
  return result;
}

/* --- the server ---------------------------------------------------------------------- */

static GSocket *
listen_at (GSocketAddress *address, GError **error)
{
  GSocketFamily family = g_socket_address_get_family (address);
  g_autoptr (GSocket) socket =
      g_socket_new (family, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, error);

  if (socket == NULL)
    return NULL;
  /* [::] is all addresses, those of IPv4 as well */
  if (family == G_SOCKET_FAMILY_IPV6
      && !g_socket_set_option (socket, IPPROTO_IPV6, IPV6_V6ONLY, FALSE, error))
    return NULL;
  /* TRUE: a port is free at once when the server before has gone */
  if (!g_socket_bind (socket, address, TRUE, error) || !g_socket_listen (socket, error))
    return NULL;
  return g_steal_pointer (&socket);
}

/* Whether the library has closed the socket that it was given is not known after a failure.  So it
 * gets a duplicate, which is not used any more; and the port is released by shutdown(). */
static gboolean
start_daemon (RelayHttp *http, GSocket *socket)
{
  gint fd = fcntl (g_socket_get_fd (socket), F_DUPFD_CLOEXEC, 0);

  if (fd >= 0)
    http->daemon = MHD_start_daemon (MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL,
        answer, http, MHD_OPTION_LISTEN_SOCKET, (MHD_socket) fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned int) CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int) IDLE,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t) MEMORY, MHD_OPTION_END);
  if (http->daemon == NULL)
    shutdown (g_socket_get_fd (socket), SHUT_RDWR);
  return http->daemon != NULL;
}

RelayHttp *
relay_http_new (GSocketAddress *address, RelayHttpFunc func, gpointer data, GError **error)
{
  g_autoptr (GSocket) socket = listen_at (address, error);
  g_autofree gchar *text = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (address));
  RelayHttp *http;

  if (socket == NULL) {
    g_prefix_error (error,
        "HTTP cannot be served at %s (choose another address "
        "or port; `ss -tlnp' tells which program has it): ",
        text);
    return NULL;
  }
  http = g_new0 (RelayHttp, 1);
  http->func = func;
  http->data = data;
  g_mutex_init (&http->lock);
  if (!start_daemon (http, socket)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "HTTP cannot be served at %s: libmicrohttpd does not start. Check that "
        "there are memory, threads (ulimit -u) and open files (ulimit -n).",
        text);
    g_mutex_clear (&http->lock);
    g_free (http);
    return NULL;
  }
  http->timer = g_timeout_add_seconds (1, show_out_late, http);
  return http;
}

void
relay_http_free (RelayHttp *http)
{
  g_source_remove (http->timer);
  MHD_stop_daemon (http->daemon);
  g_mutex_clear (&http->lock);
  g_free (http);
}
