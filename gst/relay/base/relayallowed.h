/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayallowed.h: which addresses may connect: a list of addresses and networks.
 *
 * An address that is not in the list is refused before anything else is done for it; a caller of
 * fasp is refused behind its handshake, which names the stream whose list counts.  An IPv4 address
 * that is mapped to IPv6, as a port for both kinds has it, counts as the IPv4 address.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define RELAY_ALLOWED_MAX 64 /* of a list; each datagram of UDP is compared with all of them */

/* Returns GInetAddressMask; NULL: there are none, too many, or one is wrong. @texts: ADDRESS or
 * ADDRESS/BITS. */
GPtrArray *relay_allowed_parse (gchar *const *texts);
/* @allowed: NULL: all addresses. @address: NULL: not known, which only that list has. */
gboolean relay_allowed_has (const GPtrArray *allowed, GInetAddress *address);
/* The same of an address with its port. */
gboolean relay_allowed_has_socket (const GPtrArray *allowed, GSocketAddress *address);
/* Have both the same addresses, in the same order? */
gboolean relay_allowed_is_same (const GPtrArray *a, const GPtrArray *b);

G_END_DECLS
