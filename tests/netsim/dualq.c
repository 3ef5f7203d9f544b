/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dualq.h"

/* RFC 9332, figure 2 */
#define TARGET 15000
#define RTT_MAX .1
#define UPDATE 15000                          /* MIN (TARGET, RTT_MAX / 3) */
#define ALPHA (.1 * .015 / RTT_MAX / RTT_MAX) /* Hz */
#define BETA (.3 / RTT_MAX)                   /* Hz */
#define COUPLING 2.
#define RAMP_LEAST 800
#define RAMP 400
/* The scheduler of Linux's sch_dualpi2: the classic queue gets a tenth if both have packets. */
#define CLASSIC_SHARE 10
#define L4S_SHARE 90
#define CREDIT_MOST 150000 /* 10 packets of 1500 bytes and their weight, either way */

void
dualq_update (Dualq *d, gint64 now, const gint64 heads[DUALQ_QUEUES])
{
  gint64 head = MIN (heads[DUALQ_CLASSIC], heads[DUALQ_L4S]);

  /* an idle queue is empty, for however long */
  if (d->update + 100 * RTT_MAX * 1e6 < now && head == G_MAXINT64)
    *d = (Dualq) { .update = now };
  for (; d->update <= now; d->update += UPDATE) {
    gint64 wait = head < d->update ? d->update - head : 0;

    d->p += (ALPHA * (wait - TARGET) + BETA * (wait - d->wait)) / 1e6;
    d->p = CLAMP (d->p, 0, 1);
    d->wait = wait;
  }
}

DualqQueue
dualq_choose (Dualq *d, const gsize sizes[DUALQ_QUEUES])
{
  DualqQueue queue;

  if (sizes[DUALQ_L4S] == 0 || sizes[DUALQ_CLASSIC] == 0)
    return sizes[DUALQ_L4S] > 0 ? DUALQ_L4S : DUALQ_CLASSIC;
  queue = d->credit <= 0 ? DUALQ_L4S : DUALQ_CLASSIC;
  d->credit += queue == DUALQ_L4S ? (gint) sizes[queue] * CLASSIC_SHARE / 10 :
                                    -(gint) sizes[queue] * L4S_SHARE / 10;
  d->credit = CLAMP (d->credit, -CREDIT_MOST, CREDIT_MOST);
  return queue;
}

static gboolean
recur (Dualq *d, DualqQueue queue, gdouble likelihood)
{
  d->counts[queue] += likelihood;
  if (d->counts[queue] <= 1)
    return FALSE;
  d->counts[queue]--;
  return TRUE;
}

DualqVerdict
dualq_judge (Dualq *d, DualqQueue queue, gint64 wait, gboolean alone, gboolean ecn)
{
  gdouble ramp = alone ? 0 : CLAMP ((wait - RAMP_LEAST) / (gdouble) RAMP, 0, 1);
  gdouble classic = d->p * d->p, coupled = COUPLING * d->p;
  gboolean overloaded = coupled >= 1;

  if (queue == DUALQ_CLASSIC)
    return !recur (d, queue, classic) ? DUALQ_PASS : ecn && !overloaded ? DUALQ_MARK : DUALQ_DROP;
  if (overloaded && recur (d, DUALQ_CLASSIC, classic))
    return DUALQ_DROP;
  return recur (d, queue, MIN (MAX (ramp, coupled), 1)) ? DUALQ_MARK : DUALQ_PASS;
}
