/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaygroup.h: joins a multicast group for what one source sends to it (SSM, RFC 4607).
 *
 * udpsrc of GStreamer 1.22 cannot, so it gets a socket that has joined.
 */
#pragma once

#include <gst/gst.h>
#include "relayplace.h"

G_BEGIN_DECLS

/* @udpsrc: of @place, which has a source; it has not started yet.  @error: a sentence. */
gboolean relay_group_join (const RelayPlace *place, GstElement *udpsrc, GError **error);

G_END_DECLS
