/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsession.h"

/* Round trips are measured this often by who gets no feedback. */
#define PING_INTERVAL FASP_SEC
/* A new address of the peer is challenged this often. */
#define CHALLENGE_INTERVAL (100 * FASP_MSEC)
/* The promise is told so often, and while the peer does not know it. */
#define PROMISE_EVERY FASP_SEC
#define PROMISE_AGAIN (20 * FASP_MSEC)
/* The peer is asked whether new keys may come at least so often. */
#define REKEY_WAIT_MAX (2 * FASP_SEC)
/* A block that keeps being lost may be too big for the path by now. */
#define SUSPICIOUS_ROUNDS 4

FaspSession *
fasp_session_new (FaspRole role, guint32 id, FaspTime now,
    const guint8 ping_secret[FASP_PING_SECRET])
{
  FaspSession *session = g_new0 (FaspSession, 1);

  session->role = role;
  session->id = id;
  session->created = session->heard = session->spoken = now;
  session->gap = fasp_gap_new ();
  session->datagram_max = FASP_DATAGRAM_MAX;
  session->rekey_interval = FASP_REKEY_INTERVAL;
  session->rekey_datagrams = FASP_REKEY_DATAGRAMS;
  memcpy (session->ping_secret, ping_secret, FASP_PING_SECRET);
  session->close_deadline = FASP_NEVER;
  fasp_rtt_init (&session->rtt);
  session->send_meter.start = session->receive_meter.start = now;
  return session;
}

void
fasp_session_free (FaspSession * session)
{
  if (session->role == FASP_ROLE_SENDER)
    fasp_tx_clear (&session->tx);
  else
    fasp_rx_clear (&session->rx);
  fasp_gap_free (session->gap);
  fasp_sealer_free (session->sealer);
  fasp_opener_free (session->opener);
  g_clear_pointer (&session->accept, g_bytes_unref);
  fasp_wipe (session->resume_key, sizeof session->resume_key);
  g_free (session->streamid);
  g_free (session);
}

void
fasp_session_set_keys (FaspSession * session, const FaspKeys * keys)
{
  gboolean ours = session->listener;    /* that of the listener */

  session->cipher = keys->cipher;
  session->sealer = fasp_sealer_new (keys->cipher,
      ours ? keys->listener : keys->caller);
  session->opener = fasp_opener_new (keys->cipher,
      ours ? keys->caller : keys->listener);
  fasp_hmac (keys->caller, FASP_KEY_SIZE, "fasp resume 2", keys->listener,
      FASP_KEY_SIZE, session->resume_key, FASP_KEY_SIZE);
}

void
fasp_session_prove (const FaspSession * session,
    const guint8 nonce[FASP_NONCE_SIZE], guint8 proof[FASP_PROOF_SIZE])
{
  fasp_hmac (session->resume_key, FASP_KEY_SIZE, "fasp resume proof 2", nonce,
      FASP_NONCE_SIZE, proof, FASP_PROOF_SIZE);
}

static void
plan_rekey (FaspSession * session, FaspTime now)
{
  session->phase_pn = session->next_pn;
  session->rekey_time = session->cipher == FASP_CIPHER_NONE ? FASP_NEVER :
      now + session->rekey_interval;
  session->rekey_wait = 0;
}

void
fasp_session_open (FaspSession * session, FaspTime now)
{
  if (session->state == FASP_SESSION_OPEN)
    return;
  session->state = FASP_SESSION_OPEN;
  session->opened = session->heard = now;
  session->ping_time = now;
  plan_rekey (session, now);
  g_clear_pointer (&session->accept, g_bytes_unref);
  session->accept_due = FALSE;
  fasp_pmtu_init (&session->pmtu, now, session->address.overhead,
      MIN (session->datagram_max, FASP_DATAGRAM_COMMON));
  if (session->role == FASP_ROLE_SENDER)
    session->tx.heard = now;
  else {
    session->pmtu.next_time = FASP_NEVER;       /* feedback is small */
    session->rx.feedback_due = now;
  }
}

