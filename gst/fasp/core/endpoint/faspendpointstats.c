/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpointstats.c: an endpoint's statistics.
 */
#include "faspdial.h"
#include "faspencoder.h"
#include "faspendpointbase.h"
#include "fasphistory.h"

/* A live peer sends at least two datagrams in this time. */
#define HEARD FASP_SEC

void
fasp_endpoint_get_stats (FaspEndpoint *endpoint, FaspEndpointStats *stats)
{
  *stats = endpoint->stats;
  stats->buffer_limit = endpoint->config.buffer_size;
  stats->key_frames_requested = fasp_encoder_count_key_frames (endpoint);
  if (endpoint->store != NULL)
    stats->buffer_bytes = fasp_store_get_bytes (endpoint->store);
  else
    FASP_EACH_SESSION (endpoint, session) {
      stats->buffer_bytes += fasp_rx_get_bytes (session->rx);
      stats->buffer_is_full |= fasp_rx_is_full (session->rx);
    }
}

/* Index of the first session whose number is greater than @order; the list is sorted by number. */
static guint
find_after (const FaspEndpoint *endpoint, guint64 order)
{
  guint from = 0, to = endpoint->sessions->len;

  while (from < to) {
    guint middle = (from + to) / 2;

    if (fasp_endpoint_nth (endpoint, middle)->record->order <= order)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

guint
fasp_endpoint_get_sessions (FaspEndpoint *endpoint, FaspTime now, guint64 *cursor,
    FaspSessionStats *sessions, guint max)
{
  guint n = 0;

  for (guint i = find_after (endpoint, *cursor); n < max && i < endpoint->sessions->len; i++) {
    FaspSession *session = fasp_endpoint_nth (endpoint, i);

    *cursor = session->record->order;
    if (session->record->notified.connected && !session->record->notified.removed)
      fasp_session_get_stats (session, now, &sessions[n++]);
  }
  return n;
}

static guint64
get_peer_number (const FaspEndpoint *endpoint, const FaspSession *session)
{
  guint8 network[FASP_NETWORK_SIZE];
  guint64 number = 0;

  if (session->peer.proved) {
    memcpy (&number, session->peer.key, sizeof number);
  } else if (fasp_endpoint_is_caller (endpoint)) {
    number = fasp_address_hash (fasp_dial_get_peer (endpoint));
  } else { /* the port may differ, as the same sender may have a new one */
    fasp_address_get_network (fasp_session_get_address (session), network);
    memcpy (&number, network, MIN (sizeof number, sizeof network));
  }
  return MAX (number, 1);
}

void
fasp_endpoint_get_source (const FaspEndpoint *endpoint, FaspTime now, FaspSourceState *state)
{
  *state = (FaspSourceState) { 0 };
  FASP_EACH_SESSION (endpoint, session) {
    if (session->role != FASP_ROLE_RECEIVER || !session->record->notified.connected)
      continue;
    *state = (FaspSourceState) {
      .is_connected = fasp_session_is_heard (session) || fasp_session_has_unread (session),
      .session = session->id,
      .heard = session->liveness.heard,
      .rtt = session->rtt.measured ? session->rtt.smoothed : 0,
      .latency = fasp_playout_get (&fasp_rx_view (session->rx)->playout, now),
      .promised = session->promise.interval,
      .peer = get_peer_number (endpoint, session),
    };
  }
}

/* How long the next block for the session has waited. */
static FaspTime
get_backlog (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session)
{
  /* a group has its own cursor, and a session that joined in the past is behind on purpose */
  if (session->group.member.joined || fasp_history_is_in_past (session)
      || fasp_tx_view (session->tx)->cursor < fasp_store_get_tail (endpoint->store)
      || fasp_tx_view (session->tx)->cursor >= fasp_store_get_head (endpoint->store))
    return 0;
  return now - fasp_store_get (endpoint->store, fasp_tx_view (session->tx)->cursor)->arrival;
}

FaspTime
fasp_endpoint_get_backlog (FaspEndpoint *endpoint, FaspTime now)
{
  gboolean waits = endpoint->config.settings.slow_policy == FASP_SLOW_WAIT;
  FaspTime backlog = -1;

  FASP_EACH_SESSION (endpoint, session) {
    FaspTime its;

    if (session->role != FASP_ROLE_SENDER || !fasp_session_is_heard (session))
      continue;
    its = get_backlog (endpoint, now, session);
    if (backlog < 0 || (waits ? its > backlog : its < backlog))
      backlog = its;
  }
  return backlog;
}

gdouble
fasp_endpoint_look_at_loss (FaspEndpoint *endpoint)
{
  gdouble loss = 0;

  FASP_EACH_SESSION (endpoint, session) {
    if (session->role == FASP_ROLE_SENDER && fasp_session_is_heard (session)
        && !fasp_session_is_controlled (session)) {
      gdouble its = fasp_loss_look (&fasp_tx_get_estimate (session->tx)->loss);

      loss = MAX (loss, its);
    }
  }
  return loss;
}

FaspTime
fasp_endpoint_look_at_missed (FaspEndpoint *endpoint)
{
  FaspTime most = 0;

  FASP_EACH_SESSION (endpoint, session) {
    FaspTime missed = fasp_pacer_get_missed (&session->pacer);

    most = MAX (most, missed - session->record->progress.missed);
    session->record->progress.missed = missed;
  }
  return most;
}

gboolean
fasp_endpoint_look_for_stuck (FaspEndpoint *endpoint, FaspTime now, guint looks, FaspAddress *where)
{
  gboolean found = FALSE;

  FASP_EACH_SESSION (endpoint, session) {
    guint64 acked;

    if (session->role != FASP_ROLE_SENDER)
      continue;
    acked = fasp_tx_view (session->tx)->acked;
    /* members of a group send feedback seldom, and a receiver that is held for the header is sent
     * nothing */
    session->record->progress.stuck = session->state == FASP_SESSION_OPEN
            && now - session->liveness.heard < HEARD && !session->group.member.joined
            && session->record->header_wait.state != FASP_RECEIVER_HELD
            && acked < fasp_tx_view (session->tx)->cursor
            && acked == session->record->progress.acked ?
        session->record->progress.stuck + 1 :
        0;
    session->record->progress.acked = acked;
    if (found || session->record->progress.stuck < looks)
      continue;
    *where = *fasp_session_get_address (session);
    found = TRUE;
  }
  return found;
}
