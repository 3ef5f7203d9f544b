/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspending.h: how far the end of a received stream is, and what the application is told of it.
 *
 *              the sender has ended it
 *     GOES_ON ------------------------> AT_END
 *        |  <------------------------
 *        |     keep-listening
 *        | it failed, or a part is missing, or no sender will come
 *        v
 *      OVER
 *
 * In AT_END and OVER, each look returns the same result again, as GstBaseSrc may drop a result.
 * OVER lasts until the element stops.
 */
#pragma once

#include "gstfaspconnection.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean required; /* `require-complete' is in force */
  /* the rest is used by gstfaspending.c only */
  enum
  {
    GST_FASP_GOES_ON,
    GST_FASP_AT_END,
    GST_FASP_OVER,
  } end;
  GstFlowReturn over; /* the result in OVER */
} GstFaspEnding;

/* Enters OVER unless @ret is GST_FLOW_OK, which is for the beginning, too.  Returns @ret. */
GstFlowReturn gst_fasp_ending_set (GstFaspEnding *ending, GstFlowReturn ret);
/* The sender has ended the stream. */
void gst_fasp_ending_note_end (GstFaspEnding *ending);
/* A sender has gone.  Returns GST_FLOW_OK if another one may come. */
GstFlowReturn gst_fasp_ending_note_gone (GstFaspEnding *ending, GstFaspConnection *connection,
    const FaspEvent *event);
/* A part of the stream is missing before the byte at @offset.  TRUE: it cannot be used from here
 * on: an error says why, and the sender is left.  @known: the stream is the one that came before.
 */
gboolean gst_fasp_ending_refuse (GstFaspEnding *ending, GstFaspConnection *connection,
    guint64 offset, gboolean known);
/* Is the stream over, once nothing is left to read?  GST_FLOW_OK: no. */
GstFlowReturn gst_fasp_ending_look (GstFaspEnding *ending, GstFaspConnection *connection);

G_END_DECLS
