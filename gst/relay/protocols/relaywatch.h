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

/* @end: the element that talks to the network. */
RelayWatch *relay_watch_new (const RelayProtocolUri *protocol_uri, GstElement *end);
void relay_watch_free (RelayWatch *watch);

/* The element has something: may be called from any thread. */
void relay_watch_note_received (RelayWatch *watch);
/* TRUE: this warning says that datagrams could not be sent.  The next look tells why, if none of
 * them could. */
gboolean relay_watch_takes (RelayWatch *watch, GstMessage *warning, const gchar *text);
/* Call this each RELAY_WATCH_EACH.  Returns why the end has to be started anew; NULL: it has not.
 * *works: something was sent since the last look, the other side is connected, or there is no way
 * to tell. */
gchar *relay_watch_look (RelayWatch *watch, gboolean *works);
/* Could something not be sent since the last look? */
gboolean relay_watch_may_have_failed (const RelayWatch *watch);

/* Is this an output whose datagrams are not answered? */
gboolean relay_watch_sends_datagrams (const RelayProtocolUri *protocol_uri);
/* Does an output of this kind count what it hands to the network?  Files do not. */
gboolean relay_watch_counts (const RelayProtocolUri *protocol_uri);
/* Returns these bytes, since the element plays.  May be called from any thread. */
guint64 relay_watch_get_sent (const RelayProtocolUri *protocol_uri, GstElement *end);
/* Returns how many bytes the system did not take, or SRT had no connection for, since the element
 * plays.  Of datagrams, those that are being sent just now are among them, so ask this when
 * something has failed, or nothing is sent.  @over: nothing more is sent by SRT. */
guint64 relay_watch_get_failed (const RelayWatch *watch, gboolean over);

G_END_DECLS
