/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The adaptive controller (docs/rate-control.md has the reasons, and the source of each constant).
 *
 *   PULSE   some 16 ms at `gain' times the rate, when there is enough to send
 *   DRAIN   at half the rate until the pulse's excess is made up for
 *   CRUISE  at the rate
 *
 * Pulses and queues change the rate.  A pulse that arrives as fast as it left has found room; one
 * that a queue has spread shows how much there is.  While a queue stands, the rate of arrival is
 * the path's capacity.  The window bounds the bytes in flight: so the sender stops if feedback
 * stops, and a queue is gone a round trip after it is detected.
 */
#include <math.h>
#include "faspdice.h"
#include "faspchance.h"
#include "faspcubic.h"
#include "faspjitter.h"
#include "faspmarks.h"
#include "fasppolicer.h"
#include "fasppulse.h"
#include "faspqueue.h"
#include "fasprate.h"
#include "faspspan.h"

/* A pulse: bounds of its gain, and the share of its excess that must arrive as fast as it left. */
#define GAIN_LEAST 1.25
#define GAIN_MOST 4.
#define ROOM .7
/* The least rate of departure of a pulse, in multiples of the rate; a slower pulse is not
 * evaluated. */
#define LEFT_LEAST 1.05
/* The length of a pulse; at a low rate, until PULSE_PACKETS have left.  It varies at random by
 * PULSE_VARIES: at equal intervals the pulses of one sender might always coincide with the drains
 * of another. */
#define PULSE_PACKETS 5
#define PULSE_TRIPS .05
#define PULSE_VARIES .25
/* A pulse of the least gain is at least this many times as long as the spread of delays without a
 * queue. */
#define PULSE_SPREADS 8
/* The share of a measured capacity that is used; the rest lets queues drain. */
#define MARGIN .97
/* A pulse that arrives at less than FULL times the rate has found no room: the rate falls to
 * FULL_SHARE of the rate of arrival or less, by 1 - FULL_FALL at a time. */
#define FULL 1.01
#define FULL_SHARE .985
#define FULL_FALL .995
/* A pulse that arrives slower than the rate may have met a busy host. */
#define SHARE_LEAST -.5
/* The allowed standing queue: two packets, within these bounds, plus STANDING_SPREADS times the
 * spread of delays. */
#define STANDING_PACKETS 2
#define STANDING_LEAST (2 * FASP_MSEC)
#define STANDING_MOST (6 * FASP_MSEC)
#define STANDING_SPREADS 3
/* The length of a standing queue whose stretches are averaged twice as fast. */
#define LONG (12. * FASP_MSEC)
/* The share of the rate at which to send while a queue stands. */
#define CLEARING .9
/* A queue that stands for this many round trips, although this sender has let it drain, is due to
 * other senders.  After as many without a queue they are gone. */
#define ROUNDS 8
/* If packets are lost in this many round trips in a row, more senders have come, or the path's
 * capacity has fallen: the share is halved. */
#define LOSSY_ROUNDS 32
/* A delay that jumped and stays up for this many round trips is due to a longer path. */
#define JUMP_ROUNDS 2
/* If the encoder makes too little at once for a pulse, the rate grows as long as no queue stands
 * and the encoder uses it: by GROWTH in a round trip, to UNUSED times the rate of arrival at
 * most. */
#define GROWTH 1.1
#define UNUSED 2
#define WINDOW_LEAST 4 /* packets */
/* The interval at which the controller looks again while reports are overdue. */
#define ASK_AGAIN (10 * FASP_MSEC)

typedef enum
{
  PULSE,
  DRAIN,
  CRUISE,
} Phase;

/* Competition with other senders for a queue. */
typedef struct
{
  FaspCubic cubic;  /* the window */
  FaspTime reduced; /* when the window was last reduced */
  gdouble share;    /* lower bound of the rate, bit/s */
  guint lossy;      /* round trips in a row with a queue and losses */
} Competition;

typedef struct
{
  FaspRate rate;
  FaspQueue queues[FASP_FLOWS_MAX];
  FaspSpan stretches[FASP_FLOWS_MAX]; /* the stretch of each flow that is not judged yet */
  FaspTime judged;                    /* arrival of the last packet of a judged stretch */
  Phase phase;
  FaspTime phase_end;
  gdouble gain;   /* gain of this pulse, or of the next one */
  gdouble before; /* the rate before it fell, if no pulse has tried it since; else 0 */
  FaspTime pulse_start, pulse_end;
  guint64 sent, pulse_sent; /* bytes sent by now, and by the start of the pulse */
  gboolean evaluated;       /* the last pulse was evaluated */
  FaspPulse pulse;
  FaspTime rtt;
  FaspTime feedback_rtt; /* from a packet's departure to its report, if it meets no queue */
  FaspTime reported;     /* when the last feedback came */
  FaspJitter jitter;
  FaspChance chance;
  gdouble loss;      /* share of the packets reported last, beyond random loss */
  FaspTime round;    /* when this round trip began */
  guint64 round_end; /* bytes sent when this round trip began */
  guint untried;     /* round trips in a row in which no pulse was evaluated */
  FaspTime least;    /* least queueing delay in this round trip */
  guint64 lost;      /* packets lost in this round trip */
  FaspMarks marks;
  FaspPolicer policer;
  guint stood, calm;    /* round trips in a row with a standing queue, or without */
  FaspTime stood_since; /* when the first of `stood' ended */
  gboolean competes;    /* other senders fill the queue */
  Competition others;   /* used while `competes' */
  FaspTime stood_last;  /* when a queue stood last */
  guint64 confirmed;    /* FaspRate.seen at the last feedback */
  gboolean clears;      /* a queue stands, and the sender lets it drain */
  guint64 dice;
} Adaptive;

