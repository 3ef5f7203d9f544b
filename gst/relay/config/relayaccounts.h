/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayaccounts.h: users and tokens for the API and the page: the sections [user NAME] and
 * [token NAME].
 *
 * A role includes those before it.  A user logs in on the page with a password, of which the
 * configuration has a hash (relaypassword.h). A program sends a token, which is in a file of its
 * own. Both are immutable once they are read.
 */
#pragma once

#include "relayvalue.h"

G_BEGIN_DECLS

#define RELAY_ACCOUNTS_MAX 64 /* users and tokens together */

typedef enum
{
  RELAY_ROLE_NONE,
  RELAY_ROLE_VIEW,       /* reads what the relay does */
  RELAY_ROLE_OPERATE,    /* changes streams, inputs, outputs and receivers */
  RELAY_ROLE_ADMINISTER, /* saves the configuration, and asks for its file */
} RelayRole;

typedef struct
{
  gchar *name;
  RelayRole role;
  gchar *password; /* hash of a user's password; NULL: this is a token */
  gchar *digest;   /* SHA-256 of the token, in hex; NULL: this is a user */
  gchar **streams; /* names of the streams that a token is for; NULL: for all */
} RelayAccount;

/* Returns the keys that a section may have; NULL: it is neither a user nor a token. */
const RelayKey *relay_accounts_get_keys (const gchar *group);
/* Is there any in the file? */
gboolean relay_accounts_are_in (GKeyFile *file);
/* Adds the user or token of a section. @accounts: from relay_accounts_new(). */
gboolean relay_accounts_add (GKeyFile *file, const gchar *group, const RelaySecrets *secrets,
    GPtrArray *accounts, GError **error);
GPtrArray *relay_accounts_new (void);

/* NULL: there is no such user. */
const RelayAccount *relay_accounts_find_user (const GPtrArray *accounts, const gchar *name);
/* Returns the account of a token; NULL: there is none. All are compared, each in constant time. */
const RelayAccount *relay_accounts_find_token (const GPtrArray *accounts, const gchar *token);

/* Reads a role. Does not change *role if the key is missing. */
gboolean relay_accounts_read_role (GKeyFile *file, const gchar *group, const RelayKey *keys,
    const gchar *key, RelayRole *role, GError **error);

/* "view" and so on. */
const gchar *relay_role_get_name (RelayRole role);
/* FALSE: it is no role. "none" is one. */
gboolean relay_role_find (const gchar *name, RelayRole *role);

G_END_DECLS
