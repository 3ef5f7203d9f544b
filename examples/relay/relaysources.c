/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "relaysources.h"

#define BAD(error, ...) \
  g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, __VA_ARGS__)

gboolean
relay_sources_check_text (const gchar *text, gboolean sends, GError **error)
{
  g_autoptr (GstUri) uri = NULL;

  if (!sends && strstr (text, ";fasp:") != NULL) {
    BAD (error,
        "an input is one URI, in which further sources have no more than addresses: write "
        "fasp://HOST:PORT?redundancy=hot&fallback-addresses=HOST:PORT,... if all are to send "
        "everything, or redundancy=standby if one is to send and the others stand by.");
    return FALSE;
  }
  uri = sends ? gst_uri_from_string (text) : NULL;
  if (uri != NULL && gst_uri_query_has_key (uri, "redundancy")) {
    BAD (error,
        "redundancy is for what receives: write it into the input of this stream, or into the "
        "URI of the receivers.");
    return FALSE;
  }
  return TRUE;
}

/* Has this faspsrc several sources, all at once, that it calls? */
static gchar **
list_further (GstElement *source)
{
  g_autofree gchar *further = NULL, *redundancy = NULL;
  GValue value = G_VALUE_INIT;

  g_object_get (source, "fallback-addresses", &further, NULL);
  g_value_init (&value,
      g_object_class_find_property (G_OBJECT_GET_CLASS (source), "redundancy")->value_type);
  g_object_get_property (G_OBJECT (source), "redundancy", &value);
  redundancy = gst_value_serialize (&value);
  g_value_unset (&value);
  return further == NULL || g_str_equal (redundancy, "none") ? NULL : g_strsplit (further, ",", -1);
}

gboolean
relay_sources_check (GstElement *source, const gchar *text, GError **error)
{
  g_autoptr (GstUri) uri = gst_uri_from_string (text);
  const gchar *host = gst_uri_get_host (uri);
  g_auto (GStrv) further = list_further (source);
  g_autoptr (GHashTable) all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (further == NULL || host == NULL)
    return TRUE;
  g_hash_table_add (all,
      g_strdup_printf (strchr (host, ':') != NULL ? "[%s]:%u" : "%s:%u", host,
          gst_uri_get_port (uri)));
  for (guint i = 0; further[i] != NULL; i++) {
    gchar *name = g_ascii_strdown (g_strstrip (further[i]), -1);

    if (!g_hash_table_add (all, name)) {
      BAD (error,
          "the source %s is there twice, and would have to send everything twice: name each once, "
          "in the URI or in fallback-addresses.",
          further[i]);
      return FALSE;
    }
  }
  return TRUE;
}
