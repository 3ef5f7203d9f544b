/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaylegs.h: two legs of an end of RTP (SMPTE ST 2022-7): the same packets by two networks.
 *
 *     an input:    udpsrc   --.
 *                             +--> merge (relaymerge.h) --> appsrc --> ...
 *                  udpsrc 2 --'
 *
 *     an output:   ... --> tee --> udpsink
 *                             '--> udpsink 2
 */
#pragma once

#include "relaychain.h"

G_BEGIN_DECLS

/* The name of the second leg's element; the first one's is in the protocol's class. */
#define RELAY_LEGS_SECOND "leg2"
#define RELAY_LEGS_LATENCY 200 /* ms: what `latency' is by default, that of rtpjitterbuffer */

/* Adds a bin of both legs' elements, whose names are that of the factory and RELAY_LEGS_SECOND.
 * @legs: floating; NULL: missing.  @caps: of an input's packets; NULL: it is an output.  NULL: an
 * element is missing. */
GstElement *relay_legs_new (RelayChain *chain, GstElement *const *legs, const gchar *caps);
/* Makes an input merge its legs, before it starts.  @legs: the bin.  @refused: called for each
 * datagram that is none of the stream, in a thread of the bin, which @protocol_uri and @data
 * outlive. */
void relay_legs_watch (GstElement *legs, const RelayProtocolUri *protocol_uri,
    void (*refused) (gpointer data), gpointer data);
/* By how many ms one leg of an input may be later than the other. */
guint64 relay_legs_get_latency (const RelayProtocolUri *protocol_uri);
/* Does this leg of an input bring packets? @leg: from 0. */
gboolean relay_legs_hears (GstElement *legs, guint leg);
/* Adds `source-list', a row for each leg, and what both have received to @peer. */
void relay_legs_add_figures (GstElement *legs, const RelayProtocolUri *protocol_uri,
    GstStructure *stats, GstStructure *peer);

G_END_DECLS
