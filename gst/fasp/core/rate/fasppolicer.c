/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppolicer.h"
#include <math.h>

#define STRETCH (16 * FASP_MSEC)
#define PACKET 1500
/* A lower rate, bit/s, is but a sign of life now and then. */
#define IDLE 10000
/* The length of a row, and how far apart its losses may be, beside two round trips. */
#define ROW_LEAST (50 * FASP_MSEC)
#define ROW_MOST FASP_SEC
#define ROW_RTTS 4
#define GAP (50 * FASP_MSEC)
#define GAP_RTTS 2
/* The share lost, beyond what chance loses, of a row and of the stretches that it begins and ends
 * with.  Less does no harm.  A smaller share keeps the rate of a known policer exact. */
#define SHARE .1
#define SHARE_KNOWN .05
/* The most that chance is taken to lose. */
#define CHANCE_MOST .2
#define WINDOW (10 * FASP_SEC)
/* What passes is the mean over this time, to twice that. */
#define PASSED_TIME (4 * FASP_SEC)
#define SIGMAS 4
#define LEAST 5
#define PRIOR .5
/* Packets that chance loses in one burst. */
#define BURST 8
/* The rate found is wrong if 1 / WRONG of the former losses remain at it. */
#define WRONG 3
/* From so many slow packets on something is known about them, though little. */
#define SLOW_LEAST 20
/* Packets that leave at up to this many times the rate found should pass. */
#define AS_FAST 1.03
/* How long not to try more; twice as long if the same rate is found again. */
#define HOLD_LEAST FASP_SEC
#define HOLD_MOST (16 * FASP_SEC)
#define AGAIN 1.25
#define GROW 1.25
#define GROW_TIME FASP_SEC

static void
count (FaspPolicerCount *count, const FaspPolicerCount *more)
{
  count->told += more->told;
  count->lost += more->lost;
}

static void
slide (FaspPolicer *p, FaspTime now)
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

/* Notes what passes.  Stretches with nothing to send say nothing, nor do those of which a single
 * packet arrived and others were lost: that may be an outage. */
