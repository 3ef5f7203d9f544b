/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptx.h: the sending half of a session: what to send next, and when.
 *
 * Order, all of it inside the one pace: a skip notice, doubles of the block sent last,
 * retransmissions (earliest block first), repair symbols that are owed, copies of retransmissions
 * that are due, new blocks up to the peer's window, a tail probe. Copies only use what the channel
 * has left unused lately, so they never hold up new blocks for long.
 *
 * A tail probe repeats the number of the last block after a pause, so that the loss of
 * the last blocks is found as soon as any other. Its interval doubles until something
 * new is sent or acknowledged. When the peer has acknowledged nothing new for long, the sender
 * stalls: only probes go out until its acknowledgement advances. What a probe shows to be lost goes
 * again, a few blocks at a time, so that it can advance.
 *
 * A member of a group sends retransmissions only. The group sends the new blocks, and the tail
 * probes for them. The member's own probes ask a peer that has been silent for long: what the group
 * sends is for others, too, so a member that reports does not stall.
 */
#pragma once

#include "faspfec.h"
#include "fasplimits.h"
#include "fasppathestimate.h"
#include "faspsentmap.h"
#include "faspstore.h"

G_BEGIN_DECLS

/* The low bits of block numbers must be unambiguous among the blocks in flight. */
#define FASP_WINDOW_MAX (1u << (FASP_BLOCK_BITS - 2))
/* The first tail probe follows after this pause if the latency then still has time for a
 * retransmission. */
#define FASP_TX_TAIL_FIRST (8 * FASP_MSEC)
/* With less time than that, the probe follows sooner, but not after a shorter pause than this. */
#define FASP_TX_TAIL_LEAST FASP_MSEC
#define FASP_TX_TAIL_MAX (100 * FASP_MSEC)

/* A peer that called, and has not yet shown by a FEEDBACK that it is a receiver, gets at most an
 * initial window: ten packets, or two larger ones (RFC 9002, section 7.2), headers included. */
#define FASP_TX_UNHEARD_BYTES 14720
#define FASP_TX_UNHEARD_PACKET 1472
/* Bytes of a datagram besides its payload: headers of IP, UDP and this protocol. */
#define FASP_TX_UNHEARD_OVERHEAD (28 + FASP_DATA_OVERHEAD)

/* What a receiver has shown of itself.
 *
 *     UNHEARD --a FEEDBACK--> REPORTS --acknowledges a block that was not given up--> TAKES
 *     (it called)                                                      (we called it) ^
 */
typedef enum
{
  FASP_TX_UNHEARD, /* the peer called, and has reported nothing, so it may not be a receiver */
  FASP_TX_REPORTS, /* the peer reports, but has acknowledged no block */
  FASP_TX_TAKES,   /* the peer has acknowledged a block, or is a peer that we called */
} FaspTxPeer;

typedef struct
{
  guint64 blocks_sent, payload_sent, blocks_resent, payload_resent;
  guint64 copies_sent; /* copies of retransmissions; blocks_resent counts them, too */
  guint64 blocks_doubled, repairs_sent;
  guint64 blocks_not_doubled; /* copies that did not leave, as their path had no room */
  guint64 skips_reported;     /* skips that the peer reports */
  guint64 wanted;             /* key frames that the peer asked for */
  guint64 lost, confirmed, payload_confirmed, skipped, feedback;
  guint64 rounds[FASP_ROUNDS];
} FaspTxCounts;

/* How far the sending of the stream is. Only the files of this room change it; others read it for
 * each packet. */
typedef struct
{
  FaspTxPeer peer;
  guint64 cursor;  /* next new block */
  guint64 acked;   /* the peer has all blocks below */
  guint64 skip_to; /* blocks below will never be sent; > acked until the peer has confirmed it */
  FaspTxCounts counts;
} FaspTxView;

typedef struct _FaspTx FaspTx;

typedef struct
{
  FaspStore *store;     /* shared, not owned */
  FaspPlanner *planner; /* the endpoint's; not owned */
  FaspLog *log;         /* the session's, which outlives it; NULL: nothing is logged */
  guint64 start;        /* first block of this session */
  guint32 window;       /* units that the peer has room for */
  FaspLatency latency;
  gdouble interval; /* wanted seconds between skips */
  gboolean no_rtx;  /* lost blocks are given up */
  FaspFecMode fec;
  gdouble fec_share; /* share of repairs for FASP_FEC_FIXED */
  guint fec_window;  /* blocks that the peer accepts in a window of repairs; 0: it accepts none */
} FaspTxConfig;

