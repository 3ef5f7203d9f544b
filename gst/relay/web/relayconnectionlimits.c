/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <netinet/in.h>
#include <string.h>
#include "relayconnectionlimits.h"

static void
set_network (RelayGuest *guest, const struct sockaddr *address)
{
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *) address;

  /* of a UNIX socket, all are one network */
  if (address->sa_family == AF_UNIX)
    return;
  if (address->sa_family == AF_INET) {
    guest->network[0] = 4;
    memcpy (guest->network + 1, &((const struct sockaddr_in *) address)->sin_addr, 4);
  } else if (IN6_IS_ADDR_V4MAPPED (&six->sin6_addr)) {
    guest->network[0] = 4;
    memcpy (guest->network + 1, six->sin6_addr.s6_addr + 12, 4);
  } else {
    guest->network[0] = 6;
    memcpy (guest->network + 1, six->sin6_addr.s6_addr, 6);
  }
}

/* Each kind has places of its own, but for the last two, which share theirs. */
typedef enum
{
  ASKS,
  LISTENS,
  LISTENS_TRUSTED,
} Kind;

static Kind
get_kind (const RelayGuest *guest)
{
  return !guest->listens ? ASKS : guest->trusted ? LISTENS_TRUSTED : LISTENS;
}

/* Those of a kind; @like: of its network. */
static guint
count (const RelayGuests *guests, Kind kind, const RelayGuest *like)
{
  guint n = 0;

  for (const GList *l = guests->all.head; l != NULL; l = l->next) {
    const RelayGuest *one = l->data;

    n += !one->told && get_kind (one) == kind
        && (like == NULL || memcmp (one->network, like->network, sizeof like->network) == 0);
  }
  return n;
}

/* Returns the oldest guest of the network that has most; @of: of its network. */
static RelayGuest *
find_oldest (const RelayGuests *guests, Kind kind, const RelayGuest *of)
{
  RelayGuest *found = NULL;
  guint most = 0;

  for (const GList *l = guests->all.head; l != NULL; l = l->next) {
    RelayGuest *one = l->data;
    guint n = one->told || get_kind (one) != kind ? 0 : count (guests, kind, one);

    if (n > most && (of == NULL || memcmp (one->network, of->network, sizeof of->network) == 0)) {
      most = n;
      found = one;
    }
  }
  return found;
}

RelayGuest *
relay_guests_add (RelayGuests *guests, gint64 now, gint fd, const struct sockaddr *address,
    const RelayGuest **leaves)
{
  RelayGuest *guest = g_new0 (RelayGuest, 1), *out = NULL;

  guest->fd = fd;
  guest->since = now;
  set_network (guest, address);
  g_queue_push_tail (&guests->all, guest);
  if (count (guests, ASKS, guest) > RELAY_GUESTS_OF_NETWORK)
    out = find_oldest (guests, ASKS, guest);
  else if (count (guests, ASKS, NULL) > RELAY_GUESTS_MAX)
    out = find_oldest (guests, ASKS, NULL);
  if (out != NULL)
    out->told = TRUE;
  *leaves = out;
  return guest;
}

/* The one that listens and has to go for @guest; NULL: none has to. */
static RelayGuest *
find_listener (const RelayGuests *guests, const RelayGuest *guest)
{
  RelayGuest *out = find_oldest (guests, LISTENS, NULL);
  guint mine = count (guests, LISTENS, guest);

  if (guest->trusted)
    return out != NULL ? out : find_oldest (guests, LISTENS_TRUSTED, NULL);
  return out != NULL && (mine == 0 || count (guests, LISTENS, out) > mine + 1) ? out : NULL;
}

gboolean
relay_guests_listen (RelayGuests *guests, gint64 now, RelayGuest *guest, const RelayGuest **leaves)
{
  RelayGuest *out = NULL;

  *leaves = NULL;
  if (count (guests, LISTENS, NULL) + count (guests, LISTENS_TRUSTED, NULL)
      >= RELAY_GUESTS_LISTEN) {
    out = find_listener (guests, guest);
    if (out == NULL)
      return FALSE;
    out->told = TRUE;
  }
  guest->listens = TRUE;
  guest->since = now;
  *leaves = out;
  return TRUE;
}

void
relay_guests_served (RelayGuest *guest, gint64 now)
{
  guest->waits = FALSE;
  guest->since = now;
}

void
relay_guests_remove (RelayGuests *guests, RelayGuest *guest)
{
  g_queue_remove (&guests->all, guest);
  g_free (guest);
}

const RelayGuest *
relay_guests_find_late (RelayGuests *guests, gint64 now)
{
  for (const GList *l = guests->all.head; l != NULL; l = l->next) {
    RelayGuest *one = l->data;

    if (!one->told && !one->waits
        && now - one->since >= (one->asked ? RELAY_GUESTS_STAY : RELAY_GUESTS_ASK)) {
      one->told = TRUE;
      return one;
    }
  }
  return NULL;
}
