/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PERT: Probabilistic Early Response TCP (Texas A&M; high-speed variant of PFLDNeT
 * 2010), as a window that is paced over the round trip.  docs/rate-control.md names
 * the source of each part.
 *
 *   high speed  queue < T_MIN                       +1, 2, 3 ... 32 packets a round trip
 *   safe        T_MIN <= queue < .65 of the largest  +1
 *   compete     above that                          +1 + p'/p
 *
 * with p' the probability of an early response and p that of a loss.  An early
 * response takes queue / (queue + largest) of the window, a half at most.  A response
 * to a mark (ECN) or to an overflow takes a half.  There is at most one response in a
 * round trip.
 */
#include <math.h>
#include "fasprate.h"

#define PACKET 1500. /* bytes */
#define T_MIN (5 * FASP_MSEC)
#define T_MAX (10 * FASP_MSEC)
#define P_MAX .05
#define ALPHA_FAST 32
#define COMPETE .65
#define ALPHA_MOST 32.
/* Weight of the past in the smoothed delay, for each packet: RFC 6298's. */
#define SMOOTHING .875
#define LOSS_LEAST 1e-4
#define LOSS_OVER 1000.
#define LARGEST_FOR (60 * FASP_SEC)
#define WINDOW_LEAST (2 * PACKET)
#define RTT_ASSUMED (100 * FASP_MSEC)
#define ASK_AGAIN (100 * FASP_MSEC)
/* The least delay seen is remembered for good, like TCP's least round trip.  Clocks
 * may be wrong by 1 in DRIFT (100 ppm). */
#define DRIFT 10000
/* If more than this share of a round trip's packets is lost, the queue overflows. */
#define LOSS_OVERFLOW .25

typedef struct
{
  FaspTime delay, at;
  gboolean known;
} Least;

typedef struct
{
  FaspRate rate;
  Least least[FASP_FLOWS_MAX];
  gdouble window;         /* bytes */
  gdouble queue, largest; /* smoothed queueing delay, and the largest such delay; µs */
  FaspTime rtt;
  gboolean measured;                /* rtt is measured, not assumed */
  gdouble loss;                     /* recent share lost */
  guint64 trip_reported, trip_lost; /* packets reported and lost in this round trip */
  FaspTime reported;
  FaspTime responded; /* time of the last response; losses of packets sent before cause no second
                         one */
  gboolean started;   /* slow start is over: there was a queue */
  gdouble fast;       /* current alpha of the high-speed mode */
  guint64 dice;
} Pert;

static void
init (FaspRate *rate, FaspTime now)
{
  Pert *p = (Pert *) rate;

  p->rtt = RTT_ASSUMED;
  p->fast = 1;
  p->window = rate->rate / 8. * RTT_ASSUMED / FASP_SEC;
  p->dice = p->reported = now;
}

/* splitmix64: a peer that guesses the numbers gains nothing. */
static gdouble
roll (Pert *p)
{
  guint64 z = (p->dice += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return ((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* The probability of an early response, like RED's gentle curve. */
static gdouble
get_probability (gdouble queue)
{
  if (queue < T_MIN)
    return 0;
  if (queue < T_MAX)
    return P_MAX * (queue - T_MIN) / (T_MAX - T_MIN);
  return MIN (1, P_MAX + (1 - P_MAX) * (queue - T_MAX) / T_MAX);
}

static FaspTime
get_queue (Pert *p, guint8 flow, const FaspRateSample *sample)
{
  Least *least = &p->least[flow];
  FaspTime delay = sample->arrived - sample->sent;
  FaspTime base = least->delay + (sample->sent - least->at) / DRIFT;

  if (!least->known || delay < base) {
    *least = (Least) { delay, sample->sent, TRUE };
    base = delay;
  }
  return delay - base;
}

/* Was more than LOSS_OVERFLOW of a round trip lost?  Then the bottleneck's queue is full. */
static gboolean
overflows (Pert *p, guint64 reported, guint64 lost)
{
  gboolean most;

  p->trip_reported += reported;
  p->trip_lost += lost;
  if (p->trip_reported * PACKET < p->window)
    return FALSE;
  most = p->trip_lost > LOSS_OVERFLOW * p->trip_reported;
  p->trip_reported = p->trip_lost = 0;
  return most;
}

/* The increase in packets per round trip; @trips round trips have gone by. */
static gdouble
get_alpha (Pert *p, gdouble probability, gdouble trips)
{
  if (p->queue < T_MIN)
    return p->fast = MIN (ALPHA_FAST, p->fast + trips);
  p->fast = 1;
  if (p->queue < COMPETE * p->largest)
    return 1;
  return MIN (ALPHA_MOST, 1 + probability / MAX (p->loss, LOSS_LEAST));
}

static void
feedback (FaspRate *rate, const FaspRateFeedback *feedback)
{
  Pert *p = (Pert *) rate;
  const FaspRateSample *last = &feedback->samples[feedback->n - 1];
  guint64 packets = feedback->reported;
  gdouble each = (gdouble) packets / feedback->n, probability;
  gboolean must = overflows (p, packets, feedback->lost) || feedback->marked > 0;

  if (feedback->rtt > 0 && !p->measured) /* keeps the rate */
    p->window *= (gdouble) feedback->rtt / p->rtt;
  if (feedback->rtt > 0) {
    p->rtt = feedback->rtt;
    p->measured = TRUE;
  }
  for (guint i = 0; i < feedback->n; i++) {
    FaspTime queue = get_queue (p, feedback->flow, &feedback->samples[i]);

    p->queue += (queue - p->queue) * (1 - pow (SMOOTHING, each));
  }
  /* decays, as the largest queue of an hour ago says nothing */
  p->largest *= 1 - CLAMP (feedback->now - p->reported, 0, LARGEST_FOR) / (gdouble) LARGEST_FOR;
  p->reported = feedback->now;
  p->largest = MAX (p->largest, p->queue);
  if (packets > 0)
    p->loss += ((gdouble) feedback->lost / packets - p->loss) * MIN (1, packets / LOSS_OVER);
  rate->standing = p->queue;

  probability = get_probability (p->queue);
  if (last->sent > p->responded && (must || roll (p) < 1 - pow (1 - probability, packets))) {
    gdouble beta = must ? 1 : p->queue / (p->queue + p->largest);

    rate->why = feedback->marked > 0 ? "marked" : must ? "overflow" : "queue";
    p->window *= 1 - MIN (.5, beta);
    p->responded = feedback->now;
    p->started = TRUE;
    p->fast = 1;
  } else {
    gdouble trips = MIN (1, packets * PACKET / p->window);

    rate->why = "room";

    p->started |= p->queue >= T_MIN;
    p->window += trips * (p->started ? get_alpha (p, probability, trips) * PACKET : p->window);
  }
  p->window = CLAMP (p->window, WINDOW_LEAST, rate->max / 8. * p->rtt / FASP_SEC);
  rate->rate = fasp_rate_clamp (rate, p->window * 8 * FASP_SEC / p->rtt);
  rate->offer = rate->rate;
}

static guint64
get (FaspRate *rate, FaspTime now, guint64 sent, FaspTime *until)
{
  *until = now + ASK_AGAIN;
  return rate->rate;
}

const FaspRateClass fasp_rate_pert = { sizeof (Pert), init, feedback, get, FALSE };
