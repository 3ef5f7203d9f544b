/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdial.h: the calling side of an endpoint: when it calls, what it says,
 * and what the answer does to its sessions.  faspcaller.h is the exchange of
 * datagrams itself.
 */
#pragma once

#include "faspendpoint.h"
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
/* The next datagram of a call; FALSE: none is due. */
gboolean fasp_dial_poll (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram);
/* The next datagram that opens a mapping of a NAT; FALSE: none is due. */
gboolean fasp_dial_poll_punch (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram);
FaspTime fasp_dial_get_punch_time (FaspEndpoint *endpoint);
/* The first block for a receiver for which no blocks are held. */
guint64 fasp_dial_choose_start (FaspEndpoint *endpoint, FaspTime now);
void fasp_dial_start (FaspEndpoint *endpoint, FaspTime now);
/* Starts another call. If one is going on, the deadline of that call stays. */
void fasp_dial_anew (FaspEndpoint *endpoint, FaspTime now);
/* A sender has announced itself to the group: calls it if the receiver wants one. */
void fasp_dial_announced (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from);

/* Runs the timers: redials, reports that no peer answers, or gives up. */
void fasp_dial_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_dial_get_timeout (FaspEndpoint *endpoint);

G_END_DECLS
