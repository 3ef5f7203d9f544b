/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaylogin.h"
#include <string.h>
#include "relayjson.h"
#include "relaycall.h"
#include "relaylog.h"
#include "relaypassword.h"

#define REST 3 /* times as long as a wrong password took to check */

typedef enum
{
  LOGIN_WAITS,
  LOGIN_GOOD,
  LOGIN_WRONG,
} State;

typedef struct
{
  const RelayApiRequest *request;
  gchar *name, *hash;
  gchar *password; /* a secret */
  State state;     /* set by the thread */
} Login;

struct _RelayLogins
{
  RelayAdmission *admission;
  GThread *thread;
  GQueue all;  /* Login, the oldest first; those that were checked, too. Main context only */
  GMutex lock; /* guards the rest, and the state of each */
  GCond changed;
  GQueue waiting; /* Login, not checked yet */
  guint idle;     /* source that answers; 0: none */
  gboolean ending;
};

static void
free_login (Login *login)
{
  g_free (login->name);
  g_free (login->hash);
  relay_value_wipe (login->password);
  g_free (login);
}

void
relay_login_tell (RelayAdmission *admission, const gchar *name, RelayRole role, RelayPage *page)
{
  JsonObject *object = json_object_new ();

  if (name != NULL)
    json_object_set_string_member (object, "name", name);
  else
    json_object_set_null_member (object, "name");
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
  relay_api_refuse (page, 401, "password", "There is no user of this name with this password.");
}

static void
let_in (RelayLogins *logins, const Login *login, RelayPage *page)
{
  const RelayApiRequest *request = login->request;
  g_autoptr (GstStructure) details = NULL;
  g_autofree gchar *line = NULL;
  RelayRole role = relay_admission_begin (logins->admission, login->name, login->hash,
      request->secure, &page->cookie);

  if (role == RELAY_ROLE_NONE) {
    refuse_wrong (logins, login, page);
    return;
  }
  relay_login_tell (logins->admission, login->name, role, page);
  line = g_strdup_printf ("user %s has logged in from %s.", login->name,
      request->address != NULL ? request->address : "the UNIX socket");
  details = gst_structure_new ("request", "address-string", G_TYPE_STRING, request->address, "user",
      G_TYPE_STRING, login->name, NULL);
  relay_log_end (NULL, NULL, G_LOG_LEVEL_MESSAGE, details, line);
}

static void
answer (RelayLogins *logins, Login *login, State state)
{
  RelayPage page = { 200, "text/plain; charset=utf-8" };

  if (state == LOGIN_GOOD)
    let_in (logins, login, &page);
  else if (state == LOGIN_WRONG)
    refuse_wrong (logins, login, &page);
  else
    relay_api_refuse (&page, 503, "ending", "The relay is ending.");
  relay_request_answer (login->request->handle, &page);
  free_login (login);
}

static gboolean
answer_checked (gpointer data)
{
  RelayLogins *logins = data;

  g_mutex_lock (&logins->lock);
  logins->idle = 0;
  g_mutex_unlock (&logins->lock);
  for (;;) {
    Login *login = g_queue_peek_head (&logins->all);
    State state;

    g_mutex_lock (&logins->lock);
    state = login != NULL ? login->state : LOGIN_WAITS;
    g_mutex_unlock (&logins->lock);
    if (state == LOGIN_WAITS)
      return G_SOURCE_REMOVE;
    g_queue_pop_head (&logins->all);
    answer (logins, login, state);
  }
}

/* --- the thread ----------------------------------------------------------------------------- */

/* Waits for the next one. NULL: it ends. With the lock held, as the next one. */
static Login *
take (RelayLogins *logins)
{
  while (!logins->ending && g_queue_is_empty (&logins->waiting))
    g_cond_wait (&logins->changed, &logins->lock);
  return logins->ending ? NULL : g_queue_pop_head (&logins->waiting);
}

static void
rest (RelayLogins *logins, gint64 until)
{
  while (!logins->ending && g_cond_wait_until (&logins->changed, &logins->lock, until))
    continue;
}

static gpointer
run (gpointer data)
{
  RelayLogins *logins = data;
  Login *login;

  g_mutex_lock (&logins->lock);
  while ((login = take (logins)) != NULL) {
    gint64 begun = g_get_monotonic_time (), now;
    gboolean good;

    g_mutex_unlock (&logins->lock);
    good = relay_password_check (login->hash, login->password);
    now = g_get_monotonic_time ();
    g_mutex_lock (&logins->lock);
    login->state = good ? LOGIN_GOOD : LOGIN_WRONG;
    if (logins->idle == 0)
      logins->idle = g_idle_add_full (G_PRIORITY_DEFAULT, answer_checked, logins, NULL);
    if (!good)
      rest (logins, now + REST * (now - begun));
  }
  g_mutex_unlock (&logins->lock);
  return NULL;
}

RelayLogins *
relay_logins_new (RelayAdmission *admission)
{
  RelayLogins *logins = g_new0 (RelayLogins, 1);

  logins->admission = admission;
  g_mutex_init (&logins->lock);
  g_cond_init (&logins->changed);
  return logins;
}

void
relay_logins_free (RelayLogins *logins)
{
  Login *login;

  g_mutex_lock (&logins->lock);
  logins->ending = TRUE;
  g_cond_signal (&logins->changed);
  g_mutex_unlock (&logins->lock);
  g_clear_pointer (&logins->thread, g_thread_join);
  if (logins->idle != 0)
    g_source_remove (logins->idle);
  g_queue_clear (&logins->waiting);
  while ((login = g_queue_pop_head (&logins->all)) != NULL)
    answer (logins, login, LOGIN_WAITS);
  g_cond_clear (&logins->changed);
  g_mutex_clear (&logins->lock);
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
  if (strlen (password) > RELAY_PASSWORD_MOST
      || !relay_admission_may_try (logins->admission, request->network, name, &hash)
      || !has_room (logins, request->network)) {
    relay_api_refuse (page, 429, "slow",
        "Too many passwords are being tried: wait ten seconds, and log in again.");
    return FALSE;
  }
  login = g_new0 (Login, 1);
  login->request = request;
  login->name = g_strdup (name);
  login->hash = g_steal_pointer (&hash);
  login->password = g_strdup (password);
  g_queue_push_tail (&logins->all, login);
  if (logins->thread == NULL)
    logins->thread = g_thread_new ("relay-logins", run, logins);
  g_mutex_lock (&logins->lock);
  g_queue_push_tail (&logins->waiting, login);
  g_cond_signal (&logins->changed);
  g_mutex_unlock (&logins->lock);
  return TRUE;
}
