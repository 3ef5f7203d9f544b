/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspwall.h: the wall clock: how far it is from another clock, what it follows, and how exact
 * it is.
 *
 * The pipeline's clock is the wall clock if it tells the time of day: a GstPtpClock, a GstNtpClock,
 * or a GstSystemClock with clock-type=realtime or tai.  Else the system's clock is.
 */
#pragma once

#include <gst/gst.h>
#include "faspcapture.h"

G_BEGIN_DECLS

typedef struct
{
  gconstpointer clock;     /* the pipeline's at the last look; only compared */
  gint64 looked;           /* monotonic time of the last look, µs; 0: never */
  GstClockTimeDiff offset; /* wall time less the other clock's, ns */
  FaspCapture kind;        /* source, error and scale of the wall clock, not its time; not known:
                              it is of the network, and has no time yet */
  GstClockTimeDiff tai;    /* TAI less UTC, ns; 0: not known */
} GstFaspWall;

/* Compares the wall clock with the pipeline's clock (@of_pipeline) or with monotonic time, if the
 * last look is a tenth of a second old, or the pipeline has another clock since. */
void gst_fasp_wall_look (GstFaspWall *wall, GstElement *element, gboolean of_pipeline);
/* The time that is @time on the wall's scale; FALSE: the scales cannot be compared, or our clock
 * has no time yet. */
gboolean gst_fasp_wall_convert (const GstFaspWall *wall, const FaspCapture *capture,
    FaspTime *time);
/* The reference of capture times in GstReferenceTimestampMeta: timestamp/x-unix, or timestamp/x-ptp
 * for TAI. */
GstCaps *gst_fasp_wall_get_reference (gboolean is_tai);
/* The capture time that an element upstream gave @buffer by one of these or timestamp/x-ntp; FALSE:
 * none did. */
gboolean gst_fasp_wall_get_capture (GstBuffer *buffer, FaspCapture *capture);

G_END_DECLS
