/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspoffer.h"

#define STEP .1
#define STEP_FIRST .005
/* Below this share of the ceiling steps are full. */
#define FAST .95
/* The growth of steps, at a round trip of GROWTH_RTT or more. */
#define GROWTH .25
#define GROWTH_RTT (100 * FASP_MSEC)
/* Above this round trip steps stay smaller: more is on its way before a queue shows. */
#define STEP_RTT (200 * FASP_MSEC)

void
fasp_offer_init (FaspOffer *offer)
{
  offer->ceiling = 0;
  offer->step = STEP;
}

void
fasp_offer_limit (FaspOffer *offer, gdouble rate)
{
  offer->ceiling = rate;
  offer->step = STEP_FIRST;
}

gdouble
fasp_offer_next (FaspOffer *offer, gdouble last, gdouble most, FaspTime rtt)
{
  gdouble next = last * (1 + offer->step);

  if (last < FAST * offer->ceiling)
    return MIN (most, last * (1 + STEP));
  offer->step = MIN (STEP * MIN (1, (gdouble) STEP_RTT / rtt),
      offer->step * (1 + GROWTH * MIN (1, (gdouble) rtt / GROWTH_RTT)));
  return MIN (most, next);
}
