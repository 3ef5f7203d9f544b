/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/rtp/rtp.h>
#include "relayflow.h"

#define RETRANSMISSION 1u /* the bit of its SSRC that says so */

/* What is not of the flow. */
static RelayFlowVerdict
refuse (RelayFlow *flow, gboolean sends, gint64 now)
{
  if (flow->ending || !sends || now - flow->heard < flow->silence)
    return RELAY_FLOW_REFUSED;
  flow->ending = TRUE;
  return RELAY_FLOW_ENDS;
}

RelayFlowVerdict
relay_flow_hear (RelayFlow *flow, guint32 ssrc, gint64 now)
{
  gboolean second = flow->refused && !flow->told;

  ssrc &= ~RETRANSMISSION;
  if (flow->ending || (flow->known && flow->ssrc != ssrc)) {
    flow->refused = TRUE;
    return refuse (flow, TRUE, now);
  }
  flow->known = TRUE;
  flow->ssrc = ssrc;
  flow->heard = now;
  flow->refused = FALSE;
  flow->told |= second;
  return second ? RELAY_FLOW_SECOND : RELAY_FLOW_PASSES;
}

RelayFlowVerdict
relay_flow_hear_report (RelayFlow *flow, guint32 ssrc, gboolean sends, gint64 now)
{
  ssrc &= ~RETRANSMISSION;
  if (flow->ending
      || (flow->has_reporter && flow->reporter != ssrc && !(flow->known && flow->ssrc == ssrc)))
    return refuse (flow, sends, now);
  flow->has_reporter = TRUE;
  flow->reporter = ssrc;
  if (!flow->known)
    flow->heard = now;
  return RELAY_FLOW_PASSES;
}

/* --- what ristsrc receives ----------------------------------------------------------------- */

typedef struct
{
  GstElement *ristsrc; /* whose threads call */
  RelayFlowFunc func;
  gpointer data;
  GMutex lock; /* guards the rest */
  RelayFlow flow;
} Watch;

static void
free_watch (gpointer data)
{
  Watch *watch = data;

  g_mutex_clear (&watch->lock);
  g_free (watch);
}

/* Returns whether it passes. */
static gboolean
carry_out (Watch *watch, RelayFlowVerdict verdict, gboolean is_media)
{
  if (verdict == RELAY_FLOW_ENDS)
    gst_element_post_message (watch->ristsrc,
        gst_message_new_application (GST_OBJECT (watch->ristsrc),
            gst_structure_new_empty ("another-sender")));
  if (verdict == RELAY_FLOW_SECOND || verdict == RELAY_FLOW_ENDS
      || (verdict == RELAY_FLOW_REFUSED && is_media))
    watch->func (verdict, watch->data);
  return verdict == RELAY_FLOW_PASSES || verdict == RELAY_FLOW_SECOND;
}

static gboolean
takes_rtp (Watch *watch, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  RelayFlowVerdict verdict = RELAY_FLOW_REFUSED;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return carry_out (watch, verdict, TRUE);
  /* a contributing source would be one more that it names; another type leads what comes out away
   */
  if (gst_rtp_buffer_get_csrc_count (&rtp) == 0
      && gst_rtp_buffer_get_payload_type (&rtp) == GST_RTP_PAYLOAD_MP2T) {
    g_mutex_lock (&watch->lock);
    verdict =
        relay_flow_hear (&watch->flow, gst_rtp_buffer_get_ssrc (&rtp), g_get_monotonic_time ());
    g_mutex_unlock (&watch->lock);
  }
  gst_rtp_buffer_unmap (&rtp);
  return carry_out (watch, verdict, TRUE);
}

/* It names @ssrc alone, and has no names of its own for what it says: GLib keeps each for good. */
static gboolean
describes (GstRTCPPacket *sdes, guint32 ssrc)
{
  GstRTCPSDESType type = GST_RTCP_SDES_PRIV;

  for (gboolean more = gst_rtcp_packet_sdes_first_item (sdes); more;
      more = gst_rtcp_packet_sdes_next_item (sdes)) {
    if (gst_rtcp_packet_sdes_get_ssrc (sdes) != ssrc)
      return FALSE;
    for (gboolean entry = gst_rtcp_packet_sdes_first_entry (sdes); entry;
        entry = gst_rtcp_packet_sdes_next_entry (sdes))
      if (!gst_rtcp_packet_sdes_get_entry (sdes, &type, NULL, NULL) || type == GST_RTCP_SDES_PRIV)
        return FALSE;
  }
  return TRUE;
}