/* A run is new blocks that leave one behind the other at one time. Invariant: while only the run is
 * sent, fasp_tx_next() would answer with each of its blocks in turn. So there is nothing to be sent
 * again, no repair and no copy, and the peer has room for all of them. Only what is lost without a
 * word for a minute, and is forgotten in the middle of a run, is sent again behind it. */
#define FASP_TX_RUN 16 /* blocks, at most: as many as a scheduler lets a session send in a row */

typedef enum
{
  FASP_TX_NOTHING,
  FASP_TX_BLOCK,  /* a block, or a fragment of it */
  FASP_TX_REPAIR, /* a repair symbol of blocks [number, end) */
  FASP_TX_TAIL,
  FASP_TX_SKIP,
} FaspTxKind;

typedef struct
{
  FaspTxKind kind;
  guint64 number;                   /* the block, or the number in a TAIL or SKIP frame */
  guint8 round, copy, index, count; /* TAIL: `count' flows still need it, this flow included */
  guint64 end;                      /* of a REPAIR, or of the run that a BLOCK begins */
  const FaspBlock *block;           /* of FASP_TX_BLOCK; valid as long as the store keeps it */
} FaspTxItem;

FaspTx *fasp_tx_new (FaspTime now, const FaspTxConfig *config);
void fasp_tx_free (FaspTx *tx);
/* Parts that the session changes, too: it adds each packet to the sent map, feeds the estimate, and
 * plans and writes the repairs. */
FaspSentMap *fasp_tx_get_sent_map (const FaspTx *tx);
FaspPathEstimate *fasp_tx_get_estimate (const FaspTx *tx);
FaspFec *fasp_tx_get_fec (FaspTx *tx);

/* The peer called, so it is UNHEARD at first. */
void fasp_tx_was_called (FaspTx *tx);
/* The session is open: from now on the peer can acknowledge something. */
void fasp_tx_opened (FaspTx *tx, FaspTime now);
/* While @held, nothing leaves. */
void fasp_tx_hold (FaspTx *tx, gboolean held);

static inline const FaspTxView *
fasp_tx_view (const FaspTx *tx)
{
  return (const FaspTxView *) tx;
}

/* The session needs no block below this one any more. */
static inline guint64
fasp_tx_get_base (const FaspTx *tx)
{
  return MAX (fasp_tx_view (tx)->acked, fasp_tx_view (tx)->skip_to);
}

/* The end of the peer's window, in units of the stream; and the units that are left of the
 * window. */
guint64 fasp_tx_get_limit (const FaspTx *tx);
guint64 fasp_tx_get_window (const FaspTx *tx);
/* Blocks that are written but not sent yet. */
guint64 fasp_tx_count_fresh (const FaspTx *tx);
/* Has the stream ended, and is all of it acknowledged? */
gboolean fasp_tx_is_complete (const FaspTx *tx);
/* Does a member know how far the stream is, so that it can widen the low bits of the group's block
 * numbers?
 */
gboolean fasp_tx_is_in_stream (const FaspTx *tx);

/* Is this FEEDBACK new and possible? The caller asks this first. The work for such a FEEDBACK is
 * bounded by the blocks that it acknowledges and the packets that it settles, each of which is
 * acknowledged or settled once. */
gboolean fasp_tx_takes (FaspTx *tx, const FaspFeedback *feedback);
/* Takes in a FEEDBACK. @dead: flows that it shows to be dead, a bit each. FALSE: it was
 * stale or impossible. */
gboolean fasp_tx_feedback (FaspTx *tx, FaspTime now, const FaspFeedback *feedback, FaspRtt *rtt,
    guint64 *dead);

/* May fasp_tx_next() need @unused? */
gboolean fasp_tx_plans_copies (const FaspTx *tx);
/* What to send at @now: the same answer again until fasp_tx_sent(). It also gives up blocks that
 * the store has dropped or that are not sent again, and drops copies that are too late. @room:
 * payload bytes that fit beside the header of a whole block. @unused: bytes that copies may
 * take. */
FaspTxItem fasp_tx_next (FaspTx *tx, FaspTime now, const FaspRtt *rtt, guint32 room, gint64 unused);
/* @item has left; of a run, the blocks [number, end). The caller lowers `end' if fewer have left.
 */
void fasp_tx_sent (FaspTx *tx, FaspTime now, const FaspRtt *rtt, const FaspTxItem *item);

/* The peer is gone: only probes go out until it acknowledges something. */
void fasp_tx_stall (FaspTx *tx, FaspTime now);
gboolean fasp_tx_is_stalled (const FaspTx *tx);
/* When feedback last came in a stall; 0: never. */
FaspTime fasp_tx_get_stall_end (const FaspTx *tx);

