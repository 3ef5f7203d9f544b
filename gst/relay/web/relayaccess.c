/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayaccess.h"
#include <string.h>
#include "relaypassword.h"

#define BEARER "Bearer "
#define BASIC "Basic "

gboolean
relay_access_may_try (const RelayAccessTries *tries, gint64 now, guint64 network)
{
  for (guint i = 0; i < RELAY_ACCESS_NETWORKS; i++) {
    const RelayAccessTry *one = &tries->all[i];

    if (one->network == network && one->n >= RELAY_ACCESS_TRIES
        && now - one->since < RELAY_ACCESS_TIME)
      return FALSE;
  }
  return TRUE;
}

void
relay_access_note_wrong (RelayAccessTries *tries, gint64 now, guint64 network)
{
  RelayAccessTry *found = &tries->all[0];

  for (guint i = 0; i < RELAY_ACCESS_NETWORKS; i++) {
    RelayAccessTry *one = &tries->all[i];

    if (one->n > 0 && one->network == network) {
      found = one;
      break;
    }
    if (one->n == 0 || (found->n > 0 && one->since < found->since))
      found = one;
  }
  if (found->network != network || now - found->since >= RELAY_ACCESS_TIME)
    *found = (RelayAccessTry) { network, now, 0 };
  found->n++;
}

void
relay_access_note_right (RelayAccessTries *tries, guint64 network)
{
  for (guint i = 0; i < RELAY_ACCESS_NETWORKS; i++)
    if (tries->all[i].network == network && tries->all[i].n > 0)
      tries->all[i].n--;
}

/* Has the page that sends the request come from this server? The schemes may differ, as a proxy may
 * speak TLS. */
static gboolean
is_own (const gchar *origin, const gchar *host)
{
  const gchar *name = g_str_has_prefix (origin, "http://") ? origin + strlen ("http://") :
      g_str_has_prefix (origin, "https://")                ? origin + strlen ("https://") :
                                                             NULL;

  return name != NULL && host != NULL && g_ascii_strcasecmp (name, host) == 0;
}

static gboolean
is_json (const gchar *type)
{
  static const gchar json[] = "application/json";
  gsize n = strlen (json);

  return type != NULL && g_ascii_strncasecmp (type, json, n) == 0
      && (type[n] == '\0' || type[n] == ';' || type[n] == ' ');
}

/* --- the client --------------------------------------------------------------------------- */

RelayRole
relay_access_get_open_role (const RelayRules *rules, gboolean is_api)
{
  if (rules->accounts->len > 0 || rules->auth_role != RELAY_ROLE_NONE)
    return RELAY_ROLE_NONE;
  if (!is_api)
    return RELAY_ROLE_VIEW;
  return rules->token != NULL ? RELAY_ROLE_NONE : RELAY_ROLE_ADMINISTER;
}

/* Returns what follows in the header `Authorization'; NULL: it has another scheme. */
static const gchar *
skip_scheme (const gchar *authorization, const gchar *scheme)
{
  gsize n = strlen (scheme);

  return authorization != NULL && g_ascii_strncasecmp (authorization, scheme, n) == 0 ?
      authorization + n :
      NULL;
}

/* Returns the token of the header `Authorization'; NULL: it has none. */
static const gchar *
get_token (const RelayAsk *ask)
{
  return skip_scheme (ask->authorization, BEARER);
}

/* Returns USER:PASSWORD of the scheme Basic; NULL: it is not valid. */
static gchar *
decode (const gchar *basic)
{
  gsize size;
  gchar *text = (gchar *) g_base64_decode (basic, &size);
  gchar *pair =
      strlen (basic) > 0 && memchr (text, '\0', size) == NULL ? g_strndup (text, size) : NULL;

  explicit_bzero (text, size);
  g_free (text);
  return pair;
}

gboolean
relay_access_read_credentials (const gchar *authorization, RelayCredentials *credentials)
{
  const gchar *bearer = skip_scheme (authorization, BEARER);
  const gchar *basic = skip_scheme (authorization, BASIC);
  gchar *pair = bearer != NULL ? g_strdup (bearer) : basic != NULL ? decode (basic) : NULL;
  gchar *colon = pair != NULL ? strchr (pair, ':') : NULL;
  gboolean has_user = colon != NULL && (basic != NULL || strchr (colon + 1, ':') == NULL);

  *credentials = (RelayCredentials) { NULL };
  if (has_user && colon > pair && colon[1] != '\0') {
    credentials->user = g_strndup (pair, colon - pair);
    credentials->password = g_strdup (colon + 1);
  } else if (bearer != NULL && bearer[0] != '\0' && !has_user) {
    credentials->token = g_strdup (bearer);
  }
  relay_value_wipe (pair);
  return credentials->password != NULL || credentials->token != NULL;
}

void
relay_access_clear_credentials (RelayCredentials *credentials)
{
  g_free (credentials->user);
  relay_value_wipe (credentials->password);
  relay_value_wipe (credentials->token);
}

/* Compares in a time that does not depend on how much of the token is right: a partly equal digest
 * tells nothing about the token. */
