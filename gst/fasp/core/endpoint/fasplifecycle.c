/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasplifecycle.h"
#include "faspcallingprivate.h"
#include "faspadmitted.h"
#include "faspdial.h"
#include "faspencoder.h"
#include "faspgather.h"
#include "faspheaderwait.h"
#include "faspgone.h"
#include "faspgrouplistener.h"
#include "fasphold.h"
#include "faspreading.h"
#include "faspretention.h"
#include "faspslowpolicy.h"
#include "fasptokenbucket.h"
#include "faspwriting.h"

/* The application is notified of changed promises no more often than this. */
#define NOTIFY_PROMISE_AFTER FASP_SEC

/* @why: a word for the log.  @text: the reason for the application. */
static void
interrupt (FaspEndpoint *endpoint, FaspTime now, FaspSession *session, const gchar *why,
    const gchar *text)
{
  FaspEvent *event;

  if (session->liveness.interrupted)
    return;
  session->liveness.interrupted = TRUE;
  FASP_LOG (session->notes.log, now, SESSION_INTERRUPTED,
      now - fasp_session_get_silent_since (session), FASP_LOG_WORD (why));
  endpoint->stats.interrupted++;
  if (endpoint->group != NULL)
    fasp_multicast_sender_lost_sight (endpoint->group, &session->group.member);
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_INTERRUPTED, session);
  event->reason = FASP_REASON_SILENT;
  g_strlcpy (event->text, text, sizeof (event->text));
  fasp_dial_seek (endpoint, now);
}

void
fasp_lifecycle_heard (FaspEndpoint *endpoint, FaspSession *session)
{
  if (!session->liveness.interrupted)
    return;
  /* a peer that was given up does not come back, though its session stays until it is read */
  if (session->state == FASP_SESSION_CLOSED && session->closing.initiated)
    return;
  session->liveness.interrupted = session->record->has_other = FALSE;
  endpoint->stats.interrupted--;
  FASP_LOG (session->notes.log, session->liveness.heard, SESSION_RESUMED,
      FASP_LOG_POINTER (fasp_session_get_address (session)));
  fasp_endpoint_push_event (endpoint, FASP_EVENT_RESUMED, session);
  if (fasp_endpoint_is_caller (endpoint))
    fasp_dial_resumed (endpoint, session);
}

void
fasp_lifecycle_replaced (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  fasp_session_end_at_once (session, now, FASP_REASON_REPLACED);
  fasp_endpoint_wake (endpoint, session);
}

/* A receiver's session is over. Returns how many bytes of the stream no receiver will confirm any
 * more. */
static guint64
receiver_left (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session, gboolean again)
{
  guint64 base = fasp_tx_get_base (session->tx);
  guint64 lost = 0;

  fasp_gather_end (endpoint,
      now); /* bytes held back by faspgather.c are kept or lost as the others are */
  /* after a regular end, the next receiver begins anew */
  endpoint->calling->left = session->closing.reason == FASP_REASON_SILENT ?
      fasp_store_get_stream_offset (endpoint->store, base) :
      (FaspStreamOffset) { 0 };
  /* a session that was replaced goes on in the one that replaced it */
  if (session->closing.reason != FASP_REASON_REPLACED)
    lost = fasp_store_count_bytes (endpoint->store, base, fasp_store_get_head (endpoint->store));
  if (fasp_hold_begin (endpoint, now, session, again, lost)) {
    lost = 0;
  } else if (session->closing.reason == FASP_REASON_BUSY) {
    /* the bytes are counted as dropped, as if there had been no receiver */
    endpoint->stats.bytes_dropped += lost;
    lost = 0;
  }
  if (fasp_store_is_finished (endpoint->store)) {
    endpoint->stats.bytes_unconfirmed += lost;
    endpoint->stats.whole += session->closing.reason == FASP_REASON_FINISHED;
    fasp_endpoint_wake_all (endpoint); /* without a receiver that is heard, others may be moved or
                                          given up */
  } else if (fasp_endpoint_get_open (endpoint) == NULL) {
    endpoint->stats.bytes_unconfirmed = lost;
  }
  fasp_retention_trim (endpoint);
  return lost;
}

