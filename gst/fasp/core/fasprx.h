/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprx.h: the receiving half of a session: blocks in, feedback out.
 *
 * Feedback is sent
 *   - at once when a loss is settled, and while anything is missing again
 *     and again (FASP_FEEDBACK_REPEAT), so that losing one costs
 *     milliseconds and not a round trip,
 *   - every quarter of a round trip (10 to 100 ms) while data comes, or every
 *     100 ms where that would take more than a quarter of what is saved,
 *   - at once when asked by a tail probe, when the window opens again and
 *     when the stream is complete,
 * within a share of what is received (FASP_FEEDBACK_SHARE and its bounds), beyond
 * which only the regular clock goes on.  Half of what may be said in advance is kept for
 * the first repetitions of new losses.  All of it stays within what the sender
 * has found that the way back takes (faspbudget.h).
 *
 * One of many members of a group waits for a random time before it tells of a loss
 * (faspdamp.h), tells nothing if the block has come by then, and has a slower clock.
 */
#pragma once

#include "faspbudget.h"
#include "faspdamp.h"
#include "faspgap.h"
#include "faspheader.h"
#include "faspmediaclock.h"
#include "faspplayout.h"
#include "faspposition.h"
#include "faspreorder.h"
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
  FaspTime least_from;          /* FASP_FEEDBACK_LEAST is used up to then */
  FaspTime feedback_sent, feedback_due;
  guint repeats;                /* since the last loss; 0: none was told */
  gboolean owed;                /* said as soon as there is allowance for it */
  gint64 allowance;             /* bytes of feedback; may be negative */
  FaspAllowance budget;         /* of it, that the way back takes */
  guint64 told_taken;           /* units taken when the window was last told */
  guint64 part_from;            /* where the next part of a long list starts */
  FaspTime interval;            /* regular clock while anything is missing, */
  FaspTime interval_whole;      /* and while nothing is */
  guint64 came;                 /* bytes since feedback was sent last */
  gboolean eager;               /* then, too, somebody waits for news: of arrivals, or of
                                   several flows; the caller's */
  gboolean member;              /* of a group: then */
  FaspDamp damp;
  FaspTime clock_since;         /* it was longer before */
  FaspTime speaks_until;        /* is the speaker of all, not one of many, and */
  gboolean speaks;
  gboolean asks;                /* the feedback that is due does */
  FaspTime rtt;
  /* figures */
  guint64 blocks, payload, rexes, duplicates, given_up, feedbacks;
  guint64 repairs, recovered;
  guint64 rounds[FASP_ROUNDS];
} FaspRx;

void fasp_rx_init (FaspRx * rx, FaspTime now, guint64 start,
    guint32 capacity, const FaspLatency * agreed);
void fasp_rx_clear (FaspRx * rx);
/* Is a member of a group from now on. @seed: another one for each. */
void fasp_rx_join (FaspRx * rx, guint64 seed, guint members, FaspTime back_off,
    guint clock_ms);
/* It is one of many that may lack the same. */
gboolean fasp_rx_is_damped (const FaspRx * rx);
/* What the sender tells all of them. */
void fasp_rx_group (FaspRx * rx, FaspTime now, guint64 members,
    guint64 back_off_us, guint64 clock_ms);
/* Says what it has, as nothing is heard of the group. */
void fasp_rx_speak_up (FaspRx * rx, FaspTime now);
/* It is to ask for what all of them may lack, for a while. */
void fasp_rx_speak (FaspRx * rx, FaspTime now);
/* Takes repairs of up to @window blocks from now on. */
void fasp_rx_set_fec (FaspRx * rx, FaspTime now, guint window);

/* A datagram of @size bytes arrived. */
void fasp_rx_datagram (FaspRx * rx, FaspTime now, gsize size,
    FaspTime smoothed_rtt);

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
/* One of many: is anything missing that was not known to exist when it was last to be asked
 * for? */
gboolean fasp_rx_is_missing_unasked (const FaspRx * rx);
/* Losses were settled by the passing of time. */
void fasp_rx_settled (FaspRx * rx, FaspTime now);

/* Next block in order; an end of stream sets complete. */
FaspBlock *fasp_rx_take (FaspRx * rx, FaspTime now);

/* too-late=skip: gives up what should have been played. */
void fasp_rx_give_up (FaspRx * rx, FaspTime now);
FaspTime fasp_rx_get_give_up_time (const FaspRx * rx, FaspTime now);

/* When feedback may be due. */
FaspTime fasp_rx_get_timeout (const FaspRx * rx);
/* And whether it is. */
gboolean fasp_rx_is_due (FaspRx * rx, FaspTime now);
/* too-late=skip, and all comes too late: before which media time the sender is to leave out
 * what it has.  FALSE: none of it. */
gboolean fasp_rx_tell_expired (FaspRx * rx, FaspTime now,
    FaspTime * media_time);
/* A member: packets of the group below which are settled, as it is to be told now. */
guint64 fasp_rx_tell_settled (FaspRx * rx);
/* Fills in all but the flows; at most @room bytes of ranges. */
void fasp_rx_fill_feedback (FaspRx * rx, FaspTime now,
    FaspFeedback * feedback, gsize room);
void fasp_rx_feedback_sent (FaspRx * rx, FaspTime now, gsize size);

G_END_DECLS
