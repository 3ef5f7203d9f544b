/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspadmission.h"
#include "faspcaller.h"
#include "faspcookie.h"
#include "faspdial.h"
#include "faspendpointprivate.h"
#include "fasphistory.h"
#include "faspmove.h"
#include "faspmulticast.h"
#include "faspslow.h"

#define DEFAULT_BUFFER (64 * 1024 * 1024)
#define DEFAULT_RESUME (30 * FASP_SEC)
#define GAP_TOLD_EVERY (60 * FASP_SEC)
#define EVENTS_MAX 1024
#define REDIAL_AFTER FASP_SEC
/* What was due is looked at so much later where the process, or the machine, stood still. */
#define AWAY FASP_SEC
/* The application hears of a promise that changes this often. */
#define TELL_PROMISE_AFTER FASP_SEC

/* --- life ------------------------------------------------------------------------ */

void
fasp_endpoint_config_init (FaspEndpointConfig * config, FaspRole role,
    FaspMode mode)
{
  memset (config, 0, sizeof *config);
  config->role = role;
  config->mode = mode;
  config->latency_ms = FASP_LATENCY_ANY;
  config->glitch_interval = FASP_GLITCH_INTERVAL_DEFAULT;
  config->buffer_size = DEFAULT_BUFFER;
  config->half_open_max = 16;
  config->slow_policy = FASP_SLOW_WAIT;
  config->wait_for_connection = TRUE;
  config->reconnect = TRUE;
  config->resume_timeout = DEFAULT_RESUME;
}

gboolean
fasp_endpoint_config_dials (const FaspEndpointConfig * config)
{
  return config->mode == FASP_MODE_CALLER
      || (config->mode == FASP_MODE_RENDEZVOUS
      && config->role == FASP_ROLE_SENDER);
}

/* Of blocks before any path is known. */
static guint32
get_first_size (const FaspEndpointConfig * config)
{
  return FASP_PMTU_BASE - FASP_DATA_OVERHEAD -
      (config->fec != FASP_FEC_OFF ? FASP_REPAIR_MORE : 0);
}

FaspEndpoint *
fasp_endpoint_new (const FaspEndpointConfig * config, FaspRandomFunc random,
    gpointer user_data)
{
  FaspEndpoint *endpoint = g_new0 (FaspEndpoint, 1);
  endpoint->config = *config;
  endpoint->config.flows = MAX (config->flows, 1);
  endpoint->config.flowlets = MAX (config->flowlets, 1);
  endpoint->config.streamid = g_strdup (config->streamid);
  endpoint->config.credentials = config->credentials != NULL ?
      fasp_credentials_ref (config->credentials) : fasp_credentials_new ();
  endpoint->random = random;
  endpoint->random_data = user_data;
  endpoint->sessions = g_ptr_array_new ();
  endpoint->by_id = g_hash_table_new (NULL, NULL);
  endpoint->hold = FASP_NO_BLOCK;
  endpoint->stand.offset = FASP_OFFSET_UNKNOWN;
  endpoint->hold_deadline = endpoint->measured_by = FASP_NEVER;
  endpoint->redial_time = FASP_NEVER;
  endpoint->punch_time = endpoint->move_time = FASP_NEVER;
  endpoint->config.lanes = CLAMP (config->lanes, 1, FASP_LANES_MAX);
  for (guint i = 0; i < endpoint->config.lanes; i++)
    fasp_turns_init (&endpoint->turns[i]);
  g_queue_init (&endpoint->events);
  fasp_replies_init (&endpoint->replies);
  random (user_data, endpoint->cookie_secret, sizeof (endpoint->cookie_secret));
  fasp_admission_init (endpoint);
  if (config->role == FASP_ROLE_SENDER)
    fasp_writing_begin (endpoint, get_first_size (config));
  fasp_multicast_init (endpoint);
  return endpoint;
}

