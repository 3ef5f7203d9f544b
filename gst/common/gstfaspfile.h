/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspfile.h: reads files that hold a secret, or a list of trusted keys, and tells
 * whether other users of the machine could have read or changed them.
 *
 * A secret may be read by its owner only.  If the owner is not the user of this process (root, as
 * with the secrets of systemd and Kubernetes), its group may read it, too, as this process reads it
 * by its group.  This is PostgreSQL's rule for its private key.  A list of trusted keys may be read
 * by every user and changed by its owner alone, as OpenSSH demands of authorized_keys.  The rules
 * are checked on the opened file, so that no other file can take its place meanwhile, and only on
 * ordinary files.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>

G_BEGIN_DECLS

typedef enum
{
  GST_FASP_FILE_SECRET,  /* only its owner may read or change it */
  GST_FASP_FILE_TRUSTED, /* only its owner may change it */
} GstFaspFileKind;

/* The largest file, bytes: more than any such file needs. */
#define GST_FASP_FILE_MAX (16 * 1024 * 1024)

/* Returns the text, with a zero behind it, to be wiped if it is a secret; NULL: sets @error
 * (G_FILE_ERROR).  *what: the file that was opened. */
gchar *gst_fasp_file_read (const gchar *path, gsize *size, struct stat *what, GError **error);
/* Returns a warning that other users can read or change the file, with the command that mends it;
 * NULL: they cannot. */
gchar *gst_fasp_file_warn (const gchar *path, const struct stat *what, GstFaspFileKind kind);

G_END_DECLS
