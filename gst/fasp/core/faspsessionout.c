/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsessionprivate.h"

/* Round trips are measured this often by who gets no feedback. */
#define PING_INTERVAL FASP_SEC
/* bit/s; at less, the eight probes of a search take longer than a third of a second */
#define PROBE_RATE_MIN 250000
/* The promise is told so often, and while the peer does not know it. */
#define PROMISE_EVERY FASP_SEC
#define PROMISE_AGAIN (20 * FASP_MSEC)
/* The peer is asked whether new keys may come at least so often. */
#define REKEY_WAIT_MAX (2 * FASP_SEC)
/* Of so many feedbacks one goes on a flow whether it is silent or not. */
#define SILENT_EVERY 4
/* A flow on which nothing has been heard for so long may carry nothing there either. */
#define NEXT_AFTER (10 * FASP_SEC)
/* Datagrams that the losses of late are known from, at most. */
#define LOSS_SEEN_MAX 20000

/* --- a datagram ------------------------------------------------------------------- */

/* One that is being written, on its flow. */
typedef struct
{
  guint8 flow;
  FaspPath *path;
  FaspDatagram *datagram;
  FaspWriter w;
} Letter;

static void
begin (FaspSession * session, Letter * l, FaspDatagram * datagram, guint8 flow)
{
  FaspSessionHeader header = { flow, fasp_sealer_get_phase (session->sealer),
    session->peer_id, session->paths[flow].next_pn
  };

  l->flow = flow;
  l->path = &session->paths[flow];
  l->datagram = datagram;
  l->w = (FaspWriter) {
  datagram->data, sizeof datagram->data -
        fasp_sealer_get_tag_size (session->sealer)};
  datagram->to = l->path->address;
  fasp_wire_write_session (&l->w, &header);
}

/* Not what goes to an address that the peer may have by now, or what is to end a silence: that may
 * be because of it. */
static gboolean
may_be_marked (FaspSession * session, const Letter * l)
{
  if (session->rate == NULL
      || !fasp_address_equal (&l->datagram->to, &l->path->address))
    return FALSE;
  if (session->tx.stalled) {
    fasp_ecn_restart (&l->path->ecn);
    return FALSE;
  }
  return fasp_ecn_mark (&l->path->ecn, l->path->next_pn);
}

/* Accounts; @block: what it carries, or FASP_NO_BLOCK. */
static gboolean
finish (FaspSession * session, FaspTime now, Letter * l, guint64 block,
    gboolean continued)
{
  FaspDatagram *datagram = l->datagram;
  FaspWriter *w = &l->w;
  gsize wire;

  if (!fasp_datagram_finish (datagram, session->sealer, l->flow,
          l->path->next_pn, w, w->payload_size > 0 ?
          fasp_store_get (session->tx.store, block) : NULL)) {
    g_critical ("a datagram is too large, or its number was used before");
    return FALSE;
  }
  datagram->ecn = may_be_marked (session, l);
  wire = datagram->size + datagram->to.overhead;
  l->path->next_pn++;
  l->path->datagrams_sent++;
  l->path->wire_sent += wire;
  if (++session->phase_datagrams == session->rekey_datagrams)
    session->rekey_time = MIN (session->rekey_time, now);
  session->spoken = now;
  session->datagrams_sent++;
  session->wire_sent += wire;
  fasp_meter_add (&session->send_meter, now, wire);
  if (session->role == FASP_ROLE_SENDER) {
    fasp_pacer_sent (&session->pacer, now, wire);
    if (session->rate != NULL)
      fasp_sent_log_add (&l->path->sent, l->path->next_pn - 1, now,
          session->wire_sent);
    fasp_repair_sent (session->tx.repair, now, l->flow, block, continued);
  }
  return TRUE;
}

