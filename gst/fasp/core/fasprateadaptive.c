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
#define PULSE_PACKETS 5
#define PACKET 12000.           /* bits */
/* Arrivals are told of some sixteen times in a quarter of a round trip. */
#define PULSE_RTT_SHARE 20
#define DRAIN_MAX (4 * FASP_SEC)
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
/* A queue that is still there after so many attempts to drain it is another's. */
#define STUBBORN 6
/* It has given up when there has been none for so long, */
#define CALM_TIME (2 * FASP_SEC)
#define CALM_RTTS 20
/* Pulses on top of a queue: */
#define COMPETE_GAIN 1.5
#define COMPETE_PULSE (50 * FASP_MSEC)
#define COMPETE_CONTRAST 1.3
#define COMPETE_STEP .5
/* The others' share that is aimed at: more than half, so that two of us who took
 * each other for such give way in the end. */
#define COMPETE_SHARE .55
#define COMPETE_PACKETS 6
#define COMPETE_PULSE_MAX FASP_SEC
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
  gdouble loss;                 /* summed over the samples */
} Span;

typedef struct
{
  FaspRate rate;
  Phase phase;
  FaspTime phase_end;
  gdouble gain;                 /* of this pulse, or the next one */
  FaspTime pulse_start, pulse_end, drain_end;
  gboolean evaluated;           /* the last pulse */
  FaspTime rtt;
  FaspTime hold_until;          /* a report about what left before that is of
                                   the time before a decision */
  Span pulse;                   /* what is known of the last pulse */
  Span recent;                  /* of what is neither: the last stretch */
  FaspTime least;               /* queueing delay since the last look */
  /* beside somebody who fills the queue whatever we do */
  gboolean competing;
  gdouble loss;                 /* of the packets told of last */
  guint64 told, lost;
  guint stubborn;               /* looks at a queue that did not go away */
  FaspTime calm_since;          /* there is none; 0: there is */
  guint64 calm_rate;            /* of the time before it */
  Span drain;                   /* as pulse, of the drain behind it */
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

  if (a->competing) {
    packets = COMPETE_PACKETS * PACKET * FASP_SEC * 2 / a->rate.rate;
    length = CLAMP (MAX (packets, a->rtt / 2), COMPETE_PULSE,
        COMPETE_PULSE_MAX);
    a->gain = COMPETE_GAIN;
  }
  a->phase = PULSE;
  a->phase_end = now + length;
  a->pulse_start = now;
  a->pulse_end = now + length;
  a->evaluated = FALSE;
  a->pulse.n = a->drain.n = 0;
}

