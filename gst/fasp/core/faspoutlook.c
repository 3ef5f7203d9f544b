/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>
#include "faspoutlook.h"

#define LOOK_EVERY FASP_SEC
/* Planned again at least so often, and at once when something is different
 * by this. */
#define PLAN_EVERY (10 * FASP_SEC)
#define DIFFERENT .1
#define RATES_OVER 5.           /* s */
#define SHORTEST_OF 64
#define LOWER_BELOW .75
#define LOWER_AFTER (30 * FASP_SEC)
/* What is promised falls short when it is less than half of what is wanted for
 * so long: at first little is known. */
#define SHORT_BELOW .5
#define SHORT_AFTER (15 * FASP_SEC)
/* Not all of the channel is there for rexes. */
#define CHANNEL_SHARE .95
#define SPARE_MAX 2.
/* Bytes of a feedback, about, and its part of what is received (fasprx.h). */
#define FEEDBACK_SIZE 80
#define FEEDBACK_SHARE 64
/* Before anything has been sent. */
#define BLOCK_RATE 500.

void
fasp_outlook_init (FaspOutlook * outlook, FaspTime now, gdouble interval,
    gboolean find, FaspTime latency)
{
  memset (outlook, 0, sizeof *outlook);
  outlook->plan = fasp_plan_new ();
  outlook->interval = interval;
  outlook->latency = find ? 0 : latency;
  outlook->find_latency = find;
  outlook->floor = latency;
  outlook->shortest = outlook->shortest_before = FASP_NEVER;
  outlook->looked = outlook->planned = now - FASP_SEC;
  outlook->too_long_since = outlook->short_since = FASP_NEVER;
  fasp_loss_init (&outlook->loss, now);
  fasp_loss_init (&outlook->back_loss, now);
}

void
fasp_outlook_clear (FaspOutlook * outlook)
{
  g_clear_pointer (&outlook->plan, fasp_plan_free);
}

void
fasp_outlook_set_interval (FaspOutlook * outlook, gdouble interval)
{
  outlook->interval = interval;
  outlook->planned -= PLAN_EVERY;
}

void
fasp_outlook_feedback (FaspOutlook * outlook, FaspTime now, guint64 sent,
    guint64 received, guint64 holes, FaspTime latency)
{
  fasp_loss_update (&outlook->loss, now, sent, sent - MIN (sent, received),
      holes);
  outlook->peer_latency = latency;
}

void
fasp_outlook_lost (FaspOutlook * outlook, FaspTime after)
{
  outlook->shortest = MIN (outlook->shortest, after);
  if (++outlook->shortest_count < SHORTEST_OF)
    return;
  outlook->shortest_before = outlook->shortest;
  outlook->shortest = FASP_NEVER;
  outlook->shortest_count = 0;
}

/* --- the question ------------------------------------------------------------- */

static gdouble
average (gdouble old, gdouble value, gdouble elapsed)
{
  return old <= 0 ? value : old + (value - old) * -expm1 (-elapsed /
      RATES_OVER);
}

static void
measure_rates (FaspOutlook * o, FaspTime now, const FaspOutlookCounts * c)
{
  gdouble elapsed = (gdouble) (now - o->looked) / FASP_SEC;
  guint64 blocks = c->blocks - o->blocks;

  /* a pause is no reason to plan for a slower stream */
  if (blocks > 0) {
    o->block_rate = average (o->block_rate, blocks / elapsed, elapsed);
    o->datagram_rate = average (o->datagram_rate,
        (c->datagrams - o->datagrams) / elapsed, elapsed);
    o->data_rate = average (o->data_rate, (c->block_wire - o->wire) * 8 /
        elapsed, elapsed);
  }
  o->blocks = c->blocks;
  o->datagrams = c->datagrams;
  o->wire = c->block_wire;
  fasp_loss_update (&o->back_loss, now, c->back_received + c->back_lost,
      c->back_lost, c->back_holes);
}

