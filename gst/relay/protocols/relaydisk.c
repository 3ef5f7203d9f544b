/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaydisk.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

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
