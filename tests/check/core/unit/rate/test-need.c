/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a live stream needs, and when that is to be forgotten.
 */
#include "faspneed.h"

/* 2.5 Mbit/s of 5 that it is offered, for @looks looks in 3 s. */
static FaspNeed
get_need (guint looks)
{
  FaspNeed need = { 0 };

  for (guint i = 0; i < looks; i++)
    fasp_need_look (&need, i * 3 * FASP_SEC / looks, 2500000);
  return need;
}

/* A second in which @sent is sent of 3 Mbit/s, and of it @arrives arrives; the queue takes the
 * rest. */
static void
run_need (FaspNeed *need, FaspRateSample *sample, FaspTime rtt, gdouble sent, gdouble arrives)
{
  for (guint i = 0; i < 100; i++) {
    sample->sent += 10000;
    sample->arrived += 10000 / arrives;
    sample->bytes += sent / 8 / 100;
    fasp_need_send (need, sample->sent, sample->bytes, 3000000);
    fasp_need_extend (need, sample, sample->arrived - sample->sent, 0, rtt);
  }
}

static void
test_need (void)
{
  FaspNeed need = get_need (3);
  FaspRateSample sample = { 0 };

  g_assert_cmpfloat (fasp_need_get (&need), ==, 0);
  need = get_need (30);
  g_assert_cmpfloat (fasp_need_get (&need), ==, 1.25 * 2500000);
  fasp_need_look (&need, 3 * FASP_SEC, 0);
  /* others begin, and fill a queue of 0.4 s; and then there is enough for it */
  for (guint i = 0; i < 60; i++)
    run_need (&need, &sample, 40000, 2500000, i < 2 ? .83 : .95);
  g_assert_cmpfloat (fasp_need_get (&need), >, 2900000);
  /* it turns out to be an encoder that follows, and then it may have as much again */
  run_need (&need, &sample, 40000, 1000000, 1);
  run_need (&need, &sample, 40000, 1000000, 1);
  g_assert_cmpfloat (fasp_need_get (&need), <, 1.3 * 1000000);
  for (guint i = 0; i < 10; i++)
    run_need (&need, &sample, 40000, 2540000, 1);
  g_assert_cmpfloat (fasp_need_get (&need), ==, 1.25 * 2500000);
  /* the path has become slower */
  for (guint i = 0; i < 5; i++)
    run_need (&need, &sample, 40000, 3000000, .7);
  g_assert_cmpfloat (fasp_need_get (&need), ==, 0);
}

/* Others fill a queue of a second, and begin to overflow it; and do not give way. */
static void
test_need_deep (void)
{
  FaspNeed need = get_need (30);
  FaspRateSample sample = { 0 };

  for (guint i = 0; i < 60; i++)
    run_need (&need, &sample, MIN (i, 2) * FASP_SEC / 2, 2500000, i < 2 ? .6 : .95);
  g_assert_cmpfloat (fasp_need_get (&need), >, 2900000);
  for (guint i = 0; i < 16; i++)
    run_need (&need, &sample, FASP_SEC, 2500000, .7);
  g_assert_cmpfloat (fasp_need_get (&need), ==, 0);
}

/* What is live is told after 2 s, although a burst looks like more; an encoder that follows is
 * often offered no more than it takes. */
static void
test_need_burst (void)
{
  for (guint every = 4; every <= 10; every += 6) {
    FaspNeed need = { 0 };

    for (guint i = 1; i < 30; i++)
      fasp_need_look (&need, i * FASP_SEC / 10, i % every > 0 ? 2500000 : 0);
    g_assert_cmpint (fasp_need_get (&need) > 0, ==, every > 4);
  }
}

/* However long it had no more: from when it takes nearly all that it is offered, that is
 * forgotten. */
static void
test_need_long (void)
{
  FaspNeed need = get_need (30);
  FaspTime now = 3 * FASP_SEC;

  for (guint i = 0; i < 36000; i++)
    fasp_need_look (&need, now += FASP_SEC / 10, 2500000);
  for (guint i = 0; i < 1000; i++)
    fasp_need_look (&need, now += FASP_SEC / 10, i % 8 == 7 ? 1000000 : 0);
  g_assert_cmpfloat (fasp_need_get (&need), ==, 1.25 * 2500000);
}

/* A queue that is its own.  That more arrives when less is sent is others' doing, too. */
static void
test_need_alone (void)
{
  FaspNeed need = get_need (30);

  g_assert_false (fasp_need_judge (&need, .05));
  g_assert_false (fasp_need_judge (&need, .5));
  g_assert_false (fasp_need_judge (&need, .05));
  g_assert_false (fasp_need_judge (&need, -.5));
  g_assert_false (fasp_need_judge (&need, .05));
  g_assert_cmpfloat (fasp_need_get (&need), >, 0);
  g_assert_true (fasp_need_judge (&need, -.05));
  g_assert_cmpfloat (fasp_need_get (&need), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/need", test_need);
  g_test_add_func ("/rate/need/deep", test_need_deep);
  g_test_add_func ("/rate/need/burst", test_need_burst);
  g_test_add_func ("/rate/need/long", test_need_long);
  g_test_add_func ("/rate/need/alone", test_need_alone);
  return g_test_run ();
}
