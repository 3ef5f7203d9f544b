/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaytext.h: the text of the configuration, line by line.
 *
 * GLib's parser merges sections of one name, lets the last of several values of a key count, and
 * quotes what it does not understand, which may be the rest of a secret that was wrapped.  So each
 * line is looked at first.  It is a comment, or begins a section that is known and is not there
 * yet, or has a key that is known and that its section does not have yet.  Any other line is an
 * error, which names it by its number and does not quote it.
 */
#pragma once

#include "relaykey.h"

G_BEGIN_DECLS

/* Returns the keys that a section may have; NULL: there is no such section. */
typedef const RelayKey *(*RelayTextFunc) (const gchar *section);

/* @error: a sentence. */
GKeyFile *relay_text_parse (const gchar *text, gsize size, RelayTextFunc get_keys, GError **error);

G_END_DECLS
