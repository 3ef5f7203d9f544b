/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspanswer.h"
#include "faspcallingprivate.h"
#include "faspbeginning.h"
#include "faspdial.h"
#include "faspfailover.h"
#include "faspgrouplistener.h"
#include "fasphistory.h"
#include "fasphold.h"
#include "fasplifecycle.h"
#include "faspstale.h"

/* If a call is answered later than this, the stream does not begin at the block that the OPEN
 * names. */
#define ANEW_AFTER (2 * FASP_SEC)

/* The address of the OPEN that was answered from @from: of the peer called now, or of the peer
 * called before, as the next address of a name may be called already. */
static FaspAddress
get_called (FaspEndpoint *endpoint, const FaspAddress *from)
{
  guint socket = fasp_dial_get_socket (endpoint, from);
  FaspAddress before =
      fasp_dial_get_address_of (endpoint, &endpoint->calling->call.peer_before, socket);

  if (socket < endpoint->config.flowlets && fasp_address_equal (&before, from))
    endpoint->calling->call.peer = endpoint->calling->call.peer_before;
  return fasp_dial_get_address (endpoint, socket);
}

/* Flow 0 takes the local socket whose OPEN was answered; the other flows take the other sockets. */
static void
set_addresses (FaspEndpoint *endpoint, FaspSession *session)
{
  guint flow = 1, first = fasp_session_get_address (session)->socket;

  for (guint n = 0; flow < session->n_flows; n++) {
    guint socket = fasp_dial_get_nth_socket (endpoint, n);
    FaspAddress address;

    if (socket == first)
      continue;
    address = fasp_dial_get_address (endpoint, socket);
    fasp_session_set_address (session, flow++, &address);
  }
}

/* All repetitions of an OPEN name the same first block, though it may take long until a receiver
 * answers. Blocks written meanwhile may be kept as history, but the receiver begins where a new one
 * does. */
static void
begin_anew (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  if (endpoint->store == NULL || fasp_hold_get_first (endpoint) != FASP_NO_BLOCK
      || fasp_store_is_finished (endpoint->store)
      || now - endpoint->calling->call.started < ANEW_AFTER)
    return;
  fasp_tx_begin_at (session->tx, fasp_dial_choose_start (endpoint, now));
}

/* The receiver that answers has the stream up to @offset. Bytes of our stream before that, which
 * came from us or from a relay, need not be sent. If @offset is of another stream, the receiver
 * takes another stream: a sender that does not wait for receivers then begins anew. */
static void
follow_stream_offset (FaspEndpoint *endpoint, FaspTime now, FaspSession *session,
    const FaspStreamOffset *offset)
{
  guint64 number;

  session->record->start.previous = *offset;
  if (fasp_store_find (endpoint->store, offset, &number)) {
    fasp_tx_begin_at (session->tx, number);
  } else if (!endpoint->config.settings.wait_for_connection) {
    endpoint->calling->left = *offset;
    fasp_tx_begin_at (session->tx, fasp_dial_choose_start (endpoint, now));
  }
}

/* The receiver that answers has nothing of the stream, so it is not the former one. The sender
 * drops the blocks held for the former receiver, and begins where any new receiver begins, but not
 * before the block that the OPEN names. @replaced: the former receiver's session was replaced, and
 * its unacknowledged bytes are not counted yet. */
static void
begin_without_the_past (FaspEndpoint *endpoint, FaspTime now, FaspSession *session,
    gboolean replaced)
{
  guint64 before = fasp_tx_get_base (session->tx);
  FaspWants wants = { 0 };

  if (fasp_store_is_finished (endpoint->store))
    return;
  session->record->start.previous = (FaspStreamOffset) { 0 };
  fasp_tx_begin_at (session->tx, fasp_history_choose (endpoint, now, &wants));
  session->record->start.live_from = fasp_store_get_head (endpoint->store);
  if (replaced)
    endpoint->stats.bytes_dropped +=
        fasp_store_count_bytes (endpoint->store, before, fasp_tx_get_base (session->tx));
}

