/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaychain.h: GStreamer's own elements for an end that is not fasp.
 */
#pragma once

#include <gst/gst.h>
#include "relayprotocoluri.h"

G_BEGIN_DECLS

/* Makes the elements of an end, linked, as one with a pad: a floating reference.  MPEG-TS goes in
 * or comes out: into an output, in whole packets, seven a buffer.  @end: the element in the chain
 * that talks to the network, or cuts a file into packets; NULL: not wanted.  One that is timed
 * waits for the time of each buffer.  @error: a sentence that says what to install, if an
 * element is missing. */
GstElement *relay_chain_make (const RelayProtocolUri *protocol_uri, GstElement **end,
    GError **error);

G_END_DECLS
