/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspchance.h: which share of the packets chance loses.
 *
 * A queue that overflows and a policer lose what is too much for them, and nothing of who sends half
 * of what they take.  Chance does not ask how fast a packet has left.  So it is the share that is lost of
 * what left slowly, at FASP_CHANCE_SLOW of the rate at most, and has not waited: of the last 10 to 20 s,
 * and less than that while little has left so.
 *
 * Who loses some and does not know whose that is sends less for a moment, as a drain does.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

#define FASP_CHANCE_SLOW .7
#define FASP_CHANCE_WINDOW (10 * FASP_SEC)

/* All 0: nothing is known. */
typedef struct
{
  /* a stretch of packets, from that one on */
  FaspRateSample from;
  gdouble stretch_told, stretch_lost;
  gboolean queued;
  /* of late; halved then */
  gdouble told, lost, slow_told, slow_lost;
  FaspTime since;
} FaspChance;

/* Of @told packets more @lost are lost; @newest of those that arrived.  @rate: bit/s, of what leaves as fast
 * as it may.  @queued: they have waited. */
void fasp_chance_add (FaspChance * chance, FaspTime now,
    const FaspRateSample * newest, gdouble rate, guint64 told, guint64 lost,
    gboolean queued);
/* Of @told packets, the share that is lost beside what chance loses of as many: none, if there are no more
 * of them than it may lose. */
gdouble fasp_chance_get_others (const FaspChance * chance, guint64 told,
    guint64 lost);
/* More is lost than could be harmless, and hardly anything has left slowly. */
gboolean fasp_chance_is_unclear (const FaspChance * chance);

G_END_DECLS
