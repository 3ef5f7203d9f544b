/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayedit.h: changes the text of a configuration, key by key.
 *
 * Comments, and whatever is not named, stay as they are.  Whether the result is a configuration
 * that can be run is for relayconfig.h to say.
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

/* FALSE: no section can have this name, or another way to write it is the same: @why is a sentence.
 */
gboolean relay_edit_check_name (const gchar *name, const gchar **why);
/* Streams by their name. Adding one makes an empty section. */
void relay_edit_add_stream (RelayEdit *edit, const gchar *name);
void relay_edit_remove_stream (RelayEdit *edit, const gchar *name);

/* @value: NULL removes the key, which then has its default. */
void relay_edit_set_string (RelayEdit *edit, const gchar *name, const gchar *key,
    const gchar *value);
/* The URIs of a stream's outputs, in the order of the file. */
gchar **relay_edit_get_outputs (RelayEdit *edit, const gchar *name);
void relay_edit_set_outputs (RelayEdit *edit, const gchar *name, const gchar *const *uris);

/* Returns the value of a key in the query of a URI as it is written there; NULL: it has none. */
gchar *relay_edit_get_key (const gchar *uri, const gchar *key);
/* Returns @uri with another value of a key in its query, in its place if it is there already. NULL:
 * without that key. */
gchar *relay_edit_set_key (const gchar *uri, const gchar *key, const gchar *value);
/* Returns @uri without its passphrase. */
gchar *relay_edit_hide (const gchar *uri);
/* Returns @uri, with the passphrase of @old, of the same scheme, if it has none itself: a
 * client of the API is shown URIs without it, and sends them back without it. */
gchar *relay_edit_keep_secret (const gchar *uri, const gchar *old);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayEdit, relay_edit_free);

G_END_DECLS
