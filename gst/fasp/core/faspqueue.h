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
 * A queue grows; is there at once because a host was busy, and goes at once; or because a link
 * paused, and goes when less is sent.  So what makes the delay longer from one packet to the
 * next, and stays when less has been sent for so long, is a longer path:
 *
 *     delay          .------------        a jump; a path, if that has been emptied
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

/* It came to be so much longer at once before @time, and still is; 0: it did not. */
FaspTime fasp_queue_get_jump (const FaspQueue * queue, FaspTime time);
/* That was no queue: it is as long as that without one. Returns the delay of the last packet
 * beyond it. */
FaspTime fasp_queue_take_jump (FaspQueue * queue);

/* Of what was waited last, so much was the path's. */
void fasp_queue_lengthen (FaspQueue * queue, FaspTime by);

G_END_DECLS
