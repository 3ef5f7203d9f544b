/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayapi.h"
#include <string.h>
#include "relaydescribe.h"
#include "relayedit.h"
#include "relayschema.h"

#define JSON_DEPTH_MAX 16 /* of what is sent; json-glib would nest its calls as deeply */

struct _RelayApi
{
  RelaySchema *schema;
  RelayApiFuncs funcs;
  gpointer data;
};

/* One request. */
typedef struct
{
  RelayApi *api;
  const gchar *stream; /* as the path names it; NULL: it names none */
  const RelayStreamConfig *config;
  guint index; /* of the output that the path names */
  const RelayEnd *output;
  const gchar *receiver;
  JsonObject *body; /* NULL: none */
  RelayPage *page;
} Call;

/* --- answers ------------------------------------------------------------------------------ */

static void
answer_json (RelayPage *page, guint status, JsonNode *node)
{
  page->status = status;
  page->type = "application/json";
  page->text = json_to_string (node, TRUE);
  json_node_unref (node);
}

void
relay_api_refuse (RelayPage *page, guint status, const gchar *why)
{
  JsonObject *object = json_object_new ();
  g_autofree gchar *valid = g_utf8_make_valid (why, -1);

  json_object_set_string_member (object, "error", valid);
  answer_json (page, status, relay_describe_take (object));
}

static void
answer_nothing (RelayPage *page)
{
  page->status = 204;
  page->text = g_strdup ("");
}

/* The figures of the stream that is asked for, or of a configuration that has just begun. */
static RelayStreamStats *
get_stats (Call *call, const gchar *name)
{
  return call->api->funcs.get_stats (name, call->api->data);
}

static const RelayStreamConfig *
get_stream (Call *call)
{
  return relay_config_find (call->api->funcs.get_config (call->api->data), call->stream);
}

static JsonNode *
describe (Call *call, const RelayStreamConfig *config)
{
  RelayStreamStats *stats = get_stats (call, config->name);
  JsonNode *node = relay_describe_stream (config, stats);

  g_clear_pointer (&stats, relay_stream_stats_free);
  return node;
}

static void
answer_stream (Call *call, guint status)
{
  answer_json (call->page, status, describe (call, get_stream (call)));
}

static void
answer_end (Call *call, guint status, guint id)
{
  const RelayStreamConfig *config = get_stream (call);
  RelayStreamStats *stats = get_stats (call, config->name);

  answer_json (call->page, status,
      relay_describe_end (id == 0 ? config->input : relay_stream_config_find_output (config, id),
          stats));
  g_clear_pointer (&stats, relay_stream_stats_free);
}

static gchar *
make_location (const gchar *stream, guint output)
{
  g_autofree gchar *name = g_uri_escape_string (stream, NULL, FALSE);

  return output == 0 ? g_strdup_printf ("/api/v1/streams/%s", name) :
                       g_strdup_printf ("/api/v1/streams/%s/outputs/%u", name, output);
}

/* --- what is only read --------------------------------------------------------------------- */

static void
get_description (Call *call)
{
  call->page->type = "application/json";
  call->page->text = g_strdup (relay_schema_get_text (call->api->schema));
}

static void
get_configuration (Call *call)
{
  const RelayApiFuncs *funcs = &call->api->funcs;
  JsonObject *object = json_object_new ();
  g_autofree gchar *file = g_utf8_make_valid (funcs->get_file (call->api->data), -1);

  json_object_set_string_member (object, "file", file);
  json_object_set_boolean_member (object, "saved", funcs->is_saved (call->api->data));
  json_object_set_int_member (object, "streams", funcs->get_config (call->api->data)->streams->len);
  answer_json (call->page, 200, relay_describe_take (object));
}

static void
list_streams (Call *call)
{
  const RelayConfig *config = call->api->funcs.get_config (call->api->data);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < config->streams->len; i++)
    json_array_add_element (array, describe (call, g_ptr_array_index (config->streams, i)));
  answer_json (call->page, 200, relay_describe_take_array (array));
}

static void
get_one_stream (Call *call)
{
  answer_stream (call, 200);
}

static void
get_input (Call *call)
{
  answer_end (call, 200, 0);
}

static void
get_output (Call *call)
{
  answer_end (call, 200, call->output->id);
}

static void
list_outputs (Call *call)
{
  JsonArray *array = json_array_new ();
  RelayStreamStats *stats = get_stats (call, call->stream);

  for (guint i = 0; i < call->config->outputs->len; i++)
    json_array_add_element (array,
        relay_describe_end (g_ptr_array_index (call->config->outputs, i), stats));
  g_clear_pointer (&stats, relay_stream_stats_free);
  answer_json (call->page, 200, relay_describe_take_array (array));
}

