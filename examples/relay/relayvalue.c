/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayvalue.h"
#include <string.h>

#define PASSPHRASE_MAX 4096 /* bytes of a file that holds one */

gboolean
relay_value_locate (GError **error, const gchar *group, const gchar *key)
{
  g_prefix_error (error, "[%s] %s: ", group, key);
  return FALSE;
}

void
relay_value_wipe (gchar *secret)
{
  if (secret != NULL)
    explicit_bzero (secret, strlen (secret));
  g_free (secret);
}

gboolean
relay_value_boolean (GKeyFile *file, const gchar *group, const gchar *key, gboolean *value,
    GError **error)
{
  g_autoptr (GError) why = NULL;

  if (!g_key_file_has_key (file, group, key, NULL))
    return TRUE;
  *value = g_key_file_get_boolean (file, group, key, &why);
  if (why == NULL)
    return TRUE;
  RELAY_BAD (error, "write true or false.");
  return relay_value_locate (error, group, key);
}

gboolean
relay_value_number (GKeyFile *file, const gchar *group, const gchar *key, guint most,
    const gchar *what, guint *value, GError **error)
{
  g_autofree gchar *text = NULL;
  guint64 number;

  if (!g_key_file_has_key (file, group, key, NULL))
    return TRUE;
  text = g_key_file_get_value (file, group, key, NULL);
  if (text != NULL && g_ascii_string_to_unsigned (g_strstrip (text), 10, 0, most, &number, NULL)) {
    *value = number;
    return TRUE;
  }
  RELAY_BAD (error, "write %s, a whole number up to %u; or leave it out.", what, most);
  return relay_value_locate (error, group, key);
}

gchar *
relay_value_string (GKeyFile *file, const gchar *group, const gchar *key, GError **error)
{
  g_autoptr (GError) why = NULL;
  gchar *text;

  if (!g_key_file_has_key (file, group, key, NULL))
    return NULL;
  text = g_key_file_get_string (file, group, key, &why);
  if (why == NULL)
    return text;
  /* if an escape was not valid, GLib still returns the rest; it may be a secret */
  relay_value_wipe (text);
  RELAY_BAD (error,
      "it is not UTF-8, or has a backslash that escapes nothing: write \\\\ for a backslash.");
  relay_value_locate (error, group, key);
  return NULL;
}

void
relay_value_look_at (GPtrArray *warnings, const gchar *path, const struct stat *what,
    GstFaspFileKind kind)
{
  g_autofree gchar *warning = gst_fasp_file_warn (path, what, kind);

  if (warning == NULL)
    return;
  for (guint i = 0; i < warnings->len; i++)
    if (g_str_equal (g_ptr_array_index (warnings, i), warning))
      return;
  g_ptr_array_add (warnings, g_steal_pointer (&warning));
}

gboolean
relay_value_passphrase (GKeyFile *file, const gchar *group, const gchar *key, GPtrArray *warnings,
    gchar **passphrase, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autofree gchar *path = relay_value_string (file, group, key, &why);
  struct stat what;
  gchar *text = NULL;
  gsize size;

  if (path == NULL && why == NULL)
    return TRUE;
  if (path != NULL)
    text = gst_fasp_file_read (path, &size, &what, &why);
  if (text == NULL) {
    RELAY_BAD (error,
        "%s. Name a file that the relay can read and that holds nothing but the passphrase.",
        why->message);
    return relay_value_locate (error, group, key);
  }
  if (size <= PASSPHRASE_MAX && strlen (text) == size)
    *passphrase = g_strdup (g_strstrip (text));
  explicit_bzero (text, size);
  g_free (text);
  relay_value_look_at (warnings, path, &what, GST_FASP_FILE_SECRET);
  if (*passphrase != NULL && g_utf8_validate (*passphrase, -1, NULL)
      && g_utf8_strlen (*passphrase, -1) >= 10 && strlen (*passphrase) <= 1024)
    return TRUE;
  RELAY_BAD (error,
      "%s holds no passphrase of 10 characters to 1024 bytes. Name another file; "
      "to make one: openssl rand -base64 18 >NEW-FILE",
      path);
  return relay_value_locate (error, group, key);
}
