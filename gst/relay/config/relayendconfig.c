/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One side of a stream: how its element is set up, and what a change of its settings requires.
 */
#include "gstfaspparse.h"
#include "relayconfig.h"
#include "relayprotocolend.h"
#include "relayprotocoluri.h"
#include "relaysources.h"

const gchar *const relay_end_files[RELAY_FILES] = { "key-file", "allowed-keys", "record", "log" };

/* Sets what a relay needs of its outputs.  The element's own defaults are for a stream that
 * must be complete at a single receiver. The URI may say otherwise. */
static void
set_defaults (const RelayEnd *end, GstElement *element)
{
  if (end->streamid != NULL)
    g_object_set (element, "streamid", end->streamid, NULL);
  if (end->sends) {
    /* with no receiver, the stream passes; a slow receiver never holds up the others */
    g_object_set (element, "wait-for-connection", FALSE, NULL);
    gst_util_set_object_arg (G_OBJECT (element), "slow-policy", "skip");
  }
}

GstElement *
relay_end_make (const RelayEnd *end, const gchar *name, GError **error)
{
  const gchar *factory = end->sends ? "faspsink" : "faspsrc";
  GstElement *element;

  if (relay_end_has_other_protocol (end))
    return relay_protocol_end_new (end->uri, end->sends, end->passphrase, name, error);
  element = gst_element_factory_make (factory, name);
  if (element == NULL) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
        "GStreamer has no element %s: install gstreamer1.0-fasp, or set GST_PLUGIN_PATH "
        "to where it is",
        factory);
    return NULL;
  }
  set_defaults (end, element);
  if (!gst_uri_has_protocol (end->uri, "fasp")) {
    /* does not quote the text: it may be a secret in the wrong place */
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
        "this is no URI of a relay: write fasp://HOST:PORT to dial, or fasp://:PORT to be "
        "dialled; or srt://, rist://, udp://, rtp:// or file:///PATH");
    gst_object_unref (gst_object_ref_sink (element));
    return NULL;
  }
  if (!gst_uri_handler_set_uri (GST_URI_HANDLER (element), end->uri, error)) {
    gst_object_unref (gst_object_ref_sink (element));
    return NULL;
  }
  if (end->passphrase != NULL)
    g_object_set (element, "passphrase", end->passphrase, NULL);
  for (guint i = 0; i < RELAY_FILES; i++)
    if (end->files[i] != NULL)
      g_object_set (element, relay_end_files[i], end->files[i], NULL);
  return element;
}

gboolean
relay_end_has_other_protocol (const RelayEnd *end)
{
  return relay_protocol_uri_is_one (end->uri);
}

gboolean
relay_end_names_passphrase (const RelayEnd *end)
{
  g_autoptr (GstUri) uri = gst_fasp_parse_uri (end->uri);

  return uri != NULL && gst_uri_query_has_key (uri, "passphrase");
}

gboolean
relay_end_has_passphrase (const RelayEnd *end)
{
  return end->passphrase != NULL || relay_end_names_passphrase (end);
}

guint
relay_end_count_sources (const RelayEnd *end)
{
  g_autoptr (GstElement) element = relay_end_make (end, NULL, NULL);

  return element != NULL ? relay_sources_count (gst_object_ref_sink (element)) : 0;
}

/* --- changes ------------------------------------------------------------------------ */

static gboolean
is_same_place (GstUri *a, GstUri *b)
{
  return g_strcmp0 (gst_uri_get_host (a), gst_uri_get_host (b)) == 0
      && gst_uri_get_port (a) == gst_uri_get_port (b);
}

static gboolean
is_mutable (const RelayEnd *end, const gchar *key)
{
  g_autoptr (GstElement) element = relay_end_make (end, NULL, NULL);
  GParamSpec *pspec;

  if (element == NULL)
    return FALSE;
  gst_object_ref_sink (element);
  pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), key);
  return pspec != NULL && (pspec->flags & GST_PARAM_MUTABLE_PLAYING);
}

/* What these keys are without being named is what they would be set to: naming one, or leaving it
 * out, is a change of its value.  Others tell by being named (max-bitrate: how the rate is found).
 */
