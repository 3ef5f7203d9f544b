/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmulticast.h: what a sender that has a group does with it.  For other endpoints these
 * functions do nothing, or are not called.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* The group of @endpoint; NULL: it has none. */
FaspMulticastSender *fasp_multicast_new (const FaspEndpoint *endpoint);
/* The rate of the group, retransmissions to its members included, bit/s; within the total rate. */
guint64 fasp_multicast_get_bitrate (const FaspEndpointSettings *settings);

/* Adds the group to the @answer to a caller with the hello @hello, if the caller can hear it. */
void fasp_multicast_invite (FaspEndpoint *endpoint, const FaspHello *hello, FaspHello *answer);
void fasp_multicast_opened (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* A datagram of a receiver came. */
void fasp_multicast_heard (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* The store is full because of this receiver. TRUE: it was a member that has reported no packet
 * since the first block that it lacks, so it leaves the group and gets the stream by unicast.
 * FALSE: it is slow. */
gboolean fasp_multicast_sends_away (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
gboolean fasp_multicast_poll (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram);
/* Like fasp_multicast_poll(), if it is the group's turn to send before the sessions. */
gboolean fasp_multicast_poll_first (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram);
FaspTime fasp_multicast_get_timeout (FaspEndpoint *endpoint);

G_END_DECLS