static FaspTime
get_packet_time (const Adaptive *a)
{
  return FASP_RATE_PACKET * FASP_SEC / a->rate.rate;
}

/* The queueing delay that may stand. */
static FaspTime
get_target (const Adaptive *a)
{
  FaspTime packet = get_packet_time (a);

  return MAX (packet, CLAMP (STANDING_PACKETS * packet, STANDING_LEAST, STANDING_MOST))
      + STANDING_SPREADS * a->jitter.spread;
}

static void
set_window (Adaptive *a)
{
  FaspTime feedback_rtt = a->feedback_rtt > 0 ? a->feedback_rtt : FASP_RATE_TARGET;
  gdouble bytes =
      a->rate.rate / 8. / FASP_SEC * (a->clears ? feedback_rtt : feedback_rtt + FASP_RATE_TARGET);

  if (a->competes)
    bytes = a->rate.rate / 8. / FASP_SEC * a->rate.feedback_rtt;
  if (a->phase == PULSE)
    bytes *= a->gain;
  a->rate.window = MAX (bytes, WINDOW_LEAST * FASP_RATE_PACKET / 8);
}

static void
set_rate (Adaptive *a, gdouble rate, const gchar *why)
{
  a->rate.rate = a->rate.offer = fasp_rate_clamp (&a->rate, rate);
  a->rate.why = why;
}

static void
init (FaspRate *rate, FaspTime now)
{
  Adaptive *a = (Adaptive *) rate;

  a->dice = now + 1; /* never 0 */
  a->gain = GAIN_MOST;
  a->rtt = FASP_RATE_TARGET;
  a->reported = a->round = now;
  a->phase = CRUISE;
  a->least = G_MAXINT64;
  a->phase_end = now;
  a->evaluated = TRUE;
  set_window (a);
}

/* --- pulses ------------------------------------------------------------------------------- */