/* Whether the session takes from it no more than from a sender's report.  It would keep feedback to
 * media that it receives, and without end what of transport-wide congestion control is. */
static gboolean
is_harmless (GstRTCPPacket *packet, guint32 ssrc)
{
  guint32 sender;

  switch (gst_rtcp_packet_get_type (packet)) {
    case GST_RTCP_TYPE_SR:
      gst_rtcp_packet_sr_get_sender_info (packet, &sender, NULL, NULL, NULL, NULL);
      return sender == ssrc;
    case GST_RTCP_TYPE_RR:
      return gst_rtcp_packet_rr_get_ssrc (packet) == ssrc;
    case GST_RTCP_TYPE_SDES:
      return describes (packet, ssrc);
    case GST_RTCP_TYPE_APP:
    case GST_RTCP_TYPE_XR:
      return TRUE;
    default:
      return FALSE;
  }
}

/* Reads a report as a whole, which begins with who it is of.  FALSE: it is none, or not harmless.
 */
static gboolean
read_report (GstBuffer *buffer, guint32 *ssrc, gboolean *sends)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gboolean good, more;

  if (!gst_rtcp_buffer_validate (buffer) || !gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp))
    return FALSE;
  good = more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet);
  *sends = good && gst_rtcp_packet_get_type (&packet) == GST_RTCP_TYPE_SR;
  if (*sends)
    gst_rtcp_packet_sr_get_sender_info (&packet, ssrc, NULL, NULL, NULL, NULL);
  else if (good)
    *ssrc = gst_rtcp_packet_rr_get_ssrc (&packet);
  for (; more && good; more = gst_rtcp_packet_move_to_next (&packet))
    good = is_harmless (&packet, *ssrc);
  gst_rtcp_buffer_unmap (&rtcp);
  return good;
}

static gboolean
takes_rtcp (Watch *watch, GstBuffer *buffer)
{
  RelayFlowVerdict verdict;
  guint32 ssrc;
  gboolean sends;

  if (!read_report (buffer, &ssrc, &sends))
    return FALSE;
  g_mutex_lock (&watch->lock);
  verdict = relay_flow_hear_report (&watch->flow, ssrc, sends, g_get_monotonic_time ());
  g_mutex_unlock (&watch->lock);
  return carry_out (watch, verdict, FALSE);
}

typedef gboolean (*Takes) (Watch *watch, GstBuffer *buffer);

static GstPadProbeReturn
drop_some (GstPadProbeInfo *info, Takes takes, Watch *watch)
{
  GstBufferList *list, *taken;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return takes (watch, GST_PAD_PROBE_INFO_BUFFER (info)) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  taken = gst_buffer_list_new ();
  for (guint i = 0; i < gst_buffer_list_length (list); i++) {
    GstBuffer *buffer = gst_buffer_list_get (list, i);

    if (takes (watch, buffer))
      gst_buffer_list_add (taken, gst_buffer_ref (buffer));
  }
  gst_buffer_list_unref (list);
  info->data = taken;
  return gst_buffer_list_length (taken) > 0 ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn
on_rtp (GstPad *pad, GstPadProbeInfo *info, gpointer watch)
{
  return drop_some (info, takes_rtp, watch);
}

static GstPadProbeReturn
on_rtcp (GstPad *pad, GstPadProbeInfo *info, gpointer watch)
{
  return drop_some (info, takes_rtcp, watch);
}

/* Before ristsrc's own, which it adds when it starts: that sends reports to who has sent some. */
static void
add_probe (GstElement *ristsrc, const gchar *name, GstPadProbeCallback function, Watch *watch)
{
  g_autoptr (GstElement) udpsrc = gst_bin_get_by_name (GST_BIN (ristsrc), name);
  g_autoptr (GstPad) pad = NULL;

  g_return_if_fail (udpsrc != NULL);
  pad = gst_element_get_static_pad (udpsrc, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, function,
      watch, NULL);
}

void
relay_flow_watch (GstElement *ristsrc, gint64 silence, RelayFlowFunc func, gpointer data)
{
  Watch *watch = g_new0 (Watch, 1);

  watch->ristsrc = ristsrc;
  watch->func = func;
  watch->data = data;
  watch->flow.silence = silence;
  g_mutex_init (&watch->lock);
  g_object_set_data_full (G_OBJECT (ristsrc), "relay-flow", watch, free_watch);
  add_probe (ristsrc, "rist_rtp_udpsrc0", on_rtp, watch);
  add_probe (ristsrc, "rist_rtcp_udpsrc0", on_rtcp, watch);
}