void
fasp_endpoint_free (FaspEndpoint * endpoint)
{
  if (endpoint == NULL)
    return;
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    fasp_admission_left (endpoint, fasp_endpoint_nth (endpoint, i));
    fasp_session_free (fasp_endpoint_nth (endpoint, i));
  }
  g_ptr_array_unref (endpoint->sessions);
  for (guint i = 0; i < endpoint->config.lanes; i++)
    fasp_turns_clear (&endpoint->turns[i]);
  fasp_heap_clear (&endpoint->needs);
  g_hash_table_unref (endpoint->by_id);
  g_hash_table_unref (endpoint->by_call);
  fasp_whereabouts_clear (&endpoint->whereabouts);
  g_queue_clear_full (&endpoint->events, g_free);
  g_free (endpoint->last_flows);
  fasp_store_free (endpoint->store);
  fasp_planner_free (endpoint->planner);
  fasp_trace_set_size (&endpoint->trace, 0);
  g_free ((gchar *) endpoint->config.streamid);
  fasp_credentials_unref (endpoint->config.credentials);
  fasp_caller_stop (&endpoint->caller);
  g_free (endpoint->own_gate);
  fasp_group_free (endpoint->group);
  g_free (endpoint);
}

/* --- small helpers ------------------------------------------------------------------ */

guint32
fasp_endpoint_new_id (FaspEndpoint * endpoint)
{
  const guint bits = endpoint->config.id_bits;
  guint32 id;

  do {
    endpoint->random (endpoint->random_data, (guint8 *) & id, sizeof (id));
    if (bits > 0)
      id = endpoint->config.id_prefix | id >> bits;
  } while (id == 0
      || g_hash_table_contains (endpoint->by_id, GUINT_TO_POINTER (id)));
  return id;
}

gboolean
fasp_endpoint_tells_gap (FaspEndpoint * endpoint, FaspTime now)
{
  if (endpoint->gap_told > 0 && now - endpoint->gap_told < GAP_TOLD_EVERY)
    return FALSE;
  endpoint->gap_told = MAX (now, 1);
  return TRUE;
}

FaspEvent *
fasp_endpoint_push_event (FaspEndpoint * endpoint, FaspEventType type,
    const FaspSession * session)
{
  FaspEvent *event = g_new0 (FaspEvent, 1);

  event->type = type;
  if (session != NULL) {
    event->session = session->id;
    event->address = *fasp_session_get_address (session);
    event->peer = session->peer;
    event->flows = session->n_flows;
    event->flows_here = endpoint->config.flows;
    event->fec_refused = session->role == FASP_ROLE_SENDER
        && endpoint->config.fec != FASP_FEC_OFF && !session->has_fec;
    event->latency_known = fasp_session_get_first_latency (session,
        &event->latency_ms);
    if (session->streamid != NULL)
      g_strlcpy (event->streamid, session->streamid, sizeof (event->streamid));
  }
  /* an application that does not listen must not cost memory for ever;
   * anybody can cause refusals, those are bounded where they are made */
  if (g_queue_get_length (&endpoint->events) >= EVENTS_MAX)
    g_free (g_queue_pop_head (&endpoint->events));
  g_queue_push_tail (&endpoint->events, event);
  return event;
}

FaspSession *
fasp_endpoint_get_open (const FaspEndpoint * endpoint)
{
  for (guint i = 0; i < endpoint->sessions->len; i++)
    if (fasp_endpoint_nth (endpoint, i)->state == FASP_SESSION_OPEN)
      return fasp_endpoint_nth (endpoint, i);
  return NULL;
}

FaspSession *
fasp_endpoint_get_heard (const FaspEndpoint * endpoint,
    const FaspSession * except)
{
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    FaspSession *session = fasp_endpoint_nth (endpoint, i);

    if (session != except && session->state == FASP_SESSION_OPEN
        && !session->interrupted)
      return session;
  }
  return NULL;
}

void
fasp_endpoint_wake (FaspEndpoint * endpoint, FaspSession * session)
{
  fasp_turns_wake (fasp_endpoint_get_turns (endpoint, session),
      &session->turn_to_send, 0);
}

void
fasp_endpoint_wake_all (FaspEndpoint * endpoint)
{
  for (guint i = 0; i < endpoint->sessions->len; i++)
    fasp_endpoint_wake (endpoint, fasp_endpoint_nth (endpoint, i));
}

