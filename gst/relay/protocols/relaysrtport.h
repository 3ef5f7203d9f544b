/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysrtport.h: UDP ports at which SRT ends listen, and which end there a caller calls.
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
 *   - another sender takes over from one that is silent, when its handshake has succeeded; or
 *     stands by until the first is silent or has gone (second-caller=standby, relaysrtend.h);
 *   - all ends that dial share a UDP port, so that libsrt has two threads for all of them. No SRT
 *     runs before something answers (relaydial.h), and no pipeline before it is connected.
 */
#pragma once

#include "relaysrtend.h"

G_BEGIN_DECLS

typedef struct _RelaySrtPort RelaySrtPort;

/* Under the work, which it may give up meanwhile: lets callers call the end.  FALSE: the port
 * cannot be opened.  @error: a sentence. */
gboolean relay_srt_port_join (RelaySrtEnd *end, GError **error);
/* Under the work: no caller calls the end any more.  Returns its port, if it was the last one there
 * and listens; relay_srt_port_close() it. */
RelaySrtPort *relay_srt_port_leave (RelaySrtEnd *end);
/* Without the work. */
void relay_srt_port_close (RelaySrtPort *port);

G_END_DECLS