static void
list_receivers (Call *call)
{
  RelayStreamStats *stats = get_stats (call, call->stream);

  answer_json (call->page, 200, relay_describe_receivers (call->output, stats));
  g_clear_pointer (&stats, relay_stream_stats_free);
}

/* --- changes ------------------------------------------------------------------------------- */

static RelayEdit *
edit (Call *call)
{
  const RelayConfig *config = call->api->funcs.get_config (call->api->data);

  return relay_edit_new (config->text, config->size);
}

/* Puts what was edited into force. FALSE: it was refused, and the page says why. */
static gboolean
apply (Call *call, RelayEdit *edit, const RelayKept *kept)
{
  g_autoptr (GError) error = NULL;
  gsize size;
  gchar *text = relay_edit_get_text (edit, &size);
  gboolean good = call->api->funcs.change (text, size, kept, &error, call->api->data);

  explicit_bzero (text, size);
  g_free (text);
  if (!good)
    relay_api_refuse (call->page, 422, error->message);
  return good;
}

/* An end that is a file would have the relay read or write it.  Is what the body names none? */
static gboolean
is_no_file (Call *call, const gchar *uri)
{
  while (uri != NULL && g_ascii_isspace (*uri))
    uri++;
  if (uri == NULL || g_ascii_strncasecmp (uri, "file:", strlen ("file:")) != 0)
    return TRUE;
  relay_api_refuse (call->page, 422,
      "The API does not take files: write file: URIs into the configuration file, and have the relay "
      "read it (SIGHUP, systemctl reload).");
  return FALSE;
}

/* NULL: the body does not name it. */
static const gchar *
get_string (Call *call, const gchar *name)
{
  JsonNode *node = json_object_get_member (call->body, name);

  return node != NULL && !JSON_NODE_HOLDS_NULL (node) ? json_node_get_string (node) : NULL;
}

static gchar **
get_strings (Call *call, const gchar *name)
{
  JsonArray *array = json_object_get_array_member (call->body, name);
  guint n = json_array_get_length (array);
  gchar **strings = g_new0 (gchar *, n + 1);

  for (guint i = 0; i < n; i++)
    strings[i] = g_strdup (json_array_get_string_element (array, i));
  return strings;
}

static void
set_settings (Call *call, RelayEdit *edit, gboolean all)
{
  static const gchar *const flags[] = { "require-streamid", "optional" };

  if (all || json_object_has_member (call->body, "streamid"))
    relay_edit_set_string (edit, call->stream, "streamid", get_string (call, "streamid"));
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    if (json_object_has_member (call->body, flags[i]))
      relay_edit_set_boolean (edit, call->stream, flags[i],
          json_object_get_boolean_member (call->body, flags[i]));
    else if (all)
      relay_edit_set_string (edit, call->stream, flags[i], NULL);
}

static void
set_input (Call *call, RelayEdit *edit, const gchar *uri)
{
  g_autofree gchar *whole =
      relay_edit_keep_secret (uri, call->config != NULL ? call->config->input->uri : NULL);

  relay_edit_set_string (edit, call->stream, "input", whole);
}

static void
put_stream (Call *call)
{
  g_autoptr (RelayEdit) text = edit (call);
  g_auto (GStrv) outputs = get_strings (call, "outputs");
  gboolean is_new = call->config == NULL;
  const gchar *why;

  if (is_new && !relay_edit_check_name (call->stream, &why)) {
    relay_api_refuse (call->page, 422, why);
    return;
  }
  for (guint i = 0; outputs[i] != NULL; i++)
    if (!is_no_file (call, outputs[i]))
      return;
  if (is_new)
    relay_edit_add_stream (text, call->stream);
  relay_edit_set_string (text, call->stream, "input", get_string (call, "input"));
  relay_edit_set_outputs (text, call->stream, (const gchar *const *) outputs);
  set_settings (call, text, TRUE);
  if (!apply (call, text, NULL))
    return;
  if (is_new)
    call->page->location = make_location (call->stream, 0);
  answer_stream (call, is_new ? 201 : 200);
}

static void
patch_stream (Call *call)
{
  g_autoptr (RelayEdit) text = edit (call);

  if (get_string (call, "input") != NULL)
    set_input (call, text, get_string (call, "input"));
  set_settings (call, text, FALSE);
  if (apply (call, text, NULL))
    answer_stream (call, 200);
}

static void
delete_stream (Call *call)
{
  g_autoptr (RelayEdit) text = edit (call);

  relay_edit_remove_stream (text, call->stream);
  if (apply (call, text, NULL))
    answer_nothing (call->page);
}

