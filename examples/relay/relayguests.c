/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <netinet/in.h>
#include <string.h>
#include "relayguests.h"

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

/* Those that listen, or those that do not. */
static guint
count (const RelayGuests *guests, gboolean listens, const RelayGuest *like)
{
  guint n = 0;

  for (const GList *l = guests->all.head; l != NULL; l = l->next) {
    const RelayGuest *one = l->data;

    n += !one->told && one->listens == listens
        && (like == NULL || memcmp (one->network, like->network, sizeof like->network) == 0);
  }
  return n;
}

/* Returns the oldest guest of the network that has most; @of: of its network. */
static RelayGuest *
find_oldest (const RelayGuests *guests, gboolean listens, const RelayGuest *of)
{
  RelayGuest *found = NULL;
  guint most = 0;

  for (const GList *l = guests->all.head; l != NULL; l = l->next) {
    RelayGuest *one = l->data;
    guint n = one->told || one->listens != listens ? 0 : count (guests, listens, one);

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
  if (count (guests, FALSE, guest) > RELAY_GUESTS_OF_NETWORK)
    out = find_oldest (guests, FALSE, guest);
  else if (count (guests, FALSE, NULL) > RELAY_GUESTS_MAX)
    out = find_oldest (guests, FALSE, NULL);
  if (out != NULL)
    out->told = TRUE;
  *leaves = out;
  return guest;
}

gboolean
relay_guests_listen (RelayGuests *guests, gint64 now, RelayGuest *guest, const RelayGuest **leaves)
{
  RelayGuest *out = NULL;

  *leaves = NULL;
  if (count (guests, TRUE, NULL) >= RELAY_GUESTS_LISTEN) {
    out = find_oldest (guests, TRUE, NULL);
    if (count (guests, TRUE, out) <= count (guests, TRUE, guest) + 1)
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
