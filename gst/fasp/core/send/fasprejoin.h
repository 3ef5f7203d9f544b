/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprejoin.h: rejoin hysteresis: when a receiver that did not hear its group may become a member
 * again.
 *
 *     away --hears it--> trial --for the hold, and half of it--> TRUE: a member
 *      ^                   |                                        |
 *      '---hears nothing---+-------------- leaves -----------------'
 *
 * In a trial it must hear the group for the whole hold, and at least half of the packets. The hold
 * doubles when the receiver has to leave soon after it came back. So it changes between group and
 * unicast no more often than
 *
 *     sum of FIRST 2^i <= time
 *
 * allows, and in the long run no more than once in FASP_REJOIN_MOST. */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_REJOIN_FIRST (5 * FASP_SEC)
#define FASP_REJOIN_MOST (64 * FASP_REJOIN_FIRST)
/* A receiver that has to leave again within this time came back too soon. */
#define FASP_REJOIN_SOON (60 * FASP_SEC)

/* All zero: the receiver was never away. */
typedef struct
{
  FaspTime hold;        /* how long the next trial takes; µs */
  FaspTime since;       /* when the trial began; FASP_NEVER: there is none */
  guint64 pn, received; /* what the receiver had reported when the trial began */
  FaspTime returned;    /* when it last came back; 0: never */
} FaspRejoin;

/* The receiver has left its group, as it does not hear it any more. */
void fasp_rejoin_left (FaspRejoin *r, FaspTime now);
/* The receiver reports that it has @received packets of the group, @pn the newest.  @hears: that
 * packet is recent.  TRUE: it is a member again. */
gboolean fasp_rejoin_feedback (FaspRejoin *r, FaspTime now, gboolean hears, guint64 pn,
    guint64 received);

G_END_DECLS
