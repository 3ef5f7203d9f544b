/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsessionprivate.h"

/* How long the peer must stay silent, at least, after its port was reported closed and a PING was
 * sent. */
#define REFUSED_AFTER (100 * FASP_MSEC)

FaspSession *
fasp_session_new (FaspRole role, guint32 id, FaspTime now, const FaspAddress *peer, guint flows,
    const guint8 ping_secret[FASP_PING_SECRET], FaspSessionRecord *record)
{
  FaspSession *session = g_new0 (FaspSession, 1);

  session->role = role;
  session->id = id;
  session->record = record;
  session->priv = g_new0 (FaspSessionPrivate, 1);
  session->liveness.created = session->liveness.heard = session->liveness.spoken = now;
  /* memory for one flow until the session is open, so that a caller that sends nothing more costs
   * little */
  session->agreed_flows = CLAMP (flows, 1, FASP_FLOWS_MAX);
  session->n_flows = 1;
  session->flows = g_new (FaspFlow, 1);
  fasp_flow_init (&session->flows[0], now, session->agreed_flows == 1);
  session->flows[0].address = *peer;
  session->paths.n = 1;
  session->paths.list = g_new (FaspPath, 1);
  fasp_path_init (&session->paths.list[0]);
  session->sizes.datagram_max = FASP_DATAGRAM_MAX;
  fasp_session_set_rekeying (session, 0, 0, NULL, NULL);
  memcpy (session->priv->pings.tokens.secret, ping_secret, FASP_PING_SECRET);
  session->closing.deadline = session->paths.until = session->priv->rekeying.send_time = FASP_NEVER;
  fasp_rtt_init (&session->rtt);
  session->traffic.send.start = session->traffic.receive.start = now;
  return session;
}

void
fasp_session_free (FaspSession *session)
{
  if (session->role == FASP_ROLE_SENDER)
    fasp_tx_free (session->tx);
  else
    fasp_rx_free (session->rx);
  for (guint i = 0; i < session->n_flows; i++)
    fasp_flow_clear (&session->flows[i]);
  g_free (session->flows);
  fasp_log_free (session->notes.log);
  for (guint i = 0; i < session->paths.n; i++)
    fasp_path_clear (&session->paths.list[i]);
  g_free (session->paths.list);
  fasp_multicast_receiver_free (session->group.receiver);
  fasp_sealer_free (session->priv->keys.sealer);
  fasp_opener_free (session->priv->keys.opener);
  g_clear_pointer (&session->handshake.accept, g_bytes_unref);
  fasp_wipe (session->priv, sizeof *session->priv);
  g_free (session->priv);
  g_free (session->streamid);
  g_free (session->record);
  g_free (session);
}

void
fasp_session_send (FaspSession *session, FaspTime now, const FaspTxConfig *config)
{
  session->store = config->store;
  session->tx = fasp_tx_new (now, config);
}

void
fasp_session_receive (FaspSession *session, FaspTime now, guint64 start, guint32 capacity)
{
  session->rx = fasp_rx_new (now, start, capacity, &session->terms.latency, session->notes.log);
}

void
fasp_session_set_keys (FaspSession *session, const FaspKeys *keys)
{
  FaspSessionKeys *own = &session->priv->keys;
  gboolean ours = session->listener; /* the listener seals with the listener's key */

  own->cipher = keys->cipher;
  own->sealer = fasp_sealer_new (keys->cipher, ours ? keys->listener : keys->caller);
  own->opener = fasp_opener_new (keys->cipher, ours ? keys->caller : keys->listener);
  fasp_hmac (keys->caller, FASP_KEY_SIZE, "fasp resume 2", keys->listener, FASP_KEY_SIZE,
      own->resume, FASP_KEY_SIZE);
}

void
fasp_session_set_rekeying (FaspSession *session, FaspTime interval, guint64 datagrams,
    FaspRandomFunc random, gpointer random_data)
{
  session->priv->rekeying.interval = interval > 0 ? interval : FASP_REKEY_INTERVAL;
  session->priv->rekeying.limit = datagrams > 0 ? datagrams : FASP_REKEY_DATAGRAMS;
  session->priv->keys.random = random;
  session->priv->keys.random_data = random_data;
}

void
fasp_session_prove (const FaspSession *session, const guint8 nonce[FASP_NONCE_SIZE],
    guint8 proof[FASP_PROOF_SIZE])
{
  fasp_hmac (session->priv->keys.resume, FASP_KEY_SIZE, "fasp resume proof 2", nonce,
      FASP_NONCE_SIZE, proof, FASP_PROOF_SIZE);
}

