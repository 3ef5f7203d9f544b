/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspqueue.h: the queueing delay of packets on their way to the peer.
 *
 * A packet's one-way delay is its arrival by the peer's clock less its departure by ours.  The
 * clocks' offset is unknown, so only differences count.  A flow's queueing delay is its delay above
 * the least one of the last FASP_RATE_MEMORY / 2 to FASP_RATE_MEMORY.  In that time a clock error
 * of 100 ppm adds an error of a millisecond; after it, the delay of a path that has become longer
 * counts as the least.  While the delay falls all the time, a queue drains, and the earlier least
 * delay is kept.
 *
 * A queue usually grows gradually.  If it appears at once, either a host was busy, and it
 * disappears at once, or a link paused, and it drains when less is sent.  So if the delay jumps
 * from one packet to the next, and stays although less was sent for long enough, the path has
 * become longer:
 *
 *     delay          .------------        a jump; a longer path, if a drain did not
 *              ______|                    shorten it
 *
 *                    |\
 *              ______| \_________         a busy host
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean measured;
  FaspTime least, least_before; /* least one-way delay in this window, and in the one before */
  FaspTime early;               /* the least of the first half of this window */
  FaspTime since;               /* start of this window */
  FaspTime last_sent, last_delay;
  FaspTime jump;                             /* how far the delay jumped; 0: it did not */
  FaspTime jump_sent, jump_from, jump_least; /* time of the jump, the delay before it, and the least
                                                delay since */
} FaspQueue;

/* A packet that left at @sent arrived at @arrived by the peer's clock.  Returns its
 * queueing delay, 0 or more. */
FaspTime fasp_queue_add (FaspQueue *queue, FaspTime sent, FaspTime arrived);

/* How far the delay jumped before @time, if it has stayed up since; else 0. */
FaspTime fasp_queue_get_jump (const FaspQueue *queue, FaspTime time);
/* The jump was not a queue: the path has become longer by it.  Returns the queueing delay of the
 * last packet on the longer path. */
FaspTime fasp_queue_take_jump (FaspQueue *queue);

G_END_DECLS
