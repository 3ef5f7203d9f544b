/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaydescribe.h"
#include <math.h>
#include "relayedit.h"
#include "relayfigures.h"
#include "relayfiguretable.h"
#include "relayjson.h"
#include "relaypictureview.h"

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
  g_autofree gchar *uri = relay_edit_hide (end->uri);
  RelayEndFigures figures;

  relay_figures_get_end (find_stats (end, stats), NAN, &figures);
  figures.id = end->id;
  figures.uri = uri;
  figures.does = relay_figures_get_does (end->id, uri);
  figures.passphrase = relay_end_has_passphrase (end);
  return relay_json_take (relay_figures_to_object (end->id != 0 ? RELAY_OF_OUTPUT : RELAY_OF_INPUT,
      RELAY_IN_API, &figures));
}

JsonNode *
relay_describe_receivers (const RelayEnd *output, const RelayStreamStats *stats)
{
  const RelayEndStats *end = find_stats (output, stats);
  g_autoptr (GArray) receivers = end != NULL ? relay_figures_list_peers (end, NAN) : NULL;

  return relay_json_take_array (relay_figures_to_array (RELAY_OF_RECEIVER, RELAY_IN_API,
      receivers));
}

/* Sets a time of an input with backups. */
static void
set_time (JsonObject *object, const gchar *name, const RelayEnd *input, guint time)
{
  if (input->backups != NULL)
    json_object_set_int_member (object, name, time);
  else
    json_object_set_null_member (object, name);
}

JsonNode *
relay_describe_stream (const RelayStreamConfig *config, const RelayStreamStats *stats)
{
  JsonArray *outputs = json_array_new (), *backups = json_array_new ();
  RelayStreamFigures figures;
  JsonObject *object;

  relay_figures_get_stream (stats, RELAY_RATES_UNKNOWN, &figures);
  figures.name = config->name;
  figures.streamid = config->streamid;
  figures.require_streamid = config->require_streamid;
  figures.optional = config->optional;
  figures.picture_interval = config->picture_interval;
  figures.preview_viewers = config->preview_viewers;
  object = relay_figures_to_object (RELAY_OF_STREAM, RELAY_IN_API, &figures);
  relay_picture_describe (stats != NULL ? stats->picture : NULL, RELAY_IN_API, object);
  json_object_set_member (object, "input", relay_describe_end (config->input, stats));
  for (guint i = 0; i < relay_end_count_backups (config->input); i++) {
    const RelayEnd *backup = g_ptr_array_index (config->input->backups, i);
    g_autofree gchar *uri = relay_edit_hide (backup->uri);

    json_array_add_string_element (backups, uri);
  }
  json_object_set_array_member (object, "backups", backups);
  set_time (object, "switch-after", config->input, config->input->switch_after);
  set_time (object, "wait-to-restore", config->input, config->input->wait_to_restore);
  for (guint i = 0; i < RELAY_RULES; i++)
    set_time (object, relay_rule_rows[i].key, config->input, config->input->rules[i]);
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
