/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspadaptive.h"
#include "faspdice.h"

#define PULSE_MIN (16 * FASP_MSEC)
#define PULSE_MAX (100 * FASP_MSEC)
/* At a low rate, where PULSE_PACKETS take longer. */
#define PULSE_SLOW_MAX (2 * FASP_SEC)
#define PULSE_PACKETS 5
/* The receiver reports some sixteen arrivals for each 25 ms (fasptimestamps.h), of which a pulse
 * needs a few. */
#define PULSE_RTT_SHARE 20
/* On short and on long paths pulses are shorter by up to this share, at random.  Rounds of equal
 * length would keep the pulses of one sender in the drains of another, where they always find
 * room. */
#define PULSE_VARIES .25
#define PULSE_VARIES_FROM (200 * FASP_MSEC)
/* How long a question may wait for its turn. */
#define ASK_MOST (2 * FASP_MSEC)
/* At a low rate, a drain must hold back this many packets to tell whose queue it is. */
#define DRAIN_PACKETS 3
/* From this length on, a drain's effect on the queue is looked at. */
#define EMPTIES (10 * FASP_MSEC)
/* The most that may stand in the queue: two packets, within these bounds. */
#define STANDING_PACKETS 2
#define STANDING_MIN (2 * FASP_MSEC)
#define STANDING_MAX (6 * FASP_MSEC)
/* A queue this much above that means that the path has become slower. */
#define SLOWER (10 * FASP_MSEC)
#define SLOWER_RTT_SHARE 16
/* Delays that spread without a queue, as on radio links: a pulse is at least this many times as
 * long as the spread (at GAIN_LEAST), and this many times the spread may stand. */
#define NOISE_PULSES 8
#define NOISE_STANDING 3
/* Delays that fall by themselves: this many times the fall may stand, and that many times more
 * before it is taken for a slower path. */
#define WANDER_STANDING 1.5
#define WANDER_ALARM .5
/* A source that sends less than this share of the rate (without a drain) learns little about the
 * path.  The rate falls to this share at most then. */
#define SPARSE .3
#define SPARSE_FALL .5
/* When it is unclear whose the losses are, the queue is emptied for this long, at most once in
 * this interval. */
#define CLEAR_INTERVAL (2 * FASP_SEC)
#define CLEAR_TIME (50 * FASP_MSEC)
#define CLEAR_PACKETS 15
/* Pulses while competing for a queue that others fill: */
#define COMPETE_GAIN 1.5
#define COMPETE_PULSE (50 * FASP_MSEC)
#define COMPETE_PACKETS 6
#define COMPETE_PULSE_MAX FASP_SEC

FaspTime
fasp_adaptive_get_target (const FaspAdaptive *a)
{
  gdouble packet = FASP_RATE_PACKET * FASP_SEC / a->rate.rate;

  /* one packet takes longer on a path that has become slower, without any queue */
  return MAX (packet, CLAMP (STANDING_PACKETS * packet, STANDING_MIN, STANDING_MAX))
      + NOISE_STANDING * a->jitter.spread + WANDER_STANDING * a->wander;
}

guint64
fasp_adaptive_bound (const FaspAdaptive *a, gdouble rate)
{
  return fasp_rate_clamp (&a->rate, MIN (rate, a->most));
}

FaspTime
fasp_adaptive_get_alarm (const FaspAdaptive *a)
{
  return fasp_adaptive_get_target (a) + WANDER_ALARM * a->wander
      + MAX (SLOWER, a->rtt / SLOWER_RTT_SHARE);
}

void
fasp_adaptive_begin (FaspAdaptive *a, FaspAdaptivePhase phase, FaspTime now, FaspTime length)
{
  a->phase = phase;
  a->phase_end = now + length;
}

void
fasp_adaptive_expect (FaspAdaptive *a, FaspTime from, FaspTime to)
{
  a->pulse_start = from;
  a->pulse_end = to;
  a->pulse_sent = a->sent;
  a->evaluated = FALSE;
  a->pace = 0;
  a->pulse.n = a->points.n = 0;
}

/* The gain that is in force: pulses exceed no bound of the rate. */
static gdouble
get_gain (const FaspAdaptive *a)
{
  return MIN (a->gain, (gdouble) fasp_adaptive_bound (a, a->rate.max) / a->rate.rate);
}

/* On short paths, regular FEEDBACK takes longer than a quarter of a round trip.  A pulse is then
 * followed by a question.  (Not where it is a round trip or longer: a round is mostly pulse
 * there.) */
static gboolean
is_short (const FaspAdaptive *a)
{
  FaspTime clock = FASP_FEEDBACK_CLOCK (a->rtt);

  return clock > a->rtt / 4 && clock < a->rtt;
}

