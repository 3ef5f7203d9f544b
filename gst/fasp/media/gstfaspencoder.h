/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspencoder.h: sets the bit rate of the video encoder upstream of a sink.
 *
 * The encoder is looked for each time, from the sink's pad upstream through muxers, parsers, queues
 * and bins, so it may be replaced while the pipeline runs.  The property with its rate, the unit of
 * that and the buffer of its rate control differ between encoders: there is one table of them.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Leaves @bitrate, bit/s of the stream, to the only video encoder upstream of @sink, less what
 * audio encoders and the multiplex take of it, and @max at most.  Posts an information when it does
 * so for the first time with this encoder.  Returns NULL, or why it could not, and what to do.
 *
 * Setting a property may wait for a lock of the encoder, so do not call this with a lock held. */
const gchar *gst_fasp_encoder_set_bitrate (GstElement *sink, guint64 bitrate, guint64 max);

G_END_DECLS
