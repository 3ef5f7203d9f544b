/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspdial.h"
#include "fasphistory.h"
#include "fasplimits.h"
#include "faspfailover.h"
#include "faspmulticast.h"

/* Time after which the application hears that nobody answers. */
#define UNANSWERED_AFTER (2 * FASP_SEC)
/* If a call is answered only after this time, the stream begins elsewhere than it says. */
#define ANEW_AFTER (2 * FASP_SEC)
/* OPENs with a cookie by the link that it is for, before other links are tried. */
#define COOKIE_TRIES 3

gboolean
fasp_dial_is_ours (const FaspEndpoint *endpoint)
{
  return fasp_endpoint_config_dials (&endpoint->config);
}

void
fasp_endpoint_describe (FaspEndpoint *endpoint, FaspHello *hello, guint64 start)
{
  hello->role = endpoint->config.role;
  hello->latency_ms = endpoint->config.settings.latency_ms;
  hello->datagram_max = FASP_DATAGRAM_MAX;
  hello->flows = endpoint->config.flows;
  hello->fec = endpoint->config.fec != FASP_FEC_OFF ? FASP_FEC_WINDOW_MAX : 0;
  /* a receiver offers to report arrivals; a sender asks for that if it controls the rate */
  hello->timestamps = endpoint->config.role == FASP_ROLE_RECEIVER
          || endpoint->config.rate_control != FASP_RATE_CONTROL_FIXED ?
      FASP_TIMESTAMPS :
      0;
  if (endpoint->config.role == FASP_ROLE_SENDER) {
    hello->start = start;
    hello->place = fasp_store_get_offset_of (endpoint->store, start);
    hello->has_header = endpoint->header.bytes != NULL || start < endpoint->header.gone;
    return;
  }
  hello->window = fasp_endpoint_get_window (endpoint);
  if (endpoint->stand.offset != FASP_OFFSET_UNKNOWN)
    hello->wants.from = endpoint->stand;
  if (!fasp_dial_is_ours (endpoint))
    return; /* where it joins, the sender has chosen already */
  hello->wants.join = endpoint->config.join;
  hello->wants.back_ms = endpoint->config.join_back_ms;
}

/* The link to try as number @n: the first of each address, then the second of each ... */
static guint
get_link (const FaspEndpoint *endpoint, guint n)
{
  guint flowlets = endpoint->config.flowlets;
  guint addresses = endpoint->config.flows / flowlets;

  return n % addresses * flowlets + n / addresses;
}

static FaspAddress
get_way_to (const FaspEndpoint *endpoint, const FaspAddress *peer, guint link)
{
  guint flowlets = endpoint->config.flowlets;
  FaspAddress way = link < flowlets ? *peer : endpoint->config.others[link / flowlets - 1];

  way.link = link;
  fasp_address_add_port (&way, link % flowlets);
  return way;
}

guint
fasp_dial_get_link (const FaspEndpoint *endpoint, const FaspAddress *from)
{
  return from->link < endpoint->config.flows ? from->link : 0;
}

FaspAddress
fasp_dial_get_way (const FaspEndpoint *endpoint, guint link)
{
  return get_way_to (endpoint, &endpoint->peer, link);
}

/* Where the OPEN went that is answered from @from.  If the answer comes from the address that was
 * called before (the next address of a name may be called by now), that one is the peer's. */
static FaspAddress
get_called (FaspEndpoint *endpoint, const FaspAddress *from)
{
  guint link = fasp_dial_get_link (endpoint, from);
  FaspAddress before = get_way_to (endpoint, &endpoint->peer_before, link);

  if (link < endpoint->config.flowlets && fasp_address_equal (&before, from))
    endpoint->peer = endpoint->peer_before;
  return fasp_dial_get_way (endpoint, link);
}

/* Flow 0 keeps the link that was answered.  The other flows get the other links. */
static void
set_addresses (FaspEndpoint *endpoint, FaspSession *session)
{
  guint flow = 1, first = fasp_session_get_address (session)->link;

  for (guint n = 0; flow < session->n_paths; n++) {
    guint link = get_link (endpoint, n);
    FaspAddress way;

    if (link == first)
      continue;
    way = fasp_dial_get_way (endpoint, link);
    fasp_session_set_address (session, flow++, &way);
  }
}

/* Every second OPEN goes by the first link, the others by each other link in turn.
 * With a cookie it goes by the link that the cookie is for, unless nobody answers
 * there. */
static guint
choose_link (FaspEndpoint *endpoint)
{
  guint n = endpoint->config.flows, tries = endpoint->caller.tries - 1;

  if (endpoint->caller.open.cookie_size > 0 && endpoint->cookie_tries++ < COOKIE_TRIES)
    return endpoint->cookie_link;
  return n == 1 || tries % 2 == 0 ? 0 : get_link (endpoint, 1 + tries / 2 % (n - 1));
}

