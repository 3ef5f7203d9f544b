/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/rtp.h>
#include "relayflow.h"
#include "relayguard.h"

#define RETRANSMISSION 1u /* the bit of the SSRC that marks retransmissions */

/* Refuses media or a report of another sender. */
static RelayFlowVerdict
refuse (RelayFlow *flow, gint64 now)
{
  if (flow->state == RELAY_FLOW_OVER || now - flow->heard < flow->silence)
    return RELAY_FLOW_REFUSED;
  flow->state = RELAY_FLOW_OVER;
  return RELAY_FLOW_ENDS;
}

RelayFlowVerdict
relay_flow_hear (RelayFlow *flow, guint32 ssrc, gint64 now)
{
  gboolean second = flow->refused && !flow->notified, other;

  ssrc &= ~RETRANSMISSION;
  other = flow->known && flow->ssrc != ssrc;
  if (flow->state == RELAY_FLOW_OVER || (flow->state != RELAY_FLOW_NEW && other)) {
    flow->refused = TRUE;
    return refuse (flow, now);
  }
  flow->state = MAX (flow->state, RELAY_FLOW_HEARD);
  flow->known = TRUE;
  flow->ssrc = ssrc;
  flow->heard = now;
  flow->notified |= second;
  return other ? RELAY_FLOW_TAKES_OVER : second ? RELAY_FLOW_SECOND : RELAY_FLOW_PASSES;
}

/* May this sender or receiver report? Until the sender of the media does, the first
 * RELAY_FLOW_REPORTERS may. */
static gboolean
may_report (RelayFlow *flow, guint32 ssrc, gint64 now)
{
  if (flow->state == RELAY_FLOW_REPORTED || flow->state == RELAY_FLOW_OVER)
    return flow->state == RELAY_FLOW_REPORTED && flow->ssrc == ssrc;
  for (guint i = 0; i < flow->n_reporters; i++)
    if (flow->reporters[i] == ssrc)
      return TRUE;
  if (flow->n_reporters == RELAY_FLOW_REPORTERS)
    return FALSE;
  if (flow->n_reporters == 0 && flow->state == RELAY_FLOW_NEW)
    flow->heard = now;
  flow->reporters[flow->n_reporters++] = ssrc;
  return TRUE;
}

RelayFlowVerdict
relay_flow_hear_report (RelayFlow *flow, guint32 ssrc, gboolean sends, gint64 now)
{
  ssrc &= ~RETRANSMISSION;
  if (flow->state == RELAY_FLOW_HEARD && flow->ssrc == ssrc)
    flow->state = RELAY_FLOW_REPORTED;
  if (may_report (flow, ssrc, now))
    return RELAY_FLOW_PASSES;
  return sends ? refuse (flow, now) : RELAY_FLOW_REFUSED;
}

/* --- what ristsrc receives ----------------------------------------------------------------- */

typedef struct
{
  GstElement *ristsrc; /* its threads call the probes */
  RelayFlowFunc func;
  gpointer data;
  GMutex lock; /* guards the rest */
  RelayFlow *flow;
  GSocketAddress *refused; /* whence media were refused last, or have taken over */
} Watch;

static void
free_watch (gpointer data)
{
  Watch *watch = data;

  g_clear_object (&watch->refused);
  g_mutex_clear (&watch->lock);
  g_free (watch);
}

/* Returns whence media come, or were refused last. */
static GSocketAddress *
find_origin (Watch *watch, RelayFlowVerdict verdict, GstBuffer *media)
{
  const GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (media);
  GSocketAddress *from = NULL;

  g_mutex_lock (&watch->lock);
  if (verdict != RELAY_FLOW_SECOND && meta != NULL)
    g_set_object (&watch->refused, meta->addr);
  if (watch->refused != NULL)
    from = g_object_ref (watch->refused);
  g_mutex_unlock (&watch->lock);
  return from;
}

