/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which clock is the wall clock, and what buffers say of it.  The clocks of the network are made
 * here: they are known by name.
 */
#include "gstfaspcapture.h"
#include "gstfasppresenter.h"

#define NOW (G_GUINT64_CONSTANT (1800000000) * GST_SECOND)
#define NTP_TO_UNIX (G_GUINT64_CONSTANT (2208988800) * GST_SECOND)

static GstClockTime made_time;

static GstClockTime
get_made_time (GstClock *clock)
{
  return made_time;
}

static void
made_class_init (gpointer klass, gpointer unused)
{
  GST_CLOCK_CLASS (klass)->get_internal_time = get_made_time;
}

/* A clock that only has the name of GStreamer's. */
static GstClock *
make_clock (const gchar *name, GstClockTime time, gboolean synced)
{
  GTypeQuery query;
  GType type = g_type_from_name (name);
  GstClock *clock;

  g_type_query (GST_TYPE_SYSTEM_CLOCK, &query);
  if (type == 0)
    type = g_type_register_static_simple (GST_TYPE_SYSTEM_CLOCK, name, query.class_size,
        made_class_init, query.instance_size, NULL, 0);
  clock = gst_object_ref_sink (g_object_new (type, NULL));
  GST_OBJECT_FLAG_SET (clock, GST_CLOCK_FLAG_NEEDS_STARTUP_SYNC);
  gst_clock_set_synced (clock, synced);
  made_time = time;
  return clock;
}

static GstFaspWall
look (GstClock *clock, gboolean of_pipeline)
{
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_pipeline_new (NULL));
  GstFaspWall wall = { 0 };

  gst_element_set_clock (element, clock);
  gst_fasp_wall_look (&wall, element, of_pipeline);
  gst_object_unref (clock);
  return wall;
}

static void
test_clocks (void)
{
  GstClockTimeDiff monotonic = g_get_monotonic_time () * GST_USECOND;
  GstFaspWall wall = look (make_clock ("GstPtpClock", NOW, TRUE), FALSE);

  g_assert_cmpuint (wall.kind.source, ==, FASP_TIME_PTP);
  g_assert_true (wall.kind.is_tai);
  g_assert_cmpint (ABS (wall.offset + monotonic - (GstClockTimeDiff) NOW), <, 60 * GST_SECOND);
  wall = look (make_clock ("GstPtpClock", NOW, FALSE), TRUE);
  g_assert_cmpuint (wall.kind.source, ==, FASP_TIME_NONE);
  g_assert_cmpint (wall.offset, ==, 0);
  wall = look (make_clock ("GstNtpClock", NOW + NTP_TO_UNIX, TRUE), TRUE);
  g_assert_cmpuint (wall.kind.source, ==, FASP_TIME_NTP);
  g_assert_false (wall.kind.is_tai);
  g_assert_cmpint (wall.offset, ==, -(GstClockTimeDiff) NTP_TO_UNIX);
  wall = look (g_object_new (GST_TYPE_SYSTEM_CLOCK, "clock-type", GST_CLOCK_TYPE_REALTIME, NULL),
      TRUE);
  g_assert_cmpint (ABS (wall.offset), <, GST_SECOND);
  g_assert_true (wall.kind.known);
  /* without an offset in the kernel, its clock of TAI tells UTC */
  wall = look (g_object_new (GST_TYPE_SYSTEM_CLOCK, "clock-type", GST_CLOCK_TYPE_TAI, NULL), TRUE);
  g_assert_true (wall.kind.is_tai == (wall.tai != 0));
  /* the system's clock beside one that tells no time of day */
  wall = look (gst_system_clock_obtain (), TRUE);
  g_assert_false (wall.kind.is_tai);
  g_assert_cmpint (ABS (wall.offset
                       - (g_get_real_time () - g_get_monotonic_time ()) * (gint64) GST_USECOND),
      <, GST_SECOND);
}

static void
test_scales (void)
{
  FaspCapture tai = { .time = 100 * FASP_SEC, .is_tai = TRUE, .known = TRUE };
  GstFaspWall wall = { .tai = 37 * GST_SECOND, .kind.known = TRUE };
  FaspTime time;

  g_assert_true (gst_fasp_wall_convert (&wall, &tai, &time));
  g_assert_cmpint (time, ==, 63 * FASP_SEC);
  wall.tai = 0;
  g_assert_false (gst_fasp_wall_convert (&wall, &tai, &time));
  wall.kind.is_tai = TRUE;
  g_assert_true (gst_fasp_wall_convert (&wall, &tai, &time));
  g_assert_cmpint (time, ==, 100 * FASP_SEC);
  wall.kind.known = FALSE;
  g_assert_false (gst_fasp_wall_convert (&wall, &tai, &time));
}

