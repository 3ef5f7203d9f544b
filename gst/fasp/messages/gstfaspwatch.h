/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspwatch.h: warns about faults that cause no error, and says what to do: a rate that was
 * chosen too low or too high, or that the machine cannot keep; a path that delivers nothing of the
 * stream any more; receivers that wait long for a key frame.
 */
#pragma once

#include "faspio.h"
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 looked;             /* the last look, µs */
  gint64 held;               /* how long the source was held up since then, µs */
  gint64 began;              /* the first look, µs; 0: none yet */
  guint64 before, rate;      /* bytes that were written before `began'; bit/s of the stream since
                                then, 0: not known */
  FaspTime backlog;          /* how long data had waited to leave, at the last look; µs */
  guint behind, lossy, late; /* number of looks in a row that found this fault */
  /* when a warning about a fault was last posted; µs; 0: never */
  gint64 behind_warned, lossy_warned, late_warned, stuck_warned, keyless_warned;
} GstFaspWatch;

/* The state of the stream. */
typedef enum
{
  GST_FASP_WATCH_PASSES,
  GST_FASP_WATCH_WAITS, /* the writer waits for room */
  GST_FASP_WATCH_ENDS,  /* all of it is written, and the rest is being sent */
} GstFaspWatchStream;

/* To be called while there is a stream: looks once a second. */
void gst_fasp_watch_look (GstFaspWatch *watch, GstElement *sink, FaspIo *io,
    GstFaspWatchStream stream);
/* The sink's source was held up for @time, µs. */
void gst_fasp_watch_held (GstFaspWatch *watch, gint64 time);

G_END_DECLS
