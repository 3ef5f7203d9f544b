/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasparrivals.h: when packets of a flow arrived, for the sender's rate control.
 *
 * Of what has come since it was told last, at most FASP_ARRIVALS of the packets, evenly
 * spaced by number: when there are more, every other is left out.  Only packets newer
 * than all before count, so that numbers and times go up together.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_ARRIVALS 16

typedef struct
{
  guint64 pn;
  FaspTime time;
} FaspArrival;

typedef struct
{
  FaspArrival list[FASP_ARRIVALS];      /* oldest first */
  guint n;
  guint stride;                 /* one of so many is kept */
  guint passed;                 /* since the last one that was */
} FaspArrivals;

void fasp_arrivals_init (FaspArrivals * arrivals);
/* Packet @pn, newer than all before, came at @now. */
void fasp_arrivals_add (FaspArrivals * arrivals, FaspTime now, guint64 pn);
/* Leaves out every other. */
void fasp_arrivals_thin_out (FaspArrivals * arrivals);
/* They have been told. */
void fasp_arrivals_reset (FaspArrivals * arrivals);

G_END_DECLS
