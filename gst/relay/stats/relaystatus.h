/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystatus.h: the relay's statistics, for programs: JSON, and the text of OpenMetrics
 * 1.0.  Structures of the elements (`stats') are translated field by field, whatever
 * the fields are: a new field of an element appears by itself.
 */
#pragma once

#include <json-glib/json-glib.h>
#include "relaystream.h"

G_BEGIN_DECLS

/* All statistics, at one moment. */
typedef struct
{
  GPtrArray *streams; /* RelayStreamStats, by name */
  gint64 started;     /* s, UTC */
  gint64 begun;       /* the same, µs, monotonic */
  gint64 loaded;      /* the configuration in force; s, UTC */
  guint64 reloads, reloads_refused;
  gchar *refused; /* why the last one was refused; NULL: it was not */
  gboolean receiver_metrics;
  const gchar *api; /* changes by HTTP: `off', `open', or `token': with one */
  gboolean saved;   /* the file says what is in force */
  gboolean alive;   /* the main loop runs */
  gboolean ending;
} RelayStats;

void relay_stats_free (RelayStats *stats);

/* TRUE: every stream that is not optional receives, and the relay is not ending. */
gboolean relay_stats_is_ready (const RelayStats *stats);

gchar *relay_status_to_json (const RelayStats *stats);
/* From this value on, a time is unknown, or never. */
#define RELAY_NEVER (GST_CLOCK_TIME_NONE - 1)

/* Translates a value to JSON.  Unknown times and doubles that are not finite become null;
 * values of types that JSON does not have become strings. */
JsonNode *relay_status_translate (const GValue *value);
JsonNode *relay_status_translate_structure (const GstStructure *structure);

#define RELAY_METRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"
gchar *relay_status_to_metrics (const RelayStats *stats);

G_END_DECLS
