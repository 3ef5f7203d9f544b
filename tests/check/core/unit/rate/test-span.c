/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is known of a path is found in the packets that it let through.
 */
#include "faspspan.h"

#define PACKET 1250 /* bytes */

/* Of @rate bit/s into a queue that grows by @growth, for @n packets; each is up to @late later, now
 * and then. */
static FaspSpan
make_span (gdouble rate, gdouble growth, guint n, FaspTime late)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  FaspSpan span = { 0 };

  for (guint i = 0; i < n; i++) {
    FaspTime sent = i * PACKET * 8. * FASP_SEC / rate;
    FaspTime queue = 5000 + growth * sent;
    FaspRateSample sample = { .bytes = i * PACKET };

    if (late > 0)
      queue += g_rand_int_range (rand, 0, late);
    sample.sent = FASP_SEC + sent;
    sample.arrived = sample.sent + queue;
    fasp_span_extend (&span, &sample, queue);
  }
  return span;
}

static void
test_rates (void)
{
  static const struct
  {
    gdouble rate, growth, arrives;
  } rows[] = {
    { 10e6, 0, 10e6 },
    { 10e6, 1, 5e6 },
    { 10e6, .25, 8e6 },
    { 10e6, -.2, 12.5e6 },
    { 1e9, .5, 666.67e6 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint n = rows[i].growth < 0 ? 20 : 1000;
    FaspSpan span = make_span (rows[i].rate, rows[i].growth, n, 0);
    gdouble arrives = fasp_span_get_arrival_rate (&span);

    g_assert_cmpfloat_with_epsilon (arrives / rows[i].arrives, 1, .001);
    g_assert_cmpint (span.least, ==, rows[i].growth < 0 ? span.queue_to : 5000);
    g_assert_cmpint (ABS (fasp_span_get_arrival_time (&span)
                         - (FaspTime) ((n - 1) * PACKET * 8 * FASP_SEC / rows[i].arrives)),
        <=, 2);
  }
}

/* Behind a queue that was there all the time each packet has waited since before the one ahead of
 * it arrived. */
static void
test_idle (void)
{
  FaspSpan busy = make_span (10e6, .25, 100, 0), sparse = make_span (1e6, 0, 100, 0);

  g_assert_cmpint (busy.idle, ==, 0);
  /* one each 10 ms, which waits for 5 */
  g_assert_cmpint (sparse.idle, ==, 5000);
}

/* The growth of a queue is no spread. */
static void
test_spread (void)
{
  FaspSpan steady = make_span (10e6, .3, 50, 0), noisy = make_span (10e6, .3, 50, 4000);
  gdouble spread;

  g_assert_true (fasp_span_get_spread (&steady, &spread));
  g_assert_cmpfloat (spread, <, 100);
  g_assert_true (fasp_span_get_spread (&noisy, &spread));
  g_assert_cmpfloat (spread, >, 3000);
  g_assert_cmpfloat (spread, <, 6000);
}

/* Too little to say anything. */
static void
test_short (void)
{
  FaspSpan empty = { 0 }, one = make_span (1e6, 0, 1, 0), brief = make_span (100e6, 0, 20, 0);
  FaspSpan *spans[] = { &empty, &one, &brief };
  gdouble spread;

  for (guint i = 0; i < G_N_ELEMENTS (spans); i++)
    g_assert_false (fasp_span_get_spread (spans[i], &spread));
  g_assert_cmpfloat (fasp_span_get_arrival_rate (&empty), ==, 0);
  g_assert_cmpfloat (fasp_span_get_arrival_rate (&one), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/span/rates", test_rates);
  g_test_add_func ("/rate/span/idle", test_idle);
  g_test_add_func ("/rate/span/spread", test_spread);
  g_test_add_func ("/rate/span/short", test_short);
  return g_test_run ();
}
