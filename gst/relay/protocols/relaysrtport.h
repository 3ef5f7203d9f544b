/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysrtport.h: the sockets of all SRT ends, on libsrt, in one thread.
 *
 * Ends use libsrt itself, and not GStreamer's srtsrc and srtsink. These have a listener each, so no
 * two ends can share a port; they decide about a caller before its passphrase is compared, do not
 * tell the result, and block; each dials from a port of its own, for which libsrt has two threads
 * that wake a hundred times a second.  Here
 *
 *   - ends that name the same address and port share a listener.  A caller's streamid chooses the
 *     end before the handshake ends (srt_listen_callback); that end's passphrase and latency then
 *     hold, and a refusal has a code of SRT that the caller can read;
 *   - an end without a streamid takes every caller, and is alone at its port (relayports.h);
 *   - a streamid equal to that of an end chooses this end, an output before an input; one with keys
 *     (relaysrtname.h) chooses by name and mode;
 *   - another sender takes over from one that is silent, when its handshake has succeeded;
 *   - all ends that dial share a UDP port, so that libsrt has two threads for all of them. No SRT
 *     runs before something answers (relaydial.h), and no pipeline before it is connected.
 *
 * An end's media are in an appsrc or appsink of its pipeline.  Nothing waits for a peer: what
 * SRT's sending buffer has no room for is dropped, and counted.
 *
 *     let in --> held --> connected --> gone    (callers: libsrt compares passphrases first)
 *     dialled ----------------^
 *
 * libsrt's handshake cannot wait for the answer of a server.  So a caller is let in and held while
 * the server is asked about it: it gets nothing, its media are dropped as they come, and counted,
 * and it replaces no other sender.  So they neither fill SRT's buffer nor come late.  If the answer
 * is no, SRT ends the call.
 */
#pragma once

#include "relayprotocolpipeline.h"

G_BEGIN_DECLS

typedef struct _RelaySrtEnd RelaySrtEnd;

/* Dials, if the end does, and waits until it is connected, has failed, or is cancelled.
 * @protocol_uri: the pipeline's, with an address as host.  NULL: it is not connected. @error: a
 * sentence. */
RelaySrtEnd *relay_srt_end_open (RelayProtocolPipeline *pipeline,
    const RelayProtocolUri *protocol_uri, GCancellable *cancellable, GError **error);
/* Begins to listen, or to receive.  @element: an appsrc, or an appsink, which has to live until the
 * end is closed; when a dialled peer has gone, it posts an error.  FALSE: the port cannot be
 * opened, or the peer has gone meanwhile. @error: a sentence. */
gboolean relay_srt_end_start (RelaySrtEnd *end, GstElement *element, GError **error);
/* Sends what SRT still has to send, for a moment at most, and ends all calls.  The pipeline is not
 * used any more. */
void relay_srt_end_close (RelaySrtEnd *end);
/* Answers relay_protocol_pipeline_asks(), as decide() of relayprotocol.h. */
void relay_srt_port_decide (guint64 caller, const gchar *refusal);
RelaySrtEnd *relay_srt_end_ref (RelaySrtEnd *end);
void relay_srt_end_unref (RelaySrtEnd *end);
/* Sends a buffer to all callers; from the thread of the appsink. */
void relay_srt_end_send (RelaySrtEnd *end, GstBuffer *buffer);
/* Adds a GstStructure of each peer that is connected, as add_figures() of relayprotocol.h. */
void relay_srt_end_add_peers (RelaySrtEnd *end, GPtrArray *peers);

G_END_DECLS
