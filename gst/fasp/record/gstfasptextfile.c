/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>
#include "gstfasptextfile.h"

static void
set_errno (GError **error)
{
  gint why = errno;

  g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (why), g_strerror (why));
}

static gboolean
check_access (const gchar *path, gint mode, GError **error)
{
  if (g_access (path, mode) == 0)
    return TRUE;
  set_errno (error);
  return FALSE;
}

gboolean
gst_fasp_text_file_check_folder (const gchar *folder, GError **error)
{
  return check_access (folder, W_OK | X_OK, error);
}

/* Pipes and sockets are refused: one without a reader would hold up its writer for ever. */
static gboolean
is_pipe (const struct stat *at)
{
  return S_ISFIFO (at->st_mode) || S_ISSOCK (at->st_mode);
}

static void
set_not_a_file (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "It is not a file");
}

gboolean
gst_fasp_text_file_check (const gchar *path, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (path);
  struct stat at;

  if (stat (path, &at) != 0)
    return gst_fasp_text_file_check_folder (folder, error);
  if (S_ISDIR (at.st_mode)) {
    errno = EISDIR;
    set_errno (error);
    return FALSE;
  }
  if (is_pipe (&at)) {
    set_not_a_file (error);
    return FALSE;
  }
  return check_access (path, W_OK, error);
}

gint
gst_fasp_text_file_open (const gchar *path, GError **error)
{
  /* O_NONBLOCK: a pipe without a reader is ENXIO at once */
  gint file = g_open (path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  struct stat at;

  if (file < 0 && errno == ENXIO) {
    set_not_a_file (error);
  } else if (file < 0 || fstat (file, &at) != 0 || fcntl (file, F_SETFL, O_APPEND) != 0) {
    set_errno (error);
  } else if (is_pipe (&at)) {
    set_not_a_file (error);
  } else {
    return file;
  }
  if (file >= 0)
    close (file);
  return -1;
}

gboolean
gst_fasp_text_file_is_empty (gint file)
{
  return lseek (file, 0, SEEK_END) <= 0;
}

gboolean
gst_fasp_text_file_add (gint file, const gchar *text, gsize size, GError **error)
{
  gssize done = 0;

  for (gsize at = 0; at < size; at += done) {
    done = write (file, text + at, size - at);
    if (done < 0) {
      set_errno (error);
      return FALSE;
    }
  }
  return TRUE;
}
