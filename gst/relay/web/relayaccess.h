/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayaccess.h: which requests may use the API that changes a relay.
 *
 * A web page of another site can have a browser send requests to the relay.  So requests from
 * another site (Origin, Sec-Fetch-Site) are refused, and a body needs a content type that a form
 * cannot have.  relaynames.h checks the host name.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Headers of a request; NULL: it does not have this one. */
typedef struct
{
  const gchar *method;
  const gchar *host;
  const gchar *origin;
  const gchar *site; /* Sec-Fetch-Site */
  const gchar *type; /* Content-Type */
  const gchar *authorization;
  const gchar *path;
  gboolean has_body;
} RelayAsk;

/* Returns 0, or the status to refuse with; *code: one of those in openapi.json; *why: a sentence
 * that says what to do. @token NULL: none is needed. */
guint relay_access_check (const gchar *token, const RelayAsk *ask, const gchar **code,
    const gchar **why);

/* @authorization: the header; NULL: there is none. */
gboolean relay_access_has_token (const gchar *token, const gchar *authorization);

G_END_DECLS
