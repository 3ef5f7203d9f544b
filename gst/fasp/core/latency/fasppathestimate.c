/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "fasppathestimate.h"

#define LOOK_EVERY FASP_SEC
/* The interval of looks in the first SOON of a stream, when the estimate changes fast. */
#define LOOK_SOON (100 * FASP_MSEC)
#define SOON (5 * FASP_SEC)
/* The sender plans again after PLAN_EVERY, or as soon as PLAN_LEAST has passed if the path is
 * noticeably different (fasp_planner_differs ()).  A promise that differs by the factor DIFFERENT
 * is a new one. */
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
/* A promise falls short if it has been below SHORT_BELOW of the wanted interval for SHORT_AFTER: at
 * first little is known. */
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
/* Blocks per second, assumed before anything has been sent. */
#define BLOCK_RATE 500.

FaspPathEstimate *
fasp_path_estimate_new (FaspTime now, FaspPlanner *planner, gdouble interval,
    const FaspLatency *agreed, FaspLog *log)
{
  FaspPathEstimate *estimate = g_new0 (FaspPathEstimate, 1);

  estimate->planner = planner;
  estimate->log = log;
  estimate->interval = interval;
  estimate->latency = agreed->find ? 0 : agreed->latency;
  estimate->find_latency = agreed->find;
  estimate->floor = agreed->latency;
  estimate->shortest = estimate->shortest_before = FASP_NEVER;
  estimate->looked = estimate->planned = now - FASP_SEC;
  estimate->too_long_since = estimate->short_since = FASP_NEVER;
  estimate->first_data = FASP_NEVER;
  estimate->residual = 1;
  fasp_loss_init (&estimate->loss, now);
  fasp_loss_init (&estimate->back_loss, now);
  fasp_loss_init (&estimate->block_loss, now);
  return estimate;
}

void
fasp_path_estimate_free (FaspPathEstimate *estimate)
{
  g_clear_pointer (&estimate->plan, fasp_plan_unref);
  g_free (estimate);
}

void
fasp_path_estimate_set_no_rtx (FaspPathEstimate *estimate, FaspTime repairs)
{
  estimate->no_rtx = TRUE;
  estimate->repairs = repairs;
}

