/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayadmission.h"
#include <string.h>
#include "relayallowed.h"
#include "relaylog.h"
#include "relaynames.h"
#include "relayrepeats.h"
#include "relaysessions.h"

#define WRONG_NAME \
  "The relay does not answer to this name. Use an IP address, or allow the name: status-names in " \
  "[relay]."

#define WRONG_ADDRESS "This address is not among status-allowed-addresses in [relay]."

#define STARTING "The relay puts a configuration into force: ask again."

/* As openapi.json names it. */
static const gchar *const known_by[] = {
  [RELAY_ANONYMOUS] = NULL,
  [RELAY_LOCAL] = "socket",
  [RELAY_API_TOKEN] = "token",
  [RELAY_TOKEN] = "token",
  [RELAY_USER] = RELAY_KNOWN_BY_SESSION,
  [RELAY_HOOKED] = "auth-url",
};

struct _RelayAdmission
{
  const RelayApi *api;
  GMutex lock; /* guards the rest */
  RelayRules rules;
  gboolean held; /* other rules are not in force yet */
  gchar **status_names;
  GPtrArray *allowed; /* from where it may be connected to; NULL: from everywhere */
  guint64 refused;    /* connections from elsewhere */
  RelaySessions *sessions;
  RelayAccessTries tries;
  RelayRepeats *wrong; /* lines of the log, also of addresses */
};

RelayAdmission *
relay_admission_new (const RelayApi *api)
{
  RelayAdmission *admission = g_new0 (RelayAdmission, 1);

  admission->api = api;
  g_mutex_init (&admission->lock);
  admission->rules.accounts = relay_accounts_new ();
  admission->held = TRUE;
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
  g_clear_pointer (&admission->allowed, g_ptr_array_unref);
  relay_sessions_free (admission->sessions);
  relay_repeats_free (admission->wrong);
  g_mutex_clear (&admission->lock);
  g_free (admission);
}

void
relay_admission_use (RelayAdmission *admission, const RelayConfig *config)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&admission->lock);

  relay_value_wipe (admission->rules.token);
  g_ptr_array_unref (admission->rules.accounts);
  g_strfreev (admission->status_names);
  admission->rules = (RelayRules) {
    .api = config->api,
    .token = g_strdup (config->api_token),
    .accounts = g_ptr_array_ref (config->accounts),
    .auth_role = config->auth_role,
  };
  admission->status_names = g_strdupv (config->status_names);
  g_clear_pointer (&admission->allowed, g_ptr_array_unref);
  if (config->status_allowed != NULL)
    admission->allowed = g_ptr_array_ref (config->status_allowed);
  admission->held = FALSE;
  relay_sessions_prune (admission->sessions, g_get_monotonic_time (), config->accounts);
}

void
relay_admission_hold (RelayAdmission *admission, gboolean held)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&admission->lock);

  admission->held = held;
}

/* --- the decision --------------------------------------------------------------------------- */

/* A connection can be older than the list that is in force. Call it with the lock held. */
static gboolean
is_from_allowed (const RelayAdmission *admission, const RelayAsk *ask)
{
  g_autoptr (GInetAddress) address =
      ask->address != NULL ? g_inet_address_new_from_string (ask->address) : NULL;

  return ask->local || relay_allowed_has (admission->allowed, address);
}

/* Fills in @refusal, whose status is 0 if the request is allowed. *wrong: its token is wrong: it
 * then counts as anonymous, also with a valid cookie. Call it with the lock held. */
static void
decide (RelayAdmission *admission, const RelayAsk *ask, const RelayRoute *route, gboolean slow,
    RelayIdentity *identity, RelayRefusal *refusal, gboolean *wrong)
{
  const RelayRules *rules = &admission->rules;
  const RelayAccount *user = NULL;

  *wrong = FALSE;
  if (!is_from_allowed (admission, ask)) {
    *refusal = (RelayRefusal) { 403, "address", g_strdup (WRONG_ADDRESS) };
    return;
  }
  if (!ask->local && !relay_names_has ((const gchar *const *) admission->status_names, ask->host)) {
    *refusal = (RelayRefusal) { 421, "host", g_strdup (WRONG_NAME) };
    return;
  }
  if (admission->held && !ask->local && route->role > RELAY_ROLE_NONE) {
    *refusal = (RelayRefusal) { 503, "starting", g_strdup (STARTING) };
    return;
  }
  *wrong = !relay_access_identify (rules, ask, identity);
  if (identity->kind == RELAY_ANONYMOUS && !*wrong)
    user = relay_sessions_find (admission->sessions, g_get_monotonic_time (), rules->accounts,
        ask->cookie);
  if (user != NULL)
    *identity = (RelayIdentity) { RELAY_USER, user->role, user->name };
  /* a client that listens may have been let in before auth-url was turned off */
  if (identity->kind == RELAY_ANONYMOUS && ask->hooked == RELAY_LET_IN
      && rules->auth_role != RELAY_ROLE_NONE)
    *identity = (RelayIdentity) { RELAY_HOOKED, ask->hooked_role };
  relay_access_decide (rules, ask, route, identity, slow, refusal);
}

