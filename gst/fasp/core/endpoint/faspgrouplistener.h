/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgrouplistener.h: what a receiver that listens to a group does with it.  For other endpoints
 * these functions do nothing, or are not called.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Sets in @hello that the endpoint can listen to a group. */
void fasp_group_listener_ask (const FaspEndpoint *endpoint, FaspHello *hello);
/* Our call with @hello was answered by @answer: listens to the group that it names. */
void fasp_group_listener_accepted (FaspEndpoint *endpoint, FaspTime now, FaspSession *session,
    const FaspHello *hello, const FaspHello *answer);
/* Takes in a datagram of a group. FALSE: it is of no group that a session listens to. */
gboolean fasp_group_listener_receive (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const FaspSessionHeader *header, const guint8 *data, gsize size, FaspMemory *memory);
/* Notifies the application if the group is not heard any more, or is heard again. */
void fasp_group_listener_notify_deaf (FaspEndpoint *endpoint, FaspSession *session);

G_END_DECLS
