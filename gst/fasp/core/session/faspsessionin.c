/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionin.c: what a datagram that has come in does to its session.
 */
#include "fasplimits.h"
#include "faspsessionprivate.h"

/* A block that was lost in this many rounds may have become too large for the path. */
#define SUSPICIOUS_ROUNDS 4

static void
handle_ping (FaspSession *session, FaspTime now, guint8 flow, const FaspAddress *from,
    guint64 token)
{
  if (fasp_flow_may_answer (&session->flows[flow], now, from)
      && session->priv->pings.n_pongs < FASP_PONGS)
    session->priv->pings.pongs[session->priv->pings.n_pongs++] = (FaspPong) { token, flow, *from };
}

/* Changes to the next key if it is time. The peer has opened a datagram of this phase, so it can
 * derive that key. */
static void
rekey (FaspSession *session, FaspTime now)
{
  FaspRekeying *r = &session->priv->rekeying;

  if (now < r->time)
    return;
  FASP_LOG (session->notes.log, now, KEY_UPDATED,
      FASP_LOG_WORD (r->datagrams >= r->limit ? "datagrams" : "age"), r->datagrams);
  fasp_sealer_rekey (session->priv->keys.sealer);
  r->keys++;
  fasp_session_plan_rekey (session, now);
  for (guint i = 0; i < session->n_flows; i++)
    for (guint j = 0; j < FASP_PINGS; j++)
      session->flows[i].pings[j].rekeys = FALSE;
}

static void
revive (FaspSession *session, FaspTime now, guint8 flow, const gchar *why)
{
  FASP_LOG (session->notes.log, now, PATH_ALIVE, flow, now - session->flows[flow].death.since,
      FASP_LOG_WORD (why));
  session->flows[flow].death.is_dead = FALSE;
  fasp_session_set_usable (session, now, flow, TRUE);
}

static void
handle_pong (FaspSession *session, FaspTime now, guint8 number, const FaspAddress *from,
    guint64 token)
{
  FaspFlow *flow = &session->flows[number];
  FaspPing ping;

  if (!fasp_flow_pong (flow, from, token, &ping))
    return;
  if (fasp_flow_prove (flow, &ping.to)) {
    fasp_session_trust (session, now, number);
  } else if (ping.size > 0) {
    guint16 before = flow->pmtu.size;

    fasp_pmtu_answered (&flow->pmtu, now, ping.size);
    fasp_session_log_mtu (session, now, number, before, "probe_answered");
  }
  if (flow->death.is_dead && ping.sent > flow->death.since)
    revive (session, now, number, "ping_answered");
  if (session->role == FASP_ROLE_RECEIVER || !session->rtt.measured)
    fasp_rtt_sample (&session->rtt, now - ping.sent, 0);
  if (ping.rekeys)
    rekey (session, now);
}

/* The send rate, in bit/s: of the last second, or of the current one if that is more already. */
static guint64
get_send_rate (const FaspSession *session)
{
  return MAX (session->traffic.send.rate, session->traffic.send.bytes * 8);
}

/* Chooses the largest datagram: only fast streams use jumbo frames. */
static void
choose_limit (FaspSession *session, FaspTime now)
{
  guint64 rate = get_send_rate (session);
  FaspTime first = fasp_tx_get_estimate (session->tx)->first_data;
  gboolean known = first != FASP_NEVER && now - first >= FASP_JUMBO_KNOWN;

  for (guint i = 0; i < session->n_flows; i++) {
    FaspFlow *flow = &session->flows[i];
    guint16 limit = flow->pmtu.limit, before = flow->pmtu.size;

    if (!flow->proved)
      continue;
    if (rate >= FASP_JUMBO_FROM)
      limit = session->sizes.datagram_max;
    else if (rate < FASP_JUMBO_UNTIL && known)
      limit = MIN (session->sizes.datagram_max, FASP_DATAGRAM_COMMON);
    fasp_pmtu_set_limit (&flow->pmtu, now, flow->address.overhead, limit);
    fasp_session_log_mtu (session, now, i, before, "stream_is_slow");
  }
}