gboolean
fasp_session_get_first_latency (const FaspSession * session, guint * latency_ms)
{
  FaspTime latency = session->agreed.latency;

  if (session->agreed.find) {
    latency = session->role == FASP_ROLE_SENDER ? session->tx.outlook.latency :
        session->rx.playout.first;
  }
  *latency_ms = latency / FASP_MSEC;
  return !session->agreed.find || latency > 0;
}

FaspTime
fasp_session_get_hold_end (const FaspSession * session)
{
  if (session->role != FASP_ROLE_RECEIVER
      || session->state != FASP_SESSION_OPEN
      || !fasp_playout_is_unknown (&session->rx.playout))
    return 0;
  return session->rx.first_data == FASP_NEVER ? FASP_NEVER :
      session->rx.first_data + FASP_HOLD_MAX;
}

guint
fasp_session_get_latency (const FaspSession * session, FaspTime now)
{
  FaspTime latency = session->role == FASP_ROLE_SENDER ?
      session->tx.outlook.latency : fasp_playout_get (&session->rx.playout,
      now);

  return latency / FASP_MSEC;
}

/* Of a datagram with a block. */
static guint
get_overhead (const FaspSession * session)
{
  return FASP_DATA_HEADER + fasp_cipher_get_tag_size (session->cipher);
}

/* Bytes that a datagram may take, from the IP header up. */
static gsize
get_wire_max (const FaspSession * session)
{
  return fasp_pmtu_get_largest (&session->pmtu) + session->address.overhead;
}

guint32
fasp_session_get_room (const FaspSession * session)
{
  return MAX (session->pmtu.size, FASP_PMTU_BASE) - get_overhead (session);
}

/* --- receiving -------------------------------------------------------------------- */

static void
handle_ping (FaspSession * session, const FaspAddress * from, guint64 token)
{
  if (session->n_pongs == G_N_ELEMENTS (session->pongs))
    return;
  session->pong_to[session->n_pongs] = *from;
  session->pongs[session->n_pongs++] = token;
}

/* The peer has opened something of this phase, so it will know the next. */
static void
rekey (FaspSession * session, FaspTime now)
{
  if (now < session->rekey_time)
    return;
  fasp_sealer_rekey (session->sealer);
  plan_rekey (session, now);
  for (guint i = 0; i < FASP_PINGS; i++)
    session->pings[i].rekeys = FALSE;
}

static void
handle_pong (FaspSession * session, FaspTime now, const FaspAddress * from,
    guint64 token)
{
  for (guint i = 0; i < FASP_PINGS; i++) {
    FaspPing *ping = &session->pings[i];

    if (ping->sent == 0 || ping->token != token)
      continue;
    /* it proves that the peer is where the PING went */
    if (!fasp_address_equal (from, &ping->to))
      return;
    if (session->has_candidate
        && fasp_address_equal (from, &session->candidate)) {
      session->address = session->candidate;
      session->has_candidate = FALSE;
      if (session->role == FASP_ROLE_SENDER)
        fasp_pmtu_restart (&session->pmtu, now, session->address.overhead);
    } else if (ping->size > 0) {
      fasp_pmtu_answered (&session->pmtu, now, ping->size);
    }
    if (session->role == FASP_ROLE_RECEIVER || !session->rtt.measured)
      fasp_rtt_sample (&session->rtt, now - ping->sent, 0);
    if (ping->rekeys)
      rekey (session, now);
    ping->sent = 0;
    return;
  }
}

static void
handle_close (FaspSession * session, FaspTime now, const FaspFrame * frame)
{
  FaspReason reason = frame->number;

  /* the others are never said on the wire */
  if (reason < FASP_REASON_FINISHED || reason > FASP_REASON_UNSUPPORTED)
    reason = FASP_REASON_STOPPED;
  if (!session->peer_closed) {
    session->peer_closed = TRUE;
    if (session->state != FASP_SESSION_CLOSING)
      g_strlcpy (session->close_text, frame->text,
          sizeof (session->close_text));
  }
  if (session->close_initiated) {
    session->state = FASP_SESSION_CLOSED;
    session->close_time = FASP_NEVER;
    return;
  }
  /* answer in kind, once for each that comes */
  if (session->state == FASP_SESSION_CLOSED) {
    session->close_time = now;
    return;
  }
  session->close_reason = reason;
  session->state = FASP_SESSION_CLOSED;
  session->close_deadline = now + FASP_CLOSE_TIMEOUT;
  session->close_time = now;
}

