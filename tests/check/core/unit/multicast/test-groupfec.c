/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much of a code a group sends.
 */
#include "faspfec.h"
#include "faspgroupfec.h"

/* No more than the channel has beside the stream. */
static void
test_code_bound (void)
{
  static const struct
  {
    guint64 channel;
    gdouble most;
  } cases[] = {
    { 0, .25 },
    { 10000000, .25 },
    { 6000000, .05 },
    { 5500000, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    FaspGroupFec g = { 0 };
    FaspGroupFecGoal goal = {
      .members = 100,
      .loss = .1,
      .stay = .1,
      .latency = FASP_SEC,
      .rtx = 50 * FASP_MSEC,
      .channel = cases[i].channel,
    };
    FaspFec fec;

    fasp_fec_init (&fec, FASP_FEC_AUTO, 0, FASP_FEC_WINDOW_MAX);
    for (FaspTime now = FASP_SEC; now < 20 * FASP_SEC; now += FASP_SEC) {
      goal.blocks += 500;
      goal.wire += 5000000 / 8;
      goal.resent += fec.share > 0 ? 0 : 300;
      fasp_group_fec_plan (&g, &fec, now, &goal);
      g_assert_cmpfloat (fec.share, <=, cases[i].most);
    }
    if (i < 2)
      g_assert_cmpfloat (fec.share, >, .15);
  }
}

/* Nothing is lost any more: that ends the code, once, and members do not wait for it any more. */
static void
test_code_end (void)
{
  FaspGroupFec g = { 0 };
  FaspGroupFecGoal goal = {
    .members = 100,
    .loss = .1,
    .stay = .1,
    .latency = FASP_SEC,
    .rtx = 50 * FASP_MSEC,
  };
  FaspFec fec;

  fasp_fec_init (&fec, FASP_FEC_AUTO, 0, FASP_FEC_WINDOW_MAX);
  for (FaspTime now = FASP_SEC; now < 20 * FASP_SEC; now += FASP_SEC) {
    goal.blocks += 500;
    goal.wire += 5000000 / 8;
    goal.resent += fec.share > 0 || now > 10 * FASP_SEC ? 0 : 300;
    if (now == 10 * FASP_SEC) {
      g_assert_cmpfloat (fec.share, >, 0);
      goal.loss = goal.stay = 1e-5;
    }
    fasp_group_fec_plan (&g, &fec, now, &goal);
    g_assert_true (fec.is_alone == (fec.share > 0));
    if (now > 10 * FASP_SEC)
      g_assert_cmpfloat (fec.share, ==, 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/crowd/code/bound", test_code_bound);
  g_test_add_func ("/crowd/code/end", test_code_end);
  return g_test_run ();
}
