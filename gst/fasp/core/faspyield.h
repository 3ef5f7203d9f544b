/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspyield.h: what was given away for queues, and what is kept beside rivals.
 *
 * A queue makes the rate fall, and another one again.  What there was before the first of them is
 * remembered until no queue has stood for FASP_YIELD_CALM: nobody gives way to rivals by more than
 * half of that, for a while, or until they leave the queue empty.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_YIELD_CALM (2 * FASP_SEC)

/* All 0: nothing was. */
typedef struct
{
  guint64 before;               /* bit/s before all that was given away; 0: nothing was */
  guint64 floor;                /* bit/s that are kept beside rivals; 0: there are none; */
  FaspTime floor_until;         /* so long */
  guint empty;                  /* looks in a row at no queue */
  FaspTime calm_since;          /* no queue has stood; 0: one does */
} FaspYield;

/* A queue stands, and the rate of @rate, bit/s, is to fall. */
void fasp_yield_begin (FaspYield * yield, guint64 rate);
/* It is rivals', and @arrives, bit/s, of what is sent arrives. */
void fasp_yield_keep (FaspYield * yield, FaspTime now, gdouble arrives);
/* There are no rivals. */
void fasp_yield_let_go (FaspYield * yield);
/* Nor was there a queue. */
void fasp_yield_forget (FaspYield * yield, FaspTime now);
/* Does one stand? */
void fasp_yield_look (FaspYield * yield, FaspTime now, gboolean stands);
/* µs since when none has. */
FaspTime fasp_yield_get_calm (const FaspYield * yield, FaspTime now);

G_END_DECLS
