/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppolicer.h: does a policer cause the losses, and which rate does it let through?
 *
 * A policer drops what exceeds its rate, without a queue, so no delay tells of it.  But whatever is
 * sent, as much arrives.  So there is one if, in two intervals one after the other, a fifth or more
 * is lost and the same rate arrives.  This is BBR's long-term rate
 * (draft-cardwell-iccrg-bbr-congestion-control-00; Linux's tcp_bbr.c has the same figures).  The
 * rate is believed for some round trips, and for twice as many each time that it is found again.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* All 0: nothing is known. */
typedef struct
{
  guint hold;         /* round trips for which one is believed in; 0: none is */
  guint held;         /* as many, when it was found last */
  gdouble rate;       /* bit/s that it let through then */
  guint rounds;       /* of the interval so far */
  FaspTime since;     /* when it began, */
  guint64 seen;       /* and the bytes reported by then */
  gdouble told, lost; /* packets reported in it, and lost */
  gdouble arrived;    /* bit/s in the interval before, if it lost as much; else 0 */
} FaspPolicer;

/* @told more packets were reported, of which @lost are lost, other than by chance. */
void fasp_policer_add (FaspPolicer *policer, gdouble told, gdouble lost);
/* A round trip is over; @seen bytes were reported so far.  TRUE: there is a policer, which lets
 * *rate bit/s through. */
gboolean fasp_policer_end_round (FaspPolicer *policer, FaspTime now, guint64 seen, gdouble *rate);
/* Is no more to be tried? */
static inline gboolean
fasp_policer_is_known (const FaspPolicer *policer)
{
  return policer->hold > 0;
}

G_END_DECLS
