/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayedit.h"
#include <string.h>
#include "faspstreamid.h"
#include "relayvalue.h"

#define STREAM "stream "
#define SECRET "passphrase"
#define STREAMID "streamid"

/* Expressions of lines: blank space; blank lines from a place on; a section's first line; a line
 * with a key, and what is between that and its value. */
#define SPACE "[^\\S\n]*"
#define BLANK "\\G(?:^" SPACE "\n)++"
#define SECTION "^" SPACE "\\["
#define KEY "^" SPACE "[^\\s\\[#=][^=\n]*?([ \\t]*=[ \\t]*)[^\n]*\n"

struct _RelayEdit
{
  gchar *text; /* its last line has a line break */
  GRegex *blank, *section, *key;
};

static GRegex *
compile (const gchar *expression)
{
  return g_regex_new (expression, G_REGEX_RAW | G_REGEX_MULTILINE | G_REGEX_NEWLINE_LF, 0, NULL);
}

RelayEdit *
relay_edit_new (const gchar *text, gsize size)
{
  RelayEdit *edit = g_new (RelayEdit, 1);
  gboolean whole = size == 0 || text[size - 1] == '\n';

  edit->text = g_strdup_printf ("%.*s%s", (int) size, text, whole ? "" : "\n");
  edit->blank = compile (BLANK);
  edit->section = compile (SECTION);
  edit->key = compile (KEY);
  return edit;
}

void
relay_edit_free (RelayEdit *edit)
{
  relay_value_wipe (edit->text);
  g_regex_unref (edit->blank);
  g_regex_unref (edit->section);
  g_regex_unref (edit->key);
  g_free (edit);
}

