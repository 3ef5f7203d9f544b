/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcongestion.h"
#include <math.h>
#include "fasprate.h"

#define GROWTH .7 /* packets a round trip */
/* The most growth at once, as a share of the rate: GROWTH_TRIPS / round trips, within these. */
#define GROWTH_TRIPS 2.
#define GROWTH_LEAST .1
#define GROWTH_MOST .5
/* Packets/s^3: C of CUBIC, whose window is W - C K^3 when it was halved, and W after K. */
#define CUBIC .4
#define POLITE_MIN (2 * FASP_SEC)
#define POLITE_MAX (20 * FASP_SEC)
/* An answer was in vain if the next one follows within VAIN_RTTS; VAIN of these in a row
 * mean that others do not answer. */
#define VAIN_RTTS 3
#define VAIN 6

gboolean
fasp_congestion_is_new (FaspCongestion *congestion, FaspTime now, FaspTime rtt)
{
  if (now - congestion->answered < rtt)
    return FALSE;
  congestion->answered = now;
  return TRUE;
}

FaspCongestionAnswer
fasp_congestion_answer (FaspCongestion *congestion, FaspTime now, FaspTime rtt, gdouble rate)
{
  gdouble half = rate * rtt / FASP_SEC / FASP_RATE_PACKET / 2;
  gdouble polite = MIN (half * rtt, cbrt (half / CUBIC) * FASP_SEC);
  FaspTime since = now - congestion->answered;

  congestion->polite_until = now + CLAMP (polite, POLITE_MIN, POLITE_MAX);
  if (!fasp_congestion_is_new (congestion, now, rtt))
    return FASP_CONGESTION_NOTHING;
  congestion->vain = since < VAIN_RTTS * rtt ? congestion->vain + 1 : 0;
  if (congestion->vain < VAIN)
    return FASP_CONGESTION_YIELD;
  congestion->vain = 0;
  return FASP_CONGESTION_CONTEST;
}

gboolean
fasp_congestion_is_polite (const FaspCongestion *congestion, FaspTime now)
{
  return now < congestion->polite_until;
}

gdouble
fasp_congestion_grow (gdouble rate, FaspTime rtt, FaspTime time)
{
  gdouble packet = FASP_RATE_PACKET * FASP_SEC / rtt, trips = (gdouble) time / rtt;
  gdouble most = CLAMP (GROWTH_TRIPS / trips, GROWTH_LEAST, GROWTH_MOST);

  return rate + MIN (most * rate, GROWTH * packet * trips);
}
