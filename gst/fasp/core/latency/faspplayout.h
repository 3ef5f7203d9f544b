/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspplayout.h: the latency in force at a receiver.
 *
 * The latency is given, or the sender announces it.  When the sender announces another one, the
 * receiver changes its latency so slowly that viewers and listeners do not notice: upwards by a
 * hundredth of the time that passes, as there may be skips until then, and downwards by a
 * thousandth.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* The latency that two ends have agreed on. */
typedef struct
{
  gboolean find;    /* the sender finds the latency and announces it */
  FaspTime latency; /* with find: the least one; else the one to use */
} FaspLatency;

/* @ours and @theirs are ms, FASP_LATENCY_AUTO or FASP_LATENCY_ANY. */
FaspLatency fasp_latency_agree (guint ours, guint theirs);

/* A slow change from one latency to another. */
typedef struct
{
  FaspTime time, latency; /* start: receiver's time, and the latency then; µs */
  FaspTime target;        /* the latency at its end; µs */
} FaspPlayoutRamp;

typedef struct
{
  gboolean announced;           /* the sender announces the latency; until it does, it is unknown */
  FaspPlayoutRamp ramp, before; /* the ramp in force since ramp.time, and the one before it */
  FaspTime first;               /* the latency at the beginning */
} FaspPlayout;

void fasp_playout_init (FaspPlayout *playout, const FaspLatency *agreed);
/* The sender announces a latency; ignored if the ends agreed on a given one.  The first is in force
 * at once.  TRUE: it is the first. */
gboolean fasp_playout_set (FaspPlayout *playout, FaspTime now, FaspTime latency);
/* Has the sender yet to announce the latency? */
gboolean fasp_playout_is_unknown (const FaspPlayout *playout);
/* The latency in force at @time; 0: as soon as possible, or not known. */
FaspTime fasp_playout_get (const FaspPlayout *playout, FaspTime time);

G_END_DECLS
