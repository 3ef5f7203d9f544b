/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptxgroup.c: the sending half of a member of a group, whose new blocks the group
 * sends: it joins, becomes deaf, leaves, and returns.
 */
#include "fasptxprivate.h"

/* A member may be deaf if it has not reported a packet that the group sent this long
 * ago, plus four round trips. */
#define DEAF_AFTER FASP_SEC

void
fasp_tx_follow_group (FaspTx *tx)
{
  guint64 next = fasp_sent_map_follow (tx->sent_map);

  if (next <= tx->view.cursor)
    return;
  tx->view.counts.blocks_sent += next - tx->view.cursor;
  tx->view.counts.payload_sent += fasp_store_count_bytes (tx->store, tx->view.cursor, next);
  tx->view.cursor = next;
}

void
fasp_tx_join (FaspTx *tx, FaspTime now, FaspGroupLog *log)
{
  tx->group.log = log;
  tx->group.past = NULL;
  tx->group.deaf_since = FASP_NEVER;
  tx->group.is_deaf = FALSE;
  fasp_sent_map_join (tx->sent_map, now, log);
  tx->tail_time = now;
  fasp_tx_follow_group (tx);
}

void
fasp_tx_leave (FaspTx *tx, FaspTime now)
{
  fasp_tx_follow_group (tx);
  tx->group.past = tx->group.log;
  tx->group.log = NULL;
  fasp_sent_map_leave (tx->sent_map);
  fasp_rejoin_left (&tx->group.rejoin, now);
  tx->tail_interval = FASP_TX_TAIL_FIRST;
  tx->tail_time = now + tx->tail_interval;
  if (tx->view.peer == FASP_TX_TAKES)
    tx->fresh_time = now;
}

/* A member is deaf only after DEAF_AFTER of feedback without news: the first feedback after an
 * outage may have been sent before newer packets arrived. */
void
fasp_tx_judge_hearing (FaspTx *tx, FaspTime now, const FaspRtt *rtt)
{
  if (fasp_sent_map_get_unheard (tx->sent_map) >= now - DEAF_AFTER - 4 * rtt->smoothed)
    tx->group.deaf_since = FASP_NEVER;
  else if (tx->group.deaf_since == FASP_NEVER)
    tx->group.deaf_since = now;
  tx->group.is_deaf =
      tx->group.deaf_since != FASP_NEVER && now - tx->group.deaf_since > rtt->smoothed;
}

gboolean
fasp_tx_was_member (const FaspTx *tx)
{
  return tx->group.past != NULL;
}

gboolean
fasp_tx_is_deaf (const FaspTx *tx)
{
  return tx->group.log != NULL && tx->group.is_deaf;
}

gboolean
fasp_tx_returns (FaspTx *tx, FaspTime now, const FaspRtt *rtt, const FaspGroupLog *log)
{
  guint64 pn, received;
  FaspTime sent;

  if (!fasp_sent_map_get_past (tx->sent_map, log, &pn, &received))
    return FALSE;
  /* when the packet after @pn left; 0: not remembered */
  sent = pn + 1 < fasp_group_log_get_pn (log) ? fasp_group_log_get_time (log, pn + 1) : now;
  return fasp_rejoin_feedback (&tx->group.rejoin, now,
      sent > 0 && sent >= now - DEAF_AFTER - 4 * rtt->smoothed, pn, received);
}

void
fasp_tx_overtake (FaspTx *tx, const FaspFeedback *feedback)
{
  guint64 reported = MAX (feedback->ack, feedback->end);
  guint64 next = fasp_group_log_get_next (tx->group.past), to = MIN (reported, next);

  if (to <= tx->view.cursor)
    return;
  fasp_sent_map_overtaken (tx->sent_map, to);
  tx->view.cursor = to;
}