/* Learns from a pulse that @left faster than the rate and has @arrived at another rate, bit/s. */
static void
learn_of_room (Adaptive *a, gdouble left, gdouble arrived)
{
  gdouble rate = a->rate.rate, next;
  gdouble share = (MIN (arrived, left) - rate) / (left - rate);

  if (share >= ROOM) {
    set_rate (a, MARGIN * MIN (arrived, left), "search");
    /* a policer's initial burst is not room */
    if (a->policer.rate == 0)
      a->gain = MIN (GAIN_MOST, a->gain * a->gain);
    return;
  }
  if (a->gain > GAIN_LEAST) {
    set_rate (a, MAX (rate, MARGIN * arrived), "search_ended");
    a->gain = GAIN_LEAST;
    a->before = 0;
    return;
  }
  share = MAX (share, SHARE_LEAST);
  next = rate + share * share * share * (left - rate);
  if (arrived < FULL * rate)
    next = MIN (next, MAX (FULL_SHARE * arrived, FULL_FALL * rate));
  set_rate (a, next, "pulse");
}

/* Packets of the pulse that found room are in no queue and need no drain. */
static void
shorten_drain (Adaptive *a, FaspTime now, const FaspPulseRates *rates)
{
  gdouble queued = MAX (0, rates->left - rates->arrived) / a->rate.rate;

  if (a->phase == DRAIN && rates->arrived > 0)
    a->phase_end = MIN (a->phase_end,
        MAX (now, a->pulse_end + (FaspTime) (2 * queued * (a->pulse_end - a->pulse_start))));
}

/* Evaluates the pulse: all its packets were reported. */
static void
evaluate (Adaptive *a, FaspTime now)
{
  FaspPulseRates rates =
      fasp_pulse_measure (&a->pulse, a->gain * a->rate.rate, a->gain > GAIN_LEAST);

  a->evaluated = TRUE;
  shorten_drain (a, now, &rates);
  if (rates.left < LEFT_LEAST * a->rate.rate || rates.delivered <= 0)
    return;
  a->untried = 0;
  if (!a->clears || a->gain > GAIN_LEAST)
    learn_of_room (a, rates.left, rates.delivered);
}

/* --- queues ------------------------------------------------------------------------------- */

/* While a queue stands, the rate of arrival is the path's capacity. */
static void
judge (Adaptive *a, const FaspSpan *stretch)
{
  FaspTime since = stretch->to.arrived - MAX (stretch->from.arrived, a->judged);
  gdouble arrived;

  fasp_jitter_add (&a->jitter, stretch);
  if (a->competes || stretch->least <= get_target (a) || stretch->idle > 0 || since <= 0)
    return;
  a->judged = stretch->to.arrived;
  arrived = fasp_span_get_arrival_rate (stretch) * (1 - a->loss);
  if (MARGIN * arrived < a->rate.rate)
    a->before = MAX (a->before, a->rate.rate);
  set_rate (a,
      a->rate.rate
          + (MARGIN * arrived - a->rate.rate)
              * -expm1 (-(gdouble) since * (LONG + stretch->least) / LONG / FASP_RATE_TARGET),
      "queue_grows");
  a->gain = GAIN_LEAST;
}

/* Is the stretch long enough?  It goes on while packets arrive together, so that it has the time in
 * which they were held. */
static gboolean
is_long (const FaspSpan *stretch, const FaspRateSample *last)
{
  FaspTime arrived = stretch->to.arrived - last->arrived, left = stretch->to.sent - last->sent;

  return fasp_span_get_arrival_time (stretch) >= FASP_RATE_STRETCH
      && stretch->n >= FASP_SPAN_SAMPLES
      && (stretch->to.bytes - stretch->from.bytes) * 8 >= FASP_RATE_PACKET
      && arrived >= FASP_PULSE_HELD * left;
}

