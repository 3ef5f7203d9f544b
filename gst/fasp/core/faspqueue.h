/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspqueue.h: how long packets wait on their way to the peer.
 *
 * A packet's one-way delay is its arrival by the peer's clock less its departure
 * by ours; the clocks' offset is unknown, so only differences count.  What a flow's
 * delay is above the least of the last FASP_QUEUE_WINDOW to twice as much is its
 * queueing delay: in that time a clock that is wrong by 100 ppm, or a path that has
 * become longer, is wrong by a millisecond or forgotten.  What becomes less all the time is a
 * queue that drains, however long it takes: meanwhile the least before it is kept.
 *
 * A queue grows, or is there at once because somebody was busy and goes at once.  So what
 * makes the delay longer from one packet to the next, and for as long as it made it longer, is
 * a longer path:
 *
 *     delay          .------------        path: the least is as it is now
 *              ______|
 *
 *                    |\
 *              ______| \_________         a busy host
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_QUEUE_WINDOW (5 * FASP_SEC)

typedef struct
{
  gboolean measured;
  FaspTime least, least_before; /* one-way delays, of this window and the last */
  FaspTime early;               /* the least of the first half of this window */
  FaspTime since;               /* this window */
  FaspTime last_sent, last_delay;
  FaspTime jump;                /* that it became longer at once; 0: it did not, */
  FaspTime jump_sent, jump_from, jump_least;    /* since when, from what, and the
                                   least since */
} FaspQueue;

/* A packet that left at @sent arrived at @arrived of the peer's clock. Returns its
 * queueing delay, 0 or more. */
FaspTime fasp_queue_add (FaspQueue * queue, FaspTime sent, FaspTime arrived);

G_END_DECLS
