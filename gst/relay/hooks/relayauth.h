/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayauth.h: asks an HTTP server of the user whether a caller may publish or read, and whether an
 * HTTP client may use the API.
 *
 * A question has the fields of MediaMTX's `authMethod: http': 2xx means yes, any other status no.
 * Nothing comes in or goes out before the answer is yes.  When there is none in time, or the server
 * fails (5xx), the answer is no: an attacker that stops the server keeps new callers out, and gets
 * none in.  Callers that are connected stay.
 *
 * An answer is kept for a while for the same question, also a no, but neither a failure, nor 408
 * and 429, which tell the caller to come back.
 *
 * A no comes a second late, and until then counts as one of its network's questions, so that no
 * caller can try many passwords.  The server has RELAY_AUTH_MOST questions at once, of which each
 * network has a share (relaynetwork.h): eight of them leave ten places to others.  HTTP clients
 * have RELAY_AUTH_MOST_API of these at once, with those that wait for a no, and a share of their
 * own; the same question of up to RELAY_AUTH_SAME requests is asked once.  So at most 96 of the 160
 * connections of an HTTP server wait for an answer.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In ms; together less than FASP_HALF_TIMEOUT, for which an element of fasp waits for an answer. */
#define RELAY_AUTH_TIME 3000
#define RELAY_AUTH_PAUSE 1000  /* before a no */
#define RELAY_AUTH_MOST 32     /* questions that the server has, or is about to get */
#define RELAY_AUTH_MOST_API 16 /* a quarter of the connections to a server (RELAY_CLIENTS_MAX) */
#define RELAY_AUTH_SAME 6      /* as many connections as a browser opens to a host */
#define RELAY_AUTH_PAUSED 1024 /* that wait with a no; beyond these, it is given at once */
/* A server that has failed counts as down for so long, unless it answers; µs. */
#define RELAY_AUTH_DOWN (60 * G_USEC_PER_SEC)

/* NULL: empty. */
typedef struct
{
  const gchar *action; /* publish, read; api, metrics */
  const gchar *path;   /* the stream's name; NULL: it is about the API */
  const gchar *protocol;
  const gchar *ip; /* without a port */
  const gchar *user, *password, *token, *query;
} RelayQuestion;

typedef struct
{
  guint64 questions; /* sent to the server */
  guint64 failures;  /* questions that it did not answer, or with 5xx */
  guint64 busy;      /* refused unasked, as too many questions were under way */
} RelayAuthStats;

/* @refusal: why the caller may not come in, for the log; NULL: it may. */
typedef void (*RelayAuthFunc) (const gchar *refusal, gpointer data);
/* May the caller be let in later, as the server has not decided? */
gboolean relay_auth_is_undecided (const gchar *refusal);

/* Sets the server; in the main context.  @url: NULL: none, and every answer is yes.  @keep: s for
 * which an answer holds. */
void relay_auth_use (const gchar *url, guint keep);
/* Answers the questions under way with no; in the main context. */
void relay_auth_end (void);

typedef enum
{
  RELAY_AUTH_NO_SERVER,
  RELAY_AUTH_KNOWN, /* an answer was kept: the caller may come in */
  RELAY_AUTH_ASKED, /* @func is called once, from the main context, or from relay_auth_ask() */
} RelayAuthResult;

/* From any thread. */
RelayAuthResult relay_auth_ask (const RelayQuestion *question, RelayAuthFunc func, gpointer data);

/* From any thread, as the next. */
gboolean relay_auth_is_down (void);
void relay_auth_get_stats (RelayAuthStats *stats);

G_END_DECLS