void
fasp_adaptive_start_pulse (FaspAdaptive *a, FaspTime now)
{
  FaspTime packets = PULSE_PACKETS * FASP_RATE_PACKET * FASP_SEC / (get_gain (a) * a->rate.rate);
  gdouble noise = NOISE_PULSES * a->jitter.spread * (FASP_ADAPTIVE_GAIN_LEAST - 1) / (a->gain - 1);
  FaspTime length = CLAMP (MAX (a->rtt / PULSE_RTT_SHARE, noise), PULSE_MIN, PULSE_MAX);

  if (is_short (a) || a->rtt > PULSE_VARIES_FROM)
    length -= length * PULSE_VARIES * fasp_dice_roll (&a->dice);
  /* a gain that is bounded is no search any more */
  a->gain = CLAMP (get_gain (a), FASP_ADAPTIVE_GAIN_LEAST, a->gain);
  if (a->gain <= FASP_ADAPTIVE_GAIN_LEAST)
    a->sure = 0;
  length = MAX (length, MIN (packets, PULSE_SLOW_MAX));
  fasp_adaptive_begin (a, FASP_ADAPTIVE_PULSE, now, length);
  /* a question that leaves at the end comes after the pulse */
  fasp_adaptive_expect (a, now, a->phase_end - 1);
}

/* What left in the pulse beyond the rate, in µs of the rate; 0 for a source that has no more.  On
 * long paths, where such a source is offered little more at a time, the whole extra is held back
 * all the same: it may be there for the next pulse. */
static FaspTime
get_extra (const FaspAdaptive *a, FaspTime now)
{
  gdouble sent = (a->sent - a->pulse_sent) * 8. * FASP_SEC / a->rate.rate;
  FaspTime most = (get_gain (a) - 1) * (a->pulse_end - a->pulse_start);

  return a->rtt >= FASP_ADAPTIVE_RTT_ASSUMED ? most :
                                               CLAMP (sent - (now - a->pulse_start), 0, most);
}

/* When competing, the drain comes before the pulse.  What it holds back is there for the pulse
 * then, even if the source has no more than the rate. */
static void
start_contrast (FaspAdaptive *a, FaspTime now)
{
  FaspTime packets = COMPETE_PACKETS * FASP_RATE_PACKET * FASP_SEC * 2 / a->rate.rate;
  FaspTime length = CLAMP (MAX (packets, a->rtt / 2), COMPETE_PULSE, COMPETE_PULSE_MAX);

  fasp_adaptive_begin (a, FASP_ADAPTIVE_DRAIN, now, length);
  a->gain = COMPETE_GAIN;
  fasp_drain_begin (&a->drain, now, a->phase_end);
  fasp_adaptive_expect (a, now + length, now + 2 * length);
}

void
fasp_adaptive_set_rate (FaspAdaptive *a, gdouble rate, const gchar *why)
{
  a->rate.why = why;
  guint64 before = a->rate.rate, asked;

  asked = fasp_adaptive_bound (a, MAX (rate, a->yield.floor));
  a->rate.rate = fasp_adaptive_bound (a, MAX (asked, fasp_need_get (&a->need)));
  a->rate.offer = rate < before ? asked : MAX (a->rate.offer, a->rate.rate);
}

/* A drain takes nothing from a queue that rivals keep, and a source that needs what it has can
 * spare nothing.  Then a drain is no longer than is needed to tell whose queue it is. */
static FaspTime
bound_drain (const FaspAdaptive *a, FaspTime extra)
{
  FaspTime most = MAX (a->rtt / 4, EMPTIES);

  if (fasp_need_get (&a->need) > 0)
    most = MAX (most, DRAIN_PACKETS * FASP_RATE_PACKET * FASP_SEC / a->rate.rate);
  else if (a->yield.floor == 0)
    return extra;
  return MIN (extra, most);
}

gboolean
fasp_adaptive_is_sparse (const FaspAdaptive *a, gdouble left)
{
  return left < SPARSE * a->rate.rate;
}

gdouble
fasp_adaptive_bound_fall (const FaspAdaptive *a, gdouble rate, gdouble left)
{
  if (fasp_adaptive_is_sparse (a, left))
    rate = MAX (rate, SPARSE_FALL * a->rate.rate);
  return MIN (rate, a->rate.rate);
}

void
fasp_adaptive_start_drain (FaspAdaptive *a, FaspTime now, FaspTime extra)
{
  if (now - a->cleared > CLEAR_INTERVAL
      && (fasp_overflow_is_unclear (&a->overflow) || fasp_chance_is_unclear (&a->chance))) {
    a->cleared = now;
    extra = MAX (extra, MAX (a->rtt / 2, CLEAR_TIME));
    extra = MAX (extra, CLEAR_PACKETS * FASP_RATE_PACKET * FASP_SEC / a->rate.rate);
  }
  extra = bound_drain (a, extra);
  fasp_adaptive_begin (a, FASP_ADAPTIVE_DRAIN, now,
      CLAMP (2 * extra, FASP_MSEC, FASP_ADAPTIVE_DRAIN_MAX));
  if (extra >= EMPTIES) {
    a->emptied = extra;
    a->emptied_from = now;
    a->emptied_until = a->phase_end;
  }
  fasp_drain_begin (&a->drain, now, a->phase_end);
}