gchar *
relay_edit_get_text (RelayEdit *edit, gsize *size)
{
  if (size != NULL)
    *size = strlen (edit->text);
  return g_strdup (edit->text);
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

/* Finds a group of an expression in the text from @from on, up to @to. */
static gboolean
find (const RelayEdit *edit, gint from, gint to, const GRegex *regex, gint group, gint *begin,
    gint *end)
{
  g_autoptr (GMatchInfo) found = NULL;

  return g_regex_match_full (regex, edit->text, to, from, 0, &found, NULL)
      && g_match_info_fetch_pos (found, group, begin, end);
}

static void
replace (RelayEdit *edit, gint from, gint to, const gchar *by)
{
  gchar *old = edit->text;

  edit->text = g_strdup_printf ("%.*s%s%s", from, old, by, old + to);
  relay_value_wipe (old);
}

static gint
get_size (const RelayEdit *edit)
{
  return strlen (edit->text);
}

/* Finds the section of a stream: its first line, whose name may have spaces around it, and the
 * first line behind its keys. */
static gboolean
find_section (const RelayEdit *edit, const gchar *name, gint *head, gint *end)
{
  g_autofree gchar *escaped = g_regex_escape_string (name, -1);
  g_autofree gchar *line = g_strdup_printf (SECTION STREAM SPACE "%s" SPACE "\\][^\n]*\n", escaped);
  g_autoptr (GRegex) first = compile (line);
  gint next = get_size (edit);

  if (!find (edit, 0, next, first, 0, head, end))
    return FALSE;
  find (edit, *end, next, edit->section, 0, &next, NULL);
  while (find (edit, *end, next, edit->key, 0, NULL, end))
    ;
  return TRUE;
}

/* Passes lines above the one at @at whose first character is @first; a line break: blank lines.
 * An expression would be tried from each of these lines on, which takes the square of their number.
 */
static gint
pass_above (const RelayEdit *edit, gint at, gchar first)
{
  gint above, text;

  for (; at > 0; at = above) {
    for (above = at - 1; above > 0 && edit->text[above - 1] != '\n';)
      above--;
    for (text = above; text < at - 1 && g_ascii_isspace (edit->text[text]);)
      text++;
    if (edit->text[text] != first)
      break;
  }
  return at;
}

/* The line break of the line at @at. */
static const gchar *
get_break (const RelayEdit *edit, gint at)
{
  gsize size = strcspn (edit->text + at, "\n");

  return size > 0 && edit->text[at + size - 1] == '\r' ? "\r\n" : "\n";
}

/* --- sections and keys ----------------------------------------------------------------------- */

void
relay_edit_add_stream (RelayEdit *edit, const gchar *name)
{
  const gchar *ends = get_break (edit, 0);
  gint size = get_size (edit);
  gboolean apart = size == 0 || pass_above (edit, size, '\n') < size;
  g_autofree gchar *section = g_strconcat (apart ? "" : ends, "[" STREAM, name, "]", ends, NULL);

  replace (edit, size, size, section);
}

/* The comment right above the section goes with it, if a blank line is above that. */
void
relay_edit_remove_stream (RelayEdit *edit, const gchar *name)
{
  gint head, end, above;

  if (!find_section (edit, name, &head, &end))
    return;
  above = pass_above (edit, head, '#');
  if (pass_above (edit, above, '\n') < above)
    head = above;
  find (edit, end, get_size (edit), edit->blank, 0, NULL, &end);
  if (end == get_size (edit))
    head = pass_above (edit, head, '\n');
  replace (edit, head, end, "");
}

/* @value: as it is written into the file; NULL removes the key. A new key is written like the first
 * one of the section. */
static void
set_value (RelayEdit *edit, const gchar *name, const gchar *key, const gchar *value)
{
  g_autofree gchar *line = g_strdup_printf ("^" SPACE "%s" SPACE "=[ \\t]*([^\n]*?)\r?\n", key);
  g_autoptr (GRegex) value_of = compile (line);
  g_autofree gchar *equals = NULL;
  gint head, end, from, to;
  gchar *added;

  if (!find_section (edit, name, &head, &end))
    return;
  if (find (edit, head, end, value_of, value != NULL ? 1 : 0, &from, &to)) {
    replace (edit, from, to, value != NULL ? value : "");
  } else if (value != NULL) {
    equals = find (edit, head, end, edit->key, 1, &from, &to) ?
        g_strndup (edit->text + from, to - from) :
        g_strdup (" = ");
    added = g_strconcat (key, equals, value, get_break (edit, head), NULL);
    replace (edit, end, end, added);
    relay_value_wipe (added);
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
 * Of two pairs with the same key, the last one is in force, as in GstUri. */
static gchar *
get_key (const gchar *uri, const gchar *key)
{
  g_autofree gchar *base = NULL;
  g_auto (GStrv) pairs = split (uri, &base);

  for (guint i = g_strv_length (pairs); i-- > 0;)
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

    if (one == NULL || one[0] == '\0')
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

/* Returns what may be shown of the streamid, escaped; NULL: all of it, or the URI has no host, so
 * that the streamid is the name of an end that listens. */
static gchar *
hide_streamid (const gchar *uri)
{
  const gchar *host = g_strstr_len (uri, strcspn (uri, "?"), "://");
  g_autofree gchar *escaped =
      host != NULL && host[strlen ("://")] != ':' ? get_key (uri, STREAMID) : NULL;
  g_autofree gchar *streamid = escaped != NULL ? g_uri_unescape_string (escaped, NULL) : NULL;
  g_autofree gchar *shown = streamid != NULL ? fasp_streamid_show (streamid) : NULL;

  return g_strcmp0 (streamid, shown) != 0 ? g_uri_escape_string (shown, "!*=:,/", FALSE) : NULL;
}

gboolean
relay_edit_has_secret (const gchar *uri)
{
  g_autofree gchar *passphrase = get_key (uri, SECRET), *streamid = hide_streamid (uri);

  return passphrase != NULL || streamid != NULL;
}

gchar *
relay_edit_hide (const gchar *uri)
{
  g_autofree gchar *streamid = hide_streamid (uri);
  g_autofree gchar *text = streamid != NULL ? set_pair (uri, STREAMID, streamid) : g_strdup (uri);

  return set_pair (text, SECRET, NULL);
}

/* Have both URIs the same scheme? A passphrase is not kept for another protocol, which may have
 * none or another limit of its length. */
static gboolean
has_same_scheme (const gchar *a, const gchar *b)
{
  return g_strcmp0 (g_uri_peek_scheme (a), g_uri_peek_scheme (b)) == 0;
}

/* Have both URIs the same scheme, host and port? The host that is dialled reads the password of a
 * streamid, so it is not kept for another one. */
static gboolean
has_same_host (const gchar *a, const gchar *b)
{
  g_autofree gchar *one = NULL, *other = NULL;

  g_strfreev (split (a, &one));
  g_strfreev (split (b, &other));
  return g_str_equal (one, other);
}

gchar *
relay_edit_keep_password (const gchar *uri, const gchar *old)
{
  gboolean host = old != NULL && has_same_host (uri, old);
  g_autofree gchar *shown = host ? hide_streamid (old) : NULL;
  g_autofree gchar *plain = shown != NULL ? g_uri_unescape_string (shown, NULL) : NULL;
  g_autofree gchar *escaped = plain != NULL ? get_key (uri, STREAMID) : NULL;
  g_autofree gchar *streamid = escaped != NULL ? g_uri_unescape_string (escaped, NULL) : NULL;
  g_autofree gchar *had = NULL;

  if (streamid == NULL || !g_str_equal (streamid, plain))
    return g_strdup (uri);
  had = get_key (old, STREAMID);
  return set_pair (uri, STREAMID, had);
}

gchar *
relay_edit_keep_secret (const gchar *uri, const gchar *old)
{
  gboolean same = old != NULL && has_same_scheme (uri, old);
  g_autofree gchar *has = get_key (uri, SECRET), *had = same ? get_key (old, SECRET) : NULL;
  g_autofree gchar *text = relay_edit_keep_password (uri, old);

  return has != NULL || had == NULL ? g_strdup (text) : set_pair (text, SECRET, had);
}
