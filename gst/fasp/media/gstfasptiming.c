/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfasptiming.h"

/* At most LOOKS attempts are made to read two clocks within CLOSE ns. */
#define LOOKS 4
#define CLOSE (10 * GST_USECOND)
/* Clocks may differ by up to this now and then. */
#define CLOCK_SLACK (100 * GST_MSECOND)

void
gst_fasp_timing_init (GstFaspTiming *timing)
{
  timing->clock = gst_fasp_clock_new ();
}

void
gst_fasp_timing_clear (GstFaspTiming *timing)
{
  gst_object_unref (timing->clock);
}

void
gst_fasp_timing_reset (GstFaspTiming *timing)
{
  timing->last_pts = GST_CLOCK_TIME_NONE;
  timing->running = 0;
}

/* Returns running time less monotonic time. Reads both again if this thread was held up in between.
 */
static GstClockTimeDiff
measure_offset (GstElement *element)
{
  GstClockTimeDiff offset = 0, best = G_MAXINT64;

  for (guint i = 0; i < LOOKS && best > CLOSE; i++) {
    GstClockTimeDiff before = g_get_monotonic_time () * GST_USECOND, after;
    GstClockTime running = gst_element_get_current_running_time (element);

    after = g_get_monotonic_time () * GST_USECOND;
    if (!GST_CLOCK_TIME_IS_VALID (running))
      return -after;
    if (after - before < best) {
      best = after - before;
      offset = (GstClockTimeDiff) running - (before + after) / 2;
    }
  }
  return offset;
}

GstClockTimeDiff
gst_fasp_timing_get (const GstFaspTiming *timing, FaspTime time)
{
  GstClockTimeDiff monotonic = time * GST_USECOND;

  return timing->offset
      + (timing->own_clock ? (GstClockTimeDiff) gst_fasp_clock_get_at (timing->clock, monotonic) :
                             monotonic);
}

/* The running time now. A clock that was set back stands still instead. */
static GstClockTimeDiff
get_current_running_time (const GstFaspTiming *timing, GstClock *clock)
{
  return timing->own_clock ? timing->offset + (GstClockTimeDiff) gst_clock_get_time (clock) :
                             gst_fasp_timing_get (timing, g_get_monotonic_time ());
}

void
gst_fasp_timing_look (GstFaspTiming *timing, GstElement *element)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (element);
  GstClockTimeDiff running;

  timing->own_clock = clock == GST_CLOCK_CAST (timing->clock);
  timing->offset = timing->own_clock ? -(GstClockTimeDiff) gst_element_get_base_time (element) :
                                       measure_offset (element);
  if (clock == NULL)
    return;
  running = get_current_running_time (timing, clock);
  /* if running time began anew, by a flush or with another clock, so do the times of buffers. (A
   * buffer's time far ahead of running time is no sign of that: the latency may have risen, or the
   * path have become shorter.) */
  if (running + CLOCK_SLACK < timing->running)
    timing->last_pts = GST_CLOCK_TIME_NONE;
  timing->running = running;
}

GstClockTime
gst_fasp_timing_choose (GstFaspTiming *timing, FaspTime time)
{
  GstClockTimeDiff pts = MAX (gst_fasp_timing_get (timing, time), 0);

  if (GST_CLOCK_TIME_IS_VALID (timing->last_pts))
    pts = MAX (pts, (GstClockTimeDiff) timing->last_pts);
  return timing->last_pts = pts;
}
