/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspdial.h"
#include "faspcallingprivate.h"
#include "faspendpointhello.h"
#include "faspfailover.h"
#include "faspgrouplistener.h"
#include "faspheaderwait.h"
#include "fasphistory.h"
#include "fasphold.h"
#include "faspreading.h"

/* Time after which the application is notified that no peer answers. */
#define UNANSWERED_AFTER (2 * FASP_SEC)
/* This many OPENs with a cookie go by the socket that the cookie is valid for, before other sockets
 * are tried. */
#define COOKIE_TRIES 3
#define REDIAL_AFTER FASP_SEC

const FaspAddress *
fasp_dial_get_peer (const FaspEndpoint *endpoint)
{
  return &endpoint->calling->call.peer;
}

guint
fasp_dial_get_nth_socket (const FaspEndpoint *endpoint, guint n)
{
  guint flowlets = endpoint->config.flowlets;
  guint addresses = endpoint->config.flows / flowlets;

  return n % addresses * flowlets + n / addresses;
}

FaspAddress
fasp_dial_get_address_of (const FaspEndpoint *endpoint, const FaspAddress *peer, guint socket)
{
  guint flowlets = endpoint->config.flowlets;
  FaspAddress address = socket < flowlets ? *peer : endpoint->config.others[socket / flowlets - 1];

  address.socket = socket;
  fasp_address_add_port (&address, socket % flowlets);
  return address;
}

guint
fasp_dial_get_socket (const FaspEndpoint *endpoint, const FaspAddress *from)
{
  return from->socket < endpoint->config.flows ? from->socket : 0;
}

FaspAddress
fasp_dial_get_address (const FaspEndpoint *endpoint, guint socket)
{
  return fasp_dial_get_address_of (endpoint, &endpoint->calling->call.peer, socket);
}

/* The socket for the next OPEN: alternately the first socket, and one of the others, round robin.
 * An OPEN with a cookie takes the socket that the cookie is valid for, unless COOKIE_TRIES got no
 * answer there. */
static guint
choose_socket (FaspEndpoint *endpoint)
{
  FaspEndpointCall *call = &endpoint->calling->call;
  guint n = endpoint->config.flows, tries = call->caller.tries - 1;

  if (call->caller.open.cookie_size > 0 && call->cookie_tries++ < COOKIE_TRIES)
    return call->cookie_socket;
  return n == 1 || tries % 2 == 0 ? 0 :
                                    fasp_dial_get_nth_socket (endpoint, 1 + tries / 2 % (n - 1));
}

/* The next datagram of the call; FALSE: none is due. */
static gboolean
poll_call (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram)
{
  FaspEndpointCall *call = &endpoint->calling->call;

  if (!call->caller.active)
    return FALSE;
  /* no new session while too many closed sessions are unread */
  if (endpoint->store == NULL && fasp_caller_get_timeout (&call->caller) <= now
      && fasp_reading_is_behind (endpoint, NULL)) {
    call->caller.next_time = now + FASP_CALLER_MAX;
    call->seeking = MAX (now, 1); /* the time in which the peer was not called does not count */
    return FALSE;
  }
  if (!fasp_caller_poll (&call->caller, now, datagram))
    return FALSE;
  datagram->to = fasp_dial_get_address (endpoint, choose_socket (endpoint));
  return TRUE;
}

/* The datagram that opens a mapping of a NAT, which is due; FALSE: none is needed. */
static gboolean
poll_punch (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram)
{
  FaspEndpointCall *call = &endpoint->calling->call;
  FaspHandshake punch = { .type = FASP_HANDSHAKE_PUNCH, .version = FASP_VERSION };
  FaspWriter w = { datagram->data, sizeof (datagram->data) };
  FaspSession *session;

  call->punch_time = now + FASP_CALLER_FIRST;
  session = fasp_endpoint_get_open (endpoint);
  if (session != NULL && !session->liveness.interrupted)
    return FALSE;
  fasp_wire_write_handshake (&w, &punch);
  datagram->to = fasp_dial_get_address (endpoint, call->punched);
  datagram->size = w.used;
  /* each round sends one datagram from each local socket */
  if (++call->punched < endpoint->config.flows)
    call->punch_time = now;
  else
    call->punched = 0;
  return TRUE;
}

