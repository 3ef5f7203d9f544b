/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasproom.h: warns if buffer-size does not hold what waits in faspsrc until it is played.
 *
 * A block waits for presentation-delay if a sink plays by the clock and nothing in between keeps
 * the stream.  A buffer that is full stops the sender, and everything is late.  So a buffer counts
 * as too small if it was full at more than GST_FASP_ROOM_LOOKS looks in a row, and the stream's
 * rate times that wait is more than it holds.  (A sink that stands still fills any buffer.)
 */
#pragma once

#include "faspstats.h"
#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_FASP_ROOM_EVERY G_TIME_SPAN_SECOND /* between looks, µs */
#define GST_FASP_ROOM_LOOKS 3

/* Zeros: not looked yet. */
typedef struct
{
  gint64 looked; /* the last look, µs */
  guint full;    /* looks in a row that found it full */
  gint64 since;  /* the first of these, µs */
  guint64 read;  /* bytes that had been read then */
  gint64 warned; /* when a warning was last posted, µs; 0: never */
} GstFaspRoom;

static inline gboolean
gst_fasp_room_is_due (const GstFaspRoom *room, gint64 now)
{
  return now - room->looked >= GST_FASP_ROOM_EVERY;
}

/* Posts the message fasp-buffer-full, and a warning, if the buffer is too small.  @hold: how long a
 * block waits, µs.  Returns how many bytes it should hold; 0: it is not known to be too small. */
guint64 gst_fasp_room_look (GstFaspRoom *room, GstElement *source, const FaspEndpointStats *stats,
    FaspTime hold, gint64 now);

G_END_DECLS
