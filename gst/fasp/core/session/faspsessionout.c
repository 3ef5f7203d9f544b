/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsessionprivate.h"

/* How often a PROMISE is sent: usually, and while the peer does not know the latency. */
#define PROMISE_EVERY FASP_SEC
#define PROMISE_AGAIN (20 * FASP_MSEC)
/* At most this many datagrams are taken as evidence of the recent loss. */
#define LOSS_SEEN_MAX 20000
/* The bytes of a TAIL on the wire, at most. */
#define QUESTION 96
/* A new block that has waited for longer is one that the log tells of, and so is the next one that
 * waited for less than half of it. */
#define LONG (100 * FASP_MSEC)

/* --- the promise ------------------------------------------------------------------------- */

/* What is to be known of flows that all carry each block. */
static void
count_doubled (FaspSession *session, FaspTime now, FaspPathEstimateCounts *counts)
{
  FaspOriginals originals = fasp_sent_map_get_originals (session->tx.sent_map);
  FaspTime least = FASP_NEVER, most = 0;

  counts->originals = originals.blocks;
  counts->originals_lost = originals.lost;
  counts->originals_holes = originals.holes;
  counts->doubled = fasp_multipath_count (&session->multipath) > 1;
  counts->all_lose = counts->all_stay = 1;
  for (guint i = 0; i < session->n_paths; i++) {
    FaspFlowTold told = fasp_sent_map_get_told (session->tx.sent_map, i);
    FaspPath *path = &session->paths[i];
    gdouble loss, stay;

    fasp_loss_update (&path->loss, now, told.told, told.told - MIN (told.told, told.received),
        told.holes);
    if (!fasp_session_is_used (session, i))
      continue;
    fasp_loss_get (&path->loss, &loss, &stay);
    counts->all_lose *= loss;
    counts->all_stay *= stay;
    if (told.rtt > 0) {
      least = MIN (least, told.rtt);
      most = MAX (most, told.rtt);
    }
  }
  counts->apart = counts->doubled ? MAX (most - least, 0) : 0;
}

/* Collects the figures that the outlook is made from. */
static void
count (FaspSession *session, FaspTime now, FaspPathEstimateCounts *counts)
{
  FaspGroupSent group =
      fasp_multicast_sender_get_sent (session->group.sender, &session->group.member);

  memset (counts, 0, sizeof *counts);
  for (guint i = 0; i < session->n_paths; i++) {
    FaspGapCounters back;

    fasp_gap_get_counters (session->paths[i].gap, &back);
    counts->back_received += back.received;
    counts->back_lost += back.lost;
    counts->back_holes += back.holes;
  }
  counts->datagrams = session->traffic.datagrams_sent + group.datagrams;
  counts->wire = session->traffic.wire_sent + group.wire;
  counts->blocks = session->tx.counts.blocks_sent;
  counts->block_wire = session->traffic.block_wire + group.block_wire;
  counts->back_wire = session->traffic.wire_received;
  counts->channel = fasp_session_get_channel_rate (session);
  counts->back_rate = session->feedback_rate.rate;
  if (session->flow_choice.duplicates)
    count_doubled (session, now, counts);
  if (session->group.member.joined)
    counts->back_off = fasp_multicast_sender_get_back_off (session->group.sender);
}

/* Decides how much the code is to repair, and how much is left to retransmissions. */
static void
plan_fec (FaspSession *session, FaspTime now)
{
  FaspPathEstimate *estimate = &session->tx.estimate;
  FaspTime latency = session->tx.estimate.latency;
  FaspFecGoal goal = {
    .latency = latency > 0 ? latency : estimate->assumed,
    .rtt = session->rtt.smoothed,
    .jitter = session->rtt.jitter,
    .no_rtx = session->tx.no_rtx,
    .block_rate = estimate->block_rate,
    .data_rate = estimate->data_rate,
    .interval = estimate->interval,
    .seen = CLAMP (estimate->loss.packets, 1, LOSS_SEEN_MAX),
    .channel = fasp_session_get_channel_rate (session),
    .waits = fasp_tx_get_wait (&session->tx, now),
  };
  gdouble before;

  if (!session->terms.has_fec)
    return;
  fasp_loss_get (&estimate->loss, &goal.loss, &goal.stay);
  before = session->tx.fec.share;
  fasp_fec_plan (&session->tx.fec, now, &goal);
  if (session->tx.fec.share != before)
    FASP_LOG (session->notes.log, now, FEC_PLANNED, FASP_LOG_SHARE (session->tx.fec.share),
        FASP_LOG_SHARE (goal.loss), session->tx.fec.is_alone);
  /* with retransmissions beside the code, the promise is made for these */
  estimate->residual = !session->tx.fec.is_alone || goal.loss <= 0 ?
      1 :
      fasp_fec_get_residual (fasp_session_get_fec (session), &goal) / goal.loss;
}

