/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprx.h: the receiving half of a session.  It takes blocks in any order, delivers
 * them in order, follows the sender's clock, and deals with blocks that are too late.
 * faspfeedback.h decides when the sender hears about them.
 *
 * FaspRx owns the reorder buffer and the decoder.  Times are µs on the caller's clock.
 */
#pragma once

#include "faspelsewhere.h"
#include "faspgap.h"
#include "faspstreamheader.h"
#include "fasphist.h"
#include "faspkeyframe.h"
#include "fasplimits.h"
#include "faspmediaclock.h"
#include "faspplayout.h"
#include "faspposition.h"
#include "faspfeedback.h"
#include "faspskew.h"
#include "fasprlcdecoder.h"
#include "faspwire.h"

G_BEGIN_DECLS

/* What came too late, or not at all. */
typedef struct
{
  gboolean has_given_up;     /* something was given up */
  gboolean is_behind;        /* the last block came too late */
  guint64 promised_interval; /* expected seconds between skips, as the sender says; 0: it has not
                       said it; set by the session */
  guint64 skips;             /* seconds of the stream in which something was missing or too late */
  FaspTime skip_time;        /* when the last of them began */
  FaspTime in_order;         /* when the last block in order was written, by our clock */
  guint64 rows;  /* runs of seconds in which something was late, as feedback reports them */
  FaspTime last; /* when a block last came too late */
  FaspHist lateness, lateness_in_order; /* µs */
} FaspRxLate;

/* Repairs, and the time that lost blocks have to be recovered by them. */
typedef struct
{
  FaspRlcDecoder *decoder;         /* owned; NULL: the ends did not agree on repairs */
  FaspTime end;                    /* blocks are kept for the decoder until then */
  FaspTime patience, patience_end; /* extra time that lost blocks have to be recovered; valid until
                                      patience_end */
} FaspRxFec;

/* The end of the stream. */
typedef struct
{
  gboolean is_known; /* the number of the block with it is known */
  guint64 number;    /* of that block */
  gboolean is_taken; /* that block was taken: the stream is complete */
} FaspRxEnd;

typedef struct
{
  guint64 blocks, payload, retransmissions, duplicates, given_up;
  guint64 elsewhere; /* blocks passed over, as the reader has them from another source */
  guint64 repairs, recovered;
  guint64 rounds[FASP_ROUNDS];
} FaspRxCounts;

typedef struct
{
  FaspReorder *reorder;
  FaspRxFec fec;
  FaspPosition position;   /* of the next block taken; the caller
                              initialises it */
  FaspElsewhere elsewhere; /* what the reader has from other sources */
  gboolean discont; /* a mark that was passed over followed a hole, so the next block does, too */
  FaspStreamHeaderParts header; /* of the stream, so far */
  gboolean needs_header; /* blocks are dropped until the header has come; set by the caller */
  FaspMediaClock clock;
  FaspSkew skew;
  FaspPlayout playout;
  gboolean give_up; /* too-late=skip */
  FaspRxLate late;
  FaspTime first_data;    /* when the first block came; FASP_NEVER: none yet */
  FaspKeyFrame key_frame; /* the application's requests to the sender */
  FaspRxEnd end;
  FaspFeedbackTracker feedback;
  FaspRxCounts counts;
} FaspRx;

void fasp_rx_init (FaspRx *rx, FaspTime now, guint64 start, guint32 capacity,
    const FaspLatency *agreed);
void fasp_rx_clear (FaspRx *rx);
/* From now on, takes repairs of up to @window blocks. */
void fasp_rx_set_fec (FaspRx *rx, FaspTime now, guint window);

typedef struct
{
  guint64 number;
  FaspTime media_time;
  gboolean fresh; /* the block was not here before */
} FaspRxArrival;

/* @memory: where the payload lies, if it may stay there; else NULL. */
FaspRxArrival fasp_rx_data (FaspRx *rx, FaspTime now, const FaspDataFrame *data,
    FaspMemory *memory);
/* The reader has bytes from other sources: passes over holes in which nothing else is missing.
 * TRUE: there is something to report. */
gboolean fasp_rx_set_elsewhere (FaspRx *rx, FaspTime now, const FaspElsewhere *elsewhere);
/* How long lost packets may still be recovered before the receiver reports them. */
FaspTime fasp_rx_get_patience (const FaspRx *rx, FaspTime now);
void fasp_rx_repair (FaspRx *rx, FaspTime now, const FaspRepairFrame *repair);
/* Takes the blocks that repairs bring back.  Call it after all datagrams that came
 * together. */
void fasp_rx_recover (FaspRx *rx, FaspTime now);
/* The sender's tail probe: blocks below @end exist.  @all: it asked every member of the
 * group. */
void fasp_rx_tail (FaspRx *rx, FaspTime now, guint64 end, gboolean all);
/* Block @number begins at @position of the stream. */
void fasp_rx_position (FaspRx *rx, guint64 number, const FaspStreamOffset *position);
/* Gives up what is missing below @number. */
void fasp_rx_skip (FaspRx *rx, FaspTime now, guint64 number);
/* The next block in order with its reference, or NULL; the end of the stream sets
 * complete. */
FaspBlock *fasp_rx_take (FaspRx *rx, FaspTime now);

/* too-late=skip: gives up missing blocks that should have been played by now. */
void fasp_rx_give_up (FaspRx *rx, FaspTime now);
FaspTime fasp_rx_get_give_up_time (const FaspRx *rx, FaspTime now);

/* TRUE: the sender may leave out all blocks from before *media_time, as blocks come too late
 * (too-late=skip).  FALSE: it is to leave out nothing. */
gboolean fasp_rx_report_expired (FaspRx *rx, FaspTime now, FaspTime *media_time);
/* Asks the sender for a key frame, if that is due. */
void fasp_rx_ask_for_key_frame (FaspRx *rx, FaspTime now);
/* Fills in all but the flows, with at most @room bytes of ranges. */
void fasp_rx_fill_feedback (FaspRx *rx, FaspTime now, FaspFeedback *feedback, gsize room);

G_END_DECLS