static gboolean
is_token (const gchar *token, const gchar *given)
{
  g_autofree gchar *a = relay_password_digest (token), *b = relay_password_digest (given);

  return relay_password_is_same (a, b);
}

gboolean
relay_access_identify (const RelayRules *rules, const RelayAsk *ask, RelayIdentity *identity)
{
  const gchar *token = get_token (ask);
  const RelayAccount *account;

  *identity = (RelayIdentity) { RELAY_ANONYMOUS };
  if (ask->local)
    *identity = (RelayIdentity) { RELAY_LOCAL, RELAY_ROLE_ADMINISTER };
  if (ask->local || token == NULL)
    return TRUE;
  account = relay_accounts_find_token (rules->accounts, token);
  if (account != NULL)
    *identity = (RelayIdentity) { RELAY_TOKEN, account->role, account->name, account->streams };
  else if (rules->token != NULL && is_token (rules->token, token))
    *identity = (RelayIdentity) { RELAY_API_TOKEN, RELAY_ROLE_ADMINISTER };
  return identity->kind != RELAY_ANONYMOUS;
}

/* --- the decision ------------------------------------------------------------------------- */

/* Returns @status. */
static guint
refuse (RelayRefusal *refusal, guint status, const gchar *code, const gchar *why)
{
  *refusal = (RelayRefusal) { status, code, g_strdup (why) };
  return status;
}

static guint
refuse_unknown (const RelayRules *rules, const RelayAsk *ask, RelayRefusal *refusal)
{
  if (ask->hooked == RELAY_UNDECIDED)
    return refuse (refusal, 503, "auth-url",
        "It is not known now whether you may do this: ask again later, or use a user or token of "
        "this relay.");
  return refuse (refusal, 401, "token",
      rules->accounts->len > 0 || rules->auth_role != RELAY_ROLE_NONE ?
          "This needs a user or a token: log in on the page, send Authorization: Bearer TOKEN, or "
          "call fasp-relayctl with --user or --token-file." :
          "The API needs the token of this relay (api-token-file in [relay]): send "
          "Authorization: Bearer TOKEN, or call fasp-relayctl with --token-file.");
}

static guint
check_role (const RelayRoute *route, const RelayIdentity *identity, RelayRefusal *refusal)
{
  if (identity->role < route->role) {
    refusal->status = 403;
    refusal->code = "role";
    refusal->why = g_strdup_printf ("This needs the role %s, and %s has the role %s.",
        relay_role_get_name (route->role), identity->name != NULL ? identity->name : "this client",
        relay_role_get_name (identity->role));
  } else if (identity->streams != NULL
      && (route->stream == NULL
          || !g_strv_contains ((const gchar *const *) identity->streams, route->stream))) {
    refuse (refusal, 403, "role",
        "This token is for some streams alone (streams in its section), and not for this path.");
  }
  return refusal->status;
}

static guint
refuse_type (RelayRefusal *refusal)
{
  return refuse (refusal, 415, "content-type", "Send JSON, and Content-Type: application/json.");
}

static gboolean
is_foreign (const RelayAsk *ask)
{
  return (ask->site != NULL && !g_str_equal (ask->site, "same-origin")
             && !g_str_equal (ask->site, "none"))
      || (ask->origin != NULL && !is_own (ask->origin, ask->host));
}

guint
relay_access_decide (const RelayRules *rules, const RelayAsk *ask, const RelayRoute *route,
    const RelayIdentity *identity, gboolean slow, RelayRefusal *refusal)
{
  gboolean known = identity->kind != RELAY_ANONYMOUS;
  gboolean open = route->role <= relay_access_get_open_role (rules, route->is_api);
  gboolean hooked = rules->auth_role != RELAY_ROLE_NONE && ask->authorization != NULL;
  gboolean typed = !route->is_api || !ask->has_body || is_json (ask->type);

  *refusal = (RelayRefusal) { 0 };
  if (route->is_api && route->role > RELAY_ROLE_NONE && !rules->api && !ask->local)
    return refuse (refusal, 403, "off",
        "The API is off. Write api = true into [relay] of the configuration.");
  if (slow && (!open || (route->is_api && (hooked || get_token (ask) != NULL)))
      && identity->kind != RELAY_USER && identity->kind != RELAY_LOCAL)
    return refuse (refusal, 429, "slow",
        "Too many wrong tokens came from this address: wait ten seconds, and send the right one.");
  if (route->is_own && is_foreign (ask))
    return refuse (refusal, 403, "site",
        "A page of another site may not use the API, events and previews. Use the relay's own page, "
        "fasp-relayctl, or a program that sends no Origin.");
  /* the server is asked when the body has come: what is said at once must not tell a token that is
   * known from one about which it is asked */
  if (!typed && hooked)
    return refuse_type (refusal);
  if (!open && !known)
    return refuse_unknown (rules, ask, refusal);
  if (!open && check_role (route, identity, refusal) != 0)
    return refusal->status;
  return typed ? 0 : refuse_type (refusal);
}
