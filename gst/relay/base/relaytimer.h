/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaytimer.h: a call at one time of the system's clock, from a thread of that clock.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The time of the system's clock, ns. */
GstClockTime relay_timer_get_time (void);
/* @time: ns of the system's clock.  @destroy frees @data when no call is under way or to come.  The
 * owner's lock guards the timer: a call compares its id with it, as one that was under way when the
 * timer was stopped still comes. */
GstClockID relay_timer_start (GstClockTime time, GstClockCallback func, gpointer data,
    GDestroyNotify destroy);
/* Sets *timer to NULL, which it may be already. */
void relay_timer_stop (GstClockID *timer);

G_END_DECLS
