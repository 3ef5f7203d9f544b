/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayadmission.h"
#include <string.h>
#include "relaylog.h"
#include "relaynames.h"
#include "relayrepeats.h"
#include "relaysessions.h"

#define WRONG_NAME \
  "The relay does not answer to this name. Use an IP address, or allow the name: status-names in " \
  "[relay]."

struct _RelayAdmission
{
  const RelayApi *api;
  GMutex lock; /* guards the rest */
  RelayRules rules;
  gchar **status_names;
  RelaySessions *sessions;
  RelayAccessTries tries;
  RelayRepeats *wrong; /* lines of the log */
};

RelayAdmission *
relay_admission_new (const RelayApi *api)
{
  RelayAdmission *admission = g_new0 (RelayAdmission, 1);

  admission->api = api;
  g_mutex_init (&admission->lock);
  admission->rules.accounts = relay_accounts_new ();
  admission->sessions = relay_sessions_new ();
  admission->wrong = relay_repeats_new ();
  return admission;
}

void
relay_admission_free (RelayAdmission *admission)
{
  relay_value_wipe (admission->rules.token);
  g_ptr_array_unref (admission->rules.accounts);
  g_strfreev (admission->status_names);
  relay_sessions_free (admission->sessions);
  relay_repeats_free (admission->wrong);
  g_mutex_clear (&admission->lock);
  g_free (admission);
}

void
relay_admission_use (RelayAdmission *admission, const RelayConfig *config)
{
  g_mutex_lock (&admission->lock);
  relay_value_wipe (admission->rules.token);
  g_ptr_array_unref (admission->rules.accounts);
  g_strfreev (admission->status_names);
  admission->rules = (RelayRules) {
    .api = config->api,
    .token = g_strdup (config->api_token),
    .accounts = g_ptr_array_ref (config->accounts),
  };
  admission->status_names = g_strdupv (config->status_names);
  g_mutex_unlock (&admission->lock);
}

void
relay_admission_allow_api (RelayAdmission *admission, gboolean allowed)
{
  g_mutex_lock (&admission->lock);
  admission->rules.api = allowed;
  g_mutex_unlock (&admission->lock);
}

/* --- the decision --------------------------------------------------------------------------- */

/* Finds out who asks.  FALSE: the token is wrong.  With the lock held, as the next ones. */
static gboolean
identify (RelayAdmission *admission, const RelayAsk *ask, gint64 now, RelayIdentity *identity)
{
  const GPtrArray *accounts = admission->rules.accounts;
  gboolean good = relay_access_identify (&admission->rules, ask, identity);
  const RelayAccount *user = identity->kind == RELAY_ANONYMOUS ?
      relay_sessions_find (admission->sessions, now, accounts, ask->cookie) :
      NULL;

  if (user != NULL)
    *identity = (RelayIdentity) { RELAY_USER, user->role, user->name };
  return good || user != NULL;
}

/* Returns the status, as relay_access_decide(). *wrong: a token was wrong. */
static guint
decide (RelayAdmission *admission, const RelayAsk *ask, const RelayRoute *route, gint64 now,
    RelayIdentity *identity, RelayRefusal *refusal, gboolean *wrong)
{
  gboolean slow;

  *wrong = FALSE;
  if (!ask->local && !relay_names_has ((const gchar *const *) admission->status_names, ask->host)) {
    *refusal = (RelayRefusal) { 421, "host", g_strdup (WRONG_NAME) };
    return refusal->status;
  }
  *wrong = !identify (admission, ask, now, identity);
  slow = !relay_access_may_try (&admission->tries, now, ask->network);
  return relay_access_decide (&admission->rules, ask, route, identity, slow, refusal);
}

/* Notes that a client gave a wrong token or password. Returns the line for the log; NULL: the same
 * line was logged lately. */
static gchar *
note_wrong (RelayAdmission *admission, const gchar *what, const gchar *address, guint64 network)
{
  gint64 now = g_get_monotonic_time ();
  g_autofree gchar *line = g_strdup_printf ("The API refuses %s, which gives a wrong %s.",
      address != NULL ? address : "a program at its UNIX socket", what);
  g_autofree gchar *note = relay_repeats_note (admission->wrong, now, line);

  relay_access_note_wrong (&admission->tries, now, network);
  return note != NULL ? g_strconcat (line, note, NULL) : NULL;
}

static void
log_wrong (const gchar *address, const gchar *line)
{
  g_autoptr (GstStructure) details =
      gst_structure_new ("request-refused", "address-string", G_TYPE_STRING, address, NULL);

  if (line != NULL)
    relay_log_end (NULL, NULL, G_LOG_LEVEL_WARNING, details, line);
}

/* A program may take only what it knows: the API answers in JSON, a page in text. */
static void
show_refusal (const RelayRoute *route, const RelayRefusal *refusal, RelayPage *page)
{
  if (route->is_api)
    relay_api_refuse (page, refusal->status, refusal->code, refusal->why);
  else
    relay_page_set_text (page, refusal->status, g_strconcat (refusal->why, "\n", NULL));
}

