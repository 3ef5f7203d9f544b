/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures what the path is good for by short pulses (docs/rate-control.md):
 *
 *   PULSE   for some 20 ms at `gain' times the rate
 *   DRAIN   at half the rate until that is made up for
 *   CRUISE  at the rate, until it is known how the pulse arrived
 *
 * A pulse that arrives as fast as it left says that there is room; one that is
 * spread out by a queue says how fast it left the queue.  Of the mean rate nothing
 * is added or taken by both.  A queue that stands makes the drain longer and the rate
 * less.
 */
#include <math.h>
#include "fasprate.h"

#define PULSE_MIN (16 * FASP_MSEC)
#define PULSE_MAX (100 * FASP_MSEC)
#define PULSE_PACKETS 6
#define PACKET 12000.           /* bits */
/* Arrivals are told of some sixteen times in a quarter of a round trip. */
#define PULSE_RTT_SHARE 20
#define GAIN_LEAST 1.25
#define GAIN_MOST 4.
/* Of the rate found; the rest is for clocks and for the queue to vanish. */
#define MARGIN .97
/* A pulse that arrives with so much of its extra has found room. */
#define ROOM .7
/* What is to stand in the queue at most: two packets, within these. */
#define STANDING_PACKETS 2
#define STANDING_MIN (2 * FASP_MSEC)
#define STANDING_MAX (6 * FASP_MSEC)
/* Far above that, the path has become slower. */
#define SLOWER (12 * FASP_MSEC)
#define SLOWER_RTT_SHARE 8
/* Samples that a rate of arrival is taken from. */
#define SPAN_LEAST (8 * FASP_MSEC)
#define RTT_ASSUMED (100 * FASP_MSEC)

typedef enum
{
  PULSE,
  DRAIN,
  CRUISE,
} Phase;

typedef struct
{
  FaspRateSample from, to;
  FaspTime queue_from, queue_to;
  guint n;
} Span;

typedef struct
{
  FaspRate rate;
  Phase phase;
  FaspTime phase_end;
  gdouble gain;                 /* of this pulse, or the next one */
  FaspTime pulse_start, pulse_end;
  gboolean evaluated;           /* the last pulse */
  FaspTime rtt;
  FaspTime hold_until;          /* a report about what left before that is of
                                   the time before a decision */
  Span pulse;                   /* what is known of the last pulse */
  Span recent;                  /* of what is neither: the last stretch */
  FaspTime least;               /* queueing delay since the last look */
} Adaptive;

static FaspTime
get_target (const Adaptive * a)
{
  return CLAMP (STANDING_PACKETS * PACKET * FASP_SEC / a->rate.rate,
      STANDING_MIN, STANDING_MAX);
}

static void
start_pulse (Adaptive * a, FaspTime now)
{
  FaspTime packets = PULSE_PACKETS * PACKET * FASP_SEC / (a->gain *
      a->rate.rate);
  FaspTime length = CLAMP (MAX (packets, a->rtt / PULSE_RTT_SHARE), PULSE_MIN,
      PULSE_MAX);

  a->phase = PULSE;
  a->phase_end = now + length;
  a->pulse_start = now;
  a->pulse_end = now + length;
  a->evaluated = FALSE;
  a->pulse.n = 0;
}

/* At half the rate for so long that @extra µs of the rate are not sent. */
static void
start_drain (Adaptive * a, FaspTime now, FaspTime extra)
{
  a->phase = DRAIN;
  a->phase_end = now + 2 * extra;
}

/* Until it is known what becomes of what leaves from then on: as a pulse of no
 * length. */
static void
wait_from (Adaptive * a, FaspTime when)
{
  a->hold_until = a->pulse_start = a->pulse_end = when;
  a->evaluated = FALSE;
  a->pulse.n = 0;
}

static void
init (FaspRate * rate, FaspTime now)
{
  Adaptive *a = (Adaptive *) rate;

  a->gain = GAIN_MOST;
  a->rtt = RTT_ASSUMED;
  a->least = G_MAXINT64;
  start_pulse (a, now);
}

/* --- what is heard ---------------------------------------------------------------- */

static void
extend (Span * span, const FaspRateSample * sample, FaspTime queue)
{
  if (span->n++ == 0) {
    span->from = *sample;
    span->queue_from = queue;
  }
  span->to = *sample;
  span->queue_to = queue;
}

/* Bit/s at which it arrived; 0: too short to say. */
static gdouble
get_arrival_rate (const Span * span)
{
  FaspTime took = span->to.arrived - span->from.arrived;

  if (span->n < 3 || took <= 0
      || span->to.sent - span->from.sent < SPAN_LEAST / 2)
    return 0;
  return (span->to.bytes - span->from.bytes) * 8. * FASP_SEC / took;
}

static gdouble
get_departure_rate (const Span * span)
{
  FaspTime took = span->to.sent - span->from.sent;

  return took <= 0 ? 0 : (span->to.bytes - span->from.bytes) * 8. * FASP_SEC /
      took;
}

static void
set_rate (Adaptive * a, gdouble rate)
{
  a->rate.rate = fasp_rate_clamp (&a->rate, rate);
}

/* The path has become slower: a queue grows far beyond what is wanted. */
static void
fall (Adaptive * a, FaspTime now, FaspTime queue)
{
  gdouble arrived = get_arrival_rate (&a->recent);
  gdouble left = get_departure_rate (&a->recent);

  if (arrived <= 0)
    return;
  /* and so much more by what has left since */
  queue += MAX (0, left / arrived - 1) * MIN (now - a->recent.to.sent,
      2 * a->rtt);
  set_rate (a, MIN (a->rate.rate, MARGIN * arrived));
  a->gain = GAIN_LEAST;
  start_drain (a, now, queue);
  wait_from (a, a->phase_end);
  a->recent.n = 0;
  a->least = G_MAXINT64;
}

/* All that left in the pulse has been told of. */
static void
evaluate (Adaptive * a)
{
  gdouble rate = a->rate.rate, arrived = get_arrival_rate (&a->pulse);
  gdouble left = get_departure_rate (&a->pulse), share;

  a->evaluated = TRUE;
  a->rate.standing = a->least == G_MAXINT64 ? 0 : a->least;
  a->least = G_MAXINT64;
  if (arrived <= 0 || left < 1.05 * rate)
    return;                     /* there was not enough to send */
  share = (MIN (arrived, left) - rate) / (left - rate);
  if (share >= ROOM) {
    set_rate (a, MARGIN * MIN (arrived, left));
    a->gain = MIN (GAIN_MOST, a->gain * a->gain);
  } else if (a->gain > GAIN_LEAST) {
    set_rate (a, MARGIN * arrived);     /* that is what there is */
    a->gain = GAIN_LEAST;
  } else {
    set_rate (a, rate + MAX (share, -1) * share * share * (left - rate));
  }
}

static void
report (FaspRate * rate, const FaspRateReport * report)
{
  Adaptive *a = (Adaptive *) rate;
  FaspTime target = get_target (a);

  if (report->rtt > 0)
    a->rtt = report->rtt;
  for (guint i = 0; i < report->n; i++) {
    const FaspRateSample *sample = &report->samples[i];
    FaspTime queue = fasp_queue_add (&rate->queues[report->flow], sample->sent,
        sample->arrived);

    if (sample->sent >= a->pulse_start && sample->sent <= a->pulse_end) {
      extend (&a->pulse, sample, queue);
    } else if (sample->sent > a->pulse_end && !a->evaluated) {
      evaluate (a);
    }
    if (sample->sent < a->hold_until)
      continue;
    a->least = MIN (a->least, queue);
    extend (&a->recent, sample, queue);
    if (a->recent.to.arrived - a->recent.from.arrived >= 2 * SPAN_LEAST) {
      if (queue > target + MAX (SLOWER, a->rtt / SLOWER_RTT_SHARE)
          && a->recent.queue_from > target)
        fall (a, report->now, queue);
      a->recent.n = 0;
    }
  }
}

/* --- what is sent ------------------------------------------------------------------- */

static void
next_phase (Adaptive * a, FaspTime now)
{
  FaspTime target = get_target (a), extra;

  switch (a->phase) {
    case PULSE:
      extra = (a->gain - 1) * (a->pulse_end - a->pulse_start);
      start_drain (a, now, extra);
      break;
    case DRAIN:
      a->phase = CRUISE;
      a->phase_end = MAX (now, a->pulse_end + 4 * a->rtt);
      break;
    case CRUISE:
      if (a->rate.standing > target) {
        FaspTime cycle = MAX (a->rtt, 50 * FASP_MSEC);
        gdouble less = CLAMP ((gdouble) (a->rate.standing - target) / cycle,
            .01, .25);

        set_rate (a, a->rate.rate * (1 - less));
        start_drain (a, now, a->rate.standing);
        a->rate.standing = 0;
        /* a pulse on top of a queue would say nothing new */
        wait_from (a, a->phase_end);
      } else {
        start_pulse (a, now);
      }
      break;
  }
}

static guint64
get (FaspRate * rate, FaspTime now, FaspTime * until)
{
  Adaptive *a = (Adaptive *) rate;

  if (now >= a->phase_end || (a->phase == CRUISE && a->evaluated))
    next_phase (a, now);
  *until = a->phase_end;
  return a->phase == PULSE ? a->gain * rate->rate : a->phase == DRAIN ?
      rate->rate / 2 : rate->rate;
}

const FaspRateClass fasp_rate_adaptive = {
  "adaptive", sizeof (Adaptive), init, report, get
};