void
fasp_session_plan_rekey (FaspSession *session, FaspTime now)
{
  FaspRekeying *r = &session->priv->rekeying;

  for (guint i = 0; i < session->n_flows; i++)
    session->flows[i].phase_pn = session->flows[i].next_pn;
  r->datagrams = 0;
  r->time = session->priv->keys.cipher == FASP_CIPHER_NONE ? FASP_NEVER : now + r->interval;
  r->wait = 0;
}

void
fasp_session_use (FaspSession *session, FaspTime now, guint8 number)
{
  FaspFlow *flow = &session->flows[number];

  flow->death.is_dead = FALSE;
  flow->back.measured = FALSE;
  if (session->role == FASP_ROLE_SENDER) {
    fasp_session_assign_path (session, now, number);
    fasp_session_set_usable (session, now, number, TRUE);
  }
  if (flow->pmtu.limit > 0)
    fasp_pmtu_restart (&flow->pmtu, now, flow->address.overhead);
  else
    fasp_pmtu_init (&flow->pmtu, now, flow->address.overhead,
        session->pacer.ready.rate >= FASP_JUMBO_FROM ?
            session->sizes.datagram_max :
            MIN (session->sizes.datagram_max, FASP_DATAGRAM_COMMON));
  if (session->role == FASP_ROLE_RECEIVER)
    flow->pmtu.next_time =
        FASP_NEVER; /* a receiver's feedback fits any path, so it needs no MTU search */
  fasp_session_measure (session);
}

gboolean
fasp_session_is_measured (const FaspSession *session)
{
  for (guint i = 0; i < session->n_flows; i++)
    if (!session->flows[i].proved || session->flows[i].pmtu.searching)
      return FALSE;
  return TRUE;
}

gboolean
fasp_session_is_used (const FaspSession *session, guint8 flow)
{
  return session->flows[flow].proved
      && (session->role == FASP_ROLE_RECEIVER
          || fasp_multipath_is_usable (&session->multipath, flow));
}

void
fasp_session_set_address (FaspSession *session, guint8 flow, const FaspAddress *peer)
{
  session->flows[flow].address = *peer;
}

const FaspAddress *
fasp_session_get_address (const FaspSession *session)
{
  for (guint i = 0; i < session->n_flows; i++)
    if (session->flows[i].address.len > 0)
      return &session->flows[i].address;
  return &session->handshake.from;
}

gboolean
fasp_session_refused (FaspSession *session, FaspTime now, const FaspAddress *address)
{
  gboolean any = FALSE;

  for (guint i = 0; i < session->n_flows; i++) {
    FaspFlow *flow = &session->flows[i];

    if (!fasp_address_same_peer (&flow->address, address))
      continue;
    any = TRUE;
    if (flow->refusal.is_reported)
      continue;
    flow->refusal.is_reported = TRUE;
    flow->refusal.since = now;
    FASP_LOG (session->notes.log, now, PATH_REFUSED, i, FASP_LOG_POINTER (address));
    session->priv->pings.due = TRUE; /* a PING: a live peer answers it */
  }
  return any;
}

FaspTime
fasp_session_get_refused_time (const FaspSession *session)
{
  FaspTime last = FASP_NEVER;

  for (guint i = 0; i < session->n_flows; i++) {
    const FaspFlow *flow = &session->flows[i];

    if (flow->refusal.is_reported)
      last = fasp_later (flow->refusal.since, last == FASP_NEVER ? 0 : last);
    else if (flow->proved)
      return FASP_NEVER;
  }
  return last == FASP_NEVER ? FASP_NEVER :
                              last + MAX (REFUSED_AFTER, fasp_rtt_timeout (&session->rtt));
}

void
fasp_session_is_asked_for (FaspSession *session, FaspTime now, const FaspAddress *from)
{
  session->priv->pings.due = TRUE; /* a PING shows the peer that we still know the session */
  for (guint i = 0; i < session->n_flows; i++) {
    FaspFlow *flow = &session->flows[i];

    /* The peer may have moved to @from, which only a challenge there shows. Of several flows, the
     * one at the same local address sends it. A flow whose peer address is not known sends none, as
     * the peer calls on that by itself. */
    if (!fasp_address_equal (&flow->address, from)
        && (session->n_flows == 1
            || (flow->address.len > 0 && flow->address.socket == from->socket)))
      fasp_flow_suppose (flow, now, from, FALSE);
  }
}