static FaspPlanGoal
ask (const FaspOutlook * o, const FaspRtt * rtt, const FaspOutlookCounts * c)
{
  FaspPlanGoal goal = {.interval = o->interval,.spare = SPARE_MAX };
  FaspPath *path = &goal.path;
  FaspTime shortest = MIN (o->shortest, o->shortest_before);
  gdouble feedbacks;

  fasp_loss_get (&o->loss, &path->loss, &path->stay);
  fasp_loss_get (&o->back_loss, &path->back_loss, &path->back_stay);
  goal.blocks = o->block_rate > 0 ? o->block_rate : BLOCK_RATE;
  path->interval = FASP_SEC / MAX (goal.blocks, o->datagram_rate);
  /* a hole is seen by the datagram behind it and settled a little later */
  path->round = rtt->smoothed + path->interval + FASP_MSEC;
  if (shortest != FASP_NEVER)
    path->round = MAX (path->round, shortest);
  path->round += rtt->variation;
  path->guard = 4 * rtt->variation + 2 * FASP_MSEC + path->interval;
  /* every new loss is told of some fifty times, if the share allows it */
  feedbacks = o->data_rate / 8 / FEEDBACK_SHARE / FEEDBACK_SIZE;
  if (feedbacks > 0 && feedbacks < 50 * goal.blocks * path->loss * (1 -
          path->stay))
    path->feedback = FASP_SEC / feedbacks;
  if (c->channel > 0 && o->data_rate > 0)
    goal.spare = CLAMP (c->channel * CHANNEL_SHARE / o->data_rate - 1,
        0, SPARE_MAX);
  return goal;
}

static gboolean
differs (gdouble a, gdouble b)
{
  return fabs (a - b) > DIFFERENT * MAX (a, b);
}

static gboolean
is_different (const FaspPlanGoal * a, const FaspPlanGoal * b)
{
  return differs (a->path.loss, b->path.loss)
      || differs (a->path.stay, b->path.stay)
      || differs (a->path.back_loss, b->path.back_loss)
      || differs (a->path.back_stay, b->path.back_stay)
      || differs (a->path.round, b->path.round)
      || differs (a->path.feedback, b->path.feedback)
      || differs (a->blocks, b->blocks) || differs (a->spare, b->spare);
}

/* --- the answer ---------------------------------------------------------------- */

static void
find_latency (FaspOutlook * o, FaspTime now)
{
  FaspTime found = fasp_plan_find_latency (o->plan, &o->goal).latency;

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

/* TRUE: it has begun or ceased to fall short. */
static gboolean
watch_promise (FaspOutlook * o, FaspTime now)
{
  gboolean before = o->falls_short;

  /* without a latency nothing is promised */
  if (o->latency <= 0 || o->promise.interval >= o->interval * SHORT_BELOW)
    o->short_since = FASP_NEVER;
  else if (o->short_since == FASP_NEVER)
    o->short_since = now;
  if (o->short_since == FASP_NEVER)
    o->falls_short = o->falls_short && o->promise.interval < o->interval;
  else if (now - o->short_since >= SHORT_AFTER)
    o->falls_short = TRUE;
  return o->falls_short != before;
}

gboolean
fasp_outlook_look (FaspOutlook * o, FaspTime now, const FaspRtt * rtt,
    const FaspOutlookCounts * counts)
{
  FaspPromise before = o->promise;
  FaspPlanGoal goal;

  if (now < fasp_outlook_get_timeout (o) || !rtt->measured)
    return FALSE;
  measure_rates (o, now, counts);
  o->looked = now;
  goal = ask (o, rtt, counts);
  if (o->goal.blocks > 0 && now - o->planned < PLAN_EVERY
      && o->too_long_since == FASP_NEVER && !is_different (&goal, &o->goal))
    return watch_promise (o, now);
  o->planned = now;
  o->goal = goal;
  if (o->find_latency)
    find_latency (o, now);
  o->promise = fasp_plan_for_latency (o->plan, &o->goal, o->latency);
  return watch_promise (o, now) || o->promise.latency != before.latency
      || differs (o->promise.interval, before.interval);
}

FaspTime
fasp_outlook_get_timeout (const FaspOutlook * outlook)
{
  return outlook->looked + LOOK_EVERY;
}

/* --- blocks ---------------------------------------------------------------------- */

FaspTime
fasp_outlook_get_deadline (const FaspOutlook * outlook, FaspTime written)
{
  FaspTime latency = outlook->latency;

  /* on its way to a longer one the peer plays earlier than we would like */
  if (outlook->peer_latency > 0)
    latency = MIN (latency, outlook->peer_latency);
  return written + latency - outlook->goal.path.guard;
}

FaspPlanRex
fasp_outlook_get_rex (const FaspOutlook * outlook, FaspTime now,
    FaspTime written, guint64 number)
{
  return fasp_plan_get (outlook->plan,
      fasp_outlook_get_deadline (outlook, written) - now, number);
}
