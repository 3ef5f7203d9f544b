/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayguard.h: which datagrams pass that an element has received: a probe at its pad, before any
 * other element sees them.
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>
#include "relayprotocoluri.h"

G_BEGIN_DECLS

typedef gboolean (*RelayGuardTakes) (gpointer data, GstBuffer *datagram);

/* Drops the datagrams that @takes refuses, of an element that receives.  @free_data: frees @data
 * with the element; NULL: nothing does. */
void relay_guard_watch (GstElement *receiver, RelayGuardTakes takes, gpointer data,
    GDestroyNotify free_data);

/* @from: NULL: not known. */
typedef void (*RelayGuardFunc) (GSocketAddress *from, gpointer data);

/* Drops the datagrams to an input that come from addresses that are not allowed; @refused is called
 * for each of them, in a thread of @end.  @end: the network element of @protocol_uri, not started
 * yet; both outlive it, and @data. */
void relay_guard_add (const RelayProtocolUri *protocol_uri, GstElement *end, RelayGuardFunc refused,
    gpointer data);

G_END_DECLS