static void
handle_address (FaspSession * session, FaspTime now,
    const FaspAddress * from, gboolean newest)
{
  if (fasp_address_equal (&session->address, from)) {
    if (newest)
      session->has_candidate = FALSE;
    return;
  }
  if (!newest)
    return;
  /* whoever sends from there knows the key, but the address may be forged:
   * it counts once a challenge came back */
  if (!session->has_candidate
      || !fasp_address_equal (&session->candidate, from)) {
    session->candidate = *from;
    session->has_candidate = TRUE;
    session->candidate_time = now - CHALLENGE_INTERVAL;
  }
}

/* Jumbo frames are for fast streams. */
static void
choose_limit (FaspSession * session, FaspTime now)
{
  guint64 rate = session->send_meter.rate;
  guint16 limit = session->pmtu.limit;

  if (rate >= FASP_JUMBO_FROM)
    limit = session->datagram_max;
  else if (rate < FASP_JUMBO_UNTIL)
    limit = MIN (session->datagram_max, FASP_DATAGRAM_COMMON);
  fasp_pmtu_set_limit (&session->pmtu, now, session->address.overhead, limit);
}

static void
handle_feedback (FaspSession * session, FaspTime now, guint64 pn,
    const FaspFeedback * feedback)
{
  guint64 acked = MAX (session->tx.acked, session->confirm_from);

  if (!fasp_tx_feedback (&session->tx, now, pn, feedback, &session->rtt))
    return;
  if (feedback->n_flows > 0 && fasp_widen (feedback->flows[0].largest,
          FASP_PN_BITS, session->next_pn) >= session->phase_pn)
    rekey (session, now);
  if (session->pmtu.confirming && session->tx.acked > acked) {
    /* of what was sent since it is in doubt, whole */
    guint32 size = fasp_store_find_largest (session->tx.store, acked,
        session->tx.acked, fasp_session_get_room (session));

    if (size > 0)
      fasp_pmtu_passed (&session->pmtu, now, size + get_overhead (session));
  }
  if (fasp_repair_is_overgrown (session->tx.repair))
    fasp_session_close (session, now, FASP_REASON_STOPPED,
        "its feedback never says what arrived");
  choose_limit (session, now);
  if (fasp_repair_get_oldest_rounds (session->tx.repair) >= SUSPICIOUS_ROUNDS)
    fasp_pmtu_suspect (&session->pmtu, now);
}

static void
handle_data (FaspSession * session, FaspTime now, const FaspFrame * frame,
    gsize wire)
{
  FaspRxArrival arrival = fasp_rx_data (&session->rx, now, frame);

  fasp_trace_add (session->trace, &(FaspTraceEntry) {
      .time = now,.media_time = arrival.media_time,.block =
        arrival.number,.session = session->id,.full = wire,.payload =
        frame->payload_size,.round = frame->round,.copy = frame->copy,.fresh =
        arrival.fresh});
}

static void
handle_promise (FaspSession * session, FaspTime now, guint64 pn,
    const FaspFrame * frame)
{
  FaspRx *rx = &session->rx;
  guint64 before = rx->promised;

  /* one that was overtaken says nothing new */
  if (pn < session->promise_pn || frame->number > FASP_LATENCY_MS_MAX)
    return;
  session->promise_pn = pn;
  rx->promised = frame->interval;
  if (fasp_playout_set (&rx->playout, now, frame->number * FASP_MSEC)
      || ABS ((gdouble) rx->promised - before) > .1 * MAX (before,
          rx->promised))
    session->promise_changed = TRUE;
}

