/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is known of a path is found in the packets that it let through.
 */
#include <math.h>
#include "faspspan.h"

#define PACKET 1250 /* bytes */

/* Of @rate bit/s into a queue that grows by @growth, for @n packets; each is up to @late later, now
 * and then. */
static FaspSpan
make_span (gdouble rate, gdouble growth, guint n, FaspTime late, gdouble loss)
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
    fasp_span_extend (&span, &sample, queue, loss);
  }
  return span;
}

static void
assert_near (gdouble value, gdouble wanted, gdouble by)
{
  g_assert_cmpfloat_with_epsilon (value, wanted, by * MAX (1, ABS (wanted)));
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
    /* that is as much as is believed */
    { 10e6, -.9, 40e6 },
    { 1e9, .5, 666.67e6 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    FaspSpan span = make_span (rows[i].rate, rows[i].growth, 1000, 0, .02);
    gdouble growth;

    assert_near (fasp_span_get_departure_rate (&span), rows[i].rate, .001);
    assert_near (fasp_span_get_unlost_rate (&span), .98 * rows[i].rate, .001);
    assert_near (fasp_span_get_wait (&span),
        5000 + rows[i].growth * 999 * PACKET * 4. * FASP_SEC / rows[i].rate, .001);
    g_assert_true (fasp_span_get_growth (&span, &growth));
    assert_near (growth, rows[i].growth, .001);
    assert_near (fasp_span_get_arrival_rate (&span), rows[i].arrives, .001);
    assert_near (fasp_span_get_delivery_rate (&span), .98 * rows[i].arrives, .001);
    assert_near (fasp_span_get_arrival_time (&span),
        999 * PACKET * 8. * FASP_SEC / rows[i].rate * (1 + rows[i].growth), .001);
  }
}

/* Into a queue in front of a link of 5 Mbit/s, fast at first and then slowly: a line through the
 * delays has another slope than either part, but packets leave the queue evenly. */
static void
test_queued (void)
{
  FaspSpan span = { 0 };
  FaspTime sent = 0;

  for (guint i = 0; i < 40; i++) {
    FaspTime leaves = 20000 + i * PACKET * 8. * FASP_SEC / 5e6;
    FaspRateSample sample = { .sent = sent, .arrived = leaves, .bytes = i * PACKET };

    fasp_span_extend (&span, &sample, leaves - sent, .1);
    sent += PACKET * 8. * FASP_SEC / (i < 20 ? 20e6 : 5e6);
  }
  assert_near (fasp_span_get_queued_rate (&span), .9 * 5e6, .001);
  g_assert_cmpfloat (fasp_span_get_delivery_rate (&span), >, .9 * 5.2e6);
}

/* All was held once, and this is the only thing that says that the path is slow. */
static void
test_queued_held (void)
{
  for (guint held = 1; held < 5; held++) {
    FaspSpan span = { 0 };

    for (guint i = 0; i < 5; i++) {
      FaspRateSample sample = { .sent = i * 1000, .bytes = i * PACKET };
      FaspTime queue = 20000 + (i >= held ? 90000 : 0);

      sample.arrived = sample.sent + queue;
      fasp_span_extend (&span, &sample, queue, 0);
    }
    assert_near (fasp_span_get_queued_rate (&span), 10e6, .001);
    g_assert_cmpfloat (fasp_span_get_arrival_rate (&span), <, 1e6);
  }
}

/* One flow was told up to a packet that left long after all of the other, so the gap is no part of
 * the span. */
static void
test_queued_flows (void)
{
  static const FaspTime sent[] = { 0, 20000, 5000, 10000 };
  static const FaspTime queue[] = { 20000, 20000, 20000, 29000 };
  FaspSpan span = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (sent); i++) {
    FaspRateSample sample = { .sent = sent[i], .bytes = sent[i] };

    sample.arrived = sent[i] + queue[i];
    fasp_span_extend (&span, &sample, queue[i], 0);
  }
  assert_near (fasp_span_get_queued_rate (&span), 8e6, .1);
}

/* A few that are late move it little, wherever they are. */
static void
test_late (void)
{
  FaspSpan span = make_span (10e6, .25, 100, 2000, 0);

  assert_near (fasp_span_get_arrival_rate (&span), 8e6, .02);
}

/* That is beside what the queue does: what is anywhere within 2 ms spreads as far.  Of packets that
 * wait ever longer, by nearly as much from one to the next, half of it is seen. */