/* Blocks are as large as the narrowest path in use takes. */
static void
update_block_size (FaspEndpoint * endpoint)
{
  guint32 size = endpoint->group != NULL ? get_first_size (&endpoint->config) :
      FASP_DATAGRAM_MAX - FASP_DATA_OVERHEAD;
  gboolean found = FALSE;

  for (guint i = 0; i < endpoint->sessions->len; i++) {
    const FaspSession *session = fasp_endpoint_nth (endpoint, i);

    if (session->state != FASP_SESSION_OPEN)
      continue;
    size = MIN (size, fasp_session_get_room (session));
    found = TRUE;
  }
  if (!found)
    size = get_first_size (&endpoint->config);
  if (endpoint->packet_size > 0 && endpoint->packet_size <= size)
    size -= size % endpoint->packet_size;
  fasp_store_set_block_size (endpoint->store, size);
}

void
fasp_endpoint_set_packet_size (FaspEndpoint * endpoint, guint32 size)
{
  g_return_if_fail (endpoint->store != NULL);
  endpoint->packet_size = size;
  update_block_size (endpoint);
}

void
fasp_endpoint_note_needs (FaspEndpoint * endpoint, FaspSession * session)
{
  if (session->role == FASP_ROLE_SENDER && session->connected
      && !session->removed)
    fasp_heap_set (&endpoint->needs, &session->needs,
        fasp_tx_get_base (&session->tx));
}

void
fasp_endpoint_trim_store (FaspEndpoint * endpoint)
{
  const FaspHeapItem *first = fasp_heap_peek (&endpoint->needs);
  guint64 keep = MIN (fasp_history_get_first (endpoint), endpoint->hold);

  if (first != NULL)
    keep = MIN (keep, (guint64) first->key);
  if (keep > fasp_store_get_tail (endpoint->store))
    fasp_store_trim (endpoint->store, keep);
}

FaspSession *
fasp_endpoint_add_session (FaspEndpoint * endpoint, FaspTime now, guint32 id,
    const FaspAddress * peer, const FaspHello * told,
    const guint8 nonce[FASP_NONCE_SIZE], guint64 start)
{
  const FaspEndpointConfig *config = &endpoint->config;
  guint8 secret[FASP_PING_SECRET];
  guint flows = MIN (config->flows, told->flows);
  FaspSession *session;
  guint64 seed;

  endpoint->random (endpoint->random_data, secret, sizeof secret);
  session = fasp_session_new (config->role, id, now, peer, flows, secret);
  if (told->datagram_max > 0)
    session->datagram_max = CLAMP (told->datagram_max, FASP_PMTU_BASE,
        FASP_DATAGRAM_MAX);
  session->trace = &endpoint->trace;
  session->peer_id = told->cid;
  session->resume_timeout = config->resume_timeout;
  session->agreed = fasp_latency_agree (config->latency_ms, told->latency_ms);
  if (config->rekey_interval > 0)
    session->rekey_interval = config->rekey_interval;
  if (config->rekey_datagrams > 0)
    session->rekey_datagrams = config->rekey_datagrams;
  memcpy (session->nonce, nonce, FASP_NONCE_SIZE);
  if (config->role == FASP_ROLE_SENDER) {
    session->start = start;
    session->live_from = fasp_history_begins_in_past (endpoint, start) ?
        fasp_store_get_head (endpoint->store) : 0;
    fasp_tx_init (&session->tx, endpoint->store, start, told->window, now);
    fasp_outlook_init (&session->tx.outlook, now, endpoint->planner,
        config->glitch_interval, session->agreed.find, session->agreed.latency);
    /* who cannot tell of arrivals gets the rate that is given, or the first one */
    if (told->arrivals > 0 || config->max_bitrate == 0)
      session->rate = fasp_rate_new (config->rate_control, config->min_bitrate,
          config->max_bitrate, now);
    session->rate_until = session->rate != NULL ? now : FASP_NEVER;
    session->max_burst = config->max_burst;
    fasp_pacer_init (&session->pacer, config->max_bitrate,
        fasp_pacer_choose_burst (config->max_bitrate, config->max_burst, 0));
    endpoint->random (endpoint->random_data, (guint8 *) & seed, sizeof seed);
    fasp_spread_init (&session->spread, config->assignment, flows, seed, now);
    session->duplicates = config->assignment == FASP_ASSIGNMENT_DUPLICATE;
    fasp_fec_init (&session->tx.fec, config->fec, config->fec_share, told->fec);
    session->has_fec = session->tx.fec.mode != FASP_FEC_OFF;
    session->tx.no_rex = config->no_rex;
  } else {
    fasp_rx_init (&session->rx, now, told->start,
        fasp_endpoint_get_window (endpoint), &session->agreed);
    fasp_reading_begin (endpoint, session, told);
    session->rx.give_up = config->too_late_skip;
    session->tells_arrivals = told->arrivals > 0;
    session->rx.eager = session->tells_arrivals || flows > 1;
    if (config->fec != FASP_FEC_OFF && told->fec > 0)
      fasp_rx_set_fec (&session->rx, now, FASP_FEC_WINDOW_MAX);
  }
  session->lane = fasp_sending_choose_lane (endpoint);
  fasp_turns_add (fasp_endpoint_get_turns (endpoint, session),
      &session->turn_to_send, session);
  fasp_sending_share (endpoint);
  session->order = ++endpoint->made;
  g_ptr_array_add (endpoint->sessions, session);
  g_hash_table_insert (endpoint->by_id, GUINT_TO_POINTER (id), session);
  return session;
}

