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

#include "faspproactive.h"
#include "faspfec.h"
#include "fasplimits.h"
#include "fasppathestimate.h"
#include "faspsentmap.h"
#include "fasprejoin.h"
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

/* The group that the peer is a member of. Changed by fasptxgroup.c. */
typedef struct
{
  FaspGroupLog *log;   /* of the group that new blocks go to
                          (faspmulticastsender.h); NULL: of none */
  FaspGroupLog *past;  /* of the group that it was a member of; NULL: of none */
  FaspTime deaf_since; /* since when it has reported nothing new of the
                          group; FASP_NEVER: it does report */
  gboolean is_deaf;    /* it does not hear the group */
  FaspRejoin rejoin;   /* decides when it becomes a member again */
} FaspTxGroup;

/* What a peer has shown of itself. */
typedef enum
{
  FASP_TX_UNHEARD, /* it called, and has reported nothing: it may be no receiver */
  FASP_TX_REPORTS, /* it reports, and has acknowledged no block */
  FASP_TX_TAKES,   /* it has acknowledged a block, or it is a peer that we called */
} FaspTxPeer;

/* Nothing but tail probes leaves until the peer's acknowledgement advances. */
typedef struct
{
  gboolean is_on;
  guint blocks;    /* that may leave all the same, as a packet has arrived since */
  guint64 arrived; /* packets that the peer has reported as received */
  FaspTime end;    /* when feedback last came in a stall */
} FaspTxStall;

/* A block that is being sent in fragments. */
typedef struct
{
  guint64 block;
  guint8 index, count, round; /* of the next fragment; count 0: there is none */
} FaspTxFragment;

typedef struct
{
  guint64 blocks_sent, payload_sent, blocks_resent, payload_resent;
  guint64 copies_sent; /* those among blocks_resent */
  guint64 blocks_doubled, repairs_sent;
  guint64 blocks_not_doubled; /* counted by the session */
  guint64 skips_reported;     /* how often something came too late, as the peer reports */
  guint64 wanted;             /* how often the peer wanted a key frame */
  guint64 lost, confirmed, payload_confirmed, skipped, feedback;
  guint64 rounds[FASP_ROUNDS];
} FaspTxCounts;

typedef struct
{
  FaspStore *store; /* shared, not owned */
  FaspSentMap *sent_map;
  FaspProactive copies;
  FaspFec fec; /* initialised by the caller */
  FaspTxGroup group;
  gboolean held;      /* nothing leaves; set by the caller */
  gboolean no_rtx;    /* what is lost is given up; set by the caller */
  gboolean stands_by; /* the peer has another source of the stream, and wants nothing now */
  FaspPathEstimate estimate;
  guint64 cursor;      /* next new block */
  FaspTime fresh_time; /* when that block may leave, or any to a peer that has acknowledged nothing;
                          set by the caller */
  guint64 limit;       /* end of the peer's window, in units of the stream */
  guint64 acked;       /* the peer has all blocks below */
  guint64 skip_to;     /* blocks below will never be sent; > acked until
                          the peer has confirmed it */
  FaspTime skip_time;  /* when to repeat the skip notice */
  FaspTime tail_time, tail_interval;
  FaspTime block_time;   /* when the newest block left */
  FaspTime gap;          /* the usual time between new blocks, smoothed; µs */
  FaspTime expired_time; /* when blocks that waited were last found too late; 0: never */
  FaspTime heard;        /* time of the last feedback */
  FaspTxPeer peer;       /* set by the caller to begin with */
  FaspTime advanced;     /* since when something has been unacknowledged, and the acknowledgement
                            has not advanced */
  FaspTime moved;        /* when the peer last acknowledged a block */
  guint64 arrived;       /* packets that had arrived when its acknowledgement last advanced */
  FaspTxStall stall;
  FaspTxFragment fragment;
  guint8 doubles, doubled; /* how often the last block still has to go again,
                              and how often it did */
  FaspTxCounts counts;
} FaspTx;

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

/* @start: first block of this session. @window: units that the peer takes. The caller
 * initialises the estimate; fasp_tx_clear() clears it. */
void fasp_tx_init (FaspTx *tx, FaspStore *store, guint64 start, guint32 window, FaspTime now);
void fasp_tx_clear (FaspTx *tx);

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

/* For how long the peer has acknowledged nothing new although it was sent something; 0: it has
 * everything that was sent, or is to get nothing now. */
FaspTime fasp_tx_get_unacknowledged (const FaspTx *tx, FaspTime now);
/* For how long it has taken nothing although something waits for it: its window is closed. */
FaspTime fasp_tx_get_full (const FaspTx *tx, FaspTime now);
/* That of fasp_tx_get_unacknowledged() after which a peer counts as stuck. */
FaspTime fasp_tx_get_patience (const FaspTx *tx, const FaspRtt *rtt);
/* Our process did not run for @span, so that no acknowledgement could come. */
void fasp_tx_excuse (FaspTx *tx, FaspTime span);

/* From now on, new blocks go to the group of @log, which is not owned. */
void fasp_tx_join (FaspTx *tx, FaspTime now, FaspGroupLog *log);
/* A member: accounts for the blocks that the group has sent meanwhile. */
void fasp_tx_follow_group (FaspTx *tx);
/* Leaves the group: what the peer lacks, and all that is new, goes to it alone. */
void fasp_tx_leave (FaspTx *tx, FaspTime now);
/* Is it known not to hear its group? */
gboolean fasp_tx_is_deaf (const FaspTx *tx);
/* The peer has left the group of @log. Does it hear that well enough by now to join
 * again? The caller then does so. @rtt: measured. */
gboolean fasp_tx_returns (FaspTx *tx, FaspTime now, const FaspRtt *rtt, const FaspGroupLog *log);

/* The new block that was just sent goes @times more, before all else. */
void fasp_tx_double (FaspTx *tx, guint times);

/* Are there new blocks that leave as soon as it is time for them? */
gboolean fasp_tx_has_fresh (const FaspTx *tx);
/* How long the next new block has waited for its turn; 0: it waits for the peer's
 * window or a group. */
FaspTime fasp_tx_get_wait (const FaspTx *tx, FaspTime now);
/* Units that the peer still takes. */
guint64 fasp_tx_get_window (const FaspTx *tx);
/* When fasp_tx_next() may have something, if it has nothing now. */
FaspTime fasp_tx_get_timeout (const FaspTx *tx);

/* Grows with each skip: by the number of blocks that we skip, by one when the peer
 * does. */
static inline guint64
fasp_tx_count_skips (const FaspTx *tx)
{
  return tx->counts.skipped + tx->counts.skips_reported;
}

/* Grows when the peer needs a key frame: it has skipped, or says so. */
static inline guint64
fasp_tx_count_wants (const FaspTx *tx)
{
  return fasp_tx_count_skips (tx) + tx->counts.wanted;
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
void fasp_tx_has_elsewhere (FaspTx *tx, const FaspStreamOffset *has, gboolean stands_by);
/* Does nothing leave for that reason?  The end of the stream is for all. */
static inline gboolean
fasp_tx_stands_by (const FaspTx *tx)
{
  return tx->stands_by && !fasp_store_is_finished (tx->store);
}

/* The session needs nothing below this block any more. */
guint64 fasp_tx_get_base (const FaspTx *tx);
/* The stream is finished, and all of it acknowledged. */
gboolean fasp_tx_is_complete (const FaspTx *tx);

G_END_DECLS
