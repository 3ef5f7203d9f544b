/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspparse.h"
#include <string.h>

#define BAD(...) g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE, __VA_ARGS__)

#define PASSPHRASE "passphrase"

const gchar *
gst_fasp_parse_find_bad_escape (const gchar *text)
{
  const gchar *end = text + strcspn (text, "#");

  for (const gchar *at = text; (at = strchr (at, '%')) != NULL && at < end; at++)
    if (!g_ascii_isxdigit (at[1]) || !g_ascii_isxdigit (at[2]) || strncmp (at + 1, "00", 2) == 0)
      return at;
  return NULL;
}

GstUri *
gst_fasp_parse_uri (const gchar *text)
{
  const gchar *query = text + strcspn (text, "?#");

  return gst_fasp_parse_find_bad_escape (query) == NULL ? gst_uri_from_string (text) : NULL;
}

gboolean
gst_fasp_parse_may_be_caps (const gchar *text)
{
  guint brackets = 0;

  /* counts every opening bracket: closing ones may be in quotes */
  for (const gchar *at = text; *at != '\0'; at++)
    brackets += strchr ("{[<", *at) != NULL;
  return brackets <= GST_FASP_PARSE_BRACKETS_MAX && strlen (text) <= GST_FASP_PARSE_CAPS_MAX;
}

gboolean
gst_fasp_parse_has_caps_names (const gchar *text)
{
  gboolean begins = TRUE, is_quoted = FALSE;

  for (const gchar *at = text; *at != '\0'; at++) {
    if (*at == '\\' && at[1] != '\0')
      at++; /* a quote behind it ends nothing */
    else if (*at == '"')
      is_quoted = !is_quoted;
    if (begins && strchr ("; \t\n\v\f\r", *at) == NULL) {
      if (!g_ascii_isalpha (*at))
        return FALSE;
      begins = FALSE;
    }
    begins |= *at == ';' && !is_quoted;
  }
  return TRUE;
}

/* May the whole of @key be a secret, or a part of one? */
static gboolean
may_be_secret (GHashTable *query, const gchar *key)
{
  const gchar *value = g_hash_table_lookup (query, key);

  return value == NULL || value[0] == '\0' || strstr (key, PASSPHRASE) != NULL
      || g_hash_table_contains (query, PASSPHRASE) || g_hash_table_contains (query, "streamid")
      || key[strspn (key, G_CSET_a_2_z G_CSET_A_2_Z "-_")] != '\0';
}

/* Is there perhaps another key in the value of @key, with its secret? */
static gboolean
has_other_key (const gchar *key, const gchar *value)
{
  g_autofree gchar *lower = g_ascii_strdown (value, -1);

  return !g_str_equal (key, PASSPHRASE) && !g_str_equal (key, "streamid")
      && (strchr (value, '?') != NULL || strstr (lower, PASSPHRASE) != NULL);
}

gboolean
gst_fasp_parse_check_query (GHashTable *query, GstFaspParseFunc is_known, gpointer data,
    const gchar *what, const gchar *all, GError **error)
{
  const gchar *unknown = NULL;
  gpointer key, value;
  GHashTableIter iter;
  guint n = 0;

  g_hash_table_iter_init (&iter, query);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    if (!is_known (key, data)) {
      unknown = key;
      n++;
    } else if (value != NULL && has_other_key (key, value)) {
      BAD ("The value of %s has a ?, or another key in it: write a & between keys.", (gchar *) key);
      return FALSE;
    }
  }
  if (n == 1 && !may_be_secret (query, unknown))
    BAD ("\"%s\" is not a key of %s: leave it out. The keys are: %s.", unknown, what, all);
  else if (n > 0)
    BAD ("There is a key that is none of %s, or a & in the passphrase or streamid: write %%26 for "
         "a &. The keys are: %s.",
        what, all);
  return n == 0;
}

int
gst_fasp_parse_count_plain (const gchar *text)
{
  const gchar *secret = strstr (text, PASSPHRASE), *slashes = strstr (text, "://");
  gsize begin = slashes != NULL ? slashes + strlen ("://") - text : 0;
  gsize n = begin + strcspn (text + begin, "/?#&=;,");

  /* a user's password may have any of these in it */
  if (strchr (text + begin, '@') != NULL)
    n = begin;
  return secret != NULL ? MIN (n, (gsize) (secret - text)) : n;
}
