/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <netinet/in.h>
#include "relayconnectionlimits.h"
#include "relaynetwork.h"

/* All clients of a UNIX socket count as one network. */
static guint64
get_network (const struct sockaddr *address)
{
  if (address->sa_family == AF_UNIX)
    return 0;
  if (address->sa_family == AF_INET)
    return relay_network_get (&((const struct sockaddr_in *) address)->sin_addr, 4);
  return relay_network_get (&((const struct sockaddr_in6 *) address)->sin6_addr, 16);
}

/* Kinds of clients. Each has a limit of its own; the last two share one. */
typedef enum
{
  ASKS,
  LISTENS,
  LISTENS_TRUSTED,
} Kind;

static Kind
get_kind (const RelayClient *client)
{
  return !client->listens ? ASKS : client->trusted ? LISTENS_TRUSTED : LISTENS;
}

/* Number of clients of a kind; @like: only those of its network, or NULL. */
static guint
count (const RelayConnectionLimits *limits, Kind kind, const RelayClient *like)
{
  guint n = 0;

  for (const GList *l = limits->all.head; l != NULL; l = l->next) {
    const RelayClient *one = l->data;

    n += !one->leaves && get_kind (one) == kind && (like == NULL || one->network == like->network);
  }
  return n;
}

/* Returns the oldest client of the network with the most clients; @of: of the network of that
 * client. */
static RelayClient *
find_oldest (const RelayConnectionLimits *limits, Kind kind, const RelayClient *of)
{
  RelayClient *found = NULL;
  guint most = 0;

  for (const GList *l = limits->all.head; l != NULL; l = l->next) {
    RelayClient *one = l->data;
    guint n = one->leaves || get_kind (one) != kind ? 0 : count (limits, kind, one);

    if (n > most && (of == NULL || one->network == of->network)) {
      most = n;
      found = one;
    }
  }
  return found;
}

RelayClient *
relay_connection_limits_add (RelayConnectionLimits *limits, gint64 now, gint fd,
    const struct sockaddr *address, const RelayClient **leaves)
{
  RelayClient *client = g_new0 (RelayClient, 1), *out = NULL;

  client->fd = fd;
  client->since = now;
  client->network = get_network (address);
  g_queue_push_tail (&limits->all, client);
  if (count (limits, ASKS, client) > RELAY_CLIENTS_OF_NETWORK)
    out = find_oldest (limits, ASKS, client);
  else if (count (limits, ASKS, NULL) > RELAY_CLIENTS_MAX)
    out = find_oldest (limits, ASKS, NULL);
  if (out != NULL)
    out->leaves = TRUE;
  *leaves = out;
  return client;
}

/* The listening client that must leave for @client; NULL: none must. */
static RelayClient *
find_listener (const RelayConnectionLimits *limits, const RelayClient *client)
{
  RelayClient *out = find_oldest (limits, LISTENS, NULL);
  guint mine = count (limits, LISTENS, client);

  if (client->trusted)
    return out != NULL ? out : find_oldest (limits, LISTENS_TRUSTED, NULL);
  return out != NULL && (mine == 0 || count (limits, LISTENS, out) > mine + 1) ? out : NULL;
}

gboolean
relay_connection_limits_listen (RelayConnectionLimits *limits, gint64 now, RelayClient *client,
    const RelayClient **leaves)
{
  RelayClient *out = NULL;

  *leaves = NULL;
  if (count (limits, LISTENS, NULL) + count (limits, LISTENS_TRUSTED, NULL)
      >= RELAY_CLIENTS_LISTEN) {
    out = find_listener (limits, client);
    if (out == NULL)
      return FALSE;
    out->leaves = TRUE;
  }
  client->listens = TRUE;
  client->since = now;
  *leaves = out;
  return TRUE;
}

void
relay_connection_limits_served (RelayClient *client, gint64 now)
{
  client->waits = FALSE;
  client->since = now;
}

void
relay_connection_limits_remove (RelayConnectionLimits *limits, RelayClient *client)
{
  g_queue_remove (&limits->all, client);
  g_free (client);
}

const RelayClient *
relay_connection_limits_find_late (RelayConnectionLimits *limits, gint64 now)
{
  for (const GList *l = limits->all.head; l != NULL; l = l->next) {
    RelayClient *one = l->data;

    if (!one->leaves && !one->waits
        && now - one->since >= (one->asked ? RELAY_CLIENTS_STAY : RELAY_CLIENTS_ASK)) {
      one->leaves = TRUE;
      return one;
    }
  }
  return NULL;
}