guint32
fasp_endpoint_get_window (const FaspEndpoint * endpoint)
{
  guint64 blocks = endpoint->config.buffer_size / FASP_BLOCK_UNIT;
  guint32 window = 64;

  /* and block numbers must be told apart by their low 24 bits */
  while (window * 2 <= blocks && window < 1u << (FASP_BLOCK_BITS - 2))
    window *= 2;
  return window;
}

/* --- sessions coming and going ---------------------------------------------------------------------------- */

static void
remove_reason (FaspSession * session, FaspTime now, FaspReason reason)
{
  session->state = FASP_SESSION_CLOSED;
  session->close_initiated = TRUE;
  session->close_reason = reason;
  session->close_time = FASP_NEVER;
  session->close_deadline = now;
}

void
fasp_endpoint_replace (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session)
{
  remove_reason (session, now, FASP_REASON_REPLACED);
  fasp_endpoint_wake (endpoint, session);
}

void
fasp_endpoint_heard_again (FaspEndpoint * endpoint, FaspSession * session)
{
  if (!session->interrupted)
    return;
  session->interrupted = FALSE;
  endpoint->stats.interrupted--;
  fasp_endpoint_push_event (endpoint, FASP_EVENT_RESUMED, session);
  /* no need to ask whether it still knows us */
  if (fasp_dial_is_ours (endpoint)) {
    fasp_caller_stop (&endpoint->caller);
    fasp_move_back (endpoint, session);
  }
}

void
fasp_endpoint_session_opened (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session)
{
  session->connected = TRUE;
  fasp_admission_left (endpoint, session);
  endpoint->stats.sessions++;
  endpoint->last_reject = FASP_REASON_NONE;
  endpoint->unanswered_told = FALSE;
  fasp_endpoint_push_event (endpoint, FASP_EVENT_CONNECTED,
      session)->in_the_middle = endpoint->store != NULL
      && fasp_writing_is_in_the_middle (endpoint, session);
  endpoint->hold = FASP_NO_BLOCK;
  endpoint->hold_deadline = FASP_NEVER;
  if (endpoint->store == NULL)
    return;
  fasp_history_tell_place (endpoint, now, session);
  fasp_multicast_opened (endpoint, now, session);
  fasp_endpoint_note_needs (endpoint, session);
  update_block_size (endpoint);
  fasp_writing_opened (endpoint, now, session);
  if (!fasp_store_is_finished (endpoint->store))
    endpoint->stats.bytes_unconfirmed = 0;
}

/* --- whether we are there ----------------------------------------------------------------- */

static void
put_off (FaspTime * time, FaspTime span)
{
  if (*time != FASP_NEVER)
    *time += span;
}

void
fasp_endpoint_look (FaspEndpoint * endpoint, FaspTime now)
{
  FaspTime before = endpoint->looked, away;

  endpoint->looked = fasp_later (before, now);
  if (before == 0 || now - before < AWAY)
    return;
  /* but for what there was nothing to do */
  away = now - fasp_later (before, fasp_endpoint_get_timeout (endpoint));
  if (away < AWAY)
    return;
  for (guint i = 0; i < endpoint->sessions->len; i++)
    fasp_session_excuse (fasp_endpoint_nth (endpoint, i), away);
  put_off (&endpoint->hold_deadline, away);
  put_off (&endpoint->move_time, away);
  endpoint->call_started += away;
}