static void
handle_frame (FaspSession * session, FaspTime now, const FaspAddress * from,
    guint64 pn, const FaspFrame * frame, gsize wire)
{
  gboolean sender = session->role == FASP_ROLE_SENDER;
  gboolean takes_stream = !sender && session->state == FASP_SESSION_OPEN
      && !session->refused;

  switch (frame->type) {
    case FASP_FRAME_PADDING:
      break;
    case FASP_FRAME_PING:
      handle_ping (session, from, frame->number);
      break;
    case FASP_FRAME_PONG:
      handle_pong (session, now, from, frame->number);
      break;
    case FASP_FRAME_CLOSE:
      handle_close (session, now, frame);
      break;
    case FASP_FRAME_FEEDBACK:
      if (sender)
        handle_feedback (session, now, pn, frame->feedback);
      break;
    case FASP_FRAME_TAIL:
      if (takes_stream)
        fasp_rx_tail (&session->rx, now, frame->number);
      break;
    case FASP_FRAME_SKIP:
      if (takes_stream)
        fasp_rx_skip (&session->rx, now, frame->number);
      break;
    case FASP_FRAME_PROMISE:
      if (takes_stream)
        handle_promise (session, now, pn, frame);
      break;
    case FASP_FRAME_DATA:
      if (takes_stream)
        handle_data (session, now, frame, wire);
      break;
  }
}

FaspSessionResult
fasp_session_receive (FaspSession * session, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size,
    FaspMemory * memory)
{
  FaspFeedback feedback;
  FaspFrame frame = {.feedback = &feedback,.memory = memory };
  guint8 scratch[FASP_DATAGRAM_MAX];
  guint8 *opened = memory != NULL ? (guint8 *) data + FASP_SESSION_HEADER :
      scratch;
  FaspSessionHeader header;
  FaspReader r = { 0 };
  gboolean newest;
  guint64 pn;

  if (!fasp_wire_parse_session (data, size, &header) || header.flow != 0)
    return FASP_SESSION_ALIEN;
  pn = fasp_gap_is_started (session->gap) ?
      fasp_widen (header.pn, FASP_PN_BITS,
      fasp_gap_get_largest (session->gap)) : header.pn;
  if (fasp_gap_is_refused (session->gap, pn)) {
    fasp_gap_receive (session->gap, now, pn);   /* counts it */
    return FASP_SESSION_REFUSED;
  }
  r.data = session->opener == NULL ? NULL : fasp_opener_open (session->opener,
      &header, pn, data, size, opened, &r.left);
  if (r.data == NULL)
    return FASP_SESSION_FORGED;

  newest = !fasp_gap_is_started (session->gap)
      || pn > fasp_gap_get_largest (session->gap);
  fasp_gap_receive (session->gap, now, pn);
  session->heard = now;
  session->datagrams_received++;
  session->wire_received += size + from->overhead;
  fasp_meter_add (&session->receive_meter, now, size + from->overhead);
  if (session->state == FASP_SESSION_HALF)
    fasp_session_open (session, now);
  handle_address (session, now, from, newest);
  if (session->role == FASP_ROLE_RECEIVER)
    fasp_rx_datagram (&session->rx, now, size + from->overhead,
        session->rtt.smoothed);

  while (fasp_wire_next_frame (&r, &frame))
    handle_frame (session, now, from, pn, &frame, size + from->overhead);
  return r.failed ? FASP_SESSION_MALFORMED : FASP_SESSION_OK;
}

/* --- sending ----------------------------------------------------------------------------- */

static void
begin (FaspSession * session, FaspWriter * w, FaspDatagram * datagram)
{
  FaspSessionHeader header = { 0, fasp_sealer_get_phase (session->sealer),
    session->peer_id, session->next_pn
  };

  *w = (FaspWriter) {
  datagram->data, sizeof (datagram->data) - FASP_TAG_SIZE_MAX};
  datagram->to = session->address;
  fasp_wire_write_session (w, &header);
}

