/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayaccess.h: the one decision about each request to the relay: for a page, for the API, for
 * events: is it allowed, or refused, and why.
 *
 *     (client, path)  -->  allowed | 401: it needs a token or a login | 403: its role is too low
 *                      |   the server of auth-url has to be asked
 *
 * Without users and tokens in the configuration, every client may see the pages, and change
 * everything by the API, unless the API has a token of its own.  With a user or a token, each path
 * needs a role, but for those of openapi.json with the role `none'.
 *
 * A web page of another site can have a browser send requests to the relay.  So requests from
 * another site (Origin, Sec-Fetch-Site) to the API, for events and for a preview are refused, and a
 * body needs a content type that a form cannot have.  Over http, but to localhost, a browser says
 * neither of a GET that the other site cannot read.  relaynames.h checks the host name.
 */
#pragma once

#include "relayaccounts.h"

G_BEGIN_DECLS

/* What the server of auth-url says of the client of a request (auth-role). */
typedef enum
{
  RELAY_NOT_ASKED,
  RELAY_LET_IN,
  RELAY_NOT_LET_IN,
  RELAY_UNDECIDED, /* nothing: it has failed, or has too many questions */
} RelayHooked;

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
  const gchar *cookie;
  gboolean local; /* by a UNIX socket */
  RelayHooked hooked;
  RelayRole hooked_role; /* of one that is let in */
} RelayAsk;

/* The part of the configuration that decides. */
typedef struct
{
  gboolean api;        /* the API is on, where the status is served */
  gchar *token;        /* of the API; a secret; NULL: none */
  GPtrArray *accounts; /* RelayAccount */
  RelayRole auth_role; /* of clients that the server of auth-url lets in; NONE: it is not asked */
} RelayRules;

/* What a request is for. */
typedef struct
{
  gboolean is_api;
  gboolean is_own;     /* web pages of other sites may not ask for it */
  RelayRole role;      /* that it needs */
  const gchar *stream; /* that the path names; NULL: none */
} RelayRoute;

typedef enum
{
  RELAY_ANONYMOUS, /* gives no credentials, or none that the relay knows */
  RELAY_LOCAL,     /* a program at the UNIX socket of the API */
  RELAY_API_TOKEN, /* api-token-file */
  RELAY_TOKEN,     /* [token NAME] */
  RELAY_USER,      /* a session of [user NAME] */
  RELAY_HOOKED,    /* the server of auth-url has let it in */
} RelayIdentityKind;

/* The client that sends a request, by its credentials. */
typedef struct
{
  RelayIdentityKind kind;
  RelayRole role;
  const gchar *name;     /* of a user or token; NULL: none */
  gchar *const *streams; /* that a token is for; NULL: all */
} RelayIdentity;

/* Why a request is refused. */
typedef struct
{
  guint status;      /* 0: it is allowed */
  const gchar *code; /* one of those in openapi.json */
  gchar *why;        /* a sentence that says what to do */
} RelayRefusal;

/* A network may give so many wrong tokens or passwords in this time; then it has to wait, whatever
 * it gives. */
#define RELAY_ACCESS_TRIES 10
#define RELAY_ACCESS_TIME (10 * G_USEC_PER_SEC) /* µs */
/* Networks that are remembered: those that gave wrong ones last. */
#define RELAY_ACCESS_NETWORKS 64

typedef struct
{
  guint64 network;
  gint64 since; /* of the first wrong one of its span; µs */
  guint n;      /* wrong ones since; 0: the place is free */
} RelayAccessTry;

/* Wrong tokens and passwords that came lately. All 0 at first. */
typedef struct
{
  RelayAccessTry all[RELAY_ACCESS_NETWORKS];
} RelayAccessTries;

/* What the server of auth-url gets of a client: a user and a password, or a token, which are not
 * empty. The others are NULL. */
typedef struct
{
  gchar *user, *password, *token;
} RelayCredentials;

/* Reads the header `Authorization', as MediaMTX does: Basic, Bearer TOKEN, or Bearer USER:PASSWORD.
 * @authorization: or NULL. FALSE: there is nothing to ask about. A user without a password proves
 * nothing, and would look like the name of a key of fasp, which is proved. */
gboolean relay_access_read_credentials (const gchar *authorization, RelayCredentials *credentials);
void relay_access_clear_credentials (RelayCredentials *credentials);

/* The role of a client that gives no credentials. */
RelayRole relay_access_get_open_role (const RelayRules *rules, gboolean is_api);
/* Finds the user or token of a request, by its address and its token. FALSE: the token is wrong. */
gboolean relay_access_identify (const RelayRules *rules, const RelayAsk *ask,
    RelayIdentity *identity);
/* Decides. @slow: its network gave too many wrong tokens. Returns the status, too. */
guint relay_access_decide (const RelayRules *rules, const RelayAsk *ask, const RelayRoute *route,
    const RelayIdentity *identity, gboolean slow, RelayRefusal *refusal);

/* May this network try a token or a password? @now: µs. */
gboolean relay_access_may_try (const RelayAccessTries *tries, gint64 now, guint64 network);
void relay_access_note_wrong (RelayAccessTries *tries, gint64 now, guint64 network);
/* What was noted of this network was not wrong. If its span has ended since, one that is wrong is
 * not counted instead: so a network that also gives right ones has 20 tries at most. */
void relay_access_note_right (RelayAccessTries *tries, guint64 network);

G_END_DECLS