void
fasp_session_trust (FaspSession *session, FaspTime now, guint8 flow)
{
  FASP_LOG (session->notes.log, now, PATH_PROVED, flow,
      FASP_LOG_POINTER (&session->flows[flow].address));
  session->flows[flow].proved = TRUE;
  fasp_session_use (session, now, flow);
}

void
fasp_session_open (FaspSession *session, FaspTime now)
{
  if (session->state == FASP_SESSION_OPEN)
    return;
  session->flows = g_renew (FaspFlow, session->flows, session->agreed_flows);
  for (; session->n_flows < session->agreed_flows; session->n_flows++)
    fasp_flow_init (&session->flows[session->n_flows], now, FALSE);
  session->state = FASP_SESSION_OPEN;
  session->liveness.opened = session->liveness.heard = now;
  session->priv->pings.time = now;
  fasp_session_plan_rekey (session, now);
  g_clear_pointer (&session->handshake.accept, g_bytes_unref);
  session->handshake.accept_due = FALSE;
  if (session->role == FASP_ROLE_SENDER)
    fasp_tx_opened (session->tx, now);
  else
    fasp_feedback_opened (fasp_rx_get_feedback (session->rx), now);
  fasp_session_measure (session);
}

gboolean
fasp_session_get_first_latency (const FaspSession *session, guint *latency_ms)
{
  FaspTime latency = session->terms.latency.latency;

  if (session->terms.latency.find) {
    latency = session->role == FASP_ROLE_SENDER ? fasp_tx_get_estimate (session->tx)->latency :
                                                  fasp_rx_view (session->rx)->playout.first;
  }
  *latency_ms = latency / FASP_MSEC;
  return !session->terms.latency.find || latency > 0;
}

FaspTime
fasp_session_get_hold_end (const FaspSession *session)
{
  FaspTime first;

  if (session->role != FASP_ROLE_RECEIVER || session->state != FASP_SESSION_OPEN
      || !fasp_playout_is_unknown (&fasp_rx_view (session->rx)->playout))
    return 0;
  first = fasp_rx_view (session->rx)->first_data;
  return first == FASP_NEVER ? FASP_NEVER : first + FASP_HOLD_MAX;
}

guint
fasp_session_get_latency (const FaspSession *session, FaspTime now)
{
  FaspTime latency = session->role == FASP_ROLE_SENDER ?
      fasp_tx_get_estimate (session->tx)->latency :
      fasp_playout_get (&fasp_rx_view (session->rx)->playout, now);

  return latency / FASP_MSEC;
}

guint
fasp_session_get_overhead (const FaspSession *session)
{
  return FASP_DATA_HEADER + fasp_cipher_get_tag_size (session->priv->keys.cipher)
      + (session->terms.sends_offsets ? FASP_OFFSET_SIZE : 0);
}

void
fasp_session_measure (FaspSession *session)
{
  guint32 size = G_MAXUINT32;

  session->sizes.wire_max = FASP_PMTU_BASE;
  session->is_proved = FALSE;
  for (guint i = 0; i < session->n_flows; i++) {
    const FaspFlow *flow = &session->flows[i];

    if (!flow->proved)
      continue;
    session->is_proved = TRUE;
    session->sizes.wire_max = MAX (session->sizes.wire_max,
        fasp_pmtu_get_largest (&flow->pmtu) + (gsize) flow->address.overhead);
    if (fasp_session_is_used (session, i))
      size = MIN (size, flow->pmtu.size);
  }
  /* no flow is usable now: takes the size of flow 0 */
  if (size == G_MAXUINT32)
    size = session->flows[0].pmtu.size;
  session->sizes.room = MAX (size, FASP_PMTU_BASE) - fasp_session_get_overhead (session);
}

const FaspFec *
fasp_session_get_fec (const FaspSession *session)
{
  return session->group.member.joined ? &session->group.sender->fec : fasp_tx_get_fec (session->tx);
}

guint32
fasp_session_get_room (const FaspSession *session)
{
  return session->sizes.room - (session->terms.has_fec ? FASP_REPAIR_MORE : 0);
}

FaspTime
fasp_session_get_rekey_time (const FaspSession *session)
{
  const FaspRekeying *r = &session->priv->rekeying;

  /* blocks would delay the challenges and PINGs that look for the peer */
  if (session->liveness.interrupted
      || (session->n_flows == 1 && fasp_flow_is_doubted (&session->flows[0])))
    return FASP_NEVER;
  return r->wait == 0 ? r->time : MAX (r->time, r->asked + r->wait);
}
