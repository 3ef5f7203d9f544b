/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How fast a source writes by itself.
 */
#include "faspsource.h"

/* @rate bytes/s in @step for @span. */
static void
write_for (FaspSource *source, FaspTime *now, gsize rate, FaspTime step, FaspTime span)
{
  for (FaspTime end = *now + span; *now < end; *now += step)
    fasp_source_wrote (source, *now, rate * step / FASP_SEC);
}

static void
test_rate (void)
{
  static const FaspTime steps[] = { 1000, 20000, 40000, 250000 };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    FaspSource source = { 0 };
    FaspTime now = 77 * FASP_SEC;

    g_assert_cmpuint (fasp_source_get (&source, now), ==, 0);
    write_for (&source, &now, 500000, steps[i], 300 * FASP_MSEC);
    g_assert_cmpuint (fasp_source_get (&source, now), ==, 0);
    write_for (&source, &now, 500000, steps[i], FASP_SEC);
    g_assert_cmpuint (fasp_source_get (&source, now), ==, 4000000);
    write_for (&source, &now, 1000000, steps[i], 1500 * FASP_MSEC);
    g_assert_cmpuint (fasp_source_get (&source, now), ==, 8000000);
    /* it stops: that is no rate; and begins anew */
    now += FASP_SEC;
    g_assert_cmpuint (fasp_source_get (&source, now), ==, 0);
    fasp_source_wrote (&source, now, 1);
    g_assert_cmpuint (fasp_source_get (&source, now), ==, 0);
    write_for (&source, &now, 250000, steps[i], 1500 * FASP_MSEC);
    g_assert_cmpuint (fasp_source_get (&source, now), ==, 2000000);
  }
}

/* A file is written as fast as there is room. */
static void
test_refused (void)
{
  FaspSource source = { 0 };
  FaspTime now = 0;

  write_for (&source, &now, 500000, 1000, 2 * FASP_SEC);
  fasp_source_refused (&source, now);
  g_assert_cmpuint (fasp_source_get (&source, now), ==, 0);
  write_for (&source, &now, 500000, 1000, 3900 * FASP_MSEC);
  g_assert_cmpuint (fasp_source_get (&source, now), ==, 0);
  write_for (&source, &now, 500000, 1000, 100 * FASP_MSEC);
  g_assert_cmpuint (fasp_source_get (&source, now), ==, 4000000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/source/rate", test_rate);
  g_test_add_func ("/source/refused", test_refused);
  return g_test_run ();
}
