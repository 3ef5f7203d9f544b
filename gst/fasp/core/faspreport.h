/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreport.h: when a receiver tells what has come, and what is missing.
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
#include "faspreorder.h"
#include "faspwire.h"

G_BEGIN_DECLS

typedef struct
{
  const FaspReorder *reorder;   /* what is here */
  FaspTime rtt;                 /* smoothed */
  FaspTime sent, due;           /* the last, the next */
  FaspTime least_from;          /* FASP_FEEDBACK_LEAST is used up to then */
  guint repeats;                /* since the last loss; 0: none was told */
  gboolean owed;                /* said as soon as there is allowance for it */
  gint64 allowance;             /* bytes of feedback; may be negative */
  FaspAllowance budget;         /* of it, that the way back takes */
  guint64 told_taken;           /* units taken when the window was last told */
  guint64 part_from;            /* where the next part of a long list starts */
  FaspTime interval;            /* regular clock while anything is missing, */
  FaspTime interval_whole;      /* and while nothing is */
  guint64 came;                 /* bytes since the last */
  gboolean eager;               /* then, too, somebody waits for news: of arrivals, or of
                                   several flows; the caller's */
  gboolean member;              /* of a group: then */
  FaspDamp damp;
  FaspTime clock_since;         /* it was longer before */
  FaspTime speaks_until;        /* is the speaker of all, not one of many, and */
  gboolean speaks;
  gboolean asks;                /* the feedback that is due does */
  guint64 count;                /* sent */
} FaspReport;

/* @reorder: is there as long as this. */
void fasp_report_init (FaspReport * report, FaspTime now,
    const FaspReorder * reorder);

/* Is a member of a group from now on. @seed: another one for each. */
void fasp_report_join (FaspReport * report, guint64 seed, guint members,
    FaspTime back_off, guint clock_ms);
/* It is one of many that may lack the same. */
gboolean fasp_report_is_damped (const FaspReport * report);
/* What the sender tells all of them. */
void fasp_report_group (FaspReport * report, FaspTime now, guint64 members,
    guint64 back_off_us, guint64 clock_ms);
/* It is to ask for what all of them may lack, for a while. */
void fasp_report_speak (FaspReport * report, FaspTime now);
/* One of many: is anything missing that was not known to exist when it was last to be asked
 * for? */
gboolean fasp_report_is_missing_unasked (const FaspReport * report);
/* A member: packets of the group below which are settled, as it is to be told now. */
guint64 fasp_report_tell_settled (FaspReport * report);

/* A datagram of @size bytes arrived. */
void fasp_report_datagram (FaspReport * report, FaspTime now, gsize size,
    FaspTime smoothed_rtt);
/* It brought some of a block: the regular clock goes on. */
void fasp_report_data (FaspReport * report);
/* Losses were settled by the passing of time. */
void fasp_report_settled (FaspReport * report, FaspTime now);
/* The sender asks. @all: every member. */
void fasp_report_asked (FaspReport * report, FaspTime now, gboolean all);
/* All of the stream is here. */
void fasp_report_complete (FaspReport * report, FaspTime now);
/* Blocks were taken: the window may be open again. */
void fasp_report_taken (FaspReport * report, FaspTime now);
/* There is something to say. */
void fasp_report_now (FaspReport * report, FaspTime now);

/* When it may be due. */
FaspTime fasp_report_get_timeout (const FaspReport * report);
/* And whether it is. */
gboolean fasp_report_is_due (FaspReport * report, FaspTime now);
/* Fills in what has come and what is missing; at most @room bytes of ranges. */
void fasp_report_fill (FaspReport * report, FaspFeedback * feedback,
    gsize room);
void fasp_report_sent (FaspReport * report, FaspTime now, gsize size);

G_END_DECLS
