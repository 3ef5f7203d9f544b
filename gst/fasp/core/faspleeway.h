/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspleeway.h: by how much a path's delay may grow before that is taken for a queue of ours.
 *
 * A delay that has fallen by itself (faspwander.h) will rise again.  But whoever takes all there is,
 * or follows what he is offered, as an encoder does, makes the delay of others fall, and they his:
 * taking that for the path's own they would fill the queue.  So it is believed of a source only
 *
 * - that has less than it might: what passes says so, for FASP_LEEWAY_LIMITED;
 * - or that writes more than it is offered, all by itself (faspsource.h), but no more than has found
 *   room of late: what is live and behind for a moment.  What is more than the path has ever carried
 *   is late for good, whatever is believed;
 *
 * and at first of everyone, as it is not known what the source is.
 */
#pragma once

#include "fasprate.h"
#include "faspwander.h"

G_BEGIN_DECLS

#define FASP_LEEWAY_FIRST (4 * FASP_SEC)
#define FASP_LEEWAY_LIMITED (20 * FASP_SEC)
/* That is of late: until as much later, and twice that at most. */
#define FASP_LEEWAY_WINDOW (10 * FASP_SEC)

typedef struct
{
  FaspWander ways[FASP_FLOWS_MAX];
  guint n;                      /* of these that were told of, at most */
  FaspTime until;               /* it is believed */
  guint64 rate, rate_before;    /* bit/s, the most of this window and the last; */
  FaspTime since;               /* this one */
} FaspLeeway;

void fasp_leeway_init (FaspLeeway * leeway, FaspTime now);
/* A packet of that flow arrived. @noise: µs that delays spread by anyway. */
void fasp_leeway_add (FaspLeeway * leeway, guint flow,
    const FaspRateSample * sample, gdouble noise);
/* The source writes @wrote bit/s by itself (0: not known), is offered @offer, and the path is taken
 * to have room for @rate. */
void fasp_leeway_look (FaspLeeway * leeway, FaspTime now, guint64 wrote,
    guint64 offer, guint64 rate);
/* The source has no more than passes. */
void fasp_leeway_limited (FaspLeeway * leeway, FaspTime now);
/* It was a queue. */
void fasp_leeway_forget (FaspLeeway * leeway);
/* Is it believed of this source? */
gboolean fasp_leeway_is_believed (const FaspLeeway * leeway, FaspTime now);
/* µs, of the way that falls by most. */
gdouble fasp_leeway_get (const FaspLeeway * leeway, FaspTime now);

G_END_DECLS