/* --- datagrams in -------------------------------------------------------------------------- */

static void
receive_handshake (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size, FaspRoute route)
{
  FaspAgreement agreement;
  FaspHandshake handshake;

  if (!fasp_wire_parse_handshake (data, size, &handshake)) {
    endpoint->stats.datagrams_malformed++;
    return;
  }
  if (handshake.type == FASP_HANDSHAKE_OPEN) {
    if (fasp_dial_is_ours (endpoint) || endpoint->closing)
      endpoint->stats.datagrams_unknown++;
    else
      fasp_admission_receive (endpoint, now, from, size, &handshake, route);
    return;
  }
  if (handshake.type == FASP_HANDSHAKE_PUNCH)
    return;                     /* it opened the way; that is all */
  if (handshake.type == FASP_HANDSHAKE_ANNOUNCE) {
    fasp_multicast_announced (endpoint, now, from);
    return;
  }
  if (handshake.version != FASP_VERSION
      && handshake.type != FASP_HANDSHAKE_VERSIONS) {
    endpoint->stats.datagrams_version++;
    return;
  }
  switch (fasp_caller_receive (&endpoint->caller, now, &handshake, &agreement)) {
    case FASP_CALLER_IGNORED:
      endpoint->stats.datagrams_unknown++;
      break;
    case FASP_CALLER_FORGED:
      /* by somebody on the way, or the peer has other keys: we call on */
      endpoint->stats.datagrams_forged++;
      endpoint->answer_forged = TRUE;
      break;
    case FASP_CALLER_AGAIN:
      if (handshake.type == FASP_HANDSHAKE_RETRY) {
        endpoint->cookie_link = from->link;
        endpoint->cookie_tries = 0;
      }
      break;
    case FASP_CALLER_ACCEPTED:
      fasp_dial_accepted (endpoint, now, from, &agreement);
      fasp_wipe (&agreement, sizeof agreement);
      break;
    case FASP_CALLER_REJECTED:
      fasp_dial_rejected (endpoint, now, from, &handshake);
      break;
  }
}

static void
after_receive (FaspEndpoint * endpoint, FaspTime now, FaspSession * session)
{
  fasp_endpoint_wake (endpoint, session);
  fasp_endpoint_heard_again (endpoint, session);
  if (session->state == FASP_SESSION_OPEN && !session->connected)
    fasp_admission_confirmed (endpoint, now, session);
  if (session->role != FASP_ROLE_SENDER)
    return;
  if (session->state == FASP_SESSION_OPEN) {
    if (fasp_tx_is_complete (&session->tx))
      fasp_session_close (session, now, FASP_REASON_FINISHED, NULL);
    if (fasp_session_get_room (session) != session->room_told) {
      session->room_told = fasp_session_get_room (session);
      update_block_size (endpoint);
    }
    fasp_multicast_heard (endpoint, now, session);
  }
  fasp_endpoint_note_needs (endpoint, session);
  fasp_endpoint_trim_store (endpoint);
}

void
fasp_endpoint_receive (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size,
    FaspMemory * memory, gboolean marked)
{
  fasp_endpoint_receive_routed (endpoint, now, from, data, size, memory, marked,
      FASP_ROUTE_HERE);
}

void
fasp_endpoint_receive_routed (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size,
    FaspMemory * memory, gboolean marked, FaspRoute route)
{
  FaspSessionHeader header;
  FaspSession *session;

  fasp_endpoint_look (endpoint, now);
  if (!fasp_wire_is_session (data, size)) {
    receive_handshake (endpoint, now, from, data, size, route);
    return;
  }
  if (!fasp_wire_parse_session (data, size, &header)) {
    endpoint->stats.datagrams_malformed++;
    return;
  }
  session = g_hash_table_lookup (endpoint->by_id,
      GUINT_TO_POINTER (header.cid));
  if (session == NULL && fasp_multicast_receive (endpoint, now, from, &header,
          data, size, memory))
    return;
  if (session == NULL) {
    endpoint->stats.datagrams_unknown++;
    return;
  }
  if (session->state == FASP_SESSION_HALF)
    session->refused = !fasp_admission_has_room (endpoint, session);
  switch (fasp_session_receive (session, now, from, data, size, memory, marked)) {
    case FASP_SESSION_OK:
      after_receive (endpoint, now, session);
      break;
    case FASP_SESSION_FORGED:
      endpoint->stats.datagrams_forged++;
      break;
    case FASP_SESSION_REFUSED:
      break;                    /* counted by the session */
    case FASP_SESSION_ALIEN:
      endpoint->stats.datagrams_malformed++;
      break;
    case FASP_SESSION_MALFORMED:
      endpoint->stats.datagrams_malformed++;
      after_receive (endpoint, now, session);
      break;
  }
}

