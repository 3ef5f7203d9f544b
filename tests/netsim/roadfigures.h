/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * roadfigures.h: how well a live stream (vlive.h) went: what of its links it used, and how late
 * its frames were.  A frame is late by the time from its capture until its last byte came, all
 * before it included.  One that did not come is later than everything.
 */
#pragma once

#include "vlive.h"

G_BEGIN_DECLS

/* Frames captured so shortly before the end do not count, µs. */
#define ROAD_TAIL (2 * FASP_SEC)

typedef struct
{
  guint frames;
  gdouble link, rate;          /* Mbit/s: what the links carried, what came of whole frames */
  gdouble used;                /* of the one by the other */
  gdouble p50, p95, p99, most; /* delay of the frames that came, s */
  gdouble late04, late1;       /* share later than 0.4 s, and 1 s */
  gdouble lost;                /* share that did not come */
} RoadFigures;

/* Sorts times (gint64, µs); the one that @share of them do not exceed, in s; 0: there are none. */
gdouble road_percentile (GArray *times, gdouble share);
void road_figures (const Vlive *live, RoadFigures *figures);
/* What the links alone make late, if nothing but the encoder's least is sent, on all paths at once:
 * sets late04 and late1 alone.  @alone: of each path its link, of which nothing was sent. */
void road_floor (const VliveConfig *config, Capacity *const *alone, RoadFigures *figures);

G_END_DECLS
