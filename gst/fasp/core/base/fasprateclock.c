/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasprateclock.h"

#define NSEC G_GUINT64_CONSTANT (1000000000)

/* 2^30 bytes are 2^33 bits: times 10^9, plus a remainder, that stays below 2^64 */
#define CHUNK (G_GUINT64_CONSTANT (1) << 30)

void
fasp_rate_clock_init (FaspRateClock *clock, guint64 rate, gint64 ns)
{
  clock->rate = rate;
  fasp_rate_clock_set (clock, ns);
}

void
fasp_rate_clock_set_rate (FaspRateClock *clock, guint64 rate)
{
  if (rate == clock->rate)
    return;
  clock->rate = rate;
  clock->remainder = 0;
}

void
fasp_rate_clock_set (FaspRateClock *clock, gint64 ns)
{
  clock->ns = ns;
  clock->remainder = 0;
}

void
fasp_rate_clock_advance (FaspRateClock *clock, guint64 bytes)
{
  while (bytes > 0) {
    guint64 part = MIN (bytes, CHUNK);
    guint64 scaled = part * 8 * NSEC + clock->remainder;

    clock->ns += scaled / clock->rate;
    clock->remainder = scaled % clock->rate;
    bytes -= part;
  }
}

gint64
fasp_rate_clock_span (guint64 rate, guint64 bytes)
{
  FaspRateClock clock;

  fasp_rate_clock_init (&clock, rate, 0);
  fasp_rate_clock_advance (&clock, bytes);
  return clock.ns;
}
