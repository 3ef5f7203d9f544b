/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasprate.h"

/* Larger than any time that a clock can show: about ten thousand years. */
#define CLOCK_MOST (G_GINT64_CONSTANT (1) << 58)
/* From the last datagram to a probe: two round trips, with the queue, doubled by each (RFC 9002,
 * section 6.2); FASP_RATE_TARGET at least. */
#define PROBE_MOST FASP_SEC

void
fasp_rate_free (FaspRate *rate)
{
  g_free (rate);
}

void
fasp_rate_set_dry (FaspRate *rate, FaspTime now, gboolean dry)
{
  if (dry || rate->dry)
    rate->dry_until = now;
  rate->dry = dry;
}

void
fasp_rate_set_enough (FaspRate *rate, gboolean enough)
{
  rate->enough = enough;
}

void
fasp_rate_set_full (FaspRate *rate, FaspTime now)
{
  rate->full_until = now;
}

gboolean
fasp_rate_was_dry (const FaspRate *rate, FaspTime from)
{
  return rate->dry || rate->dry_until >= from;
}

void
fasp_rate_set_bounds (FaspRate *rate, guint64 min, guint64 max)
{
  rate->max = max > 0 ? MIN (max, FASP_RATE_MOST) : FASP_RATE_MOST;
  rate->min = MIN (MAX (min, FASP_RATE_LEAST), rate->max);
  /* the rate is 0 while the controller is made */
  if (rate->rate > 0 && rate->rate != CLAMP (rate->rate, rate->min, rate->max))
    rate->why = "bounds";
  rate->rate = CLAMP (rate->rate, rate->min, rate->max);
  rate->offer = CLAMP (rate->offer, rate->min, rate->max);
}

guint64
fasp_rate_clamp (const FaspRate *rate, gdouble bits)
{
  /* in this order a NaN becomes min */
  return bits > rate->min ? bits < rate->max ? (guint64) bits : rate->max : rate->min;
}

/* Are the samples in order, and their times possible? */
static gboolean
is_sane (const FaspRateFeedback *feedback)
{
  if (feedback->flow >= FASP_FLOWS_MAX)
    return FALSE;
  for (guint i = 0; i < feedback->n; i++) {
    const FaspRateSample *b = &feedback->samples[i], *a = i > 0 ? b - 1 : b;

    if (b->sent < 0 || b->sent > CLOCK_MOST || b->arrived < -CLOCK_MOST || b->arrived > CLOCK_MOST
        || b->sent < a->sent || b->arrived < a->arrived || b->bytes < a->bytes
        || b->arrived - a->arrived > FASP_RATE_MEMORY)
      return FALSE;
  }
  return feedback->n > 0;
}

/* The growth of a counter since the last report; 0 if it fell. */
static guint64
count_new (guint64 *before, guint64 now)
{
  guint64 fresh = now - MIN (*before, now);

  *before = now;
  return fresh;
}

/* The flow's losses so far.  A missing packet is lost.  But if fewer are missing than before, the
 * path reorders; then packets that may still arrive do not count as lost. */
static guint64
get_lost (FaspRate *rate, const FaspRateFeedback *feedback)
{
  guint64 *missing = &rate->missing[feedback->flow];
  FaspTime *overtaken = &rate->overtaken[feedback->flow];
  guint64 lost;

  if (feedback->lost < *missing)
    *overtaken = feedback->now;
  *missing = feedback->lost;
  lost = feedback->lost;
  if (*overtaken > 0 && feedback->now - *overtaken <= FASP_RATE_MEMORY)
    lost -= MIN (lost, feedback->unsettled);
  /* a loss that was reported to the controller is not taken back */
  return MAX (rate->lost[feedback->flow], lost);
}

/* Sets the time at which a datagram may leave despite a full window, if nothing is reported until
 * then. */
static void
plan_probe (FaspRate *rate, FaspTime now)
{
  rate->probe_wait =
      CLAMP (2 * (rate->feedback_rtt + rate->standing), FASP_RATE_TARGET, PROBE_MOST);
  rate->probe_time = now + rate->probe_wait;
}

void
fasp_rate_reported (FaspRate *rate, FaspTime now, guint64 bytes)
{
  rate->seen = MAX (rate->seen, bytes);
  plan_probe (rate, now);
}

/* Measures what arrives from the last feedback at which nothing waited on the path. */
static void
measure_wait (FaspRate *rate, FaspTime now)
{
  if (fasp_rate_get_excess (rate, rate->left) == 0) {
    rate->wait_time = now;
    rate->wait_seen = rate->seen;
  } else if (now > rate->wait_time) {
    rate->proven = (rate->seen - rate->wait_seen) * 8. * FASP_SEC / (now - rate->wait_time);
  }
}

void
fasp_rate_feedback (FaspRate *rate, const FaspRateFeedback *feedback)
{
  FaspRateFeedback bounded = *feedback;
  guint64 lost, marked;

  if (!is_sane (feedback))
    return;
  bounded.rtt = CLAMP (feedback->rtt, 0, FASP_RATE_MEMORY);
  bounded.delay = CLAMP (feedback->delay, 0, FASP_RATE_MEMORY);
  bounded.reported = count_new (&rate->reported[feedback->flow], feedback->reported);
  lost = count_new (&rate->lost[feedback->flow], get_lost (rate, feedback));
  bounded.lost = MIN (lost, bounded.reported);
  marked = count_new (&rate->marked[feedback->flow], feedback->marked);
  bounded.marked = MIN (marked, bounded.reported);
  rate->seen = MAX (rate->seen, feedback->samples[feedback->n - 1].bytes);
  rate->oldest = MAX (rate->oldest, feedback->samples[feedback->n - 1].sent);
  rate->class->feedback (rate, &bounded);
  measure_wait (rate, feedback->now);
  plan_probe (rate, feedback->now);
}

guint64
fasp_rate_get_in_flight (const FaspRate *rate, guint64 sent)
{
  return sent - MIN (sent, rate->seen);
}

FaspTime
fasp_rate_get_time (const FaspRate *rate, FaspTime now, guint64 sent, gsize bytes)
{
  return fasp_rate_get_in_flight (rate, sent) + bytes <= rate->window ? now : rate->probe_time;
}

void
fasp_rate_sent (FaspRate *rate, FaspTime now, guint64 sent)
{
  if (rate->left <= rate->seen)
    rate->oldest = now;
  rate->left = sent;
  rate->probe_time = now + rate->probe_wait;
  if (fasp_rate_get_in_flight (rate, sent) > rate->window)
    rate->probe_wait = MIN (2 * rate->probe_wait, PROBE_MOST);
}

guint64
fasp_rate_get_excess (const FaspRate *rate, guint64 sent)
{
  gdouble carried = rate->rate / 8. * rate->feedback_rtt / FASP_SEC;

  return rate->feedback_rtt == 0 ? 0 : MAX (0, fasp_rate_get_in_flight (rate, sent) - carried);
}

FaspTime
fasp_rate_get_overdue (const FaspRate *rate, FaspTime now)
{
  return rate->feedback_rtt == 0 || rate->left <= rate->seen ?
      0 :
      MAX (0, now - rate->oldest - rate->feedback_rtt);
}

guint64
fasp_rate_get (FaspRate *rate, FaspTime now, guint64 sent, FaspTime *until)
{
  return fasp_rate_clamp (rate, rate->class->get (rate, now, sent, until));
}
