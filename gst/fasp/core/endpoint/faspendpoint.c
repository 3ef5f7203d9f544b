/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspaddressindex.h"
#include "faspadmission.h"
#include "faspadmitted.h"
#include "faspcalling.h"
#include "faspdial.h"
#include "faspfailover.h"
#include "faspgrouplistener.h"
#include "fasphold.h"
#include "fasplifecycle.h"
#include "faspmulticast.h"
#include "faspreading.h"
#include "faspretention.h"
#include "fasppolling.h"
#include "faspstale.h"
#include "faspstrangers.h"
#include "faspwriting.h"

/* --- life ------------------------------------------------------------------------ */

FaspEndpoint *
fasp_endpoint_new (const FaspEndpointConfig *config, FaspRandomFunc random, gpointer user_data)
{
  FaspEndpoint *endpoint = fasp_endpoint_base_new (config, random, user_data);

  endpoint->opened = g_new (FaspOpened, 1);
  /* calls and the group draw random bytes, in this order */
  endpoint->calling = fasp_calling_new (endpoint);
  endpoint->sending = fasp_sending_new (endpoint);
  endpoint->reading = fasp_reading_new ();
  endpoint->group = fasp_multicast_new (endpoint);
  return endpoint;
}

void
fasp_endpoint_free (FaspEndpoint *endpoint)
{
  if (endpoint == NULL)
    return;
  fasp_calling_free (endpoint);
  fasp_sending_free (endpoint->sending);
  g_free (endpoint->reading);
  g_free (endpoint->opened);
  fasp_endpoint_base_free (endpoint);
}

/* --- datagrams in -------------------------------------------------------------------------- */

static void
after_receive (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  fasp_endpoint_wake (endpoint, session);
  fasp_lifecycle_heard (endpoint, session);
  if (session->state == FASP_SESSION_OPEN && !session->record->notified.connected)
    fasp_admission_confirmed (endpoint, now, session);
  if (session->role != FASP_ROLE_SENDER)
    return;
  fasp_admitted_reports (endpoint, session);
  if (session->state == FASP_SESSION_OPEN) {
    if (fasp_tx_is_complete (session->tx))
      fasp_session_close (session, now, FASP_REASON_FINISHED, NULL);
    if (fasp_session_get_room (session) != session->record->room_used) {
      session->record->room_used = fasp_session_get_room (session);
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
  FaspSession *session = endpoint->heard;

  fasp_polling_note_call (endpoint, now);
  if (!fasp_wire_is_session (data, size)) {
    fasp_calling_receive (endpoint, now, from, data, size, route);
    return;
  }
  if (!fasp_wire_parse_session (data, size, &header)) {
    endpoint->stats.datagrams_malformed++;
    return;
  }
  /* datagrams of one session come in a row */
  if (session == NULL || session->id != header.cid)
    session = endpoint->heard = fasp_endpoint_find (endpoint, header.cid);
  if (session == NULL
      && fasp_group_listener_receive (endpoint, now, from, &header, data, size, memory))
    return;
  if (session == NULL) {
    endpoint->stats.datagrams_unknown += !fasp_strangers_look (endpoint, from, data, size);
    return;
  }
  result = fasp_session_unseal (session, now, &header, data, size, memory, endpoint->opened);
  if (result == FASP_SESSION_OK) {
    if (session->state == FASP_SESSION_HALF)
      session->refused = !fasp_admission_has_room (endpoint, now, session);
    result = fasp_session_take (session, now, from, endpoint->opened, marked);
  }
  switch (result) {
    case FASP_SESSION_OK:
      fasp_stale_heard (endpoint, from->socket);
      after_receive (endpoint, now, session);
      break;
    case FASP_SESSION_FORGED:
      endpoint->stats.datagrams_forged++;
      break;
    case FASP_SESSION_REFUSED:
      break; /* the session has counted the datagram */
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
    FaspSession *session = fasp_endpoint_find (endpoint, fasp_address_index_take (index, &cursor));

    if (session != NULL)
      refuse (endpoint, now, session, to);
    n++;
  }
  fasp_address_index_dealt_with (index, now, n);
}

gboolean
fasp_endpoint_decide (FaspEndpoint *endpoint, FaspTime now, const FaspEvent *asked,
    FaspReason refusal, const gchar *why, const gchar *for_caller)
{
  FaspSession *session = fasp_endpoint_find (endpoint, asked->session);

  if (session == NULL || session->record->order != asked->order
      || session->state != FASP_SESSION_ASKING)
    return FALSE;
  fasp_admission_decided (endpoint, now, session, refusal, why, for_caller);
  return TRUE;
}

/* --- ending ----------------------------------------------------------------------------------- */

void
fasp_endpoint_close (FaspEndpoint *endpoint, FaspTime now, FaspReason reason)
{
  endpoint->closing = TRUE;
  fasp_dial_stop (endpoint);
  fasp_hold_end (endpoint, now, "stopped");
  FASP_EACH_SESSION (endpoint, session) {
    gboolean whole = session->role == FASP_ROLE_SENDER ? fasp_tx_is_complete (session->tx) :
                                                         fasp_rx_is_complete (session->rx);

    fasp_session_close (session, now, whole ? FASP_REASON_FINISHED : reason, NULL);
  }
  fasp_endpoint_wake_all (endpoint);
}

void
fasp_endpoint_refuse (FaspEndpoint *endpoint, FaspTime now, const gchar *text)
{
  FASP_EACH_SESSION (endpoint, session)
    fasp_session_refuse (session, now, text);
  fasp_endpoint_wake_all (endpoint);
}

gboolean
fasp_endpoint_drop (FaspEndpoint *endpoint, FaspTime now, guint32 id, const gchar *text)
{
  FaspSession *session = fasp_endpoint_find (endpoint, id);

  if (session == NULL || session->state != FASP_SESSION_OPEN)
    return FALSE;
  fasp_session_close (session, now, FASP_REASON_REFUSED, text);
  fasp_endpoint_wake (endpoint, session);
  return TRUE;
}

gboolean
fasp_endpoint_is_closed (const FaspEndpoint *endpoint)
{
  if (!endpoint->closing || !fasp_calling_is_quiet (endpoint))
    return FALSE;
  FASP_EACH_SESSION (endpoint, session) {
    /* a session that has closed only waits for the answer to the peer's CLOSE to leave */
    if (session->state != FASP_SESSION_CLOSED || session->closing.time != FASP_NEVER)
      return FALSE;
  }
  return TRUE;
}

void
fasp_endpoint_end (FaspEndpoint *endpoint, FaspTime now)
{
  FASP_EACH_SESSION (endpoint, session) {
    if (session->state != FASP_SESSION_CLOSED)
      fasp_session_end_at_once (session, now, session->closing.reason);
    session->closing.time = FASP_NEVER;
    if (!session->record->notified.removed)
      fasp_lifecycle_leave (endpoint, now, session);
  }
}
