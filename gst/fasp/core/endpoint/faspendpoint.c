/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspaddressindex.h"
#include "faspadmission.h"
#include "faspadmitted.h"
#include "faspanswer.h"
#include "faspdial.h"
#include "faspfailover.h"
#include "faspgrouplistener.h"
#include "fasphold.h"
#include "fasplifecycle.h"
#include "faspmulticast.h"
#include "faspreading.h"
#include "faspretention.h"
#include "fasprlc.h"
#include "faspsending.h"
#include "faspstale.h"
#include "faspstrangers.h"
#include "faspwriting.h"

/* --- life ------------------------------------------------------------------------ */

FaspEndpoint *
fasp_endpoint_new (const FaspEndpointConfig *config, FaspRandomFunc random, gpointer user_data)
{
  FaspEndpoint *endpoint = g_new0 (FaspEndpoint, 1);
  endpoint->config = *config;
  endpoint->config.flows = MAX (config->flows, 1);
  endpoint->config.flowlets = MAX (config->flowlets, 1);
  if (!fasp_rlc_is_built ())
    endpoint->config.fec = FASP_FEC_OFF;
  endpoint->config.streamid = g_strdup (config->streamid);
  endpoint->config.credentials = config->credentials != NULL ?
      fasp_credentials_ref (config->credentials) :
      fasp_credentials_new ();
  endpoint->config.ask |= fasp_credentials_asks (endpoint->config.credentials);
  endpoint->random = random;
  endpoint->random_data = user_data;
  endpoint->sessions = g_ptr_array_new ();
  endpoint->by_id = g_hash_table_new (NULL, NULL);
  fasp_hold_init (endpoint);
  endpoint->reading = fasp_reading_new ();
  endpoint->stats.join_offset = FASP_OFFSET_UNKNOWN;
  endpoint->writing.measured_by = FASP_NEVER;
  endpoint->gather.due = FASP_NEVER;
  endpoint->calling.redial_time = FASP_NEVER;
  endpoint->calling.punch_time = endpoint->failover.time = FASP_NEVER;
  endpoint->config.lanes = CLAMP (config->lanes, 1, FASP_LANES_MAX);
  for (guint i = 0; i < endpoint->config.lanes; i++)
    fasp_scheduler_init (&endpoint->schedulers[i]);
  g_queue_init (&endpoint->events);
  fasp_replies_init (&endpoint->replies);
  random (user_data, endpoint->cookie_secret, sizeof (endpoint->cookie_secret));
  fasp_admitted_init (endpoint);
  fasp_total_init (&endpoint->shared.total, config->settings.max_total_bitrate);
  endpoint->notes.trace = g_new0 (FaspTrace, 1);
  if (config->role == FASP_ROLE_SENDER)
    fasp_writing_begin (endpoint);
  fasp_multicast_init (endpoint);
  return endpoint;
}

void
fasp_endpoint_free (FaspEndpoint *endpoint)
{
  if (endpoint == NULL)
    return;
  fasp_admitted_end (endpoint);
  fasp_total_clear (&endpoint->shared.total);
  for (guint i = 0; i < endpoint->sessions->len; i++)
    fasp_session_free (fasp_endpoint_nth (endpoint, i));
  g_ptr_array_unref (endpoint->sessions);
  for (guint i = 0; i < endpoint->config.lanes; i++)
    fasp_scheduler_clear (&endpoint->schedulers[i]);
  fasp_heap_clear (&endpoint->first_needed);
  g_hash_table_unref (endpoint->by_id);
  g_hash_table_unref (endpoint->admitted.by_call);
  fasp_address_index_clear (&endpoint->address_index);
  g_queue_clear_full (&endpoint->events, g_free);
  g_free (endpoint->gone.flows);
  g_free (endpoint->gone.paths);
  fasp_store_free (endpoint->store);
  fasp_stream_header_clear (&endpoint->header);
  g_free (endpoint->reading);
  fasp_planner_free (endpoint->planner);
  fasp_trace_set_size (endpoint->notes.trace, 0);
  g_free (endpoint->notes.trace);
  fasp_log_free (endpoint->notes.log);
  g_free ((gchar *) endpoint->config.streamid);
  fasp_credentials_unref (endpoint->config.credentials);
  fasp_caller_stop (&endpoint->calling.caller);
  g_free (endpoint->admitted.own_limiter);
  fasp_multicast_sender_free (endpoint->group);
  g_free (endpoint);
}

/* --- datagrams in -------------------------------------------------------------------------- */

