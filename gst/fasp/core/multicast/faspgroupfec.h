/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgroupfec.h: the share of repairs for a group with fec=auto (docs/fec.md), and whether members
 * wait for repairs before they ask for losses.
 *
 * If members lose different blocks, retransmissions take more bytes than repairs, and more with
 * each member.  If they lose the same blocks, retransmissions take less.  The share s of repairs is
 * the least with which the remaining losses cost no more than the repairs:
 *
 *     members x residual (s, loss) <= s <= most
 *
 * Repairs are only sent if without them retransmissions would take more than s.  The loss is the
 * 90th percentile of the members' losses.  So a member with a far higher loss, true or claimed,
 * does not raise the share: it gets retransmissions.
 */
#pragma once

#include "faspfec.h"

G_BEGIN_DECLS

/* The share of the channel that the stream with its repairs and retransmissions may take. */
#define FASP_GROUP_FEC_FILL .9
#define FASP_GROUP_FEC_QUANTILE .9

typedef struct
{
  FaspTime planned;             /* when the share was last chosen */
  guint64 blocks, wire, resent; /* totals of the goal at that time */
  gdouble retransmissions;      /* per block, in the last period without repairs */
  gdouble loss;                 /* the members' loss in that period */
} FaspGroupFec;

typedef struct
{
  guint members;
  gdouble loss, stay;   /* quantile FASP_GROUP_FEC_QUANTILE of the members' values */
  FaspTime latency;     /* the shortest latency of a member; 0: not known */
  FaspTime rtx;         /* time that a retransmission takes, from its request on */
  guint64 channel;      /* bit/s; 0: not limited */
  guint64 blocks, wire; /* new blocks so far, and their bytes on the wire */
  guint64 resent;       /* retransmissions so far, to one member or to all */
} FaspGroupFecGoal;

/* Chooses the share once a second; call it more often than that. */
void fasp_group_fec_plan (FaspGroupFec *g, FaspFec *fec, FaspTime now,
    const FaspGroupFecGoal *goal);
G_END_DECLS
