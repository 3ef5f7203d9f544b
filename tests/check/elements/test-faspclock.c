/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsrc's clock as GStreamer sees it; no time passes.  How well it follows:
 * tests/check/core/unit/receive/test-clockdiscipline.c.
 */
#include "gstfaspclock.h"

/* A sender whose clock is 800 ppm fast, for ten minutes: so is this one, at every
 * look and between them. */
static void
test_rate (void)
{
  static const gdouble ppm = 800;
  g_autoptr (GstFaspClock) clock = gst_fasp_clock_new ();
  FaspSenderClock sender = { .known = TRUE, .epoch = 1, .skew_known = TRUE, .skew = -ppm * 1e-6 };
  GstClockTime start = gst_fasp_clock_get_at (clock, 0), before = start;

  /* from wherever the machine's clock stands */
  start = gst_util_get_timestamp ();
  before = gst_fasp_clock_get_at (clock, start);
  for (GstClockTime t = 0; t < 600 * GST_SECOND; t += 100 * GST_MSECOND) {
    GstClockTime shown;

    sender.offset = (start + t) / 1000 - (GstClockTime) (t * (1 + ppm * 1e-6)) / 1000;
    gst_fasp_clock_look (clock, start + t, &sender);
    shown = gst_fasp_clock_get_at (clock, start + t);
    if (t > 0)
      g_assert_cmpint (ABS ((GstClockTimeDiff) (shown - before) - 100 * (gint64) GST_MSECOND
                           - 80000),
          <=, 1000);
    before = shown;
  }
}

static void
test_manners (void)
{
  g_autoptr (GstFaspClock) clock = gst_fasp_clock_new ();
  GstClock *c = GST_CLOCK (clock);
  GstClockTime time = gst_clock_get_time (c);
  FaspSenderClock sender = { .known = TRUE, .epoch = 1 };

  g_assert_true (GST_IS_SYSTEM_CLOCK (c));
  g_assert_true (GST_OBJECT_FLAG_IS_SET (c, GST_CLOCK_FLAG_NEEDS_STARTUP_SYNC));
  /* until its rate is known */
  gst_fasp_clock_look (clock, time, &sender);
  g_assert_false (gst_clock_is_synced (c));
  sender.skew_known = TRUE;
  gst_fasp_clock_look (clock, time + GST_SECOND, &sender);
  g_assert_true (gst_clock_is_synced (c));
  /* whatever is told of senders, it never goes back */
  for (guint i = 0; i < 1000; i++) {
    GstClockTime now = gst_util_get_timestamp ();
    GstClockTime shown = gst_clock_get_time (c);

    g_assert_cmpuint (shown, >=, time);
    time = shown;
    sender.epoch = 1 + i / 10;
    sender.offset = (i % 2 == 0 ? 1 : -1) * ((FaspTime) i << (i % 50));
    sender.skew = (i % 3 - 1.) / 1000;
    gst_fasp_clock_look (clock, now, &sender);
    if (i % 100 == 0)
      gst_fasp_clock_leave (clock);
  }
}

/* It obeys a calibration, or another clock as its master, at any time that is asked for. */
static void
test_calibrated (void)
{
  g_autoptr (GstFaspClock) clock = gst_fasp_clock_new ();
  GstClockTime now = gst_util_get_timestamp ();
  GstClockTime shown = gst_fasp_clock_get_at (clock, now), later;

  gst_clock_set_calibration (GST_CLOCK (clock), shown, shown + GST_SECOND * 100, 3, 2);
  g_assert_cmpuint (gst_fasp_clock_get_at (clock, now), ==, shown + GST_SECOND * 100);
  g_assert_cmpuint (gst_fasp_clock_get_at (clock, now + 2 * GST_SECOND), ==,
      shown + GST_SECOND * 103);
  later = gst_fasp_clock_get_at (clock, gst_util_get_timestamp ());
  g_assert_cmpuint (later, <=, gst_clock_get_time (GST_CLOCK (clock)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/fasp-clock/rate", test_rate);
  g_test_add_func ("/fasp-clock/manners", test_manners);
  g_test_add_func ("/fasp-clock/calibrated", test_calibrated);
  return g_test_run ();
}
