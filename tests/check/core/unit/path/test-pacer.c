/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppacer.h"

/* The invariant, for every pair of departures: what left in [a, b] is at
 * most rate / 8 * (b - a) + burst. */
static void
test_invariant (void)
{
  for (guint seed = 0; seed < 20; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    guint64 rate = g_rand_int_range (rand, 10000, 2000000000);
    guint32 burst = g_rand_int_range (rand, 1500, 20000);
    enum
    {
      N = 400
    };
    FaspTime times[N];
    guint sizes[N];
    FaspTime now = 0;
    FaspPacer pacer;

    fasp_pacer_init (&pacer, rate, burst);
    for (guint i = 0; i < N; i++) {
      sizes[i] = g_rand_int_range (rand, 40, 1501);
      now = MAX (now, fasp_pacer_get_time (&pacer, now, sizes[i]));
      if (g_rand_int_range (rand, 0, 20) == 0) /* idle for a while */
        now += g_rand_int_range (rand, 0, 50000);
      times[i] = now;
      fasp_pacer_sent (&pacer, now, sizes[i]);
    }
    for (guint a = 0; a < N; a++) {
      gdouble bytes = 0;

      for (guint b = a; b < N; b++) {
        bytes += sizes[b];
        /* times are rounded to µs */
        g_assert_cmpfloat (bytes, <=, rate / 8e6 * (times[b] - times[a] + 1) + burst);
      }
    }
  }
}

/* It holds for when they left, too, where that was later than it should have been. */
static void
test_late (void)
{
  for (guint seed = 0; seed < 20; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    guint64 rate = g_rand_int_range (rand, 1000000, 50000000);
    const guint32 burst = 8192;
    enum
    {
      N = 400
    };
    FaspTime times[N], now = FASP_SEC;
    FaspPacer pacer;

    fasp_pacer_init (&pacer, rate, burst);
    for (guint i = 0; i < N;) {
      FaspTime made = MAX (now, fasp_pacer_get_time (&pacer, now, 1500));
      guint first = i;

      now = made;
      for (; i < N && fasp_pacer_get_time (&pacer, now, 1500) <= now; i++)
        fasp_pacer_sent (&pacer, now, 1500);
      if (g_rand_int_range (rand, 0, 3) == 0) {
        now += g_rand_int_range (rand, 0, 20000);
        fasp_pacer_late (&pacer, made, now);
      }
      for (; first < i; first++)
        times[first] = now;
    }
    for (guint a = 0; a < N; a++)
      for (guint b = a; b < N; b++)
        g_assert_cmpfloat ((b - a + 1) * 1500., <=, rate / 8e6 * (times[b] - times[a] + 2) + burst);
  }
}

/* And for no longer than what was late: not for a stream that never pauses. */
static void
test_late_once (void)
{
  FaspTime now = FASP_SEC;
  FaspPacer pacer;

  fasp_pacer_init (&pacer, 20000000, 8192);
  for (; now < 10 * FASP_SEC; now += 750)
    fasp_pacer_sent (&pacer, now, 1400);
  fasp_pacer_late (&pacer, now - 750, now - 350);
  g_assert_cmpint (fasp_pacer_get_time (&pacer, now, 1400) - now, <, 2 * FASP_MSEC);
}

/* A sender that always has something reaches its rate exactly, for ever. */
static void
test_exact (void)
{
  static const guint64 rates[] = { 10000, 999983, 40000000, 333333333, 1000000000 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    FaspTime now = 0;
    FaspPacer pacer;
    guint64 bytes = 0;
    const guint n = 200000;
    gdouble wanted;

    fasp_pacer_init (&pacer, rates[i], 8192);
    for (guint j = 0; j < n; j++) {
      now = MAX (now, fasp_pacer_get_time (&pacer, now, 1337));
      fasp_pacer_sent (&pacer, now, 1337);
      bytes += 1337;
    }
    wanted = (bytes - 8192) * 8e6 / rates[i];
    g_assert_cmpfloat (ABS (now - wanted), <=, 1337 * 8e6 / rates[i] + 2);
  }
}

static void
test_unpaced (void)
{
  FaspPacer pacer;

  fasp_pacer_init (&pacer, 0, 8192);
  for (guint i = 0; i < 1000; i++) {
    g_assert_cmpint (fasp_pacer_get_time (&pacer, 5, 1500), <=, 5);
    fasp_pacer_sent (&pacer, 5, 1500);
  }
}

/* What might have left and did not is missed, if anything waited for it; what was late by less than
 * the burst is not. */
