/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstale.h: when a caller leaves a local port.
 *
 * A NAT keeps an entry for each port that sends through it, for as long as anything leaves by that
 * port.  If the NAT, or the host behind it, was another one when the entry was made, the entry
 * leads to a host that does not answer, and each OPEN and PING keeps it alive.  Only a datagram
 * from another port gets a new entry.
 *
 * So a caller looks once in FASP_STALE_LOOK which of its sockets were heard.  After
 * FASP_STALE_FIRST looks in a row at which a socket was mute, the caller leaves the port of that
 * socket; then after twice as many more, and so on, up to FASP_STALE_DOUBLINGS times.  What is
 * heard begins this anew. Looks count, not the time, as a process that stood still has not read
 * what came meanwhile.  The answer to an OPEN goes to the port that the OPEN came from: as the
 * looks double, an answer arrives in time however long the round trip is.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

#define FASP_STALE_LOOK FASP_SEC
/* Checks after which a silent socket is stale: longer than a round trip by two geostationary
 * satellites, 1.1 s, and than the 2 s of silence after which a session counts as interrupted. */
#define FASP_STALE_FIRST 3
/* The number of checks, first FASP_STALE_FIRST, doubles this often, up to 48. A NAT keeps an unused
 * mapping for two minutes or more (RFC 4787, 4.3), so a caller has few mappings there at a time. */
#define FASP_STALE_DOUBLINGS 4

/* A datagram with a valid tag, or the answer to the present call, came by @socket. */
void fasp_stale_heard (FaspEndpoint *endpoint, guint socket);
void fasp_stale_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_stale_get_time (FaspEndpoint *endpoint);

G_END_DECLS