static gboolean
comes_and_goes (const gchar *key)
{
  static const gchar *const keys[] = { "max-receivers", "max-receivers-per-network",
    "max-total-bitrate", "slow-policy", "wait-for-connection", NULL };

  return g_strv_contains (keys, key);
}

/* Adds to @changed the keys that have another value in @b than in @a, or are missing there.  FALSE:
 * one is missing that an element cannot unset, or does not look at any more. */
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

/* Lists the keys that differ, and can be set. NULL: others differ as well. */
static GPtrArray *
list_changed (GstUri *a, GstUri *b)
{
  g_autoptr (GHashTable) old = gst_uri_get_query_table (a);
  g_autoptr (GHashTable) new = gst_uri_get_query_table (b);
  g_autoptr (GHashTable) changed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GPtrArray *list;
  GHashTableIter iter;
  gpointer key;

  if (!add_changed (old, new, changed) || !add_changed (new, old, changed))
    return NULL;
  list = g_ptr_array_new_with_free_func (g_free);
  g_hash_table_iter_init (&iter, changed);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (list, g_strdup (key));
  return list;
}

static RelayDifference
compare_fasp (const RelayEnd *a, const RelayEnd *b)
{
  g_autoptr (GstUri) old = gst_fasp_parse_uri (a->uri);
  g_autoptr (GstUri) new = gst_fasp_parse_uri (b->uri);
  g_autoptr (GPtrArray) changed = NULL;

  if (g_strcmp0 (a->streamid, b->streamid) != 0 || g_strcmp0 (a->passphrase, b->passphrase) != 0
      || !is_same_place (old, new))
    return RELAY_RESTART;
  for (guint i = 0; i < RELAY_FILES; i++)
    if (g_strcmp0 (a->files[i], b->files[i]) != 0)
      return RELAY_RESTART;
  changed = list_changed (old, new);
  if (changed == NULL)
    return RELAY_RESTART;
  for (guint i = 0; i < changed->len; i++)
    if (!is_mutable (b, g_ptr_array_index (changed, i)))
      return RELAY_RESTART;
  return changed->len > 0 ? RELAY_ADJUST : RELAY_SAME;
}

RelayDifference
relay_end_compare (const RelayEnd *a, const RelayEnd *b)
{
  if (!relay_end_has_other_protocol (a) && !relay_end_has_other_protocol (b))
    return compare_fasp (a, b);
  return g_str_equal (a->uri, b->uri) && g_strcmp0 (a->passphrase, b->passphrase) == 0 ?
      RELAY_SAME :
      RELAY_RESTART;
}

RelayEnd *
relay_stream_config_find_output (const RelayStreamConfig *config, guint id)
{
  for (guint i = 0; i < config->outputs->len; i++) {
    RelayEnd *end = g_ptr_array_index (config->outputs, i);

    if (end->id == id)
      return end;
  }
  return NULL;
}

/* May an output hold up the input, which then cannot be closed alone? */
static gboolean
has_holder (const RelayStreamConfig *config)
{
  gboolean found = FALSE;

  for (guint i = 0; i < config->outputs->len; i++) {
    const RelayEnd *end = g_ptr_array_index (config->outputs, i);
    g_autoptr (GstElement) element =
        relay_end_has_other_protocol (end) ? NULL : relay_end_make (end, NULL, NULL);
    gboolean waits = FALSE;
    gint policy = 0;

    if (element == NULL)
      continue;
    gst_object_ref_sink (element);
    g_object_get (element, "wait-for-connection", &waits, "slow-policy", &policy, NULL);
    found |= waits || policy == 0;
  }
  return found;
}

static RelayDifference
compare_outputs (const RelayStreamConfig *a, const RelayStreamConfig *b)
{
  RelayDifference most = a->outputs->len != b->outputs->len ? RELAY_ENDS : RELAY_SAME;

  for (guint i = 0; i < b->outputs->len; i++) {
    const RelayEnd *new = g_ptr_array_index (b->outputs, i);
    const RelayEnd *old = relay_stream_config_find_output (a, new->id);
    RelayDifference one = old != NULL ? relay_end_compare (old, new) : RELAY_ENDS;

    most = MAX (most, MIN (one, RELAY_ENDS));
  }
  return most;
}

