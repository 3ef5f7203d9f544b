/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspgap.h"

#define WORDS (FASP_GAP_WINDOW / 64)
/* Settled holes are remembered for this long, to recognise late packets. */
#define REMEMBER (2 * FASP_SEC)
#define HALVE_AFTER (10 * FASP_SEC)
/* If the number of the first packet is below this, the packets before it are missing, unless they
 * were for other members of the group. */
#define FIRST_MAX 64

typedef struct
{
  guint64 first, last; /* missing packet numbers */
  FaspTime seen;
} Hole;

struct _FaspGap
{
  gboolean joins, started;
  guint64 largest;
  FaspTime largest_time;
  guint64 announced;          /* number of the next packet, announced by the sender */
  guint64 window[WORDS];      /* bit pn % FASP_GAP_WINDOW: arrived */
  Hole holes[FASP_GAP_HOLES]; /* ascending */
  guint n_holes, n_closed;    /* the first n_closed holes are settled */
  guint64 n_settled;          /* holes settled so far */
  FaspTime recovery_time;
  FaspTime delay, delay_time; /* the reorder delay, µs; time when it was last halved or needed */
  FaspTime delay_most;        /* bound of the delay */
  FaspGapCounters counters;
};

FaspGap *
fasp_gap_new (void)
{
  FaspGap *gap = g_new0 (FaspGap, 1);

  gap->delay = FASP_GAP_DELAY_MIN;
  gap->delay_most = FASP_GAP_DELAY_MOST;
  return gap;
}

void
fasp_gap_join (FaspGap *gap)
{
  gap->joins = TRUE;
}

void
fasp_gap_free (FaspGap *gap)
{
  g_free (gap);
}

static inline gboolean
bit (const FaspGap *gap, guint64 pn)
{
  return gap->window[pn / 64 % WORDS] >> pn % 64 & 1;
}

static inline void
set_bit (FaspGap *gap, guint64 pn)
{
  gap->window[pn / 64 % WORDS] |= FASP_BIT (pn % 64);
}

static void
clear_bits (FaspGap *gap, guint64 from, guint64 to)
{
  if (to - from >= FASP_GAP_WINDOW) {
    memset (gap->window, 0, sizeof (gap->window));
    return;
  }
  for (guint64 pn = from; pn < to; pn++)
    gap->window[pn / 64 % WORDS] &= ~FASP_BIT (pn % 64);
}

/* --- holes -------------------------------------------------------------------- */

/* Settles the first open hole as lost. */
static void
settle (FaspGap *gap)
{
  const Hole *hole = &gap->holes[gap->n_closed++];

  gap->n_settled++;
  gap->counters.holes++;
  gap->counters.lost += hole->last - hole->first + 1;
}

static void
remove_hole (FaspGap *gap, guint i)
{
  gap->n_holes--;
  gap->n_closed -= i < gap->n_closed;
  memmove (&gap->holes[i], &gap->holes[i + 1], (gap->n_holes - i) * sizeof (Hole));
}

static Hole *
insert_hole (FaspGap *gap, guint i)
{
  if (gap->n_holes == FASP_GAP_HOLES) {
    if (gap->n_closed == 0)
      settle (gap);
    remove_hole (gap, 0);
    if (i > 0)
      i--;
  }
  memmove (&gap->holes[i + 1], &gap->holes[i], (gap->n_holes - i) * sizeof (Hole));
  gap->n_holes++;
  return &gap->holes[i];
}

static void
expire (FaspGap *gap, FaspTime now)
{
  guint forget = 0;

  while (gap->n_closed < gap->n_holes
      && gap->holes[gap->n_closed].seen + gap->delay + gap->recovery_time <= now)
    settle (gap);
  while (forget < gap->n_closed && gap->holes[forget].seen + REMEMBER <= now)
    forget++;
  if (forget > 0) {
    gap->n_holes -= forget;
    gap->n_closed -= forget;
    memmove (gap->holes, gap->holes + forget, gap->n_holes * sizeof (Hole));
  }
  if (gap->delay > FASP_GAP_DELAY_MIN && now - gap->delay_time >= HALVE_AFTER) {
    gap->delay = MAX (gap->delay / 2, FASP_GAP_DELAY_MIN);
    gap->delay_time = now;
  }
}

static guint
find_hole (const FaspGap *gap, guint64 pn)
{
  for (guint i = gap->n_holes; i > 0; i--)
    if (gap->holes[i - 1].first <= pn)
      return gap->holes[i - 1].last >= pn ? i - 1 : FASP_GAP_HOLES;
  return FASP_GAP_HOLES;
}

