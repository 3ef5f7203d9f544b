/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasphold.h"
#include "faspsendingprivate.h"
#include "faspretention.h"

/* The peer has acknowledged nothing, or it has another sender. */
static gboolean
was_no_receiver (const FaspSession *session)
{
  return fasp_tx_view (session->tx)->counts.payload_confirmed == 0
      || session->closing.reason == FASP_REASON_BUSY;
}

/* Until when the blocks that the peer lacks are held; 0: not at all; FASP_NEVER: until a receiver
 * takes them. */
static FaspTime
get_deadline (const FaspEndpoint *endpoint, FaspTime now, const FaspSession *session,
    gboolean again)
{
  gboolean waits = endpoint->config.settings.wait_for_connection;
  gboolean finished = fasp_store_is_finished (endpoint->store);

  switch (session->closing.reason) {
    case FASP_REASON_FINISHED:
    case FASP_REASON_REPLACED: /* the session that replaced it has its blocks */
      return 0;
    case FASP_REASON_TOO_SLOW:
      if (session->closing.initiated)
        return 0;
      break;
    case FASP_REASON_BUSY:
    case FASP_REASON_SILENT:
      again = FALSE;
      break;
    default:
      break;
  }
  if (waits && (was_no_receiver (session) || !(finished || again)))
    return FASP_NEVER;
  /* a sender that does not wait for receivers holds blocks only for the end of the stream */
  return again && (waits || finished) ? now + endpoint->config.resume_timeout : 0;
}

gboolean
fasp_hold_begin (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session, gboolean again,
    guint64 bytes)
{
  FaspTime deadline = get_deadline (endpoint, now, session, again);

  if (deadline == 0 || endpoint->closing || endpoint->group != NULL
      || (fasp_endpoint_is_caller (endpoint) && !again)
      || fasp_endpoint_get_open (endpoint) != NULL)
    return FALSE;
  /* the peer lacks only the end of the stream */
  if (bytes == 0 && fasp_store_is_finished (endpoint->store) && !was_no_receiver (session))
    return FALSE;
  endpoint->sending->held.first = fasp_tx_get_base (session->tx);
  endpoint->sending->held.deadline = deadline;
  endpoint->sending->held.is_new = was_no_receiver (session);
  FASP_LOG (session->notes.log, now, STREAM_HELD, endpoint->sending->held.first, bytes,
      deadline == FASP_NEVER ? FASP_LOG_UNKNOWN : deadline - now);
  return TRUE;
}

static guint64
count_held (const FaspEndpoint *endpoint)
{
  return fasp_store_count_bytes (endpoint->store, endpoint->sending->held.first,
      fasp_store_get_head (endpoint->store));
}

void
fasp_hold_end (FaspEndpoint *endpoint, FaspTime now, const gchar *why)
{
  if (endpoint->sending->held.first != FASP_NO_BLOCK)
    FASP_LOG (endpoint->notes.log, now, STREAM_RELEASED, endpoint->sending->held.first,
        count_held (endpoint), FASP_LOG_WORD (why));
  endpoint->sending->held = FASP_HELD_NOTHING;
}

/* Drops the held blocks, and counts their bytes. @receiver: they were held for a receiver that has
 * gone. */
static void
let_go (FaspEndpoint *endpoint, FaspTime now, gboolean receiver, const gchar *why)
{
  guint64 bytes = count_held (endpoint);

  endpoint->stats.bytes_dropped += bytes;
  endpoint->stats.bytes_unconfirmed = receiver ? bytes : 0;
  fasp_hold_end (endpoint, now, why);
  fasp_retention_trim (endpoint);
}

void
fasp_hold_run_due (FaspEndpoint *endpoint, FaspTime now)
{
  if (endpoint->sending->held.deadline > now)
    return;
  if (endpoint->config.settings.wait_for_connection && !fasp_store_is_finished (endpoint->store))
    endpoint->sending->held.deadline = FASP_NEVER;
  else
    let_go (endpoint, now, TRUE, "timeout");
}

void
fasp_hold_finished (FaspEndpoint *endpoint, FaspTime now)
{
  if (endpoint->sending->held.first != FASP_NO_BLOCK
      && endpoint->sending->held.deadline == FASP_NEVER && !endpoint->sending->held.is_new)
    let_go (endpoint, now, TRUE, "stream_ended");
}

void
fasp_hold_no_more (FaspEndpoint *endpoint, FaspTime now)
{
  if (endpoint->sending->held.first != FASP_NO_BLOCK
      && endpoint->sending->held.deadline == FASP_NEVER)
    let_go (endpoint, now, !endpoint->sending->held.is_new, "not_awaited");
}

gboolean
fasp_hold_expects (const FaspEndpoint *endpoint)
{
  return endpoint->sending->held.deadline != FASP_NEVER;
}

guint64
fasp_hold_get_first (const FaspEndpoint *endpoint)
{
  return endpoint->sending->held.first;
}

void
fasp_hold_skip_to (FaspEndpoint *endpoint, guint64 number)
{
  endpoint->sending->held.first = MAX (endpoint->sending->held.first, number);
}

FaspTime
fasp_hold_get_time (FaspEndpoint *endpoint)
{
  return endpoint->sending->held.deadline;
}

void
fasp_hold_excuse (FaspEndpoint *endpoint, FaspTime span)
{
  if (fasp_hold_expects (endpoint))
    endpoint->sending->held.deadline += span;
}
