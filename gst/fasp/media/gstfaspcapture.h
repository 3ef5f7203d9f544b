/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspcapture.h: the capture times that faspsink gives the stream, with
 * send-reference-timestamps.
 *
 * The capture time of a byte is the wall time when faspsink stamps it with its media time, less the
 * time that passed since capture.  An element upstream may tell that in GstReferenceTimestampMeta;
 * of what it tells in a second or two the least counts, as an encoder takes longer for some
 * pictures.  Only the streaming thread uses this.
 */
#pragma once

#include "gstfaspwall.h"

G_BEGIN_DECLS

typedef struct
{
  GstFaspWall wall;       /* compared with the pipeline's clock, as media times are */
  gint64 second;          /* of the media time of the newest buffer */
  FaspTime least, before; /* least time since capture in this second, and in the one before, µs;
                             FASP_NEVER: no buffer told */
  gboolean refused;       /* the last time that a buffer told could not be used */
} GstFaspCapture;

/* Free it with g_free(). */
GstFaspCapture *gst_fasp_capture_new (void);
/* @buffer has come from @element's upstream. FALSE: it tells a time that cannot be used, the first
 * after times that could. */
gboolean gst_fasp_capture_note (GstFaspCapture *capture, GstElement *element, GstBuffer *buffer,
    FaspTime media_time);
/* The capture time of bytes stamped with @media_time. */
FaspCapture gst_fasp_capture_get (GstFaspCapture *capture, GstElement *element,
    FaspTime media_time);

G_END_DECLS
