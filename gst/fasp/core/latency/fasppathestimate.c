/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>
#include "fasppathestimate.h"

#define LOOK_EVERY FASP_SEC
/* At the beginning, when the estimate changes fast. */
#define LOOK_SOON (100 * FASP_MSEC)
#define SOON (5 * FASP_SEC)
/* The sender plans again after PLAN_EVERY, or as soon as PLAN_LEAST has passed if the path is
 * noticeably different (fasp_planner_differs ()).  A promise that differs by DIFFERENT is a new
 * one. */
#define PLAN_EVERY (30 * FASP_SEC)
#define PLAN_LEAST (3 * FASP_SEC)
#define PLAN_LEAST_SOON (200 * FASP_MSEC)
#define DIFFERENT .1
#define RATES_OVER 5. /* s */
#define JITTER_OVER 10.
#define SHORTEST_OF 64
/* A latency is found after this time, or once this many packets were reported. */
#define FIND_AFTER (700 * FASP_MSEC)
#define FIND_PACKETS 400
#define ASSUMED_SPREAD (50 * FASP_MSEC)
#define LOWER_BELOW .85
#define LOWER_AFTER (30 * FASP_SEC)
/* A promise falls short if it has been below half of what is wanted for this
 * time: at first little is known. */
#define SHORT_BELOW .5
#define SHORT_AFTER (15 * FASP_SEC)
/* The share of the channel's spare rate that retransmissions may use: losses, and with them
 * copies, do not come evenly. */
#define SPARE_SHARE .7
#define SPARE_MAX 2.
#define BUSY_MAX .9
/* The copies that the channel takes in this time may leave together. */
#define AT_ONCE (5. * FASP_MSEC)
#define AT_ONCE_MAX 8
/* Blocks per second, before anything has been sent. */
#define BLOCK_RATE 500.

void
fasp_path_estimate_init (FaspPathEstimate *estimate, FaspTime now, FaspPlanner *planner,
    gdouble interval, gboolean find, FaspTime latency)
{
  memset (estimate, 0, sizeof *estimate);
  estimate->planner = planner;
  estimate->interval = interval;
  estimate->latency = find ? 0 : latency;
  estimate->find_latency = find;
  estimate->floor = latency;
  estimate->shortest = estimate->shortest_before = FASP_NEVER;
  estimate->looked = estimate->planned = now - FASP_SEC;
  estimate->too_long_since = estimate->short_since = FASP_NEVER;
  estimate->first_data = FASP_NEVER;
  estimate->residual = 1;
  fasp_loss_init (&estimate->loss, now);
  fasp_loss_init (&estimate->back_loss, now);
  fasp_loss_init (&estimate->block_loss, now);
}

void
fasp_path_estimate_clear (FaspPathEstimate *estimate)
{
  g_clear_pointer (&estimate->plan, fasp_plan_unref);
}

void
fasp_path_estimate_set_interval (FaspPathEstimate *estimate, gdouble interval)
{
  estimate->interval = interval;
  estimate->planned -= PLAN_EVERY;
}

void
fasp_path_estimate_feedback (FaspPathEstimate *estimate, FaspTime now, guint64 sent,
    guint64 received, guint64 holes, FaspTime latency)
{
  fasp_loss_update (&estimate->loss, now, sent, sent - MIN (sent, received), holes);
  estimate->peer_latency = latency;
}

void
fasp_path_estimate_rtt (FaspPathEstimate *estimate, const FaspRtt *rtt)
{
  estimate->jitter = MAX (estimate->jitter, rtt->jitter);
}

void
fasp_path_estimate_lost (FaspPathEstimate *estimate, FaspTime after)
{
  estimate->shortest = MIN (estimate->shortest, after);
  if (++estimate->shortest_count < SHORTEST_OF)
    return;
  estimate->shortest_before = estimate->shortest;
  estimate->shortest = FASP_NEVER;
  estimate->shortest_count = 0;
}

/* Is the estimate young, so that it changes fast? */
static gboolean
is_soon (const FaspPathEstimate *estimate)
{
  return estimate->first_data != FASP_NEVER && estimate->looked - estimate->first_data < SOON;
}

/* --- the question ------------------------------------------------------------- */

/* An average: of everything at the beginning, of the last seconds later. */
static gdouble
average (gdouble old, gdouble value, gdouble elapsed, gdouble since)
{
  return old + (value - old) * MAX (-expm1 (-elapsed / RATES_OVER), elapsed / since);
}

