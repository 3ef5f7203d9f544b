/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspbudget.h"

#define PERIOD (10 * FASP_SEC)
#define LOOK_COUNT 4
#define QUEUE_SHORT (10 * FASP_MSEC)
#define QUEUE_LONG (30 * FASP_MSEC)
#define QUEUE_HUGE (100 * FASP_MSEC)

static void
look_again (FaspBudget * b, FaspTime now)
{
  b->look_from = now;
  b->look_way = b->way;
  b->look_least = FASP_NEVER;
  b->look_count = 0;
  b->look_bytes = 0;
}

static void
begin (FaspBudget * b, FaspTime now, guint32 clock, guint64 sent)
{
  b->rate = MAX (FASP_BUDGET_FIRST, sent / 8 / FASP_BUDGET_FIRST_SHARE);
  b->way = now - clock;
  b->least = b->least_before = b->way;
  b->period_from = b->wait_until = now;
  look_again (b, now);
}

static void
measure (FaspBudget * b, FaspTime now, guint32 clock, gsize size)
{
  guint32 way = (guint32) now - clock;

  b->way += (gint32) (way - (guint32) b->way);
  if (now - b->period_from > PERIOD) {
    b->least_before = b->least;
    b->least = b->way;
    b->period_from = now;
  }
  b->least = MIN (b->least, b->way);
  b->look_least = MIN (b->look_least, b->way);
  b->look_count++;
  b->look_bytes += size;
}

/* It is not to be seen before this what was done. */
static void
wait_for (FaspBudget * b, FaspTime now, FaspTime rtt, FaspTime queue)
{
  b->wait_until = now + rtt + queue + FASP_BUDGET_LOOK;
}

/* @passes: bytes/s that come. */
static void
cut (FaspBudget * b, guint64 passes, FaspTime queue, guint64 sent)
{
  guint64 rate = MIN (b->rate, passes);

  rate = queue > QUEUE_HUGE ? rate / 2 : rate * 3 / 4;
  b->rate_before = b->rate;
  b->rate = MAX (rate, MAX (FASP_BUDGET_LEAST,
          sent / 8 / FASP_BUDGET_LEAST_SHARE));
  b->found = TRUE;
  b->queue = 0;
}

/* That queue is not ours. */
static void
leave_it (FaspBudget * b)
{
  b->rate = b->rate_before;
  b->rate_before = 0;
  b->least = b->least_before = b->look_least;
}

/* There was a queue, and less is to be said since. */
static void
watch_queue (FaspBudget * b, FaspTime now, FaspTime queue, guint64 said,
    FaspTime rtt)
{
  b->disobeyed = said > b->rate * 5 / 4;
  if (!b->disobeyed && b->queue > 0 && queue > b->queue * 7 / 8) {
    leave_it (b);
    return;
  }
  if (!b->disobeyed)
    b->queue = queue;
  wait_for (b, now, rtt, queue);
}

static void
judge (FaspBudget * b, FaspTime now, FaspTime rtt, guint64 sent)
{
  FaspTime queue = b->look_least - MIN (b->least, b->least_before);
  FaspTime took = now - b->look_from;
  guint64 passes = b->look_bytes * FASP_SEC / took;
  guint64 said = b->look_bytes * FASP_SEC / MAX (took - (b->way -
          b->look_way), 1);

  if (queue > QUEUE_LONG) {
    if (b->rate_before > 0) {
      watch_queue (b, now, queue, said, rtt);
    } else {
      cut (b, passes, queue, sent);
      wait_for (b, now, rtt, queue);
    }
    return;
  }
  if (queue > QUEUE_SHORT)
    return;
  b->rate_before = 0;
  if (passes < b->rate / 2)
    return;
  b->rate = MIN (b->found ? b->rate * 9 / 8 : b->rate * 2, FASP_BUDGET_MOST);
  b->wait_until = now + rtt;
}

void
fasp_budget_feedback (FaspBudget * b, FaspTime now, guint32 clock,
    gsize size, guint flows, FaspTime rtt, guint64 sent)
{
  if (b->rate == 0) {
    begin (b, now, clock, sent);
    return;
  }
  measure (b, now, clock, size);
  if (b->look_count < LOOK_COUNT * flows
      || now - b->look_from < FASP_BUDGET_LOOK)
    return;
  if (now >= b->wait_until)
    judge (b, now, rtt, sent);
  look_again (b, now);
}

void
fasp_allowance_set (FaspAllowance * a, guint64 rate)
{
  if (rate > 0)
    a->rate = CLAMP (rate, FASP_BUDGET_LEAST, FASP_BUDGET_MOST);
}

void
fasp_allowance_spend (FaspAllowance * a, FaspTime now, gsize size)
{
  if (a->rate == 0)
    return;
  a->paid = MAX (a->paid, now) + size * FASP_SEC / a->rate;
  a->paid = MIN (a->paid, now + FASP_BUDGET_DEPTH + FASP_BUDGET_WAIT);
}

FaspTime
fasp_allowance_get_time (const FaspAllowance * a)
{
  return a->paid - FASP_BUDGET_DEPTH;
}