static void
test_missed (void)
{
  FaspTime now = FASP_SEC, started;
  FaspPacer pacer;

  fasp_pacer_init (&pacer, 8000000, 8192); /* 1 byte per µs */
  fasp_pacer_sent (&pacer, now, 1000);
  fasp_pacer_sent (&pacer, now + FASP_SEC, 1000);
  g_assert_cmpint (fasp_pacer_get_missed (&pacer), ==, 0);
  now += FASP_SEC;
  fasp_pacer_want (&pacer, TRUE);
  started = now;
  for (guint i = 0; i < 1000; i++) {
    now = MAX (now, fasp_pacer_get_time (&pacer, now, 1000));
    now += i % 10 == 0 ? 10000 : 2000;
    fasp_pacer_sent (&pacer, now, 1000);
  }
  /* each is a millisecond, and all else was missed */
  g_assert_cmpint (ABS (fasp_pacer_get_missed (&pacer) - (now - started - 1000 * FASP_MSEC)), <=,
      10 * FASP_MSEC);
  /* and what was made in time and left later */
  started = fasp_pacer_get_missed (&pacer);
  now = fasp_pacer_get_time (&pacer, now, 1000);
  fasp_pacer_sent (&pacer, now, 1000);
  fasp_pacer_late (&pacer, now, now + 20000);
  g_assert_cmpint (fasp_pacer_get_missed (&pacer) - started, >=, 10 * FASP_MSEC);
  /* nobody wants anything any more */
  started = fasp_pacer_get_missed (&pacer);
  fasp_pacer_want (&pacer, FALSE);
  fasp_pacer_sent (&pacer, now + FASP_SEC, 1000);
  g_assert_cmpint (fasp_pacer_get_missed (&pacer), ==, started);
}

/* Idle time is worth one burst, not more. */
static void
test_idle (void)
{
  FaspPacer pacer;
  guint burst = 0;

  fasp_pacer_init (&pacer, 8000000, 8192); /* 1 byte per µs */
  fasp_pacer_sent (&pacer, 0, 1500);
  while (fasp_pacer_get_time (&pacer, 100 * FASP_SEC, 1024) <= 100 * FASP_SEC) {
    fasp_pacer_sent (&pacer, 100 * FASP_SEC, 1024);
    burst += 1024;
  }
  g_assert_cmpuint (burst, ==, 8192);
}

static void
test_set_rate (void)
{
  FaspPacer pacer;

  fasp_pacer_init (&pacer, 8000, 1500); /* 1 byte per ms */
  fasp_pacer_sent (&pacer, 0, 1500);
  fasp_pacer_sent (&pacer, 0, 1500);
  g_assert_cmpint (fasp_pacer_get_time (&pacer, 0, 1500), ==, 3 * FASP_SEC);
  /* what is owed is bytes, not time */
  fasp_pacer_set_rate (&pacer, FASP_SEC, 80000, 1500);
  g_assert_cmpint (fasp_pacer_get_time (&pacer, FASP_SEC, 1500), ==, FASP_SEC + 200 * FASP_MSEC);
  fasp_pacer_set_rate (&pacer, FASP_SEC + 100 * FASP_MSEC, 8000, 1500);
  g_assert_cmpint (fasp_pacer_get_time (&pacer, FASP_SEC, 1500), ==,
      2 * FASP_SEC + 100 * FASP_MSEC);
  fasp_pacer_set_rate (&pacer, FASP_SEC, 0, 1500);
  g_assert_cmpint (fasp_pacer_get_time (&pacer, FASP_SEC, 1500), <=, FASP_SEC);
}

/* What was not used is there for a quarter of a second, and no longer. */
static void
test_unused (void)
{
  FaspPacer pacer;

  fasp_pacer_init (&pacer, 8000000, 8192); /* a byte per us */
  fasp_pacer_sent (&pacer, FASP_SEC, 1000);
  g_assert_cmpint (fasp_pacer_get_unused (&pacer, FASP_SEC + 1000), ==, 250000);
  fasp_pacer_use (&pacer, 250000);
  g_assert_cmpint (fasp_pacer_get_unused (&pacer, FASP_SEC + 1000), ==, 0);
  /* 1000 of the next 51000 us are taken by what was sent */
  g_assert_cmpint (fasp_pacer_get_unused (&pacer, FASP_SEC + 51000), ==, 50000);
  /* a channel that is full leaves nothing */
  for (FaspTime t = 2 * FASP_SEC; t < 3 * FASP_SEC; t += 1000)
    fasp_pacer_sent (&pacer, t, 1000);
  fasp_pacer_use (&pacer, fasp_pacer_get_unused (&pacer, 3 * FASP_SEC));
  for (FaspTime t = 3 * FASP_SEC; t < 4 * FASP_SEC; t += 1000)
    fasp_pacer_sent (&pacer, t, 1000);
  g_assert_cmpint (fasp_pacer_get_unused (&pacer, 4 * FASP_SEC), ==, 0);
  /* without a rate there is no end to it, and no debt is made */
  fasp_pacer_init (&pacer, 0, 8192);
  fasp_pacer_use (&pacer, 1 << 30);
  g_assert_cmpint (fasp_pacer_get_unused (&pacer, 0), ==, G_MAXINT64);
  fasp_pacer_set_rate (&pacer, 0, 8000000, 8192);
  g_assert_cmpint (fasp_pacer_get_unused (&pacer, FASP_SEC), >=, 0);
}

