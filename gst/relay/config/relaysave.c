/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaysave.h"
#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include "gstfaspfile.h"

void
relay_saved_set (RelaySaved *saved, const gchar *text, gsize size)
{
  g_free (saved->digest);
  saved->digest = text != NULL ?
      g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, size) :
      NULL;
}

gboolean
relay_saved_is (const RelaySaved *saved, const gchar *text, gsize size)
{
  g_autofree gchar *its =
      g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, size);

  return g_strcmp0 (saved->digest, its) == 0;
}

static gboolean
is_unchanged (const gchar *path, const RelaySaved *saved, struct stat *what, GError **error)
{
  gsize size;
  gchar *now = gst_fasp_file_read (path, &size, what, error);
  gboolean same;

  if (now == NULL)
    return FALSE;
  same = relay_saved_is (saved, now, size);
  explicit_bzero (now, size);
  g_free (now);
  if (!same)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
        "Nothing is saved: %s was changed since the relay read it. Have the relay read it "
        "(SIGHUP, systemctl reload), which gives up what was changed by the API, and change that "
        "again.",
        path);
  return same;
}

/* Removes the rights of other users from the file before a secret is written into it, as GLib 2.84
 * keeps the file's mode, where 2.74 sets the given one. */
static gboolean
close_to_others (const gchar *path, const struct stat *what, GError **error)
{
  if ((what->st_mode & 0077) == 0 || g_chmod (path, what->st_mode & 0600) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
      "Nothing is saved: there is a secret in the text, and %s cannot be closed to other users "
      "(%s). Give the file to the user of the relay.",
      path, g_strerror (errno));
  return FALSE;
}

gboolean
relay_save (const gchar *path, RelaySaved *saved, const gchar *text, gsize size, gboolean secret,
    gboolean *closed, GError **error)
{
  struct stat what;
  g_autofree gchar *real = realpath (path, NULL);
  const gchar *target = real != NULL ? real : path;

  if (!is_unchanged (path, saved, &what, error)
      || (secret && !close_to_others (target, &what, error)))
    return FALSE;
  if (!g_file_set_contents_full (target, text, size,
          G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
          what.st_mode & (secret ? 0600 : 0777), error)) {
    g_prefix_error (error,
        "Nothing is saved: the relay has to be allowed to write into the folder of %s (with systemd: "
        "ReadWritePaths=). ",
        path);
    return FALSE;
  }
  relay_saved_set (saved, text, size);
  *closed = secret && (what.st_mode & 0077) != 0;
  return TRUE;
}
