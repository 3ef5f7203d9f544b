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

/* Blocks in flight must be told apart by their low bits. */
#define FASP_WINDOW_MAX (1u << (FASP_BLOCK_BITS - 2))
/* The first tail probe follows after this pause if there is time for a retransmission of what it
 * finds lost. */
#define FASP_TX_TAIL_FIRST (8 * FASP_MSEC)
/* If there is less time, it comes sooner, but not before the stream has paused. */
#define FASP_TX_TAIL_LEAST FASP_MSEC
#define FASP_TX_TAIL_MAX (100 * FASP_MSEC)

/* A peer that called, and has not shown by a FEEDBACK that it is a receiver, gets no more than ten
 * packets, or two that are larger (RFC 9002, section 7.2), headers included. */
#define FASP_TX_UNHEARD_BYTES 14720
#define FASP_TX_UNHEARD_PACKET 1472
/* Bytes of a datagram besides its payload: IP, UDP, and ours. */
#define FASP_TX_UNHEARD_OVERHEAD (28 + FASP_DATA_OVERHEAD)

/* What a peer has shown of itself.
 *
 *     UNHEARD --a FEEDBACK--> REPORTS --acknowledges a block that was not given up--> TAKES
 *     (it called)                                                      (we called it) ^
 */
typedef enum
{
  FASP_TX_UNHEARD, /* it called, and has reported nothing: it may be no receiver */
  FASP_TX_REPORTS, /* it reports, and has acknowledged no block */
  FASP_TX_TAKES,   /* it has acknowledged a block, or it is a peer that we called */
} FaspTxPeer;

typedef struct
{
  guint64 blocks_sent, payload_sent, blocks_resent, payload_resent;
  guint64 copies_sent; /* those among blocks_resent */
  guint64 blocks_doubled, repairs_sent;
  guint64 blocks_not_doubled; /* copies that did not leave, as their path had no room */
  guint64 skips_reported;     /* how often something came too late, as the peer reports */
  guint64 wanted;             /* how often the peer wanted a key frame */
  guint64 lost, confirmed, payload_confirmed, skipped, feedback;
  guint64 rounds[FASP_ROUNDS];
} FaspTxCounts;

/* How far it is.  Others read it for each packet; only the files of this room change it. */
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
  guint32 window;       /* units that the peer takes */
  FaspLatency latency;
  gdouble interval; /* wanted seconds between skips */
  gboolean no_rtx;  /* what is lost is given up */
  FaspFecMode fec;
  gdouble fec_share; /* for FASP_FEC_FIXED */
  guint fec_window;  /* blocks that the peer accepts in a window of repairs; 0: it accepts none */
} FaspTxConfig;

typedef enum
{
  FASP_TX_NOTHING,
  FASP_TX_BLOCK,  /* see the fields below */
  FASP_TX_REPAIR, /* for blocks [number, end) */
  FASP_TX_TAIL,
  FASP_TX_SKIP,
} FaspTxKind;

typedef struct
{
  FaspTxKind kind;
  guint64 number;                   /* the block, or what a TAIL or SKIP frame says */
  guint8 round, copy, index, count; /* TAIL: count is the number of flows that
                                       still need it, this one included */
  guint64 end;
} FaspTxItem;

FaspTx *fasp_tx_new (FaspTime now, const FaspTxConfig *config);
void fasp_tx_free (FaspTx *tx);
/* The parts that the session works on, too: the sent map, to which it adds each packet; the
 * estimate, which it feeds; and the repairs, which it plans and writes. */
FaspSentMap *fasp_tx_get_sent_map (const FaspTx *tx);
FaspPathEstimate *fasp_tx_get_estimate (const FaspTx *tx);
FaspFec *fasp_tx_get_fec (FaspTx *tx);

/* The peer called, and has reported nothing. */
void fasp_tx_was_called (FaspTx *tx);
/* The session is open: from now on the peer can acknowledge something. */
void fasp_tx_opened (FaspTx *tx, FaspTime now);
/* While it is held, nothing leaves. */
void fasp_tx_hold (FaspTx *tx, gboolean held);

static inline const FaspTxView *
fasp_tx_view (const FaspTx *tx)
{
  return (const FaspTxView *) tx;
}

/* The session needs nothing below this block any more. */
static inline guint64
fasp_tx_get_base (const FaspTx *tx)
{
  return MAX (fasp_tx_view (tx)->acked, fasp_tx_view (tx)->skip_to);
}

/* The end of the peer's window, in units of the stream; and the units that it still takes. */
guint64 fasp_tx_get_limit (const FaspTx *tx);
guint64 fasp_tx_get_window (const FaspTx *tx);
/* Blocks that are written, and have not left yet. */
guint64 fasp_tx_count_fresh (const FaspTx *tx);
/* The stream is finished, and all of it acknowledged. */
gboolean fasp_tx_is_complete (const FaspTx *tx);
/* A member knows how far the stream is, so it can widen the low bits of the group's block numbers.
 */
gboolean fasp_tx_is_in_stream (const FaspTx *tx);

/* Is this FEEDBACK neither stale nor impossible? To be asked before anything else is done for it.
 * Handling it then costs no more than the blocks that it acknowledges and the packets that it
 * settles, and each of these is acknowledged or settled once. */
gboolean fasp_tx_takes (FaspTx *tx, const FaspFeedback *feedback);
/* Takes in a FEEDBACK. @dead: flows that it shows to be dead, a bit each. FALSE: it was
 * stale or impossible. */
