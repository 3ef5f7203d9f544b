/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystatus.h: the relay's figures, for programs: JSON, and the text of OpenMetrics
 * 1.0.  Structures of the elements (`stats') are translated field by field, whatever
 * they are: what an element tells anew appears by itself.
 */
#pragma once

#include <json-glib/json-glib.h>
#include "relaystream.h"

G_BEGIN_DECLS

/* All that is told at one moment. */
typedef struct
{
  GPtrArray *streams;           /* RelayStreamFigures, by name */
  gint64 started;               /* s, UTC */
  gint64 loaded;                /* the configuration in force; s, UTC */
  guint64 reloads, reloads_refused;
  gchar *refused;               /* why the last one was; NULL: it was not */
  gboolean receiver_metrics;
  gboolean alive;               /* the main loop is */
  gboolean ending;
} RelayFigures;

void relay_figures_free (RelayFigures * figures);

/* Every stream that is not optional receives, and the relay does not end. */
gboolean relay_figures_is_ready (const RelayFigures * figures);

gchar *relay_status_to_json (const RelayFigures * figures);
/* From here on a time is none: not known, or beyond all times. */
#define RELAY_NEVER (GST_CLOCK_TIME_NONE - 1)

/* As JSON has it: times that are not known are null, as is what is no number; what it
 * has no type for is a string. */
JsonNode *relay_status_translate (const GValue * value);

#define RELAY_METRICS_TYPE \
    "application/openmetrics-text; version=1.0.0; charset=utf-8"
gchar *relay_status_to_metrics (const RelayFigures * figures);

G_END_DECLS
