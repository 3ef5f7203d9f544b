/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspplanner.h: plans for all the sessions of an endpoint.
 *
 * A plan takes a millisecond to make and some 90 kB to keep, and a thousand receivers on one
 * network have similar paths.  So a session that needs a plan gets one that was made recently for
 * another session, if that session's path is not noticeably different: by no more than its own path
 * may change before it plans again.
 *
 * A session whose path keeps changing keeps planning.  There may be thousands of them, and peers
 * can cause changes on purpose.  All share one thread, so new plans are limited:
 *
 *     plans made in any time t <= FASP_PLANNER_RATE t + FASP_PLANNER_BURST
 */
#pragma once

#include "faspplan.h"

G_BEGIN_DECLS

/* A plan may be shared with other sessions for this long. */
#define FASP_PLANNER_FRESH (3 * FASP_SEC)
/* Plans kept for other sessions. */
#define FASP_PLANNER_PLANS 8
/* New plans per second, and at once. */
#define FASP_PLANNER_RATE 25
#define FASP_PLANNER_BURST 50

typedef struct _FaspPlanner FaspPlanner;

FaspPlanner *fasp_planner_new (void);
void fasp_planner_free (FaspPlanner *planner);

/* Returns a plan for this path and latency, and takes over the reference to @before, the last plan
 * (NULL: there was none).  Returns @before itself, unchanged, if the limit allows no new plan
 * now. */
FaspPlan *fasp_planner_plan (FaspPlanner *planner, FaspTime now, FaspPlan *before,
    const FaspPlanGoal *goal, FaspTime latency);

/* Are the paths noticeably different, so that it is time to plan anew? */
gboolean fasp_planner_differs (const FaspPlanGoal *a, const FaspPlanGoal *b);

G_END_DECLS
