/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysummary.h: the figures that the relay's page shows, as JSON.
 *
 * The summary is short, however many receivers there are: of each output it names the eight that
 * are furthest behind.  The page asks for the others when its reader wants to see them.
 */
#pragma once

#include "relayhistory.h"

G_BEGIN_DECLS

#define RELAY_SUMMARY_RECEIVERS 8

/* @happened: number of the newest event.  @now: µs, monotonic.  @utc: µs, added to such times:
 * when the clock is set, all times move with it. */
gchar *relay_summary_to_json (const RelayStats *stats, const RelayHistory *history,
    guint64 happened, gint64 now, gint64 utc);
/* Returns all receivers of an output, each with few figures. */
gchar *relay_summary_list_receivers (const RelayEndStats *output, RelayRates rates);
/* Returns all figures of one receiver. NULL: it is not there. */
gchar *relay_summary_describe_receiver (const RelayEndStats *output, RelayRates rates,
    const gchar *address);

G_END_DECLS
