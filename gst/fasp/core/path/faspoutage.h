/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspoutage.h: when the application is notified that one of several flows carries nothing.
 *
 * The stream leaves a flow within a round trip or so, and comes back to it as soon as it carries.
 * Only what lasts is reported, as with a session that is interrupted.  The state that is reported
 * changes at
 *
 *     last change of the true state + FASP_OUTAGE_DELAY
 *
 * and not at all if the true state has changed back by then.  So there is one report of a flow in
 * FASP_OUTAGE_DELAY at most, and none of a flow that comes and goes faster than that.  Peers can
 * have many flows, and there can be many peers: an endpoint reports FASP_OUTAGE_BURST outages at
 * once, and then one in FASP_OUTAGE_EVERY.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_OUTAGE_DELAY (2 * FASP_SEC)
#define FASP_OUTAGE_BURST FASP_FLOWS_MAX /* those of one peer */
#define FASP_OUTAGE_EVERY FASP_SEC

/* All 0: it carries. */
typedef struct
{
  gboolean out, notified; /* it carries nothing; the state of which the application was notified */
  FaspTime since;         /* when `out' last changed, or when that could last be seen */
  FaspTime last;          /* when it last carried, before the outage that was reported */
  gboolean passed_on;     /* the application has got the event of that outage, and is to get that of
                             its end; set by the endpoint */
} FaspOutage;

/* @carries: it carries now.  @last: if not, when it last did.  TRUE: `notified' has changed, and
 * is to be reported. */
gboolean fasp_outage_look (FaspOutage *outage, FaspTime now, gboolean carries, FaspTime last);
/* No flow carries, so that the session is interrupted: that says nothing about single flows. */
void fasp_outage_hold (FaspOutage *outage, FaspTime now);
/* When to look again if nothing changes. */
FaspTime fasp_outage_get_timeout (const FaspOutage *outage);

G_END_DECLS
