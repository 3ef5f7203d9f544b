/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Losses by chance are never a queue's; those of one that overflows are found soon.
 */
#include "faspoverflow.h"
#include "impair.h"

#define PACKETS 20 /* of a report */
#define INTERVAL (25 * FASP_MSEC)

typedef struct
{
  FaspOverflow overflow;
  GRand *rand;
  FaspTime now;
  guint found;
} Watch;

static void
report (Watch *w, FaspTime queue, gdouble loss)
{
  guint64 lost = 0;

  for (guint i = 0; i < PACKETS; i++)
    lost += g_rand_double (w->rand) < loss;
  w->now += INTERVAL;
  w->found += fasp_overflow_add (&w->overflow, w->now, queue, FASP_OVERFLOW_SAMPLES, 0, PACKETS,
      lost, FALSE);
}

/* Reports of each queue in turn, one of them long, until @until. */
static void
run (Watch *w, FaspTime until, guint period, FaspTime base, FaspTime high, gdouble loss,
    gdouble loss_high)
{
  for (guint i = 0; w->now < until; i++)
    if (i % period == 0)
      report (w, high, loss_high);
    else
      report (w, base + g_rand_int_range (w->rand, 0, 500), loss);
}

static void
test_chance (void)
{
  static const gdouble losses[] = { .0005, .001, .01, .05, .2 };
  guint found = 0;

  for (guint i = 0; i < 60; i++) {
    Watch w = { .rand = g_rand_new_with_seed (i) };
    gdouble loss = losses[i % 5];

    run (&w, 200 * FASP_SEC, 1 + i / 5 % 6, 0, 5000, loss, loss);
    found += w.found > 0;
    g_rand_free (w.rand);
  }
  g_test_message ("%u of 60", found);
  g_assert_cmpuint (found, <=, 1);
}

/* A fifth of what waits longest is lost, also where others are by chance. */
static void
test_overflow (void)
{
  for (guint i = 0; i < 20; i++) {
    Watch w = { .rand = g_rand_new_with_seed (i) };

    run (&w, 5 * FASP_SEC, 4, 0, 5000, i % 2 * .02, .2);
    g_assert_cmpuint (w.found, >, 0);
    g_rand_free (w.rand);
  }
}

/* What an outage loses in a row, when much waited, is one loss: those by chance after it are
 * still of nobody's queue. */
static void
test_outage (void)
{
  for (guint i = 0; i < 20; i++) {
    Watch w = { .rand = g_rand_new_with_seed (i) };

    run (&w, 15 * FASP_SEC, 3, 0, 15000, .005, .005);
    for (guint k = 0; k < 6; k++)
      report (&w, 15000, 1);
    run (&w, 60 * FASP_SEC, 3, 0, 15000, .005, .005);
    g_assert_cmpuint (w.found, ==, 0);
    g_rand_free (w.rand);
  }
}

/* One that never empties says nothing, until somebody makes it. */
static void
test_unclear (void)
{
  Watch w = { .rand = g_rand_new_with_seed (1) };

  g_assert_false (fasp_overflow_is_unclear (&w.overflow));
  for (guint i = 0; i < 200; i++)
    report (&w, i == 0 ? 2000 : 5000, .1);
  g_assert_cmpuint (w.found, ==, 0);
  g_assert_true (fasp_overflow_is_unclear (&w.overflow));
  for (guint i = 0; i < 20; i++)
    report (&w, 200, 0);
  for (guint i = 0; i < 20; i++)
    report (&w, 5000, .1);
  g_assert_cmpuint (w.found, >, 0);
  g_assert_false (fasp_overflow_is_unclear (&w.overflow));
  /* what was long ago does not count for ever */
  w.found = 0;
  run (&w, w.now + 100 * FASP_SEC, 4, 0, 5000, 0, 0);
  g_assert_cmpuint (w.found, ==, 0);
  run (&w, w.now + 20 * FASP_SEC, 4, 0, 5000, .01, .01);
  g_assert_cmpuint (w.found, ==, 0);
  g_rand_free (w.rand);
}

/* As long as little has come that did not wait, what is lost at once may be one burst of those that
 * chance loses: of so few others none would be. */
