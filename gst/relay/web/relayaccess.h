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
  const gchar *address; /* of the client, without its port; NULL: by a UNIX socket */
  guint64 network;      /* of the client: an IPv4 address, an IPv6 /48 */
} RelayAsk;

/* A network may give so many wrong tokens in this time; then it has to wait, whatever it gives. */
#define RELAY_ACCESS_TRIES 10
#define RELAY_ACCESS_TIME (10 * G_USEC_PER_SEC) /* µs */
/* Networks that are remembered: those that gave wrong tokens last. */
#define RELAY_ACCESS_NETWORKS 64

typedef struct
{
  guint64 network;
  gint64 since; /* of the first wrong token of its span; µs */
  guint n;      /* wrong tokens since; 0: the place is free */
} RelayAccessTry;

/* Wrong tokens that came lately. All 0 at first. */
typedef struct
{
  RelayAccessTry all[RELAY_ACCESS_NETWORKS];
} RelayAccessTries;

/* Returns 0, or the status to refuse with; *code: one of those in openapi.json; *why: a sentence
 * that says what to do. @token NULL: none is needed. */
guint relay_access_check (const gchar *token, const RelayAsk *ask, const gchar **code,
    const gchar **why);

/* May this network try a token? @now: µs. */
gboolean relay_access_may_try (const RelayAccessTries *tries, gint64 now, guint64 network);
void relay_access_note_wrong (RelayAccessTries *tries, gint64 now, guint64 network);

/* @authorization: the header; NULL: there is none. */
gboolean relay_access_has_token (const gchar *token, const gchar *authorization);

G_END_DECLS
