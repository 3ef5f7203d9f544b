/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspchance.h: the share of packets that is lost by chance (random loss), not by congestion.
 *
 * A full queue and a policer drop only packets above their rate, so a sender at half of it loses
 * none there.  Random loss does not depend on the sending rate.  So it is estimated from the
 * packets that left slowly, at FASP_CHANCE_SLOW of the rate at most, and met no queue, within the
 * last one to two FASP_RATE_MEMORY: their share lost, or less while they are few.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

#define FASP_CHANCE_SLOW .7

/* All 0: nothing is known. */
typedef struct
{
  /* packets reported since `from' */
  FaspRateSample from;
  gdouble stretch_reported, stretch_lost;
  gboolean queued;
  /* recent packets that left slowly; halved at intervals, last at `since' */
  gdouble slow_reported, slow_lost;
  FaspTime since;
} FaspChance;

/* @reported further packets were reported, and @lost of them are lost.  @newest: the newest packet
 * that arrived.  @rate: the rate in force, bit/s.  @queued: the packets have waited in a queue. */
void fasp_chance_add (FaspChance *chance, FaspTime now, const FaspRateSample *newest, gdouble rate,
    guint64 reported, guint64 lost, gboolean queued);
/* A policer was refuted, so @lost of @reported packets were lost by chance.  Earlier packets are
 * forgotten.
 */
void fasp_chance_set (FaspChance *chance, gdouble reported, gdouble lost);
gdouble fasp_chance_get_share (const FaspChance *chance);
/* @lost of @reported packets are lost: returns the share lost beyond random loss; 0 if random loss
 * alone may explain it. */
gdouble fasp_chance_get_others (const FaspChance *chance, guint64 reported, guint64 lost);

G_END_DECLS
