/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayedit.h"
#include <string.h>
#include "relayvalue.h"

#define STREAM "stream "
#define SECRET "passphrase"
#define BLANKS " \t"

struct _RelayEdit
{
  GPtrArray *lines; /* each with its line break */
};

RelayEdit *
relay_edit_new (const gchar *text, gsize size)
{
  RelayEdit *edit = g_new (RelayEdit, 1);
  const gchar *end = text + size;

  edit->lines = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_value_wipe);
  while (text < end) {
    const gchar *stop = memchr (text, '\n', end - text);

    g_ptr_array_add (edit->lines,
        stop != NULL ? g_strndup (text, stop + 1 - text) :
                       g_strdup_printf ("%.*s\n", (int) (end - text), text));
    text = stop != NULL ? stop + 1 : end;
  }
  return edit;
}

void
relay_edit_free (RelayEdit *edit)
{
  g_ptr_array_unref (edit->lines);
  g_free (edit);
}

gchar *
relay_edit_get_text (RelayEdit *edit, gsize *size)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < edit->lines->len; i++)
    g_string_append (text, g_ptr_array_index (edit->lines, i));
  if (size != NULL)
    *size = text->len;
  return g_string_free (text, FALSE);
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

/* --- lines --------------------------------------------------------------------------------- */

/* Returns the first character of a line behind blanks; '\0' or a line break: the line is blank. */
static const gchar *
get_start (const RelayEdit *edit, guint line)
{
  const gchar *text = g_ptr_array_index (edit->lines, line);

  while (g_ascii_isspace (*text))
    text++;
  return text;
}

static gboolean
is_blank (const RelayEdit *edit, guint line)
{
  return *get_start (edit, line) == '\0';
}

static gboolean
is_comment (const RelayEdit *edit, guint line)
{
  return *get_start (edit, line) == '#';
}

/* Does the section of a stream begin here? Its name may have spaces around it. */
static gboolean
begins_stream (const RelayEdit *edit, guint line, const gchar *name)
{
  const gchar *text = get_start (edit, line);
  g_autofree gchar *section = *text == '[' ? g_strndup (text + 1, strcspn (text + 1, "]")) : NULL;

  return section != NULL && g_str_has_prefix (section, STREAM)
      && g_str_equal (g_strstrip (section + strlen (STREAM)), name);
}

/* Has the line this key? NULL: any key. */
static gboolean
has_key (const RelayEdit *edit, guint line, const gchar *key)
{
  const gchar *text = get_start (edit, line), *equals = strchr (text, '=');
  g_autofree gchar *its = NULL;

  if (equals == NULL || *text == '[' || *text == '#')
    return FALSE;
  its = g_strchomp (g_strndup (text, equals - text));
  return key == NULL || g_str_equal (its, key);
}

/* Finds the section of a stream: the line of its name, and the first line behind its keys. */
static gboolean
find_section (const RelayEdit *edit, const gchar *name, guint *head, guint *end)
{
  for (*head = 0; *head < edit->lines->len; (*head)++) {
    if (!begins_stream (edit, *head, name))
      continue;
    *end = *head + 1;
    for (guint i = *end; i < edit->lines->len && *get_start (edit, i) != '['; i++)
      if (has_key (edit, i, NULL))
        *end = i + 1;
    return TRUE;
  }
  return FALSE;
}

static const gchar *
get_break (const RelayEdit *edit, guint line)
{
  return line < edit->lines->len
          && g_str_has_suffix (g_ptr_array_index (edit->lines, line), "\r\n") ?
      "\r\n" :
      "\n";
}

/* Returns how many bytes of a line come before its value. */
static gsize
get_value_at (const gchar *line)
{
  gsize at = strcspn (line, "=") + 1;

  return at + strspn (line + at, BLANKS);
}

/* Returns what is between a key and its value, as the section's first key has it. */
static gchar *
get_equals (const RelayEdit *edit, guint head, guint end)
{
  for (guint i = head + 1; i < end; i++)
    if (has_key (edit, i, NULL)) {
      const gchar *line = g_ptr_array_index (edit->lines, i);
      gsize at = strcspn (line, "=");

      while (at > 0 && strchr (BLANKS, line[at - 1]) != NULL)
        at--;
      return g_strndup (line + at, get_value_at (line) - at);
    }
  return g_strdup (" = ");
}

/* --- sections and keys ----------------------------------------------------------------------- */

void
relay_edit_add_stream (RelayEdit *edit, const gchar *name)
{
  const gchar *ends = get_break (edit, 0);

  if (edit->lines->len > 0 && !is_blank (edit, edit->lines->len - 1))
    g_ptr_array_add (edit->lines, g_strdup (ends));
  g_ptr_array_add (edit->lines, g_strconcat ("[" STREAM, name, "]", ends, NULL));
}

/* The comment right above the section goes with it, if a blank line is above that. */
void
relay_edit_remove_stream (RelayEdit *edit, const gchar *name)
{
  guint head, end, above;

  if (!find_section (edit, name, &head, &end))
    return;
  for (above = head; above > 0 && is_comment (edit, above - 1);)
    above--;
  if (above > 0 && is_blank (edit, above - 1))
    head = above;
  while (end < edit->lines->len && is_blank (edit, end))
    end++;
  while (end == edit->lines->len && head > 0 && is_blank (edit, head - 1))
    head--;
  g_ptr_array_remove_range (edit->lines, head, end - head);
}

/* @value: as it is written into the file; NULL removes the key. */
static void
set_value (RelayEdit *edit, const gchar *name, const gchar *key, const gchar *value)
{
  guint head, end, at;
  g_autofree gchar *equals = NULL;

  if (!find_section (edit, name, &head, &end))
    return;
  for (at = head + 1; at < end && !has_key (edit, at, key);)
    at++;
  if (value == NULL) {
    if (at < end)
      g_ptr_array_remove_index (edit->lines, at);
  } else if (at < end) {
    gchar *line = g_ptr_array_index (edit->lines, at);

    g_ptr_array_index (edit->lines, at) =
        g_strdup_printf ("%.*s%s%s", (int) get_value_at (line), line, value, get_break (edit, at));
    relay_value_wipe (line);
  } else {
    equals = get_equals (edit, head, end);
    g_ptr_array_insert (edit->lines, end,
        g_strconcat (key, equals, value, get_break (edit, head), NULL));
  }
}

void
relay_edit_set_string (RelayEdit *edit, const gchar *name, const gchar *key, const gchar *value)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  gchar *written = NULL;

  if (value != NULL) {
    g_key_file_set_string (file, STREAM, key, value);
    written = g_key_file_get_value (file, STREAM, key, NULL);
  }
  set_value (edit, name, key, written);
  relay_value_wipe (written);
}

void
relay_edit_set_uris (RelayEdit *edit, const gchar *name, const gchar *key, const gchar *const *uris)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  guint n = g_strv_length ((gchar **) uris);
  gchar *written = NULL;

  if (n > 0) {
    g_key_file_set_string_list (file, STREAM, key, uris, n);
    written = g_key_file_get_value (file, STREAM, key, NULL);
    /* the last ; ends an empty URI, which is refused then */
    if (uris[n - 1][0] != '\0')
      written[strlen (written) - 1] = '\0';
  }
  set_value (edit, name, key, written);
  relay_value_wipe (written);
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
