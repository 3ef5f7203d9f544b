/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppacer.h"

void
fasp_pacer_init (FaspPacer * pacer, guint64 rate, guint32 burst)
{
  fasp_rate_clock_init (&pacer->ready, MIN (rate, FASP_RATE_MAX), 0);
  pacer->burst = burst;
}

void
fasp_pacer_set_rate (FaspPacer * pacer, guint64 rate, guint32 burst)
{
  fasp_rate_clock_set_rate (&pacer->ready, MIN (rate, FASP_RATE_MAX));
  pacer->burst = burst;
}

FaspTime
fasp_pacer_get_time (const FaspPacer * pacer, FaspTime now, gsize bytes)
{
  gint64 at;

  if (pacer->ready.rate == 0)
    return now;
  /* how far ahead of the clock it may run before these: the time of the rest
   * of the burst at the rate */
  at = pacer->ready.ns;
  if (bytes < pacer->burst)
    at -= fasp_rate_clock_span (pacer->ready.rate, pacer->burst - bytes);
  return at <= now * 1000 ? now : (at + 999) / 1000;
}

void
fasp_pacer_sent (FaspPacer * pacer, FaspTime now, gsize bytes)
{
  if (pacer->ready.rate == 0)
    return;
  if (pacer->ready.ns < now * 1000)
    fasp_rate_clock_set (&pacer->ready, now * 1000);
  fasp_rate_clock_advance (&pacer->ready, bytes);
}