/* Applies the verdict. TRUE: the datagram passes. @media: NULL: it is a report. */
static gboolean
carry_out (Watch *watch, RelayFlowVerdict verdict, GstBuffer *media)
{
  if (media != NULL && verdict != RELAY_FLOW_PASSES && verdict != RELAY_FLOW_ENDS) {
    g_autoptr (GSocketAddress) from = find_origin (watch, verdict, media);

    watch->func (verdict, from, watch->data);
  }
  if (verdict == RELAY_FLOW_ENDS)
    gst_element_post_message (watch->ristsrc,
        gst_message_new_application (GST_OBJECT (watch->ristsrc),
            gst_structure_new_empty ("another-sender")));
  return verdict < RELAY_FLOW_REFUSED;
}

static gboolean
takes_rtp (gpointer data, GstBuffer *buffer)
{
  Watch *watch = data;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  RelayFlowVerdict verdict = RELAY_FLOW_FOREIGN;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return carry_out (watch, verdict, buffer);
  /* ristsrc would make a source of each contributing source, and another pad for another payload
   * type */
  if (gst_rtp_buffer_get_csrc_count (&rtp) == 0
      && gst_rtp_buffer_get_payload_type (&rtp) == GST_RTP_PAYLOAD_MP2T) {
    g_mutex_lock (&watch->lock);
    verdict =
        relay_flow_hear (watch->flow, gst_rtp_buffer_get_ssrc (&rtp), g_get_monotonic_time ());
    g_mutex_unlock (&watch->lock);
  }
  gst_rtp_buffer_unmap (&rtp);
  return carry_out (watch, verdict, buffer);
}

/* Are two SSRCs equal, apart from the bit that marks retransmissions? */
static gboolean
is_same (guint32 ssrc, guint32 other)
{
  return ((ssrc ^ other) & ~RETRANSMISSION) == 0;
}

/* Has a source description no private items, whose names GLib would keep for ever? @ssrc: and does
 * it describe only this source? NULL: any. */
static gboolean
describes (GstRTCPPacket *sdes, const guint32 *ssrc)
{
  GstRTCPSDESType type = GST_RTCP_SDES_PRIV;

  for (gboolean more = gst_rtcp_packet_sdes_first_item (sdes); more;
      more = gst_rtcp_packet_sdes_next_item (sdes)) {
    if (ssrc != NULL && !is_same (gst_rtcp_packet_sdes_get_ssrc (sdes), *ssrc))
      return FALSE;
    for (gboolean entry = gst_rtcp_packet_sdes_first_entry (sdes); entry;
        entry = gst_rtcp_packet_sdes_next_entry (sdes))
      if (!gst_rtcp_packet_sdes_get_entry (sdes, &type, NULL, NULL) || type == GST_RTCP_SDES_PRIV)
        return FALSE;
  }
  return TRUE;
}

/* May this packet of a receiver pass, as the RTP session of a sender keeps no more of it than of a
 * report? */
static gboolean
is_of_receiver (GstRTCPPacket *packet)
{
  switch (gst_rtcp_packet_get_type (packet)) {
    case GST_RTCP_TYPE_SR:
    case GST_RTCP_TYPE_RR:
    case GST_RTCP_TYPE_APP:
    case GST_RTCP_TYPE_XR:
      return TRUE;
    case GST_RTCP_TYPE_SDES:
      return describes (packet, NULL);
    case GST_RTCP_TYPE_RTPFB:
      return gst_rtcp_packet_fb_get_type (packet) == GST_RTCP_RTPFB_TYPE_NACK;
    default:
      return FALSE;
  }
}

/* Returns the SSRC of the sender or receiver of a report. */
static guint32
get_reporter (GstRTCPPacket *packet)
{
  guint32 ssrc;

  if (gst_rtcp_packet_get_type (packet) != GST_RTCP_TYPE_SR)
    return gst_rtcp_packet_rr_get_ssrc (packet);
  gst_rtcp_packet_sr_get_sender_info (packet, &ssrc, NULL, NULL, NULL, NULL);
  return ssrc;
}

/* May this packet of the sender @ssrc pass, as the RTP session of a receiver keeps no more of it
 * than of a report? It would keep feedback on media and on congestion without bound; after each BYE
 * it would make another source of the same sender, and ristsrc another pad. */
