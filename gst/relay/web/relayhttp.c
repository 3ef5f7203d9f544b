/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* POLLRDHUP */
#endif
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <gio/gunixsocketaddress.h>
#include "relayhttp.h"
#include "relayconnectionlimits.h"
#include "relayhttpsocket.h"

/* libmicrohttpd stops accepting at this limit. It is twice what the relay allows, as connections
 * that the relay shuts down count until the library's thread has closed them. */
#define CONNECTIONS (2 * RELAY_CLIENTS_MAX + RELAY_CLIENTS_LISTEN)
#define IDLE 5       /* s */
#define MEMORY 16384 /* bytes for each connection */
#define PIECE 8192   /* bytes of a feed at a time */
/* the socket's send buffer for a listening client, bytes: some events, not minutes of them */
#define UNREAD 65536
#define ENDING \
  "{\"error\":\"The relay stops to serve this address: ask it elsewhere.\",\"code\":\"ending\"}"
#define TOO_LONG \
  "{\"error\":\"The body is too long: send at most 65536 bytes.\",\"code\":\"too-long\"}"
G_STATIC_ASSERT (RELAY_HTTP_BODY_MAX == 65536);
#define ALL_LISTEN \
  G_STRINGIFY (RELAY_CLIENTS_LISTEN) \
  " listen already: close a page elsewhere, or ask again later.\n"
#define FEED_FULL "As many watch this as may, or it has just ended: ask again later.\n"

struct _RelayHttp
{
  struct MHD_Daemon *daemon;
  RelayHttpFuncs funcs;
  gpointer data;
  gchar *path; /* of a UNIX socket; NULL: it is TCP */
  guint timer;
  GMutex lock; /* guards the rest */
  RelayConnectionLimits limits;
  GQueue waiting;   /* RelayRequest, taken by the main context and not answered yet */
  GQueue listening; /* RelayRequest, with a listener */
  gboolean closing;
};

struct _RelayRequest
{
  gint users; /* atomic: the connection, the main context, and a response that has a feed */
  RelayHttp *http;
  struct MHD_Connection *connection;
  RelayAsk ask; /* its texts are the request's own; while the connection waits, `hooked' and
                   `hooked_role' are under the server's lock */
  RelayApiRequest asked;   /* its texts are those of `ask', but for `match' */
  GByteArray *body;        /* NULL: none is taken */
  RelayListener *listener; /* of a feed; NULL: it reads none */
  gboolean asks;           /* it has to be decided by the server of auth-url */
  gboolean too_big;
  gboolean answered; /* `page' is complete; while the connection waits, both are under the server's
                        lock */
  RelayPage page;
};

static enum MHD_Result
on_accept (void *data, const struct sockaddr *native, socklen_t size)
{
  RelayHttp *http = data;
  g_autoptr (GSocketAddress) address = g_socket_address_new_from_native ((gpointer) native, size);

  return http->path != NULL
          || (address != NULL
              && http->funcs.accepts (
                  g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)),
                  http->data)) ?
      MHD_YES :
      MHD_NO;
}

/* Shuts a client's connection down, which libmicrohttpd then closes. */
static void
show_out (const RelayClient *client)
{
  if (client != NULL)
    shutdown (client->fd, SHUT_RDWR);
}

static void
on_connection (void *data, struct MHD_Connection *connection, void **client,
    enum MHD_ConnectionNotificationCode code)
{
  RelayHttp *http = data;

  g_mutex_lock (&http->lock);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const RelayClient *leaves;

    *client = relay_connection_limits_add (&http->limits, g_get_monotonic_time (),
        MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
        MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr,
        &leaves);
    show_out (leaves);
  } else {
    relay_connection_limits_remove (&http->limits, *client);
    *client = NULL;
  }
  g_mutex_unlock (&http->lock);
}

