/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "faspplan.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspPlan, fasp_plan_unref)

#define WEEK 604800.

static FaspPlanGoal
goal_of (FaspTime rtt, gdouble loss, gdouble stay, gdouble spare)
{
  FaspPlanGoal goal = {
    .lost = loss,
    .stay = stay,
    .blocks = 570,
    .interval = WEEK,
    .spare = spare,
  };

  goal.path = (FaspModelPath) {
    .loss = loss,
    .stay = stay,
    .back_loss = loss,
    .back_stay = stay,
    .interval = 2 * FASP_MSEC,
    .round = rtt + 3 * FASP_MSEC,
    .guard = 2 * FASP_MSEC,
  };
  return goal;
}

/* One round is possible: several copies; much time: one at first. */
static void
test_copies_by_time (void)
{
  FaspPlanGoal goal = goal_of (200 * FASP_MSEC, .02, .02, .6);
  g_autoptr (FaspPlan) plan = fasp_plan_new ();
  FaspPromise promise = fasp_plan_for_latency (plan, &goal, 300 * FASP_MSEC);

  g_assert_cmpfloat (promise.interval, >=, WEEK * .999);
  /* 4 copies are not quite enough for a week at 570 blocks a second */
  g_assert_cmpfloat (promise.overhead, >, .08);
  g_assert_cmpfloat (promise.overhead, <=, .1);
  for (guint i = 0; i < 10; i++) {
    FaspPlanRtx rtx = fasp_plan_get (plan, 90 * FASP_MSEC, i);

    g_assert_cmpuint (rtx.copies, >=, 4);
    g_assert_cmpuint (rtx.copies, <=, 5);
    g_assert_cmpint (rtx.spread, >=, 10 * FASP_MSEC);
    g_assert_cmpint (rtx.spread, <=, FASP_PLAN_SPREAD_MAX);
  }
  promise = fasp_plan_for_latency (plan, &goal, 1500 * FASP_MSEC);
  g_assert_cmpfloat (promise.interval, >=, WEEK * .999);
  g_assert_cmpfloat (promise.overhead, <, .0206);
  g_assert_cmpuint (fasp_plan_get (plan, 1200 * FASP_MSEC, 0).copies, ==, 1);
  /* too late */
  g_assert_cmpuint (fasp_plan_get (plan, -1, 0).copies, ==, 1);
}

/* The last copy never leaves after the time that is left. */
static void
test_spread (void)
{
  FaspPlanGoal goal = goal_of (50 * FASP_MSEC, .02, .875, .6);
  g_autoptr (FaspPlan) plan = fasp_plan_new ();
  guint several = 0;

  fasp_plan_for_latency (plan, &goal, 150 * FASP_MSEC);
  for (FaspTime left = 0; left < 300 * FASP_MSEC; left += 100) {
    FaspPlanRtx rtx = fasp_plan_get (plan, left, left / 100);

    g_assert_cmpint (rtx.spread, <=, left);
    g_assert_cmpuint (rtx.copies, >=, 1);
    g_assert_cmpuint (rtx.copies, <=, FASP_PLAN_COPIES_MAX);
    several += rtx.copies > 1;
  }
  g_assert_cmpuint (several, >, 100);
}

/* More is not promised than the channel has room for. */
static void
test_spare (void)
{
  FaspPlanGoal goal = goal_of (200 * FASP_MSEC, .1, .1, .2);
  g_autoptr (FaspPlan) plan = fasp_plan_new ();
  FaspPromise poor = fasp_plan_for_latency (plan, &goal, 300 * FASP_MSEC);
  FaspPromise rich;

  g_assert_cmpfloat (poor.overhead, <=, .2001);
  g_assert_cmpfloat (poor.interval, <, 60);
  goal.spare = 2;
  rich = fasp_plan_for_latency (plan, &goal, 300 * FASP_MSEC);
  g_assert_cmpfloat (rich.overhead, >, .6);
  g_assert_cmpfloat (rich.interval, >, 3600);
}

