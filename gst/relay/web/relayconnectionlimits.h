/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayconnectionlimits.h: who may stay connected to a server that anybody can reach.
 *
 * At most 64 stay, 32 of them of one network (an IPv4 address, an IPv6 /48).  A new guest is always
 * let in: the oldest one of its own network goes if that has too many, else the oldest of the
 * network that has most.  So a guest that asks at once is served, whoever else holds connections;
 * to keep it out, 64 new connections have to come from elsewhere before it has asked.
 *
 * A guest that listens to an event stream keeps its place for as long as it takes each frame within
 * the time that any guest has to be served.  32 listen at most, who do not count among the others.
 * If there is no more room, the oldest of the network that has most goes, if the network of the
 * guest that comes has none, or fewer still with it; else that guest is refused.  A guest that
 * knows the token always gets a place: the oldest that does not know it goes, of the network that
 * has most, and only if there is none the oldest that does.
 *
 * Time is an argument (µs).  It knows no sockets: who has to go is returned.
 */
#pragma once

#include <glib.h>
#include <sys/socket.h>

G_BEGIN_DECLS

#define RELAY_GUESTS_MAX 64
#define RELAY_GUESTS_OF_NETWORK 32
#define RELAY_GUESTS_LISTEN 32
#define RELAY_GUESTS_ASK (5 * G_USEC_PER_SEC)   /* the most time until a guest has asked, µs */
#define RELAY_GUESTS_STAY (10 * G_USEC_PER_SEC) /* the most time until it has been served, µs */

typedef struct
{
  gint fd;
  gint64 since;
  guint8 network[7];
  gboolean asked;   /* its request has been read; set by the server */
  gboolean waits;   /* for the server, which is no fault of its own; set by the server */
  gboolean trusted; /* it knows the token; set by the server */
  gboolean listens;
  gboolean told; /* it was returned as one that has to go, and is not counted any more */
} RelayGuest;

typedef struct
{
  GQueue all; /* RelayGuest, the oldest first */
} RelayGuests;

/* Adds a guest.  *leaves: the one that has to go instead, or NULL. */
RelayGuest *relay_guests_add (RelayGuests *guests, gint64 now, gint fd,
    const struct sockaddr *address, const RelayGuest **leaves);
void relay_guests_remove (RelayGuests *guests, RelayGuest *guest);
/* It wants to listen.  FALSE: there is no room.  *leaves: as above. */
gboolean relay_guests_listen (RelayGuests *guests, gint64 now, RelayGuest *guest,
    const RelayGuest **leaves);
/* It gets an answer; or one that listens has had a frame: its time begins anew. */
void relay_guests_served (RelayGuest *guest, gint64 now);
/* Returns one whose time is over, once; NULL: there is none. */
const RelayGuest *relay_guests_find_late (RelayGuests *guests, gint64 now);

G_END_DECLS
