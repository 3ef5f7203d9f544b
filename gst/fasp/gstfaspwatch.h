/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspwatch.h: a rate that was chosen too low or too high, or that the machine cannot keep, and a path
 * that takes nothing of the stream any more, which show nowhere else, are told of, with what to do about it.
 */
#pragma once

#include "faspio.h"
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 looked;                /* µs */
  gint64 held;                  /* for so long the source was held up since, µs */
  FaspTime backlog;             /* and what had not left yet then waited so long */
  guint behind, lossy, late;    /* looks that found it so, in a row */
  gint64 told_behind, told_lossy, told_late, told_stuck, told_keyless;  /* µs */
} GstFaspWatch;

/* A sink whose stream passes: looks once a second. */
void gst_fasp_watch_look (GstFaspWatch * watch, GstElement * sink, FaspIo * io);
/* Its source was held up for so long, µs. */
void gst_fasp_watch_held (GstFaspWatch * watch, gint64 time);

G_END_DECLS
