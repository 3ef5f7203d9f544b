/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayapi.h"
#include <string.h>
#include "relaycall.h"
#include "relaydescribe.h"
#include "relayjson.h"
#include "relayjsonvalidation.h"
#include "relaylog.h"

/* --- operations that change no stream ------------------------------------------------------ */

static void
get_description (RelayCall *call)
{
  call->page->type = "application/json";
  call->page->text = g_strdup (relay_schema_get_text (call->api->schema));
}

static void
get_configuration (RelayCall *call)
{
  const RelayApiFuncs *funcs = &call->api->funcs;
  JsonObject *object = json_object_new ();
  g_autofree gchar *file = g_utf8_make_valid (funcs->get_file (call->api->data), -1);

  json_object_set_string_member (object, "file", file);
  json_object_set_boolean_member (object, "saved", funcs->is_saved (call->api->data));
  json_object_set_int_member (object, "streams", funcs->get_config (call->api->data)->streams->len);
  relay_call_write_tag (call, call->page->tag);
  relay_call_answer_json (call->page, 200, relay_json_take (object));
}

static void
list_streams (RelayCall *call)
{
  const RelayConfig *config = call->api->funcs.get_config (call->api->data);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < config->streams->len; i++)
    json_array_add_element (array,
        relay_call_describe (call, g_ptr_array_index (config->streams, i)));
  relay_call_answer_json (call->page, 200, relay_json_take_array (array));
}

static void
get_one_stream (RelayCall *call)
{
  relay_call_answer_stream (call, 200);
}

static void
get_input (RelayCall *call)
{
  relay_call_answer_end (call, 200, 0);
}

static void
get_output (RelayCall *call)
{
  relay_call_answer_end (call, 200, call->output->id);
}

static void
list_outputs (RelayCall *call)
{
  JsonArray *array = json_array_new ();
  RelayStreamStats *stats = relay_call_get_stats (call, call->stream);

  for (guint i = 0; i < call->config->outputs->len; i++)
    json_array_add_element (array,
        relay_describe_end (g_ptr_array_index (call->config->outputs, i), stats));
  g_clear_pointer (&stats, relay_stream_stats_free);
  relay_call_answer_json (call->page, 200, relay_json_take_array (array));
}

static void
list_receivers (RelayCall *call)
{
  RelayStreamStats *stats = relay_call_get_stats (call, call->stream);

  relay_call_answer_json (call->page, 200, relay_describe_receivers (call->output, stats));
  g_clear_pointer (&stats, relay_stream_stats_free);
}

static void
save_configuration (RelayCall *call)
{
  g_autoptr (GError) error = NULL;

  if (call->api->funcs.save (&error, call->api->data))
    get_configuration (call);
  else
    relay_api_refuse (call->page, 409, "not-saved", error->message);
}

static void
log_in (RelayCall *call)
{
  call->later = call->api->funcs.log_in (call->request, relay_call_get_string (call, "user"),
      relay_call_get_string (call, "password"), call->page, call->api->data);
}

static void
get_session (RelayCall *call)
{
  call->api->funcs.tell (call->request, call->page, call->api->data);
}

static void
log_out (RelayCall *call)
{
  call->api->funcs.log_out (call->request, call->page, call->api->data);
}

/* --- requests --------------------------------------------------------------------------------- */

static const RelayOperation reads[] = {
  { "getDescription", get_description },
  { "getSession", get_session },
  { "logIn", log_in },
  { "logOut", log_out },
  { "getConfiguration", get_configuration },
  { "saveConfiguration", save_configuration },
  { "listStreams", list_streams },
  { "getStream", get_one_stream },
  { "getInput", get_input },
  { "listOutputs", list_outputs },
  { "getOutput", get_output },
  { "listReceivers", list_receivers },
  { NULL },
};

static const RelayOperation *const lists[] = { reads, relay_changes };

/* openapi.json has no other operations below /api/. */
static const RelayOperation *
find_operation (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const RelayOperation *o = lists[i]; o->operation != NULL; o++)
      if (g_str_equal (o->operation, name))
        return o;
  g_assert_not_reached ();
}

RelayApi *
relay_api_new (const RelayApiFuncs *funcs, gpointer data)
{
  RelayApi *api = g_new0 (RelayApi, 1);

  api->schema = relay_schema_new ();
  api->funcs = *funcs;
  api->data = data;
  api->run = g_random_int ();
  return api;
}

void
relay_api_free (RelayApi *api)
{
  relay_schema_free (api->schema);
  g_free (api);
}

gboolean
relay_api_only_reads (const RelayApiRequest *request)
{
  return g_str_equal (request->method, "GET") || g_str_equal (request->method, "HEAD")
      || g_str_equal (request->path, RELAY_API_SESSION);
}

void
relay_api_log_request (const RelayApiRequest *request, const gchar *user, const gchar *line)
{
  g_autoptr (GstStructure) details = gst_structure_new ("request", "address-string", G_TYPE_STRING,
      request->address, "user", G_TYPE_STRING, user, NULL);

  relay_log_end (NULL, NULL, G_LOG_LEVEL_MESSAGE, details, line);
}

