/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gio/gio.h>
#include <string.h>
#include "gstfaspparse.h"
#include "relaysources.h"

/* Those that call, and the addresses of a name that stands alone. */
#define PAIR 2

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
  uri = sends ? gst_fasp_parse_uri (text) : NULL;
  if (uri != NULL && gst_uri_query_has_key (uri, "redundancy")) {
    BAD (error,
        "redundancy is for what receives: write it into the input of this stream, or into the "
        "URI of the receivers.");
    return FALSE;
  }
  return TRUE;
}

/* Has this faspsrc several sources at once? */
static gboolean
has_several (GstElement *source)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (source), "redundancy");
  g_autofree gchar *redundancy = NULL;
  GValue value = G_VALUE_INIT;

  /* an input of another protocol has one source */
  if (pspec == NULL)
    return FALSE;
  g_value_init (&value, pspec->value_type);
  g_object_get_property (G_OBJECT (source), "redundancy", &value);
  redundancy = gst_value_serialize (&value);
  g_value_unset (&value);
  return !g_str_equal (redundancy, "none");
}

/* Its addresses beside that of the URI; NULL: it has none at once with that. */
static gchar **
list_further (GstElement *source)
{
  g_autofree gchar *further = NULL;

  if (!has_several (source))
    return NULL;
  g_object_get (source, "fallback-addresses", &further, NULL);
  return further != NULL && further[0] != '\0' ? g_strsplit (further, ",", -1) : NULL;
}

guint
relay_sources_count (GstElement *source)
{
  g_auto (GStrv) further = list_further (source);

  if (!has_several (source))
    return 0;
  return further != NULL ? 1 + g_strv_length (further) : PAIR;
}

/* Writes ADDRESS:PORT in one way; NULL: it is a name, which may lead to several hosts. */
static gchar *
normalize (const gchar *text)
{
  g_autoptr (GSocketConnectable) all = g_network_address_parse (text, 0, NULL);
  GNetworkAddress *one = all != NULL ? G_NETWORK_ADDRESS (all) : NULL;
  g_autoptr (GInetAddress) address =
      one != NULL ? g_inet_address_new_from_string (g_network_address_get_hostname (one)) : NULL;
  g_autofree gchar *host = address != NULL ? g_inet_address_to_string (address) : NULL;

  return host != NULL ? g_strdup_printf ("%s %u", host, g_network_address_get_port (one)) : NULL;
}

/* FALSE: it is there already. */
static gboolean
add (GHashTable *all, const gchar *text)
{
  gchar *address = normalize (text);

  return address == NULL || g_hash_table_add (all, address);
}

gboolean
relay_sources_check (GstElement *source, const gchar *text, GError **error)
{
  g_autoptr (GstUri) uri = gst_fasp_parse_uri (text);
  const gchar *host = gst_uri_get_host (uri);
  g_auto (GStrv) further = list_further (source);
  g_autoptr (GHashTable) all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree gchar *first = NULL;

  if (further == NULL || host == NULL || !has_several (source))
    return TRUE;
  first = g_strdup_printf (strchr (host, ':') != NULL ? "[%s]:%u" : "%s:%u", host,
      gst_uri_get_port (uri));
  add (all, first);
  for (guint i = 0; further[i] != NULL; i++)
    if (!add (all, g_strstrip (further[i]))) {
      BAD (error,
          "the source %s is there twice, and would have to send everything twice: name each once, "
          "in the URI or in fallback-addresses.",
          further[i]);
      return FALSE;
    }
  return TRUE;
}
