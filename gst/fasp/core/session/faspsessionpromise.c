/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionpromise.c: the latency that a sender promises, and the counts from which it is
 * chosen. */
#include "faspsessionprivate.h"

/* The interval between two PROMISEs: usually, and while the peer does not know the latency. */
#define PROMISE_EVERY FASP_SEC
#define PROMISE_AGAIN (20 * FASP_MSEC)
/* At most this many datagrams are taken as evidence of the recent loss. */
#define LOSS_SEEN_MAX 20000

/* With flow-assignment=duplicate: fills in the counts of all flows together. */
static void
count_doubled (FaspSession *session, FaspTime now, FaspPathEstimateCounts *counts)
{
  FaspOriginals originals = fasp_sent_map_get_originals (fasp_tx_get_sent_map (session->tx));
  FaspTime least = FASP_NEVER, most = 0;

  counts->originals = originals.blocks;
  counts->originals_lost = originals.lost;
  counts->originals_holes = originals.holes;
  counts->doubled = fasp_multipath_count (&session->multipath) > 1;
  counts->all_lose = counts->all_stay = 1;
  for (guint i = 0; i < session->n_flows; i++) {
    FaspFlowTotals totals = fasp_sent_map_get_totals (fasp_tx_get_sent_map (session->tx), i);
    FaspFlow *flow = &session->flows[i];
    gdouble loss, stay;

    fasp_loss_update (&flow->loss, now, totals.reported,
        totals.reported - MIN (totals.reported, totals.received), totals.holes);
    if (!fasp_session_is_used (session, i))
      continue;
    fasp_loss_get (&flow->loss, &loss, &stay);
    counts->all_lose *= loss;
    counts->all_stay *= stay;
    if (totals.rtt > 0) {
      least = MIN (least, totals.rtt);
      most = MAX (most, totals.rtt);
    }
  }
  counts->apart = counts->doubled ? MAX (most - least, 0) : 0;
}

/* Collects the counts from which the path is estimated. */
static void
count (FaspSession *session, FaspTime now, FaspPathEstimateCounts *counts)
{
  FaspGroupSent group =
      fasp_multicast_sender_get_sent (session->group.sender, &session->group.member);

  memset (counts, 0, sizeof *counts);
  for (guint i = 0; i < session->n_flows; i++) {
    FaspGapCounters back;

    fasp_gap_get_counters (session->flows[i].gap, &back);
    counts->back_received += back.received;
    counts->back_lost += back.lost;
    counts->back_holes += back.holes;
  }
  counts->datagrams = session->traffic.datagrams_sent + group.datagrams;
  counts->wire = session->traffic.wire_sent + group.wire;
  counts->blocks = fasp_tx_view (session->tx)->counts.blocks_sent;
  counts->block_wire = session->traffic.block_wire + group.block_wire;
  counts->back_wire = session->traffic.wire_received;
  counts->channel = fasp_session_get_channel_rate (session);
  counts->back_rate = session->priv->feedback_rate.rate;
  if (session->flow_choice.duplicates)
    count_doubled (session, now, counts);
  if (session->group.member.joined)
    counts->back_off = fasp_multicast_sender_get_back_off (session->group.sender);
}

/* Chooses the share of repairs, and the share of losses that is left to retransmissions. */
static void
plan_fec (FaspSession *session, FaspTime now)
{
  FaspPathEstimate *estimate = fasp_tx_get_estimate (session->tx);
  FaspFec *fec = fasp_tx_get_fec (session->tx);
  FaspFecGoal goal = {
    .latency = estimate->latency > 0 ? estimate->latency : estimate->assumed,
    .rtt = session->rtt.smoothed,
    .jitter = session->rtt.jitter,
    .no_rtx = estimate->no_rtx,
    .block_rate = estimate->block_rate,
    .data_rate = estimate->data_rate,
    .interval = estimate->interval,
    .seen = CLAMP (estimate->loss.packets, 1, LOSS_SEEN_MAX),
    .channel = fasp_session_get_channel_rate (session),
    .waits = fasp_tx_get_wait (session->tx, now),
  };
  gdouble before;

  if (!session->terms.has_fec)
    return;
  fasp_loss_get (&estimate->loss, &goal.loss, &goal.stay);
  before = fec->share;
  fasp_fec_plan (fec, now, &goal);
  if (fec->share != before)
    FASP_LOG (session->notes.log, now, FEC_PLANNED, FASP_LOG_SHARE (fec->share),
        FASP_LOG_SHARE (goal.loss), fec->is_alone);
  /* where lost blocks are also retransmitted, the promise counts on retransmissions for all
   * losses */
  fasp_path_estimate_set_residual (estimate,
      !fec->is_alone || goal.loss <= 0 ?
          1 :
          fasp_fec_get_residual (fasp_session_get_fec (session), &goal) / goal.loss);
}

