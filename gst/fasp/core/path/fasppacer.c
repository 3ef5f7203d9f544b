/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppacer.h"
#include "fasplimits.h"

#define UNUSED_FOR .25 /* s */
/* Datagrams made within this time leave together. */
#define TOGETHER FASP_MSEC
/* The share of a burst kept as a reserve for late wake-ups; the pacer waits for the rest.  An
 * endpoint with many pacers wakes up for each of them.  To keep these wake-ups few, it reserves at
 * most the bytes of two milliseconds. */
#define LATE_SHARE .5
#define LATE_SHARE_MANY .4
#define LATE_MANY (2 * FASP_MSEC)
/* The bytes that may leave back to back: 5 or 6 packets survive small queues (Gunderson) and cause
 * none themselves unless the link is slow.  Fast streams may send two jumbo frames, or the bytes
 * between two wake-ups if these are more. */
#define BURST_MIN 3000 /* two common datagrams */
#define BURST_MAX 8192
/* With many pacers, datagrams leave late more often (faspdeparture.h), so the burst is smaller by
 * the bytes of 0.3 ms at 10 Mbit/s. */
#define BURST_MANY_MAX (BURST_MAX - 392)
#define BURST_SLOW_TIME (5 * FASP_MSEC)
/* A wake-up that is late by this does not reduce the rate. */
#define BURST_FAST_TIME (2 * FASP_PACER_QUANTUM)
#define BURST_SHORT 1500 /* one common datagram */

void
fasp_pacer_init (FaspPacer *pacer, guint64 rate, guint32 burst)
{
  fasp_rate_clock_init (&pacer->ready, MIN (rate, FASP_RATE_MAX), 0);
  pacer->burst = burst;
  pacer->quantum = FASP_PACER_QUANTUM;
  pacer->unused = 0;
  pacer->last = pacer->together = pacer->before = 0;
  pacer->wanted = FALSE;
  pacer->missed = 0;
}

/* Converts @ready, ns: the wait for bytes sent ahead at rate @before becomes that at @rate. */
static gint64
rescale (gint64 ready, FaspTime now, guint64 before, guint64 rate)
{
  gint64 debt = ready - now * 1000;

  return debt <= 0 ? ready : now * 1000 + (gint64) ((gdouble) debt * before / rate);
}

void
fasp_pacer_set_rate (FaspPacer *pacer, FaspTime now, guint64 rate, guint32 burst)
{
  guint64 before = pacer->ready.rate;

  pacer->burst = burst;
  rate = MIN (rate, FASP_RATE_MAX);
  if (rate == before)
    return;
  fasp_rate_clock_set_rate (&pacer->ready, rate);
  /* converts the wait for bytes sent ahead to the new rate */
  if (before == 0 || rate == 0)
    return;
  fasp_rate_clock_set (&pacer->ready, rescale (pacer->ready.ns, now, before, rate));
  pacer->before = rescale (pacer->before, now, before, rate);
}

guint32
fasp_pacer_choose_burst (guint64 rate, FaspTime quantum)
{
  guint64 slow = rate >= FASP_JUMBO_FROM ?
      2 * FASP_DATAGRAM_MAX :
      CLAMP (rate / 8 * MAX (2 * quantum, BURST_SLOW_TIME) / FASP_SEC, BURST_MIN,
          quantum > FASP_PACER_QUANTUM ? BURST_MANY_MAX : BURST_MAX);

  return CLAMP (rate / 8 * BURST_FAST_TIME / FASP_SEC, slow, G_MAXINT32);
}

guint32
fasp_pacer_choose_short_burst (guint64 rate)
{
  return CLAMP (rate / 8 * BURST_FAST_TIME / FASP_SEC, BURST_SHORT, G_MAXINT32);
}

FaspTime
fasp_pacer_get_time (const FaspPacer *pacer, FaspTime now, gsize bytes)
{
  gint64 at;

  if (pacer->ready.rate == 0)
    return now;
  /* a datagram may leave before `ready' by the time that the rest of the burst takes at the rate */
  at = pacer->ready.ns;
  if (bytes < pacer->burst)
    at -= fasp_rate_clock_span (pacer->ready.rate, pacer->burst - bytes);
  return at <= now * 1000 ? now : (at + 999) / 1000;
}

FaspTime
fasp_pacer_get_wake (const FaspPacer *pacer, FaspTime now, gsize bytes)
{
  guint64 quantum = pacer->ready.rate / 8 * pacer->quantum / FASP_SEC;
  guint64 late = pacer->burst * LATE_SHARE;

  if (pacer->quantum > FASP_PACER_QUANTUM)
    late = MIN (pacer->burst * LATE_SHARE_MANY, pacer->ready.rate / 8 * LATE_MANY / FASP_SEC);
  quantum = MIN (quantum, pacer->burst - late);
  return fasp_pacer_get_time (pacer, now, MAX (bytes, quantum));
}

/* The bytes that the rate would have allowed since the pacer was last ready. */
static gint64
idle_bytes (const FaspPacer *pacer, FaspTime now)
{
  gint64 idle = now * 1000 - pacer->ready.ns;

  return idle <= 0 ? 0 : MIN (idle / 1e9, UNUSED_FOR) * pacer->ready.rate / 8;
}

gint64
fasp_pacer_get_unused (const FaspPacer *pacer, FaspTime now)
{
  if (pacer->ready.rate == 0)
    return G_MAXINT64;
  return MIN (pacer->unused + idle_bytes (pacer, now),
      (gint64) (UNUSED_FOR * pacer->ready.rate / 8));
}

void
fasp_pacer_use (FaspPacer *pacer, gsize bytes)
{
  if (pacer->ready.rate != 0)
    pacer->unused -= bytes;
}

void
fasp_pacer_want (FaspPacer *pacer, gboolean wanted)
{
  pacer->wanted = wanted;
}

FaspTime
fasp_pacer_get_missed (const FaspPacer *pacer)
{
  return pacer->missed / 1000;
}

void
fasp_pacer_sent (FaspPacer *pacer, FaspTime now, gsize bytes)
{
  if (pacer->ready.rate == 0)
    return;
  pacer->unused = fasp_pacer_get_unused (pacer, now);
  if (now - pacer->together >= TOGETHER) {
    pacer->together = now;
    pacer->before = pacer->ready.ns;
  }
  pacer->last = now;
  if (pacer->ready.ns < now * 1000) {
    if (pacer->wanted)
      pacer->missed += now * 1000 - pacer->ready.ns;
    fasp_rate_clock_set (&pacer->ready, now * 1000);
  }
  fasp_rate_clock_advance (&pacer->ready, bytes);
}

void
fasp_pacer_late (FaspPacer *pacer, FaspTime from, FaspTime until)
{
  gint64 late = MAX (pacer->before, until * 1000) - MAX (pacer->before, pacer->together * 1000);

  if (pacer->ready.rate == 0 || pacer->last < from || late <= 0)
    return;
  if (pacer->wanted)
    pacer->missed += late;
  fasp_rate_clock_set (&pacer->ready, pacer->ready.ns + late);
  pacer->last = pacer->together = until;
}
