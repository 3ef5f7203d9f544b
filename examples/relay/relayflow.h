/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayflow.h: the one sender that a RIST input hears.
 *
 * GStreamer's RTP session keeps memory for each synchronization source (SSRC) that any datagram
 * names, and for some kinds of report, as long as it lives.  So what it gets names one: that of
 * the first media, with the one of its retransmissions, which differs in the last bit (VSF
 * TR-06-1, 5.3.3), and of reports one more, as there are senders that report before they send, and
 * wait for an answer.  When that sender has been silent, and another one is there, a session
 * without memory of either has to take over.
 *
 *     reports of one --> media of one, its reports --> silence, another one --> ends
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 silence; /* µs without it, after which another sender may take over */
  gboolean known; /* the SSRC of the media, without the last bit */
  guint32 ssrc;
  gboolean has_reporter; /* whose reports pass */
  guint32 reporter;
  gint64 heard;           /* when it was heard last, by its media, or before by its reports */
  gboolean refused, told; /* since then media of a second sender came; that was told */
  gboolean ending;        /* another one takes over: nothing passes any more */
} RelayFlow;

typedef enum
{
  RELAY_FLOW_PASSES,
  RELAY_FLOW_SECOND, /* passes, as the first after media that was refused */
  RELAY_FLOW_REFUSED,
  RELAY_FLOW_ENDS, /* refused, as the first of the sender that takes over */
} RelayFlowVerdict;

/* What becomes of media and of a report of @ssrc that come at @now: g_get_monotonic_time, µs.
 * @sends: the report is one of a sender. */
RelayFlowVerdict relay_flow_hear (RelayFlow *flow, guint32 ssrc, gint64 now);
RelayFlowVerdict relay_flow_hear_report (RelayFlow *flow, guint32 ssrc, gboolean sends, gint64 now);

/* Called from the threads that receive. */
typedef void (*RelayFlowFunc) (RelayFlowVerdict verdict, gpointer data);

/* Lets a ristsrc, which has not been started yet, hear one sender.  @silence: µs.  @func: called
 * for media that is refused, and for what RELAY_FLOW_SECOND and RELAY_FLOW_ENDS mean, with @data,
 * which has to live as long as the element.  For the latter, the element posts a message of the
 * type GST_MESSAGE_APPLICATION: build a new one. */
void relay_flow_watch (GstElement *ristsrc, gint64 silence, RelayFlowFunc func, gpointer data);

G_END_DECLS
