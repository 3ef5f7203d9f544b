/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "accesshouse.h"
#include <string.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

/* The least role of each operation. An operation that is not here fails. */
static const struct
{
  const gchar *operation;
  RelayRole role;
} operations[] = {
  { "getDescription", RELAY_ROLE_NONE },
  { "getSession", RELAY_ROLE_NONE },
  { "logIn", RELAY_ROLE_NONE },
  { "logOut", RELAY_ROLE_NONE },
  { "getPage", RELAY_ROLE_NONE },
  { "getHealth", RELAY_ROLE_NONE },
  { "getReadiness", RELAY_ROLE_NONE },
  { "listStreams", RELAY_ROLE_VIEW },
  { "getStream", RELAY_ROLE_VIEW },
  { "getInput", RELAY_ROLE_VIEW },
  { "listOutputs", RELAY_ROLE_VIEW },
  { "getOutput", RELAY_ROLE_VIEW },
  { "listReceivers", RELAY_ROLE_VIEW },
  { "getStatus", RELAY_ROLE_VIEW },
  { "getMetrics", RELAY_ROLE_VIEW },
  { "getPicture", RELAY_ROLE_VIEW },
  { "watch", RELAY_ROLE_VIEW },
  { "listen", RELAY_ROLE_VIEW },
  { "getEvents", RELAY_ROLE_VIEW },
  { "getHistory", RELAY_ROLE_VIEW },
  { "getReceivers", RELAY_ROLE_VIEW },
  { "getReceiver", RELAY_ROLE_VIEW },
  { "putStream", RELAY_ROLE_OPERATE },
  { "patchStream", RELAY_ROLE_OPERATE },
  { "deleteStream", RELAY_ROLE_OPERATE },
  { "putInput", RELAY_ROLE_OPERATE },
  { "patchInput", RELAY_ROLE_OPERATE },
  { "switchSource", RELAY_ROLE_OPERATE },
  { "addOutput", RELAY_ROLE_OPERATE },
  { "patchOutput", RELAY_ROLE_OPERATE },
  { "deleteOutput", RELAY_ROLE_OPERATE },
  { "dropReceiver", RELAY_ROLE_OPERATE },
  { "getConfiguration", RELAY_ROLE_ADMINISTER },
  { "saveConfiguration", RELAY_ROLE_ADMINISTER },
};

static RelayRole
find_role (const gchar *operation)
{
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    if (g_str_equal (operations[i].operation, operation))
      return operations[i].role;
  g_error ("%s is not in the table of roles", operation);
  return RELAY_ROLE_NONE;
}

static const RelayConfig *
get_config (gpointer data)
{
  return ((House *) data)->config;
}

static RelayStreamStats *
get_stats (const gchar *stream, gpointer data)
{
  return NULL;
}

static gboolean
change (const gchar *text, gsize size, const RelayKept *kept, GError **error, gpointer data)
{
  House *house = data;
  RelayConfig *config = relay_config_parse (text, size, house->config, error);

  if (config == NULL)
    return FALSE;
  relay_config_free (house->config);
  house->config = config;
  return TRUE;
}

static const RelayApiFuncs funcs = { .get_config = get_config,
  .get_stats = get_stats,
  .change = change };

static gchar *
get_file (const House *house, const gchar *name)
{
  return g_build_filename (house->folder, name, NULL);
}

static void
add_token (House *house, GString *text, const gchar *name, RelayRole role, const gchar *more)
{
  g_autofree gchar *path = get_file (house, name), *token = g_strconcat ("token-of-", name, NULL);

  g_assert_true (g_file_set_contents (path, token, -1, NULL));
  g_string_append_printf (text, "[token %s]\nrole = %s\ntoken-file = %s\n%s", name,
      relay_role_get_name (role), path, more);
}

