/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayrecordings.h"
#include "relaykey.h"
#include "relayretention.h"

typedef struct
{
  const gchar *stream;
  gchar *folder, *base; /* of the file that it would write now */
  GRegex *pattern;      /* of its files in that folder; NULL: not known */
} Recording;

static void
clear_recording (gpointer data)
{
  Recording *r = data;

  g_free (r->folder);
  g_free (r->base);
  g_clear_pointer (&r->pattern, g_regex_unref);
}

static gboolean
matches (const Recording *r, const gchar *base)
{
  return r->pattern != NULL && g_regex_match (r->pattern, base, 0, NULL);
}

static gboolean
overlap (const Recording *a, const Recording *b)
{
  return g_str_equal (a->folder, b->folder)
      && (g_str_equal (a->base, b->base) || matches (a, b->base) || matches (b, a->base));
}

/* Adds a file of an output. Any number of outputs can write to a path that is no regular file, such
 * as /dev/null. @name: with fields of the time; NULL: it has none. */
static gboolean
add_file (GArray *all, const gchar *stream, const gchar *path, const gchar *name, GError **error)
{
  Recording r = { .stream = stream };

  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return TRUE;
  r.folder = g_path_get_dirname (path);
  r.base = g_path_get_basename (path);
  r.pattern = name != NULL ? relay_retention_make_pattern (name) : NULL;
  g_array_append_val (all, r);
  for (guint i = 0; i + 1 < all->len; i++) {
    const Recording *other = &g_array_index (all, Recording, i);

    if (overlap (&r, other)) {
      RELAY_BAD (error,
          "[stream %s] output: it would write or remove the files of an output of [stream %s], as %s "
          "can be one of both: give each a name of its own.",
          stream, other->stream, path);
      return FALSE;
    }
  }
  return TRUE;
}

/* Adds what an output writes, if it records. */
static gboolean
add_recording (GArray *all, const gchar *stream, const RelayEnd *end, GError **error)
{
  g_autofree gchar *list = NULL, *name = relay_end_get_recording (end, &list), *path = NULL;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  path = name != NULL ? g_date_time_format (now, name) : NULL;
  return (path == NULL || add_file (all, stream, path, name, error))
      && (list == NULL || add_file (all, stream, list, NULL, error));
}

gboolean
relay_recordings_check (const RelayConfig *config, GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Recording));
  gboolean good = TRUE;

  g_array_set_clear_func (all, clear_recording);
  for (guint i = 0; good && i < config->streams->len; i++) {
    const RelayStreamConfig *stream = g_ptr_array_index (config->streams, i);

    for (guint j = 0; good && j < stream->outputs->len; j++)
      good = add_recording (all, stream->name, g_ptr_array_index (stream->outputs, j), error);
  }
  return good;
}