gboolean
fasp_dial_poll (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram)
{
  return poll_call (endpoint, now, datagram)
      || (now >= endpoint->calling->call.punch_time && !endpoint->closing
          && poll_punch (endpoint, now, datagram));
}

guint64
fasp_dial_choose_start (FaspEndpoint *endpoint, FaspTime now)
{
  FaspWants wants = { 0 };

  /* begins where the last receiver left, as another one rarely takes its place */
  if (endpoint->config.join == FASP_JOIN_ANY)
    wants.from = endpoint->calling->left;
  return fasp_history_choose (endpoint, now, &wants);
}

void
fasp_dial_start (FaspEndpoint *endpoint, FaspTime now)
{
  FaspEndpointCall *call = &endpoint->calling->call;
  FaspSession *session = fasp_endpoint_get_open (endpoint);
  guint8 nonce[FASP_NONCE_SIZE], ephemeral[FASP_KEY_SIZE];
  FaspHello hello = { 0 };
  guint64 start = 0;

  endpoint->random (endpoint->random_data, nonce, sizeof (nonce));
  endpoint->random (endpoint->random_data, ephemeral, sizeof (ephemeral));
  call->started = now;
  if (call->seeking == 0 || session != NULL)
    call->seeking = MAX (now, 1);
  call->answer_forged = FALSE;
  call->redial_time = FASP_NEVER;
  if (endpoint->store != NULL) {
    start = fasp_dial_choose_start (endpoint, now);
    if (session != NULL)
      start = fasp_tx_get_base (session->tx);
    else if (fasp_hold_get_first (endpoint) != FASP_NO_BLOCK)
      start = fasp_hold_get_first (endpoint);
  }
  fasp_endpoint_describe (endpoint, &hello, start);
  if (endpoint->config.streamid != NULL)
    g_strlcpy (hello.streamid, endpoint->config.streamid, sizeof (hello.streamid));
  fasp_failover_wait (endpoint, now);
  if (session != NULL && session->record->peer == endpoint->calling->failover.wanted) {
    hello.has_resume = TRUE;
    hello.resume_cid = session->peer_id;
    fasp_session_prove (session, nonce, hello.resume_proof);
  }
  fasp_group_listener_ask (endpoint, &hello);
  FASP_LOG (endpoint->notes.log, now, CALL_STARTED, FASP_LOG_POINTER (&call->peer),
      endpoint->calling->failover.wanted, hello.has_resume);
  fasp_caller_start (&call->caller, now, fasp_endpoint_new_id (endpoint), nonce, &hello,
      endpoint->config.credentials, ephemeral);
  fasp_wipe (ephemeral, sizeof ephemeral);
}

void
fasp_dial_anew (FaspEndpoint *endpoint, FaspTime now)
{
  FaspEndpointCall *call = &endpoint->calling->call;
  gboolean calls = call->caller.active;
  FaspTime started = call->started;

  fasp_dial_start (endpoint, now);
  if (calls)
    call->started = started;
}

gboolean
fasp_dial_next_peer (FaspEndpoint *endpoint, FaspTime now)
{
  FaspEndpointCall *call = &endpoint->calling->call;

  if (!fasp_failover_next (endpoint, now))
    return FALSE;
  call->has_peer = FALSE;
  call->redial_time = FASP_NEVER;
  call->started = now;
  fasp_caller_stop (&call->caller);
  return TRUE;
}

