/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwander.h: how far a path's delay falls by itself.
 *
 * The delay rises from its lowest point to its highest, and falls again:
 *
 *           high
 *           /  \
 *          /    `-.
 *     ____/        `---
 *        low        low
 *
 * If that is our own queue at a link of some rate, packets arrive at that rate while it
 * grows and while it drains. So the rate of arrival during the rise tells how far the
 * delay can have fallen since, given what has been sent meanwhile. If it falls further,
 * that was no queue of ours. On radio links, in tunnels and beside the traffic of
 * others this happens again and again.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

/* All 0: nothing is known. */
typedef struct
{
  gboolean measured, falls;
  FaspTime least, most;     /* lowest and highest delay of this rise or fall, */
  FaspRateSample low, high; /* and when the delay was last close to either */
  gdouble rate;             /* rate of arrival in the rise, bytes/µs; 0: not known */
  gdouble drained;          /* how far the delay can have fallen by draining, µs */
  gdouble alone;            /* how far the delay fell by itself, µs: the most of late, */
  FaspTime time;            /* and when */
} FaspWander;

/* @noise: usual spread of the delays, µs. */
void fasp_wander_add (FaspWander *wander, const FaspRateSample *sample, gdouble noise);
/* How far the delay falls by itself, µs; decays with the time since it was seen. */
gdouble fasp_wander_get (const FaspWander *wander, FaspTime now);

G_END_DECLS
