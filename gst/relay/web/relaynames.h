/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaynames.h: the host names to which a web server answers.
 *
 * The owner of a name can let it resolve to any address (DNS rebinding), also to one that only the
 * reader of a web page reaches.  The page's script may then read the answers of the server there.
 * But the browser still sends the page's name in the header `Host'.  So a server that answers only
 * to addresses, localhost and its own names gives such pages nothing.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* May the server be asked by this name? @names: allowed names besides addresses and localhost, or
 * NULL. @host: the header `Host'; NULL: none. */
gboolean relay_names_has (const gchar *const *names, const gchar *host);

G_END_DECLS
