/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsockets.h: the sockets of an endpoint, one for each flow, and waiting for them. A
 * socket's number is the `socket' in its addresses (FaspAddress).
 */
#pragma once

#include "faspsocket.h"

G_BEGIN_DECLS

typedef struct _FaspSockets FaspSockets;

/* Opens @n sockets, or none if one fails. */
FaspSockets *fasp_sockets_new (const FaspSocketSettings *settings, guint n, GError **error);
void fasp_sockets_free (FaspSockets *sockets);

guint fasp_sockets_count (const FaspSockets *sockets);
FaspSocket *fasp_sockets_get (const FaspSockets *sockets, guint number);
/* The sockets' descriptors, by socket number. */
const gint *fasp_sockets_get_fds (const FaspSockets *sockets);

/* Is any socket bound to an interface? */
gboolean fasp_sockets_have_interfaces (const FaspSockets *sockets);
void fasp_sockets_follow_interfaces (FaspSockets *sockets);

/* The smallest receive buffer of the sockets, in bytes. */
gsize fasp_sockets_get_buffer (const FaspSockets *sockets);
/* Asks for @wanted bytes of buffer for each socket; returns the least that was granted. */
gsize fasp_sockets_set_buffer (FaspSockets *sockets, gsize wanted);

/* Waits until one of @which (a bit each) or @other can be read, or @blocked (a socket; -1: none)
 * can be written to; at most for @timeout; FASP_NEVER: without limit. Returns the sockets that can
 * be read, a bit each. *other_ready: @other can be read. If poll() fails, all count as readable. */
guint64 fasp_sockets_wait (FaspSockets *sockets, guint64 which, gint other, gboolean *other_ready,
    gint blocked, FaspTime timeout);

G_END_DECLS