void
fasp_session_write_position (FaspSession *session, FaspWriter *w, guint64 number)
{
  FaspStreamOffset position;

  if (number < fasp_store_get_tail (session->store))
    return;
  position = fasp_store_get_stream_offset (session->store, number);
  if (position.known && position.offset != FASP_OFFSET_UNKNOWN)
    fasp_wire_write_position (w, number, &position);
}

FaspTime
fasp_session_get_promise_time (const FaspSession *session, FaspTime now)
{
  if (!session->rtt.measured)
    return FASP_NEVER;
  return fasp_sooner (session->promise.time,
      fasp_path_estimate_get_timeout (fasp_tx_get_estimate (session->tx)));
}

gboolean
fasp_session_poll_promise (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  FaspPathEstimate *estimate = fasp_tx_get_estimate (session->tx);
  FaspPathEstimateCounts counts;
  FaspPacket p;

  if (!session->rtt.measured)
    return FALSE;
  /* counts the blocks that the group has sent to this member */
  if (session->group.member.joined)
    fasp_tx_follow_group (session->tx);
  if (now >= fasp_path_estimate_get_timeout (estimate)
      || fasp_path_estimate_begins (estimate, fasp_tx_view (session->tx)->counts.blocks_sent)) {
    count (session, now, &counts);
    plan_fec (session, now);
    if (fasp_path_estimate_look (estimate, now, &session->rtt, &counts)) {
      session->promise.changed = TRUE;
      session->promise.time = now;
    }
  }
  if (now < session->promise.time)
    return FALSE;
  session->promise.time = now
      + (estimate->find_latency && estimate->latency > 0 && estimate->peer_latency == 0 ?
              PROMISE_AGAIN :
              session->group.member.joined ? fasp_session_get_beat (session) :
                                             PROMISE_EVERY);
  fasp_packet_begin (&p, session, datagram, fasp_packet_pick_flow (session));
  fasp_wire_write_promise (&p.w, session->promise.serial++, estimate->latency / FASP_MSEC,
      MIN (estimate->promise.interval, FASP_INTERVAL_MAX), session->priv->feedback_rate.rate);
  if (fasp_tx_view (session->tx)->counts.skips_reported > 0 || session->terms.sends_offsets)
    fasp_session_write_position (session, &p.w, fasp_tx_view (session->tx)->cursor);
  fasp_session_write_next (session, now, &p.w);
  return fasp_packet_finish (&p, session, now, FASP_NO_BLOCK, FALSE);
}

void
fasp_session_handle_promise (FaspSession *session, FaspTime now, const FaspPromiseFrame *promise)
{
  guint64 before = session->promise.interval;

  /* a PROMISE overtaken by a newer one is ignored */
  if (promise->serial < session->promise.serial || promise->latency > FASP_LATENCY_MS_MAX)
    return;
  session->promise.serial = promise->serial;
  session->promise.interval = MIN (promise->interval, FASP_INTERVAL_MAX);
  fasp_feedback_bucket_set (&fasp_rx_get_feedback (session->rx)->bucket, promise->feedback_rate);
  if (fasp_rx_set_latency (session->rx, now, promise->latency * FASP_MSEC, "promised")
      || ABS ((gdouble) session->promise.interval - before)
          > .1 * MAX (before, session->promise.interval))
    session->promise.changed = TRUE;
}
