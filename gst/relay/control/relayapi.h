/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayapi.h: the API that changes a relay.  A request (openapi.json) is turned into another text
 * of the configuration, which is checked as a whole, like a file, before it takes effect.
 *
 * Used in the main context only.  It knows no sockets.
 */
#pragma once

#include "relayhttp.h"
#include "relaystream.h"

G_BEGIN_DECLS

/* The path of the API's description. It holds no secret, so every client that may see the status
 * may read it. */
#define RELAY_API_DESCRIPTION "/api/v1/openapi.json"
#define RELAY_API_SESSION "/api/v1/session"

typedef struct _RelayApi RelayApi;

/* Calls of the API into the relay. */
typedef struct
{
  /* The configuration in force. */
  const RelayConfig *(*get_config) (gpointer data);
  /* The figures of a stream, to be freed; NULL: it has none yet. */
  RelayStreamStats *(*get_stats) (const gchar *stream, gpointer data);
  /* Puts another configuration into force. @kept: ids of outputs, or NULL. @error: as
   * relay_config_parse(). */
  gboolean (*change) (const gchar *text, gsize size, const RelayKept *kept, GError **error,
      gpointer data);
  /* FALSE: there is no such receiver. */
  gboolean (*drop) (const gchar *stream, guint output, const gchar *receiver, gpointer data);
  /* FALSE: there is no such source, or it cannot be used. */
  gboolean (*switch_source) (const gchar *stream, guint source, gpointer data);
  const gchar *(*get_file) (gpointer data);
  gboolean (*is_saved) (gpointer data);
  gboolean (*save) (GError **error, gpointer data);
  /* Logs a user in. FALSE: the page says why not; else the request is answered later. */
  gboolean (*log_in) (const RelayApiRequest *request, const gchar *name, const gchar *password,
      RelayPage *page, gpointer data);
  /* `tell' fills in the user of a request and its role; `log_out' ends its session. */
  void (*tell) (const RelayApiRequest *request, RelayPage *page, gpointer data);
  void (*log_out) (const RelayApiRequest *request, RelayPage *page, gpointer data);
} RelayApiFuncs;

RelayApi *relay_api_new (const RelayApiFuncs *funcs, gpointer data);
void relay_api_free (RelayApi *api);

/* Does a request change no stream, so that it need not wait for changes? */
gboolean relay_api_only_reads (const RelayApiRequest *request);
/* FALSE: it is answered later. */
gboolean relay_api_answer (RelayApi *api, const RelayApiRequest *request, RelayPage *page);

/* Finds what a request is for. *stream: the text of route->stream, to be freed. May be called from
 * any thread. */
void relay_api_find_route (const RelayApi *api, const gchar *method, const gchar *path,
    RelayRoute *route, gchar **stream);

/* Logs what a request did. @user: or a token, that it came with; NULL: none. */
void relay_api_log_request (const RelayApiRequest *request, const gchar *user, const gchar *line);
/* Fills in the page of a refused request. @code: one of those in openapi.json; @why: a sentence.
 * May be called from any thread. */
void relay_api_refuse (RelayPage *page, guint status, const gchar *code, const gchar *why);

G_END_DECLS
