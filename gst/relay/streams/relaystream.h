/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystream.h: one stream: a pipeline of one faspsrc, a tee and the faspsinks behind it.
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

G_BEGIN_DECLS

typedef struct _RelayStream RelayStream;
typedef void (*RelayStreamFunc) (RelayStream *stream, gpointer data);

typedef struct
{
  gchar *name, *streamid;
  RelayState state;
  gboolean optional;
  gboolean receiving; /* a sender is connected, and heard */
  guint64 restarts;   /* of the stream, or of an output that failed */
  gchar *error;       /* the last one; NULL: none yet */
  gint64 since;       /* when the state began: g_get_monotonic_time, µs */
  RelayEndStats input;
  GPtrArray *outputs;         /* RelayEndStats, of each that is configured, or is being closed */
  RelayPictureStats *picture; /* NULL: there are no pictures */
} RelayStreamStats;

RelayStream *relay_stream_new (RelayStreamConfig *config);
RelayStream *relay_stream_ref (RelayStream *stream);
void relay_stream_unref (RelayStream *stream);

RelayStreamConfig *relay_stream_get_config (RelayStream *stream);

/* Call this only when the stream is IDLE, and not waiting. @config: a new one, or NULL. */
void relay_stream_start (RelayStream *stream, RelayStreamConfig *config);
/* Calls @func from the main context when the stream is IDLE: at once, if it is already.
 * Waits two seconds at most for goodbyes. Do not call this twice. */
void relay_stream_stop (RelayStream *stream, RelayStreamFunc func, gpointer data);
/* Takes a configuration that was compared as RELAY_ADJUST or RELAY_ENDS: sets what can be set while
 * it plays, and closes those ends that have to begin anew or are gone.  Calls @func from the main
 * context when they have released their ports, within this function if none had to.  Then call
 * relay_stream_complete().  FALSE: the stream is being opened, so this is not possible now: start
 * it anew. */
gboolean relay_stream_change (RelayStream *stream, RelayStreamConfig *config, RelayStreamFunc func,
    gpointer data);
/* Opens the ends of the configuration that are not there. */
void relay_stream_complete (RelayStream *stream);

/* Asks the source that the configuration names to lead, if the stream runs and it names one. */
void relay_stream_switch_source (RelayStream *stream);
/* Disconnects a receiver, by its address as the statistics tell it. FALSE: there is none. */
gboolean relay_stream_drop (RelayStream *stream, guint output, const gchar *address);
/* Uses another of the input's sources, from 0. FALSE: it has none, or not this one. */
gboolean relay_stream_use_source (RelayStream *stream, guint source);

/* May be called from any thread; holds up nothing. */
RelayStreamStats *relay_stream_get_stats (RelayStream *stream);
void relay_stream_stats_free (RelayStreamStats *stats);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayStream, relay_stream_unref);

G_END_DECLS