static void
receive_handshake (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const guint8 *data, gsize size, FaspRoute route)
{
  FaspAgreement agreement;
  FaspHandshake handshake;
  FaspCallerResult result;

  if (fasp_strangers_look (endpoint, from, data, size))
    return;
  if (!fasp_wire_parse_handshake (data, size, &handshake)) {
    endpoint->stats.datagrams_malformed++;
    return;
  }
  if (handshake.type == FASP_HANDSHAKE_OPEN) {
    endpoint->strangers.is_called = TRUE;
    if (fasp_endpoint_is_caller (endpoint) || endpoint->closing)
      endpoint->stats.datagrams_unknown++;
    else
      fasp_admission_receive (endpoint, now, from, size, &handshake, route);
    return;
  }
  if (handshake.type == FASP_HANDSHAKE_PUNCH)
    return; /* all it had to do was to open the way through a NAT */
  if (handshake.type == FASP_HANDSHAKE_ANNOUNCE) {
    fasp_dial_announced (endpoint, now, from);
    return;
  }
  if (handshake.version != FASP_VERSION && handshake.type != FASP_HANDSHAKE_VERSIONS) {
    endpoint->stats.datagrams_version++;
    return;
  }
  result = fasp_caller_receive (&endpoint->calling.caller, now, &handshake, &agreement);
  if (result != FASP_CALLER_IGNORED && result != FASP_CALLER_FORGED)
    fasp_stale_heard (endpoint, from->link);
  switch (result) {
    case FASP_CALLER_IGNORED:
      endpoint->stats.datagrams_unknown++;
      break;
    case FASP_CALLER_FORGED:
      /* somebody on the way sent it, or the peer has other keys: we call on */
      endpoint->stats.datagrams_forged++;
      endpoint->calling.answer_forged = TRUE;
      break;
    case FASP_CALLER_AGAIN:
      if (handshake.type == FASP_HANDSHAKE_RETRY) {
        endpoint->calling.cookie_link = fasp_dial_get_link (endpoint, from);
        endpoint->calling.cookie_tries = 0;
      }
      break;
    case FASP_CALLER_ACCEPTED:
      fasp_answer_accepted (endpoint, now, from, &agreement);
      fasp_wipe (&agreement, sizeof agreement);
      break;
    case FASP_CALLER_REJECTED:
      fasp_answer_rejected (endpoint, now, from, &handshake);
      break;
  }
}

static void
after_receive (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  fasp_endpoint_wake (endpoint, session);
  fasp_lifecycle_heard (endpoint, session);
  if (session->state == FASP_SESSION_OPEN && !session->notified.connected)
    fasp_admission_confirmed (endpoint, now, session);
  if (session->role != FASP_ROLE_SENDER)
    return;
  if (fasp_tx_view (session->tx)->peer == FASP_TX_TAKES)
    fasp_newcomers_remove (endpoint->admitted.newcomers, session);
  if (session->state == FASP_SESSION_OPEN) {
    if (fasp_tx_is_complete (session->tx))
      fasp_session_close (session, now, FASP_REASON_FINISHED, NULL);
    if (fasp_session_get_room (session) != session->sizes.room_used) {
      session->sizes.room_used = fasp_session_get_room (session);
      fasp_writing_fit_blocks (endpoint);
    }
    fasp_multicast_heard (endpoint, now, session);
  }
  fasp_retention_note_first_needed (endpoint, session);
  fasp_retention_trim (endpoint);
}

void
fasp_endpoint_receive (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const guint8 *data, gsize size, FaspMemory *memory, gboolean marked)
{
  fasp_endpoint_receive_routed (endpoint, now, from, data, size, memory, marked, FASP_ROUTE_HERE);
}

