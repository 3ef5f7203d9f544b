/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tsclock.h"

/* Of the steps, this many make their mean. */
#define STEPS 64

gboolean
ts_clock_is_settled (const TsClock *clock)
{
  return clock->n >= TS_CLOCK_SETTLED;
}

gdouble
ts_clock_take (TsClock *clock, gdouble x, gdouble y)
{
  gdouble line = clock->offset + clock->slope * x, distance = y - line, k;

  clock->n++;
  clock->mean_x += (x - clock->mean_x) / MIN (clock->n, STEPS);
  clock->mean_y += (y - clock->mean_y) / MIN (clock->n, STEPS);
  if (clock->mean_y > 0)
    clock->n = CLAMP (TS_CLOCK_SPAN / clock->mean_y, TS_CLOCK_SETTLED, clock->n);
  /* the gains of recursive least squares for value k of a straight line, from 0 on */
  k = clock->n;
  clock->offset = line + 2 * (2 * k + 1) / ((k + 1) * (k + 2)) * distance - y;
  /* while x stands still, its mean falls towards 0, and tells nothing of the slope */
  if (clock->mean_x > 1)
    clock->slope += 6 / ((k + 1) * (k + 2)) * distance / clock->mean_x;
  return distance;
}
