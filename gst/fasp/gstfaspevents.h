/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspevents.h: what happens to connections, as signals and messages.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

/* The signals of srtsink: caller-added, caller-removed, caller-rejected,
 * caller-connecting; and caller-identified. */
void gst_fasp_events_install (GObjectClass * klass);

/* Whom a refusal was told of: a caller repeats its call before it gives up, and with
 * auto-reconnect without end. */
typedef struct
{
  struct
  {
    FaspAddress caller;
    FaspReason reason;
    gint64 time;                /* 0: nobody */
  } last[8];
  guint next;
} GstFaspRefusals;

/* Emits the signals and posts the messages for @event; answers the core when
 * it asks.  Errors are left to the element. */
void gst_fasp_events_handle (GstElement * element, FaspIo * io,
    const FaspEvent * event, GstFaspRefusals * refusals);
void gst_fasp_events_resolve_failed (GstElement * element,
    const gchar * host, const GError * error);

/* A sentence that says why, for an error or warning. Free with g_free(). */
gchar *gst_fasp_events_explain (const FaspEvent * event);
/* The peer's address and port as text. Free with g_free(). */
gchar *gst_fasp_events_peer (const FaspEvent * event);
/* Is a warning to be given now?  Not if it was less than a minute ago, at *told, µs; 0: never
 * before. */
gboolean gst_fasp_events_is_due (gint64 * told);
/* The kernel's limit of receive buffers is too low for this rate (bit/s). */
void gst_fasp_events_buffer_short (GstElement * element, guint64 rate,
    gsize granted, gsize wanted);
/* Datagrams cannot be sent, or received, for a reason of this machine. */
void gst_fasp_events_send_failed (GstElement * element, const gchar * why);
void gst_fasp_events_receive_failed (GstElement * element, const gchar * why);

G_END_DECLS
