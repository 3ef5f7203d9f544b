/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>
#include "gstfasptextfile.h"

/* Windows has neither flags of a file nor pipes among files, and would write two bytes at the end
 * of a line. */
#ifdef G_OS_WIN32
#define FLAGS (O_BINARY | O_NOINHERIT)
#define NOT_WAITING 0
#define S_ISSOCK(mode) FALSE
#undef X_OK
#define X_OK 0
#define clear_nonblock(file) 0
#else
#define FLAGS O_CLOEXEC
#define NOT_WAITING O_NONBLOCK
#define clear_nonblock(file) fcntl (file, F_SETFL, O_APPEND)
#endif

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
is_pipe (const GStatBuf *at)
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
  GStatBuf at;

  if (g_stat (path, &at) != 0)
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
  gint file = g_open (path, O_WRONLY | O_APPEND | O_CREAT | FLAGS | NOT_WAITING, 0666);
  GStatBuf at;

  if (file < 0 && errno == ENXIO) {
    set_not_a_file (error);
  } else if (file < 0 || fstat (file, &at) != 0 || clear_nonblock (file) != 0) {
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

void
gst_fasp_text_file_close (gint file)
{
  if (file >= 0)
    close (file);
}

gboolean
gst_fasp_text_file_has (gint file, gint64 size)
{
  struct stat what;

  return fstat (file, &what) == 0 && S_ISREG (what.st_mode) && what.st_size >= size;
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