/* Stops using the flows in @dead, and resumes those that carry packets again. */
static void
bury_and_revive (FaspSession *session, FaspTime now, guint64 dead)
{
  for (guint i = 0; i < session->n_flows; i++) {
    FaspFlow *flow = &session->flows[i];

    if ((dead >> i & 1) != 0 && !flow->death.is_dead && !fasp_session_needs_flow (session, i)) {
      fasp_session_set_usable (session, now, i, FALSE);
      fasp_flow_die (flow, now);
    } else if (flow->death.is_dead
        && fasp_sent_map_get_totals (fasp_tx_get_sent_map (session->tx), i).reported
            > flow->death.pn) {
      revive (session, now, i, "packet_arrived");
    }
  }
}

/* Does the FEEDBACK report a packet of our current key phase? */
static gboolean
knows_phase (const FaspSession *session, const FaspFeedback *feedback)
{
  for (guint i = 0; i < feedback->n_flows; i++) {
    const FaspFeedbackFlow *reported = &feedback->flows[i];
    const FaspFlow *flow;

    if (reported->flow >= session->n_flows || reported->received == 0)
      continue;
    flow = &session->flows[reported->flow];
    if (fasp_widen_given (reported->largest, FASP_PN_BITS, flow->next_pn) >= flow->phase_pn)
      return TRUE;
  }
  return FALSE;
}

/* The size of the largest block from @from on that this plausible FEEDBACK acknowledges and that
 * arrived in one piece. Blocks that were lost do not count: the receiver may have given them up as
 * too late. */
static guint32
find_passed (const FaspSession *session, guint64 from, guint64 ack)
{
  const FaspSentMap *sent_map = fasp_tx_get_sent_map (session->tx);
  guint64 end = MIN (ack, fasp_tx_view (session->tx)->cursor);
  guint32 largest = 0;

  from = MAX (from, fasp_store_get_tail (session->store));
  for (guint64 n = from; n < end && largest < session->sizes.room; n++) {
    guint32 size = fasp_store_get (session->store, n)->size;

    if (size > largest && size <= session->sizes.room && fasp_sent_map_is_sent_once (sent_map, n))
      largest = size;
  }
  return largest;
}

/* A block sent since the path MTU came into doubt has passed, and so confirms its size. With
 * several flows, this needs to know which flow carried it. */
static void
confirm_size (FaspSession *session, FaspTime now, guint32 size)
{
  if (session->terms.has_fec && size == fasp_session_get_room (session))
    size += FASP_REPAIR_MORE; /* the block's repair symbol passed, too, and is larger */
  if (size > 0)
    fasp_pmtu_passed (&session->flows[0].pmtu, now, size + fasp_session_get_overhead (session));
}

/* The peer's clock, widened from its low 32 bits. */
static FaspTime
widen_clock (FaspSession *session, guint32 clock)
{
  FaspTime *newest = &session->paths.peer_clock;

  if (*newest == 0)
    *newest = clock + (G_GINT64_CONSTANT (1) << 32);
  else
    *newest += (gint32) (clock - (guint32) *newest);
  return *newest;
}

