/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayedit.h"
#include <string.h>

#define STREAM "stream "
#define SECRET "passphrase"

struct _RelayEdit
{
  GKeyFile *file;
};

RelayEdit *
relay_edit_new (const gchar *text, gsize size)
{
  RelayEdit *edit = g_new (RelayEdit, 1);

  edit->file = g_key_file_new ();
  g_key_file_load_from_data (edit->file, text, size, G_KEY_FILE_KEEP_COMMENTS, NULL);
  return edit;
}

void
relay_edit_free (RelayEdit *edit)
{
  g_key_file_unref (edit->file);
  g_free (edit);
}

gchar *
relay_edit_get_text (RelayEdit *edit, gsize *size)
{
  return g_key_file_to_data (edit->file, size, NULL);
}

gboolean
relay_edit_check_name (const gchar *name, const gchar **why)
{
  g_autofree gchar *stripped = g_strstrip (g_strdup (name));

  *why = NULL;
  if (!g_utf8_validate (name, -1, NULL))
    *why = "The name of a stream is UTF-8.";
  else if (name[0] == '\0' || !g_str_equal (stripped, name))
    *why = "The name of a stream has at least one character, and no space around it.";
  for (const gchar *c = name; *why == NULL && *c != '\0'; c++)
    if (g_ascii_iscntrl (*c) || *c == '[' || *c == ']')
      *why = "The name of a stream has no brackets and no control characters.";
  return *why == NULL;
}

/* Returns the section of a stream, in which the name may have spaces around it. */
static gchar *
find_group (RelayEdit *edit, const gchar *name)
{
  g_auto (GStrv) groups = g_key_file_get_groups (edit->file, NULL);

  for (guint i = 0; groups[i] != NULL; i++)
    if (g_str_has_prefix (groups[i], STREAM)) {
      g_autofree gchar *of = g_strstrip (g_strdup (groups[i] + strlen (STREAM)));

      if (g_str_equal (of, name))
        return g_strdup (groups[i]);
    }
  return g_strconcat (STREAM, name, NULL);
}

void
relay_edit_add_stream (RelayEdit *edit, const gchar *name)
{
  g_autofree gchar *group = find_group (edit, name);

  /* GLib makes a section with its first key */
  g_key_file_set_string (edit->file, group, "input", "");
}

void
relay_edit_remove_stream (RelayEdit *edit, const gchar *name)
{
  g_autofree gchar *group = find_group (edit, name);

  g_key_file_remove_group (edit->file, group, NULL);
}

void
relay_edit_set_string (RelayEdit *edit, const gchar *name, const gchar *key, const gchar *value)
{
  g_autofree gchar *group = find_group (edit, name);

  if (value != NULL)
    g_key_file_set_string (edit->file, group, key, value);
  else
    g_key_file_remove_key (edit->file, group, key, NULL);
}

gchar **
relay_edit_get_outputs (RelayEdit *edit, const gchar *name)
{
  g_autofree gchar *group = find_group (edit, name);

  return g_key_file_get_string_list (edit->file, group, "output", NULL, NULL);
}

void
relay_edit_set_outputs (RelayEdit *edit, const gchar *name, const gchar *const *uris)
{
  g_autofree gchar *group = find_group (edit, name);

  if (uris[0] == NULL)
    g_key_file_remove_key (edit->file, group, "output", NULL);
  else
    g_key_file_set_string_list (edit->file, group, "output", uris, g_strv_length ((gchar **) uris));
}

/* --- URIs ---------------------------------------------------------------------------------- */

/* Has @pair, a part `key=value' of a query, this key? */
static gboolean
is_of (const gchar *pair, const gchar *key)
{
  g_autofree gchar *name = g_strndup (pair, strcspn (pair, "="));
  g_autofree gchar *plain = g_uri_unescape_string (name, NULL);

  return plain != NULL && g_str_equal (plain, key);
}

/* Returns the parts of the query; *base: the URI without it. */
static gchar **
split (const gchar *uri, gchar **base)
{
  const gchar *query = strchr (uri, '?');

  *base = query != NULL ? g_strndup (uri, query - uri) : g_strdup (uri);
  return query != NULL && query[1] != '\0' ? g_strsplit (query + 1, "&", -1) : g_new0 (gchar *, 1);
}

/* Returns the value of a key in the query of @uri, still escaped; NULL: the query has no such key.
 */
static gchar *
get_key (const gchar *uri, const gchar *key)
{
  g_autofree gchar *base = NULL;
  g_auto (GStrv) pairs = split (uri, &base);

  for (guint i = 0; pairs[i] != NULL; i++)
    if (is_of (pairs[i], key)) {
      const gchar *value = strchr (pairs[i], '=');

      return g_strdup (value != NULL ? value + 1 : "");
    }
  return NULL;
}

/* @value: escaped; NULL: the key is removed. */
static gchar *
set_pair (const gchar *uri, const gchar *key, const gchar *value)
{
  g_autofree gchar *base = NULL, *pair = NULL;
  g_auto (GStrv) pairs = split (uri, &base);
  GString *text = g_string_new (base);
  gchar mark = '?';

  if (value != NULL)
    pair = g_strconcat (key, "=", value, NULL);
  for (guint i = 0; pairs[i] != NULL; i++) {
    const gchar *one = is_of (pairs[i], key) ? pair : pairs[i];

    if (one == NULL)
      continue;
    g_string_append_printf (text, "%c%s", mark, one);
    mark = '&';
    if (one == pair)
      g_clear_pointer (&pair, g_free);
  }
  if (pair != NULL)
    g_string_append_printf (text, "%c%s", mark, pair);
  return g_string_free (text, FALSE);
}

gchar *
relay_edit_set_key (const gchar *uri, const gchar *key, const gchar *value)
{
  g_autofree gchar *escaped = value != NULL ? g_uri_escape_string (value, ":,[]/@", FALSE) : NULL;

  return set_pair (uri, key, escaped);
}

gchar *
relay_edit_hide (const gchar *uri)
{
  return set_pair (uri, SECRET, NULL);
}

/* Have both URIs the same scheme? A passphrase is not kept for another protocol, which may have
 * none or another limit of its length. */
static gboolean
has_same_scheme (const gchar *a, const gchar *b)
{
  return g_strcmp0 (g_uri_peek_scheme (a), g_uri_peek_scheme (b)) == 0;
}

gchar *
relay_edit_keep_secret (const gchar *uri, const gchar *old)
{
  g_autofree gchar *has = get_key (uri, SECRET);
  g_autofree gchar *had = old != NULL && has_same_scheme (uri, old) ? get_key (old, SECRET) : NULL;

  return has != NULL || had == NULL ? g_strdup (uri) : set_pair (uri, SECRET, had);
}
