/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests of cbrdeparture.h: walks the drawing there.
 */
#include "cbrdeparture.h"

#define RATE 8000000 /* 1 byte/µs */
#define PERIOD (100 * G_GINT64_CONSTANT (1000000))
#define MS G_GINT64_CONSTANT (1000000)

static void
set_up (CbrDeparture *departure)
{
  cbr_departure_init (departure);
  departure->schedule.max_period = PERIOD;
  cbr_schedule_set_rate (&departure->schedule, RATE, 0);
}

typedef enum
{
  NOTHING,
  PART,
  ENOUGH,
  LEAVE,
  RESET,
} What;

static void
see (CbrDeparture *departure, What what, gint64 now)
{
  switch (what) {
    case NOTHING:
      cbr_departure_see_nothing (departure);
      break;
    case PART:
      cbr_departure_see_part (departure, now, PERIOD);
      break;
    case ENOUGH:
      cbr_departure_see_enough (departure);
      break;
    case LEAVE:
      cbr_departure_leave (departure);
      break;
    case RESET:
      cbr_departure_reset (departure);
      break;
  }
}

static void
test_stages (void)
{
  static const struct
  {
    What what;
    gint64 ms;
    CbrStage stage;
  } walk[] = {
    { NOTHING, 0, CBR_EMPTY },
    { PART, 10, CBR_PARTIAL },
    { NOTHING, 20, CBR_EMPTY },
    { PART, 30, CBR_PARTIAL },
    { PART, 129, CBR_PARTIAL }, /* no longer than since it came */
    { ENOUGH, 129, CBR_WHOLE },
    { LEAVE, 129, CBR_LEAVING },
    { ENOUGH, 130, CBR_WHOLE },
    { NOTHING, 130, CBR_EMPTY }, /* it was dropped */
    { PART, 200, CBR_PARTIAL },
    { PART, 300, CBR_SHORT },
    { ENOUGH, 300, CBR_SHORT }, /* its rest comes too late to wait for more */
    { LEAVE, 301, CBR_LEAVING },
    { PART, 302, CBR_PARTIAL }, /* the next one waits anew */
    { PART, 402, CBR_SHORT },
    { NOTHING, 403, CBR_EMPTY },
    { ENOUGH, 404, CBR_WHOLE },
    { RESET, 405, CBR_EMPTY },
    { PART, 500, CBR_PARTIAL },
    { RESET, 501, CBR_EMPTY },
    { PART, 600, CBR_PARTIAL },
  };
  CbrDeparture departure;

  set_up (&departure);
  for (guint i = 0; i < G_N_ELEMENTS (walk); i++) {
    see (&departure, walk[i].what, walk[i].ms * MS);
    g_assert_cmpint (departure.stage, ==, walk[i].stage);
    g_assert_cmpint (cbr_departure_is_hungry (&departure), ==,
        walk[i].stage == CBR_EMPTY || walk[i].stage == CBR_PARTIAL);
    g_assert_cmpint (cbr_departure_is_due (&departure), ==,
        walk[i].stage == CBR_SHORT || walk[i].stage == CBR_WHOLE);
  }
}

/* A cycle of 10 ms leaves on time. */
static void
depart (CbrDeparture *departure)
{
  gint64 due = cbr_schedule_get_due (&departure->schedule);

  cbr_departure_leave (departure);
  cbr_schedule_departed (&departure->schedule, due, due, 10000);
}

static void
test_runs (void)
{
  CbrDeparture departure;

  set_up (&departure);
  departure.fed_at = MS;
  g_assert_cmpint (departure.run, ==, CBR_UNSTARTED);
  cbr_departure_set_playing (&departure, TRUE); /* there is no schedule to resume */
  g_assert_cmpint (departure.run, ==, CBR_UNSTARTED);
  g_assert_cmpint (cbr_departure_follow (&departure, MS, FALSE), ==, CBR_GAP_START);
  g_assert_cmpint (departure.run, ==, CBR_RUNNING);
  depart (&departure);
  g_assert_cmpint (cbr_departure_follow (&departure, 5 * MS, FALSE), ==, CBR_GAP_NONE);

  /* the input was dry until 20 ms; null packets would have left meanwhile */
  departure.fed_at = 20 * MS;
  g_assert_cmpint (cbr_departure_follow (&departure, 21 * MS, TRUE), ==, CBR_GAP_NONE);
  g_assert_cmpint (cbr_departure_follow (&departure, 21 * MS, FALSE), ==, CBR_GAP_UNDERRUN);
  depart (&departure);

  cbr_departure_set_playing (&departure, TRUE);
  g_assert_cmpint (departure.run, ==, CBR_RESUMED);
  cbr_departure_set_playing (&departure, FALSE);
  g_assert_cmpint (departure.run, ==, CBR_RUNNING);
  cbr_departure_set_playing (&departure, TRUE);
  g_assert_cmpint (cbr_departure_follow (&departure, 50 * MS, FALSE), ==, CBR_GAP_START);
  g_assert_cmpint (departure.run, ==, CBR_RUNNING);
  depart (&departure);

  /* the next one is due at 60 ms */
  g_assert_cmpint (cbr_departure_get_lag (&departure, 55 * MS), ==, 0);
  g_assert_cmpint (cbr_departure_get_lag (&departure, 70 * MS), ==, 10 * MS);
  g_assert_cmpint (cbr_departure_follow (&departure, 60 * MS + CBR_STALL, FALSE), ==, CBR_GAP_NONE);
  g_assert_cmpint (cbr_departure_follow (&departure, 61 * MS + CBR_STALL, FALSE), ==,
      CBR_GAP_STALL);
  g_assert_cmpint (departure.lost, ==, MS + CBR_STALL);
  g_assert_cmpint (cbr_departure_get_lag (&departure, 61 * MS + CBR_STALL), ==, MS + CBR_STALL);

  cbr_departure_reset (&departure);
  g_assert_cmpint (departure.run, ==, CBR_UNSTARTED);
  g_assert_cmpint (cbr_departure_get_lag (&departure, 0), ==, MS + CBR_STALL);
  g_assert_cmpint (cbr_departure_follow (&departure, 0, FALSE), ==, CBR_GAP_START);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cbrdeparture/stages", test_stages);
  g_test_add_func ("/cbrdeparture/runs", test_runs);
  return g_test_run ();
}
