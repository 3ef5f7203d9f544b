/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaylisten.h: the connections of a web server that listen to an event stream.
 */
#pragma once

#include <microhttpd.h>
#include "relayeventstream.h"
#include "relayconnectionlimits.h"

G_BEGIN_DECLS

/* The server's. */
typedef struct
{
  GMutex *lock;                  /* guards what follows; the server's own */
  RelayConnectionLimits *limits; /* the server's own */
  GQueue all;                    /* of relaylisten.c */
  gboolean closing;              /* set by relay_audience_end() */
} RelayAudience;

/* The answer to a client that asks for the event stream.  NULL: there is no room, or the server
 * ends.  @show_out: called with the lock held for the client that has to go instead; NULL: none has
 * to.  Call this without the lock. */
struct MHD_Response *relay_audience_add (RelayAudience *audience, struct MHD_Connection *connection,
    RelayEventStream *event_stream, void (*show_out) (const RelayClient *client));
/* No listener waits any more, and none is added. Called with the lock held. */
void relay_audience_end (RelayAudience *audience);

G_END_DECLS
