/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionout.c: what leaves a session: a datagram, or a run of new blocks, at a time.
 */
#include "faspsessionprivate.h"

/* An event is logged when a new block leaves later than this after it was written, and a second one
 * when a block leaves after less than half of this. */
#define LONG (100 * FASP_MSEC)

FaspTime
fasp_session_get_speaker_time (const FaspSession *session, FaspTime now)
{
  return session->group.member.joined ? session->group.member.speak_time : FASP_NEVER;
}

gboolean
fasp_session_poll_speaker (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  FaspPacket p;

  if (!session->group.member.joined || now < session->group.member.speak_time)
    return FALSE;
  fasp_multicast_sender_speaker_notified (&session->group.member, now);
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
  fasp_trace_add (session->notes.trace,
      &(FaspTraceEntry) {
          .time = now,
          .media_time = item->block->media_time,
          .block = item->number,
          .session = session->id,
          .full = datagram->size + datagram->to.overhead,
          .payload = payload,
          .round = item->round,
          .copy = item->copy,
          .fresh = item->round == 0,
      });
}

gboolean
fasp_session_is_ready (const FaspSession *session, FaspTime now)
{
  return fasp_pacer_get_time (&session->pacer, now, session->sizes.wire_max) <= now;
}

/* Does the pace of its group hold back @item for this member? */
static gboolean
waits_for_group (const FaspSession *session, FaspTime now, const FaspTxItem *item)
{
  return item->kind == FASP_TX_BLOCK && session->group.member.joined
      && fasp_multicast_sender_get_ready (session->group.sender, now) > now;
}

gboolean
fasp_session_is_let (const FaspSession *session, FaspTime now)
{
  const FaspTotal *total = session->shared.total;

  /* a member needs no share of the total, as its group has one */
  return total == NULL || !fasp_total_is_limited (total) || session->group.member.joined
      || fasp_total_lets (total, &session->shared.share, now, session->sizes.wire_max);
}

void
fasp_session_leave_total (FaspSession *session)
{
  if (session->shared.total != NULL)
    fasp_total_leave (session->shared.total, &session->shared.share);
}

/* Did the session have nothing to send for a while, though it was not polled then? It did if the
 * next block was written after the rate and the window would have let it leave. */
static gboolean
was_dry (const FaspSession *session, const FaspRate *rate, const FaspTxItem *item)
{
  if (item->kind != FASP_TX_BLOCK || item->round > 0 || item->copy > 0 || item->index > 0)
    return FALSE;
  return item->block->arrival > rate->full_until
      && fasp_session_is_ready (session, item->block->arrival);
}

/* Tells the controller of the only path whether the session has nothing to send, though the rate
 * allows it.  @item is what comes next. */
static void
update_dry (FaspSession *session, FaspTime now, const FaspTxItem *item)
{
  gboolean empty = item->kind == FASP_TX_NOTHING || item->kind == FASP_TX_TAIL;
  const FaspPath *path = &session->paths.list[0];
  FaspRate *rate = path->rate;

  if (rate == NULL || session->paths.n > 1)
    return;
  if (!empty && fasp_rate_get_time (rate, now, path->wire_sent, session->sizes.wire_max) > now)
    fasp_rate_set_full (rate, now);
  if (was_dry (session, rate, item))
    fasp_rate_set_dry (rate, now, TRUE);
  /* a new block may wait for its turn, beside other sessions */
  fasp_rate_set_dry (rate, now,
      waits_for_group (session, now, item) || fasp_total_waits (&session->shared.share)
          || (empty && !fasp_tx_has_fresh (session->tx)));
}

/* Nothing more leaves now. Tells the controller of each path, if there are several, whether its
 * path could have taken more. */
static void
update_dry_paths (FaspSession *session, FaspTime now)
{
  gboolean waits = fasp_tx_get_fresh_time (session->tx) > now && fasp_tx_has_fresh (session->tx);

  for (guint i = 0; session->paths.n > 1 && i < session->paths.n; i++) {
    const FaspPath *path = &session->paths.list[i];

    if (path->rate != NULL)
      fasp_rate_set_dry (path->rate, now,
          !waits && fasp_path_get_time (path, now, session->sizes.wire_max) <= now);
  }
}

/* Copies use the idle time of this pacer: the group's for a member, which has no pace of its
 * own. */
static FaspPacer *
get_copies_pacer (FaspSession *session)
{
  return session->group.member.joined ? &session->group.sender->pacer : &session->pacer;
}

/* Payload bytes of copies that the idle time has room for; 0 if the total rate has no room for
 * them. */
static gint64
get_unused (FaspSession *session, FaspTime now)
{
  gint64 unused = fasp_pacer_get_unused (get_copies_pacer (session), now);

  if (session->shared.total != NULL)
    unused = MIN (unused, fasp_pacer_get_unused (&session->shared.total->pacer, now));
  return unused - fasp_session_get_overhead (session) - session->flows[0].address.overhead;
}