gboolean
fasp_dial_poll (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram)
{
  /* no further session before the application reads what it has of others */
  if (endpoint->store == NULL && fasp_caller_get_timeout (&endpoint->caller) <= now
      && fasp_reading_is_behind (endpoint, NULL)) {
    endpoint->caller.next_time = now + FASP_CALLER_MAX;
    endpoint->seeking = MAX (now, 1); /* who is not called does not answer */
    return FALSE;
  }
  if (!fasp_caller_poll (&endpoint->caller, now, datagram))
    return FALSE;
  datagram->to = fasp_dial_get_way (endpoint, choose_link (endpoint));
  return TRUE;
}

/* Where the stream begins for a receiver that nothing is held for. */
static guint64
choose_start (FaspEndpoint *endpoint, FaspTime now)
{
  FaspWants wants = { 0 };

  /* another receiver may be there now, but that is rare */
  if (endpoint->config.join == FASP_JOIN_ANY)
    wants.from = endpoint->left;
  return fasp_history_choose (endpoint, now, &wants);
}

void
fasp_dial_start (FaspEndpoint *endpoint, FaspTime now)
{
  FaspSession *session = fasp_endpoint_get_open (endpoint);
  guint8 nonce[FASP_NONCE_SIZE], ephemeral[FASP_KEY_SIZE];
  FaspHello hello = { 0 };
  guint64 start = 0;

  endpoint->random (endpoint->random_data, nonce, sizeof (nonce));
  endpoint->random (endpoint->random_data, ephemeral, sizeof (ephemeral));
  endpoint->call_started = now;
  if (endpoint->seeking == 0 || session != NULL)
    endpoint->seeking = MAX (now, 1);
  endpoint->answer_forged = FALSE;
  endpoint->redial_time = FASP_NEVER;
  if (endpoint->store != NULL) {
    start = choose_start (endpoint, now);
    if (session != NULL)
      start = fasp_tx_get_base (&session->tx);
    else if (endpoint->hold != FASP_NO_BLOCK)
      start = endpoint->hold;
  }
  fasp_endpoint_describe (endpoint, &hello, start);
  if (endpoint->config.streamid != NULL)
    g_strlcpy (hello.streamid, endpoint->config.streamid, sizeof (hello.streamid));
  fasp_failover_wait (endpoint, now);
  if (session != NULL && session->handshake.peer == endpoint->wanted) {
    hello.has_resume = TRUE;
    hello.resume_cid = session->peer_id;
    fasp_session_prove (session, nonce, hello.resume_proof);
  }
  fasp_multicast_ask (endpoint, &hello);
  FASP_LOG (endpoint->notes.log, now, CALL_STARTED, FASP_LOG_POINTER (&endpoint->peer),
      endpoint->wanted, hello.has_resume);
  fasp_caller_start (&endpoint->caller, now, fasp_endpoint_new_id (endpoint), nonce, &hello,
      endpoint->config.credentials, ephemeral);
  fasp_wipe (ephemeral, sizeof ephemeral);
}

void
fasp_dial_anew (FaspEndpoint *endpoint, FaspTime now)
{
  gboolean calls = endpoint->caller.active;
  FaspTime started = endpoint->call_started;

  fasp_dial_start (endpoint, now);
  if (calls)
    endpoint->call_started = started;
}

void
fasp_endpoint_expect (FaspEndpoint *endpoint, FaspTime now)
{
  endpoint->expected = fasp_dial_is_ours (endpoint);
  endpoint->call_started = now;
  fasp_failover_wait (endpoint, now);
}

void
fasp_endpoint_dial (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *peer)
{
  /* a name may be resolved meanwhile */
  if (endpoint->closing)
    return;
  endpoint->peer_before = endpoint->caller.active ? endpoint->peer : *peer;
  endpoint->peer = *peer;
  endpoint->has_peer = TRUE;
  if (!fasp_dial_is_ours (endpoint)) {
    if (endpoint->punch_time == FASP_NEVER)
      endpoint->call_started = now;
    endpoint->punch_time = now;
    return;
  }
  /* after the end of the stream, or a refusal, another address of the name is of no use */
  if (endpoint->given_up)
    return;
  if (!endpoint->caller.active
      && (endpoint->move_time != FASP_NEVER || fasp_endpoint_get_open (endpoint) == NULL))
    fasp_dial_start (endpoint, now);
}

/* All repetitions of an OPEN name the same first block, though it may take long until somebody
 * is there to answer. What was written meanwhile may be kept as history; but the receiver
 * begins where one that comes now does. */