static void
report_timestamps (FaspSession *session, FaspTime now, guint32 clock,
    const FaspFeedbackFlow *reported)
{
  FaspRateSample samples[FASP_TIMESTAMPS + 1];
  FaspFlowTotals all =
      fasp_sent_map_get_totals (fasp_tx_get_sent_map (session->tx), reported->flow);
  FaspRateFeedback feedback = {
    .now = now,
    .flow = reported->flow,
    .reported = all.reported,
    .lost = all.reported - MIN (all.reported, all.received),
    .marked = reported->marked,
    .unsettled = reported->unsettled,
    .delay = reported->delay,
  };
  FaspFlow *flow = &session->flows[reported->flow];
  FaspPath *path = &session->paths.list[flow->path];
  FaspTime arrived = widen_clock (session, clock - reported->delay);
  guint64 largest = fasp_widen_given (reported->largest, FASP_PN_BITS, flow->next_pn);
  guint64 pn = largest;
  FaspEcnState marks = flow->ecn.state;
  const FaspSent *sent;
  guint first = FASP_TIMESTAMPS + 1;

  /* takes the samples from the newest to the oldest, up to those reported before */
  for (guint i = 0; (sent = fasp_sent_log_get (&flow->sent, pn)) != NULL; i++) {
    samples[--first] = (FaspRateSample) { sent->time, arrived, sent->bytes };
    fasp_ecn_arrived (&flow->ecn, pn);
    if (i == reported->n_timestamps)
      break;
    pn -= reported->timestamps[i].back;
    arrived -= reported->timestamps[i].before;
  }
  feedback.rtt = path->rtt.measured ? path->rtt.smoothed : 0;
  feedback.samples = samples + first;
  feedback.n = FASP_TIMESTAMPS + 1 - first;
  fasp_ecn_feedback (&flow->ecn, largest + 1, all.received);
  if (flow->ecn.state != marks)
    FASP_LOG (session->notes.log, now, ECN_UPDATED, reported->flow,
        FASP_LOG_WORD (fasp_ecn_get_name (flow->ecn.state)));
  if (feedback.n > 0) {
    const FaspRateSample *newest = &feedback.samples[feedback.n - 1];

    fasp_path_delayed (path, now, newest->arrived - newest->sent);
  }
  fasp_rate_feedback (path->rate, &feedback);
  if (session->notes.log != NULL)
    fasp_session_log_rate (session, now, path);
  path->until = session->paths.until = now;
}

/* Without receive timestamps, all packets up to the largest reported one count as no longer in
 * flight. */
static void
report_largest (FaspSession *session, FaspTime now, const FaspFeedbackFlow *reported)
{
  FaspFlow *flow = &session->flows[reported->flow];
  FaspPath *path = &session->paths.list[flow->path];
  const FaspSent *sent = fasp_sent_log_get (&flow->sent,
      fasp_widen_given (reported->largest, FASP_PN_BITS, flow->next_pn));

  if (sent == NULL)
    return;
  fasp_rate_reported (path->rate, now, sent->bytes);
}

/* Forgets the packets up to `largest', of which no receive timestamps will be reported any more. */
static void
forget_sent (FaspFlow *flow, const FaspFeedbackFlow *reported)
{
  fasp_sent_log_forget (&flow->sent,
      1 + fasp_widen_given (reported->largest, FASP_PN_BITS, flow->next_pn));
}

/* Adapts the feedback rate; a new one goes to the receiver with the next PROMISE. */
static void
follow_feedback_rate (FaspSession *session, FaspTime now, guint8 flow, guint32 clock, gsize wire)
{
  if (fasp_feedback_rate_feedback (&session->priv->feedback_rate, &session->flows[flow].back, now,
          clock, wire, session->rtt.smoothed, get_send_rate (session)))
    session->promise.time = now;
}

static void
handle_feedback (FaspSession *session, FaspTime now, guint8 flow, const FaspFeedback *feedback,
    gsize wire)
{
  guint64 skips = fasp_tx_view (session->tx)->counts.skips_reported, dead;
  gboolean doubted = session->n_flows == 1 && session->flows[0].pmtu.confirming;
  guint32 passed = 0;

  if (!fasp_tx_takes (session->tx, feedback))
    return;
  if (doubted || session->sizes.largest_passed < session->sizes.largest_sent)
    passed = find_passed (session,
        MAX (fasp_tx_view (session->tx)->acked, doubted ? session->sizes.confirm_from : 0),
        feedback->ack);

  if (!fasp_tx_feedback (session->tx, now, feedback, &session->rtt, &dead))
    return;
  /* PROMISE carries the position, which the receiver may not know after a skip */
  if (fasp_tx_view (session->tx)->counts.skips_reported > skips)
    session->promise.time = now;
  fasp_session_note_round_trips (session, feedback);
  follow_feedback_rate (session, now, flow, feedback->clock, wire);
  bury_and_revive (session, now, dead);
  fasp_multipath_adjust (&session->multipath, now, fasp_tx_get_sent_map (session->tx));
  if (knows_phase (session, feedback))
    rekey (session, now);
  session->sizes.largest_passed = MAX (session->sizes.largest_passed, passed);
  if (doubted)
    confirm_size (session, now, passed);
  for (guint i = 0; fasp_session_is_controlled (session) && i < feedback->n_flows; i++) {
    const FaspFeedbackFlow *reported = &feedback->flows[i];

    if (reported->flow >= session->n_flows || reported->received == 0)
      continue;
    if (feedback->has_timestamps)
      report_timestamps (session, now, feedback->clock, reported);
    else
      report_largest (session, now, reported);
    forget_sent (&session->flows[reported->flow], reported);
  }
  if (fasp_sent_map_is_overgrown (fasp_tx_get_sent_map (session->tx)))
    fasp_session_close (session, now, FASP_REASON_STOPPED, "its feedback never says what arrived");
  choose_limit (session, now);
  if (fasp_sent_map_get_oldest_rounds (fasp_tx_get_sent_map (session->tx)) >= SUSPICIOUS_ROUNDS)
    for (guint i = 0; i < session->n_flows; i++)
      fasp_pmtu_suspect (&session->flows[i].pmtu, now);
}