static void
interrupt (FaspEndpoint * endpoint, FaspTime now, FaspSession * session,
    const gchar * why)
{
  FaspEvent *event;

  if (session->interrupted)
    return;
  session->interrupted = TRUE;
  endpoint->stats.interrupted++;
  if (endpoint->group != NULL)
    fasp_group_lost_sight (endpoint->group, &session->member);
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_INTERRUPTED, session);
  event->reason = FASP_REASON_SILENT;
  g_strlcpy (event->text, why, sizeof (event->text));
  /* does it still know us, or has it started anew? */
  if (fasp_dial_is_ours (endpoint) && endpoint->config.reconnect
      && !endpoint->closing && !endpoint->caller.active
      && endpoint->move_time == FASP_NEVER && !fasp_move_on (endpoint, now))
    fasp_dial_start (endpoint, now);
}

static void
refuse (FaspEndpoint * endpoint, FaspTime now, FaspSession * session,
    const FaspAddress * to)
{
  if (!fasp_session_refused (session, now, to))
    return;
  if (fasp_session_is_over (session))
    session->close_deadline = MIN (session->close_deadline,
        fasp_session_get_refused_time (session));
  fasp_endpoint_wake (endpoint, session);
}

void
fasp_endpoint_unreachable (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * to)
{
  FaspWhereabouts *w = &endpoint->whereabouts;

  fasp_move_unreachable (endpoint, to);
  fasp_whereabouts_update (w, now, endpoint->sessions);
  for (guint place = fasp_whereabouts_find (w, to); place > 0;) {
    FaspSession *session = g_hash_table_lookup (endpoint->by_id,
        GUINT_TO_POINTER (fasp_whereabouts_take (w, &place)));

    if (session != NULL)
      refuse (endpoint, now, session, to);
  }
}

/* --- time ------------------------------------------------------------------------------------- */

