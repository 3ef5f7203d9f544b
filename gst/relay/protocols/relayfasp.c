/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasp://: faspsrc and faspsink, which are elements of the stream's pipeline themselves.
 *
 * The keys of their URIs are their properties.  What they refuse themselves is not looked at here.
 */
#include <string.h>
#include "gstfaspparse.h"
#include "gstfaspmonitor.h"
#include "relayprotocol.h"

const gchar *const relay_end_files[RELAY_FILES] = { "key-file", "allowed-keys", "record", "log" };

/* --- several sources (docs/hitless.md) --------------------------------------------------------- */

/* Returns the value of an enumeration, as a URI has it. */
static gchar *
get_word (GstElement *element, const gchar *property)
{
  GValue value = G_VALUE_INIT;
  gchar *word;

  g_object_get_property (G_OBJECT (element), property, &value);
  word = gst_value_serialize (&value);
  g_value_unset (&value);
  return word;
}

/* Has this faspsrc several sources at once? */
static gboolean
has_several (GstElement *source)
{
  g_autofree gchar *redundancy = get_word (source, "redundancy");

  return !g_str_equal (redundancy, "none");
}

/* The further addresses of the source, besides that of the URI; NULL: it uses one address at a
 * time. */
static gchar **
list_further (GstElement *source)
{
  g_autofree gchar *further = NULL;

  if (!has_several (source))
    return NULL;
  g_object_get (source, "fallback-addresses", &further, NULL);
  return further != NULL && further[0] != '\0' ? g_strsplit (further, ",", -1) : NULL;
}

/* Returns the canonical text of ADDRESS:PORT; NULL: it is a name, which may have several
 * addresses. */
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

/* FALSE: the text was added before. */
static gboolean
add (GHashTable *all, const gchar *text)
{
  gchar *address = normalize (text);

  return address == NULL || g_hash_table_add (all, address);
}

/* Checks that no address is named twice. A name may be, as it may have several addresses. */
static gboolean
check_sources (GstElement *source, GstUri *uri, GError **error)
{
  const gchar *host = gst_uri_get_host (uri);
  g_auto (GStrv) further = list_further (source);
  g_autoptr (GHashTable) all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree gchar *first = NULL;

  if (further == NULL || host == NULL)
    return TRUE;
  first = relay_host_with_port (host, gst_uri_get_port (uri));
  add (all, first);
  for (guint i = 0; further[i] != NULL; i++)
    if (!add (all, g_strstrip (further[i]))) {
      RELAY_BAD (error,
          "the source %s is there twice, and would have to send everything twice: name each once, "
          "in the URI or in fallback-addresses.",
          further[i]);
      return FALSE;
    }
  return TRUE;
}

/* --- making it --------------------------------------------------------------------------------- */

/* Refuses keys and URIs that belong elsewhere in the configuration. */
static gboolean
check_text (const RelayEnd *end, GError **error)
{
  g_autoptr (GstUri) uri = gst_fasp_parse_uri (end->uri);

  if (uri != NULL && end->sends && gst_uri_query_has_key (uri, "redundancy")) {
    RELAY_BAD (error,
        "redundancy is for what receives: write it into the input of this stream, or into the "
        "URI of the receivers.");
    return FALSE;
  }
  for (guint i = 0; uri != NULL && i < RELAY_FILES; i++)
    if (gst_uri_query_has_key (uri, relay_end_files[i])) {
      RELAY_BAD (error,
          "%s names a file, which a URI may not do: leave it out, and "
          "write %s-%s = FILE in a line of its own.",
          relay_end_files[i], end->sends ? "output" : "input", relay_end_files[i]);
      return FALSE;
    }
  return TRUE;
}

/* Sets the defaults of a relay's outputs, which the URI may change. The element's own defaults are
 * for a stream that must be complete at a single receiver. */
static void
set_defaults (const RelayEnd *end, GstElement *element)
{
  if (end->streamid != NULL)
    g_object_set (element, "streamid", end->streamid, NULL);
  if (end->sends) {
    /* without a receiver, data are dropped; a slow receiver never holds up the others */
    g_object_set (element, "wait-for-connection", FALSE, NULL);
    gst_util_set_object_arg (G_OBJECT (element), "slow-policy", "skip");
  }
}

/* Does the element wait for calls? Decides as gst_fasp_settings_get_mode() does. */
static gboolean
listens (GstElement *element, const gchar *host)
{
  g_autofree gchar *mode = get_word (element, "mode");

  return g_str_equal (mode, "none") ? relay_host_is_any (host) : g_str_equal (mode, "listener");
}