/* A path or method that is not there needs the least role, to be told so. */
void
relay_api_find_route (const RelayApi *api, const gchar *method, const gchar *path,
    RelayRoute *route, gchar **stream)
{
  g_auto (RelayAsked) asked = { NULL };
  gboolean is_api = g_str_has_prefix (path, RELAY_HTTP_API);

  relay_schema_find (api->schema, method, path, &asked);
  *route = (RelayRoute) { is_api, .role = RELAY_ROLE_VIEW };
  /* these two take one of few places for as long as the client stays */
  route->is_own = is_api || g_strcmp0 (asked.operation, "listen") == 0
      || g_strcmp0 (asked.operation, "watch") == 0;
  if (asked.role != NULL && !relay_role_find (asked.role, &route->role))
    route->role = RELAY_ROLE_ADMINISTER;
  *stream = g_steal_pointer (&asked.variables[0]);
  route->stream = *stream;
}

/* Finds the stream and the output that the path names. */
static gboolean
find_named (RelayCall *call, const RelayAsked *asked)
{
  guint64 id;

  call->stream = asked->variables[0];
  call->receiver = asked->variables[2];
  if (call->stream == NULL)
    return TRUE;
  call->config = relay_call_get_stream (call);
  if (call->config == NULL && g_str_equal (asked->operation, "putStream"))
    return TRUE;
  if (call->config == NULL) {
    relay_api_refuse (call->page, 404, "no-stream",
        "There is no stream of this name: list /api/v1/streams, or add it with PUT.");
    return FALSE;
  }
  if (asked->variables[1] == NULL)
    return TRUE;
  if (g_ascii_string_to_unsigned (asked->variables[1], 10, 1, G_MAXUINT, &id, NULL))
    call->output = relay_stream_config_find_output (call->config, id);
  if (call->output == NULL) {
    relay_api_refuse (call->page, 404, "no-output",
        "There is no output of this id: list the outputs of this stream.");
    return FALSE;
  }
  return g_ptr_array_find (call->config->outputs, call->output, &call->index);
}

static gboolean
read_body (RelayCall *call, JsonParser *parser, const RelayAsked *asked, const gchar *body,
    gsize size)
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
  if (!relay_json_validation_check (body, size)
      || !json_parser_load_from_data (parser, body, size, NULL)
      || json_parser_get_root (parser) == NULL) {
    relay_api_refuse (call->page, 400, "not-json",
        "The body is not JSON: send an object, in UTF-8, with numbers of at most 18 digits.");
    return FALSE;
  }
  root = json_parser_get_root (parser);
  if (!relay_schema_check (call->api->schema, asked->body, root, &error)) {
    relay_api_refuse (call->page, 400, "not-described", error->message);
    return FALSE;
  }
  call->body = json_node_get_object (root);
  return TRUE;
}

static gboolean
names_no_file (RelayCall *call)
{
  static const gchar *const fields[] = { "uri", "input" };

  for (guint i = 0; call->body != NULL && i < G_N_ELEMENTS (fields); i++)
    if (!relay_call_is_no_file (call, relay_call_get_string (call, fields[i])))
      return FALSE;
  /* keys of a file's URI say which files there are */
  return call->body == NULL || !json_object_has_member (call->body, "parameters")
      || relay_call_is_no_file (call,
          call->output != NULL ? call->output->uri : call->config->input->uri);
}

/* May a change be made, by If-None-Match and If-Match? */
static gboolean
is_as_known (RelayCall *call, const RelayApiRequest *request)
{
  gboolean gone = call->stream != NULL && call->config == NULL;
  gchar tag[RELAY_PAGE_TAG];

  if (request->only_new && call->config != NULL) {
    relay_api_refuse (call->page, 412, "exists",
        "There is a stream of this name already: choose another name, or change this one.");
    return FALSE;
  }
  if (request->match == NULL || (g_str_equal (request->match, "*") && !gone))
    return TRUE;
  if (!gone)
    relay_call_write_tag (call, tag);
  if (!gone && strstr (request->match, tag) != NULL)
    return TRUE;
  relay_api_refuse (call->page, 412, "changed",
      "It was changed since this ETag was given: ask for it again, and change that.");
  return FALSE;
}

gboolean
relay_api_answer (RelayApi *api, const RelayApiRequest *request, RelayPage *page)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_auto (RelayAsked) asked = { NULL };
  RelayCall call = { .api = api, .page = page, .request = request };
  const RelayOperation *operation;

  page->status = 200;
  relay_schema_find (api->schema, request->method, request->path, &asked);
  if (asked.allow == NULL) {
    relay_api_refuse (page, 404, "no-path",
        "There is no such path: read " RELAY_API_DESCRIPTION ".");
    return TRUE;
  }
  if (asked.operation == NULL) {
    g_autofree gchar *why = g_strdup_printf ("This path takes %s.", asked.allow);

    relay_api_refuse (page, 405, "method", why);
    page->allow = g_intern_string (asked.allow);
    return TRUE;
  }
  operation = find_operation (asked.operation);
  if (!find_named (&call, &asked)
      || !read_body (&call, parser, &asked, request->body, request->size) || !names_no_file (&call))
    return TRUE;
  if (!relay_api_only_reads (request) && !is_as_known (&call, request))
    return TRUE;
  operation->func (&call);
  return !call.later;
}
