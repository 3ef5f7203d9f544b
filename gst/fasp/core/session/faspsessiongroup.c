/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessiongroup.c: what a session does for a member of a group, at either end.
 */
#include "fasplimits.h"
#include "faspsessionprivate.h"

/* The group's datagrams count as signs of life of the sender for this many intervals of regular
 * feedback only, as every member has the group's key and could forge them. */
#define BELIEVED 2
/* A receiver that has not heard the group for SPEAK_UP_AFTER reports that by FEEDBACK, and again
 * after SPEAK_UP_AGAIN. */
#define SPEAK_UP_AFTER FASP_SEC
#define SPEAK_UP_AGAIN (500 * FASP_MSEC)

FaspTime
fasp_session_get_silent_since (const FaspSession *session)
{
  const FaspMulticastReceiver *receiver = session->group.receiver;
  const FaspFeedbackTracker *feedback;
  const FaspTime heard = session->liveness.heard + session->liveness.excused;
  FaspTime end;

  if (session->group.member.joined)
    return fasp_group_log_get_deadline (session->group.sender->log, heard);
  if (receiver == NULL)
    return heard;
  /* the sender may have shortened the clock since then */
  feedback = fasp_rx_get_feedback (session->rx);
  end = MAX (heard, feedback->clock_since) + BELIEVED * feedback->backoff.clock;
  end = MIN (end, heard + BELIEVED * FASP_MEMBER_CLOCK_MAX);
  return MAX (heard, MIN (receiver->heard, end));
}

void
fasp_session_excuse (FaspSession *session, FaspTime span)
{
  session->liveness.excused += span;
  if (session->role == FASP_ROLE_SENDER)
    fasp_tx_excuse (session->tx, span);
  for (guint i = 0; i < session->n_flows; i++)
    session->flows[i].outage.since += span;
  if (session->group.receiver != NULL)
    session->group.receiver->heard += span;
}

FaspTime
fasp_session_get_beat (const FaspSession *session)
{
  return session->group.member.joined ?
      MAX (FASP_KEEPALIVE, fasp_multicast_sender_get_clock (session->group.sender) / 2) :
      FASP_KEEPALIVE;
}

FaspTime
fasp_session_get_ping_time (const FaspSession *session)
{
  /* the sender pings a member only when the member should have sent something; a receiver that
   * backs off sends its PING along with its feedback */
  if (session->role == FASP_ROLE_SENDER)
    return session->group.member.joined && session->rtt.measured ?
        MAX (fasp_session_get_silent_since (session), session->priv->pings.time - FASP_KEEPALIVE) :
        session->liveness.spoken + FASP_KEEPALIVE;
  if (fasp_feedback_backs_off (fasp_rx_get_feedback (session->rx)))
    return FASP_NEVER;
  /* the next feedback, which leaves sooner, carries the PING */
  return session->priv->pings.time
      + (session->n_flows == 1 && session->rtt.measured ? FASP_KEEPALIVE : 0);
}

FaspTime
fasp_session_get_speak_up_time (const FaspSession *session)
{
  const FaspMulticastReceiver *receiver = session->group.receiver;

  return receiver == NULL || receiver->deaf ?
      FASP_NEVER :
      MAX (receiver->heard + SPEAK_UP_AFTER, receiver->spoken_up + SPEAK_UP_AGAIN);
}

void
fasp_session_listen (FaspSession *session, FaspTime now, const FaspGroupKey *key, guint64 seed)
{
  if (key->cipher >= FASP_CIPHERS)
    return; /* a cipher that was not agreed upon */
  session->group.receiver = fasp_multicast_receiver_new (key, now);
  fasp_feedback_join (fasp_rx_get_feedback (session->rx), seed, key->members, key->back_off,
      key->clock);
}

void
fasp_session_is_passed_by (FaspSession *session, FaspTime now)
{
  gboolean before = session->group.receiver->deaf;

  fasp_multicast_receiver_is_passed_by (session->group.receiver, now);
  if (!before && session->group.receiver->deaf)
    FASP_LOG (session->notes.log, now, GROUP_DEAF, now - session->group.receiver->heard);
  fasp_feedback_set_member (fasp_rx_get_feedback (session->rx), !session->group.receiver->deaf);
}

static void
group_brings (FaspSession *session, FaspTime now)
{
  gboolean before = session->group.receiver->deaf;

  fasp_multicast_receiver_brings (session->group.receiver, now);
  if (before && !session->group.receiver->deaf)
    FASP_LOG (session->notes.log, now, GROUP_HEARD,
        fasp_gap_get_largest (session->group.receiver->gap));
}