/* What the log and the API call who asks; NULL: nothing besides the address. */
static gchar *
name (const RelayIdentity *identity)
{
  return identity->kind == RELAY_USER ? g_strconcat ("user ", identity->name, NULL) :
      identity->kind == RELAY_TOKEN   ? g_strconcat ("token ", identity->name, NULL) :
                                        NULL;
}

gboolean
relay_admission_admit (RelayAdmission *admission, const RelayAsk *ask, RelayAdmitted *admitted,
    RelayPage *page)
{
  g_autofree gchar *line = NULL, *stream = NULL;
  RelayIdentity identity = { RELAY_ANONYMOUS };
  RelayRefusal refusal = { 0 };
  RelayRoute route;
  gboolean wrong;

  relay_api_find_route (admission->api, ask->method, ask->path, &route, &stream);
  g_mutex_lock (&admission->lock);
  decide (admission, ask, &route, g_get_monotonic_time (), &identity, &refusal, &wrong);
  if (wrong && (route.is_api ? refusal.status != 429 : refusal.status == 401))
    line = note_wrong (admission, "token", ask->address, ask->network);
  admitted->known = identity.kind != RELAY_ANONYMOUS;
  admitted->name = g_strdup (identity.name);
  admitted->title = name (&identity);
  admitted->role = admitted->known ? identity.role :
                                     MAX (relay_access_get_open_role (&admission->rules, FALSE),
                                         relay_access_get_open_role (&admission->rules, TRUE));
  g_mutex_unlock (&admission->lock);
  log_wrong (ask->address, line);
  if (refusal.status != 0)
    show_refusal (&route, &refusal, page);
  g_free (refusal.why);
  return refusal.status == 0;
}

gboolean
relay_admission_allows (RelayAdmission *admission, const RelayAsk *ask)
{
  g_autofree gchar *stream = NULL;
  RelayIdentity identity = { RELAY_ANONYMOUS };
  RelayRefusal refusal = { 0 };
  RelayRoute route;
  gboolean wrong;

  relay_api_find_route (admission->api, ask->method, ask->path, &route, &stream);
  g_mutex_lock (&admission->lock);
  decide (admission, ask, &route, g_get_monotonic_time (), &identity, &refusal, &wrong);
  g_mutex_unlock (&admission->lock);
  g_free (refusal.why);
  return refusal.status == 0;
}

const gchar *
relay_admission_get_mode (RelayAdmission *admission)
{
  const gchar *mode;

  g_mutex_lock (&admission->lock);
  mode = !admission->rules.api           ? "off" :
      admission->rules.accounts->len > 0 ? "login" :
      admission->rules.token != NULL     ? "token" :
                                           "open";
  g_mutex_unlock (&admission->lock);
  return mode;
}

/* --- sessions --------------------------------------------------------------------------------- */

gboolean
relay_admission_has_users (RelayAdmission *admission)
{
  gboolean has = FALSE;

  g_mutex_lock (&admission->lock);
  for (guint i = 0; i < admission->rules.accounts->len; i++)
    has |= ((RelayAccount *) g_ptr_array_index (admission->rules.accounts, i))->password != NULL;
  g_mutex_unlock (&admission->lock);
  return has;
}

gchar *
relay_admission_get_hash (RelayAdmission *admission, const gchar *user)
{
  const RelayAccount *account;
  gchar *hash;

  g_mutex_lock (&admission->lock);
  account = relay_accounts_find_user (admission->rules.accounts, user);
  hash = account != NULL ? g_strdup (account->password) : NULL;
  g_mutex_unlock (&admission->lock);
  return hash;
}

gboolean
relay_admission_may_try (RelayAdmission *admission, guint64 network)
{
  gboolean may;

  g_mutex_lock (&admission->lock);
  may = relay_access_may_try (&admission->tries, g_get_monotonic_time (), network);
  g_mutex_unlock (&admission->lock);
  return may;
}

void
relay_admission_note_wrong (RelayAdmission *admission, const gchar *address, guint64 network)
{
  g_autofree gchar *line = NULL;

  g_mutex_lock (&admission->lock);
  line = note_wrong (admission, "name or password", address, network);
  g_mutex_unlock (&admission->lock);
  log_wrong (address, line);
}

RelayRole
relay_admission_begin (RelayAdmission *admission, const gchar *user, const gchar *hash,
    gboolean secure, gchar **cookie)
{
  const RelayAccount *account;
  RelayRole role = RELAY_ROLE_NONE;

  g_mutex_lock (&admission->lock);
  account = relay_accounts_find_user (admission->rules.accounts, user);
  if (account != NULL && g_str_equal (account->password, hash)) {
    *cookie = relay_sessions_begin (admission->sessions, g_get_monotonic_time (), account, secure);
    role = *cookie != NULL ? account->role : RELAY_ROLE_NONE;
  }
  g_mutex_unlock (&admission->lock);
  return role;
}

void
relay_admission_end (RelayAdmission *admission, const gchar *cookie, gchar **removed)
{
  g_mutex_lock (&admission->lock);
  *removed = relay_sessions_end (admission->sessions, cookie);
  g_mutex_unlock (&admission->lock);
}
