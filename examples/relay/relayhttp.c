/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <microhttpd.h>
#include "relayhttp.h"

#define CONNECTIONS 64
#define PER_ADDRESS 32
#define IDLE 5                  /* s */
#define WHOLE 10                /* s, the longest that a connection may take */
#define MEMORY 16384            /* bytes for each connection */

struct _RelayHttp
{
  struct MHD_Daemon *daemon;
  RelayHttpFunc func;
  gpointer data;
  guint timer;
  GMutex lock;                  /* guards */
  GQueue guests;                /* Guest, the oldest first */
};

/* A connection. It exists as long as it is in the queue. */
typedef struct
{
  gint fd;
  gint64 since;
} Guest;

static void
on_connection (void *data, struct MHD_Connection *connection, void **guest,
    enum MHD_ConnectionNotificationCode code)
{
  RelayHttp *http = data;

  g_mutex_lock (&http->lock);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    Guest *one = g_new (Guest, 1);

    *one = (Guest) {
    MHD_get_connection_info (connection,
          MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
          g_get_monotonic_time ()};
    g_queue_push_tail (&http->guests, one);
    *guest = one;
  } else {
    g_queue_remove (&http->guests, *guest);
    g_clear_pointer (guest, g_free);
  }
  g_mutex_unlock (&http->lock);
}

/* The library closes silent connections.  This closes old ones: a client that sends a byte now and
 * then would otherwise keep its place for ever. */
static gboolean
show_out (gpointer data)
{
  gint64 since = g_get_monotonic_time () - WHOLE * G_USEC_PER_SEC;
  RelayHttp *http = data;

  g_mutex_lock (&http->lock);
  for (GList * l = http->guests.head; l != NULL
      && ((Guest *) l->data)->since <= since; l = l->next)
    shutdown (((Guest *) l->data)->fd, SHUT_RDWR);
  g_mutex_unlock (&http->lock);
  return G_SOURCE_CONTINUE;
}

static void
make_page (RelayHttp * http, const gchar * path, const gchar * method,
    RelayPage * page)
{
  *page = (RelayPage) {
  200, "text/plain; charset=utf-8"};
  if (!g_str_equal (method, "GET") && !g_str_equal (method, "HEAD")) {
    page->status = 405;
    page->text = g_strdup ("GET and HEAD only\n");
  } else if (!http->func (path, page, http->data)) {
    page->status = 404;
    page->text = g_strdup ("There are /status.json, /metrics, /healthz and "
        "/readyz.\n");
  }
}

static enum MHD_Result
answer (void *data, struct MHD_Connection *connection, const char *path,
    const char *method, const char *version, const char *body,
    size_t *body_size, void **state)
{
  static int begun;
  struct MHD_Response *response;
  enum MHD_Result result;
  RelayPage page;

  /* the first of two calls: only the header has been read */
  if (*state == NULL) {
    *state = &begun;
    return MHD_YES;
  }
  if (*body_size > 0) {
    *body_size = 0;
    return MHD_YES;
  }
  make_page (data, path, method, &page);
  response = MHD_create_response_from_buffer_with_free_callback (strlen
      (page.text), page.text, g_free);
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

RelayHttp *
relay_http_new (GSocketAddress * address, RelayHttpFunc func, gpointer data,
    GError ** error)
{
  RelayHttp *http = g_new0 (RelayHttp, 1);
  g_autofree gchar *text = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE
      (address));
  struct sockaddr_storage native = { 0 };
  guint flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD;

  http->func = func;
  http->data = data;
  if (!g_socket_address_to_native (address, &native, sizeof native, error)) {
    g_free (http);
    return NULL;
  }
  if (g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV6)
    flags |= MHD_USE_DUAL_STACK;
  g_mutex_init (&http->lock);
  errno = 0;
  http->daemon = MHD_start_daemon (flags, 0, NULL, NULL, answer, http,
      MHD_OPTION_SOCK_ADDR, &native,
      MHD_OPTION_CONNECTION_LIMIT, (unsigned int) CONNECTIONS,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned int) PER_ADDRESS,
      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int) IDLE,
      MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) MEMORY, MHD_OPTION_END);
  if (http->daemon == NULL) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
        "HTTP cannot be served at %s: %s. Choose another address or port, or find "
        "out with `ss -tlnp' which program has it.", text, errno != 0 ?
        g_strerror (errno) : "libmicrohttpd does not start");
    g_mutex_clear (&http->lock);
    g_free (http);
    return NULL;
  }
  http->timer = g_timeout_add_seconds (1, show_out, http);
  return http;
}

void
relay_http_free (RelayHttp * http)
{
  g_source_remove (http->timer);
  MHD_stop_daemon (http->daemon);
  g_mutex_clear (&http->lock);
  g_free (http);
}
