/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "relayjson.h"

JsonNode *
relay_json_take (JsonObject *object)
{
  JsonNode *node = json_node_init (json_node_alloc (), JSON_NODE_OBJECT);

  json_node_take_object (node, object);
  return node;
}

JsonNode *
relay_json_take_array (JsonArray *array)
{
  JsonNode *node = json_node_init (json_node_alloc (), JSON_NODE_ARRAY);

  json_node_take_array (node, array);
  return node;
}

JsonNode *
relay_json_string (const gchar *text)
{
  g_autofree gchar *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

  return valid != NULL ? json_node_init_string (json_node_alloc (), valid) :
                         json_node_init_null (json_node_alloc ());
}

JsonNode *
relay_json_double (gdouble value)
{
  return isfinite (value) ? json_node_init_double (json_node_alloc (), value) :
                            json_node_init_null (json_node_alloc ());
}

JsonNode *
relay_json_rounded (gdouble value, gdouble precision)
{
  if (isfinite (value) && precision >= 1)
    return json_node_init_int (json_node_alloc (), llrint (value));
  return relay_json_double (rint (value / precision) / rint (1 / precision));
}

JsonNode *
relay_json_time (gint64 time)
{
  g_autoptr (GDateTime) whole = g_date_time_new_from_unix_utc (time / G_USEC_PER_SEC);
  g_autoptr (GDateTime) exact =
      whole != NULL ? g_date_time_add (whole, time % G_USEC_PER_SEC) : NULL;
  g_autofree gchar *text = exact != NULL ? g_date_time_format_iso8601 (exact) : NULL;

  return relay_json_string (text);
}
