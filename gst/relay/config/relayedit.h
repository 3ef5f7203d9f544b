/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayedit.h: changes the text of a configuration, line by line.
 *
 * A line that is not of the changed key stays as it is, byte by byte: spaces, comments, the order.
 * The result may be no valid configuration: relay_config_parse() checks it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RelayEdit RelayEdit;

/* @text: a configuration that relay_config_parse() takes. */
RelayEdit *relay_edit_new (const gchar *text, gsize size);
void relay_edit_free (RelayEdit *edit);
/* Returns the text as it is now; it may hold secrets. */
gchar *relay_edit_get_text (RelayEdit *edit, gsize *size);

/* FALSE: a section cannot have this name, or GLib would read it back differently; *why is a
 * sentence. */
gboolean relay_edit_check_name (const gchar *name, const gchar **why);
/* Adds an empty section.  @name: of the stream, as below. */
void relay_edit_add_stream (RelayEdit *edit, const gchar *name);
void relay_edit_remove_stream (RelayEdit *edit, const gchar *name);

/* @value: NULL removes the key, which then has its default. */
void relay_edit_set_string (RelayEdit *edit, const gchar *name, const gchar *key,
    const gchar *value);
/* The same for a list of URIs: `input' or `output'. */
void relay_edit_set_uris (RelayEdit *edit, const gchar *name, const gchar *key,
    const gchar *const *uris);

/* Returns @uri with this value of a key in its query.  @value: NULL: returns @uri without the key.
 */
gchar *relay_edit_set_key (const gchar *uri, const gchar *key, const gchar *value);
/* Returns what may be shown of @uri, and whether that is less than all: it has no passphrase, and
 * no password in a streamid that is given to a peer. */
gchar *relay_edit_hide (const gchar *uri);
gboolean relay_edit_has_secret (const gchar *uri);
/* Returns @uri, which was shown like this, or is new, with the secrets that @old has and it does
 * not show: the passphrase, if both have the same scheme; the password in a streamid, if both have
 * the same scheme, host and port. */
gchar *relay_edit_keep_secret (const gchar *uri, const gchar *old);
/* The same of the password in a streamid alone. */
gchar *relay_edit_keep_password (const gchar *uri, const gchar *old);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayEdit, relay_edit_free);

G_END_DECLS
