/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmulticast.h: what a sender that has a group does with it.  For other endpoints these
 * functions do nothing, or are not called.
 */
#pragma once

#include "faspendpoint.h"
#include "faspendpointbase.h"

G_BEGIN_DECLS

void fasp_multicast_init (FaspEndpoint *endpoint);
/* What goes to the group and what its members lack, bit/s: within the total rate, too. */
guint64 fasp_multicast_get_bitrate (const FaspEndpointSettings *settings);

/* Adds the group to the @answer to a caller with the hello @hello, if the caller can hear it. */
void fasp_multicast_invite (FaspEndpoint *endpoint, const FaspHello *hello, FaspHello *answer);
void fasp_multicast_opened (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Something came from a receiver. */
void fasp_multicast_heard (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* The store is full because of this receiver.  TRUE: it is a member that has reported nothing of
 * what the group sent from the first block on that it lacks: it leaves the group, and gets the
 * stream alone. FALSE: it is slow. */
gboolean fasp_multicast_sends_away (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Is it the group's turn to send, before the sessions'? */
gboolean fasp_multicast_is_first (const FaspEndpoint *endpoint);
gboolean fasp_multicast_poll (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram);
FaspTime fasp_multicast_get_timeout (FaspEndpoint *endpoint);

G_END_DECLS
