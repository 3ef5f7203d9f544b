/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdemand.h: does a source make the bit rate that was announced to it?
 *
 * If so, a higher rate would be used.  A source that makes less than its usual share of it is held
 * back by something else: its host is busy, or there is little to encode.  Then a higher rate would
 * not be used, and a rate that is not used shows nothing of the path.
 *
 * Both are averaged in the same way, so a source that follows at once has the same share always.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

/* All 0: nothing is known. */
typedef struct
{
  gdouble made, announced; /* bit/s, averaged */
  gdouble most, before; /* the largest share of what was announced that it made since then, and in
                           the interval before that, 0 to 1 */
  FaspTime since;
} FaspDemand;

/* In @time, which ends @now, it has made @bytes, and @announced bit/s were announced to it; 0: none
 * yet. */
void fasp_demand_add (FaspDemand *demand, FaspTime now, FaspTime time, guint64 bytes,
    guint64 announced);
/* TRUE: a higher rate would not be used. */
gboolean fasp_demand_has_enough (const FaspDemand *demand);

G_END_DECLS
