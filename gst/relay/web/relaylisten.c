/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* POLLRDHUP */
#endif
#include "relaylisten.h"
#include <poll.h>
#include <sys/socket.h>

#define PIECE 8192 /* bytes of a feed at a time */
/* the socket's send buffer for a listening client, bytes: some events, not minutes of them */
#define UNREAD 65536

#define ALL_TEXT \
  G_STRINGIFY (RELAY_CLIENTS_LISTEN) \
  " listen already: close a page elsewhere, or ask again later."
#define FEED_TEXT "As many watch this as may, or it has just ended: ask again later."

/* A connection that listens. */
typedef struct
{
  RelayAudience *audience;
  struct MHD_Connection *connection;
  RelayClient *client;
  RelayListener *listener;
} Listening;

static void
hold (gpointer data)
{
  MHD_suspend_connection (((Listening *) data)->connection);
}

static void
wake (gpointer data)
{
  MHD_resume_connection (((Listening *) data)->connection);
}

static ssize_t
read_feed (void *data, uint64_t position, char *to, size_t size)
{
  Listening *one = data;
  gboolean whole;
  gssize n = relay_listener_read (one->listener, to, size, &whole);

  if (whole) {
    g_mutex_lock (one->audience->lock);
    relay_connection_limits_served (one->client, g_get_monotonic_time ());
    g_mutex_unlock (one->audience->lock);
  }
  return n < 0 ? MHD_CONTENT_READER_END_OF_STREAM : n;
}

static void
stop (void *data)
{
  Listening *one = data;

  g_mutex_lock (one->audience->lock);
  g_queue_remove (&one->audience->all, one);
  g_mutex_unlock (one->audience->lock);
  relay_listener_free (one->listener);
  g_free (one);
}

gboolean
relay_client_has_gone (const RelayClient *client)
{
  struct pollfd one = { client->fd, POLLRDHUP, 0 };

  return poll (&one, 1, 0) > 0;
}

/* With the lock held. */
static Listening *
start (RelayAudience *audience, struct MHD_Connection *connection, RelayFeed *feed,
    void (*show_out) (const RelayClient *client), const gchar **why)
{
  static const RelayListenerFuncs funcs = { hold, wake };
  RelayClient *client =
      MHD_get_connection_info (connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
  const RelayClient *leaves;
  int unread = UNREAD;
  g_autofree Listening *one = g_new0 (Listening, 1);

  *why = FEED_TEXT;
  *one = (Listening) { audience, connection, client };
  one->listener = relay_listener_new (feed, &funcs, one);
  if (one->listener == NULL)
    return NULL;
  *why = ALL_TEXT;
  if (audience->closing
      || !relay_connection_limits_listen (audience->limits, g_get_monotonic_time (), client,
          &leaves)) {
    relay_listener_free (one->listener);
    return NULL;
  }
  show_out (leaves);
  setsockopt (client->fd, SOL_SOCKET, SO_SNDBUF, &unread, sizeof unread);
  g_queue_push_tail (&audience->all, one);
  return g_steal_pointer (&one);
}

struct MHD_Response *
relay_audience_add (RelayAudience *audience, struct MHD_Connection *connection, RelayFeed *feed,
    void (*show_out) (const RelayClient *client), const gchar **why)
{
  struct MHD_Response *response;
  Listening *one;

  g_mutex_lock (audience->lock);
  one = start (audience, connection, feed, show_out, why);
  g_mutex_unlock (audience->lock);
  if (one == NULL)
    return NULL;
  response = MHD_create_response_from_callback (MHD_SIZE_UNKNOWN, PIECE, read_feed, one, stop);
  if (response == NULL)
    stop (one);
  return response;
}

void
relay_audience_look (RelayAudience *audience)
{
  for (GList *l = audience->all.head; l != NULL; l = l->next) {
    const Listening *one = l->data;

    if (relay_client_has_gone (one->client))
      relay_listener_end (one->listener);
  }
}

void
relay_audience_end (RelayAudience *audience)
{
  audience->closing = TRUE;
  for (GList *l = audience->all.head; l != NULL; l = l->next)
    relay_listener_end (((Listening *) l->data)->listener);
}