RelayDifference
relay_stream_config_compare (const RelayStreamConfig *a, const RelayStreamConfig *b)
{
  RelayDifference most = RELAY_SAME, inputs, outputs;

  if (g_strcmp0 (a->streamid, b->streamid) != 0)
    return RELAY_RESTART;
  if (a->require_streamid != b->require_streamid || a->optional != b->optional
      || a->switch_source != b->switch_source || a->picture_interval != b->picture_interval)
    most = RELAY_ADJUST;
  inputs = relay_end_compare (a->input, b->input);
  if (inputs == RELAY_RESTART && !has_holder (a))
    inputs = RELAY_ENDS;
  outputs = compare_outputs (a, b);
  most = MAX (most, inputs);
  return MAX (most, outputs);
}

/* --- ids ----------------------------------------------------------------------------- */

static gboolean
has_same_uri (const RelayEnd *a, const RelayEnd *b)
{
  return g_str_equal (a->uri, b->uri);
}

static gboolean
has_same_place (const RelayEnd *a, const RelayEnd *b)
{
  g_autoptr (GstUri) x = gst_fasp_parse_uri (a->uri), y = gst_fasp_parse_uri (b->uri);

  return x != NULL && y != NULL && g_strcmp0 (gst_uri_get_scheme (x), gst_uri_get_scheme (y)) == 0
      && is_same_place (x, y);
}

/* Gives ids to those that have none and are like an old one that has not given its own yet. */
static void
adopt (RelayStreamConfig *config, const RelayStreamConfig *old,
    gboolean (*is_like) (const RelayEnd *a, const RelayEnd *b))
{
  for (guint i = 0; i < config->outputs->len; i++) {
    RelayEnd *end = g_ptr_array_index (config->outputs, i);

    for (guint k = 0; end->id == 0 && k < old->outputs->len; k++) {
      const RelayEnd *one = g_ptr_array_index (old->outputs, k);

      if (relay_stream_config_find_output (config, one->id) == NULL && is_like (one, end))
        end->id = one->id;
    }
  }
}

void
relay_config_adopt (RelayConfig *config, const RelayConfig *old, const RelayKept *kept)
{
  for (guint i = 0; i < config->streams->len; i++) {
    RelayStreamConfig *stream = g_ptr_array_index (config->streams, i);
    const RelayStreamConfig *before = relay_config_find (old, stream->name);

    if (before == NULL)
      continue;
    for (guint k = 0; k < stream->outputs->len; k++)
      ((RelayEnd *) g_ptr_array_index (stream->outputs, k))->id =
          kept != NULL && g_str_equal (kept->stream, stream->name) ?
          g_array_index (kept->ids, guint, k) :
          0;
    adopt (stream, before, has_same_uri);
    adopt (stream, before, has_same_place);
    stream->next_id = before->next_id;
    for (guint k = 0; k < stream->outputs->len; k++) {
      RelayEnd *end = g_ptr_array_index (stream->outputs, k);

      if (end->id == 0)
        end->id = stream->next_id;
      stream->next_id = MAX (stream->next_id, end->id + 1);
    }
  }
}

void
relay_end_adjust (const RelayEnd *old, const RelayEnd *end, GstElement *element)
{
  g_autoptr (GstUri) a = gst_fasp_parse_uri (old->uri);
  g_autoptr (GstUri) b = gst_fasp_parse_uri (end->uri);
  g_autoptr (GPtrArray) changed = list_changed (a, b);
  g_autoptr (GstElement) model = relay_end_make (end, NULL, NULL);

  gst_object_ref_sink (model);
  for (guint i = 0; i < changed->len; i++) {
    const gchar *key = g_ptr_array_index (changed, i);
    GValue value = G_VALUE_INIT;

    g_value_init (&value,
        g_object_class_find_property (G_OBJECT_GET_CLASS (model), key)->value_type);
    g_object_get_property (G_OBJECT (model), key, &value);
    g_object_set_property (G_OBJECT (element), key, &value);
    g_value_unset (&value);
  }
}