static void
begin_anew (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  if (endpoint->store == NULL || endpoint->hold != FASP_NO_BLOCK
      || fasp_store_is_finished (endpoint->store) || now - endpoint->call_started < ANEW_AFTER)
    return;
  fasp_tx_begin_at (&session->tx, choose_start (endpoint, now));
}

/* The receiver that answers stands at @stand. What it has of our stream, by us or by somebody who
 * relays it, it need not get again. If it has another stream by now, it has got that instead of
 * ours: who does not wait for receivers begins anew. */
static void
follow_stand (FaspEndpoint *endpoint, FaspTime now, FaspSession *session,
    const FaspStreamOffset *stand)
{
  guint64 number;

  session->start.previous = *stand;
  if (fasp_store_find (endpoint->store, stand, &number)) {
    fasp_tx_begin_at (&session->tx, number);
  } else if (!endpoint->config.settings.wait_for_connection) {
    endpoint->left = *stand;
    fasp_tx_begin_at (&session->tx, choose_start (endpoint, now));
  }
}

void
fasp_dial_accepted (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const FaspAgreement *agreement)
{
  FaspSession *old = fasp_endpoint_get_open (endpoint), *session;
  FaspAddress called = get_called (endpoint, from);
  const FaspHello *answer = &agreement->hello;

  if (answer->role == endpoint->config.role) {
    /* a listener that does not check roles */
    FaspHandshake refusal = {
      .reason = FASP_REASON_SAME_ROLE,
      .text = "both ends send, or both receive",
    };

    /* the call ended with its answer; whoever calls on after a refusal does so by another one */
    fasp_dial_start (endpoint, now);
    endpoint->caller.next_time = now + FASP_CALLER_MAX;
    fasp_dial_rejected (endpoint, now, from, &refusal);
    return;
  }
  if (old != NULL)
    fasp_lifecycle_replaced (endpoint, now, old);
  session = fasp_lifecycle_begin (endpoint, now, endpoint->caller.open.from_cid, &called, answer,
      endpoint->caller.open.nonce, endpoint->caller.hello.start);
  /* a session that is replaced goes on in this one */
  if (old == NULL)
    begin_anew (endpoint, now, session);
  session->start.offset = endpoint->caller.hello.place;
  session->start.has_header = endpoint->caller.hello.has_header;
  session->start.previous = endpoint->left;
  if (endpoint->store != NULL && answer->wants.from.known)
    follow_stand (endpoint, now, session, &answer->wants.from);
  session->handshake.peer = endpoint->wanted;
  fasp_failover_stay (endpoint);
  session->streamid = g_strdup (endpoint->config.streamid);
  fasp_session_set_keys (session, &agreement->keys);
  if (fasp_noise_has_static (endpoint->caller.noise.pattern))
    fasp_credentials_know (endpoint->config.credentials, endpoint->caller.noise.rs, &session->peer);
  fasp_multicast_accepted (endpoint, now, session, answer);
  fasp_caller_stop (&endpoint->caller);
  if (endpoint->caller.tries == 1) /* else it is not known which OPEN was answered */
    fasp_rtt_sample (&session->rtt, now - endpoint->caller.sent, 0);
  fasp_session_open (session, now);
  set_addresses (endpoint, session);
  fasp_session_trust (session, now, 0);
  /* the peer may be at @from, or somebody who has copied the answer */
  if (!fasp_address_equal (from, &called))
    fasp_path_suppose (&session->paths[0], now, from, FALSE);
  fasp_lifecycle_opened (endpoint, now, session);
}

void
fasp_dial_rejected (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const FaspHandshake *answer)
{
  FaspEvent *event;
  gboolean group = endpoint->config.group.len > 0;
  /* anybody can send a REJECT, so it does not end an open session, which may come back */
  FaspSession *session = fasp_endpoint_get_open (endpoint);
  gboolean open = session != NULL;
  gboolean passing = answer->reason == FASP_REASON_BUSY
      || (answer->reason == FASP_REASON_FINISHED && endpoint->config.settings.keep_listening)
      || (open && !group);
  gboolean goes_on = passing && (endpoint->config.settings.reconnect || open);
  gboolean moves = fasp_failover_refused (endpoint, now, !passing);
  /* any sender that announces itself to a group is called: it speaks for itself alone */
  gboolean next = moves || (group && (endpoint->config.settings.reconnect || open));

  if (open)
    session->liveness.has_other = answer->reason == FASP_REASON_BUSY;
  if (goes_on && endpoint->last_reject == answer->reason)
    return; /* reported before; the call goes on at its pace */
  endpoint->last_reject = answer->reason;
  endpoint->unanswered_told = TRUE;
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_REJECTED, NULL);
  event->address = *from;
  event->reason = answer->reason;
  event->calling = TRUE;
  event->final = !next && !goes_on;
  FASP_LOG (endpoint->notes.log, now, CALL_REFUSED, FASP_LOG_POINTER (from), answer->reason,
      FASP_LOG_POINTER (answer->text), event->final);
  endpoint->given_up |= event->final;
  g_strlcpy (event->text, answer->text, sizeof (event->text));
  if (event->final) {
    fasp_caller_stop (&endpoint->caller);
    fasp_failover_stay (endpoint);
  } else if (!moves && !passing) {
    fasp_caller_stop (&endpoint->caller);
    fasp_announcers_refused (&endpoint->announcers, now);
  }
}

