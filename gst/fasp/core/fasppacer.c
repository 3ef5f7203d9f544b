/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppacer.h"

#define NSEC G_GUINT64_CONSTANT (1000000000)

void
fasp_pacer_init (FaspPacer * pacer, guint64 rate, guint32 burst)
{
  *pacer = (FaspPacer) {
  rate, burst, 0, 0};
}

void
fasp_pacer_set_rate (FaspPacer * pacer, guint64 rate, guint32 burst)
{
  pacer->rate = rate;
  pacer->burst = burst;
  pacer->remainder = 0;
}

/* How far ahead of the clock ready_ns may run before @bytes more: the time of
 * the rest of the burst at the rate. */
static gint64
tolerance (const FaspPacer * pacer, gsize bytes)
{
  guint64 bits = bytes < pacer->burst ? (pacer->burst - bytes) * 8 : 0;

  /* bits < 2^35, so the product stays below 2^65: split it */
  return bits / pacer->rate * NSEC + bits % pacer->rate * NSEC / pacer->rate;
}

FaspTime
fasp_pacer_get_time (const FaspPacer * pacer, FaspTime now, gsize bytes)
{
  gint64 at;

  if (pacer->rate == 0)
    return now;
  at = pacer->ready_ns - tolerance (pacer, bytes);
  return at <= now * 1000 ? now : (at + 999) / 1000;
}

void
fasp_pacer_sent (FaspPacer * pacer, FaspTime now, gsize bytes)
{
  guint64 bits = (guint64) bytes * 8, scaled;

  if (pacer->rate == 0)
    return;
  if (pacer->ready_ns < now * 1000) {
    pacer->ready_ns = now * 1000;
    pacer->remainder = 0;
  }
  /* datagrams are at most 64 KiB, 2^19 bits: bits * 10^9 < 2^49 */
  scaled = bits * NSEC + pacer->remainder;
  pacer->ready_ns += scaled / pacer->rate;
  pacer->remainder = scaled % pacer->rate;
}
