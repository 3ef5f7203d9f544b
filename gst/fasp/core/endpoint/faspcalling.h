/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcalling.h: calls, as the other rooms of an endpoint see them.  A call is dialled (faspdial.h,
 * and faspanswer.h for its answer) or admitted (faspadmission.h).  Either way a session begins
 * (faspbeginning.h), which lives until it is removed (fasplifecycle.h).
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

FaspCalling *fasp_calling_new (FaspEndpoint *endpoint);
void fasp_calling_free (FaspEndpoint *endpoint);
/* A datagram of no session came. */
void fasp_calling_receive (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const guint8 *data, gsize size, FaspRoute route);
/* Is every caller answered? */
gboolean fasp_calling_is_quiet (const FaspEndpoint *endpoint);
/* When the next answer to a caller may leave. */
FaspTime fasp_calling_get_reply_time (FaspEndpoint *endpoint);
gboolean fasp_calling_poll_reply (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram);

G_END_DECLS
