/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gio/gio.h>
#include <gst/gst.h>
#include <string.h>
#include "gstfaspparse.h"
#include "relayprotocoluri.h"

/* SRT takes a passphrase of 10 to 79 bytes (SRTO_PASSPHRASE). */
#define SRT_PASSPHRASE_MIN 10
#define SRT_PASSPHRASE_MAX 79
#define SRT_STREAMID_MAX 512      /* bytes: SRTO_STREAMID */
#define LATENCY_MAX 60000         /* ms: a minute */
#define BITRATE_MAX 1000000000000 /* bit/s: cbrpacer's */
#define PIECE_MAX (7 * 24 * 3600) /* s: a week */
#define BUFFER_MIN 65536          /* bytes: a large datagram */
#define BUFFER_MAX (1024 * 1024 * 1024)

#define ALL (1 << RELAY_UDP | 1 << RELAY_RTP | 1 << RELAY_SRT | 1 << RELAY_RIST | 1 << RELAY_FILE)
#define NETWORK (ALL & ~(1 << RELAY_FILE))
#define GROUPS (1 << RELAY_UDP | 1 << RELAY_RTP | 1 << RELAY_RIST)
#define IN 1
#define OUT 2

static const gchar *const schemes[] = { "udp", "rtp", "srt", "rist", "file" };

/* @words: the values, separated by a space; NULL: a number, if @most is not 0, or any text. */
static const struct
{
  const gchar *key;
  guint schemes, sides;
  const gchar *words;
  guint64 least, most;
} keys[] = {
  { "interface", GROUPS, IN | OUT, NULL, 0, 0 },
  { "ttl", GROUPS, OUT, NULL, 0, 255 },
  { "bitrate", 1 << RELAY_UDP | 1 << RELAY_RTP, OUT, NULL, 0, BITRATE_MAX },
  { "stuffing", 1 << RELAY_UDP | 1 << RELAY_RTP, OUT, "none null-ts", 0, 0 },
  { "latency", 1 << RELAY_RTP, IN, NULL, 0, LATENCY_MAX },
  { "latency", 1 << RELAY_SRT | 1 << RELAY_RIST, IN | OUT, NULL, 0, LATENCY_MAX },
  { "mode", 1 << RELAY_SRT, IN | OUT, "caller listener", 0, 0 },
  { "passphrase", 1 << RELAY_SRT, IN | OUT, NULL, 0, 0 },
  { "pbkeylen", 1 << RELAY_SRT, IN | OUT, "16 24 32", 0, 0 },
  { "streamid", 1 << RELAY_SRT, IN | OUT, NULL, 0, 0 },
  { "sync", NETWORK, OUT, "true false", 0, 0 },
  { "piece", 1 << RELAY_FILE, OUT, NULL, 1, PIECE_MAX },
  { "buffer-size", ALL, IN | OUT, NULL, BUFFER_MIN, BUFFER_MAX },
};

#define BAD(error, ...) g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE, __VA_ARGS__)

static gint
find_scheme (const gchar *uri)
{
  for (gint i = 0; i < RELAY_SCHEMES; i++) {
    gsize size = strlen (schemes[i]);

    if (g_ascii_strncasecmp (uri, schemes[i], size) == 0 && uri[size] == ':')
      return i;
  }
  return -1;
}

gboolean
relay_protocol_uri_is_one (const gchar *uri)
{
  return find_scheme (uri) >= 0;
}

void
relay_protocol_uri_free (RelayProtocolUri *protocol_uri)
{
  gchar *secret;

  g_free (protocol_uri->host);
  g_free (protocol_uri->source);
  g_free (protocol_uri->path);
  secret =
      protocol_uri->keys != NULL ? g_hash_table_lookup (protocol_uri->keys, "passphrase") : NULL;
  if (secret != NULL)
    explicit_bzero (secret, strlen (secret));
  g_clear_pointer (&protocol_uri->keys, g_hash_table_unref);
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
relay_protocol_uri_is_multicast (const RelayProtocolUri *protocol_uri)
{
  g_autoptr (GInetAddress) address =
      protocol_uri->host != NULL ? g_inet_address_new_from_string (protocol_uri->host) : NULL;

  return address != NULL && g_inet_address_get_is_multicast (address);
}

static gboolean
is_srt_listener (const RelayProtocolUri *protocol_uri)
{
  const gchar *mode = relay_protocol_uri_get (protocol_uri, "mode");
  g_autoptr (GInetAddress) address =
      protocol_uri->host != NULL ? g_inet_address_new_from_string (protocol_uri->host) : NULL;

  if (protocol_uri->scheme != RELAY_SRT)
    return FALSE;
  if (mode != NULL)
    return g_str_equal (mode, "listener");
  return protocol_uri->host == NULL || (address != NULL && g_inet_address_get_is_any (address));
}

gboolean
relay_protocol_uri_listens (const RelayProtocolUri *protocol_uri)
{
  if (protocol_uri->scheme == RELAY_FILE || relay_protocol_uri_is_multicast (protocol_uri))
    return FALSE;
  return protocol_uri->scheme == RELAY_SRT ? is_srt_listener (protocol_uri) : !protocol_uri->sends;
}

static gboolean
is_secret (const gchar *key)
{
  return g_str_equal (key, "passphrase");
}

gchar *
relay_protocol_uri_describe (const RelayProtocolUri *protocol_uri)
{
  GString *text = g_string_new (schemes[protocol_uri->scheme]);
  const gchar *before = "?";

  g_string_append (text, "://");
  if (protocol_uri->source != NULL)
    g_string_append_printf (text, "%s@", protocol_uri->source);
  if (protocol_uri->scheme == RELAY_FILE)
    g_string_append (text, protocol_uri->path);
  else if (protocol_uri->host != NULL && strchr (protocol_uri->host, ':') != NULL)
    g_string_append_printf (text, "[%s]:%u", protocol_uri->host, protocol_uri->port);
  else
    g_string_append_printf (text, "%s:%u", protocol_uri->host != NULL ? protocol_uri->host : "",
        protocol_uri->port);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const gchar *value = relay_protocol_uri_get (protocol_uri, keys[i].key);
    gboolean there = value != NULL && (keys[i].schemes & 1 << protocol_uri->scheme) != 0
        && (keys[i].sides & (protocol_uri->sends ? OUT : IN)) != 0;

    if (!there || is_secret (keys[i].key))
      continue;
    g_string_append_printf (text, "%s%s=%s", before, keys[i].key, value);
    before = "&";
  }
  return g_string_free (text, FALSE);
}

