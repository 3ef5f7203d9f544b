/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaycall.h: one request to the relay's API: the stream and the end that it names, its body, and
 * functions that answer it.
 */
#pragma once

#include <json-glib/json-glib.h>
#include "relayapi.h"
#include "relayschema.h"

G_BEGIN_DECLS

struct _RelayApi
{
  RelaySchema *schema;
  RelayApiFuncs funcs;
  gpointer data;
  guint32 run; /* a random number, as revisions begin anew with each relay */
};

typedef struct
{
  RelayApi *api;
  const gchar *stream; /* as the path names it; NULL: it names none */
  const RelayStreamConfig *config;
  guint index; /* of the output that the path names */
  const RelayEnd *output;
  const gchar *receiver;
  JsonObject *body; /* NULL: none */
  const RelayApiRequest *request;
  RelayPage *page;
  gboolean later; /* the request is answered later */
} RelayCall;

/* An operation's name in openapi.json, and its function. */
typedef struct
{
  const gchar *operation; /* NULL: the end of a list */
  void (*func) (RelayCall *call);
} RelayOperation;

/* The operations that change streams. */
extern const RelayOperation relay_changes[];

/* The present figures of a stream, or NULL if it has none yet; and the configuration of the call's
 * stream. */
RelayStreamStats *relay_call_get_stats (RelayCall *call, const gchar *name);
const RelayStreamConfig *relay_call_get_stream (RelayCall *call);
JsonNode *relay_call_describe (RelayCall *call, const RelayStreamConfig *config);

/* Writes the ETag of the stream that the path names, or else of the configuration. */
void relay_call_write_tag (RelayCall *call, gchar tag[RELAY_PAGE_TAG]);

/* A string in the body. NULL: the body does not name it. */
const gchar *relay_call_get_string (RelayCall *call, const gchar *name);
/* Refuses a URI in the body that names a file, which the relay would read or write.  FALSE: it was
 * refused. */
gboolean relay_call_is_no_file (RelayCall *call, const gchar *uri);

/* Takes @node. */
void relay_call_answer_json (RelayPage *page, guint status, JsonNode *node);
void relay_call_answer_nothing (RelayPage *page);
/* Answers with the stream that the path names, or an end of it. @id: of an output; 0: the input. */
void relay_call_answer_stream (RelayCall *call, guint status);
void relay_call_answer_end (RelayCall *call, guint status, guint id);

G_END_DECLS
