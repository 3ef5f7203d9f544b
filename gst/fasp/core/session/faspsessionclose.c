/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionclose.c: the end of a session: ours, and the peer's.
 */
#include "faspsessionprivate.h"

/* CLOSE is repeated for this many timeouts of the round trip (RFC 9000, section 10.2). */
#define CLOSE_TIMEOUTS 3

/* For how long CLOSE is repeated, or answered. A new address of the peer takes two round trips and
 * more to be proved before CLOSE goes there. */
static FaspTime
get_close_timeout (const FaspSession *session)
{
  return CLAMP (CLOSE_TIMEOUTS * fasp_rtt_timeout (&session->rtt), FASP_CLOSE_TIMEOUT,
      FASP_CLOSE_TIMEOUT_MAX);
}

void
fasp_session_end_at_once (FaspSession *session, FaspTime now, FaspReason reason)
{
  session->state = FASP_SESSION_CLOSED;
  session->closing.initiated = TRUE;
  session->closing.reason = reason;
  session->closing.time = FASP_NEVER;
  session->closing.deadline = now;
}

void
fasp_session_close (FaspSession *session, FaspTime now, FaspReason reason, const gchar *text)
{
  if (session->state == FASP_SESSION_CLOSING || session->state == FASP_SESSION_CLOSED)
    return;
  if (session->state != FASP_SESSION_OPEN || !session->is_proved) {
    /* the peer's address is not proved, so no CLOSE is sent there */
    fasp_session_end_at_once (session, now, reason);
    return;
  }
  /* no answer is awaited from a peer that is not heard: CLOSE is sent once */
  session->closing.deadline =
      session->liveness.interrupted ? now : now + get_close_timeout (session);
  session->state = FASP_SESSION_CLOSING;
  session->closing.initiated = TRUE;
  session->closing.reason = reason;
  session->closing.time = now;
  if (text != NULL)
    g_strlcpy (session->closing.text, text, sizeof (session->closing.text));
}

void
fasp_session_refuse (FaspSession *session, FaspTime now, const gchar *text)
{
  fasp_session_close (session, now, FASP_REASON_REFUSED, text);
  session->closing.refused = TRUE;
}

void
fasp_session_run_close (FaspSession *session, FaspTime now)
{
  if (session->state != FASP_SESSION_CLOSING || now < session->closing.deadline
      || now >= session->closing.time)
    return;
  session->state = FASP_SESSION_CLOSED;
  session->closing.time = FASP_NEVER;
}

void
fasp_session_handle_close (FaspSession *session, FaspTime now, const FaspCloseFrame *close)
{
  FaspReason reason = close->reason;
  FaspTime answer = session->is_proved ? now : FASP_NEVER;

  /* other reasons are internal and never sent */
  if (reason < FASP_REASON_FINISHED || reason > FASP_REASON_UNSUPPORTED)
    reason = FASP_REASON_STOPPED;
  if (!session->closing.by_peer) {
    session->closing.by_peer = TRUE;
    if (session->state != FASP_SESSION_CLOSING)
      g_strlcpy (session->closing.text, close->text, sizeof (session->closing.text));
  }
  if (session->closing.initiated) {
    session->state = FASP_SESSION_CLOSED;
    session->closing.time = FASP_NEVER;
    return;
  }
  /* answers each CLOSE of the peer with one */
  if (session->state == FASP_SESSION_CLOSED) {
    session->closing.time = answer;
    return;
  }
  session->closing.reason = reason;
  session->state = FASP_SESSION_CLOSED;
  session->closing.deadline = now + get_close_timeout (session);
  session->closing.time = answer;
}

FaspTime
fasp_session_get_close_time (const FaspSession *session, FaspTime now)
{
  return session->closing.time;
}

gboolean
fasp_session_poll_close (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  FaspPacket p;

  if (now < session->closing.time)
    return FALSE;
  fasp_packet_begin (&p, session, datagram, fasp_packet_pick_flow (session));
  /* CLOSE carries the last FEEDBACK */
  if (session->role == FASP_ROLE_RECEIVER)
    fasp_session_write_feedback (session, now, &p.w);
  fasp_wire_write_close (&p.w, session->closing.reason, session->closing.text);
  session->closing.time = session->state == FASP_SESSION_CLOSED ?
      FASP_NEVER :
      now + CLAMP (session->rtt.smoothed / 2, 10 * FASP_MSEC, 100 * FASP_MSEC);
  return fasp_packet_finish (&p, session, now, FASP_NO_BLOCK, FALSE);
}
