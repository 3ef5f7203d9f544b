/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspwander.h"
#include <math.h>

/* The delay has turned when it has changed by more than this, plus so many times the
 * noise. */
#define TURN (8 * FASP_MSEC)
#define TURN_NOISE 3
/* Delays this close count as equally low, or high. */
#define NEARLY FASP_MSEC
/* Our own part counts so many times, as it is only roughly known. */
#define DOUBT 2
#define MOST (200 * FASP_MSEC)
#define LASTS (20 * FASP_SEC)

static FaspTime
get_delay (const FaspRateSample *sample)
{
  return sample->arrived - sample->sent;
}

static gdouble
get_bytes (const FaspRateSample *from, const FaspRateSample *to)
{
  return (gdouble) to->bytes - from->bytes;
}

static void
look_for_least (FaspWander *w, const FaspRateSample *sample)
{
  FaspTime delay = get_delay (sample);

  w->least = MIN (w->least, delay);
  if (delay <= w->least + NEARLY)
    w->low = *sample;
}

static void
look_for_most (FaspWander *w, const FaspRateSample *sample)
{
  FaspTime delay = get_delay (sample);

  w->most = MAX (w->most, delay);
  if (delay >= w->most - NEARLY)
    w->high = *sample;
}

static void
begin_fall (FaspWander *w, const FaspRateSample *sample)
{
  FaspTime took = w->high.arrived - w->low.arrived;

  w->rate = took > 0 ? MAX (0, get_bytes (&w->low, &w->high)) / took : 0;
  w->drained = 0;
  w->falls = TRUE;
  w->low = *sample;
  w->least = get_delay (sample);
}

static void
begin_rise (FaspWander *w, const FaspRateSample *sample)
{
  w->falls = FALSE;
  w->high = *sample;
  w->most = get_delay (sample);
}

static void
note_fall (FaspWander *w, const FaspRateSample *sample, gdouble noise)
{
  FaspTime fell = get_delay (&w->high) - get_delay (sample);
  gdouble alone;

  if (w->rate <= 0)
    return;
  w->drained =
      MAX (w->drained, sample->sent - w->high.sent - get_bytes (&w->high, sample) / w->rate);
  alone = MIN (fell - DOUBT * w->drained - noise, MOST);
  if (alone < fasp_wander_get (w, sample->sent))
    return;
  w->alone = alone;
  w->time = sample->sent;
}

gdouble
fasp_wander_get (const FaspWander *wander, FaspTime now)
{
  gdouble since = fasp_later (now - wander->time, 0);

  if (wander->alone <= 0)
    return 0;
  return wander->alone * exp (-since / LASTS);
}

void
fasp_wander_add (FaspWander *wander, const FaspRateSample *sample, gdouble noise)
{
  FaspTime delay = get_delay (sample), turn = TURN + TURN_NOISE * noise;

  if (!wander->measured) {
    wander->measured = TRUE;
    wander->low = wander->high = *sample;
    wander->least = wander->most = delay;
  }
  if (wander->falls) {
    note_fall (wander, sample, noise);
    look_for_least (wander, sample);
    if (delay > wander->least + turn)
      begin_rise (wander, sample);
    return;
  }
  look_for_least (wander, sample);
  if (delay <= wander->least + NEARLY) /* the rise begins anew */
    wander->most = delay;
  look_for_most (wander, sample);
  if (delay < wander->most - turn)
    begin_fall (wander, sample);
}