static gboolean
calls_again (const FaspEndpoint *endpoint, const FaspSession *session)
{
  FaspReason reason = session->closing.reason;

  return fasp_endpoint_is_caller (endpoint) && endpoint->config.settings.reconnect
      && !endpoint->closing && !fasp_reason_is_lasting (reason)
      && (reason != FASP_REASON_FINISHED || endpoint->config.settings.keep_listening);
}

/* The last receiver has gone: is the stream held for the next one?  A sender that calls a receiver
 * with another sender learns that from the answer to its next call. */
static gboolean
is_held_by (const FaspEndpoint *endpoint, const FaspSession *session, gboolean again)
{
  return session->role == FASP_ROLE_SENDER
      && (session->closing.reason == FASP_REASON_STOPPED
          || (session->closing.reason == FASP_REASON_SILENT
              && !fasp_store_is_finished (endpoint->store)))
      && !endpoint->closing && endpoint->stats.sessions == 0
      && endpoint->config.settings.wait_for_connection
      && (again || !fasp_endpoint_is_caller (endpoint));
}

/* The reason for the application and the log. If one end stops, the sessions at both ends have the
 * reason STOPPED. ENDED_HERE is for the end that stopped, so that its message does not name the
 * peer as the cause. */
static FaspReason
get_notified_reason (const FaspSession *session)
{
  if (session->closing.initiated && session->closing.reason == FASP_REASON_STOPPED)
    return FASP_REASON_ENDED_HERE;
  return session->closing.reason;
}

void
fasp_lifecycle_leave (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  const FaspSessionStats *figures;
  gboolean again;
  FaspEvent *event;

  session->record->notified.removed = TRUE;
  fasp_retention_forget (endpoint, session);
  endpoint->stats.interrupted -= session->liveness.interrupted;
  /* a datagram of the peer may still come while its CLOSE is awaited */
  session->liveness.interrupted = FALSE;
  if (!session->record->notified.connected)
    return;
  fasp_session_leave_total (session);
  session->shared.share.network = NULL;
  fasp_networks_leave (endpoint->calling->admitted.networks, &session->record->network);
  fasp_endpoint_serve_next (endpoint, now);
  fasp_newcomers_remove (endpoint->calling->admitted.newcomers, session);
  endpoint->stats.sessions--;
  /* the sender claims that all is acknowledged, but never sent the end */
  if (session->role == FASP_ROLE_RECEIVER && !fasp_rx_is_complete (session->rx)
      && session->closing.reason == FASP_REASON_FINISHED)
    session->closing.reason = FASP_REASON_STOPPED;
  again = calls_again (endpoint, session);
  figures = fasp_gone_keep (endpoint, now, session);
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_REMOVED, session);
  event->reason = get_notified_reason (session);
  event->final = !again && session->closing.reason != FASP_REASON_REPLACED;
  event->end.is_held = is_held_by (endpoint, session, again);
  event->end.is_ours = session->closing.initiated;
  event->end.lasted = now - session->liveness.opened;
  event->end.bytes =
      session->role == FASP_ROLE_SENDER ? figures->delivery.bytes : figures->received.bytes;
  endpoint->calling->given_up |= event->final;
  g_strlcpy (event->text, session->closing.text, sizeof (event->text));
  if (session->role == FASP_ROLE_SENDER)
    event->bytes_lost = receiver_left (endpoint, now, session, again);
  else
    endpoint->calling->received |= event->final && !endpoint->config.settings.keep_listening;
  FASP_LOG (session->notes.log, now, SESSION_CLOSED, event->reason, FASP_LOG_POINTER (event->text),
      !session->closing.initiated, event->end.lasted, event->end.bytes, event->bytes_lost,
      event->final, event->end.is_held);
  fasp_dial_left (endpoint, now, session->closing.reason, again);
  fasp_encoder_left (endpoint, now);
}

