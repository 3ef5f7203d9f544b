/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "faspspan.h"

void
fasp_span_extend (FaspSpan *span, const FaspRateSample *sample, FaspTime queue, gdouble loss)
{
  gdouble x, b, left;
  FaspTime gap;

  if (span->n == 0)
    *span = (FaspSpan) {
      .from = *sample,
      .to = *sample,
      .queue_from = queue,
      .queue_to = queue,
      .least = queue,
      .most = queue,
    };
  span->way += ABS (queue - span->queue_to);
  /* flows are reported one after the other, so this may go back */
  left = MAX (0, (gdouble) sample->bytes - span->to.bytes);
  span->left += left;
  span->lost += loss * left;
  gap = sample->sent - span->to.sent + queue - span->queue_to;
  if (gap > span->gap) {
    span->gap = gap;
    span->gap_bytes = left;
  }
  x = sample->sent - span->from.sent;
  b = (gdouble) sample->bytes - span->from.bytes;
  span->to = *sample;
  span->queue_to = queue;
  span->least = MIN (span->least, queue);
  span->most = MAX (span->most, queue);
  span->x += x;
  span->y += queue;
  span->xx += x * x;
  span->xy += x * queue;
  span->b += b;
  span->bb += b * b;
  span->bt += b * (x + queue);
  span->loss += loss;
  span->n++;
}

static FaspTime
get_departure_time (const FaspSpan *span)
{
  return span->to.sent - span->from.sent;
}

gdouble
fasp_span_get_departure_rate (const FaspSpan *span)
{
  FaspTime took = get_departure_time (span);

  if (span->n == 0 || took <= 0)
    return 0;
  return (span->to.bytes - span->from.bytes) * 8. * FASP_SEC / took;
}

/* With heavy loss there are few samples, so each one stands for all that left since the
 * one before. */
static gdouble
get_share_unlost (const FaspSpan *span)
{
  return span->left <= 0 ? 0 : 1 - span->lost / span->left;
}

gdouble
fasp_span_get_unlost_rate (const FaspSpan *span)
{
  return fasp_span_get_departure_rate (span) * get_share_unlost (span);
}

FaspTime
fasp_span_get_wait (const FaspSpan *span)
{
  return span->n > 0 ? span->y / span->n : 0;
}

/* The slope of a line through the samples, by least squares; from their sums.  FALSE: too short to
 * say. */
static gboolean
fit (const FaspSpan *span, gdouble x, gdouble y, gdouble xx, gdouble xy, gdouble *slope)
{
  gdouble n = span->n, spread = n * xx - x * x;

  if (span->n < FASP_SPAN_SAMPLES || spread <= 0 || get_departure_time (span) < FASP_SPAN_LEAST)
    return FALSE;
  *slope = (n * xy - x * y) / spread;
  return TRUE;
}

gboolean
fasp_span_get_growth (const FaspSpan *span, gdouble *growth)
{
  return fit (span, span->x, span->y, span->xx, span->xy, growth);
}

gdouble
fasp_span_get_arrival_rate (const FaspSpan *span)
{
  gdouble growth;

  return fasp_span_get_growth (span, &growth) ?
      fasp_span_get_departure_rate (span) / MAX (1 + growth, 1. / FASP_SPAN_FASTER) :
      0;
}

gdouble
fasp_span_get_delivery_rate (const FaspSpan *span)
{
  return span->n == 0 ? 0 : fasp_span_get_arrival_rate (span) * (1 - span->loss / span->n);
}

/* Fitted over bytes, not over departure times: packets leave a queue at its rate, however unevenly
 * they came to it, and a delay that grew fast and then slowly is no line. */
gdouble
fasp_span_get_queued_rate (const FaspSpan *span)
{
  gdouble most = FASP_SPAN_FASTER * fasp_span_get_departure_rate (span);
  gdouble took, others; /* µs per byte */
  gdouble bytes;

  if (!fit (span, span->b, span->x + span->y, span->bb, span->bt, &took))
    return 0;
  /* what flows bring one after the other may end before the gap does */
  bytes = (gdouble) span->to.bytes - span->from.bytes - span->gap_bytes;
  if (bytes > 0) {
    others = (fasp_span_get_arrival_time (span) - span->gap) / bytes;
    if (others >= 0 && others < took)
      took = others;
  }
  return (took * most > 8 * FASP_SEC ? 8 * FASP_SEC / took : most) * (1 - span->loss / span->n);
}

FaspTime
fasp_span_get_arrival_time (const FaspSpan *span)
{
  return get_departure_time (span) + span->queue_to - span->queue_from;
}

gboolean
fasp_span_get_spread (const FaspSpan *span, gdouble *spread)
{
  gdouble range = span->most - span->least, growth, beside;

  if (!fasp_span_get_growth (span, &growth))
    return FALSE;
  range -= ABS (growth) * get_departure_time (span);
  /* Of n samples spread evenly over a range, each is on average a third of the range
   * away from the one before, and so is the last from the first. */
  beside = 3. * (span->way - ABS (span->queue_to - span->queue_from)) / (span->n - 2);
  *spread = MAX (0, MAX (range, beside));
  return TRUE;
}

gboolean
fasp_span_get_others (const FaspSpan *less, const FaspSpan *more, gdouble *others)
{
  gdouble sent = fasp_span_get_departure_rate (more) / fasp_span_get_departure_rate (less);
  gdouble arrived = fasp_span_get_arrival_rate (more) * get_share_unlost (more)
      / (fasp_span_get_arrival_rate (less) * get_share_unlost (less));

  if (!isfinite (sent) || sent <= FASP_SPAN_CONTRAST || !isfinite (arrived) || arrived <= 0)
    return FALSE;
  *others = log (arrived) / log (sent);
  *others = CLAMP (*others, -1, 1);
  return TRUE;
}
