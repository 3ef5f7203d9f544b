/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdial.h: the side of an endpoint that calls: when it calls, what it
 * says, and what the answer makes of its sessions.  faspcaller is the
 * exchange of datagrams itself.
 */
#pragma once

#include "faspendpointprivate.h"

G_BEGIN_DECLS

/* Are we the one who calls? */
gboolean fasp_dial_is_ours (const FaspEndpoint * endpoint);
/* Where to reach the peer from one of our links. */
FaspAddress fasp_dial_get_way (const FaspEndpoint * endpoint, guint link);
/* The next datagram of a call. */
gboolean fasp_dial_poll (FaspEndpoint * endpoint, FaspTime now,
    FaspDatagram * datagram);
void fasp_dial_start (FaspEndpoint * endpoint, FaspTime now);
void fasp_dial_accepted (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const FaspAgreement * agreement);
void fasp_dial_rejected (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const FaspHandshake * answer);

/* Redials, tells that nobody answers, gives up: when it is time. */
void fasp_dial_tend (FaspEndpoint * endpoint, FaspTime now);
FaspTime fasp_dial_get_timeout (const FaspEndpoint * endpoint);

G_END_DECLS
