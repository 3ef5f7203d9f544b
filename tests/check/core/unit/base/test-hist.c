/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasphist.h"

static void
test_exact (void)
{
  FaspHist hist = { 0 };

  g_assert_cmpint (fasp_hist_percentile (&hist, .5), ==, 0);
  for (gint64 i = 0; i < 10; i++)
    fasp_hist_add (&hist, i);
  g_assert_cmpint (fasp_hist_percentile (&hist, .5), ==, 4);
  g_assert_cmpint (fasp_hist_percentile (&hist, .9), ==, 8);
  g_assert_cmpint (fasp_hist_percentile (&hist, 1), ==, 9);
}

/* Within 1/16 of the truth, never below it. */
static void
test_error (void)
{
  for (gint64 value = 1; value < (gint64) 1 << 38; value = value * 5 / 4 + 1) {
    FaspHist hist = { 0 };
    gint64 told;

    fasp_hist_add (&hist, value);
    fasp_hist_add (&hist, value * 2); /* lest max hides the bucket's edge */
    told = fasp_hist_percentile (&hist, .5);
    g_assert_cmpint (told, >=, value);
    g_assert_cmpint (told, <=, value + value / 16 + 1);
  }
}

static void
test_extremes (void)
{
  FaspHist hist = { 0 };

  fasp_hist_add (&hist, -7);
  fasp_hist_add (&hist, G_MAXINT64);
  g_assert_cmpuint (hist.count, ==, 2);
  g_assert_cmpint (fasp_hist_percentile (&hist, 0), ==, 0);
  g_assert_cmpint (hist.max, ==, G_MAXINT64);
}

static void
test_merge (void)
{
  FaspHist hist = { 0 }, other = { 0 }, all = { 0 };

  fasp_hist_merge (&hist, &other);
  g_assert_cmpint (fasp_hist_percentile (&hist, 1), ==, 0);
  for (gint64 i = 0; i < 1000; i++) {
    fasp_hist_add (i % 3 == 0 ? &hist : &other, i);
    fasp_hist_add (&all, i);
  }
  fasp_hist_merge (&hist, &other);
  g_assert_cmpmem (&hist, sizeof hist, &all, sizeof all);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hist/exact", test_exact);
  g_test_add_func ("/hist/error", test_error);
  g_test_add_func ("/hist/extremes", test_extremes);
  g_test_add_func ("/hist/merge", test_merge);
  return g_test_run ();
}
