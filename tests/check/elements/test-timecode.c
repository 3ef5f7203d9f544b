/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The time code of fasp-lan-send, as the decoder of fasp-lan-play gives it back.
 */
#include <gst/app/gstappsink.h>
#include "pair.h"
#include "timecode.h"

static GstBuffer *
make_picture (GstVideoInfo *info, GstVideoFormat format, guint width, guint height,
    GstVideoFrame *frame)
{
  GstBuffer *buffer;

  gst_video_info_set_format (info, format, width, height);
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  gst_buffer_memset (buffer, 0, 128, GST_VIDEO_INFO_SIZE (info));
  gst_video_frame_map (frame, info, buffer, GST_MAP_READWRITE);
  return buffer;
}

static void
test_formats (void)
{
  static const struct
  {
    GstVideoFormat format;
    guint width, height;
    gboolean can;
  } cases[] = {
    { GST_VIDEO_FORMAT_I420, 1280, 720, TRUE },
    { GST_VIDEO_FORMAT_NV12, 1920, 1080, TRUE },
    { GST_VIDEO_FORMAT_UYVY, 1280, 720, TRUE },
    { GST_VIDEO_FORMAT_I420, 256, 16, TRUE },
    { GST_VIDEO_FORMAT_I420, 255, 144, FALSE },
    { GST_VIDEO_FORMAT_I420, 256, 15, FALSE },
    { GST_VIDEO_FORMAT_v210, 1280, 720, FALSE },
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    GstVideoInfo info;
    GstVideoFrame frame;
    GstBuffer *picture =
        make_picture (&info, cases[c].format, cases[c].width, cases[c].height, &frame);
    guint32 number, time;

    g_assert_false (timecode_read (&frame, &number, &time));
    g_assert_true (timecode_write (&frame, 0xabcdef, 0xdeadbeef) == cases[c].can);
    g_assert_true (timecode_read (&frame, &number, &time) == cases[c].can);
    if (cases[c].can) {
      g_assert_cmphex (number, ==, 0xabcdef);
      g_assert_cmphex (time, ==, 0xdeadbeef);
    }
    gst_video_frame_unmap (&frame);
    gst_buffer_unref (picture);
  }
}

/* Any square that is wrong is noticed. */
static void
test_damage (void)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  GstBuffer *picture = make_picture (&info, GST_VIDEO_FORMAT_I420, 1024, 16, &frame);

  for (guint bit = 0; bit < TIMECODE_BITS; bit++) {
    guint8 *luma = GST_VIDEO_FRAME_COMP_DATA (&frame, 0);
    guint32 number, time;

    timecode_write (&frame, 4711, 123456789);
    for (guint i = 0; i < 16 * 16; i++) {
      guint8 *pixel = luma + i / 16 * GST_VIDEO_FRAME_COMP_STRIDE (&frame, 0) + bit * 16 + i % 16;

      *pixel = 255 - *pixel;
    }
    g_assert_false (timecode_read (&frame, &number, &time));
  }
  gst_video_frame_unmap (&frame);
  gst_buffer_unref (picture);
}

static GstPadProbeReturn
on_picture (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo video;
  GstVideoFrame frame;
  guint *n = data;

  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  gst_video_info_from_caps (&video, caps);
  gst_video_frame_map (&frame, &video, buffer, GST_MAP_READWRITE);
  timecode_write (&frame, *n, 1000003 * *n);
  (*n)++;
  gst_video_frame_unmap (&frame);
  return GST_PAD_PROBE_OK;
}

/* Noise at a bit rate that is far too low for it.  One thread: with several, x264 does not
 * spend its bits the same way each time, and may have none for a whole picture. */
static void
test_encoded (void)
{
  g_autoptr (PairPipeline) pipeline =
      pair_launch ("videotestsrc name=source num-buffers=30 pattern=snow ! video/x-raw,"
                   "format=I420,width=1280,height=720,framerate=50/1 ! x264enc "
                   "tune=zerolatency speed-preset=ultrafast bitrate=2000 intra-refresh=true "
                   "vbv-buf-capacity=20 threads=1 ! h264parse ! avdec_h264 ! appsink name=out "
                   "sync=false");
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  GstSample *sample;
  guint stamped = 0, n = 0;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_picture, &stamped, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (out))) != NULL) {
    GstVideoFrame frame;
    GstVideoInfo info;
    guint32 number, time;

    gst_video_info_from_caps (&info, gst_sample_get_caps (sample));
    gst_video_frame_map (&frame, &info, gst_sample_get_buffer (sample), GST_MAP_READ);
    g_assert_true (timecode_read (&frame, &number, &time));
    g_assert_cmpuint (number, ==, n);
    g_assert_cmpuint (time, ==, 1000003 * n);
    n++;
    gst_video_frame_unmap (&frame);
    gst_sample_unref (sample);
  }
  g_assert_cmpuint (n, ==, 30);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/timecode/formats", test_formats);
  g_test_add_func ("/timecode/damage", test_damage);
  g_test_add_func ("/timecode/encoded", test_encoded);
  return g_test_run ();
}
