/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspstreamid.h"
#include <string.h>

#define HIDDEN "*"
#define SHOWN_KEYS "hmrtu" /* whose values are not secret */
#define PARTS 5            /* ACTION:NAME:USER:PASSWORD:QUERY */

/* Hides what may be secret in KEY=VALUE: the values of keys that are not known, and text without a
 * key, as the rest of a password that has a comma. */
static void
show_pair (GString *shown, const gchar *pair)
{
  if (pair[0] == '\0' || pair[1] != '=')
    g_string_append (shown, HIDDEN);
  else if (strchr (SHOWN_KEYS, pair[0]) != NULL)
    g_string_append (shown, pair);
  else
    g_string_append_printf (shown, "%c=" HIDDEN, pair[0]);
}

static gchar *
show_keys (const gchar *streamid)
{
  g_auto (GStrv) pairs = g_strsplit (streamid + strlen (FASP_STREAMID_KEYS), ",", -1);
  GString *shown = g_string_new (FASP_STREAMID_KEYS);

  for (guint i = 0; pairs[i] != NULL; i++) {
    if (i > 0)
      g_string_append_c (shown, ',');
    show_pair (shown, pairs[i]);
  }
  return g_string_free (shown, FALSE);
}

/* Hides the password and all behind it, and a query: behind an action and a name, a third part
 * alone is one. */
static gchar *
show_parts (const gchar *streamid)
{
  g_auto (GStrv) parts = g_strsplit (streamid, ":", PARTS);
  guint n = g_strv_length (parts);
  gboolean acts = n > 0 && (g_str_equal (parts[0], "read") || g_str_equal (parts[0], "publish"));
  guint shown = n == 3 && acts ? 2 : MIN (n, 3);
  GString *text = g_string_new (n > 0 ? parts[0] : NULL);

  for (guint i = 1; i < shown; i++)
    g_string_append_printf (text, ":%s", parts[i]);
  if (shown < n)
    g_string_append (text, ":" HIDDEN);
  return g_string_free (text, FALSE);
}

gchar *
fasp_streamid_show (const gchar *streamid)
{
  return g_str_has_prefix (streamid, FASP_STREAMID_KEYS) ? show_keys (streamid) :
                                                           show_parts (streamid);
}
