/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "gstfaspparse.h"
#include "gstfaspuri.h"

#define BAD_URI(...) g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI, __VA_ARGS__)

/* Finds the property of a key: a writable one of the element's own class.  (A URI may not set all
 * of them.) */
static GParamSpec *
find_setting (GstElement *element, const gchar *key)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), key);

  if (pspec == NULL || pspec->owner_type != G_OBJECT_TYPE (element)
      || !(pspec->flags & G_PARAM_WRITABLE) || g_str_equal (key, "uri"))
    return NULL;
  return pspec;
}

static gboolean
is_key (const GParamSpec *setting)
{
  return setting != NULL && !(setting->flags & GST_FASP_PARAM_LOCAL);
}

static gchar *
list_keys (GstElement *element)
{
  GString *keys = g_string_new (NULL);
  guint n;
  g_autofree GParamSpec **pspecs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (guint i = 0; i < n; i++)
    if (is_key (find_setting (element, pspecs[i]->name)))
      g_string_append_printf (keys, "%s%s", keys->len > 0 ? ", " : "", pspecs[i]->name);
  return g_string_free (keys, FALSE);
}

/* The keys that are times, and the unit of their plain numbers, in ns. */
static const struct
{
  const gchar *key;
  guint64 unit;
} times[] = {
  { "glitch-interval", 1 },
  { "history", 1 },
  { "join-back", 1 },
  { "resume-timeout", 1 },
  { "latency", GST_MSECOND },
  { "presentation-delay", GST_MSECOND },
  { "stats-interval", GST_MSECOND },
  { "wait-to-restore", GST_MSECOND },
};

/* Units that a URI may write, in ns. */
static const struct
{
  const gchar *suffix;
  guint64 length;
} units[] = {
  { "ns", 1 },
  { "us", GST_USECOND },
  { "ms", GST_MSECOND },
  { "s", GST_SECOND },
  { "min", 60 * GST_SECOND },
  { "h", 3600 * GST_SECOND },
  { "d", 24 * 3600 * GST_SECOND },
};

/* Returns the unit of a key's plain numbers, in ns; 0: the key is no time. */
static guint64
get_unit (const GParamSpec *pspec)
{
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    if (g_str_equal (pspec->name, times[i].key))
      return times[i].unit;
  return 0;
}

/* Converts a time such as "10s" or "1.5h" to a plain number of the key's unit; NULL: @text is none.
 */
static gchar *
convert_time (const GParamSpec *pspec, const gchar *text)
{
  gsize digits = strspn (text, "0123456789.");
  guint64 unit = get_unit (pspec);

  for (guint i = 0; digits > 0 && unit > 0 && i < G_N_ELEMENTS (units); i++) {
    gdouble value = g_ascii_strtod (text, NULL) * units[i].length / unit;
    guint64 whole;

    if (!g_str_equal (text + digits, units[i].suffix) || value > (gdouble) G_MAXINT64)
      continue;
    whole = value + 0.5;
    /* the value must be a whole number of units, to the 15 digits of a double */
    if (value < whole ? whole - value > 1e-6 : value - whole > 1e-6)
      return NULL;
    return g_strdup_printf ("%" G_GUINT64_FORMAT, whole);
  }
  return NULL;
}