/* Every member has the group's key and can send there, so no other frames are accepted. */
static void
handle_frame (FaspSession *session, FaspTime now, const FaspFrame *frame, gsize wire)
{
  switch (frame->type) {
    case FASP_FRAME_TAIL:
      fasp_rx_tail (session->rx, now, frame->blocks.n, TRUE);
      break;
    case FASP_FRAME_REPAIR:
      fasp_rx_repair (session->rx, now, &frame->repair);
      break;
    case FASP_FRAME_GROUP:
      fasp_feedback_group (fasp_rx_get_feedback (session->rx), now, frame->group.members,
          frame->group.back_off, frame->group.clock);
      break;
    case FASP_FRAME_DATA:
      if (frame->data.round == 0)
        group_brings (session, now);
      fasp_feedback_set_member (fasp_rx_get_feedback (session->rx), !session->group.receiver->deaf);
      fasp_session_handle_data (session, now, &frame->data, frame->memory, wire);
      break;
    default:
      break;
  }
}

FaspSessionResult
fasp_session_hear (FaspSession *session, FaspTime now, const FaspAddress *from,
    const FaspSessionHeader *header, const guint8 *data, gsize size, FaspMemory *memory)
{
  FaspFeedback feedback;
  gchar text[FASP_TEXT_MAX + 1];
  FaspFrame frame = { .feedback = &feedback, .text = text, .memory = memory };
  guint8 scratch[FASP_DATAGRAM_MAX];
  FaspReader r = { 0 };
  gsize wire = size + from->overhead;

  switch (fasp_multicast_receiver_open (session->group.receiver, now, header, data, size,
      memory != NULL ? (guint8 *) data + FASP_SESSION_HEADER : scratch, &r)) {
    case FASP_MULTICAST_RECEIVER_REFUSED:
      return FASP_SESSION_REFUSED;
    case FASP_MULTICAST_RECEIVER_FORGED:
      return FASP_SESSION_FORGED;
    case FASP_MULTICAST_RECEIVER_OK:
      break;
  }
  fasp_session_count_received (session, now, wire);
  while (fasp_wire_next_frame (&r, &frame))
    if (session->state == FASP_SESSION_OPEN && !session->refused)
      handle_frame (session, now, &frame, wire);
  return r.failed ? FASP_SESSION_MALFORMED : FASP_SESSION_OK;
}

gboolean
fasp_session_look_at_group (FaspSession *session, FaspTime now)
{
  FaspMulticastReceiver *receiver = session->group.receiver;
  guint64 settled;
  gboolean news;

  if (now >= fasp_session_get_speak_up_time (session)) {
    receiver->spoken_up = now;
    fasp_feedback_now (fasp_rx_get_feedback (session->rx), now);
  }
  if (fasp_rx_has_fec (session->rx))
    fasp_gap_set_recovery_time (receiver->gap, fasp_rx_get_recovery_time (session->rx, now));
  if (!fasp_gap_get_settled (receiver->gap, now, &settled))
    return FALSE;
  news = fasp_gap_count_settled (receiver->gap) != receiver->settled_reported;
  receiver->settled_reported = fasp_gap_count_settled (receiver->gap);
  fasp_nack_backoff_settled (&fasp_rx_get_feedback (session->rx)->backoff, settled + 1);
  /* a hole may have been settled before it was known which block it held */
  if (settled == fasp_gap_get_largest (receiver->gap))
    news |= fasp_feedback_is_missing_unasked (fasp_rx_get_feedback (session->rx));
  return news;
}

void
fasp_session_report_group (FaspSession *session, FaspTime now, FaspFeedbackFlow *reported)
{
  FaspGap *gap = session->group.receiver->gap;
  FaspGapCounters counters;
  guint64 settled, largest;

  *reported = (FaspFeedbackFlow) { .flow = FASP_GROUP_FLOW };
  if (!fasp_gap_is_started (gap))
    return;
  largest = fasp_gap_get_largest (gap);
  fasp_gap_get_counters (gap, &counters);
  reported->largest = largest;
  if (fasp_gap_get_settled (gap, now, &settled))
    fasp_nack_backoff_settled (&fasp_rx_get_feedback (session->rx)->backoff, settled + 1);
  reported->unsettled =
      largest + 1 - fasp_feedback_report_settled (fasp_rx_get_feedback (session->rx));
  reported->delay = now - fasp_gap_get_largest_time (gap);
  reported->received = counters.received;
  reported->holes = counters.holes;
}
