/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmulticast.h: what an endpoint does with a group: a sender that has one, or a
 * receiver that listens to one.  Others pass these by.
 */
#pragma once

#include "faspendpointprivate.h"

G_BEGIN_DECLS

void fasp_multicast_init (FaspEndpoint * endpoint);

/* --- sender --- */

/* A caller says @told: what it is answered, if it hears our group. */
void fasp_multicast_invite (FaspEndpoint * endpoint, const FaspHello * told,
    FaspHello * answer);
void fasp_multicast_opened (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session);
/* Something has come from a receiver. */
void fasp_multicast_heard (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session);
/* Is it the group's turn, before that of sessions? */
gboolean fasp_multicast_is_first (const FaspEndpoint * endpoint);
gboolean fasp_multicast_poll (FaspEndpoint * endpoint, FaspTime now,
    FaspDatagram * datagram);
FaspTime fasp_multicast_get_timeout (FaspEndpoint * endpoint);

/* --- receiver --- */

void fasp_multicast_announced (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from);
/* Says that it listens to a group. */
void fasp_multicast_ask (const FaspEndpoint * endpoint, FaspHello * hello);
void fasp_multicast_accepted (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session, const FaspHello * answer);
/* A datagram of no session: FALSE: nor of a group. */
gboolean fasp_multicast_receive (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const FaspSessionHeader * header,
    const guint8 * data, gsize size, FaspMemory * memory);
/* The application hears that the group is not heard, or is again. */
void fasp_multicast_tell_deaf (FaspEndpoint * endpoint,
    FaspSession * session);

G_END_DECLS
