/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysrtsocket.h: a socket of libsrt: the settings of an end, where it is bound, its figures.
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>
#include <srt/srt.h>
#include "relayprotocoluri.h"

G_BEGIN_DECLS

/* Makes a socket that never blocks, in live mode. SRT_INVALID_SOCK, with which all else fails: the
 * interface cannot be set. */
SRTSOCKET relay_srt_socket_new (const RelayProtocolUri *protocol_uri);
/* Sets what may differ between ends at one port, until the handshake ends. FALSE: something cannot
 * be set, perhaps the passphrase. */
gboolean relay_srt_socket_set (SRTSOCKET socket, const RelayProtocolUri *protocol_uri);
/* @host: an address. */
gboolean relay_srt_socket_bind (SRTSOCKET socket, const gchar *host, guint port);
/* The same, to a port that nothing has, not even libsrt. Returns the UDP socket, which libsrt owns;
 * -1: it is not bound. */
gint relay_srt_socket_bind_own (SRTSOCKET socket, const gchar *host, guint port);
/* To be called before a listener of @fd is closed: libsrt 1.5.4 waits for ever if it handles a
 * handshake meanwhile (Haivision/srt, pull request 3189).  It gets no more datagrams, and has
 * handled all that it got.  The port is free. */
void relay_srt_socket_cut_off (gint fd);
/* From which port an end dials; 0: any. */
guint relay_srt_socket_get_local_port (const RelayProtocolUri *protocol_uri);
/* Does the URI say from which port or interface it dials, or that the peer does, too? */
gboolean relay_srt_socket_is_bound (const RelayProtocolUri *protocol_uri);
/* Binds a socket that dials to the port that the URI names, or to the one that all use. For one
 * thread at a time. */
gboolean relay_srt_socket_bind_dialling (SRTSOCKET socket, const RelayProtocolUri *protocol_uri);
/* Returns why a call to @peer has failed: a sentence. */
gchar *relay_srt_socket_explain (SRTSOCKET socket, GSocketAddress *peer);
/* The streamid that a caller has given. */
gchar *relay_srt_socket_get_streamid (SRTSOCKET socket);
/* Adds the fields of relayprotocol.h's add_figures() to a peer; of one that is not connected,
 * none. */
void relay_srt_socket_add_figures (SRTSOCKET socket, gboolean sends, GstStructure *peer);

G_END_DECLS