/* Returns the URI of an end as the body changes it. */
static gchar *
change_uri (Call *call, const gchar *old)
{
  const gchar *new = get_string (call, "uri");
  gchar *uri = new != NULL ? relay_edit_keep_secret (new, old) : g_strdup (old);
  JsonObjectIter iter;
  const gchar *key;
  JsonNode *node;

  if (!json_object_has_member (call->body, "parameters"))
    return uri;
  json_object_iter_init (&iter, json_object_get_object_member (call->body, "parameters"));
  while (json_object_iter_next (&iter, &key, &node)) {
    g_autofree gchar *value = relay_describe_scalar (node);
    gchar *next = relay_edit_set_key (uri, key, value);

    g_free (uri);
    uri = next;
  }
  return uri;
}

static void
put_input (Call *call)
{
  g_autoptr (RelayEdit) text = edit (call);

  relay_edit_set_string (text, call->stream, "input", get_string (call, "uri"));
  if (apply (call, text, NULL))
    answer_end (call, 200, 0);
}

static void
patch_input (Call *call)
{
  g_autoptr (RelayEdit) text = edit (call);
  g_autofree gchar *uri = change_uri (call, call->config->input->uri);

  relay_edit_set_string (text, call->stream, "input", uri);
  if (apply (call, text, NULL))
    answer_end (call, 200, 0);
}

static void
add_output (Call *call)
{
  g_autoptr (RelayEdit) text = edit (call);
  g_auto (GStrv) old = relay_edit_get_outputs (text, call->stream);
  guint n = g_strv_length (old), id;
  RelayEnd *last;

  old = g_renew (gchar *, old, n + 2);
  old[n] = g_strdup (get_string (call, "uri"));
  old[n + 1] = NULL;
  relay_edit_set_outputs (text, call->stream, (const gchar *const *) old);
  id = call->config->next_id;
  if (!apply (call, text, &(RelayKept) { call->stream, n, id }))
    return;
  last = g_ptr_array_index (get_stream (call)->outputs, n);
  call->page->location = make_location (call->stream, last->id);
  answer_end (call, 201, last->id);
}

static void
patch_output (Call *call)
{
  g_autoptr (RelayEdit) text = edit (call);
  g_auto (GStrv) outputs = relay_edit_get_outputs (text, call->stream);
  guint id = call->output->id;
  gchar *uri = change_uri (call, call->output->uri);

  g_free (outputs[call->index]);
  outputs[call->index] = uri;
  relay_edit_set_outputs (text, call->stream, (const gchar *const *) outputs);
  if (apply (call, text, &(RelayKept) { call->stream, call->index, id }))
    answer_end (call, 200, id);
}

static void
delete_output (Call *call)
{
  g_autoptr (RelayEdit) text = edit (call);
  g_auto (GStrv) outputs = relay_edit_get_outputs (text, call->stream);

  g_free (outputs[call->index]);
  for (guint i = call->index; outputs[i] != NULL; i++)
    outputs[i] = i + 1 <= g_strv_length (outputs) ? outputs[i + 1] : NULL;
  relay_edit_set_outputs (text, call->stream, (const gchar *const *) outputs);
  if (apply (call, text, NULL))
    answer_nothing (call->page);
}

static void
drop_receiver (Call *call)
{
  if (call->api->funcs.drop (call->stream, call->output->id, call->receiver, call->api->data))
    answer_nothing (call->page);
  else
    relay_api_refuse (call->page, 404,
        "There is no such receiver (any more): list the receivers of this output.");
}

static void
switch_source (Call *call)
{
  gint64 source = json_object_get_int_member (call->body, "source");

  if (source >= 0 && source <= G_MAXINT
      && call->api->funcs.switch_source (call->stream, source, call->api->data))
    answer_nothing (call->page);
  else
    relay_api_refuse (call->page, 409,
        "The input has no such source that it could use: source-list in /status.json has them, from "
        "0; an input with one source, or whose sources call, has none to choose from.");
}

static void
save_configuration (Call *call)
{
  g_autoptr (GError) error = NULL;

  if (call->api->funcs.save (&error, call->api->data))
    get_configuration (call);
  else
    relay_api_refuse (call->page, 409, error->message);
}

/* --- what is asked ---------------------------------------------------------------------------- */

static const struct
{
  const gchar *operation;
  void (*func) (Call *call);
} operations[] = {
  { "getDescription", get_description },
  { "getConfiguration", get_configuration },
  { "saveConfiguration", save_configuration },
  { "listStreams", list_streams },
  { "getStream", get_one_stream },
  { "putStream", put_stream },
  { "patchStream", patch_stream },
  { "deleteStream", delete_stream },
  { "getInput", get_input },
  { "putInput", put_input },
  { "patchInput", patch_input },
  { "switchSource", switch_source },
  { "listOutputs", list_outputs },
  { "addOutput", add_output },
  { "getOutput", get_output },
  { "patchOutput", patch_output },
  { "deleteOutput", delete_output },
  { "listReceivers", list_receivers },
  { "dropReceiver", drop_receiver },
};

