/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspclock.h: a clock for a pipeline that runs at the rate of the sender's clock.
 *
 * It shows the system's monotonic time until a sender is there, then it follows the
 * sender (faspclockdiscipline.h).  It is synced (gst_clock_wait_for_sync()) as soon as the
 * sender's rate is known.
 */
#pragma once

#include <gst/gst.h>
#include "faspclockdiscipline.h"

G_BEGIN_DECLS

#define GST_TYPE_FASP_CLOCK (gst_fasp_clock_get_type ())
G_DECLARE_FINAL_TYPE (GstFaspClock, gst_fasp_clock, GST, FASP_CLOCK, GstSystemClock);

GstFaspClock *gst_fasp_clock_new (void);
/* Makes the clock follow @sender, the sender's clock as seen at @monotonic (ns). Call this often.
 */
void gst_fasp_clock_look (GstFaspClock *clock, GstClockTime monotonic,
    const FaspSenderClock *sender);
/* The sender is gone: the clock goes on at its rate until another sender comes. */
void gst_fasp_clock_leave (GstFaspClock *clock);
/* Returns the clock's time at a monotonic time, ns. */
GstClockTime gst_fasp_clock_get_at (GstFaspClock *clock, GstClockTime monotonic);

G_END_DECLS
