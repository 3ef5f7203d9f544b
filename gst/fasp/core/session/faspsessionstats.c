/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionstats.c: the statistics of a session.
 */
#include "faspsessionprivate.h"

static void
get_tx_stats (const FaspSession *session, FaspSessionStats *stats)
{
  const FaspTx *tx = session->tx;
  const FaspTxCounts *counts = &fasp_tx_view (tx)->counts;
  const FaspPathEstimate *estimate = fasp_tx_get_estimate (tx);

  stats->sent.blocks = counts->blocks_sent;
  stats->sent.bytes = counts->payload_sent;
  stats->sent.blocks_rtx = counts->blocks_resent;
  stats->sent.bytes_rtx = counts->payload_resent;
  stats->sent.copies = counts->copies_sent;
  stats->sent.doubled = counts->blocks_doubled;
  stats->sent.not_doubled = counts->blocks_not_doubled;
  stats->sent.repairs = counts->repairs_sent;
  /* a member gets the group's repairs, which are not its own */
  stats->sent.fec_share = session->group.member.joined ? 0 : fasp_session_get_fec (session)->share;
  stats->pacing.rate = fasp_session_get_channel_rate (session);
  stats->pacing.missed = fasp_pacer_get_missed (&session->pacer);
  stats->pacing.queueing_delay = fasp_session_get_standing (session);
  stats->sent.lost = counts->lost;
  stats->path.loss = estimate->goal.path.loss;
  stats->path.back_loss = estimate->goal.path.back_loss;
  stats->latency.promised_interval = MIN (estimate->promise.interval, FASP_INTERVAL_MAX);
  stats->latency.skips = counts->skips_reported;
  stats->key_frames_wanted = counts->wanted;
  stats->delivery.blocks = counts->confirmed;
  stats->delivery.bytes = counts->payload_confirmed;
  stats->delivery.skipped = counts->skipped;
  stats->delivery.feedback = counts->feedback;
  stats->delivery.in_flight = fasp_tx_view (tx)->cursor - fasp_tx_view (tx)->acked;
  stats->delivery.queued = fasp_tx_count_fresh (tx);
  stats->delivery.window = fasp_tx_get_window (tx);
  memcpy (stats->rounds, counts->rounds, sizeof (stats->rounds));
}

/* Adds up the counters of all flows. */
static void
add_up (const FaspSession *session, FaspSessionStats *stats)
{
  for (guint i = 0; i < session->n_flows; i++) {
    const FaspFlow *flow = &session->flows[i];
    FaspGapCounters gap;

    fasp_gap_get_counters (flow->gap, &gap);
    stats->path.marked += fasp_session_is_controlled (session) ?
        session->paths.list[flow->path].rate->marked[i] :
        flow->marked;
    stats->received.lost += gap.lost;
    stats->received.bursts += gap.holes;
    stats->received.reordered += gap.reordered;
    stats->received.datagrams_duplicate += gap.refused;
    stats->path.reorder_delay = MAX (stats->path.reorder_delay, fasp_gap_get_delay (flow->gap));
  }
}

static void
add_up_group (const FaspSession *session, FaspSessionStats *stats)
{
  FaspGapCounters gap;

  stats->group.member = session->group.member.joined;
  if (session->group.receiver == NULL)
    return;
  fasp_gap_get_counters (session->group.receiver->gap, &gap);
  stats->group.member = !session->group.receiver->deaf;
  stats->group.datagrams = gap.received;
  stats->group.lost = gap.lost;
  stats->received.lost += gap.lost;
  stats->received.bursts += gap.holes;
  stats->received.reordered += gap.reordered;
  stats->received.datagrams_duplicate += gap.refused;
}

guint
fasp_session_get_flows (const FaspSession *session, FaspFlowStats *flows, guint max)
{
  for (guint i = 0; i < MIN (max, session->n_flows); i++) {
    const FaspFlow *flow = &session->flows[i];
    FaspGapCounters gap;

    fasp_gap_get_counters (flow->gap, &gap);
    flows[i] = (FaspFlowStats) {
      .address = flow->address,
      .usable = fasp_session_is_used (session, i),
      .datagrams_sent = flow->datagrams_sent,
      .wire_bytes_sent = flow->wire_sent,
      .datagrams_received = gap.received,
      .datagrams_lost = gap.lost,
      .bursts_lost = gap.holes,
      .datagrams_reordered = gap.reordered,
    };
    if (session->role == FASP_ROLE_SENDER) {
      FaspFlowTotals totals = fasp_sent_map_get_totals (fasp_tx_get_sent_map (session->tx), i);

      flows[i].weight = session->multipath.shares[i].weight;
      flows[i].rtt = totals.rtt;
      flows[i].datagrams_lost = totals.reported - MIN (totals.reported, totals.received);
      flows[i].bursts_lost = totals.holes;
    }
  }
  return session->n_flows;
}

