/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vlive.h: a live stream in virtual time: an encoder (vencoder.h) that follows the rate it is
 * told, a sender, and a receiver that notes when each frame is whole.
 *
 * On busy hosts (load) a frame takes its time, the longer the larger it is, and comes out bit by
 * bit.  The next one is begun when it is done, so an encoder may fall behind.
 *
 * The stream has a network (vnet.h) of its own.  What it sends passes bottlenecks (bottleneck.h)
 * which it may share with others: vtraffic.h.  Times are µs since the beginning.
 */
#pragma once

#include "vhops.h"
#include "vnet.h"

G_BEGIN_DECLS

#define VLIVE_PATHS 4

/* One pair of addresses. */
typedef struct
{
  /* what its packets and its feedback pass; NULL: no limit.  They are freed before the stream. */
  Bottleneck *there[VHOPS], *back[VHOPS];
  gint64 delay;          /* in each direction, behind the bottlenecks */
  gint64 jitter;         /* adds 0 to jitter, in each direction; the order is kept */
  gdouble loss;          /* in each direction, 0 to 1 */
  gint64 dark, dark_end; /* nothing comes through, in either direction */
} VlivePath;

typedef struct
{
  FaspRateControl control;
  guint32 seed;
  guint latency_ms;
  gint64 start, end;    /* when the first frame is captured, and when no more are */
  gint64 pause, resume; /* no frames are captured in between */
  guint64 max;          /* max_bitrate of the sender, bit/s; 0: none */
  guint64 begin;        /* bit/s of the encoder until it is told a rate; 0: 1 Mbit/s */
  gboolean steady;      /* the encoder does not follow, and stays at `begin' */
  guint64 most;         /* bit/s of the encoder; 0: 20 Mbit/s */
  gdouble load;         /* of both hosts at most (vhost.h); 0: nothing takes any time there */
  guint n_paths;
  VlivePath paths[VLIVE_PATHS];
} VliveConfig;

typedef struct
{
  gint64 captured;
  gint64 arrived; /* its last byte came, all before it had come; -1: not yet */
  guint64 end;    /* bytes of the stream up to its end */
  guint32 size;   /* bytes */
  gboolean damaged;
} VliveFrame;

typedef struct _Vlive Vlive;

void vlive_config_init (VliveConfig *config);
Vlive *vlive_new (const VliveConfig *config);
void vlive_free (Vlive *live);
const VliveConfig *vlive_get_config (const Vlive *live);
/* When to call vlive_run() at the latest. */
gint64 vlive_get_next (Vlive *live);
void vlive_run (Vlive *live, gint64 until);

/* Bytes of frames that were whole by now. */
guint64 vlive_get_arrived (const Vlive *live);
/* VliveFrame */
const GArray *vlive_get_frames (const Vlive *live);
/* What the encoder was told last, bit/s; 0: nothing yet. */
guint64 vlive_get_announced (const Vlive *live);
/* Of the sender; FALSE: there is no session. */
gboolean vlive_get_stats (Vlive *live, FaspSessionStats *stats);

G_END_DECLS
