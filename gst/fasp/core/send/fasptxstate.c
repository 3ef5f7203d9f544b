/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptxstate.c: creating and freeing a sending half; its parts, its progress, and what the session
 * sets in it. */
#include "fasptxprivate.h"

FaspTx *
fasp_tx_new (FaspTime now, const FaspTxConfig *config)
{
  FaspTx *tx = g_new0 (FaspTx, 1);
  guint64 start = config->start;

  tx->store = config->store;
  tx->log = config->log;
  tx->sent_map = fasp_sent_map_new (start);
  fasp_sent_map_set_log (tx->sent_map, config->log);
  fasp_fec_init (&tx->fec, config->fec, config->fec_share, config->fec_window);
  tx->estimate = fasp_path_estimate_new (now, config->planner, config->interval, &config->latency,
      config->log);
  if (config->no_rtx)
    fasp_path_estimate_set_no_rtx (tx->estimate,
        tx->fec.mode != FASP_FEC_OFF ? FASP_FEC_REACH_MAX : 0);
  tx->view.cursor = start;
  tx->limit = fasp_store_get_units (tx->store, start) + MIN (config->window, FASP_WINDOW_MAX);
  tx->view.acked = tx->view.skip_to = start;
  tx->tail_time = FASP_NEVER;
  tx->tail_interval = FASP_TX_TAIL_FIRST;
  tx->view.peer = FASP_TX_TAKES;
  tx->heard = tx->advanced = tx->moved = now;
  return tx;
}

void
fasp_tx_free (FaspTx *tx)
{
  if (tx == NULL)
    return;
  fasp_sent_map_free (tx->sent_map);
  fasp_proactive_clear (&tx->copies);
  fasp_path_estimate_free (tx->estimate);
  g_free (tx);
}

FaspSentMap *
fasp_tx_get_sent_map (const FaspTx *tx)
{
  return tx->sent_map;
}

FaspPathEstimate *
fasp_tx_get_estimate (const FaspTx *tx)
{
  return tx->estimate;
}

FaspFec *
fasp_tx_get_fec (FaspTx *tx)
{
  return &tx->fec;
}

guint64
fasp_tx_get_limit (const FaspTx *tx)
{
  return tx->limit;
}

guint64
fasp_tx_get_window (const FaspTx *tx)
{
  guint64 units = fasp_store_get_units (tx->store, tx->view.cursor);

  return tx->limit > units ? tx->limit - units : 0;
}

guint64
fasp_tx_count_fresh (const FaspTx *tx)
{
  guint64 head = fasp_store_get_head (tx->store);

  return head - MIN (head, tx->view.cursor);
}

gboolean
fasp_tx_is_complete (const FaspTx *tx)
{
  return fasp_store_is_finished (tx->store) && tx->view.acked >= fasp_store_get_head (tx->store);
}

gboolean
fasp_tx_is_in_stream (const FaspTx *tx)
{
  return tx->view.acked >= MAX (tx->view.skip_to, fasp_store_get_tail (tx->store));
}

FaspTime
fasp_tx_get_fresh_time (const FaspTx *tx)
{
  return tx->fresh_time;
}

void
fasp_tx_set_fresh_time (FaspTx *tx, FaspTime time)
{
  tx->fresh_time = time;
}

void
fasp_tx_was_called (FaspTx *tx)
{
  tx->view.peer = FASP_TX_UNHEARD;
  tx->fresh_time = FASP_NEVER;
}

void
fasp_tx_opened (FaspTx *tx, FaspTime now)
{
  tx->heard = tx->advanced = tx->moved = now;
}

void
fasp_tx_excuse (FaspTx *tx, FaspTime span)
{
  tx->heard += span;
  tx->advanced += span;
  tx->moved += span;
}

void
fasp_tx_hold (FaspTx *tx, gboolean held)
{
  tx->held = held;
}

gboolean
fasp_tx_stands_by (const FaspTx *tx)
{
  return tx_stands_by (tx);
}

gboolean
fasp_tx_is_stalled (const FaspTx *tx)
{
  return tx->stall.is_on;
}

FaspTime
fasp_tx_get_stall_end (const FaspTx *tx)
{
  return tx->stall.end;
}
