/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasprejoin.h"

void
fasp_rejoin_left (FaspRejoin *r, FaspTime now)
{
  gboolean soon = r->returned > 0 && now - r->returned < FASP_REJOIN_SOON;

  r->hold = soon ? MIN (2 * r->hold, FASP_REJOIN_MOST) : FASP_REJOIN_FIRST;
  r->since = FASP_NEVER;
}

gboolean
fasp_rejoin_feedback (FaspRejoin *r, FaspTime now, gboolean hears, guint64 pn, guint64 received)
{
  if (!hears) {
    r->since = FASP_NEVER;
    return FALSE;
  }
  if (r->since != FASP_NEVER) {
    if (now - r->since < r->hold)
      return FALSE;
    if (pn > r->pn && received >= r->received && 2 * (received - r->received) >= pn - r->pn) {
      r->returned = MAX (now, 1);
      return TRUE;
    }
  }
  r->since = now;
  r->pn = pn;
  r->received = received;
  return FALSE;
}
