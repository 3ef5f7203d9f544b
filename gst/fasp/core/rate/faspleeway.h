/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspleeway.h: by how much a path's delay may grow before that is taken for a queue of ours.
 *
 * A delay that has fallen by itself (faspwander.h) will rise again.  But senders that take all
 * there is, or follow their offer, as an encoder does, make each other's delay fall.  If they took
 * that for the path's own behaviour, they would fill the queue.  So a falling delay is believed
 * only for a source
 *
 * - that sends less than it might, as what passes shows: for FASP_LEEWAY_LIMITED;
 * - or that writes more than its offer at a rate of its own (faspsource.h), but no more than has
 *   found room of late: a live source that is behind for a moment.  A source that exceeds what the
 *   path has ever carried is late for good, whatever is believed.
 *
 * At first it is believed for every source, as nothing is known about it.
 */
#pragma once

#include "fasprate.h"
#include "faspwander.h"

G_BEGIN_DECLS

#define FASP_LEEWAY_FIRST (4 * FASP_SEC)
#define FASP_LEEWAY_LIMITED (20 * FASP_SEC)
/* How long a rate is one of late: for this time, and twice that at most. */
#define FASP_LEEWAY_WINDOW (10 * FASP_SEC)

typedef struct
{
  FaspWander ways[FASP_FLOWS_MAX];
  guint n;                   /* the flows in use are below this */
  FaspTime until;            /* a falling delay is believed until then */
  guint64 rate, rate_before; /* bit/s, the most of this window and of the last */
  FaspTime since;            /* start of this window */
} FaspLeeway;

void fasp_leeway_init (FaspLeeway *leeway, FaspTime now);
/* A packet of @flow arrived.  @noise: µs that delays spread by anyway. */
void fasp_leeway_add (FaspLeeway *leeway, guint flow, const FaspRateSample *sample, gdouble noise);
/* The source writes @wrote bit/s at a rate of its own (0: not known) and is offered @offer; the
 * path is taken to have room for @rate. */
void fasp_leeway_look (FaspLeeway *leeway, FaspTime now, guint64 wrote, guint64 offer,
    guint64 rate);
/* The source has no more than passes. */
void fasp_leeway_limited (FaspLeeway *leeway, FaspTime now);
/* The delay was a queue: a falling delay is not believed any more. */
void fasp_leeway_forget (FaspLeeway *leeway);
/* Is a falling delay believed for this source? */
gboolean fasp_leeway_is_believed (const FaspLeeway *leeway, FaspTime now);
/* The leeway in µs: that of the flow whose delay falls by most.  0 if it is not believed. */
gdouble fasp_leeway_get (const FaspLeeway *leeway, FaspTime now);

G_END_DECLS
