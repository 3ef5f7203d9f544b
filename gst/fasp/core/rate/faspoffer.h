/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspoffer.h: the offer to a source that has less than the rate.
 *
 * Pulses find out nothing then; but the source may follow its offer, as an encoder does.  So the
 * offer exceeds what passes, by as much as may be risked, and is FASP_OFFER_MOST times that at
 * most.  It rises by a tenth at a time up to nearly where a queue has grown before; from there on
 * by little at first, and then more and more.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_OFFER_MOST 2

typedef struct
{
  gdouble ceiling; /* bit/s above which a queue grew last; 0: none */
  gdouble step;    /* next rise above the ceiling, as a share */
} FaspOffer;

/* No queue is known (any more). */
void fasp_offer_init (FaspOffer *offer);
/* A queue grew above @rate, bit/s. */
void fasp_offer_limit (FaspOffer *offer, gdouble rate);
/* The offer after @last, bit/s, and no more than @most; @last must be less than @most.
 * @rtt: µs. */
gdouble fasp_offer_next (FaspOffer *offer, gdouble last, gdouble most, FaspTime rtt);

G_END_DECLS
