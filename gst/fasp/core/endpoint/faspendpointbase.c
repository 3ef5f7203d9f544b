/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspendpointbase.h"

#define GAP_NOTIFIED_EVERY (60 * FASP_SEC)
#define EVENTS_MAX 1024

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
  for (guint i = 0; i < endpoint->sessions->len; i++)
    if (fasp_endpoint_nth (endpoint, i)->state == FASP_SESSION_OPEN)
      return fasp_endpoint_nth (endpoint, i);
  return NULL;
}

FaspSession *
fasp_endpoint_get_heard (const FaspEndpoint *endpoint, const FaspSession *except)
{
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    FaspSession *session = fasp_endpoint_nth (endpoint, i);

    if (session != except && fasp_session_is_heard (session))
      return session;
  }
  return NULL;
}

gboolean
fasp_endpoint_has_standing (const FaspEndpoint *endpoint, FaspTime now, FaspStanding standing)
{
  for (guint i = 0; i < endpoint->sessions->len; i++)
    if (fasp_session_judge (fasp_endpoint_nth (endpoint, i), now) >= standing)
      return TRUE;
  return FALSE;
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

void
fasp_endpoint_wake (FaspEndpoint *endpoint, FaspSession *session)
{
  fasp_scheduler_wake (fasp_endpoint_get_scheduler (endpoint, session), &session->record->scheduled,
      0);
}

void
fasp_endpoint_wake_all (FaspEndpoint *endpoint)
{
  for (guint i = 0; i < endpoint->sessions->len; i++)
    fasp_endpoint_wake (endpoint, fasp_endpoint_nth (endpoint, i));
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
