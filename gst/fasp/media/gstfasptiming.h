/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasptiming.h: when faspsrc's buffers are to be played: from the core's time (monotonic, µs) to
 * running time.
 *
 * The offset between the two is measured at each look, as the pipeline may have any clock.  If it
 * has the clock that faspsrc provides, nothing is measured: that clock is computed from the
 * monotonic time.  Only the streaming thread uses this.
 */
#pragma once

#include <gst/gst.h>
#include "fasptypes.h"
#include "gstfaspclock.h"

G_BEGIN_DECLS

typedef struct
{
  GstFaspClock *clock;      /* a clock at the sender's rate; owned */
  gboolean own_clock;       /* `clock' is the pipeline's clock */
  GstClockTimeDiff offset;  /* running time less monotonic time or, with our clock, less its time */
  GstClockTimeDiff running; /* running time at the last look */
  GstClockTime last_pts;    /* PTS of the last buffer; never decreases */
} GstFaspTiming;

void gst_fasp_timing_init (GstFaspTiming *timing);
void gst_fasp_timing_clear (GstFaspTiming *timing);
/* A stream begins: forgets the PTS and the running time of the one before. */
void gst_fasp_timing_reset (GstFaspTiming *timing);
/* Looks at the clock and the base time of @element.  If running time began anew, so do the PTS. */
void gst_fasp_timing_look (GstFaspTiming *timing, GstElement *element);
/* The running time of a monotonic time in µs, as of the last look; may be negative. */
GstClockTimeDiff gst_fasp_timing_get (const GstFaspTiming *timing, FaspTime time);
/* The PTS of a buffer that arrived at @time. */
GstClockTime gst_fasp_timing_choose (GstFaspTiming *timing, FaspTime time);

G_END_DECLS
