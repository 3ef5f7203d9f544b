/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasploss.h: how much is lost on a path, and in how long bursts.
 *
 * From counters that only grow: packets, those of them lost, and the holes
 * they made.  A promise of one skip in a week hangs on how long bursts are, so
 * the average is one over an hour, for as long as the path is the same: when
 * a quarter of a minute is surely worse, or four minutes are surely different,
 * what was before is forgotten.  So a path is believed to be bad at once and to
 * be good only after a while.  Before much is known a middling path is assumed.
 * An outage, or what the path was not known for, does not count if it comes
 * once in an hour: a promise to outlast the like of it would need a latency of many times
 * its length.  The next one does, as a burst of at most 100 ms or packets.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct
{
  gdouble packets, lost, holes;
} FaspLossSum;

typedef struct
{
  guint64 packets, lost, holes; /* at the last update */
  guint64 seen, seen_lost;      /* at the last look */
  FaspTime time;
  FaspTime accident;            /* when the last one was; FASP_NEVER: none yet */
  FaspLossSum fast, middle, slow;
} FaspLoss;

void fasp_loss_init (FaspLoss * loss, FaspTime now);
/* All three since the beginning; less than before counts as none. */
void fasp_loss_update (FaspLoss * loss, FaspTime now, guint64 packets,
    guint64 lost, guint64 holes);
/* The share lost, and the chance that the packet behind a lost one is lost,
 * too; at least the former. Both below 1. */
void fasp_loss_get (const FaspLoss * loss, gdouble * share, gdouble * stay);
/* Is that mostly what was seen, and not what is assumed as long as little was? */
gboolean fasp_loss_is_seen (const FaspLoss * loss);
/* The share lost of what came since the last look, if that is enough to say; else 0, and it counts for
 * the next one. */
gdouble fasp_loss_look (FaspLoss * loss);

G_END_DECLS