/* Seals and accounts; @block: what it carries, or FASP_NO_BLOCK. */
static gboolean
finish (FaspSession * session, FaspTime now, FaspWriter * w,
    FaspDatagram * datagram, guint64 block, gboolean continued)
{
  gsize wire;

  w->size += FASP_TAG_SIZE_MAX;
  fasp_sealer_close (session->sealer, 0, session->next_pn, w);
  g_return_val_if_fail (!w->failed, FALSE);
  datagram->size = w->used + w->payload_size;
  if (w->payload_size > 0) {
    datagram->payload = w->payload;
    datagram->payload_size = w->payload_size;
    datagram->head = w->used - fasp_cipher_get_tag_size (session->cipher);
    datagram->block = fasp_block_ref ((FaspBlock *) fasp_store_get
        (session->tx.store, block));
  }
  wire = datagram->size + datagram->to.overhead;
  session->next_pn++;
  if (session->next_pn - session->phase_pn == session->rekey_datagrams)
    session->rekey_time = MIN (session->rekey_time, now);
  session->spoken = now;
  session->datagrams_sent++;
  session->wire_sent += wire;
  fasp_meter_add (&session->send_meter, now, wire);
  if (session->role == FASP_ROLE_SENDER) {
    fasp_pacer_sent (&session->pacer, now, wire);
    fasp_repair_sent (session->tx.repair, now, 0, block, continued);
  }
  return TRUE;
}

static FaspPing *
new_ping (FaspSession * session, FaspTime now, guint16 size, gboolean rekeys,
    const FaspAddress * to)
{
  FaspPing *oldest = &session->pings[0];
  guint64 token;

  for (guint i = 1; i < FASP_PINGS; i++)
    if (session->pings[i].sent < oldest->sent)
      oldest = &session->pings[i];
  /* that for new keys is repeated in its place */
  for (guint i = 0; rekeys && i < FASP_PINGS; i++)
    if (session->pings[i].rekeys)
      oldest = &session->pings[i];
  session->ping_count++;
  fasp_hmac (session->ping_secret, FASP_PING_SECRET, "fasp ping 1",
      (const guint8 *) &session->ping_count, sizeof session->ping_count,
      (guint8 *) & token, sizeof token);
  *oldest = (FaspPing) {
  token, MAX (now, 1), size, rekeys, *to};
  return oldest;
}

static gsize
write_feedback (FaspSession * session, FaspTime now, FaspWriter * w)
{
  FaspFeedback feedback;
  gsize used = w->used;

  feedback.n_flows = 0;
  if (fasp_gap_is_started (session->gap)) {
    guint64 largest = fasp_gap_get_largest (session->gap);
    guint64 settled, unsettled = largest + 1;
    FaspGapCounters counters;

    if (fasp_gap_get_settled (session->gap, now, &settled))
      unsettled = largest - settled;
    fasp_gap_get_counters (session->gap, &counters);
    feedback.n_flows = 1;
    feedback.flows[0] = (FaspFeedbackFlow) {
    .flow = 0,.largest = largest,.unsettled = unsettled,.delay =
          now - fasp_gap_get_largest_time (session->gap),.received =
          counters.received,.holes = counters.holes};
  }
  fasp_rx_fill_feedback (&session->rx, now, &feedback,
      FASP_PMTU_BASE - FASP_TAG_SIZE_MAX - used - 100);
  fasp_wire_write_feedback (w, &feedback);
  return w->used - used;
}

/* Payload bytes that a copy may have. */
static gint64
get_unused (const FaspSession * session, FaspTime now)
{
  return fasp_pacer_get_unused (&session->pacer, now) -
      get_overhead (session) - session->address.overhead;
}

static gboolean
poll_pong (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  FaspWriter w;

  if (session->n_pongs == 0)
    return FALSE;
  begin (session, &w, datagram);
  session->n_pongs--;
  /* back to where it came from: that is what the challenge is about */
  datagram->to = session->pong_to[session->n_pongs];
  fasp_wire_write_number (&w, FASP_FRAME_PONG,
      session->pongs[session->n_pongs]);
  return finish (session, now, &w, datagram, FASP_NO_BLOCK, FALSE);
}