/* Has the element take the URI without the keys that are the relay's. */
static gboolean
set_uri (GstElement *element, const RelayEnd *end, GstUri *uri, GError **error)
{
  const gchar *programme = gst_uri_get_query_value (uri, "programme");
  const gchar *pids = gst_uri_get_query_value (uri, "pids");
  g_autoptr (GstUri) rest = NULL;
  g_autofree gchar *text = NULL;

  if (!end->sends || (programme == NULL && pids == NULL))
    return gst_uri_handler_set_uri (GST_URI_HANDLER (element), end->uri, error);
  rest = gst_uri_copy (uri);
  for (const RelayKey *key = relay_protocol_fasp.keys; key->name != NULL; key++)
    gst_uri_remove_query_key (rest, key->name);
  text = gst_uri_to_string (rest);
  return gst_uri_handler_set_uri (GST_URI_HANDLER (element), text, error)
      && relay_selection_add (element, programme, pids, error);
}

static gboolean
set_up (GstElement *element, const RelayEnd *end, GError **error)
{
  g_autoptr (GstUri) uri = gst_fasp_parse_uri (end->uri);

  set_defaults (end, element);
  if (!set_uri (element, end, uri, error) || (!end->sends && !check_sources (element, uri, error)))
    return FALSE;
  /* the end of a sender ends no receiver, as another sender may call */
  if (!end->sends && listens (element, gst_uri_get_host (uri))
      && !gst_uri_query_has_key (uri, "keep-listening"))
    g_object_set (element, "keep-listening", TRUE, NULL);
  if (end->passphrase != NULL)
    g_object_set (element, "passphrase", end->passphrase, NULL);
  for (guint i = 0; i < RELAY_FILES; i++)
    if (end->files[i] != NULL)
      g_object_set (element, relay_end_files[i], end->files[i], NULL);
  return TRUE;
}

/* Follows the stream past the element's pad. Under the element's lock, as statistics are read
 * meanwhile. */
static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer place)
{
  GstFaspMonitor **monitor = place;
  GstObject *element = GST_OBJECT_PARENT (pad);
  gint64 now = gst_fasp_monitor_get_time ();

  GST_OBJECT_LOCK (element);
  if (*monitor == NULL && !(info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM))
    *monitor = gst_fasp_monitor_new ();
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    gst_fasp_monitor_push (*monitor, info->data, now);
  else if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    gst_fasp_monitor_push_list (*monitor, info->data, now);
  else if (gst_event_has_name (info->data, "fasp-stream"))
    gst_fasp_monitor_begin (*monitor); /* docs/positions.md: faspsrc announces another stream */
  GST_OBJECT_UNLOCK (element);
  return GST_PAD_PROBE_OK;
}

static void
free_monitor (gpointer place)
{
  gst_fasp_monitor_free (*(GstFaspMonitor **) place);
  g_free (place);
}

static void
follow_stream (GstElement *element, const gchar *pad_name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, pad_name);
  GstFaspMonitor **monitor = g_new0 (GstFaspMonitor *, 1);

  g_object_set_data_full (G_OBJECT (element), RELAY_MONITOR, monitor, free_monitor);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST
          | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_data, monitor, NULL);
}

static GstElement *
make_end (const RelayEnd *end, const gchar *name, GError **error)
{
  const gchar *factory = end->sends ? "faspsink" : "faspsrc";
  GstElement *element;

  if (!check_text (end, error))
    return NULL;
  element = gst_element_factory_make (factory, name);
  if (element == NULL) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
        "GStreamer has no element %s: install gstreamer1.0-fasp, or set GST_PLUGIN_PATH "
        "to where it is",
        factory);
    return NULL;
  }
  if (set_up (element, end, error)) {
    if (end->monitored)
      follow_stream (element, end->sends ? "sink" : "src");
    return element;
  }
  gst_object_unref (gst_object_ref_sink (element));
  return NULL;
}

/* Makes an element to read properties of; NULL: it cannot be made. */
static GstElement *
make_model (const RelayEnd *end)
{
  GstElement *element = make_end (end, NULL, NULL);

  return element != NULL ? gst_object_ref_sink (element) : NULL;
}

static gboolean
holds_up (const RelayEnd *end)
{
  g_autoptr (GstElement) sink = make_model (end);
  gboolean waits = FALSE;
  gint policy = 0;

  if (sink == NULL)
    return FALSE;
  g_object_get (sink, "wait-for-connection", &waits, "slow-policy", &policy, NULL);
  return waits || policy == 0;
}

/* --- ports ------------------------------------------------------------------------------------- */

