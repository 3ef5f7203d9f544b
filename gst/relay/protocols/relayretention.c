/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayretention.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <glib/gstdio.h>
#include "relaylog.h"

/* What a recording appends to a name that is taken: seconds since 1970. */
#define OTHER_TIME "(-[0-9]{9,})?"

typedef struct
{
  gchar *path;
  gint64 time; /* of its last packet, s since 1970 */
  guint64 size;
} Piece;

/* Returns what a field of a date looks like; NULL: not only like digits. */
static const gchar *
get_digits (gchar field)
{
  switch (field) {
    case 'F':
      return "[0-9]{4}-[0-9]{2}-[0-9]{2}";
    case 'Y':
      return "[0-9]{4}";
    case 'j':
      return "[0-9]{3}";
    case 's':
      return "[0-9]+";
    case '%':
      return "%";
    default:
      return strchr ("mdHMSyV", field) != NULL ? "[0-9]{2}" : NULL;
  }
}

GRegex *
relay_retention_make_pattern (const gchar *name)
{
  g_autofree gchar *folder = g_path_get_dirname (name), *base = g_path_get_basename (name);
  g_autoptr (GString) pattern = g_string_new ("^");
  const gchar *ending = strrchr (base, '.');

  if (strchr (folder, '%') != NULL)
    return NULL;
  for (const gchar *c = base; *c != '\0'; c++) {
    g_autofree gchar *plain = g_regex_escape_string (c, 1);
    const gchar *text = *c == '%' ? get_digits (*++c) : plain;

    if (text == NULL || *c == '\0')
      return NULL;
    if (c == ending && c > base)
      g_string_append (pattern, OTHER_TIME);
    g_string_append (pattern, text);
  }
  if (ending == NULL || ending == base)
    g_string_append (pattern, OTHER_TIME);
  g_string_append_c (pattern, '$');
  return g_regex_new (pattern->str, G_REGEX_RAW | G_REGEX_DOLLAR_ENDONLY, 0, NULL);
}

static void
free_piece (Piece *piece)
{
  g_free (piece->path);
  g_free (piece);
}

static gint
by_time (gconstpointer a, gconstpointer b)
{
  const Piece *x = *(Piece *const *) a, *y = *(Piece *const *) b;

  return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : strcmp (x->path, y->path);
}

/* Lists the pieces that may go, the oldest first. *size: bytes of all. NULL: the folder cannot be
 * read. */
static GPtrArray *
list_pieces (const gchar *name, const gchar *path, guint64 *size, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (path), *open = g_path_get_basename (path);
  g_autoptr (GRegex) pattern = relay_retention_make_pattern (name);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  GPtrArray *pieces;
  const gchar *base;

  if (dir == NULL)
    return NULL;
  pieces = g_ptr_array_new_with_free_func ((GDestroyNotify) free_piece);
  *size = 0;
  while ((base = g_dir_read_name (dir)) != NULL) {
    g_autofree gchar *full = g_build_filename (folder, base, NULL);
    struct stat what;
    Piece *piece;

    if (!g_regex_match (pattern, base, 0, NULL) || g_lstat (full, &what) < 0
        || !S_ISREG (what.st_mode))
      continue;
    *size += what.st_size;
    if (g_str_equal (base, open))
      continue;
    piece = g_new (Piece, 1);
    *piece = (Piece) { g_steal_pointer (&full), what.st_mtime, what.st_size };
    g_ptr_array_add (pieces, piece);
  }
  g_ptr_array_sort (pieces, by_time);
  return pieces;
}

/* Returns the limit that a piece is beyond, if it is the oldest; NULL: none. */
static const gchar *
find_limit (const RelayRetention *r, const Piece *piece, guint64 size, gint64 now)
{
  struct statvfs disk;

  if (r->seconds > 0 && now - piece->time > (gint64) r->seconds)
    return "keep-seconds";
  if (r->size > 0 && size > r->size)
    return "keep-mbytes";
  if (r->free > 0 && statvfs (piece->path, &disk) == 0
      && (guint64) disk.f_bavail * disk.f_frsize < r->free)
    return "keep-free-mbytes";
  return NULL;
}

gboolean
relay_retention_apply (const RelayRetention *retention, const gchar *name, const gchar *path,
    guint most, gint64 now, GError **error)
{
  guint64 size;
  g_autoptr (GPtrArray) pieces = list_pieces (name, path, &size, error);

  for (guint i = 0; pieces != NULL && i < MIN (pieces->len, most); i++) {
    const Piece *piece = g_ptr_array_index (pieces, i);
    const gchar *limit = find_limit (retention, piece, size, now);

    if (limit == NULL)
      break;
    if (g_unlink (piece->path) < 0 && errno != ENOENT) {
      gint number = errno;

      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (number),
          "Old pieces of %s cannot be removed (%s). Let the user of the relay write to the folder.",
          name, g_strerror (number));
      return FALSE;
    }
    relay_log (NULL, "%s is removed, by %s.", piece->path, limit);
    size -= piece->size;
  }
  return pieces != NULL;
}