void
fasp_dial_seek (FaspEndpoint *endpoint, FaspTime now)
{
  const FaspSession *session = fasp_endpoint_get_open (endpoint);

  if (session != NULL && session->liveness.interrupted && fasp_endpoint_is_caller (endpoint)
      && endpoint->config.settings.reconnect && !endpoint->closing
      && !endpoint->calling->call.caller.active && endpoint->calling->failover.time == FASP_NEVER
      && !fasp_dial_next_peer (endpoint, now))
    fasp_dial_start (endpoint, now);
}

void
fasp_dial_connected (FaspEndpoint *endpoint)
{
  FaspEndpointCall *call = &endpoint->calling->call;

  call->seeking = 0;
  call->last_reject = FASP_REASON_NONE;
  /* a listener notifies the application of callers only */
  call->unanswered_notified = !fasp_endpoint_is_caller (endpoint);
}

void
fasp_dial_resumed (FaspEndpoint *endpoint, const FaspSession *session)
{
  fasp_caller_stop (&endpoint->calling->call.caller);
  fasp_failover_back (endpoint, session);
}

void
fasp_dial_left (FaspEndpoint *endpoint, FaspTime now, FaspReason reason, gboolean again)
{
  FaspEndpointCall *call = &endpoint->calling->call;
  gboolean open = fasp_endpoint_get_open (endpoint) != NULL;

  call->seeking = 0;
  if (again && call->caller.active && call->caller.hello.has_resume)
    fasp_dial_start (endpoint, now); /* there is no session any more that the call could resume */
  else if (again && !call->caller.active && !open && endpoint->calling->failover.time == FASP_NEVER
      && (reason == FASP_REASON_FINISHED || !fasp_dial_next_peer (endpoint, now)))
    call->redial_time = reason == FASP_REASON_SILENT ? now : now + REDIAL_AFTER;
  else if (!again && !open)
    fasp_caller_stop (&call->caller); /* a call may have begun while the session was interrupted */
}

void
fasp_dial_stop (FaspEndpoint *endpoint)
{
  endpoint->calling->call.redial_time = endpoint->calling->call.punch_time = FASP_NEVER;
  fasp_failover_stay (endpoint);
  fasp_caller_stop (&endpoint->calling->call.caller);
}

void
fasp_dial_excuse (FaspEndpoint *endpoint, FaspTime span)
{
  if (endpoint->calling->failover.time != FASP_NEVER)
    endpoint->calling->failover.time += span;
  endpoint->calling->call.started += span;
  if (endpoint->calling->call.seeking > 0)
    endpoint->calling->call.seeking += span;
}

void
fasp_endpoint_expect (FaspEndpoint *endpoint, FaspTime now)
{
  FaspEndpointCall *call = &endpoint->calling->call;

  call->expected = fasp_endpoint_is_caller (endpoint);
  call->started = now;
  fasp_failover_wait (endpoint, now);
}

void
fasp_endpoint_dial (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *peer)
{
  FaspEndpointCall *call = &endpoint->calling->call;

  /* the name may have been resolved after the endpoint began to close */
  if (endpoint->closing)
    return;
  call->peer_before = call->caller.active ? call->peer : *peer;
  call->peer = *peer;
  call->has_peer = TRUE;
  if (!fasp_endpoint_is_caller (endpoint)) {
    if (call->punch_time == FASP_NEVER)
      call->started = now;
    call->punch_time = now;
    return;
  }
  /* after the end of the stream, or a refusal, no other address of the name is called */
  if (endpoint->calling->given_up)
    return;
  if (!call->caller.active
      && (endpoint->calling->failover.time != FASP_NEVER
          || fasp_endpoint_get_open (endpoint) == NULL))
    fasp_dial_start (endpoint, now);
}

gboolean
fasp_dial_is_calling (const FaspEndpoint *endpoint)
{
  return endpoint->calling->call.caller.active;
}

/* --- time --------------------------------------------------------------------- */

static FaspTime
get_call_deadline (const FaspEndpoint *endpoint)
{
  const FaspEndpointCall *call = &endpoint->calling->call;

  return !endpoint->config.settings.reconnect
          && (call->caller.active || (call->expected && !call->has_peer)) ?
      call->started + endpoint->config.resume_timeout :
      FASP_NEVER;
}

