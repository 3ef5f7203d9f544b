/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

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

gboolean
gst_fasp_text_file_check (const gchar *path, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (path);

  if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
    errno = EISDIR;
    set_errno (error);
    return FALSE;
  }
  return g_file_test (path, G_FILE_TEST_EXISTS) ? check_access (path, W_OK, error) :
                                                  gst_fasp_text_file_check_folder (folder, error);
}

gint
gst_fasp_text_file_open (const gchar *path, GError **error)
{
  gint file = g_open (path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

  if (file < 0)
    set_errno (error);
  return file;
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