/* Adds a POSITION that says where block @number begins, if that is known. */
static void
write_position (FaspSession *session, FaspWriter *w, guint64 number)
{
  FaspStreamOffset place;

  if (number < fasp_store_get_tail (session->tx.store))
    return;
  place = fasp_store_get_offset_of (session->tx.store, number);
  if (place.known && place.offset != FASP_OFFSET_UNKNOWN)
    fasp_wire_write_position (w, number, &place);
}

/* Assesses the path again and tells the peer what to expect. */
static gboolean
poll_promise (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  FaspPathEstimate *estimate = &session->tx.estimate;
  FaspPathEstimateCounts counts;
  FaspPacket p;

  if (session->role != FASP_ROLE_SENDER || !session->rtt.measured)
    return FALSE;
  /* members speak seldom, and do not wait long for the latency to be found */
  if (session->group.member.joined)
    fasp_tx_follow_group (&session->tx);
  if (now >= fasp_path_estimate_get_timeout (estimate)
      || fasp_path_estimate_begins (estimate, session->tx.counts.blocks_sent)) {
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
      MIN (estimate->promise.interval, FASP_INTERVAL_MAX), session->feedback_rate.rate);
  if (session->tx.counts.skips_told > 0)
    write_position (session, &p.w, session->tx.cursor);
  fasp_session_write_next (session, now, &p.w);
  return fasp_packet_finish (&p, session, now, FASP_NO_BLOCK, FALSE);
}

/* Makes this member the speaker, who asks for what all members may lack. */
static gboolean
poll_speaker (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  FaspPacket p;

  if (!session->group.member.joined || now < session->group.member.speak_time)
    return FALSE;
  fasp_multicast_sender_told_speaker (&session->group.member, now);
  fasp_packet_begin (&p, session, datagram, fasp_packet_pick_flow (session));
  fasp_wire_write_group (&p.w, 1, 0,
      fasp_multicast_sender_get_clock (session->group.sender) / FASP_MSEC);
  return fasp_packet_finish (&p, session, now, FASP_NO_BLOCK, FALSE);
}

/* --- the stream --------------------------------------------------------------------------- */

static void
trace_sent (FaspSession *session, FaspTime now, const FaspDatagram *datagram,
    const FaspTxItem *item, guint32 payload)
{
  const FaspBlock *block;

  if (session->notes.trace->ring == NULL)
    return;
  block = fasp_store_get (session->tx.store, item->number);
  fasp_trace_add (session->notes.trace,
      &(FaspTraceEntry) {
          .time = now,
          .media_time = block->media_time,
          .block = item->number,
          .session = session->id,
          .full = datagram->size + datagram->to.overhead,
          .payload = payload,
          .round = item->round,
          .copy = item->copy,
          .fresh = item->round == 0,
      });
}

/* A block that was sent before takes a flow that has not carried it. */
static guint8
pick_for (FaspSession *session, const FaspTxItem *item)
{
  guint64 avoid = 0;

  if (session->n_paths == 1)
    return 0;
  if (item->kind == FASP_TX_BLOCK && item->index == 0) {
    if (item->round == 0 && item->copy == 0)
      session->flow_choice.doubled = 0;
    avoid = fasp_sent_map_get_carriers (session->tx.sent_map, item->number)
        | (item->round == 0 ? session->flow_choice.doubled : 0);
  }
  return fasp_multipath_pick (&session->multipath, avoid);
}

/* A TAIL reveals the last losses of the flow that it goes on. So one goes on each flow
 * whose newest datagram has not been reported, that of the last block first. */
static guint8
pick_for_tail (FaspSession *session, FaspTxItem *item)
{
  guint64 last = G_GUINT64_CONSTANT (1) << session->flow_choice.last;
  guint64 among = fasp_sent_map_get_untold (session->tx.sent_map) & session->multipath.usable
      & ~session->flow_choice.tailed;

  if (session->n_paths == 1)
    return 0;
  item->count = MAX (1, __builtin_popcountll (among));
  return fasp_multipath_pick (&session->multipath, ~(among & last ? last : among));
}

/* May a datagram leave, as far as the rate is concerned? */
static gboolean
is_ready (const FaspSession *session, FaspTime now)
{
  return fasp_pacer_get_time (&session->pacer, now, session->sizes.wire_max) <= now;
}

/* Does a group's pace hold back what a member is to get? */
static gboolean
waits_for_group (const FaspSession *session, FaspTime now, const FaspTxItem *item)
{
  return item->kind == FASP_TX_BLOCK && session->group.member.joined
      && fasp_multicast_sender_get_ready (session->group.sender, now) > now;
}

