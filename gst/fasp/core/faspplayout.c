/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspplayout.h"

#define UP_PPM 10000
#define DOWN_PPM 1000

static gboolean
is_number (guint latency_ms)
{
  return latency_ms != FASP_LATENCY_AUTO && latency_ms != FASP_LATENCY_ANY;
}

FaspLatency
fasp_latency_agree (guint ours, guint theirs)
{
  guint latency = MAX (is_number (ours) ? ours : 0,
      is_number (theirs) ? theirs : 0);
  FaspLatency agreed = { FALSE };

  agreed.find = ours == FASP_LATENCY_AUTO || theirs == FASP_LATENCY_AUTO;
  if (!agreed.find && !is_number (ours) && !is_number (theirs))
    latency = FASP_LATENCY_MS_DEFAULT;
  agreed.latency = MIN (latency, FASP_LATENCY_MS_MAX) * FASP_MSEC;
  return agreed;
}

void
fasp_playout_init (FaspPlayout * playout, const FaspLatency * agreed)
{
  *playout = (FaspPlayout) {
  .told = agreed->find};
  if (!agreed->find)
    playout->target = playout->latency = playout->first = agreed->latency;
}

gboolean
fasp_playout_is_unknown (const FaspPlayout * playout)
{
  return playout->told && playout->target == 0;
}

FaspTime
fasp_playout_get (const FaspPlayout * playout, FaspTime now)
{
  FaspTime elapsed = MAX (0, now - playout->time);
  FaspTime way = playout->target - playout->latency;

  if (way == 0)
    return playout->latency;
  return playout->latency + CLAMP (way, -elapsed * DOWN_PPM / 1000000,
      elapsed * UP_PPM / 1000000);
}

gboolean
fasp_playout_set (FaspPlayout * playout, FaspTime now, FaspTime latency)
{
  gboolean first = fasp_playout_is_unknown (playout);

  if (!playout->told || latency <= 0
      || latency > FASP_LATENCY_MS_MAX * FASP_MSEC)
    return FALSE;
  if (first)
    playout->first = playout->latency = latency;
  else
    playout->latency = fasp_playout_get (playout, now);
  playout->time = now;
  playout->target = latency;
  return first;
}
