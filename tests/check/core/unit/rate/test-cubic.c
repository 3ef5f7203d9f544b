/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The window of CUBIC (RFC 9438).
 */
#include <math.h>
#include "faspcubic.h"

#define RTT (100 * FASP_MSEC)
#define PACKET 1500.

/* A window's worth is confirmed in each round trip, until @until. */
static void
run (FaspCubic *cubic, FaspTime *now, FaspTime until)
{
  for (; *now < until; *now += RTT)
    fasp_cubic_grow (cubic, *now, RTT, fasp_cubic_get_window (cubic));
}

/* After it was reduced, it is what it was after K, and grows slowly about then. */
static void
test_growth (void)
{
  const gdouble before = 1000;
  FaspTime now = FASP_SEC, k;
  FaspCubic cubic;

  fasp_cubic_begin (&cubic, now, before * PACKET);
  fasp_cubic_reduce (&cubic, now);
  g_assert_cmpfloat_with_epsilon (fasp_cubic_get_window (&cubic), .7 * before * PACKET, 1);
  k = cbrt (before * .3 / .4) * FASP_SEC;
  run (&cubic, &now, FASP_SEC + k / 2);
  /* an eighth of the way is left, in half of the time */
  g_assert_cmpfloat (fasp_cubic_get_window (&cubic) / PACKET, >, before * (1 - .3 * .2));
  g_assert_cmpfloat (fasp_cubic_get_window (&cubic) / PACKET, <, before);
  run (&cubic, &now, FASP_SEC + k);
  g_assert_cmpfloat_with_epsilon (fasp_cubic_get_window (&cubic) / PACKET, before, .02 * before);
  run (&cubic, &now, FASP_SEC + 2 * k);
  g_assert_cmpfloat (fasp_cubic_get_window (&cubic) / PACKET, >, before * 1.25);
}

/* Where Reno would have more, it has as much. */
static void
test_reno (void)
{
  FaspTime now = FASP_SEC;
  FaspCubic cubic;

  fasp_cubic_begin (&cubic, now, 10 * PACKET);
  fasp_cubic_reduce (&cubic, now);
  /* 0.53 packets a round trip */
  for (guint i = 0; i < 5; i++, now += 5 * FASP_MSEC)
    fasp_cubic_grow (&cubic, now, 5 * FASP_MSEC, fasp_cubic_get_window (&cubic));
  g_assert_cmpfloat_with_epsilon (fasp_cubic_get_window (&cubic) / PACKET, 7 + 5 * .53, .2);
}

/* Another one has come: it gives way further. */
static void
test_convergence (void)
{
  FaspCubic cubic;

  fasp_cubic_begin (&cubic, FASP_SEC, 1000 * PACKET);
  fasp_cubic_reduce (&cubic, FASP_SEC);
  g_assert_cmpfloat_with_epsilon (cubic.most, 1000, .1);
  fasp_cubic_reduce (&cubic, 2 * FASP_SEC);
  g_assert_cmpfloat_with_epsilon (cubic.most, 700 * .85, .1);
  for (guint i = 0; i < 100; i++)
    fasp_cubic_reduce (&cubic, 3 * FASP_SEC);
  g_assert_cmpfloat (fasp_cubic_get_window (&cubic), ==, 2 * PACKET);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/cubic/growth", test_growth);
  g_test_add_func ("/rate/cubic/reno", test_reno);
  g_test_add_func ("/rate/cubic/convergence", test_convergence);
  return g_test_run ();
}
