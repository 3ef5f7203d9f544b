/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "cbrrate.h"

#define ROOM G_N_ELEMENTS (((CbrRate *) NULL)->points)

static CbrRatePoint *
nth (const CbrRate *rate, guint i)
{
  return (CbrRatePoint *) &rate->points[(rate->first + i) % ROOM];
}

void
cbr_rate_init (CbrRate *rate, gint64 window)
{
  memset (rate, 0, sizeof *rate);
  rate->window = window;
}

void
cbr_rate_jump (CbrRate *rate)
{
  if (cbr_rate_is_known (rate))
    rate->kept = cbr_rate_get (rate);
  rate->n = 0;
}

gint64
cbr_rate_add (CbrRate *rate, gint64 time, guint64 bytes)
{
  gint64 step = 0;

  if (rate->n > 0) {
    step = time - nth (rate, rate->n - 1)->time;
    if (step == 0)
      return 0;
    if (step < 0 || step > MAX (rate->window, CBR_RATE_GAP)) {
      cbr_rate_jump (rate);
      step = 0;
    }
  }
  if (rate->n > 1
      && nth (rate, rate->n - 1)->time - nth (rate, rate->n - 2)->time
          < rate->window / CBR_RATE_POINTS)
    rate->n--; /* the last point is too close to the one before: replace it */
  *nth (rate, rate->n++) = (CbrRatePoint) { time, bytes };
  /* keeps just one point at or before the beginning of the window */
  while (rate->n > 2 && (rate->n == ROOM || nth (rate, 1)->time <= time - rate->window)) {
    rate->first = (rate->first + 1) % ROOM;
    rate->n--;
  }
  return step;
}

gint64
cbr_rate_get_span (const CbrRate *rate)
{
  return rate->n < 2 ? 0 : nth (rate, rate->n - 1)->time - nth (rate, 0)->time;
}

gboolean
cbr_rate_is_known (const CbrRate *rate)
{
  return rate->n > 1 && cbr_rate_get_span (rate) >= rate->window;
}

guint64
cbr_rate_get (const CbrRate *rate)
{
  const CbrRatePoint *a, *b, *next;
  guint64 mean;
  gdouble bytes;

  if (rate->n < 2)
    return rate->kept;
  a = nth (rate, 0);
  next = nth (rate, 1);
  b = nth (rate, rate->n - 1);
  /* a double will do, as a window does not have 2^60 bytes; .5 rounds to the nearest */
  bytes = b->bytes - a->bytes;
  /* the window may begin between two points: their bytes are taken to have come steadily */
  if (b->time - rate->window > a->time)
    bytes -= (gdouble) (next->bytes - a->bytes) * (b->time - rate->window - a->time)
        / (next->time - a->time);
  mean = (guint64) (bytes * 8e9 / rate->window + .5);
  return cbr_rate_is_known (rate) ? mean : MAX (mean, rate->kept);
}
