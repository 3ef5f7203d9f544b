/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the application reads: in order, of whichever sender there is.
 */
#include "faspendpointprivate.h"

FaspBlock *
fasp_endpoint_read (FaspEndpoint * endpoint, FaspTime now)
{
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    FaspSession *session = fasp_endpoint_nth (endpoint, i);
    FaspBlock *block;

    if (!session->connected || fasp_session_get_hold_end (session) > 0)
      continue;
    block = fasp_rx_take (&session->rx, now);
    if (block == NULL) {
      if (fasp_session_is_over (session) && !session->removed)
        fasp_endpoint_wake (endpoint, session); /* read to its end: it can go */
      continue;
    }
    if (fasp_session_is_over (session) && !fasp_session_has_unread (session))
      fasp_endpoint_wake (endpoint, session);
    else if (session->state == FASP_SESSION_OPEN)
      fasp_turns_wake (&endpoint->turns, &session->turn_to_send,
          fasp_rx_get_timeout (&session->rx));
    /* another sender than that of the block before */
    if (endpoint->reading != session->id) {
      if (endpoint->reading != 0)
        block->flags |= FASP_BLOCK_DISCONT;
      endpoint->reading = session->id;
    }
    endpoint->reading_clock = session->rx.clock;
    /* at its own time, however long it has waited for the one before it */
    endpoint->reading_shift = fasp_playout_get (&session->rx.playout,
        fasp_media_clock_map (&session->rx.clock, block->media_time)) -
        session->rx.playout.first;
    endpoint->stats.bytes_read += block->size;
    return block;
  }
  return NULL;
}

gboolean
fasp_endpoint_can_read (const FaspEndpoint * endpoint)
{
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    const FaspSession *session = fasp_endpoint_nth (endpoint, i);

    if (session->connected && fasp_session_get_hold_end (session) == 0
        && fasp_session_has_unread (session))
      return TRUE;
  }
  return FALSE;
}

FaspTime
fasp_endpoint_map_media_time (FaspEndpoint * endpoint, FaspTime media_time)
{
  return fasp_media_clock_map (&endpoint->reading_clock, media_time) +
      endpoint->reading_shift;
}
