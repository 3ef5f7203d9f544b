/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspconnection.h: what faspsink and faspsrc have in common: settings,
 * the I/O object while running, figures.
 */
#pragma once

#include "gstfaspevents.h"
#include "gstfasprecorder.h"
#include "gstfaspsettings.h"

G_BEGIN_DECLS

typedef struct _GstFaspConnection GstFaspConnection;

struct _GstFaspConnection
{
  GstElement *element;          /* not owned: it owns us */
  FaspRole role;
  GstFaspSettings settings;     /* under the object lock */
  GMutex lock;                  /* of io, against other threads than the stream's */
  FaspIo *io;                   /* NULL: not running */
  gint flushing;                /* how many ask for it; under the lock */
  GstClockID report;            /* periodic, for stats-interval */
  GstFaspRecorder *recorder;    /* NULL: nothing is recorded */
  GstFaspStretched *stretched;  /* while open; NULL: there is no passphrase */
  GstFaspRefusals refusals;     /* the I/O thread's */
  gboolean failed;              /* and that was told; the stream's */
  gboolean told_busy;           /* that it cannot be closed from where it was tried */
  /* the element's own share of an event; may be NULL */
  void (*event) (GstElement * element, const FaspEvent * event);
};

void gst_fasp_connection_init (GstFaspConnection * connection,
    GstElement * element, FaspRole role);
void gst_fasp_connection_clear (GstFaspConnection * connection);

void gst_fasp_connection_set_property (GstFaspConnection * connection,
    guint id, const GValue * value, GParamSpec * pspec);
void gst_fasp_connection_get_property (GstFaspConnection * connection,
    guint id, GValue * value, GParamSpec * pspec);
/* GstURIHandler of an element that has a connection. */
void gst_fasp_connection_init_uri_handler (gpointer iface, gpointer unused);

/* The action signal "check-settings": could it be opened, as far as that is known
 * before? NULL, or a sentence that says why not and what to do, to be freed. Opens no
 * port and no file to write to. */
void gst_fasp_connection_install_check (GObjectClass * klass);
/* Posts an error and returns FALSE when it cannot be opened. */
gboolean gst_fasp_connection_open (GstFaspConnection * connection);
/* FALSE: the caller is a handler of what the element itself tells, in a thread that
 * would wait for its own end; posts an error. */
gboolean gst_fasp_connection_may_close (GstFaspConnection * connection);
void gst_fasp_connection_close (GstFaspConnection * connection);
/* Posts the error that the stream has come to. */
GstFlowReturn gst_fasp_connection_fail (GstFaspConnection * connection,
    const FaspEvent * event);
/* From any thread, open or not: every wait of the stream's ends, and none begins, until each who
 * asked for it has ended that. */
void gst_fasp_connection_begin_flush (GstFaspConnection * connection);
void gst_fasp_connection_end_flush (GstFaspConnection * connection);

G_END_DECLS