/* A clock of the network that has no time yet: the capture time is not known. */
static void
test_not_synced (void)
{
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_pipeline_new (NULL));
  g_autoptr (GstClock) clock = make_clock ("GstPtpClock", NOW, FALSE);
  g_autofree GstFaspCapture *capture = gst_fasp_capture_new ();

  gst_element_set_clock (element, clock);
  g_assert_false (gst_fasp_capture_get (capture, element, NOW / GST_USECOND).known);
}

/* The latest time that a sender may write, as a buffer has it. */
static void
test_latest (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  FaspCapture capture = { FASP_CAPTURE_MAX + FASP_CAPTURE_HOLDS, .known = TRUE };
  g_autoptr (GstCaps) reference = gst_fasp_wall_get_reference (FALSE);

  gst_fasp_presenter_attach (buffer, &capture);
  g_assert_cmpuint (gst_buffer_get_reference_timestamp_meta (buffer, reference)->timestamp
          / GST_USECOND,
      ==, capture.time);
}

/* What messages tell: a state that lasts for two seconds, or the worst of those that alternate. */
static void
test_messages (void)
{
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_pipeline_new (NULL));
  GstFaspPresenter presenter;
  gint64 now = g_get_monotonic_time ();
  guint posts = 0;

  gst_fasp_presenter_begin (&presenter, element, 800);
  for (guint i = 0; i < 250; i++) {
    presenter.core.state = i < 30 ? FASP_PRESENTATION_IN_TIME :
        i % 2 == 0                ? FASP_PRESENTATION_TOO_SHORT :
                                    FASP_PRESENTATION_MOVING;
    posts += gst_fasp_presenter_has_changed (&presenter, now + i * G_TIME_SPAN_SECOND / 10);
    if (i == 29)
      g_assert_cmpint (presenter.posted.state, ==, FASP_PRESENTATION_IN_TIME);
  }
  g_assert_cmpint (presenter.posted.state, ==, FASP_PRESENTATION_TOO_SHORT);
  g_assert_cmpuint (posts, ==, 2);
}

/* What an element upstream says is preferred, and the least age of a second or two counts. */
static void
test_buffers (void)
{
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_pipeline_new (NULL));
  g_autoptr (GstClock) clock = make_clock ("GstNtpClock", NOW + NTP_TO_UNIX, TRUE);
  FaspTime media = (NOW + NTP_TO_UNIX) / GST_USECOND;
  static const guint ages[] = { 40, 15, 33, 5000000, 5000000 };
  g_autofree GstFaspCapture *capture = gst_fasp_capture_new ();

  gst_element_set_clock (element, clock);
  g_assert_cmpint (gst_fasp_capture_get (capture, element, media).time, ==, NOW / GST_USECOND);
  for (guint i = 0; i < G_N_ELEMENTS (ages); i++) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new ();
    g_autoptr (GstCaps) caps =
        gst_caps_from_string (i % 2 == 0 ? "timestamp/x-unix" :
                                           "timestamp/x-ntp,host=(string)time.example");

    gst_buffer_add_reference_timestamp_meta (buffer, caps,
        NOW - ages[i] * GST_MSECOND + (i % 2) * NTP_TO_UNIX, GST_CLOCK_TIME_NONE);
    /* what cannot be used is said once */
    g_assert_true (gst_fasp_capture_note (capture, element, buffer, media) == (i != 3));
  }
  g_assert_cmpint (gst_fasp_capture_get (capture, element, media).time, ==,
      NOW / GST_USECOND - 15 * FASP_MSEC);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wall/clocks", test_clocks);
  g_test_add_func ("/wall/scales", test_scales);
  g_test_add_func ("/wall/not-synced", test_not_synced);
  g_test_add_func ("/wall/latest", test_latest);
  g_test_add_func ("/wall/messages", test_messages);
  g_test_add_func ("/wall/buffers", test_buffers);
  return g_test_run ();
}
