/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspplayout.h"

#define UP_PPM 10000
#define DOWN_PPM 1000
/* The longest time that a move from one latency to another takes. */
#define LONGEST (1000 * FASP_LATENCY_MS_MAX * FASP_MSEC)

static gboolean
is_number (guint latency_ms)
{
  return latency_ms != FASP_LATENCY_AUTO && latency_ms != FASP_LATENCY_ANY;
}

FaspLatency
fasp_latency_agree (guint ours, guint theirs)
{
  guint latency = MAX (is_number (ours) ? ours : 0, is_number (theirs) ? theirs : 0);
  FaspLatency agreed = { FALSE };

  agreed.find = ours == FASP_LATENCY_AUTO || theirs == FASP_LATENCY_AUTO;
  if (!agreed.find && !is_number (ours) && !is_number (theirs))
    latency = FASP_LATENCY_MS_DEFAULT;
  agreed.latency = MIN (latency, FASP_LATENCY_MS_MAX) * FASP_MSEC;
  return agreed;
}

void
fasp_playout_init (FaspPlayout *playout, const FaspLatency *agreed)
{
  *playout = (FaspPlayout) { .announced = agreed->find };
  if (!agreed->find)
    playout->ramp.target = playout->ramp.latency = playout->first = agreed->latency;
  playout->before = playout->ramp;
}

gboolean
fasp_playout_is_unknown (const FaspPlayout *playout)
{
  return playout->announced && playout->ramp.target == 0;
}

FaspTime
fasp_playout_get (const FaspPlayout *playout, FaspTime time)
{
  const FaspPlayoutRamp *ramp = time < playout->ramp.time ? &playout->before : &playout->ramp;
  FaspTime elapsed, change = ramp->target - ramp->latency;

  if (change == 0)
    return ramp->target;
  elapsed = CLAMP (time - ramp->time, 0, LONGEST);
  return ramp->latency + CLAMP (change, -elapsed * DOWN_PPM / 1000000, elapsed * UP_PPM / 1000000);
}

gboolean
fasp_playout_set (FaspPlayout *playout, FaspTime now, FaspTime latency)
{
  gboolean first = fasp_playout_is_unknown (playout);

  if (!playout->announced || latency <= 0 || latency > FASP_LATENCY_MS_MAX * FASP_MSEC
      || latency == playout->ramp.target)
    return FALSE;
  playout->before = playout->ramp;
  playout->ramp =
      (FaspPlayoutRamp) { now, first ? latency : fasp_playout_get (playout, now), latency };
  if (first) {
    playout->first = latency;
    playout->before = playout->ramp;
  }
  return first;
}
