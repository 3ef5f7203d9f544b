/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionflow.c: PINGs, which measure the round trip, keep the session alive or prove an
 * address; PONGs; and MTU probes. */
#include "faspsessionprivate.h"

/* An end that gets no feedback measures the round trip at this interval. */
#define PING_INTERVAL FASP_SEC
/* MTU probes need this rate, in bit/s: below it, the eight probes of a search take longer than a
 * third of a second. */
#define PROBE_RATE_MIN 250000
/* The longest interval at which the peer is asked whether it has the key. */
#define REKEY_WAIT_MAX (2 * FASP_SEC)
/* If nothing was heard on a flow for this time, packets that we send there may not arrive either,
 * so NEXT is sent. */
#define NEXT_AFTER (10 * FASP_SEC)

FaspTime
fasp_session_get_pong_time (const FaspSession *session, FaspTime now)
{
  return session->priv->pings.n_pongs > 0 ? now : FASP_NEVER;
}

gboolean
fasp_session_poll_pong (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  const FaspPong *pong;
  FaspPacket p;

  if (session->priv->pings.n_pongs == 0)
    return FALSE;
  pong = &session->priv->pings.pongs[--session->priv->pings.n_pongs];
  fasp_packet_begin (&p, session, datagram, pong->flow);
  /* to the address that the PING came from, as the PING may be a challenge of that address */
  datagram->to = pong->to;
  fasp_wire_write_number (&p.w, FASP_FRAME_PONG, pong->token);
  return fasp_packet_finish (&p, session, now, FASP_NO_BLOCK, FALSE);
}

/* Sends a PING, padded to @size bytes unless that is 0. */
static gboolean
send_ping (FaspSession *session, FaspTime now, FaspDatagram *datagram, guint8 number,
    const FaspAddress *to, guint16 size)
{
  guint tag_size = fasp_cipher_get_tag_size (session->priv->keys.cipher);
  FaspAddress at = *to;
  FaspPacket p;

  fasp_packet_begin (&p, session, datagram, number);
  datagram->to = at;
  fasp_wire_write_number (&p.w, FASP_FRAME_PING,
      fasp_flow_ping (p.flow, now, &session->priv->pings.tokens, size, FALSE, &at));
  if (size > 0) {
    gsize more = size - tag_size - p.w.used;
    guint8 *padding = fasp_write_room (&p.w, more);

    if (padding != NULL)
      memset (padding, FASP_FRAME_PADDING, more);
  }
  return fasp_packet_finish (&p, session, now,
      size > p.flow->pmtu.size ? FASP_PROBE : FASP_NO_BLOCK, FALSE);
}

void
fasp_session_write_ping (FaspSession *session, FaspTime now, FaspPacket *packet)
{
  session->priv->pings.time = now + PING_INTERVAL;
  fasp_wire_write_number (&packet->w, FASP_FRAME_PING,
      fasp_flow_ping (packet->flow, now, &session->priv->pings.tokens, 0, FALSE,
          &packet->flow->address));
}

/* --- challenges, probes and PINGs -------------------------------------------------- */

FaspTime
fasp_session_get_challenge_time (const FaspSession *session, FaspTime now)
{
  FaspTime time = FASP_NEVER;

  for (guint i = 0; i < session->n_flows; i++)
    time = fasp_sooner (time, fasp_flow_get_challenge_time (&session->flows[i]));
  return time;
}

gboolean
fasp_session_poll_challenge (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  for (guint i = 0; i < session->n_flows; i++) {
    FaspFlow *flow = &session->flows[i];

    if (fasp_flow_judge (flow, now))
      fasp_session_trust (session, now, i);
    if (now < fasp_flow_get_challenge_time (flow))
      continue;
    if (flow->challenge.asks > 0) {
      flow->challenge.asks--;
      flow->challenge.deadline = now + fasp_rtt_timeout (&session->rtt);
      return send_ping (session, now, datagram, i, &flow->address, 0);
    }
    fasp_flow_challenged (flow, now, fasp_rtt_timeout (&session->rtt));
    return send_ping (session, now, datagram, i, &flow->challenge.candidate, 0);
  }
  return FALSE;
}

