/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspheader.h: what a faspsink knows of the header of its stream, and where who joins in the
 * middle may begin.
 *
 * Headers are the streamheader of caps, or what a faspsrc upstream says, whose stream is passed on.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

typedef struct
{
  GBytes *of_caps, *of_source;  /* NULL: none */
  GBytes *told;                 /* to the endpoint */
  gboolean changed;             /* may be another by now */
  gboolean begun;               /* there was a buffer */
  gboolean delta;               /* the last one cannot be decoded alone */
  gboolean has_deltas;          /* nor can some */
  gboolean enters;              /* a header was there just now */
} GstFaspHeader;

void gst_fasp_header_clear (GstFaspHeader * header);

/* Do these have one? */
gboolean gst_fasp_header_is_in (const GstCaps * caps);
/* FALSE: they have none, or one too large to be said again: for a buffer of so many bytes. */
gboolean gst_fasp_header_set_caps (GstFaspHeader * header, const GstCaps * caps,
    guint64 buffer);
/* The event of a faspsrc. */
void gst_fasp_header_set_event (GstFaspHeader * header, GstEvent * event);

/* A buffer is next; @relayed: of a faspsrc, as it is. The endpoint is told what has changed.  The
 * bytes to be written before it: a header that nobody has written, or not into what became of its
 * stream; else NULL. */
GBytes *gst_fasp_header_begin (GstFaspHeader * header, FaspIo * io,
    GstBuffer * buffer, gboolean relayed);
/* Of that buffer. */
FaspIoKey gst_fasp_header_get_key (GstFaspHeader * header, GstBuffer * buffer,
    gboolean relayed);

G_END_DECLS