/* The flow for what may go on any: what carries, as far as is known. */
static guint8
pick_flow (FaspSession * session)
{
  guint8 proved = 0;

  if (session->n_paths == 1)
    return 0;
  if (session->role == FASP_ROLE_SENDER)
    return fasp_spread_pick (&session->spread, 0);
  /* in turn: if one of them is dead, the next says the same; what is silent here
   * may be the only one that carries there */
  session->turns++;
  for (guint i = 1; i <= session->n_paths; i++) {
    guint8 flow = (session->turn + i) % session->n_paths;

    if (!session->paths[flow].proved)
      continue;
    proved = flow;
    if (!session->paths[flow].silent || session->turns % SILENT_EVERY == 0)
      break;
  }
  return session->turn = proved;
}

/* --- what it may hold ----------------------------------------------------------------- */

static gboolean
poll_pong (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  const FaspPong *pong;
  Letter l;

  if (session->n_pongs == 0)
    return FALSE;
  pong = &session->pongs[--session->n_pongs];
  begin (session, &l, datagram, pong->flow);
  /* back to where it came from: that is what the challenge is about */
  datagram->to = pong->to;
  fasp_wire_write_number (&l.w, FASP_FRAME_PONG, pong->token);
  return finish (session, now, &l, FASP_NO_BLOCK, FALSE);
}

/* A PING, padded to @size bytes if that is not 0. */
static gboolean
send_ping (FaspSession * session, FaspTime now, FaspDatagram * datagram,
    guint8 flow, const FaspAddress * to, guint16 size)
{
  guint tag_size = fasp_cipher_get_tag_size (session->cipher);
  FaspAddress at = *to;
  Letter l;

  begin (session, &l, datagram, flow);
  datagram->to = at;
  fasp_wire_write_number (&l.w, FASP_FRAME_PING, fasp_path_ping (l.path, now,
          &session->tokens, size, FALSE, &at));
  if (size > 0) {
    gsize more = size - tag_size - l.w.used;
    guint8 *padding = fasp_write_room (&l.w, more);

    if (padding != NULL)
      memset (padding, FASP_FRAME_PADDING, more);
  }
  return finish (session, now, &l, size > l.path->pmtu.size ? FASP_PROBE :
      FASP_NO_BLOCK, FALSE);
}

static gboolean
poll_challenge (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  for (guint i = 0; i < session->n_paths; i++) {
    FaspPath *path = &session->paths[i];

    if (now < fasp_path_get_challenge_time (path))
      continue;
    fasp_path_challenged (path, now);
    return send_ping (session, now, datagram, i, &path->candidate, 0);
  }
  return FALSE;
}

/* Of several: those that nothing is heard on. */
static gboolean
poll_quiet (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  for (guint i = 0; i < session->n_paths; i++) {
    FaspPath *path = &session->paths[i];

    if (now < fasp_path_get_ping_time (path))
      continue;
    fasp_path_asked (path, now);
    return send_ping (session, now, datagram, i, &path->address, 0);
  }
  return FALSE;
}

/* What a path takes that is known; 0: none is. */
static guint16
get_known_width (const FaspSession * session)
{
  guint16 width = 0;

  for (guint i = 0; i < session->n_paths; i++)
    if (!session->paths[i].pmtu.searching)
      width = MAX (width, session->paths[i].pmtu.size);
  return width;
}

/* Does as much pass as is sent? Of several ways it is not known by which; and who gives up what is
 * late acknowledges that, too. */
static gboolean
all_passes (const FaspSession * session)
{
  return session->largest_sent == 0 || (session->n_paths == 1
      && session->tx.skips_told == 0
      && session->largest_passed >= session->largest_sent);
}

