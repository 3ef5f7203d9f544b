/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrwaiter.h: sleeps until a time of a GstClock, can be woken before, and measures
 * how late it wakes.
 *
 * On GStreamer's system clock it sleeps only on its condition.  That takes one
 * wake-up; gst_clock_id_wait() takes two for every wait above half a millisecond.
 * On any other clock, including slaved clocks and GstTestClock, it waits for a
 * single-shot id of that clock.
 */
#pragma once

#include <gst/gst.h>
#include "cbrschedule.h"

G_BEGIN_DECLS

typedef struct
{
  GCond wake;
  GstClockID id;    /* the clock's id that the thread waits for */
  gint interrupted; /* atomic */
  gint64 lateness,
      variation; /* how late the thread wakes, and the mean deviation of that, smoothed, ns */
} CbrWaiter;

void cbr_waiter_init (CbrWaiter *waiter);
void cbr_waiter_clear (CbrWaiter *waiter);

/* Call this with @lock held; it is released meanwhile.  Sleeps until wait->sleep, then
 * watches the clock until wait->leave, but for no more than @spin ns of real time
 * (-1: no limit).  FALSE: it was interrupted before.  Holds a reference of @clock meanwhile. */
gboolean cbr_waiter_wait (CbrWaiter *waiter, GMutex *lock, GstClock *clock, const CbrWait *wait,
    gint64 spin);
/* Sleeps until it is interrupted. */
void cbr_waiter_sleep (CbrWaiter *waiter, GMutex *lock);
/* Ends the wait that is under way, if there is one.  Call this with the lock held. */
void cbr_waiter_interrupt (CbrWaiter *waiter);

/* Returns how late the next wake-up is likely to be, ns; @worst: a bound that all but a few keep.
 */
gint64 cbr_waiter_get_latency (const CbrWaiter *waiter, gboolean worst);

G_END_DECLS
