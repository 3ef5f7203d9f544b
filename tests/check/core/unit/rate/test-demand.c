/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a source would use more, by how much it makes of the announced rate.
 */
#include "faspdemand.h"

#define LOOK (25 * FASP_MSEC)
#define MBIT G_GUINT64_CONSTANT (1000000)

static FaspTime now = FASP_SEC;

/* For @time @announced bit/s are announced, and it makes @share of that. */
static void
run (FaspDemand *demand, FaspTime time, guint64 announced, gdouble share)
{
  for (FaspTime end = now + time; now < end;) {
    now += LOOK;
    fasp_demand_add (demand, now, LOOK, share * announced * LOOK / FASP_SEC / 8, announced);
  }
}

/* Nothing is known. */
static void
test_new (void)
{
  FaspDemand demand = { 0 };

  g_assert_false (fasp_demand_has_enough (&demand));
  run (&demand, FASP_SEC, 0, 0);
  g_assert_false (fasp_demand_has_enough (&demand));
}

/* One that always makes the same share would use more, whatever share that is. */
static void
test_share (void)
{
  static const gdouble shares[] = { 1.2, 1, .6, .1 };

  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    FaspDemand demand = { 0 };

    for (guint64 announced = MBIT; announced < 20 * MBIT; announced += announced / 10) {
      run (&demand, 100 * FASP_MSEC, announced, shares[i]);
      g_assert_false (fasp_demand_has_enough (&demand));
    }
    run (&demand, 30 * FASP_SEC, MBIT, shares[i]);
    g_assert_false (fasp_demand_has_enough (&demand));
  }
}

/* One that makes less than it did has enough, until it makes as much again, or nobody remembers
 * that it did. */
static void
test_less (void)
{
  FaspDemand demand = { 0 };

  run (&demand, 5 * FASP_SEC, 10 * MBIT, .9);
  run (&demand, FASP_SEC, 10 * MBIT, .5);
  g_assert_true (fasp_demand_has_enough (&demand));
  run (&demand, 3 * FASP_SEC, 10 * MBIT, .9);
  g_assert_false (fasp_demand_has_enough (&demand));
  run (&demand, FASP_SEC, 10 * MBIT, .5);
  g_assert_true (fasp_demand_has_enough (&demand));
  run (&demand, 3 * FASP_RATE_MEMORY, 10 * MBIT, .5);
  g_assert_false (fasp_demand_has_enough (&demand));
}

/* What it makes at first after a lower rate was announced is not its usual share. */
static void
test_announced_less (void)
{
  FaspDemand demand = { 0 };

  run (&demand, 5 * FASP_SEC, 10 * MBIT, .6);
  run (&demand, FASP_SEC / 4, 2 * MBIT, 3);
  run (&demand, 5 * FASP_SEC, 2 * MBIT, .6);
  g_assert_false (fasp_demand_has_enough (&demand));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/demand/new", test_new);
  g_test_add_func ("/demand/share", test_share);
  g_test_add_func ("/demand/less", test_less);
  g_test_add_func ("/demand/announced-less", test_announced_less);
  return g_test_run ();
}
