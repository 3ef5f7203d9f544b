/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspleeway.h"

/* A source that writes this many times its offer does not follow it.  That holds for
 * UNMOVED_TIME. */
#define UNMOVED 1.05
#define UNMOVED_TIME (2 * FASP_SEC)

void
fasp_leeway_init (FaspLeeway *leeway, FaspTime now)
{
  leeway->until = now + FASP_LEEWAY_FIRST;
  leeway->since = now;
}

void
fasp_leeway_add (FaspLeeway *leeway, guint flow, const FaspRateSample *sample, gdouble noise)
{
  leeway->n = MAX (leeway->n, flow + 1);
  fasp_wander_add (&leeway->ways[flow], sample, noise);
}

void
fasp_leeway_look (FaspLeeway *leeway, FaspTime now, guint64 wrote, guint64 offer, guint64 rate)
{
  if (now - leeway->since >= FASP_LEEWAY_WINDOW) {
    leeway->rate_before = leeway->rate;
    leeway->rate = 0;
    leeway->since = now;
  }
  leeway->rate = MAX (leeway->rate, rate);
  if (wrote > UNMOVED * offer && wrote <= MAX (leeway->rate, leeway->rate_before))
    leeway->until = MAX (leeway->until, now + UNMOVED_TIME);
}

void
fasp_leeway_limited (FaspLeeway *leeway, FaspTime now)
{
  leeway->until = now + FASP_LEEWAY_LIMITED;
}

void
fasp_leeway_forget (FaspLeeway *leeway)
{
  leeway->until = 0;
}

gboolean
fasp_leeway_is_believed (const FaspLeeway *leeway, FaspTime now)
{
  return now < leeway->until;
}

gdouble
fasp_leeway_get (const FaspLeeway *leeway, FaspTime now)
{
  gdouble most = 0;

  if (!fasp_leeway_is_believed (leeway, now))
    return 0;
  for (guint i = 0; i < leeway->n; i++)
    most = MAX (most, fasp_wander_get (&leeway->ways[i], now));
  return most;
}