void
house_begin (House *house)
{
  g_autoptr (GString) text = g_string_new ("[relay]\nstatus = http://0.0.0.0:1\napi = true\n");
  g_autoptr (GError) error = NULL;

  if (house->auth_role != RELAY_ROLE_NONE)
    g_string_append_printf (text, "auth-url = http://127.0.0.1:1/\nauth-role = %s\n",
        relay_role_get_name (house->auth_role));
  g_string_append (text, STREAMS);

  house->folder = g_dir_make_tmp ("fasp-access-XXXXXX", NULL);
  for (RelayRole role = RELAY_ROLE_VIEW; role <= RELAY_ROLE_ADMINISTER; role++) {
    g_string_append_printf (text, "[user %s]\nrole = %s\npassword-hash = " HASH "\n",
        relay_role_get_name (role), relay_role_get_name (role));
    add_token (house, text, relay_role_get_name (role), role, "");
  }
  add_token (house, text, "narrow", RELAY_ROLE_ADMINISTER, "streams = a;c\n");
  house->config = relay_config_parse (text->str, text->len, NULL, &error);
  g_assert_no_error (error);
  house->api = relay_api_new (&funcs, house);
  house->admission = relay_admission_new (house->api);
  relay_admission_use (house->admission, house->config);
  for (RelayRole role = RELAY_ROLE_VIEW; role <= RELAY_ROLE_ADMINISTER; role++) {
    gchar *cookie;

    g_assert_cmpint (relay_admission_begin (house->admission, relay_role_get_name (role), HASH,
                         FALSE, &cookie),
        ==, role);
    cookie[strcspn (cookie, ";")] = '\0';
    house->cookies[role] = cookie;
  }
}

void
house_end (House *house)
{
  static const gchar *const files[] = { "view", "operate", "administer", "narrow" };

  relay_admission_free (house->admission);
  relay_api_free (house->api);
  relay_config_free (house->config);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree gchar *path = get_file (house, files[i]);

    g_unlink (path);
  }
  g_rmdir (house->folder);
  g_free (house->folder);
  for (guint i = 0; i < G_N_ELEMENTS (house->cookies); i++)
    g_free (house->cookies[i]);
}

guint
house_expect (RelayRole has, RelayRole needs)
{
  return has >= needs ? 0 : has == RELAY_ROLE_NONE ? 401 : 403;
}

gchar *
house_fill (const gchar *pattern, const gchar *stream)
{
  g_autoptr (GString) path = g_string_new (pattern);

  g_string_replace (path, "{stream}", stream, 0);
  g_string_replace (path, "{output}", "1", 0);
  g_string_replace (path, "{receiver}", "192.0.2.1:1", 0);
  g_string_replace (path, "{range}", "hour", 0);
  g_assert_null (strchr (path->str, '{'));
  return g_string_free (g_steal_pointer (&path), FALSE);
}

static void
check_methods (House *house, const gchar *pattern, JsonObject *methods, HouseCheck check)
{
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *node;

  json_object_iter_init (&iter, methods);
  while (json_object_iter_next (&iter, &name, &node)) {
    g_autofree gchar *method = g_ascii_strup (name, -1);
    RelayRole needs;

    if (!JSON_NODE_HOLDS_OBJECT (node))
      continue;
    needs = find_role (json_object_get_string_member (json_node_get_object (node), "operationId"));
    check (house, method, pattern, needs);
    if (g_str_equal (method, "GET"))
      check (house, "HEAD", pattern, needs);
  }
}

void
house_check_paths (House *house, HouseCheck check)
{
  RelayApiRequest request = { "GET", RELAY_API_DESCRIPTION };
  RelayPage page = { 0 };
  g_autoptr (JsonNode) document = NULL;
  JsonObjectIter iter;
  const gchar *pattern;
  JsonNode *node;
  guint n = 0;

  relay_api_answer (house->api, &request, &page);
  document = json_from_string (page.text, NULL);
  g_free (page.text);
  json_object_iter_init (&iter,
      json_object_get_object_member (json_node_get_object (document), "paths"));
  while (json_object_iter_next (&iter, &pattern, &node)) {
    check_methods (house, pattern, json_node_get_object (node), check);
    n++;
  }
  g_assert_cmpuint (n, >, 15);
}
