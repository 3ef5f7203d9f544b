/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dualq.h: DualPI2 (RFC 9332, appendix A): which packets of a dual queue are marked or dropped,
 * and which queue is next.  One queue is for L4S packets (ECT(1) or CE), one for all others.
 *
 * The L4S queue is marked on a ramp around 1 ms.  A PI controller keeps the other one at 15 ms: its
 * packets are dropped or marked with the square of a probability, and L4S packets are marked with
 * twice that probability, so that both kinds of flows get the same rate.  Times are µs.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  DUALQ_CLASSIC,
  DUALQ_L4S,
  DUALQ_QUEUES,
} DualqQueue;

typedef enum
{
  DUALQ_PASS,
  DUALQ_MARK,
  DUALQ_DROP,
} DualqVerdict;

typedef struct
{
  gdouble p;                    /* base probability: p' */
  gint64 wait;                  /* of the longer queue at the last update */
  gint64 update;                /* when it is next */
  gdouble counts[DUALQ_QUEUES]; /* sums of probabilities, less those acted upon */
  gint credit;                  /* bytes that the L4S queue has had before the other */
} Dualq;

/* The first packet of each queue entered at @heads; G_MAXINT64: there is none.  Call it before
 * these change. */
void dualq_update (Dualq *dualq, gint64 now, const gint64 heads[DUALQ_QUEUES]);
/* Which queue is next, if its first packet has @sizes bytes; 0: it is empty. */
DualqQueue dualq_choose (Dualq *dualq, const gsize sizes[DUALQ_QUEUES]);
/* A packet of @queue leaves it after @wait; @alone: it was the only one there.  @ecn: it can be
 * marked. */
DualqVerdict dualq_judge (Dualq *dualq, DualqQueue queue, gint64 wait, gboolean alone,
    gboolean ecn);

G_END_DECLS
