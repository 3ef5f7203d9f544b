/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayprotocolpipeline.h: the pipeline of an end that is not fasp, and the thread that keeps it
 * running.
 *
 * It is a pipeline of its own, so that nothing that fails or waits in it is felt by the stream.
 *
 *     build --> PLAYING --> error, end of a file --> NULL --> wait --> build ...
 *
 * After an error it is built anew 0.1 s later.  If it then does not last for 10 s, the delay
 * doubles each time, up to 10 s.  A file that has been played is begun again at once, and so is a
 * RIST input when another sender is there.
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>
#include "gstfaspmonitor.h"
#include "relayprotocoluri.h"
#include "relaystate.h"

G_BEGIN_DECLS

typedef struct _RelayProtocolPipeline RelayProtocolPipeline;

/* Called from threads of the pipeline. */
typedef struct
{
  /* An input has received @buffer. Takes the reference. */
  void (*received) (GstBuffer *buffer, gpointer data);
  /* Tells the user that something has failed. @why: repetitions have the same one. */
  void (*tell) (const gchar *text, const gchar *why, gpointer data);
  /* Reports what an element warns of, perhaps with each datagram. */
  void (*warn) (const gchar *text, gpointer data);
  /* A peer has come, gone, was refused, or takes over. Takes @peer: "connection-added", "-removed",
   * "-refused" or "-used", with the fields of faspsink's messages of these names that are known; or
   * "piece-finished", with `path'. */
  void (*visit) (GstStructure *peer, gpointer data);
  /* A caller that chooses this end wants to connect. FALSE: it is refused. */
  gboolean (*calls) (GSocketAddress *address, const gchar *streamid, gpointer data);
  /* May a caller come in?  TRUE: the answer comes later, by the protocol's decide(); FALSE: it may.
   * @address: with its port.  @caller: its number. */
  gboolean (*asks) (const gchar *address, const gchar *streamid, guint64 caller, gpointer data);
} RelayProtocolPipelineFuncs;

typedef enum
{
  RELAY_CALLERS_REFUSED,   /* callers and senders, but for those of `calls' above */
  RELAY_DATAGRAMS_REFUSED, /* datagrams that were not media of the accepted sender */
  RELAY_SOURCE_CHANGES,    /* senders of an input that took over */
  RELAY_PIPELINE_COUNTS,
} RelayProtocolPipelineCount;

typedef struct
{
  /* IDLE: it waits to start again, after an error; STARTING: also while it dials, one of two legs
   * sends nothing, or no receiver reports */
  RelayState state;
  guint callers;    /* connected callers; 0: none, or not known */
  guint64 restarts; /* after errors */
  guint64 counts[RELAY_PIPELINE_COUNTS];
  guint64 level;        /* bytes that wait to be sent */
  guint64 sent, failed; /* of an output: bytes handed to the network or to the file's element, and
                           bytes dropped instead */
  gchar *error; /* why the pipeline does not reach its network; NULL: it does, or has not failed
                   yet */
} RelayProtocolPipelineStats;

/* Starts the thread; NULL: it could not be started. @owner: owns @protocol_uri, is referenced while
 * the thread runs, and is the last argument of @funcs. */
RelayProtocolPipeline *relay_protocol_pipeline_new (const RelayProtocolUri *protocol_uri,
    const RelayProtocolPipelineFuncs *funcs, GObject *owner, GError **error);
/* A reference is for reading statistics, while the owner ends the pipeline in another thread. */
RelayProtocolPipeline *relay_protocol_pipeline_ref (RelayProtocolPipeline *self);
void relay_protocol_pipeline_unref (RelayProtocolPipeline *self);
/* Sends waiting data, for half a second at most, and ends the thread.  Does not wait for that. */
void relay_protocol_pipeline_call_off (RelayProtocolPipeline *self);
/* The same, with the owner's reference, and waits until a second after it was called off, at most:
 * a thread that writes to a disk which does not answer ends later. *stats: the final ones. */
