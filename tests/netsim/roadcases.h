/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * roadcases.h: roads with names, and who is on them: the cases of RFC 8867, dual queues, mobile
 * links, alone and bonded, satellites, and a download that comes and goes.  Each becomes traffic
 * (vtraffic.h) with any rate controller.
 */
#pragma once

#include "vtraffic.h"

G_BEGIN_DECLS

#define ROAD_LINKS 2
#define ROAD_STEPS 9
#define ROAD_LIVES 5

/* From @at s on the link has so many Mbit/s. */
typedef struct
{
  gdouble at, mbit;
} RoadStep;

/* A rate that is drawn anew in each step, and fades: then it is a low one for some steps. */
typedef struct
{
  gdouble step;         /* ms */
  gdouble least, most;  /* Mbit/s, all rates between them alike */
  gdouble low;          /* Mbit/s */
  gdouble begins, ends; /* chance that a fade begins in a step, and that it ends */
  guint32 seed;         /* 0: the link does not fade */
  guint32 common;       /* seed of further fades, which other links with it have at the same
                           time; 0: none */
} RoadFading;

typedef struct
{
  RoadStep steps[ROAD_STEPS]; /* up to the first with a rate of 0 */
  RoadFading fading;          /* instead of them */
  guint32 cellular;           /* seed of a mobile link instead (cellular.h); 0: it is none */
  gdouble scale;              /* of that */
  gdouble queue;              /* kB */
  gboolean dual;
} RoadLink;

/* A link of the case, by its bit. */
typedef enum
{
  ROAD_FIRST = 1,
  ROAD_SECOND = 2,
  ROAD_BOTH = 3, /* one after the other */
} RoadHops;

typedef struct
{
  gdouble start, end;    /* s; end 0: there is no stream */
  gdouble pause, resume; /* s */
  gdouble delay;         /* ms, in each direction */
  RoadHops there, back;  /* links that the stream, and its feedback, pass; 0: none */
  gboolean bonded;       /* its paths are the first link, and the second one, which is longer */
  gdouble dark, light;   /* s: the last of its paths carries nothing in between */
} RoadLive;

/* TCPs on the first link. */
typedef struct
{
  guint n;
  VtcpKind kind;
  gboolean brief; /* downloads of RFC 8868, 5.1, and pauses; else one that does not end */
  gdouble mbyte;  /* or downloads of this size, and pauses; 0: none */
  gboolean ecn;
} RoadTcp;

typedef struct
{
  const gchar *name, *title;
  gdouble seconds;
  gdouble begin, most; /* Mbit/s of each encoder: until it is told more, and at most; 0: its own */
  gdouble jitter;      /* ms */
  RoadLink links[ROAD_LINKS];
  RoadLive lives[ROAD_LIVES];
  RoadTcp tcp;
  gdouble load; /* of each stream's hosts, at most (vhost.h) */
} RoadCase;

/* NULL: there are no more. */
const RoadCase *road_case_get (guint n);
/* NULL: there is none of that name. */
const RoadCase *road_case_find (const gchar *name);
/* Its traffic; run it until road_case_get_end(). */
Vtraffic *road_case_build (const RoadCase *road, FaspRateControl control);
gint64 road_case_get_end (const RoadCase *road);

G_END_DECLS
