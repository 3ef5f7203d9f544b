/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspheaderwait.h"
#include "faspsendingprivate.h"
#include "faspretention.h"

/* Applies @event to the session. TRUE: its state has changed. */
static gboolean
advance (FaspSession *session, FaspReceiverEvent event)
{
  FaspReceiverState before = session->record->header_wait.state;

  session->record->header_wait.state = fasp_receiver_next (before, event);
  fasp_tx_hold (session->tx, session->record->header_wait.state == FASP_RECEIVER_HELD);
  return session->record->header_wait.state != before;
}

void
fasp_header_wait_written (FaspEndpoint *endpoint, FaspTime now)
{
  guint64 end = fasp_store_get_head (endpoint->store);

  fasp_stream_header_was_written (&endpoint->sending->header, now, end);
  FASP_EACH_SESSION (endpoint, session) {
    if (advance (session, FASP_RECEIVER_WRITTEN))
      session->record->header_wait.end = end;
    if (fasp_log_changes (session->notes.log, FASP_LOG_LACKS_HEADER, FALSE))
      FASP_LOG (session->notes.log, now, HEADER_WRITTEN, now - session->record->header_wait.since,
          endpoint->sending->header.bytes != NULL);
  }
}

/* Writes at once that there is no header, as no key frame may follow, so that receivers that wait
 * for a header begin without it. */
static void
write_no_header (FaspEndpoint *endpoint, FaspTime now)
{
  if (fasp_store_mark_header (endpoint->store, now, endpoint->sending->writing.media_time, NULL, 0))
    fasp_header_wait_written (endpoint, now);
}

/* There is no header any more. This is repeated until all receivers that may know of one have it:
 * even those that need no header now would wait for one when another stream begins. */
void
fasp_header_wait_gone (FaspEndpoint *endpoint, FaspTime now)
{
  FASP_EACH_SESSION (endpoint, session) {
    if (session->state != FASP_SESSION_OPEN)
      continue;
    session->record->header_wait.since = now;
    session->record->header_wait.skips = fasp_tx_count_skips (session->tx);
    advance (session, FASP_RECEIVER_LACK);
  }
  write_no_header (endpoint, now);
}

void
fasp_header_wait_move (FaspEndpoint *endpoint, guint64 number, gboolean hold)
{
  if (!endpoint->sending->awaits_header)
    return;
  FASP_EACH_SESSION (endpoint, session) {
    if (session->record->header_wait.state != FASP_RECEIVER_HELD)
      continue;
    if (session->record->header_wait.gets_first)
      fasp_tx_skip_to (session->tx, number);
    else
      fasp_tx_begin_at (session->tx, number);
    session->record->header_wait.skips = fasp_tx_count_skips (session->tx);
    fasp_retention_note_first_needed (endpoint, session);
    if (hold)
      continue;
    advance (session, FASP_RECEIVER_RELEASE);
    fasp_endpoint_wake (endpoint, session);
  }
  endpoint->sending->awaits_header = hold;
  fasp_retention_trim (endpoint);
}

/* The session lacks the header. @why: a word for the log. */
static void
lack_header (FaspEndpoint *endpoint, FaspTime now, FaspSession *session, const gchar *why)
{
  advance (session, FASP_RECEIVER_LACK);
  session->record->header_wait.skips = fasp_tx_count_skips (session->tx);
  if (endpoint->sending->header.bytes != NULL
      && fasp_log_changes (session->notes.log, FASP_LOG_LACKS_HEADER, TRUE))
    FASP_LOG (session->notes.log, now, HEADER_AWAITED,
        session->record->header_wait.state == FASP_RECEIVER_HELD, FASP_LOG_WORD (why));
  if (endpoint->sending->header.bytes != NULL)
    fasp_stream_header_want (&endpoint->sending->header);
  else
    write_no_header (endpoint, now);
}

/* Has the receiver bytes of the stream, or will it get the first ones? A peer that we call may have
 * been restarted without our knowledge. */
static gboolean
has_beginning (const FaspEndpoint *endpoint, const FaspSession *session)
{
  FaspStreamOffset begin = fasp_retention_get_begin (endpoint, session);

  return begin.offset == 0
      || (!fasp_endpoint_is_caller (endpoint)
          && fasp_stream_offset_is_comparable (&session->record->start.previous, &begin));
}