static FaspTime
take_sample (Adaptive *a, const FaspRateFeedback *feedback, const FaspRateSample *sample)
{
  FaspTime queue = fasp_queue_add (&a->queues[feedback->flow], sample->sent, sample->arrived);
  FaspSpan *stretch = &a->stretches[feedback->flow];
  FaspRateSample last;

  if (!a->evaluated && sample->sent >= a->pulse_start && sample->sent <= a->pulse_end)
    fasp_pulse_add (&a->pulse, sample, queue, a->loss);
  else if (!a->evaluated && sample->sent > a->pulse_end && a->phase != PULSE)
    evaluate (a, feedback->now);
  last = stretch->n > 0 ? stretch->to : *sample;
  fasp_span_extend (stretch, sample, queue);
  if (is_long (stretch, &last)) {
    judge (a, stretch);
    stretch->n = 0;
    fasp_span_extend (stretch, sample, queue);
  }
  return queue;
}

/* From the newest packet's departure to its report.  In a pause of the stream, the receiver reports
 * a PONG or a PROMISE later than it reports data; that is not a delay of the path. */
static FaspTime
get_feedback_rtt (const Adaptive *a, const FaspRateFeedback *feedback)
{
  FaspTime feedback_rtt = feedback->now - feedback->samples[feedback->n - 1].sent;
  FaspTime paused = MAX (0, feedback->delay - FASP_FEEDBACK_CLOCK (a->rtt));

  return feedback_rtt - MIN (paused, MAX (0, feedback_rtt));
}

/* --- other senders ------------------------------------------------------------------------ */

/* Supposes that one other sender has come: this sender's share is half of its rate before. */
static void
remember (Adaptive *a, FaspTime now)
{
  a->others.lossy = a->lost > 0 ? a->others.lossy + 1 : 0;
  if (a->others.lossy == LOSSY_ROUNDS) {
    a->others.share /= 2;
    a->before = 0;
    a->others.lossy = 0;
  }
  if (now - a->stood_last > FASP_RATE_MEMORY)
    a->others.share = 0;
  a->stood_last = now;
  if (!a->competes)
    a->others.share = MAX (a->others.share, MAX (a->before, a->rate.rate) / 2);
}

static void
compete (Adaptive *a, FaspTime now)
{
  a->competes = TRUE;
  fasp_cubic_begin (&a->others.cubic, now, a->others.share / 8. * a->rtt / FASP_SEC);
}

/* Raises the rate gradually, as there is no pulse to find room. */
static void
grow (Adaptive *a, FaspTime now)
{
  gdouble passes = (a->sent - a->round_end) * 8. * FASP_SEC / MAX (now - a->round, 1);

  /* the rate of arrival over a shorter time says little */
  if (now - a->round >= a->rtt / 2 && GROWTH * a->rate.rate <= UNUSED * passes)
    set_rate (a, GROWTH * a->rate.rate, "unused");
}

/* Recent marks determine the rate. */
static void
follow_marks (Adaptive *a, const FaspRateFeedback *feedback, FaspTime least)
{
  gdouble rate = fasp_marks_add (&a->marks, feedback, least, get_target (a), a->rate.seen, a->sent,
      a->rate.rate);

  a->rate.even = fasp_marks_lead (&a->marks, feedback->now);
  if (!a->rate.even || a->competes)
    return;
  set_rate (a, rate, "marked");
  a->gain = GAIN_LEAST;
  a->before = 0;
  a->untried = 0;
}

/* If the delay has jumped, and has stayed although the sender let the queue drain, the path has
 * become longer. */
static void
look_for_jumps (Adaptive *a)
{
  for (guint i = 0; i < FASP_FLOWS_MAX; i++) {
    if (fasp_queue_get_jump (&a->queues[i], a->stood_since) == 0)
      continue;
    fasp_queue_take_jump (&a->queues[i]);
    set_rate (a, MAX (a->rate.rate, a->before), "longer_path");
    a->stood = 0;
  }
}

