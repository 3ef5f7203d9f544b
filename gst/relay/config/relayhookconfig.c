/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayhookconfig.h"
#include "relayclient.h"
#include "relayhooks.h"

static gboolean
check_kinds (gchar **on, GError **error)
{
  g_autofree gchar *all = g_strjoinv (", ", (gchar **) relay_hooks_kinds);
  gboolean good = on != NULL && on[0] != NULL;

  for (guint i = 0; good && on[i] != NULL; i++)
    good = g_strv_contains (relay_hooks_kinds, on[i]);
  if (!good)
    RELAY_BAD (error, "write one or more of %s, with a ; between them.", all);
  return good;
}

static gboolean
read_program (GKeyFile *file, const gchar *group, RelayHook *hook, GError **error)
{
  g_autofree gchar *line = NULL;

  if (!relay_value_string (file, group, "run", &line, error))
    return FALSE;
  if (line == NULL)
    return TRUE;
  if (g_shell_parse_argv (line, NULL, &hook->run, NULL) && g_path_is_absolute (hook->run[0])
      && g_file_test (hook->run[0], G_FILE_TEST_IS_EXECUTABLE)
      && !g_file_test (hook->run[0], G_FILE_TEST_IS_DIR))
    return TRUE;
  RELAY_BAD (error, "write the whole path of a program that can be called, and its arguments.");
  return relay_value_locate (error, group, "run");
}

static gboolean
check_url (const RelayHook *hook, GError **error)
{
  if ((hook->url != NULL) != (hook->run != NULL))
    return hook->url == NULL || relay_client_check (hook->url, error);
  RELAY_BAD (error, "write either url or run.");
  return FALSE;
}

static gboolean
read_secret (GKeyFile *file, const gchar *group, const RelaySecrets *secrets, RelayHook *hook,
    GError **error)
{
  if (!relay_value_secret (file, group, "secret-file", "secret", secrets, &hook->secret, error))
    return FALSE;
  if (hook->secret == NULL || hook->url != NULL)
    return TRUE;
  RELAY_BAD (error, "it is for url: leave it out.");
  return relay_value_locate (error, group, "secret-file");
}

static gboolean
read_lists (GKeyFile *file, const gchar *group, RelayHook *hook, GError **error)
{
  if (!relay_value_list (file, group, "on", &hook->on, error))
    return FALSE;
  if (!check_kinds (hook->on, error))
    return relay_value_locate (error, group, "on");
  return relay_value_streams (file, group, &hook->streams, error);
}

gboolean
relay_hook_read (GKeyFile *file, const gchar *group, const gchar *name, const RelaySecrets *secrets,
    GPtrArray *hooks, GError **error)
{
  RelayHook *hook = relay_hook_new (g_strstrip (g_strdup (name)));

  for (guint i = 0; i < hooks->len; i++)
    if (g_str_equal (((RelayHook *) g_ptr_array_index (hooks, i))->name, hook->name)) {
      RELAY_BAD (error, "[%s]: there is another hook of that name. Rename one.", group);
      relay_hook_unref (hook);
      return FALSE;
    }
  g_ptr_array_add (hooks, hook);
  if (hook->name[0] == '\0' || hooks->len > RELAY_HOOKS_MOST) {
    RELAY_BAD (error, "[%s]: write up to %u sections [hook NAME].", group, RELAY_HOOKS_MOST);
    return FALSE;
  }
  if (!read_lists (file, group, hook, error) || !read_program (file, group, hook, error)
      || !relay_value_string (file, group, "url", &hook->url, error))
    return FALSE;
  if (!check_url (hook, error))
    return relay_value_locate (error, group, "url");
  return read_secret (file, group, secrets, hook, error);
}
