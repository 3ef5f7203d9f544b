/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaygroup.h: the sockets of ends that hear a multicast group.
 *
 * udpsrc binds all addresses with SO_REUSEPORT, which lets the kernel choose one of several such
 * sockets for each datagram, whatever its group.  So udpsrc gets a socket that is bound to the
 * group, with SO_REUSEADDR alone: each socket gets what is sent to its own group, at its own
 * interface, and from its own source (SSM, RFC 4607), and nothing that is sent to this machine.
 */
#pragma once

#include <gst/gst.h>
#include "relayprotocoluri.h"

G_BEGIN_DECLS

/* Do the parts of a URI that concern multicast groups fit together? @takes_source: the URI may name
 * a source. @error: a sentence. */
gboolean relay_group_check (const RelayProtocolUri *protocol_uri, gboolean takes_source,
    GError **error);
/* Does an end receive from a multicast group? */
gboolean relay_group_is_heard (const RelayProtocolUri *protocol_uri);
/* Joins the group. @end: the network element of @protocol_uri, not started yet.  @error: a
 * sentence. */
gboolean relay_group_join (const RelayProtocolUri *protocol_uri, GstElement *end, GError **error);
/* Leaves the group and joins it again at the interface that the routing table now chooses. To be
 * called regularly, as failures are only kept. */
void relay_group_join_again (const RelayProtocolUri *protocol_uri, GstElement *end);
/* Returns why it could not join when it last tried; NULL: it could. May be called from any thread.
 */
gchar *relay_group_get_error (const RelayProtocolUri *protocol_uri, GstElement *end);

G_END_DECLS
