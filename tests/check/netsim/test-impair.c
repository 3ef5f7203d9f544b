/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The impairments do what they say, as far as numbers can tell.
 */
#include <math.h>
#include "delayline.h"
#include "impair.h"

#define PACKETS 200000
#define BYTES 1000

static void
run (Impair *impair, gint64 interval, gint64 *delays)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < PACKETS; i++) {
    gint64 now = i * interval;
    ImpairFate fate = impair_packet (impair, rand, now, BYTES, FALSE);

    if (delays != NULL)
      delays[i] = fate.copies > 0 ? fate.when[0] - now : -1;
  }
}

static void
assert_share (guint64 n, gdouble share)
{
  gdouble deviation = sqrt (PACKETS * share * (1 - share));

  g_assert_cmpfloat (fabs (n - PACKETS * share), <=, 5 * deviation);
}

static void
test_shares (void)
{
  Impair impair = {.config = {.loss = .02,.duplicate = .1,.corrupt = .01,
      .reorder = .1,.delay = 50000,},
  };

  run (&impair, 100, NULL);
  assert_share (impair.counters.lost, .02);
  assert_share (impair.counters.duplicated, .098);
  assert_share (impair.counters.corrupted, .0098);
  g_assert_cmpuint (impair.counters.packets, ==, PACKETS);
  g_assert_cmpuint (impair.counters.bytes, ==, PACKETS * BYTES);
  g_assert_cmpuint (impair.counters.delivered, ==,
      PACKETS - impair.counters.lost + impair.counters.duplicated);
}

/* Of twice its rate a policer lets through half, and its bucket first. */
static void
test_policer (void)
{
  Impair impair = { .config = { .police = BYTES * 8 * 5000, .bucket = 100 * BYTES } };

  run (&impair, 100, NULL);
  g_assert_cmpuint (impair.counters.delivered, >=, PACKETS / 2 + 98);
  g_assert_cmpuint (impair.counters.delivered, <=, PACKETS / 2 + 102);
  g_assert_cmpuint (impair.counters.policed, ==, PACKETS - impair.counters.delivered);
}

/* Gilbert-Elliott: the share of loss and the mean length of its bursts. */
static void
test_bursts (void)
{
  Impair impair = { .config = { .loss = .05, .burst = 8 } };
  g_autofree gint64 *delays = g_new (gint64, PACKETS);
  guint bursts = 0;

  run (&impair, 100, delays);
  for (guint i = 1; i < PACKETS; i++)
    bursts += delays[i] < 0 && delays[i - 1] >= 0;
  g_assert_cmpfloat (fabs (impair.counters.lost / (gdouble) PACKETS - .05), <, .006);
  g_assert_cmpfloat (fabs (impair.counters.lost / (gdouble) bursts - 8), <, .6);
}

static void
test_delay (void)
{
  Impair impair = { .config = { .delay = 100000, .jitter = 5000 } };
  g_autofree gint64 *delays = g_new (gint64, PACKETS);
  gint64 min = G_MAXINT64, max = 0;

  run (&impair, 100, delays);
  for (guint i = 0; i < PACKETS; i++) {
    min = MIN (min, delays[i]);
    max = MAX (max, delays[i]);
  }
  g_assert_cmpint (min, ==, 100000);
  g_assert_cmpint (max, ==, 105000);
}

/* 12 Mbit/s into 10: a sixth is dropped, the queue is full, no more. */
static void
test_rate (void)
{
  Impair impair = { .config = { .rate = 10000000, .queue = 50000 } };
  g_autofree gint64 *delays = g_new (gint64, PACKETS);

  run (&impair, 667, delays); /* 11.99 Mbit/s */
  g_assert_cmpfloat (fabs (impair.counters.queue_lost / (gdouble) PACKETS - 1 / 6.), <, .002);
  for (guint i = PACKETS / 2; i < PACKETS; i++)
    g_assert_true (delays[i] == -1 || (delays[i] >= 38000 && delays[i] <= 41600));
}

static void
test_blackout_mtu (void)
{
  Impair impair = { .config = { .blackouts = { { 1000000, 2000000 } } } };

  run (&impair, 100, NULL);
  g_assert_cmpuint (impair.counters.blackout_lost, ==, 10000);
  impair = (Impair) { .config = { .mtu = BYTES - 1 } };
  run (&impair, 100, NULL);
  g_assert_cmpuint (impair.counters.mtu_lost, ==, PACKETS);
}

static void
test_delay_line (void)
{
  DelayLine *line = delay_line_new (g_free);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  gint64 before = -1;
  guint n = 0;
  gint *item;

  for (guint i = 0; i < 1000; i++) {
    item = g_new (gint, 1);
    *item = i;
    delay_line_push (line, i % 7 == 0 ? 50 : g_rand_int_range (rand, 0, 100), item);
  }
  g_assert_null (delay_line_pop (line, -1));
  for (gint last = -1; delay_line_due (line) != G_MAXINT64; n++) {
    gint64 due = delay_line_due (line);

    g_assert_cmpint (due, >=, before);
    item = delay_line_pop (line, due);
    if (due == before) /* first in, first out among equals */
      g_assert_cmpint (*item, >, last);
    last = *item;
    before = due;
    g_free (item);
  }
  g_assert_cmpuint (n, ==, 1000);
  delay_line_free (line);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/impair/shares", test_shares);
  g_test_add_func ("/impair/policer", test_policer);
  g_test_add_func ("/impair/bursts", test_bursts);
  g_test_add_func ("/impair/delay", test_delay);
  g_test_add_func ("/impair/rate", test_rate);
  g_test_add_func ("/impair/blackout-mtu", test_blackout_mtu);
  g_test_add_func ("/impair/delay-line", test_delay_line);
  return g_test_run ();
}
