/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaydisk.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gstdio.h>

/* O_NONBLOCK does not wait for the reader of a pipe. */
#define FLAGS (O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
#define MODE 0644 /* readable by other users of the machine, unless umask says otherwise */

static gboolean
is_mounted (const gchar *folder)
{
  g_autofree gchar *parent = g_path_get_dirname (folder);
  struct stat one, other;

  return stat (folder, &one) == 0 && stat (parent, &other) == 0 && one.st_dev != other.st_dev;
}

/* Returns the mount point of the disk with a folder; NULL: it is /. */
static gchar *
find_mount (const gchar *folder)
{
  g_autofree gchar *at = realpath (folder, NULL);

  while (at != NULL && !g_str_equal (at, "/")) {
    gchar *parent;

    if (is_mounted (at))
      return g_steal_pointer (&at);
    parent = g_path_get_dirname (at);
    g_free (at);
    at = parent;
  }
  return NULL;
}

gboolean
relay_disk_check (gchar **mount, const gchar *path, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (path);

  if (*mount == NULL)
    *mount = find_mount (folder);
  if (*mount == NULL || is_mounted (*mount))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NXIO,
      "The disk is no longer mounted at %s: mount it again. Nothing is written into the folder below "
      "it.",
      *mount);
  return FALSE;
}

gboolean
relay_disk_fail (const gchar *name, const gchar *what, GError **error)
{
  gint number = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (number), "%s cannot be %s (%s).%s",
      name, what, g_strerror (number),
      number == ENOSPC     ? " Remove old recordings, or record less." :
          number == EACCES ? " Let the user of the relay write there." :
                             "");
  return FALSE;
}

/* Writes all, and closes the file. */
static gboolean
write_all (gint fd, const guint8 *data, gsize size)
{
  gssize done = 0;
  gint number;

  for (gsize written = 0; written < size && done >= 0; written += MAX (done, 0)) {
    done = write (fd, data + written, size - written);
    if (done < 0 && errno == EINTR)
      done = 0;
  }
  number = errno;
  if (close (fd) < 0 && done >= 0)
    return FALSE;
  errno = number;
  return done >= 0;
}

gboolean
relay_disk_replace (const gchar *path, gconstpointer data, gsize size)
{
  g_autofree gchar *beside = g_strconcat (path, ".new", NULL);
  gint fd = g_open (beside, FLAGS, MODE), number;

  if (fd < 0)
    return FALSE;
  if (write_all (fd, data, size) && g_rename (beside, path) == 0)
    return TRUE;
  number = errno;
  g_unlink (beside);
  errno = number;
  return FALSE;
}
