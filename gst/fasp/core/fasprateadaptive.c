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
#include "faspadaptive.h"

/* What a drain took less of than that is no queue. */
#define EMPTIES_SHARE .5
#define GAIN_MOST 4.
/* Of the rate found; the rest is for clocks and for the queue to vanish. */
#define MARGIN .97
/* A pulse that arrives with so much of its extra has found room. */
#define ROOM .7
/* One that leaves with less above the rate is none. */
#define LEFT_LEAST 1.05
/* One that arrives slower than the rate may have met a busy host; a slower path shows in
 * the queue. */
#define SHARE_LEAST -.5
/* A source of which less passes than that has less than the rate; what it has at once leaves by so
 * much faster than what passes. */
#define OFFER_BELOW .97
#define OFFER_PACE 1.25
/* A source has no more that has so much less than it is offered, and that is so much of the most that
 * it may be. */
#define LIMITED_SHARE .8
#define LIMITED .95
/* Of what a source sends so much is lost, and not by chance, in so many looks: that is too much.  The rate falls
 * by so much at a time at most. */
#define WASTED .2
#define WASTED_LOOKS 3
#define WASTED_FALL .5
/* What is judged together of what arrives all the time. */
#define RECENT_LEAST (16 * FASP_MSEC)
/* A packet's worth of bytes is waited for so long. */
#define IDLE_MOST FASP_SEC
/* Rivals have given up when no queue has stood for so many round trips. */
#define CALM_RTTS 20
/* Two of us who took each other for others give way when their queue overflows. */
#define COMPETE_OVERFLOW .9

static void
init (FaspRate * rate, FaspTime now)
{
  FaspAdaptive *a = (FaspAdaptive *) rate;

  fasp_leeway_init (&a->leeway, now);
  a->gain = GAIN_MOST;
  a->most = G_MAXDOUBLE;
  fasp_offer_init (&a->offers);
  a->rtt = FASP_ADAPTIVE_RTT_ASSUMED;
  a->least = G_MAXINT64;
  fasp_adaptive_start_pulse (a, now);
}

static void
set_offer (FaspAdaptive * a, gdouble offer, gdouble passes)
{
  a->rate.offer = fasp_adaptive_bound (a, offer);
  fasp_adaptive_set_rate (a, MAX (a->rate.rate, MIN (a->rate.offer,
              OFFER_PACE * passes)));
}

/* The source has less than the rate, so pulses find out nothing; but it may follow
 * what it is offered.  So that is more than what passes, by as much as may be risked:
 * little where a queue has grown of late, and then more and more.  What it has at once
 * leaves no faster than a little above what passes. */
static void
offer_more (FaspAdaptive * a, gdouble passes)
{
  gdouble most = MAX (FASP_OFFER_MOST * passes, a->rate.min);

  if (a->rate.offer < most)
    set_offer (a, fasp_offer_next (&a->offers, a->rate.offer, most, a->rtt),
        passes);
}

/* Who sends nothing makes no queue: what there is of one then is others', or a busy
 * host's. */
static gboolean
is_idle (const FaspSpan * span)
{
  return span->n == 0
      || (span->to.bytes - span->from.bytes) * 8 <= FASP_RATE_PACKET;
}

/* What the last drain has done to a queue tells whose it is. */
static void
judge_need (FaspAdaptive * a)
{
  gdouble others;

  if (MIN (a->drain.before.least,
          a->drain.during.least) > fasp_adaptive_get_target (a)
      && fasp_drain_get_others (&a->drain, &others)
      && fasp_need_judge (&a->need, others)) {
    fasp_yield_let_go (&a->yield);
    /* what was tried until now says nothing of others */
    fasp_contest_vanished (&a->contest);
  }
}

/* The path has become slower: a queue grows far beyond what is wanted.  FALSE: more is to
 * be heard before that is believed. */
