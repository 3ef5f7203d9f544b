/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaydescribe.h"
#include "gstfaspcommon.h"
#include "relayedit.h"
#include "relaypictureview.h"

JsonNode *
relay_describe_take (JsonObject *object)
{
  JsonNode *node = json_node_init (json_node_alloc (), JSON_NODE_OBJECT);

  json_node_take_object (node, object);
  return node;
}

JsonNode *
relay_describe_take_array (JsonArray *array)
{
  JsonNode *node = json_node_init (json_node_alloc (), JSON_NODE_ARRAY);

  json_node_take_array (node, array);
  return node;
}

/* A string of the network or of a file may be anything. */
static void
set_string (JsonObject *object, const gchar *name, const gchar *text)
{
  g_autofree gchar *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

  if (valid != NULL)
    json_object_set_string_member (object, name, valid);
  else
    json_object_set_null_member (object, name);
}

static const RelayEndStats *
find_stats (const RelayEnd *end, const RelayStreamStats *stats)
{
  if (stats == NULL)
    return NULL;
  if (end->id == 0)
    return stats->input.stats != NULL ? &stats->input : NULL;
  for (guint i = 0; i < stats->outputs->len; i++) {
    const RelayEndStats *one = g_ptr_array_index (stats->outputs, i);

    if (one->id == end->id)
      return one;
  }
  return NULL;
}

JsonNode *
relay_describe_end (const RelayEnd *end, const RelayStreamStats *stats)
{
  JsonObject *object = json_object_new ();
  const RelayEndStats *figures = find_stats (end, stats);
  g_autofree gchar *uri = relay_edit_hide (end->uri);
  guint receivers = 0;

  if (end->id != 0)
    json_object_set_int_member (object, "id", end->id);
  set_string (object, "uri", uri);
  json_object_set_boolean_member (object, "passphrase", relay_end_has_passphrase (end));
  json_object_set_boolean_member (object, "open",
      figures != NULL && figures->open && stats->state == RELAY_RUNNING);
  json_object_set_int_member (object, "callers-refused", figures != NULL ? figures->refused : 0);
  if (figures != NULL && figures->stats != NULL)
    gst_structure_get_uint (figures->stats, "connected-callers", &receivers);
  if (end->id != 0)
    json_object_set_int_member (object, "receivers", receivers);
  return relay_describe_take (object);
}

static JsonNode *
describe_receiver (const GstStructure *s)
{
  JsonObject *object = json_object_new ();
  gboolean interrupted = FALSE;
  guint64 bytes = 0;
  gdouble rtt;

  gst_structure_get_boolean (s, "interrupted", &interrupted);
  gst_structure_get_uint64 (s, "bytes-sent", &bytes);
  set_string (object, "address", gst_structure_get_string (s, "caller-address-string"));
  set_string (object, "streamid", gst_structure_get_string (s, "streamid"));
  set_string (object, "name", gst_structure_get_string (s, "peer-name"));
  json_object_set_boolean_member (object, "interrupted", interrupted);
  if (gst_structure_get_double (s, "rtt-ms", &rtt))
    json_object_set_double_member (object, "rtt-ms", rtt);
  else
    json_object_set_null_member (object, "rtt-ms");
  json_object_set_int_member (object, "bytes-sent", MIN (bytes, (guint64) G_MAXINT64));
  return relay_describe_take (object);
}

JsonNode *
relay_describe_receivers (const RelayEnd *output, const RelayStreamStats *stats)
{
  JsonArray *array = json_array_new ();
  const RelayEndStats *figures = find_stats (output, stats);
  const GValueArray *callers = figures != NULL && figures->stats != NULL ?
      gst_fasp_value_get_array (gst_structure_get_value (figures->stats, "callers")) :
      NULL;

  for (guint i = 0; callers != NULL && i < callers->n_values; i++)
    json_array_add_element (array,
        describe_receiver (gst_value_get_structure (&callers->values[i])));
  return relay_describe_take_array (array);
}

JsonNode *
relay_describe_stream (const RelayStreamConfig *config, const RelayStreamStats *stats)
{
  JsonObject *object = json_object_new ();
  JsonArray *outputs = json_array_new ();

  set_string (object, "name", config->name);
  set_string (object, "streamid", config->streamid);
  json_object_set_boolean_member (object, "require-streamid", config->require_streamid);
  json_object_set_boolean_member (object, "optional", config->optional);
  json_object_set_int_member (object, "picture-interval", config->picture_interval);
  json_object_set_string_member (object, "state",
      relay_state_get_name (stats != NULL ? stats->state : RELAY_IDLE));
  json_object_set_boolean_member (object, "receiving", stats != NULL && stats->receiving);
  json_object_set_int_member (object, "restarts", stats != NULL ? stats->restarts : 0);
  set_string (object, "last-error", stats != NULL ? stats->error : NULL);
  relay_picture_describe (stats != NULL ? stats->picture : NULL, object);
  json_object_set_member (object, "input", relay_describe_end (config->input, stats));
  for (guint i = 0; i < config->outputs->len; i++)
    json_array_add_element (outputs,
        relay_describe_end (g_ptr_array_index (config->outputs, i), stats));
  json_object_set_array_member (object, "outputs", outputs);
  return relay_describe_take (object);
}

gchar *
relay_describe_scalar (JsonNode *node)
{
  GType type;

  if (JSON_NODE_HOLDS_NULL (node))
    return NULL;
  type = json_node_get_value_type (node);
  if (type == G_TYPE_STRING)
    return g_strdup (json_node_get_string (node));
  if (type == G_TYPE_BOOLEAN)
    return g_strdup (json_node_get_boolean (node) ? "true" : "false");
  return json_to_string (node, FALSE);
}
