/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdeparture.h: bounds the time between making a datagram and sending it.
 *
 * A pacer counts from the time at which a datagram was made.  A batch of datagrams, of one session
 * or of many, is made and then sent together, on a busy host milliseconds later.  To keep bursts
 * within the pacers' bounds:
 *
 *   - a datagram that is made later than FASP_DEPARTURE_LATE after the first of a batch
 *     goes with the next batch, even if there is room in this one;
 *   - if a batch leaves later than that, the pacers count from then
 *     (fasp_endpoint_left_late()).
 *
 * So a burst exceeds the bound of a pacer (fasppacer.h) by at most the bytes of its rate in
 * FASP_DEPARTURE_LATE.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_DEPARTURE_LATE 300 /* µs */

typedef struct
{
  gboolean waits; /* datagrams were made and not sent yet */
  FaspTime first; /* when the first of them was made */
} FaspDeparture;

/* May a datagram that is made at @now leave with those that wait? */
static inline gboolean
fasp_departure_takes (const FaspDeparture *departure, FaspTime now)
{
  return !departure->waits || now - departure->first < FASP_DEPARTURE_LATE;
}

static inline void
fasp_departure_made (FaspDeparture *departure, FaspTime now)
{
  if (!departure->waits)
    departure->first = now;
  departure->waits = TRUE;
}

/* All datagrams had left by @now. TRUE: too late, so the pacers must count those made since *@from
 * as sent at @now. */
static inline gboolean
fasp_departure_left (FaspDeparture *departure, FaspTime now, FaspTime *from)
{
  gboolean late = !fasp_departure_takes (departure, now);

  *from = departure->first;
  departure->waits = FALSE;
  return late;
}

G_END_DECLS