void
fasp_endpoint_receive_routed (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const guint8 *data, gsize size, FaspMemory *memory, gboolean marked, FaspRoute route)
{
  FaspSessionResult result;
  FaspSessionHeader header;
  FaspSession *session;
  FaspOpened opened;

  fasp_sending_look (endpoint, now);
  if (!fasp_wire_is_session (data, size)) {
    receive_handshake (endpoint, now, from, data, size, route);
    return;
  }
  if (!fasp_wire_parse_session (data, size, &header)) {
    endpoint->stats.datagrams_malformed++;
    return;
  }
  session = g_hash_table_lookup (endpoint->by_id, GUINT_TO_POINTER (header.cid));
  if (session == NULL && fasp_group_listener_receive (endpoint, now, from, &header, data, size, memory))
    return;
  if (session == NULL) {
    endpoint->stats.datagrams_unknown += !fasp_strangers_look (endpoint, from, data, size);
    return;
  }
  result = fasp_session_unseal (session, now, &header, data, size, memory, &opened);
  if (result == FASP_SESSION_OK) {
    if (session->state == FASP_SESSION_HALF)
      session->refused = !fasp_admission_has_room (endpoint, now, session);
    result = fasp_session_take (session, now, from, &opened, marked);
  }
  switch (result) {
    case FASP_SESSION_OK:
      fasp_stale_heard (endpoint, from->link);
      after_receive (endpoint, now, session);
      break;
    case FASP_SESSION_FORGED:
      endpoint->stats.datagrams_forged++;
      break;
    case FASP_SESSION_REFUSED:
      break; /* counted by the session */
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
refuse (FaspEndpoint *endpoint, FaspTime now, FaspSession *session, const FaspAddress *to)
{
  if (!fasp_session_refused (session, now, to))
    return;
  if (fasp_session_is_over (session))
    session->closing.deadline =
        MIN (session->closing.deadline, fasp_session_get_refused_time (session));
  fasp_endpoint_wake (endpoint, session);
}

void
fasp_endpoint_unreachable (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *to)
{
  FaspAddressIndex *index = &endpoint->address_index;
  guint n = 0;

  fasp_failover_unreachable (endpoint, to);
  if (now < index->busy_until)
    return;
  fasp_address_index_update (index, now, endpoint->sessions);
  for (guint cursor = fasp_address_index_find (index, to); cursor > 0;) {
    FaspSession *session = g_hash_table_lookup (endpoint->by_id,
        GUINT_TO_POINTER (fasp_address_index_take (index, &cursor)));

    if (session != NULL)
      refuse (endpoint, now, session, to);
    n++;
  }
  fasp_address_index_dealt_with (index, now, n);
}

void
fasp_endpoint_decide (FaspEndpoint *endpoint, FaspTime now, const FaspEvent *asked, gboolean accept)
{
  FaspSession *session = g_hash_table_lookup (endpoint->by_id, GUINT_TO_POINTER (asked->session));

  if (session != NULL && session->entry.order == asked->order
      && session->state == FASP_SESSION_ASKING)
    fasp_admission_decided (endpoint, now, session, accept);
}

/* --- ending ----------------------------------------------------------------------------------- */

void
fasp_endpoint_close (FaspEndpoint *endpoint, FaspTime now, FaspReason reason)
{
  endpoint->closing = TRUE;
  endpoint->calling.redial_time = endpoint->calling.punch_time = FASP_NEVER;
  fasp_failover_stay (endpoint);
  fasp_hold_end (endpoint, now, "stopped");
  fasp_caller_stop (&endpoint->calling.caller);
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    FaspSession *session = fasp_endpoint_nth (endpoint, i);
    gboolean whole = session->role == FASP_ROLE_SENDER ? fasp_tx_is_complete (session->tx) :
                                                         fasp_rx_is_complete (session->rx);

    fasp_session_close (session, now, whole ? FASP_REASON_FINISHED : reason, NULL);
  }
  fasp_endpoint_wake_all (endpoint);
}

void
fasp_endpoint_refuse (FaspEndpoint *endpoint, FaspTime now, const gchar *text)
{
  for (guint i = 0; i < endpoint->sessions->len; i++)
    fasp_session_close (fasp_endpoint_nth (endpoint, i), now, FASP_REASON_REFUSED, text);
  fasp_endpoint_wake_all (endpoint);
}

gboolean
fasp_endpoint_drop (FaspEndpoint *endpoint, FaspTime now, guint32 id, const gchar *text)
{
  FaspSession *session = g_hash_table_lookup (endpoint->by_id, GUINT_TO_POINTER (id));

  if (session == NULL || session->state != FASP_SESSION_OPEN)
    return FALSE;
  fasp_session_close (session, now, FASP_REASON_REFUSED, text);
  fasp_endpoint_wake (endpoint, session);
  return TRUE;
}

gboolean
fasp_endpoint_is_closed (const FaspEndpoint *endpoint)
{
  if (!endpoint->closing || !fasp_replies_is_empty (&endpoint->replies))
    return FALSE;
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    const FaspSession *session = fasp_endpoint_nth (endpoint, i);

    /* a session that only answers the peer's goodbye is done once the answer
     * has left */
    if (session->state != FASP_SESSION_CLOSED || session->closing.time != FASP_NEVER)
      return FALSE;
  }
  return TRUE;
}

void
fasp_endpoint_end (FaspEndpoint *endpoint, FaspTime now)
{
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    FaspSession *session = fasp_endpoint_nth (endpoint, i);

    if (session->state != FASP_SESSION_CLOSED)
      fasp_session_end_at_once (session, now, session->closing.reason);
    session->closing.time = FASP_NEVER;
    if (!session->notified.removed)
      fasp_lifecycle_leave (endpoint, now, session);
  }
}
