/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspendpointbase.h"
#include "faspcredentials.h"
#include "fasprlc.h"

#define GAP_NOTIFIED_EVERY (60 * FASP_SEC)
#define EVENTS_MAX 1024

FaspEndpoint *
fasp_endpoint_base_new (const FaspEndpointConfig *config, FaspRandomFunc random, gpointer user_data)
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
  endpoint->config.lanes = CLAMP (config->lanes, 1, FASP_LANES_MAX);
  endpoint->random = random;
  endpoint->random_data = user_data;
  random (user_data, endpoint->cookie_secret, sizeof (endpoint->cookie_secret));
  endpoint->sessions = g_ptr_array_new ();
  endpoint->by_id = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < endpoint->config.lanes; i++)
    fasp_scheduler_init (&endpoint->schedulers[i]);
  g_queue_init (&endpoint->events);
  fasp_total_init (&endpoint->shared.total, config->settings.max_total_bitrate);
  endpoint->notes.trace = g_new0 (FaspTrace, 1);
  endpoint->own_looked = FASP_NEVER;
  endpoint->stats.join_offset = FASP_OFFSET_UNKNOWN;
  if (config->role == FASP_ROLE_SENDER) {
    endpoint->store = fasp_store_new (config->buffer_size, fasp_endpoint_get_least_room (endpoint));
    endpoint->planner = fasp_planner_new ();
  }
  return endpoint;
}

void
fasp_endpoint_base_free (FaspEndpoint *endpoint)
{
  fasp_total_clear (&endpoint->shared.total);
  FASP_EACH_SESSION (endpoint, session)
    fasp_session_free (session);
  g_ptr_array_unref (endpoint->sessions);
  for (guint i = 0; i < endpoint->config.lanes; i++)
    fasp_scheduler_clear (&endpoint->schedulers[i]);
  g_hash_table_unref (endpoint->by_id);
  fasp_address_index_clear (&endpoint->address_index);
  g_queue_clear_full (&endpoint->events, g_free);
  fasp_store_free (endpoint->store);
  fasp_planner_free (endpoint->planner);
  fasp_trace_set_size (endpoint->notes.trace, 0);
  g_free (endpoint->notes.trace);
  fasp_log_free (endpoint->notes.log);
  g_free ((gchar *) endpoint->config.streamid);
  fasp_credentials_unref (endpoint->config.credentials);
  fasp_multicast_sender_free (endpoint->group);
  g_free (endpoint);
}

gboolean
fasp_endpoint_is_caller (const FaspEndpoint *endpoint)
{
  return fasp_endpoint_config_dials (&endpoint->config);
}

guint32
fasp_endpoint_new_id (FaspEndpoint *endpoint)
{
  const guint bits = endpoint->config.id_bits;
  guint32 id;

  do {
    endpoint->random (endpoint->random_data, (guint8 *) &id, sizeof (id));
    if (bits > 0)
      id = endpoint->config.id_prefix | id >> bits;
  } while (id == 0 || g_hash_table_contains (endpoint->by_id, GUINT_TO_POINTER (id)));
  return id;
}

FaspSession *
fasp_endpoint_get_open (const FaspEndpoint *endpoint)
{
  FASP_EACH_SESSION (endpoint, session)
    if (session->state == FASP_SESSION_OPEN)
      return session;
  return NULL;
}

FaspSession *
fasp_endpoint_get_heard (const FaspEndpoint *endpoint, const FaspSession *except)
{
  FASP_EACH_SESSION (endpoint, session)
    if (session != except && fasp_session_is_heard (session))
      return session;
  return NULL;
}

gboolean
fasp_endpoint_has_standing (const FaspEndpoint *endpoint, FaspTime now, FaspStanding standing)
{
  FASP_EACH_SESSION (endpoint, session)
    if (fasp_session_judge (session, now) >= standing)
      return TRUE;
  return FALSE;
}

guint32
fasp_endpoint_get_least_room (const FaspEndpoint *endpoint)
{
  return FASP_PMTU_BASE - FASP_DATA_OVERHEAD
      - (endpoint->config.fec != FASP_FEC_OFF ? FASP_REPAIR_MORE : 0);
}

guint32
fasp_endpoint_get_window (const FaspEndpoint *endpoint)
{
  guint64 blocks = endpoint->config.buffer_size / FASP_BLOCK_UNIT;
  guint32 window = 64;

  /* block numbers must be unambiguous by their low FASP_BLOCK_BITS bits */
  while (window * 2 <= blocks && window < 1u << (FASP_BLOCK_BITS - 2))
    window *= 2;
  return window;
}

/* --- sessions ------------------------------------------------------------------------ */

/* The lane for the next session: the first that is not full, or the one with the fewest
 * sessions. */
static guint
choose_lane (const FaspEndpoint *endpoint)
{
  guint least = 0;

  for (guint i = 0; i < endpoint->config.lanes; i++) {
    if (endpoint->schedulers[i].heap.n < FASP_LANE_FULL)
      return i;
    if (endpoint->schedulers[i].heap.n < endpoint->schedulers[least].heap.n)
      least = i;
  }
  return least;
}

static void
count_others (FaspEndpoint *endpoint)
{
  for (guint i = 0; i < endpoint->config.lanes; i++)
    fasp_scheduler_set_others (&endpoint->schedulers[i],
        endpoint->sessions->len - endpoint->schedulers[i].heap.n);
}