FaspTime
fasp_session_get_quiet_time (const FaspSession *session, FaspTime now)
{
  FaspTime time = FASP_NEVER;

  for (guint i = 0; i < session->n_flows; i++)
    time = fasp_sooner (time, fasp_flow_get_ping_time (&session->flows[i]));
  return time;
}

gboolean
fasp_session_poll_quiet (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  for (guint i = 0; i < session->n_flows; i++) {
    FaspFlow *flow = &session->flows[i];

    if (now < fasp_flow_get_ping_time (flow))
      continue;
    fasp_flow_asked (flow, now);
    return send_ping (session, now, datagram, i, &flow->address, 0);
  }
  return FALSE;
}

/* The largest UDP payload that any flow is known to take; 0: none is known. */
static guint16
get_known_width (const FaspSession *session)
{
  guint16 width = 0;

  for (guint i = 0; i < session->n_flows; i++)
    if (!session->flows[i].pmtu.searching)
      width = MAX (width, session->flows[i].pmtu.size);
  return width;
}

/* Has the largest block that was sent arrived? This is known only with one flow, and only if the
 * receiver does not acknowledge blocks that it has given up as late. */
static gboolean
all_passes (const FaspSession *session)
{
  return session->sizes.largest_sent == 0
      || (session->n_flows == 1 && fasp_tx_view (session->tx)->counts.skips_reported == 0
          && session->sizes.largest_passed >= session->sizes.largest_sent);
}

/* Does the session probe the MTU of its flows? It does once the peer has reported. A member of a
 * group needs no probes, as all datagrams of a group fit any path. */
static gboolean
probes (const FaspSession *session)
{
  return !session->group.member.joined && fasp_tx_view (session->tx)->peer != FASP_TX_UNHEARD;
}

FaspTime
fasp_session_get_probe_time (const FaspSession *session, FaspTime now)
{
  FaspTime time = FASP_NEVER;

  for (guint i = 0; probes (session) && i < session->n_flows; i++) {
    const FaspFlow *flow = &session->flows[i];

    if (flow->probe.is_followed)
      time = now;
    else if (fasp_session_is_used (session, i))
      time = fasp_sooner (time, fasp_pmtu_get_timeout (&flow->pmtu));
  }
  return time;
}

gboolean
fasp_session_poll_probe (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  guint64 rate = session->pacer.ready.rate;

  if (!probes (session))
    return FALSE;
  for (guint i = 0; i < session->n_flows; i++) {
    FaspFlow *flow = &session->flows[i];
    gboolean was = flow->pmtu.confirming, passes;
    guint16 size, before = flow->pmtu.size;

    /* a small PING follows the probe: data is as large as the probe, and would not show that
     * smaller datagrams arrive */
    if (flow->probe.is_followed) {
      flow->probe.is_followed = FALSE;
      return send_ping (session, now, datagram, i, &flow->address, 0);
    }
    if (!fasp_session_is_used (session, i) || now < fasp_pmtu_get_timeout (&flow->pmtu))
      continue;
    if (rate > 0 && rate < PROBE_RATE_MIN && fasp_pmtu_postpone (&flow->pmtu, now))
      continue;
    if (all_passes (session) && fasp_pmtu_will_do (&flow->pmtu, now)) {
      session->sizes.largest_sent = session->sizes.largest_passed = 0;
      continue;
    }
    passes =
        fasp_sent_map_get_totals (fasp_tx_get_sent_map (session->tx), i).reported > flow->probe.pn;
    fasp_pmtu_expect (&flow->pmtu, get_known_width (session));
    size = fasp_pmtu_poll (&flow->pmtu, now, fasp_rtt_timeout (&session->rtt), passes);
    fasp_session_log_mtu (session, now, i, before, "black_hole");
    fasp_session_measure (session);
    if (flow->pmtu.confirming && !was) {
      session->sizes.confirm_from = fasp_tx_view (session->tx)->cursor;
      session->sizes.largest_sent = session->sizes.largest_passed = 0;
    }
    if (size == 0)
      continue;
    session->priv->pings.time = now + PING_INTERVAL;
    flow->probe.pn = flow->next_pn + 1;
    flow->probe.is_followed = flow->pmtu.confirming;
    return send_ping (session, now, datagram, i, &flow->address, size);
  }
  return FALSE;
}

