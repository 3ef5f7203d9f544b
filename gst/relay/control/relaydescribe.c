/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaydescribe.h"
#include "relayedit.h"
#include "relayfigures.h"
#include "relayjson.h"
#include "relaypictureview.h"

static void
set_string (JsonObject *object, const gchar *name, const gchar *text)
{
  json_object_set_member (object, name, relay_json_string (text));
}

static const RelayEndStats *
find_stats (const RelayEnd *end, const RelayStreamStats *stats)
{
  if (stats == NULL)
    return NULL;
  if (end->id == 0)
    return &stats->input;
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

  if (end->id != 0)
    json_object_set_int_member (object, "id", end->id);
  set_string (object, "uri", uri);
  json_object_set_boolean_member (object, "passphrase", relay_end_has_passphrase (end));
  json_object_set_boolean_member (object, "open",
      figures != NULL && figures->state == RELAY_RUNNING);
  set_string (object, "state",
      relay_state_get_name (figures != NULL ? figures->state : RELAY_IDLE));
  json_object_set_int_member (object, "callers-refused", figures != NULL ? figures->refused : 0);
  if (end->id != 0)
    json_object_set_int_member (object, "receivers",
        figures != NULL ? relay_figures_count_peers (figures) : 0);
  return relay_json_take (object);
}

static void
add_receiver (const GstStructure *s, gpointer array)
{
  JsonObject *object = json_object_new ();
  guint64 bytes = 0;

  gst_structure_get_uint64 (s, "bytes-sent", &bytes);
  set_string (object, "address", gst_structure_get_string (s, "caller-address-string"));
  set_string (object, "streamid", gst_structure_get_string (s, "streamid"));
  set_string (object, "name", gst_structure_get_string (s, "peer-name"));
  json_object_set_boolean_member (object, "interrupted", relay_figures_get_flag (s, "interrupted"));
  json_object_set_member (object, "rtt-ms",
      relay_json_double (relay_figures_get_number (s, "rtt-ms")));
  json_object_set_int_member (object, "bytes-sent", MIN (bytes, (guint64) G_MAXINT64));
  json_array_add_object_element (array, object);
}

JsonNode *
relay_describe_receivers (const RelayEnd *output, const RelayStreamStats *stats)
{
  JsonArray *array = json_array_new ();
  const RelayEndStats *figures = find_stats (output, stats);

  if (figures != NULL)
    relay_figures_foreach_peer (figures, add_receiver, array);
  return relay_json_take_array (array);
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
  return relay_json_take (object);
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