void
fasp_path_estimate_set_residual (FaspPathEstimate *estimate, gdouble residual)
{
  estimate->residual = residual;
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

/* --- the goal ----------------------------------------------------------------- */

/* An average of all values at first, later of the last RATES_OVER seconds. */
static gdouble
average (gdouble old, gdouble value, gdouble elapsed, gdouble since)
{
  return old + (value - old) * MAX (-expm1 (-elapsed / RATES_OVER), elapsed / since);
}

static void
measure_rates (FaspPathEstimate *e, FaspTime now, const FaspPathEstimateCounts *c)
{
  gdouble elapsed = (gdouble) (now - e->looked) / FASP_SEC;
  guint64 blocks = c->blocks - e->blocks;

  if (e->first_data == FASP_NEVER) {
    if (blocks > 0) {
      e->first_data = now;
      e->first_packets = e->loss.packets;
    }
  } else if (blocks > 0 && elapsed > 0) {
    gdouble since = (gdouble) (now - e->first_data) / FASP_SEC;

    /* only with new blocks: a pause is no reason to plan for a slower stream */
    e->block_rate = average (e->block_rate, blocks / elapsed, elapsed, since);
    e->datagram_rate =
        average (e->datagram_rate, (c->datagrams - e->datagrams) / elapsed, elapsed, since);
    e->wire_rate = average (e->wire_rate, (c->wire - e->wire) * 8 / elapsed, elapsed, since);
    e->data_rate =
        average (e->data_rate, (c->block_wire - e->block_wire) * 8 / elapsed, elapsed, since);
  }
  e->blocks = c->blocks;
  e->datagrams = c->datagrams;
  e->wire = c->wire;
  e->block_wire = c->block_wire;
  fasp_loss_update (&e->back_loss, now, c->back_received + c->back_lost, c->back_lost,
      c->back_holes);
  fasp_loss_update (&e->block_loss, now, c->originals, c->originals_lost, c->originals_holes);
}

/* How long the channel takes to send a block; µs. */
static gdouble
service (const FaspPathEstimate *e, guint64 channel)
{
  return e->data_rate / MAX (e->block_rate, 1) / channel * FASP_SEC;
}

/* How long a retransmission may wait for other datagrams in the channel.  They are assumed to
 * arrive at random (M/G/1, Pollaczek and Khinchine): new blocks one by one, retransmissions with
 * their copies.  The result is twice the mean; a longer wait is rare. */
static FaspTime
waiting (const FaspPathEstimate *e, gdouble loss, guint64 channel)
{
  gdouble busy, new_blocks, copies;

  if (channel == 0 || e->data_rate <= 0 || e->block_rate <= 0)
    return 0;
  busy = MIN (e->wire_rate / channel, BUSY_MAX);
  new_blocks = MIN (e->data_rate / channel, busy);
  copies = (e->wire_rate / e->data_rate - 1) / MAX (loss, .001);
  copies = CLAMP (copies, 1, FASP_PLAN_COPIES_MAX);
  return service (e, channel) * (new_blocks + (busy - new_blocks) * copies) / (1 - busy);
}

/* Lowers the jitter, a recent maximum, slowly: a plan for less jitter than there is would promise
 * too much.
 */
static void
fade_jitter (FaspPathEstimate *e, FaspTime now)
{
  gdouble elapsed = MAX (0., now - e->looked) / FASP_SEC;

  e->jitter *= exp (-elapsed / JITTER_OVER);
}

/* Estimates how soon and how often the peer reports a new burst of losses, beside its regular
 * feedback, which is slow while nothing is missing. */
static void
expect_feedback (const FaspPathEstimate *e, const FaspRtt *rtt, const FaspPathEstimateCounts *c,
    FaspModelPath *path)
{
  FaspTime clock = FASP_FEEDBACK_CLOCK (rtt->smoothed);
  gdouble received = MAX (1, e->wire_rate * (1 - path->loss) / 8);
  gdouble bytes = CLAMP (FASP_FEEDBACK_LEAST, received / FASP_FEEDBACK_SHARE,
      received / FASP_FEEDBACK_SHARE_MOST);
  gdouble feedbacks = (c->back_rate > 0 ? MIN (bytes, c->back_rate) : bytes)
      * MAX (1, c->back_received) / MAX (1, c->back_wire);
  gdouble events = path->loss * (1 - path->stay) * FASP_SEC / path->interval;
  gdouble missing = MIN (1, events * path->round / FASP_SEC);
  gdouble spare =
      feedbacks - missing * FASP_SEC / clock - (1 - missing) * FASP_SEC / FASP_FEEDBACK_CLOCK_MAX;

  path->feedback = MIN (FASP_SEC / feedbacks, clock);
  path->unlimited = CLAMP (spare / events - 1, 0, FASP_FEEDBACK_FRESH - 1);
  path->first = events > spare / 2 ? path->feedback : 0;
}

/* Computes the share of originals lost.  A block that leaves on several flows is lost if all of
 * them lose it.  The chance of that follows from the losses of each flow, unless it is observed
 * more often, as flows may share a link. */
static void
expect_lost (const FaspPathEstimate *e, const FaspPathEstimateCounts *c, FaspPlanGoal *goal)
{
  const FaspModelPath *path = &goal->path;
  gdouble lost, stay;

  goal->lost = path->loss;
  goal->stay = path->stay;
  /* a copy that arrives too late counts as lost */
  if (!c->doubled || (!e->find_latency && e->latency < path->guard))
    return;
  fasp_loss_get_seen (&e->block_loss, &lost, &stay);
  if (lost < c->all_lose) {
    lost = c->all_lose;
    stay = c->all_stay;
  }
  goal->lost = MIN (path->loss, lost * e->residual);
  goal->stay = MIN (path->stay, stay);
}

static FaspPlanGoal
ask (const FaspPathEstimate *e, const FaspRtt *rtt, const FaspPathEstimateCounts *c)
{
  FaspPlanGoal goal = { .interval = e->interval, .spare = SPARE_MAX, .no_rtx = e->no_rtx };
  FaspModelPath *path = &goal.path;
  FaspTime shortest = MIN (e->shortest, e->shortest_before);

  fasp_loss_get (&e->loss, &path->loss, &path->stay);
  path->loss *= e->residual;
  fasp_loss_get (&e->back_loss, &path->back_loss, &path->back_stay);
  goal.blocks = e->block_rate > 0 ? e->block_rate : BLOCK_RATE;
  path->interval = MAX (1, FASP_SEC / MAX (goal.blocks, e->datagram_rate));
  /* the next datagram shows a loss; the receiver confirms it a little later */
  path->round = rtt->smoothed + path->interval + FASP_MSEC;
  if (shortest != FASP_NEVER)
    path->round = MAX (path->round, shortest);
  path->round += e->jitter + waiting (e, path->loss, c->channel) + c->back_off;
  path->guard = 4 * e->jitter + 2 * FASP_MSEC + path->interval + c->apart;
  expect_lost (e, c, &goal);
  expect_feedback (e, rtt, c, path);
  goal.at_once = AT_ONCE_MAX;
  if (c->channel > 0 && e->data_rate > 0) {
    goal.spare = CLAMP ((c->channel / e->data_rate - 1) * SPARE_SHARE, 0, SPARE_MAX);
    goal.at_once = CLAMP (AT_ONCE / service (e, c->channel), 1, AT_ONCE_MAX);
  }
  return goal;
}

static gboolean
differs (gdouble a, gdouble b)
{
  return fabs (a - b) > DIFFERENT * MAX (a, b);
}

/* --- the plan ------------------------------------------------------------------ */

static void
find_latency (FaspPathEstimate *e, FaspTime now)
{
  /* without retransmissions, more latency than the code needs is of no use */
  FaspTime found = e->no_rtx ? e->goal.path.guard + e->repairs : fasp_plan_find_latency (&e->goal);

  found = CLAMP (found, e->floor, FASP_LATENCY_MAX);
  if (found >= e->latency * LOWER_BELOW)
    e->too_long_since = FASP_NEVER;
  else if (e->too_long_since == FASP_NEVER)
    e->too_long_since = now;
  if (found > e->latency || now - e->too_long_since >= LOWER_AFTER) {
    e->latency = found;
    e->too_long_since = FASP_NEVER;
  }
}

/* Updates `short_since' and `falls_short'. TRUE: `falls_short' has changed. */
static gboolean
watch_promise (FaspPathEstimate *e, FaspTime now)
{
  gboolean before = e->falls_short;

  /* without a latency there is no promise; assumed losses are no reason to warn */
  if (e->latency <= 0 || e->promise.interval >= e->interval * SHORT_BELOW
      || !fasp_loss_is_seen (e->doubled ? &e->block_loss : &e->loss))
    e->short_since = FASP_NEVER;
  else if (e->short_since == FASP_NEVER)
    e->short_since = now;
  if (e->short_since == FASP_NEVER)
    e->falls_short = e->falls_short && e->promise.interval < e->interval;
  else if (now - e->short_since >= SHORT_AFTER)
    e->falls_short = TRUE;
  return e->falls_short != before;
}

/* Is enough known of the path to find a latency? */
static gboolean
knows_enough (const FaspPathEstimate *e, FaspTime now)
{
  if (e->first_data == FASP_NEVER)
    return FALSE;
  return now - e->first_data >= FIND_AFTER
      || (e->block_rate > 0 && e->loss.packets - e->first_packets >= FIND_PACKETS);
}

/* Planning takes time (a millisecond, more on bad paths), and a peer can make the path look
 * different at any moment, so planning is limited. */
static gboolean
is_time_to_plan (const FaspPathEstimate *e, FaspTime now, const FaspPlanGoal *goal)
{
  FaspTime least = is_soon (e) ? PLAN_LEAST_SOON : PLAN_LEAST;

  if (now - e->planned < least)
    return FALSE;
  return now - e->planned >= PLAN_EVERY
      || fasp_planner_differs (goal, fasp_plan_get_goal (e->plan));
}

static void
plan (FaspPathEstimate *e, FaspTime now, FaspTime latency)
{
  e->plan = fasp_planner_plan (e->planner, now, e->plan, &e->goal, latency);
}

gboolean
fasp_path_estimate_look (FaspPathEstimate *e, FaspTime now, const FaspRtt *rtt,
    const FaspPathEstimateCounts *counts)
{
  FaspPromise before = e->promise;
  FaspPlanGoal goal;
  gboolean finds;

  if (!rtt->measured)
    return FALSE;
  measure_rates (e, now, counts);
  fade_jitter (e, now);
  e->looked = now;
  e->doubled = counts->doubled;
  goal = ask (e, rtt, counts);
  finds = e->find_latency && e->latency == 0 && knows_enough (e, now);
  if (e->plan != NULL && !finds && !is_time_to_plan (e, now, &goal))
    return watch_promise (e, now);
  e->planned = now;
  e->goal = goal;
  if (e->find_latency && e->latency == 0 && !finds) {
    /* the latency is not known yet; assume that it has room for one round */
    e->assumed = goal.path.round + goal.path.guard + ASSUMED_SPREAD;
    plan (e, now, e->assumed);
    return FALSE;
  }
  if (e->find_latency)
    find_latency (e, now);
  plan (e, now, e->latency);
  if (e->plan == NULL) /* other sessions have used up the allowance of new plans: try again at the
                          next look */
    return FALSE;
  e->promise = *fasp_plan_get_promise (e->plan);
  FASP_LOG (e->log, now, LATENCY_PLANNED, e->latency, MIN (e->promise.interval, FASP_INTERVAL_MAX),
      e->interval, FASP_LOG_SHARE (e->goal.path.loss), FASP_LOG_SHARE (e->goal.path.back_loss),
      e->goal.path.round, e->goal.path.guard, e->falls_short);
  return watch_promise (e, now) || e->promise.latency != before.latency
      || differs (MIN (e->promise.interval, FASP_INTERVAL_MAX),
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

  /* while the peer changes to a longer latency, it plays earlier than planned */
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
