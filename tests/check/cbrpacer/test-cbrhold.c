/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests of cbrhold.h: beside a look at all data that waits.
 */
#include "cbrhold.h"
#include "fasprateclock.h"

#define MS G_GINT64_CONSTANT (1000000)
#define DELAY (100 * MS)
#define RATE 8000000 /* 1000 bytes take a millisecond */

/* Nothing is held at first, and before the first data. */
static void
test_nothing (void)
{
  CbrHold *hold = cbr_hold_new ();

  g_assert_cmpint (cbr_hold_get_start (hold, 0, DELAY), ==, G_MININT64);
  cbr_hold_push (hold, 0, 1000, RATE);
  g_assert_cmpint (cbr_hold_get_start (hold, 1000, DELAY), ==, 99 * MS);
  g_assert_cmpint (cbr_hold_get_start (hold, 0, DELAY), ==, G_MININT64);
  cbr_hold_free (hold);
}

/* Of a burst, the last byte has the delay; the data behind it is held again. */
static void
test_burst (void)
{
  CbrHold *hold = cbr_hold_new ();

  cbr_hold_push (hold, 0, 1000, RATE);
  cbr_hold_push (hold, 10 * MS, 30000, RATE);
  cbr_hold_push (hold, 50 * MS, 1000, RATE);
  g_assert_cmpint (cbr_hold_get_start (hold, 32000, DELAY), ==, 79 * MS);
  g_assert_cmpint (cbr_hold_get_start (hold, 2000, DELAY), ==, 109 * MS);
  g_assert_cmpint (cbr_hold_get_start (hold, 1000, DELAY), ==, 149 * MS);
  cbr_hold_free (hold);
}

/* What waits when the rate changes, or a clock, leaves at once, whatever comes behind it. So does
 * what came before anything was held. */
static void
test_clear (void)
{
  CbrHold *hold = cbr_hold_new ();

  for (guint i = 0; i < 2; i++) {
    cbr_hold_push (hold, 0, 1000, RATE);
    cbr_hold_push (hold, 0, 1000, RATE);
    if (i == 0)
      cbr_hold_clear (hold);
    cbr_hold_push (hold, 0, 1000, i == 0 ? RATE : 2 * RATE);
    g_assert_cmpint (cbr_hold_get_start (hold, 3000, DELAY), ==, G_MININT64);
    g_assert_cmpint (cbr_hold_get_start (hold, 1001, DELAY), ==, G_MININT64);
    g_assert_cmpint (cbr_hold_get_start (hold, 1000, DELAY), >, 0);
  }
  g_assert_cmpint (cbr_hold_get_start (hold, 7000, DELAY), ==, G_MININT64);
  cbr_hold_free (hold);
}

typedef struct
{
  gint64 came;
  guint64 end;
} Data;

/* The rule of cbrhold.h as it stands there. */
static gint64
look_at_all (const Data *data, guint n, guint64 taken)
{
  gint64 start = G_MAXINT64;

  for (guint i = 0; i < n; i++)
    if (data[i].end > taken)
      start = MIN (start, data[i].came + DELAY - fasp_rate_clock_span (RATE, data[i].end - taken));
  return start == G_MAXINT64 ? G_MININT64 : start;
}

/* Data of any size that comes at any time, and leaves in pieces. */
static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  Data data[2000];
  guint64 end = 0, taken = 0;
  gint64 now = 0;
  CbrHold *hold = cbr_hold_new ();

  for (guint i = 0; i < G_N_ELEMENTS (data); i++) {
    gint64 expected, found;
    guint size = g_rand_int_range (rand, 1, g_rand_boolean (rand) ? 2000 : 100000);

    end += size;
    now += g_rand_int_range (rand, 0, 20) * MS;
    data[i] = (Data) { now, end };
    cbr_hold_push (hold, now, size, RATE);
    taken += g_rand_int_range (rand, 0, 100000);
    taken = MIN (end, taken);
    found = cbr_hold_get_start (hold, end - taken, DELAY);
    expected = look_at_all (data, i + 1, taken);
    if (expected == G_MININT64)
      g_assert_cmpint (found, ==, expected);
    else
      g_assert_cmpint (ABS (found - expected), <=, 2); /* ns, rounded */
  }
  cbr_hold_free (hold);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cbrhold/nothing", test_nothing);
  g_test_add_func ("/cbrhold/burst", test_burst);
  g_test_add_func ("/cbrhold/clear", test_clear);
  g_test_add_func ("/cbrhold/random", test_random);
  return g_test_run ();
}
