/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayaccess.h"
#include <string.h>

#define BEARER "Bearer "

/* Compares in a time that does not depend on how much of the token is right. */
static gboolean
is_token (const gchar *token, const gchar *given)
{
  /* Digests have the same length, and a partly equal digest tells nothing about the token. */
  g_autofree gchar *a = g_compute_checksum_for_string (G_CHECKSUM_SHA256, token, -1);
  g_autofree gchar *b = g_compute_checksum_for_string (G_CHECKSUM_SHA256, given, -1);
  volatile guint8 differs = 0;

  for (guint i = 0; a[i] != '\0'; i++)
    differs |= a[i] ^ b[i];
  return differs == 0;
}

gboolean
relay_access_has_token (const gchar *token, const gchar *authorization)
{
  gsize n = strlen (BEARER);

  return authorization != NULL && g_ascii_strncasecmp (authorization, BEARER, n) == 0
      && is_token (token, authorization + n);
}

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

guint
relay_access_check (const gchar *token, const RelayAsk *ask, const gchar **code, const gchar **why)
{
  if ((ask->site != NULL && !g_str_equal (ask->site, "same-origin")
          && !g_str_equal (ask->site, "none"))
      || (ask->origin != NULL && !is_own (ask->origin, ask->host))) {
    *code = "site";
    *why =
        "A page of another site may not use the API. Use the relay's own page, fasp-relayctl, or "
        "a program that sends no Origin.";
    return 403;
  }
  if (token != NULL && !relay_access_has_token (token, ask->authorization)) {
    *code = "token";
    *why = "The API needs the token of this relay (api-token-file in [relay]): send "
           "Authorization: Bearer TOKEN, or call fasp-relayctl with --token-file.";
    return 401;
  }
  if (ask->has_body && !is_json (ask->type)) {
    *code = "content-type";
    *why = "Send JSON, and Content-Type: application/json.";
    return 415;
  }
  return 0;
}
