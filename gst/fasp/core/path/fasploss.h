/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasploss.h: how much is lost on a path, and in how long bursts.
 *
 * The estimate comes from counters that only grow: packets, lost packets, and the
 * holes that the lost ones made.  A promise of one skip in a week depends on the length of
 * bursts, so the average covers an hour, as long as the path stays the same.  When
 * a quarter of a minute is surely worse, or four minutes are surely different, what
 * was before is forgotten.  So a path counts as bad at once, and as good only after a while. Before
 * much is known, a path of medium loss is assumed.
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
  guint64 packets, lost, holes; /* at the last update */
  guint64 seen, seen_lost;      /* packets and lost at the last look */
  FaspTime time;
  FaspTime accident; /* when the last outage was; FASP_NEVER: none yet */
  FaspLossSum fast, middle, slow;
} FaspLoss;

void fasp_loss_init (FaspLoss *loss, FaspTime now);
/* All three counters since the beginning.  One that falls counts as unchanged. */
void fasp_loss_update (FaspLoss *loss, FaspTime now, guint64 packets, guint64 lost, guint64 holes);
/* *share: the share lost.  *stay: the chance that the packet after a lost one is lost,
 * too; at least *share.  Both are below 1. */
void fasp_loss_get (const FaspLoss *loss, gdouble *share, gdouble *stay);
/* The same, but only what was seen: nothing is assumed. */
void fasp_loss_get_seen (const FaspLoss *loss, gdouble *share, gdouble *stay);
/* Does that mostly come from losses seen, and not from what is assumed while few were
 * seen? */
gboolean fasp_loss_is_seen (const FaspLoss *loss);
/* The share lost since the last look.  If too few packets came, returns 0 and leaves them to
 * the next look. */
gdouble fasp_loss_look (FaspLoss *loss);

G_END_DECLS
