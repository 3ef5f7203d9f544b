/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayschema.h: the API's description, which finds the operation of a request and checks its body.
 *
 * openapi.json is the only list of paths, methods and fields: a request finds its operation there,
 * and its body is checked by the schema there (type, required, properties, additionalProperties,
 * items; what openapi.json does not use is not known here).  The schemas of answers get their
 * figures from relayfiguretable.c.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

#define RELAY_SCHEMA_VARIABLES 3 /* most variables in a path */

typedef struct _RelaySchema RelaySchema;

/* The operation that a request names. */
typedef struct
{
  const gchar *operation;                   /* operationId; NULL: there is none */
  gchar *variables[RELAY_SCHEMA_VARIABLES]; /* of the path, decoded, in its order */
  gchar *allow;                             /* methods of the path; NULL: no such path */
  JsonObject *body;                         /* its schema; NULL: none is taken */
  const gchar *role; /* that it needs (x-role); NULL: there is no operation */
} RelayAsked;

RelaySchema *relay_schema_new (void);
void relay_schema_free (RelaySchema *schema);
const gchar *relay_schema_get_text (const RelaySchema *schema);
void relay_schema_find (const RelaySchema *schema, const gchar *method, const gchar *path,
    RelayAsked *asked);
void relay_asked_clear (RelayAsked *asked);

/* @error: G_IO_ERROR_INVALID_DATA, a sentence that names the field. */
gboolean relay_schema_check (const RelaySchema *schema, JsonObject *type, JsonNode *value,
    GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RelayAsked, relay_asked_clear);

G_END_DECLS