static RelayClient *
get_client (struct MHD_Connection *connection)
{
  return MHD_get_connection_info (connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Has the client closed its side? libmicrohttpd looks only when it sends something. */
static gboolean
has_gone (const RelayClient *client)
{
  struct pollfd one = { client->fd, POLLRDHUP, 0 };

  return poll (&one, 1, 0) > 0;
}

/* Shuts down clients whose time is over. libmicrohttpd closes only silent connections, so a client
 * that sends a byte now and then would stay for ever. */
static gboolean
show_out_late (gpointer data)
{
  gint64 now = g_get_monotonic_time ();
  RelayHttp *http = data;
  const RelayClient *late;

  g_mutex_lock (&http->lock);
  while ((late = relay_connection_limits_find_late (&http->limits, now)) != NULL)
    show_out (late);
  for (const GList *l = http->listening.head; l != NULL; l = l->next) {
    const RelayRequest *request = l->data;

    if (has_gone (get_client (request->connection)))
      relay_listener_end (request->listener);
    if (!http->funcs.may_stay (&request->ask, http->data))
      show_out (get_client (request->connection));
  }
  g_mutex_unlock (&http->lock);
  return G_SOURCE_CONTINUE;
}

/* Returns the address of a client; NULL: it came by a UNIX socket. */
static gchar *
name_client (struct MHD_Connection *connection)
{
  const struct sockaddr *native =
      MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
  gsize size =
      native->sa_family == AF_INET ? sizeof (struct sockaddr_in) : sizeof (struct sockaddr_in6);
  g_autoptr (GSocketAddress) address = native->sa_family == AF_UNIX ?
      NULL :
      g_socket_address_new_from_native ((gpointer) native, size);

  return address == NULL ? NULL :
                           g_inet_address_to_string (
                               g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)));
}

static const gchar *
get_header (struct MHD_Connection *connection, const gchar *name)
{
  return MHD_lookup_connection_value (connection, MHD_HEADER_KIND, name);
}

static gchar *
copy_header (struct MHD_Connection *connection, const gchar *name)
{
  return g_strdup (get_header (connection, name));
}

static void
note_asked (RelayHttp *http, struct MHD_Connection *connection, gboolean trusted)
{
  g_mutex_lock (&http->lock);
  get_client (connection)->asked = TRUE;
  get_client (connection)->trusted = trusted;
  g_mutex_unlock (&http->lock);
}

/* --- requests ------------------------------------------------------------------------- */

