/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppulse.h: how fast the packets of a pulse left and arrived, whatever hosts did to them.
 *
 * The times of departure and of arrival are both fitted over bytes, by least squares: packets come
 * out of a queue at its rate, however unevenly they came to it.  (Fitted over the time of
 * departure, a growth of the queue that is fast at first, where the pacer lets a burst go, seemed
 * to be slower than it was.)  Two things that are no queue would bend the line:
 *
 * - The sender's host paused.  The queue drains meanwhile, and less leaves on average than was to
 *   leave.  So what left before a pause and what left after it are stretches of their own, with one
 *   rate of departure and one of arrival in common.  The pause belongs to none of them.
 * - Packets were held, by the receiver's host or on the path, and then came together.  Their delays
 *   fall as fast as time passes, and a queue that is being filled does not.  All but the last of
 *   them are left out.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

#define FASP_PULSE_POINTS 128

typedef struct
{
  FaspTime sent, queue; /* departure, and queueing delay, µs */
  guint64 bytes;        /* as in a FaspRateSample */
  gdouble loss;         /* share lost of the packets reported with it */
} FaspPulsePoint;

/* All 0 (or just n = 0): no packets yet. */
typedef struct
{
  FaspPulsePoint points[FASP_PULSE_POINTS];
  guint n;
  guint stride; /* one of this many packets is kept */
  guint passed; /* packets since the last one that was kept */
} FaspPulse;

/* Bit/s; 0: not known. */
typedef struct
{
  gdouble left, arrived; /* the rates of departure and of arrival, lost packets included */
  gdouble delivered;     /* the rate of arrival without them */
} FaspPulseRates;

/* @queue: queueing delay of the sample, µs.  @loss: share lost of the packets reported with it. */
void fasp_pulse_add (FaspPulse *pulse, const FaspRateSample *sample, FaspTime queue, gdouble loss);
/* @pace: the rate that it was to leave at, bit/s; 0: there was too little to send, so nothing is
 * known of pauses.  @strong: it left so much faster than the rate that packets that were held do
 * not matter.  None are left out then: where delays spread much, those that fall belong to it.
 * Sorts the points. */
FaspPulseRates fasp_pulse_measure (FaspPulse *pulse, gdouble pace, gboolean strong);

G_END_DECLS