static gboolean
poll_challenge (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  FaspPing *ping;
  FaspWriter w;

  if (!session->has_candidate
      || now - session->candidate_time < CHALLENGE_INTERVAL)
    return FALSE;
  session->candidate_time = now;
  ping = new_ping (session, now, 0, FALSE, &session->candidate);
  begin (session, &w, datagram);
  datagram->to = session->candidate;
  fasp_wire_write_number (&w, FASP_FRAME_PING, ping->token);
  return finish (session, now, &w, datagram, FASP_NO_BLOCK, FALSE);
}

/* When the peer is to be asked whether it has this phase's key. */
static FaspTime
get_rekey_time (const FaspSession * session)
{
  /* it would only be in the way of finding the peer again */
  if (session->interrupted || session->has_candidate)
    return FASP_NEVER;
  return session->rekey_wait == 0 ? session->rekey_time :
      MAX (session->rekey_time, session->rekey_ping + session->rekey_wait);
}

static gboolean
poll_ping (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  guint tag_size = fasp_cipher_get_tag_size (session->cipher);
  gboolean rekeys = now >= get_rekey_time (session);
  guint16 size = 0;
  FaspPing *ping;
  FaspWriter w;

  if (session->role == FASP_ROLE_SENDER) {
    gboolean was = session->pmtu.confirming;

    size = fasp_pmtu_poll (&session->pmtu, now,
        fasp_rtt_timeout (&session->rtt));
    if (session->pmtu.confirming && !was)
      session->confirm_from = session->tx.cursor;
  }
  if (size == 0 && !session->ping_due && !rekeys) {
    /* the receiver wants to know the round trip; the sender has feedback
     * for that and only shows that it is there */
    if (session->role == FASP_ROLE_RECEIVER ? now < session->ping_time :
        now - session->spoken < FASP_KEEPALIVE)
      return FALSE;
  }
  session->ping_time = now + PING_INTERVAL;
  session->ping_due = FALSE;
  ping = new_ping (session, now, size, rekeys, &session->address);
  if (rekeys) {
    session->rekey_wait = CLAMP (2 * session->rekey_wait,
        fasp_rtt_timeout (&session->rtt), REKEY_WAIT_MAX);
    session->rekey_ping = now;
  }
  begin (session, &w, datagram);
  fasp_wire_write_number (&w, FASP_FRAME_PING, ping->token);
  if (size > 0) {
    memset (w.data + w.used, FASP_FRAME_PADDING, size - tag_size - w.used);
    w.used = size - tag_size;
  }
  return finish (session, now, &w, datagram, FASP_NO_BLOCK, FALSE);
}

static gboolean
poll_feedback (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  guint64 settled;
  FaspWriter w;

  if (session->role != FASP_ROLE_RECEIVER)
    return FALSE;
  fasp_gap_get_settled (session->gap, now, &settled);
  if (fasp_gap_count_settled (session->gap) != session->settled_told) {
    session->settled_told = fasp_gap_count_settled (session->gap);
    fasp_rx_settled (&session->rx, now);
  }
  if (fasp_rx_get_timeout (&session->rx) > now)
    return FALSE;
  begin (session, &w, datagram);
  write_feedback (session, now, &w);
  if (!finish (session, now, &w, datagram, FASP_NO_BLOCK, FALSE))
    return FALSE;
  fasp_rx_feedback_sent (&session->rx, now,
      datagram->size + datagram->to.overhead);
  return TRUE;
}

/* What the outlook is made from. */
static void
count (const FaspSession * session, FaspOutlookCounts * counts)
{
  const FaspTx *tx = &session->tx;
  FaspGapCounters back;

  fasp_gap_get_counters (session->gap, &back);
  counts->datagrams = session->datagrams_sent;
  counts->wire = session->wire_sent;
  counts->blocks = tx->blocks_sent;
  counts->block_wire = session->block_wire;
  counts->back_received = back.received;
  counts->back_lost = back.lost;
  counts->back_holes = back.holes;
  counts->back_wire = session->wire_received;
  counts->channel = session->pacer.ready.rate;
}

