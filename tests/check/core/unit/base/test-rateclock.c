/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasprateclock.h"

static const guint64 rates[] = { 1, 7, 9600, 10000, 999983, 1000000, 270000000, 333333333,
  G_GUINT64_CONSTANT (10000000000), FASP_RATE_MAX };

/* Against that of all bytes at once, for bytes in pieces of any size: 700 MB at most, whose bits
 * times 10^9 are below 2^63. */
static void
test_exact (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (i);
    guint64 bits = 0;
    FaspRateClock clock;

    fasp_rate_clock_init (&clock, rates[i], 12345);
    for (guint j = 0; j < 10000; j++) {
      guint64 bytes = g_rand_int_range (rand, 0, 70000);
      guint64 scaled;

      fasp_rate_clock_advance (&clock, bytes);
      bits += bytes * 8;
      scaled = bits * 1000000000;
      g_assert_cmpint (clock.ns - 12345, ==, scaled / rates[i]);
      g_assert_cmpuint (clock.remainder, ==, scaled % rates[i]);
    }
  }
}

/* More bytes at once than a product of 64 bits holds. */
static void
test_large (void)
{
  const guint64 tebibyte = G_GUINT64_CONSTANT (1) << 40;

  g_assert_cmpint (fasp_rate_clock_span (G_GUINT64_CONSTANT (8000000000), tebibyte), ==,
      (gint64) tebibyte);
  g_assert_cmpint (fasp_rate_clock_span (8, 3), ==, 3000000000);
  g_assert_cmpint (fasp_rate_clock_span (1, 0), ==, 0);
}

static void
test_set_rate (void)
{
  FaspRateClock clock;

  fasp_rate_clock_init (&clock, 3, 0);
  fasp_rate_clock_advance (&clock, 1); /* 8/3 s */
  g_assert_cmpint (clock.ns, ==, 2666666666);
  fasp_rate_clock_set_rate (&clock, 3); /* the same: nothing is lost */
  fasp_rate_clock_advance (&clock, 2);
  g_assert_cmpint (clock.ns, ==, 8000000000);
  fasp_rate_clock_set_rate (&clock, 8);
  fasp_rate_clock_advance (&clock, 1);
  g_assert_cmpint (clock.ns, ==, 9000000000);
  fasp_rate_clock_set (&clock, -5);
  g_assert_cmpint (clock.ns, ==, -5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rateclock/exact", test_exact);
  g_test_add_func ("/rateclock/large", test_large);
  g_test_add_func ("/rateclock/set-rate", test_set_rate);
  return g_test_run ();
}
