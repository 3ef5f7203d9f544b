/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysave.h: writes a configuration back to its file, as a whole or not at all.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The file when the relay read it, or wrote it, last. */
typedef struct
{
  gchar *digest; /* SHA-256 of its text, in hex; NULL: not known */
} RelaySaved;

/* @text: NULL: forgets it. */
void relay_saved_set (RelaySaved *saved, const gchar *text, gsize size);
gboolean relay_saved_is (const RelaySaved *saved, const gchar *text, gsize size);

/* Replaces the file, or the one to which a symbolic link leads, and keeps its permissions.  Fails
 * if the file is no longer @saved.  @secret: @text has a secret, so other users lose the right
 * to read the file; *closed: they had it.  @error: G_IO_ERROR or G_FILE_ERROR, a sentence that says
 * what to do. */
gboolean relay_save (const gchar *path, RelaySaved *saved, const gchar *text, gsize size,
    gboolean secret, gboolean *closed, GError **error);

G_END_DECLS