static void
tell_removed (FaspEndpoint * endpoint, FaspTime now, FaspSession * session)
{
  gboolean again = fasp_dial_is_ours (endpoint) && endpoint->config.reconnect
      && !endpoint->closing;
  FaspEvent *event;

  session->removed = TRUE;
  fasp_heap_remove (&endpoint->needs, &session->needs);
  endpoint->stats.interrupted -= session->interrupted;
  if (!session->connected)
    return;
  endpoint->stats.sessions--;
  /* it says that all is acknowledged, and never sent the end */
  if (session->role == FASP_ROLE_RECEIVER && !session->rx.complete
      && session->close_reason == FASP_REASON_FINISHED)
    session->close_reason = FASP_REASON_STOPPED;
  if (session->close_reason == FASP_REASON_FINISHED)
    again = again && endpoint->config.keep_calling;
  endpoint->has_last = TRUE;
  fasp_session_get_stats (session, now, &endpoint->last);
  g_clear_pointer (&endpoint->last_flows, g_free);
  if (session->n_paths > 1) {
    endpoint->last_flows = g_new (FaspFlowStats, session->n_paths);
    fasp_session_get_flows (session, endpoint->last_flows, session->n_paths);
  }
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_REMOVED, session);
  event->reason = session->close_reason;
  event->final = !again;
  endpoint->given_up |= event->final;
  g_strlcpy (event->text, session->close_text, sizeof (event->text));
  if (session->role == FASP_ROLE_SENDER) {
    guint64 base = fasp_tx_get_base (&session->tx);

    /* whoever is there after a goodbye begins anew */
    endpoint->left = session->close_reason == FASP_REASON_SILENT ?
        fasp_store_get_place_of (endpoint->store, base) : (FaspPlace) {
    0};
    /* one that was replaced goes on in the session that took its place */
    if (session->close_reason != FASP_REASON_REPLACED)
      event->bytes_lost = fasp_store_count_bytes (endpoint->store, base,
          fasp_store_get_head (endpoint->store));
    /* who comes back within the time continues where this one stood */
    if (again && session->close_reason == FASP_REASON_STOPPED
        && fasp_endpoint_get_open (endpoint) == NULL
        && !(fasp_store_is_finished (endpoint->store)
            && event->bytes_lost == 0)) {
      endpoint->hold = base;
      endpoint->hold_deadline = now + endpoint->config.resume_timeout;
      event->bytes_lost = 0;
    }
    if (fasp_store_is_finished (endpoint->store)) {
      endpoint->stats.bytes_unconfirmed += event->bytes_lost;
      endpoint->stats.whole += session->close_reason == FASP_REASON_FINISHED;
      fasp_endpoint_wake_all (endpoint);        /* it may have been the last one heard */
    } else if (fasp_endpoint_get_open (endpoint) == NULL) {
      endpoint->stats.bytes_unconfirmed = event->bytes_lost;
    }
    fasp_endpoint_trim_store (endpoint);
  } else {
    endpoint->lateness = session->rx.lateness;
    endpoint->lateness_in_order = session->rx.lateness_in_order;
  }
  if (again && endpoint->caller.active && endpoint->caller.hello.has_resume)
    fasp_dial_start (endpoint, now);    /* there is nothing to be resumed any more */
  else if (again && !endpoint->caller.active
      && endpoint->move_time == FASP_NEVER
      && fasp_endpoint_get_open (endpoint) == NULL
      && (session->close_reason == FASP_REASON_FINISHED
          || !fasp_move_on (endpoint, now)))
    endpoint->redial_time = session->close_reason == FASP_REASON_SILENT ?
        now : now + REDIAL_AFTER;
  fasp_encoder_left (endpoint, now);
}

static void
tell_promise (FaspEndpoint * endpoint, FaspTime now, FaspSession * session)
{
  gboolean first = session->promise_told == 0;
  FaspSessionStats stats;
  FaspEvent *event;

  if (!session->promise_changed || !session->connected)
    return;
  /* a peer may change its mind as often as it likes */
  if (!first && now - session->promise_told < TELL_PROMISE_AFTER)
    return;
  session->promise_changed = FALSE;
  session->promise_told = MAX (now, 1);
  fasp_session_get_stats (session, now, &stats);
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_PROMISE, session);
  event->current_latency_ms = stats.latency_ms;
  event->promised_interval = stats.promised_interval;
  if (stats.skips > 0)
    event->observed_interval = MAX (1, stats.streamed / FASP_SEC / stats.skips);
  if (session->role == FASP_ROLE_SENDER) {
    gboolean falls_short = session->tx.outlook.falls_short;

    event->falls_short = falls_short && !session->shortfall_told;
    session->shortfall_told = falls_short;
  }
}

/* What is sent into the void is of no use. */
static void
tend_refusal (FaspEndpoint * endpoint, FaspTime now, FaspSession * session)
{
  if (session->state != FASP_SESSION_OPEN
      || now < fasp_session_get_refused_time (session))
    return;
  if (session->role == FASP_ROLE_SENDER)
    fasp_tx_stall (&session->tx, now);
  interrupt (endpoint, now, session,
      "its port is closed: the program there has ended");
}

/* A sender that does not tell the latency that it should is not waited for. */
static void
tend_latency (FaspSession * session, FaspTime now)
{
  FaspTime end = fasp_session_get_hold_end (session);

  if (end == 0 || now < end)
    return;
  fasp_playout_set (&session->rx.playout, now, MAX (session->agreed.latency,
          FASP_LATENCY_MS_DEFAULT * FASP_MSEC));
  session->promise_changed = TRUE;
}

