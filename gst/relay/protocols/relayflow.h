/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayflow.h: the one sender that a RIST input hears.
 *
 * GStreamer's RTP session keeps memory for each synchronization source (SSRC) that any datagram
 * names, and for some kinds of report, as long as it lives.  So it gets the media of one SSRC: the
 * first that comes, and its retransmissions, whose SSRC differs in the last bit (VSF TR-06-1,
 * 5.3.3).  Some senders only report until they are answered: until the sender of the media reports
 * itself, reports of a few others pass, too.  When no media comes any more, and another sender is
 * there, a session that knows none of them follows.  Anybody can send reports: another sender has
 * taken over only when its media come.
 *
 *     new --media--> heard --its reports--> reported
 *      '---------------'------------------------'---another sender after the silence---> over
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* The elements of ristsrc and ristsink that receive. */
#define RELAY_RIST_MEDIA "rist_rtp_udpsrc0"
#define RELAY_RIST_REPORTS "rist_rtcp_udpsrc0"

#define RELAY_FLOW_REPORTERS 4 /* senders that may report before media has come */

typedef enum
{
  RELAY_FLOW_NEW,      /* no media has come: a few senders may report */
  RELAY_FLOW_HEARD,    /* media of `ssrc' has come: a few senders may still report */
  RELAY_FLOW_REPORTED, /* the sender of the media has reported: no other one may any more */
  RELAY_FLOW_OVER,     /* no datagram passes any more */
} RelayFlowState;

typedef struct
{
  gint64 silence; /* µs without media after which another sender may take over */
  RelayFlowState state;
  gboolean known; /* `ssrc', the SSRC of the media without the last bit, is known: of this session,
                     or, while it is new, of the one before */
  guint32 ssrc;
  gint64 heard; /* when media last came; before any, when the first report came */
  guint32 reporters[RELAY_FLOW_REPORTERS];
  guint n_reporters;
  gboolean refused, notified; /* media of a second sender was refused since; the user was told */
} RelayFlow;

typedef enum
{
  RELAY_FLOW_PASSES,
  RELAY_FLOW_SECOND,     /* passes, as the first media after a refusal; the user is told once */
  RELAY_FLOW_TAKES_OVER, /* passes, as the first media of another sender than before */
  RELAY_FLOW_REFUSED,
  RELAY_FLOW_FOREIGN, /* refused, as it is no MPEG-TS in RTP */
  RELAY_FLOW_ENDS,    /* refused; the first datagram of another sender after the silence, for which
                         the element must be built anew */
} RelayFlowVerdict;

/* The verdict on media, and on a report, of @ssrc that come at @now: g_get_monotonic_time, µs.
 * @sends: the report is a sender's. */
RelayFlowVerdict relay_flow_hear (RelayFlow *flow, guint32 ssrc, gint64 now);
RelayFlowVerdict relay_flow_hear_report (RelayFlow *flow, guint32 ssrc, gboolean sends, gint64 now);

/* Called from the threads that receive. @from: whence the media came, or, with RELAY_FLOW_SECOND,
 * whence others were refused last; NULL: not known. */
typedef void (*RelayFlowFunc) (RelayFlowVerdict verdict, GSocketAddress *from, gpointer data);

/* Makes a ristsrc, which has not been started yet, receive from one sender only. @flow: that of the
 * element before, which has stopped; the first one's is zeroed. @silence: µs. @func: called for
 * each verdict on media except RELAY_FLOW_PASSES and RELAY_FLOW_ENDS. @flow and @data must live as
 * long as the element. After RELAY_FLOW_ENDS the element posts GST_MESSAGE_APPLICATION, and must be
 * replaced by a new one. */
void relay_flow_watch (GstElement *ristsrc, RelayFlow *flow, gint64 silence, RelayFlowFunc func,
    gpointer data);

/* Makes a ristsink, which has not been started yet, take only reports and retransmission requests
 * of RIST receivers (VSF TR-06-1, 5.3.2).  @heard: called for each. */
void relay_flow_guard (GstElement *ristsink, void (*heard) (gpointer data), gpointer data);

G_END_DECLS
