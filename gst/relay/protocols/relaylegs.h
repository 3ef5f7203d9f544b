/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaylegs.h: an end of RTP of two legs (SMPTE ST 2022-7), the same packets by two networks, or
 * with repairs of each leg (SMPTE ST 2022-1, relayfec.h).
 *
 *     an input:    udpsrc   --.
 *                             +--> merge (relaymerge.h) --> appsrc --> ...
 *                  udpsrc 2 --'
 *                             '--> recovers what is lost, from what comes to udpsrcs of repairs
 *
 *     an output:   ... --> tee --> udpsink
 *                             '--> udpsink 2
 *
 *     its leg:     ... --> rtpst2022-1-fecenc --> udpsink, and others of repairs
 */
#pragma once

#include "relaychain.h"
#include "relayfec.h"
#include "relaymerge.h"

G_BEGIN_DECLS

/* What is before the names of the second leg's elements; those of the first one's are in the
 * protocol's class. */
#define RELAY_LEGS_SECOND "leg2-"
/* What a leg of an input receives, in the order of its ports; a leg of an output has such sinks. */
#define RELAY_LEGS_COLUMNS "fec-columns"
#define RELAY_LEGS_ROWS "fec-rows"
#define RELAY_LEGS_PARTS (RELAY_MERGE_LEGS * RELAY_FEC_PORTS)
#define RELAY_LEGS_LATENCY 200 /* ms: what `latency' is by default, that of rtpjitterbuffer */

/* Does the end merge its legs, or recover packets? */
gboolean relay_legs_merges (const RelayProtocolUri *protocol_uri);
/* Adds a bin of all legs' elements.  @parts: RELAY_LEGS_PARTS, floating; NULL: there is none, or it
 * is missing.  @caps: of an input's packets; NULL: it is an output.  NULL: an element is missing.
 */
GstElement *relay_legs_new (RelayChain *chain, GstElement *const *parts, const gchar *caps);
/* Returns a leg of an output that sends repairs, too: a floating reference.  @sinks:
 * RELAY_FEC_PORTS, floating.  @fec: its key.  NULL: an element is missing. */
GstElement *relay_legs_repair (RelayChain *chain, GstElement *const *sinks, const gchar *fec);
/* Makes an input merge its legs, before it starts.  @legs: the bin.  @refused: called for each
 * datagram that is none of the stream, in a thread of the bin, which @protocol_uri and @data
 * outlive. */
void relay_legs_watch (GstElement *legs, const RelayProtocolUri *protocol_uri,
    void (*refused) (gpointer data), gpointer data);
/* By how many ms one leg of an input may be later than the other. */
guint64 relay_legs_get_latency (const RelayProtocolUri *protocol_uri);
/* Does this leg of an input bring packets? @leg: from 0. */
gboolean relay_legs_hears (GstElement *legs, guint leg);
/* Adds `source-list', a row for each leg if there are two, and what all have received to @peer. */
void relay_legs_add_figures (GstElement *legs, const RelayProtocolUri *protocol_uri,
    GstStructure *stats, GstStructure *peer);

G_END_DECLS