static gboolean
poll_probe (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  guint64 rate = session->pacer.ready.rate;

  /* what a group sends, and what is sent again of it, fits any path */
  if (session->role == FASP_ROLE_RECEIVER || session->member.joined)
    return FALSE;
  for (guint i = 0; i < session->n_paths; i++) {
    FaspPath *path = &session->paths[i];
    gboolean was = path->pmtu.confirming, passes;
    guint16 size;

    /* the data is as large, and would not show that smaller ones arrive */
    if (path->probed) {
      path->probed = FALSE;
      return send_ping (session, now, datagram, i, &path->address, 0);
    }
    if (!fasp_session_is_used (session, i)
        || now < fasp_pmtu_get_timeout (&path->pmtu))
      continue;
    if (rate > 0 && rate < PROBE_RATE_MIN
        && fasp_pmtu_postpone (&path->pmtu, now))
      continue;
    if (all_passes (session) && fasp_pmtu_will_do (&path->pmtu, now)) {
      session->largest_sent = session->largest_passed = 0;
      continue;
    }
    passes = fasp_repair_get_told (session->tx.repair, i).told > path->probe_pn;
    fasp_pmtu_expect (&path->pmtu, get_known_width (session));
    size = fasp_pmtu_poll (&path->pmtu, now, fasp_rtt_timeout (&session->rtt),
        passes);
    fasp_session_measure (session);
    if (path->pmtu.confirming && !was) {
      session->confirm_from = session->tx.cursor;
      session->largest_sent = session->largest_passed = 0;
    }
    if (size == 0)
      continue;
    session->ping_time = now + PING_INTERVAL;
    path->probe_pn = path->next_pn + 1;
    path->probed = path->pmtu.confirming;
    return send_ping (session, now, datagram, i, &path->address, size);
  }
  return FALSE;
}

/* Would a member find the place of what comes from the group?  Not before it knows how far the
 * stream is. */
static gboolean
is_in_stream (const FaspTx * tx)
{
  return tx->acked >= MAX (tx->skip_to, fasp_store_get_tail (tx->store));
}

/* Where the numbers of packets are that the peer may not have got for so long that their low bits
 * do not tell: of one flow, each in its turn, and the group's is that after the last. */
static void
write_next (FaspSession * session, FaspTime now, FaspWriter * w)
{
  const guint turns = session->n_paths + 1;

  for (guint i = 0; i < turns; i++) {
    guint flow = session->next_turn;

    session->next_turn = (flow + 1) % turns;
    if (flow == session->n_paths) {
      if (session->group == NULL || !is_in_stream (&session->tx))
        continue;
      fasp_wire_write_next (w, FASP_GROUP_FLOW,
          fasp_group_log_get_pn (session->group->log));
      return;
    }
    if (session->n_paths > 1 && now - session->paths[flow].heard >= NEXT_AFTER) {
      fasp_wire_write_next (w, flow, session->paths[flow].next_pn);
      return;
    }
  }
}

static gboolean
poll_ping (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  gboolean rekeys = now >= fasp_session_get_rekey_time (session);
  FaspTime timeout = fasp_rtt_timeout (&session->rtt);
  Letter l;

  /* the receiver wants to know the round trip; the sender has feedback for that and only
   * shows that it is there */
  if (!session->ping_due && !rekeys
      && now < fasp_session_get_ping_time (session))
    return FALSE;
  /* what needs no answer will do for that */
  if (session->role == FASP_ROLE_SENDER && !session->ping_due && !rekeys
      && session->rtt.measured && !session->member.joined) {
    session->promise_time = now;
    return FALSE;
  }
  session->ping_time = now + PING_INTERVAL;
  session->ping_due = FALSE;
  if (rekeys) {
    /* one takes the place of that before, whose answer should be here */
    session->rekey_wait = MAX (timeout, MIN (2 * session->rekey_wait,
            REKEY_WAIT_MAX));
    session->rekey_ping = now;
  }
  begin (session, &l, datagram, pick_flow (session));
  fasp_wire_write_number (&l.w, FASP_FRAME_PING, fasp_path_ping (l.path, now,
          &session->tokens, 0, rekeys, &l.path->address));
  write_next (session, now, &l.w);
  return finish (session, now, &l, FASP_NO_BLOCK, FALSE);
}

/* --- feedback ------------------------------------------------------------------------ */

