/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspskew.h"

#define PPM 1e-6

/* Packets of a sender whose clock is slower by skew, every 20 ms, over a path that adds
 * up to `jitter' to each and what a test likes to all. */
typedef struct
{
  gdouble skew;
  FaspTime jitter;
  FaspTime queue; /* for all, now */
  FaspTime set;   /* its clock was set by so much */
  FaspTime t;
  GRand *rand;
  FaspSkew estimator;
} Sender;

static void
start (Sender *sender, gdouble skew, FaspTime jitter)
{
  *sender = (Sender) { .skew = skew, .jitter = jitter };
  sender->rand = g_rand_new_with_seed (1);
}

static void
go (Sender *sender, FaspTime until, FaspTime step)
{
  for (; sender->t < until; sender->t += step)
    fasp_skew_arrived (&sender->estimator, sender->t * (1 - sender->skew) + sender->set,
        sender->t + sender->queue
            + (sender->jitter > 0 ? g_rand_int_range (sender->rand, 0, sender->jitter) : 0));
}

static void
assert_skew (const Sender *sender, gdouble ppm_off)
{
  g_assert_true (sender->estimator.known);
  g_assert_cmpfloat_with_epsilon (sender->estimator.skew / PPM, sender->skew / PPM, ppm_off);
}

static void
test_rates (void)
{
  static const gdouble skews[] = { 0, 100, -100, 900, -900 };

  for (guint i = 0; i < G_N_ELEMENTS (skews); i++) {
    Sender sender;

    start (&sender, skews[i] * PPM, 5 * FASP_MSEC);
    go (&sender, (FASP_SKEW_LEAST - 1) * FASP_SEC, 20 * FASP_MSEC);
    g_assert_false (sender.estimator.known);
    go (&sender, (FASP_SKEW_LEAST + 40) * FASP_SEC, 20 * FASP_MSEC);
    assert_skew (&sender, 10);
    go (&sender, 600 * FASP_SEC, 20 * FASP_MSEC);
    assert_skew (&sender, 2);
    g_rand_free (sender.rand);
  }
}

/* More than a clock can be wrong by. */
static void
test_no_clock (void)
{
  Sender sender;

  start (&sender, 2000 * PPM, 0);
  go (&sender, 600 * FASP_SEC, 20 * FASP_MSEC);
  g_assert_false (sender.estimator.known);
  g_rand_free (sender.rand);
}

/* A packet in three seconds.  Its clock gets warm: two minutes later that is known. */
static void
test_sparse (void)
{
  Sender sender;

  start (&sender, 100 * PPM, 200);
  go (&sender, 3600 * FASP_SEC, 3 * FASP_SEC);
  assert_skew (&sender, 5);
  sender.queue = sender.t * 20 * PPM;
  sender.skew = 80 * PPM;
  go (&sender, (3600 + 140) * FASP_SEC, 3 * FASP_SEC);
  assert_skew (&sender, 5);
  g_rand_free (sender.rand);
}

/* A queue of 30 ms stands for so long, the route gets longer or shorter, nothing comes
 * and then all at once: the rate stays what it was. */
static void
test_disturbed (void)
{
  static const struct
  {
    FaspTime queue, from, until;
  } cases[] = {
    { 30 * FASP_MSEC, 300 * FASP_SEC, 320 * FASP_SEC },
    { 30 * FASP_MSEC, 300 * FASP_SEC, 400 * FASP_SEC },
    { 5 * FASP_MSEC, 300 * FASP_SEC, 1000 * FASP_SEC },
    { -10 * FASP_MSEC, 300 * FASP_SEC, 1000 * FASP_SEC },
    { 300 * FASP_MSEC, 300 * FASP_SEC, 1000 * FASP_SEC },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Sender sender;

    start (&sender, 100 * PPM, FASP_MSEC);
    go (&sender, cases[i].from, 20 * FASP_MSEC);
    sender.queue = cases[i].queue;
    for (FaspTime t = cases[i].from; t < cases[i].until; t += 5 * FASP_SEC) {
      go (&sender, t, 20 * FASP_MSEC);
      assert_skew (&sender, 12);
    }
    sender.queue = 0;
    for (FaspTime t = cases[i].until; t < 1400 * FASP_SEC; t += 5 * FASP_SEC) {
      go (&sender, t, 20 * FASP_MSEC);
      assert_skew (&sender, 12);
    }
    assert_skew (&sender, 1);
    g_rand_free (sender.rand);
  }
}

/* Nothing for 12 s, and what waited comes at 1.5 times the rate. */
static void
test_outage (void)
{
  Sender sender;
  FaspTime end, media;

  start (&sender, -50 * PPM, FASP_MSEC);
  go (&sender, 300 * FASP_SEC, 20 * FASP_MSEC);
  media = sender.t;
  for (end = sender.t + 12 * FASP_SEC; media < end; end += 10 * FASP_MSEC) {
    media += 15 * FASP_MSEC;
    fasp_skew_arrived (&sender.estimator, media * (1 - sender.skew), end);
    assert_skew (&sender, 1);
  }
  sender.t = end;
  for (FaspTime t = end; t < 800 * FASP_SEC; t += FASP_SEC) {
    go (&sender, t, 20 * FASP_MSEC);
    assert_skew (&sender, 12);
  }
  assert_skew (&sender, 1);
  g_rand_free (sender.rand);
}

/* After a jump the rate is known as before; if it is another clock, soon again. */
static void
test_jump (void)
{
  Sender sender;

  start (&sender, 100 * PPM, FASP_MSEC);
  go (&sender, 300 * FASP_SEC, 20 * FASP_MSEC);
  fasp_skew_jumped (&sender.estimator);
  sender.set = -3600 * FASP_SEC;
  go (&sender, sender.t + 300 * FASP_SEC, 20 * FASP_MSEC);
  assert_skew (&sender, 2);
  fasp_skew_jumped (&sender.estimator);
  assert_skew (&sender, 2);
  sender.skew = -100 * PPM;
  sender.set = 100 * FASP_SEC;
  go (&sender, sender.t + (FASP_SKEW_LEAST + 20) * FASP_SEC, 20 * FASP_MSEC);
  assert_skew (&sender, 10);
  g_rand_free (sender.rand);
}

/* Whatever times a peer says. */
static void
test_nonsense (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  FaspSkew skew = { 0 };

  for (guint i = 0; i < 100000; i++) {
    FaspTime media = (FaspTime) ((guint64) g_rand_int (rand) << 32 | g_rand_int (rand))
        >> g_rand_int_range (rand, 0, 63);

    fasp_skew_arrived (&skew, media, i * (FaspTime) 100000);
    g_assert_cmpfloat (ABS (skew.skew), <=, FASP_SKEW_PPM_MAX * PPM);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/skew/rates", test_rates);
  g_test_add_func ("/skew/no-clock", test_no_clock);
  g_test_add_func ("/skew/sparse", test_sparse);
  g_test_add_func ("/skew/disturbed", test_disturbed);
  g_test_add_func ("/skew/outage", test_outage);
  g_test_add_func ("/skew/jump", test_jump);
  g_test_add_func ("/skew/nonsense", test_nonsense);
  return g_test_run ();
}
