/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspchance.h"
#include <math.h>

/* The estimate begins as if this many packets had left slowly, none of them lost. */
#define PRIOR 4
/* The largest share of random loss: an overloaded policer drops packets that leave slowly, too. */
#define MOST .6

static void
slide (FaspChance *c, FaspTime now)
{
  if (now - c->since < FASP_RATE_MEMORY)
    return;
  c->since = now;
  c->slow_reported /= 2;
  c->slow_lost /= 2;
}

void
fasp_chance_add (FaspChance *c, FaspTime now, const FaspRateSample *newest, gdouble rate,
    guint64 reported, guint64 lost, gboolean queued)
{
  FaspTime took;
  gdouble left;

  c->stretch_reported += reported;
  c->stretch_lost += lost;
  c->queued |= queued;
  if (c->from.sent == 0)
    c->from = *newest;
  took = newest->sent - c->from.sent;
  if (took < FASP_RATE_STRETCH)
    return;
  slide (c, now);
  left = (newest->bytes - c->from.bytes) * 8. * FASP_SEC / took;
  if (!c->queued && left <= FASP_CHANCE_SLOW * rate) {
    c->slow_reported += c->stretch_reported;
    c->slow_lost += c->stretch_lost;
  }
  c->from = *newest;
  c->stretch_reported = c->stretch_lost = 0;
  c->queued = FALSE;
}

void
fasp_chance_set (FaspChance *c, gdouble reported, gdouble lost)
{
  c->slow_reported = reported;
  c->slow_lost = lost;
}

gdouble
fasp_chance_get_share (const FaspChance *c)
{
  return MIN (MOST, c->slow_lost / (c->slow_reported + PRIOR));
}

gdouble
fasp_chance_get_others (const FaspChance *c, guint64 reported, guint64 lost)
{
  gdouble share = fasp_chance_get_share (c);
  gdouble wanted = reported * share;

  /* random loss varies by a standard deviation */
  if (reported == 0 || lost <= wanted + sqrt (wanted * (1 - share)))
    return 0;
  return 1 - (1 - (gdouble) lost / reported) / (1 - share);
}