static FaspTxItem
get_next (FaspSession *session, FaspTime now)
{
  gint64 unused = fasp_tx_plans_copies (session->tx) ? get_unused (session, now) : 0;

  return fasp_tx_next (session->tx, now, &session->rtt, session->sizes.room, unused);
}

/* Why has a block written at @arrival waited? The cause is a start, a stall or a full window that
 * lasted into the second half of the wait; else the rate. */
static const gchar *
explain_wait (const FaspSession *session, FaspTime now, FaspTime arrival)
{
  FaspTime most = arrival + (now - arrival) / 2;
  const gchar *why = "rate";

  if (*fasp_log_get_kept (session->notes.log, FASP_LOG_KEEPS_WINDOW) > most)
    why = "window";
  if (fasp_tx_get_stall_end (session->tx) > most)
    why = "stall";
  if (session->liveness.opened > most)
    why = "joined";
  return why;
}

/* A new block leaves. Logs when blocks begin to wait for long, and when that is over. */
static void
log_waiting (FaspSession *session, FaspTime now, const FaspBlock *block)
{
  FaspLog *log = session->notes.log;
  FaspTime waited = now - block->arrival;

  if (log == NULL)
    return;
  if (waited > LONG && fasp_log_changes (log, FASP_LOG_IS_BEHIND, TRUE))
    FASP_LOG (log, now, SENDING_BEHIND, block->number, waited,
        fasp_store_get_head (session->store) - block->number - 1,
        fasp_session_get_channel_rate (session),
        FASP_LOG_WORD (explain_wait (session, now, block->arrival)));
  else if (waited < LONG / 2 && fasp_log_changes (log, FASP_LOG_IS_BEHIND, FALSE))
    FASP_LOG (log, now, SENDING_CAUGHT_UP, block->number, waited);
}

FaspTime
fasp_session_get_stream_time (const FaspSession *session, FaspTime now)
{
  return session->stream_time;
}

/* The stream may go on at @time, with @item; a probe or an answer may be due, too. If only the
 * total rate holds it back, queues the session for that; the endpoint then polls the session when
 * its share is due. */
static void
follow_total (FaspSession *session, FaspTime now, FaspTime time, const FaspTxItem *item)
{
  if (fasp_session_is_let (session, now) || !fasp_session_is_ready (session, now)
      || (time > now && fasp_session_get_probe_time (session, now) > now
          && fasp_session_get_pong_time (session, now) > now)) {
    fasp_session_leave_total (session);
    return;
  }
  fasp_total_wait (session->shared.total, &session->shared.share, session->sizes.wire_max);
  update_dry (session, now, item);
}

void
fasp_session_look_ahead (FaspSession *session, FaspTime now, gboolean is_empty)
{
  gboolean joined = session->group.member.joined;
  FaspTime ready = joined ? fasp_multicast_sender_get_ready (session->group.sender, now) : 0;
  FaspTime time = fasp_later (fasp_tx_get_timeout (session->tx), ready);
  FaspTxItem item = is_empty ? (FaspTxItem) { FASP_TX_NOTHING } : get_next (session, now);
  FaspTime when = now;

  if (item.kind != FASP_TX_NOTHING)
    when = fasp_session_get_path_time (session, now, &item);
  if (item.kind == FASP_TX_BLOCK && joined)
    when = fasp_later (when, ready);
  if (time <= now && when > now) /* the item is due, but its path is not ready */
    time = when;
  else if (item.kind != FASP_TX_NOTHING)
    time = fasp_sooner (time, when);
  session->stream_time = time;
  follow_total (session, now, time, &item);
  update_dry_paths (session, now);
  fasp_pacer_want (&session->pacer, item.kind != FASP_TX_NOTHING && !joined && when <= now);
}

/* Returns the bytes of the payload, which are not copied. */
static guint32
write_data (const FaspSession *session, FaspWriter *w, const FaspTxItem *item)
{
  const FaspBlock *block = item->block;

  if (session->terms.sends_offsets && block->offset != FASP_OFFSET_UNKNOWN)
    fasp_wire_write_offset (w, block->segment, block->offset);
  return fasp_wire_write_data (w, block, item->round, item->copy, item->index, item->count);
}

/* Takes the bytes of a copy from the idle time of the pacer. */
static void
use_unused (FaspSession *session, gsize bytes)
{
  fasp_pacer_use (get_copies_pacer (session), bytes);
  if (session->shared.total != NULL)
    fasp_pacer_use (&session->shared.total->pacer, bytes);
}

/* How many packets of the run to make, @max at most. It is one if more than the pacer must be asked
 * before each: several flows, a rate controller, a total rate, a key that is nearly used up, or no
 * look at the path yet. */
