/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspspan.h"

void
fasp_span_extend (FaspSpan *span, const FaspRateSample *sample, FaspTime queue)
{
  gdouble x;

  if (span->n == 0)
    *span = (FaspSpan) {
      .from = *sample,
      .to = *sample,
      .queue_from = queue,
      .queue_to = queue,
      .least = queue,
      .most = queue,
    };
  span->variation += ABS (queue - span->queue_to);
  /* the queue was empty from the previous packet's arrival until this one entered it */
  span->idle = MAX (span->idle, sample->arrived - span->to.arrived - queue);
  x = sample->sent - span->from.sent;
  span->to = *sample;
  span->queue_to = queue;
  span->least = MIN (span->least, queue);
  span->most = MAX (span->most, queue);
  span->x += x;
  span->y += queue;
  span->xx += x * x;
  span->xy += x * queue;
  span->n++;
}

/* How fast the queue grew, in s/s: the slope of a line through the samples, by least squares.
 * FALSE: the span is too short. */
static gboolean
get_growth (const FaspSpan *span, gdouble *growth)
{
  gdouble n = span->n, spread = n * span->xx - span->x * span->x;

  if (span->n < FASP_SPAN_SAMPLES || spread <= 0
      || span->to.sent - span->from.sent < FASP_SPAN_LEAST)
    return FALSE;
  *growth = (n * span->xy - span->x * span->y) / spread;
  return TRUE;
}

FaspTime
fasp_span_get_arrival_time (const FaspSpan *span)
{
  return span->to.arrived - span->from.arrived;
}

gdouble
fasp_span_get_arrival_rate (const FaspSpan *span)
{
  FaspTime took = fasp_span_get_arrival_time (span);

  return took > 0 ? (span->to.bytes - span->from.bytes) * 8. * FASP_SEC / took : 0;
}

gboolean
fasp_span_get_spread (const FaspSpan *span, gdouble *spread)
{
  gdouble range = span->most - span->least, growth, beside;

  if (!get_growth (span, &growth))
    return FALSE;
  range -= ABS (growth) * (span->to.sent - span->from.sent);
  /* Of n samples spread evenly over a range, each is on average a third of the range
   * away from the one before, and so is the last from the first. */
  beside = 3. * (span->variation - ABS (span->queue_to - span->queue_from)) / (span->n - 2);
  *spread = MAX (0, MAX (range, beside));
  return TRUE;
}