/* Says what to write as the value of a key. */
static gchar *
describe_values (GParamSpec *pspec)
{
  const gchar *time = get_unit (pspec) > 0 ? ", or a time with its unit, as 10s or 500ms" : "";

  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    const GEnumClass *values = G_PARAM_SPEC_ENUM (pspec)->enum_class;
    g_autoptr (GString) nicks = g_string_new ("one of ");

    for (guint i = 0; i < values->n_values; i++)
      g_string_append_printf (nicks, "%s%s", i > 0 ? ", " : "", values->values[i].value_nick);
    return g_strdup (nicks->str);
  }
  if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    return g_strdup ("true or false");
  if (G_IS_PARAM_SPEC_INT (pspec))
    return g_strdup_printf ("a whole number from %d to %d%s%s", G_PARAM_SPEC_INT (pspec)->minimum,
        G_PARAM_SPEC_INT (pspec)->maximum, g_str_equal (pspec->name, "latency") ? ", or auto" : "",
        time);
  if (G_IS_PARAM_SPEC_UINT (pspec))
    return g_strdup_printf ("a whole number from %u to %u%s", G_PARAM_SPEC_UINT (pspec)->minimum,
        G_PARAM_SPEC_UINT (pspec)->maximum, time);
  if (G_IS_PARAM_SPEC_UINT64 (pspec))
    return g_strdup_printf ("a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT "%s",
        G_PARAM_SPEC_UINT64 (pspec)->minimum, G_PARAM_SPEC_UINT64 (pspec)->maximum, time);
  return g_strdup (G_IS_PARAM_SPEC_STRING (pspec) ? "a text" : "caps, as video/mpegts");
}

static gboolean
parse_value (GParamSpec *pspec, const gchar *text, GValue *value, GError **error)
{
  g_autofree gchar *time = text != NULL ? convert_time (pspec, text) : NULL;
  gboolean is_caps = pspec->value_type == GST_TYPE_CAPS && text != NULL;

  g_value_init (value, pspec->value_type);
  if (time != NULL)
    text = time;
  /* strings are set as they are: deserializing would interpret quotes and escapes */
  if (pspec->value_type == G_TYPE_STRING && text != NULL) {
    g_value_set_string (value, text);
    return TRUE;
  }
  if (is_caps && !gst_fasp_parse_may_be_caps (text)) {
    BAD_URI ("The value of %s in the fasp URI is too long: write at most %d bytes, with at most %d "
             "brackets.",
        pspec->name, GST_FASP_PARSE_CAPS_MAX, GST_FASP_PARSE_BRACKETS_MAX);
    return FALSE;
  }
  if (g_str_equal (pspec->name, "latency") && g_strcmp0 (text, "auto") == 0)
    text = "-1";
  if (text == NULL || text[0] == '\0' || (is_caps && !gst_fasp_parse_has_caps_names (text))
      || !gst_value_deserialize (value, text)) {
    g_autofree gchar *values = describe_values (pspec);

    if (text == NULL)
      text = "";
    BAD_URI ("\"%.*s\" is not a value for the key %s of a fasp URI: write %s. "
             "gst-inspect-1.0 says what it means.",
        gst_fasp_parse_count_plain (text), text, pspec->name, values);
    return FALSE;
  }
  if (g_param_value_validate (pspec, value)) {
    g_autofree gchar *values = describe_values (pspec);

    BAD_URI ("%s for the key %s of a fasp URI is out of range: write %s. "
             "gst-inspect-1.0 says what it means.",
        text, pspec->name, values);
    return FALSE;
  }
  return TRUE;
}

typedef struct
{
  GParamSpec *pspec;
  GValue value;
} Pair;

static void
free_pair (Pair *pair)
{
  if (G_VALUE_HOLDS_STRING (&pair->value))
    gst_fasp_keys_wipe ((gchar *) g_value_get_string (&pair->value));
  if (G_IS_VALUE (&pair->value))
    g_value_unset (&pair->value);
  g_free (pair);
}

static gboolean
is_known (const gchar *key, gpointer element)
{
  return find_setting (element, key) != NULL;
}

static gboolean
check_keys (GstElement *element, GstUri *uri, GError **error)
{
  g_autoptr (GHashTable) query = gst_uri_get_query_table (uri);
  g_autofree gchar *known = list_keys (element);

  return query == NULL
      || gst_fasp_parse_check_query (query, is_known, element, "a fasp URI", known, error);
}