void
fasp_session_write_next (FaspSession *session, FaspTime now, FaspWriter *w)
{
  const guint n = session->n_flows + 1;

  for (guint i = 0; i < n; i++) {
    guint flow = session->priv->pings.next_flow;

    session->priv->pings.next_flow = (flow + 1) % n;
    if (flow == session->n_flows) {
      if (session->group.sender == NULL || !fasp_tx_is_in_stream (session->tx))
        continue;
      fasp_wire_write_next (w, FASP_GROUP_FLOW, fasp_group_log_get_pn (session->group.sender->log));
      return;
    }
    if (session->n_flows > 1 && now - session->flows[flow].heard >= NEXT_AFTER) {
      fasp_wire_write_next (w, flow, session->flows[flow].next_pn);
      return;
    }
  }
}

FaspTime
fasp_session_get_next_ping_time (const FaspSession *session, FaspTime now)
{
  return session->priv->pings.due ?
      now :
      fasp_sooner (fasp_session_get_ping_time (session), fasp_session_get_rekey_time (session));
}

gboolean
fasp_session_poll_ping (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  gboolean rekeys = now >= fasp_session_get_rekey_time (session);
  FaspTime timeout = fasp_rtt_timeout (&session->rtt);
  FaspPacket p;

  /* The receiver wants to measure the round trip. The sender has feedback for that, and
   * only keeps the session alive. */
  if (!session->priv->pings.due && !rekeys && now < fasp_session_get_ping_time (session))
    return FALSE;
  /* to keep the session alive, a PROMISE will do, which needs no answer */
  if (session->role == FASP_ROLE_SENDER && !session->priv->pings.due && !rekeys
      && session->rtt.measured && !session->group.member.joined) {
    session->promise.time = now;
    return FALSE;
  }
  session->priv->pings.time = now + PING_INTERVAL;
  session->priv->pings.due = FALSE;
  if (rekeys) {
    /* this PING replaces the previous one, whose answer is overdue */
    session->priv->rekeying.wait =
        MAX (timeout, MIN (2 * session->priv->rekeying.wait, REKEY_WAIT_MAX));
    session->priv->rekeying.asked = now;
  }
  fasp_packet_begin (&p, session, datagram, fasp_packet_pick_flow (session));
  fasp_wire_write_number (&p.w, FASP_FRAME_PING,
      fasp_flow_ping (p.flow, now, &session->priv->pings.tokens, 0, rekeys, &p.flow->address));
  fasp_session_write_next (session, now, &p.w);
  return fasp_packet_finish (&p, session, now, FASP_NO_BLOCK, FALSE);
}

/* Does the flow carry packets? The sender knows it by the receiver's reports, which decide whether
 * the flow is used. The receiver knows it as the sender's data or PINGs, and PONGs, arrive on
 * it. */
static gboolean
carries (const FaspSession *session, FaspTime now, guint flow)
{
  return fasp_session_is_used (session, flow)
      && (session->role == FASP_ROLE_SENDER
          || now - session->flows[flow].heard < FASP_FLOW_QUIET + fasp_rtt_timeout (&session->rtt));
}

guint64
fasp_session_look_for_outages (FaspSession *session, FaspTime now, gboolean *moved)
{
  guint64 carrying = 0, changed = 0;

  *moved = FALSE;
  if (session->n_flows == 1)
    return 0;
  for (guint i = 0; i < session->n_flows; i++)
    carrying |= (guint64) carries (session, now, i) << i;
  for (guint i = 0; i < session->n_flows; i++) {
    FaspFlow *flow = &session->flows[i];
    gboolean was_out = flow->outage.out;

    if (carrying == 0)
      fasp_outage_hold (&flow->outage, now);
    else
      changed |= (guint64) fasp_outage_look (&flow->outage, now, carrying >> i & 1,
                     flow->death.is_dead ? flow->death.since : flow->heard)
          << i;
    *moved |= flow->outage.out != was_out;
  }
  return changed;
}
