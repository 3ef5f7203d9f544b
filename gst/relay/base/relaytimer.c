/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaytimer.h"

GstClockTime
relay_timer_get_time (void)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();

  return gst_clock_get_time (clock);
}

GstClockID
relay_timer_start (GstClockTime time, GstClockCallback func, gpointer data, GDestroyNotify destroy)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockID timer = gst_clock_new_single_shot_id (clock, time);

  gst_clock_id_wait_async (timer, func, data, destroy);
  return timer;
}

void
relay_timer_stop (GstClockID *timer)
{
  if (*timer != NULL)
    gst_clock_id_unschedule (*timer);
  g_clear_pointer (timer, gst_clock_id_unref);
}
