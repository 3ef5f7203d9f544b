/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures what the path carries by short pulses (docs/rate-control.md):
 *
 *   PULSE   for some 20 ms at `gain' times the rate
 *   ASK     on short paths: until the question how it arrived has left
 *   DRAIN   at half the rate until the pulse's excess is made up for
 *   CRUISE  at the rate, until it is known how the pulse arrived
 *
 * A pulse that arrives as fast as it left shows that there is room.  One that a queue
 * spreads out shows the rate at which it left the queue.  Pulse and drain together
 * leave the mean rate as it is.  A standing queue makes the drain longer and the rate
 * lower.
 */
#include "faspadaptive.h"

/* A drain that would have emptied this share of a jump in delay tells a queue from a longer
 * path. */
#define EMPTIES_SHARE .5
#define GAIN_MOST 4.
/* The share of the rate found that is used; the rest lets queues vanish and allows for clocks. */
#define MARGIN .97
/* A pulse that arrives with this share of its excess has found room. */
#define ROOM .7
/* One that arrives at less than this many times the rate has found none: the rate is all there is,
 * and a queue of our own would stay as it is.  So the rate goes down, by FULL_FALL at a time, to
 * this share of what arrived. */
#define FULL 1.01
#define FULL_SHARE .985
#define FULL_FALL .995
/* A pulse leaves at this many times the rate at least; anything slower is no pulse. */
#define LEFT_LEAST 1.05
/* A pulse that arrives slower than the rate may have met a busy host; a slower path shows in
 * the queue.  So the share of its excess that arrived counts as no less than this. */
#define SHARE_LEAST -.5
/* A source has less than the rate if less than OFFER_BELOW of the rate passes.  What it writes
 * at once leaves OFFER_PACE times as fast as what passes. */
#define OFFER_BELOW .97
#define OFFER_PACE 1.25
/* A source has no more to send if it takes less than LIMITED_SHARE of its offer, and the offer is
 * LIMITED of its greatest or more. */
#define LIMITED_SHARE .8
#define LIMITED .95
/* Too much is wasted if more than WASTED of what a source sends is lost, not by chance, in
 * WASTED_LOOKS looks in a row.  The rate then falls, at a time no lower than WASTED_FALL of
 * itself. */
#define WASTED .2
#define WASTED_LOOKS 3
#define WASTED_FALL .5
/* The shortest stretch of continuous arrivals that is judged together. */
#define RECENT_LEAST (16 * FASP_MSEC)
/* How long to wait for a packet's worth of bytes. */
#define IDLE_MOST FASP_SEC
/* How long to wait for more than sparse packets. */
#define SPARSE_MOST (50 * FASP_MSEC)
/* If packets that left before a fall told arrive at this share of the new rate, the path is slower
 * still. */
#define SLOWER_STILL .7
/* Rivals have given up when no queue has stood for so many round trips. */
#define CALM_RTTS 20
/* If the queue overflows in a contest, the rate falls to this share: two of our own senders that
 * took each other for rivals give way. */
#define COMPETE_OVERFLOW .9

static void
init (FaspRate *rate, FaspTime now)
{
  FaspAdaptive *a = (FaspAdaptive *) rate;

  fasp_leeway_init (&a->leeway, now);
  a->dice = now + 1; /* never 0 */
  a->gain = GAIN_MOST;
  a->most = G_MAXDOUBLE;
  fasp_offer_init (&a->offers);
  a->rtt = FASP_ADAPTIVE_RTT_ASSUMED;
  a->least = G_MAXINT64;
  fasp_adaptive_start_pulse (a, now);
}

static void
set_offer (FaspAdaptive *a, gdouble offer, gdouble passes)
{
  a->rate.offer = fasp_adaptive_bound (a, offer);
  fasp_adaptive_set_rate (a, MAX (a->rate.rate, MIN (a->rate.offer, OFFER_PACE * passes)), "offer");
}

/* The source has less than the rate, so pulses find out nothing; but it may follow
 * its offer.  So the offer exceeds what passes, by as much as may be risked: little
 * where a queue has grown of late, and then more and more.  What the source writes at
 * once leaves only a little faster than what passes. */
static void
offer_more (FaspAdaptive *a, gdouble passes)
{
  gdouble most = MAX (FASP_OFFER_MOST * passes, a->rate.min);

  if (a->rate.offer < most)
    set_offer (a, fasp_offer_next (&a->offers, a->rate.offer, most, a->rtt), passes);
}

/* A sender that sends nothing makes no queue: others or a busy host cause any delay that is
 * seen then. */
static gboolean
is_idle (const FaspSpan *span)
{
  return span->n == 0 || (span->to.bytes - span->from.bytes) * 8 <= FASP_RATE_PACKET;
}

/* The effect of the last drain on a queue tells whose queue it is. */
static void
judge_need (FaspAdaptive *a)
{
  gdouble others;

  if (MIN (a->drain.before.least, a->drain.during.least) > fasp_adaptive_get_target (a)
      && fasp_drain_get_others (&a->drain, &others) && fasp_need_judge (&a->need, others)) {
    fasp_yield_let_go (&a->yield);
    /* the attempts so far say nothing about others */
    fasp_contest_vanished (&a->contest);
  }
}

/* The path has become slower: a queue grows far beyond the target.  FALSE: it takes more
 * packets to believe that. */
static gboolean
fall (FaspAdaptive *a, FaspTime now, FaspTime queue)
{
  gdouble arrived = fasp_span_get_queued_rate (&a->recent);
  gdouble left = fasp_span_get_departure_rate (&a->recent);
  gdouble passed = fasp_span_get_delivery_rate (&a->passing);

  if (arrived <= 0)
    return FALSE;
  /* the host paused, or a few packets left at the end of a pulse and one after it: more will
   * tell */
  if (fasp_adaptive_is_sparse (a, left) && !fasp_rate_was_dry (&a->rate, a->recent.from.sent)
      && a->recent.to.sent - a->recent.from.sent < SPARSE_MOST)
    return FALSE;
  /* while rivals drain, more arrives than there is room for on average: two of our own senders
   * that both went by that would exceed the link */
  if (a->yield.floor > 0 && passed > 0)
    arrived = MIN (arrived, passed);
  /* small packets: a packet's worth of bytes takes its time */
  if (is_idle (&a->recent))
    return a->recent.to.sent - a->recent.from.sent > IDLE_MOST;
  /* and what has left since makes it longer; lost packets do not wait */
  queue = MIN (queue
          + MAX (0, left / fasp_span_get_arrival_rate (&a->recent) - 1)
              * MIN (now - a->recent.to.sent, 2 * a->rtt),
      FASP_ADAPTIVE_DRAIN_MAX);
  fasp_yield_begin (&a->yield, a->rate.rate);
  a->fall = (FaspAdaptiveFall) { a->rate.rate, a->rate.offer, a->offers, a->gain, now,
    a->recent.to.sent };
  fasp_adaptive_set_rate (a, fasp_adaptive_bound_fall (a, MARGIN * arrived, left), "queue_grows");
  fasp_offer_limit (&a->offers, a->rate.rate);
  a->gain = FASP_ADAPTIVE_GAIN_LEAST;
  fasp_adaptive_start_drain (a, now, queue);
  a->rate.owed = queue;
  a->hold_until = a->phase_end;
  a->fall.queue = queue;
  a->held.n = 0;
  fasp_adaptive_expect (a, a->phase_end, a->phase_end);
  a->recent.n = 0;
  a->least = G_MAXINT64;
  fasp_contest_stands (&a->contest);
  return TRUE;
}

/* A packet that left at @sent, after the drain of a fall began, meets no queue: the path was slow
 * for a moment only, so the drain ends.  (For a queue that was measured, a drain has the right
 * length from the start.  But a fall also counts what it expects to arrive there.) */
static void
cut_drain (FaspAdaptive *a, FaspTime now, FaspTime sent, FaspTime queue)
{
  if (a->phase != FASP_ADAPTIVE_DRAIN || a->contest.on || a->hold_until != a->phase_end
      || sent < a->drain.start || queue > fasp_adaptive_get_target (a)
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
leave_competition (FaspAdaptive *a)
{
  fasp_contest_leave (&a->contest);
  a->gain = FASP_ADAPTIVE_GAIN_LEAST;
  a->passing.n = 0;
  a->passed = 0;
}

/* The reports so far were misunderstood: starts over. */
static void
look_anew (FaspAdaptive *a, FaspTime now)
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

/* Undoes the last fall. */
static void
take_back (FaspAdaptive *a, FaspTime now)
{
  const FaspAdaptiveFall *last = &a->fall;

  leave_competition (a); /* it may have been one attempt too many */
  fasp_adaptive_set_rate (a, last->rate, "fall_undone");
  a->rate.offer = fasp_adaptive_bound (a, last->offer);
  a->rate.owed = 0;
  a->offers = last->offers;
  a->gain = last->gain;
  look_anew (a, now);
}

/* Packets that were under way at the time of the last fall, at the old rate, tell whether the
 * fall was right: the queue of a slower path goes on growing; one that is gone was a busy
 * host's. */
static void
look_back (FaspAdaptive *a, FaspTime now, FaspTime sent, FaspTime queue)
{
  gboolean under_way = sent <= a->fall.time;

  if (a->fall.rate == 0 || sent <= a->fall.seen
      || (under_way && queue > fasp_adaptive_get_target (a)))
    return;
  if (under_way)
    take_back (a, now);
  a->fall.rate = 0;
}

/* The delay has jumped.  If a drain did not shorten it, as it would have shortened a queue, the
 * path has become longer.  TRUE: that is not known yet. */
static gboolean
look_at_jump (FaspAdaptive *a, FaspTime now, FaspTime sent, FaspQueue *queue, FaspTime *waited)
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
compete (FaspAdaptive *a)
{
  gboolean room = MIN (a->drain.during.least, a->pulse.least) <= fasp_adaptive_get_target (a);
  gdouble others, times;

  if (!fasp_span_get_others (&a->drain.during, &a->pulse, &others)) {
    if (!fasp_contest_look_in_vain (&a->contest))
      leave_competition (a);
    return;
  }
  fasp_need_judge (&a->need, others);
  times = fasp_contest_judge (&a->contest, others, room);
  if (times > 0)
    fasp_adaptive_set_rate (a, MIN (fasp_span_get_delivery_rate (&a->pulse), a->rate.rate * times),
        "contest");
  else
    leave_competition (a);
}

/* The path has become longer: there was no queue.  A pulse tries at once whether the rate that was
 * given away is still there. */
static void
take_longer (FaspAdaptive *a, FaspTime now)
{
  FaspTime by = fasp_drain_get_longer (&a->drain);

  for (guint i = 0; i < FASP_FLOWS_MAX; i++)
    fasp_queue_lengthen (&a->queues[i], by);
  a->gain = CLAMP (a->yield.before / MARGIN / a->rate.rate, FASP_ADAPTIVE_GAIN_LEAST, GAIN_MOST);
  fasp_yield_forget (&a->yield, now);
  fasp_offer_init (&a->offers);
  look_anew (a, now);
}

static void
judge_rivals (FaspAdaptive *a, FaspTime now)
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
      fasp_yield_keep (&a->yield, now, fasp_span_get_delivery_rate (&a->drain.after));
      fasp_adaptive_set_rate (a, a->rate.rate, "rivals");
      break;
  }
}

static void
judge_queue (FaspAdaptive *a, FaspTime now)
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
  if (a->contest.on
      && fasp_yield_get_calm (&a->yield, now) >= MAX (FASP_YIELD_CALM, CALM_RTTS * a->rtt))
    leave_competition (a);
}

/* A router marks packets (ECN), or a queue overflows. */
static void
answer_congestion (FaspAdaptive *a, FaspTime now)
{
  a->congested = TRUE;
  fasp_leeway_forget (&a->leeway);
  switch (fasp_congestion_answer (&a->congestion, now, a->rtt, a->rate.rate)) {
    case FASP_CONGESTION_NOTHING:
      break;
    case FASP_CONGESTION_YIELD:
      a->fall.rate = 0; /* no mistake */
      fasp_adaptive_set_rate (a, a->rate.rate * FASP_CONGESTION_LESS, "congestion");
      fasp_offer_limit (&a->offers, a->rate.rate);
      break;
    case FASP_CONGESTION_CONTEST:
      a->contest.on = TRUE;
      break;
  }
}

/* Packets that left before this time may have waited behind the pulse. */
static FaspTime
get_search_end (const FaspAdaptive *a)
{
  return MAX (a->pulse_end, a->drain.end);
}

/* Ends the search by large pulses.  The queue that the last of them made is being drained. */
static void
end_search (FaspAdaptive *a)
{
  if (a->gain <= FASP_ADAPTIVE_GAIN_LEAST)
    return;
  a->hold_until = MAX (a->hold_until, get_search_end (a));
  a->recent.n = 0;
  a->gain = FASP_ADAPTIVE_GAIN_LEAST;
}

/* On a short path the pulse is evaluated before its drain is over.  What has found room is not
 * in a queue, so it need not be drained. */
static void
shorten_drain (FaspAdaptive *a, FaspTime now, const FaspPulseRates *rates)
{
  FaspTime queued;

  if (a->phase != FASP_ADAPTIVE_DRAIN || a->drain.start < a->pulse_end
      || a->drain.start == a->cleared || rates->arrived <= 0)
    return;
  queued = MAX (0, rates->left - rates->arrived) / a->rate.rate * (a->pulse_end - a->pulse_start);
  a->phase_end = MIN (a->phase_end, MAX (now, a->drain.start + 2 * queued));
  a->drain.end = a->phase_end;
}

/* The source, of which @passes bit/s pass, has no more to send, whatever it is offered. */
static gboolean
is_limited (const FaspAdaptive *a, gdouble passes)
{
  guint64 most = fasp_adaptive_bound (a, FASP_OFFER_MOST * passes);

  return passes > 0 && passes < LIMITED_SHARE * a->rate.offer && a->rate.offer >= LIMITED * most;
}

/* A source that has less than the rate leaves room to send the same blocks again and again.  If
 * much of what @passes (bit/s) is lost, look after look, the path has no room for more than
 * @unlost.  Losses count only if the other packets have @waited: chance and policers lose without a
 * queue.  One lossy look may be an outage. */
static void
answer_waste (FaspAdaptive *a, gdouble passes, gdouble unlost, FaspTime waited)
{
  gboolean wastes = unlost < (1 - WASTED) * passes && waited > MAX (FASP_MSEC, a->jitter.spread);

  a->wasted = wastes ? a->wasted + 1 : 0;
  if (a->wasted >= WASTED_LOOKS && a->rate.rate > OFFER_PACE * unlost)
    fasp_adaptive_set_rate (a, MAX (OFFER_PACE * unlost, WASTED_FALL * a->rate.rate), "waste");
}

/* There was not enough to send for a pulse. */
static void
learn_of_source (FaspAdaptive *a, FaspTime now, gdouble passes)
{
  gboolean limited = is_limited (a, a->passed);

  if (limited)
    fasp_leeway_limited (&a->leeway, now);
  if (a->passed > 0)
    fasp_need_look (&a->need, now, limited ? a->passed : 0);
  if (a->pulse_end > a->pulse_start && passes > 0 && passes < OFFER_BELOW * a->rate.rate
      && a->rate.standing <= fasp_adaptive_get_target (a))
    offer_more (a, passes);
}

/* A pulse has @left faster than the rate and @arrived at another one (bit/s): that tells how much
 * room there is. */
static void
learn_of_room (FaspAdaptive *a, FaspTime now, gdouble left, gdouble arrived)
{
  gdouble rate = a->rate.rate;
  gdouble share = (MIN (arrived, left) - rate) / (left - rate);

  if (fasp_congestion_is_polite (&a->congestion, now)) {
    if (share > 0)
      fasp_adaptive_set_rate (a, fasp_congestion_grow (rate, a->rtt, now - a->pulse_start),
          "regrowth");
    end_search (a);
  } else if (share >= ROOM) {
    if (a->gain <= FASP_ADAPTIVE_GAIN_LEAST)
      a->sure = rate;
    fasp_adaptive_set_rate (a, MARGIN * MIN (arrived, left), "search");
    a->gain = MIN (GAIN_MOST, a->gain * a->gain);
  } else if (a->gain > FASP_ADAPTIVE_GAIN_LEAST) {
    /* that is the room there is.  If it is less than the rate before the search, a few packets
     * were late: a slower path shows in the queue */
    fasp_adaptive_set_rate (a, MAX (MARGIN * arrived, a->sure > 0 ? MIN (a->sure, rate) : rate),
        "search_ended");
    end_search (a);
  } else {
    gdouble next;

    share = MAX (share, SHARE_LEAST);
    next = rate + share * share * share * (left - rate);
    if (arrived < FULL * rate)
      next = MIN (next, MAX (FULL_SHARE * arrived, FULL_FALL * rate));
    fasp_adaptive_set_rate (a, next, "pulse");
  }
}

/* FALSE: it takes more packets to know anything about the queue. */
static gboolean
learn_of_queue (FaspAdaptive *a, FaspTime now)
{
  if (!a->contest.on && a->pulse_start == a->pulse_end) { /* a drain alone */
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

/* All that left in the pulse has been reported. */
static void
evaluate (FaspAdaptive *a, FaspTime now)
{
  FaspPulseRates rates =
      fasp_pulse_measure (&a->points, a->pace, a->gain > FASP_ADAPTIVE_GAIN_LEAST);
  gdouble least, passes, unlost;
  FaspTime waited;
  gboolean congested = a->congested;

  /* in a search there is hardly anything else to learn it from */
  if (fasp_jitter_is_new (&a->jitter))
    fasp_jitter_add (&a->jitter, &a->pulse);
  a->congested = FALSE;
  a->evaluated = TRUE;
  shorten_drain (a, now, &rates);
  if (!learn_of_queue (a, now))
    return;
  if (a->contest.on) {
    a->wasted = 0;
    compete (a);
    return;
  }
  least = LEFT_LEAST * a->rate.rate;
  passes = fasp_span_get_departure_rate (&a->passing);
  unlost = fasp_span_get_unlost_rate (&a->passing);
  waited = fasp_span_get_wait (&a->passing);
  a->passing.n = 0;
  /* with a drain but no pulse to make up for it, less passes than might */
  a->passed = a->pulse_end > a->pulse_start ? passes : 0;
  if (congested) { /* answered already, and no time to try more */
    end_search (a);
  } else if (rates.left >= least) {
    a->wasted = 0;
    if (rates.delivered > 0)
      learn_of_room (a, now, rates.left, rates.delivered);
  } else if (a->pace < least) {
    learn_of_source (a, now, passes);
    answer_waste (a, passes, unlost, waited);
  } /* else the host paused too often for it to tell anything */
}

/* Did the packet leave in a search?  Large pulses make a queue themselves, until it is drained. */
static gboolean
is_of_search (const FaspAdaptive *a, FaspTime sent)
{
  return a->gain > FASP_ADAPTIVE_GAIN_LEAST && sent >= a->pulse_start && sent < get_search_end (a);
}

/* Ordinary packets show a queue before the next pulse does. */
static void
take_recent (FaspAdaptive *a, FaspTime now, const FaspRateSample *sample, FaspTime queue)
{
  fasp_span_extend (&a->passing, sample, queue, a->loss);
  if (is_of_search (a, sample->sent)) {
    a->recent.n = 0;
    return;
  }
  fasp_span_extend (&a->recent, sample, queue, a->loss);
  if (fasp_span_get_arrival_time (&a->recent) < RECENT_LEAST || a->recent.n < FASP_SPAN_SAMPLES)
    return;
  if (!a->contest.on && a->drain.suspect_until == 0 && a->recent.least > fasp_adaptive_get_alarm (a)
      && !fall (a, now, queue))
    return;
  fasp_jitter_add (&a->jitter, &a->recent);
  a->recent.n = 0;
}

/* While a fall is being answered, the queue may grow on: then the path is slower still.  (A source
 * keeps what it needs, whatever the queue: there the drain of the fall is to tell whose queue it
 * is.) */
static void
take_held (FaspAdaptive *a, FaspTime now, const FaspRateSample *sample, FaspTime queue)
{
  fasp_span_extend (&a->held, sample, queue, a->loss);
  if (fasp_span_get_arrival_time (&a->held) < RECENT_LEAST || a->held.n < FASP_SPAN_SAMPLES)
    return;
  if (!a->contest.on && a->drain.suspect_until == 0 && fasp_need_get (&a->need) == 0
      && a->held.least > a->fall.queue + fasp_adaptive_get_alarm (a)
      && fasp_span_get_queued_rate (&a->held) < SLOWER_STILL * a->rate.rate) {
    a->recent = a->held;
    fall (a, now, queue);
    a->recent.n = 0; /* what left before the drain ends tells no more, if that was no fall */
  }
  a->held.n = 0;
}

static void
add_to_pulse (FaspAdaptive *a, const FaspRateSample *sample, FaspTime queue)
{
  fasp_span_extend (&a->pulse, sample, queue, a->loss);
  fasp_pulse_add (&a->points, sample, queue, a->loss);
}

/* Returns how long the packet waited.  *of_search: it may have waited in a queue that we made on
 * purpose. */
static FaspTime
take_sample (FaspAdaptive *a, const FaspRateFeedback *feedback, const FaspRateSample *sample,
    gboolean *of_search)
{
  FaspQueue *way = &a->queues[feedback->flow];
  FaspTime queue = fasp_queue_add (way, sample->sent, sample->arrived);
  FaspTime waited;

  fasp_leeway_add (&a->leeway, feedback->flow, sample, a->jitter.spread);
  if (!look_at_jump (a, feedback->now, sample->sent, way, &queue))
    look_back (a, feedback->now, sample->sent, queue);
  waited = queue;
  cut_drain (a, feedback->now, sample->sent, queue);
  *of_search = sample->sent < a->hold_until || is_of_search (a, sample->sent);
  if (sample->sent >= a->hold_until)
    a->least = MIN (a->least, queue);
  if (sample->sent >= a->pulse_start && sample->sent <= a->pulse_end)
    add_to_pulse (a, sample, queue);
  else if (sample->sent > a->pulse_end && !a->evaluated)
    evaluate (a, feedback->now);
  fasp_drain_extend (&a->drain, sample, queue, a->loss);
  fasp_need_extend (&a->need, sample, queue, a->loss, a->rtt);
  if (a->drain.suspect_until > 0)
    judge_rivals (a, feedback->now);
  if (sample->sent >= a->hold_until) {
    a->fall.queue = 0;
    take_recent (a, feedback->now, sample, queue);
  } else if (a->fall.queue > 0 && sample->sent > a->fall.seen) {
    take_held (a, feedback->now, sample, queue);
  }
  return waited;
}

/* @waited: mean queueing delay of the packets that arrived. */
static void
judge_losses (FaspAdaptive *a, const FaspRateFeedback *feedback, FaspTime waited,
    gboolean of_search)
{
  const FaspRateSample *last = &feedback->samples[feedback->n - 1];
  gboolean policed, overflows;

  fasp_chance_add (&a->chance, feedback->now, last, a->rate.rate, feedback->told, feedback->lost,
      waited > fasp_adaptive_get_target (a));
  policed = fasp_policer_add (&a->policer, feedback->now, a->rtt, last, feedback->told,
      feedback->lost, waited > MAX (FASP_MSEC, a->jitter.spread));
  a->most = fasp_policer_get_most (&a->policer, feedback->now);
  if (policed) {
    fasp_adaptive_set_rate (a, a->rate.rate, "policer");
    a->rate.offer = fasp_adaptive_bound (a, a->rate.offer);
    end_search (a);
  }
  /* a queue that our own search overflows says nothing about others; and in a contest we
   * fill the queue ourselves, so an overflow gets a smaller answer */
  overflows = !of_search
      && fasp_overflow_add (&a->overflow, feedback->now, waited, feedback->n, a->jitter.spread,
          feedback->told, feedback->lost, feedback->overtaken);
  if (!a->contest.on && (overflows || feedback->marked > 0)) {
    answer_congestion (a, feedback->now);
  } else if (overflows && fasp_congestion_is_new (&a->congestion, feedback->now, a->rtt)) {
    fasp_adaptive_set_rate (a, COMPETE_OVERFLOW * a->rate.rate, "overflow");
  }
}

static void
feedback (FaspRate *rate, const FaspRateFeedback *feedback)
{
  FaspAdaptive *a = (FaspAdaptive *) rate;
  FaspTime waited = 0;
  gboolean of_search = FALSE;

  if (feedback->rtt > 0)
    a->rtt = feedback->rtt;
  /* what a search has found is not sure before it ends */
  fasp_leeway_look (&a->leeway, feedback->now, feedback->source, a->rate.offer,
      a->gain > FASP_ADAPTIVE_GAIN_LEAST ? 0 : a->rate.rate);
  a->wander = fasp_leeway_get (&a->leeway, feedback->now);
  if (feedback->told > 0)
    a->loss = fasp_chance_get_others (&a->chance, feedback->told, feedback->lost);
  for (guint i = 0; i < feedback->n; i++) {
    gboolean searches;

    waited += take_sample (a, feedback, &feedback->samples[i], &searches) / feedback->n;
    of_search |= searches;
  }
  judge_losses (a, feedback, waited, of_search);
}

const FaspRateClass fasp_rate_adaptive = { sizeof (FaspAdaptive), init, feedback,
  fasp_adaptive_get };
