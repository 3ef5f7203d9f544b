/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayvalue.h"
#include <string.h>
#include "relayallowed.h"

#define SECRET_MAX 4096 /* bytes of a file with a secret */

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
relay_value_number (GKeyFile *file, const gchar *group, const RelayKey *key, guint *value,
    GError **error)
{
  g_autofree gchar *text = g_key_file_get_value (file, group, key->name, NULL);
  guint64 number;

  if (text == NULL)
    return TRUE;
  if (g_ascii_string_to_unsigned (g_strstrip (text), 10, key->least, key->most, &number, NULL)) {
    *value = number;
    return TRUE;
  }
  RELAY_BAD (error, "write a whole number: %s; or leave it out.", key->meaning);
  return relay_value_locate (error, group, key->name);
}

static gboolean
refuse_text (const gchar *group, const gchar *key, GError **error)
{
  RELAY_BAD (error,
      "it is not UTF-8, or has a backslash that escapes nothing: write \\\\ for a backslash.");
  return relay_value_locate (error, group, key);
}

gboolean
relay_value_string (GKeyFile *file, const gchar *group, const gchar *key, gchar **value,
    GError **error)
{
  g_autoptr (GError) why = NULL;
  gchar *text;

  if (!g_key_file_has_key (file, group, key, NULL))
    return TRUE;
  text = g_key_file_get_string (file, group, key, &why);
  if (why == NULL) {
    *value = text;
    return TRUE;
  }
  /* after an invalid escape, GLib still returns the rest, which may be a secret */
  relay_value_wipe (text);
  return refuse_text (group, key, error);
}

gboolean
relay_value_list (GKeyFile *file, const gchar *group, const gchar *key, gchar ***list,
    GError **error)
{
  gchar **texts;

  if (!g_key_file_has_key (file, group, key, NULL))
    return TRUE;
  texts = g_key_file_get_string_list (file, group, key, NULL, NULL);
  if (texts == NULL)
    return refuse_text (group, key, error);
  for (guint i = 0; texts[i] != NULL; i++)
    g_strstrip (texts[i]);
  *list = texts;
  return TRUE;
}

gboolean
relay_value_streams (GKeyFile *file, const gchar *group, gchar ***streams, GError **error)
{
  if (!relay_value_list (file, group, "streams", streams, error))
    return FALSE;
  if (*streams == NULL || (*streams)[0] != NULL)
    return TRUE;
  RELAY_BAD (error, "write names of streams, with a ; between them; or leave it out.");
  return relay_value_locate (error, group, "streams");
}

gboolean
relay_value_allowed (GKeyFile *file, const gchar *group, const gchar *key, GPtrArray **allowed,
    GError **error)
{
  g_auto (GStrv) texts = NULL;

  if (!relay_value_list (file, group, key, &texts, error))
    return FALSE;
  if (texts == NULL)
    return TRUE;
  *allowed = relay_allowed_parse (texts);
  if (*allowed != NULL)
    return TRUE;
  RELAY_BAD (error,
      "write up to %d addresses or networks, with a ; between them, e.g. "
      "192.0.2.7;10.1.0.0/16;2001:db8::/32, where all bits behind the network's are 0; IPv4 not as "
      "::ffff:192.0.2.7, and IPv6 without a scope, as %%eth0; or leave it out.",
      RELAY_ALLOWED_MAX);
  return relay_value_locate (error, group, key);
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

/* Reads a file with one line. */
static gchar *
read_secret (const gchar *path, const gchar *what, GPtrArray *warnings, GError **error)
{
  g_autoptr (GError) why = NULL;
  struct stat state;
  gsize size;
  gchar *text = gst_fasp_file_read (path, &size, &state, &why);
  gchar *secret = NULL;

  if (text == NULL) {
    RELAY_BAD (error, "%s. Name a file that the relay can read and that holds nothing but the %s.",
        why->message, what);
    return NULL;
  }
  if (size <= SECRET_MAX && strlen (text) == size)
    secret = g_strdup (g_strstrip (text));
  explicit_bzero (text, size);
  g_free (text);
  relay_value_look_at (warnings, path, &state, GST_FASP_FILE_SECRET);
  if (secret != NULL && g_utf8_validate (secret, -1, NULL)
      && g_utf8_strlen (secret, -1) >= RELAY_SECRET_MIN && strlen (secret) <= 1024)
    return secret;
  relay_value_wipe (secret);
  RELAY_BAD (error,
      "%s holds no %s of %d characters to 1024 bytes. Name another file; "
      "to make one: openssl rand -base64 18 >NEW-FILE",
      path, what, RELAY_SECRET_MIN);
  return NULL;
}

gboolean
relay_value_secret (GKeyFile *file, const gchar *group, const gchar *key, const gchar *what,
    const RelaySecrets *secrets, gchar **secret, GError **error)
{
  g_autofree gchar *path = NULL;
  const gchar *known;

  if (!relay_value_string (file, group, key, &path, error))
    return FALSE;
  if (path == NULL)
    return TRUE;
  known = secrets->known != NULL ? g_hash_table_lookup (secrets->known, path) : NULL;
  *secret = known != NULL ? g_strdup (known) : read_secret (path, what, secrets->warnings, error);
  if (*secret == NULL)
    return relay_value_locate (error, group, key);
  g_hash_table_insert (secrets->found, g_steal_pointer (&path), g_strdup (*secret));
  return TRUE;
}
