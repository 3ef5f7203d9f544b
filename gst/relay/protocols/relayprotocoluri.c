/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gio/gio.h>
#include <gst/gst.h>
#include <string.h>
#include "gstfaspparse.h"
#include "faspstreamid.h"
#include "relayprotocol.h"

void
relay_protocol_uri_free (RelayProtocolUri *protocol_uri)
{
  gchar *secret;

  g_free (protocol_uri->host);
  g_free (protocol_uri->source);
  g_free (protocol_uri->path);
  g_clear_pointer (&protocol_uri->allowed, g_ptr_array_unref);
  secret =
      protocol_uri->keys != NULL ? g_hash_table_lookup (protocol_uri->keys, "passphrase") : NULL;
  if (secret != NULL)
    explicit_bzero (secret, strlen (secret));
  g_clear_pointer (&protocol_uri->keys, g_hash_table_unref);
  g_clear_pointer (&protocol_uri->second, relay_protocol_uri_free);
  g_free (protocol_uri);
}

const gchar *
relay_protocol_uri_get (const RelayProtocolUri *protocol_uri, const gchar *key)
{
  return g_hash_table_lookup (protocol_uri->keys, key);
}

guint64
relay_protocol_uri_get_uint (const RelayProtocolUri *protocol_uri, const gchar *key,
    guint64 otherwise)
{
  const gchar *text = relay_protocol_uri_get (protocol_uri, key);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

gboolean
relay_protocol_uri_is_timed (const RelayProtocolUri *protocol_uri)
{
  return g_strcmp0 (relay_protocol_uri_get (protocol_uri, "sync"), "true") == 0;
}

gboolean
relay_host_is_group (const gchar *host)
{
  g_autoptr (GInetAddress) address = host != NULL ? g_inet_address_new_from_string (host) : NULL;

  return address != NULL && g_inet_address_get_is_multicast (address);
}

gboolean
relay_host_is_any (const gchar *host)
{
  g_autoptr (GInetAddress) address = host != NULL ? g_inet_address_new_from_string (host) : NULL;

  return host == NULL || host[0] == '\0'
      || (address != NULL && g_inet_address_get_is_any (address));
}

gchar *
relay_host_with_port (const gchar *host, guint port)
{
  return host == NULL ?
      g_strdup_printf (":%u", port) :
      g_strdup_printf (strchr (host, ':') != NULL ? "[%s]:%u" : "%s:%u", host, port);
}

gboolean
relay_protocol_uri_is_ipv6 (const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->host != NULL && strchr (protocol_uri->host, ':') != NULL;
}

const gchar *
relay_protocol_uri_get_address (const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->host != NULL ? protocol_uri->host : "0.0.0.0";
}

guint
relay_protocol_uri_count_ports (const RelayProtocolUri *protocol_uri)
{
  const RelayProtocol *protocol = protocol_uri->protocol;

  return protocol->count_ports != NULL ? protocol->count_ports (protocol_uri) : 0;
}

gboolean
relay_protocol_uri_listens (const RelayProtocolUri *protocol_uri)
{
  return !relay_host_is_group (protocol_uri->host)
      && relay_protocol_uri_count_ports (protocol_uri) > 0;
}

gboolean
relay_protocol_uri_dials (const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->protocol->has_connections
      && relay_protocol_uri_count_ports (protocol_uri) == 0;
}

static guint
get_kind (const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->sends ? RELAY_KEY_OUTPUT : RELAY_KEY_INPUT;
}

gchar *
relay_protocol_uri_describe (const RelayProtocolUri *protocol_uri)
{
  GString *text = g_string_new (protocol_uri->protocol->scheme);
  g_autofree gchar *place = protocol_uri->path != NULL ?
      g_strdup (protocol_uri->path) :
      relay_host_with_port (protocol_uri->host, protocol_uri->port);
  const gchar *before = "?";

  g_string_append (text, "://");
  if (protocol_uri->source != NULL)
    g_string_append_printf (text, "%s@", protocol_uri->source);
  g_string_append (text, place);
  for (const RelayKey *key = protocol_uri->protocol->keys; key->name != NULL; key++) {
    const gchar *value = relay_protocol_uri_get (protocol_uri, key->name);
    g_autofree gchar *shown = NULL;

    if (value == NULL || (key->ends & get_kind (protocol_uri)) == 0
        || g_str_equal (key->name, "passphrase"))
      continue;
    shown = g_str_equal (key->name, "streamid") ? fasp_streamid_show (value) : g_strdup (value);
    g_string_append_printf (text, "%s%s=%s", before, key->name, shown);
    before = "&";
  }
  return g_string_free (text, FALSE);
}

static gboolean
is_known (const gchar *key, gpointer data)
{
  const RelayProtocolUri *protocol_uri = data;

  return relay_key_find (protocol_uri->protocol->keys, key, get_kind (protocol_uri)) != NULL;
}

gboolean
relay_protocol_uri_check_keys (const RelayProtocolUri *protocol_uri, GError **error)
{
  const RelayKey *keys = protocol_uri->protocol->keys;
  g_autofree gchar *all = relay_key_list (keys, get_kind (protocol_uri));
  g_autofree gchar *what = g_strdup_printf ("%s:// as an %s", protocol_uri->protocol->scheme,
      protocol_uri->sends ? "output" : "input");
  GHashTableIter iter;
  gpointer name, value;

  if (!gst_fasp_parse_check_query (protocol_uri->keys, is_known, (gpointer) protocol_uri, what, all,
          error))
    return FALSE;
  g_hash_table_iter_init (&iter, protocol_uri->keys);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (!relay_key_check (relay_key_find (keys, name, get_kind (protocol_uri)),
            value != NULL ? value : "", error))
      return FALSE;
  return TRUE;
}

/* --- the URI -------------------------------------------------------------------------------- */

/* Splits ///PATH?KEYS, in which the path is not escaped. */
static gboolean
split_path (RelayProtocolUri *protocol_uri, const gchar *text, GError **error)
{
  const gchar *path = strchr (text, ':') + 1;
  const gchar *query = strchr (path, '?');

  if (g_str_has_prefix (path, "//"))
    path += 2;
  protocol_uri->path = query != NULL ? g_strndup (path, query - path) : g_strdup (path);
  if (query != NULL)
    protocol_uri->keys = g_uri_parse_params (query + 1, -1, "&", G_URI_PARAMS_NONE, error);
  else
    protocol_uri->keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (protocol_uri->keys != NULL && protocol_uri->path[0] != '\0')
    return TRUE;
  g_clear_error (error);
  RELAY_BAD (error,
      "write %s:///PATH, with its keys as ?KEY=VALUE&..., and %%25 for a %% in these.",
      protocol_uri->protocol->scheme);
  return FALSE;
}

static gboolean
split_network (RelayProtocolUri *protocol_uri, const gchar *text, GError **error)
{
  const gchar *bad = gst_fasp_parse_find_bad_escape (text);
  g_autoptr (GstUri) uri = bad == NULL ? gst_fasp_parse_uri (text) : NULL;
  g_autofree gchar *path = uri != NULL ? gst_uri_get_path (uri) : NULL;
  guint port = uri != NULL ? gst_uri_get_port (uri) : 0;
  const gchar *host = uri != NULL ? gst_uri_get_host (uri) : NULL;
  const gchar *source = uri != NULL ? gst_uri_get_userinfo (uri) : NULL;

  if (bad != NULL) {
    RELAY_BAD (error, "it has a %% that escapes nothing: write %%25 for a %%.");
    return FALSE;
  }
  if (port == 0 || port > G_MAXUINT16 || (path != NULL && path[0] != '\0')
      || (source != NULL && protocol_uri->protocol->receivers[0] == NULL)) {
    RELAY_BAD (error, "write %s://HOST:PORT, with its keys as ?KEY=VALUE&...",
        protocol_uri->protocol->scheme);
    return FALSE;
  }
  protocol_uri->host = host != NULL && host[0] != '\0' ? g_strdup (host) : NULL;
  protocol_uri->source = g_strdup (source);
  protocol_uri->port = port;
  protocol_uri->keys = gst_uri_get_query_table (uri);
  if (protocol_uri->keys == NULL)
    protocol_uri->keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return TRUE;
}

RelayProtocolUri *
relay_protocol_uri_split (const RelayProtocol *protocol, const gchar *uri, gboolean sends,
    GError **error)
{
  g_autoptr (RelayProtocolUri) protocol_uri = g_new0 (RelayProtocolUri, 1);

  protocol_uri->protocol = protocol;
  protocol_uri->sends = sends;
  if (!(protocol->is_path ? split_path : split_network) (protocol_uri, uri, error))
    return NULL;
  return g_steal_pointer (&protocol_uri);
}

/* Is it an address, without keys, and another place than the first leg's? */
static gboolean
is_other_place (const RelayProtocolUri *first, const RelayProtocolUri *second)
{
  if ((second->host != NULL && !g_hostname_is_ip_address (second->host))
      || g_hash_table_size (second->keys) > 0)
    return FALSE;
  return second->port != first->port || g_strcmp0 (second->host, first->host) != 0
      || relay_protocol_uri_get (first, "leg2-interface") != NULL;
}

gboolean
relay_protocol_uri_split_leg (RelayProtocolUri *protocol_uri, GError **error)
{
  const gchar *place = relay_protocol_uri_get (protocol_uri, "leg2");
  const gchar *interface = relay_protocol_uri_get (protocol_uri, "leg2-interface");
  const gchar *fec = relay_protocol_uri_get (protocol_uri, "fec");
  const gchar *scheme = protocol_uri->protocol->scheme;
  g_autofree gchar *uri = g_strdup_printf ("%s://%s", scheme, place != NULL ? place : "");
  g_autoptr (RelayProtocolUri) second = NULL;

  if (!g_hash_table_contains (protocol_uri->keys, "leg2") && interface == NULL)
    return TRUE;
  second = relay_protocol_uri_split (protocol_uri->protocol, uri, protocol_uri->sends, NULL);
  if (second == NULL || !is_other_place (protocol_uri, second)) {
    RELAY_BAD (error,
        "leg2 is an address and port, another one than the first leg's: write "
        "%s://HOST:PORT?leg2=ADDRESS:PORT, and leg2-interface only with it.",
        scheme);
    return FALSE;
  }
  if (interface != NULL)
    g_hash_table_insert (second->keys, g_strdup ("interface"), g_strdup (interface));
  if (fec != NULL)
    g_hash_table_insert (second->keys, g_strdup ("fec"), g_strdup (fec));
  second->is_second = TRUE;
  protocol_uri->second = g_steal_pointer (&second);
  return TRUE;
}
