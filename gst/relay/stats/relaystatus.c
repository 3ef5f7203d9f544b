/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaystatus.h"
#include <math.h>
#include "gstfaspcommon.h"
#include "relayfiguretable.h"
#include "relayjson.h"
#include "relaypictureview.h"

/* --- values ------------------------------------------------------------------------------ */

/* JSON integers have 64 bits with a sign here. The two largest numbers mean unknown times,
 * and never. */
static JsonNode *
make_uint64 (guint64 value)
{
  if (value >= RELAY_NEVER)
    return json_node_init_null (json_node_alloc ());
  return value <= G_MAXINT64 ? json_node_init_int (json_node_alloc (), value) :
                               relay_json_double (value);
}

static gboolean
add_field (GQuark id, const GValue *value, gpointer object)
{
  json_object_set_member (object, g_quark_to_string (id), relay_status_translate (value));
  return TRUE;
}

JsonNode *
relay_status_translate_structure (const GstStructure *structure)
{
  JsonObject *object = json_object_new ();

  gst_structure_foreach (structure, add_field, object);
  return relay_json_take (object);
}

static JsonNode *
make_array (const GValueArray *values)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < values->n_values; i++)
    json_array_add_element (array, relay_status_translate (&values->values[i]));
  return relay_json_take_array (array);
}

static JsonNode *
make_other (const GValue *value)
{
  g_autofree gchar *text = gst_value_serialize (value);

  return relay_json_string (text);
}

JsonNode *
relay_status_translate (const GValue *value)
{
  if (G_VALUE_HOLDS_BOOLEAN (value))
    return json_node_init_boolean (json_node_alloc (), g_value_get_boolean (value));
  if (G_VALUE_HOLDS_INT (value))
    return json_node_init_int (json_node_alloc (), g_value_get_int (value));
  if (G_VALUE_HOLDS_UINT (value))
    return json_node_init_int (json_node_alloc (), g_value_get_uint (value));
  if (G_VALUE_HOLDS_INT64 (value))
    return json_node_init_int (json_node_alloc (), g_value_get_int64 (value));
  if (G_VALUE_HOLDS_UINT64 (value))
    return make_uint64 (g_value_get_uint64 (value));
  if (G_VALUE_HOLDS_FLOAT (value))
    return relay_json_double (g_value_get_float (value));
  if (G_VALUE_HOLDS_DOUBLE (value))
    return relay_json_double (g_value_get_double (value));
  if (G_VALUE_HOLDS_STRING (value))
    return relay_json_string (g_value_get_string (value));
  if (gst_fasp_value_get_array (value) != NULL)
    return make_array (gst_fasp_value_get_array (value));
  if (GST_VALUE_HOLDS_STRUCTURE (value) && g_value_get_boxed (value) != NULL)
    return relay_status_translate_structure (gst_value_get_structure (value));
  if (G_VALUE_HOLDS (value, G_TYPE_SOCKET_ADDRESS) && g_value_get_object (value) != NULL) {
    g_autofree gchar *text =
        g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (g_value_get_object (value)));

    return relay_json_string (text);
  }
  return make_other (value);
}

/* --- the page -------------------------------------------------------------------------------- */

static JsonNode *
describe_end (const RelayEndStats *end, RelayFigureOf of)
{
  RelayEndFigures figures;
  JsonObject *object;

  relay_figures_get_end (end, NAN, &figures);
  object = relay_figures_to_object (of, RELAY_IN_STATUS, &figures);
  json_object_set_member (object, "stats",
      end->stats != NULL ? relay_status_translate_structure (end->stats) :
                           relay_json_string (NULL));
  return relay_json_take (object);
}

static JsonNode *
describe_stream (const RelayStreamStats *s)
{
  JsonArray *outputs = json_array_new ();
  RelayStreamFigures figures;
  JsonObject *object;

  relay_figures_get_stream (s, RELAY_RATES_UNKNOWN, &figures);
  object = relay_figures_to_object (RELAY_OF_STREAM, RELAY_IN_STATUS, &figures);
  relay_picture_describe (s->picture, RELAY_IN_STATUS, object);
  json_object_set_member (object, "input", describe_end (&s->input, RELAY_OF_INPUT));
  for (guint i = 0; i < s->outputs->len; i++)
    json_array_add_element (outputs,
        describe_end (g_ptr_array_index (s->outputs, i), RELAY_OF_OUTPUT));
  json_object_set_array_member (object, "outputs", outputs);
  return relay_json_take (object);
}

gchar *
relay_status_to_json (const RelayStats *stats)
{
  JsonArray *streams = json_array_new ();
  g_autoptr (JsonNode) root = NULL;
  RelayOwnFigures figures;
  JsonObject *object;

  relay_figures_get_own (stats, 0, &figures);
  object = relay_figures_to_object (RELAY_OF_RELAY, RELAY_IN_STATUS, &figures);
  root = relay_json_take (object);
  for (guint i = 0; i < stats->streams->len; i++)
    json_array_add_element (streams, describe_stream (g_ptr_array_index (stats->streams, i)));
  json_object_set_array_member (object, "streams", streams);
  return json_to_string (root, TRUE);
}