static gboolean
parse_query (GstElement *element, GstUri *uri, GPtrArray *pairs, GError **error)
{
  GList *keys = gst_uri_get_query_keys (uri);
  gboolean good = TRUE;

  for (GList *l = keys; good && l != NULL; l = l->next) {
    const gchar *key = l->data;
    GParamSpec *pspec = find_setting (element, key);
    Pair *pair;

    if (!is_key (pspec)) {
      BAD_URI ("The fasp URI sets %s, which names a file of this machine: a URI "
               "may come from a stranger. Leave it out of the URI, and set the "
               "property %s of the element.",
          key, pspec->name);
      good = FALSE;
      break;
    }
    pair = g_new0 (Pair, 1);
    pair->pspec = pspec;
    g_ptr_array_add (pairs, pair);
    good = parse_value (pspec, gst_uri_get_query_value (uri, key), &pair->value, error);
  }
  g_list_free (keys);
  return good;
}

/* GstUri reads a value with a bad escape as NULL, so the error could not say why it is wrong. */
static gboolean
check_escapes (GstElement *element, const gchar *text, GError **error)
{
  const gchar *query = text + strcspn (text, "?");
  const gchar *bad = gst_fasp_parse_find_bad_escape (text), *from = bad;
  g_autofree gchar *key = NULL;

  if (bad == NULL)
    return TRUE;
  while (from > query + 1 && from[-1] != '&')
    from--;
  key = g_strndup (from, strcspn (from, "=&#"));
  /* if it is not a known key, it may be the rest of a secret */
  if (from < bad && find_setting (element, key) != NULL)
    BAD_URI ("The value of %s in the fasp URI has a %% that escapes nothing: write %%25 for a %%.",
        key);
  else
    BAD_URI ("The fasp URI has a %% that escapes nothing: write %%25 for a %%, "
             "as in fasp://[fe80::1%%25eth0]:PORT?fec=20%%25.");
  return FALSE;
}

/* GstUri silently takes the last of several values of a key, so this refuses a second one.  Call it
 * when all keys are known to be valid: only then may a message quote them. */
static gboolean
check_once (const gchar *text, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const gchar *from = text + strcspn (text, "?");

  while (*from != '\0') {
    const gchar *begin = from + 1;
    gchar *key = g_uri_unescape_segment (begin, begin + strcspn (begin, "=&"), NULL);

    g_strdelimit (key, "_", '-'); /* GObject treats both alike */
    if (g_hash_table_contains (seen, key)) {
      BAD_URI ("The fasp URI sets %s twice: leave one of them out.", key);
      g_free (key);
      return FALSE;
    }
    g_hash_table_add (seen, key);
    from = begin + strcspn (begin, "&");
  }
  return TRUE;
}

static gboolean
check_authority (const gchar *text, GstUri *uri, GError **error)
{
  g_autofree gchar *path = gst_uri_get_path (uri);
  guint port = gst_uri_get_port (uri);

  if (path != NULL && path[0] != '\0' && !g_str_equal (path, "/")) {
    BAD_URI ("A fasp URI has no path, this one has. Write fasp://HOST:PORT?key=value.");
    return FALSE;
  }
  if (gst_uri_get_userinfo (uri) != NULL || strchr (text, '#') != NULL) {
    BAD_URI ("A fasp URI is fasp://HOST:PORT?key=value, without a user name "
             "or #fragment: write %%23 for a # in a value.");
    return FALSE;
  }
  if (port == GST_URI_NO_PORT || port == 0 || port > G_MAXUINT16) {
    BAD_URI ("A fasp URI needs a port from 1 to 65535: fasp://HOST:PORT to "
             "dial, fasp://:PORT to listen.");
    return FALSE;
  }
  return TRUE;
}

/* If GstUri cannot read the host (bad escapes, or escaped bytes that are not UTF-8), it returns
 * none, which would mean a listener on all addresses. */