/* How long the peer has acknowledged nothing new although blocks are in flight; 0: all are
 * acknowledged, or the session is held or stands by. */
FaspTime fasp_tx_get_unacknowledged (const FaspTx *tx, FaspTime now);
/* How long a block has waited because the peer's window is closed, with all sent blocks
 * acknowledged; 0: none does. */
FaspTime fasp_tx_get_full (const FaspTx *tx, FaspTime now);
/* The value of fasp_tx_get_unacknowledged() from which on a peer counts as stuck. */
FaspTime fasp_tx_get_stuck_timeout (const FaspTx *tx, const FaspRtt *rtt);
/* Our process did not run for @span, so that no acknowledgement could come. */
void fasp_tx_excuse (FaspTx *tx, FaspTime span);

/* From now on, new blocks go to the group of @log, which is not owned. */
void fasp_tx_join (FaspTx *tx, FaspTime now, FaspGroupLog *log);
/* A member: accounts for the blocks that the group has sent meanwhile. */
void fasp_tx_follow_group (FaspTx *tx);
/* Leaves the group: missing and new blocks are sent to the peer by unicast. */
void fasp_tx_leave (FaspTx *tx, FaspTime now);
gboolean fasp_tx_was_member (const FaspTx *tx);
/* Is the member known not to hear its group? */
gboolean fasp_tx_is_deaf (const FaspTx *tx);
/* The peer has left the group of @log. Does it hear the group well enough again to rejoin? If so,
 * the caller lets it join. @rtt: measured. */
gboolean fasp_tx_returns (FaspTx *tx, FaspTime now, const FaspRtt *rtt, const FaspGroupLog *log);

/* The new block that was just sent is sent @times more, before all else. @missed: copies that are
 * not sent, as their path has no room. */
void fasp_tx_double (FaspTx *tx, guint times, guint missed);

/* Is there a new block that may leave at fasp_tx_get_fresh_time()? */
gboolean fasp_tx_has_fresh (const FaspTx *tx);
/* When the next new block may leave; to a peer that does not take the stream yet, any block. After
 * each block to such a peer it is FASP_NEVER, until the session schedules the next one. */
FaspTime fasp_tx_get_fresh_time (const FaspTx *tx);
void fasp_tx_set_fresh_time (FaspTx *tx, FaspTime time);
gboolean fasp_tx_waits_as_newcomer (const FaspTx *tx);
/* How long the next new block has waited since it was written; 0: there is none, or it waits for
 * the peer's window or a group. */
FaspTime fasp_tx_get_wait (const FaspTx *tx, FaspTime now);
/* When fasp_tx_next() may have something, if it has nothing now. */
FaspTime fasp_tx_get_timeout (const FaspTx *tx);

/* Grows with each skip: by the number of blocks that we skip, by one for each skip that the peer
 * reports. */
static inline guint64
fasp_tx_count_skips (const FaspTx *tx)
{
  return fasp_tx_view (tx)->counts.skipped + fasp_tx_view (tx)->counts.skips_reported;
}

/* Grows when the peer needs a key frame, after a skip or at its request. */
static inline guint64
fasp_tx_count_wants (const FaspTx *tx)
{
  return fasp_tx_count_skips (tx) + fasp_tx_view (tx)->counts.wanted;
}

/* The session, which has sent nothing yet, begins at block @number rather than at its first one, if
 * that is later. */
void fasp_tx_begin_at (FaspTx *tx, guint64 number);
/* slow-policy=skip: the peer gets nothing below @number any more. */
void fasp_tx_skip_to (FaspTx *tx, guint64 number);
/* Blocks written before @media_time (its low 32 bits) are too late for the receiver. A block that
 * leaves now arrives one round trip after the receiver said so, so blocks younger by that round
 * trip are too late, too. Skips all of these. If some of them were never sent, for the second time
 * within EXPIRED_AGAIN, the application writes more than the path takes: then skips all blocks. The
 * last block always stays, as it may be the end. */
void fasp_tx_expire (FaspTx *tx, FaspTime now, guint32 media_time, const FaspRtt *rtt);
/* The peer has all bytes before @has from another source, so blocks below it are not sent (again).
 * @stands_by: the peer wants no blocks for now. */
void fasp_tx_has_from_others (FaspTx *tx, const FaspStreamOffset *has, gboolean stands_by);
/* Does the session send nothing because the peer stands by? The end of the stream is sent
 * nevertheless. */
gboolean fasp_tx_stands_by (const FaspTx *tx);

G_END_DECLS