/* Looks at the path again and tells the peer what is to be expected. */
static gboolean
poll_promise (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  FaspOutlook *outlook = &session->tx.outlook;
  FaspOutlookCounts counts;
  FaspWriter w;

  if (session->role != FASP_ROLE_SENDER || !session->rtt.measured)
    return FALSE;
  if (now >= fasp_outlook_get_timeout (outlook)
      || fasp_outlook_begins (outlook, session->tx.blocks_sent)) {
    count (session, &counts);
    if (fasp_outlook_look (outlook, now, &session->rtt, &counts)) {
      session->promise_changed = TRUE;
      session->promise_time = now;
    }
  }
  if (now < session->promise_time)
    return FALSE;
  session->promise_time = now + (outlook->find_latency && outlook->latency > 0
      && outlook->peer_latency == 0 ? PROMISE_AGAIN : PROMISE_EVERY);
  begin (session, &w, datagram);
  fasp_wire_write_promise (&w, outlook->latency / FASP_MSEC,
      MIN (outlook->promise.interval, FASP_INTERVAL_MAX));
  return finish (session, now, &w, datagram, FASP_NO_BLOCK, FALSE);
}

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

static gboolean
poll_stream (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  guint64 block = FASP_NO_BLOCK;
  guint32 payload = 0;
  FaspTxItem item;
  FaspWriter w;

  if (session->role != FASP_ROLE_SENDER)
    return FALSE;
  item = fasp_tx_next (&session->tx, now, &session->rtt,
      fasp_session_get_room (session), get_unused (session, now));
  if (item.kind == FASP_TX_NOTHING)
    return FALSE;
  begin (session, &w, datagram);
  switch (item.kind) {
    case FASP_TX_BLOCK:
      block = item.number;
      payload = fasp_wire_write_data (&w, fasp_store_get (session->tx.store,
              block), item.round, item.copy, item.index, item.count);
      break;
    case FASP_TX_TAIL:
      fasp_wire_write_number (&w, FASP_FRAME_TAIL, item.number);
      break;
    case FASP_TX_SKIP:
      fasp_wire_write_number (&w, FASP_FRAME_SKIP, item.number);
      break;
    case FASP_TX_NOTHING:
      break;
  }
  if (!finish (session, now, &w, datagram, block, item.index > 0
          || item.copy > 0))
    return FALSE;
  if (block != FASP_NO_BLOCK) {
    trace_sent (session, now, datagram, &item, payload);
    if (item.round == 0)
      session->block_wire += datagram->size + datagram->to.overhead;
  }
  if (item.copy > 0)
    fasp_pacer_use (&session->pacer, datagram->size + datagram->to.overhead);
  fasp_tx_sent (&session->tx, now, &session->rtt, &item);
  return TRUE;
}

static gboolean
poll_close (FaspSession * session, FaspTime now, FaspDatagram * datagram)
{
  FaspWriter w;

  if (now < session->close_time)
    return FALSE;
  if (now >= session->close_deadline) {
    session->state = FASP_SESSION_CLOSED;
    session->close_time = FASP_NEVER;
    return FALSE;
  }
  begin (session, &w, datagram);
  /* the last word on what arrived goes with it */
  if (session->role == FASP_ROLE_RECEIVER)
    write_feedback (session, now, &w);
  fasp_wire_write_close (&w, session->close_reason, session->close_text);
  session->close_time = session->state == FASP_SESSION_CLOSED ? FASP_NEVER :
      now + CLAMP (session->rtt.smoothed / 2, 10 * FASP_MSEC, 100 * FASP_MSEC);
  return finish (session, now, &w, datagram, FASP_NO_BLOCK, FALSE);
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
  /* no key is used for more than twice as much as it should be */
  if (session->cipher != FASP_CIPHER_NONE
      && session->next_pn - session->phase_pn >= 2 * session->rekey_datagrams)
    fasp_session_close (session, now, FASP_REASON_STOPPED,
        "it never confirms that it has the new key");
  if (session->role == FASP_ROLE_SENDER
      && fasp_pacer_get_time (&session->pacer, now,
          get_wire_max (session)) > now)
    return FALSE;
  if (session->role == FASP_ROLE_RECEIVER)
    fasp_rx_give_up (&session->rx, now);
  return poll_pong (session, now, datagram)
      || poll_feedback (session, now, datagram)
      || poll_challenge (session, now, datagram)
      || poll_ping (session, now, datagram)
      || poll_promise (session, now, datagram)
      || poll_stream (session, now, datagram);
}

