/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprepairprivate.h: shared by fasprepair.c, fasprepairflow.c and fasprepairgroup.c.
 */
#pragma once

#include "fasprepair.h"

G_BEGIN_DECLS

/* Blocks that one feedback is asked about, at most, besides those whose packets it
 * settles. */
#define FASP_REPAIR_NEWS 4096

typedef struct
{
  guint64 block;                /* FASP_NO_BLOCK, FASP_PROBE: none */
  FaspTime sent;
} FaspTransmission;

/* Transmissions [front, next) of one flow, by packet number. */
typedef struct
{
  FaspTransmission *ring;
  guint64 mask, front, next;
  guint64 base;                 /* of a group: the first that counts */
  guint64 largest;              /* newest the peer told of, + 1 */
  guint64 received, holes;      /* by then */
  FaspTime given_up;            /* when the newest one left that was taken as
                                   lost before it was told of */
  FaspRtt rtt;
  gdouble loss;                 /* of late */
  guint silent;                 /* lost since anything was told of */
} FaspSentFlow;

typedef struct
{
  guint16 in_flight;            /* transmissions neither delivered nor lost */
  guint8 rounds;                /* the original's included, saturating */
  guint8 queued;
  guint8 first, last;           /* flows that it left on */
  guint8 asked;                 /* faspgrouplog.h */
} FaspSentBlock;

struct _FaspRepair
{
  FaspSentFlow *flows[FASP_FLOWS_MAX];
  guint n_flows;                /* in use so far */
  FaspSentBlock *blocks;        /* [base, next), block n at n & block_mask */
  guint64 block_mask, base, next;
  guint64 *heap;                /* queued blocks, smallest first */
  gsize heap_used, heap_size;
  /* the newest feedback, to ask again when a queued block's turn comes */
  guint64 serial;
  gboolean has_feedback;
  guint64 from, end;
  gboolean tail;
  GArray *ranges;
  GSequence *unknown;           /* guint64 of settled packets, not spoken of yet */

  /* a group */
  gboolean was_member;
  FaspGroupLog *log;            /* of the group that new blocks go to; NULL: none */
  FaspTime group_progress;      /* when more of it was told of, last */
  guint32 past_largest;         /* told of the one that it has left, low bits, */
  guint64 past_received;        /* and of so many; 0: of nothing */
  guint64 group_told;           /* the newest of its packets told of, and */
  guint64 group_settled;        /* settled, + 1 */
};

static inline FaspSentBlock *
fasp_repair_block (const FaspRepair * repair, guint64 block)
{
  return &repair->blocks[block & repair->block_mask];
}

static inline FaspTransmission *
fasp_repair_transmission (const FaspSentFlow * flow, guint64 pn)
{
  return &flow->ring[pn & flow->mask];
}

/* fasprepair.c: a new block, which is not sent yet. */
void fasp_repair_add_block (FaspRepair * repair, guint64 block);
/* It goes again; it is not queued yet. */
void fasp_repair_queue (FaspRepair * repair, guint64 block);
/* Has the newest feedback told of @block that it is there? */
gboolean fasp_repair_is_here (const FaspRepair * repair, guint64 block);
/* All packets of @flow up to @settled are: what they carried is there, or lost. */
void fasp_repair_settle (FaspRepair * repair, FaspTime now, FaspSentFlow * flow,
    guint64 settled, FaspRepairResult * result);

/* fasprepairflow.c: the peer tells of a flow. */
void fasp_repair_told_of (FaspRepair * repair, FaspTime now,
    const FaspFeedbackFlow * told, FaspRepairResult * result);
/* Of the packets up to @largest, which left at @sent; 0: not known. */
void fasp_repair_note_told (FaspSentFlow * flow, FaspTime now,
    const FaspFeedbackFlow * told, guint64 largest, FaspTime sent,
    FaspRepairResult * result);
/* Is what it should have told of by now lost, and the flow dead? */
void fasp_repair_check_flow (FaspRepair * repair, FaspTime now, guint8 index,
    FaspRepairResult * result);

/* fasprepairgroup.c: it tells of the flow of its group, up to @largest. */
void fasp_repair_told_of_group (FaspRepair * repair, FaspTime now,
    const FaspFeedbackFlow * told, guint64 largest,
    FaspRepairResult * result);
/* Which of the blocks that it lacks are not on their way with the group any more? */
void fasp_repair_settle_group (FaspRepair * repair, FaspTime now,
    const FaspFeedback * feedback, FaspRepairResult * result);

G_END_DECLS
