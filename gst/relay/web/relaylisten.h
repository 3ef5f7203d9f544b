/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaylisten.h: the connections of a web server that listen to a feed: to events, or a preview.
 */
#pragma once

#include <microhttpd.h>
#include "relayfeed.h"
#include "relayconnectionlimits.h"

G_BEGIN_DECLS

/* The listening connections of a server. */
typedef struct
{
  GMutex *lock;                  /* the server's; guards the rest */
  RelayConnectionLimits *limits; /* the server's */
  GQueue all;                    /* used by relaylisten.c only */
  gboolean closing;              /* set by relay_audience_end() */
} RelayAudience;

/* Has the client closed its side? libmicrohttpd looks only when it sends something. */
gboolean relay_client_has_gone (const RelayClient *client);
/* Makes the response with the feed. NULL: there is no room, or the server ends; *why: a sentence.
 * @show_out: called with the lock held for a client that must leave for this one. To be called
 * without the lock. */
struct MHD_Response *relay_audience_add (RelayAudience *audience, struct MHD_Connection *connection,
    RelayFeed *feed, void (*show_out) (const RelayClient *client), const gchar **why);
/* Ends the listeners whose clients have gone. To be called with the lock held. */
void relay_audience_look (RelayAudience *audience);
/* Ends all listeners, and adds no more. To be called with the lock held. */
void relay_audience_end (RelayAudience *audience);

G_END_DECLS