void
fasp_endpoint_add (FaspEndpoint *endpoint, FaspSession *session)
{
  session->record->order = ++endpoint->made;
  session->record->lane = choose_lane (endpoint);
  g_ptr_array_add (endpoint->sessions, session);
  g_hash_table_insert (endpoint->by_id, GUINT_TO_POINTER (session->id), session);
  fasp_scheduler_add (fasp_endpoint_get_scheduler (endpoint, session), &session->record->scheduled,
      session);
  count_others (endpoint);
}

void
fasp_endpoint_remove (FaspEndpoint *endpoint, FaspSession *session)
{
  g_ptr_array_remove (endpoint->sessions, session); /* sessions stay sorted */
  g_hash_table_remove (endpoint->by_id, GUINT_TO_POINTER (session->id));
  if (endpoint->heard == session)
    endpoint->heard = NULL;
  fasp_scheduler_remove (fasp_endpoint_get_scheduler (endpoint, session),
      &session->record->scheduled);
  count_others (endpoint);
}

void
fasp_endpoint_wake (FaspEndpoint *endpoint, FaspSession *session)
{
  fasp_session_touch (session);
  fasp_scheduler_wake (fasp_endpoint_get_scheduler (endpoint, session), &session->record->scheduled,
      0);
}

void
fasp_endpoint_wake_all (FaspEndpoint *endpoint)
{
  FASP_EACH_SESSION (endpoint, session)
    fasp_endpoint_wake (endpoint, session);
}

void
fasp_endpoint_serve_next (FaspEndpoint *endpoint, FaspTime now)
{
  FaspTime when;
  FaspSession *session = fasp_total_get_next (&endpoint->shared.total, now, &when);

  if (session != NULL)
    fasp_scheduler_wake (fasp_endpoint_get_scheduler (endpoint, session),
        &session->record->scheduled, when);
}

/* --- events -------------------------------------------------------------------------- */

FaspEvent *
fasp_endpoint_push_event (FaspEndpoint *endpoint, FaspEventType type, const FaspSession *session)
{
  FaspEvent *event = g_new0 (FaspEvent, 1);

  event->type = type;
  if (session != NULL) {
    event->session = session->id;
    event->order = session->record->order;
    event->address = *fasp_session_get_address (session);
    event->peer = session->peer;
    event->terms.flows = session->agreed_flows;
    event->terms.flows_here = endpoint->config.flows;
    event->terms.fec_refused = session->role == FASP_ROLE_SENDER
        && endpoint->config.fec != FASP_FEC_OFF && !session->terms.has_fec;
    event->terms.latency_known = fasp_session_get_first_latency (session, &event->terms.latency_ms);
    if (session->streamid != NULL)
      g_strlcpy (event->streamid, session->streamid, sizeof (event->streamid));
  }
  /* bounded, as the application may not read events. Events about refusals, which any host can
   * cause, are also bounded where they are pushed */
  if (g_queue_get_length (&endpoint->events) >= EVENTS_MAX)
    g_free (g_queue_pop_head (&endpoint->events));
  g_queue_push_tail (&endpoint->events, event);
  return event;
}

gboolean
fasp_endpoint_notifies_gap (FaspEndpoint *endpoint, FaspTime now)
{
  if (endpoint->gap_notified > 0 && now - endpoint->gap_notified < GAP_NOTIFIED_EVERY)
    return FALSE;
  endpoint->gap_notified = MAX (now, 1);
  return TRUE;
}

gboolean
fasp_endpoint_poll_event (FaspEndpoint *endpoint, FaspEvent *event)
{
  FaspEvent *first = g_queue_pop_head (&endpoint->events);

  if (first == NULL)
    return FALSE;
  *event = *first;
  g_free (first);
  return TRUE;
}

gboolean
fasp_endpoint_has_event (FaspEndpoint *endpoint)
{
  return !g_queue_is_empty (&endpoint->events);
}

/* --- notes --------------------------------------------------------------------------- */

void
fasp_endpoint_set_trace (FaspEndpoint *endpoint, guint size)
{
  fasp_trace_set_size (endpoint->notes.trace, size);
}

guint
fasp_endpoint_fetch_trace (FaspEndpoint *endpoint, FaspTraceEntry *entries, guint max,
    guint64 *lost)
{
  if (lost != NULL)
    *lost = endpoint->notes.trace->ring.lost;
  return fasp_trace_fetch (endpoint->notes.trace, entries, max);
}

void
fasp_endpoint_set_log (FaspEndpoint *endpoint, guint size)
{
  if (size > 0 && endpoint->notes.log == NULL)
    endpoint->notes.log = fasp_log_new (size);
  else if (size == 0 && endpoint->notes.log != NULL)
    fasp_log_stop (endpoint->notes.log);
  if (endpoint->group != NULL)
    endpoint->group->notes = endpoint->notes;
}

guint
fasp_endpoint_fetch_log (FaspEndpoint *endpoint, FaspLogEntry *entries, guint max, guint64 *lost)
{
  if (lost != NULL)
    *lost = 0;
  return endpoint->notes.log != NULL ? fasp_log_fetch (endpoint->notes.log, entries, max, lost) : 0;
}
