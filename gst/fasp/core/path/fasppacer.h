/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppacer.h: when the next datagram may leave.
 *
 * Invariant: in any interval [a, b] the bytes sent are at most
 *
 *     rate / 8 * (b - a) + burst
 *
 * (a leaky bucket in its virtual scheduling form, ITU-T I.371 GCRA).  The
 * total never drifts from the rate (fasprateclock.h).  With a rate of 0 the
 * pacer does not limit anything.
 *
 * Rates are bit/s and count every byte from the IP header up.
 */
#pragma once

#include "fasprateclock.h"
#include "fasptypes.h"

G_BEGIN_DECLS

/* The least time between wake-ups, as each costs some 10 µs and is some 50 to 100 µs late. */
#define FASP_PACER_QUANTUM 200 /* µs */

typedef struct
{
  FaspRateClock ready; /* theoretical time of the next datagram */
  guint32 burst;       /* bytes that may leave back to back */
  FaspTime quantum;    /* between two wake-ups; longer for an endpoint with many pacers */
  gint64 unused;       /* bytes that the rate would have allowed recently */
  FaspTime last;       /* when the last datagram left */
  FaspTime together;   /* departure of the first datagram that left together with the last one */
  gint64 before;       /* `ready' before that first datagram, ns */
  gboolean wanted;     /* a datagram waits only for the pacer */
  gint64 missed;       /* total ns by which such datagrams left too late */
} FaspPacer;

void fasp_pacer_init (FaspPacer *pacer, guint64 rate, guint32 burst);
/* Takes effect at once: the wait for bytes sent ahead of the old rate is converted to the new
 * one. */
void fasp_pacer_set_rate (FaspPacer *pacer, FaspTime now, guint64 rate, guint32 burst);
/* The burst for @rate and @quantum: bytes that may leave back to back. */
guint32 fasp_pacer_choose_burst (guint64 rate, FaspTime quantum);
/* As fasp_pacer_choose_burst(), for a path that marks a queue of a millisecond. */
guint32 fasp_pacer_choose_short_burst (guint64 rate);
/* The earliest time a datagram of up to @bytes may leave, rounded up to µs; <= now: at
 * once.  A datagram larger than the burst leaves alone. */
FaspTime fasp_pacer_get_time (const FaspPacer *pacer, FaspTime now, gsize bytes);
/* When to wake up to send a datagram of @bytes: at high rates later, so that as many can leave
 * together as the rate allows in a quantum. */
FaspTime fasp_pacer_get_wake (const FaspPacer *pacer, FaspTime now, gsize bytes);
/* The unused bytes of the rate in the last quarter of a second.  Optional data may use them.
 * Without a rate there is no limit. */
gint64 fasp_pacer_get_unused (const FaspPacer *pacer, FaspTime now);
/* @bytes of optional data left: subtracts them from the unused bytes. */
void fasp_pacer_use (FaspPacer *pacer, gsize bytes);
/* @wanted: from now on, a datagram waits only for the pacer.  If it then leaves later than the
 * pacer allows, as on a busy machine, the pacer adds up the time missed. */
void fasp_pacer_want (FaspPacer *pacer, gboolean wanted);
/* The time missed so far, µs. */
FaspTime fasp_pacer_get_missed (const FaspPacer *pacer);
/* @bytes (from the IP header up) left at @now. */
void fasp_pacer_sent (FaspPacer *pacer, FaspTime now, gsize bytes);
/* Datagrams made from @from on did not leave before @until (faspdeparture.h). */
void fasp_pacer_late (FaspPacer *pacer, FaspTime from, FaspTime until);

G_END_DECLS