static void
test_burst_first (void)
{
  FaspOverflow overflow = { 0 };
  FaspTime now = FASP_SEC;

  for (guint i = 0; i < 2; i++)
    g_assert_false (fasp_overflow_add (&overflow, now += INTERVAL, 100, FASP_OVERFLOW_SAMPLES, 0,
        21, 0, FALSE));
  g_assert_false (fasp_overflow_add (&overflow, now += INTERVAL, 2000, FASP_OVERFLOW_SAMPLES, 0,
      139, 30, FALSE));
  /* nor with one here and there; but if more did not wait, and lost none, it is no chance */
  for (guint i = 0; i < 4; i++)
    g_assert_false (fasp_overflow_add (&overflow, now += INTERVAL, 2000, FASP_OVERFLOW_SAMPLES, 0,
        100, i % 2, FALSE));
  for (guint i = 0; i < 40; i++)
    g_assert_false (fasp_overflow_add (&overflow, now += INTERVAL, 100, FASP_OVERFLOW_SAMPLES, 0,
        PACKETS, 0, FALSE));
  g_assert_true (fasp_overflow_add (&overflow, now += INTERVAL, 2000, FASP_OVERFLOW_SAMPLES, 0, 139,
      60, FALSE));
}

/* What delays spread by without a queue is no wait. */
static void
test_noise (void)
{
  FaspOverflow overflow = { 0 };

  for (guint i = 1; i < 1000; i++)
    g_assert_false (fasp_overflow_add (&overflow, i * INTERVAL, i % 2 ? 0 : 9000,
        FASP_OVERFLOW_SAMPLES, 10000, PACKETS, i % 2 ? 0 : 5, FALSE));
}

/* A loss is told of at once, in a report of few packets, whose mean delay is more often far from
 * that of all: that is no reason to think that it waited. */
static void
test_told_at_once (void)
{
  const FaspTime apart = 700, jitter = 2000;
  GRand *rand = g_rand_new_with_seed (3);
  FaspOverflow overflow = { 0 };
  guint found = 0, n = 0, told = 0;
  gdouble sum = 0;

  for (FaspTime now = 0; now < 300 * FASP_SEC; now += apart) {
    gboolean lost = g_rand_double (rand) < .02;

    told++;
    if (!lost) {
      sum += g_rand_double_range (rand, 0, jitter);
      n++;
    }
    if (n == 0 || (!lost && told < 14))
      continue;
    found += fasp_overflow_add (&overflow, now, sum / n, n, jitter * .7, told, lost, FALSE);
    n = told = sum = 0;
  }
  g_assert_cmpuint (found, ==, 0);
  g_rand_free (rand);
}

static void
test_odd (void)
{
  static const FaspTime odd[] = { 0, 1, -1, FASP_SEC, -FASP_SEC, G_GINT64_CONSTANT (1) << 60 };
  FaspOverflow overflow = { 0 };
  GRand *rand = g_rand_new_with_seed (2);

  for (guint i = 0; i < 100000; i++) {
    guint64 told = g_rand_int (rand) % 3 ? G_MAXUINT64 : g_rand_int (rand);

    fasp_overflow_add (&overflow, i * INTERVAL / 10, odd[g_rand_int (rand) % 6],
        g_rand_int (rand) % 17, ABS (odd[g_rand_int (rand) % 6]), told,
        g_rand_int (rand) % 2 ? told : 0, g_rand_int (rand) % 2);
    fasp_overflow_is_unclear (&overflow);
    g_assert_cmpfloat (overflow.told[0], >=, 0);
    g_assert_cmpfloat (overflow.told[1], >=, 0);
  }
  g_rand_free (rand);
}

/* A queue that has overflowed once does not make each loss by chance one of its own, for as long as
 * that is remembered; and it is found out when it does so again. */