static RelayRequest *
request_new (RelayHttp *http, struct MHD_Connection *connection, const gchar *method,
    const gchar *path)
{
  RelayRequest *request = g_new0 (RelayRequest, 1);
  const gchar *length = get_header (connection, MHD_HTTP_HEADER_CONTENT_LENGTH);

  request->users = 1;
  request->http = http;
  request->connection = connection;
  request->ask = (RelayAsk) {
    .method = g_strdup (method),
    .host = copy_header (connection, MHD_HTTP_HEADER_HOST),
    .origin = copy_header (connection, MHD_HTTP_HEADER_ORIGIN),
    .site = copy_header (connection, "Sec-Fetch-Site"),
    .type = copy_header (connection, MHD_HTTP_HEADER_CONTENT_TYPE),
    .authorization = copy_header (connection, MHD_HTTP_HEADER_AUTHORIZATION),
    .path = g_strdup (path),
    .has_body = (length != NULL && !g_str_equal (length, "0"))
        || get_header (connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL,
    .address = name_client (connection),
    .network = get_client (connection)->network,
    .cookie = copy_header (connection, MHD_HTTP_HEADER_COOKIE),
    .local = http->path != NULL,
  };
  request->asked = (RelayApiRequest) {
    .method = request->ask.method,
    .path = request->ask.path,
    .address = request->ask.address,
    .network = request->ask.network,
    .cookie = request->ask.cookie,
    .handle = request,
  };
  request->page = (RelayPage) { 200, "text/plain; charset=utf-8" };
  return request;
}

static void
clear_page (RelayPage *page)
{
  g_free (page->location);
  g_free (page->media);
  g_free (page->text);
  g_free (page->cookie);
  g_clear_pointer (&page->bytes, g_bytes_unref);
  g_clear_pointer (&page->feed, relay_feed_unref);
}

static void
request_unref (RelayRequest *request)
{
  if (!g_atomic_int_dec_and_test (&request->users))
    return;
  g_free ((gchar *) request->asked.match);
  g_free (request->asked.by.name);
  g_free (request->asked.by.title);
  g_free ((gchar *) request->ask.method);
  g_free ((gchar *) request->ask.host);
  g_free ((gchar *) request->ask.origin);
  g_free ((gchar *) request->ask.site);
  g_free ((gchar *) request->ask.type);
  g_free ((gchar *) request->ask.path);
  g_free ((gchar *) request->ask.address);
  relay_value_wipe ((gchar *) request->ask.authorization);
  relay_value_wipe ((gchar *) request->ask.cookie);
  if (request->body != NULL) {
    /* the body may contain a passphrase */
    if (request->body->len > 0)
      explicit_bzero (request->body->data, request->body->len);
    g_byte_array_unref (request->body);
  }
  clear_page (&request->page);
  g_free (request);
}

const RelayApiRequest *
relay_request_get (RelayRequest *request)
{
  return &request->asked;
}

/* Call it with the lock held, as the next. */
static void
wake (RelayRequest *request)
{
  relay_connection_limits_served (get_client (request->connection), g_get_monotonic_time ());
  MHD_resume_connection (request->connection);
}

static void
go_on (RelayRequest *request)
{
  request->answered = TRUE;
  wake (request);
}

void
relay_request_decide (RelayRequest *request, RelayHooked hooked, RelayRole role)
{
  RelayHttp *http = request->http;

  /* as in relay_request_answer() */
  if (!g_atomic_int_get (&request->answered)) {
    g_mutex_lock (&http->lock);
    if (g_queue_remove (&http->waiting, request)) {
      request->ask.hooked = hooked;
      request->ask.hooked_role = role;
      wake (request);
    }
    g_mutex_unlock (&http->lock);
  }
  request_unref (request);
}

void
relay_request_answer (RelayRequest *request, const RelayPage *page)
{
  RelayHttp *http = request->http;
  RelayPage left = *page;
  gboolean waits = FALSE;

  /* the server, and its lock, may be gone if the request was answered */
  if (!g_atomic_int_get (&request->answered)) {
    g_mutex_lock (&http->lock);
    waits = g_queue_remove (&http->waiting, request);
    if (waits) {
      clear_page (&request->page);
      request->page = *page;
      go_on (request);
    }
    g_mutex_unlock (&http->lock);
  }
  if (!waits)
    clear_page (&left);
  request_unref (request);
}

gboolean
relay_request_waits (RelayRequest *request)
{
  RelayHttp *http = request->http;
  gboolean waits = FALSE;

  if (!g_atomic_int_get (&request->answered)) {
    g_mutex_lock (&http->lock);
    waits = g_queue_find (&http->waiting, request) != NULL
        && !has_gone (get_client (request->connection));
    g_mutex_unlock (&http->lock);
  }
  return waits;
}

static gboolean
hand_over (gpointer data)
{
  RelayRequest *request = data;

  if (g_atomic_int_get (&request->answered))
    request_unref (request);
  else if (request->asks)
    request->http->funcs.ask (request, &request->ask, request->http->data);
  else
    request->http->funcs.take (request, request->http->data);
  return G_SOURCE_REMOVE;
}

/* The connection waits until the main context has answered.  FALSE: the server ends. */
static gboolean
wait_for_answer (RelayRequest *request)
{
  RelayHttp *http = request->http;
  gboolean waits;

  g_mutex_lock (&http->lock);
  waits = !http->closing;
  if (waits) {
    MHD_suspend_connection (request->connection);
    get_client (request->connection)->waits = TRUE;
    g_queue_push_tail (&http->waiting, request);
    g_atomic_int_inc (&request->users);
  }
  g_mutex_unlock (&http->lock);
  if (waits)
    g_idle_add_full (G_PRIORITY_DEFAULT, hand_over, request, NULL);
  return waits;
}

static void
on_completed (void *data, struct MHD_Connection *connection, void **state,
    enum MHD_RequestTerminationCode code)
{
  RelayHttp *http = data;

  if (*state != NULL) {
    g_mutex_lock (&http->lock);
    g_queue_remove (&http->listening, *state);
    g_mutex_unlock (&http->lock);
    request_unref (*state);
  }
  *state = NULL;
}

/* --- answers --------------------------------------------------------------------------- */

/* Decides by the head of the request, and what the server of auth-url says. FALSE: it is refused,
 * and the page says why. */
static gboolean
judge (RelayRequest *request)
{
  RelayHttp *http = request->http;
  RelayVerdict verdict;

  g_clear_pointer (&request->asked.by.name, g_free);
  g_clear_pointer (&request->asked.by.title, g_free);
  verdict = http->funcs.admit (&request->ask, &request->asked.by, &request->page, http->data);
  request->asks = verdict == RELAY_ASKS;
  note_asked (http, request->connection, request->asked.by.known_by != NULL);
  return verdict != RELAY_REFUSED;
}

/* FALSE: the request is refused by its head alone, and the page says why. */
static gboolean
admit (RelayRequest *request)
{
  struct MHD_Connection *c = request->connection;
  const gchar *length = get_header (c, MHD_HTTP_HEADER_CONTENT_LENGTH);
  const gchar *origin = request->ask.origin;
  gboolean admitted = judge (request);

  if (!admitted || !g_str_has_prefix (request->ask.path, RELAY_HTTP_API))
    return admitted;
  request->asked.secure = origin != NULL && g_str_has_prefix (origin, "https://");
  request->asked.only_new = g_strcmp0 (get_header (c, MHD_HTTP_HEADER_IF_NONE_MATCH), "*") == 0;
  request->asked.match = copy_header (c, MHD_HTTP_HEADER_IF_MATCH);
  if (length == NULL || g_ascii_strtoull (length, NULL, 10) <= RELAY_HTTP_BODY_MAX) {
    request->body = g_byte_array_new ();
    return TRUE;
  }
  request->too_big = TRUE;
  return FALSE;
}

void
relay_page_set_text (RelayPage *page, guint status, gchar *text)
{
  page->status = status;
  page->type = "text/plain; charset=utf-8";
  page->text = text;
}

static void
make_page (RelayHttp *http, const gchar *path, const gchar *method, RelayPage *page)
{
  if (!g_str_equal (method, "GET") && !g_str_equal (method, "HEAD")) {
    relay_page_set_text (page, 405, g_strdup ("GET and HEAD only\n"));
  } else if (!http->funcs.make_page (path, page, http->data)) {
    relay_page_set_text (page, 404,
        g_strdup ("There are /, /status.json, /metrics, /healthz, /readyz "
                  "and /api/v1/openapi.json.\n"));
  }
}

static void
release_bytes (void *bytes)
{
  g_bytes_unref (bytes);
}

static struct MHD_Response *
make_whole_response (RelayPage *page)
{
  struct MHD_Response *response;

  if (page->bytes == NULL) {
    gsize size = strlen (page->text);

    page->bytes = g_bytes_new_take (g_steal_pointer (&page->text), size);
  }
  response = MHD_create_response_from_buffer_with_free_callback_cls (g_bytes_get_size (page->bytes),
      (void *) g_bytes_get_data (page->bytes, NULL), release_bytes, g_bytes_ref (page->bytes));
  if (response == NULL)
    g_bytes_unref (page->bytes);
  return response;
}

/* --- feeds ----------------------------------------------------------------------------- */

static void
hold (gpointer data)
{
  MHD_suspend_connection (((RelayRequest *) data)->connection);
}

static void
resume (gpointer data)
{
  MHD_resume_connection (((RelayRequest *) data)->connection);
}

static ssize_t
read_feed (void *data, uint64_t position, char *to, size_t size)
{
  RelayRequest *request = data;
  gboolean whole;
  gssize n = relay_listener_read (request->listener, to, size, &whole);

  if (whole) {
    g_mutex_lock (&request->http->lock);
    relay_connection_limits_served (get_client (request->connection), g_get_monotonic_time ());
    g_mutex_unlock (&request->http->lock);
  }
  return n < 0 ? MHD_CONTENT_READER_END_OF_STREAM : n;
}

static void
stop_listening (void *data)
{
  RelayRequest *request = data;

  g_mutex_lock (&request->http->lock);
  g_queue_remove (&request->http->listening, request);
  g_mutex_unlock (&request->http->lock);
  relay_listener_free (request->listener);
  request_unref (request);
}

/* Returns why the client may not listen; NULL: it listens.  Call it with the lock held. */
static const gchar *
start_listening (RelayRequest *request)
{
  static const RelayListenerFuncs funcs = { hold, resume };
  RelayHttp *http = request->http;
  RelayClient *client = get_client (request->connection);
  RelayListener *listener = relay_listener_new (request->page.feed, &funcs, request);
  const RelayClient *leaves;
  int unread = UNREAD;

  if (listener == NULL)
    return FEED_FULL;
  if (http->closing
      || !relay_connection_limits_listen (&http->limits, g_get_monotonic_time (), client,
          &leaves)) {
    relay_listener_free (listener);
    return ALL_LISTEN;
  }
  show_out (leaves);
  setsockopt (client->fd, SOL_SOCKET, SO_SNDBUF, &unread, sizeof unread);
  request->listener = listener;
  g_queue_push_tail (&http->listening, request);
  g_atomic_int_inc (&request->users);
  return NULL;
}

/* Returns the response with the feed; NULL: there is none.  *why: the client may not listen; NULL:
 * it may. */
static struct MHD_Response *
make_feed_response (RelayRequest *request, const gchar **why)
{
  struct MHD_Response *response;

  g_mutex_lock (&request->http->lock);
  *why = start_listening (request);
  g_mutex_unlock (&request->http->lock);
  if (*why != NULL)
    return NULL;
  response = MHD_create_response_from_callback (MHD_SIZE_UNKNOWN, PIECE, read_feed, request,
      stop_listening);
  if (response == NULL)
    stop_listening (request);
  else /* otherwise nginx would buffer frames */
    MHD_add_response_header (response, "X-Accel-Buffering", "no");
  return response;
}

/* --- responses ------------------------------------------------------------------------- */

static struct MHD_Response *
make_response (RelayRequest *request)
{
  RelayPage *page = &request->page;
  struct MHD_Response *response;
  const gchar *why;

  if (page->feed != NULL) {
    response = make_feed_response (request, &why);
    if (why == NULL)
      return response;
    g_free (page->text);
    g_clear_pointer (&page->media, g_free);
    relay_page_set_text (page, 503, g_strdup (why));
  }
  return make_whole_response (page);
}

/* Queues the page. While libmicrohttpd stops, it takes a response without sending it, and asks
 * again. */
static enum MHD_Result
send_page (RelayRequest *request)
{
  struct MHD_Connection *connection = request->connection;
  RelayPage *page = &request->page;
  struct MHD_Response *response = make_response (request);
  enum MHD_Result result;

  g_atomic_int_set (&request->answered, TRUE);
  if (response == NULL)
    return MHD_NO;
  MHD_add_response_header (response, "Content-Type",
      page->media != NULL ? page->media : page->type);
  MHD_add_response_header (response, "Cache-Control", "no-store");
  MHD_add_response_header (response, "X-Content-Type-Options", "nosniff");
  /* pages of other sites may not embed it */
  MHD_add_response_header (response, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header (response, "Connection", "close");
  if (page->policy != NULL) {
    MHD_add_response_header (response, "Content-Security-Policy", page->policy);
    MHD_add_response_header (response, "Referrer-Policy", "no-referrer");
  }
  if (page->status == 405)
    MHD_add_response_header (response, "Allow", page->allow != NULL ? page->allow : "GET, HEAD");
  if (page->status == 401)
    MHD_add_response_header (response, "WWW-Authenticate", "Bearer");
  if (page->tag[0] != '\0')
    MHD_add_response_header (response, "ETag", page->tag);
  if (page->cookie != NULL)
    MHD_add_response_header (response, "Set-Cookie", page->cookie);
  if (page->location != NULL)
    MHD_add_response_header (response, "Location", page->location);
  result = MHD_queue_response (connection, page->status, response);
  MHD_destroy_response (response);
  return result;
}

static void
refuse (RelayPage *page, guint status, const gchar *json)
{
  page->status = status;
  page->type = "application/json";
  g_free (page->text);
  page->text = g_strdup (json);
}

/* FALSE: a body whose length the client did not announce is too long.  The library can send no
 * answer before the end of the body. */
static gboolean
take_body (RelayRequest *request, const gchar *body, gsize size)
{
  if (request->body == NULL)
    return TRUE;
  if (request->body->len + size > RELAY_HTTP_BODY_MAX)
    return FALSE;
  g_byte_array_append (request->body, (const guint8 *) body, size);
  return TRUE;
}

/* Makes the page of a request that has been read. TRUE: the main context has to answer it, or to
 * ask about it. */
static gboolean
prepare (RelayRequest *request, const gchar *path, const gchar *method)
{
  if (request->asks && request->ask.hooked == RELAY_NOT_ASKED)
    return TRUE;
  if (request->asks && !judge (request))
    return FALSE;
  if (request->body != NULL) {
    request->asked.body = (const gchar *) request->body->data;
    request->asked.size = request->body->len;
    return TRUE;
  }
  make_page (request->http, path, method, &request->page);
  if (g_str_equal (method, "GET"))
    return request->page.by_main_context;
  g_clear_pointer (&request->page.feed, relay_feed_unref);
  return FALSE;
}

static enum MHD_Result
answer (void *data, struct MHD_Connection *connection, const char *path, const char *method,
    const char *version, const char *body, size_t *body_size, void **state)
{
  RelayRequest *request = *state;

  /* the first of several calls: only the header has been read */
  if (request == NULL) {
    *state = request = request_new (data, connection, method, path);
    if (admit (request))
      return MHD_YES;
    if (request->too_big)
      refuse (&request->page, 413, TOO_LONG);
    return send_page (request);
  }
  if (*body_size > 0) {
    gboolean fits = take_body (request, body, *body_size);

    *body_size = 0;
    return fits ? MHD_YES : MHD_NO;
  }
  if (request->answered || !prepare (request, path, method))
    return send_page (request);
  if (wait_for_answer (request))
    return MHD_YES;
  refuse (&request->page, 503, ENDING);
  return send_page (request);
}

/* Keeps libmicrohttpd from decoding the path, as the API splits it first. */
static size_t
leave_as_it_is (void *data, struct MHD_Connection *connection, char *text)
{
  return strlen (text);
}

/* --- the server ---------------------------------------------------------------------- */

/* Starts libmicrohttpd with a duplicate of the socket, as it is not known whether the library
 * closes the socket when it fails. The port is released by shutdown(). */
static gboolean
start_daemon (RelayHttp *http, GSocket *socket)
{
  gint fd = fcntl (g_socket_get_fd (socket), F_DUPFD_CLOEXEC, 0);

  if (fd >= 0)
    http->daemon = MHD_start_daemon (MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD
            | MHD_ALLOW_SUSPEND_RESUME,
        0, on_accept, http, answer, http, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
        MHD_OPTION_UNESCAPE_CALLBACK, leave_as_it_is, NULL, MHD_OPTION_LISTEN_SOCKET,
        (MHD_socket) fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned int) CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int) IDLE, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, http, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) MEMORY, MHD_OPTION_END);
  if (http->daemon == NULL)
    shutdown (g_socket_get_fd (socket), SHUT_RDWR);
  return http->daemon != NULL;
}

