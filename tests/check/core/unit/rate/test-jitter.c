/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The mean of the first stretches, then smoothed; none beyond the most.
 */
#include "faspjitter.h"

/* A stretch of packets of which each second one is late by @late. */
static void
stretch (FaspSpan *span, FaspTime late)
{
  *span = (FaspSpan) { 0 };
  for (guint i = 0; i < 40; i++) {
    FaspTime sent = FASP_SEC + i * FASP_MSEC, queue = i % 2 * late;

    fasp_span_extend (span, &(FaspRateSample) { sent, sent + queue, i * 1200 }, queue);
  }
}

static gdouble
spread_of (FaspTime late)
{
  FaspSpan span;
  gdouble spread;

  stretch (&span, late);
  g_assert_true (fasp_span_get_spread (&span, &spread));
  return spread;
}

static void
add (FaspJitter *jitter, FaspTime late)
{
  FaspSpan span;

  stretch (&span, late);
  fasp_jitter_add (jitter, &span);
}

static void
test_mean (void)
{
  gdouble small = spread_of (2 * FASP_MSEC), large = spread_of (8 * FASP_MSEC);
  FaspJitter jitter = { 0 };
  gdouble before;

  g_assert_cmpfloat (large, >, 3 * small);
  for (guint i = 0; i < 4; i++)
    add (&jitter, (i % 2 ? 8 : 2) * FASP_MSEC);
  g_assert_cmpfloat_with_epsilon (jitter.spread, (small + large) / 2, 1);
  for (guint i = 0; i < 100; i++)
    add (&jitter, 2 * FASP_MSEC);
  g_assert_cmpfloat_with_epsilon (jitter.spread, small, 1);
  before = jitter.spread;
  add (&jitter, 8 * FASP_MSEC);
  g_assert_cmpfloat_with_epsilon (jitter.spread - before, (large - small) / 8, 1);
}

/* Of what is too short to say nothing is taken. */
static void
test_bounds (void)
{
  FaspJitter jitter = { 0 };
  FaspSpan span = { 0 };

  fasp_jitter_add (&jitter, &span);
  g_assert_cmpuint (jitter.n, ==, 0);
  g_assert_cmpfloat (spread_of (2 * FASP_SEC), >, FASP_RATE_TARGET);
  for (guint i = 0; i < 20; i++) {
    add (&jitter, 2 * FASP_SEC);
    g_assert_cmpfloat_with_epsilon (jitter.spread, FASP_RATE_TARGET, 1e-6);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jitter/mean", test_mean);
  g_test_add_func ("/jitter/bounds", test_bounds);
  return g_test_run ();
}
