/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspevents.h: tells the application what happens to connections, by signals and
 * messages.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"
#include "gstfaspquiet.h"

G_BEGIN_DECLS

/* Installs the signals that srtsink has (caller-added, caller-removed, caller-rejected,
 * caller-connecting), and those of gstfaspcallers.h. */
void gst_fasp_events_install (GObjectClass *klass);

/* For GST_ELEMENT_*_WITH_DETAILS(): the reason why a peer was refused or has left. */
#define GST_FASP_REASON(event) ("reason-code", G_TYPE_UINT, (guint) (event)->reason, NULL)
/* For the same: the peer that a warning or an information is about, and what has happened to it. */
#define GST_FASP_PEER(event, peer) \
  ("event", G_TYPE_STRING, event, "address-string", G_TYPE_STRING, peer, NULL)
#define GST_FASP_PEER_GONE(event, peer) \
  ("event", G_TYPE_STRING, "peer-gone", "address-string", G_TYPE_STRING, peer, "reason-code", \
      G_TYPE_UINT, (guint) (event)->reason, NULL)

/* Kinds of messages that any host can cause, and that are therefore limited (gstfaspquiet.h). */
typedef enum
{
  GST_FASP_QUIET_REFUSED,
  GST_FASP_QUIET_LEFT,
  GST_FASP_QUIET_INTERRUPTED,
  GST_FASP_QUIET_RESUMED,
  GST_FASP_QUIET_JOINED,
  GST_FASP_QUIET_FLOWS,
  GST_FASP_QUIET_FEC,
  GST_FASP_QUIET_SHORT,
  GST_FASP_QUIET_PRESENTATION,
  GST_FASP_QUIET_KINDS,
} GstFaspQuietKind;

/* The messages posted so far.  A caller repeats its call, with auto-reconnect for ever, so not each
 * refusal gets a warning. */
typedef struct
{
  GstFaspQuiet quiet[GST_FASP_QUIET_KINDS];
  /* the last refusals for which a warning was posted */
  struct
  {
    FaspAddress caller;
    FaspReason reason;
    gint64 time; /* 0: the entry is free */
  } last[8];
  guint next;
} GstFaspPosted;

/* Emits the signals and posts the messages for @event.  The element itself posts errors;
 * gstfasplines.h posts messages about flows, gstfaspcallers.h asks about callers. */
void gst_fasp_events_handle (GstElement *element, FaspIo *io, const FaspEvent *event,
    GstFaspPosted *posted);
void gst_fasp_events_resolve_failed (GstElement *element, const gchar *host, const GError *error);

/* Returns the reason of @event as a sentence, for an error or warning. Free with g_free(). */
gchar *gst_fasp_events_explain (const FaspEvent *event);
/* Returns the peer's address and port as text. Free with g_free(). */
gchar *gst_fasp_events_peer (const FaspEvent *event);
/* May a warning be posted now?  FALSE: it was posted less than a minute ago.  *last: when it was
 * posted last, µs; 0: never. */
gboolean gst_fasp_events_is_due (gint64 *last);
/* Warns that the kernel's limit for receive buffers is too low for this rate (bit/s). */
void gst_fasp_events_buffer_short (GstElement *element, guint64 rate, gsize granted, gsize wanted);
/* Warn that this machine cannot send, or receive, datagrams. @line: the line that fails; NULL:
 * there is only one. */
void gst_fasp_events_send_failed (GstElement *element, const gchar *line, const gchar *why);
void gst_fasp_events_receive_failed (GstElement *element, const gchar *why);

G_END_DECLS
