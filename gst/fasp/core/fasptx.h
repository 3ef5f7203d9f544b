/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptx.h: the sending half of a session: what goes next, and when.
 *
 * Order, all inside the one pace: a skip notice, doubles of the block sent last,
 * rexes (earliest block first), repair symbols that are owed, copies of rexes that
 * are due, new blocks up to the peer's window, a
 * tail probe.  Copies leave with what the channel has left unused lately, so
 * they never keep new blocks from leaving for long.
 *
 * A tail probe repeats the number of the last block after a pause, so that
 * the loss of the last blocks is seen as soon as any other; its interval
 * doubles until something new is sent or acknowledged.  When nothing has been
 * heard for long the sender stalls: only probes go out until the peer is
 * heard again.
 *
 * A member of a group sends rexes only; new blocks, and the tail probes for them,
 * are the group's.  Its own ask a peer that has been silent for long.
 */
#pragma once

#include "faspcopies.h"
#include "faspfec.h"
#include "faspoutlook.h"
#include "fasprepair.h"
#include "faspreturn.h"
#include "faspstore.h"

G_BEGIN_DECLS

/* Blocks in flight must be told apart by their low bits. */
#define FASP_WINDOW_MAX (1u << (FASP_BLOCK_BITS - 2))
/* The first one, where there is time to repair what it shows; */
#define FASP_TX_TAIL_FIRST (8 * FASP_MSEC)
/* where there is less, but not before the stream has paused. */
#define FASP_TX_TAIL_LEAST FASP_MSEC
#define FASP_TX_TAIL_MAX (100 * FASP_MSEC)

typedef struct
{
  FaspStore *store;             /* shared, not owned */
  FaspRepair *repair;
  FaspCopies copies;
  FaspFec fec;                  /* the caller's to initialise */
  FaspGroupLog *log;            /* new blocks go to a group (faspgroup.h); NULL: not */
  FaspGroupLog *past;           /* of the group that it was a member of; NULL: of none */
  FaspTime deaf_since;          /* it has told of nothing new of it, FASP_NEVER: it has; */
  gboolean deaf;                /* and does not hear it */
  FaspReturn back;              /* when it is to be a member again */
  gboolean no_rex;              /* what is lost is given up; the caller's */
  FaspOutlook outlook;
  guint64 cursor;               /* next new block, */
  FaspTime fresh_time;          /* which does not leave before; the caller's */
  guint64 limit;                /* units of the stream the peer has room for */
  guint64 acked;                /* the peer has everything below */
  guint64 skip_to;              /* blocks below will never be sent; > acked
                                   while the peer has not confirmed it */
  FaspTime skip_time;           /* when to repeat the notice */
  FaspTime tail_time, tail_interval;
  FaspTime block_time;          /* when the newest block left, */
  FaspTime gap;                 /* and after how long the newest ones, smoothed */
  FaspTime expired_time;        /* when some of what waits was too late; 0: never */
  FaspTime heard;               /* last feedback */
  gboolean stalled;
  FaspTime stall_end;           /* of the last one */
  /* a block being sent in fragments */
  guint64 fragment_block;
  guint8 fragment_index, fragment_count, fragment_round;
  guint8 doubles, doubled;      /* more of the block sent last, of which so many
                                   have left */
  /* figures */
  guint64 blocks_sent, payload_sent, blocks_resent, payload_resent;
  guint64 copies_sent;          /* of those resent */
  guint64 blocks_doubled, repairs_sent;
  guint64 skips_told;           /* by the peer: what came too late */
  guint64 lost, confirmed, payload_confirmed, skipped, feedback;
  guint64 rounds[FASP_ROUNDS];
} FaspTx;

typedef enum
{
  FASP_TX_NOTHING,
  FASP_TX_BLOCK,                /* the fields below */
  FASP_TX_REPAIR,               /* of blocks [number, end) */
  FASP_TX_TAIL,
  FASP_TX_SKIP,
} FaspTxKind;

typedef struct
{
  FaspTxKind kind;
  guint64 number;               /* block, or that of the TAIL, SKIP frame */
  guint8 round, copy, index, count;     /* TAIL: count, of flows that it goes on yet, with
                                           this one */
  guint64 end;
} FaspTxItem;

/* @start: first block of this session. @window: units the peer takes. The
 * outlook is the caller's to initialise; cleared here. */
void fasp_tx_init (FaspTx * tx, FaspStore * store, guint64 start,
    guint32 window, FaspTime now);
void fasp_tx_clear (FaspTx * tx);

/* @dead: a bit for each flow found dead by it. FALSE: stale or impossible. */
gboolean fasp_tx_feedback (FaspTx * tx, FaspTime now,
    const FaspFeedback * feedback, FaspRtt * rtt, guint64 * dead);

/* What is to be sent at @now: asked again it is the same until fasp_tx_sent().  On the way it gives up what is
 * of no use any more: blocks that the store has lost, or that are not sent again, and copies
 * that are too late. @room: payload bytes that fit beside a whole block's header. @unused: bytes
 * that copies may take. */
FaspTxItem fasp_tx_next (FaspTx * tx, FaspTime now, const FaspRtt * rtt,
    guint32 room, gint64 unused);
void fasp_tx_sent (FaspTx * tx, FaspTime now, const FaspRtt * rtt,
    const FaspTxItem * item);

/* Nobody is there: only probes go out until the peer is heard. */
void fasp_tx_stall (FaspTx * tx, FaspTime now);

/* New blocks go to a group, as @log tells, from now on. */
void fasp_tx_join (FaspTx * tx, FaspTime now, FaspGroupLog * log);
/* Not any more: what the peer lacks, and all that comes, goes by itself. */
void fasp_tx_leave (FaspTx * tx, FaspTime now);
/* Is known to hear nothing of its group. */
gboolean fasp_tx_is_deaf (const FaspTx * tx);
/* One that has left the group of @log, of which @rtt is known: does it hear it well enough
 * by now to join it again? Whoever asks does that. */
gboolean fasp_tx_returns (FaspTx * tx, FaspTime now, const FaspRtt * rtt,
    const FaspGroupLog * log);

/* The new block that was sent just now goes @times more before all else. */
void fasp_tx_double (FaspTx * tx, guint times);

/* How long the next new block has waited for its turn; 0: it waits for the peer, or a group. */
FaspTime fasp_tx_get_wait (const FaspTx * tx, FaspTime now);
/* Units that the peer still takes. */
guint64 fasp_tx_get_window (const FaspTx * tx);
/* When fasp_tx_next() may have something if it has nothing now. */
FaspTime fasp_tx_get_timeout (const FaspTx * tx);

/* It grows whenever something is passed over: by blocks that we do, by one when the peer does. */
static inline guint64
fasp_tx_count_skips (const FaspTx * tx)
{
  return tx->skipped + tx->skips_told;
}

/* slow-policy=skip: the peer gets nothing below @number any more. */
void fasp_tx_skip_to (FaspTx * tx, guint64 number);
/* The receiver has no use for what was written before @media_time (low 32 bits of it), nor for
 * what is younger by the round trip that this and what leaves now take.  That is skipped, and where
 * some of it has not been sent yet, as not long ago, all that has not: more comes than leaves.  But
 * for the last block, which may be the end. */
void fasp_tx_expire (FaspTx * tx, FaspTime now, guint32 media_time,
    const FaspRtt * rtt);
/* Everything before this block is no longer needed for this session. */
guint64 fasp_tx_get_base (const FaspTx * tx);
/* The whole of a finished stream is acknowledged. */
gboolean fasp_tx_is_complete (const FaspTx * tx);

G_END_DECLS