static FaspGapResult
fill (FaspGap *gap, FaspTime now, guint64 pn)
{
  guint i = find_hole (gap, pn);
  gboolean settled = i < gap->n_closed;
  Hole *hole = &gap->holes[i], before;
  FaspTime late;

  gap->counters.reordered++;
  if (i == FASP_GAP_HOLES) {
    /* the packet is so late that its hole is forgotten */
    if (gap->counters.lost > 0)
      gap->counters.lost--;
    gap->counters.holes = MIN (gap->counters.holes, gap->counters.lost);
    return FASP_GAP_SPURIOUS;
  }
  before = *hole;
  gap->counters.lost -= settled;
  if (before.first == before.last) {
    gap->counters.holes -= settled;
    remove_hole (gap, i);
  } else if (pn == before.first) {
    hole->first++;
  } else if (pn == before.last) {
    hole->last--;
  } else {
    gap->counters.holes += settled;
    hole->last = pn - 1;
    hole = insert_hole (gap, i + 1);
    gap->n_closed += settled;
    *hole = before;
    hole->first = pn + 1;
  }
  late = (now - before.seen) * 5 / 4;
  /* half of the delay would have been too short */
  if (late > gap->delay / 2)
    gap->delay_time = now;
  if (!settled)
    return FASP_GAP_LATE;
  gap->delay = CLAMP (MAX (gap->delay, late), FASP_GAP_DELAY_MIN, gap->delay_most);
  return FASP_GAP_SPURIOUS;
}

/* --- packets ------------------------------------------------------------------------ */

gboolean
fasp_gap_is_refused (const FaspGap *gap, guint64 pn)
{
  if (!gap->started || pn > gap->largest)
    return FALSE;
  return gap->largest - pn >= FASP_GAP_WINDOW || bit (gap, pn);
}

FaspGapResult
fasp_gap_receive (FaspGap *gap, FaspTime now, guint64 pn)
{
  guint64 next;
  Hole *hole;

  if (fasp_gap_is_refused (gap, pn)) {
    gap->counters.refused++;
    return FASP_GAP_REFUSED;
  }
  expire (gap, now);
  gap->counters.received++;
  if (gap->started && pn < gap->largest) {
    set_bit (gap, pn);
    return fill (gap, now, pn);
  }
  next = gap->started ? gap->largest + 1 : pn < FIRST_MAX && !gap->joins ? 0 : pn;
  clear_bits (gap, next, pn + 1);
  set_bit (gap, pn);
  if (!gap->started && next > 0) {
    /* refuses packets before the first one, which are not counted */
    memset (gap->window, 0xff, sizeof (gap->window));
  }
  gap->started = TRUE;
  gap->largest = pn;
  gap->largest_time = now;
  if (pn == next)
    return FASP_GAP_NEXT;
  hole = insert_hole (gap, gap->n_holes);
  *hole = (Hole) { next, pn - 1, now };
  return FASP_GAP_HOLE;
}

gboolean
fasp_gap_is_started (const FaspGap *gap)
{
  return gap->started;
}

guint64
fasp_gap_get_largest (const FaspGap *gap)
{
  return gap->largest;
}

FaspTime
fasp_gap_get_largest_time (const FaspGap *gap)
{
  return gap->largest_time;
}

guint64
fasp_gap_get_expected (const FaspGap *gap)
{
  return MAX (gap->largest, gap->announced);
}

void
fasp_gap_expect (FaspGap *gap, guint64 pn)
{
  gap->announced = MAX (gap->announced, pn);
}

static const Hole *
first_open (const FaspGap *gap)
{
  return gap->n_closed < gap->n_holes ? &gap->holes[gap->n_closed] : NULL;
}

gboolean
fasp_gap_get_settled (FaspGap *gap, FaspTime now, guint64 *settled)
{
  const Hole *hole;

  expire (gap, now);
  if (!gap->started)
    return FALSE;
  hole = first_open (gap);
  if (hole != NULL && hole->first == 0)
    return FALSE;
  *settled = hole != NULL ? hole->first - 1 : gap->largest;
  return TRUE;
}

guint64
fasp_gap_count_settled (const FaspGap *gap)
{
  return gap->n_settled;
}

FaspTime
fasp_gap_get_timeout (const FaspGap *gap)
{
  const Hole *hole = first_open (gap);

  return hole != NULL ? hole->seen + gap->delay + gap->recovery_time : FASP_NEVER;
}

void
fasp_gap_set_recovery_time (FaspGap *gap, FaspTime recovery_time)
{
  gap->recovery_time = recovery_time;
}

void
fasp_gap_set_spare (FaspGap *gap, FaspTime spare)
{
  gap->delay_most = MAX (spare / 2, FASP_GAP_DELAY_MOST);
  gap->delay = MIN (gap->delay, gap->delay_most);
}

FaspTime
fasp_gap_get_delay (const FaspGap *gap)
{
  return gap->delay;
}

void
fasp_gap_get_counters (const FaspGap *gap, FaspGapCounters *counters)
{
  *counters = gap->counters;
}
