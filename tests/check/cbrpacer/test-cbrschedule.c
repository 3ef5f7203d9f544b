/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/gst.h>
#include "cbrschedule.h"

#define MSEC G_GINT64_CONSTANT (1000000)
#define SEC (1000 * MSEC)

/* When all of it has left, ns, by arithmetic that does not overflow. */
static gint64
get_ideal (guint64 bytes, guint64 rate)
{
  return gst_util_uint64_scale (bytes * 8, GST_SECOND, rate);
}

/* Of a full cycle, ns. */
static gint64
get_period (const CbrSchedule *s, guint payload)
{
  return fasp_rate_clock_span (s->base.rate,
      (guint64) cbr_schedule_get_datagrams (s, payload) * (payload + s->header));
}

static CbrSchedule
make (CbrMethod method, guint64 rate, guint32 max_burst, gint64 max_period, guint32 header)
{
  CbrSchedule schedule;

  cbr_schedule_init (&schedule, method, rate, 0);
  schedule.max_burst = max_burst;
  schedule.max_period = max_period;
  schedule.header = header;
  return schedule;
}

static void
test_cycles (void)
{
  static const struct
  {
    guint64 rate;
    guint payload, max_burst;
    gint64 max_period;
    guint header;
    guint datagrams;
    gint64 period;
  } cases[] = {
    /* the reference: 16 KiB in a cycle, 250 ms at most */
    { 10000, 200, 16384, 250 * MSEC, 28, 1, 182400000 },
    { 1000000, 200, 16384, 250 * MSEC, 28, 71, 129504000 },
    { 100000000, 200, 16384, 250 * MSEC, 28, 71, 1295040 },
    { 1000000000, 200, 16384, 250 * MSEC, 28, 71, 129504 },
    { 1000000000, 1200, 16384, 250 * MSEC, 28, 13, 127712 },
    { 10000000000, 1200, 16384, 250 * MSEC, 28, 13, 12771 },
    /* ours: 8 kB */
    { 8000000, 1316, 0, 250 * MSEC, 28, 5, 6720000 },
    { 8000000, 1316, 0, 250 * MSEC, 48, 5, 6820000 },
    { 100000000, 200, 0, 250 * MSEC, 28, 35, 638400 },
    { 1000000000, 1200, 0, 250 * MSEC, 28, 6, 58944 },
    /* above 1 Gbit/s 50 µs */
    { 10000000000, 1200, 0, 250 * MSEC, 28, 50, 49120 },
    { 1600000000, 1200, 0, 250 * MSEC, 28, 8, 49120 },
    /* at least one, however long it takes */
    { 10000, 1200, 0, 250 * MSEC, 28, 1, 982400000 },
    { 8, 1000, 1, 1000, 0, 1, 1000 * SEC },
    { 1000000, 1000, 1, 250 * MSEC, 0, 1, 8 * MSEC },
    /* a short period */
    { 100000000, 1000, 0, MSEC / 2, 0, 6, 480000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    CbrSchedule s = make (CBR_DEADLINE, cases[i].rate, cases[i].max_burst, cases[i].max_period,
        cases[i].header);

    g_assert_cmpuint (cbr_schedule_get_datagrams (&s, cases[i].payload), ==, cases[i].datagrams);
    g_assert_cmpint (get_period (&s, cases[i].payload), ==, cases[i].period);
  }
}

/* After a day the total is what the rate says, to one datagram, and every
 * deadline on the way is exact to the nanosecond. */
static void
test_day (void)
{
  static const guint64 rates[] = { 9999, 10000, 1000000, 7654321, 100000000, 999999937,
    G_GUINT64_CONSTANT (10000000000) };
  static const guint payloads[] = { 200, 1200, 1316 };
  const gint64 day = 86400 * SEC;

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++)
    for (guint j = 0; j < G_N_ELEMENTS (payloads); j++) {
      /* of high rates, large cycles: 10 million in the day */
      CbrSchedule s = make (CBR_DEADLINE, rates[i], MAX (1, rates[i] / 1000), 250 * MSEC, 28);
      guint n = cbr_schedule_get_datagrams (&s, payloads[j]);
      guint64 size = payloads[j] + 28, datagrams = 0;
      guint64 ideal = rates[i] * 86400;

      while (cbr_schedule_get_due (&s) < day) {
        gint64 due = cbr_schedule_get_due (&s);

        g_assert_cmpint (due, ==, get_ideal (datagrams * size, rates[i]));
        cbr_schedule_departed (&s, due, due, n * size);
        datagrams += n;
      }
      /* the last cycle began before midnight */
      g_assert_cmpuint (datagrams - ideal / (size * 8), <=, n);
    }
}