/* Did this network give too many wrong tokens or passwords? Call it with the lock held. */
static gboolean
is_slow (const RelayAdmission *admission, guint64 network)
{
  return !relay_access_may_try (&admission->tries, g_get_monotonic_time (), network);
}

/* Returns the line for the log that a client gave a wrong token or password; NULL: the same line
 * was logged lately. Call it with the lock held. */
static gchar *
tell_wrong (RelayAdmission *admission, const gchar *what, const gchar *address)
{
  g_autofree gchar *line = g_strdup_printf ("The API refuses %s, which gives a wrong %s.",
      address != NULL ? address : "a program at its UNIX socket", what);

  return relay_repeats_note (admission->wrong, g_get_monotonic_time (), line, line);
}

/* Counts it, too. Call it with the lock held. */
static gchar *
note_wrong (RelayAdmission *admission, const gchar *what, const gchar *address, guint64 network)
{
  relay_access_note_wrong (&admission->tries, g_get_monotonic_time (), network);
  return tell_wrong (admission, what, address);
}

static void
log_wrong (const gchar *address, const gchar *line)
{
  g_autoptr (GstStructure) details =
      gst_structure_new ("request-refused", "address-string", G_TYPE_STRING, address, NULL);

  if (line != NULL)
    relay_log_end (NULL, NULL, G_LOG_LEVEL_WARNING, details, line);
}

gboolean
relay_admission_accepts (RelayAdmission *admission, GInetAddress *address)
{
  g_autofree gchar *name = g_inet_address_to_string (address);
  g_autofree gchar *line =
      g_strdup_printf ("The status refuses %s, which is not among status-allowed-addresses.", name);
  g_autofree gchar *written = NULL;
  gboolean good;

  g_mutex_lock (&admission->lock);
  good = relay_allowed_has (admission->allowed, address);
  if (!good) {
    admission->refused++;
    /* one line for all addresses, as a host may have more of them than the log has room */
    written = relay_repeats_note (admission->wrong, g_get_monotonic_time (), "address", line);
  }
  g_mutex_unlock (&admission->lock);
  log_wrong (name, written);
  return good;
}

void
relay_admission_get_refused (RelayAdmission *admission, guint64 *refused)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&admission->lock);

  *refused = admission->refused;
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

/* Returns the name of the client for the log. NULL: it has only an address. The name of one that
 * the server of auth-url has let in is only what the client says. */
static gchar *
name (const RelayIdentity *identity)
{
  return identity->kind == RELAY_USER ? g_strconcat ("user ", identity->name, NULL) :
      identity->kind == RELAY_TOKEN   ? g_strconcat ("token ", identity->name, NULL) :
      identity->kind == RELAY_HOOKED  ? g_strdup ("a client that auth-url lets in") :
                                        NULL;
}

/* Does the server of auth-url decide about this request? It does about what MediaMTX asks about,
 * the API and the metrics, if a client gives credentials that the relay does not know. Of what the
 * API shows to all, it is asked whether they are right. @status: with which the relay alone would
 * refuse it; 0: it would not. */
static gboolean
leaves_to_server (const RelayAdmission *admission, const RelayAsk *ask, const RelayRoute *route,
    const RelayIdentity *identity, guint status)
{
  RelayCredentials given;
  gboolean has_some;

  if (admission->rules.auth_role == RELAY_ROLE_NONE || ask->hooked != RELAY_NOT_ASKED
      || identity->kind != RELAY_ANONYMOUS)
    return FALSE;
  if (!(status == 401 && g_str_equal (ask->path, RELAY_HTTP_METRICS))
      && !(route->is_api && (status == 401 || status == 0)))
    return FALSE;
  has_some = relay_access_read_credentials (ask->authorization, &given);
  relay_access_clear_credentials (&given);
  return has_some;
}

/* Notes a guess: a wrong token; credentials that are left to the server of auth-url, until it says
 * yes, whether or not the rest of the request comes; and a yes with a role that is too low for this
 * request, as such a client could else try all tokens of higher roles. Returns the line for the
 * log, or NULL. Call it with the lock held. */
static gchar *
note_guess (RelayAdmission *admission, const RelayAsk *ask, const RelayRoute *route,
    const RelayIdentity *identity, gboolean asks, gboolean wrong, guint status)
{
  if (asks || (identity->kind == RELAY_HOOKED && status == 403))
    relay_access_note_wrong (&admission->tries, g_get_monotonic_time (), ask->network);
  else if (wrong && ask->hooked == RELAY_NOT_ASKED
      && (route->is_api ? status != 429 : status == 401))
    return note_wrong (admission, "token", ask->address, ask->network);
  return NULL;
}