static gboolean
get_binding (const RelayEnd *end, RelayBinding *l)
{
  g_autoptr (GstElement) element = make_model (end);
  g_autoptr (GstUri) uri = gst_fasp_parse_uri (end->uri);
  const gchar *host = gst_uri_get_host (uri);
  g_autofree gchar *address = NULL;
  gboolean group = relay_host_is_group (host);
  g_autofree gchar *mode = NULL;
  guint flows;

  g_object_get (element, "localaddress", &address, "flowlets", &flows, "streamid", &l->streamid,
      "interface", &l->interface, "bonding-addresses", &l->bonds, "tos", &l->tos, "ttl", &l->ttl,
      NULL);
  l->shares = relay_protocol_fasp.scheme;
  l->group = !end->sends && group;
  l->address = g_strdup (address != NULL && !group ? address : host);
  l->first = gst_uri_get_port (uri);
  l->last = l->first + flows - 1;
  if (group || listens (element, host))
    return group ? l->group : TRUE;
  mode = get_word (element, "mode");
  if (!g_str_equal (mode, "rendezvous") && !gst_uri_query_has_key (uri, "localport"))
    return FALSE;
  g_object_get (element, "localport", &l->first, NULL);
  l->last = l->first + flows - 1;
  l->peer = g_strdup (host);
  g_free (l->address);
  l->address = g_strdup (address);
  return l->first != 0;
}

/* --- changes ----------------------------------------------------------------------------------- */

static gboolean
is_mutable (GstElement *element, const gchar *key)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), key);

  return pspec != NULL && (pspec->flags & GST_PARAM_MUTABLE_PLAYING);
}

/* Can a change that adds or removes this key be made by setting its property? For these keys,
 * leaving one out is the same as its default. The mere presence of another key can have a meaning
 * (max-bitrate: how the rate is found). */
static gboolean
comes_and_goes (const gchar *key)
{
  static const gchar *const keys[] = { "max-receivers", "max-receivers-per-network",
    "max-total-bitrate", "slow-policy", "wait-for-connection", NULL };

  return g_strv_contains (keys, key);
}

/* Adds to @changed the keys whose value in @b differs from that in @a, or that are missing in @b.
 * FALSE: a missing key cannot be unset while the element plays. */
static gboolean
add_changed (GHashTable *a, GHashTable *b, GHashTable *changed)
{
  GHashTableIter iter;
  gpointer key, value;

  if (a == NULL)
    return TRUE;
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    gboolean there = b != NULL && g_hash_table_contains (b, key);

    if (!there && !comes_and_goes (key))
      return FALSE;
    if (!there || g_strcmp0 (g_hash_table_lookup (b, key), value) != 0)
      g_hash_table_add (changed, g_strdup (key));
  }
  return TRUE;
}

/* Returns the keys that differ, if all of them can be set while the element plays; else NULL. */
static GHashTable *
list_changed (GstUri *a, GstUri *b)
{
  g_autoptr (GHashTable) old = gst_uri_get_query_table (a);
  g_autoptr (GHashTable) new = gst_uri_get_query_table (b);
  g_autoptr (GHashTable) changed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  return add_changed (old, new, changed) && add_changed (new, old, changed) ?
      g_steal_pointer (&changed) :
      NULL;
}

static RelayDifference
compare (const RelayEnd *a, const RelayEnd *b)
{
  g_autoptr (GstUri) old = gst_fasp_parse_uri (a->uri);
  g_autoptr (GstUri) new = gst_fasp_parse_uri (b->uri);
  g_autoptr (GHashTable) changed = NULL;
  g_autoptr (GstElement) element = NULL;
  GHashTableIter iter;
  gpointer key;

  if (g_strcmp0 (a->streamid, b->streamid) != 0 || g_strcmp0 (a->passphrase, b->passphrase) != 0
      || g_strcmp0 (gst_uri_get_host (old), gst_uri_get_host (new)) != 0
      || gst_uri_get_port (old) != gst_uri_get_port (new))
    return RELAY_RESTART;
  for (guint i = 0; i < RELAY_FILES; i++)
    if (g_strcmp0 (a->files[i], b->files[i]) != 0)
      return RELAY_RESTART;
  changed = list_changed (old, new);
  if (changed == NULL)
    return RELAY_RESTART;
  if (g_hash_table_size (changed) == 0)
    return RELAY_SAME;
  element = make_model (b);
  g_hash_table_iter_init (&iter, changed);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (element == NULL || !is_mutable (element, key))
      return RELAY_RESTART;
  return RELAY_ADJUST;
}

static void
adjust (const RelayEnd *old, const RelayEnd *end, GstElement *element)
{
  g_autoptr (GstUri) a = gst_fasp_parse_uri (old->uri);
  g_autoptr (GstUri) b = gst_fasp_parse_uri (end->uri);
  g_autoptr (GHashTable) changed = list_changed (a, b);
  g_autoptr (GstElement) model = make_model (end);
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, changed);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    GValue value = G_VALUE_INIT;

    g_object_get_property (G_OBJECT (model), key, &value);
    g_object_set_property (G_OBJECT (element), key, &value);
    g_value_unset (&value);
  }
}

static const RelayKey keys[] = { RELAY_KEYS_SELECTION, { NULL } };

const RelayProtocol relay_protocol_fasp = {
  .scheme = "fasp",
  .keys = keys,
  .make_end = make_end,
  .holds_up = holds_up,
  .get_binding = get_binding,
  .compare = compare,
  .adjust = adjust,
};
