/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspoutage.h"

gboolean
fasp_outage_look (FaspOutage *outage, FaspTime now, gboolean carries, FaspTime last)
{
  if (outage->out == carries) {
    outage->out = !carries;
    outage->since = now;
    if (outage->out && !outage->notified)
      outage->last = last;
  }
  if (now < fasp_outage_get_timeout (outage))
    return FALSE;
  outage->notified = outage->out;
  return TRUE;
}

void
fasp_outage_hold (FaspOutage *outage, FaspTime now)
{
  outage->since = now;
}

FaspTime
fasp_outage_get_timeout (const FaspOutage *outage)
{
  return outage->out == outage->notified ? FASP_NEVER : outage->since + FASP_OUTAGE_DELAY;
}
