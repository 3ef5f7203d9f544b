/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppulse.h: how fast the packets of a pulse left and arrived, without the effects of busy hosts.
 *
 * The times of departure and of arrival are both fitted over bytes, by least squares: packets leave
 * a queue at its rate, however unevenly they arrive there. (Fitted over the time of departure, a
 * growth of the queue that is fast at first, where the pacer lets a burst go, seemed to be slower
 * than it was.)  Two causes other than a queue would bend the line:
 *
 * - The sender's host paused, or the source had nothing to send.  The queue drains meanwhile, and
 *   the average rate of departure is too low.  So the packets before a pause and those after it are
 *   separate stretches, fitted with common rates of departure and arrival.  The pause belongs to
 *   none of them.
 * - The receiver's host or the path held packets and then delivered them together.  Their delays
 *   fall as fast as time passes, which those in a growing queue do not.  All but the last of them
 *   are left out.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

#define FASP_PULSE_POINTS 128
/* Packets that arrive in less than this share of the time in which they left were held and
 * delivered together. */
#define FASP_PULSE_HELD .5

typedef struct
{
  FaspTime sent, queue; /* departure, and queueing delay, µs */
  guint64 bytes;        /* as in FaspRateSample */
  gdouble loss;         /* share lost of the packets reported with it */
} FaspPulsePoint;

/* All 0 (or just n = 0): no packets yet. */
typedef struct
{
  FaspPulsePoint points[FASP_PULSE_POINTS];
  guint n;
  guint stride; /* one packet in `stride' is kept */
  guint passed; /* packets since the last one that was kept */
} FaspPulse;

/* Bit/s; 0: not known. */
typedef struct
{
  gdouble left, arrived; /* the rates of departure and of arrival, lost packets included */
  gdouble delivered;     /* the rate of arrival without lost packets */
} FaspPulseRates;

/* @queue: queueing delay of the sample, µs.  @loss: share lost of the packets reported with it. */
void fasp_pulse_add (FaspPulse *pulse, const FaspRateSample *sample, FaspTime queue, gdouble loss);
/* @pace: the pacer's rate for the pulse, bit/s.  @strong: the pulse left so much faster than the
 * rate that held packets do not matter, and none are left out: where delays spread much, falling
 * delays are normal.  Sorts the points. */
FaspPulseRates fasp_pulse_measure (FaspPulse *pulse, gdouble pace, gboolean strong);

G_END_DECLS
