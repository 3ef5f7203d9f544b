/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasphistory.h"
#include "faspsendingprivate.h"
#include "faspretention.h"

/* When the store is full, 1 / GIVE_WAY_SHARE of it is freed at a time. */
#define GIVE_WAY_SHARE 16

void
fasp_history_run_due (FaspEndpoint *endpoint, FaspTime now)
{
  guint64 past;

  if (!fasp_retention_has_history (endpoint))
    return;
  past = fasp_store_find_time (endpoint->store, now - endpoint->config.history);
  endpoint->sending->history.past = MAX (endpoint->sending->history.past, past);
  fasp_retention_trim (endpoint);
}

void
fasp_history_set_key_frame (FaspEndpoint *endpoint, guint64 number)
{
  endpoint->sending->history.key = number;
}

gboolean
fasp_history_can_give_way (const FaspEndpoint *endpoint)
{
  return fasp_retention_has_history (endpoint)
      && fasp_store_get_tail (endpoint->store) < fasp_retention_get_needed (endpoint);
}

gboolean
fasp_history_give_way (FaspEndpoint *endpoint)
{
  guint64 tail = fasp_store_get_tail (endpoint->store);
  guint64 part = (fasp_store_get_head (endpoint->store) - tail) / GIVE_WAY_SHARE;
  guint64 needed = fasp_retention_get_needed (endpoint);

  if (!fasp_history_can_give_way (endpoint))
    return FALSE;
  endpoint->sending->history.past =
      MAX (endpoint->sending->history.past, MIN (needed, tail + MAX (part, 1)));
  if (endpoint->sending->history.key < endpoint->sending->history.past)
    endpoint->sending->history.key = FASP_NO_BLOCK;
  fasp_retention_trim (endpoint);
  return TRUE;
}

guint64
fasp_history_choose (FaspEndpoint *endpoint, FaspTime now, const FaspWants *wants)
{
  guint64 head = fasp_store_seal (endpoint->store), number;
  guint64 tail = fasp_store_get_tail (endpoint->store);
  gboolean asked = wants->join != FASP_JOIN_ANY;
  guint32 back_ms = asked ? wants->back_ms : endpoint->config.join_back_ms;

  if (wants->from.known && fasp_store_find (endpoint->store, &wants->from, &number)) {
    /* the receiver lacks only the end of the stream */
    if (number == head && fasp_store_is_finished (endpoint->store))
      number = MAX (tail, head - 1);
    return number;
  }
  switch (asked ? wants->join : endpoint->config.join) {
    case FASP_JOIN_KEY_FRAME:
      return endpoint->sending->history.key >= tail && endpoint->sending->history.key < head ?
          endpoint->sending->history.key :
          head;
    case FASP_JOIN_BACK:
      /* blocks below the first one kept as history are there only for a receiver that is far
       * behind */
      return back_ms == 0 ? MAX (tail, fasp_retention_get_first_kept (endpoint)) :
                            fasp_store_find_time (endpoint->store, now - back_ms * FASP_MSEC);
    case FASP_JOIN_ANY:
      return endpoint->sending->held.first != FASP_NO_BLOCK ? endpoint->sending->held.first : head;
    case FASP_JOIN_LIVE:
      break;
  }
  return head;
}

void
fasp_history_mark_offset (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session)
{
  FaspStreamOffset position;

  /* the position is written in any case when the session is moved ahead */
  if (fasp_retention_get_first (endpoint, session) > session->record->start.block)
    return;
  position = fasp_store_get_stream_offset (endpoint->store, session->record->start.block);
  if (position.offset != session->record->start.position.offset
      || !fasp_origin_equal (&position.origin, &session->record->start.position.origin))
    fasp_store_mark (endpoint->store, now, endpoint->sending->writing.media_time);
}

gboolean
fasp_history_is_in_past (const FaspSession *session)
{
  return fasp_tx_get_base (session->tx) < session->record->start.live_from;
}

gboolean
fasp_history_begins_in_past (const FaspEndpoint *endpoint, guint64 start)
{
  guint64 needed = MIN (fasp_store_get_head (endpoint->store), endpoint->sending->held.first);

  if (start
      >= needed) /* most receivers join live, so this is decided without a loop over all sessions */
    return FALSE;
  FASP_EACH_SESSION (endpoint, session)
    if (session->record->first_needed.index > 0 && !fasp_history_is_in_past (session))
      needed = MIN (needed, fasp_tx_get_base (session->tx));
  return start < needed;
}
