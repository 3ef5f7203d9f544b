/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "gstfaspfile.h"
#include "relaytext.h"

typedef struct
{
  RelayTextFunc get_keys;
  GHashTable *lines; /* number of the line of each section and key */
  guint line;
  gchar *section;
  const RelayKey *keys; /* keys of the present section */
} Scan;

/* Notes the line of @what. FALSE: it was in an earlier line, which *error names. */
static gboolean
add (Scan *scan, gchar *what, const gchar *key, GError **error)
{
  guint before = GPOINTER_TO_UINT (g_hash_table_lookup (scan->lines, what));

  if (before == 0) {
    g_hash_table_insert (scan->lines, what, GUINT_TO_POINTER (scan->line));
    return TRUE;
  }
  RELAY_BAD (error, "[%s]%s%s: it stands twice, in line %u and in line %u. Leave one of them out.",
      scan->section, key != NULL ? " " : "", key != NULL ? key : "", before, scan->line);
  g_free (what);
  return FALSE;
}

/* @text: from the bracket on. */
static gboolean
begin_section (Scan *scan, const gchar *text, GError **error)
{
  const gchar *end = strchr (text, ']');

  if (end == NULL || end[1 + strspn (end + 1, " \t")] != '\0')
    return FALSE;
  for (const gchar *c = text; c < end; c++)
    if (g_ascii_iscntrl (*c))
      return FALSE;
  g_free (scan->section);
  scan->section = g_strndup (text + 1, end - text - 1);
  scan->keys = scan->get_keys (scan->section);
  if (scan->keys == NULL) {
    RELAY_BAD (error,
        "line %u: there is no such section. Write [relay], [stream NAME] for each "
        "stream, [user NAME], [token NAME] or [hook NAME].",
        scan->line);
    return FALSE;
  }
  return add (scan, g_strdup (scan->section), NULL, error);
}

static gboolean
add_key (Scan *scan, const gchar *text, GError **error)
{
  const gchar *end = strchr (text, '=');
  g_autofree gchar *key = NULL;
  g_autofree gchar *list = NULL;

  if (end == NULL || end == text || scan->section == NULL)
    return FALSE;
  key = g_strchomp (g_strndup (text, end - text));
  if (relay_key_find (scan->keys, key, 0) != NULL)
    /* a line break separates section and key, as no name has one */
    return add (scan, g_strconcat (scan->section, "\n", key, NULL), key, error);
  list = relay_key_list (scan->keys, 0);
  RELAY_BAD (error,
      "[%s] line %u: there is no such key here. The keys are: %s. (A "
      "value must be on one line.)",
      scan->section, scan->line, list);
  /* the unknown key may be the rest of a secret */
  explicit_bzero (key, strlen (key));
  return FALSE;
}

static gboolean
look_at (Scan *scan, const gchar *line, GError **error)
{
  gboolean good;
  GError *why = NULL;

  while (g_ascii_isspace (*line))
    line++;
  if (*line == '\0' || *line == '#')
    return TRUE;
  good = *line == '[' ? begin_section (scan, line, &why) : add_key (scan, line, &why);
  if (!good && why == NULL)
    RELAY_BAD (&why,
        "line %u is no [section], no KEY = VALUE and no comment (which "
        "begins with #). A value must be on one line.",
        scan->line);
  if (!good)
    g_propagate_error (error, why);
  return good;
}

static gboolean
scan_text (const gchar *text, gsize size, RelayTextFunc get_keys, GError **error)
{
  Scan scan = {
    .get_keys = get_keys,
    .lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
  };
  const gchar *end = text + size, *next;
  gboolean good = TRUE;

  for (const gchar *at = text; good && at < end; at = next) {
    const gchar *stop = memchr (at, '\n', end - at);
    gsize n = (stop != NULL ? stop : end) - at;
    gchar *line = g_strndup (at, n);

    next = stop != NULL ? stop + 1 : end;
    scan.line++;
    if (g_str_has_suffix (line, "\r"))
      line[strlen (line) - 1] = '\0';
    if (memchr (at, '\0', n) != NULL) {
      RELAY_BAD (error, "line %u has a zero byte: this is no text.", scan.line);
      good = FALSE;
    } else {
      good = look_at (&scan, line, error);
    }
    explicit_bzero (line, strlen (line));
    g_free (line);
  }
  g_free (scan.section);
  g_hash_table_unref (scan.lines);
  return good;
}

GKeyFile *
relay_text_parse (const gchar *text, gsize size, RelayTextFunc get_keys, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();

  /* the same limit for the file and for a text that the API would save */
  if (size >= GST_FASP_FILE_MAX) {
    RELAY_BAD (error, "this is too long to be read again: write less than %d MiB.",
        GST_FASP_FILE_MAX / (1024 * 1024));
    return NULL;
  }
  if (!scan_text (text, size, get_keys, error))
    return NULL;
  if (g_key_file_load_from_data (file, text, size, G_KEY_FILE_NONE, NULL))
    return g_steal_pointer (&file);
  /* not GLib's message, which could quote a secret */
  RELAY_BAD (error,
      "GLib cannot parse this. Write [section], KEY = VALUE, and "
      "comments that begin with #, each on a line of its own.");
  return NULL;
}
