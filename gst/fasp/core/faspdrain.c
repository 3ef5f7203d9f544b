/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspdrain.h"

/* Of a queue that is ours a drain leaves so much of what it takes at most. */
#define LEFT .5
/* Others have so much of what passes, at least, to be rivals. */
#define RIVALS_LEAST .4
#define SAMPLES 3
/* As long as the drain, but so long at most, is listened to what comes after it. */
#define LISTEN (100 * FASP_MSEC)
/* What differs by less than so much of what a drain would have taken stands still; and all that is
 * sent less is missing from what arrives. */
#define LEVEL .2
#define ALL .8
/* What would make a path longer by more may be the queue of somebody beside whom our part is
 * small. */
#define LONGER_MOST (25 * FASP_MSEC)

void
fasp_drain_begin (FaspDrain * drain, FaspTime now, FaspTime end)
{
  drain->start = now;
  drain->end = end;
  drain->before = drain->after;
  drain->during.n = drain->after.n = 0;
}

void
fasp_drain_extend (FaspDrain * drain, const FaspRateSample * sample,
    FaspTime queue, gdouble loss)
{
  FaspSpan *span = sample->sent < drain->start ? &drain->before :
      sample->sent < drain->end ? &drain->during : &drain->after;

  fasp_span_extend (span, sample, queue, loss);
}

void
fasp_drain_forget (FaspDrain * drain, FaspTime now)
{
  drain->before.n = drain->during.n = 0;
  drain->end = now;
}

/* From a queue of ours, µs of it. */
static FaspTime
get_takes (const FaspDrain * drain)
{
  return (drain->end - drain->start) / 2;
}

gboolean
fasp_drain_get_others (const FaspDrain * drain, gdouble * others)
{
  return fasp_span_get_others (&drain->during, &drain->before, others);
}

gboolean
fasp_drain_is_in_vain (const FaspDrain * drain, FaspTime target)
{
  const FaspSpan *before = &drain->before, *during = &drain->during;
  FaspTime empty = before->queue_to - LEFT * get_takes (drain);
  gdouble others;

  return before->n >= SAMPLES && during->n >= SAMPLES
      && during->queue_to > MAX (target, empty)
      && fasp_drain_get_others (drain, &others)
      && others >= RIVALS_LEAST;
}

void
fasp_drain_suspect (FaspDrain * drain, FaspTime now, FaspTime rtt)
{
  drain->suspect_until = now + 2 * rtt + LISTEN;
}

/* What stands is there at any rate: that is no queue, as a drain takes from it what we have in it,
 * at least, and others' grow again. */
static gboolean
is_longer (const FaspDrain * drain, FaspTime target)
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
      && fasp_span_get_growth (before, &growth) && least > target
      && most <= LONGER_MOST && most - least <= level
      && ABS (growth) * (before->to.sent - before->from.sent) <= level;
}

FaspDrainVerdict
fasp_drain_judge (FaspDrain * drain, FaspTime now, FaspTime target)
{
  const FaspSpan *after = &drain->after;
  FaspTime wanted = MIN (drain->end - drain->start, LISTEN);
  gdouble others;

  if (now < drain->suspect_until && (after->n < SAMPLES
          || after->to.sent - after->from.sent < wanted))
    return FASP_DRAIN_UNKNOWN;
  drain->suspect_until = 0;
  if (is_longer (drain, target))
    return FASP_DRAIN_LONGER;
  if (!fasp_span_get_others (&drain->during, after, &others)
      || others < FASP_SPAN_NOBODY)
    return FASP_DRAIN_NOBODY;
  return others >= RIVALS_LEAST ? FASP_DRAIN_RIVALS : FASP_DRAIN_UNCLEAR;
}

FaspTime
fasp_drain_get_longer (const FaspDrain * drain)
{
  return MIN (drain->during.least, drain->after.least);
}