FaspTime
fasp_session_get_timeout (FaspSession * session, FaspTime now)
{
  FaspTime timeout;

  switch (session->state) {
    case FASP_SESSION_ASKING:
    case FASP_SESSION_HALF:
      return session->created + FASP_HALF_TIMEOUT;
    case FASP_SESSION_CLOSING:
    case FASP_SESSION_CLOSED:
      /* past its deadline it waits for the application to read the rest */
      return session->close_deadline > now ? MIN (session->close_time,
          session->close_deadline) : session->close_time;
    case FASP_SESSION_OPEN:
      break;
  }
  if (session->n_pongs > 0 || session->ping_due)
    timeout = now;
  else if (session->role == FASP_ROLE_SENDER) {
    timeout = MIN (session->spoken + FASP_KEEPALIVE,
        fasp_pmtu_get_timeout (&session->pmtu));
    timeout = MIN (timeout, fasp_tx_get_timeout (&session->tx));
    if (session->rtt.measured)
      timeout = MIN (timeout, MIN (session->promise_time,
              fasp_outlook_get_timeout (&session->tx.outlook)));
  } else {
    timeout = MIN (fasp_rx_get_timeout (&session->rx), session->ping_time);
    timeout = MIN (timeout, fasp_gap_get_timeout (session->gap));
    if (fasp_session_get_hold_end (session) > 0)
      timeout = MIN (timeout, fasp_session_get_hold_end (session));
    timeout = MIN (timeout, fasp_rx_get_give_up_time (&session->rx, now));
  }
  timeout = MIN (timeout, get_rekey_time (session));
  if (session->has_candidate)
    timeout = MIN (timeout, session->candidate_time + CHALLENGE_INTERVAL);
  if (session->role == FASP_ROLE_SENDER) {
    FaspTxItem item = fasp_tx_next (&session->tx, now, &session->rtt,
        fasp_session_get_room (session), get_unused (session, now));

    if (item.kind != FASP_TX_NOTHING)
      timeout = now;
    timeout = MAX (timeout, fasp_pacer_get_wake (&session->pacer, now,
            get_wire_max (session)));
  }
  /* liveness */
  timeout = MIN (timeout, session->heard + session->resume_timeout);
  if (!session->interrupted)
    timeout = MIN (timeout, session->heard + MAX (FASP_INTERRUPTED_AFTER,
            4 * session->rtt.smoothed));
  return timeout;
}

void
fasp_session_close (FaspSession * session, FaspTime now, FaspReason reason,
    const gchar * text)
{
  if (session->state == FASP_SESSION_CLOSING
      || session->state == FASP_SESSION_CLOSED)
    return;
  if (session->state != FASP_SESSION_OPEN) {
    /* its address is not proved: nothing is said to it */
    session->state = FASP_SESSION_CLOSED;
    session->close_initiated = TRUE;
    session->close_reason = reason;
    session->close_time = FASP_NEVER;
    session->close_deadline = now;
    return;
  }
  /* nobody there to hear it: one goodbye is enough */
  session->close_deadline = session->interrupted ? now + 1 :
      now + FASP_CLOSE_TIMEOUT;
  session->state = FASP_SESSION_CLOSING;
  session->close_initiated = TRUE;
  session->close_reason = reason;
  session->close_time = now;
  if (text != NULL)
    g_strlcpy (session->close_text, text, sizeof (session->close_text));
}
