/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaywatch.h: looks now and then whether an end that plays still reaches its network.
 *
 * GStreamer's elements do not tell.  An interface that is removed and comes back has another
 * number, and the kernel knows a group by that number: an input stays silent, and an output fails
 * to send, for ever.  A udpsink that sends nothing only warns.
 *
 * Used in the thread of the end, unless it says otherwise.
 */
#pragma once

#include <gst/gst.h>
#include "relayprotocoluri.h"

G_BEGIN_DECLS

#define RELAY_WATCH_EACH (1 * G_USEC_PER_SEC) /* µs between two looks */

typedef struct _RelayWatch RelayWatch;

/* @address: of the host, whose name was looked up; NULL: it has none.  @end: the network element.
 */
RelayWatch *relay_watch_new (const RelayProtocolUri *protocol_uri, const gchar *address,
    GstElement *end);
void relay_watch_free (RelayWatch *watch);

/* The element has received data, or a report of an output's receiver. May be called from any
 * thread. */
void relay_watch_note_received (RelayWatch *watch);
/* TRUE: the warning says that datagrams could not be sent. The next look reports it if none could
 * be sent. */
gboolean relay_watch_takes (RelayWatch *watch, GstMessage *warning, const gchar *text);
/* To be called each RELAY_WATCH_EACH. Returns why the end must be started anew; NULL: it need not
 * be. *works: data were sent since the last look, or this cannot be known. */
gchar *relay_watch_look (RelayWatch *watch, gboolean *works);
/* Returns what is wrong with an output, which goes on sending: one of two legs has sent nothing at
 * the last looks, while the other one has; or its receiver has not reported (`is_reported' of
 * relayprotocol.h).  NULL: nothing is known to be. */
const gchar *relay_watch_get_fault (const RelayWatch *watch);
/* Has sending failed since the last look? */
gboolean relay_watch_may_have_failed (const RelayWatch *watch);

/* Is this an output of a protocol whose datagrams are not acknowledged? */
gboolean relay_watch_sends_datagrams (const RelayProtocolUri *protocol_uri);
/* Does an output of this kind count the bytes handed to the network? Files do not; ends with
 * connections note them themselves. */
gboolean relay_watch_counts (const RelayProtocolUri *protocol_uri);
/* Returns the bytes that datagrams handed to the network since the element plays. May be called
 * from any thread. */
guint64 relay_watch_get_sent (const RelayProtocolUri *protocol_uri, GstElement *end);
/* Returns how many bytes the system refused since the element plays. Datagrams that are just being
 * sent count, too, so it should be called only after a failure, or when nothing is being sent. */
guint64 relay_watch_get_failed (const RelayWatch *watch);

G_END_DECLS
