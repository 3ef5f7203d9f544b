/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptxprivate.h: the state of a sending half, for the files that it consists of.
 */
#pragma once

#include "faspproactive.h"
#include "fasprejoin.h"
#include "fasptx.h"

G_BEGIN_DECLS

/* The group that the peer is a member of. Changed by fasptxgroup.c. */
typedef struct
{
  FaspGroupLog *log;   /* log of the group that new blocks go to; NULL: none */
  FaspGroupLog *past;  /* log of the group that the peer has left; NULL: none */
  FaspTime deaf_since; /* since when the peer has reported nothing new of the group; FASP_NEVER: it
                          reports news */
  gboolean is_deaf;    /* the peer does not hear the group */
  FaspRejoin rejoin;   /* decides when it becomes a member again */
} FaspTxGroup;

/* A stall: until the peer's acknowledgement advances, only tail probes and `blocks' leave. */
typedef struct
{
  gboolean is_on;
  guint blocks;    /* blocks that may leave in the stall, as a packet has arrived since */
  guint64 arrived; /* packets that the peer has reported as received */
  FaspTime end;    /* when feedback last came in a stall */
} FaspTxStall;

/* A block that is being sent in fragments. */
typedef struct
{
  guint64 block;
  guint8 index, count,
      round; /* index, count and round of the next fragment; count 0: there is none */
} FaspTxFragment;

struct _FaspTx
{
  FaspTxView view;  /* the first member: fasp_tx_view() */
  FaspStore *store; /* shared, not owned */
  FaspLog *log;     /* NULL: nothing is logged; not owned */
  FaspSentMap *sent_map;
  FaspProactive copies;
  FaspFec fec;
  FaspTxGroup group;
  gboolean held;              /* no datagram leaves */
  gboolean stands_by;         /* the peer has another source of the stream, and wants nothing now */
  FaspPathEstimate *estimate; /* owned */
  FaspTime fresh_time;        /* fasp_tx_get_fresh_time() */
  guint64 limit;              /* end of the peer's window, in units of the stream */
  FaspTime skip_time;         /* when to repeat the skip notice */
  FaspTime tail_time, tail_interval;
  FaspTime block_time;   /* when the newest block left */
  FaspTime gap;          /* the usual time between new blocks, smoothed; µs */
  FaspTime expired_time; /* when blocks that waited were last found too late; 0: never */
  FaspTime heard;        /* time of the last feedback */
  FaspTime advanced;     /* since when something has been unacknowledged, and the acknowledgement
                            has not advanced */
  FaspTime moved;        /* when the peer last acknowledged a block */
  guint64 arrived;       /* packets that had arrived when the peer's acknowledgement last
                            advanced */
  FaspTxStall stall;
  FaspTxFragment fragment;
  guint8 doubles, doubled; /* copies of the last block still to be sent, and already sent */
};

/* fasp_tx_stands_by(), inlined as it is called for each packet. */
static inline gboolean
tx_stands_by (const FaspTx *tx)
{
  return tx->stands_by && !fasp_store_is_finished (tx->store);
}

/* Judges by a FEEDBACK whether the peer hears its group. */
void fasp_tx_judge_hearing (FaspTx *tx, FaspTime now, const FaspRtt *rtt);
/* A peer that hears the group again, but has not rejoined, may acknowledge blocks that its session
 * has not sent: moves the cursor behind them. */
void fasp_tx_overtake (FaspTx *tx, const FaspFeedback *feedback);

G_END_DECLS
