/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "fasptokenbucket.h"
#include "faspplanner.h"

#define DIFFERENT .1
#define UNLIMITED_DIFFERENT 3

struct _FaspPlanner
{
  FaspPlan *plans[FASP_PLANNER_PLANS];
  FaspTime made[FASP_PLANNER_PLANS];
  guint n;       /* plans kept, the oldest first */
  FaspTime full; /* the token bucket of new plans: fasptokenbucket.h */
};

FaspPlanner *
fasp_planner_new (void)
{
  return g_new0 (FaspPlanner, 1);
}

/* Stops sharing plan @i. */
static void
drop (FaspPlanner *planner, guint i)
{
  fasp_plan_unref (planner->plans[i]);
  planner->n--;
  for (; i < planner->n; i++) {
    planner->plans[i] = planner->plans[i + 1];
    planner->made[i] = planner->made[i + 1];
  }
}

void
fasp_planner_free (FaspPlanner *planner)
{
  if (planner == NULL)
    return;
  while (planner->n > 0)
    drop (planner, planner->n - 1);
  g_free (planner);
}

static gboolean
differs (gdouble a, gdouble b)
{
  return fabs (a - b) > DIFFERENT * MAX (a, b);
}

gboolean
fasp_planner_differs (const FaspPlanGoal *a, const FaspPlanGoal *b)
{
  return a->interval != b->interval || (a->path.first > 0) != (b->path.first > 0)
      || differs (a->path.loss, b->path.loss) || differs (a->path.stay, b->path.stay)
      || differs (a->lost, b->lost) || differs (a->stay, b->stay)
      || differs (a->path.back_loss, b->path.back_loss)
      || differs (a->path.back_stay, b->path.back_stay)
      || differs (a->path.round + a->path.guard, b->path.round + b->path.guard)
      || ABS ((gint) a->path.unlimited - (gint) b->path.unlimited) >= UNLIMITED_DIFFERENT
      || differs (a->blocks, b->blocks) || differs (a->spare, b->spare);
}

FaspPlan *
fasp_planner_plan (FaspPlanner *planner, FaspTime now, FaspPlan *before, const FaspPlanGoal *goal,
    FaspTime latency)
{
  FaspPlan *plan;

  while (planner->n > 0 && now - planner->made[0] >= FASP_PLANNER_FRESH)
    drop (planner, 0);
  for (guint i = 0; i < planner->n; i++) {
    plan = planner->plans[i];
    if (plan == before) { /* drops the planner's reference, so that the plan is solved again in
                             place */
      drop (planner, i--);
      continue;
    }
    if (fasp_plan_get_promise (plan)->latency != latency
        || fasp_planner_differs (fasp_plan_get_goal (plan), goal))
      continue;
    plan = fasp_plan_ref (plan);
    fasp_plan_unref (before);
    return plan;
  }
  if (!fasp_token_bucket_take (&planner->full, now, FASP_SEC / FASP_PLANNER_RATE,
          FASP_PLANNER_BURST))
    return before;
  plan = fasp_plan_make_writable (before);
  fasp_plan_for_latency (plan, goal, latency);
  if (planner->n == FASP_PLANNER_PLANS)
    drop (planner, 0);
  planner->made[planner->n] = now;
  planner->plans[planner->n++] = fasp_plan_ref (plan);
  return plan;
}
