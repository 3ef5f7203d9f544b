/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppolicer.h: does a policer cause the losses, and which rate does it let through?
 *
 * A policer is a token bucket without a queue.  It drops what exceeds its rate once the bucket is
 * empty, and no delay warns of that.  At each loss no token is left.  So what arrives between two
 * losses is what the tokens allow, however fast it left, and the rate of the policer is
 *
 *     bytes that arrived between / time between
 *
 * if the losses are in a row: no further apart than it takes to send again what was lost.  The rate
 * is not less than what has passed in the last seconds, without outages.
 *
 * Chance loses packets that leave slowly, too.  So there is a policer if packets that left faster
 * than that rate, of late, were lost so much more often than slower ones that chance, which loses
 * in bursts of b = 8, does not explain it:
 *
 *     lost > 5 b + e + 4 sqrt (e b (1 + r)),  e = (lost_slow + 0.5) r,  r = told / told_slow
 *
 * The same must hold (with b = 1) for the row.  If next to nothing left slowly, a simpler test
 * does.  And no queue may have grown meanwhile: a queue that overflows explains losses without a
 * policer.  Sending at the rate found then shows whether it was right.  If a third as many packets
 * are lost nevertheless, the cause was chance or others, and no policer is looked for before
 * FASP_POLICER_DENIED has passed.
 *
 * The path may change, so the sender tries more after a while: the longer, the more often that was
 * in vain.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

#define FASP_POLICER_DENIED (10 * FASP_SEC)

typedef struct
{
  gdouble told, lost; /* packets */
} FaspPolicerCount;

/* All 0: nothing is known. */
typedef struct
{
  /* the current stretch of packets, and the packet that it begins with */
  FaspRateSample from;
  FaspPolicerCount stretch;
  gboolean queued;
  /* a row: stretches, from one that lost packets to the last that did */
  FaspRateSample first, last;
  FaspPolicerCount row;
  FaspTime lossy;                /* time of the row in stretches with losses */
  FaspPolicerCount slow;         /* what left more slowly than the guess, of late, */
  FaspPolicerCount fast;         /* and what left faster; */
  FaspTime since;                /* when both were last halved */
  gdouble passed, passed_before; /* bytes that arrived while there were some to send, */
  FaspTime took, took_before;    /* and how long that took */
  gdouble guess;                 /* bit/s that a policer may let through; 0: none */
  FaspTime guessed;
  gdouble rate;                 /* bit/s that one lets through; 0: there is none */
  FaspTime found, hold;         /* when, and how long not to try more */
  gdouble share;                /* share lost when it was found */
  FaspPolicerCount since_found; /* what has left no faster since */
  FaspTime denied;              /* when it turned out to be none; 0: never */
} FaspPolicer;

/* @told more packets were reported, of which @lost are lost; @newest is the newest that arrived.
 * @queued: they have waited in a queue.  TRUE: a policer was found, its rate has changed, or it
 * turned out to be none. */
gboolean fasp_policer_add (FaspPolicer *policer, FaspTime now, FaspTime rtt,
    const FaspRateSample *newest, guint64 told, guint64 lost, gboolean queued);
/* The most that may be sent, bit/s; G_MAXDOUBLE: there is no limit. */
gdouble fasp_policer_get_most (const FaspPolicer *policer, FaspTime now);

G_END_DECLS
