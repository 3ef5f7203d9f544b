/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaycounters.h: the counters of a stream's ends, which go on when an end is made anew.
 *
 * An element counts from 0.  When its end, or the whole stream, starts anew (a new configuration,
 * an error, the end of the stream), another element takes its place: what the one before had
 * counted is added to what that counts.  Counters of peers are not touched, they are those of a
 * connection.
 */
#pragma once

#include "relaybranch.h"

G_BEGIN_DECLS

typedef struct _RelayCounters RelayCounters;

RelayCounters *relay_counters_new (void);
void relay_counters_free (RelayCounters *counters);

/* Adds what earlier elements of this end counted to @stats, and remembers what this one has: call
 * it once more before it ends.  What @stats lack, they still do; without an element, they have the
 * callers that those before refused.  May be called from any thread. */
void relay_counters_follow (RelayCounters *counters, RelayEndStats *stats);
/* Forgets the outputs that are not among @outputs (RelayEnd). */
void relay_counters_keep (RelayCounters *counters, GPtrArray *outputs);

G_END_DECLS
