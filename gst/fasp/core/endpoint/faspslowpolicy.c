/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspslowpolicy.h"
#include "faspsendingprivate.h"
#include "fasphistory.h"
#include "fasphold.h"
#include "faspmulticast.h"
#include "faspretention.h"

/* The application is notified of receivers that are left behind no more often than this. */
#define NOTIFY_AFTER FASP_SEC

/* May the stream leave this receiver behind? With slow-policy=wait only in three cases: the
 * receiver does not take the stream while another one does; it is silent and has another sender,
 * and wait-for-connection is off; or it joined in the past and has not caught up. */
static gboolean
may_leave_behind (const FaspEndpoint *endpoint, const FaspSession *session, FaspTime now,
    gboolean any_takes)
{
  return endpoint->config.settings.slow_policy != FASP_SLOW_WAIT
      || (any_takes && fasp_session_judge (session, now) < FASP_STANDING_READY)
      || (session->liveness.interrupted && session->record->has_other
          && !endpoint->config.settings.wait_for_connection)
      || fasp_history_is_in_past (session);
}

gboolean
fasp_slow_policy_can_leave_behind (const FaspEndpoint *endpoint)
{
  guint64 tail = fasp_store_get_tail (endpoint->store);
  FaspTime now = endpoint->looked;
  gboolean any_takes = fasp_endpoint_has_standing (endpoint, now, FASP_STANDING_TAKING);

  if (fasp_hold_get_first (endpoint) != FASP_NO_BLOCK
      && endpoint->config.settings.slow_policy == FASP_SLOW_WAIT)
    return FALSE;
  FASP_EACH_SESSION (endpoint, session)
    if (session->state == FASP_SESSION_OPEN && fasp_tx_get_base (session->tx) <= tail
        && !may_leave_behind (endpoint, session, now, any_takes))
      return FALSE;
  return TRUE;
}

/* Notifies the application, once for all receivers that are left behind together. */
static void
notify_left_behind (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session)
{
  if (now < endpoint->sending->left_behind_may)
    return;
  endpoint->sending->left_behind_may = now + NOTIFY_AFTER;
  fasp_endpoint_push_event (endpoint, FASP_EVENT_SKIPPED, session);
}

gboolean
fasp_slow_policy_leave_behind (FaspEndpoint *endpoint, FaspTime now)
{
  guint64 tail = fasp_store_get_tail (endpoint->store);
  guint64 middle = (tail + fasp_store_get_head (endpoint->store)) / 2;
  gboolean any_takes = fasp_endpoint_has_standing (endpoint, now, FASP_STANDING_TAKING);

  if (middle == tail || !fasp_slow_policy_can_leave_behind (endpoint))
    return FALSE;
  FASP_EACH_SESSION (endpoint, session) {
    /* asked before the session is moved, which may end its past */
    gboolean past = fasp_history_is_in_past (session);

    if (session->state != FASP_SESSION_OPEN || fasp_tx_get_base (session->tx) >= middle
        || !may_leave_behind (endpoint, session, now, any_takes))
      continue;
    FASP_LOG (session->notes.log, now, RECEIVER_LEFT_BEHIND, fasp_tx_get_base (session->tx), middle,
        FASP_LOG_WORD (past                   ? "history" :
                session->liveness.interrupted ? "silent" :
                                                "slow"));
    if (endpoint->config.settings.slow_policy == FASP_SLOW_DROP_RECEIVER && !past
        && !fasp_multicast_sends_away (endpoint, now, session)) {
      fasp_session_close (session, now, FASP_REASON_TOO_SLOW,
          "it does not keep up with the stream");
    } else {
      fasp_tx_skip_to (session->tx, middle);
      if (endpoint->config.settings.slow_policy == FASP_SLOW_SKIP && !past)
        notify_left_behind (endpoint, now, session);
    }
    fasp_retention_note_first_needed (endpoint, session);
    fasp_endpoint_wake (endpoint, session);
  }
  fasp_hold_skip_to (endpoint, middle);
  fasp_retention_trim (endpoint);
  return fasp_store_get_tail (endpoint->store) > tail;
}

gboolean
fasp_slow_policy_lets_go (const FaspEndpoint *endpoint, FaspTime now)
{
  return endpoint->store != NULL && fasp_store_is_finished (endpoint->store)
      && endpoint->config.settings.slow_policy != FASP_SLOW_WAIT && endpoint->stats.whole > 0
      && !fasp_endpoint_has_standing (endpoint, now, FASP_STANDING_NEW);
}
