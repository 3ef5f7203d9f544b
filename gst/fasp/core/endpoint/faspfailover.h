/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspfailover.h: a receiver calls one of several peers that have the same stream, and the
 * next one when that is gone.
 *
 *   moves on    when its peer is interrupted (silent, or its port is closed) or says
 *               goodbye before the end; when a call is not answered for 2 s, is turned away,
 *               or no program listens there (no sooner than 250 ms after it began)
 *   stays       when it is answered, or heard again
 *
 * Peers are called in turn; fasp_endpoint_get_wanted_peer() returns whose address is needed.  The
 * receiver says in its OPEN (option `wants') what it has of the stream.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* A call begins, or the wait for an address: starts the timer for moving on to the next peer. */
void fasp_failover_wait (FaspEndpoint *endpoint, FaspTime now);
/* Stops the timer, and forgets refusals: the endpoint stays with the wanted peer. */
void fasp_failover_stay (FaspEndpoint *endpoint);
/* Makes the next peer the wanted one, for fasp_dial_next_peer(). FALSE: there is none. */
gboolean fasp_failover_next (FaspEndpoint *endpoint, FaspTime now);
/* @session is heard again: its peer is the wanted one. */
void fasp_failover_back (FaspEndpoint *endpoint, const FaspSession *session);
/* The wanted peer refused our call. FALSE: there is no other one to call. */
gboolean fasp_failover_refused (FaspEndpoint *endpoint, gboolean for_good);
/* The network reports that no program listens at @to. */
void fasp_failover_unreachable (FaspEndpoint *endpoint, const FaspAddress *to);
/* Stops the timer if it is due. TRUE: the wanted peer did not answer in time. */
gboolean fasp_failover_run_due (FaspEndpoint *endpoint, FaspTime now);

G_END_DECLS
