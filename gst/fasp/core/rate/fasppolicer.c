/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppolicer.h"

/* An interval: round trips, at least and at most, and the share that is lost. */
#define ROUNDS_LEAST 4
#define ROUNDS_MOST 16
#define LOSS .2
/* By how much the rates of two intervals may differ. */
#define SAME .125
/* For so many round trips the rate is believed, at first and at most. */
#define HOLD 48
#define HOLD_MOST (16 * HOLD)

void
fasp_policer_add (FaspPolicer *p, gdouble told, gdouble lost)
{
  p->told += told;
  p->lost += lost;
}

static void
begin (FaspPolicer *p, FaspTime now, guint64 seen, gdouble arrived, guint hold)
{
  p->hold = hold;
  p->rounds = 0;
  p->since = now;
  p->seen = seen;
  p->told = p->lost = 0;
  p->arrived = arrived;
}

static gboolean
is_same (gdouble rate, gdouble before)
{
  return ABS (rate - before) <= SAME * before;
}

gboolean
fasp_policer_end_round (FaspPolicer *p, FaspTime now, guint64 seen, gdouble *rate)
{
  gdouble arrived;

  if (p->hold > 0 || ++p->rounds > ROUNDS_MOST || now <= p->since) {
    begin (p, now, seen, 0, p->hold - (p->hold > 0));
    return FALSE;
  }
  if (p->rounds < ROUNDS_LEAST || p->lost < LOSS * p->told)
    return FALSE;
  arrived = (seen - p->seen) * (1 - p->lost / p->told) * 8 * FASP_SEC / (now - p->since);
  *rate = (arrived + p->arrived) / 2;
  if (!is_same (arrived, p->arrived)) {
    begin (p, now, seen, arrived, 0);
    return FALSE;
  }
  p->held = is_same (*rate, p->rate) ? MIN (2 * p->held, HOLD_MOST) : HOLD;
  p->rate = *rate;
  begin (p, now, seen, 0, p->held);
  return TRUE;
}
