/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspconnection.h: what faspsink and faspsrc have in common: settings,
 * statistics, and the I/O object while they run.
 */
#pragma once

#include "gstfaspevents.h"
#include "gstfasplines.h"
#include "gstfaspredundancy.h"
#include "gstfasprecorder.h"
#include "gstfaspsettings.h"

G_BEGIN_DECLS

typedef struct _GstFaspConnection GstFaspConnection;

/* A source of the stream: one of several, or the only one. */
typedef struct
{
  GstFaspConnection *connection;
  guint number;
  GstFaspPosted posted;      /* used by its I/O thread only */
  GstFaspLines *lines;       /* while there is an I/O thread: used by it only */
  GstFaspRecorder *recorder; /* NULL: nothing is recorded */
  GstFaspRecorder *logger;   /* NULL: nothing is logged */
  FaspAddress peer;          /* the peer connected last; under the connection's lock */
} GstFaspSource;

struct _GstFaspConnection
{
  GstElement *element; /* owns the connection */
  FaspRole role;
  GstFaspSettings settings; /* under the object lock */
  GMutex lock;              /* guards io against threads other than the streaming thread */
  FaspIo *io;               /* of the first source; NULL: the element does not run */
  FaspSources *several;     /* all sources; NULL: there is only one */
  GstFaspSource sources[FASP_SOURCES_MAX];
  guint n_sources;             /* valid while the connection is open */
  gint flushing;               /* number of requests to flush; under the lock */
  GstClockID report;           /* periodic timer for stats-interval */
  GstFaspStretched *stretched; /* the passphrase's key, from READY until the connection is closed;
                                  NULL: no passphrase */
  GstFaspPosted posted;        /* messages about the stream of several sources; used by the
                                  streaming thread only */
  GstFaspQuiet changes[FASP_MERGE_DIFFERS + 1]; /* events of several sources, by type; used by the
                                                   streaming thread only */
  gboolean is_caller;   /* the element calls its peers; set at the start, as properties may change
                           later */
  gboolean failed;      /* an error was posted; used by the streaming thread only */
  gboolean busy_posted; /* the error of may_close() was posted */
  /* lets the element handle an event of a source before signals and messages go out; may be
   * NULL */
  void (*event) (GstElement *element, guint source, const FaspEvent *event);
};

void gst_fasp_connection_init (GstFaspConnection *connection, GstElement *element, FaspRole role);
void gst_fasp_connection_clear (GstFaspConnection *connection);

void gst_fasp_connection_set_property (GstFaspConnection *connection, guint id, const GValue *value,
    GParamSpec *pspec);
void gst_fasp_connection_get_property (GstFaspConnection *connection, guint id, GValue *value,
    GParamSpec *pspec);
/* Implements GstURIHandler for an element that has a connection. */
void gst_fasp_connection_init_uri_handler (gpointer iface, gpointer unused);

/* Installs the action signal "check-settings". It returns NULL if the element could probably start,
 * else a sentence that says why not and what to do, to be freed. It opens no port, and no file for
 * writing. */
void gst_fasp_connection_install_check (GObjectClass *klass);
/* To be called first at each change of state. From READY on, the passphrase's key is computed,
 * which takes long. */
void gst_fasp_connection_follow (GstFaspConnection *connection, GstStateChange transition);
/* Posts an error and returns FALSE if the connection cannot be opened. */
gboolean gst_fasp_connection_open (GstFaspConnection *connection);
/* Returns FALSE and posts an error if the caller is a handler of the element's own signals
 * or messages: that handler runs in a thread which would wait for its own end. */
gboolean gst_fasp_connection_may_close (GstFaspConnection *connection);
void gst_fasp_connection_close (GstFaspConnection *connection);
/* The flow return of a streaming thread that has posted an error.  After GST_FLOW_ERROR,
 * GStreamer's sources post "Internal data stream error" and then send EOS.  That second error says
 * less, and hides the first from applications that show the last. */
#define GST_FASP_FLOW_POSTED GST_FLOW_EOS
/* Posts the error that ended the stream, once; returns GST_FASP_FLOW_POSTED. */
GstFlowReturn gst_fasp_connection_fail (GstFaspConnection *connection, const FaspEvent *event);
/* fasp_io_read(), of one source or several; for the streaming thread. */
FaspIoResult gst_fasp_connection_read (GstFaspConnection *connection, FaspRead *items, guint max,
    guint *n, FaspEvent *event);
/* The clock of the sender of the last block read; of several sources, of the leader. */
FaspSenderClock gst_fasp_connection_get_sender_clock (GstFaspConnection *connection);
/* A signal's handler.  Disconnects the caller with this address, written as in the statistics.
 * FALSE: there is none. */
gboolean gst_fasp_connection_drop (GstElement *element, const gchar *address);
/* A signal's handler.  Answers a question whose answer a handler of caller-asked has put off.
 * FALSE: @ticket names no question, or one that was answered or whose caller has gone.
 * @why, @for_caller: plain text of at most 200 bytes; anything else counts as NULL, which is no
 * reason. */
gboolean gst_fasp_connection_decide (GstElement *element, const gchar *ticket, gboolean accept,
    const gchar *why, const gchar *for_caller, gboolean again);
/* Ends the sessions with all senders, and sends them the reason. */
void gst_fasp_connection_refuse (GstFaspConnection *connection, const gchar *why);
/* Tells the sender that a key frame is wanted.  May be called from any thread, whether open or not;
 * FALSE: there is no sender. */
gboolean gst_fasp_connection_want_key_frame (GstFaspConnection *connection);
/* A signal's handler.  Makes @source lead, of several sources.  May be called from any thread,
 * whether open or not.  FALSE: it is not connected. */
gboolean gst_fasp_connection_switch_source (GstElement *element, guint source);
/* May be called from any thread, whether open or not.  Ends every wait of the streaming thread.
 * No wait begins until each flush that has begun has ended. */
void gst_fasp_connection_flush (GstFaspConnection *connection, gboolean begins);

G_END_DECLS
