/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspoutage.h: when the application is notified of an outage: one of several flows carries no
 * data.
 *
 * The sender stops using such a flow within about a round trip, and uses it again as soon as it
 * carries data.  The application gets events only for outages that last, as for an interrupted
 * session.  The reported state changes at
 *
 *     last change of the true state + FASP_OUTAGE_DELAY
 *
 * and not at all if the true state has changed back by then.  So a flow causes at most one event in
 * FASP_OUTAGE_DELAY, and none if it changes faster than that.  As there may be many peers with many
 * flows, an endpoint reports FASP_OUTAGE_BURST outages at once, and then one in FASP_OUTAGE_EVERY.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_OUTAGE_DELAY (2 * FASP_SEC)
#define FASP_OUTAGE_BURST FASP_FLOWS_MAX /* the flows of one peer */
#define FASP_OUTAGE_EVERY FASP_SEC

/* All 0: the flow carries data. */
typedef struct
{
  gboolean out, notified; /* the flow carries no data; the state in the last event to the
                             application */
  FaspTime since;         /* when `out' last changed, or was last known */
  FaspTime last;          /* when the flow last carried data before the reported outage */
  gboolean passed_on;     /* the application got the event of the outage, and must get that of its
                             end; set by the endpoint */
} FaspOutage;

/* @carries: the flow carries data now.  @last: if not, when it last did.  TRUE: `notified' has
 * changed; notify the application. */
gboolean fasp_outage_look (FaspOutage *outage, FaspTime now, gboolean carries, FaspTime last);
/* The session is interrupted, as no flow carries data: single flows are not judged. */
void fasp_outage_hold (FaspOutage *outage, FaspTime now);
/* When to look again if nothing changes. */
FaspTime fasp_outage_get_timeout (const FaspOutage *outage);

G_END_DECLS
