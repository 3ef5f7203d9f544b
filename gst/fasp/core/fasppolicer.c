/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppolicer.h"
#include <math.h>

#define STRETCH (16 * FASP_MSEC)
#define PACKET 1500
/* Less, bit/s, is but a sign of life now and then. */
#define IDLE 10000
/* A row, and how far apart its losses may be, beside two round trips. */
#define ROW_LEAST (50 * FASP_MSEC)
#define ROW_MOST FASP_SEC
#define ROW_RTTS 4
#define GAP (50 * FASP_MSEC)
#define GAP_RTTS 2
/* So much of a row is lost, and of each stretch that it begins and ends with, beside what chance
 * loses: less is no harm.  Of a policer that is known, to be exact, */
#define SHARE .1
#define SHARE_KNOWN .05
/* and chance loses no more than so much. */
#define CHANCE_MOST .2
#define WINDOW (10 * FASP_SEC)
/* What passes is the mean of so long, to twice that. */
#define PASSED_TIME (4 * FASP_SEC)
#define SIGMAS 4
#define LEAST 5
#define PRIOR .5
/* Chance loses in bursts of so many. */
#define BURST 8
/* Of what leaves at the rate found a third of what was lost before is too much. */
#define WRONG 3
/* Then what left slowly is known of, if little of it. */
#define SLOW_LEAST 20
/* What leaves as fast as was found is let through. */
#define AS_FAST 1.03
/* More is tried after that, and twice that if it was found again. */
#define HOLD_LEAST FASP_SEC
#define HOLD_MOST (16 * FASP_SEC)
#define AGAIN 1.25
#define GROW 1.25
#define GROW_TIME FASP_SEC

static void
count (FaspPolicerCount * count, const FaspPolicerCount * more)
{
  count->told += more->told;
  count->lost += more->lost;
}

static void
slide (FaspPolicer * p, FaspTime now)
{
  if (now - p->since < WINDOW)
    return;
  p->since = now;
  p->slow.told /= 2;
  p->slow.lost /= 2;
  p->fast.told /= 2;
  p->fast.lost /= 2;
  if (now - p->guessed >= WINDOW)
    p->guess = 0;
}

/* While there is nothing to send nothing passes, and that says nothing; nor does a packet that came out
 * of a stretch that lost others, as that may be an outage. */
static void
note_passed (FaspPolicer * p, FaspTime took, gdouble bytes)
{
  if (bytes <= PACKET && (p->stretch.lost > 0
          || bytes * 8 * FASP_SEC <= (gdouble) IDLE * took))
    return;
  if (p->took >= PASSED_TIME) {
    p->passed_before = p->passed;
    p->took_before = p->took;
    p->passed = p->took = 0;
  }
  p->passed += bytes;
  p->took += took;
}

static gdouble
get_passed (const FaspPolicer * p)
{
  FaspTime took = p->took + p->took_before;

  return took > 0 ? (p->passed + p->passed_before) * 8 * FASP_SEC / took : 0;
}

/* The share that chance loses. */
static gdouble
get_chance (const FaspPolicer * p)
{
  return MIN (CHANCE_MOST, p->slow.lost / MAX (p->slow.told, 1));
}

/* Less than that is no harm. */
static gdouble
get_harm (const FaspPolicer * p)
{
  return (p->rate > 0 ? SHARE_KNOWN : SHARE) + get_chance (p);
}

/* So many more are lost than of what left slowly that it is not by chance, which loses in bursts of
 * @burst.  Next to nothing leaves slowly of who takes all there is: then it is tried. */
static gboolean
is_significant (const FaspPolicer * p, const FaspPolicerCount * count,
    gdouble burst)
{
  gdouble ratio = count->told / MAX (p->slow.told, 1);
  gdouble chance = ratio * (p->slow.lost + PRIOR);

  if (p->rate > 0)
    return count->lost > 2 * chance + LEAST * burst;
  if (p->slow.told >= SLOW_LEAST && p->slow.told < count->told)
    return count->lost > MAX (2 * chance, LEAST * burst);
  return count->lost > LEAST * burst + chance +
      SIGMAS * sqrt (chance * (1 + ratio) * burst);
}

/* Of all that left fast, and of these that there is more to be heard of now. */
static gboolean
depends_on_rate (const FaspPolicer * p)
{
  return p->fast.lost >= get_harm (p) * p->fast.told
      && is_significant (p, &p->fast, BURST) && is_significant (p, &p->row, 1);
}

static void
begin_row (FaspPolicer * p, const FaspRateSample * from)
{
  p->first = *from;
  p->row = (FaspPolicerCount) {
  0};
  p->lossy = 0;
}

