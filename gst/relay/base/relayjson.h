/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayjson.h: values as JSON nodes. A value that is not known is null.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Returns a node that takes over the reference to the object or array, unlike
 * json_node_init_object().
 */
JsonNode *relay_json_take (JsonObject *object);
JsonNode *relay_json_take_array (JsonArray *array);

/* @text is made valid UTF-8, as it may come from the network, a file or an error. NULL: null. */
JsonNode *relay_json_string (const gchar *text);
/* Null if the value is not finite. */
JsonNode *relay_json_double (gdouble value);
/* The same, rounded to a multiple of @precision (1, 0.1, 0.01 ...); with 1, a whole number. */
JsonNode *relay_json_rounded (gdouble value, gdouble precision);
/* µs since 1970, as ISO 8601. */
JsonNode *relay_json_time (gint64 time);

G_END_DECLS
