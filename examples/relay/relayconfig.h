/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayconfig.h: what the relay is to do: a key file, checked as a whole.
 *
 * A configuration that was parsed can be run: every key is known, every URI is one that
 * the elements take, every file that is named can be read, no two ends listen at the
 * same port.  What only the network can tell is not checked.
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

#define RELAY_STREAMS_MAX 1000
#define RELAY_OUTPUTS_MAX 64    /* of one stream */

/* One side of a stream: an element's settings.  Its URI may hold a secret and is never
 * told; the element's own `uri' leaves them out. */
typedef struct
{
  gboolean sends;               /* a faspsink */
  gchar *uri;
  gchar *streamid;              /* what it says when it dials, if the URI does not tell */
  gchar *passphrase;            /* out of a file; NULL: as the URI has it */
} RelayEnd;

/* Counted by references: a running stream keeps its own. */
typedef struct
{
  gchar *name;
  gchar *streamid;              /* callers that say another one are refused */
  gboolean require_streamid;    /* ... and those that say none */
  gboolean optional;            /* the relay is ready without it */
  RelayEnd *input;
  GPtrArray *outputs;           /* RelayEnd */
} RelayStreamConfig;

typedef struct
{
  GSocketAddress *status;       /* where HTTP is served; NULL: nowhere */
  gboolean receiver_metrics;    /* each receiver of its own in /metrics */
  GPtrArray *streams;           /* RelayStreamConfig, in the order of the file */
} RelayConfig;

/* What a new configuration asks of a stream that runs. */
typedef enum
{
  RELAY_SAME,
  RELAY_ADJUST,                 /* all that is new can be set while it plays */
  RELAY_RESTART,
} RelayDifference;

/* GST_URI_ERROR, G_KEY_FILE_ERROR, G_IO_ERROR or G_FILE_ERROR, with a sentence that
 * names section and key and says what to write. */
RelayConfig *relay_config_load (const gchar * path, GError ** error);
RelayConfig *relay_config_parse (const gchar * text, gsize size,
    GError ** error);
void relay_config_free (RelayConfig * config);

/* NULL: there is none of that name. */
RelayStreamConfig *relay_config_find (const RelayConfig * config,
    const gchar * name);

RelayStreamConfig *relay_stream_config_ref (RelayStreamConfig * config);
void relay_stream_config_unref (RelayStreamConfig * config);
RelayDifference relay_stream_config_compare (const RelayStreamConfig * a,
    const RelayStreamConfig * b);

/* The element as it is to start: floating. */
GstElement *relay_end_make (const RelayEnd * end, const gchar * name,
    GError ** error);
gboolean relay_end_has_passphrase (const RelayEnd * end);
/* Sets what differs between @old and @end, which has been RELAY_ADJUST. */
void relay_end_adjust (const RelayEnd * old, const RelayEnd * end,
    GstElement * element);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayConfig, relay_config_free);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayStreamConfig, relay_stream_config_unref);

G_END_DECLS
