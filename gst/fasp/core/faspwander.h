/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwander.h: how far a path's delay falls by itself.
 *
 * From where it was lowest the delay rises to where it is highest, and falls again:
 *
 *           high
 *           /  \
 *          /    `-.
 *     ____/        `---
 *        low        low
 *
 * If that is a queue of ours at a link of some rate, packets arrive at that rate while it grows
 * and while it drains.  So how fast they have arrived in the rise says what the delay can fall by
 * since: by as much less as has been sent.  What it falls beyond is no queue of ours; on radio
 * links, in tunnels and beside others' traffic it does so again and again.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

/* All 0: nothing is known. */
typedef struct
{
  gboolean measured, falls;
  FaspTime least, most;         /* of this rise or fall, */
  FaspRateSample low, high;     /* and when the delay was nearly so last */
  gdouble rate;                 /* bytes/µs that arrived in the rise; 0: not known */
  gdouble drained;              /* µs of it that the fall is due to, at most */
  gdouble alone;                /* µs that the delay fell by itself, the most of late, */
  FaspTime time;                /* and when */
} FaspWander;

/* @noise: µs that delays spread by anyway. */
void fasp_wander_add (FaspWander * wander, const FaspRateSample * sample,
    gdouble noise);
/* µs, the less the longer ago. */
gdouble fasp_wander_get (const FaspWander * wander, FaspTime now);

G_END_DECLS