static void
call_refused (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const FaspHandshake *answer)
{
  FaspEndpointCall *call = &endpoint->calling->call;
  FaspEvent *event;
  gboolean group = endpoint->config.group.len > 0;
  /* any host can send a REJECT, so it does not end an open session, which may come back */
  FaspSession *session = fasp_endpoint_get_open (endpoint);
  gboolean open = session != NULL;
  gboolean passing = answer->reason == FASP_REASON_BUSY
      || (answer->reason == FASP_REASON_FINISHED && endpoint->config.settings.keep_listening)
      || (open && !group);
  gboolean goes_on = passing && (endpoint->config.settings.reconnect || open);
  gboolean moves =
      fasp_failover_refused (endpoint, !passing) && fasp_dial_next_peer (endpoint, now);
  /* any sender that announces itself to the group may be called, so after a refusal others are
   * tried */
  gboolean next = moves || (group && (endpoint->config.settings.reconnect || open));

  if (open)
    session->record->has_other = answer->reason == FASP_REASON_BUSY;
  if (goes_on && call->last_reject == answer->reason)
    return; /* the application knows of the interruption; the call goes on */
  call->last_reject = answer->reason;
  call->unanswered_notified = TRUE;
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_REJECTED, NULL);
  event->address = *from;
  event->reason = answer->reason;
  event->refusal.calling = TRUE;
  event->final = !next && !goes_on;
  FASP_LOG (endpoint->notes.log, now, CALL_REFUSED, FASP_LOG_POINTER (from), answer->reason,
      FASP_LOG_POINTER (answer->text), event->final);
  endpoint->calling->given_up |= event->final;
  g_strlcpy (event->text, answer->text, sizeof (event->text));
  if (event->final) {
    fasp_caller_stop (&call->caller);
    fasp_failover_stay (endpoint);
  } else if (!moves && !passing) {
    fasp_caller_stop (&call->caller);
    fasp_announcers_refused (&endpoint->calling->announcers, now);
  }
}

void
fasp_answer_accepted (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const FaspAgreement *agreement)
{
  FaspEndpointCall *call = &endpoint->calling->call;
  FaspSession *old = fasp_endpoint_get_open (endpoint), *session;
  FaspAddress called = get_called (endpoint, from);
  const FaspHello *answer = &agreement->hello;

  if (answer->role == endpoint->config.role) {
    /* the listener did not check our role */
    FaspHandshake refusal = {
      .reason = FASP_REASON_SAME_ROLE,
      .text = "both ends send, or both receive",
    };

    /* the answer has ended the call; as it counts as a refusal, another call begins */
    fasp_dial_start (endpoint, now);
    call->caller.next_time = now + FASP_CALLER_MAX;
    call_refused (endpoint, now, from, &refusal);
    return;
  }
  if (old != NULL)
    fasp_lifecycle_replaced (endpoint, now, old);
  session = fasp_beginning_make (endpoint, now, &called, answer, &call->caller.hello,
      call->caller.open.nonce);
  /* if @session has the same receiver as @old, it continues @old */
  if (old == NULL)
    begin_anew (endpoint, now, session);
  session->record->start.previous = endpoint->calling->left;
  if (endpoint->store != NULL && answer->wants.from.known)
    follow_stream_offset (endpoint, now, session, &answer->wants.from);
  else if (endpoint->store != NULL && !endpoint->config.settings.wait_for_connection
      && (old != NULL || endpoint->calling->left.known))
    begin_without_the_past (endpoint, now, session, old != NULL);
  session->record->peer = endpoint->calling->failover.wanted;
  fasp_failover_stay (endpoint);
  session->streamid = g_strdup (endpoint->config.streamid);
  fasp_session_set_keys (session, &agreement->keys);
  if (fasp_noise_has_static (call->caller.noise.pattern))
    fasp_credentials_know (endpoint->config.credentials, call->caller.noise.rs, &session->peer);
  fasp_group_listener_accepted (endpoint, now, session, &call->caller.hello, answer);
  fasp_caller_stop (&call->caller);
  if (call->caller.tries == 1) /* with more tries, it is not known which OPEN was answered */
    fasp_rtt_sample (&session->rtt, now - call->caller.sent, 0);
  fasp_session_open (session, now);
  set_addresses (endpoint, session);
  fasp_session_trust (session, now, 0);
  /* the peer may be at @from, or an attacker that has copied the answer */
  if (!fasp_address_equal (from, &called))
    fasp_flow_suppose (&session->flows[0], now, from, FALSE);
  fasp_beginning_opened (endpoint, now, session);
}

void
fasp_answer_receive (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    FaspHandshake *answer)
{
  FaspEndpointCall *call = &endpoint->calling->call;
  FaspAgreement agreement;
  FaspCallerResult result = fasp_caller_receive (&call->caller, now, answer, &agreement);

  if (result != FASP_CALLER_IGNORED && result != FASP_CALLER_FORGED)
    fasp_stale_heard (endpoint, from->socket);
  switch (result) {
    case FASP_CALLER_IGNORED:
      endpoint->stats.datagrams_unknown++;
      break;
    case FASP_CALLER_FORGED:
      /* an attacker sent it, or the peer has other keys: the caller goes on */
      endpoint->stats.datagrams_forged++;
      call->answer_forged = TRUE;
      break;
    case FASP_CALLER_AGAIN:
      if (answer->type == FASP_HANDSHAKE_RETRY) {
        call->cookie_socket = fasp_dial_get_socket (endpoint, from);
        call->cookie_tries = 0;
      }
      break;
    case FASP_CALLER_ACCEPTED:
      fasp_answer_accepted (endpoint, now, from, &agreement);
      fasp_wipe (&agreement, sizeof agreement);
      break;
    case FASP_CALLER_REJECTED:
      call_refused (endpoint, now, from, answer);
      break;
  }
}
