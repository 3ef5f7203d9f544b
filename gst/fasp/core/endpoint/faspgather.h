/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgather.h: small writes are gathered, so that each does not cost a datagram.
 *
 * A block that a small write opens is held back until it is full, for as long as a block takes to
 * fill at the rate of the stream, if that is short compared with the latency:
 *
 *     due - begun = fill time <= min (latency / 20, 50 ms);   a longer fill time: it leaves at once
 *
 * A write of half a block or more is never held back, and lets go of what is.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* The longest time that bytes are held back: more would be noticed, also with a long latency. */
#define FASP_GATHER_MAX (50 * FASP_MSEC)
/* Of the latency, this part may be used; a retransmission takes a round trip of it. */
#define FASP_GATHER_SHARE 20

/* Of @size bytes some were put into the store, whose head was @head before.  FALSE: there is
 * nothing new to send. */
gboolean fasp_gather_written (FaspEndpoint *endpoint, FaspTime now, guint64 head, gsize size);
/* What is held back may leave: something follows that belongs to the next block. */
void fasp_gather_end (FaspEndpoint *endpoint, FaspTime now);
void fasp_gather_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_gather_get_time (FaspEndpoint *endpoint);

G_END_DECLS
