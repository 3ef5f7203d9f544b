/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspskew.h"

/* Times come from the network; larger ones are nonsense. The product of two valid ones still has a
 * sufficient precision as a double. */
#define SANE ((FaspTime) 1 << 60)
#define QUARTERS 4

void
fasp_skew_jumped (FaspSkew *skew)
{
  skew->n = 0;
}

/* Is @b above the line from @a to @c, or on it? */
static gboolean
is_above (const FaspSkewPoint *a, const FaspSkewPoint *b, const FaspSkewPoint *c)
{
  return (gdouble) (b->difference - a->difference) * (c->arrival - a->arrival)
      >= (gdouble) (c->difference - a->difference) * (b->arrival - a->arrival);
}

/* The edge of the lower hull at the mean of the arrivals. */
static void
find_edge (const FaspSkew *skew, const FaspSkewPoint **from, const FaspSkewPoint **to)
{
  const FaspSkewPoint *hull[FASP_SKEW_WINDOW], *first = &skew->points[0];
  gdouble mean = 0;
  guint n = 0;

  for (guint i = 0; i < skew->n; i++) {
    const FaspSkewPoint *point = &skew->points[i];

    while (n >= 2 && is_above (hull[n - 2], hull[n - 1], point))
      n--;
    hull[n++] = point;
    mean += (gdouble) (point->arrival - first->arrival) / skew->n;
  }
  for (guint i = 1; i < n; i++) {
    *from = hull[i - 1];
    *to = hull[i];
    if ((*to)->arrival - first->arrival >= mean)
      break;
  }
}

/* Are there points near the line in each quarter of the time? */
static gboolean
fits (const FaspSkew *skew, const FaspSkewPoint *on, gdouble slope)
{
  const FaspSkewPoint *first = &skew->points[0];
  FaspTime span = skew->points[skew->n - 1].arrival - first->arrival;
  gdouble tolerance = span * (FASP_SKEW_PPM_ERROR / 1e6);
  gboolean touched[QUARTERS] = { FALSE };
  gboolean all = TRUE;

  for (guint i = 0; i < skew->n; i++) {
    const FaspSkewPoint *point = &skew->points[i];
    gdouble above = point->difference - on->difference - slope * (point->arrival - on->arrival);
    guint quarter = QUARTERS * (gdouble) (point->arrival - first->arrival) / (span + 1);

    if (above <= tolerance)
      touched[quarter] = TRUE;
  }
  for (guint q = 0; q < QUARTERS; q++)
    all = all && touched[q];
  return all;
}

static void
estimate (FaspSkew *skew)
{
  const FaspSkewPoint *from, *to;
  gdouble slope;

  if (skew->n < FASP_SKEW_LEAST
      || skew->points[skew->n - 1].arrival - skew->points[0].arrival < FASP_SKEW_LEAST * FASP_SEC)
    return;
  find_edge (skew, &from, &to);
  slope = (gdouble) (to->difference - from->difference) / (to->arrival - from->arrival);
  if (ABS (slope) > FASP_SKEW_PPM_MAX / 1e6 || !fits (skew, from, slope))
    return;
  skew->skew = slope;
  skew->known = TRUE;
}

/* Forgets points that are older than the window before @arrival, and the oldest if the
 * array is full. */
static void
make_room (FaspSkew *skew, FaspTime arrival)
{
  guint old = skew->n == FASP_SKEW_WINDOW;

  while (old < skew->n && arrival - skew->points[old].arrival > FASP_SKEW_WINDOW * FASP_SEC)
    old++;
  skew->n -= old;
  memmove (skew->points, skew->points + old, skew->n * sizeof (*skew->points));
}

void
fasp_skew_arrived (FaspSkew *skew, FaspTime media, FaspTime arrival)
{
  FaspSkewPoint point = { arrival, arrival - media };
  FaspSkewPoint *last = skew->n > 0 ? &skew->points[skew->n - 1] : NULL;

  if (media < -SANE || media > SANE || arrival < 0 || arrival > SANE)
    return;
  if (last != NULL && arrival / FASP_SEC <= last->arrival / FASP_SEC) {
    /* an arrival before the last one is ignored */
    if (point.difference < last->difference && arrival >= last->arrival)
      *last = point;
    return;
  }
  /* a new second begins */
  estimate (skew);
  make_room (skew, arrival);
  skew->points[skew->n++] = point;
}