RelayVerdict
relay_admission_admit (RelayAdmission *admission, const RelayAsk *ask, RelayAdmitted *admitted,
    RelayPage *page)
{
  g_autofree gchar *line = NULL, *stream = NULL;
  RelayIdentity identity = { RELAY_ANONYMOUS };
  RelayRefusal refusal = { 0 };
  RelayRoute route;
  gboolean slow, wrong, asks;

  relay_api_find_route (admission->api, ask->method, ask->path, &route, &stream);
  g_mutex_lock (&admission->lock);
  slow = ask->hooked == RELAY_NOT_ASKED && is_slow (admission, ask->network);
  decide (admission, ask, &route, slow, &identity, &refusal, &wrong);
  asks = leaves_to_server (admission, ask, &route, &identity, refusal.status);
  line = note_guess (admission, ask, &route, &identity, asks, wrong, refusal.status);
  admitted->known_by = known_by[identity.kind];
  admitted->name = g_strdup (identity.name);
  admitted->title = name (&identity);
  admitted->role = identity.kind != RELAY_ANONYMOUS ?
      identity.role :
      MAX (relay_access_get_open_role (&admission->rules, FALSE),
          relay_access_get_open_role (&admission->rules, TRUE));
  g_mutex_unlock (&admission->lock);
  log_wrong (ask->address, line);
  if (refusal.status != 0 && !asks)
    show_refusal (&route, &refusal, page);
  g_free (refusal.why);
  return asks ? RELAY_ASKS : refusal.status == 0 ? RELAY_ALLOWED : RELAY_REFUSED;
}

gboolean
relay_admission_allows (RelayAdmission *admission, const RelayAsk *ask)
{
  g_autofree gchar *stream = NULL;
  g_autoptr (GMutexLocker) locker = NULL;
  RelayIdentity identity = { RELAY_ANONYMOUS };
  RelayRefusal refusal = { 0 };
  RelayRoute route;
  gboolean wrong;

  relay_api_find_route (admission->api, ask->method, ask->path, &route, &stream);
  locker = g_mutex_locker_new (&admission->lock);
  decide (admission, ask, &route, FALSE, &identity, &refusal, &wrong);
  g_free (refusal.why);
  return refusal.status == 0;
}

const gchar *
relay_admission_get_mode (RelayAdmission *admission)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&admission->lock);

  return !admission->rules.api ? "off" :
      admission->rules.accounts->len > 0 || admission->rules.auth_role != RELAY_ROLE_NONE ?
                                 "login" :
      admission->rules.token != NULL ? "token" :
                                       "open";
}

/* --- sessions --------------------------------------------------------------------------------- */

gboolean
relay_admission_has_users (RelayAdmission *admission)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&admission->lock);

  for (guint i = 0; i < admission->rules.accounts->len; i++)
    if (((RelayAccount *) g_ptr_array_index (admission->rules.accounts, i))->password != NULL)
      return TRUE;
  return FALSE;
}

gboolean
relay_admission_may_try (RelayAdmission *admission, guint64 network, const gchar *user,
    gchar **hash)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&admission->lock);
  const RelayAccount *account = relay_accounts_find_user (admission->rules.accounts, user);

  *hash = account != NULL ? g_strdup (account->password) : NULL;
  return !is_slow (admission, network);
}

RelayRole
relay_admission_note_hooked (RelayAdmission *admission, RelayHooked hooked, const gchar *address,
    guint64 network)
{
  g_autofree gchar *line = NULL;
  RelayRole role;

  g_mutex_lock (&admission->lock);
  role = admission->rules.auth_role;
  if (hooked == RELAY_LET_IN)
    relay_access_note_right (&admission->tries, network);
  else if (hooked == RELAY_NOT_LET_IN)
    line = tell_wrong (admission, "token or password", address);
  g_mutex_unlock (&admission->lock);
  log_wrong (address, line);
  return role;
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
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&admission->lock);
  const RelayAccount *account = relay_accounts_find_user (admission->rules.accounts, user);

  if (account == NULL || !g_str_equal (account->password, hash))
    return RELAY_ROLE_NONE;
  *cookie = relay_sessions_begin (admission->sessions, g_get_monotonic_time (), account, secure);
  return *cookie != NULL ? account->role : RELAY_ROLE_NONE;
}

void
relay_admission_end (RelayAdmission *admission, const gchar *cookie, gchar **removed)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&admission->lock);

  *removed = relay_sessions_end (admission->sessions, cookie);
}
