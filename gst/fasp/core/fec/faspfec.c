/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>
#include "faspfec.h"
#include "fasplimits.h"
#include "faspmodel.h"
#include "fasprlc.h"
#include "faspwire.h"

/* Repairs that may be borrowed, one in each pause. */
#define BORROWED_MAX 1
/* How long repairs cover a block, as a share of the latency, within these bounds. */
#define REACH_SHARE .97
#define REACH_MIN (2 * FASP_MSEC)
#define REACH_UNKNOWN (50 * FASP_MSEC)
/* The most bytes that a sender adds up in a second: WORK if the window is in the cache of the
 * processor core, which holds CACHED bytes of it, a tenth of the core's capacity; else
 * WORK_FETCHED, a twentieth. */
#define CACHED 5e5
#define WORK 3e9
#define WORK_FETCHED 5e8
#define WINDOW_MIN 16
#define WINDOW_FIRST 64 /* blocks in a window until the stream's rate is known */
/* Bounds of the share with FASP_FEC_AUTO, and the precision of the choice. */
#define SHARE_LEAST .02
#define SHARE_AUTO_MAX .25
#define SHARE_STEP 1.1
/* If blocks wait for WAITS_SHARE of the latency before they leave, there are too many repairs: the
 * bound is multiplied by MOST_LESS each time, and rises again when they wait for less. */
#define WAITS_SHARE .5
#define MOST_LESS .8
#define MOST_MORE 1.05
/* The share is chosen anew at this interval, or at each call while few datagrams were seen. */
#define PLAN_EVERY (3 * FASP_SEC)
#define SEEN_SOON 3000
/* The number of repairs that are still sent when the share becomes 0, to tell the receiver not to
 * wait for later ones. */
#define FAREWELL 3
/* Time until a loss is detected: the next datagram shows the hole, and the receiver counts it as a
 * loss a little later. */
#define RTX_MORE (4 * FASP_MSEC)
/* Retransmissions are too late if the latency is less than RTX_DOES_NOT times the time of one, and
 * in time again from RTX_FITS times that on. */
#define RTX_FITS 1.5
#define RTX_DOES_NOT 1.25

void
fasp_fec_init (FaspFec *fec, FaspFecMode mode, gdouble share, guint window_max)
{
  memset (fec, 0, sizeof *fec);
  fec->mode = window_max > 0 ? mode : FASP_FEC_OFF;
  fec->share = fec->mode == FASP_FEC_FIXED ? CLAMP (share, 0, FASP_FEC_SHARE_MAX) : 0;
  fec->most = SHARE_AUTO_MAX;
  fec->window_max = MIN (window_max, FASP_FEC_WINDOW_MAX);
  fec->window = MIN (WINDOW_FIRST, fec->window_max);
  fec->reach = REACH_UNKNOWN;
}

static gdouble
get_residual (const FaspFec *fec, gdouble share, const FaspFecGoal *goal)
{
  gdouble blocks = goal->block_rate * fec->reach / FASP_SEC;

  return fasp_model_sliding_loss (goal->loss, goal->stay, CLAMP (blocks, 1, fec->window), share);
}

gdouble
fasp_fec_get_residual (const FaspFec *fec, const FaspFecGoal *goal)
{
  return fec->share > 0 ? get_residual (fec, fec->share, goal) : goal->loss;
}

