/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppacer.h: when the next datagram may leave.
 *
 * Invariant: in any interval [a, b] the bytes that leave are at most
 *
 *     rate / 8 * (b - a) + burst
 *
 * (a leaky bucket in its virtual scheduling form, ITU-T I.371 GCRA).  The
 * total never drifts from the rate (fasprateclock.h).  A rate of 0 does not
 * pace.
 */
#pragma once

#include "fasprateclock.h"
#include "fasptypes.h"

G_BEGIN_DECLS

/* A wake-up costs some 10 µs and comes some 50 to 100 µs late. */
#define FASP_PACER_QUANTUM 200  /* µs */

typedef struct
{
  FaspRateClock ready;          /* theoretical time of the next datagram; its
                                 * rate counts every byte from the IP header up */
  guint32 burst;                /* bytes that may leave back to back */
  FaspTime quantum;             /* between two wake-ups that are worth it: more
                                   for who keeps many paces */
  gint64 unused;                /* bytes that might have left, lately */
  FaspTime last;                /* time of the last datagram, */
  FaspTime together;            /* of the first of those that left with it, */
  gint64 before;                /* and `ready' before these, ns */
  gboolean wanted;              /* something waits for nothing else */
  gint64 missed;                /* ns that it was ready for that, and nobody came */
} FaspPacer;

void fasp_pacer_init (FaspPacer * pacer, guint64 rate, guint32 burst);
/* What was sent ahead of the old rate is waited for at the new one, at once. */
void fasp_pacer_set_rate (FaspPacer * pacer, FaspTime now, guint64 rate,
    guint32 burst);
/* What may leave back to back at @rate with that quantum, bytes. */
guint32 fasp_pacer_choose_burst (guint64 rate, FaspTime quantum);
/* Earliest time a datagram of up to @bytes may leave; <= now: at once. Rounded
 * up to µs.  One that is larger than the burst leaves alone. */
FaspTime fasp_pacer_get_time (const FaspPacer * pacer, FaspTime now,
    gsize bytes);
/* When it is worth waking up for more of them: at high rates not for each one,
 * but for what the rate allows in the quantum. */
FaspTime fasp_pacer_get_wake (const FaspPacer * pacer, FaspTime now,
    gsize bytes);
/* What the rate would have allowed to leave in the last quarter of a second
 * and was not wanted: what is not essential may leave with that. Without a
 * rate there is no limit to it. */
gint64 fasp_pacer_get_unused (const FaspPacer * pacer, FaspTime now);
/* @bytes that left were such. */
void fasp_pacer_use (FaspPacer * pacer, gsize bytes);
/* Does something wait for nothing else, from now on?  If so, and it leaves later than it might
 * have, that time is missed: a rate is no promise of a machine that is busy. */
void fasp_pacer_want (FaspPacer * pacer, gboolean wanted);
/* µs missed so far. */
FaspTime fasp_pacer_get_missed (const FaspPacer * pacer);
/* @bytes (IP header up) left at @now. */
void fasp_pacer_sent (FaspPacer * pacer, FaspTime now, gsize bytes);
/* What was to leave at @from or later, up to now, has left at @until only. */
void fasp_pacer_late (FaspPacer * pacer, FaspTime from, FaspTime until);

G_END_DECLS
