/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayrtp.h: puts MPEG-TS into RTP (RFC 2250): each buffer, of whole packets, into a datagram.
 *
 * GStreamer's rtpmp2tpay keeps a single packet back until the next one comes.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

GstElement *relay_rtp_new (void);

G_END_DECLS
