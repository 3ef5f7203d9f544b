/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What was given away is known until it is calm, and half of it kept beside rivals.
 */
#include "faspyield.h"

#define START (100 * FASP_SEC)
#define LOOK (100 * FASP_MSEC)

/* Looks at a queue, or at none, until @until. */
static FaspTime
look (FaspYield *yield, FaspTime now, FaspTime until, gboolean stands)
{
  for (; now < until; now += LOOK)
    fasp_yield_look (yield, now, stands);
  return now;
}

static void
test_before (void)
{
  FaspYield yield = { 0 };
  FaspTime now = START;

  fasp_yield_begin (&yield, 8000000);
  now = look (&yield, now, now + FASP_SEC, TRUE);
  fasp_yield_begin (&yield, 3000000);
  g_assert_cmpuint (yield.before, ==, 8000000);
  g_assert_cmpint (fasp_yield_get_calm (&yield, now), ==, 0);
  /* nearly calm, and a queue again */
  now = look (&yield, now, now + FASP_YIELD_CALM - 2 * LOOK, FALSE);
  g_assert_cmpint (fasp_yield_get_calm (&yield, now), >, FASP_SEC);
  now = look (&yield, now, now + FASP_SEC, TRUE);
  g_assert_cmpint (fasp_yield_get_calm (&yield, now), ==, 0);
  g_assert_cmpuint (yield.before, ==, 8000000);
  now = look (&yield, now, now + FASP_YIELD_CALM + 2 * LOOK, FALSE);
  g_assert_cmpuint (yield.before, ==, 0);
  fasp_yield_begin (&yield, 3000000);
  g_assert_cmpuint (yield.before, ==, 3000000);
}

static void
test_floor (void)
{
  static const struct
  {
    gdouble arrives;
    guint64 floor;
  } table[] = {
    { 8e6, 4000000 },
    { 2e6, 4000000 },
    { 1e6, 3000000 },
    { 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    FaspYield yield = { 0 };
    FaspTime now = START;

    fasp_yield_begin (&yield, 8000000);
    fasp_yield_keep (&yield, now, table[i].arrives);
    g_assert_cmpuint (yield.floor, ==, table[i].floor);
    now = look (&yield, now, now + 9 * FASP_SEC, TRUE);
    g_assert_cmpuint (yield.floor, ==, table[i].floor);
    look (&yield, now, now + 2 * FASP_SEC, TRUE);
    g_assert_cmpuint (yield.floor, ==, 0);
  }
}

/* Rivals do not leave the queue empty. */
static void
test_no_rivals (void)
{
  FaspYield yield = { 0 };
  FaspTime now = START;

  fasp_yield_begin (&yield, 8000000);
  fasp_yield_keep (&yield, now, 8e6);
  for (guint i = 0; i < 10; i++) {
    now = look (&yield, now, now + 2 * LOOK, FALSE);
    now = look (&yield, now, now + LOOK, TRUE);
  }
  g_assert_cmpuint (yield.floor, >, 0);
  look (&yield, now, now + 3 * LOOK, FALSE);
  g_assert_cmpuint (yield.floor, ==, 0);
  g_assert_cmpuint (yield.before, ==, 8000000);

  fasp_yield_keep (&yield, now, 8e6);
  fasp_yield_let_go (&yield);
  g_assert_cmpuint (yield.floor, ==, 0);
  fasp_yield_forget (&yield, now);
  g_assert_cmpuint (yield.before, ==, 0);
  g_assert_cmpint (fasp_yield_get_calm (&yield, now + FASP_SEC), ==, FASP_SEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/yield/before", test_before);
  g_test_add_func ("/yield/floor", test_floor);
  g_test_add_func ("/yield/no-rivals", test_no_rivals);
  return g_test_run ();
}