static void
end_round (Adaptive *a, FaspTime now)
{
  gboolean stood = a->least > get_target (a);

  if (!stood && !a->competes && !fasp_policer_is_suspected (&a->policer) && a->untried++ >= ROUNDS
      && fasp_rate_was_dry (&a->rate, a->round) && !a->rate.enough)
    grow (a, now);
  if (fasp_policer_end_round (&a->policer, now, a->rate.seen, &a->chance, a->rate.rate)) {
    set_rate (a, a->policer.rate, "policer");
    a->gain = GAIN_LEAST;
  }
  if (stood)
    remember (a, now);
  a->lost = 0;
  a->round = now;

  a->stood = stood ? a->stood + 1 : 0;
  if (a->stood == 1)
    a->stood_since = now;
  if (a->stood >= JUMP_ROUNDS)
    look_for_jumps (a);
  a->calm = stood ? 0 : a->calm + 1;
  a->round_end = a->sent;
  a->least = G_MAXINT64;
  if (!a->competes && a->stood >= ROUNDS)
    compete (a, now);
  else if (a->competes && a->calm >= ROUNDS)
    a->competes = FALSE;
}

/* Follows CUBIC while other senders fill the queue. */
static void
follow_cubic (Adaptive *a, const FaspRateFeedback *feedback, FaspTime queue)
{
  FaspTime rtt = MAX (a->feedback_rtt - FASP_FEEDBACK_CLOCK (a->rtt) + queue, FASP_MSEC);
  gdouble bytes = a->rate.seen - a->confirmed, rate;

  if (feedback->lost > 0 || feedback->marked > 0) {
    if (feedback->now - a->others.reduced >= rtt) {
      fasp_cubic_reduce (&a->others.cubic, feedback->now);
      a->others.reduced = feedback->now;
    }
  } else if (a->rate.rate < a->rate.max && !fasp_rate_was_dry (&a->rate, feedback->now - rtt)) {
    fasp_cubic_grow (&a->others.cubic, feedback->now, rtt, bytes);
  }
  rate = fasp_cubic_get_window (&a->others.cubic) * 8 * FASP_SEC / rtt;
  set_rate (a, MAX (rate, a->others.share), "competes");
}

static void
feedback (FaspRate *rate, const FaspRateFeedback *feedback)
{
  Adaptive *a = (Adaptive *) rate;
  FaspTime least = G_MAXINT64, queue = 0, feedback_rtt;

  if (feedback->rtt > 0)
    a->rtt = feedback->rtt;
  a->reported = feedback->now;
  if (feedback->reported > 0)
    a->loss = fasp_chance_get_others (&a->chance, feedback->reported, feedback->lost);
  for (guint i = 0; i < feedback->n; i++) {
    queue = take_sample (a, feedback, &feedback->samples[i]);
    least = MIN (least, queue);
  }
  feedback_rtt = get_feedback_rtt (a, feedback);
  /* no packet has waited for longer, even if the peer's clock shows it */
  queue = MIN (queue, feedback_rtt);
  feedback_rtt += FASP_FEEDBACK_CLOCK (a->rtt) - queue;
  a->feedback_rtt +=
      (feedback_rtt - a->feedback_rtt) * (a->feedback_rtt > 0 ? FASP_RATE_WEIGHT : 1);
  rate->standing = least;
  fasp_chance_add (&a->chance, feedback->now, &feedback->samples[feedback->n - 1], rate->rate,
      feedback->reported, feedback->lost, least > get_target (a));
  a->least = MIN (a->least, least);
  a->lost += feedback->lost;
  if (fasp_policer_add (&a->policer, feedback->reported, feedback->lost, &a->chance)) {
    fasp_chance_set (&a->chance, a->policer.reported, a->policer.lost);
    set_rate (a, MAX (rate->rate, a->policer.before), "no_policer");
  }
  if (rate->seen >= a->round_end)
    end_round (a, feedback->now);
  follow_marks (a, feedback, least);
  if (a->competes)
    follow_cubic (a, feedback, queue);
  a->confirmed = rate->seen;
  rate->feedback_rtt = a->feedback_rtt + (a->competes ? queue : 0);
  a->clears = !a->competes && least > get_target (a);
  set_window (a);
}