/* The stretch that ends at @newest loses, too. */
static gboolean
is_in_row (const FaspPolicer * p, FaspTime rtt, const FaspRateSample * newest)
{
  return p->last.sent > 0 && p->from.sent - p->last.sent <= GAP + GAP_RTTS * rtt
      && newest->sent - p->first.sent <= MAX (ROW_MOST, ROW_RTTS * rtt);
}

static void
find (FaspPolicer * p, FaspTime now)
{
  if (p->guess > AGAIN * p->rate || AGAIN * p->guess < p->rate)
    p->hold = HOLD_LEAST;
  else if (now - p->found >= p->hold)
    p->hold = MIN (2 * p->hold, HOLD_MOST);
  if (p->rate == 0)
    p->share = p->fast.lost / p->fast.told;
  p->rate = p->guess;
  p->found = now;
  p->since_found = (FaspPolicerCount) {
  0};
}

/* Of what left at the rate that was found so many are lost, too. */
static gboolean
is_wrong (const FaspPolicer * p)
{
  gdouble wanted = p->since_found.told * p->share / WRONG;

  return p->rate > 0
      && p->since_found.lost > LEAST + wanted + SIGMAS * sqrt (wanted);
}

/* The row ends at @newest, for now.  TRUE: it tells of a policer. */
static gboolean
look_at_row (FaspPolicer * p, FaspTime now, FaspTime rtt,
    const FaspRateSample * newest)
{
  FaspTime took = newest->sent - p->first.sent;
  gdouble left = (newest->bytes - p->first.bytes) * 8. * FASP_SEC / took;

  if (took < MAX (ROW_LEAST, rtt) || p->row.lost < get_harm (p) * p->row.told)
    return FALSE;
  /* what chance loses has had its tokens */
  p->guess = left * (1 - p->row.lost / p->row.told) / (1 - get_chance (p));
  p->guessed = now;
  /* it takes what has passed for long, but for a bucket at first; and with pauses between losses the
   * bucket may have been full */
  if (p->took + p->took_before >= PASSED_TIME || p->lossy < took / 2)
    p->guess = MAX (p->guess, get_passed (p));
  if (!depends_on_rate (p)
      || (p->denied > 0 && now - p->denied < FASP_POLICER_DENIED))
    return FALSE;
  find (p, now);
  return TRUE;
}

gboolean
fasp_policer_add (FaspPolicer * p, FaspTime now, FaspTime rtt,
    const FaspRateSample * newest, guint64 told, guint64 lost, gboolean queued)
{
  FaspTime took;
  gdouble left, bytes;
  gboolean heavy, changed = FALSE;

  count (&p->stretch, &(FaspPolicerCount) {
      told, lost});
  p->queued |= queued;
  if (p->from.sent == 0)
    p->from = *newest;
  took = newest->sent - p->from.sent;
  if (took < STRETCH)
    return FALSE;
  slide (p, now);
  bytes = newest->bytes - p->from.bytes;
  left = bytes * 8 * FASP_SEC / took;
  note_passed (p, took, bytes * (1 - p->stretch.lost / MAX (p->stretch.told,
              1)));
  heavy = p->stretch.lost > 0
      && p->stretch.lost >= get_harm (p) * p->stretch.told;
  if (p->queued) {
    p->last.sent = 0;
    begin_row (p, newest);
  } else if (heavy && !is_in_row (p, rtt, newest)) {
    /* nothing is slow yet, or fast; but that was no row */
    if (p->guess == 0)
      count (&p->slow, &p->row);
    begin_row (p, newest);
    p->last = *newest;
  } else {
    count (&p->row, &p->stretch);
    if (heavy) {
      p->lossy += took;
      p->last = *newest;
      changed = look_at_row (p, now, rtt, newest);
    }
    if (changed)
      begin_row (p, newest);
  }
  if (p->guess > 0)
    count (left <= p->guess ? &p->slow : &p->fast, &p->stretch);
  if (p->from.sent >= p->found && left <= AS_FAST * p->rate)
    count (&p->since_found, &p->stretch);
  if (is_wrong (p)) {
    p->rate = p->guess = 0;
    p->denied = now;
    changed = TRUE;
  }
  p->from = *newest;
  p->stretch = (FaspPolicerCount) {
  0};
  p->queued = FALSE;
  return changed;
}

gdouble
fasp_policer_get_most (const FaspPolicer * p, FaspTime now)
{
  if (p->rate == 0)
    return G_MAXDOUBLE;
  if (now - p->found < p->hold)
    return p->rate;
  return p->rate * pow (GROW, 1 + (now - p->found - p->hold) / GROW_TIME);
}
