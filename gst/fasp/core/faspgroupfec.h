/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgroupfec.h: how much of a code is sent to a group with fec=auto (docs/fec.md), and
 * whether members wait for it before they ask.
 *
 * What members lose each by itself is sent again for one or for all, and comes to more than
 * a code would, the more of them there are; what they lose together does not.  So the share s
 * is the least with which what the code leaves over costs no more than the code:
 *
 *     members x residual (s, loss) <= s <= most
 *
 * and there is a code only where without it more would be sent again than s.  The loss is
 * what nine of ten members stay below: whoever is far worse off than most, or says so, is
 * left to rexes and does not set what all pay for.
 */
#pragma once

#include "faspfec.h"

G_BEGIN_DECLS

/* Of the channel the stream, its repairs and rexes are to take so much at most. */
#define FASP_GROUP_FEC_FILL .9
#define FASP_GROUP_FEC_QUANTILE .9

typedef struct
{
  FaspTime planned;
  guint64 blocks, wire, resent; /* at that time */
  gdouble rexes;                /* for each block, without a code, of late; */
  gdouble loss;                 /* when that was */
} FaspGroupFec;

typedef struct
{
  guint members;
  gdouble loss, stay;           /* of which FASP_GROUP_FEC_QUANTILE of them have less */
  FaspTime latency;             /* the shortest of them; 0: not known */
  FaspTime rex;                 /* that one takes, from its request on */
  guint64 channel;              /* bit/s; 0: not limited */
  guint64 blocks, wire;         /* so far: new ones, and their bytes; */
  guint64 resent;               /* rexes to one or to all */
} FaspGroupFecGoal;

/* To be called now and then; looks at the share once a second. */
void fasp_group_fec_plan (FaspGroupFec * g, FaspFec * fec, FaspTime now,
    const FaspGroupFecGoal * goal);
G_END_DECLS
