/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhttpsocket.h: the socket at which a web server listens: of TCP, or a UNIX socket.
 *
 * libmicrohttpd could make it, but does not report why it could not (up to 0.9, errno is left as it
 * was by chance; 1.0 changes it on its way out).
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* @error: G_IO_ERROR, e.g. _ADDRESS_IN_USE. */
GSocket *relay_http_socket_new (GSocketAddress *address, GError **error);

G_END_DECLS
