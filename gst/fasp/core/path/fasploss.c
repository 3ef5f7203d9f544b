/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>
#include "fasploss.h"

#define FAST (15 * FASP_SEC)
#define MIDDLE (240 * FASP_SEC)
#define SLOW (3600 * FASP_SEC)
/* A deviation of this many standard deviations is not due to chance, although the test runs many
 * thousand times a day. */
#define SURE 5.
/* The losses assumed at first, as counts. */
#define PRIOR_PACKETS 200.
#define PRIOR_LOST 10.
#define PRIOR_HOLES 8.
/* The estimate of the loss is higher than the count by this many standard deviations. */
#define CAUTION .5
/* The estimate counts as seen when the observed losses are at least this share of the estimated
 * ones. */
#define SEEN .5
#define MOST .95
#define LOOK_LEAST 20
/* A burst that is longer than both is an outage: no copies help against it. */
#define BURST_MOST 100.
#define BURST_TIME (100 * FASP_MSEC)
/* A burst less likely than this is an accident, like an outage, if it is the only
 * one in an hour. */
#define ACCIDENT 1e-4

void
fasp_loss_init (FaspLoss *loss, FaspTime now)
{
  memset (loss, 0, sizeof *loss);
  loss->time = now;
  loss->accident = FASP_NEVER;
}

static void
add (FaspLossSum *sum, gdouble keep, gdouble packets, gdouble lost, gdouble holes)
{
  sum->packets = sum->packets * keep + packets;
  sum->lost = sum->lost * keep + lost;
  sum->holes = sum->holes * keep + holes;
}

static guint64
grown (guint64 *last, guint64 value)
{
  guint64 by = value > *last ? value - *last : 0;

  *last = MAX (*last, value);
  return by;
}

static gdouble
share_of (const FaspLossSum *sum)
{
  return (sum->lost + PRIOR_LOST) / (sum->packets + PRIOR_PACKETS);
}

/* A burst of n losses is one hole: n - 1 times the next packet was lost, too. */
static gdouble
stay_of (const FaspLossSum *sum)
{
  return MAX (0, sum->lost - sum->holes + PRIOR_LOST - PRIOR_HOLES) / (sum->lost + PRIOR_LOST);
}

/* Does @sum have more or longer bursts (@sign 1), or fewer or shorter ones (-1), than
 * @known makes likely? */
static gboolean
is_different (const FaspLossSum *sum, const FaspLossSum *known, gint sign)
{
  gdouble stay = stay_of (known);
  gdouble holes = sum->packets * share_of (known) * (1 - stay);
  gdouble stayed = sum->lost * stay;

  return sign * (sum->holes - holes) > SURE * sqrt (holes + 1)
      || sign * (sum->lost - sum->holes - stayed) > SURE * sqrt (stayed * (1 - stay) + 1);
}

/* Forgets the counts from before a change of the path. */
static void
forget_what_was (FaspLoss *loss)
{
  if (is_different (&loss->fast, &loss->slow, 1))
    loss->slow = loss->middle = loss->fast;
  else if (is_different (&loss->middle, &loss->slow, 1)
      || is_different (&loss->middle, &loss->slow, -1))
    loss->slow = loss->middle;
}

/* Was the burst so long that it does not count for the path? @most: the longest burst that is not
 * an outage. */
static gboolean
is_outage (FaspLoss *loss, gdouble lost, gdouble holes, gdouble most)
{
  gdouble share, stay;

  fasp_loss_get (loss, &share, &stay);
  if ((lost <= most && pow (stay, lost / MAX (holes, 1)) >= ACCIDENT)
      || (loss->accident != FASP_NEVER && loss->time - loss->accident < SLOW))
    return FALSE;
  loss->accident = loss->time;
  return TRUE;
}

void
fasp_loss_update (FaspLoss *loss, FaspTime now, guint64 packets, guint64 lost, guint64 holes)
{
  gdouble elapsed = MAX (0, now - loss->time);
  gdouble p = grown (&loss->packets, packets);
  gdouble l = grown (&loss->lost, lost);
  gdouble h = grown (&loss->holes, holes);
  /* a hole may be reported later than the losses in it */
  gdouble most = MAX (BURST_MOST, loss->fast.packets * BURST_TIME / FAST) * (h + 1);

  loss->time = MAX (loss->time, now);
  /* at most the packets sent can be lost, whatever a hostile peer reports */
  l = MIN (l, p);
  if (is_outage (loss, l, h, most)) {
    p -= l;
    l = h = 0;
  } else if (l > most) {
    p -= l - most;
    l = most;
  }
  add (&loss->fast, exp (-elapsed / FAST), p, l, h);
  add (&loss->middle, exp (-elapsed / MIDDLE), p, l, h);
  add (&loss->slow, exp (-elapsed / SLOW), p, l, h);
  forget_what_was (loss);
}

void
fasp_loss_get (const FaspLoss *loss, gdouble *share, gdouble *stay)
{
  const FaspLossSum *sum = &loss->slow;
  gdouble known = stay_of (sum);

  /* the count plus CAUTION standard deviations of it */
  *share = share_of (sum) * (1 + CAUTION / sqrt (sum->holes + PRIOR_HOLES));
  *stay = known + CAUTION * sqrt (known * (1 - known) / (sum->lost + PRIOR_LOST));
  *share = CLAMP (*share, 0, MOST);
  *stay = CLAMP (*stay, *share, MOST);
}

void
fasp_loss_get_seen (const FaspLoss *loss, gdouble *share, gdouble *stay)
{
  const FaspLossSum *sum = &loss->slow;

  *share = *stay = 0;
  if (sum->lost <= 0 || sum->holes <= 0 || sum->packets <= 0)
    return;
  *share = MIN (MOST, sum->lost / sum->packets * (1 + CAUTION / sqrt (sum->holes)));
  *stay = CLAMP ((sum->lost - sum->holes) / sum->lost, 0, MOST);
}

gboolean
fasp_loss_is_seen (const FaspLoss *loss)
{
  const FaspLossSum *sum = &loss->slow;
  gdouble share, stay;

  fasp_loss_get (loss, &share, &stay);
  return sum->lost >= SEEN * share * sum->packets && sum->lost > 0;
}

gdouble
fasp_loss_look (FaspLoss *loss)
{
  guint64 packets = loss->packets - loss->seen;
  guint64 lost = loss->lost - loss->seen_lost;

  if (packets < LOOK_LEAST)
    return 0;
  loss->seen = loss->packets;
  loss->seen_lost = loss->lost;
  return MIN (1, (gdouble) lost / packets);
}
