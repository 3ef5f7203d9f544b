/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspoffer.h: what a source is offered that has less than the rate.
 *
 * Pulses find out nothing then; but it may follow what it is offered, as an encoder does.  So that is
 * more than what passes, by as much as may be risked: FASP_OFFER_MOST times that at most; up to
 * nearly where a queue has grown before by a tenth at a time, and from there on by little, and then
 * more and more.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_OFFER_MOST 2

typedef struct
{
  gdouble ceiling;              /* bit/s above which a queue grew last; 0: none */
  gdouble step;                 /* of the next offer beyond it, a share */
} FaspOffer;

/* Nothing is known of a queue, any more. */
void fasp_offer_init (FaspOffer * offer);
/* One has grown at more than @rate, bit/s. */
void fasp_offer_limit (FaspOffer * offer, gdouble rate);
/* What is offered after @last; @most at most, of which @last is less.  @rtt: µs. */
gdouble fasp_offer_next (FaspOffer * offer, gdouble last, gdouble most,
    FaspTime rtt);

G_END_DECLS