/* Had nothing to send for a while, which nobody saw: the next block has come when the rate would
 * have allowed it already. */
static gboolean
was_dry (const FaspSession *session, const FaspTxItem *item)
{
  return item->kind == FASP_TX_BLOCK && item->round == 0 && item->copy == 0 && item->index == 0
      && is_ready (session, fasp_store_get (session->tx.store, item->number)->arrival);
}

/* Tells the controller whether the session has nothing to send, though the rate allows it.  @item
 * is what comes next. */
static void
tell_dry (FaspSession *session, FaspTime now, const FaspTxItem *item)
{
  gboolean empty = item->kind == FASP_TX_NOTHING || item->kind == FASP_TX_TAIL;

  if (session->rate_control.rate == NULL)
    return;
  if (was_dry (session, item))
    fasp_rate_set_dry (session->rate_control.rate, now, TRUE);
  /* a new block may wait for its turn, beside other sessions */
  fasp_rate_set_dry (session->rate_control.rate, now,
      waits_for_group (session, now, item) || (empty && !fasp_tx_has_fresh (&session->tx)));
}

static FaspTxItem
get_next (FaspSession *session, FaspTime now)
{
  return fasp_tx_next (&session->tx, now, &session->rtt, session->sizes.room,
      fasp_session_get_unused (session, now));
}

/* A new block leaves: has it waited for long, or is that over? */
static void
log_waiting (FaspSession *session, FaspTime now, guint64 block)
{
  FaspLog *log = session->notes.log;
  const FaspTx *tx = &session->tx;
  FaspTime waited;

  if (log == NULL)
    return;
  waited = now - fasp_store_get (tx->store, block)->arrival;
  if (waited > LONG && fasp_log_turns (log, FASP_LOG_IS_BEHIND, TRUE))
    FASP_LOG (log, now, SENDING_BEHIND, block, waited, fasp_store_get_head (tx->store) - block,
        fasp_session_get_channel_rate (session),
        FASP_LOG_WORD (fasp_tx_has_fresh (tx) ? "rate" : "window"));
  else if (waited < LONG / 2 && fasp_log_turns (log, FASP_LOG_IS_BEHIND, FALSE))
    FASP_LOG (log, now, SENDING_CAUGHT_UP, block, waited);
}

static gboolean
poll_stream (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  guint64 block = FASP_NO_BLOCK;
  guint32 payload = 0;
  FaspTxItem item;
  FaspPacket p;

  if (session->role != FASP_ROLE_SENDER)
    return FALSE;
  item = get_next (session, now);
  tell_dry (session, now, &item);
  if (item.kind == FASP_TX_NOTHING || waits_for_group (session, now, &item))
    return FALSE;
  fasp_packet_begin (&p, session, datagram,
      item.kind == FASP_TX_TAIL ? pick_for_tail (session, &item) : pick_for (session, &item));
  switch (item.kind) {
    case FASP_TX_BLOCK:
      block = item.number;
      payload = fasp_wire_write_data (&p.w, fasp_store_get (session->tx.store, block), item.round,
          item.copy, item.index, item.count);
      break;
    case FASP_TX_REPAIR:
      if (!fasp_fec_write (&session->tx.fec, now, session->tx.store, item.number, item.end,
              fasp_session_get_room (session), &p.w)) {
        fasp_fec_passed (&session->tx.fec, FALSE);
        return FALSE;
      }
      break;
    case FASP_TX_TAIL:
      fasp_wire_write_number (&p.w, FASP_FRAME_TAIL, item.number);
      break;
    case FASP_TX_SKIP:
      write_position (session, &p.w, item.number);
      fasp_wire_write_number (&p.w, FASP_FRAME_SKIP, item.number);
      break;
    case FASP_TX_NOTHING:
      break;
  }
  if (!fasp_packet_finish (&p, session, now, block, item.index > 0 || item.copy > 0))
    return FALSE;
  session->flow_choice.doubled |= G_GUINT64_CONSTANT (1) << p.flow;
  if (item.kind == FASP_TX_BLOCK && item.round == 0 && item.copy == 0)
    log_waiting (session, now, block);
  if (item.kind == FASP_TX_TAIL && item.count > 1)
    session->flow_choice.tailed |= G_GUINT64_CONSTANT (1) << p.flow;
  else
    session->flow_choice.tailed = 0;
  if (block != FASP_NO_BLOCK) {
    session->flow_choice.last = p.flow;
    trace_sent (session, now, datagram, &item, payload);
    if (session->group.member.joined)
      fasp_multicast_sender_used (session->group.sender, now,
          datagram->size + datagram->to.overhead);
    session->sizes.largest_sent =
        MAX (session->sizes.largest_sent, fasp_store_get (session->tx.store, block)->size);
    if (item.round == 0)
      session->traffic.block_wire += datagram->size + datagram->to.overhead;
  }
  if (item.copy > 0 && item.round > 0)
    fasp_pacer_use (&session->pacer, datagram->size + datagram->to.overhead);
  fasp_tx_sent (&session->tx, now, &session->rtt, &item);
  if (session->tx.unheard && block != FASP_NO_BLOCK)
    session->tx.fresh_time = FASP_NEVER; /* until it has another turn */
  if (session->flow_choice.duplicates && item.kind == FASP_TX_BLOCK && item.round == 0
      && item.copy == 0)
    fasp_tx_double (&session->tx, fasp_session_get_times (session) - 1);
  return TRUE;
}