/* What is found keeps the promise, and a little less does not; more loss, a
 * longer way, longer bursts need more. */
static void
test_find (void)
{
  static const struct
  {
    FaspTime rtt;
    gdouble loss, stay;
  } paths[] = {
    { 5 * FASP_MSEC, .001, .001 },
    { 5 * FASP_MSEC, .05, .05 },
    { 50 * FASP_MSEC, .02, .02 },
    { 50 * FASP_MSEC, .02, .5 },
    { 50 * FASP_MSEC, .02, .875 },
    { 200 * FASP_MSEC, .02, .02 },
    { 200 * FASP_MSEC, .1, .1 },
    { 400 * FASP_MSEC, .1, .1 },
  };
  g_autoptr (FaspPlan) plan = fasp_plan_new ();
  FaspTime last = 0;

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    FaspPlanGoal goal = goal_of (paths[i].rtt, paths[i].loss, paths[i].stay, .6);
    FaspPromise found = fasp_plan_for_latency (plan, &goal, fasp_plan_find_latency (&goal)), less;

    g_assert_cmpfloat (found.interval, >=, WEEK * .999);
    g_assert_cmpfloat (found.overhead, <=, .6001);
    less = fasp_plan_for_latency (plan, &goal, found.latency * .9);
    g_assert_cmpfloat (less.interval, <, WEEK);
    g_assert_cmpint (found.latency, >, paths[i].rtt);
    if (i > 0 && i != 5)
      g_assert_cmpint (found.latency, >, last);
    last = found.latency;
  }
}

/* The promise against chance: blocks that are lost and repaired by the plan,
 * one by one. A hundred times as many skips are asked for, so that some
 * happen. */
static void
test_kept (void)
{
  static const gdouble losses[] = { .02, .05, .1 };

  for (guint n = 0; n < G_N_ELEMENTS (losses); n++) {
    FaspPlanGoal goal = goal_of (100 * FASP_MSEC, losses[n], losses[n], 1);
    g_autoptr (GRand) rand = g_rand_new_with_seed (n);
    g_autoptr (FaspPlan) plan = fasp_plan_new ();
    FaspPromise promise;
    guint64 blocks = 20000000, skips = 0;
    gdouble expected;

    goal.interval = 30;
    promise = fasp_plan_for_latency (plan, &goal, 230 * FASP_MSEC);
    expected = blocks / goal.blocks / promise.interval;
    for (guint64 i = 0; i < blocks; i++) {
      FaspTime left = 230 * FASP_MSEC - goal.path.guard;
      gboolean lost = g_rand_double (rand) < losses[n];

      while (lost && left >= 0) {
        FaspPlanRtx rtx;

        left -= goal.path.round;
        while (g_rand_double (rand) < losses[n])
          left -= goal.path.interval;
        while (g_rand_double (rand) < losses[n])
          left -= 2 * FASP_MSEC;
        if (left < 0)
          break;
        rtx = fasp_plan_get (plan, left, i);
        for (guint c = 0; lost && c < rtx.copies; c++)
          lost = g_rand_double (rand) < losses[n];
        left -= rtx.spread;
      }
      skips += lost;
    }
    g_test_message ("loss %g: %" G_GUINT64_FORMAT " skips, %.0f expected", losses[n], skips,
        expected);
    /* times are rounded to the careful side */
    g_assert_cmpfloat (skips, <, expected + 4 * sqrt (expected));
    g_assert_cmpfloat (skips, >, expected / 4);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/copies-by-time", test_copies_by_time);
  g_test_add_func ("/plan/spread", test_spread);
  g_test_add_func ("/plan/spare", test_spare);
  g_test_add_func ("/plan/find", test_find);
  g_test_add_func ("/plan/kept", test_kept);
  return g_test_run ();
}
