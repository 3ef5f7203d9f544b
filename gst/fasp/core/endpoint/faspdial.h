/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdial.h: the calling side of an endpoint: when it calls, and what it says.  faspanswer.h is
 * what the answer does, faspcaller.h the exchange of datagrams itself.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* The peer that is called. */
const FaspAddress *fasp_dial_get_peer (const FaspEndpoint *endpoint);
/* The @n-th socket to try: first one socket of each local address, then a second one of each, and
 * so on. */
guint fasp_dial_get_nth_socket (const FaspEndpoint *endpoint, guint n);
/* @peer's address for one of our sockets. */
FaspAddress fasp_dial_get_address_of (const FaspEndpoint *endpoint, const FaspAddress *peer,
    guint socket);
/* The peer's address for one of our sockets. */
FaspAddress fasp_dial_get_address (const FaspEndpoint *endpoint, guint socket);
/* The socket on which the peer is called that answers from @from; 0 for an answer on the group's
 * socket, on which no peer is called. */
guint fasp_dial_get_socket (const FaspEndpoint *endpoint, const FaspAddress *from);
/* The next datagram that calls, or opens a mapping of a NAT; FALSE: none is due. */
gboolean fasp_dial_poll (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram);
/* The first block for a receiver for which no blocks are held. */
guint64 fasp_dial_choose_start (FaspEndpoint *endpoint, FaspTime now);
void fasp_dial_start (FaspEndpoint *endpoint, FaspTime now);
gboolean fasp_dial_is_calling (const FaspEndpoint *endpoint);
/* Starts another call. If one is going on, the deadline of that call stays. */
void fasp_dial_anew (FaspEndpoint *endpoint, FaspTime now);
/* The next of several peers is called as soon as its address is known. FALSE: there is none. */
gboolean fasp_dial_next_peer (FaspEndpoint *endpoint, FaspTime now);
/* If the session is interrupted and reconnecting is allowed, calls the peer, to find out whether it
 * still knows the session or was restarted. */
void fasp_dial_seek (FaspEndpoint *endpoint, FaspTime now);
/* A session is connected. */
void fasp_dial_connected (FaspEndpoint *endpoint);
/* Caller: the peer of the interrupted @session is heard, so it need not be called. */
void fasp_dial_resumed (FaspEndpoint *endpoint, const FaspSession *session);
/* A session is over. @again: a peer is called again. */
void fasp_dial_left (FaspEndpoint *endpoint, FaspTime now, FaspReason reason, gboolean again);
/* The endpoint closes: it calls no peer any more. */
void fasp_dial_stop (FaspEndpoint *endpoint);
/* Puts off the deadlines of the call by @span, for which our process did not run. */
void fasp_dial_excuse (FaspEndpoint *endpoint, FaspTime span);

/* Runs the timers: redials, reports that no peer answers, or gives up. */
void fasp_dial_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_dial_get_timeout (FaspEndpoint *endpoint);

G_END_DECLS
