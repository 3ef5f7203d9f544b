/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspyield.h: how much rate was given up for queues, and how much is kept beside
 * rivals.
 *
 * Each queue makes the rate fall. The rate before the first of them is remembered until
 * no queue has stood for FASP_YIELD_CALM. A sender gives up at most half of that to
 * rivals, for a while, or until they leave the queue empty.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_YIELD_CALM (2 * FASP_SEC)

/* All 0: nothing was given up. */
typedef struct
{
  guint64 before;       /* rate before it was given up, bit/s; 0: none was */
  guint64 floor;        /* rate that is kept beside rivals, bit/s; 0: there are none */
  FaspTime floor_until; /* how long it is kept */
  guint empty;          /* times in a row that no queue was seen */
  FaspTime calm_since;  /* since when no queue has stood; 0: one does */
} FaspYield;

/* A queue stands, and @rate, bit/s, is about to fall. */
void fasp_yield_begin (FaspYield *yield, guint64 rate);
/* The queue is that of rivals. @arrives: bit/s of ours that arrive. */
void fasp_yield_keep (FaspYield *yield, FaspTime now, gdouble arrives);
/* There are no rivals. */
void fasp_yield_let_go (FaspYield *yield);
/* There was no queue either. */
void fasp_yield_forget (FaspYield *yield, FaspTime now);
/* Does a queue stand at @now? */
void fasp_yield_look (FaspYield *yield, FaspTime now, gboolean stands);
/* How long none has stood, µs. */
FaspTime fasp_yield_get_calm (const FaspYield *yield, FaspTime now);

G_END_DECLS
