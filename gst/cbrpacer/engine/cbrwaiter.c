/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrwaiter.h"
#include "gstfaspsystem.h"

/* How late the first wait is taken to be, and the most that one wait counts for, ns.
 * Machines stall for milliseconds, which says nothing about the next wait. */
#define LATENESS_FIRST 50000
#define LATENESS_MAX 100000

void
cbr_waiter_init (CbrWaiter *waiter)
{
  g_cond_init (&waiter->wake);
  waiter->id = NULL;
  waiter->interrupted = FALSE;
  waiter->lateness = LATENESS_FIRST;
  waiter->variation = LATENESS_FIRST / 2;
}

void
cbr_waiter_clear (CbrWaiter *waiter)
{
  g_cond_clear (&waiter->wake);
}

/* Takes in the lateness of a wake-up, smoothed as RFC 6298 smooths round-trip times. */
static void
learn (CbrWaiter *waiter, gint64 lateness)
{
  gint64 error;

  lateness = CLAMP (lateness, 0, LATENESS_MAX);
  error = lateness - waiter->lateness;
  waiter->lateness += error / 16;
  waiter->variation += (ABS (error) - waiter->variation) / 16;
}

gint64
cbr_waiter_get_latency (const CbrWaiter *waiter, gboolean worst)
{
  return waiter->lateness + (worst ? 2 * waiter->variation : 0);
}

static gboolean
is_interrupted (CbrWaiter *waiter)
{
  return g_atomic_int_get (&waiter->interrupted);
}

static gint64
read_clock (GstClock *clock)
{
  return (gint64) gst_clock_get_time (clock);
}

static void
sleep_on_condition (CbrWaiter *waiter, GMutex *lock, GstClock *clock, gint64 until)
{
  gint64 left;

  /* this loops once, unless the clock is slaved to another or is set */
  while (!is_interrupted (waiter) && (left = until - read_clock (clock)) > 0)
    g_cond_wait_until (&waiter->wake, lock, g_get_monotonic_time () + (left + 999) / 1000);
}

static void
sleep_on_clock (CbrWaiter *waiter, GMutex *lock, GstClock *clock, gint64 until)
{
  GstClockID id = gst_clock_new_single_shot_id (clock, until);

  waiter->id = id;
  g_mutex_unlock (lock);
  gst_clock_id_wait (id, NULL);
  g_mutex_lock (lock);
  waiter->id = NULL;
  gst_clock_id_unref (id);
}

static void
sleep_until (CbrWaiter *waiter, GMutex *lock, GstClock *clock, gint64 until)
{
  gint slack;

  if (until <= 0 || until <= read_clock (clock))
    return;
  /* only while this thread sleeps here, as it belongs to a pool that other elements use, too */
  slack = gst_fasp_system_sharpen_timers ();
  if (G_OBJECT_TYPE (clock) == GST_TYPE_SYSTEM_CLOCK)
    sleep_on_condition (waiter, lock, clock, until);
  else
    sleep_on_clock (waiter, lock, clock, until);
  gst_fasp_system_restore_timers (slack);
  if (!is_interrupted (waiter))
    learn (waiter, read_clock (clock) - until);
}

static void
watch (CbrWaiter *waiter, GMutex *lock, GstClock *clock, gint64 until, gint64 spin)
{
  gint64 end = spin < 0 ? G_MAXINT64 : g_get_monotonic_time () + (spin + 999) / 1000;

  g_mutex_unlock (lock);
  while (!is_interrupted (waiter) && read_clock (clock) < until
      && (spin < 0 || g_get_monotonic_time () < end))
    ;
  g_mutex_lock (lock);
}

gboolean
cbr_waiter_wait (CbrWaiter *waiter, GMutex *lock, GstClock *clock, const CbrWait *wait, gint64 spin)
{
  G_GNUC_UNUSED g_autoptr (GstClock) held = gst_object_ref (clock);

  g_atomic_int_set (&waiter->interrupted, FALSE);
  sleep_until (waiter, lock, clock, wait->sleep);
  if (spin != 0 && !is_interrupted (waiter) && wait->leave > read_clock (clock))
    watch (waiter, lock, clock, wait->leave, spin);
  /* there may be time left if the clock is slower than real time */
  if (!is_interrupted (waiter))
    sleep_until (waiter, lock, clock, wait->leave);
  return !is_interrupted (waiter);
}

void
cbr_waiter_sleep (CbrWaiter *waiter, GMutex *lock)
{
  g_atomic_int_set (&waiter->interrupted, FALSE);
  while (!is_interrupted (waiter))
    g_cond_wait (&waiter->wake, lock);
}

void
cbr_waiter_interrupt (CbrWaiter *waiter)
{
  if (is_interrupted (waiter)) /* once for a whole list of buffers */
    return;
  g_atomic_int_set (&waiter->interrupted, TRUE);
  if (waiter->id != NULL)
    gst_clock_id_unschedule (waiter->id);
  g_cond_signal (&waiter->wake);
}
