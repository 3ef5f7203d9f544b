/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspclock.h: a clock at the rate of the sender's, for a pipeline.
 *
 * The system's monotonic clock until a sender is there, then as faspfollower.h says.
 * It is synced (gst_clock_wait_for_sync()) from when the sender's rate is known.
 */
#pragma once

#include <gst/gst.h>
#include "faspfollower.h"

G_BEGIN_DECLS

#define GST_TYPE_FASP_CLOCK (gst_fasp_clock_get_type ())
G_DECLARE_FINAL_TYPE (GstFaspClock, gst_fasp_clock, GST, FASP_CLOCK,
    GstSystemClock);

GstFaspClock *gst_fasp_clock_new (void);
/* What is known of the sender's clock at @monotonic (ns). To be called often. */
void gst_fasp_clock_look (GstFaspClock * clock, GstClockTime monotonic,
    const FaspSenderClock * sender);
/* The sender is gone: goes on at its rate until there is another. */
void gst_fasp_clock_leave (GstFaspClock * clock);
/* What it shows, or did, at a monotonic time. */
GstClockTime gst_fasp_clock_get_at (GstFaspClock * clock,
    GstClockTime monotonic);

G_END_DECLS
