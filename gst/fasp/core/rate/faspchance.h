/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspchance.h: the share of packets that is lost by chance (random loss), not by congestion.
 *
 * A queue that overflows and a policer drop what is too much for them, and nothing from a sender
 * that sends half of what they can take.  Random loss does not depend on how fast a packet was
 * sent.  So it is estimated as the share lost of the packets of the last FASP_RATE_MEMORY to twice
 * as much that left slowly, at FASP_CHANCE_SLOW of the rate at most, and met no queue.  The
 * estimate is lower than that while few packets left so.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

#define FASP_CHANCE_SLOW .7

/* All 0: nothing is known. */
typedef struct
{
  /* the stretch of packets that began with `from' */
  FaspRateSample from;
  gdouble stretch_reported, stretch_lost;
  gboolean queued;
  /* packets of late that left slowly; halved at intervals, since */
  gdouble slow_reported, slow_lost;
  FaspTime since;
} FaspChance;

/* @reported further packets were reported, and @lost of them are lost.  @newest: the newest that
 * arrived.
 * @rate: the rate in force, bit/s.  @queued: they have waited in a queue. */
void fasp_chance_add (FaspChance *chance, FaspTime now, const FaspRateSample *newest, gdouble rate,
    guint64 reported, guint64 lost, gboolean queued);
/* Chance has lost @lost of @reported packets, as a policer was refuted.  The older ones are
 * forgotten.
 */
void fasp_chance_set (FaspChance *chance, gdouble reported, gdouble lost);
gdouble fasp_chance_get_share (const FaspChance *chance);
/* Of @reported packets, of which @lost are lost, the share that is lost beyond what chance loses of
 * so many; 0 if chance alone may have lost them. */
gdouble fasp_chance_get_others (const FaspChance *chance, guint64 reported, guint64 lost);

G_END_DECLS
