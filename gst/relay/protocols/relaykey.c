/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaykey.h"
#include "gstfaspparse.h"

#define COLUMN 26 /* where meanings begin */
#define COLUMNS 80

const RelayKey *
relay_key_find (const RelayKey *keys, const gchar *name, guint ends)
{
  for (; keys->name != NULL; keys++)
    if (g_str_equal (keys->name, name) && (keys->ends & ends) == ends)
      return keys;
  return NULL;
}

gchar *
relay_key_list (const RelayKey *keys, guint ends)
{
  GString *list = g_string_new (NULL);

  for (; keys->name != NULL; keys++)
    if ((keys->ends & ends) == ends)
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", keys->name);
  return g_string_free (list, FALSE);
}

gboolean
relay_key_check (const RelayKey *key, const gchar *value, GError **error)
{
  g_auto (GStrv) words = key->words != NULL ? g_strsplit (key->words, " ", -1) : NULL;
  g_autofree gchar *listed = NULL;
  int plain = gst_fasp_parse_count_plain (value);
  guint64 number;

  if (words != NULL ? g_strv_contains ((const gchar *const *) words, value) :
                      key->most == 0
              || g_ascii_string_to_unsigned (value, 10, key->least, key->most, &number, NULL))
    return TRUE;
  listed = words != NULL ? g_strjoinv (", ", words) : NULL;
  if (listed != NULL)
    RELAY_BAD (error, "\"%.*s\" is not a value of \"%s\": write one of %s.", plain, value,
        key->name, listed);
  else
    RELAY_BAD (error,
        "\"%.*s\" is not a value of \"%s\": write a number from %" G_GUINT64_FORMAT
        " to %" G_GUINT64_FORMAT ".",
        plain, value, key->name, key->least, key->most);
  return FALSE;
}

/* Writes @words from COLUMN on.  @column: where the line is now. */
static void
wrap (const gchar *words, gsize column, GString *text)
{
  g_auto (GStrv) all = g_strsplit (words, " ", -1);

  for (guint i = 0; all[i] != NULL; i++) {
    gsize size = g_utf8_strlen (all[i], -1);

    if (column + 1 + size > COLUMNS || (i == 0 && column + 1 > COLUMN)) {
      g_string_append_c (text, '\n');
      column = 0;
    }
    g_string_append_printf (text, "%*s%s", column < COLUMN ? (int) (COLUMN - column) : 1, "",
        all[i]);
    column = MAX (column + 1, COLUMN) + size;
  }
  g_string_append_c (text, '\n');
}

void
relay_key_explain (const RelayKey *keys, GString *text)
{
  for (const RelayKey *key = keys; key->name != NULL; key++) {
    g_autofree gchar *words = g_strdup_printf ("%s (%s)", key->meaning, key->normal);
    gsize begin = text->len;

    g_string_append_printf (text, "  %s", key->name);
    for (; key[1].name != NULL && g_str_equal (key[1].meaning, key->meaning); key++)
      g_string_append_printf (text, ", %s", key[1].name);
    wrap (words, text->len - begin, text);
  }
}