static void
measure_rates (FaspPathEstimate *o, FaspTime now, const FaspPathEstimateCounts *c)
{
  gdouble elapsed = (gdouble) (now - o->looked) / FASP_SEC;
  guint64 blocks = c->blocks - o->blocks;

  if (o->first_data == FASP_NEVER) {
    if (blocks > 0) {
      o->first_data = now;
      o->first_packets = o->loss.packets;
    }
  } else if (blocks > 0 && elapsed > 0) {
    gdouble since = (gdouble) (now - o->first_data) / FASP_SEC;

    /* only with new blocks: a pause is no reason to plan for a slower stream */
    o->block_rate = average (o->block_rate, blocks / elapsed, elapsed, since);
    o->datagram_rate =
        average (o->datagram_rate, (c->datagrams - o->datagrams) / elapsed, elapsed, since);
    o->wire_rate = average (o->wire_rate, (c->wire - o->wire) * 8 / elapsed, elapsed, since);
    o->data_rate =
        average (o->data_rate, (c->block_wire - o->block_wire) * 8 / elapsed, elapsed, since);
  }
  o->blocks = c->blocks;
  o->datagrams = c->datagrams;
  o->wire = c->wire;
  o->block_wire = c->block_wire;
  fasp_loss_update (&o->back_loss, now, c->back_received + c->back_lost, c->back_lost,
      c->back_holes);
  fasp_loss_update (&o->block_loss, now, c->originals, c->originals_lost, c->originals_holes);
}

/* How long the channel takes for a block; µs. */
static gdouble
service (const FaspPathEstimate *o, guint64 channel)
{
  return o->data_rate / MAX (o->block_rate, 1) / channel * FASP_SEC;
}

/* How long a retransmission may wait for other datagrams in the channel.  They are taken to come at
 * random (M/G/1, Pollaczek and Khinchine): new blocks one by one, retransmissions with their
 * copies. The result is twice the mean; a longer wait is rare. */
static FaspTime
waiting (const FaspPathEstimate *o, gdouble loss, guint64 channel)
{
  gdouble busy, new_blocks, copies;

  if (channel == 0 || o->data_rate <= 0 || o->block_rate <= 0)
    return 0;
  busy = MIN (o->wire_rate / channel, BUSY_MAX);
  new_blocks = MIN (o->data_rate / channel, busy);
  copies = (o->wire_rate / o->data_rate - 1) / MAX (loss, .001);
  copies = CLAMP (copies, 1, FASP_PLAN_COPIES_MAX);
  return service (o, channel) * (new_blocks + (busy - new_blocks) * copies) / (1 - busy);
}

/* Jitter is the worst of late, and decays slowly: plans for a smaller one would promise too much.
 */
static void
fade_jitter (FaspPathEstimate *o, FaspTime now)
{
  gdouble elapsed = MAX (0., now - o->looked) / FASP_SEC;

  o->jitter *= exp (-elapsed / JITTER_OVER);
}

/* How much feedback there is for each new burst of losses, beside the regular
 * clock, which is slow while nothing is missing. */
static void
expect_feedback (const FaspPathEstimate *o, const FaspRtt *rtt, const FaspPathEstimateCounts *c,
    FaspModelPath *path)
{
  FaspTime clock = FASP_FEEDBACK_CLOCK (rtt->smoothed);
  gdouble received = MAX (1, o->wire_rate * (1 - path->loss) / 8);
  gdouble bytes = CLAMP (FASP_FEEDBACK_LEAST, received / FASP_FEEDBACK_SHARE,
      received / FASP_FEEDBACK_SHARE_MOST);
  gdouble feedbacks = (c->back_rate > 0 ? MIN (bytes, c->back_rate) : bytes)
      * MAX (1, c->back_received) / MAX (1, c->back_wire);
  gdouble events = path->loss * (1 - path->stay) * FASP_SEC / path->interval;
  gdouble missing = MIN (1, events * path->round / FASP_SEC);
  gdouble spare =
      feedbacks - missing * FASP_SEC / clock - (1 - missing) * FASP_SEC / FASP_FEEDBACK_CLOCK_MAX;

  path->feedback = MIN (FASP_SEC / feedbacks, clock);
  path->told = CLAMP (spare / events - 1, 0, FASP_FEEDBACK_FRESH - 1);
  path->first = events > spare / 2 ? path->feedback : 0;
}