/* Sends nothing to the session until the header is written before the next key frame. */
static void
hold (FaspEndpoint *endpoint, FaspSession *session)
{
  advance (session, FASP_RECEIVER_HOLD);
  endpoint->sending->awaits_header = TRUE;
}

/* The session begins at the first byte of the stream, where the header is. If it is moved ahead of
 * that, it waits for the next header. */
static void
follow_first (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  if (fasp_retention_get_begin (endpoint, session).offset > 0)
    return;
  fasp_tx_begin_at (session->tx, fasp_retention_get_first (endpoint, session));
  session->record->header_wait.gets_first = TRUE;
  session->record->header_wait.since = now;
  advance (session, FASP_RECEIVER_FIRST);
  session->record->header_wait.skips = fasp_tx_count_skips (session->tx);
}

/* Has the peer confirmed the first bytes of the stream? */
static gboolean
has_first (const FaspEndpoint *endpoint, const FaspSession *session)
{
  guint64 base = fasp_tx_get_base (session->tx);

  return base >= fasp_store_get_tail (endpoint->store)
      && fasp_store_get_stream_offset (endpoint->store, base).offset > 0;
}

/* Our hello did not announce a header, so the peer would not wait for one: if the session skipped
 * the first bytes, it lacks the header. */
static void
follow_unannounced (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  session->record->header_wait.skips = fasp_tx_count_skips (session->tx);
  if (fasp_tx_view (session->tx)->counts.skipped == 0 || !has_first (endpoint, session))
    return;
  if (endpoint->sending->header.bytes == NULL || endpoint->group != NULL) {
    advance (session, FASP_RECEIVER_ARRIVED);
    return;
  }
  hold (endpoint, session);
  session->record->header_wait.since = now;
  lack_header (endpoint, now, session, "skipped");
  fasp_header_wait_move (endpoint, fasp_store_get_head (endpoint->store), TRUE);
}

void
fasp_header_wait_begin (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  guint64 start = fasp_retention_get_first (endpoint, session);
  gboolean has_key =
      endpoint->sending->history.key != FASP_NO_BLOCK && endpoint->sending->history.key >= start;

  if (has_beginning (endpoint, session)) {
    follow_first (endpoint, now, session);
    return;
  }
  /* The receiver was let in before there was a header, so it would take bytes that it cannot
   * decode: holds the session. A member of a group cannot be held. */
  if (!session->record->start.has_header && endpoint->sending->header.bytes != NULL
      && start >= endpoint->sending->header.since && endpoint->group == NULL) {
    if (has_key)
      fasp_tx_begin_at (session->tx, endpoint->sending->history.key);
    else
      hold (endpoint, session);
  }
  /* the receiver needs no header for itself, but may relay the stream */
  else if (!session->record->start.has_header) {
    fasp_stream_header_want (&endpoint->sending->header);
    return;
  }
  session->record->header_wait.since = now;
  if (has_key) {
    advance (session, FASP_RECEIVER_LACK);
    advance (session, FASP_RECEIVER_WRITTEN);
    session->record->header_wait.end = endpoint->sending->header.end;
    session->record->header_wait.skips = fasp_tx_count_skips (session->tx);
  } else {
    lack_header (endpoint, now, session, "joined");
  }
}

void
fasp_header_wait_follow (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  FaspReceiverState state = session->record->header_wait.state;

  if (state == FASP_RECEIVER_READS)
    return;
  /* After a skip the receiver may lack the header again, as only the receiver knows which blocks it
   * has skipped. If there is no header any more, that is not written again for each skip. */
  if (fasp_tx_count_skips (session->tx) != session->record->header_wait.skips
      && state == FASP_RECEIVER_BEGINS && !session->record->start.has_header) {
    follow_unannounced (endpoint, now, session);
  } else if (fasp_tx_count_skips (session->tx) != session->record->header_wait.skips) {
    if (endpoint->sending->header.bytes != NULL || now >= endpoint->sending->header.may)
      lack_header (endpoint, now, session, "skipped");
  } else if (state == FASP_RECEIVER_GETS ?
          fasp_tx_get_base (session->tx) >= session->record->header_wait.end :
          has_first (endpoint, session)) {
    advance (session, FASP_RECEIVER_ARRIVED);
  }
}

gboolean
fasp_header_wait_announces (const FaspEndpoint *endpoint, guint64 start)
{
  return endpoint->sending->header.bytes != NULL || start < endpoint->sending->header.gone;
}
