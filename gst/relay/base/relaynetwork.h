/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaynetwork.h: which strangers share a limit: those of one network, which is an IPv4 address or
 * an IPv6 /48.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the number of an address's network, which is not 0. @address: @size bytes, 4 or 16, as in
 * sockaddr_in or sockaddr_in6; an IPv4 address may be mapped to IPv6. */
guint64 relay_network_get (const void *address, gsize size);
/* May a network that has @n places have another one, of which @room are free?  It has one for each
 * eight places that are free, and one if any is: so the more networks call, the fewer places each
 * has. */
gboolean relay_network_may_have (guint n, guint room);

/* Is it an IPv4 address that is mapped to IPv6? */
gboolean relay_network_is_mapped (const void *address, gsize size);

G_END_DECLS
