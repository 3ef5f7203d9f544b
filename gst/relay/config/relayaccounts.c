/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayaccounts.h"
#include <string.h>
#include "relayconfigkeys.h"
#include "relaylog.h"
#include "relaypassword.h"

#define USER "user "
#define TOKEN "token "
#define NAME_MAX_BYTES 64

static const gchar *const names[] = { "none", "view", "operate", "administer" };

const gchar *
relay_role_get_name (RelayRole role)
{
  return names[role];
}

gboolean
relay_role_find (const gchar *name, RelayRole *role)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], name)) {
      *role = i;
      return TRUE;
    }
  return FALSE;
}

static void
free_account (gpointer data)
{
  RelayAccount *account = data;

  g_free (account->name);
  g_free (account->password);
  g_free (account->digest);
  g_strfreev (account->streams);
  g_free (account);
}

GPtrArray *
relay_accounts_new (void)
{
  return g_ptr_array_new_with_free_func (free_account);
}

const RelayKey *
relay_accounts_get_keys (const gchar *group)
{
  return g_str_has_prefix (group, USER) ? relay_user_keys :
      g_str_has_prefix (group, TOKEN)   ? relay_token_keys :
                                          NULL;
}

gboolean
relay_accounts_are_in (GKeyFile *file)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);

  for (guint i = 0; groups[i] != NULL; i++)
    if (relay_accounts_get_keys (groups[i]) != NULL)
      return TRUE;
  return FALSE;
}

const RelayAccount *
relay_accounts_find_user (const GPtrArray *accounts, const gchar *name)
{
  for (guint i = 0; i < accounts->len; i++) {
    const RelayAccount *account = g_ptr_array_index (accounts, i);

    if (account->password != NULL && g_str_equal (account->name, name))
      return account;
  }
  return NULL;
}

const RelayAccount *
relay_accounts_find_token (const GPtrArray *accounts, const gchar *token)
{
  g_autofree gchar *digest = relay_password_digest (token);
  const RelayAccount *found = NULL;

  for (guint i = 0; i < accounts->len; i++) {
    const RelayAccount *account = g_ptr_array_index (accounts, i);

    if (account->digest != NULL && relay_password_is_same (account->digest, digest))
      found = account;
  }
  return found;
}

/* --- sections ----------------------------------------------------------------------------- */

static gboolean
is_taken (const GPtrArray *accounts, const RelayAccount *account)
{
  for (guint i = 0; i < accounts->len; i++) {
    const RelayAccount *other = g_ptr_array_index (accounts, i);

    if ((other->password == NULL) == (account->password == NULL)
        && g_str_equal (other->name, account->name))
      return TRUE;
  }
  return FALSE;
}

/* A name is shown in the log and on the page. */
static gboolean
check_name (const gchar *group, const gchar *name, GError **error)
{
  gboolean good = name[0] != '\0' && strlen (name) <= NAME_MAX_BYTES;

  for (const gchar *c = name; *c != '\0'; c++)
    good = good && (g_ascii_isalnum (*c) || strchr ("-_.@", *c) != NULL);
  if (!good) {
    g_autofree gchar *plain = relay_log_make_plain (group);

    RELAY_BAD (error,
        "[%s]: the name of a user or token has letters of ASCII, digits and - _ . @, %d at most.",
        plain, NAME_MAX_BYTES);
  }
  return good;
}

gboolean
relay_accounts_read_role (GKeyFile *file, const gchar *group, const RelayKey *keys,
    const gchar *key, RelayRole *role, GError **error)
{
  g_autofree gchar *text = NULL;

  if (!relay_value_string (file, group, key, &text, error))
    return FALSE;
  if (text == NULL
      || (relay_key_check (relay_key_find (keys, key, 0), text, error)
          && relay_role_find (text, role)))
    return TRUE;
  return relay_value_locate (error, group, key);
}

static gboolean
read_role (GKeyFile *file, const gchar *group, RelayRole *role, GError **error)
{
  if (!relay_accounts_read_role (file, group, relay_accounts_get_keys (group), "role", role, error))
    return FALSE;
  if (*role != RELAY_ROLE_NONE)
    return TRUE;
  RELAY_BAD (error, "it is missing: write role = view, operate or administer.");
  return relay_value_locate (error, group, "role");
}

static gboolean
read_password (GKeyFile *file, const gchar *group, RelayAccount *account, GError **error)
{
  if (!relay_value_string (file, group, "password-hash", &account->password, error))
    return FALSE;
  if (account->password != NULL && relay_password_is_hash (account->password))
    return TRUE;
  RELAY_BAD (error, "write the line that `fasp-relay --hash-password' prints.");
  return relay_value_locate (error, group, "password-hash");
}

static gboolean
read_token (GKeyFile *file, const gchar *group, const RelaySecrets *secrets, RelayAccount *account,
    GError **error)
{
  gchar *token = NULL;

  if (!relay_value_secret (file, group, "token-file", "token", secrets, &token, error))
    return FALSE;
  if (token == NULL) {
    RELAY_BAD (error, "it is missing: name a file that holds nothing but the token.");
    return relay_value_locate (error, group, "token-file");
  }
  account->digest = relay_password_digest (token);
  relay_value_wipe (token);
  return relay_value_streams (file, group, &account->streams, error);
}

gboolean
relay_accounts_add (GKeyFile *file, const gchar *group, const RelaySecrets *secrets,
    GPtrArray *accounts, GError **error)
{
  gboolean is_user = g_str_has_prefix (group, USER);
  RelayAccount *account = g_new0 (RelayAccount, 1);
  g_autoptr (GError) why = NULL;
  gboolean good;

  account->name = g_strstrip (g_strdup (group + strlen (is_user ? USER : TOKEN)));
  good = check_name (group, account->name, &why) && read_role (file, group, &account->role, &why)
      && (is_user ? read_password (file, group, account, &why) :
                    read_token (file, group, secrets, account, &why));
  if (good && is_taken (accounts, account)) {
    RELAY_BAD (&why, "[%s]: there is another one of that name. Rename one.", group);
    good = FALSE;
  }
  if (good && accounts->len == RELAY_ACCOUNTS_MAX) {
    RELAY_BAD (&why, "[%s]: there are more than %d users and tokens: remove some.", group,
        RELAY_ACCOUNTS_MAX);
    good = FALSE;
  }
  if (good) {
    g_ptr_array_add (accounts, account);
    return TRUE;
  }
  free_account (account);
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}
