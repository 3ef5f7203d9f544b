/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprateclock.h: the time that bytes take at a rate, without accumulated rounding.
 *
 * Bytes advance the clock: B bytes after it was set to t0, it shows
 *
 *     ns + remainder / rate = t0 + 8 * B * 10^9 / rate
 *
 * without any rounding, because the remainder of every division is carried over.
 * A change of the rate drops the remainder, less than a nanosecond.
 *
 * The pacer of a session (fasppacer) and that of a pipeline (cbrschedule) use it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* bit/s; keeps every product below 2^64 */
#define FASP_RATE_MAX (G_GUINT64_CONSTANT (1) << 40)

typedef struct
{
  guint64 rate;      /* bit/s, 1 to FASP_RATE_MAX */
  gint64 ns;         /* the time, whole nanoseconds */
  guint64 remainder; /* the fraction of it, in 1 / rate ns */
} FaspRateClock;

void fasp_rate_clock_init (FaspRateClock *clock, guint64 rate, gint64 ns);
/* Continues at another rate from the current time, rounded down to nanoseconds. */
void fasp_rate_clock_set_rate (FaspRateClock *clock, guint64 rate);
void fasp_rate_clock_set (FaspRateClock *clock, gint64 ns);
void fasp_rate_clock_advance (FaspRateClock *clock, guint64 bytes);
/* The time that @bytes take at @rate, in ns, rounded down. */
gint64 fasp_rate_clock_span (guint64 rate, guint64 bytes);

G_END_DECLS
