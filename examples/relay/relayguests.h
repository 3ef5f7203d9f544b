/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayguests.h: who may stay connected to a server that anybody can reach.
 *
 * At most 64 stay, 32 of them of one network (an IPv4 address, an IPv6 /48).  A new guest is always
 * let in: the oldest one of its own network goes if that has too many, else the oldest of the
 * network that has most.  So a guest that asks at once is served, whoever else holds connections;
 * to keep it out, 64 new connections have to come from elsewhere before it has asked.
 *
 * Time is an argument (µs).  It knows no sockets: who has to go is returned.
 */
#pragma once

#include <glib.h>
#include <sys/socket.h>

G_BEGIN_DECLS

#define RELAY_GUESTS_MAX 64
#define RELAY_GUESTS_OF_NETWORK 32
#define RELAY_GUESTS_ASK (5 * G_USEC_PER_SEC)   /* the most time until a guest has asked, µs */
#define RELAY_GUESTS_STAY (10 * G_USEC_PER_SEC) /* the most time until it has been served, µs */

typedef struct
{
  gint fd;
  gint64 since;
  guint8 network[7];
  gboolean asked; /* its request has been read; set by the server */
  gboolean told;  /* it was returned as one that has to go, and is not counted any more */
} RelayGuest;

typedef struct
{
  GQueue all; /* RelayGuest, the oldest first */
} RelayGuests;

/* Adds a guest.  *leaves: the one that has to go instead, or NULL. */
RelayGuest *relay_guests_add (RelayGuests *guests, gint64 now, gint fd,
    const struct sockaddr *address, const RelayGuest **leaves);
void relay_guests_remove (RelayGuests *guests, RelayGuest *guest);
/* Returns one whose time is over, once; NULL: there is none. */
const RelayGuest *relay_guests_find_late (RelayGuests *guests, gint64 now);

G_END_DECLS