/* The peer's next packet number on a flow, or on the group's, after a long silence there. */
static void
handle_next (FaspSession *session, FaspTime now, guint8 flow, guint64 pn)
{
  if (flow < session->n_flows)
    fasp_gap_expect (session->flows[flow].gap, pn);
  else if (flow == FASP_GROUP_FLOW && session->group.receiver != NULL)
    fasp_multicast_receiver_expect (session->group.receiver, now, pn);
}

static void
handle_frame (FaspSession *session, FaspTime now, const FaspAddress *from, guint8 flow,
    const FaspFrame *frame, gsize wire)
{
  gboolean sender = session->role == FASP_ROLE_SENDER;
  gboolean takes_stream = !sender && session->state == FASP_SESSION_OPEN && !session->refused;

  switch (frame->type) {
    case FASP_FRAME_PADDING:
    case FASP_FRAME_OFFSET: /* handled with the DATA that it belongs to */
      break;
    case FASP_FRAME_PING:
      handle_ping (session, now, flow, from, frame->ping.token);
      break;
    case FASP_FRAME_PONG:
      handle_pong (session, now, flow, from, frame->ping.token);
      break;
    case FASP_FRAME_NEXT:
      handle_next (session, now, frame->next.flow, frame->next.n);
      break;
    case FASP_FRAME_AGREE:
      fasp_session_handle_agree (session, now, &frame->agree);
      break;
    case FASP_FRAME_CLOSE:
      fasp_session_handle_close (session, now, &frame->close);
      break;
    case FASP_FRAME_FEEDBACK:
      if (sender)
        handle_feedback (session, now, flow, frame->feedback, wire);
      break;
    case FASP_FRAME_EXPIRED:
      /* EXPIRED of a member is ignored, as a block that one member lacks is sent to all */
      if (sender && !session->group.member.joined)
        fasp_tx_expire (session->tx, now, frame->expired.media_time, &session->rtt);
      break;
    case FASP_FRAME_TAIL:
      if (takes_stream)
        fasp_rx_tail (session->rx, now, frame->blocks.n, FALSE);
      break;
    case FASP_FRAME_SKIP:
      if (takes_stream)
        fasp_rx_skip (session->rx, now, frame->blocks.n);
      break;
    case FASP_FRAME_POSITION:
      if (takes_stream)
        fasp_rx_position (session->rx, frame->position.n, &frame->position.offset);
      break;
    case FASP_FRAME_PROMISE:
      if (takes_stream)
        fasp_session_handle_promise (session, now, &frame->promise);
      break;
    case FASP_FRAME_REPAIR:
      if (takes_stream)
        fasp_rx_repair (session->rx, now, &frame->repair);
      break;
    case FASP_FRAME_GROUP: /* comes by unicast, and makes this member the speaker */
      if (takes_stream)
        fasp_feedback_speak (fasp_rx_get_feedback (session->rx), now);
      break;
    case FASP_FRAME_DATA:
      if (takes_stream && session->group.receiver != NULL && frame->data.round == 0)
        fasp_session_is_passed_by (session, now);
      if (takes_stream)
        fasp_session_handle_data (session, now, &frame->data, frame->memory, wire);
      break;
  }
}

