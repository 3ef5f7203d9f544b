/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspplanner.h: plans for all the sessions of an endpoint.
 *
 * A plan takes a millisecond to make and some 90 kB to keep, and a thousand receivers
 * on one network have paths that are alike.  So who needs a plan gets one that was
 * made of late for another, if that one's path is not noticeably different: no more so
 * than its own may become before it plans again.
 *
 * Whose path changes all the time plans all the time, and there may be thousands, on purpose.  So
 * of plans that are made, in the thread that all share,
 *
 *     plans made in any time t <= FASP_PLANNER_RATE t + FASP_PLANNER_BURST
 */
#pragma once

#include "faspplan.h"

G_BEGIN_DECLS

/* Others' plans are taken for so long, */
#define FASP_PLANNER_FRESH (3 * FASP_SEC)
/* and so many of them are kept. */
#define FASP_PLANNER_PLANS 8
/* So many are made a second, and at once. */
#define FASP_PLANNER_RATE 25
#define FASP_PLANNER_BURST 50

typedef struct _FaspPlanner FaspPlanner;

FaspPlanner *fasp_planner_new (void);
void fasp_planner_free (FaspPlanner * planner);

/* A plan for such a path and latency, in place of @before, the reference to which it
 * takes over; NULL: there was none.  @before itself, unchanged: none is made now. */
FaspPlan *fasp_planner_plan (FaspPlanner * planner, FaspTime now,
    FaspPlan * before, const FaspPlanGoal * goal, FaspTime latency);

/* Is that noticeably another path, for which to plan anew? */
gboolean fasp_planner_differs (const FaspPlanGoal * a, const FaspPlanGoal * b);

G_END_DECLS
