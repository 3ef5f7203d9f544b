/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystream.h: one stream: a pipeline of one faspsrc and the faspsinks behind it.
 *
 *            start               the pipeline plays
 *     IDLE --------> STARTING --------------------> RUNNING
 *      ^                 |                             |
 *      |                 +--- stop, error, EOS --------+
 *      |                                               v
 *      +--------------- nothing is left ----------- STOPPING
 *
 * What takes time (opening: keys are stretched; closing: goodbyes are answered) is done
 * by a thread of the transition's own, so that no stream waits for another.  After EOS it
 * starts again 0.1 s later; after an error, too, and if it does not last for 10 s then, twice
 * as much later each time, up to 10 s.
 *
 * All is called from the thread of the main context but relay_stream_get_figures.
 */
#pragma once

#include "relayconfig.h"

G_BEGIN_DECLS

typedef struct _RelayStream RelayStream;
typedef void (*RelayStreamFunc) (RelayStream * stream, gpointer data);

typedef enum
{
  RELAY_IDLE,                   /* stopped, or waits to start again */
  RELAY_STARTING,
  RELAY_RUNNING,
  RELAY_STOPPING,
} RelayState;

typedef struct
{
  gchar *uri;                   /* without secrets */
  guint64 refused;              /* callers, because of their streamid */
  GstStructure *stats;          /* NULL: it is not there */
} RelayEndFigures;

typedef struct
{
  gchar *name, *streamid;
  RelayState state;
  gboolean optional;
  gboolean receiving;           /* somebody sends to it, and is heard */
  guint64 restarts;
  gchar *error;                 /* the last one; NULL: none yet */
  gint64 since;                 /* µs, g_get_monotonic_time, of the state */
  RelayEndFigures input;
  GPtrArray *outputs;           /* RelayEndFigures */
} RelayStreamFigures;

RelayStream *relay_stream_new (RelayStreamConfig * config);
RelayStream *relay_stream_ref (RelayStream * stream);
void relay_stream_unref (RelayStream * stream);

RelayStreamConfig *relay_stream_get_config (RelayStream * stream);

/* Only when it is IDLE, and not waiting. @config: a new one, or NULL. */
void relay_stream_start (RelayStream * stream, RelayStreamConfig * config);
/* @func when it is IDLE, from the main context: at once, if it is. At most two seconds
 * of waiting for goodbyes. Not twice. */
void relay_stream_stop (RelayStream * stream, RelayStreamFunc func,
    gpointer data);
/* To a configuration that was compared as RELAY_ADJUST. FALSE: not now, as it is being
 * opened: start it anew. */
gboolean relay_stream_adjust (RelayStream * stream, RelayStreamConfig * config);

/* From any thread; holds up nothing. */
RelayStreamFigures *relay_stream_get_figures (RelayStream * stream);
void relay_stream_figures_free (RelayStreamFigures * figures);
const gchar *relay_state_get_name (RelayState state);

G_END_DECLS
