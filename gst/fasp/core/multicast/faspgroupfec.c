/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspgroupfec.h"
#include "faspmodel.h"

#define PLAN_EVERY FASP_SEC
/* A period with fewer blocks is not judged. */
#define BLOCKS_LEAST 50
#define SHARE_LEAST .02
#define SHARE_MOST .25
#define SHARE_STEP 1.05
/* Repairs begin when retransmissions take more than WORTH times their bytes, and end when
 * retransmissions would take less. */
#define WORTH 1.25
/* The share of the latency in which repairs cover a block; the rest is for a retransmission. */
#define REACH_SHARE .3
#define REACH_MIN (2 * FASP_MSEC)
#define REACH_UNKNOWN (50 * FASP_MSEC)
/* The most bytes that the sender adds up for repairs in a second. */
#define WORK 3e9
#define WINDOW_MIN 16
/* The number of repairs that are still sent when the share becomes 0, to tell the receivers not to
 * wait for later ones. */
#define FAREWELL 3

/* Measurements of a period. */
typedef struct
{
  gdouble block_rate, data_rate, retransmissions;
} Period;

/* Measures the period since the last call.  FALSE: it is too short yet. */
static gboolean
look (FaspGroupFec *g, FaspTime now, const FaspGroupFecGoal *goal, Period *period)
{
  FaspTime elapsed = now - g->planned;
  guint64 blocks = goal->blocks - g->blocks;
  /* the count falls when a member leaves, with the retransmissions that were sent to it */
  guint64 resent = goal->resent - MIN (g->resent, goal->resent);

  if (elapsed < PLAN_EVERY || blocks < BLOCKS_LEAST)
    return FALSE;
  *period = (Period) { blocks * (gdouble) FASP_SEC / elapsed,
    (goal->wire - g->wire) * 8. * FASP_SEC / elapsed, (gdouble) resent / blocks };
  g->planned = now;
  g->blocks = goal->blocks;
  g->wire = goal->wire;
  g->resent = goal->resent;
  return TRUE;
}

/* The least share with which the repairs cost at least as much as the losses that remain;
 * more than SHARE_MOST: there is none. */
static gdouble
choose_share (const FaspFec *fec, const FaspGroupFecGoal *goal, gdouble block_rate)
{
  guint window = CLAMP (block_rate * fec->reach / FASP_SEC, 1, fec->window);

  for (gdouble s = SHARE_LEAST; s <= SHARE_MOST; s *= SHARE_STEP)
    if (goal->members * fasp_model_sliding_loss (goal->loss, goal->stay, window, s) <= s)
      return s;
  return 2 * SHARE_MOST;
}

/* The largest share for which the channel has room, with as many bytes again for the remaining
 * losses. */
static gdouble
get_most (const FaspGroupFecGoal *goal, const Period *period)
{
  gdouble spare;

  if (goal->channel == 0)
    return SHARE_MOST;
  spare = FASP_GROUP_FEC_FILL * goal->channel / MAX (period->data_rate, 1) - 1;
  return MIN (spare / 2, SHARE_MOST);
}

/* If there is time for repairs first and a retransmission after them, members that wait for the
 * repairs ask for less.  The last repairs say that no more will follow. */
static gboolean
is_worth_waiting (const FaspFec *fec, const FaspGroupFecGoal *goal)
{
  return fec->share > 0 && goal->latency * (1 - REACH_SHARE) > goal->rtx;
}

void
fasp_group_fec_plan (FaspGroupFec *g, FaspFec *fec, FaspTime now, const FaspGroupFecGoal *goal)
{
  gdouble share, most, without;
  Period period;

  if (fec->mode == FASP_FEC_OFF)
    return;
  fec->reach = goal->latency <= 0 ?
      REACH_UNKNOWN :
      CLAMP (goal->latency * REACH_SHARE, REACH_MIN, FASP_FEC_REACH_MAX);
  fec->is_alone = is_worth_waiting (fec, goal);
  if (fec->mode != FASP_FEC_AUTO || !look (g, now, goal, &period))
    return;
  share = choose_share (fec, goal, period.block_rate);
  most = get_most (goal, &period);
  without = g->retransmissions;
  if (fec->share <= 0) {
    g->retransmissions += (period.retransmissions - g->retransmissions) / 2;
    g->loss = goal->loss;
    share *= WORTH;
    without = g->retransmissions;
  } else if (g->loss > 0) {
    without *= goal->loss / g->loss;
  }
  if (goal->members < 2 || without < share || most < SHARE_LEAST) {
    if (fec->share > 0) {
      fec->owed = FAREWELL;
      /* the retransmissions counted before the repairs began are scaled to the present loss */
      g->retransmissions = without;
      g->loss = goal->loss;
    }
    fec->share = 0;
    fec->is_alone = FALSE;
    return;
  }
  fec->share = MIN (fec->share <= 0 ? share / WORTH : share, most);
  fec->is_alone = is_worth_waiting (fec, goal);
  fec->window = CLAMP (WORK / (fec->share * MAX (period.data_rate, 1) / 8),
      MIN (WINDOW_MIN, fec->window_max), fec->window_max);
}
