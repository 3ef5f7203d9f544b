/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The clock of all times, and the measurements that begin anew with another clock.
 */
#include "gstcbrpacer.h"

void
gst_cbr_pacer_reset_departure (GstCbrPacer *self)
{
  cbr_stats_break (self->stats);
  cbr_departure_reset (&self->departure);
  self->skipped = 0;
  self->base = CBR_NO_BASE;
  self->peak = self->drain = self->drained = 0;
}

void
gst_cbr_pacer_forget_lag (GstCbrPacer *self, gint64 now)
{
  cbr_departure_feed (&self->departure, now);
  cbr_queue_limit_marks (&self->queue, cbr_departure_get_lag (&self->departure, now), now);
}

/* The clock was replaced, and is at @now: all measurements begin anew. */
static void
begin_anew (GstCbrPacer *self, gint64 now)
{
  gst_cbr_pacer_reset_departure (self);
  gst_fasp_monitor_set_clock (self->monitor, now);
  /* queued data is not late on this clock */
  gst_cbr_pacer_forget_lag (self, now);
  self->warned.lag = self->warned.lag_before = cbr_departure_get_lag (&self->departure, now);
  self->warned.looked = self->warned.held_at = self->warned.looked_before = now;
}

/* Returns the pipeline's clock, or the system's if there is none; a reference. */
static GstClock *
get_clock (GstCbrPacer *self)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));

  return clock != NULL ? clock : gst_system_clock_obtain ();
}

gint64
gst_cbr_pacer_read_clock (GstCbrPacer *self)
{
  g_autoptr (GstClock) clock = get_clock (self);
  gboolean another = self->clock != NULL && self->clock != clock;
  gint64 now;

  gst_object_replace ((GstObject **) &self->clock, GST_OBJECT (clock));
  now = (gint64) gst_clock_get_time (clock);
  if (another)
    begin_anew (self, now);
  return now;
}

void
gst_cbr_pacer_clock_changed (GstCbrPacer *self)
{
  g_mutex_lock (&self->lock);
  /* in READY and NULL there is no clock to replace: none is held */
  if (self->clock != NULL)
    gst_cbr_pacer_read_clock (self);
  /* waits on the previous clock are computed anew */
  cbr_waiter_interrupt (&self->waiter);
  cbr_waiter_interrupt (&self->room);
  g_mutex_unlock (&self->lock);
}
