/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystream.h: one stream: a pipeline of an input, a tee and the outputs behind it.
 *
 *            start               the pipeline plays
 *     IDLE --------> STARTING --------------------> RUNNING
 *      ^                 |                             |
 *      |                 +--- stop, error, EOS --------+
 *      |                                               v
 *      +--------------- nothing is left ----------- STOPPING
 *
 * Transitions take time: opening an element stretches keys, closing it waits for goodbyes to
 * be answered.  Each transition has a thread of its own, so that no stream waits for
 * another.  After EOS or an error, the stream starts again 0.1 s later.  If it then does not
 * last for 10 s after an error, the delay doubles each time, up to 10 s.  While it is RUNNING, ends
 * come and go, each with a thread of its own, and the others do not notice.
 *
 * Call all functions but relay_stream_get_stats from the thread of the main context.
 */
#pragma once

#include "relaybranch.h"
#include "relaypicture.h"
#include "relaypreview.h"

G_BEGIN_DECLS

typedef struct _RelayStream RelayStream;
typedef void (*RelayStreamFunc) (RelayStream *stream, gpointer data);

typedef struct
{
  gchar *name, *streamid;
  RelayState state;
  gboolean optional;
  gboolean receiving; /* a sender is connected, and heard */
  gboolean closed;    /* whether callers may come in is asked in vain */
  guint64 restarts;   /* of the stream, and of outputs that failed */
  gchar *error;       /* the last one; NULL: none yet */
  gint64 since;       /* when the state began: g_get_monotonic_time, µs */
  RelayEndStats input;
  GPtrArray *outputs;         /* RelayEndStats, of all outputs that are configured or being
                                 closed */
  RelayPictureStats *picture; /* NULL: there are no pictures */
  RelayPreviewStats preview;
} RelayStreamStats;

RelayStream *relay_stream_new (RelayStreamConfig *config);
RelayStream *relay_stream_ref (RelayStream *stream);
void relay_stream_unref (RelayStream *stream);

RelayStreamConfig *relay_stream_get_config (RelayStream *stream);

/* To be called only when the stream is IDLE and does not wait to start. @config: a new
 * configuration, or NULL. */
void relay_stream_start (RelayStream *stream, RelayStreamConfig *config);
/* Calls @func from the main context when the stream is IDLE: at once, if it is already. Waits two
 * seconds at most for the sessions to close. Must not be called twice. */
void relay_stream_stop (RelayStream *stream, RelayStreamFunc func, gpointer data);
/* Takes a configuration that was compared as RELAY_ADJUST or RELAY_ENDS: sets properties that can
 * change while it plays, and closes the ends that were removed or must begin anew.  Calls @func
 * from the main context when these have released their ports, within this function if there are
 * none; then relay_stream_complete() must be called. FALSE: the stream is just starting, so it has
 * to be started anew. */
gboolean relay_stream_change (RelayStream *stream, RelayStreamConfig *config, RelayStreamFunc func,
    gpointer data);
/* Opens the ends of the configuration that are not open. */
void relay_stream_complete (RelayStream *stream);

/* Disconnects a receiver. @address: as in the statistics. FALSE: there is none. */
gboolean relay_stream_drop (RelayStream *stream, guint output, const gchar *address);
/* Makes a source of the input lead. @source: its number, from 0. FALSE: there is no such source. */
gboolean relay_stream_use_source (RelayStream *stream, guint source);

/* A viewer wants to watch the stream: as relay_preview_ask(). */
void relay_stream_ask_preview (RelayStream *stream, RelayPreviewFunc func,
    gboolean (*waits) (gpointer data), gpointer data);

/* May be called from any thread; does not block the stream. */
RelayStreamStats *relay_stream_get_stats (RelayStream *stream);
void relay_stream_stats_free (RelayStreamStats *stats);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayStream, relay_stream_unref);

G_END_DECLS
