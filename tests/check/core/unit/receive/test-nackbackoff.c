/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which member asks for what is lost, and when.
 */
#include "faspnackbackoff.h"

#define RTT (20 * FASP_MSEC)

static void
test_backoff (void)
{
  const guint n = 100, rounds = 1000;
  const FaspTime t = 8 * RTT, d = RTT;
  FaspNackBackoff backoffs[100];
  guint early = 0;

  for (guint i = 0; i < n; i++) {
    fasp_nack_backoff_init (&backoffs[i], i + 1);
    fasp_nack_backoff_set (&backoffs[i], n, t, 500);
  }
  for (guint r = 0; r < rounds; r++) {
    FaspTime times[100], first = t;

    for (guint i = 0; i < n; i++) {
      times[i] = fasp_nack_backoff_draw (&backoffs[i]);
      g_assert_cmpint (times[i], >=, 0);
      g_assert_cmpint (times[i], <=, t);
      first = MIN (first, times[i]);
    }
    for (guint i = 0; i < n; i++)
      early += times[i] <= first + d;
  }
  /* e^(L d / T), with L = ln 100 + 1: 2.01 */
  g_assert_cmpfloat (early / (gdouble) rounds, >, 1.5);
  g_assert_cmpfloat (early / (gdouble) rounds, <, 2.5);
  for (guint i = 0; i < n; i++) {
    FaspTime clock = fasp_nack_backoff_draw_clock (&backoffs[i]);

    g_assert_cmpint (clock, >=, 375 * FASP_MSEC);
    g_assert_cmpint (clock, <=, 500 * FASP_MSEC);
  }
}

/* Whatever the sender, or another member, says. */
static void
test_bounds (void)
{
  FaspNackBackoff backoff;

  fasp_nack_backoff_init (&backoff, 0);
  fasp_nack_backoff_set (&backoff, 1, G_MAXUINT64, 0);
  g_assert_cmpint (fasp_nack_backoff_draw (&backoff), ==, 0); /* alone */
  fasp_nack_backoff_set (&backoff, G_MAXUINT64, G_MAXUINT64, G_MAXUINT64);
  for (guint i = 0; i < 1000; i++) {
    g_assert_cmpint (fasp_nack_backoff_draw (&backoff), <=, FASP_NACK_BACKOFF_MAX);
    g_assert_cmpint (fasp_nack_backoff_draw_clock (&backoff), <=, FASP_MEMBER_CLOCK_MAX);
  }
  fasp_nack_backoff_set (&backoff, 0, 0, 0);
  g_assert_cmpint (fasp_nack_backoff_draw_clock (&backoff), >=, FASP_MEMBER_CLOCK_MIN * 3 / 4);
}

/* What was lost after a request's time was drawn is not asked for by it. */
static void
test_request (void)
{
  FaspNackBackoff backoff;

  fasp_nack_backoff_init (&backoff, 7);
  fasp_nack_backoff_set (&backoff, 10, RTT, 100);
  fasp_nack_backoff_settled (&backoff, 5);
  g_assert_cmpuint (fasp_nack_backoff_report (&backoff, FALSE), ==, 5);
  fasp_nack_backoff_settled (&backoff, 10);
  fasp_nack_backoff_ask (&backoff, 0, 100);
  g_assert_cmpint (backoff.time, <=, RTT);
  g_assert_cmpuint (fasp_nack_backoff_report (&backoff, FALSE), ==, 5);
  fasp_nack_backoff_settled (&backoff, 20);
  fasp_nack_backoff_ask (&backoff, 0, 200);
  g_assert_cmpuint (backoff.end, ==, 100);
  g_assert_cmpuint (fasp_nack_backoff_report (&backoff, TRUE), ==, 10);
  backoff.time = FASP_NEVER;
  g_assert_cmpuint (fasp_nack_backoff_report (&backoff, FALSE), ==, 20);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nack-back-off", test_backoff);
  g_test_add_func ("/nack-back-off/bounds", test_bounds);
  g_test_add_func ("/nack-back-off/request", test_request);
  return g_test_run ();
}
