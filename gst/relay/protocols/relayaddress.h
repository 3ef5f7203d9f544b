/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayaddress.h: which address of a host an end uses.
 *
 * A host that is a name is looked up when a pipeline is built, and every 30 s where datagrams are
 * sent to one.  The address stays while it works and is in the answers of the last five minutes;
 * after one that did not work, the next one of the name is used.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _RelayAddress RelayAddress;

/* Must this host be looked up? @host: or NULL. */
gboolean relay_address_is_name (const gchar *host);

/* @host: outlives the result; NULL: all addresses of this machine. @cancellable: of look-ups. */
RelayAddress *relay_address_new (const gchar *host, GCancellable *cancellable);
void relay_address_free (RelayAddress *self);
/* Chooses the last address if that has @worked; else the next one of the host. */
gboolean relay_address_choose (RelayAddress *self, gboolean worked, GError **error);
/* Returns the address that was chosen; NULL: none was, or there is no host. */
const gchar *relay_address_get (const RelayAddress *self);
/* Has the host given up the address to which datagrams are sent?  Looks that up from time to time.
 */
gboolean relay_address_has_moved (RelayAddress *self);

G_END_DECLS
