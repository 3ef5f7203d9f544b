/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysave.h: writes a configuration back to its file, as a whole or not at all.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Is this what the file was when it was read, or written, last? */
typedef struct
{
  gchar *text; /* may hold secrets; NULL: not known */
  gsize size;
} RelaySaved;

void relay_saved_set (RelaySaved *saved, const gchar *text, gsize size);
gboolean relay_saved_is (const RelaySaved *saved, const gchar *text, gsize size);

/* Replaces the file, with its permissions, through a symbolic link, too.  @secret: there is one in
 * the text, so only this user may read the file.  Refused if the file was changed since it was
 * read.  @error: G_IO_ERROR or G_FILE_ERROR, a sentence that says what to do. */
gboolean relay_save (const gchar *path, RelaySaved *saved, const gchar *text, gsize size,
    gboolean secret, GError **error);

G_END_DECLS
