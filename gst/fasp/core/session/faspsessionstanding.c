/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionstanding.c: how far a receiver takes the stream (FaspStanding). */
#include "faspsession.h"

FaspStanding
fasp_session_judge (const FaspSession *session, FaspTime now)
{
  const FaspTx *tx = session->tx;

  if (session->role != FASP_ROLE_SENDER || !fasp_session_is_heard (session))
    return FASP_STANDING_ABSENT;
  if (fasp_tx_view (tx)->peer == FASP_TX_UNHEARD
      || (fasp_tx_view (tx)->peer == FASP_TX_REPORTS
          && fasp_tx_view (tx)->acked < fasp_store_get_head (session->store)))
    return FASP_STANDING_NEW;
  if (fasp_tx_view (tx)->peer == FASP_TX_REPORTS)
    return FASP_STANDING_READY;
  if (fasp_tx_get_unacknowledged (tx, now) > fasp_tx_get_stuck_timeout (tx, &session->rtt)
      || fasp_tx_get_full (tx, now) > session->liveness.resume_timeout)
    return FASP_STANDING_STUCK;
  return FASP_STANDING_TAKING;
}

FaspTime
fasp_session_get_owed (const FaspSession *session, FaspTime now)
{
  switch (fasp_tx_view (session->tx)->peer) {
    case FASP_TX_UNHEARD:
      return now - session->liveness.opened;
    case FASP_TX_REPORTS:
      return fasp_tx_get_unacknowledged (session->tx, now);
    case FASP_TX_TAKES:
      break;
  }
  return 0;
}
