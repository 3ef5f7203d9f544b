/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Streams of real multiplexers, of variable and of constant rate, arrive when their PCRs say: not
 * one error in minutes, and all is known that can be.
 */
#include <gst/gst.h>
#include <glib/gstdio.h>
#include "tsmonitor.h"

#define SECONDS "120"

static gchar *
make_path (void)
{
  gchar *path = NULL;
  gint file = g_file_open_tmp ("tsclean-XXXXXX", &path, NULL);

  g_assert_cmpint (file, >=, 0);
  g_close (file, NULL);
  return path;
}

/* --- making ------------------------------------------------------------ */

/* FALSE: something that it needs is not installed, and the test is skipped. */
static gboolean
run_pipeline (const gchar *mux, const gchar *path)
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=3000 pattern=ball ! video/x-raw,width=64,height=64,framerate=25/1 ! "
      "x264enc bitrate=300 key-int-max=50 speed-preset=ultrafast ! h264parse ! %s name=mux ! "
      "filesink location=%s audiotestsrc num-buffers=5625 samplesperbuffer=1024 ! "
      "audio/x-raw,rate=48000,channels=2 ! avenc_aac ! aacparse ! mux.",
      mux, path);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, &error);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstBus) bus = NULL;

  if (error != NULL) {
    g_test_skip (error->message);
    return FALSE;
  }
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message =
      gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return TRUE;
}

static gboolean
run_ffmpeg (const gchar *options, const gchar *path)
{
  g_autofree gchar *line = g_strdup_printf (
      "ffmpeg -v error -y -f lavfi -i testsrc=size=64x64:rate=25 -f lavfi -i sine=sample_rate=48000 "
      "-t " SECONDS
      " -c:v mpeg2video -b:v 300k -c:a mp2 %s -metadata service_name=Ball -f mpegts %s",
      options, path);
  g_autofree gchar *program = g_find_program_in_path ("ffmpeg");
  g_autoptr (GError) error = NULL;
  gint status = -1;

  if (program == NULL) {
    g_test_skip ("ffmpeg is not installed");
    return FALSE;
  }
  g_spawn_command_line_sync (line, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_true (g_spawn_check_wait_status (status, NULL));
  return TRUE;
}

/* --- measuring ------------------------------------------------------------ */

/* Packets arrive at the time of the last PCR.  Returns the time of the last one. */
static gint64
push_file (TsMonitor *monitor, const gchar *path)
{
  g_autofree gchar *data = NULL;
  gint64 ticks = 0, now = 0;
  guint64 last = 0;
  gboolean has_last = FALSE;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpuint (size % TS_PACKET, ==, 0);
  for (gsize at = 0; at < size; at += TS_PACKET) {
    TsPacket packet;

    ts_packet_read (&packet, (const guint8 *) data + at, TS_PACKET);
    if (packet.has_pcr) {
      ticks += has_last ? ts_pcr_get_step (last, packet.pcr) : 0;
      has_last = TRUE;
      last = packet.pcr;
      now = ticks / 27 * 1000 + ticks % 27 * 1000 / 27;
    }
    ts_monitor_push (monitor, (const guint8 *) data + at, TS_PACKET, now);
  }
  return now;
}

static void
assert_clean (const gchar *path, gboolean constant, const gchar *name)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  const TsProgramme *programmes;
  gint64 duration = push_file (monitor, path);
  guint n;

  g_assert_cmpint (duration, >=, 118 * TS_SECOND);
  for (guint kind = 0; kind < TS_ERRORS; kind++) {
    gboolean known = constant || kind != TS_ERROR_PCR_ACCURACY;

    if (ts_monitor_get_error (monitor, kind)->count > 0)
      g_error ("%s: %u, from %.3f s on", ts_error_rows[kind].name,
          (guint) ts_monitor_get_error (monitor, kind)->count,
          ts_monitor_get_error (monitor, kind)->first / 1e9);
    g_test_message ("%s", ts_error_rows[kind].name);
    g_assert_cmpint (ts_monitor_get_state (monitor, kind), ==,
        known ? TS_STATE_GOOD : TS_STATE_UNKNOWN);
  }
  programmes = ts_monitor_get_programmes (monitor, &n);
  g_assert_cmpuint (n, ==, 1);
  if (name != NULL)
    g_assert_cmpstr (programmes->text, ==, name);
}

static void
test_mpegtsmux (gconstpointer mux)
{
  g_autofree gchar *path = make_path ();

  if (run_pipeline (mux, path))
    assert_clean (path, strstr (mux, "bitrate") != NULL, NULL);
  g_unlink (path);
}

static void
test_ffmpeg (gconstpointer options)
{
  g_autofree gchar *path = make_path ();

  if (run_ffmpeg (options, path))
    assert_clean (path, strstr (options, "muxrate") != NULL, "Ball");
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/tsclean/mpegtsmux/variable", "mpegtsmux", test_mpegtsmux);
  g_test_add_data_func ("/tsclean/mpegtsmux/aligned", "mpegtsmux alignment=7", test_mpegtsmux);
  g_test_add_data_func ("/tsclean/mpegtsmux/constant", "mpegtsmux bitrate=1500000", test_mpegtsmux);
  g_test_add_data_func ("/tsclean/ffmpeg/variable", "", test_ffmpeg);
  g_test_add_data_func ("/tsclean/ffmpeg/constant", "-muxrate 1500k", test_ffmpeg);
  return g_test_run ();
}
