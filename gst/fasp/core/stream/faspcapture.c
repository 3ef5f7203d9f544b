/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcapture.h"

#define SCALE_UTC 0
#define SCALE_TAI 1
#define SCALE_NOT_KNOWN 255

void
fasp_capture_write (guint8 mark[FASP_CAPTURE_MARK], const FaspCapture *capture)
{
  FaspWriter w = { mark, FASP_CAPTURE_MARK };
  guint8 scale = !capture->known ? SCALE_NOT_KNOWN : capture->is_tai ? SCALE_TAI : SCALE_UTC;

  fasp_write_uint (&w, FASP_MARK_CAPTURE, 1);
  fasp_write_uint (&w, scale, 1);
  fasp_write_uint (&w, capture->source, 1);
  fasp_write_uint (&w, capture->error, 4);
  fasp_write_uint (&w, capture->time, 8);
}

void
fasp_capture_map_take (FaspCaptureMap *map, const FaspBlock *mark, const FaspStreamOffset *position)
{
  FaspReader r = { mark->data, mark->size };
  guint64 kind = fasp_read_uint (&r, 1), scale = fasp_read_uint (&r, 1);
  guint64 source = fasp_read_uint (&r, 1), error = fasp_read_uint (&r, 4);
  guint64 time = fasp_read_uint (&r, 8);

  if (r.failed || r.left > 0 || kind != FASP_MARK_CAPTURE)
    return;
  map->at = (FaspCapture) { 0 };
  if (scale <= SCALE_TAI && time <= FASP_CAPTURE_MAX)
    map->at = (FaspCapture) {
      .time = time,
      .error = error,
      .source = source < FASP_TIME_SOURCES ? source : FASP_TIME_NONE,
      .is_tai = scale == SCALE_TAI,
      .known = TRUE,
    };
  map->media = mark->media_time;
  map->origin = position->origin;
}

FaspCapture
fasp_capture_map_get (const FaspCaptureMap *map, const FaspStreamOffset *position, FaspTime media)
{
  FaspCapture capture = map->at;

  if (!capture.known)
    return capture;
  capture.time += media - map->media;
  capture.known = ABS (media - map->media) <= FASP_CAPTURE_HOLDS && capture.time >= 0
      && fasp_origin_equal (&map->origin, &position->origin);
  return capture;
}