static gboolean
fall (FaspAdaptive * a, FaspTime now, FaspTime queue)
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
          a->recent.to.sent, 2 * a->rtt), FASP_ADAPTIVE_DRAIN_MAX);
  fasp_yield_begin (&a->yield, a->rate.rate);
  a->fall = (FaspAdaptiveFall) {
  a->rate.rate, a->rate.offer, a->offers, a->gain, now, a->recent.to.sent};
  fasp_adaptive_set_rate (a, fasp_adaptive_bound_fall (a, MARGIN * arrived,
          left));
  fasp_offer_limit (&a->offers, a->rate.rate);
  a->gain = FASP_ADAPTIVE_GAIN_LEAST;
  fasp_adaptive_start_drain (a, now, queue);
  a->rate.owed = queue;
  a->hold_until = a->phase_end;
  fasp_adaptive_expect (a, a->phase_end, a->phase_end);
  a->recent.n = 0;
  a->least = G_MAXINT64;
  fasp_contest_stands (&a->contest);
  return TRUE;
}

/* What left at @sent, since the drain of a fall began, meets no queue: the path was slow for a
 * moment only.  (Of what a queue is known to hold a drain is known beforehand to be of the right
 * length; of what was expected to come, it is not.) */
static void
cut_drain (FaspAdaptive * a, FaspTime now, FaspTime sent, FaspTime queue)
{
  if (a->phase != FASP_ADAPTIVE_DRAIN || a->contest.on
      || a->hold_until != a->phase_end || sent < a->drain.start
      || queue > fasp_adaptive_get_target (a)
      || a->phase_end - now <= a->rtt)
    return;
  a->phase_end = a->drain.end = a->hold_until = now;
  if (now < a->emptied_until) {
    a->emptied_until = now;
    a->emptied = (now - a->emptied_from) / 2;
  }
  a->rate.owed = 0;
  fasp_adaptive_expect (a, now, now);
}

static void
leave_competition (FaspAdaptive * a)
{
  fasp_contest_leave (&a->contest);
  a->gain = FASP_ADAPTIVE_GAIN_LEAST;
  a->passing.n = 0;
  a->passed = 0;
}

/* What was told of until now was misunderstood. */
static void
look_anew (FaspAdaptive * a, FaspTime now)
{
  a->rate.standing = 0;
  a->least = G_MAXINT64;
  fasp_contest_vanished (&a->contest);
  a->recent.n = 0;
  a->hold_until = now;
  fasp_drain_forget (&a->drain, now);
  fasp_adaptive_begin (a, FASP_ADAPTIVE_CRUISE, now, a->rtt);
  fasp_adaptive_expect (a, now, now);
}

/* The last fall. */
static void
take_back (FaspAdaptive * a, FaspTime now)
{
  const FaspAdaptiveFall *last = &a->fall;

  leave_competition (a);        /* it may have been one attempt too many */
  fasp_adaptive_set_rate (a, last->rate);
  a->rate.offer = fasp_adaptive_bound (a, last->offer);
  a->rate.owed = 0;
  a->offers = last->offers;
  a->gain = last->gain;
  look_anew (a, now);
}

/* What was under way by then, at the old rate, tells whether that was right: a queue of a
 * slower path goes on growing; one that is gone was a busy host's. */
static void
look_back (FaspAdaptive * a, FaspTime now, FaspTime sent, FaspTime queue)
{
  gboolean under_way = sent <= a->fall.time;

  if (a->fall.rate == 0 || sent <= a->fall.seen
      || (under_way && queue > fasp_adaptive_get_target (a)))
    return;
  if (under_way)
    take_back (a, now);
  a->fall.rate = 0;
}

/* What a drain has not made shorter by what it would have taken from a queue is no queue.  Until
 * then nothing is known. */
