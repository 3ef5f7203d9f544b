/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cellular.h"
#include <math.h>

/* All of the paper's section 3.1: per second, and of the Brownian motion per square root of a
 * second. */
#define RATE_MOST 1000.
#define SIGMA 200.
#define ESCAPE 1.
/* Of the times that the rate comes to zero, an outage begins this often.  In the paper it always
 * does.  That is good for guessing what comes next; but a link drawn that way is in an outage for
 * half of the time, as near zero the motion returns there.  Of ten recorded uplinks (mahimahi's
 * traces) 0.5 to 13 % of the time is without an opportunity for 0.4 s or more; of these links 5 %
 * are. */
#define STICKS .05
/* The rate is the same for this time, µs. */
#define TICK 20000

/* Of the standard normal distribution (Box and Muller). */
static gdouble
draw_normal (GRand *rand)
{
  gdouble u = 1 - g_rand_double (rand), angle = 2 * G_PI * g_rand_double (rand);

  return sqrt (-2 * log (u)) * cos (angle);
}

static gdouble
move (GRand *rand, gdouble rate)
{
  gdouble step = SIGMA * sqrt (TICK / 1e6) * draw_normal (rand);

  if (rate == 0)
    return g_rand_double (rand) < 1 - exp (-ESCAPE * TICK / 1e6) ? ABS (step) : 0;
  rate += step;
  if (rate <= 0)
    return g_rand_double (rand) < STICKS ? 0 : -rate;
  return rate <= RATE_MOST ? rate : 2 * RATE_MOST - rate;
}

GArray *
cellular_draw (guint32 seed, gint64 duration, gdouble scale)
{
  GArray *times = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  gdouble rate = RATE_MOST * g_rand_double (rand);

  for (gint64 tick = 0; tick < duration; tick += TICK) {
    gdouble at = tick;

    while (rate > 0 && (at -= log (1 - g_rand_double (rand)) * 1e6 / rate / scale) < tick + TICK) {
      gint64 time = at;

      g_array_append_val (times, time);
    }
    rate = move (rand, rate);
  }
  return times;
}