void
fasp_lifecycle_remove (FaspEndpoint *endpoint, FaspSession *session)
{
  gboolean was_open = session->record->notified.connected;

  fasp_endpoint_remove (endpoint, session);
  fasp_admitted_forget (endpoint, session);
  fasp_reading_left (endpoint, session);
  fasp_admitted_left (endpoint, session);
  if (endpoint->group != NULL)
    fasp_multicast_sender_leave (endpoint->group, &session->group.member);
  fasp_session_free (session);
  if (endpoint->store == NULL)
    return;
  fasp_retention_trim (endpoint);
  if (was_open) /* blocks were cut to the size of open sessions only */
    fasp_writing_fit_blocks (endpoint);
}

/* --- time ----------------------------------------------------------------------------- */

static void
notify_promise (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  gboolean first = session->record->notified.promise == 0;
  FaspSessionStats stats;
  FaspEvent *event;

  if (!session->promise.changed || !session->record->notified.connected)
    return;
  /* a peer may change its promise at any time */
  if (!first && now - session->record->notified.promise < NOTIFY_PROMISE_AFTER)
    return;
  session->promise.changed = FALSE;
  session->record->notified.promise = MAX (now, 1);
  fasp_session_get_stats (session, now, &stats);
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_PROMISE, session);
  event->promise.latency_ms = stats.latency.ms;
  event->promise.promised_interval = stats.latency.promised_interval;
  event->promise.observed = stats.latency.observed_interval;
  if (session->role == FASP_ROLE_SENDER) {
    gboolean falls_short = fasp_tx_get_estimate (session->tx)->falls_short;

    event->promise.falls_short = falls_short && !session->record->notified.shortfall;
    session->record->notified.shortfall = falls_short;
  }
}

static const gchar *
explain_outage (const FaspSession *session, const FaspFlow *flow)
{
  if (flow->refusal.is_reported)
    return "its port is closed there";
  if (!flow->proved)
    return "no peer has answered there yet";
  return session->role == FASP_ROLE_SENDER ? "what is sent there does not arrive" :
                                             "nothing is heard from there";
}

static void
notify_outages (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  gboolean moved;
  guint64 changed = fasp_session_look_for_outages (session, now, &moved);

  if (moved)
    fasp_session_touch (session); /* the time of the next look has changed */

  for (guint i = 0; changed != 0; i++, changed >>= 1) {
    FaspFlow *flow = &session->flows[i];
    FaspOutage *outage = &flow->outage;
    FaspEvent *event;

    if ((changed & 1) == 0)
      continue;
    if (outage->notified)
      outage->passed_on = fasp_token_bucket_take (&endpoint->calling->outages, now,
          FASP_OUTAGE_EVERY, FASP_OUTAGE_BURST);
    if (!outage->passed_on)
      continue;
    event = fasp_endpoint_push_event (endpoint,
        outage->notified ? FASP_EVENT_FLOW_OUT : FASP_EVENT_FLOW_BACK, session);
    event->outage.flow = i;
    event->address = flow->address;
    if (flow->address.len == 0)
      event->address.socket = i;
    event->outage.since = outage->notified ? outage->last : outage->since;
    event->outage.gone = outage->notified ? 0 : outage->since - outage->last;
    if (outage->notified)
      g_strlcpy (event->text, explain_outage (session, flow), sizeof (event->text));
  }
}

/* Interrupts the session if the peer was not heard in time after the network reported its port
 * closed. */
static void
run_refusal (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  if (session->state != FASP_SESSION_OPEN || now < fasp_session_get_refused_time (session))
    return;
  if (session->role == FASP_ROLE_SENDER)
    fasp_tx_stall (session->tx, now);
  interrupt (endpoint, now, session, "port_closed",
      "its port is closed: the program there has ended");
}