/* Fast streams wake up for a batch, slow ones for each datagram, and neither
 * for more than may leave. */
static void
test_wake (void)
{
  static const guint64 rates[] = { 1000000, 50000000, 1000000000, 10000000000 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    guint32 burst = MAX (8192, rates[i] / 8 / 1000000 * 400);
    FaspTime now = FASP_SEC, wake;
    gsize sent = 0, quantum = rates[i] / 8 / 1000000 * FASP_PACER_QUANTUM;
    FaspPacer pacer;

    fasp_pacer_init (&pacer, rates[i], burst);
    while (fasp_pacer_get_time (&pacer, now, 1500) <= now)
      fasp_pacer_sent (&pacer, now, 1500);
    for (guint n = 0; n < 100; n++) {
      wake = fasp_pacer_get_wake (&pacer, now, 1500);
      g_assert_cmpint (wake, >, now);
      g_assert_cmpint (wake, >=, fasp_pacer_get_time (&pacer, now, 1500));
      now = wake;
      for (sent = 0; fasp_pacer_get_time (&pacer, now, 1500) <= now; sent += 1500)
        fasp_pacer_sent (&pacer, now, 1500);
      g_assert_cmpuint (sent, >, 0);
      g_assert_cmpuint (sent + 1500, >=, MIN (quantum, 1500));
      g_assert_cmpuint (sent, <=, MAX (quantum, 1500) + 1500);
    }
  }
}

/* One of a thousand that is behind: few messages, and two milliseconds that
 * the thread is late cost nothing of its rate, but where a burst is hardly more than that. */
static void
test_wake_many (void)
{
  static const struct
  {
    guint64 rate;
    FaspTime late;
    gsize message; /* bytes at least, in the mean */
  } turns[] = { { 1000000, 0, 1250 }, { 1000000, 2 * FASP_MSEC, 1250 }, { 6250000, 0, 5500 },
    { 6250000, 2 * FASP_MSEC, 6900 }, { 20000000, 0, 4100 }, { 20000000, FASP_MSEC, 6500 },
    { 50000000, 0, 4100 } };

  for (guint i = 0; i < G_N_ELEMENTS (turns); i++) {
    const gsize size = 1384;
    FaspTime now = FASP_SEC;
    guint64 sent = 0;
    FaspPacer pacer;
    guint wakes = 0;

    fasp_pacer_init (&pacer, turns[i].rate,
        fasp_pacer_choose_burst (turns[i].rate, 10 * FASP_MSEC));
    pacer.quantum = 10 * FASP_MSEC;
    for (; now < 11 * FASP_SEC; wakes++) {
      for (; fasp_pacer_get_time (&pacer, now, size) <= now; sent += size)
        fasp_pacer_sent (&pacer, now, size);
      now = fasp_pacer_get_wake (&pacer, now, size) + turns[i].late;
    }
    g_assert_cmpuint (sent, >=, turns[i].rate / 8 * 10 * 99 / 100);
    g_assert_cmpuint (sent / wakes, >=, turns[i].message);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/invariant", test_invariant);
  g_test_add_func ("/pacer/late", test_late);
  g_test_add_func ("/pacer/late-once", test_late_once);
  g_test_add_func ("/pacer/missed", test_missed);
  g_test_add_func ("/pacer/exact", test_exact);
  g_test_add_func ("/pacer/unpaced", test_unpaced);
  g_test_add_func ("/pacer/idle", test_idle);
  g_test_add_func ("/pacer/set-rate", test_set_rate);
  g_test_add_func ("/pacer/unused", test_unused);
  g_test_add_func ("/pacer/wake", test_wake);
  g_test_add_func ("/pacer/wake-many", test_wake_many);
  return g_test_run ();
}
