/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprx.h: the receiving half of a session: blocks in and in order out, the clock
 * they were made by, and those that are too late.  What is told of them: faspreport.h.
 */
#pragma once

#include "faspgap.h"
#include "faspheader.h"
#include "faspmediaclock.h"
#include "faspplayout.h"
#include "faspposition.h"
#include "faspreport.h"
#include "faspskew.h"
#include "faspsolver.h"
#include "faspwire.h"

G_BEGIN_DECLS

typedef struct
{
  FaspReorder *reorder;
  FaspSolver *solver;           /* NULL: repairs are not agreed upon */
  FaspTime patience, patience_end;      /* that lost blocks are given to be
                                   recovered, until then */
  FaspTime solver_end;          /* blocks are remembered for it until then */
  FaspPosition position;        /* of what is taken next; the caller's to
                                   initialise */
  gboolean discont;             /* a mark that was passed over followed a hole */
  FaspHeaderParts header;       /* of the stream, so far */
  gboolean needs_header;        /* nothing else is of use before it; the caller's */
  FaspMediaClock clock;
  FaspSkew skew;
  FaspPlayout playout;
  gboolean give_up;             /* too-late=skip, */
  gboolean gave_up;             /* and it has; */
  gboolean behind;              /* what came last came too late */
  guint64 promised;             /* seconds between skips; 0: not told */
  guint64 skips;                /* times that something was too late */
  FaspTime last_late;
  FaspTime first_data;          /* FASP_NEVER: none yet */
  FaspHist lateness, lateness_in_order; /* µs */
  gboolean complete;            /* the end of the stream was taken */
  gboolean has_eos;             /* its number is known */
  guint64 eos;
  FaspReport report;
  /* figures */
  guint64 blocks, payload, rexes, duplicates, given_up;
  guint64 repairs, recovered;
  guint64 rounds[FASP_ROUNDS];
} FaspRx;

void fasp_rx_init (FaspRx * rx, FaspTime now, guint64 start,
    guint32 capacity, const FaspLatency * agreed);
void fasp_rx_clear (FaspRx * rx);
/* Takes repairs of up to @window blocks from now on. */
void fasp_rx_set_fec (FaspRx * rx, FaspTime now, guint window);

typedef struct
{
  guint64 number;
  FaspTime media_time;
  gboolean fresh;               /* the block was not here before */
} FaspRxArrival;

FaspRxArrival fasp_rx_data (FaspRx * rx, FaspTime now,
    const FaspFrame * frame);
/* That lost packets have until they are told of. */
FaspTime fasp_rx_get_patience (const FaspRx * rx, FaspTime now);
void fasp_rx_repair (FaspRx * rx, FaspTime now, const FaspFrame * frame);
/* After all that came together: takes the blocks that repairs bring back. */
void fasp_rx_recover (FaspRx * rx, FaspTime now);
/* @all: every member was asked. */
void fasp_rx_tail (FaspRx * rx, FaspTime now, guint64 end, gboolean all);
/* Block @number begins there. */
void fasp_rx_position (FaspRx * rx, guint64 number, const FaspPlace * place);
void fasp_rx_skip (FaspRx * rx, FaspTime now, guint64 number);
/* Next block in order; an end of stream sets complete. */
FaspBlock *fasp_rx_take (FaspRx * rx, FaspTime now);

/* too-late=skip: gives up what should have been played. */
void fasp_rx_give_up (FaspRx * rx, FaspTime now);
FaspTime fasp_rx_get_give_up_time (const FaspRx * rx, FaspTime now);

/* too-late=skip, and all comes too late: before which media time the sender is to leave out
 * what it has.  FALSE: none of it. */
gboolean fasp_rx_tell_expired (FaspRx * rx, FaspTime now,
    FaspTime * media_time);
/* Fills in all but the flows; at most @room bytes of ranges. */
void fasp_rx_fill_feedback (FaspRx * rx, FaspTime now,
    FaspFeedback * feedback, gsize room);

G_END_DECLS