static void
note_passed (FaspPolicer *p, FaspTime took, gdouble bytes)
{
  if (bytes <= PACKET && (p->stretch.lost > 0 || bytes * 8 * FASP_SEC <= (gdouble) IDLE * took))
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
get_passed (const FaspPolicer *p)
{
  FaspTime took = p->took + p->took_before;

  return took > 0 ? (p->passed + p->passed_before) * 8 * FASP_SEC / took : 0;
}

/* The share that chance loses. */
static gdouble
get_chance (const FaspPolicer *p)
{
  return MIN (CHANCE_MOST, p->slow.lost / MAX (p->slow.told, 1));
}

/* A smaller share of losses does no harm. */
static gdouble
get_harm (const FaspPolicer *p)
{
  return (p->rate > 0 ? SHARE_KNOWN : SHARE) + get_chance (p);
}

/* Are so many more lost than of what left slowly that chance, which loses in bursts of @burst, does
 * not explain it?  If the source takes all there is, next to nothing leaves slowly: then fewer
 * losses do, and sending shows whether that was right. */
static gboolean
is_significant (const FaspPolicer *p, const FaspPolicerCount *count, gdouble burst)
{
  gdouble ratio = count->told / MAX (p->slow.told, 1);
  gdouble chance = ratio * (p->slow.lost + PRIOR);

  if (p->rate > 0)
    return count->lost > 2 * chance + LEAST * burst;
  if (p->slow.told >= SLOW_LEAST && p->slow.told < count->told)
    return count->lost > MAX (2 * chance, LEAST * burst);
  return count->lost > LEAST * burst + chance + SIGMAS * sqrt (chance * (1 + ratio) * burst);
}

/* Is more lost when more is sent: of all that left fast, and of the row? */
static gboolean
depends_on_rate (const FaspPolicer *p)
{
  return p->fast.lost >= get_harm (p) * p->fast.told && is_significant (p, &p->fast, BURST)
      && is_significant (p, &p->row, 1);
}

static void
begin_row (FaspPolicer *p, const FaspRateSample *from)
{
  p->first = *from;
  p->row = (FaspPolicerCount) { 0 };
  p->lossy = 0;
}

/* The stretch that ends at @newest has losses: does it continue the row? */
static gboolean
is_in_row (const FaspPolicer *p, FaspTime rtt, const FaspRateSample *newest)
{
  return p->last.sent > 0 && p->from.sent - p->last.sent <= GAP + GAP_RTTS * rtt
      && newest->sent - p->first.sent <= MAX (ROW_MOST, ROW_RTTS * rtt);
}

static void
find (FaspPolicer *p, FaspTime now)
{
  if (p->guess > AGAIN * p->rate || AGAIN * p->guess < p->rate)
    p->hold = HOLD_LEAST;
  else if (now - p->found >= p->hold)
    p->hold = MIN (2 * p->hold, HOLD_MOST);
  if (p->rate == 0)
    p->share = p->fast.lost / p->fast.told;
  p->rate = p->guess;
  p->found = now;
  p->since_found = (FaspPolicerCount) { 0 };
}

/* Is too much lost of what left at the rate found? */
static gboolean
is_wrong (const FaspPolicer *p)
{
  gdouble wanted = p->since_found.told * p->share / WRONG;

  return p->rate > 0 && p->since_found.lost > LEAST + wanted + SIGMAS * sqrt (wanted);
}

/* The row ends at @newest, for now.  TRUE: it shows a policer. */
static gboolean
look_at_row (FaspPolicer *p, FaspTime now, FaspTime rtt, const FaspRateSample *newest)
{
  FaspTime took = newest->sent - p->first.sent;
  gdouble left = (newest->bytes - p->first.bytes) * 8. * FASP_SEC / took;

  if (took < MAX (ROW_LEAST, rtt) || p->row.lost < get_harm (p) * p->row.told)
    return FALSE;
  /* packets that chance loses have used tokens, too */
  p->guess = left * (1 - p->row.lost / p->row.told) / (1 - get_chance (p));
  p->guessed = now;
  /* a policer lets through what has passed for long, when the bucket's first fill does not count
   * any more; and with pauses between losses the bucket may have filled up */
  if (p->took + p->took_before >= PASSED_TIME || p->lossy < took / 2)
    p->guess = MAX (p->guess, get_passed (p));
  if (!depends_on_rate (p) || (p->denied > 0 && now - p->denied < FASP_POLICER_DENIED))
    return FALSE;
  find (p, now);
  return TRUE;
}

gboolean
fasp_policer_add (FaspPolicer *p, FaspTime now, FaspTime rtt, const FaspRateSample *newest,
    guint64 told, guint64 lost, gboolean queued)
{
  FaspTime took;
  gdouble left, bytes;
  gboolean heavy, changed = FALSE;

  count (&p->stretch, &(FaspPolicerCount) { told, lost });
  p->queued |= queued;
  if (p->from.sent == 0)
    p->from = *newest;
  took = newest->sent - p->from.sent;
  if (took < STRETCH)
    return FALSE;
  slide (p, now);
  bytes = newest->bytes - p->from.bytes;
  left = bytes * 8 * FASP_SEC / took;
  note_passed (p, took, bytes * (1 - p->stretch.lost / MAX (p->stretch.told, 1)));
  heavy = p->stretch.lost > 0 && p->stretch.lost >= get_harm (p) * p->stretch.told;
  if (p->queued) {
    p->last.sent = 0;
    begin_row (p, newest);
  } else if (heavy && !is_in_row (p, rtt, newest)) {
    /* without a guess nothing is slow or fast yet; but what was before this row counts as slow */
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
  p->stretch = (FaspPolicerCount) { 0 };
  p->queued = FALSE;
  return changed;
}

gdouble
fasp_policer_get_most (const FaspPolicer *p, FaspTime now)
{
  if (p->rate == 0)
    return G_MAXDOUBLE;
  if (now - p->found < p->hold)
    return p->rate;
  return p->rate * pow (GROW, 1 + (now - p->found - p->hold) / GROW_TIME);
}