/* The invariants, with a sleeper that wakes late and a machine that stalls. */
static void
test_invariants (void)
{
  for (guint seed = 0; seed < 200; seed++) {
    GRand *rand = g_rand_new_with_seed (seed);
    guint64 rate = 10000 + g_rand_int (rand);
    gint64 spin = g_rand_boolean (rand) ? 50000 : 0;
    gint64 latency = g_rand_int_range (rand, 0, 60000);
    CbrSchedule s = make (CBR_DEADLINE, rate,
        g_rand_boolean (rand) ? 0 : g_rand_int_range (rand, 1, 20000), 250 * MSEC, 28);
    gint64 now = 0, last = G_MININT64, late = 0, handing;
    guint64 sent = 0;

    handing = g_rand_int_range (rand, 0, get_period (&s, 1200));

    for (guint i = 0; i < 2000; i++) {
      guint64 bytes = (guint64) cbr_schedule_get_datagrams (&s, 1200) * 1228;
      gint64 period = fasp_rate_clock_span (rate, bytes);
      gint64 due = cbr_schedule_get_due (&s);
      CbrWait wait = cbr_schedule_get_wait (&s, latency, spin);

      g_assert_cmpint (due, ==, get_ideal (sent, rate));
      g_assert_cmpint (wait.leave, >=, due);
      g_assert_cmpint (wait.leave - wait.sleep, <=, spin);
      now = MAX (now, wait.leave);
      if (spin == 0)
        now += latency;
      /* 3 ms, sometimes */
      if (g_rand_int_range (rand, 0, 100) == 0)
        now += 3 * MSEC;
      if (cbr_schedule_is_lost (&s, now)) {
        g_assert_cmpint (now - due, >, CBR_STALL);
        break;
      }
      /* never early, and never close to the last */
      g_assert_cmpint (now, >=, due);
      if (last != G_MININT64)
        g_assert_cmpint (now - last, >=, (period - s.handing) / 2 - 1);
      late = now - due;
      /* handing on takes its time, and stalls, too */
      last = now + handing + (g_rand_int_range (rand, 0, 100) == 0 ? 3 * MSEC : 0);
      cbr_schedule_departed (&s, now, last, bytes);
      now = last;
      sent += bytes;
    }
    /* what it fell behind was made good; at rates whose cycles take less time
     * than a wake-up, as far as that can be */
    if (get_period (&s, 1200) - handing > 200000 + 4 * latency)
      g_assert_cmpint (late, <, 20 * MSEC);
    g_rand_free (rand);
  }
}

/* 3 ms too late at 50 Mbit/s: made good at twice the rate. */
static void
test_make_good (void)
{
  CbrSchedule s = make (CBR_DEADLINE, 50000000, 0, 250 * MSEC, 28);
  const guint64 bytes = 5 * 1344;
  const gint64 period = 1075200;
  const gint64 start = period + 3 * MSEC;
  gint64 left[16];

  cbr_schedule_departed (&s, 0, 0, bytes);
  g_assert_cmpint (cbr_schedule_get_due (&s), ==, period);
  left[0] = start;
  cbr_schedule_departed (&s, left[0], left[0], bytes);
  for (guint i = 1; i < G_N_ELEMENTS (left); i++) {
    left[i] = cbr_schedule_get_wait (&s, 0, 0).leave;
    g_assert_cmpint (left[i], ==, MAX (left[i - 1] + period / 2, (gint64) (i + 1) * period));
    cbr_schedule_departed (&s, left[i], left[i], bytes);
  }
  g_assert_cmpint (left[15], ==, 16 * period);
}