/* --- time --------------------------------------------------------------------- */

static FaspTime
get_call_deadline (const FaspEndpoint *endpoint)
{
  return !endpoint->config.settings.reconnect
          && (endpoint->caller.active || (endpoint->expected && !endpoint->has_peer)) ?
      endpoint->call_started + endpoint->config.resume_timeout :
      FASP_NEVER;
}

static FaspTime
get_unanswered_time (const FaspEndpoint *endpoint)
{
  /* we call or punch, or no sender of the group has been heard of */
  return (endpoint->caller.active || endpoint->punch_time != FASP_NEVER
             || (endpoint->config.group.len > 0 && endpoint->expected && !endpoint->has_peer))
          && !endpoint->unanswered_told && !endpoint->closing
          && fasp_endpoint_get_open (endpoint) == NULL ?
      (endpoint->seeking > 0 ? endpoint->seeking : endpoint->call_started) + UNANSWERED_AFTER :
      FASP_NEVER;
}

static void
tell_forged (const FaspEndpoint *endpoint, FaspEvent *event)
{
  if (endpoint->answer_forged)
    g_strlcpy (event->text,
        "somebody answers, but not with the passphrase and keys that are set here",
        sizeof (event->text));
}

/* TRUE: the OPEN says that the stream has no header, and by now it has one.  All repetitions of an
 * OPEN say the same, so a receiver that answers would not wait for the header, though it may be
 * sent the middle of the stream. */
static gboolean
is_outdated (const FaspEndpoint *endpoint)
{
  return endpoint->caller.active && endpoint->header.bytes != NULL
      && !endpoint->caller.hello.has_header && !endpoint->config.settings.wait_for_connection;
}

void
fasp_dial_tend (FaspEndpoint *endpoint, FaspTime now)
{
  /* before the next peer gets its turn: none of them may have longer than this */
  if (get_unanswered_time (endpoint) <= now) {
    FaspEvent *event = fasp_endpoint_push_event (endpoint, FASP_EVENT_UNANSWERED, NULL);

    endpoint->unanswered_told = TRUE;
    event->address = endpoint->peer;
    FASP_LOG (endpoint->notes.log, now, CALL_UNANSWERED, FASP_LOG_POINTER (&endpoint->peer),
        now - (endpoint->seeking > 0 ? endpoint->seeking : endpoint->call_started),
        endpoint->answer_forged);
    tell_forged (endpoint, event);
  }
  fasp_failover_tend (endpoint, now);
  if (is_outdated (endpoint) && fasp_caller_get_timeout (&endpoint->caller) <= now)
    fasp_dial_anew (endpoint, now);
  if (endpoint->redial_time <= now) {
    endpoint->redial_time = FASP_NEVER;
    if (endpoint->has_peer && !endpoint->closing)
      fasp_dial_start (endpoint, now);
  }
  /* without reconnect, an unanswered call is given up, and so is one for which
   * no address was found */
  if (get_call_deadline (endpoint) <= now) {
    FaspEvent *event = fasp_endpoint_push_event (endpoint, FASP_EVENT_REJECTED, NULL);

    event->address = endpoint->peer;
    event->reason = FASP_REASON_SILENT;
    event->calling = event->final = TRUE;
    FASP_LOG (endpoint->notes.log, now, CALL_GIVEN_UP, FASP_LOG_POINTER (&endpoint->peer),
        now - endpoint->call_started, endpoint->answer_forged);
    endpoint->given_up = TRUE;
    tell_forged (endpoint, event);
    fasp_caller_stop (&endpoint->caller);
    endpoint->expected = FALSE;
  }
}

FaspTime
fasp_dial_get_timeout (const FaspEndpoint *endpoint)
{
  FaspTime timeout = fasp_sooner (endpoint->redial_time, endpoint->move_time);

  if (!endpoint->caller.active)
    return fasp_sooner (fasp_sooner (timeout, get_call_deadline (endpoint)),
        get_unanswered_time (endpoint));
  timeout = fasp_sooner (timeout, fasp_caller_get_timeout (&endpoint->caller));
  timeout = fasp_sooner (timeout, get_call_deadline (endpoint));
  return fasp_sooner (timeout, get_unanswered_time (endpoint));
}
