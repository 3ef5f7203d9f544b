/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysrtcall.h: calls: of a caller from its first handshake on, of an end that dials.
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

#include "relaysrtend.h"

G_BEGIN_DECLS

/* Callers at a port that are let in or held, or were, and whose buffers libsrt still has. */
#define RELAY_SRT_LET_IN_MAX 64

/* In any thread: has the listener room for this caller?  Each network has a share of it
 * (relaynetwork.h): 16 of them leave some to others, 22 do not. */
gboolean relay_srt_call_has_room (SRTSOCKET listener, GSocketAddress *address);
/* In any thread: a caller has proved its address.  @reason: why it is refused, which SRT's thread
 * reports, as this one must not wait; NULL: it is let in.  @stray: its streamid is that of no end:
 * @end was there first. */
void relay_srt_call_add (SRTSOCKET listener, SRTSOCKET socket, RelaySrtEnd *end,
    GSocketAddress *address, const gchar *streamid, const gchar *reason, gboolean stray);
/* In any thread: answers relay_protocol_pipeline_asks(), as decide() of relayprotocol.h. */
void relay_srt_call_decide (guint64 caller, const gchar *refusal);

/* Under the work: dials.  @uri: the end's, with an address as host.  @error: a sentence. */
gboolean relay_srt_call_dial (RelaySrtEnd *end, const RelayProtocolUri *uri, GError **error);
/* Under the work: starts SRT's thread, once, which handles the calls. */
gboolean relay_srt_call_start (GError **error);
/* Under the work: ends all calls of an end. */
void relay_srt_call_end_all (RelaySrtEnd *end);
/* Under the work: does an end dial from this UDP port? */
gboolean relay_srt_call_comes_from (guint port);

G_END_DECLS
