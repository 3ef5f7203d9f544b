/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspoffset.h: the stream offset of a buffer that was received, for a faspsink downstream that
 * passes the stream on.
 *
 * The offset is valid while the buffer consists of the very memory that faspsrc put there.  If an
 * element changes the bytes, the offset is lost; a copy of the bytes has none.
 */
#pragma once

#include <gst/gst.h>
#include "faspcapture.h"

G_BEGIN_DECLS

/* Call this when @buffer has all its bytes: they may not be changed any more.  @media_time: µs,
 * by the clock of the stream's first sender. */
void gst_fasp_offset_attach (GstBuffer *buffer, const FaspStreamOffset *position,
    FaspTime media_time, const FaspCapture *capture);
/* Marks @buffer as a header of the stream, which is not a part of the stream. */
void gst_fasp_offset_attach_header (GstBuffer *buffer);
gboolean gst_fasp_offset_is_header (GstBuffer *buffer);
/* Gets the stream offset of @buffer. FALSE: it has none, or its bytes have changed. */
gboolean gst_fasp_offset_get (GstBuffer *buffer, FaspStreamOffset *position, FaspTime *media_time,
    FaspCapture *capture);
/* Returns the origin in hexadecimal, for the event and for messages. */
gchar *gst_fasp_origin_to_string (const FaspOrigin *origin);
/* The sticky event that names the stream of the buffers behind it.  @header: the stream's, or NULL.
 */
#define GST_FASP_OFFSET_EVENT "fasp-stream"
GstEvent *gst_fasp_offset_make_event (const FaspOrigin *origin, const gchar *streamid,
    GstBuffer *header);

G_END_DECLS
