/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayconnectionlimits.h: which clients stay connected to a server that strangers can reach.
 *
 * At most 64 stay, 32 of them of one network (an IPv4 address, an IPv6 /48).  A new client is
 * always let in: the oldest one of its own network goes if that has too many, else the oldest of
 * the network that has most.  So a client that asks at once is served, however many connections
 * others hold; to keep it out, 64 new connections have to come from elsewhere before it has asked.
 *
 * A client that listens to an event stream keeps its place for as long as it takes each frame
 * within the time that any client has to be served.  32 listen at most, which do not count among
 * the others. If there is no more room, the oldest of the network that has most goes, if the
 * network of the client that comes has none, or fewer still with it; else that client is refused.
 * A client that knows the token always gets a place: the oldest that does not know it goes, of the
 * network that has most, and only if there is none the oldest that does.
 *
 * Time is an argument (µs).  It knows no sockets: it returns the client that has to go.
 */
#pragma once

#include <glib.h>
#include <sys/socket.h>

G_BEGIN_DECLS

#define RELAY_CLIENTS_MAX 64
#define RELAY_CLIENTS_OF_NETWORK 32
#define RELAY_CLIENTS_LISTEN 32
#define RELAY_CLIENTS_ASK (5 * G_USEC_PER_SEC)   /* the most time until a client has asked, µs */
#define RELAY_CLIENTS_STAY (10 * G_USEC_PER_SEC) /* the most time until it has been served, µs */

typedef struct
{
  gint fd;
  gint64 since;
  guint64 network;  /* relaynetwork.h; 0: a UNIX socket */
  gboolean asked;   /* its request has been read; set by the server */
  gboolean waits;   /* the server lets it wait, which does not count against it; set by the
                       server */
  gboolean trusted; /* it knows the token; set by the server */
  gboolean listens;
  gboolean leaves; /* it was returned as one that must leave, and is not counted any more */
} RelayClient;

typedef struct
{
  GQueue all; /* RelayClient, the oldest first */
} RelayConnectionLimits;

/* Adds a client. *leaves: the client that must leave for it, or NULL. */
RelayClient *relay_connection_limits_add (RelayConnectionLimits *limits, gint64 now, gint fd,
    const struct sockaddr *address, const RelayClient **leaves);
void relay_connection_limits_remove (RelayConnectionLimits *limits, RelayClient *client);
/* The client wants to listen to events. FALSE: there is no room. *leaves: as above. */
gboolean relay_connection_limits_listen (RelayConnectionLimits *limits, gint64 now,
    RelayClient *client, const RelayClient **leaves);
/* The client gets an answer, or a listening one has read a frame: its time begins anew. */
void relay_connection_limits_served (RelayClient *client, gint64 now);
/* Returns a client whose time is over, each once; NULL: there is none. */
const RelayClient *relay_connection_limits_find_late (RelayConnectionLimits *limits, gint64 now);

G_END_DECLS
