/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspplace.h: where the bytes of a buffer stand in a stream that was received, for
 * a faspsink downstream that passes them on.
 *
 * It counts as long as the buffer is the very one that faspsrc made, with that memory in
 * it and no other: an element that changes the bytes cannot take it along, nor can a copy.
 */
#pragma once

#include <gst/gst.h>
#include "faspposition.h"

G_BEGIN_DECLS

/* @buffer has its bytes by now, which nobody is to change from now on. @media_time: µs,
 * by the clock of who wrote it first. */
void gst_fasp_place_attach (GstBuffer * buffer, const FaspPlace * place,
    FaspTime media_time);
/* @buffer has a header of the stream, which is no part of it. */
void gst_fasp_place_attach_header (GstBuffer * buffer);
gboolean gst_fasp_place_is_header (GstBuffer * buffer);
/* FALSE: it has none, or its bytes are others. */
gboolean gst_fasp_place_get (GstBuffer * buffer, FaspPlace * place,
    FaspTime * media_time);
/* For the event and for messages: hexadecimal. */
gchar *gst_fasp_origin_to_string (const FaspOrigin * origin);
/* The sticky event: whose stream it is from now on, and its header, or NULL. */
#define GST_FASP_PLACE_EVENT "fasp-stream"
GstEvent *gst_fasp_place_make_event (const FaspOrigin * origin,
    const gchar * streamid, GstBuffer * header);

G_END_DECLS
