/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspcapture.h"

/* A buffer that was captured longer ago, or later than now, is by another clock than ours. */
#define AGO_MAX (60 * FASP_SEC)

GstFaspCapture *
gst_fasp_capture_new (void)
{
  GstFaspCapture *capture = g_new0 (GstFaspCapture, 1);

  capture->least = capture->before = FASP_NEVER;
  return capture;
}

static FaspTime
get_wall (GstFaspCapture *capture, GstElement *element, FaspTime media_time)
{
  gst_fasp_wall_look (&capture->wall, element, TRUE);
  return media_time + capture->wall.offset / GST_USECOND;
}

/* How long ago a buffer was captured, µs; FASP_NEVER: that cannot be. */
static FaspTime
get_ago (GstFaspCapture *capture, GstElement *element, FaspCapture *told, FaspTime media_time)
{
  FaspTime ago = get_wall (capture, element, media_time);

  if (!gst_fasp_wall_convert (&capture->wall, told, &told->time))
    return FASP_NEVER;
  ago -= told->time;
  return ago < 0 || ago > AGO_MAX ? FASP_NEVER : ago;
}

gboolean
gst_fasp_capture_note (GstFaspCapture *capture, GstElement *element, GstBuffer *buffer,
    FaspTime media_time)
{
  gint64 second = media_time / FASP_SEC;
  FaspCapture told;
  gboolean refused = capture->refused;
  FaspTime ago;

  if (!gst_fasp_wall_get_capture (buffer, &told))
    return TRUE;
  ago = get_ago (capture, element, &told, media_time);
  capture->refused = ago == FASP_NEVER;
  if (capture->refused)
    return refused;
  if (second != capture->second)
    capture->before = second == capture->second + 1 ? capture->least : FASP_NEVER;
  capture->least = second != capture->second ? ago : MIN (capture->least, ago);
  capture->second = second;
  return TRUE;
}

FaspCapture
gst_fasp_capture_get (GstFaspCapture *capture, GstElement *element, FaspTime media_time)
{
  FaspTime wall = get_wall (capture, element, media_time);
  FaspTime ago = MIN (capture->least, capture->before);
  FaspCapture got = capture->wall.kind;

  got.time = ago != FASP_NEVER ? wall - ago : wall;
  got.known = capture->wall.kind.known && got.time >= 0;
  return got;
}