/* How many originals are lost.  One that leaves on several flows is lost if all of them lose it.
 * How often that happens follows from the losses of each, unless it is seen to happen more often:
 * flows may share a line. */
static void
expect_lost (const FaspPathEstimate *o, const FaspPathEstimateCounts *c, FaspPlanGoal *goal)
{
  const FaspModelPath *path = &goal->path;
  gdouble lost, stay;

  goal->lost = path->loss;
  goal->stay = path->stay;
  /* a copy that comes too late counts as lost */
  if (!c->doubled || (!o->find_latency && o->latency < path->guard))
    return;
  fasp_loss_get_seen (&o->block_loss, &lost, &stay);
  if (lost < c->all_lose) {
    lost = c->all_lose;
    stay = c->all_stay;
  }
  goal->lost = MIN (path->loss, lost * o->residual);
  goal->stay = MIN (path->stay, stay);
}

static FaspPlanGoal
ask (const FaspPathEstimate *o, const FaspRtt *rtt, const FaspPathEstimateCounts *c)
{
  FaspPlanGoal goal = { .interval = o->interval, .spare = SPARE_MAX, .no_rtx = o->no_rtx };
  FaspModelPath *path = &goal.path;
  FaspTime shortest = MIN (o->shortest, o->shortest_before);

  fasp_loss_get (&o->loss, &path->loss, &path->stay);
  path->loss *= o->residual;
  fasp_loss_get (&o->back_loss, &path->back_loss, &path->back_stay);
  goal.blocks = o->block_rate > 0 ? o->block_rate : BLOCK_RATE;
  path->interval = MAX (1, FASP_SEC / MAX (goal.blocks, o->datagram_rate));
  /* the datagram behind a hole shows it; it is settled a little later */
  path->round = rtt->smoothed + path->interval + FASP_MSEC;
  if (shortest != FASP_NEVER)
    path->round = MAX (path->round, shortest);
  path->round += o->jitter + waiting (o, path->loss, c->channel) + c->back_off;
  path->guard = 4 * o->jitter + 2 * FASP_MSEC + path->interval + c->apart;
  expect_lost (o, c, &goal);
  expect_feedback (o, rtt, c, path);
  goal.at_once = AT_ONCE_MAX;
  if (c->channel > 0 && o->data_rate > 0) {
    goal.spare = CLAMP ((c->channel / o->data_rate - 1) * SPARE_SHARE, 0, SPARE_MAX);
    goal.at_once = CLAMP (AT_ONCE / service (o, c->channel), 1, AT_ONCE_MAX);
  }
  return goal;
}

static gboolean
differs (gdouble a, gdouble b)
{
  return fabs (a - b) > DIFFERENT * MAX (a, b);
}

/* --- the answer ---------------------------------------------------------------- */

static void
find_latency (FaspPathEstimate *o, FaspTime now)
{
  /* without retransmissions, more latency than the code needs is of no use */
  FaspTime found = o->no_rtx ? o->goal.path.guard + o->repairs : fasp_plan_find_latency (&o->goal);

  found = CLAMP (found, o->floor, FASP_LATENCY_MAX);
  if (found >= o->latency * LOWER_BELOW)
    o->too_long_since = FASP_NEVER;
  else if (o->too_long_since == FASP_NEVER)
    o->too_long_since = now;
  if (found > o->latency || now - o->too_long_since >= LOWER_AFTER) {
    o->latency = found;
    o->too_long_since = FASP_NEVER;
  }
}

/* TRUE: the promise has begun or ceased to fall short. */
static gboolean
watch_promise (FaspPathEstimate *o, FaspTime now)
{
  gboolean before = o->falls_short;

  /* without a latency there is no promise; and losses that are assumed, not measured, are no reason
   * to warn */
  if (o->latency <= 0 || o->promise.interval >= o->interval * SHORT_BELOW
      || !fasp_loss_is_seen (o->doubled ? &o->block_loss : &o->loss))
    o->short_since = FASP_NEVER;
  else if (o->short_since == FASP_NEVER)
    o->short_since = now;
  if (o->short_since == FASP_NEVER)
    o->falls_short = o->falls_short && o->promise.interval < o->interval;
  else if (now - o->short_since >= SHORT_AFTER)
    o->falls_short = TRUE;
  return o->falls_short != before;
}

