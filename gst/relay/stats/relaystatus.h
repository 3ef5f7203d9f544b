/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystatus.h: the relay's statistics, for programs: JSON, and the text of OpenMetrics
 * 1.0.  Structures of the elements (`stats') are translated field by field: a
 * new field of an element appears by itself.
 */
#pragma once

#include <json-glib/json-glib.h>
#include "relayfigures.h"

G_BEGIN_DECLS

gchar *relay_status_to_json (const RelayStats *stats);

/* Translates a value to JSON.  Unknown times and doubles that are not finite become null;
 * values of types that JSON does not have become strings. */
JsonNode *relay_status_translate (const GValue *value);
JsonNode *relay_status_translate_structure (const GstStructure *structure);

#define RELAY_METRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"
gchar *relay_status_to_metrics (const RelayStats *stats);

G_END_DECLS
