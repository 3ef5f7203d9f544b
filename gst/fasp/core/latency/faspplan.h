/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspplan.h: how many copies of a retransmission to send, depending on the time left.
 *
 * A plan is solved backwards in time with the model (faspmodel.h).  When a block is found lost,
 * some time is left until its retransmission must leave to be played in time.  The sender sends k
 * copies of the retransmission over a spread; if all of them are lost, it learns that one round
 * later, with less time left.  With the path's probabilities this is a recursion over
 * the time left.  For a given price of a skip, in datagrams, it yields the cheapest k
 * for every time left.  The price is raised until the promise is kept, and no further,
 * so the plan has the least overhead: one copy while there is time for another round,
 * several when there is not.
 *
 * Nothing here uses a clock: all times are durations, in µs.
 */
#pragma once

#include "faspmodel.h"

G_BEGIN_DECLS

#define FASP_PLAN_COPIES_MAX 8
#define FASP_PLAN_SPREAD_MAX (100 * FASP_MSEC)

typedef struct _FaspPlan FaspPlan;

typedef struct
{
  guint copies;    /* 1 .. FASP_PLAN_COPIES_MAX */
  FaspTime spread; /* time from the first copy to the last */
} FaspPlanRtx;

typedef struct
{
  FaspModelPath path;
  /* chance that the original of a block is lost, and the next one, too, if it was: the path's, or
   * less if each block leaves on several flows at once */
  gdouble lost, stay;
  gdouble blocks;   /* new ones per second */
  gdouble interval; /* wanted seconds between skips */
  gdouble spare;    /* retransmissions that may be added, as a share of the
                       blocks sent */
  guint at_once;    /* copies that may leave together */
  gboolean no_rtx;  /* lost blocks are not retransmitted */
} FaspPlanGoal;

typedef struct
{
  FaspTime latency;
  gdouble interval; /* expected seconds between skips */
  gdouble overhead; /* retransmissions per block */
} FaspPromise;

/* Returns a plan with one reference.  References are not thread-safe. */
FaspPlan *fasp_plan_new (void);
FaspPlan *fasp_plan_ref (FaspPlan *plan);
void fasp_plan_unref (FaspPlan *plan);
/* Returns a plan to be solved again for a similar path: @plan itself if this is its only reference,
 * else a new one.  Takes over the reference to @plan, which may be NULL. */
FaspPlan *fasp_plan_make_writable (FaspPlan *plan);

/* Plans for a given latency and returns its promise.  A promise below the wanted interval is the
 * best that the spare rate allows. */
FaspPromise fasp_plan_for_latency (FaspPlan *plan, const FaspPlanGoal *goal, FaspTime latency);
/* The last goal planned for, and the promise made. */
const FaspPlanGoal *fasp_plan_get_goal (const FaspPlan *plan);
const FaspPromise *fasp_plan_get_promise (const FaspPlan *plan);
/* The smallest latency that keeps the promise, or a little more where that saves
 * copies.  It does not plan for that latency. */
FaspTime fasp_plan_find_latency (const FaspPlanGoal *goal);

/* The retransmission of block @number, which is found lost when @left µs remain for it to leave.
 * One copy if there is no plan yet, or if it is too late. */
FaspPlanRtx fasp_plan_get (const FaspPlan *plan, FaspTime left, guint64 number);

G_END_DECLS
