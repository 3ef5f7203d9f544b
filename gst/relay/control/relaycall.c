/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaycall.h"
#include "relaydescribe.h"
#include "relayjson.h"
#include "relayprotocol.h"

void
relay_call_answer_json (RelayPage *page, guint status, JsonNode *node)
{
  page->status = status;
  page->type = "application/json";
  page->text = json_to_string (node, TRUE);
  json_node_unref (node);
}

void
relay_api_refuse (RelayPage *page, guint status, const gchar *code, const gchar *why)
{
  JsonObject *object = json_object_new ();
  g_autofree gchar *valid = g_utf8_make_valid (why, -1);

  json_object_set_string_member (object, "error", valid);
  json_object_set_string_member (object, "code", code);
  relay_call_answer_json (page, status, relay_json_take (object));
}

void
relay_call_answer_nothing (RelayPage *page)
{
  page->status = 204;
  page->text = g_strdup ("");
}

RelayStreamStats *
relay_call_get_stats (RelayCall *call, const gchar *name)
{
  return call->api->funcs.get_stats (name, call->api->data);
}

const RelayStreamConfig *
relay_call_get_stream (RelayCall *call)
{
  return relay_config_find (call->api->funcs.get_config (call->api->data), call->stream);
}

JsonNode *
relay_call_describe (RelayCall *call, const RelayStreamConfig *config)
{
  RelayStreamStats *stats = relay_call_get_stats (call, config->name);
  JsonNode *node = relay_describe_stream (config, stats);

  g_clear_pointer (&stats, relay_stream_stats_free);
  return node;
}

void
relay_call_write_tag (RelayCall *call, gchar tag[RELAY_PAGE_TAG])
{
  g_snprintf (tag, RELAY_PAGE_TAG, "\"%08x-%u\"", call->api->run,
      call->stream != NULL ? relay_call_get_stream (call)->revision :
                             call->api->funcs.get_config (call->api->data)->revision);
}

void
relay_call_answer_stream (RelayCall *call, guint status)
{
  relay_call_write_tag (call, call->page->tag);
  relay_call_answer_json (call->page, status,
      relay_call_describe (call, relay_call_get_stream (call)));
}

void
relay_call_answer_end (RelayCall *call, guint status, guint id)
{
  const RelayStreamConfig *config = relay_call_get_stream (call);
  RelayStreamStats *stats = relay_call_get_stats (call, config->name);

  relay_call_write_tag (call, call->page->tag);
  relay_call_answer_json (call->page, status,
      relay_describe_end (id == 0 ? config->input : relay_stream_config_find_output (config, id),
          stats));
  g_clear_pointer (&stats, relay_stream_stats_free);
}

gboolean
relay_call_is_no_file (RelayCall *call, const gchar *uri)
{
  const RelayProtocol *protocol;

  while (uri != NULL && g_ascii_isspace (*uri))
    uri++;
  protocol = uri != NULL ? relay_protocol_find (uri) : NULL;
  if (protocol == NULL || !protocol->is_path)
    return TRUE;
  relay_api_refuse (call->page, 422, "file",
      "The API does not take files: write file: and hls: URIs into the configuration file, and have "
      "the relay read it (SIGHUP, systemctl reload).");
  return FALSE;
}

const gchar *
relay_call_get_string (RelayCall *call, const gchar *name)
{
  JsonNode *node = json_object_get_member (call->body, name);

  return node != NULL && !JSON_NODE_HOLDS_NULL (node) ? json_node_get_string (node) : NULL;
}
