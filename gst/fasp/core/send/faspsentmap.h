/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsentmap.h: loss recovery: the sent map, which has each packet that left with the block it
 * carried, and the blocks that must go again.
 *
 * Every datagram of a flow is a transmission: packet number, time, block (or
 * none).  A feedback is a consistent snapshot of the receiver: which packets
 * it has settled and which blocks it lacks.  A transmission is therefore
 *
 *     delivered  if its block is not among the missing,
 *     lost       if its packet is settled and its block is missing,
 *     in flight  otherwise,
 *
 * whether it was an original, a retransmission or the retransmission of a retransmission.  When no
 * transmission of a lost block is in flight any more, the block is queued; the earliest block
 * (deadline) goes first.  No timer is involved: at most one round of retransmissions (a
 * retransmission and its copies) is under way per loss, and the sender knows of a lost round one
 * round trip later.  Each transmission is examined once, so the cost does not depend on the window.
 *
 * Several flows check on each other (as RACK does by time, RFC 8985).  A packet is
 * lost if feedback does not report it within its flow's fasp_rtt_report_timeout().  A flow is
 * dead if it loses more packets in a row than chance explains; everything under way on
 * it is then lost.
 *
 * For a member of a group (faspgrouplog.h) there is one more flow, that of the group.
 * Its transmissions are not remembered here one by one: for each block that the member
 * lacks, the group's log knows whether all packets that carried it are settled.
 */
#pragma once

#include "faspgrouplog.h"
#include "fasplog.h"
#include "fasplimits.h"
#include "fasprtt.h"
#include "faspwire.h"

G_BEGIN_DECLS

#define FASP_NO_BLOCK G_MAXUINT64
/* A path MTU probe.  It may be too large for the path, so its loss is no sign of a
 * dead flow. */
#define FASP_PROBE (G_MAXUINT64 - 1)

typedef struct FaspSentMap FaspSentMap;

typedef struct
{
  guint64 lost;                /* transmissions found lost by this feedback */
  FaspTime shortest;           /* least time since one of these left;
                                  FASP_NEVER: none */
  FaspTime rtt;                /* sample of the slowest flow; 0: none */
  FaspTime ack_delay;          /* of that sample */
  guint64 dead;                /* a bit for each flow found dead by it */
  guint64 rounds[FASP_ROUNDS]; /* blocks acknowledged by this feedback */
} FaspSentMapResult;

/* @start: the first block that will be sent. */
FaspSentMap *fasp_sent_map_new (guint64 start);
void fasp_sent_map_free (FaspSentMap *map);
/* @log: the session's, which outlives it; NULL: nothing is logged. */
void fasp_sent_map_set_log (FaspSentMap *map, FaspLog *log);

/* The packet number that the next datagram of @flow gets. */
guint64 fasp_sent_map_get_pn (const FaspSentMap *map, guint8 flow);
/* That datagram left with @block, FASP_NO_BLOCK, or FASP_PROBE.  New blocks are sent
 * in ascending order; other blocks must be between base and the last one.
 * @continued: it belongs to the same round as the datagram before: another fragment
 * of the block that was just sent, or a copy of a retransmission. */
void fasp_sent_map_sent (FaspSentMap *map, FaspTime now, guint8 flow, guint64 block,
    gboolean continued);

/* Is the feedback newer than all before it?  Is it possible: does it report nothing that was never
 * sent?  Neither costs more than a look at each flow that it reports, however much it says. */
gboolean fasp_sent_map_is_new (const FaspSentMap *map, const FaspFeedback *feedback);
gboolean fasp_sent_map_is_possible (const FaspSentMap *map, const FaspFeedback *feedback);
/* FALSE: it is not both; it was ignored. */
gboolean fasp_sent_map_feedback (FaspSentMap *map, FaspTime now, const FaspFeedback *feedback,
    FaspSentMapResult *result);

/* @flow is the only one that can carry anything; FASP_FLOWS_MAX: there are several, or none. What
 * is overdue on it is not taken as lost: nothing else would bring it sooner. */
void fasp_sent_map_set_only (FaspSentMap *map, guint8 flow);

/* New blocks go to a group from now on.  @log records them; it is not owned. */
void fasp_sent_map_join (FaspSentMap *map, FaspTime now, FaspGroupLog *log);
/* New blocks do not go to the group any more.  Blocks that the peer lacks are queued. */
void fasp_sent_map_leave (FaspSentMap *map);
/* Some or all blocks below @to went to the peer by a group that it has left.  Queues
 * them: those that the peer does not acknowledge go again. */