static void
test_dry_and_stall (void)
{
  CbrSchedule s = make (CBR_DEADLINE, 8000000, 0, 250 * MSEC, 0);

  cbr_schedule_departed (&s, 0, 0, 1000);
  cbr_schedule_resume (&s, MSEC / 2); /* came in time: nothing changes */
  g_assert_cmpint (cbr_schedule_get_due (&s), ==, MSEC);
  cbr_schedule_resume (&s, 5 * MSEC);
  g_assert_cmpint (cbr_schedule_get_due (&s), ==, 5 * MSEC);
  cbr_schedule_departed (&s, 5 * MSEC, 5 * MSEC, 1000);
  g_assert_cmpint (cbr_schedule_get_due (&s), ==, 6 * MSEC);
  /* dry just after a cycle that was late: not close to it all the same */
  cbr_schedule_departed (&s, 20 * MSEC, 20 * MSEC, 1000);
  cbr_schedule_resume (&s, 20 * MSEC + 1000);
  g_assert_cmpint (cbr_schedule_get_wait (&s, 0, 0).leave, ==, 20 * MSEC + MSEC / 2);
  cbr_schedule_restart (&s, 5 * MSEC);
  cbr_schedule_departed (&s, 5 * MSEC, 5 * MSEC, 1000);
  g_assert_false (cbr_schedule_is_lost (&s, 6 * MSEC + CBR_STALL));
  g_assert_true (cbr_schedule_is_lost (&s, 6 * MSEC + CBR_STALL + 1));
}

/* The cycle that left last counts at the new rate. */
static void
test_set_rate (void)
{
  CbrSchedule s = make (CBR_DEADLINE, 8000, 0, 250 * MSEC, 0);

  cbr_schedule_departed (&s, 0, 0, 1000);
  g_assert_cmpint (cbr_schedule_get_due (&s), ==, SEC);
  cbr_schedule_set_rate (&s, 16000, 0);
  g_assert_cmpint (cbr_schedule_get_due (&s), ==, SEC / 2);
  cbr_schedule_departed (&s, SEC / 2, SEC / 2, 1000);
  cbr_schedule_set_rate (&s, 8000, SEC / 2);
  g_assert_cmpint (cbr_schedule_get_due (&s), ==, 3 * SEC / 2);
}

/* However often the rate changes, the bytes that leave are those of the mean rate. */
static void
test_set_rates (void)
{
  static const guint64 rates[] = { 1000000, 2000000, 5000000, 10000000 };
  CbrSchedule s = make (CBR_DEADLINE, 1000000, 0, 250 * MSEC, 0);
  GRand *rand = g_rand_new_with_seed (1);
  gdouble wanted = 0, left = 0;

  for (gint64 now = 0, until; now < 100 * SEC; now = until) {
    guint64 rate = rates[g_rand_int_range (rand, 0, G_N_ELEMENTS (rates))];

    until = now + g_rand_int_range (rand, 1, 20 * MSEC);
    cbr_schedule_set_rate (&s, rate, now);
    for (gint64 due; (due = cbr_schedule_get_due (&s)) < until; left += 1000)
      cbr_schedule_departed (&s, due, due, 1000);
    wanted += (until - now) / 8e9 * rate;
    /* the first leaves at once; of a byte that is half over all counts anew */
    g_assert_cmpfloat (ABS (left - 500 - wanted), <=, 500 + wanted * 1e-3);
  }
  g_rand_free (rand);
}

