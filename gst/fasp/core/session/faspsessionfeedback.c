/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionfeedback.c: the FEEDBACK of a receiver: the state of its flows, and what
 * is missing. It fits any path, together with what follows it in the datagram, except a
 * CLOSE.
 */
#include "faspsessionprivate.h"

/* Flows in one FEEDBACK at most, so that there is room for the ranges of missing blocks. */
#define FLOWS_REPORTED 16
/* Bytes left for ranges of missing blocks, at least. */
#define RANGES_LEAST (4 * 2 * FASP_VARINT_SIZE)
/* Bytes of a FEEDBACK besides flows and ranges, and of the frames that may follow it. */
#define REST_MAX (FASP_FEEDBACK_SIZE_MAX + FASP_EXPIRED_SIZE + FASP_PING_SIZE)

/* room for all flows, the group's flow, and one receive timestamp of each flow */
G_STATIC_ASSERT (FASP_SESSION_HEADER + REST_MAX + (FLOWS_REPORTED + 1) * FASP_FEEDBACK_FLOW_MAX
        + FLOWS_REPORTED * FASP_FEEDBACK_ARRIVAL_MAX + RANGES_LEAST + FASP_TAG_SIZE_MAX
    <= FASP_PMTU_BASE);

/* Is flow @a more urgent than @b? New losses come first, then the flow that was not
 * reported for longest. */
static gboolean
is_more_urgent (const FaspFlow *a, const FaspFlow *b)
{
  gboolean news_a = fasp_gap_count_settled (a->gap) != a->reported.holes;
  gboolean news_b = fasp_gap_count_settled (b->gap) != b->reported.holes;

  return news_a != news_b ? news_a : a->reported.serial < b->reported.serial;
}

/* The flows to report, the most urgent first; returns how many there are. */
static guint
choose_flows (const FaspSession *session, guint8 flows[FLOWS_REPORTED])
{
  guint n = 0;

  for (guint i = 0; i < session->n_flows; i++) {
    const FaspFlow *flow = &session->flows[i];
    guint at = n;

    while (at > 0 && is_more_urgent (flow, &session->flows[flows[at - 1]]))
      at--;
    if (at == FLOWS_REPORTED)
      continue;
    n = MIN (n + 1, FLOWS_REPORTED);
    memmove (flows + at + 1, flows + at, n - at - 1);
    flows[at] = i;
  }
  return n;
}

static void
report_flow (FaspSession *session, FaspTime now, guint8 number, FaspFeedbackFlow *reported)
{
  FaspFlow *flow = &session->flows[number];
  guint64 largest = fasp_gap_get_largest (flow->gap);
  guint64 settled, unsettled = largest + 1;
  FaspGapCounters counters;

  if (fasp_gap_get_settled (flow->gap, now, &settled))
    unsettled = largest - settled;
  fasp_gap_get_counters (flow->gap, &counters);
  /* if no packet has arrived, the other fields have no meaning */
  *reported = (FaspFeedbackFlow) {
    .flow = number,
    .largest = largest,
    .unsettled = unsettled,
    .delay = now - fasp_gap_get_largest_time (flow->gap),
    .received = counters.received,
    .holes = counters.holes,
  };
  flow->reported.holes = fasp_gap_count_settled (flow->gap);
  flow->reported.serial = session->priv->feedback_serial;
}

/* Adds 1 to @max receive timestamps of a flow, evenly spaced, as many as fit into @room bytes;
 * returns the bytes that remain. */
static gsize
report_timestamps (FaspSession *session, FaspFeedbackFlow *reported, guint max, gsize room)
{
  FaspFlow *flow = &session->flows[reported->flow];
  FaspTimestamps *timestamps = &flow->timestamps;
  FaspTimestamp last = { fasp_gap_get_largest (flow->gap), fasp_gap_get_largest_time (flow->gap) };

  fasp_timestamps_thin_out (timestamps, max);
  reported->marked = flow->marked;
  reported->n_timestamps = 0;
  for (guint i = timestamps->n; i-- > 0;) {
    const FaspTimestamp *a = &timestamps->list[i];
    guint64 back = last.pn - a->pn, before = last.time - a->time;
    gsize size = fasp_varint_size (back) + fasp_varint_size (before);

    if (a->pn >= last.pn) /* `largest' itself */
      continue;
    if (back > FASP_BACK_MAX || before > G_MAXUINT32 || size > room)
      break;
    reported->timestamps[reported->n_timestamps++] = (FaspFeedbackTimestamp) { back, before };
    room -= size;
    last = *a;
  }
  fasp_timestamps_reset (timestamps);
  return room;
}