static void
test_once (void)
{
  guint once = 0;

  for (guint i = 0; i < 20; i++) {
    Watch w = { .rand = g_rand_new_with_seed (i) };
    guint before;

    run (&w, 20 * FASP_SEC, 3, 0, 50000, .003, .003);
    for (guint n = 0; n < 40; n++)
      report (&w, 50000, .6);
    g_assert_cmpuint (w.found, >, 0);
    before = w.found;
    run (&w, 60 * FASP_SEC, 3, 0, 50000, .003, .003);
    once += w.found - before;
    before = w.found;
    for (guint n = 0; n < 20; n++)
      report (&w, 50000, .2);
    g_assert_cmpuint (w.found, >, before);
    g_rand_free (w.rand);
  }
  g_test_message ("%u in 20 times 40 s", once);
  g_assert_cmpuint (once, <, 80);
}

/* Where nearly all have waited, as some come early, the few others may have been lucky. */
static void
test_few_others (void)
{
  guint found = 0;

  for (guint i = 0; i < 200; i++) {
    Watch w = { .rand = g_rand_new_with_seed (i) };

    for (guint n = 0; n < 240; n++)
      report (&w, n % 34 != 33 ? 8000 : 0, .026);
    found += w.found;
    g_rand_free (w.rand);
  }
  g_test_message ("%u in 200 times 6 s", found);
  g_assert_cmpuint (found, ==, 0);
}

/* Where packets overtake others, losses are told of later than these: as if none of these were
 * lost. */
static void
test_overtaken (void)
{
  for (guint overtaken = 0; overtaken < 2; overtaken++) {
    FaspOverflow overflow = { 0 };
    GRand *rand = g_rand_new_with_seed (1);
    guint found = 0;

    for (guint n = 0; n < 4000; n++) {
      gboolean early = n % 34 == 33;

      found += fasp_overflow_add (&overflow, n * INTERVAL / 10, early ? 0 : 8000,
          FASP_OVERFLOW_SAMPLES, 4000, PACKETS, !early && g_rand_double (rand) < .5, overtaken);
    }
    g_assert_cmpint (found > 0, ==, !overtaken);
    g_rand_free (rand);
  }
}

/* Chance loses several in a row. */
static void
test_bursts (void)
{
  guint found = 0;

  for (guint i = 0; i < 40; i++) {
    FaspOverflow overflow = { 0 };
    GRand *rand = g_rand_new_with_seed (i);
    Impair impair = { .config = { .loss = .03, .burst = 2 + i % 4 * 2 } };

    for (guint n = 0; n < 4000; n++) {
      guint64 lost = 0;

      for (guint packet = 0; packet < PACKETS; packet++)
        lost += impair_packet (&impair, rand, n * INTERVAL, 1200, FALSE).copies == 0;
      found += fasp_overflow_add (&overflow, n * INTERVAL, n % 2 * 8000, FASP_OVERFLOW_SAMPLES, 0,
          PACKETS, lost, FALSE);
    }
    g_rand_free (rand);
  }
  g_test_message ("%u in 40 times 100 s", found);
  g_assert_cmpuint (found, <, 20);
}

/* Before there is anything to send probes that are too large for the path are lost. */
static void
test_probes (void)
{
  Watch w = { .rand = g_rand_new_with_seed (1) };

  for (guint i = 0; i < 4; i++) {
    w.now += FASP_SEC;
    fasp_overflow_add (&w.overflow, w.now, 8000, 1, 0, 9, 6, FALSE);
  }
  for (guint i = 0; i < 400; i++)
    report (&w, i % 3 > 0 ? 0 : 8000, .05);
  g_assert_cmpuint (w.found, ==, 0);
  g_rand_free (w.rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/overflow/chance", test_chance);
  g_test_add_func ("/overflow/overflow", test_overflow);
  g_test_add_func ("/overflow/outage", test_outage);
  g_test_add_func ("/overflow/unclear", test_unclear);
  g_test_add_func ("/overflow/burst-first", test_burst_first);
  g_test_add_func ("/overflow/noise", test_noise);
  g_test_add_func ("/overflow/told-at-once", test_told_at_once);
  g_test_add_func ("/overflow/once", test_once);
  g_test_add_func ("/overflow/few-others", test_few_others);
  g_test_add_func ("/overflow/overtaken", test_overtaken);
  g_test_add_func ("/overflow/bursts", test_bursts);
  g_test_add_func ("/overflow/probes", test_probes);
  g_test_add_func ("/overflow/odd", test_odd);
  return g_test_run ();
}