/* Adds up what the flows of a path have sent, and lost. */
static void
add_up_flows (const FaspSession *session, const FaspPath *path, FaspPathStats *stats)
{
  for (guint64 left = path->flows; left != 0; left &= left - 1) {
    guint flow = __builtin_ctzll (left);
    FaspFlowTotals totals = fasp_sent_map_get_totals (fasp_tx_get_sent_map (session->tx), flow);

    stats->flows++;
    stats->datagrams_sent += session->flows[flow].datagrams_sent;
    stats->wire_bytes_sent += session->flows[flow].wire_sent;
    stats->datagrams_lost += totals.reported - MIN (totals.reported, totals.received);
  }
}

guint
fasp_session_get_paths (FaspSession *session, FaspTime now, FaspPathStats *stats, guint max)
{
  guint n = session->paths.n;
  guint64 sum = 0;

  for (guint i = 0; i < n; i++) {
    fasp_meter_add (&session->paths.list[i].send, now, 0);
    sum += session->paths.list[i].send.rate;
  }
  for (guint i = 0; i < MIN (max, n); i++) {
    const FaspPath *path = &session->paths.list[i];

    stats[i] = (FaspPathStats) {
      .address = path->address,
      .usable = fasp_session_uses_path (session, path),
      .rate = path->rate != NULL ? path->rate->rate : 0,
      .send_rate = path->send.rate,
      .share = (gdouble) path->send.rate / MAX (sum, 1),
      .queueing_delay = fasp_path_get_queue (path),
      .rtt = path->rtt.measured ? path->rtt.smoothed : 0,
      .rtt_min = path->rtt.measured ? path->rtt.min : 0,
      .bytes_in_flight =
          path->rate != NULL ? fasp_rate_get_in_flight (path->rate, path->wire_sent) : 0,
    };
    add_up_flows (session, path, &stats[i]);
  }
  return n;
}

void
fasp_session_get_stats (FaspSession *session, FaspTime now, FaspSessionStats *stats)
{
  memset (stats, 0, sizeof (*stats));
  fasp_meter_add (&session->traffic.send, now, 0);
  fasp_meter_add (&session->traffic.receive, now, 0);
  stats->session = session->id;
  stats->address = *fasp_session_get_address (session);
  stats->flows = session->n_flows;
  stats->n_paths = session->paths.n;
  stats->interrupted = session->liveness.interrupted;
  stats->latency.ms = fasp_session_get_latency (session, now);
  stats->path.rtt = session->rtt.smoothed;
  stats->path.rtt_min = session->rtt.min;
  stats->path.rtt_variation = session->rtt.variation;
  stats->path.datagram_size = session->sizes.room + fasp_session_get_overhead (session);
  stats->cipher = session->priv->keys.cipher;
  stats->peer = session->peer;
  stats->sent.datagrams = session->traffic.datagrams_sent;
  stats->sent.wire_bytes = session->traffic.wire_sent;
  stats->sent.rate = session->traffic.send.rate;
  stats->received.datagrams = session->traffic.datagrams_received;
  stats->received.wire_bytes = session->traffic.wire_received;
  stats->received.rate = session->traffic.receive.rate;
  add_up (session, stats);
  add_up_group (session, stats);
  if (session->role == FASP_ROLE_SENDER) {
    get_tx_stats (session, stats);
  } else {
    fasp_rx_get_stats (session->rx, stats);
    stats->latency.promised_interval = session->promise.interval;
  }
  stats->received.duplicates =
      stats->received.datagrams_duplicate + stats->received.blocks_duplicate;
  /* skips are counted in seconds, so the interval is at least 1, even if the stream came faster
   * than that */
  if (stats->latency.skips > 0)
    stats->latency.observed_interval =
        MAX (1, (now - session->liveness.opened) / FASP_SEC / stats->latency.skips);
}
