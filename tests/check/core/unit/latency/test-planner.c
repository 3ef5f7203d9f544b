/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspplanner.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspPlan, fasp_plan_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspPlanner, fasp_planner_free)

#define LATENCY (300 * FASP_MSEC)

static FaspPlanGoal
goal_of (FaspTime round)
{
  FaspPlanGoal goal = { .lost = .02, .stay = .02, .blocks = 570, .interval = 604800, .spare = .6 };

  goal.path = (FaspModelPath) {
    .loss = .02,
    .stay = .02,
    .back_loss = .02,
    .back_stay = .02,
    .interval = 2 * FASP_MSEC,
    .round = round,
    .guard = 2 * FASP_MSEC,
  };
  return goal;
}

/* Alike: one plan.  Another path, latency or wish: another. */
static void
test_shared (void)
{
  g_autoptr (FaspPlanner) planner = fasp_planner_new ();
  FaspPlanGoal goal = goal_of (200 * FASP_MSEC), near = goal_of (215 * FASP_MSEC),
               far = goal_of (230 * FASP_MSEC), easy = goal;
  FaspPlan *a = fasp_planner_plan (planner, 0, NULL, &goal, LATENCY);
  g_autoptr (FaspPlan) b = fasp_planner_plan (planner, 1, NULL, &near, LATENCY);
  g_autoptr (FaspPlan) c = fasp_planner_plan (planner, 2, NULL, &far, LATENCY);
  g_autoptr (FaspPlan) d = fasp_planner_plan (planner, 3, NULL, &goal, LATENCY + 1);
  g_autoptr (FaspPlan) e = NULL;

  easy.interval = 60;
  e = fasp_planner_plan (planner, 4, NULL, &easy, LATENCY);
  g_assert_true (a == b);
  g_assert_true (a != c && a != d && a != e && c != d && d != e);
  g_assert_cmpint (fasp_plan_get_goal (a)->path.round, ==, goal.path.round);
  g_assert_cmpint (fasp_plan_get_promise (d)->latency, ==, LATENCY + 1);
  /* one goes; the others keep what they have */
  fasp_plan_unref (a);
  g_assert_cmpuint (fasp_plan_get (b, 90 * FASP_MSEC, 0).copies, >=, 3);
}

/* Of late; and nobody's plan changes because another plans again. */
static void
test_fresh (void)
{
  g_autoptr (FaspPlanner) planner = fasp_planner_new ();
  FaspPlanGoal goal = goal_of (200 * FASP_MSEC), other = goal_of (50 * FASP_MSEC);
  g_autoptr (FaspPlan) a = fasp_planner_plan (planner, 0, NULL, &goal, LATENCY);
  FaspPlan *b = fasp_planner_plan (planner, FASP_PLANNER_FRESH - 1, NULL, &goal, LATENCY);
  g_autoptr (FaspPlan) c = fasp_planner_plan (planner, FASP_PLANNER_FRESH, NULL, &goal, LATENCY);

  g_assert_true (a == b && a != c);
  b = fasp_planner_plan (planner, FASP_PLANNER_FRESH + 1, b, &other, LATENCY);
  g_assert_true (a != b);
  g_assert_cmpint (fasp_plan_get_goal (a)->path.round, ==, goal.path.round);
  g_assert_cmpint (fasp_plan_get_goal (b)->path.round, ==, other.path.round);
  fasp_plan_unref (b);
}

/* Who plans alone keeps one, made anew in place; and who plans again always gets a
 * plan for what he asks. */
static void
test_alone (void)
{
  g_autoptr (FaspPlanner) planner = fasp_planner_new ();
  FaspPlanGoal goal = goal_of (200 * FASP_MSEC);
  FaspPlan *plan = NULL, *first = NULL;

  for (FaspTime now = 0; now < 10 * FASP_SEC; now += FASP_SEC / 5) {
    goal.path.round += 1;
    plan = fasp_planner_plan (planner, now, plan, &goal, LATENCY);
    first = first != NULL ? first : plan;
    g_assert_true (plan == first);
    g_assert_cmpint (fasp_plan_get_goal (plan)->path.round, ==, goal.path.round);
  }
  fasp_plan_unref (plan);
}

/* More paths than plans are kept of. */
static void
test_many (void)
{
  g_autoptr (FaspPlanner) planner = fasp_planner_new ();
  FaspPlan *plans[3 * FASP_PLANNER_PLANS];
  FaspPlanGoal goal;

  for (guint i = 0; i < G_N_ELEMENTS (plans); i++) {
    goal = goal_of (FASP_MSEC << (i % 8));
    goal.path.loss = .02 / (1 + i / 8);
    plans[i] = fasp_planner_plan (planner, i, NULL, &goal, LATENCY);
    g_assert_cmpint (fasp_plan_get_goal (plans[i])->path.round, ==, goal.path.round);
    g_assert_cmpfloat (fasp_plan_get_goal (plans[i])->path.loss, ==, goal.path.loss);
  }
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    fasp_plan_unref (plans[i]);
}

/* However many ask, and however often their paths change, few are made; and who is not served
 * keeps what he has. */
static void
test_bounded (void)
{
  g_autoptr (FaspPlanner) planner = fasp_planner_new ();
  const guint seconds = 4;
  FaspPlan *plans[100] = { NULL };
  guint made = 0, others = 0;

  for (FaspTime now = 0; now < seconds * FASP_SEC; now += FASP_MSEC) {
    guint i = now / FASP_MSEC % G_N_ELEMENTS (plans);
    FaspPlanGoal goal = goal_of ((50 + now / FASP_MSEC) * FASP_MSEC);

    goal.path.loss = .001 * (1 + now / FASP_MSEC % 31);
    plans[i] = fasp_planner_plan (planner, now, plans[i], &goal, LATENCY);
    if (plans[i] == NULL)
      others++;
    else if (fasp_plan_get_goal (plans[i])->path.round == goal.path.round)
      made++;
  }
  g_assert_cmpuint (made, >, seconds * FASP_PLANNER_RATE);
  g_assert_cmpuint (made, <=, seconds * FASP_PLANNER_RATE + FASP_PLANNER_BURST + 1);
  g_assert_cmpuint (others, >, 0);
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    if (plans[i] != NULL)
      fasp_plan_unref (plans[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/planner/shared", test_shared);
  g_test_add_func ("/planner/fresh", test_fresh);
  g_test_add_func ("/planner/alone", test_alone);
  g_test_add_func ("/planner/many", test_many);
  g_test_add_func ("/planner/bounded", test_bounded);
  return g_test_run ();
}