RelayHttp *
relay_http_new (GSocketAddress *address, const RelayHttpFuncs *funcs, gpointer data, GError **error)
{
  g_autoptr (GSocket) socket = relay_http_socket_new (address, error);
  g_autofree gchar *text = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (address));
  RelayHttp *http;

  if (socket == NULL) {
    g_prefix_error (error, "HTTP cannot be served at %s (choose another %s): ", text,
        G_IS_UNIX_SOCKET_ADDRESS (address) ?
            "path, in a folder where the relay may write" :
            "address or port; `ss -tlnp' tells which program has it");
    return NULL;
  }
  http = g_new0 (RelayHttp, 1);
  http->funcs = *funcs;
  http->data = data;
  if (G_IS_UNIX_SOCKET_ADDRESS (address))
    http->path = g_strdup (g_unix_socket_address_get_path (G_UNIX_SOCKET_ADDRESS (address)));
  g_mutex_init (&http->lock);
  if (!start_daemon (http, socket)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "HTTP cannot be served at %s: libmicrohttpd does not start. Check that "
        "there are memory, threads (ulimit -u) and open files (ulimit -n).",
        text);
    g_mutex_clear (&http->lock);
    g_free (http->path);
    g_free (http);
    return NULL;
  }
  http->timer = g_timeout_add_seconds (1, show_out_late, http);
  return http;
}

/* Answers all waiting requests with 503, as libmicrohttpd does not stop while connections wait. */
static void
answer_waiting (RelayHttp *http)
{
  RelayRequest *request;

  g_mutex_lock (&http->lock);
  http->closing = TRUE;
  while ((request = g_queue_pop_head (&http->waiting)) != NULL) {
    refuse (&request->page, 503, ENDING);
    go_on (request);
  }
  for (GList *l = http->listening.head; l != NULL; l = l->next)
    relay_listener_end (((RelayRequest *) l->data)->listener);
  g_mutex_unlock (&http->lock);
}

void
relay_http_free (RelayHttp *http)
{
  g_source_remove (http->timer);
  answer_waiting (http);
  MHD_stop_daemon (http->daemon);
  if (http->path != NULL)
    unlink (http->path);
  g_mutex_clear (&http->lock);
  g_free (http->path);
  g_free (http);
}
