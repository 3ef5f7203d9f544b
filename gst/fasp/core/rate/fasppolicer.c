/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppolicer.h"

/* An interval: least round trips, and least share lost. */
#define ROUNDS_LEAST 4
#define LOSS .2
/* By how much the rates of two intervals may differ. */
#define SAME .125
/* The round trips for which a rate is believed, and an earlier finding is remembered. */
#define HOLD 48
/* Packets by which losses must differ from the expected number to be significant. */
#define PACKETS 4

static void
begin (FaspPolicer *p, FaspTime now, guint64 seen)
{
  p->state = FASP_POLICER_WATCHING;
  p->rounds = 0;
  p->since = now;
  p->seen = seen;
  p->reported = p->lost = 0;
}

static gboolean
is_same (gdouble rate, gdouble before)
{
  return ABS (rate - before) <= SAME * before;
}

/* Packets lost beyond random loss and a @share of the others. */
static gdouble
count_excess (const FaspPolicer *p, const FaspChance *chance, gdouble share)
{
  return p->lost - p->reported * (1 - (1 - share) * (1 - fasp_chance_get_share (chance)));
}

gboolean
fasp_policer_add (FaspPolicer *p, guint64 reported, guint64 lost, const FaspChance *chance)
{
  gdouble excess;

  p->reported += reported;
  p->lost += lost;
  /* packets reported in the first round trip left before the rate was lowered */
  if (p->state == FASP_POLICER_WATCHING || p->rounds == 0)
    return FALSE;
  /* half of the loss that raised the suspicion: at its own rate, a policer causes less */
  excess = count_excess (p, chance, LOSS / 2);
  if (excess >= PACKETS) {
    p->state = FASP_POLICER_WATCHING;
    p->rate = 0;
    return TRUE;
  }
  if (p->state == FASP_POLICER_TRYING && count_excess (p, chance, LOSS) <= -PACKETS)
    p->state = FASP_POLICER_WATCHING;
  else if (p->state == FASP_POLICER_BELIEVING && excess <= 0)
    p->reported = p->lost = 0;
  return FALSE;
}

/* Judges an interval in which too much was lost. */
static void
judge (FaspPolicer *p, gdouble arrived, gdouble rate)
{
  gdouble most = MAX (arrived, p->arrived);
  gboolean same = is_same (arrived, p->arrived);

  p->watched = 0;
  p->arrived = arrived;
  if (!same)
    return;
  p->state = is_same (most, p->rate) ? FASP_POLICER_BELIEVING : FASP_POLICER_TRYING;
  p->before = p->state == FASP_POLICER_BELIEVING ? rate : 0;
  p->rate = most;
}

gboolean
fasp_policer_end_round (FaspPolicer *p, FaspTime now, guint64 seen, const FaspChance *chance,
    gdouble rate)
{
  gdouble excess = count_excess (p, chance, LOSS), arrived;

  p->rounds++;
  if (p->state != FASP_POLICER_WATCHING) {
    if (p->rounds == 1)
      p->reported = p->lost = 0;
    if (p->state == FASP_POLICER_BELIEVING && p->rounds > HOLD)
      begin (p, now, seen);
    return FALSE;
  }
  if (p->watched++ > HOLD)
    p->rate = p->arrived = 0;
  if (excess <= 0 || now <= p->since)
    begin (p, now, seen);
  if (p->rounds < ROUNDS_LEAST || excess < PACKETS)
    return FALSE;
  arrived = (seen - p->seen) * (1 - p->lost / p->reported) * 8 * FASP_SEC / (now - p->since);
  begin (p, now, seen);
  judge (p, arrived, rate);
  return p->state == FASP_POLICER_BELIEVING;
}

gboolean
fasp_policer_is_suspected (const FaspPolicer *p)
{
  return p->state != FASP_POLICER_WATCHING || p->rounds > 0;
}

gdouble
fasp_policer_limit (const FaspPolicer *p, gdouble rate)
{
  return p->state == FASP_POLICER_TRYING ? MIN (rate, p->rate) : rate;
}
