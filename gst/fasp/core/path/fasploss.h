/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasploss.h: an estimate of a path's loss and of the length of its bursts.
 *
 * The estimate comes from counters that only grow: packets, lost packets, and the holes that the
 * lost ones made.  A promise of one skip in a week depends on the length of bursts, so the average
 * covers an hour, as long as the path stays the same.  When the last quarter of a minute is surely
 * worse, or the last four minutes are surely different, earlier counts are forgotten.  So a path
 * counts as bad at once, and as good only after a while.  At first, a path of medium loss is
 * assumed.
 *
 * One outage in an hour, or one burst that the losses known so far make unlikely, does not count:
 * covering it would need a latency of many times its length.  The
 * next one counts, as a burst of at most 100 packets or 100 ms.
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
  guint64 packets, lost, holes; /* totals at the last fasp_loss_update() */
  guint64 seen, seen_lost;      /* `packets' and `lost' at the last fasp_loss_look() */
  FaspTime time;
  FaspTime accident; /* time of the last outage; FASP_NEVER: none yet */
  FaspLossSum fast, middle, slow;
} FaspLoss;

void fasp_loss_init (FaspLoss *loss, FaspTime now);
/* @packets, @lost, @holes: totals since the beginning.  A total that falls counts as unchanged. */
void fasp_loss_update (FaspLoss *loss, FaspTime now, guint64 packets, guint64 lost, guint64 holes);
/* *share: the share lost.  *stay: the chance that the packet after a lost one is lost,
 * too; at least *share.  Both are below 1. */
void fasp_loss_get (const FaspLoss *loss, gdouble *share, gdouble *stay);
/* As fasp_loss_get(), but from the losses seen only, without assumed ones. */
void fasp_loss_get_seen (const FaspLoss *loss, gdouble *share, gdouble *stay);
/* Does the estimate come mostly from losses seen, not from assumed ones? */
gboolean fasp_loss_is_seen (const FaspLoss *loss);
/* The share lost since the last call.  With too few packets, returns 0 and leaves them to the next
 * call. */
gdouble fasp_loss_look (FaspLoss *loss);

G_END_DECLS
