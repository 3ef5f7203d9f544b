/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaykey.h"

const RelayKey *
relay_key_find (const RelayKey *keys, const gchar *name, guint ends)
{
  for (; keys->name != NULL; keys++)
    if (g_str_equal (keys->name, name) && (keys->ends & ends) == ends)
      return keys;
  return NULL;
}

gboolean
relay_key_check (const RelayKey *key, const gchar *value, GError **error)
{
  g_auto (GStrv) words = key->words != NULL ? g_strsplit (key->words, " ", -1) : NULL;
  g_autofree gchar *listed = NULL;
  guint64 number;

  if (words != NULL ? g_strv_contains ((const gchar *const *) words, value) :
                      key->most == 0
              || g_ascii_string_to_unsigned (value, 10, key->least, key->most, &number, NULL))
    return TRUE;
  listed = words != NULL ? g_strjoinv (", ", words) : NULL;
  if (listed != NULL)
    RELAY_BAD (error, "\"%s\" is not a value of \"%s\": write one of %s.", value, key->name,
        listed);
  else
    RELAY_BAD (error,
        "\"%s\" is not a value of \"%s\": write a number from %" G_GUINT64_FORMAT
        " to %" G_GUINT64_FORMAT ".",
        value, key->name, key->least, key->most);
  return FALSE;
}