/* --- sending ------------------------------------------------------------------------------ */

static void
begin (Adaptive *a, Phase phase, FaspTime now, FaspTime length)
{
  a->phase = phase;
  a->phase_end = now + length;
}

static void
start_pulse (Adaptive *a, FaspTime now)
{
  FaspTime packets, spreads, length;

  /* the path may have its former capacity again */
  if (a->before > a->gain * a->rate.rate)
    a->gain = MIN (GAIN_MOST, a->before / a->rate.rate);
  else if (a->before <= a->rate.rate)
    a->before = 0;
  packets = PULSE_PACKETS * get_packet_time (a) / a->gain;
  spreads = PULSE_SPREADS * a->jitter.spread * (GAIN_LEAST - 1) / (a->gain - 1);
  length = CLAMP (MAX (a->rtt * PULSE_TRIPS, spreads), FASP_RATE_STRETCH, FASP_RATE_TARGET);
  length *= 1 - PULSE_VARIES * fasp_dice_roll (&a->dice);
  begin (a, PULSE, now, MAX (length, packets));
  a->pulse_start = now;
  a->pulse_end = a->phase_end - 1;
  a->pulse_sent = a->sent;
  a->evaluated = FALSE;
  a->pulse.n = 0;
}

static void
end_pulse (Adaptive *a, FaspTime now)
{
  /* µs by which the bytes sent are ahead of the rate */
  gdouble extra = (a->sent - a->pulse_sent) * 8. * FASP_SEC / a->rate.rate;

  begin (a, DRAIN, now, 2 * CLAMP (extra - (now - a->pulse_start), 0, FASP_SEC));
}

static void
next_phase (Adaptive *a, FaspTime now)
{
  if (a->phase == PULSE && now >= a->phase_end)
    end_pulse (a, now);
  if (a->phase == DRAIN && now >= a->phase_end)
    begin (a, CRUISE, now, 0);
  if (a->phase == CRUISE && !a->rate.dry && !a->clears && !a->competes
      && !fasp_policer_is_suspected (&a->policer) && !a->rate.even
      && (a->evaluated || now > a->pulse_end + 4 * a->rtt))
    start_pulse (a, now);
}

static gdouble
get_factor (const Adaptive *a)
{
  gdouble factor = a->phase == PULSE ? a->gain : a->phase == DRAIN ? .5 : 1;

  return a->clears ? MIN (factor, CLEARING) : factor;
}

/* Lowers the encoder's rate while reports are overdue: the longer, the lower.  Returns when to look
 * again. */
static FaspTime
follow_silence (Adaptive *a, FaspTime now)
{
  FaspTime expected = a->feedback_rtt + a->rate.standing + FASP_FEEDBACK_CLOCK (a->rtt);
  FaspTime silent = now - a->reported;

  a->rate.offer = a->rate.rate;
  if (a->feedback_rtt == 0 || a->sent <= a->rate.seen)
    return now + FASP_SEC;
  if (silent > expected)
    a->rate.offer = fasp_rate_clamp (&a->rate, (gdouble) a->rate.rate * expected / silent);
  return MAX (a->reported + expected, now + ASK_AGAIN);
}

static guint64
get (FaspRate *rate, FaspTime now, guint64 sent, FaspTime *until)
{
  Adaptive *a = (Adaptive *) rate;

  a->sent = sent;
  next_phase (a, now);
  set_window (a);
  *until = follow_silence (a, now);
  if (a->phase != CRUISE)
    *until = MIN (*until, a->phase_end);
  return fasp_policer_limit (&a->policer, get_factor (a) * rate->rate);
}

const FaspRateClass fasp_rate_adaptive = { sizeof (Adaptive), init, feedback, get, TRUE };
