/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspoutage.h: whether people are told that one of several flows carries nothing.
 *
 * The stream leaves a flow within a round trip or so, and comes back to it as soon as it carries.
 * People are told of what lasts, as they are of a session that is interrupted.  What is told
 * changes at
 *
 *     last change of what is the case + FASP_OUTAGE_PATIENCE
 *
 * and not at all if it has changed back by then.  So of each flow something is told once in
 * FASP_OUTAGE_PATIENCE at most, and of one that comes and goes faster than that nothing.  Peers can
 * have many flows, and there can be many peers: an endpoint tells of FASP_OUTAGE_BURST outages at
 * once, and then of one in FASP_OUTAGE_EVERY.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_OUTAGE_PATIENCE (2 * FASP_SEC)
#define FASP_OUTAGE_BURST FASP_FLOWS_MAX /* those of one peer */
#define FASP_OUTAGE_EVERY FASP_SEC

/* All 0: it carries. */
typedef struct
{
  gboolean out, told; /* it carries nothing; people know it so */
  FaspTime since;     /* when `out' changed last, or when that could last be seen */
  FaspTime last;      /* when it last carried, before the outage that was told */
  gboolean passed_on; /* the application has heard of that outage: its end follows */
} FaspOutage;

/* Does it carry now?  @last: when it last did, if it does not.  TRUE: people are to be told of
 * `told' now. */
gboolean fasp_outage_look (FaspOutage *outage, FaspTime now, gboolean carries, FaspTime last);
/* Nothing can be seen, as no flow carries: that is another matter. */
void fasp_outage_hold (FaspOutage *outage, FaspTime now);
/* When to look again if nothing changes. */
FaspTime fasp_outage_get_timeout (const FaspOutage *outage);

G_END_DECLS