static gboolean
poll_feedback (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  Letter l;

  if (session->role != FASP_ROLE_RECEIVER)
    return FALSE;
  fasp_session_look_at_flows (session, now);
  if (!fasp_report_is_due (&session->rx.report, now))
    return FALSE;
  begin (session, &l, datagram, pick_flow (session));
  fasp_session_write_feedback (session, now, &l.w);
  /* no datagram is sent for that alone; of several flows one each */
  if ((fasp_report_is_damped (&session->rx.report) || session->n_paths == 1)
      && now >= session->ping_time) {
    session->ping_time = now + PING_INTERVAL;
    fasp_wire_write_number (&l.w, FASP_FRAME_PING, fasp_path_ping (l.path, now,
            &session->tokens, 0, FALSE, &l.path->address));
  }
  if (!finish (session, now, &l, FASP_NO_BLOCK, FALSE))
    return FALSE;
  fasp_report_sent (&session->rx.report, now,
      datagram->size + datagram->to.overhead);
  return TRUE;
}

/* --- the promise ------------------------------------------------------------------------- */

/* What the outlook is made from. */
static void
count (const FaspSession * session, FaspOutlookCounts * counts)
{
  FaspGroupSent group = fasp_group_get_sent (session->group, &session->member);

  memset (counts, 0, sizeof *counts);
  for (guint i = 0; i < session->n_paths; i++) {
    FaspGapCounters back;

    fasp_gap_get_counters (session->paths[i].gap, &back);
    counts->back_received += back.received;
    counts->back_lost += back.lost;
    counts->back_holes += back.holes;
  }
  counts->datagrams = session->datagrams_sent + group.datagrams;
  counts->wire = session->wire_sent + group.wire;
  counts->blocks = session->tx.blocks_sent;
  counts->block_wire = session->block_wire + group.block_wire;
  counts->back_wire = session->wire_received;
  counts->channel = fasp_session_get_channel_rate (session);
  counts->back_rate = session->budget.rate;
}

/* How much the code is to repair, and what is left to send again. */
static void
plan_fec (FaspSession * session, FaspTime now)
{
  FaspOutlook *outlook = &session->tx.outlook;
  FaspTime latency = session->tx.outlook.latency;
  FaspFecGoal goal = {.latency = latency > 0 ? latency : outlook->assumed,.rtt =
        session->rtt.smoothed,.jitter = session->rtt.jitter,.block_rate =
        outlook->block_rate,.data_rate = outlook->data_rate,.interval =
        outlook->interval,.seen =
        CLAMP (outlook->loss.packets, 1, LOSS_SEEN_MAX),.channel =
        fasp_session_get_channel_rate (session),.waits =
        fasp_tx_get_wait (&session->tx, now)
  };

  if (!session->has_fec)
    return;
  fasp_loss_get (&outlook->loss, &goal.loss, &goal.stay);
  fasp_fec_plan (&session->tx.fec, now, &goal);
  /* where there are rexes, too, the promise is that of these */
  outlook->residual = !session->tx.fec.is_alone || goal.loss <= 0 ? 1 :
      fasp_fec_get_residual (&session->tx.fec, &goal) / goal.loss;
}

/* Where block @number is, if that is known. */
static void
write_position (FaspSession * session, FaspWriter * w, guint64 number)
{
  FaspPlace place;

  if (number < fasp_store_get_tail (session->tx.store))
    return;
  place = fasp_store_get_place_of (session->tx.store, number);
  if (place.known && place.offset != FASP_OFFSET_UNKNOWN)
    fasp_wire_write_position (w, number, &place);
}

/* Looks at the path again and tells the peer what is to be expected. */
static gboolean
poll_promise (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  FaspOutlook *outlook = &session->tx.outlook;
  FaspOutlookCounts counts;
  Letter l;

  if (session->role != FASP_ROLE_SENDER || !session->rtt.measured)
    return FALSE;
  if (now >= fasp_outlook_get_timeout (outlook)
      || fasp_outlook_begins (outlook, session->tx.blocks_sent)) {
    count (session, &counts);
    plan_fec (session, now);
    if (fasp_outlook_look (outlook, now, &session->rtt, &counts)) {
      session->promise_changed = TRUE;
      session->promise_time = now;
    }
  }
  if (now < session->promise_time)
    return FALSE;
  session->promise_time = now + (outlook->find_latency && outlook->latency > 0
      && outlook->peer_latency == 0 ? PROMISE_AGAIN : session->member.joined ?
      fasp_session_get_beat (session) : PROMISE_EVERY);
  begin (session, &l, datagram, pick_flow (session));
  fasp_wire_write_promise (&l.w, session->promise_serial++,
      outlook->latency / FASP_MSEC, MIN (outlook->promise.interval,
          FASP_INTERVAL_MAX), session->budget.rate);
  if (session->tx.skips_told > 0)
    write_position (session, &l.w, session->tx.cursor);
  write_next (session, now, &l.w);
  return finish (session, now, &l, FASP_NO_BLOCK, FALSE);
}

