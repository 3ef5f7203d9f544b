/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who competes, for which share, and when it is over.
 */
#include "faspcontest.h"

static void
begin (FaspContest *contest)
{
  for (guint i = 0; i < FASP_CONTEST_STUBBORN; i++)
    fasp_contest_stands (contest);
  g_assert_true (contest->on);
}

static void
test_begin (void)
{
  FaspContest contest = { 0 };

  for (guint i = 0; i < 20; i++) {
    g_assert_false (contest.on);
    fasp_contest_stands (&contest);
    if (i % 5 == 4)
      fasp_contest_vanished (&contest);
  }
  g_assert_false (contest.on);
  begin (&contest);
  /* it goes on whether the queue stands or not, until it is left */
  fasp_contest_vanished (&contest);
  g_assert_true (contest.on);
  fasp_contest_leave (&contest);
  g_assert_false (contest.on);
}

static void
test_share (void)
{
  static const struct
  {
    gdouble others;
    gboolean room;
    gdouble least, most;
  } table[] = {
    { .6, FALSE, 1, 1 },
    { .7, FALSE, 1.1, 1.3 },
    { .999, FALSE, 2, 2 },
    { .5, FALSE, .85, .95 },
    { .2, FALSE, .7, .7 },
    { 0, FALSE, .7, .7 },
    { -.5, FALSE, .7, .7 }, /* that is nobody, too */
    { .9, TRUE, 1, 1 },     /* whatever they have, all of ours arrives */
    { .5, TRUE, .85, .95 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    FaspContest contest = { 0 };
    gdouble times;

    begin (&contest);
    times = fasp_contest_judge (&contest, table[i].others, table[i].room);
    g_assert_cmpfloat (times, >=, table[i].least - 1e-9);
    g_assert_cmpfloat (times, <=, table[i].most + 1e-9);
  }
}

/* Beside whoever keeps his share that is aimed at, from anywhere. */
static void
test_converges (void)
{
  for (gdouble rate = .01; rate < 100; rate *= 2) {
    FaspContest contest = { 0 };
    gdouble ours = rate;

    begin (&contest);
    for (guint i = 0; i < 100 && contest.on; i++)
      ours *= fasp_contest_judge (&contest, 1 / (1 + ours), FALSE);
    /* who begins with nearly all is nearly alone, and says so */
    if (1 / (1 + rate) < .15)
      g_assert_false (contest.on);
    else
      g_assert_cmpfloat_with_epsilon (1 / (1 + ours), .6, .01);
  }
}

/* Two of us who took each other for others give way, both. */
static void
test_two (void)
{
  FaspContest contests[2] = { 0 };
  gdouble rates[2] = { 1, 5 };

  begin (&contests[0]);
  begin (&contests[1]);
  for (guint i = 0; i < 50; i++) {
    gdouble sum = rates[0] + rates[1];
    gdouble others[2] = { rates[1] / sum, rates[0] / sum };

    for (guint k = 0; k < 2; k++)
      rates[k] *= fasp_contest_judge (&contests[k], others[k], FALSE);
  }
  g_assert_cmpfloat (rates[0] + rates[1], <, .5);
  g_assert_cmpfloat_with_epsilon (rates[0] / rates[1], 1, .05);
}

static void
test_end (void)
{
  FaspContest contest = { 0 };

  begin (&contest);
  g_assert_cmpfloat (fasp_contest_judge (&contest, .1, FALSE), >, 0);
  g_assert_cmpfloat (fasp_contest_judge (&contest, .5, FALSE), >, 0);
  g_assert_cmpfloat (fasp_contest_judge (&contest, .1, FALSE), >, 0);
  g_assert_true (contest.on);
  g_assert_cmpfloat (fasp_contest_judge (&contest, 0, FALSE), ==, 0);
  g_assert_false (contest.on);

  begin (&contest);
  for (guint i = 1; i < FASP_CONTEST_STUBBORN; i++)
    g_assert_true (fasp_contest_look_in_vain (&contest));
  g_assert_cmpfloat (fasp_contest_judge (&contest, .5, FALSE), >, 0);
  for (guint i = 1; i < FASP_CONTEST_STUBBORN; i++)
    g_assert_true (fasp_contest_look_in_vain (&contest));
  g_assert_false (fasp_contest_look_in_vain (&contest));
  g_assert_false (contest.on);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/contest/begin", test_begin);
  g_test_add_func ("/contest/share", test_share);
  g_test_add_func ("/contest/converges", test_converges);
  g_test_add_func ("/contest/two", test_two);
  g_test_add_func ("/contest/end", test_end);
  return g_test_run ();
}