/* --- values ------------------------------------------------------------------------------- */

static gboolean
check_number (const gchar *key, const gchar *value, guint64 least, guint64 most, GError **error)
{
  guint64 number;

  if (g_ascii_string_to_unsigned (value, 10, least, most, &number, NULL))
    return TRUE;
  BAD (error,
      "\"%s\" is not a value of \"%s\": write a number from %" G_GUINT64_FORMAT
      " to %" G_GUINT64_FORMAT ".",
      value, key, least, most);
  return FALSE;
}

static gboolean
check_word (const gchar *key, const gchar *value, const gchar *words, GError **error)
{
  g_auto (GStrv) all = g_strsplit (words, " ", -1);
  g_autofree gchar *listed = NULL;

  if (g_strv_contains ((const gchar *const *) all, value))
    return TRUE;
  listed = g_strjoinv (", ", all);
  BAD (error, "\"%s\" is not a value of \"%s\": write one of %s.", value, key, listed);
  return FALSE;
}

static gboolean
check_value (const RelayProtocolUri *protocol_uri, const gchar *key, const gchar *value,
    GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    if (!g_str_equal (keys[i].key, key) || (keys[i].schemes & 1 << protocol_uri->scheme) == 0
        || (keys[i].sides & (protocol_uri->sends ? OUT : IN)) == 0)
      continue;
    if (keys[i].words != NULL)
      return check_word (key, value, keys[i].words, error);
    return keys[i].most == 0 || check_number (key, value, keys[i].least, keys[i].most, error);
  }
  BAD (error, "\"%s\" is not a key of %s:// as an %s: leave it out.", key,
      schemes[protocol_uri->scheme], protocol_uri->sends ? "output" : "input");
  return FALSE;
}

static gboolean
check_values (const RelayProtocolUri *protocol_uri, GError **error)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, protocol_uri->keys);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (!check_value (protocol_uri, key, value != NULL ? value : "", error))
      return FALSE;
  return TRUE;
}

/* --- what does not go together ------------------------------------------------------------- */

static gboolean
check_srt (const RelayProtocolUri *protocol_uri, GError **error)
{
  const gchar *passphrase = relay_protocol_uri_get (protocol_uri, "passphrase");
  const gchar *streamid = relay_protocol_uri_get (protocol_uri, "streamid");
  gsize size = passphrase != NULL ? strlen (passphrase) : SRT_PASSPHRASE_MIN;

  if (!is_srt_listener (protocol_uri) && protocol_uri->host == NULL)
    BAD (error, "a caller needs a host: write srt://HOST:PORT, or srt://:PORT to be called.");
  else if (size < SRT_PASSPHRASE_MIN || size > SRT_PASSPHRASE_MAX)
    BAD (error, "a passphrase of SRT has %d to %d characters.", SRT_PASSPHRASE_MIN,
        SRT_PASSPHRASE_MAX);
  else if (streamid != NULL && strlen (streamid) > SRT_STREAMID_MAX)
    BAD (error, "a streamid of SRT has at most %d bytes.", SRT_STREAMID_MAX);
  else
    return TRUE;
  return FALSE;
}

/* A source is an address of the kind of its group. */
static gboolean
has_good_source (const RelayProtocolUri *protocol_uri)
{
  g_autoptr (GInetAddress) source = NULL, group = NULL;

  if (protocol_uri->source == NULL)
    return TRUE;
  if (protocol_uri->sends || protocol_uri->scheme == RELAY_RIST
      || !relay_protocol_uri_is_multicast (protocol_uri))
    return FALSE;
  source = g_inet_address_new_from_string (protocol_uri->source);
  group = g_inet_address_new_from_string (protocol_uri->host);
  return source != NULL && !g_inet_address_get_is_multicast (source)
      && g_inet_address_get_family (source) == g_inet_address_get_family (group);
}

