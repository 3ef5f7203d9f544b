/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayauth.h: asks an HTTP server of the user whether a caller may publish or read.
 *
 * A question has the fields of MediaMTX's `authMethod: http': 2xx means yes, any other status no.
 * Nothing comes in or goes out before the answer is yes.  When there is none in time, or the server
 * fails (5xx), the answer is no: an attacker that stops the server keeps new callers out, and gets
 * none in.  Callers that are connected stay.
 *
 * An answer is kept for a while for the same question, also a no, but not a failure.  A no comes a
 * second late, and a network has few questions under way, so that no caller can try many passwords.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In ms; together less than FASP_HALF_TIMEOUT, for which an element of fasp waits for an answer. */
#define RELAY_AUTH_TIME 3000
#define RELAY_AUTH_PAUSE 1000 /* before a no */
#define RELAY_AUTH_KEPT 4096  /* answers */
/* Questions under way; of one network (an IPv4 address, an IPv6 /48), an eighth of them. */
#define RELAY_AUTH_MOST 32
#define RELAY_AUTH_OF_NETWORK 4
/* A server that has failed counts as down for so long, unless it answers; µs. */
#define RELAY_AUTH_DOWN (60 * G_USEC_PER_SEC)

/* NULL: empty. */
typedef struct
{
  const gchar *action; /* publish, read */
  const gchar *path;   /* the stream's name */
  const gchar *protocol;
  const gchar *ip; /* without a port */
  const gchar *user, *password, *token, *query;
} RelayQuestion;

typedef enum
{
  RELAY_ANSWER_YES,
  RELAY_ANSWER_NO,
  RELAY_ANSWER_LATER,
} RelayAnswer;

typedef struct
{
  guint64 questions; /* sent to the server */
  guint64 failures;  /* questions to which it gave no answer, or a 5xx */
} RelayAuthStats;

/* @why: the reason of a no, for the log; NULL: the server said no. */
typedef void (*RelayAuthFunc) (gboolean yes, const gchar *why, gpointer data);

/* Sets the server; in the main context.  @url: NULL: none, and every answer is yes.  @keep: s for
 * which an answer holds. */
void relay_auth_use (const gchar *url, guint keep);
/* Answers the questions under way with no; in the main context. */
void relay_auth_end (void);

/* From any thread.  LATER: @func is called from the main context, once.  *why: as above. */
RelayAnswer relay_auth_ask (const RelayQuestion *question, RelayAuthFunc func, gpointer data,
    const gchar **why);

/* From any thread, as the next. */
gboolean relay_auth_is_down (void);
void relay_auth_get_stats (RelayAuthStats *stats);

G_END_DECLS
