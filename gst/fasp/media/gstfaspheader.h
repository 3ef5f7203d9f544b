/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspheader.h: finds the header of a faspsink's stream, and the buffers at which a receiver
 * that joins in the middle may begin.
 *
 * The header is the streamheader of the caps.  If a faspsrc is upstream, and the elements between
 * pass its stream on unchanged, it is the header that the faspsrc announces.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

typedef struct
{
  GBytes *of_caps, *of_source; /* NULL: none */
  GBytes *given;               /* the header that the endpoint has */
  gboolean changed;            /* the endpoint may have to get another one */
  gboolean begun;              /* a buffer has come */
  gboolean delta;              /* the last buffer cannot be decoded alone */
  gboolean has_deltas;         /* some buffers cannot be decoded alone */
  gboolean enters;             /* the last buffer was a header that a faspsrc pushed */
} GstFaspHeader;

void gst_fasp_header_clear (GstFaspHeader *header);

/* Do these caps have a header that has to be repeated? */
gboolean gst_fasp_header_is_in (const GstCaps *caps);
/* @buffer: the buffer-size, bytes.  FALSE: the caps have no header, or one that is too large to be
 * repeated with a buffer of that size. */
gboolean gst_fasp_header_set_caps (GstFaspHeader *header, const GstCaps *caps, guint64 buffer);
/* Takes the header of the event that a faspsrc sent (gstfaspoffset.h). */
void gst_fasp_header_set_event (GstFaspHeader *header, GstEvent *event);

/* Call this before each buffer.  @relayed: the buffer comes from a faspsrc, unchanged.  Gives the
 * endpoint a header that has changed.  Returns a header to write before the buffer, if the stream
 * as it is written lacks it; else NULL. */
GBytes *gst_fasp_header_begin (GstFaspHeader *header, FaspIo *io, GstBuffer *buffer,
    gboolean relayed);
/* Call this instead of gst_fasp_header_begin() if the buffer is a header that a faspsrc pushed: the
 * core sends that header. */
void gst_fasp_header_pass (GstFaspHeader *header);
/* Can the buffer be decoded without earlier ones? */
FaspIoKey gst_fasp_header_get_key (GstFaspHeader *header, GstBuffer *buffer, gboolean relayed);

G_END_DECLS