/* A queue stands: sets the rate below what passes, for good, and drains the queue. */
static void
answer_queue (FaspAdaptive *a, FaspTime now)
{
  FaspTime cycle = MAX (a->rtt, 50 * FASP_MSEC);
  gdouble less = CLAMP ((gdouble) (a->rate.standing - a->target) / cycle, .01, .25);

  /* a source that uses less than the rate gives away the rate, not just what passes */
  if (fasp_leeway_is_believed (&a->leeway, now))
    fasp_yield_begin (&a->yield, a->rate.rate);
  /* what passes has made the queue, if that is less than the rate */
  if (a->passed > 0)
    fasp_adaptive_set_rate (a, fasp_adaptive_bound_fall (a, a->passed, a->passed), "queue_stands");
  fasp_yield_begin (&a->yield, a->rate.rate);
  fasp_adaptive_set_rate (a, a->rate.rate * (1 - less), "queue_stands");
  fasp_offer_limit (&a->offers, a->rate.rate);
  fasp_adaptive_start_drain (a, now, a->rate.standing);
  a->rate.standing = 0;
  /* no pulse: on top of a queue it would tell nothing new */
  fasp_adaptive_expect (a, a->phase_end, a->phase_end);
}

static void
end_cruise (FaspAdaptive *a, FaspTime now)
{
  if (now < a->drain.suspect_until) {
    fasp_adaptive_begin (a, FASP_ADAPTIVE_CRUISE, now, a->drain.suspect_until - now);
    return;
  }
  a->drain.suspect_until = 0;
  if (a->contest.on) {
    start_contrast (a, now);
  } else if (a->rate.standing > fasp_adaptive_get_alarm (a)) {
    /* when enough has arrived, it is known how much slower the path has become */
    fasp_adaptive_start_drain (a, now, a->rtt / 2);
    fasp_adaptive_expect (a, a->phase_end, a->phase_end);
  } else if (a->rate.standing > a->target) {
    answer_queue (a, now);
  } else {
    fasp_adaptive_start_pulse (a, now);
  }
}

static void
next_phase (FaspAdaptive *a, FaspTime now)
{
  switch (a->phase) {
    case FASP_ADAPTIVE_PULSE:
      if (!fasp_rate_was_dry (&a->rate, a->pulse_start))
        a->pace = get_gain (a) * a->rate.rate;
      if (!a->contest.on && is_short (a) && get_extra (a, now) > 0) {
        a->rate.asks = TRUE;
        fasp_adaptive_begin (a, FASP_ADAPTIVE_ASK, now, ASK_MOST);
        break;
      }
      /* fall through */
    case FASP_ADAPTIVE_ASK:
      a->rate.asks = FALSE;
      if (a->contest.on)
        fasp_adaptive_begin (a, FASP_ADAPTIVE_CRUISE, now, 4 * a->rtt);
      else
        fasp_adaptive_start_drain (a, now, get_extra (a, now));
      break;
    case FASP_ADAPTIVE_DRAIN:
      if (a->contest.on && now < a->pulse_end)
        fasp_adaptive_begin (a, FASP_ADAPTIVE_PULSE, now, a->pulse_end - now);
      else
        fasp_adaptive_begin (a, FASP_ADAPTIVE_CRUISE, now,
            MAX (a->rtt, a->pulse_end + 4 * a->rtt - now));
      a->rate.owed = 0;
      break;
    case FASP_ADAPTIVE_CRUISE:
      end_cruise (a, now);
      break;
  }
}

/* Has the phase done what it is for, before its time? */
static gboolean
is_over (const FaspAdaptive *a)
{
  switch (a->phase) {
    case FASP_ADAPTIVE_ASK:
      return !a->rate.asks;
    case FASP_ADAPTIVE_CRUISE:
      return a->evaluated && a->drain.suspect_until == 0;
    default:
      return FALSE;
  }
}

/* The rate, times its factor in this phase. */
static gdouble
get_pace (const FaspAdaptive *a)
{
  switch (a->phase) {
    case FASP_ADAPTIVE_PULSE:
    case FASP_ADAPTIVE_ASK:
      return get_gain (a) * a->rate.rate;
    case FASP_ADAPTIVE_DRAIN:
      return a->rate.rate / 2;
    default:
      return a->rate.rate;
  }
}

guint64
fasp_adaptive_get (FaspRate *rate, FaspTime now, guint64 sent, FaspTime *until)
{
  FaspAdaptive *a = (FaspAdaptive *) rate;
  guint64 may;

  a->sent = sent;
  if (now >= a->phase_end || is_over (a))
    next_phase (a, now);
  if (a->phase == FASP_ADAPTIVE_DRAIN)
    rate->owed = MIN (rate->owed, (a->phase_end - now) / 2);
  *until = a->phase_end;
  may = get_pace (a);
  fasp_need_send (&a->need, now, sent, may);
  return may;
}
