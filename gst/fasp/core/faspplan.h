/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspplan.h: how many copies of a rex to send, by the time that is left.
 *
 * The model run backwards.  A block that is known to be lost with a time left
 * (until its rex must leave to be played in time) is sent in k copies over a
 * spread; if all are lost the sender learns so a round later, with less time
 * left.  With the path's chances that is a recursion over the time left, and
 * for a price of a skip, in datagrams, the cheapest k is known for every
 * time left.  The price is raised until the promise is kept, no further, so
 * the plan is the one of least overhead: one copy while there is time for
 * another round, several when there is not.
 *
 * Nothing here knows a clock; all times are durations.
 */
#pragma once

#include "faspmodel.h"

G_BEGIN_DECLS

#define FASP_PLAN_COPIES_MAX 8
#define FASP_PLAN_SPREAD_MAX (100 * FASP_MSEC)

typedef struct _FaspPlan FaspPlan;

typedef struct
{
  guint copies;                 /* 1 .. FASP_PLAN_COPIES_MAX */
  FaspTime spread;              /* from the first to the last of them */
} FaspPlanRex;

typedef struct
{
  FaspModelPath path;
  gdouble blocks;               /* new ones per second */
  gdouble interval;             /* wanted seconds between skips */
  gdouble spare;                /* what rexes may add, as a share of the blocks
                                 * sent */
  guint at_once;                /* copies that may leave together */
} FaspPlanGoal;

typedef struct
{
  FaspTime latency;
  gdouble interval;             /* seconds between skips to be expected */
  gdouble overhead;             /* rexes per block */
} FaspPromise;

/* With one reference; they are counted by one thread. */
FaspPlan *fasp_plan_new (void);
FaspPlan *fasp_plan_ref (FaspPlan * plan);
void fasp_plan_unref (FaspPlan * plan);
/* To be made anew for a path like that before: @plan, the reference to which it takes
 * over, if nobody else has one; NULL: there is none. */
FaspPlan *fasp_plan_make_writable (FaspPlan * plan);

/* Plans for a given latency; what can be promised. One that is less than
 * wanted is the best that the spare rate allows. */
FaspPromise fasp_plan_for_latency (FaspPlan * plan, const FaspPlanGoal * goal,
    FaspTime latency);
/* What was planned for last, and promised. */
const FaspPlanGoal *fasp_plan_get_goal (const FaspPlan * plan);
const FaspPromise *fasp_plan_get_promise (const FaspPlan * plan);
/* The smallest latency that keeps the promise, or a little above it where that
 * saves copies; it is still to be planned for. */
FaspTime fasp_plan_find_latency (const FaspPlanGoal * goal);

/* What to do for block @number, found lost with @left until its rex is of no
 * use.  Without a plan, and too late: one copy. */
FaspPlanRex fasp_plan_get (const FaspPlan * plan, FaspTime left,
    guint64 number);

G_END_DECLS
