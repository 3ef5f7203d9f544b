/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysourcestats.h: the statistics of an input with several sources (relaybackups.h), from which
 * of them is used (relayfailover.h), and the statistics of the element of each.
 */
#pragma once

#include "relayfailover.h"

G_BEGIN_DECLS

/* Describes source @i, for `source-list'. @used: its bytes that went on. */
GstStructure *relay_source_stats_describe (const RelayFailover *failover, guint i,
    const gchar *name, guint64 used, gint64 now);
/* Sets which source is used, since when, and why, in a sentence and in a word. */
void relay_source_stats_set_lead (GstStructure *all, const RelayFailover *failover, gint64 now);
/* Adds what the element of a source counts to @all, why it gives nothing to @source, which was
 * described, and its senders to @callers.  Returns how many of these are heard. */
guint relay_source_stats_add (GstStructure *all, GstStructure *source, GPtrArray *callers,
    const GstStructure *its);
/* Does this sender of `callers' give the stream its media?  One that stands by, or is not heard any
 * more, does not. */
gboolean relay_source_stats_is_heard (const GstStructure *caller);

G_END_DECLS
