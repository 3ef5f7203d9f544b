/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayjson.h: values as JSON nodes. A value that is not known is null.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Nodes that take the object or array: json_node_init_object() would take a reference of its own.
 */
JsonNode *relay_json_take (JsonObject *object);
JsonNode *relay_json_take_array (JsonArray *array);

/* Text of the network, of a file or of an error may be anything: it is made UTF-8.  NULL: null. */
JsonNode *relay_json_string (const gchar *text);
/* Null if it is not finite. */
JsonNode *relay_json_double (gdouble value);
/* The same, to a multiple of @precision (1, 0.1, 0.01 ...); of 1, a whole number. */
JsonNode *relay_json_rounded (gdouble value, gdouble precision);
/* µs since 1970, as ISO 8601. */
JsonNode *relay_json_time (gint64 time);

G_END_DECLS
