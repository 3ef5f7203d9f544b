/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasphist.h"

static void
test_exact (void)
{
  FaspHist hist;

  fasp_hist_init (&hist);
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
    FaspHist hist;
    gint64 told;

    fasp_hist_init (&hist);
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
  FaspHist hist;

  fasp_hist_init (&hist);
  fasp_hist_add (&hist, -7);
  fasp_hist_add (&hist, G_MAXINT64);
  g_assert_cmpuint (hist.count, ==, 2);
  g_assert_cmpint (fasp_hist_percentile (&hist, 0), ==, 0);
  g_assert_cmpint (hist.max, ==, G_MAXINT64);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hist/exact", test_exact);
  g_test_add_func ("/hist/error", test_error);
  g_test_add_func ("/hist/extremes", test_extremes);
  return g_test_run ();
}
