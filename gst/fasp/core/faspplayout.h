/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspplayout.h: the latency in force at a receiver.
 *
 * Given, or told by the sender; then it moves from one to the next so slowly
 * that nobody sees or hears it: a hundredth faster or slower playing upwards,
 * where a skip is to be feared, a thousandth downwards.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* What two ends agree on. */
typedef struct
{
  gboolean find;                /* the sender finds it and tells */
  FaspTime latency;             /* found: the least; else the one to use */
} FaspLatency;

/* @ours and @theirs: ms, FASP_LATENCY_AUTO or FASP_LATENCY_ANY. */
FaspLatency fasp_latency_agree (guint ours, guint theirs);

/* From one latency to another. */
typedef struct
{
  FaspTime time, latency;       /* at that time */
  FaspTime target;
} FaspPlayoutWay;

typedef struct
{
  gboolean told;                /* by the sender: until then it is not known */
  FaspPlayoutWay way, before;   /* since way.time; what is asked for may be of
                                 * before that */
  FaspTime first;               /* latency that it began with */
} FaspPlayout;

void fasp_playout_init (FaspPlayout * playout, const FaspLatency * agreed);
/* Told by the sender; ignored when another was agreed on.  The first is in
 * force at once.  TRUE: it is the first. */
gboolean fasp_playout_set (FaspPlayout * playout, FaspTime now,
    FaspTime latency);
/* It will be told, and has not been. */
gboolean fasp_playout_is_unknown (const FaspPlayout * playout);
/* In force at @time; 0: as soon as may be, or not known. */
FaspTime fasp_playout_get (const FaspPlayout * playout, FaspTime time);

G_END_DECLS
