/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdeparture.h: between the making of datagrams and their leaving.
 *
 * A pace counts from when a datagram was made.  Several are made, of one session or of
 * many, and leave together; on a busy host that may be milliseconds later.  So that no
 * more leaves in a burst than the pace allows:
 *
 *   - what is made later than FASP_DEPARTURE_LATE after the first of a batch goes with the
 *     next one, though there were room;
 *   - if they have left later than that the paces count from then
 *     (fasp_endpoint_left_late()).
 *
 * Beyond the bound of a pace (fasppacer.h) then at most what its rate makes of
 * FASP_DEPARTURE_LATE leaves together.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_DEPARTURE_LATE 300 /* µs */

typedef struct
{
  gboolean waits;               /* some are made and have not left; */
  FaspTime first;               /* when the first of them was made */
} FaspDeparture;

/* May what is made at @now leave with those that wait? */
static inline gboolean
fasp_departure_takes (const FaspDeparture * departure, FaspTime now)
{
  return !departure->waits || now - departure->first < FASP_DEPARTURE_LATE;
}

/* One was made. */
static inline void
fasp_departure_made (FaspDeparture * departure, FaspTime now)
{
  if (!departure->waits)
    departure->first = now;
  departure->waits = TRUE;
}

/* All have left by @now. TRUE: late; the paces of what was made from @from on are to count
 * from now. */
static inline gboolean
fasp_departure_left (FaspDeparture * departure, FaspTime now, FaspTime * from)
{
  gboolean late = !fasp_departure_takes (departure, now);

  *from = departure->first;
  departure->waits = FALSE;
  return late;
}

G_END_DECLS