/* It is to ask for what all members of its group may lack. */
static gboolean
poll_speaker (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  Letter l;

  if (!session->member.joined || now < session->member.speak_time)
    return FALSE;
  fasp_group_told_speaker (&session->member, now);
  begin (session, &l, datagram, pick_flow (session));
  fasp_wire_write_group (&l.w, 1, 0,
      fasp_group_get_clock (session->group) / FASP_MSEC);
  return finish (session, now, &l, FASP_NO_BLOCK, FALSE);
}

/* --- the stream --------------------------------------------------------------------------- */

static void
trace_sent (FaspSession * session, FaspTime now, const FaspDatagram * datagram,
    const FaspTxItem * item, guint32 payload)
{
  const FaspBlock *block;

  if (session->trace->ring == NULL)
    return;
  block = fasp_store_get (session->tx.store, item->number);
  fasp_trace_add (session->trace, &(FaspTraceEntry) {
      .time = now,.media_time = block->media_time,.block =
        item->number,.session = session->id,.full =
        datagram->size + datagram->to.overhead,.payload = payload,.round =
        item->round,.copy = item->copy,.fresh = item->round == 0}
  );
}

/* Blocks that have left take another flow than before. */
static guint8
pick_for (FaspSession * session, const FaspTxItem * item)
{
  guint64 avoid = 0;

  if (session->n_paths == 1)
    return 0;
  if (item->kind == FASP_TX_BLOCK && item->index == 0) {
    if (item->round == 0 && item->copy == 0)
      session->doubled = 0;
    avoid = fasp_repair_get_carriers (session->tx.repair, item->number) |
        (item->round == 0 ? session->doubled : 0);
  }
  return fasp_spread_pick (&session->spread, avoid);
}

/* A TAIL shows what was lost last on the flow that it goes on: it goes on each of which that
 * is not known, that of the last block first. */
static guint8
pick_for_tail (FaspSession * session, FaspTxItem * item)
{
  guint64 last = G_GUINT64_CONSTANT (1) << session->last_flow;
  guint64 among = fasp_repair_get_untold (session->tx.repair) &
      session->spread.usable & ~session->tailed;

  if (session->n_paths == 1)
    return 0;
  item->count = MAX (1, __builtin_popcountll (among));
  return fasp_spread_pick (&session->spread, ~(among & last ? last : among));
}

