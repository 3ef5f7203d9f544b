/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The clock that follows the sender's, and all that it stands on: an hour and a half,
 * with jitter, loss and another clock.
 */
#include "faspclockdiscipline.h"
#include "faspmediaclock.h"
#include "faspskew.h"

#define PPM 1e-6
#define NS 1000

static void
test_alone (void)
{
  FaspClockDiscipline discipline;

  fasp_clock_discipline_init (&discipline, 5000000000);
  g_assert_cmpint (fasp_clock_discipline_get (&discipline, 5000000000), ==, 5000000000);
  g_assert_cmpint (fasp_clock_discipline_get (&discipline, 9000000123), ==, 9000000123);
  /* nobody there: nothing changes */
  fasp_clock_discipline_look (&discipline, 8000000000, &(FaspSenderClock) { FALSE });
  g_assert_cmpint (fasp_clock_discipline_get (&discipline, 9000000123), ==, 9000000123);
}

/* The sender falls silent: at its rate for ever, without a break; what was to be made
 * up for is so, and no more. */
static void
test_silence (void)
{
  FaspSenderClock sender = {
    .known = TRUE,
    .epoch = 1,
    .offset = 1000,
    .skew_known = TRUE,
    .skew = -80 * PPM,
  };
  gint64 second = FASP_SEC * NS, value;
  FaspClockDiscipline discipline;

  fasp_clock_discipline_init (&discipline, 0);
  fasp_clock_discipline_look (&discipline, second, &sender);
  sender.offset -= 16000; /* 16 ms: 1 ms at a time */
  fasp_clock_discipline_look (&discipline, 2 * second, &sender);
  value = fasp_clock_discipline_get (&discipline, 2 * second);
  g_assert_cmpint (fasp_clock_discipline_get (&discipline, 3 * second), ==,
      value + second + 80000 + 500000);
  g_assert_cmpint (ABS (fasp_clock_discipline_get (&discipline, 4 * second) - value - 2 * second
                       - 2 * 80000 - 1000000),
      <=, 10000);
  value = fasp_clock_discipline_get (&discipline, 4 * second);
  g_assert_cmpint (ABS (fasp_clock_discipline_get (&discipline, 100004 * second) - value
                       - 100000 * (second + 80000)),
      <=, 1000);
}

/* Another epoch: no step, whatever its time is. */
static void
test_epochs (void)
{
  FaspSenderClock sender = { .known = TRUE };
  FaspClockDiscipline discipline;

  fasp_clock_discipline_init (&discipline, 0);
  for (gint64 t = 0; t < 100; t++) {
    sender.epoch = 1 + t / 10;
    sender.offset = t / 10 % 2 == 0 ? 0 : 3600 * FASP_SEC * (t / 10);
    fasp_clock_discipline_look (&discipline, t * FASP_SEC * NS, &sender);
    g_assert_cmpint (fasp_clock_discipline_get (&discipline, t * FASP_SEC * NS), ==,
        t * FASP_SEC * NS);
  }
}

/* A player whose clock is this one: blocks come in time for 90 minutes, and its buffer
 * is what it was, within 5 ms. */
static void
test_hour (void)
{
  static const struct
  {
    gdouble ppm;
    FaspTime jitter, rtt;
    gdouble loss;
  } cases[] = {
    { 100, 100, 200, 0 },
    { -100, 100, 200, 0 },
    { 100, 5000, 200000, .02 },
    { -100, 5000, 200000, .02 },
  };
  static const FaspTime frame = 40 * FASP_MSEC, latency = 1300 * FASP_MSEC;

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (c);
    FaspSenderClock sender = { .known = TRUE, .epoch = 1 };
    gint64 value_before = 0;
    FaspClockDiscipline discipline;
    FaspMediaClock clock;
    FaspSkew skew = { 0 };
    guint64 n = 0;

    fasp_media_clock_init (&clock);
    fasp_clock_discipline_init (&discipline, 0);
    for (FaspTime t = 0; t < 5400 * FASP_SEC; t += frame, n++) {
      FaspTime media = t * (1 + cases[c].ppm * PPM), level;
      FaspTime arrival = t + cases[c].rtt / 2 + g_rand_int_range (rand, 0, cases[c].jitter);
      gint64 pts, played;

      while (g_rand_double (rand) < cases[c].loss)
        arrival += cases[c].rtt;
      g_assert_false (fasp_media_clock_arrived (&clock, n, media, arrival));
      fasp_skew_arrived (&skew, media, arrival);
      sender.offset = clock.offset;
      sender.skew_known = skew.known;
      sender.skew = skew.skew;
      fasp_clock_discipline_look (&discipline, arrival * NS, &sender);
      pts = fasp_clock_discipline_get (&discipline, fasp_media_clock_map (&clock, n, media) * NS);
      /* how far off is it on that clock, and how much is left until then? */
      played = pts / NS + latency - fasp_clock_discipline_get (&discipline, arrival * NS) / NS;
      g_assert_cmpint (played, >, 0);
      if (t < 120 * FASP_SEC) {
        value_before = pts;
        continue;
      }
      level = played - latency + arrival - (t + cases[c].rtt / 2);
      g_assert_cmpint (ABS (level), <=, 5 * FASP_MSEC);
      /* by the sender's clock a frame is a frame */
      g_assert_cmpint (ABS (pts - value_before - frame * (1 + cases[c].ppm * PPM) * NS), <=,
          FASP_MSEC * NS);
      value_before = pts;
    }
    /* in the end not a millisecond has been lost */
    g_assert_cmpint (ABS (discipline.error), <=, FASP_MSEC * NS / 4);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clock-discipline/alone", test_alone);
  g_test_add_func ("/clock-discipline/silence", test_silence);
  g_test_add_func ("/clock-discipline/epochs", test_epochs);
  g_test_add_func ("/clock-discipline/hour", test_hour);
  return g_test_run ();
}
