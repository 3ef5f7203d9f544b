/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaylogin.h"
#include <string.h>
#include "relayjson.h"
#include "relaycall.h"
#include "relaypassword.h"

#define WRONG "There is no user of this name with this password."
#define REST 3 /* times as long as a wrong password took to check */

typedef struct
{
  gint users;          /* atomic: the main context, and the thread that checks it */
  RelayLogins *logins; /* NULL: the relay ends, and the check is for nothing */
  const RelayApiRequest *request;
  gchar *name, *hash;
  gchar *password; /* a secret */
  gint64 took;     /* of the check, µs */
  gboolean good;
} Login;

/* IDLE -- one comes --> CHECKING -- it was right --> the next one, or IDLE
 *                                -- it was wrong --> RESTING --> the next one, or IDLE */
struct _RelayLogins
{
  RelayAdmission *admission;
  GQueue all;      /* Login, the oldest first: it is the one that is checked */
  GThread *thread; /* checks; NULL: none does. While it runs, the oldest Login is its own */
  guint rest;      /* source that ends the rest; 0: there is none */
};

static void
unref_login (gpointer data)
{
  Login *login = data;

  if (!g_atomic_int_dec_and_test (&login->users))
    return;
  g_free (login->name);
  g_free (login->hash);
  relay_value_wipe (login->password);
  g_free (login);
}

void
relay_login_tell (RelayAdmission *admission, const gchar *known_by, const gchar *name,
    RelayRole role, RelayPage *page)
{
  JsonObject *object = json_object_new ();

  json_object_set_member (object, "known-by", relay_json_string (known_by));
  json_object_set_member (object, "name", relay_json_string (name));
  json_object_set_string_member (object, "role", relay_role_get_name (role));
  json_object_set_boolean_member (object, "users", relay_admission_has_users (admission));
  relay_call_answer_json (page, 200, relay_json_take (object));
}

void
relay_login_end (RelayAdmission *admission, const RelayApiRequest *request, RelayPage *page)
{
  relay_admission_end (admission, request->cookie, &page->cookie);
  relay_call_answer_nothing (page);
}

/* --- answers ------------------------------------------------------------------------------ */

static void
refuse_wrong (RelayLogins *logins, const Login *login, RelayPage *page)
{
  relay_admission_note_wrong (logins->admission, login->request->address, login->request->network);
  relay_api_refuse (page, 401, "password", WRONG);
}

static void
let_in (RelayLogins *logins, const Login *login, RelayPage *page)
{
  const RelayApiRequest *request = login->request;
  g_autofree gchar *line = NULL;
  RelayRole role = relay_admission_begin (logins->admission, login->name, login->hash,
      request->secure, &page->cookie);

  if (role == RELAY_ROLE_NONE) {
    refuse_wrong (logins, login, page);
    return;
  }
  relay_login_tell (logins->admission, RELAY_KNOWN_BY_SESSION, login->name, role, page);
  line = g_strdup_printf ("user %s has logged in from %s.", login->name,
      request->address != NULL ? request->address : "the UNIX socket");
  relay_api_log_request (request, login->name, line);
}

/* Answers the oldest one. @checked: FALSE: the relay ends, or there is no thread. */
static void
answer (RelayLogins *logins, gboolean checked)
{
  Login *login = g_queue_pop_head (&logins->all);
  RelayPage page = { 200, "text/plain; charset=utf-8" };

  if (!checked)
    relay_api_refuse (&page, 503, "ending",
        "The relay ends, or has no thread for this: try again.");
  else if (login->good)
    let_in (logins, login, &page);
  else
    refuse_wrong (logins, login, &page);
  relay_request_answer (login->request->handle, &page);
  unref_login (login);
}

/* --- checks --------------------------------------------------------------------------------- */

static gboolean go_on (gpointer data);

static gboolean
end_check (gpointer data)
{
  const Login *login = data;
  RelayLogins *logins = login->logins;
  guint rest;

  if (logins == NULL)
    return G_SOURCE_REMOVE;
  g_thread_join (g_steal_pointer (&logins->thread));
  rest = login->good ? 0 : REST * login->took / 1000;
  answer (logins, TRUE);
  logins->rest = g_timeout_add (rest, go_on, logins);
  return G_SOURCE_REMOVE;
}

static gpointer
check (gpointer data)
{
  Login *login = data;
  gint64 begun = g_get_monotonic_time ();

  login->good = relay_password_check (login->hash, login->password);
  login->took = g_get_monotonic_time () - begun;
  g_idle_add_full (G_PRIORITY_DEFAULT, end_check, login, unref_login);
  return NULL;
}

/* Checks the next one. */
static gboolean
go_on (gpointer data)
{
  RelayLogins *logins = data;

  logins->rest = 0;
  while (logins->thread == NULL && !g_queue_is_empty (&logins->all)) {
    Login *login = g_queue_peek_head (&logins->all);

    g_atomic_int_inc (&login->users);
    logins->thread = g_thread_try_new ("relay-login", check, login, NULL);
    if (logins->thread == NULL) {
      unref_login (login);
      answer (logins, FALSE);
    }
  }
  return G_SOURCE_REMOVE;
}

RelayLogins *
relay_logins_new (RelayAdmission *admission)
{
  RelayLogins *logins = g_new0 (RelayLogins, 1);

  logins->admission = admission;
  return logins;
}

void
relay_logins_free (RelayLogins *logins)
{
  /* nothing can stop a check: the thread goes on until the process has ended */
  if (logins->thread != NULL) {
    ((Login *) g_queue_peek_head (&logins->all))->logins = NULL;
    g_thread_unref (logins->thread);
  }
  if (logins->rest != 0)
    g_source_remove (logins->rest);
  while (!g_queue_is_empty (&logins->all))
    answer (logins, FALSE);
  g_free (logins);
}

static gboolean
has_room (const RelayLogins *logins, guint64 network)
{
  for (const GList *l = logins->all.head; l != NULL; l = l->next)
    if (((const Login *) l->data)->request->network == network)
      return FALSE;
  return logins->all.length < RELAY_LOGINS_WAIT;
}

gboolean
relay_logins_add (RelayLogins *logins, const RelayApiRequest *request, const gchar *name,
    const gchar *password, RelayPage *page)
{
  g_autofree gchar *hash = NULL;
  Login *login;

  if (!relay_admission_has_users (logins->admission)) {
    relay_api_refuse (page, 409, "no-users",
        "There are no users: write a section [user NAME] into the configuration.");
    return FALSE;
  }
  if (strlen (password) > RELAY_PASSWORD_MOST) {
    relay_api_refuse (page, 401, "password", WRONG);
    return FALSE;
  }
  if (!relay_admission_may_try (logins->admission, request->network, name, &hash)
      || !has_room (logins, request->network)) {
    relay_api_refuse (page, 429, "slow",
        "Too many passwords are being tried: wait ten seconds, and log in again.");
    return FALSE;
  }
  login = g_new0 (Login, 1);
  login->users = 1;
  login->logins = logins;
  login->request = request;
  login->name = g_strdup (name);
  login->hash = g_steal_pointer (&hash);
  login->password = g_strdup (password);
  g_queue_push_tail (&logins->all, login);
  if (logins->thread == NULL && logins->rest == 0)
    go_on (logins);
  return TRUE;
}