static gboolean
poll_stream (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  guint64 block = FASP_NO_BLOCK;
  guint32 payload = 0;
  FaspTxItem item;
  Letter l;

  if (session->role != FASP_ROLE_SENDER)
    return FALSE;
  item = fasp_tx_next (&session->tx, now, &session->rtt,
      session->data_room, fasp_session_get_unused (session, now));
  if (item.kind == FASP_TX_NOTHING)
    return FALSE;
  if (item.kind == FASP_TX_BLOCK && session->member.joined
      && fasp_group_get_ready (session->group, now) > now)
    return FALSE;
  begin (session, &l, datagram, item.kind == FASP_TX_TAIL ?
      pick_for_tail (session, &item) : pick_for (session, &item));
  switch (item.kind) {
    case FASP_TX_BLOCK:
      block = item.number;
      payload = fasp_wire_write_data (&l.w, fasp_store_get (session->tx.store,
              block), item.round, item.copy, item.index, item.count);
      break;
    case FASP_TX_REPAIR:
      if (!fasp_fec_write (&session->tx.fec, now, session->tx.store,
              item.number, item.end, fasp_session_get_room (session), &l.w)) {
        fasp_fec_passed (&session->tx.fec, FALSE);
        return FALSE;
      }
      break;
    case FASP_TX_TAIL:
      fasp_wire_write_number (&l.w, FASP_FRAME_TAIL, item.number);
      break;
    case FASP_TX_SKIP:
      write_position (session, &l.w, item.number);
      fasp_wire_write_number (&l.w, FASP_FRAME_SKIP, item.number);
      break;
    case FASP_TX_NOTHING:
      break;
  }
  if (!finish (session, now, &l, block, item.index > 0 || item.copy > 0))
    return FALSE;
  session->doubled |= G_GUINT64_CONSTANT (1) << l.flow;
  if (item.kind == FASP_TX_TAIL && item.count > 1)
    session->tailed |= G_GUINT64_CONSTANT (1) << l.flow;
  else
    session->tailed = 0;
  if (block != FASP_NO_BLOCK) {
    session->last_flow = l.flow;
    trace_sent (session, now, datagram, &item, payload);
    if (session->member.joined)
      fasp_group_used (session->group, now, datagram->size +
          datagram->to.overhead);
    session->largest_sent = MAX (session->largest_sent,
        fasp_store_get (session->tx.store, block)->size);
    if (item.round == 0)
      session->block_wire += datagram->size + datagram->to.overhead;
  }
  if (item.copy > 0 && item.round > 0)
    fasp_pacer_use (&session->pacer, datagram->size + datagram->to.overhead);
  fasp_tx_sent (&session->tx, now, &session->rtt, &item);
  if (session->duplicates && item.kind == FASP_TX_BLOCK && item.round == 0
      && item.copy == 0)
    fasp_tx_double (&session->tx, MAX (1,
            fasp_spread_count (&session->spread)) - 1);
  return TRUE;
}

static gboolean
poll_close (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  Letter l;

  if (now < session->close_time)
    return FALSE;
  if (now >= session->close_deadline) {
    session->state = FASP_SESSION_CLOSED;
    session->close_time = FASP_NEVER;
    return FALSE;
  }
  begin (session, &l, datagram, pick_flow (session));
  /* the last word on what arrived goes with it */
  if (session->role == FASP_ROLE_RECEIVER)
    fasp_session_write_feedback (session, now, &l.w);
  fasp_wire_write_close (&l.w, session->close_reason, session->close_text);
  session->close_time = session->state == FASP_SESSION_CLOSED ? FASP_NEVER :
      now + CLAMP (session->rtt.smoothed / 2, 10 * FASP_MSEC, 100 * FASP_MSEC);
  return finish (session, now, &l, FASP_NO_BLOCK, FALSE);
}

/* The controller's rate, for the pacer. */
static void
follow_rate (FaspSession * session, FaspTime now)
{
  if (session->rate == NULL || now < session->rate_until)
    return;
  fasp_session_set_pace (session, now, fasp_rate_get (session->rate, now,
          session->wire_sent, &session->rate_until));
}

gboolean
fasp_session_poll (FaspSession * session, FaspTime now, FaspDatagram * datagram)
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
    return poll_pong (session, now, datagram)
        || poll_challenge (session, now, datagram);
  /* no key is used for more than twice as much as it should be */
  if (session->cipher != FASP_CIPHER_NONE
      && session->phase_datagrams >= 2 * session->rekey_datagrams)
    fasp_session_close (session, now, FASP_REASON_STOPPED,
        "it never confirms that it has the new key");
  follow_rate (session, now);
  if (session->role == FASP_ROLE_SENDER
      && fasp_pacer_get_time (&session->pacer, now, session->wire_max) > now)
    return FALSE;
  if (session->role == FASP_ROLE_RECEIVER) {
    fasp_rx_recover (&session->rx, now);
    fasp_rx_give_up (&session->rx, now);
  }
  return poll_pong (session, now, datagram)
      || poll_feedback (session, now, datagram)
      || poll_challenge (session, now, datagram)
      || poll_probe (session, now, datagram)
      || poll_ping (session, now, datagram)
      || poll_quiet (session, now, datagram)
      || poll_promise (session, now, datagram)
      || poll_speaker (session, now, datagram)
      || poll_stream (session, now, datagram);
}
