/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayaccess.h: who may use the API that changes a relay.
 *
 * Somebody's browser may be made to ask by a page of a stranger.  So what is asked from another
 * site (Origin, Sec-Fetch-Site) is refused, and a change needs a content type that a form cannot
 * have.  Names are for relaynames.h.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the head of a request says; NULL: nothing. */
typedef struct
{
  const gchar *method;
  const gchar *host;
  const gchar *origin;
  const gchar *site; /* Sec-Fetch-Site */
  const gchar *type; /* Content-Type */
  const gchar *authorization;
  const gchar *path;
} RelayAsk;

/* Returns 0, or the status to refuse with; *why: what to do, a sentence. @token: NULL: none is
 * needed. */
guint relay_access_check (const gchar *token, const RelayAsk *ask, const gchar **why);

/* @authorization: the header; NULL: there is none. */
gboolean relay_access_has_token (const gchar *token, const gchar *authorization);
/* Compares in a time that does not tell how much of it was right. */
gboolean relay_access_is_token (const gchar *token, const gchar *given);

G_END_DECLS
