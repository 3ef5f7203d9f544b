/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspecn.h"

static gboolean
is_open (const FaspEcn *ecn)
{
  return ecn->tested > 0 && (ecn->state == FASP_ECN_TESTING || ecn->state == FASP_ECN_WAITING);
}

const gchar *
fasp_ecn_get_name (FaspEcnState state)
{
  static const gchar *const names[] = { "testing", "waiting", "capable", "failed" };

  return names[state];
}

gboolean
fasp_ecn_mark (FaspEcn *ecn, guint64 pn)
{
  if (ecn->state != FASP_ECN_TESTING)
    return ecn->state == FASP_ECN_CAPABLE;
  if (ecn->tested == 0) {
    ecn->first = pn;
    ecn->end_before = ecn->end;
    ecn->received_before = ecn->received;
  }
  if (++ecn->tested == FASP_ECN_TESTED)
    ecn->state = FASP_ECN_WAITING;
  return TRUE;
}

void
fasp_ecn_arrived (FaspEcn *ecn, guint64 pn)
{
  if (is_open (ecn) && pn >= ecn->first && pn < ecn->first + ecn->tested)
    ecn->state = FASP_ECN_CAPABLE;
}

void
fasp_ecn_feedback (FaspEcn *ecn, guint64 end, guint64 received)
{
  guint64 last = ecn->first + ecn->tested, others, fresh;

  ecn->end = end;
  ecn->received = received;
  if (!is_open (ecn) || end <= ecn->first)
    return;
  fresh = received - MIN (received, ecn->received_before);
  /* if more packets were reported as received than were sent outside the test, a packet of the test
   * has arrived */
  others = ecn->first - ecn->end_before + (end > last ? end - last : 0);
  if (fresh > others)
    ecn->state = FASP_ECN_CAPABLE;
  else if (ecn->state == FASP_ECN_WAITING && end > last + FASP_ECN_TESTED)
    ecn->state = FASP_ECN_FAILED;
}

void
fasp_ecn_restart (FaspEcn *ecn)
{
  ecn->state = FASP_ECN_TESTING;
  ecn->tested = 0;
}
