/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspretention.h"
#include "faspsendingprivate.h"

gboolean
fasp_retention_has_history (const FaspEndpoint *endpoint)
{
  return endpoint->config.history > 0 || endpoint->config.join == FASP_JOIN_KEY_FRAME;
}

guint64
fasp_retention_get_first_kept (const FaspEndpoint *endpoint)
{
  guint64 head = fasp_store_get_head (endpoint->store);

  if (!fasp_retention_has_history (endpoint))
    return head;
  return MIN (endpoint->config.join == FASP_JOIN_KEY_FRAME ?
          MIN (endpoint->sending->history.key, endpoint->sending->history.past) :
          endpoint->sending->history.past,
      head);
}

guint64
fasp_retention_get_needed (const FaspEndpoint *endpoint)
{
  const FaspHeapItem *first = fasp_heap_peek (&endpoint->sending->first_needed);
  guint64 needed = MIN (fasp_store_get_head (endpoint->store), endpoint->sending->held.first);

  return first != NULL ? MIN (needed, (guint64) first->key) : needed;
}

void
fasp_retention_note_first_needed (FaspEndpoint *endpoint, FaspSession *session)
{
  if (session->role == FASP_ROLE_SENDER && session->record->notified.connected
      && !session->record->notified.removed)
    fasp_heap_set (&endpoint->sending->first_needed, &session->record->first_needed,
        fasp_tx_get_base (session->tx));
}

void
fasp_retention_forget (FaspEndpoint *endpoint, FaspSession *session)
{
  fasp_heap_remove (&endpoint->sending->first_needed, &session->record->first_needed);
}

void
fasp_retention_trim (FaspEndpoint *endpoint)
{
  guint64 kept = fasp_retention_get_first_kept (endpoint);
  guint64 keep = MIN (kept, fasp_retention_get_needed (endpoint));

  if (keep > fasp_store_get_tail (endpoint->store))
    fasp_store_trim (endpoint->store, keep);
}

guint64
fasp_retention_get_first (const FaspEndpoint *endpoint, const FaspSession *session)
{
  return MAX (fasp_tx_get_base (session->tx), fasp_store_get_tail (endpoint->store));
}

FaspStreamOffset
fasp_retention_get_begin (const FaspEndpoint *endpoint, const FaspSession *session)
{
  return fasp_store_get_stream_offset (endpoint->store,
      fasp_retention_get_first (endpoint, session));
}
