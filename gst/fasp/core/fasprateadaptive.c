/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures what the path is good for by short pulses (docs/rate-control.md):
 *
 *   PULSE   for some 20 ms at `gain' times the rate
 *   DRAIN   at half the rate until what has left beyond it is made up for
 *   CRUISE  at the rate, until it is known how the pulse arrived
 *
 * A pulse that arrives as fast as it left says that there is room; one that is
 * spread out by a queue says how fast it left the queue.  Of the mean rate nothing
 * is added or taken by both.  A queue that stands makes the drain longer and the rate
 * less.
 */
#include "faspchance.h"
#include "faspcongestion.h"
#include "faspcontest.h"
#include "faspdrain.h"
#include "faspjitter.h"
#include "faspleeway.h"
#include "faspneed.h"
#include "faspoffer.h"
#include "faspoverflow.h"
#include "fasppolicer.h"
#include "faspqueue.h"
#include "fasprate.h"
#include "faspspan.h"
#include "faspyield.h"

#define PULSE_MIN (16 * FASP_MSEC)
#define PULSE_MAX (100 * FASP_MSEC)
/* Of a slow one, whose packets take longer. */
#define PULSE_SLOW_MAX (2 * FASP_SEC)
#define PULSE_PACKETS 5
/* Arrivals are told of some sixteen times in a quarter of a round trip. */
#define PULSE_RTT_SHARE 20
#define DRAIN_MAX (8 * FASP_SEC)
/* Of a slow source so many packets less tell whose queue it is. */
#define DRAIN_PACKETS 3
/* A drain of which it is looked at what it has done; and what would be left of a queue that it
 * took a half from is not mistaken for a path. */
#define EMPTIES (10 * FASP_MSEC)
#define EMPTIES_SHARE .5
#define GAIN_LEAST 1.25
#define GAIN_MOST 4.
/* Of the rate found; the rest is for clocks and for the queue to vanish. */
#define MARGIN .97
/* A pulse that arrives with so much of its extra has found room. */
#define ROOM .7
/* One that arrives slower than the rate may have met a busy host; a slower path shows in
 * the queue. */
#define SHARE_LEAST -.5
/* What is to stand in the queue at most: two packets, within these. */
#define STANDING_PACKETS 2
#define STANDING_MIN (2 * FASP_MSEC)
#define STANDING_MAX (6 * FASP_MSEC)
/* A source of which less passes than that has less than the rate; what it has at once leaves by so
 * much faster than what passes. */
#define OFFER_BELOW .97
#define OFFER_PACE 1.25
/* Far above what is to stand at most, the path has become slower. */
#define SLOWER (12 * FASP_MSEC)
#define SLOWER_RTT_SHARE 16
/* Delays that spread without a queue, as on radio links, make pulses so many times as long
 * (at GAIN_LEAST), and what stands in the queue by so many times uncertain. */
#define NOISE_PULSES 8
#define NOISE_STANDING 3
/* Where the delay falls by itself so much may stand, of how far it does, and so much more before that
 * is taken for a slower path. */
#define WANDER_STANDING 1.5
#define WANDER_ALARM .5
/* A source has no more that has so much less than it is offered, and that is so much of the most that
 * it may be. */
#define LIMITED_SHARE .8
#define LIMITED .95
/* What is judged together of what arrives all the time. */
#define RECENT_LEAST (16 * FASP_MSEC)
/* Less of the rate than that, and it was not for a drain, says little of what the path has
 * room for: the rate falls by so much at most then. */
#define SPARSE .3
#define SPARSE_FALL .5
/* A packet's worth of bytes is waited for so long. */
#define IDLE_MOST FASP_SEC
/* Who does not know whose the losses are empties the queue for so long, so often at most. */
#define CLEAR_INTERVAL (2 * FASP_SEC)
#define CLEAR_TIME (50 * FASP_MSEC)
#define CLEAR_PACKETS 15
/* Rivals have given up when no queue has stood for so many round trips. */
#define CALM_RTTS 20
/* Pulses on top of a queue: */
#define COMPETE_GAIN 1.5
#define COMPETE_PULSE (50 * FASP_MSEC)
#define COMPETE_PACKETS 6
#define COMPETE_PULSE_MAX FASP_SEC
/* Two of us who took each other for others give way when their queue overflows. */
#define COMPETE_OVERFLOW .9
#define RTT_ASSUMED (100 * FASP_MSEC)

typedef enum
{
  PULSE,
  DRAIN,
  CRUISE,
} Phase;

typedef struct
{
  guint64 rate, offer;          /* before; 0: there was none */
  FaspOffer offers;
  gdouble gain;
  FaspTime time;                /* of the decision, and */
  FaspTime seen;                /* departure of what it was made by */
} Fall;

typedef struct
{
  FaspRate rate;
  FaspQueue queues[FASP_FLOWS_MAX];
  Phase phase;
  FaspTime phase_end;
  gdouble gain;                 /* of this pulse, or the next one */
  FaspTime pulse_start, pulse_end;
  gboolean evaluated;           /* the last pulse */
  guint64 sent, pulse_sent;     /* bytes by now, and when the pulse began */
  FaspTime rtt;
  FaspTime hold_until;          /* a report about what left before that is of
                                   the time before a decision */
  FaspSpan pulse;               /* what is known of the last pulse */
  FaspSpan recent;              /* the last stretch, since it was looked at */
  FaspSpan passing;             /* since the last look */
  FaspTime least;               /* queueing delay since the last look */
  FaspTime target;              /* what of it might stand, by then */
  gboolean congested;           /* packets were marked since then, or a queue overflowed */
  FaspCongestion congestion;
  FaspOverflow overflow;
  FaspChance chance;
  FaspPolicer policer;
  gdouble most;                 /* bit/s that it lets through */
  FaspTime cleared;             /* the queue on purpose, last */
  FaspJitter jitter;            /* of it within short stretches */
  FaspLeeway leeway;
  gdouble wander;               /* µs of it, now */
  FaspContest contest;
  FaspYield yield;
  gdouble loss;                 /* of the packets told of last, but by chance */
  gdouble passed;               /* bit/s before the last look; 0: not known */
  Fall fall;                    /* the last one, while it may be a mistake */
  FaspTime emptied_from, emptied_until; /* the last drain that was long, and what it */
  FaspTime emptied;             /* took from a queue, at least */
  FaspDrain drain;              /* the last one */
  FaspOffer offers;             /* to a source that has not enough for pulses */
  FaspNeed need;                /* of a source that follows no offer */
} Adaptive;

static FaspTime
get_target (const Adaptive * a)
{
  gdouble packet = FASP_RATE_PACKET * FASP_SEC / a->rate.rate;

  /* on a path that has become slower one takes longer, without any queue */
  return MAX (packet, CLAMP (STANDING_PACKETS * packet, STANDING_MIN,
          STANDING_MAX)) + NOISE_STANDING * a->jitter.spread +
      WANDER_STANDING * a->wander;
}

/* What is allowed, here and on the path. */
static guint64
bound (const Adaptive * a, gdouble rate)
{
  return fasp_rate_clamp (&a->rate, MIN (rate, a->most));
}

/* A queue that is so long says that the path has become slower. */
static FaspTime
get_alarm (const Adaptive * a)
{
  return get_target (a) + WANDER_ALARM * a->wander + MAX (SLOWER,
      a->rtt / SLOWER_RTT_SHARE);
}

static void
begin (Adaptive * a, Phase phase, FaspTime now, FaspTime length)
{
  a->phase = phase;
  a->phase_end = now + length;
}

/* What leaves from @from to @to is the pulse, to be evaluated when it is known how it
 * arrived. */
static void
expect (Adaptive * a, FaspTime from, FaspTime to)
{
  a->pulse_start = from;
  a->pulse_end = to;
  a->pulse_sent = a->sent;
  a->evaluated = FALSE;
  a->pulse.n = 0;
}

/* Of what is sent in pulses: they take no more than is allowed. */
static gdouble
get_gain (const Adaptive * a)
{
  return MIN (a->gain, (gdouble) bound (a, a->rate.max) / a->rate.rate);
}

static void
start_pulse (Adaptive * a, FaspTime now)
{
  FaspTime packets =
      PULSE_PACKETS * FASP_RATE_PACKET * FASP_SEC / (get_gain (a) *
      a->rate.rate);
  gdouble noise =
      NOISE_PULSES * a->jitter.spread * (GAIN_LEAST - 1) / (a->gain - 1);
  FaspTime length = CLAMP (MAX (a->rtt / PULSE_RTT_SHARE, noise), PULSE_MIN,
      PULSE_MAX);

  /* that is no search, any more */
  a->gain = CLAMP (get_gain (a), GAIN_LEAST, a->gain);
  length = MAX (length, MIN (packets, PULSE_SLOW_MAX));
  begin (a, PULSE, now, length);
  expect (a, now, now + length);
}

/* µs of the rate that have left in the pulse beyond it: nothing, of a source that has no more.  On
 * long paths, where it is offered little more at a time, that is held back all the same, and may be
 * there for the next pulse. */
static FaspTime
get_extra (const Adaptive * a, FaspTime now)
{
  gdouble sent = (a->sent - a->pulse_sent) * 8. * FASP_SEC / a->rate.rate;
  FaspTime most = (get_gain (a) - 1) * (a->pulse_end - a->pulse_start);

  return a->rtt >= RTT_ASSUMED ? most : CLAMP (sent - (now - a->pulse_start), 0,
      most);
}

/* Here the drain comes first: what it holds back is there for the pulse, also from a
 * source that has no more than the rate. */
static void
start_contrast (Adaptive * a, FaspTime now)
{
  FaspTime packets =
      COMPETE_PACKETS * FASP_RATE_PACKET * FASP_SEC * 2 / a->rate.rate;
  FaspTime length = CLAMP (MAX (packets, a->rtt / 2), COMPETE_PULSE,
      COMPETE_PULSE_MAX);

  begin (a, DRAIN, now, length);
  a->gain = COMPETE_GAIN;
  fasp_drain_begin (&a->drain, now, a->phase_end);
  expect (a, now + length, now + 2 * length);
}

/* An encoder is told at once where there is less than its source needs: it may follow. */
static void
set_rate (Adaptive * a, gdouble rate)
{
  guint64 before = a->rate.rate, asked;

  asked = bound (a, MAX (rate, a->yield.floor));
  a->rate.rate = bound (a, MAX (asked, fasp_need_get (&a->need)));
  a->rate.offer = rate < before ? asked : MAX (a->rate.offer, a->rate.rate);
}

static void
set_offer (Adaptive * a, gdouble offer, gdouble passes)
{
  a->rate.offer = bound (a, offer);
  set_rate (a, MAX (a->rate.rate, MIN (a->rate.offer, OFFER_PACE * passes)));
}

/* The source has less than the rate, so pulses find out nothing; but it may follow
 * what it is offered.  So that is more than what passes, by as much as may be risked:
 * little where a queue has grown of late, and then more and more.  What it has at once
 * leaves no faster than a little above what passes. */
static void
offer_more (Adaptive * a, gdouble passes)
{
  gdouble most = MAX (FASP_OFFER_MOST * passes, a->rate.min);

  if (a->rate.offer < most)
    set_offer (a, fasp_offer_next (&a->offers, a->rate.offer, most, a->rtt),
        passes);
}

/* Of rivals' queues a drain takes nothing, and who needs what there is has nothing to spare; but so
 * much that it tells whose queue it is. */
static FaspTime
bound_drain (const Adaptive * a, FaspTime extra)
{
  FaspTime most = MAX (a->rtt / 4, EMPTIES);

  if (fasp_need_get (&a->need) > 0)
    most =
        MAX (most, DRAIN_PACKETS * FASP_RATE_PACKET * FASP_SEC / a->rate.rate);
  else if (a->yield.floor == 0)
    return extra;
  return MIN (extra, most);
}

/* At half the rate for so long that @extra µs of the rate are not sent. */
static void
start_drain (Adaptive * a, FaspTime now, FaspTime extra)
{
  if (now - a->cleared > CLEAR_INTERVAL
      && (fasp_overflow_is_unclear (&a->overflow)
          || fasp_chance_is_unclear (&a->chance))) {
    a->cleared = now;
    extra = MAX (extra, MAX (a->rtt / 2, CLEAR_TIME));
    extra =
        MAX (extra, CLEAR_PACKETS * FASP_RATE_PACKET * FASP_SEC / a->rate.rate);
  }
  extra = bound_drain (a, extra);
  begin (a, DRAIN, now, CLAMP (2 * extra, FASP_MSEC, DRAIN_MAX));
  if (extra >= EMPTIES) {
    a->emptied = extra;
    a->emptied_from = now;
    a->emptied_until = a->phase_end;
  }
  fasp_drain_begin (&a->drain, now, a->phase_end);
}

static void
init (FaspRate * rate, FaspTime now)
{
  Adaptive *a = (Adaptive *) rate;

  fasp_leeway_init (&a->leeway, now);
  a->gain = GAIN_MOST;
  a->most = G_MAXDOUBLE;
  fasp_offer_init (&a->offers);
  a->rtt = RTT_ASSUMED;
  a->least = G_MAXINT64;
  start_pulse (a, now);
}

/* --- what is heard ---------------------------------------------------------------- */

/* Who sends nothing makes no queue: what there is of one then is others', or a busy
 * host's. */
static gboolean
is_idle (const FaspSpan * span)
{
  return span->n == 0
      || (span->to.bytes - span->from.bytes) * 8 <= FASP_RATE_PACKET;
}

/* To @rate at most, and by a half at most where so little has @left that it tells little of
 * the path. */
static gdouble
bound_fall (const Adaptive * a, gdouble rate, gdouble left)
{
  if (left < SPARSE * a->rate.rate)
    rate = MAX (rate, SPARSE_FALL * a->rate.rate);
  return MIN (rate, a->rate.rate);
}

/* What the last drain has done to a queue tells whose it is. */
static void
judge_need (Adaptive * a)
{
  gdouble others;

  if (MIN (a->drain.before.least, a->drain.during.least) > get_target (a)
      && fasp_drain_get_others (&a->drain, &others))
    fasp_need_judge (&a->need, others);
}

/* The path has become slower: a queue grows far beyond what is wanted.  FALSE: more is to
 * be heard before that is believed. */
static gboolean
fall (Adaptive * a, FaspTime now, FaspTime queue)
{
  gdouble arrived = fasp_span_get_delivery_rate (&a->recent);
  gdouble left = fasp_span_get_departure_rate (&a->recent);
  gdouble passed = fasp_span_get_delivery_rate (&a->passing);

  if (arrived <= 0)
    return FALSE;
  /* while rivals drain more arrives than there is room for in the mean: two of us who both
   * went by that would have more than the link */
  if (a->yield.floor > 0 && passed > 0)
    arrived = MIN (arrived, passed);
  /* small packets take their time */
  if (is_idle (&a->recent))
    return a->recent.to.sent - a->recent.from.sent > IDLE_MOST;
  /* and so much more by what has left since; what is lost does not wait */
  queue =
      MIN (queue + MAX (0,
          left / fasp_span_get_arrival_rate (&a->recent) - 1) * MIN (now -
          a->recent.to.sent, 2 * a->rtt), DRAIN_MAX);
  fasp_yield_begin (&a->yield, a->rate.rate);
  a->fall = (Fall) {
  a->rate.rate, a->rate.offer, a->offers, a->gain, now, a->recent.to.sent};
  set_rate (a, bound_fall (a, MARGIN * arrived, left));
  fasp_offer_limit (&a->offers, a->rate.rate);
  a->gain = GAIN_LEAST;
  start_drain (a, now, queue);
  a->rate.owed = queue;
  a->hold_until = a->phase_end;
  expect (a, a->phase_end, a->phase_end);
  a->recent.n = 0;
  a->least = G_MAXINT64;
  fasp_contest_stands (&a->contest);
  return TRUE;
}

/* What left at @sent, since the drain of a fall began, meets no queue: the path was slow for a
 * moment only.  (Of what a queue is known to hold a drain is known beforehand to be of the right
 * length; of what was expected to come, it is not.) */
static void
cut_drain (Adaptive * a, FaspTime now, FaspTime sent, FaspTime queue)
{
  if (a->phase != DRAIN || a->contest.on || a->hold_until != a->phase_end
      || sent < a->drain.start || queue > get_target (a)
      || a->phase_end - now <= a->rtt)
    return;
  a->phase_end = a->drain.end = a->hold_until = now;
  if (now < a->emptied_until) {
    a->emptied_until = now;
    a->emptied = (now - a->emptied_from) / 2;
  }
  a->rate.owed = 0;
  expect (a, now, now);
}

static void
leave_competition (Adaptive * a)
{
  fasp_contest_leave (&a->contest);
  a->gain = GAIN_LEAST;
  a->passing.n = 0;
  a->passed = 0;
}

/* What was told of until now was misunderstood. */
static void
look_anew (Adaptive * a, FaspTime now)
{
  a->rate.standing = 0;
  a->least = G_MAXINT64;
  fasp_contest_vanished (&a->contest);
  a->recent.n = 0;
  a->hold_until = now;
  fasp_drain_forget (&a->drain, now);
  begin (a, CRUISE, now, a->rtt);
  expect (a, now, now);
}

/* The last fall. */
static void
take_back (Adaptive * a, FaspTime now)
{
  const Fall *fall = &a->fall;

  leave_competition (a);        /* it may have been one attempt too many */
  set_rate (a, fall->rate);
  a->rate.offer = bound (a, fall->offer);
  a->rate.owed = 0;
  a->offers = fall->offers;
  a->gain = fall->gain;
  look_anew (a, now);
}

/* What was under way by then, at the old rate, tells whether that was right: a queue of a
 * slower path goes on growing; one that is gone was a busy host's. */
static void
look_back (Adaptive * a, FaspTime now, FaspTime sent, FaspTime queue)
{
  gboolean under_way = sent <= a->fall.time;

  if (a->fall.rate == 0 || sent <= a->fall.seen
      || (under_way && queue > get_target (a)))
    return;
  if (under_way)
    take_back (a, now);
  a->fall.rate = 0;
}

/* What a drain has not made shorter by what it would have taken from a queue is no queue.  Until
 * then nothing is known. */
static gboolean
look_at_jump (Adaptive * a, FaspTime now, FaspTime sent, FaspQueue * queue,
    FaspTime * waited)
{
  FaspTime jump = fasp_queue_get_jump (queue, a->emptied_from);

  if (jump == 0 || a->emptied < EMPTIES_SHARE * jump)
    return fasp_queue_get_jump (queue, sent) > 0;
  if (sent < a->emptied_until)
    return TRUE;
  *waited = fasp_queue_take_jump (queue);
  if (a->fall.rate > 0)
    take_back (a, now);
  a->fall.rate = 0;
  return FALSE;
}

static void
compete (Adaptive * a)
{
  gboolean room = MIN (a->drain.during.least, a->pulse.least) <= get_target (a);
  gdouble others, times;

  if (!fasp_span_get_others (&a->drain.during, &a->pulse, &others)) {
    if (!fasp_contest_look_in_vain (&a->contest))
      leave_competition (a);
    return;
  }
  fasp_need_judge (&a->need, others);
  times = fasp_contest_judge (&a->contest, others, room);
  if (times > 0)
    set_rate (a, MIN (fasp_span_get_delivery_rate (&a->pulse),
            a->rate.rate * times));
  else
    leave_competition (a);
}

/* What was given away is tried at once, as it may not be there any more. */
static void
take_longer (Adaptive * a, FaspTime now)
{
  FaspTime by = fasp_drain_get_longer (&a->drain);

  for (guint i = 0; i < FASP_FLOWS_MAX; i++)
    fasp_queue_lengthen (&a->queues[i], by);
  a->gain = CLAMP (a->yield.before / MARGIN / a->rate.rate, GAIN_LEAST,
      GAIN_MOST);
  fasp_yield_forget (&a->yield, now);
  fasp_offer_init (&a->offers);
  look_anew (a, now);
}

static void
judge_rivals (Adaptive * a, FaspTime now)
{
  switch (fasp_drain_judge (&a->drain, now, get_target (a))) {
    case FASP_DRAIN_UNKNOWN:
    case FASP_DRAIN_UNCLEAR:
      break;
    case FASP_DRAIN_LONGER:
      take_longer (a, now);
      break;
    case FASP_DRAIN_NOBODY:
      fasp_yield_let_go (&a->yield);
      break;
    case FASP_DRAIN_RIVALS:
      fasp_yield_keep (&a->yield, now,
          fasp_span_get_delivery_rate (&a->drain.after));
      set_rate (a, a->rate.rate);
      break;
  }
}

static void
judge_queue (Adaptive * a, FaspTime now)
{
  gboolean stands;

  a->target = get_target (a);
  stands = a->rate.standing > a->target;
  fasp_yield_look (&a->yield, now, stands);
  if (stands) {
    fasp_contest_stands (&a->contest);
    return;
  }
  fasp_contest_vanished (&a->contest);
  if (a->contest.on && fasp_yield_get_calm (&a->yield, now)
      >= MAX (FASP_YIELD_CALM, CALM_RTTS * a->rtt))
    leave_competition (a);
}

/* Somebody on the path says that a queue is too long (ECN), or it loses what is too much. */
static void
answer_congestion (Adaptive * a, FaspTime now)
{
  a->congested = TRUE;
  fasp_leeway_forget (&a->leeway);
  switch (fasp_congestion_answer (&a->congestion, now, a->rtt, a->rate.rate)) {
    case FASP_CONGESTION_NOTHING:
      break;
    case FASP_CONGESTION_YIELD:
      a->fall.rate = 0;         /* no mistake */
      set_rate (a, a->rate.rate * FASP_CONGESTION_LESS);
      fasp_offer_limit (&a->offers, a->rate.rate);
      break;
    case FASP_CONGESTION_CONTEST:
      a->contest.on = TRUE;
      break;
  }
}

/* Until then what left may have waited for the pulse. */
static FaspTime
get_search_end (const Adaptive * a)
{
  return MAX (a->pulse_end, a->drain.end);
}

/* The queue that the last large pulse has made is being drained. */
static void
end_search (Adaptive * a)
{
  if (a->gain <= GAIN_LEAST)
    return;
  a->hold_until = MAX (a->hold_until, get_search_end (a));
  a->recent.n = 0;
  a->gain = GAIN_LEAST;
}

/* On a short path that is known before the drain is over: what has found room is not in the
 * queue, to be made up for. */
static void
shorten_drain (Adaptive * a, FaspTime now, gdouble left)
{
  gdouble arrived = fasp_span_get_arrival_rate (&a->pulse);
  FaspTime queued;

  if (a->phase != DRAIN || a->drain.start < a->pulse_end
      || a->drain.start == a->cleared || arrived <= 0)
    return;
  queued = MAX (0, left - arrived) / a->rate.rate *
      (a->pulse_end - a->pulse_start);
  a->phase_end = MIN (a->phase_end, MAX (now, a->drain.start + 2 * queued));
  a->drain.end = a->phase_end;
}

/* By the source, of which so much @passes: it has no more, whatever it is offered. */
static gboolean
is_limited (const Adaptive * a, gdouble passes)
{
  guint64 most = bound (a, FASP_OFFER_MOST * passes);

  return passes > 0 && passes < LIMITED_SHARE * a->rate.offer
      && a->rate.offer >= LIMITED * most;
}

/* All that left in the pulse has been told of. */
static void
evaluate (Adaptive * a, FaspTime now)
{
  gdouble rate = a->rate.rate, arrived =
      fasp_span_get_delivery_rate (&a->pulse);
  gdouble left = fasp_span_get_departure_rate (&a->pulse), share;
  gdouble passes;
  gboolean congested = a->congested;

  /* a search has hardly anything else */
  if (fasp_jitter_is_new (&a->jitter))
    fasp_jitter_add (&a->jitter, &a->pulse);
  a->congested = FALSE;
  a->evaluated = TRUE;
  shorten_drain (a, now, left);
  if (!a->contest.on && a->pulse_start == a->pulse_end) {       /* a drain alone */
    judge_need (a);
    if (fasp_drain_is_in_vain (&a->drain, get_target (a))) {
      fasp_drain_suspect (&a->drain, now, a->rtt);
      return;
    }
  }
  if (!a->contest.on && is_idle (&a->passing)) {
    a->rate.standing = 0;
    return;
  }
  if (a->least != G_MAXINT64) {
    a->rate.standing = a->least;
    a->least = G_MAXINT64;
    judge_queue (a, now);
  }
  if (a->contest.on) {
    compete (a);
    return;
  }
  passes = fasp_span_get_departure_rate (&a->passing);
  a->passing.n = 0;
  /* with a drain alone, and no pulse to make up for it, less passes than might */
  a->passed = a->pulse_end > a->pulse_start ? passes : 0;
  if (congested) {              /* answered already, and no time to try more */
    end_search (a);
    return;
  }
  if (left < 1.05 * rate) {     /* there was not enough to send, for the pulse */
    gboolean limited = is_limited (a, a->passed);

    if (limited)
      fasp_leeway_limited (&a->leeway, now);
    if (a->passed > 0)
      fasp_need_look (&a->need, now, limited ? a->passed : 0);
    if (a->pulse_end > a->pulse_start && passes > 0
        && passes < OFFER_BELOW * rate && a->rate.standing <= get_target (a))
      offer_more (a, passes);
    return;
  }
  if (arrived <= 0)
    return;
  share = (MIN (arrived, left) - rate) / (left - rate);
  if (fasp_congestion_is_polite (&a->congestion, now)) {
    if (share > 0)
      set_rate (a, fasp_congestion_grow (rate, a->rtt, now - a->pulse_start));
    end_search (a);
  } else if (share >= ROOM) {
    set_rate (a, MARGIN * MIN (arrived, left));
    a->gain = MIN (GAIN_MOST, a->gain * a->gain);
  } else if (a->gain > GAIN_LEAST) {
    /* that is what there is; or, if it is less than before, a few packets that were late: a
     * slower path shows in the queue */
    set_rate (a, MAX (MARGIN * arrived, rate));
    end_search (a);
  } else {
    share = MAX (share, SHARE_LEAST);
    set_rate (a, rate + share * share * share * (left - rate));
  }
}

/* Large pulses make a queue themselves, until it is drained, and tell what there is. */
static gboolean
is_of_search (const Adaptive * a, FaspTime sent)
{
  return a->gain > GAIN_LEAST && sent >= a->pulse_start
      && sent < get_search_end (a);
}

static void
report (FaspRate * rate, const FaspRateReport * report)
{
  Adaptive *a = (Adaptive *) rate;
  FaspTime waited = 0;          /* in the mean */
  gboolean policed, overflows, of_search = FALSE;

  if (report->rtt > 0)
    a->rtt = report->rtt;
  fasp_leeway_look (&a->leeway, report->now, report->source, a->rate.offer,
      a->rate.rate);
  a->wander = fasp_leeway_get (&a->leeway, report->now);
  if (report->told > 0)
    a->loss = fasp_chance_get_others (&a->chance, report->told, report->lost);
  for (guint i = 0; i < report->n; i++) {
    const FaspRateSample *sample = &report->samples[i];
    FaspQueue *way = &a->queues[report->flow];
    FaspTime queue = fasp_queue_add (way, sample->sent, sample->arrived);

    fasp_leeway_add (&a->leeway, report->flow, sample, a->jitter.spread);
    if (!look_at_jump (a, report->now, sample->sent, way, &queue))
      look_back (a, report->now, sample->sent, queue);
    waited += queue / report->n;
    cut_drain (a, report->now, sample->sent, queue);
    of_search |= sample->sent < a->hold_until || is_of_search (a, sample->sent);
    if (sample->sent >= a->hold_until)
      a->least = MIN (a->least, queue);
    if (sample->sent >= a->pulse_start && sample->sent <= a->pulse_end) {
      fasp_span_extend (&a->pulse, sample, queue, a->loss);
    } else if (sample->sent > a->pulse_end && !a->evaluated) {
      evaluate (a, report->now);
    }
    fasp_drain_extend (&a->drain, sample, queue, a->loss);
    fasp_need_extend (&a->need, sample, queue, a->loss, a->rtt);
    if (a->drain.suspect_until > 0)
      judge_rivals (a, report->now);
    if (sample->sent < a->hold_until)
      continue;
    fasp_span_extend (&a->passing, sample, queue, a->loss);
    if (is_of_search (a, sample->sent)) {
      a->recent.n = 0;
      continue;
    }
    fasp_span_extend (&a->recent, sample, queue, a->loss);
    if (fasp_span_get_arrival_time (&a->recent) < RECENT_LEAST
        || a->recent.n < FASP_SPAN_SAMPLES)
      continue;
    if (!a->contest.on && a->drain.suspect_until == 0
        && a->recent.least > get_alarm (a) && !fall (a, report->now, queue))
      continue;
    fasp_jitter_add (&a->jitter, &a->recent);
    a->recent.n = 0;
  }
  fasp_chance_add (&a->chance, report->now, &report->samples[report->n - 1],
      a->rate.rate, report->told, report->lost, waited > get_target (a));
  policed = fasp_policer_add (&a->policer, report->now, a->rtt,
      &report->samples[report->n - 1], report->told, report->lost,
      waited > MAX (FASP_MSEC, a->jitter.spread));
  a->most = fasp_policer_get_most (&a->policer, report->now);
  if (policed) {
    set_rate (a, a->rate.rate);
    a->rate.offer = bound (a, a->rate.offer);
    end_search (a);
  }
  /* what a search overflows itself says nothing of others; and who fills the queue
   * overflows it, so that is not answered in its place */
  overflows = !of_search && fasp_overflow_add (&a->overflow, report->now,
      waited, report->n, a->jitter.spread, report->told, report->lost,
      report->overtaken);
  if (!a->contest.on && (overflows || report->marked > 0)) {
    answer_congestion (a, report->now);
  } else if (overflows
      && fasp_congestion_is_new (&a->congestion, report->now, a->rtt)) {
    set_rate (a, COMPETE_OVERFLOW * a->rate.rate);
  }
}

/* --- what is sent ------------------------------------------------------------------- */

static void
next_phase (Adaptive * a, FaspTime now)
{
  switch (a->phase) {
    case PULSE:
      if (a->contest.on) {
        begin (a, CRUISE, now, 4 * a->rtt);
        break;
      }
      start_drain (a, now, get_extra (a, now));
      break;
    case DRAIN:
      if (a->contest.on && now < a->pulse_end)
        begin (a, PULSE, now, a->pulse_end - now);
      else
        begin (a, CRUISE, now, MAX (a->rtt, a->pulse_end + 4 * a->rtt - now));
      a->rate.owed = 0;
      break;
    case CRUISE:
      if (now < a->drain.suspect_until) {
        begin (a, CRUISE, now, a->drain.suspect_until - now);
        break;
      }
      a->drain.suspect_until = 0;
      if (!a->contest.on && a->rate.standing > get_alarm (a)) {
        /* how much slower it has become is known as soon as enough has arrived */
        start_drain (a, now, a->rtt / 2);
        expect (a, a->phase_end, a->phase_end);
      } else if (!a->contest.on && a->rate.standing > a->target) {
        FaspTime cycle = MAX (a->rtt, 50 * FASP_MSEC);
        gdouble less = CLAMP ((gdouble) (a->rate.standing - a->target) /
            cycle, .01, .25);

        /* of a source that has no more, what passes is not all that was given away */
        if (fasp_leeway_is_believed (&a->leeway, now))
          fasp_yield_begin (&a->yield, a->rate.rate);
        /* the queue is of what passes, if that is less */
        if (a->passed > 0)
          set_rate (a, bound_fall (a, a->passed, a->passed));
        fasp_yield_begin (&a->yield, a->rate.rate);
        set_rate (a, a->rate.rate * (1 - less));
        fasp_offer_limit (&a->offers, a->rate.rate);
        start_drain (a, now, a->rate.standing);
        a->rate.standing = 0;
        /* a pulse on top of a queue would say nothing new */
        expect (a, a->phase_end, a->phase_end);
      } else if (a->contest.on) {
        start_contrast (a, now);
      } else {
        start_pulse (a, now);
      }
      break;
  }
}

static guint64
get (FaspRate * rate, FaspTime now, guint64 sent, FaspTime * until)
{
  Adaptive *a = (Adaptive *) rate;
  guint64 may;

  a->sent = sent;
  if (now >= a->phase_end || (a->phase == CRUISE && a->evaluated
          && a->drain.suspect_until == 0))
    next_phase (a, now);
  if (a->phase == DRAIN)
    rate->owed = MIN (rate->owed, (a->phase_end - now) / 2);
  *until = a->phase_end;
  may = a->phase == PULSE ? get_gain (a) * rate->rate : a->phase == DRAIN ?
      rate->rate / 2 : rate->rate;
  fasp_need_send (&a->need, now, sent, may);
  return may;
}

const FaspRateClass fasp_rate_adaptive = {
  "adaptive", sizeof (Adaptive), init, report, get
};