/* The least share that keeps the wanted interval between skips, or SHARE_AUTO_MAX. */
static gdouble
choose_share (const FaspFec *fec, const FaspFecGoal *asked)
{
  FaspFecGoal worst = *asked, *goal = &worst;
  gdouble low = SHARE_LEAST, high = SHARE_AUTO_MAX;

  if (goal->block_rate <= 0) /* the stream begins */
    return SHARE_AUTO_MAX;
  /* the upper bound of the loss at 95 % confidence; if no loss was seen, by the rule of three */
  goal->loss += 2 * sqrt (goal->loss / goal->seen) + 3 / goal->seen;
  while (high > low * SHARE_STEP) {
    gdouble middle = sqrt (low * high);

    if (get_residual (fec, middle, goal) * goal->block_rate * goal->interval < 1)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* Bounds the share by the channel's room beside blocks and retransmissions. */
static void
bound_share (FaspFec *fec, const FaspFecGoal *goal)
{
  gdouble room = goal->channel == 0 || goal->data_rate <= 0 ?
      SHARE_AUTO_MAX :
      goal->channel / goal->data_rate - 1 - goal->loss;

  if (goal->latency > 0 && goal->waits > WAITS_SHARE * goal->latency)
    fec->most = MOST_LESS * MIN (fec->most, fec->share);
  else
    fec->most *= MOST_MORE;
  fec->most = CLAMP (MIN (fec->most, room), SHARE_LEAST, SHARE_AUTO_MAX);
  fec->share = MIN (fec->chosen, fec->most);
}

static guint
get_window (const FaspFec *fec, const FaspFecGoal *goal)
{
  gdouble repaired = fec->share * goal->data_rate / 8;
  gdouble cached = CACHED * 8 * goal->block_rate / goal->data_rate;
  gdouble most = MAX (WORK_FETCHED / repaired, MIN (WORK / repaired, cached));

  return CLAMP (most, MIN (WINDOW_MIN, fec->window_max), fec->window_max);
}

void
fasp_fec_plan (FaspFec *fec, FaspTime now, const FaspFecGoal *goal)
{
  FaspTime rtx = goal->rtt + 4 * goal->jitter + RTX_MORE;

  if (fec->mode == FASP_FEC_OFF)
    return;
  fec->is_alone = goal->no_rtx
      || (goal->latency > 0 && goal->latency < rtx * (fec->is_alone ? RTX_FITS : RTX_DOES_NOT));
  fec->reach = goal->latency <= 0 ?
      REACH_UNKNOWN :
      CLAMP (goal->latency * REACH_SHARE, REACH_MIN, FASP_FEC_REACH_MAX);
  if (fec->mode == FASP_FEC_AUTO && !fec->is_alone) {
    if (fec->share > 0)
      fec->owed = FAREWELL;
    fec->share = 0;
  } else if (fec->mode == FASP_FEC_AUTO
      && (fec->share == 0 || goal->seen < SEEN_SOON || now - fec->planned >= PLAN_EVERY)) {
    /* not at each call, as it takes a millisecond */
    fec->chosen = choose_share (fec, goal);
    fec->planned = now;
  }
  if (fec->mode == FASP_FEC_AUTO && fec->is_alone)
    bound_share (fec, goal);
  if (fec->share > 0 && goal->data_rate > 0)
    fec->window = get_window (fec, goal);
}

void
fasp_fec_block_sent (FaspFec *fec)
{
  fec->owed += fec->share;
  fec->since++;
}

gboolean
fasp_fec_is_due (const FaspFec *fec, gboolean pause)
{
  if (fec->since == 0)
    return FALSE;
  if (fec->share <= 0)
    return fec->owed >= 1;
  return fec->owed >= 1 || (pause && fec->owed > -BORROWED_MAX);
}

guint64
fasp_fec_get_first (FaspFec *fec, FaspTime now, FaspStore *store, guint64 base, guint64 end)
{
  fec->from = MAX (fec->from, base);
  if (end > fec->window)
    fec->from = MAX (fec->from, end - fec->window);
  /* leave out blocks that are too old, but keep WINDOW_MIN: blocks may have waited
   * long before they were sent */
  while (fec->from + WINDOW_MIN < end
      && fasp_store_get (store, fec->from)->arrival < now - fec->reach)
    fec->from++;
  return fec->from = MIN (fec->from, end);
}

void
fasp_fec_repair_sent (FaspFec *fec)
{
  fec->owed--;
  fec->since = 0;
  fec->key++;
}

gboolean
fasp_fec_write (FaspFec *fec, FaspTime now, FaspStore *store, guint64 first, guint64 end,
    guint32 room, FaspWriter *w)
{
  const FaspBlock *blocks[FASP_FEC_WINDOW_MAX];
  guint32 longest = 0;
  guint8 *symbol;
  guint n = 0;

  for (guint64 i = first; i < end; i++) {
    blocks[n] = fasp_store_get (store, i);
    longest = MAX (longest, blocks[n]->size);
    n++;
    if (longest > room) {
      first = i + 1;
      longest = n = 0;
    }
  }
  fec->from = MAX (fec->from, first);
  if (n == 0)
    return FALSE;
  fasp_wire_write_repair (w, first, n, fec->key,
      fec->is_alone ? CLAMP ((now - blocks[0]->arrival) / FASP_MSEC, 0, G_MAXUINT16) : 0);
  symbol = fasp_write_room (w, FASP_SYMBOL_HEADER + longest);
  if (symbol != NULL)
    fasp_rlc_encode (blocks, n, fec->key, symbol);
  return TRUE;
}

void
fasp_fec_passed (FaspFec *fec, gboolean pause)
{
  fec->since = 0;
  if (!pause)
    fec->owed = MIN (fec->owed, 1);
}