void
fasp_session_write_feedback (FaspSession *session, FaspTime now, FaspWriter *w)
{
  FaspFeedback feedback;
  guint8 flows[FLOWS_REPORTED];
  guint timestamps = fasp_timestamps_choose (now - fasp_rx_get_feedback (session->rx)->sent);
  gsize room;
  FaspTime expired;

  feedback.serial = ++session->priv->feedback_serial;
  feedback.clock = now;
  feedback.n_flows = choose_flows (session, flows);
  for (guint i = 0; i < feedback.n_flows; i++)
    report_flow (session, now, flows[i], &feedback.flows[i]);
  feedback.has_timestamps = session->terms.sends_timestamps;
  room = FASP_PMTU_BASE - FASP_TAG_SIZE_MAX - w->used - REST_MAX
      - FASP_FEEDBACK_FLOW_MAX * (feedback.n_flows + (session->group.receiver != NULL))
      - RANGES_LEAST;
  for (guint i = 0; feedback.has_timestamps && i < feedback.n_flows; i++)
    room = report_timestamps (session, &feedback.flows[i], MAX (1, timestamps / feedback.n_flows),
        room);
  if (session->group.receiver != NULL)
    fasp_session_report_group (session, now, &feedback.flows[feedback.n_flows++]);
  fasp_rx_fill_feedback (session->rx, now, &feedback, room + RANGES_LEAST);
  fasp_wire_write_feedback (w, &feedback);
  /* after the FEEDBACK, as the sender needs the round trip that it shows to judge EXPIRED */
  if (fasp_rx_report_expired (session->rx, now, &expired))
    fasp_wire_write_number (w, FASP_FRAME_EXPIRED, expired & G_MAXUINT32);
}

/* Makes FEEDBACK due for losses that time has settled, and for flows that carry nothing while
 * others do. */
static void
look_at_flows (FaspSession *session, FaspTime now)
{
  gboolean news = FALSE;

  for (guint i = 0; i < session->n_flows; i++) {
    FaspFlow *flow = &session->flows[i];
    guint64 settled;

    fasp_gap_set_recovery_time (flow->gap, fasp_rx_get_recovery_time (session->rx, now));
    fasp_gap_set_spare (flow->gap,
        fasp_rx_view (session->rx)->playout.ramp.target - session->rtt.smoothed);
    fasp_gap_get_settled (flow->gap, now, &settled);
    if (fasp_gap_count_settled (flow->gap) != flow->reported.due_for) {
      news = TRUE;
      FASP_LOG (session->notes.log, now, PACKETS_MISSING, i,
          fasp_gap_count_settled (flow->gap) - flow->reported.due_for,
          fasp_gap_get_largest (flow->gap));
    }
    flow->reported.due_for = fasp_gap_count_settled (flow->gap);
    if (flow->silence.due > now)
      continue;
    flow->silence.due = FASP_NEVER;
    flow->silence.is_silent = session->liveness.heard - flow->heard >= FASP_FLOW_SILENCE / 2;
    news |= flow->silence.is_silent;
    if (flow->silence.is_silent)
      FASP_LOG (session->notes.log, now, PATH_SILENT, i, now - flow->heard);
  }
  if (session->group.receiver != NULL)
    news |= fasp_session_look_at_group (session, now);
  if (news)
    fasp_feedback_settled (fasp_rx_get_feedback (session->rx), now);
}

FaspTime
fasp_session_get_feedback_time (const FaspSession *session, FaspTime now)
{
  FaspTime time = fasp_sooner (fasp_feedback_get_timeout (fasp_rx_get_feedback (session->rx)),
      fasp_session_get_speak_up_time (session));
  for (guint i = 0; i < session->n_flows; i++) {
    const FaspFlow *flow = &session->flows[i];

    time = fasp_sooner (time, fasp_sooner (flow->silence.due, fasp_gap_get_timeout (flow->gap)));
  }
  if (session->group.receiver != NULL)
    time = fasp_sooner (time, fasp_gap_get_timeout (session->group.receiver->gap));
  return time;
}

gboolean
fasp_session_poll_feedback (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  FaspPacket p;

  look_at_flows (session, now);
  if (!fasp_feedback_is_due (fasp_rx_get_feedback (session->rx), now))
    return FALSE;
  fasp_packet_begin (&p, session, datagram, fasp_packet_pick_flow (session));
  fasp_session_write_feedback (session, now, &p.w);
  /* With one flow, or for a member that backs off, a PING goes along. With several flows it has a
   * datagram of its own (fasp_session_poll_ping()). */
  if ((fasp_feedback_backs_off (fasp_rx_get_feedback (session->rx)) || session->n_flows == 1)
      && now >= session->priv->pings.time)
    fasp_session_write_ping (session, now, &p);
  if (!fasp_packet_finish (&p, session, now, FASP_NO_BLOCK, FALSE))
    return FALSE;
  fasp_feedback_sent (fasp_rx_get_feedback (session->rx), now,
      datagram->size + datagram->to.overhead);
  return TRUE;
}
