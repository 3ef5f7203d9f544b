/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaysessions.h"
#include <string.h>
#include "relaypassword.h"

#define ATTRIBUTES "Path=/; HttpOnly; SameSite=Strict"

typedef struct
{
  gchar *digest; /* of its number */
  gchar *name, *password;
  gint64 begun, used;
} Session;

struct _RelaySessions
{
  gchar *cookie; /* name of the cookie */
  GPtrArray *all;
};

static void
free_session (gpointer data)
{
  Session *session = data;

  g_free (session->digest);
  g_free (session->name);
  g_free (session->password);
  g_free (session);
}

RelaySessions *
relay_sessions_new (void)
{
  RelaySessions *sessions = g_new0 (RelaySessions, 1);

  sessions->cookie = g_strdup_printf ("fasp-relay-%08x", g_random_int ());
  sessions->all = g_ptr_array_new_with_free_func (free_session);
  return sessions;
}

void
relay_sessions_free (RelaySessions *sessions)
{
  g_free (sessions->cookie);
  g_ptr_array_unref (sessions->all);
  g_free (sessions);
}

/* Removes the session that was used least lately, of this user or of any (NULL), if these are as
 * many as @most. */
static void
make_room (RelaySessions *sessions, const gchar *name, guint most)
{
  Session *oldest = NULL;
  guint n = 0;

  for (guint i = 0; i < sessions->all->len; i++) {
    Session *session = g_ptr_array_index (sessions->all, i);

    if (name != NULL && !g_str_equal (session->name, name))
      continue;
    n++;
    if (oldest == NULL || session->used < oldest->used)
      oldest = session;
  }
  if (n >= most)
    g_ptr_array_remove_fast (sessions->all, oldest);
}

gchar *
relay_sessions_begin (RelaySessions *sessions, gint64 now, const RelayAccount *user,
    gboolean secure)
{
  g_autofree gchar *number = relay_password_make_token ();
  Session *session;

  if (number == NULL)
    return NULL;
  make_room (sessions, user->name, RELAY_SESSIONS_OF_USER);
  make_room (sessions, NULL, RELAY_SESSIONS_MAX);
  session = g_new0 (Session, 1);
  session->digest = relay_password_digest (number);
  session->name = g_strdup (user->name);
  session->password = g_strdup (user->password);
  session->begun = session->used = now;
  g_ptr_array_add (sessions->all, session);
  return g_strdup_printf ("%s=%s; Max-Age=%d; " ATTRIBUTES "%s", sessions->cookie, number,
      (int) (RELAY_SESSION_LASTS / G_USEC_PER_SEC), secure ? "; Secure" : "");
}

/* Returns the number in the header `Cookie'; NULL: it has none. */
static gchar *
get_number (const RelaySessions *sessions, const gchar *cookie)
{
  g_auto (GStrv) pairs = cookie != NULL ? g_strsplit (cookie, ";", -1) : NULL;
  gsize n = strlen (sessions->cookie);

  for (guint i = 0; pairs != NULL && pairs[i] != NULL; i++) {
    const gchar *pair = g_strstrip (pairs[i]);

    if (strncmp (pair, sessions->cookie, n) == 0 && pair[n] == '=')
      return g_strdup (pair + n + 1);
  }
  return NULL;
}

/* All are compared, each in constant time. */
static Session *
find (RelaySessions *sessions, const gchar *cookie)
{
  g_autofree gchar *number = get_number (sessions, cookie);
  g_autofree gchar *digest = number != NULL ? relay_password_digest (number) : NULL;
  Session *found = NULL;

  for (guint i = 0; digest != NULL && i < sessions->all->len; i++) {
    Session *session = g_ptr_array_index (sessions->all, i);

    if (relay_password_is_same (session->digest, digest))
      found = session;
  }
  return found;
}

void
relay_sessions_prune (RelaySessions *sessions, gint64 now, const GPtrArray *accounts)
{
  for (guint i = sessions->all->len; i-- > 0;) {
    const Session *session = g_ptr_array_index (sessions->all, i);
    const RelayAccount *user = relay_accounts_find_user (accounts, session->name);

    if (user == NULL || !g_str_equal (user->password, session->password)
        || now - session->used >= RELAY_SESSION_IDLE || now - session->begun >= RELAY_SESSION_LASTS)
      g_ptr_array_remove_index_fast (sessions->all, i);
  }
}

const RelayAccount *
relay_sessions_find (RelaySessions *sessions, gint64 now, const GPtrArray *accounts,
    const gchar *cookie)
{
  Session *session;

  relay_sessions_prune (sessions, now, accounts);
  session = find (sessions, cookie);
  if (session == NULL)
    return NULL;
  session->used = now;
  return relay_accounts_find_user (accounts, session->name);
}

gchar *
relay_sessions_end (RelaySessions *sessions, const gchar *cookie)
{
  Session *session = find (sessions, cookie);

  if (session != NULL)
    g_ptr_array_remove_fast (sessions->all, session);
  return g_strdup_printf ("%s=; Max-Age=0; " ATTRIBUTES, sessions->cookie);
}
