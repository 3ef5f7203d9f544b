/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspdrain.h"

/* A queue that is ours becomes shorter by at least this share of what a drain should take. */
#define LEFT .5
/* Others are rivals if they have at least this share of what passes. */
#define RIVALS_LEAST .4
#define SAMPLES 3
/* After a drain we listen as long as it took, but no longer than this. */
#define LISTEN (100 * FASP_MSEC)
/* A delay stands still if it varies by less than LEVEL of what a drain would have taken.  Others'
 * share of at least ALL means that as much less arrived as was sent less. */
#define LEVEL .2
#define ALL .8
/* A larger delay than this is not taken for a longer path: it may be a queue of somebody of which
 * our part is small. */
#define LONGER_MOST (25 * FASP_MSEC)

void
fasp_drain_begin (FaspDrain *drain, FaspTime now, FaspTime end)
{
  drain->start = now;
  drain->end = end;
  drain->before = drain->after;
  drain->during.n = drain->after.n = 0;
}

void
fasp_drain_extend (FaspDrain *drain, const FaspRateSample *sample, FaspTime queue, gdouble loss)
{
  FaspSpan *span = sample->sent < drain->start ? &drain->before :
      sample->sent < drain->end                ? &drain->during :
                                                 &drain->after;

  fasp_span_extend (span, sample, queue, loss);
}

void
fasp_drain_forget (FaspDrain *drain, FaspTime now)
{
  drain->before.n = drain->during.n = 0;
  drain->end = now;
}

/* What the drain takes from a queue of ours, µs. */
static FaspTime
get_takes (const FaspDrain *drain)
{
  return (drain->end - drain->start) / 2;
}

gboolean
fasp_drain_get_others (const FaspDrain *drain, gdouble *others)
{
  return fasp_span_get_others (&drain->during, &drain->before, others);
}

gboolean
fasp_drain_is_in_vain (const FaspDrain *drain, FaspTime target)
{
  const FaspSpan *before = &drain->before, *during = &drain->during;
  FaspTime empty = before->queue_to - LEFT * get_takes (drain);
  gdouble others;

  return before->n >= SAMPLES && during->n >= SAMPLES && during->queue_to > MAX (target, empty)
      && fasp_drain_get_others (drain, &others) && others >= RIVALS_LEAST;
}

void
fasp_drain_suspect (FaspDrain *drain, FaspTime now, FaspTime rtt)
{
  drain->suspect_until = now + 2 * rtt + LISTEN;
}

/* TRUE: the delay is the same at any rate, so it is no queue.  From a queue a drain takes our part,
 * at least, and a queue of others grows again. */
static gboolean
is_longer (const FaspDrain *drain, FaspTime target)
{
  const FaspSpan *before = &drain->before, *during = &drain->during;
  const FaspSpan *after = &drain->after;
  gdouble level = LEVEL * MIN (get_takes (drain), before->least);
  FaspTime most = MAX (during->least, after->least);
  FaspTime least = MIN (during->least, after->least);
  gdouble growth, others;

  most = MAX (most, before->least);
  least = MIN (least, before->least);
  return fasp_drain_get_others (drain, &others) && others >= ALL
      && fasp_span_get_others (during, after, &others) && others >= ALL
      && fasp_span_get_growth (before, &growth) && least > target && most <= LONGER_MOST
      && most - least <= level && ABS (growth) * (before->to.sent - before->from.sent) <= level;
}

FaspDrainVerdict
fasp_drain_judge (FaspDrain *drain, FaspTime now, FaspTime target)
{
  const FaspSpan *after = &drain->after;
  FaspTime wanted = MIN (drain->end - drain->start, LISTEN);
  gdouble others;

  if (now < drain->suspect_until
      && (after->n < SAMPLES || after->to.sent - after->from.sent < wanted))
    return FASP_DRAIN_UNKNOWN;
  drain->suspect_until = 0;
  if (is_longer (drain, target))
    return FASP_DRAIN_LONGER;
  if (!fasp_span_get_others (&drain->during, after, &others) || others < FASP_SPAN_NOBODY)
    return FASP_DRAIN_NOBODY;
  return others >= RIVALS_LEAST ? FASP_DRAIN_RIVALS : FASP_DRAIN_UNCLEAR;
}

FaspTime
fasp_drain_get_longer (const FaspDrain *drain)
{
  return MIN (drain->during.least, drain->after.least);
}
