/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "fasploss.h"

static FaspLoss loss;
static FaspTime now;
static guint64 packets, lost, holes;
static gdouble share, stay; /* as get() found them */

static void
begin (void)
{
  now = packets = lost = holes = 0;
  fasp_loss_init (&loss, now);
}

static void
get (void)
{
  fasp_loss_get (&loss, &share, &stay);
}

/* A chain of losses for so many seconds, told every 10 ms: @part of all, @again of those behind
 * one. */
static void
run (GRand *rand, gdouble seconds, gdouble part, gdouble again)
{
  gboolean bad = FALSE;

  for (guint i = 0; i < seconds * 100; i++) {
    for (guint p = 0; p < 5; p++) {
      gboolean was = bad;

      bad = g_rand_double (rand) < (was ? again : part / (1 - part) * (1 - again));
      packets++;
      lost += bad;
      holes += bad && !was;
    }
    now += 10 * FASP_MSEC;
    fasp_loss_update (&loss, now, packets, lost, holes);
  }
}

static void
test_estimate (void)
{
  static const gdouble networks[][2] = { { .02, .02 }, { .1, .1 }, { .05, .75 } };

  for (guint n = 0; n < G_N_ELEMENTS (networks); n++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (n);

    begin ();
    run (rand, 300, networks[n][0], networks[n][1]);
    get ();
    g_assert_cmpfloat (share, >, networks[n][0] * .9);
    g_assert_cmpfloat (share, <, networks[n][0] * 1.5);
    g_assert_cmpfloat (stay, >, networks[n][1] * .9);
    g_assert_cmpfloat (stay, <, networks[n][1] + .15);
  }
}

/* A look is of what has come since the last one, whatever was before. */
static void
test_look (void)
{
  static const gdouble shares[] = { 0, .3, .3, 0, .5, 0 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  begin ();
  run (rand, 60, .01, .01);
  g_assert_cmpfloat (fasp_loss_look (&loss), <, .02);
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    run (rand, 1, shares[i], shares[i]);
    share = fasp_loss_look (&loss);
    g_assert_cmpfloat (ABS (share - shares[i]), <=, .15 * shares[i]);
  }
  /* too little to say, yet */
  run (rand, .03, .99, .99);
  g_assert_cmpfloat (fasp_loss_look (&loss), ==, 0);
  run (rand, .03, .99, .99);
  g_assert_cmpfloat (fasp_loss_look (&loss), >, .8);
}

/* Worse is believed within seconds, better after minutes. */
static void
test_change (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);

  begin ();
  get ();
  /* nothing known: a middling path, and perhaps worse than that */
  g_assert_cmpfloat_with_epsilon (share, .05 * (1 + .5 / sqrt (8)), 1e-9);
  run (rand, 300, .005, .005);
  run (rand, 15, .1, .1);
  get ();
  g_assert_cmpfloat (share, >, .05);
  run (rand, 60, .005, .005);
  get ();
  g_assert_cmpfloat (share, >, .007);
  run (rand, 900, .005, .005);
  get ();
  g_assert_cmpfloat (share, <, .009);
}

/* A day of the same: what is told does not wander about. */
static void
test_steady (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  gdouble lowest = 1, highest = 0;

  begin ();
  run (rand, 3600, .05, .75);
  for (guint i = 0; i < 60 * 24; i++) {
    run (rand, 60, .05, .75);
    get ();
    g_assert_cmpfloat (share, >, .05 * .9);
    g_assert_cmpfloat (share, <, .05 * 1.2);
    lowest = MIN (lowest, stay);
    highest = MAX (highest, stay);
  }
  g_test_message ("stay %.3f to %.3f", lowest, highest);
  g_assert_cmpfloat (lowest, >, .74);
  g_assert_cmpfloat (highest, <, .765);
}

/* The path was cut for five seconds: that is no burst to be planned for. */
static void
test_outage (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);

  begin ();
  run (rand, 600, .001, .001);
  fasp_loss_update (&loss, now, loss.packets + 2500, loss.lost + 2500, loss.holes + 1);
  run (rand, 600, .001, .001);
  get ();
  g_assert_cmpfloat (share, <, .002);
  g_assert_cmpfloat (stay, <, .4);
}

/* A burst as never before is none to be planned for, if it is the only one in an hour. */
static void
test_accident (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  gdouble before;

  begin ();
  run (rand, 600, .001, .001);
  get ();
  before = stay;
  fasp_loss_update (&loss, now, loss.packets + 50, loss.lost + 50, loss.holes + 1);
  run (rand, 600, .001, .001);
  get ();
  g_assert_cmpfloat (stay, <, before + .05);
  fasp_loss_update (&loss, now, loss.packets + 50, loss.lost + 50, loss.holes + 1);
  run (rand, 10, .001, .001);
  get ();
  g_assert_cmpfloat (stay, >, .4);
}

/* A hole is told of when it is settled, after what was lost in it. */
static void
test_late_holes (void)
{
  begin ();
  for (guint i = 1; i <= 5000; i++) {
    now = i * 100 * FASP_MSEC;
    fasp_loss_update (&loss, now, i * 50, i, i - 1);
    fasp_loss_update (&loss, now + FASP_MSEC, i * 50, i, i);
  }
  get ();
  g_assert_cmpfloat (stay, <, .03);
}

/* Whatever a peer says, shares are shares. */
static void
test_nonsense (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  begin ();
  for (guint i = 0; i < 10000; i++) {
    guint64 big = (guint64) g_rand_int (rand) << g_rand_int_range (rand, 0, 33);

    fasp_loss_update (&loss, g_rand_int (rand), g_rand_int (rand) % 3 ? big : i, big,
        big >> g_rand_int_range (rand, 0, 20));
    get ();
    g_assert_true (isfinite (share) && isfinite (stay));
    g_assert_cmpfloat (share, >=, 0);
    g_assert_cmpfloat (share, <, 1);
    g_assert_cmpfloat (stay, >=, share);
    g_assert_cmpfloat (stay, <, 1);
  }
}

/* Without assumptions: nothing at first, then what was counted, and a bit. */
static void
test_seen (void)
{
  begin ();
  fasp_loss_get_seen (&loss, &share, &stay);
  g_assert_cmpfloat (share, ==, 0);
  fasp_loss_update (&loss, FASP_SEC, 10000, 0, 0);
  fasp_loss_get_seen (&loss, &share, &stay);
  g_assert_cmpfloat (share, ==, 0);
  fasp_loss_update (&loss, 2 * FASP_SEC, 20000, 400, 100);
  fasp_loss_get_seen (&loss, &share, &stay);
  g_assert_cmpfloat (share, >, .0200);
  g_assert_cmpfloat (share, <, .0215);
  g_assert_cmpfloat (stay, >, .74);
  g_assert_cmpfloat (stay, <, .76);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/loss/estimate", test_estimate);
  g_test_add_func ("/loss/look", test_look);
  g_test_add_func ("/loss/change", test_change);
  g_test_add_func ("/loss/steady", test_steady);
  g_test_add_func ("/loss/outage", test_outage);
  g_test_add_func ("/loss/accident", test_accident);
  g_test_add_func ("/loss/late-holes", test_late_holes);
  g_test_add_func ("/loss/nonsense", test_nonsense);
  g_test_add_func ("/loss/seen", test_seen);
  return g_test_run ();
}
