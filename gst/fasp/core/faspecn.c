/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspecn.h"

gboolean
fasp_ecn_mark (FaspEcn * ecn, guint64 pn)
{
  if (ecn->state != FASP_ECN_TESTING)
    return ecn->state == FASP_ECN_CAPABLE;
  if (ecn->tested == 0)
    ecn->before = pn;
  if (++ecn->tested == FASP_ECN_TESTED)
    ecn->state = FASP_ECN_WAITING;
  return TRUE;
}

void
fasp_ecn_told (FaspEcn * ecn, guint64 end, guint64 received)
{
  guint64 last = ecn->before + ecn->tested, others;

  if (ecn->tested == 0 || end <= ecn->before
      || (ecn->state != FASP_ECN_TESTING && ecn->state != FASP_ECN_WAITING))
    return;
  others = ecn->before + (end > last ? end - last : 0);
  if (received > others)
    ecn->state = FASP_ECN_CAPABLE;
  else if (ecn->state == FASP_ECN_WAITING && end > last + FASP_ECN_TESTED)
    ecn->state = FASP_ECN_FAILED;
}