gboolean fasp_tx_feedback (FaspTx *tx, FaspTime now, const FaspFeedback *feedback, FaspRtt *rtt,
    guint64 *dead);

/* What to send at @now: the same answer again until fasp_tx_sent(). It also gives up
 * what is of no use any more: blocks that the store has dropped or that are not sent
 * again, and copies that are too late. @room: payload bytes that fit beside the header
 * of a whole block. @unused: bytes that copies may take. */
FaspTxItem fasp_tx_next (FaspTx *tx, FaspTime now, const FaspRtt *rtt, guint32 room, gint64 unused);
void fasp_tx_sent (FaspTx *tx, FaspTime now, const FaspRtt *rtt, const FaspTxItem *item);

/* The peer is gone: only probes go out until it acknowledges something. */
void fasp_tx_stall (FaspTx *tx, FaspTime now);
gboolean fasp_tx_is_stalled (const FaspTx *tx);
/* When feedback last came in a stall; 0: never. */
FaspTime fasp_tx_get_stall_end (const FaspTx *tx);

/* For how long the peer has acknowledged nothing new although it was sent something; 0: it has
 * everything that was sent, or is to get nothing now. */
FaspTime fasp_tx_get_unacknowledged (const FaspTx *tx, FaspTime now);
/* For how long it has taken nothing although something waits for it: its window is closed. */
FaspTime fasp_tx_get_full (const FaspTx *tx, FaspTime now);
/* That of fasp_tx_get_unacknowledged() after which a peer counts as stuck. */
FaspTime fasp_tx_get_stuck_timeout (const FaspTx *tx, const FaspRtt *rtt);
/* Our process did not run for @span, so that no acknowledgement could come. */
void fasp_tx_excuse (FaspTx *tx, FaspTime span);

/* From now on, new blocks go to the group of @log, which is not owned. */
void fasp_tx_join (FaspTx *tx, FaspTime now, FaspGroupLog *log);
/* A member: accounts for the blocks that the group has sent meanwhile. */
void fasp_tx_follow_group (FaspTx *tx);
/* Leaves the group: what the peer lacks, and all that is new, goes to it alone. */
void fasp_tx_leave (FaspTx *tx, FaspTime now);
/* Has it left a group? */
gboolean fasp_tx_was_member (const FaspTx *tx);
/* Is it known not to hear its group? */
gboolean fasp_tx_is_deaf (const FaspTx *tx);
/* The peer has left the group of @log. Does it hear that well enough by now to join
 * again? The caller then does so. @rtt: measured. */
gboolean fasp_tx_returns (FaspTx *tx, FaspTime now, const FaspRtt *rtt, const FaspGroupLog *log);

/* The new block that was just sent goes @times more, before all else.  @missed: how often it does
 * not, as a path has no room for it. */
void fasp_tx_double (FaspTx *tx, guint times, guint missed);

/* Are there new blocks that leave as soon as it is time for them? */
gboolean fasp_tx_has_fresh (const FaspTx *tx);
/* When the next new block may leave, or any to a peer that has acknowledged nothing.  Such a peer
 * gets one block in a turn: then it is FASP_NEVER, until the session gives it another turn. */
FaspTime fasp_tx_get_fresh_time (const FaspTx *tx);
void fasp_tx_set_fresh_time (FaspTx *tx, FaspTime time);
gboolean fasp_tx_waits_as_newcomer (const FaspTx *tx);
/* How long the next new block has waited for its turn; 0: it waits for the peer's
 * window or a group. */
FaspTime fasp_tx_get_wait (const FaspTx *tx, FaspTime now);
/* When fasp_tx_next() may have something, if it has nothing now. */
FaspTime fasp_tx_get_timeout (const FaspTx *tx);

/* Grows with each skip: by the number of blocks that we skip, by one when the peer
 * does. */
static inline guint64
fasp_tx_count_skips (const FaspTx *tx)
{
  return fasp_tx_view (tx)->counts.skipped + fasp_tx_view (tx)->counts.skips_reported;
}

/* Grows when the peer needs a key frame: it has skipped, or says so. */
static inline guint64
fasp_tx_count_wants (const FaspTx *tx)
{
  return fasp_tx_count_skips (tx) + fasp_tx_view (tx)->counts.wanted;
}

/* The session, which has sent nothing yet, begins at block @number, if that is behind the
 * first one that the peer was promised. */
void fasp_tx_begin_at (FaspTx *tx, guint64 number);
/* slow-policy=skip: the peer gets nothing below @number any more. */
void fasp_tx_skip_to (FaspTx *tx, guint64 number);
/* The receiver has no use for blocks written before @media_time (its low 32 bits). When
 * a block that leaves now arrives, one round trip after the receiver said so, it has no
 * use for those younger by that round trip either. Skips all of these. If some of them
 * were never sent, and that has happened before not long ago, more is written than
 * leaves: then skips everything. The last block always stays, as it may be the end. */
void fasp_tx_expire (FaspTx *tx, FaspTime now, guint32 media_time, const FaspRtt *rtt);
/* The peer has everything before @has from another source: what has not left of that, or is lost,
 * need not be sent.  @stands_by: it wants nothing at all for now. */
void fasp_tx_has_from_others (FaspTx *tx, const FaspStreamOffset *has, gboolean stands_by);
/* Does nothing leave for that reason?  The end of the stream is for all. */
gboolean fasp_tx_stands_by (const FaspTx *tx);

G_END_DECLS
