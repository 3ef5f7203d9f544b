/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayconfig.h: the configuration of the relay: a key file, checked as a whole.
 *
 * A configuration that was parsed can be run: every key is known, the elements take every
 * URI, every file that is named can be read, and no two ends listen at the same port if
 * they cannot share it.  What depends on the network is not checked.
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>
#include "relayaccounts.h"
#include "relayend.h"
#include "relayhooks.h"

G_BEGIN_DECLS

#define RELAY_STREAMS_MAX 1000
#define RELAY_OUTPUTS_MAX 64 /* of one stream */

/* Reference-counted, as a running stream keeps its configuration. */
typedef struct
{
  gchar *name;
  gchar *streamid;           /* callers that give another one are refused */
  gboolean require_streamid; /* callers that give none are refused, too */
  gboolean optional;         /* the relay counts as ready without this stream */
  guint picture_interval;    /* s between pictures; 0: there are none */
  guint preview_viewers;     /* of the preview, at once; 0: there is none */
  RelayEnd *input;
  GPtrArray *outputs; /* RelayEnd */
  guint next_id;      /* of the next output that is added */
  guint revision;     /* of the configuration that last changed the stream */
} RelayStreamConfig;

typedef struct
{
  GSocketAddress *status;     /* where HTTP is served; NULL: nowhere */
  gchar **status_names;       /* host names by which HTTP may be asked for; NULL: none */
  GPtrArray *status_allowed;  /* from where (relayallowed.h); NULL: from everywhere */
  gboolean receiver_metrics;  /* /metrics lists each receiver */
  gboolean api;               /* the API is served where the status is */
  gchar *api_token;           /* token that the API needs; a secret; NULL: none */
  gchar *history;             /* path of the file that keeps it; NULL: none does */
  GSocketAddress *api_socket; /* UNIX socket for the API and this user alone; NULL: none */
  gchar *auth_url;            /* of the server that is asked about callers; a secret; NULL: none */
  RelayRole auth_role;        /* of HTTP clients that it lets in; NONE: it is not asked about any */
  guint auth_keep;            /* s for which an answer holds */
  GPtrArray *hooks;           /* RelayHook */
  gchar *text;                /* the whole text; may hold secrets */
  gsize size;                 /* of the text, bytes */
  GPtrArray *warnings;        /* sentences about files that others could read, and unused lists */
  GHashTable *secrets;        /* contents of secret files, by path */
  GPtrArray *streams;         /* RelayStreamConfig, in the order of the file */
  GPtrArray *accounts;        /* RelayAccount; none: no role is asked for */
  guint revision;             /* how many were in force before */
} RelayConfig;

/* @error: GST_URI_ERROR, G_IO_ERROR or G_FILE_ERROR, with a sentence
 * that names section and key and says what to write. */
RelayConfig *relay_config_load (const gchar *path, GError **error);
/* @before: the configuration whose secrets stay in force: files that it names are not read again.
 * NULL: all are read. */
RelayConfig *relay_config_parse (const gchar *text, gsize size, const RelayConfig *before,
    GError **error);
void relay_config_free (RelayConfig *config);

/* NULL: there is no stream of that name. */
RelayStreamConfig *relay_config_find (const RelayConfig *config, const gchar *name);
/* Is there, or may there be, a secret in its text: a passphrase, the hash of a password, a password
 * in a streamid, a token in a URL? */
gboolean relay_config_has_secret (const RelayConfig *config);

/* NULL: there is no such output. */
RelayEnd *relay_stream_config_find_output (const RelayStreamConfig *config, guint id);
RelayStreamConfig *relay_stream_config_ref (RelayStreamConfig *config);
void relay_stream_config_unref (RelayStreamConfig *config);

/* relaydifference.c */

RelayDifference relay_stream_config_compare (const RelayStreamConfig *a,
    const RelayStreamConfig *b);

/* The ids of a stream's outputs, given by the API. Outputs of other streams are recognised by their
 * URIs. */
typedef struct
{
  const gchar *stream;
  GArray *ids; /* guint, of each output in the new configuration */
} RelayKept;

/* Gives the outputs in @config the ids that they have in @old, the configuration in force; others
 * get ids that were not used yet. Gives streams their revision, too. @kept: or NULL. */
void relay_config_adopt (RelayConfig *config, const RelayConfig *old, const RelayKept *kept);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayConfig, relay_config_free);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayStreamConfig, relay_stream_config_unref);

G_END_DECLS