/* If the sender does not announce the latency in time, the receiver chooses one. */
static void
run_latency (FaspSession *session, FaspTime now)
{
  FaspTime end = fasp_session_get_hold_end (session);

  if (end == 0 || now < end)
    return;
  fasp_rx_set_latency (session->rx, now,
      MAX (session->terms.latency.latency, FASP_LATENCY_MS_DEFAULT * FASP_MSEC), "none_promised");
  session->promise.changed = TRUE;
}

/* Closes the session of a peer that called and has acknowledged nothing for as long as a half-open
 * call is kept. A peer that was sent nothing to acknowledge stays. */
static void
end_newcomer (FaspSession *session, FaspTime now)
{
  if (session->role == FASP_ROLE_SENDER && session->state == FASP_SESSION_OPEN
      && fasp_session_get_owed (session, now)
          > MAX (FASP_HALF_TIMEOUT, fasp_session_get_idle_timeout (session)))
    fasp_session_close (session, now, FASP_REASON_BUSY, "it has acknowledged nothing");
}

/* Logs that a half-open session is over: its caller sent no more, or the application did not decide
 * in time. */
static void
log_unopened (const FaspSession *session, FaspTime now)
{
  const FaspAddress *from = &session->handshake.from;
  FaspTime waited = now - session->liveness.created;

  if (session->state == FASP_SESSION_ASKING)
    FASP_LOG (session->notes.log, now, CALLER_UNDECIDED, FASP_LOG_POINTER (from), waited);
  else
    FASP_LOG (session->notes.log, now, SESSION_UNCONFIRMED, FASP_LOG_POINTER (from), waited);
}

gboolean
fasp_lifecycle_run_due (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  FaspTime silent;

  switch (session->state) {
    case FASP_SESSION_ASKING:
    case FASP_SESSION_HALF:
      if (now < session->liveness.created + FASP_HALF_TIMEOUT)
        return TRUE;
      log_unopened (session, now);
      return FALSE;
    case FASP_SESSION_OPEN:
      silent = now - fasp_session_get_silent_since (session);
      if (silent >= session->liveness.resume_timeout)
        fasp_session_end_at_once (session, now, FASP_REASON_SILENT);
      else if (silent >= fasp_session_get_idle_timeout (session))
        interrupt (endpoint, now, session, "silent", "nothing is heard from it");
      run_refusal (endpoint, now, session);
      end_newcomer (session, now);
      if (session->role == FASP_ROLE_SENDER && !fasp_session_is_heard (session)
          && fasp_slow_policy_lets_go (endpoint, now))
        fasp_session_end_at_once (session, now, FASP_REASON_SILENT);
      run_latency (session, now);
      notify_outages (endpoint, now, session);
      if (session->role == FASP_ROLE_SENDER) {
        fasp_header_wait_follow (endpoint, now, session);
        fasp_encoder_follow (endpoint, now, session);
      }
      fasp_group_listener_notify_deaf (endpoint, session);
      notify_promise (endpoint, now, session);
      break;
    case FASP_SESSION_CLOSING:
      fasp_session_run_close (session, now);
      break;
    case FASP_SESSION_CLOSED:
      break;
  }
  if (fasp_session_is_over (session) && endpoint->group != NULL)
    fasp_multicast_sender_leave (endpoint->group, &session->group.member);
  if (fasp_session_is_over (session) && !session->record->notified.removed
      && !fasp_session_has_unread (session)
      && (session->state == FASP_SESSION_CLOSED || session->role == FASP_ROLE_SENDER))
    fasp_lifecycle_leave (endpoint, now, session);
  return session->state != FASP_SESSION_CLOSED || !session->record->notified.removed
      || (now < session->closing.deadline && !session->closing.initiated);
}