void fasp_sent_map_overtaken (FaspSentMap *map, guint64 to);
/* What the peer has reported since it left the group of @log: the newest packet of the
 * group, and how many it has received.  FALSE: nothing. */
gboolean fasp_sent_map_get_past (const FaspSentMap *map, const FaspGroupLog *log, guint64 *pn,
    guint64 *received);
/* Catches up with the blocks that the group has sent.  Call it before anything that
 * depends on them.  Returns one past the last one. */
guint64 fasp_sent_map_follow (FaspSentMap *map);
/* When the group's oldest packet left that is newer than all that the peer has reported;
 * FASP_NEVER: there is none.  If that was too long ago to know: when the peer joined or
 * last reported a newer one. */
FaspTime fasp_sent_map_get_unheard (const FaspSentMap *map);

/* Has the peer reported anything that the group sent since @block left, or is it not known when
 * that was? */
gboolean fasp_sent_map_hears_since (const FaspSentMap *map, guint64 block);

/* What the peer has reported of a flow so far. */
typedef struct
{
  guint64 reported;        /* datagrams that feedback has reported on */
  guint64 received, holes; /* of these: arrived, and runs of lost ones */
  FaspTime rtt;            /* smoothed; 0: not measured */
  FaspTime sample, delay;  /* the sample that the newest FEEDBACK about it gave, and how long the
                              peer held the answer back; 0: it gave none */
} FaspFlowTotals;

FaspFlowTotals fasp_sent_map_get_totals (const FaspSentMap *map, guint8 flow);
/* Of all flows together, without a round trip. */
FaspFlowTotals fasp_sent_map_get_all_totals (const FaspSentMap *map);
/* What became of the originals of blocks that are not wanted any more.  One that left on several
 * flows is lost if all of them lost it. */
typedef struct
{
  guint64 blocks, lost, holes; /* holes: runs of lost ones */
} FaspOriginals;

FaspOriginals fasp_sent_map_get_originals (const FaspSentMap *map);
/* When the oldest packet of a flow left that is neither reported nor taken as lost; FASP_NEVER:
 * there is none. */
FaspTime fasp_sent_map_get_oldest_time (const FaspSentMap *map, guint8 flow);
/* The number of flows used so far. */
guint fasp_sent_map_count_flows (const FaspSentMap *map);
/* The flows whose newest datagram the peer has not reported.  A bit for each. */
guint64 fasp_sent_map_get_unreported (const FaspSentMap *map);
/* The flows on which an unacknowledged block left first and last: a retransmission had better
 * take another one.  A bit for each. */
guint64 fasp_sent_map_get_carriers (const FaspSentMap *map, guint64 block);

/* How many blocks are to go again, at most. */
guint fasp_sent_map_count_queued (const FaspSentMap *map);
/* The most urgent block to send again, FASP_NO_BLOCK for none; it stays
 * queued until it is sent. *round: its round of retransmissions, 1 for the first. */
guint64 fasp_sent_map_peek (FaspSentMap *map, guint8 *round);
/* Is one more copy of use?  That is so if @block is still missing, as far as is known,
 * and its last round of retransmissions was @round. */
gboolean fasp_sent_map_wants_copy (const FaspSentMap *map, guint64 block, guint8 round);
/* Does the peer have all blocks from the base up to @end, as far as is known? */
gboolean fasp_sent_map_has_all (const FaspSentMap *map, guint64 end);
/* Blocks below @base are not wanted any more. */
void fasp_sent_map_advance (FaspSentMap *map, guint64 base);

guint64 fasp_sent_map_get_base (const FaspSentMap *map);
/* One past the highest block sent. */
guint64 fasp_sent_map_get_next (const FaspSentMap *map);
/* Does the peer let packets pile up without ever settling them?  They take memory, and
 * no honest peer does that. */
gboolean fasp_sent_map_is_overgrown (const FaspSentMap *map);
/* Was @block sent once, and is it neither acknowledged nor known to be lost? */
gboolean fasp_sent_map_is_sent_once (const FaspSentMap *map, guint64 block);
/* The number of rounds in which the oldest unacknowledged block has been sent; 0: there
 * is none. */
guint fasp_sent_map_get_oldest_rounds (const FaspSentMap *map);

G_END_DECLS
