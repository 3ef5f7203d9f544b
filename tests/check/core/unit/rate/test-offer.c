/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Offers grow by a tenth, but for near where a queue has grown, and never beyond the most.
 */
#include <math.h>
#include "faspoffer.h"

static void
check_step (FaspOffer *offer, FaspTime rtt, gdouble last, gdouble step)
{
  gdouble next = fasp_offer_next (offer, last, 1e12, rtt);

  g_assert_cmpfloat_with_epsilon (next / last - 1, step, 1e-6);
}

static void
test_free (void)
{
  FaspOffer offer;

  fasp_offer_init (&offer);
  for (guint i = 0; i < 5; i++)
    check_step (&offer, 100 * FASP_MSEC, 1e6, .1);
  /* twice as long as steps may be whole: a half */
  check_step (&offer, 400 * FASP_MSEC, 1e6, .1);
  check_step (&offer, 400 * FASP_MSEC, 1e6, .05);
}

static void
test_ceiling (void)
{
  FaspOffer offer;
  gdouble step = .005;

  fasp_offer_init (&offer);
  fasp_offer_limit (&offer, 1e6);
  check_step (&offer, 100 * FASP_MSEC, .5e6, .1);
  check_step (&offer, 100 * FASP_MSEC, .94e6, .1);
  for (guint i = 0; i < 20; i++, step = MIN (.1, step * 1.25))
    check_step (&offer, 100 * FASP_MSEC, .96e6, step);
  fasp_offer_limit (&offer, 1e6);
  /* a fifth of that round trip is a fifth of the growth */
  check_step (&offer, 20 * FASP_MSEC, 1e6, .005);
  check_step (&offer, 20 * FASP_MSEC, 1e6, .00525);
}

static void
test_most (void)
{
  GRand *rand = g_rand_new_with_seed (1);
  FaspOffer offer;

  fasp_offer_init (&offer);
  for (guint i = 0; i < 10000; i++) {
    gdouble last = exp (g_rand_double_range (rand, 11, 23));
    gdouble most = last * g_rand_double_range (rand, 1.0001, 3);
    gdouble next;

    if (i % 3 == 0)
      fasp_offer_limit (&offer, exp (g_rand_double_range (rand, 11, 23)));
    next = fasp_offer_next (&offer, last, most, g_rand_int_range (rand, 1, 2 * FASP_SEC));
    g_assert_cmpfloat (next, >, last);
    g_assert_cmpfloat (next, <=, most);
  }
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/offer/free", test_free);
  g_test_add_func ("/offer/ceiling", test_ceiling);
  g_test_add_func ("/offer/most", test_most);
  return g_test_run ();
}
