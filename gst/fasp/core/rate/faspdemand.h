/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdemand.h: does an encoder use the bit rate that was announced to it?
 *
 * If so, it would use a higher rate.  An encoder that makes less than its usual share of the
 * announced rate is limited by something else: its host is busy, or there is little to encode.
 * Then it would not use a higher rate, and an unused rate tells nothing about the path.
 *
 * The rates made and announced are averaged in the same way, so an encoder that follows at once
 * always has the same share.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

/* All 0: nothing is known. */
typedef struct
{
  gdouble made, announced; /* bit/s, averaged */
  gdouble most, before; /* largest share made / announced since `since', and in the interval before,
                           0 to 1 */
  FaspTime since;
} FaspDemand;

/* The encoder has made @bytes in the @time until @now; @announced: the announced rate, bit/s; 0:
 * none yet. */
void fasp_demand_add (FaspDemand *demand, FaspTime now, FaspTime time, guint64 bytes,
    guint64 announced);
/* Would the encoder not use a higher rate? */
gboolean fasp_demand_has_enough (const FaspDemand *demand);

G_END_DECLS
