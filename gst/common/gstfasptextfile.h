/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasptextfile.h: a text file to which elements append lines.  The text of one call stays
 * together, so several elements may have the same file.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Could the file be opened?  Creates nothing. */
gboolean gst_fasp_text_file_check (const gchar *path, GError **error);
/* Could files be created in @folder? */
gboolean gst_fasp_text_file_check_folder (const gchar *folder, GError **error);
/* Returns a file descriptor; -1: it cannot be opened. */
gint gst_fasp_text_file_open (const gchar *path, GError **error);
/* -1: there is none. */
void gst_fasp_text_file_close (gint file);
gboolean gst_fasp_text_file_is_empty (gint file);
/* Is it an ordinary file of @size bytes or more? */
gboolean gst_fasp_text_file_has (gint file, gint64 size);
gboolean gst_fasp_text_file_add (gint file, const gchar *text, gsize size, GError **error);

G_END_DECLS
