/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprepair.h: the sender's memory of what it put on the wire, and what must
 * go again.
 *
 * Every datagram of a flow is a transmission: packet number, time, block (or
 * none).  A feedback is a consistent picture of the receiver: which packets
 * it has settled and which blocks it lacks.  A transmission is therefore
 *
 *     delivered  if its block is not among the missing,
 *     lost       if its packet is settled and its block is missing,
 *     in flight  otherwise,
 *
 * whether it was an original, a rex or the rex of a rex.  A block whose last
 * transmission is lost is queued, earliest block (deadline) first.  No timer
 * is involved: at most one round of rexes (a rex and its copies) is under way
 * per loss, and one that is lost is known to be so after one round trip.
 * Every transmission is looked at once, so the cost does not depend on the
 * window.
 *
 * Several flows check on each other (as RACK does by time, RFC 8985): what a
 * feedback should speak of and does not, FASP_FLOW_PATIENCE after its flow's
 * round trip, is lost.  A flow of which so many in a row are lost that chance does not
 * explain it is dead: everything under way on it is lost.
 *
 * A member of a group (faspgrouplog.h) has one flow more, that of the group, whose
 * transmissions it does not remember one by one: of each block that a feedback lacks
 * the log tells whether all that carried it is settled.
 */
#pragma once

#include "faspgrouplog.h"
#include "fasprtt.h"
#include "faspwire.h"

G_BEGIN_DECLS

#define FASP_NO_BLOCK G_MAXUINT64
/* A path MTU probe that may be too large: no sign when it is lost. */
#define FASP_PROBE (G_MAXUINT64 - 1)
#define FASP_FLOW_PATIENCE (15 * FASP_MSEC)

typedef struct _FaspRepair FaspRepair;

typedef struct
{
  guint64 lost;                 /* transmissions found lost by this feedback */
  FaspTime shortest;            /* of these, since one left; FASP_NEVER: none */
  FaspTime rtt;                 /* sample, 0 when none; of the slowest flow */
  FaspTime ack_delay;           /* of that sample */
  guint64 dead;                 /* a bit for each flow found dead by it */
  guint64 rounds[FASP_ROUNDS];  /* blocks acknowledged by this feedback */
} FaspRepairResult;

/* @start: first block that will be sent. */
FaspRepair *fasp_repair_new (guint64 start);
void fasp_repair_free (FaspRepair * repair);

/* The packet number the next datagram of @flow gets. */
guint64 fasp_repair_get_pn (const FaspRepair * repair, guint8 flow);
/* That datagram left, with @block, FASP_NO_BLOCK, or FASP_PROBE.  New blocks go in
 * ascending order; others must be between base and the last one.
 * @continued: it belongs to the round before: a further fragment of the block
 * that was sent just before, or a copy of a rex. */
void fasp_repair_sent (FaspRepair * repair, FaspTime now, guint8 flow,
    guint64 block, gboolean continued);

/* FALSE: the feedback is old, or speaks of what was never sent; ignored. */
gboolean fasp_repair_feedback (FaspRepair * repair, FaspTime now,
    const FaspFeedback * feedback, FaspRepairResult * result);

/* New blocks go to a group from now on, as @log tells, which is not owned. */
void fasp_repair_join (FaspRepair * repair, FaspTime now,
    FaspGroupLog * log);
/* Not any more: what the peer lacks is queued. */
void fasp_repair_leave (FaspRepair * repair);
/* Blocks below @to have come to it by a group that it is a member of no more, or some of
 * them: what it does not say that it has goes again. */
void fasp_repair_overtaken (FaspRepair * repair, guint64 to);
/* Of the group that it has left, whose packets @log tells of: the newest packet that the
 * peer has told of since, and how many it has got.  FALSE: it has not. */
gboolean fasp_repair_get_past (const FaspRepair * repair,
    const FaspGroupLog * log, guint64 * pn, guint64 * received);
/* To be called before what depends on which blocks the group has sent; returns one past
 * the last one. */
guint64 fasp_repair_follow (FaspRepair * repair);
/* When the group's oldest packet left that is newer than all that the peer has told of;
 * FASP_NEVER: there is none; 0: too long ago to know. */
FaspTime fasp_repair_get_unheard (const FaspRepair * repair);

/* What the peer has told of a flow so far. */
typedef struct
{
  guint64 told;                 /* datagrams that it speaks of, */
  guint64 received, holes;      /* of these: arrived, and lost ones in a row */
  FaspTime rtt;                 /* smoothed; 0: not measured */
} FaspFlowTold;

FaspFlowTold fasp_repair_get_told (const FaspRepair * repair, guint8 flow);
/* Of all flows together; no round trip. */
FaspFlowTold fasp_repair_get_told_all (const FaspRepair * repair);
/* That anything was sent on so far. */
guint fasp_repair_count_flows (const FaspRepair * repair);
/* The flows of which the peer has not told of the newest datagram. A bit for each. */
guint64 fasp_repair_get_untold (const FaspRepair * repair);
/* The flows that an unacknowledged block left on first and last: better ones
 * for it are others. A bit for each. */
guint64 fasp_repair_get_carriers (const FaspRepair * repair, guint64 block);

/* The most urgent block to send again, FASP_NO_BLOCK for none; it stays
 * queued until it is sent. @round: of rexes, 1 the first. */
guint64 fasp_repair_peek (FaspRepair * repair, guint8 * round);
/* Is @block still missing, as far as is known, and rexes of @round the last
 * that left? Then one more copy is of use. */
gboolean fasp_repair_wants_copy (const FaspRepair * repair, guint64 block,
    guint8 round);
/* Are the blocks from the base up to @end all there, as far as is known? */
gboolean fasp_repair_has_all (const FaspRepair * repair, guint64 end);
/* Nothing below @base is wanted any more. */
void fasp_repair_advance (FaspRepair * repair, guint64 base);

guint64 fasp_repair_get_base (const FaspRepair * repair);
/* One past the highest block sent. */
guint64 fasp_repair_get_next (const FaspRepair * repair);
/* The peer lets packets pile up without ever settling them: no honest one
 * does, and remembering them takes memory. */
gboolean fasp_repair_is_overgrown (const FaspRepair * repair);
/* Was @block sent once, and is not known to be lost?  Not so, once it is acknowledged. */
gboolean fasp_repair_is_sent_once (const FaspRepair * repair, guint64 block);
/* Rounds in which the oldest unacknowledged block has been sent. */
guint fasp_repair_get_oldest_rounds (const FaspRepair * repair);

G_END_DECLS
