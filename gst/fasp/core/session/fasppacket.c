/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsessionprivate.h"

/* One in this many feedbacks may also go on a flow that the peer is not heard on. */
#define SILENT_EVERY 4

void
fasp_packet_begin (FaspPacket *p, FaspSession *session, FaspDatagram *datagram, guint8 number)
{
  FaspSessionHeader header = { number, fasp_sealer_get_phase (session->priv->keys.sealer),
    session->peer_id, session->flows[number].next_pn };

  p->flow_number = number;
  p->flow = &session->flows[number];
  p->datagram = datagram;
  p->block = NULL;
  p->w = (FaspWriter) { datagram->data,
    sizeof datagram->data - fasp_sealer_get_tag_size (session->priv->keys.sealer) };
  datagram->to = p->flow->address;
  fasp_wire_write_session (&p->w, &header);
}

/* The ECN field of the packet: Not-ECT if the peer is only supposed to be at its address, or if the
 * packet is to end a silence, which ECN itself may cause on a broken path. */
static guint8
choose_ecn (FaspSession *session, const FaspPacket *p)
{
  const FaspRate *rate = session->paths.list[p->flow->path].rate;

  if (!fasp_session_is_controlled (session)
      || !fasp_address_equal (&p->datagram->to, &p->flow->address))
    return FASP_ECN_NOT_ECT;
  if (fasp_tx_is_stalled (session->tx)) {
    fasp_ecn_restart (&p->flow->ecn);
    return FASP_ECN_NOT_ECT;
  }
  if (!fasp_ecn_mark (&p->flow->ecn, p->flow->next_pn))
    return FASP_ECN_NOT_ECT;
  return rate != NULL && rate->class->l4s ? FASP_ECN_ECT1 : FASP_ECN_ECT0;
}

gboolean
fasp_packet_seal (FaspPacket *p, FaspSession *session, FaspTime now, guint64 block,
    gboolean continued)
{
  FaspPath *path = &session->paths.list[p->flow->path];
  FaspWriter *w = &p->w;
  gsize wire;

  if (!fasp_datagram_finish (p->datagram, session->priv->keys.sealer, p->flow_number,
          p->flow->next_pn, w, w->payload_size > 0 ? p->block : NULL)) {
    g_critical ("a datagram is too large, or its number was used before");
    return FALSE;
  }
  p->datagram->ecn = choose_ecn (session, p);
  p->flow->next_pn++;
  if (session->role != FASP_ROLE_SENDER)
    return TRUE;
  wire = fasp_packet_get_wire (p);
  path->wire_sent += wire;
  fasp_pacer_sent (&session->pacer, now, wire);
  fasp_pacer_sent (&path->pacer, now, wire);
  if (path->rate != NULL) {
    fasp_sent_log_add (&p->flow->sent, p->flow->next_pn - 1, now, path->wire_sent);
    fasp_rate_sent (path->rate, now, path->wire_sent);
  }
  fasp_sent_map_sent (fasp_tx_get_sent_map (session->tx), now, p->flow_number, block, continued);
  return TRUE;
}

void
fasp_packet_account (const FaspPacket *p, FaspSession *session, FaspTime now, guint n, gsize wire)
{
  FaspRekeying *r = &session->priv->rekeying;

  p->flow->datagrams_sent += n;
  p->flow->wire_sent += wire;
  r->datagrams += n;
  if (r->datagrams == r->limit)
    r->time = MIN (r->time, now);
  session->liveness.spoken = now;
  session->traffic.datagrams_sent += n;
  session->traffic.wire_sent += wire;
  fasp_meter_add (&session->traffic.send, now, wire);
  if (session->role == FASP_ROLE_SENDER && session->paths.n > 1)
    fasp_meter_add (&session->paths.list[p->flow->path].send, now, wire);
}

gboolean
fasp_packet_finish (FaspPacket *p, FaspSession *session, FaspTime now, guint64 block,
    gboolean continued)
{
  if (!fasp_packet_seal (p, session, now, block, continued))
    return FALSE;
  fasp_packet_account (p, session, now, 1, fasp_packet_get_wire (p));
  return TRUE;
}

guint8
fasp_packet_pick_flow (FaspSession *session)
{
  guint8 proved = 0;

  if (session->n_flows == 1)
    return 0;
  if (session->role == FASP_ROLE_SENDER)
    return fasp_multipath_pick (&session->multipath, 0);
  /* round robin: if one flow is dead, the next feedback repeats the report on another. A flow on
   * which nothing is heard may be the only one that carries towards the peer */
  session->flow_choice.n_any++;
  for (guint i = 1; i <= session->n_flows; i++) {
    guint8 flow = (session->flow_choice.last_any + i) % session->n_flows;

    if (!session->flows[flow].proved)
      continue;
    proved = flow;
    if (!session->flows[flow].silence.is_silent || session->flow_choice.n_any % SILENT_EVERY == 0)
      break;
  }
  return session->flow_choice.last_any = proved;
}