static gboolean
look_at_jump (FaspAdaptive * a, FaspTime now, FaspTime sent, FaspQueue * queue,
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
compete (FaspAdaptive * a)
{
  gboolean room = MIN (a->drain.during.least,
      a->pulse.least) <= fasp_adaptive_get_target (a);
  gdouble others, times;

  if (!fasp_span_get_others (&a->drain.during, &a->pulse, &others)) {
    if (!fasp_contest_look_in_vain (&a->contest))
      leave_competition (a);
    return;
  }
  fasp_need_judge (&a->need, others);
  times = fasp_contest_judge (&a->contest, others, room);
  if (times > 0)
    fasp_adaptive_set_rate (a, MIN (fasp_span_get_delivery_rate (&a->pulse),
            a->rate.rate * times));
  else
    leave_competition (a);
}

/* What was given away is tried at once, as it may not be there any more. */
static void
take_longer (FaspAdaptive * a, FaspTime now)
{
  FaspTime by = fasp_drain_get_longer (&a->drain);

  for (guint i = 0; i < FASP_FLOWS_MAX; i++)
    fasp_queue_lengthen (&a->queues[i], by);
  a->gain =
      CLAMP (a->yield.before / MARGIN / a->rate.rate, FASP_ADAPTIVE_GAIN_LEAST,
      GAIN_MOST);
  fasp_yield_forget (&a->yield, now);
  fasp_offer_init (&a->offers);
  look_anew (a, now);
}

static void
judge_rivals (FaspAdaptive * a, FaspTime now)
{
  switch (fasp_drain_judge (&a->drain, now, fasp_adaptive_get_target (a))) {
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
      fasp_adaptive_set_rate (a, a->rate.rate);
      break;
  }
}

static void
judge_queue (FaspAdaptive * a, FaspTime now)
{
  gboolean stands;

  a->target = fasp_adaptive_get_target (a);
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
answer_congestion (FaspAdaptive * a, FaspTime now)
{
  a->congested = TRUE;
  fasp_leeway_forget (&a->leeway);
  switch (fasp_congestion_answer (&a->congestion, now, a->rtt, a->rate.rate)) {
    case FASP_CONGESTION_NOTHING:
      break;
    case FASP_CONGESTION_YIELD:
      a->fall.rate = 0;         /* no mistake */
      fasp_adaptive_set_rate (a, a->rate.rate * FASP_CONGESTION_LESS);
      fasp_offer_limit (&a->offers, a->rate.rate);
      break;
    case FASP_CONGESTION_CONTEST:
      a->contest.on = TRUE;
      break;
  }
}

/* Until then what left may have waited for the pulse. */
static FaspTime
get_search_end (const FaspAdaptive * a)
{
  return MAX (a->pulse_end, a->drain.end);
}

/* The queue that the last large pulse has made is being drained. */
static void
end_search (FaspAdaptive * a)
{
  if (a->gain <= FASP_ADAPTIVE_GAIN_LEAST)
    return;
  a->hold_until = MAX (a->hold_until, get_search_end (a));
  a->recent.n = 0;
  a->gain = FASP_ADAPTIVE_GAIN_LEAST;
}

/* On a short path that is known before the drain is over: what has found room is not in the
 * queue, to be made up for. */
static void
shorten_drain (FaspAdaptive * a, FaspTime now, gdouble left)
{
  gdouble arrived = fasp_span_get_arrival_rate (&a->pulse);
  FaspTime queued;

  if (a->phase != FASP_ADAPTIVE_DRAIN || a->drain.start < a->pulse_end
      || a->drain.start == a->cleared || arrived <= 0)
    return;
  queued = MAX (0, left - arrived) / a->rate.rate *
      (a->pulse_end - a->pulse_start);
  a->phase_end = MIN (a->phase_end, MAX (now, a->drain.start + 2 * queued));
  a->drain.end = a->phase_end;
}

/* By the source, of which so much @passes: it has no more, whatever it is offered. */
static gboolean
is_limited (const FaspAdaptive * a, gdouble passes)
{
  guint64 most = fasp_adaptive_bound (a, FASP_OFFER_MOST * passes);

  return passes > 0 && passes < LIMITED_SHARE * a->rate.offer
      && a->rate.offer >= LIMITED * most;
}

/* Who has less to send than the rate may send it again and again: where much of what @passes, bit/s, is lost,
 * and neither by chance nor by a policer, as the others have @waited, and not once alone, as by an outage, there
 * is no room for more than @unlost. */
static void
answer_waste (FaspAdaptive * a, gdouble passes, gdouble unlost, FaspTime waited)
{
  gboolean wastes = unlost < (1 - WASTED) * passes
      && waited > MAX (FASP_MSEC, a->jitter.spread);

  a->wasted = wastes ? a->wasted + 1 : 0;
  if (a->wasted >= WASTED_LOOKS && a->rate.rate > OFFER_PACE * unlost)
    fasp_adaptive_set_rate (a, MAX (OFFER_PACE * unlost,
            WASTED_FALL * a->rate.rate));
}

/* There was not enough to send, for the pulse. */
static void
learn_of_source (FaspAdaptive * a, FaspTime now, gdouble passes)
{
  gboolean limited = is_limited (a, a->passed);

  if (limited)
    fasp_leeway_limited (&a->leeway, now);
  if (a->passed > 0)
    fasp_need_look (&a->need, now, limited ? a->passed : 0);
  if (a->pulse_end > a->pulse_start && passes > 0
      && passes < OFFER_BELOW * a->rate.rate
      && a->rate.standing <= fasp_adaptive_get_target (a))
    offer_more (a, passes);
}

/* What has @arrived of what has @left faster than the rate, bit/s, tells of the room there is. */
static void
learn_of_room (FaspAdaptive * a, FaspTime now, gdouble left, gdouble arrived)
{
  gdouble rate = a->rate.rate;
  gdouble share = (MIN (arrived, left) - rate) / (left - rate);

  if (fasp_congestion_is_polite (&a->congestion, now)) {
    if (share > 0)
      fasp_adaptive_set_rate (a, fasp_congestion_grow (rate, a->rtt,
              now - a->pulse_start));
    end_search (a);
  } else if (share >= ROOM) {
    fasp_adaptive_set_rate (a, MARGIN * MIN (arrived, left));
    a->gain = MIN (GAIN_MOST, a->gain * a->gain);
  } else if (a->gain > FASP_ADAPTIVE_GAIN_LEAST) {
    /* that is what there is; or, if it is less than before, a few packets that were late: a
     * slower path shows in the queue */
    fasp_adaptive_set_rate (a, MAX (MARGIN * arrived, rate));
    end_search (a);
  } else {
    share = MAX (share, SHARE_LEAST);
    fasp_adaptive_set_rate (a, rate + share * share * share * (left - rate));
  }
}

/* FALSE: more is to be heard before anything is known of it. */
static gboolean
learn_of_queue (FaspAdaptive * a, FaspTime now)
{
  if (!a->contest.on && a->pulse_start == a->pulse_end) {       /* a drain alone */
    judge_need (a);
    if (fasp_drain_is_in_vain (&a->drain, fasp_adaptive_get_target (a))) {
      fasp_drain_suspect (&a->drain, now, a->rtt);
      return FALSE;
    }
  }
  if (!a->contest.on && is_idle (&a->passing)) {
    a->rate.standing = 0;
    return FALSE;
  }
  if (a->least != G_MAXINT64) {
    a->rate.standing = a->least;
    a->least = G_MAXINT64;
    judge_queue (a, now);
  }
  return TRUE;
}

/* All that left in the pulse has been told of. */
static void
evaluate (FaspAdaptive * a, FaspTime now)
{
  gdouble arrived = fasp_span_get_delivery_rate (&a->pulse);
  gdouble left = fasp_span_get_departure_rate (&a->pulse);
  gdouble passes, unlost;
  FaspTime waited;
  gboolean congested = a->congested;

  /* a search has hardly anything else */
  if (fasp_jitter_is_new (&a->jitter))
    fasp_jitter_add (&a->jitter, &a->pulse);
  a->congested = FALSE;
  a->evaluated = TRUE;
  shorten_drain (a, now, left);
  if (!learn_of_queue (a, now))
    return;
  if (a->contest.on) {
    a->wasted = 0;
    compete (a);
    return;
  }
  passes = fasp_span_get_departure_rate (&a->passing);
  unlost = fasp_span_get_unlost_rate (&a->passing);
  waited = fasp_span_get_wait (&a->passing);
  a->passing.n = 0;
  /* with a drain alone, and no pulse to make up for it, less passes than might */
  a->passed = a->pulse_end > a->pulse_start ? passes : 0;
  if (congested) {              /* answered already, and no time to try more */
    end_search (a);
  } else if (left < LEFT_LEAST * a->rate.rate) {
    learn_of_source (a, now, passes);
    answer_waste (a, passes, unlost, waited);
  } else {
    a->wasted = 0;
    if (arrived > 0)
      learn_of_room (a, now, left, arrived);
  }
}

/* Large pulses make a queue themselves, until it is drained, and tell what there is. */
static gboolean
is_of_search (const FaspAdaptive * a, FaspTime sent)
{
  return a->gain > FASP_ADAPTIVE_GAIN_LEAST && sent >= a->pulse_start
      && sent < get_search_end (a);
}

/* Of what passes all the time a queue is known before there is a pulse. */
static void
take_recent (FaspAdaptive * a, FaspTime now, const FaspRateSample * sample,
    FaspTime queue)
{
  fasp_span_extend (&a->passing, sample, queue, a->loss);
  if (is_of_search (a, sample->sent)) {
    a->recent.n = 0;
    return;
  }
  fasp_span_extend (&a->recent, sample, queue, a->loss);
  if (fasp_span_get_arrival_time (&a->recent) < RECENT_LEAST
      || a->recent.n < FASP_SPAN_SAMPLES)
    return;
  if (!a->contest.on && a->drain.suspect_until == 0
      && a->recent.least > fasp_adaptive_get_alarm (a) && !fall (a, now, queue))
    return;
  fasp_jitter_add (&a->jitter, &a->recent);
  a->recent.n = 0;
}

/* How long it waited; @of_search: it may have been for a queue that we made on purpose. */
static FaspTime
take_sample (FaspAdaptive * a, const FaspRateReport * report,
    const FaspRateSample * sample, gboolean * of_search)
{
  FaspQueue *way = &a->queues[report->flow];
  FaspTime queue = fasp_queue_add (way, sample->sent, sample->arrived);
  FaspTime waited;

  fasp_leeway_add (&a->leeway, report->flow, sample, a->jitter.spread);
  if (!look_at_jump (a, report->now, sample->sent, way, &queue))
    look_back (a, report->now, sample->sent, queue);
  waited = queue;
  cut_drain (a, report->now, sample->sent, queue);
  *of_search = sample->sent < a->hold_until || is_of_search (a, sample->sent);
  if (sample->sent >= a->hold_until)
    a->least = MIN (a->least, queue);
  if (sample->sent >= a->pulse_start && sample->sent <= a->pulse_end)
    fasp_span_extend (&a->pulse, sample, queue, a->loss);
  else if (sample->sent > a->pulse_end && !a->evaluated)
    evaluate (a, report->now);
  fasp_drain_extend (&a->drain, sample, queue, a->loss);
  fasp_need_extend (&a->need, sample, queue, a->loss, a->rtt);
  if (a->drain.suspect_until > 0)
    judge_rivals (a, report->now);
  if (sample->sent >= a->hold_until)
    take_recent (a, report->now, sample, queue);
  return waited;
}

/* @waited: in the mean, by those that came. */
static void
judge_losses (FaspAdaptive * a, const FaspRateReport * report, FaspTime waited,
    gboolean of_search)
{
  const FaspRateSample *last = &report->samples[report->n - 1];
  gboolean policed, overflows;

  fasp_chance_add (&a->chance, report->now, last, a->rate.rate, report->told,
      report->lost, waited > fasp_adaptive_get_target (a));
  policed = fasp_policer_add (&a->policer, report->now, a->rtt, last,
      report->told, report->lost, waited > MAX (FASP_MSEC, a->jitter.spread));
  a->most = fasp_policer_get_most (&a->policer, report->now);
  if (policed) {
    fasp_adaptive_set_rate (a, a->rate.rate);
    a->rate.offer = fasp_adaptive_bound (a, a->rate.offer);
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
    fasp_adaptive_set_rate (a, COMPETE_OVERFLOW * a->rate.rate);
  }
}

static void
report (FaspRate * rate, const FaspRateReport * report)
{
  FaspAdaptive *a = (FaspAdaptive *) rate;
  FaspTime waited = 0;
  gboolean of_search = FALSE;

  if (report->rtt > 0)
    a->rtt = report->rtt;
  fasp_leeway_look (&a->leeway, report->now, report->source, a->rate.offer,
      a->rate.rate);
  a->wander = fasp_leeway_get (&a->leeway, report->now);
  if (report->told > 0)
    a->loss = fasp_chance_get_others (&a->chance, report->told, report->lost);
  for (guint i = 0; i < report->n; i++) {
    gboolean searches;

    waited += take_sample (a, report, &report->samples[i], &searches) /
        report->n;
    of_search |= searches;
  }
  judge_losses (a, report, waited, of_search);
}

const FaspRateClass fasp_rate_adaptive = {
  sizeof (FaspAdaptive), init, report, fasp_adaptive_get
};