gboolean
fasp_endpoint_tend (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session)
{
  FaspTime silent;

  switch (session->state) {
    case FASP_SESSION_ASKING:
    case FASP_SESSION_HALF:
      return now < session->created + FASP_HALF_TIMEOUT;
    case FASP_SESSION_OPEN:
      silent = now - fasp_session_get_silent_since (session);
      if (silent >= session->resume_timeout)
        remove_reason (session, now, FASP_REASON_SILENT);
      else if (silent >= fasp_session_get_patience (session))
        interrupt (endpoint, now, session, "nothing is heard from it");
      tend_refusal (endpoint, now, session);
      if (session->interrupted && fasp_slow_lets_go (endpoint))
        remove_reason (session, now, FASP_REASON_SILENT);
      tend_latency (session, now);
      fasp_multicast_tell_deaf (endpoint, now, session);
      tell_promise (endpoint, now, session);
      break;
    case FASP_SESSION_CLOSING:
    case FASP_SESSION_CLOSED:
      break;
  }
  if (fasp_session_is_over (session) && endpoint->group != NULL)
    fasp_group_leave (endpoint->group, &session->member);
  if (fasp_session_is_over (session) && !session->removed
      && !fasp_session_has_unread (session)
      && (session->state == FASP_SESSION_CLOSED
          || session->role == FASP_ROLE_SENDER))
    tell_removed (endpoint, now, session);
  return session->state != FASP_SESSION_CLOSED || !session->removed
      || (now < session->close_deadline && !session->close_initiated);
}

void
fasp_endpoint_remove_session (FaspEndpoint * endpoint, FaspSession * session)
{
  g_hash_table_remove (endpoint->by_id, GUINT_TO_POINTER (session->id));
  fasp_admission_forget (endpoint, session);
  g_ptr_array_remove (endpoint->sessions, session);     /* in the order they came */
  fasp_turns_remove (fasp_endpoint_get_turns (endpoint, session),
      &session->turn_to_send);
  fasp_sending_share (endpoint);
  fasp_reading_left (endpoint, session);
  fasp_admission_left (endpoint, session);
  if (endpoint->group != NULL)
    fasp_group_leave (endpoint->group, &session->member);
  fasp_session_free (session);
  if (endpoint->store != NULL) {
    fasp_endpoint_trim_store (endpoint);
    update_block_size (endpoint);
  }
}

/* --- events ------------------------------------------------------------------------------------------- */

gboolean
fasp_endpoint_poll_event (FaspEndpoint * endpoint, FaspEvent * event)
{
  FaspEvent *first = g_queue_pop_head (&endpoint->events);

  if (first == NULL)
    return FALSE;
  *event = *first;
  g_free (first);
  return TRUE;
}

gboolean
fasp_endpoint_has_event (FaspEndpoint * endpoint)
{
  return !g_queue_is_empty (&endpoint->events);
}

void
fasp_endpoint_decide (FaspEndpoint * endpoint, FaspTime now, guint32 id,
    gboolean accept)
{
  FaspSession *session = g_hash_table_lookup (endpoint->by_id,
      GUINT_TO_POINTER (id));

  if (session != NULL && session->state == FASP_SESSION_ASKING)
    fasp_admission_decided (endpoint, now, session, accept);
}

/* --- ending -------------------------------------------------------------------------------------------------- */

void
fasp_endpoint_close (FaspEndpoint * endpoint, FaspTime now, FaspReason reason)
{
  endpoint->closing = TRUE;
  endpoint->redial_time = endpoint->punch_time = FASP_NEVER;
  fasp_move_stay (endpoint);
  endpoint->hold = FASP_NO_BLOCK;
  endpoint->hold_deadline = FASP_NEVER;
  fasp_caller_stop (&endpoint->caller);
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    FaspSession *session = fasp_endpoint_nth (endpoint, i);
    gboolean whole = session->role == FASP_ROLE_SENDER ?
        fasp_tx_is_complete (&session->tx) : session->rx.complete;

    fasp_session_close (session, now, whole ? FASP_REASON_FINISHED : reason,
        NULL);
  }
  fasp_endpoint_wake_all (endpoint);
}

gboolean
fasp_endpoint_is_closed (const FaspEndpoint * endpoint)
{
  if (!endpoint->closing || !fasp_replies_is_empty (&endpoint->replies))
    return FALSE;
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    const FaspSession *session = fasp_endpoint_nth (endpoint, i);

    /* one that only answers the peer's goodbye has said so already, unless
     * the answer is still to go */
    if (session->state != FASP_SESSION_CLOSED
        || session->close_time != FASP_NEVER)
      return FALSE;
  }
  return TRUE;
}
