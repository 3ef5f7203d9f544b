/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayflow.h: the one sender that a RIST input hears.
 *
 * GStreamer's RTP session keeps memory for each synchronization source (SSRC) that any datagram
 * names, and for some kinds of report, as long as it lives.  So it gets the media of one SSRC: the
 * first that comes, and its retransmissions, whose SSRC differs in the last bit (VSF TR-06-1,
 * 5.3.3).  Some senders only report until they are answered: until the sender of the media reports
 * itself, reports of a few others pass, too.  A session that knows none of them takes over when no
 * media comes any more, and another sender is there.
 *
 *     reports of a few --> media of one --> its reports alone --> silence, another one --> ends
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The elements of ristsrc and ristsink that receive. */
#define RELAY_RIST_MEDIA "rist_rtp_udpsrc0"
#define RELAY_RIST_REPORTS "rist_rtcp_udpsrc0"

#define RELAY_FLOW_REPORTERS 4 /* senders that may wait for an answer */

typedef struct
{
  gint64 silence; /* µs without media, after which another sender may take over */
  gboolean known; /* the SSRC of the media, without the last bit */
  guint32 ssrc;
  gint64 heard; /* when media came last; before, when the first report came */
  guint32 reporters[RELAY_FLOW_REPORTERS];
  guint n_reporters;
  gboolean reports; /* the sender of the media has reported: no other reports pass any more */
  gboolean refused, notified; /* media of a second sender has come since; the user knows */
  gboolean ending;            /* nothing passes any more */
} RelayFlow;

typedef enum
{
  RELAY_FLOW_PASSES,
  RELAY_FLOW_SECOND, /* passes, as the first after media that was refused; once */
  RELAY_FLOW_REFUSED,
  RELAY_FLOW_ENDS, /* refused, as the first of another one after the silence */
} RelayFlowVerdict;

/* What becomes of media and of a report of @ssrc that come at @now: g_get_monotonic_time, µs.
 * @sends: the report is one of a sender. */
RelayFlowVerdict relay_flow_hear (RelayFlow *flow, guint32 ssrc, gint64 now);
RelayFlowVerdict relay_flow_hear_report (RelayFlow *flow, guint32 ssrc, gboolean sends, gint64 now);

/* Called from the threads that receive. */
typedef void (*RelayFlowFunc) (RelayFlowVerdict verdict, gpointer data);

/* Lets a ristsrc, which has not been started yet, hear one sender.  @silence: µs.  @func: called
 * for each verdict but the first, of reports for the last alone, with @data, which has to live as
 * long as the element.  After that one the element posts a message of the type
 * GST_MESSAGE_APPLICATION: build a new one. */
void relay_flow_watch (GstElement *ristsrc, gint64 silence, RelayFlowFunc func, gpointer data);

/* Lets a ristsink, which has not been started yet, hear only what receivers of RIST report:
 * reports, and what they miss (VSF TR-06-1, 5.3.2). */
void relay_flow_guard (GstElement *ristsink);

G_END_DECLS