static gboolean
is_of_sender (GstRTCPPacket *packet, guint32 ssrc)
{
  switch (gst_rtcp_packet_get_type (packet)) {
    case GST_RTCP_TYPE_SR:
    case GST_RTCP_TYPE_RR:
      return is_same (get_reporter (packet), ssrc);
    case GST_RTCP_TYPE_SDES:
      return describes (packet, &ssrc);
    default:
      return is_of_receiver (packet) && gst_rtcp_packet_get_type (packet) != GST_RTCP_TYPE_RTPFB;
  }
}

/* Checks a datagram of RTCP. FALSE: it does not begin with a report, or a session would keep
 * something of it. *ssrc: of the report's sender; @ssrc NULL: the datagram came from a receiver. */
static gboolean
read_reports (GstBuffer *buffer, guint32 *ssrc, gboolean *sends)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gboolean good, more;

  if (!gst_rtcp_buffer_validate (buffer) || !gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp))
    return FALSE;
  good = more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet);
  if (good && ssrc != NULL) {
    *ssrc = get_reporter (&packet);
    *sends = gst_rtcp_packet_get_type (&packet) == GST_RTCP_TYPE_SR;
  }
  for (; more && good; more = gst_rtcp_packet_move_to_next (&packet))
    good = ssrc != NULL ? is_of_sender (&packet, *ssrc) : is_of_receiver (&packet);
  gst_rtcp_buffer_unmap (&rtcp);
  return good;
}

static gboolean
takes_rtcp (gpointer data, GstBuffer *buffer)
{
  Watch *watch = data;
  RelayFlowVerdict verdict;
  guint32 ssrc;
  gboolean sends;

  if (!read_reports (buffer, &ssrc, &sends))
    return FALSE;
  g_mutex_lock (&watch->lock);
  verdict = relay_flow_hear_report (watch->flow, ssrc, sends, g_get_monotonic_time ());
  g_mutex_unlock (&watch->lock);
  return carry_out (watch, verdict, NULL);
}

typedef struct
{
  void (*heard) (gpointer data);
  gpointer data;
} Guard;

/* Does a ristsink get this datagram? Only reports of receivers pass. */
static gboolean
takes_reports (gpointer data, GstBuffer *buffer)
{
  const Guard *guard = data;
  gboolean good = read_reports (buffer, NULL, NULL);

  if (good)
    guard->heard (guard->data);
  return good;
}

/* To be called before the element starts and adds its own probe, which answers reports. */
static void
watch_part (GstElement *end, const gchar *name, RelayGuardTakes takes, gpointer data,
    GDestroyNotify free_data)
{
  g_autoptr (GstElement) udpsrc = gst_bin_get_by_name (GST_BIN (end), name);

  g_return_if_fail (udpsrc != NULL);
  relay_guard_watch (udpsrc, takes, data, free_data);
}

void
relay_flow_watch (GstElement *ristsrc, RelayFlow *flow, gint64 silence, RelayFlowFunc func,
    gpointer data)
{
  Watch *watch = g_new0 (Watch, 1);

  *flow = (RelayFlow) { .silence = silence, .known = flow->known, .ssrc = flow->ssrc };
  watch->ristsrc = ristsrc;
  watch->func = func;
  watch->data = data;
  watch->flow = flow;
  g_mutex_init (&watch->lock);
  g_object_set_data_full (G_OBJECT (ristsrc), "relay-flow", watch, free_watch);
  watch_part (ristsrc, RELAY_RIST_MEDIA, takes_rtp, watch, NULL);
  watch_part (ristsrc, RELAY_RIST_REPORTS, takes_rtcp, watch, NULL);
}

void
relay_flow_guard (GstElement *ristsink, void (*heard) (gpointer data), gpointer data)
{
  Guard *guard = g_new (Guard, 1);

  *guard = (Guard) { heard, data };
  watch_part (ristsink, RELAY_RIST_REPORTS, takes_reports, guard, g_free);
}