static guint
count_packets (const FaspSession *session, const FaspTxItem *item, guint max)
{
  const FaspRekeying *r = &session->priv->rekeying;
  const FaspTotal *total = session->shared.total;
  gboolean is_run = item->kind == FASP_TX_BLOCK && item->count == 1 && session->n_flows == 1
      && session->paths.list[0].rate == NULL && (total == NULL || !fasp_total_is_limited (total))
      && r->datagrams + max <= r->limit
      && !fasp_path_estimate_begins (fasp_tx_get_estimate (session->tx), 1);

  return is_run ? MIN (max, item->end - item->number) : 1;
}

/* FALSE: there is nothing to write. */
static gboolean
make_packet (FaspSession *session, FaspTime now, const FaspTxItem *item, guint8 flow,
    FaspDatagram *datagram, FaspPacket *p)
{
  guint64 block = FASP_NO_BLOCK;
  guint32 payload = 0;

  fasp_datagram_clear (datagram);
  fasp_packet_begin (p, session, datagram, flow);
  switch (item->kind) {
    case FASP_TX_BLOCK:
      block = item->number;
      p->block = item->block;
      payload = write_data (session, &p->w, item);
      break;
    case FASP_TX_REPAIR:
      if (!fasp_fec_write (fasp_tx_get_fec (session->tx), now, session->store, item->number,
              item->end, fasp_session_get_room (session), &p->w)) {
        fasp_fec_passed (fasp_tx_get_fec (session->tx), FALSE);
        return FALSE;
      }
      break;
    case FASP_TX_TAIL:
      fasp_wire_write_number (&p->w, FASP_FRAME_TAIL, item->number);
      break;
    case FASP_TX_SKIP:
      fasp_session_write_position (session, &p->w, item->number);
      fasp_wire_write_number (&p->w, FASP_FRAME_SKIP, item->number);
      break;
    case FASP_TX_NOTHING:
      break;
  }
  if (!fasp_packet_seal (p, session, now, block, item->index > 0 || item->copy > 0))
    return FALSE;
  if (block == FASP_NO_BLOCK)
    return TRUE;
  if (item->round == 0 && item->copy == 0)
    log_waiting (session, now, item->block);
  trace_sent (session, now, datagram, item, payload);
  session->sizes.largest_sent = MAX (session->sizes.largest_sent, item->block->size);
  return TRUE;
}

/* @wire: the bytes of all packets of @item. */
static void
account (FaspSession *session, FaspTime now, const FaspTxItem *item, guint8 flow, gsize wire)
{
  session->flow_choice.doubled |= FASP_BIT (flow);
  if (item->kind == FASP_TX_TAIL && item->count > 1)
    session->flow_choice.tailed |= FASP_BIT (flow);
  else
    session->flow_choice.tailed = 0;
  if (item->kind == FASP_TX_BLOCK) {
    session->flow_choice.last = flow;
    if (session->group.member.joined)
      fasp_multicast_sender_used (session->group.sender, now, wire);
    if (item->round == 0)
      session->traffic.block_wire += wire;
  }
  if (item->copy > 0 && item->round > 0)
    use_unused (session, wire);
  fasp_tx_sent (session->tx, now, &session->rtt, item);
  if (session->flow_choice.duplicates && item->kind == FASP_TX_BLOCK && item->round == 0
      && item->copy == 0)
    fasp_session_double (session, now);
}

guint
fasp_session_poll_stream (FaspSession *session, FaspTime now, FaspDatagram *datagrams, guint max)
{
  FaspTxItem item = get_next (session, now), next;
  gsize wire = 0;
  FaspTime when;
  FaspPacket p;
  guint8 flow;
  guint n = 0;

  update_dry (session, now, &item);
  session->is_drained = item.kind == FASP_TX_NOTHING;
  if (session->is_drained || waits_for_group (session, now, &item))
    return 0;
  flow = fasp_session_choose_flow (session, now, &item, &when);
  if (when > now)
    return 0;
  max = count_packets (session, &item, max);
  next = item;
  while (make_packet (session, now, &next, flow, &datagrams[n], &p)) {
    wire += fasp_packet_get_wire (&p);
    if (++n == max || !fasp_session_is_ready (session, now))
      break;
    next.block = fasp_store_get (session->store, ++next.number);
    if (next.block->size > session->sizes.room)
      break;
  }
  if (n == 0)
    return 0;
  if (item.kind == FASP_TX_BLOCK)
    item.end = item.number + n;
  fasp_packet_account (&p, session, now, n, wire);
  account (session, now, &item, flow, wire);
  return n;
}

void
fasp_session_follow_rate (FaspSession *session, FaspTime now)
{
  FaspTxItem item;

  if (now < session->paths.until)
    return;
  /* from this, the controller learns whether the datagrams that left so far filled its rate */
  if (session->paths.n == 1 && fasp_session_is_ready (session, now)) {
    item = get_next (session, now);
    update_dry (session, now, &item);
  }
  fasp_session_follow_paths (session, now);
}
