/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgroupfec.h: how many repairs to send to a group with fec=auto (docs/fec.md), and
 * whether members wait for repairs before they ask.
 *
 * If members lose different blocks, the retransmissions for them take more than repairs would, the
 * more so the more members there are.  If they lose the same blocks, retransmissions take less.
 * The share s of repairs is the least with which the losses that remain cost no more than the
 * repairs:
 *
 *     members x residual (s, loss) <= s <= most
 *
 * Repairs are only sent if without them retransmissions would take more than s.  The loss is that
 * of the member that is worse off than nine of ten.  So a member that is far worse off than most,
 * or claims to be, does not raise the share: it gets retransmissions.
 */
#pragma once

#include "faspfec.h"

G_BEGIN_DECLS

/* The largest share of the channel that the stream, its repairs and retransmissions are to take. */
#define FASP_GROUP_FEC_FILL .9
#define FASP_GROUP_FEC_QUANTILE .9

typedef struct
{
  FaspTime planned;             /* when the share was last chosen */
  guint64 blocks, wire, resent; /* of the goal, at that time */
  gdouble retransmissions;      /* for each block, when there were last no repairs */
  gdouble loss;                 /* at that time */
} FaspGroupFec;

typedef struct
{
  guint members;
  gdouble loss, stay;   /* FASP_GROUP_FEC_QUANTILE of the members have less */
  FaspTime latency;     /* the shortest of a member; 0: not known */
  FaspTime rtx;         /* time that a retransmission takes, from its request on */
  guint64 channel;      /* bit/s; 0: not limited */
  guint64 blocks, wire; /* new blocks so far, and their bytes on the wire */
  guint64 resent;       /* retransmissions so far, to one member or to all */
} FaspGroupFecGoal;

/* Call this now and then; it chooses the share once a second. */
void fasp_group_fec_plan (FaspGroupFec *g, FaspFec *fec, FaspTime now,
    const FaspGroupFecGoal *goal);
G_END_DECLS
