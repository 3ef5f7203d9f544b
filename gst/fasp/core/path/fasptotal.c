/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptotal.h"

void
fasp_total_init (FaspTotal *total, guint64 rate)
{
  *total = (FaspTotal) { 0 };
  fasp_pacer_init (&total->pacer, rate, fasp_pacer_choose_burst (rate, 0));
}

void
fasp_total_clear (FaspTotal *total)
{
  fasp_fair_queue_clear (&total->networks);
}

void
fasp_total_share_init (FaspTotalShare *share, gpointer owner)
{
  *share = (FaspTotalShare) { .owner = owner, .member.item.owner = share };
}

void
fasp_total_set_rate (FaspTotal *total, FaspTime now, guint64 rate)
{
  fasp_pacer_set_rate (&total->pacer, now, rate, fasp_pacer_choose_burst (rate, 0));
}

gboolean
fasp_total_lets (const FaspTotal *total, const FaspTotalShare *share, FaspTime now, gsize bytes)
{
  gint64 slack = total->pacer.burst;

  return share->network == NULL
      || (fasp_pacer_get_time (&total->pacer, now, bytes) <= now
          && fasp_fair_queue_lets (&total->networks, &share->network->member, slack)
          && fasp_fair_queue_lets (&share->network->queue, &share->member, slack));
}

void
fasp_total_wait (FaspTotal *total, FaspTotalShare *share, gsize bytes)
{
  share->bytes = bytes;
  share->has_waited = TRUE;
  fasp_fair_queue_wait (&share->network->queue, &share->member);
  fasp_fair_queue_wait (&total->networks, &share->network->member);
}

void
fasp_total_leave (FaspTotal *total, FaspTotalShare *share)
{
  if (!fasp_total_waits (share))
    return;
  fasp_fair_queue_leave (&share->network->queue, &share->member);
  if (fasp_fair_queue_peek (&share->network->queue) == NULL)
    fasp_fair_queue_leave (&total->networks, &share->network->member);
}

gpointer
fasp_total_get_next (const FaspTotal *total, FaspTime now, FaspTime *when)
{
  const FaspFairGroup *network = fasp_fair_queue_peek (&total->networks);
  const FaspTotalShare *share;

  if (network == NULL)
    return NULL;
  share = fasp_fair_queue_peek (&network->queue);
  *when = fasp_pacer_get_wake (&total->pacer, now, share->bytes);
  return share->owner;
}

void
fasp_total_sent (FaspTotal *total, FaspTotalShare *share, FaspTime now, gsize bytes)
{
  fasp_pacer_sent (&total->pacer, now, bytes);
  if (share == NULL || share->network == NULL)
    return;
  fasp_fair_queue_used (&total->networks, &share->network->member, bytes);
  fasp_fair_queue_used (&share->network->queue, &share->member, bytes);
}
