/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaysection.h"
#include <string.h>
#include <unistd.h>
#include <gio/gunixsocketaddress.h>
#include "relayclient.h"
#include "relayconfigkeys.h"

#define AUTH_KEEP 10        /* s */
#define SOCKET_PATH_MAX 108 /* bytes, sockaddr_un */

/* Reads `status'. Takes only addresses, as resolving a name could take long and give several. */
static gboolean
read_status (GKeyFile *file, RelayConfig *config, GError **error)
{
  g_autofree gchar *text = NULL, *scheme = NULL, *host = NULL, *path = NULL;
  gint port = -1;

  if (relay_value_string (file, RELAY_SECTION, "status", &text, NULL) && text == NULL)
    return TRUE;
  if (text != NULL && g_uri_split_network (text, G_URI_FLAGS_NONE, &scheme, &host, &port, NULL)
      && g_str_equal (scheme, "http") && host != NULL && port > 0
      && g_uri_split (text, G_URI_FLAGS_NONE, NULL, NULL, NULL, NULL, &path, NULL, NULL, NULL)
      && (path[0] == '\0' || g_str_equal (path, "/")))
    config->status =
        g_inet_socket_address_new_from_string (g_str_equal (host, "localhost") ? "127.0.0.1" : host,
            port);
  if (config->status != NULL)
    return TRUE;
  RELAY_BAD (error,
      "write http://ADDRESS:PORT, e.g. http://127.0.0.1:8080 for this "
      "machine alone, http://[::]:8080 for all addresses; or leave it out.");
  return relay_value_locate (error, RELAY_SECTION, "status");
}

static gboolean
read_status_names (GKeyFile *file, RelayConfig *config, GError **error)
{
  gboolean good;

  if (!relay_value_list (file, RELAY_SECTION, "status-names", &config->status_names, error))
    return FALSE;
  if (config->status_names == NULL)
    return TRUE;
  good = config->status_names[0] != NULL;
  for (gchar **name = config->status_names; *name != NULL; name++)
    good = good && **name != '\0' && strpbrk (*name, ":/ ,*") == NULL;
  if (good)
    return TRUE;
  RELAY_BAD (error,
      "write host names without a port, e.g. relay.example, with a ; "
      "between them; or leave it out.");
  return relay_value_locate (error, RELAY_SECTION, "status-names");
}

/* The API needs a token, unless only this machine reaches it. */
static gboolean
read_api (GKeyFile *file, const RelaySecrets *secrets, RelayConfig *config, GError **error)
{
  g_autofree gchar *path = NULL;
  const gchar *objection = NULL;

  if (!relay_value_boolean (file, RELAY_SECTION, "api", &config->api, error)
      || !relay_value_secret (file, RELAY_SECTION, "api-token-file", "token", secrets,
          &config->api_token, error)
      || !relay_value_string (file, RELAY_SECTION, "api-socket", &path, error))
    return FALSE;
  if (path != NULL && (!g_path_is_absolute (path) || strlen (path) >= SOCKET_PATH_MAX)) {
    RELAY_BAD (error,
        "write the whole path of a socket, of less than %d bytes, in a folder where the "
        "relay may write, e.g. /run/fasp-relay/api.",
        SOCKET_PATH_MAX);
    return relay_value_locate (error, RELAY_SECTION, "api-socket");
  }
  if (path != NULL)
    config->api_socket = g_unix_socket_address_new (path);
  if (config->api && config->status == NULL)
    objection = "it is served where the status is: write status = http://127.0.0.1:PORT, or "
                "api-socket = PATH instead of this.";
  else if (config->api && config->api_token == NULL && !relay_accounts_are_in (file)
      && config->auth_role == RELAY_ROLE_NONE
      && !g_inet_address_get_is_loopback (
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (config->status))))
    objection =
        "every host that reaches this address could change the streams: write api-token-file = "
        "FILE (openssl rand -base64 18 >FILE), sections [user NAME], or auth-role, or serve the status "
        "at 127.0.0.1.";
  if (objection == NULL)
    return TRUE;
  RELAY_BAD (error, "%s", objection);
  return relay_value_locate (error, RELAY_SECTION, "api");
}

static gboolean
read_history (GKeyFile *file, RelayConfig *config, GError **error)
{
  if (!relay_value_string (file, RELAY_SECTION, "history", &config->history, error))
    return FALSE;
  if (config->history == NULL || g_path_is_absolute (config->history))
    return TRUE;
  RELAY_BAD (error,
      "write the whole path of a file, in a folder where the relay may write, e.g. "
      "/var/lib/fasp-relay/history.db.");
  return relay_value_locate (error, RELAY_SECTION, "history");
}

gchar *
relay_section_look_at_history (const RelayConfig *config)
{
  g_autofree gchar *folder = config->history != NULL ? g_path_get_dirname (config->history) : NULL;

  if (folder == NULL
      || (access (folder, W_OK | X_OK) == 0
          && (g_file_test (config->history, G_FILE_TEST_IS_REGULAR) ?
                  access (config->history, R_OK | W_OK) == 0 :
                  !g_file_test (config->history, G_FILE_TEST_EXISTS))))
    return NULL;
  return g_strdup_printf (
      "[relay] history: the relay could not write %s, and would have its charts in memory alone: "
      "name a file in a folder where it may write.",
      config->history);
}

/* Reads which server to ask about callers. */
static gboolean
read_auth (GKeyFile *file, RelayConfig *config, GError **error)
{
  config->auth_keep = AUTH_KEEP;
  if (!relay_value_string (file, RELAY_SECTION, "auth-url", &config->auth_url, error))
    return FALSE;
  if (config->auth_url != NULL && !relay_client_check (config->auth_url, error))
    return relay_value_locate (error, RELAY_SECTION, "auth-url");
  if (!relay_accounts_read_role (file, RELAY_SECTION, relay_section_keys, "auth-role",
          &config->auth_role, error))
    return FALSE;
  if (config->auth_role != RELAY_ROLE_NONE && config->auth_url == NULL) {
    RELAY_BAD (error,
        "it is the server of auth-url that is asked: write auth-url, or leave it out.");
    return relay_value_locate (error, RELAY_SECTION, "auth-role");
  }
  return relay_value_number (file, RELAY_SECTION,
      relay_key_find (relay_section_keys, "auth-keep", 0), &config->auth_keep, error);
}

gboolean
relay_section_read (GKeyFile *file, const RelaySecrets *secrets, RelayConfig *config,
    GError **error)
{
  return read_status (file, config, error) && read_status_names (file, config, error)
      && relay_value_allowed (file, RELAY_SECTION, "status-allowed-addresses",
          &config->status_allowed, error)
      && relay_value_boolean (file, RELAY_SECTION, "receiver-metrics", &config->receiver_metrics,
          error)
      && read_history (file, config, error) && read_auth (file, config, error)
      && read_api (file, secrets, config, error);
}
