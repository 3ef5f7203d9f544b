/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gio/gio.h>
#include "relayapiresource.h"
#include "relayfiguretable.h"
#include "relayschema.h"

#define ROLE "x-role"

struct _RelaySchema
{
  gchar *text;
  JsonNode *root;
};

static JsonObject *
get_root (const RelaySchema *schema)
{
  return json_node_get_object (schema->root);
}

RelaySchema *
relay_schema_new (void)
{
  RelaySchema *schema = g_new0 (RelaySchema, 1);
  g_autoptr (GBytes) text = g_resource_lookup_data (relay_api_get_resource (),
      "/relay/openapi.json", G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  /* GResource appends a zero byte to each resource */
  schema->root = json_from_string (g_bytes_get_data (text, NULL), NULL);
  relay_figures_describe (json_object_get_object_member (
      json_object_get_object_member (get_root (schema), "components"), "schemas"));
  schema->text = json_to_string (schema->root, TRUE);
  return schema;
}

void
relay_schema_free (RelaySchema *schema)
{
  json_node_unref (schema->root);
  g_free (schema->text);
  g_free (schema);
}

const gchar *
relay_schema_get_text (const RelaySchema *schema)
{
  return schema->text;
}

/* --- paths ------------------------------------------------------------------------------- */

static JsonObject *
get_paths (const RelaySchema *schema)
{
  return json_object_get_object_member (get_root (schema), "paths");
}

static JsonObject *
get_operation (JsonObject *path, const gchar *method)
{
  static const gchar *const methods[] = { "get", "put", "post", "patch", "delete", NULL };
  g_autofree gchar *name = g_ascii_strdown (g_str_equal (method, "HEAD") ? "GET" : method, -1);

  return g_strv_contains (methods, name) && json_object_has_member (path, name) ?
      json_object_get_object_member (path, name) :
      NULL;
}

/* Does the path match a pattern of the document, decoded part by decoded part? Stores the values of
 * its variables. */
static gboolean
is_like (const gchar *path, const gchar *pattern, RelayAsked *asked)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1), like = g_strsplit (pattern, "/", -1);
  gboolean good = g_strv_length (parts) == g_strv_length (like);
  guint n = 0;

  for (guint i = 0; good && parts[i] != NULL; i++) {
    g_autofree gchar *plain = g_uri_unescape_string (parts[i], NULL);

    if (like[i][0] != '{') {
      good = g_strcmp0 (plain, like[i]) == 0;
    } else {
      good = plain != NULL && plain[0] != '\0';
      asked->variables[n++] = g_steal_pointer (&plain);
    }
  }
  if (!good)
    relay_asked_clear (asked);
  return good;
}

static gchar *
list_methods (JsonObject *path)
{
  static const gchar *const methods[] = { "GET", "PUT", "POST", "PATCH", "DELETE" };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    if (get_operation (path, methods[i]) != NULL)
      g_string_append_printf (text, "%s%s%s", text->len > 0 ? ", " : "", methods[i],
          i == 0 ? ", HEAD" : "");
  return g_string_free (text, FALSE);
}

static JsonObject *
resolve (const RelaySchema *schema, JsonObject *type)
{
  JsonObject *at = get_root (schema);
  g_auto (GStrv) parts = NULL;

  if (!json_object_has_member (type, "$ref"))
    return type;
  parts = g_strsplit (json_object_get_string_member (type, "$ref"), "/", -1);
  for (guint i = 1; parts[i] != NULL; i++)
    at = json_object_get_object_member (at, parts[i]);
  return at;
}

static JsonObject *
get_body (const RelaySchema *schema, JsonObject *operation)
{
  JsonObject *at = operation;
  static const gchar *const way[] = { "requestBody", "content", "application/json", "schema" };

  for (guint i = 0; i < G_N_ELEMENTS (way); i++) {
    if (!json_object_has_member (at, way[i]))
      return NULL;
    at = json_object_get_object_member (at, way[i]);
  }
  return resolve (schema, at);
}

void
relay_schema_find (const RelaySchema *schema, const gchar *method, const gchar *path,
    RelayAsked *asked)
{
  JsonObjectIter paths;
  JsonObject *operation;
  JsonNode *node;
  const gchar *pattern;

  *asked = (RelayAsked) { NULL };
  json_object_iter_init (&paths, get_paths (schema));
  while (json_object_iter_next (&paths, &pattern, &node)) {
    if (!is_like (path, pattern, asked))
      continue;
    asked->allow = list_methods (json_node_get_object (node));
    operation = get_operation (json_node_get_object (node), method);
    if (operation == NULL)
      return;
    asked->operation = json_object_get_string_member (operation, "operationId");
    asked->body = get_body (schema, operation);
    asked->role = json_object_get_string_member (operation, ROLE);
    return;
  }
}

void
relay_asked_clear (RelayAsked *asked)
{
  for (guint i = 0; i < RELAY_SCHEMA_VARIABLES; i++)
    g_clear_pointer (&asked->variables[i], g_free);
  g_clear_pointer (&asked->allow, g_free);
}