/* The first datagram of a caller. Its source address is trusted only if ACCEPT went
 * there and nowhere else, and challenged otherwise: an attacker that has copied
 * the caller's OPEN must not make us believe that the caller is elsewhere. */
static void
open_from (FaspSession *session, FaspTime now, guint8 flow, const FaspAddress *from)
{
  fasp_session_open (session, now);
  session->flows[0].address.len = 0;
  if (session->handshake.moved || !fasp_address_equal (from, &session->handshake.from))
    return;
  fasp_session_set_address (session, flow, from);
  fasp_session_trust (session, now, flow);
}

FaspSessionResult
fasp_session_unseal (FaspSession *session, FaspTime now, const FaspSessionHeader *header,
    const guint8 *data, gsize size, FaspMemory *memory, FaspOpened *opened)
{
  FaspFlow *flow;

  if (header->flow >= session->agreed_flows)
    return FASP_SESSION_ALIEN;
  /* before the session is open there is one flow, and no packet has arrived on any */
  flow = &session->flows[MIN (header->flow, session->n_flows - 1)];
  opened->pn = fasp_widen (header->pn, FASP_PN_BITS, fasp_gap_get_expected (flow->gap));
  if (fasp_gap_is_refused (flow->gap, opened->pn)) {
    fasp_gap_receive (flow->gap, now, opened->pn); /* counts the replay */
    return FASP_SESSION_REFUSED;
  }
  opened->flow = header->flow;
  opened->size = size;
  opened->memory = memory;
  opened->r = (FaspReader) { 0 };
  opened->r.data = session->priv->keys.opener == NULL ?
      NULL :
      fasp_opener_open (session->priv->keys.opener, header, opened->pn, data, size,
          memory != NULL ? (guint8 *) data + FASP_SESSION_HEADER : opened->scratch,
          &opened->r.left);
  return opened->r.data != NULL ? FASP_SESSION_OK : FASP_SESSION_FORGED;
}

/* Logs when the peer has begun to seal with its next key. */
static void
log_peer_key (FaspSession *session, FaspTime now)
{
  FaspLog *log = session->notes.log;

  if (fasp_log_changes (log, FASP_LOG_IS_ODD_PHASE,
          fasp_opener_get_phase (session->priv->keys.opener)))
    FASP_LOG (log, now, KEY_UPDATED, FASP_LOG_WORD ("remote_update"), FASP_LOG_UNKNOWN);
}

FaspSessionResult
fasp_session_take (FaspSession *session, FaspTime now, const FaspAddress *from, FaspOpened *opened,
    gboolean marked)
{
  gchar text[FASP_TEXT_MAX + 1];
  FaspFrame frame = { .feedback = &opened->feedback, .text = text, .memory = opened->memory };
  guint8 number = opened->flow;
  gsize wire = opened->size + from->overhead;
  FaspFlow *flow;
  gboolean newest;

  if (session->state == FASP_SESSION_HALF)
    open_from (session, now, number, from);
  if (number >= session->n_flows) /* the session ended while it was opened */
    return FASP_SESSION_ALIEN;
  if (session->notes.log != NULL)
    log_peer_key (session, now);
  fasp_session_follow_secret (session, now);
  flow = &session->flows[number];
  newest = fasp_gap_receive (flow->gap, now, opened->pn) <= FASP_GAP_HOLE;
  flow->marked += marked;
  session->liveness.heard = now;
  session->liveness.excused = 0;
  fasp_session_count_received (session, now, wire);
  if (session->role == FASP_ROLE_RECEIVER) {
    if (session->n_flows > 1)
      fasp_flow_stream_heard (flow, now);
    if (session->terms.sends_timestamps && newest)
      fasp_timestamps_add (&flow->timestamps, now, opened->pn);
  }
  fasp_flow_heard (flow, now, from, newest);

  while (fasp_wire_next_frame (&opened->r, &frame))
    handle_frame (session, now, from, number, &frame, wire);
  if (session->role == FASP_ROLE_SENDER)
    fasp_session_measure (session);
  return opened->r.failed ? FASP_SESSION_MALFORMED : FASP_SESSION_OK;
}
