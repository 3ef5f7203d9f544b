/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaynames.h: the names by which a web server lets itself be asked.
 *
 * A web page may come from a name that its owner lets lead to any address (DNS rebinding), also to
 * one that only the reader of the page reaches.  The page may then read what the server there
 * answers. But the reader's browser still asks by that name.  So if a server answers only requests
 * by an address, localhost or its own names, such pages get nothing.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* @names: further ones, or NULL.  @host: the header `Host'; NULL: there is none. */
gboolean relay_names_has (const gchar *const *names, const gchar *host);

G_END_DECLS