/* Is enough known of the path to find a latency? */
static gboolean
knows_enough (const FaspPathEstimate *o, FaspTime now)
{
  if (o->first_data == FASP_NEVER)
    return FALSE;
  return now - o->first_data >= FIND_AFTER
      || (o->block_rate > 0 && o->loss.packets - o->first_packets >= FIND_PACKETS);
}

/* Planning takes time (a millisecond, more on bad paths), and a peer can make the path look
 * different at any moment: so it is limited. */
static gboolean
is_time_to_plan (const FaspPathEstimate *o, FaspTime now, const FaspPlanGoal *goal)
{
  FaspTime least = is_soon (o) ? PLAN_LEAST_SOON : PLAN_LEAST;

  if (now - o->planned < least)
    return FALSE;
  return now - o->planned >= PLAN_EVERY
      || fasp_planner_differs (goal, fasp_plan_get_goal (o->plan));
}

static void
plan (FaspPathEstimate *o, FaspTime now, FaspTime latency)
{
  o->plan = fasp_planner_plan (o->planner, now, o->plan, &o->goal, latency);
}

gboolean
fasp_path_estimate_look (FaspPathEstimate *o, FaspTime now, const FaspRtt *rtt,
    const FaspPathEstimateCounts *counts)
{
  FaspPromise before = o->promise;
  FaspPlanGoal goal;
  gboolean finds;

  if (!rtt->measured)
    return FALSE;
  measure_rates (o, now, counts);
  fade_jitter (o, now);
  o->looked = now;
  o->doubled = counts->doubled;
  goal = ask (o, rtt, counts);
  finds = o->find_latency && o->latency == 0 && knows_enough (o, now);
  if (o->plan != NULL && !finds && !is_time_to_plan (o, now, &goal))
    return watch_promise (o, now);
  o->planned = now;
  o->goal = goal;
  if (o->find_latency && o->latency == 0 && !finds) {
    /* the latency is not known yet; assume that it has room for one round */
    o->assumed = goal.path.round + goal.path.guard + ASSUMED_SPREAD;
    plan (o, now, o->assumed);
    return FALSE;
  }
  if (o->find_latency)
    find_latency (o, now);
  plan (o, now, o->latency);
  if (o->plan == NULL) /* other sessions have used up the allowance of new plans: try again at the
                          next look */
    return FALSE;
  o->promise = *fasp_plan_get_promise (o->plan);
  FASP_LOG (o->log, now, LATENCY_PLANNED, o->latency, MIN (o->promise.interval, FASP_INTERVAL_MAX),
      o->interval, FASP_LOG_SHARE (o->goal.path.loss), FASP_LOG_SHARE (o->goal.path.back_loss),
      o->goal.path.round, o->goal.path.guard, o->falls_short);
  return watch_promise (o, now) || o->promise.latency != before.latency
      || differs (MIN (o->promise.interval, FASP_INTERVAL_MAX),
          MIN (before.interval, FASP_INTERVAL_MAX));
}

FaspTime
fasp_path_estimate_get_timeout (const FaspPathEstimate *estimate)
{
  return estimate->looked + (is_soon (estimate) ? LOOK_SOON : LOOK_EVERY);
}

gboolean
fasp_path_estimate_begins (const FaspPathEstimate *estimate, guint64 blocks)
{
  return blocks > 0 && estimate->first_data == FASP_NEVER;
}

/* --- blocks ---------------------------------------------------------------------- */

FaspTime
fasp_path_estimate_get_deadline (const FaspPathEstimate *estimate, FaspTime written)
{
  FaspTime latency =
      estimate->latency > 0 || !estimate->find_latency ? estimate->latency : estimate->assumed;

  /* while the peer moves to a longer latency, it plays earlier than ours */
  if (estimate->peer_latency > 0)
    latency = MIN (latency, estimate->peer_latency);
  return written + latency - estimate->goal.path.guard;
}

FaspPlanRtx
fasp_path_estimate_get_rtx (const FaspPathEstimate *estimate, FaspTime now, FaspTime written,
    guint64 number)
{
  if (estimate->plan == NULL)
    return (FaspPlanRtx) { 1, 0 };
  return fasp_plan_get (estimate->plan, fasp_path_estimate_get_deadline (estimate, written) - now,
      number);
}