/* The document and this list have the same operations. */
static void
check_operations (RelayApi *api)
{
  g_autoptr (GPtrArray) all = relay_schema_list (api->schema);

  g_assert (all->len == G_N_ELEMENTS (operations));
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    g_assert (g_ptr_array_find_with_equal_func (all, operations[i].operation, g_str_equal, NULL));
}

RelayApi *
relay_api_new (const RelayApiFuncs *funcs, gpointer data)
{
  RelayApi *api = g_new0 (RelayApi, 1);

  api->schema = relay_schema_new ();
  api->funcs = *funcs;
  api->data = data;
  check_operations (api);
  return api;
}

void
relay_api_free (RelayApi *api)
{
  relay_schema_free (api->schema);
  g_free (api);
}

gboolean
relay_api_only_reads (const gchar *method)
{
  return g_str_equal (method, "GET") || g_str_equal (method, "HEAD");
}

/* Finds the stream and the output that the path names. */
static gboolean
find_named (Call *call, const RelayAsked *asked)
{
  guint64 id;

  call->stream = asked->variables[0];
  call->receiver = asked->variables[2];
  if (call->stream == NULL)
    return TRUE;
  call->config = get_stream (call);
  if (call->config == NULL && g_str_equal (asked->operation, "putStream"))
    return TRUE;
  if (call->config == NULL) {
    relay_api_refuse (call->page, 404,
        "There is no stream of this name: list /api/v1/streams, or add it with PUT.");
    return FALSE;
  }
  if (asked->variables[1] == NULL)
    return TRUE;
  if (g_ascii_string_to_unsigned (asked->variables[1], 10, 1, G_MAXUINT, &id, NULL))
    call->output = relay_stream_config_find_output (call->config, id);
  if (call->output == NULL) {
    relay_api_refuse (call->page, 404,
        "There is no output of this id: list the outputs of this stream.");
    return FALSE;
  }
  return g_ptr_array_find (call->config->outputs, call->output, &call->index);
}

static gboolean
is_too_deep (const gchar *body, gsize size)
{
  guint depth = 0;
  gboolean quoted = FALSE;

  for (gsize i = 0; i < size; i++) {
    if (quoted && body[i] == '\\')
      i++;
    else if (body[i] == '"')
      quoted = !quoted;
    else if (!quoted && (body[i] == '[' || body[i] == '{') && ++depth > JSON_DEPTH_MAX)
      return TRUE;
    else if (!quoted && (body[i] == ']' || body[i] == '}') && depth > 0)
      depth--;
  }
  return FALSE;
}

static gboolean
read_body (Call *call, JsonParser *parser, const RelayAsked *asked, const gchar *body, gsize size)
{
  g_autoptr (GError) error = NULL;
  static const gchar empty[] = "{}";
  JsonNode *root;

  if (asked->body == NULL)
    return TRUE;
  if (size == 0) {
    body = empty;
    size = strlen (empty);
  }
  if (is_too_deep (body, size) || !g_utf8_validate (body, size, NULL)
      || !json_parser_load_from_data (parser, body, size, NULL)
      || json_parser_get_root (parser) == NULL) {
    relay_api_refuse (call->page, 400, "The body is not JSON: send an object, in UTF-8.");
    return FALSE;
  }
  root = json_parser_get_root (parser);
  if (!relay_schema_check (call->api->schema, asked->body, root, &error)) {
    relay_api_refuse (call->page, 400, error->message);
    return FALSE;
  }
  call->body = json_node_get_object (root);
  return TRUE;
}

static gboolean
names_no_file (Call *call)
{
  static const gchar *const fields[] = { "uri", "input" };

  for (guint i = 0; call->body != NULL && i < G_N_ELEMENTS (fields); i++)
    if (!is_no_file (call, get_string (call, fields[i])))
      return FALSE;
  return TRUE;
}

void
relay_api_answer (RelayApi *api, const gchar *method, const gchar *path, const gchar *body,
    gsize size, RelayPage *page)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_auto (RelayAsked) asked = { NULL };
  Call call = { .api = api, .page = page };

  page->status = 200;
  relay_schema_find (api->schema, method, path, &asked);
  if (asked.allow == NULL) {
    relay_api_refuse (page, 404, "There is no such path: read /api/v1/openapi.json.");
    return;
  }
  if (asked.operation == NULL) {
    g_autofree gchar *why = g_strdup_printf ("This path takes %s.", asked.allow);

    relay_api_refuse (page, 405, why);
    page->allow = g_intern_string (asked.allow);
    return;
  }
  if (!find_named (&call, &asked) || !read_body (&call, parser, &asked, body, size)
      || !names_no_file (&call))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    if (g_str_equal (operations[i].operation, asked.operation))
      operations[i].func (&call);
}