static gboolean
check_host (const gchar *text, GstUri *uri, GError **error)
{
  const gchar *host = gst_uri_get_host (uri), *slashes = strstr (text, "//");

  if (host != NULL && g_utf8_validate (host, -1, NULL))
    return TRUE;
  if (host == NULL && slashes != NULL && slashes[2] == ':')
    return TRUE;
  BAD_URI ("The host in \"%.*s\" cannot be read: write %%25 for a %%, as in "
           "fasp://[fe80::1%%25eth0]:PORT, and fasp://:PORT to listen.",
      gst_fasp_parse_count_plain (text), text);
  return FALSE;
}

static void
set_peer (GstFaspSettings *settings, GstElement *element, const gchar *host, guint16 port)
{
  GST_OBJECT_LOCK (element);
  g_free (settings->host);
  settings->host = host != NULL && host[0] != '\0' ? g_strdup (host) : NULL;
  settings->port = port;
  g_clear_error (&settings->bad_uri);
  GST_OBJECT_UNLOCK (element);
}

gboolean
gst_fasp_uri_set (GstFaspSettings *settings, GstElement *element, const gchar *text, GError **error)
{
  g_autoptr (GstUri) uri = NULL;
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func ((GDestroyNotify) free_pair);

  if (text == NULL) {
    set_peer (settings, element, NULL, 0);
    return TRUE;
  }
  if (!check_escapes (element, text, error))
    return FALSE;
  uri = gst_fasp_parse_uri (text);
  if (uri == NULL || gst_uri_get_scheme (uri) == NULL
      || g_ascii_strcasecmp (gst_uri_get_scheme (uri), "fasp") != 0) {
    BAD_URI ("\"%.*s\" is not a fasp URI. Write fasp://HOST:PORT to dial or "
             "fasp://:PORT to listen, with brackets around an IPv6 address.",
        gst_fasp_parse_count_plain (text), text);
    return FALSE;
  }
  if (!check_authority (text, uri, error) || !check_host (text, uri, error)
      || !check_keys (element, uri, error) || !parse_query (element, uri, pairs, error)
      || !check_once (text, error))
    return FALSE;

  set_peer (settings, element, gst_uri_get_host (uri), gst_uri_get_port (uri));
  for (guint i = 0; i < pairs->len; i++) {
    Pair *pair = g_ptr_array_index (pairs, i);

    g_object_set_property (G_OBJECT (element), pair->pspec->name, &pair->value);
  }
  return TRUE;
}

/* GstUri writes a space in a value as +, but does not read + as a space. */
static gchar *
write_spaces (gchar *text)
{
  gchar *query = strchr (text, '?');
  g_auto (GStrv) words = NULL;
  g_autofree gchar *spaced = NULL;
  gchar *whole;

  if (query == NULL)
    return text;
  words = g_strsplit (query, "+", -1);
  spaced = g_strjoinv ("%20", words);
  *query = '\0';
  whole = g_strconcat (text, spaced, NULL);
  g_free (text);
  return whole;
}

gchar *
gst_fasp_uri_get (const GstFaspSettings *s)
{
  g_autoptr (GstUri) uri = NULL;
  g_autofree gchar *latency =
      s->latency < 0 ? g_strdup ("auto") : g_strdup_printf ("%d", s->latency);

  if (s->port == 0)
    return NULL;
  uri = gst_uri_new ("fasp", NULL, s->host ? s->host : "", s->port, NULL, NULL, NULL);
  if (s->mode != GST_FASP_MODE_NONE) {
    GEnumClass *klass = g_type_class_ref (GST_TYPE_FASP_MODE);

    gst_uri_set_query_value (uri, "mode", g_enum_get_value (klass, s->mode)->value_nick);
    g_type_class_unref (klass);
  }
  if (s->latency_set)
    gst_uri_set_query_value (uri, "latency", latency);
  if (s->localaddress != NULL)
    gst_uri_set_query_value (uri, "localaddress", s->localaddress);
  if (s->streamid != NULL)
    gst_uri_set_query_value (uri, "streamid", s->streamid);
  return write_spaces (gst_uri_to_string (uri));
}
