/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaydescribe.h: streams and their ends as the API tells them. openapi.json has the same fields.
 *
 * An end is listed as the configuration has it, also while it does not run.
 * Secrets are left out.
 */
#pragma once

#include <json-glib/json-glib.h>
#include "relaystream.h"

G_BEGIN_DECLS

/* @stats: NULL: there are none yet. */
JsonNode *relay_describe_stream (const RelayStreamConfig *config, const RelayStreamStats *stats);
/* @stats: those of the end's stream. */
JsonNode *relay_describe_end (const RelayEnd *end, const RelayStreamStats *stats);
JsonNode *relay_describe_receivers (const RelayEnd *output, const RelayStreamStats *stats);

/* Returns a string, number or boolean as it is written in a URI; NULL for null. */
gchar *relay_describe_scalar (JsonNode *node);

G_END_DECLS
