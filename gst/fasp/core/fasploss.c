/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>
#include "fasploss.h"

#define FAST (15 * FASP_SEC)
#define SLOW (240 * FASP_SEC)
/* What is assumed, and for how many packets and losses it counts. */
#define PRIOR_PACKETS 100.
#define PRIOR_LOST 5.
#define PRIOR_HOLES 4.
#define MOST .95

void
fasp_loss_init (FaspLoss * loss, FaspTime now)
{
  memset (loss, 0, sizeof *loss);
  loss->time = now;
}

static void
add (FaspLossSum * sum, gdouble keep, gdouble packets, gdouble lost,
    gdouble holes)
{
  sum->packets = sum->packets * keep + packets;
  sum->lost = sum->lost * keep + lost;
  sum->holes = sum->holes * keep + holes;
}

static guint64
grown (guint64 * last, guint64 value)
{
  guint64 by = value > *last ? value - *last : 0;

  *last = MAX (*last, value);
  return by;
}

void
fasp_loss_update (FaspLoss * loss, FaspTime now, guint64 packets, guint64 lost,
    guint64 holes)
{
  gdouble elapsed = MAX (0, now - loss->time);
  gdouble p = grown (&loss->packets, packets);
  gdouble l = grown (&loss->lost, lost);
  gdouble h = grown (&loss->holes, holes);

  /* a hostile peer may say anything: no more lost than there were */
  l = MIN (l, p);
  h = MIN (h, l);
  loss->time = MAX (loss->time, now);
  add (&loss->fast, exp (-elapsed / FAST), p, l, h);
  add (&loss->slow, exp (-elapsed / SLOW), p, l, h);
}

static gdouble
share_of (const FaspLossSum * sum)
{
  return (sum->lost + PRIOR_LOST) / (sum->packets + PRIOR_PACKETS);
}

/* A burst of n losses is one hole: n - 1 times the next was lost, too. */
static gdouble
stay_of (const FaspLossSum * sum)
{
  return (sum->lost - sum->holes + PRIOR_LOST - PRIOR_HOLES) / (sum->lost +
      PRIOR_LOST);
}

void
fasp_loss_get (const FaspLoss * loss, gdouble * share, gdouble * stay)
{
  *share = MAX (share_of (&loss->fast), share_of (&loss->slow));
  *share = CLAMP (*share, 0, MOST);
  *stay = MAX (stay_of (&loss->fast), stay_of (&loss->slow));
  *stay = CLAMP (*stay, *share, MOST);
}
