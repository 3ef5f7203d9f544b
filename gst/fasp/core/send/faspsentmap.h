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
 * dead if it loses more packets in a row than chance explains, and pauses for longer than
 * it usually does; everything under way on it is then lost.
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
/* A path MTU probe.  As it may be too large for the path, its loss does not show that the flow is
 * dead. */
#define FASP_PROBE (G_MAXUINT64 - 1)

typedef struct FaspSentMap FaspSentMap;

typedef struct
{
  guint64 lost;                /* transmissions that this feedback shows to be lost */
  FaspTime shortest;           /* least time since one of these left;
                                  FASP_NEVER: none */
  FaspTime rtt;                /* round-trip sample of the slowest flow; 0: none */
  FaspTime ack_delay;          /* how long the peer held back the report of that sample */
  guint64 dead;                /* flows that it shows to be dead, a bit each */
  guint64 rounds[FASP_ROUNDS]; /* blocks acknowledged by this feedback */
} FaspSentMapResult;

/* @start: the first block that will be sent. */
FaspSentMap *fasp_sent_map_new (guint64 start);
void fasp_sent_map_free (FaspSentMap *map);
/* @log: the session's log, which outlives @map; NULL: nothing is logged. */
void fasp_sent_map_set_log (FaspSentMap *map, FaspLog *log);

/* A datagram of @flow left, with @block, FASP_NO_BLOCK or FASP_PROBE.  New blocks are sent in
 * ascending order; other blocks must be between base and the last one. @continued: it belongs to
 * the same round as the datagram before: another fragment of the block that was just sent, or a
 * copy of a retransmission. */
void fasp_sent_map_sent (FaspSentMap *map, FaspTime now, guint8 flow, guint64 block,
    gboolean continued);

/* Is the feedback newer than all before it? Is it possible, so that it reports only packets and
 * blocks that were sent? Each test takes one step for each flow in it, however many blocks it
 * names. */
gboolean fasp_sent_map_is_new (const FaspSentMap *map, const FaspFeedback *feedback);
gboolean fasp_sent_map_is_possible (const FaspSentMap *map, const FaspFeedback *feedback);
/* Takes in a feedback. FALSE: it was ignored, as it is not new or not possible. */
gboolean fasp_sent_map_feedback (FaspSentMap *map, FaspTime now, const FaspFeedback *feedback,
    FaspSentMapResult *result);

/* @flow is the only usable one; FASP_FLOWS_MAX: there are several, or none. Overdue packets on the
 * only flow are not counted as lost, as no other flow could bring them sooner. */
void fasp_sent_map_set_only (FaspSentMap *map, guint8 flow);

/* @latency: what the stream has, µs; 0: not known. */
void fasp_sent_map_set_latency (FaspSentMap *map, FaspTime latency);

/* New blocks go to a group from now on.  @log records them; it is not owned. */
void fasp_sent_map_join (FaspSentMap *map, FaspTime now, FaspGroupLog *log);
/* New blocks do not go to the group any more.  Blocks that the peer lacks are queued. */
void fasp_sent_map_leave (FaspSentMap *map);
/* Some or all blocks below @to were sent by a group that the peer has left. Queues these blocks, so
 * that they are sent again unless the peer acknowledges them. */
void fasp_sent_map_overtaken (FaspSentMap *map, guint64 to);
/* What the peer has reported of the group of @log since it left this group: the newest packet, and
 * the number of packets received. FALSE: it has reported nothing. */
gboolean fasp_sent_map_get_past (const FaspSentMap *map, const FaspGroupLog *log, guint64 *pn,
    guint64 *received);
/* Catches up with the blocks that the group has sent.  Call it before anything that
 * depends on them.  Returns one past the last one. */
guint64 fasp_sent_map_follow (FaspSentMap *map);
/* Departure of the group's first packet after the newest one that the peer has reported;
 * FASP_NEVER: there is none. If that is not remembered: when the peer joined or last reported a
 * newer packet. */
FaspTime fasp_sent_map_get_unheard (const FaspSentMap *map);

/* Has the peer reported a packet that the group sent after @block? TRUE also if it is not known
 * when @block left. */
gboolean fasp_sent_map_hears_since (const FaspSentMap *map, guint64 block);

/* Totals of the peer's reports on a flow. */
typedef struct
{
  guint64 reported;        /* datagrams that feedback has reported on */
  guint64 received, holes; /* datagrams reported as arrived, and runs of lost ones */
  FaspTime rtt;            /* smoothed round trip; 0: not measured */
  FaspTime sample, delay;  /* the round-trip sample of the newest FEEDBACK about it, 0: none; and
                              how long the peer held that FEEDBACK back */
} FaspFlowTotals;

FaspFlowTotals fasp_sent_map_get_totals (const FaspSentMap *map, guint8 flow);
/* The totals of all flows together, without the round trip. */
FaspFlowTotals fasp_sent_map_get_all_totals (const FaspSentMap *map);
/* How many originals of blocks below the base were lost. An original that left on several flows is
 * lost if all of them lost it. */
typedef struct
{
  guint64 blocks, lost, holes; /* holes: runs of lost ones */
} FaspOriginals;

FaspOriginals fasp_sent_map_get_originals (const FaspSentMap *map);
/* Departure of the oldest packet of a flow that is neither reported nor counted as lost;
 * FASP_NEVER: there is none. */
FaspTime fasp_sent_map_get_oldest_time (const FaspSentMap *map, guint8 flow);
guint fasp_sent_map_count_flows (const FaspSentMap *map);
/* The flows whose newest datagram the peer has not reported.  A bit for each. */
guint64 fasp_sent_map_get_unreported (const FaspSentMap *map);
/* The flows on which an unacknowledged block left first and last, a bit each. A retransmission
 * should take another one. */
guint64 fasp_sent_map_get_carriers (const FaspSentMap *map, guint64 block);

/* An upper bound of the blocks that will be sent again. */
guint fasp_sent_map_count_queued (const FaspSentMap *map);
/* The most urgent block to send again, FASP_NO_BLOCK for none; it stays
 * queued until it is sent. *round: its round of retransmissions, 1 for the first. */
guint64 fasp_sent_map_peek (FaspSentMap *map, guint8 *round);
/* Is one more copy useful? It is if @block is not known to have arrived, and its last round of
 * retransmissions was @round. */
gboolean fasp_sent_map_wants_copy (const FaspSentMap *map, guint64 block, guint8 round);
/* Does the peer have all blocks from the base up to @end, as far as is known? */
gboolean fasp_sent_map_has_all (const FaspSentMap *map, guint64 end);
/* Forgets the blocks below @base, which will not be sent any more. */
void fasp_sent_map_advance (FaspSentMap *map, guint64 base);

/* Has the peer let more packets pile up without settling them than an honest peer would? They take
 * memory. */
gboolean fasp_sent_map_is_overgrown (const FaspSentMap *map);
/* Was @block sent once, and is it neither acknowledged nor known to be lost? */
gboolean fasp_sent_map_is_sent_once (const FaspSentMap *map, guint64 block);
/* The number of rounds in which the oldest unacknowledged block has been sent; 0: there
 * is none. */
guint fasp_sent_map_get_oldest_rounds (const FaspSentMap *map);

G_END_DECLS