static gboolean
poll_close (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  FaspPacket p;

  if (now < session->closing.time)
    return FALSE;
  fasp_packet_begin (&p, session, datagram, fasp_packet_pick_flow (session));
  /* the last state of what arrived goes with it */
  if (session->role == FASP_ROLE_RECEIVER)
    fasp_session_write_feedback (session, now, &p.w);
  fasp_wire_write_close (&p.w, session->closing.reason, session->closing.text);
  session->closing.time = session->state == FASP_SESSION_CLOSED ?
      FASP_NEVER :
      now + CLAMP (session->rtt.smoothed / 2, 10 * FASP_MSEC, 100 * FASP_MSEC);
  return fasp_packet_finish (&p, session, now, FASP_NO_BLOCK, FALSE);
}

/* When a controller's question may leave. */
FaspTime
fasp_session_get_question_time (const FaspSession *session, FaspTime now)
{
  if (session->rate_control.rate == NULL || !session->rate_control.rate->asks
      || session->group.member.joined)
    return FASP_NEVER;
  return fasp_pacer_get_time (&session->pacer, now, QUESTION);
}

/* Asks for FEEDBACK on what has left so far: a controller waits for it. */
static gboolean
poll_question (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  FaspPacket p;

  if (fasp_session_get_question_time (session, now) > now)
    return FALSE;
  session->rate_control.rate->asks = FALSE;
  session->rate_control.until = now;
  fasp_packet_begin (&p, session, datagram, fasp_packet_pick_flow (session));
  fasp_wire_write_number (&p.w, FASP_FRAME_TAIL, session->tx.cursor);
  return fasp_packet_finish (&p, session, now, FASP_NO_BLOCK, FALSE);
}

/* Gives the controller's rate to the pacer. */
static void
follow_rate (FaspSession *session, FaspTime now)
{
  guint64 before;
  FaspTxItem item;

  if (session->rate_control.rate == NULL || now < session->rate_control.until)
    return;
  /* it judges what has left so far by that */
  if (is_ready (session, now)) {
    item = get_next (session, now);
    tell_dry (session, now, &item);
  }
  before = session->rate_control.rate->rate;
  fasp_session_set_pace (session, now,
      fasp_rate_get (session->rate_control.rate, now, session->traffic.wire_sent,
          &session->rate_control.until));
  fasp_session_log_rate (session, now, before);
}

gboolean
fasp_session_poll (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  switch (session->state) {
    case FASP_SESSION_ASKING:
    case FASP_SESSION_HALF:
      return FALSE;
    case FASP_SESSION_CLOSING:
    case FASP_SESSION_CLOSED:
      return poll_close (session, now, datagram);
    case FASP_SESSION_OPEN:
      break;
  }
  if (!session->is_proved)
    return fasp_session_poll_pong (session, now, datagram)
        || fasp_session_poll_challenge (session, now, datagram);
  /* no key is used for more than twice the intended number of datagrams */
  if (session->keys.cipher != FASP_CIPHER_NONE
      && session->rekeying.datagrams >= 2 * session->rekeying.limit)
    fasp_session_close (session, now, FASP_REASON_STOPPED,
        "it never confirms that it has the new key");
  follow_rate (session, now);
  /* it is small, so it may leave before the next block */
  if (poll_question (session, now, datagram))
    return TRUE;
  if (session->role == FASP_ROLE_SENDER && !is_ready (session, now))
    return FALSE;
  if (session->role == FASP_ROLE_RECEIVER) {
    fasp_rx_recover (&session->rx, now);
    fasp_rx_give_up (&session->rx, now);
    fasp_rx_tell_key_frame (&session->rx, now);
  }
  return fasp_session_poll_pong (session, now, datagram)
      || fasp_session_poll_feedback (session, now, datagram)
      || fasp_session_poll_challenge (session, now, datagram)
      || fasp_session_poll_probe (session, now, datagram)
      || fasp_session_poll_ping (session, now, datagram)
      || fasp_session_poll_quiet (session, now, datagram) || poll_promise (session, now, datagram)
      || poll_speaker (session, now, datagram) || poll_stream (session, now, datagram);
}