/* At half the rate for so long that @extra µs of the rate are not sent. */
static void
start_drain (Adaptive * a, FaspTime now, FaspTime extra)
{
  a->phase = DRAIN;
  a->phase_end = a->drain_end = now + CLAMP (2 * extra, FASP_MSEC, DRAIN_MAX);
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
extend (Span * span, const FaspRateSample * sample, FaspTime queue,
    gdouble loss)
{
  if (span->n++ == 0) {
    span->loss = 0;
    span->from = *sample;
    span->queue_from = queue;
  }
  span->to = *sample;
  span->queue_to = queue;
  span->loss += loss;
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

/* Where the queue overflows, what is lost did not arrive. */
static gdouble
get_delivery_rate (const Span * span)
{
  return span->n == 0 ? 0 : get_arrival_rate (span) * (1 - span->loss /
      span->n);
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
  queue = MIN (queue + MAX (0, left / arrived - 1) *
      MIN (now - a->recent.to.sent, 2 * a->rtt), DRAIN_MAX);
  set_rate (a, MIN (a->rate.rate, MARGIN * arrived));
  a->gain = GAIN_LEAST;
  start_drain (a, now, queue);
  wait_from (a, a->phase_end);
  a->recent.n = 0;
  a->least = G_MAXINT64;
}

/* Beside others that send z a bottleneck of capacity C gives a sender of rate s the
 * rate C s / (s + z).  So the more of it is ours, the less comes of sending more: the
 * elasticity of what arrives is the others' share, and a half beside one other is
 * fair. */
static void
compete (Adaptive * a)
{
  gdouble sent = get_departure_rate (&a->pulse) /
      get_departure_rate (&a->drain);
  gdouble arrived = get_delivery_rate (&a->pulse) /
      get_delivery_rate (&a->drain);

  if (sent > COMPETE_CONTRAST && arrived > 0)   /* false, too, for a NaN */
    set_rate (a, a->rate.rate * exp (COMPETE_STEP * (CLAMP (log (arrived) /
                    log (sent), 0, 1) - COMPETE_SHARE)));
}

static void
judge_queue (Adaptive * a, FaspTime now)
{
  gboolean stands = a->rate.standing > get_target (a);

  a->stubborn = stands ? a->stubborn + 1 : 0;
  if (stands)
    a->calm_since = 0;
  else if (a->calm_since == 0)
    a->calm_since = now;
  if (!stands && !a->competing)
    a->calm_rate = a->rate.rate;
  if (!a->competing && a->stubborn >= STUBBORN) {
    a->competing = TRUE;
    set_rate (a, MAX (a->rate.rate, a->calm_rate / 2));
  } else if (a->competing && a->calm_since > 0
      && now - a->calm_since >= MAX (CALM_TIME, CALM_RTTS * a->rtt)) {
    a->competing = FALSE;
    a->gain = GAIN_LEAST;
  }
}

/* All that left in the pulse has been told of. */
static void
evaluate (Adaptive * a, FaspTime now)
{
  gdouble rate = a->rate.rate, arrived = get_arrival_rate (&a->pulse);
  gdouble left = get_departure_rate (&a->pulse), share;

  a->evaluated = TRUE;
  if (a->least != G_MAXINT64) {
    a->rate.standing = a->least;
    a->least = G_MAXINT64;
    judge_queue (a, now);
  }
  if (a->competing) {
    compete (a);
    return;
  }
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
count_losses (Adaptive * a, const FaspRateReport * report)
{
  guint64 told = report->told - MIN (a->told, report->told);
  guint64 lost = report->lost - MIN (a->lost, report->lost);

  if (told > 0)
    a->loss = (gdouble) MIN (lost, told) / told;
  a->told = report->told;
  a->lost = report->lost;
}

static void
report (FaspRate * rate, const FaspRateReport * report)
{
  Adaptive *a = (Adaptive *) rate;
  FaspTime target = get_target (a);

  if (report->rtt > 0)
    a->rtt = report->rtt;
  count_losses (a, report);
  for (guint i = 0; i < report->n; i++) {
    const FaspRateSample *sample = &report->samples[i];
    FaspTime queue = fasp_queue_add (&rate->queues[report->flow], sample->sent,
        sample->arrived);

    if (sample->sent >= a->hold_until)
      a->least = MIN (a->least, queue);
    if (sample->sent >= a->pulse_start && sample->sent <= a->pulse_end) {
      extend (&a->pulse, sample, queue, a->loss);
    } else if (sample->sent <= a->drain_end && a->competing) {
      extend (&a->drain, sample, queue, a->loss);
    } else if (sample->sent > a->pulse_end && !a->evaluated) {
      evaluate (a, report->now);
    }
    if (sample->sent < a->hold_until)
      continue;
    extend (&a->recent, sample, queue, a->loss);
    if (a->recent.to.arrived - a->recent.from.arrived >= 2 * SPAN_LEAST) {
      if (!a->competing
          && queue > target + MAX (SLOWER, a->rtt / SLOWER_RTT_SHARE)
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
      a->phase_end = MAX (now + a->rtt, a->pulse_end + 4 * a->rtt);
      break;
    case CRUISE:
      if (!a->competing && a->rate.standing > target) {
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
