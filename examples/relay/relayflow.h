/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayflow.h: the one sender that a RIST input hears.
 *
 * GStreamer's RTP session keeps memory for each synchronization source (SSRC) that any datagram
 * names, and a thread for each that sends, for as long as it lives.  So what it gets names one:
 * that of the first RTP packet, with the one of its retransmissions, which differs in the last bit
 * (VSF TR-06-1, 5.3.3).  When that has been silent, and another one sends, a session without memory
 * of either has to take over.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* µs without a packet of it, after which another sender may take its place */
#define RELAY_FLOW_SILENCE G_TIME_SPAN_SECOND

typedef struct
{
  gboolean known;
  guint32 ssrc;    /* without the last bit */
  gint64 heard;    /* when a packet of it came last: g_get_monotonic_time, µs */
  gboolean ending; /* somebody else is to take over: nothing passes any more */
} RelayFlow;

typedef enum
{
  RELAY_FLOW_PASSES,
  RELAY_FLOW_REFUSED,
  RELAY_FLOW_ENDS, /* refused, and the first of the sender that is to take over */
} RelayFlowVerdict;

/* What becomes of an RTP packet of @ssrc that comes at @now. */
RelayFlowVerdict relay_flow_hear (RelayFlow *flow, guint32 ssrc, gint64 now);

/* Called from the threads that receive: a datagram is not of the flow, and was dropped. @rival: it
 * is media of somebody else, who is not heard. */
typedef void (*RelayFlowRefused) (gboolean rival, gpointer data);

/* Lets a ristsrc, which has not been started yet, hear one sender.  For another one to take over,
 * it posts a message of the type GST_MESSAGE_APPLICATION: build a new one.  @refused: with @data,
 * which have to live as long as the element. */
void relay_flow_watch (GstElement *ristsrc, RelayFlowRefused refused, gpointer data);

G_END_DECLS
