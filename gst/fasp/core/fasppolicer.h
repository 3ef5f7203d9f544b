/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppolicer.h: is what is lost lost by a policer, and which rate does that let through?
 *
 * A policer is a token bucket without a queue: what comes faster than its rate is lost once the bucket is
 * empty, and no delay tells of it beforehand.  At each loss no token is left.  So between two losses
 * arrives what its tokens are for, however fast it left, and the rate of the policer is
 *
 *     bytes that arrived between / time between
 *
 * where losses are in a row: no further apart than it takes to send again what was lost.  It is not less than
 * what has passed in the last seconds, without outages.
 *
 * Chance loses of what leaves slowly, too.  So it is a policer if so many more are lost of what has left faster
 * than that, of late, than of what left more slowly that it cannot be by chance, that loses in bursts of b = 8,
 *
 *     lost > 5 b + e + 4 sqrt (e b (1 + r)),  e = (lost_slow + 0.5) r,  r = told / told_slow
 *
 * and (with b = 1) of the row; or if next to nothing left slowly; and if no queue grew meanwhile, which
 * overflows and needs no policer.  Whoever sends at the rate found then sees whether it was right: if a third
 * as many are lost nevertheless, it was chance or others, and not before FASP_POLICER_DENIED is one looked for
 * again.
 *
 * As the path may change, more is tried after a while: the later, the more often it was found in vain.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

#define FASP_POLICER_DENIED (10 * FASP_SEC)

typedef struct
{
  gdouble told, lost;           /* packets */
} FaspPolicerCount;

/* All 0: nothing is known. */
typedef struct
{
  /* a stretch of packets, from that one on */
  FaspRateSample from;
  FaspPolicerCount stretch;
  gboolean queued;
  /* stretches, from one that lost some to the last that did: a row */
  FaspRateSample first, last;
  FaspPolicerCount row;
  FaspTime lossy;               /* of that time in stretches that did */
  FaspPolicerCount slow;        /* what left more slowly than the guess, of late, */
  FaspPolicerCount fast;        /* and less slowly; */
  FaspTime since;               /* halved then */
  gdouble passed, passed_before;        /* bytes that arrived, while there were some to send, */
  FaspTime took, took_before;   /* and how long that was */
  gdouble guess;                /* bit/s that it lets through, maybe; 0: none */
  FaspTime guessed;
  gdouble rate;                 /* the same, for sure; */
  FaspTime found, hold;         /* when, and how long nothing more is tried */
  gdouble share;                /* that was lost then, */
  FaspPolicerCount since_found; /* and that left no faster, since */
  FaspTime denied;              /* it was none; 0: never */
} FaspPolicer;

/* @told packets more are told of, of which @lost are lost; @newest of those that arrived.  @queued: they
 * have waited in a queue.  TRUE: what is let through was found, or found to be less or more. */
gboolean fasp_policer_add (FaspPolicer * policer, FaspTime now, FaspTime rtt,
    const FaspRateSample * newest, guint64 told, guint64 lost, gboolean queued);
/* Bit/s that may be sent; G_MAXDOUBLE: any. */
gdouble fasp_policer_get_most (const FaspPolicer * policer, FaspTime now);

G_END_DECLS