static gboolean
check_group (const RelayProtocolUri *protocol_uri, GError **error)
{
  if (!has_good_source (protocol_uri))
    BAD (error,
        "what is before @ is the address of a source that sends to a multicast group, which inputs "
        "of udp:// and rtp:// can choose: write udp://SOURCE@GROUP:PORT, or leave it out.");
  else if (protocol_uri->sends && protocol_uri->host == NULL)
    BAD (error, "write where it goes to: %s://HOST:PORT, or a multicast group and its port.",
        schemes[protocol_uri->scheme]);
  else if (relay_protocol_uri_get (protocol_uri, "interface") != NULL
      && !relay_protocol_uri_is_multicast (protocol_uri))
    BAD (error, "interface is for a multicast group: leave it out, or write the group's address.");
  else if (protocol_uri->scheme == RELAY_RIST
      && relay_protocol_uri_get (protocol_uri, "ttl") != NULL
      && !relay_protocol_uri_is_multicast (protocol_uri))
    BAD (error,
        "ttl of RIST is for a multicast group: leave it out, or write the group's address.");
  else if (relay_protocol_uri_get (protocol_uri, "stuffing") != NULL
      && relay_protocol_uri_get (protocol_uri, "bitrate") == NULL)
    BAD (error, "stuffing fills up a constant rate: add bitrate, in bit/s, or leave it out.");
  else if (protocol_uri->scheme == RELAY_RIST && protocol_uri->port % 2 != 0)
    BAD (error, "the port of RIST is even, as the next one is that of its reports: write another.");
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_file (const RelayProtocolUri *protocol_uri, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (protocol_uri->path);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree gchar *name = g_date_time_format (now, protocol_uri->path);
  gsize size = strlen (protocol_uri->path);

  if (protocol_uri->path[0] != '/' || protocol_uri->path[size - 1] == '/')
    BAD (error, "write the whole path of a file: file:///var/lib/video/news.ts.");
  else if (!protocol_uri->sends && !g_file_test (protocol_uri->path, G_FILE_TEST_IS_REGULAR))
    BAD (error, "there is no file %s: name one that is there, or make it first.",
        protocol_uri->path);
  else if (protocol_uri->sends && !g_file_test (folder, G_FILE_TEST_IS_DIR))
    BAD (error, "there is no folder %s: make it (mkdir), or name another.", folder);
  else if (protocol_uri->sends && name == NULL)
    BAD (error, "the name has a %% that is no date: write e.g. %%F-%%H%%M%%S, or %%%% for a %%.");
  else if (protocol_uri->sends && relay_protocol_uri_get (protocol_uri, "piece") != NULL
      && strchr (protocol_uri->path, '%') == NULL)
    BAD (error,
        "with piece, the name needs a date, or all pieces have the same name: write e.g. "
        "news-%%F-%%H%%M%%S.ts.");
  else
    return TRUE;
  return FALSE;
}

static gboolean
check (const RelayProtocolUri *protocol_uri, GError **error)
{
  if (!check_values (protocol_uri, error))
    return FALSE;
  switch (protocol_uri->scheme) {
    case RELAY_SRT:
      return check_srt (protocol_uri, error);
    case RELAY_FILE:
      return check_file (protocol_uri, error);
    default:
      return check_group (protocol_uri, error);
  }
}

/* --- the URI -------------------------------------------------------------------------------- */

/* file:///PATH?KEYS, with a path that is not escaped. */
static gboolean
split_file (RelayProtocolUri *protocol_uri, const gchar *text, GError **error)
{
  const gchar *path = text + strlen ("file:");
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
  BAD (error, "write file:///PATH, with its keys as ?KEY=VALUE&..., and %%25 for a %% in these.");
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
    BAD (error, "it has a %% that escapes nothing: write %%25 for a %%.");
    return FALSE;
  }
  if (port == 0 || port > G_MAXUINT16 || (path != NULL && path[0] != '\0')
      || (source != NULL && protocol_uri->scheme == RELAY_SRT)) {
    BAD (error, "write %s://HOST:PORT, with its keys as ?KEY=VALUE&...",
        schemes[protocol_uri->scheme]);
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
relay_protocol_uri_parse (const gchar *uri, gboolean sends, const gchar *passphrase, GError **error)
{
  g_autoptr (RelayProtocolUri) protocol_uri = g_new0 (RelayProtocolUri, 1);
  gint scheme = find_scheme (uri);

  g_return_val_if_fail (scheme >= 0, NULL);
  protocol_uri->scheme = scheme;
  protocol_uri->sends = sends;
  if (!(scheme == RELAY_FILE ? split_file (protocol_uri, uri, error) :
                               split_network (protocol_uri, uri, error)))
    return NULL;
  if (passphrase != NULL && scheme == RELAY_SRT)
    g_hash_table_replace (protocol_uri->keys, g_strdup ("passphrase"), g_strdup (passphrase));
  return check (protocol_uri, error) ? g_steal_pointer (&protocol_uri) : NULL;
}