static FaspTime
get_unanswered_time (const FaspEndpoint *endpoint)
{
  const FaspEndpointCall *call = &endpoint->calling->call;

  /* this end calls, opens a NAT's mapping, or waits for the announcement of a sender */
  return (call->caller.active || call->punch_time != FASP_NEVER
             || (endpoint->config.group.len > 0 && call->expected && !call->has_peer))
          && !call->unanswered_notified && !endpoint->closing
          && fasp_endpoint_get_open (endpoint) == NULL ?
      (call->seeking > 0 ? call->seeking : call->started) + UNANSWERED_AFTER :
      FASP_NEVER;
}

static void
explain_forged (const FaspEndpoint *endpoint, FaspEvent *event)
{
  if (endpoint->calling->call.answer_forged)
    g_strlcpy (event->text,
        "a peer answers, but not with the passphrase and keys that are set here",
        sizeof (event->text));
}

/* Does the OPEN say that the stream has no header, though it has one by now? All repetitions of an
 * OPEN say the same, so a receiver that answers would not wait for the header, though its stream
 * may begin in the middle. */
static gboolean
is_outdated (const FaspEndpoint *endpoint)
{
  const FaspEndpointCall *call = &endpoint->calling->call;

  return call->caller.active && fasp_header_wait_announces (endpoint, FASP_NO_BLOCK)
      && !call->caller.hello.has_header && !endpoint->config.settings.wait_for_connection;
}

void
fasp_dial_run_due (FaspEndpoint *endpoint, FaspTime now)
{
  FaspEndpointCall *call = &endpoint->calling->call;

  /* before failover, which may call the next peer before each timeout */
  if (get_unanswered_time (endpoint) <= now) {
    FaspEvent *event = fasp_endpoint_push_event (endpoint, FASP_EVENT_UNANSWERED, NULL);

    call->unanswered_notified = TRUE;
    event->address = call->peer;
    FASP_LOG (endpoint->notes.log, now, CALL_UNANSWERED, FASP_LOG_POINTER (&call->peer),
        now - (call->seeking > 0 ? call->seeking : call->started), call->answer_forged);
    explain_forged (endpoint, event);
  }
  if (fasp_failover_run_due (endpoint, now))
    fasp_dial_next_peer (endpoint, now);
  if (is_outdated (endpoint) && fasp_caller_get_timeout (&call->caller) <= now)
    fasp_dial_anew (endpoint, now);
  if (call->redial_time <= now) {
    call->redial_time = FASP_NEVER;
    if (call->has_peer && !endpoint->closing)
      fasp_dial_start (endpoint, now);
  }
  /* without reconnect, a call that is not answered is given up, and so is the wait for an
   * address */
  if (get_call_deadline (endpoint) <= now) {
    FaspEvent *event = fasp_endpoint_push_event (endpoint, FASP_EVENT_REJECTED, NULL);

    event->address = call->peer;
    event->reason = FASP_REASON_SILENT;
    event->refusal.calling = event->final = TRUE;
    FASP_LOG (endpoint->notes.log, now, CALL_GIVEN_UP, FASP_LOG_POINTER (&call->peer),
        now - call->started, call->answer_forged);
    endpoint->calling->given_up = TRUE;
    explain_forged (endpoint, event);
    fasp_caller_stop (&call->caller);
    call->expected = FALSE;
  }
}

FaspTime
fasp_dial_get_timeout (FaspEndpoint *endpoint)
{
  const FaspEndpointCall *call = &endpoint->calling->call;
  FaspTime timeout = fasp_sooner (call->redial_time, endpoint->calling->failover.time);

  timeout = fasp_sooner (timeout, call->punch_time);
  timeout = fasp_sooner (timeout, fasp_caller_get_timeout (&call->caller));
  timeout = fasp_sooner (timeout, get_call_deadline (endpoint));
  return fasp_sooner (timeout, get_unanswered_time (endpoint));
}
