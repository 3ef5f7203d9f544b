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

/* Bytes are held back for this time at most: longer waits would be noticed even with a long
 * latency. */
#define FASP_GATHER_MAX (50 * FASP_MSEC)
/* Bytes are held back for at most 1 / FASP_GATHER_SHARE of the latency, as retransmissions need the
 * rest. */
#define FASP_GATHER_SHARE 20

/* Bytes of a write of @size were put into the store, whose head was @head before. FALSE: they are
 * held back, so there is nothing new to send. */
gboolean fasp_gather_written (FaspEndpoint *endpoint, FaspTime now, guint64 head, gsize size);
/* Releases the block that is held back, as the following bytes belong to another one. */
void fasp_gather_end (FaspEndpoint *endpoint, FaspTime now);
void fasp_gather_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_gather_get_time (FaspEndpoint *endpoint);

G_END_DECLS