static void
test_spread (void)
{
  static const struct
  {
    gdouble growth, least;
  } rows[] = { { 0, 1700 }, { .1, 1700 }, { -.1, 1700 }, { .5, 900 }, { -.5, 900 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    FaspSpan steady = make_span (10e6, rows[i].growth, 100, 0, 0);
    FaspSpan noisy = make_span (10e6, rows[i].growth, 100, 2000, 0);
    gdouble spread;

    g_assert_true (fasp_span_get_spread (&steady, &spread));
    g_assert_cmpfloat (spread, <, 10);
    g_assert_true (fasp_span_get_spread (&noisy, &spread));
    g_assert_cmpfloat (spread, >, rows[i].least);
    g_assert_cmpfloat (spread, <, 2200);
  }
}

/* A queue that is full loses three of four from the middle on, and few of those that arrive tell of
 * it. */
static void
test_others_lossy (void)
{
  FaspSpan less = make_span (5e6, 0, 100, 0, 0), more = { 0 };
  gdouble others;

  for (guint i = 0; i <= 800; i += i < 400 ? 1 : 4) {
    FaspRateSample sample = { .sent = i * 1000, .arrived = i * 1000, .bytes = i * PACKET };

    fasp_span_extend (&more, &sample, 0, i <= 400 ? 0 : .75);
  }
  g_assert_true (fasp_span_get_others (&less, &more, &others));
  assert_near (others, log (.625 / .5) / log (2), .01);
}

/* Of a link of 10 Mbit/s others send 10: of 5 a third comes, of 10 a half. */
static void
test_others (void)
{
  FaspSpan less = make_span (5e6, .5, 100, 0, 0);
  FaspSpan more = make_span (10e6, 1, 100, 0, 0);
  FaspSpan little_more = make_span (6e6, .6, 100, 0, 0);
  FaspSpan alone = make_span (10e6, 2, 100, 0, 0);
  FaspSpan still = make_span (10e6, 3, 100, 0, 0);
  gdouble others;

  g_assert_true (fasp_span_get_others (&less, &more, &others));
  assert_near (others, .585, .01);
  g_assert_true (fasp_span_get_others (&less, &alone, &others));
  assert_near (others, 0, .01);
  /* others are still while less is sent */
  g_assert_true (fasp_span_get_others (&less, &still, &others));
  assert_near (others, -.415, .01);
  g_assert_false (fasp_span_get_others (&less, &little_more, &others));
  g_assert_false (fasp_span_get_others (&more, &less, &others));
}

static void
test_short (void)
{
  FaspSpan empty = { 0 }, one = make_span (10e6, 0, 1, 0, 0);
  FaspSpan brief = make_span (10e6, 0, 4, 0, 0);
  FaspSpan at_once = { 0 };
  const FaspSpan *spans[] = { &empty, &one, &brief, &at_once };
  const FaspSpan whole = make_span (10e6, 0, 100, 0, 0);
  FaspRateSample sample = { .sent = 1, .arrived = 1 };

  for (guint i = 0; i < 5; i++)
    fasp_span_extend (&at_once, &sample, 0, 0);
  for (guint i = 0; i < G_N_ELEMENTS (spans); i++) {
    gdouble value;

    g_assert_false (fasp_span_get_growth (spans[i], &value));
    g_assert_false (fasp_span_get_spread (spans[i], &value));
    g_assert_false (fasp_span_get_others (spans[i], &whole, &value));
    g_assert_false (fasp_span_get_others (&whole, spans[i], &value));
    g_assert_cmpfloat (fasp_span_get_arrival_rate (spans[i]), ==, 0);
    g_assert_cmpfloat (fasp_span_get_delivery_rate (spans[i]), ==, 0);
  }
  g_assert_cmpfloat (fasp_span_get_departure_rate (&at_once), ==, 0);
  assert_near (fasp_span_get_departure_rate (&brief), 10e6, .001);
}

/* Of several flows each is told of by itself, of bytes that are of all: what is lost counts
 * once. */
static void
test_flows (void)
{
  for (guint flows = 1; flows <= 8; flows *= 2) {
    FaspSpan span = { 0 };

    for (guint told = 0; told < 20; told++)
      for (guint flow = 0; flow < flows; flow++)
        for (guint i = 0; i < 5; i++) {
          guint n = (told * 5 + i) * flows + flow;
          FaspTime sent = FASP_SEC + n * FASP_MSEC;
          FaspRateSample sample = { sent, sent + 5000, n * PACKET };

          fasp_span_extend (&span, &sample, 5000, .1);
        }
    assert_near (fasp_span_get_unlost_rate (&span) / fasp_span_get_departure_rate (&span), .9,
        .001);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/span/rates", test_rates);
  g_test_add_func ("/span/queued", test_queued);
  g_test_add_func ("/span/queued/held", test_queued_held);
  g_test_add_func ("/span/queued/flows", test_queued_flows);
  g_test_add_func ("/span/flows", test_flows);
  g_test_add_func ("/span/late", test_late);
  g_test_add_func ("/span/spread", test_spread);
  g_test_add_func ("/span/others", test_others);
  g_test_add_func ("/span/others/lossy", test_others_lossy);
  g_test_add_func ("/span/short", test_short);
  return g_test_run ();
}
