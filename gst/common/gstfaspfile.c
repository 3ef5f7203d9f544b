/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gstfaspfile.h"

/* Windows keeps the right to read a file in access lists. They are not checked, and the modes that
 * fstat() returns there are made up. */
#ifdef G_OS_WIN32
#define geteuid() 0
#define FLAGS (O_BINARY | O_NOINHERIT)
#define HAS_MODES FALSE
#else
#define FLAGS O_CLOEXEC
#define HAS_MODES TRUE
#endif

#define READ (S_IRGRP | S_IROTH)
#define CHANGE (S_IWGRP | S_IWOTH)
#define AT_ONCE 4096 /* least room for a file, bytes */

/* Returns the permissions that no ordinary file of that kind may give. */
static mode_t
get_wrong (const struct stat *what, GstFaspFileKind kind)
{
  mode_t wrong = kind == GST_FASP_FILE_SECRET ? READ | CHANGE : CHANGE;

  if (!HAS_MODES || !S_ISREG (what->st_mode))
    return 0;
  if (what->st_uid != geteuid ())
    wrong &= ~(mode_t) S_IRGRP;
  return what->st_mode & wrong;
}

gchar *
gst_fasp_file_warn (const gchar *path, const struct stat *what, GstFaspFileKind kind)
{
  mode_t wrong = get_wrong (what, kind);
  g_autofree gchar *quoted = NULL;

  if (wrong == 0)
    return NULL;
  quoted = g_shell_quote (path);
  return g_strdup_printf ("Other users of this machine can %s%s%s %s, which %s "
                          "(its mode is %04o): run `chmod %s %s'.",
      (wrong & READ) ? "read" : "", (wrong & READ) && (wrong & CHANGE) ? " and " : "",
      (wrong & CHANGE) ? "change" : "", path,
      kind == GST_FASP_FILE_SECRET ? "holds a secret" : "is trusted", what->st_mode & 07777,
      kind == GST_FASP_FILE_TRUSTED  ? "go-w" :
          what->st_uid == geteuid () ? "go=" :
                                       "g-wx,o=",
      quoted);
}

/* Overwrites a secret: volatile, so that no compiler leaves that out. */
static void
clear (volatile gchar *text, gsize size)
{
  while (size > 0)
    text[--size] = 0;
}

/* Returns the whole text; NULL, with errno set: it cannot be read. */
static gchar *
read_all (gint fd, gsize expected, gsize *size)
{
  gsize room = MIN (MAX (expected, AT_ONCE), GST_FASP_FILE_MAX) + 1, n = 0;
  gchar *text = g_malloc (room);
  gssize more;

  while ((more = read (fd, text + n, room - 1 - n)) != 0) {
    gchar *larger;

    if (more < 0 && errno == EINTR)
      continue;
    if (more > 0 && n + more == GST_FASP_FILE_MAX)
      errno = EFBIG;
    if (more < 0 || n + more == GST_FASP_FILE_MAX) {
      clear (text, room);
      g_free (text);
      return NULL;
    }
    n += more;
    if (n < room - 1)
      continue;
    /* not realloc(), which leaves a copy */
    larger = g_malloc (2 * room);
    memcpy (larger, text, n);
    clear (text, room);
    g_free (text);
    text = larger;
    room = MIN (2 * room, GST_FASP_FILE_MAX + 1);
  }
  text[n] = '\0';
  *size = n;
  return text;
}

gchar *
gst_fasp_file_read (const gchar *path, gsize *size, struct stat *what, GError **error)
{
  gint fd = g_open (path, O_RDONLY | FLAGS, 0), why;
  gchar *text = NULL;

  if (fd >= 0 && fstat (fd, what) == 0)
    text = read_all (fd, MAX (what->st_size, 0), size);
  why = errno;
  if (text == NULL)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (why), "\"%s\": %s", path,
        g_strerror (why));
  if (fd >= 0)
    close (fd);
  return text;
}
