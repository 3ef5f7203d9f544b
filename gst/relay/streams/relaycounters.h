/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaycounters.h: the counters of a stream's ends, which go on when an end is made anew.
 *
 * An element counts from 0.  When its end, or the whole stream, starts anew (a new configuration,
 * an error, the end of the stream), another element takes its place, and its counters are shown
 * with those of the earlier elements added.  Counters of peers are not changed, as they belong to a
 * connection.
 */
#pragma once

#include "relaybranch.h"

G_BEGIN_DECLS

typedef struct _RelayCounters RelayCounters;

RelayCounters *relay_counters_new (void);
void relay_counters_free (RelayCounters *counters);

/* Adds the counts of earlier elements of this end to the counters in @stats, and remembers those of
 * the present one, so it must be called once more before that ends. While the end has no element,
 * `refused' is that of earlier ones.  May be called from any thread. */
void relay_counters_follow (RelayCounters *counters, RelayEndStats *stats);
/* Forgets the outputs that are not among @outputs (RelayEnd). */
void relay_counters_keep (RelayCounters *counters, GPtrArray *outputs);

G_END_DECLS