/* --- values -------------------------------------------------------------------------------- */

static gboolean
is_of_type (JsonNode *value, const gchar *type)
{
  GType held = JSON_NODE_HOLDS_VALUE (value) ? json_node_get_value_type (value) : G_TYPE_NONE;

  if (g_str_equal (type, "object"))
    return JSON_NODE_HOLDS_OBJECT (value);
  if (g_str_equal (type, "array"))
    return JSON_NODE_HOLDS_ARRAY (value);
  if (g_str_equal (type, "null"))
    return JSON_NODE_HOLDS_NULL (value);
  if (g_str_equal (type, "string"))
    return held == G_TYPE_STRING;
  if (g_str_equal (type, "boolean"))
    return held == G_TYPE_BOOLEAN;
  if (g_str_equal (type, "integer"))
    return held == G_TYPE_INT64;
  return held == G_TYPE_INT64 || held == G_TYPE_DOUBLE; /* a number */
}

static gboolean
check_type (JsonObject *type, JsonNode *value, const gchar *where, GError **error)
{
  JsonNode *wanted = json_object_get_member (type, "type");
  g_autoptr (GString) names = g_string_new (NULL);
  guint n =
      JSON_NODE_HOLDS_ARRAY (wanted) ? json_array_get_length (json_node_get_array (wanted)) : 1;

  for (guint i = 0; i < n; i++) {
    const gchar *name = JSON_NODE_HOLDS_ARRAY (wanted) ?
        json_array_get_string_element (json_node_get_array (wanted), i) :
        json_node_get_string (wanted);

    if (is_of_type (value, name))
      return TRUE;
    g_string_append_printf (names, "%s%s", i > 0 ? " or " : "", name);
  }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s has to be of type %s.", where,
      names->str);
  return FALSE;
}

static gboolean check (const RelaySchema *schema, JsonObject *type, JsonNode *value,
    const gchar *where, GError **error);

/* Returns the schema of a field of an object; NULL: the object may not have the field. */
static JsonObject *
find_field (JsonObject *type, const gchar *name)
{
  JsonObject *fields = json_object_has_member (type, "properties") ?
      json_object_get_object_member (type, "properties") :
      NULL;
  JsonNode *others = json_object_get_member (type, "additionalProperties");

  if (fields != NULL && json_object_has_member (fields, name))
    return json_object_get_object_member (fields, name);
  return others != NULL && JSON_NODE_HOLDS_OBJECT (others) ? json_node_get_object (others) : NULL;
}

static gboolean
refuse_field (JsonObject *type, const gchar *name, GError **error)
{
  g_autoptr (GList) known = json_object_has_member (type, "properties") ?
      json_object_get_members (json_object_get_object_member (type, "properties")) :
      NULL;
  GString *list = g_string_new (NULL);

  for (const GList *l = known; l != NULL; l = l->next)
    g_string_append_printf (list, "%s%s", l != known ? ", " : "", (const gchar *) l->data);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
      "\"%s\" is not known here. What is known: %s. Keys that name files are set in the "
      "configuration file alone.",
      name, list->len > 0 ? list->str : "nothing");
  g_string_free (list, TRUE);
  return FALSE;
}

static gboolean
check_object (const RelaySchema *schema, JsonObject *type, JsonObject *object, GError **error)
{
  JsonArray *required = json_object_has_member (type, "required") ?
      json_object_get_array_member (type, "required") :
      NULL;
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *value;

  for (guint i = 0; required != NULL && i < json_array_get_length (required); i++)
    if (!json_object_has_member (object, json_array_get_string_element (required, i))) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "\"%s\" is missing.",
          json_array_get_string_element (required, i));
      return FALSE;
    }
  json_object_iter_init (&iter, object);
  while (json_object_iter_next (&iter, &name, &value)) {
    JsonObject *of = find_field (type, name);
    g_autofree gchar *where = g_strdup_printf ("\"%s\"", name);

    if (of == NULL)
      return refuse_field (type, name, error);
    if (!check (schema, of, value, where, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
check (const RelaySchema *schema, JsonObject *type, JsonNode *value, const gchar *where,
    GError **error)
{
  JsonObject *of = resolve (schema, type);
  JsonArray *array;

  if (!check_type (of, value, where, error))
    return FALSE;
  if (JSON_NODE_HOLDS_OBJECT (value))
    return check_object (schema, of, json_node_get_object (value), error);
  if (!JSON_NODE_HOLDS_ARRAY (value) || !json_object_has_member (of, "items"))
    return TRUE;
  array = json_node_get_array (value);
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!check (schema, json_object_get_object_member (of, "items"),
            json_array_get_element (array, i), where, error))
      return FALSE;
  return TRUE;
}

gboolean
relay_schema_check (const RelaySchema *schema, JsonObject *type, JsonNode *value, GError **error)
{
  return check (schema, type, value, "The body", error);
}