void relay_protocol_pipeline_end (RelayProtocolPipeline *self, RelayProtocolPipelineStats *stats);

/* Sends a buffer, taking its reference. If the end is timed, its PTS is the time of departure by
 * relay_timer_get_time(). Never blocks. FALSE: the buffer was dropped, as no pipeline
 * plays or is built, or more than @most bytes would wait. */
gboolean relay_protocol_pipeline_send (RelayProtocolPipeline *self, GstBuffer *buffer,
    guint64 most);

void relay_protocol_pipeline_get_stats (RelayProtocolPipeline *self,
    RelayProtocolPipelineStats *stats);
/* Returns what was measured of the data; NULL: nothing was. */
GstFaspMonitor *relay_protocol_pipeline_copy_monitor (RelayProtocolPipeline *self);
/* Adds what is known of the stream that passed, and what the protocol knows (relayprotocol.h). */
void relay_protocol_pipeline_add_figures (RelayProtocolPipeline *self, GstStructure *stats,
    GPtrArray *peers);

/* For the protocol's file. All but the first two may be called from threads of elements. */

const RelayProtocolUri *relay_protocol_pipeline_get_uri (RelayProtocolPipeline *self);
void relay_protocol_pipeline_count (RelayProtocolPipeline *self, RelayProtocolPipelineCount which);
guint64 relay_protocol_pipeline_get_count (RelayProtocolPipeline *self,
    RelayProtocolPipelineCount which);
/* May this caller connect, which this end has chosen by its streamid?  Never waits. */
gboolean relay_protocol_pipeline_admits (RelayProtocolPipeline *self, GSocketAddress *address,
    const gchar *streamid);
/* May this caller come in?  TRUE: the answer comes later, by decide() of relayprotocol.h; FALSE: it
 * may. */
gboolean relay_protocol_pipeline_asks (RelayProtocolPipeline *self, GSocketAddress *address,
    const gchar *streamid, guint64 caller);
/* A caller or sender is refused.  @which: counts it.  @address, @streamid: or NULL.  @reason: why,
 * and what to do.  Of a flood of refusals, all are counted, and few are reported. */
void relay_protocol_pipeline_refuse (RelayProtocolPipeline *self, RelayProtocolPipelineCount which,
    GSocketAddress *address, const gchar *streamid, const gchar *reason);
/* The end reaches its network or disk. Of an output, needed only if its bytes are not counted. */
void relay_protocol_pipeline_note_work (RelayProtocolPipeline *self);
/* The receiver of an output has reported what it receives. */
void relay_protocol_pipeline_note_report (RelayProtocolPipeline *self);
/* Reports one that is counted elsewhere. @port: at which the caller asked for a stream that is not
 * there, so that the refusal concerns no stream; 0: it asked for this one. */
void relay_protocol_pipeline_note_refusal (RelayProtocolPipeline *self, GSocketAddress *address,
    const gchar *streamid, const gchar *reason, guint port);
/* A caller, or the peer that was dialled, is connected, or has gone.  @address, @streamid, @reason:
 * or NULL. */
void relay_protocol_pipeline_note_caller (RelayProtocolPipeline *self, GSocketAddress *address,
    const gchar *streamid, gboolean connected, const gchar *reason);
/* A sender is used from now on, instead of one that has gone or is silent. @address, @streamid: or
 * NULL. */
void relay_protocol_pipeline_note_takeover (RelayProtocolPipeline *self, GSocketAddress *address,
    const gchar *streamid);
/* A piece of a recording is finished. */
void relay_protocol_pipeline_note_piece (RelayProtocolPipeline *self, const gchar *path);
/* An output has handled @handled bytes of its media. @sent, @failed: how many of them were sent, or
 * dropped instead, to each caller. */
void relay_protocol_pipeline_note_sent (RelayProtocolPipeline *self, gsize handled, guint64 sent,
    guint64 failed);

G_END_DECLS
