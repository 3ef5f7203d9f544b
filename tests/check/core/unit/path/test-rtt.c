/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasprtt.h"

/* RFC 6298, 2.2 and 2.3, by hand. */
static void
test_rfc (void)
{
  FaspRtt rtt;

  fasp_rtt_init (&rtt);
  g_assert_false (rtt.measured);
  fasp_rtt_sample (&rtt, 200000, 0);
  g_assert_cmpint (rtt.smoothed, ==, 200000);
  g_assert_cmpint (rtt.variation, ==, 100000);
  fasp_rtt_sample (&rtt, 240000, 0);
  g_assert_cmpint (rtt.variation, ==, 85000); /* 3/4 100000 + 1/4 40000 */
  g_assert_cmpint (rtt.smoothed, ==, 205000); /* 7/8 200000 + 1/8 240000 */
  g_assert_cmpint (fasp_rtt_timeout (&rtt), ==, 205000 + 4 * 85000);
}

static void
test_ack_delay (void)
{
  FaspRtt rtt;

  fasp_rtt_init (&rtt);
  fasp_rtt_sample (&rtt, 100000, 0);
  fasp_rtt_sample (&rtt, 150000, 50000);
  g_assert_cmpint (rtt.smoothed, ==, 100000);
  /* a delay that would go below the minimum is not believed */
  fasp_rtt_sample (&rtt, 108000, 100000);
  g_assert_cmpint (rtt.smoothed, ==, 100000);
  g_assert_cmpint (rtt.min, ==, 100000);
}

static void
test_nonsense (void)
{
  FaspRtt rtt;

  fasp_rtt_init (&rtt);
  fasp_rtt_sample (&rtt, -5, 0);
  fasp_rtt_sample (&rtt, 0, 0);
  fasp_rtt_sample (&rtt, 61 * FASP_SEC, 0);
  g_assert_false (rtt.measured);
  fasp_rtt_sample (&rtt, 1, G_MAXINT64);
  g_assert_cmpint (rtt.latest, ==, 1);
  g_assert_cmpint (fasp_rtt_timeout (&rtt), >=, 10 * FASP_MSEC);
  for (guint i = 0; i < 100; i++)
    fasp_rtt_sample (&rtt, 59 * FASP_SEC, 0);
  g_assert_cmpint (fasp_rtt_timeout (&rtt), <=, 10 * FASP_SEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rtt/rfc6298", test_rfc);
  g_test_add_func ("/rtt/ack-delay", test_ack_delay);
  g_test_add_func ("/rtt/nonsense", test_nonsense);
  return g_test_run ();
}
