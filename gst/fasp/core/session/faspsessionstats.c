/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsessionprivate.h"

static void
get_tx_stats (const FaspSession * session, FaspSessionStats * stats)
{
  const FaspTx *tx = &session->tx;
  guint64 head = fasp_store_get_head (tx->store);

  stats->blocks_sent = tx->blocks_sent;
  stats->payload_bytes_sent = tx->payload_sent;
  stats->blocks_resent = tx->blocks_resent;
  stats->payload_bytes_resent = tx->payload_resent;
  stats->copies_sent = tx->copies_sent;
  stats->blocks_doubled = tx->blocks_doubled;
  stats->repairs_sent = tx->repairs_sent;
  /* a member gets the group's repairs, which are not its own */
  stats->fec_share = session->member.joined ? 0 : tx->fec.share;
  stats->channel_rate = fasp_session_get_channel_rate (session);
  stats->missed = fasp_pacer_get_missed (&session->pacer);
  stats->standing_queue = session->rate != NULL ? session->rate->standing : 0;
  stats->blocks_lost = tx->lost;
  stats->loss = tx->outlook.goal.path.loss;
  stats->back_loss = tx->outlook.goal.path.back_loss;
  stats->promised_interval = MIN (tx->outlook.promise.interval,
      FASP_INTERVAL_MAX);
  stats->skips = tx->skips_told;
  stats->key_frames_wanted = tx->wanted;
  stats->blocks_acknowledged = tx->confirmed;
  stats->payload_bytes_acknowledged = tx->payload_confirmed;
  stats->blocks_skipped = tx->skipped;
  stats->feedback_received = tx->feedback;
  stats->blocks_in_flight = tx->cursor - tx->acked;
  stats->blocks_queued = head > tx->cursor ? head - tx->cursor : 0;
  stats->window = fasp_tx_get_window (tx);
  memcpy (stats->rounds, tx->rounds, sizeof (stats->rounds));
}

static void
get_rx_stats (const FaspSession * session, FaspSessionStats * stats)
{
  const FaspRx *rx = &session->rx;

  stats->blocks_received = rx->blocks;
  stats->payload_bytes_received = rx->payload;
  stats->blocks_rex_received = rx->rexes;
  stats->blocks_duplicate = rx->duplicates;
  stats->repairs_received = rx->repairs;
  stats->blocks_recovered = rx->recovered;
  stats->blocks_too_late = rx->given_up;
  stats->feedback_sent = rx->report.count;
  stats->promised_interval = rx->promised;
  stats->skips = rx->skips;
  stats->key_frames_wanted = rx->key_frame.told;
  stats->sender_ppm = rx->skew.known ? -rx->skew.skew * 1e6 : 0;
  stats->clock_jumps = rx->clock.jumps;
  stats->buffer_blocks = fasp_reorder_get_highest (rx->reorder) -
      fasp_reorder_get_read (rx->reorder);
  stats->buffer_bytes = fasp_reorder_get_bytes (rx->reorder);
  memcpy (stats->rounds, rx->rounds, sizeof (stats->rounds));
}

/* Adds up the counters of all flows. */
static void
add_up (const FaspSession * session, FaspSessionStats * stats)
{
  for (guint i = 0; i < session->n_paths; i++) {
    const FaspPath *path = &session->paths[i];
    FaspGapCounters gap;

    fasp_gap_get_counters (path->gap, &gap);
    stats->marked += session->rate != NULL ? session->rate->marked[i] :
        path->marked;
    stats->datagrams_lost += gap.lost;
    stats->bursts_lost += gap.holes;
    stats->datagrams_reordered += gap.reordered;
    stats->datagrams_duplicate += gap.refused;
    stats->reorder_delay = MAX (stats->reorder_delay,
        fasp_gap_get_delay (path->gap));
  }
}

static void
add_up_group (const FaspSession * session, FaspSessionStats * stats)
{
  FaspGapCounters gap;

  stats->member = session->member.joined;
  if (session->hearing == NULL)
    return;
  fasp_gap_get_counters (session->hearing->gap, &gap);
  stats->member = !session->hearing->deaf;
  stats->group_datagrams = gap.received;
  stats->group_lost = gap.lost;
  stats->datagrams_lost += gap.lost;
  stats->bursts_lost += gap.holes;
  stats->datagrams_reordered += gap.reordered;
  stats->datagrams_duplicate += gap.refused;
}

guint
fasp_session_get_flows (const FaspSession * session, FaspFlowStats * flows,
    guint max)
{
  for (guint i = 0; i < MIN (max, session->n_paths); i++) {
    const FaspPath *path = &session->paths[i];
    FaspGapCounters gap;

    fasp_gap_get_counters (path->gap, &gap);
    flows[i] = (FaspFlowStats) {
    .address = path->address,.usable = fasp_session_is_used (session,
          i),.datagrams_sent = path->datagrams_sent,.wire_bytes_sent =
          path->wire_sent,.datagrams_received = gap.received,.datagrams_lost =
          gap.lost,.bursts_lost = gap.holes,.datagrams_reordered =
          gap.reordered};
    if (session->role == FASP_ROLE_SENDER) {
      FaspFlowTold told = fasp_repair_get_told (session->tx.repair, i);

      flows[i].weight = session->spread.shares[i].weight;
      flows[i].rtt = told.rtt;
      flows[i].datagrams_lost = told.told - MIN (told.told, told.received);
      flows[i].bursts_lost = told.holes;
    }
  }
  return session->n_paths;
}

void
fasp_session_get_stats (FaspSession * session, FaspTime now,
    FaspSessionStats * stats)
{
  memset (stats, 0, sizeof (*stats));
  fasp_meter_add (&session->send_meter, now, 0);
  fasp_meter_add (&session->receive_meter, now, 0);
  stats->session = session->id;
  stats->address = *fasp_session_get_address (session);
  stats->flows = session->n_paths;
  stats->interrupted = session->interrupted;
  stats->latency_ms = fasp_session_get_latency (session, now);
  stats->rtt = session->rtt.smoothed;
  stats->rtt_min = session->rtt.min;
  stats->rtt_variation = session->rtt.variation;
  stats->datagram_size = session->data_room +
      fasp_session_get_overhead (session);
  stats->cipher = session->cipher;
  stats->peer = session->peer;
  stats->datagrams_sent = session->datagrams_sent;
  stats->wire_bytes_sent = session->wire_sent;
  stats->send_rate = session->send_meter.rate;
  stats->datagrams_received = session->datagrams_received;
  stats->wire_bytes_received = session->wire_received;
  stats->receive_rate = session->receive_meter.rate;
  add_up (session, stats);
  add_up_group (session, stats);
  if (session->role == FASP_ROLE_SENDER)
    get_tx_stats (session, stats);
  else
    get_rx_stats (session, stats);
  /* a skip is a second, so there cannot be more of them; the stream may have come faster */
  if (stats->skips > 0)
    stats->observed_interval =
        MAX (1, (now - session->opened) / FASP_SEC / stats->skips);
}