static void
test_spin (void)
{
  CbrSchedule s = make (CBR_DEADLINE, 8000000, 0, 250 * MSEC, 0);
  CbrWait wait;

  cbr_schedule_departed (&s, 0, 0, 1000);
  wait = cbr_schedule_get_wait (&s, 40000, 0);
  g_assert_cmpint (wait.sleep, ==, MSEC);
  g_assert_cmpint (wait.leave, ==, MSEC);
  wait = cbr_schedule_get_wait (&s, 40000, 100000);
  g_assert_cmpint (wait.sleep, ==, MSEC - 40000);
  g_assert_cmpint (wait.leave, ==, MSEC);
  wait = cbr_schedule_get_wait (&s, 40000, 10000);
  g_assert_cmpint (wait.sleep, ==, MSEC - 10000);
}

/* Firebind's: the total is compared, whatever happened before. */
static void
test_compare (void)
{
  CbrSchedule s = make (CBR_SEND_AND_COMPARE, 8000000, 0, 250 * MSEC, 0);
  CbrWait wait;

  cbr_schedule_departed (&s, 10 * MSEC, 11 * MSEC, 1000);
  wait = cbr_schedule_get_wait (&s, 40000, 0);
  g_assert_cmpint (wait.sleep, <, 0);     /* does not sleep */
  g_assert_cmpint (wait.leave, ==, MSEC); /* in one burst */
  g_assert_false (cbr_schedule_is_lost (&s, 10 * SEC));
}

static void
test_sleep (void)
{
  CbrSchedule s = make (CBR_SEND_AND_SLEEP, 8000000, 0, 250 * MSEC, 0);
  static const struct
  {
    gint64 begin, duration, due;
  } steps[] = {
    { 0, 0, MSEC },
    /* woke 100 µs late: lost for ever */
    { 1100000, 200000, 2100000 },
    /* sending took two periods and a half: the deficit is made good */
    { 2100000, 2500000, 4600000 },
    { 4600000, 100000, 4700000 },
    { 4700000, 100000, 5100000 },
    { 5100000, 100000, 6100000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    CbrWait wait;

    cbr_schedule_departed (&s, steps[i].begin, steps[i].begin + steps[i].duration, 1000);
    wait = cbr_schedule_get_wait (&s, 40000, 0);
    g_assert_cmpint (wait.sleep, ==, steps[i].due);
    g_assert_cmpint (wait.leave, ==, steps[i].due);
  }
}

/* What it lacked when another method began is not made good later, in one burst. */
static void
test_sleep_again (void)
{
  CbrSchedule s = make (CBR_SEND_AND_SLEEP, 8000000, 0, 250 * MSEC, 0);

  cbr_schedule_departed (&s, 0, 100 * MSEC, 1000);
  g_assert_cmpint (cbr_schedule_set_method (&s, CBR_SEND_AND_SLEEP), ==, 0);
  g_assert_cmpint (cbr_schedule_set_method (&s, CBR_DEADLINE), ==, 99 * MSEC);
  cbr_schedule_departed (&s, 100 * MSEC, 100 * MSEC, 1000);
  g_assert_cmpint (cbr_schedule_set_method (&s, CBR_SEND_AND_SLEEP), ==, 0);
  cbr_schedule_departed (&s, 101 * MSEC, 101 * MSEC, 1000);
  g_assert_cmpint (cbr_schedule_get_due (&s), ==, 102 * MSEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedule/cycles", test_cycles);
  g_test_add_func ("/schedule/day", test_day);
  g_test_add_func ("/schedule/invariants", test_invariants);
  g_test_add_func ("/schedule/make-good", test_make_good);
  g_test_add_func ("/schedule/dry-and-stall", test_dry_and_stall);
  g_test_add_func ("/schedule/set-rate", test_set_rate);
  g_test_add_func ("/schedule/set-rates", test_set_rates);
  g_test_add_func ("/schedule/spin", test_spin);
  g_test_add_func ("/schedule/send-and-compare", test_compare);
  g_test_add_func ("/schedule/send-and-sleep", test_sleep);
  g_test_add_func ("/schedule/send-and-sleep/again", test_sleep_again);
  return g_test_run ();
}
