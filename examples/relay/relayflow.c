/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/rtp/rtp.h>
#include "relayflow.h"

#define RETRANSMISSION 1u /* the bit of its SSRC that says so */

RelayFlowVerdict
relay_flow_hear (RelayFlow *flow, guint32 ssrc, gint64 now)
{
  ssrc &= ~RETRANSMISSION;
  if (flow->ending)
    return RELAY_FLOW_REFUSED;
  if (flow->known && flow->ssrc != ssrc) {
    flow->ending = now - flow->heard >= RELAY_FLOW_SILENCE;
    return flow->ending ? RELAY_FLOW_ENDS : RELAY_FLOW_REFUSED;
  }
  flow->known = TRUE;
  flow->ssrc = ssrc;
  flow->heard = now;
  return RELAY_FLOW_PASSES;
}

/* --- what ristsrc receives ----------------------------------------------------------------- */

typedef struct
{
  GstElement *ristsrc; /* whose threads call */
  RelayFlowRefused refused;
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

static void
tell_end (GstElement *ristsrc)
{
  gst_element_post_message (ristsrc,
      gst_message_new_application (GST_OBJECT (ristsrc),
          gst_structure_new_empty ("another-sender")));
}

static gboolean
takes_rtp (Watch *watch, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  RelayFlowVerdict verdict = RELAY_FLOW_REFUSED;
  gboolean rival = FALSE;

  /* a contributing source (CSRC) would be one more that it names */
  if (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp)) {
    if (gst_rtp_buffer_get_csrc_count (&rtp) == 0) {
      g_mutex_lock (&watch->lock);
      verdict =
          relay_flow_hear (&watch->flow, gst_rtp_buffer_get_ssrc (&rtp), g_get_monotonic_time ());
      rival = verdict == RELAY_FLOW_REFUSED && !watch->flow.ending;
      g_mutex_unlock (&watch->lock);
    }
    gst_rtp_buffer_unmap (&rtp);
  }
  if (verdict == RELAY_FLOW_ENDS)
    tell_end (watch->ristsrc);
  if (verdict != RELAY_FLOW_PASSES)
    watch->refused (rival, watch->data);
  return verdict == RELAY_FLOW_PASSES;
}

static gboolean
is_of_flow (Watch *watch, guint32 ssrc)
{
  gboolean known;

  g_mutex_lock (&watch->lock);
  known = watch->flow.known && watch->flow.ssrc == (ssrc & ~RETRANSMISSION);
  g_mutex_unlock (&watch->lock);
  return known;
}

/* A description may have names of its own for what it says: GLib keeps each for good. */
static gboolean
has_private_entry (GstRTCPPacket *sdes)
{
  GstRTCPSDESType type;
  gboolean more = gst_rtcp_packet_sdes_first_entry (sdes);

  while (more) {
    if (!gst_rtcp_packet_sdes_get_entry (sdes, &type, NULL, NULL) || type == GST_RTCP_SDES_PRIV)
      return TRUE;
    more = gst_rtcp_packet_sdes_next_entry (sdes);
  }
  return FALSE;
}

static gboolean
takes_sdes (Watch *watch, GstRTCPPacket *sdes)
{
  gboolean more = gst_rtcp_packet_sdes_first_item (sdes);

  while (more) {
    if (!is_of_flow (watch, gst_rtcp_packet_sdes_get_ssrc (sdes)) || has_private_entry (sdes))
      return FALSE;
    more = gst_rtcp_packet_sdes_next_item (sdes);
  }
  return TRUE;
}

/* Of those that the session makes a source of. */
static gboolean
takes_packet (Watch *watch, GstRTCPPacket *packet)
{
  guint32 ssrc;

  switch (gst_rtcp_packet_get_type (packet)) {
    case GST_RTCP_TYPE_SR:
      gst_rtcp_packet_sr_get_sender_info (packet, &ssrc, NULL, NULL, NULL, NULL);
      return is_of_flow (watch, ssrc);
    case GST_RTCP_TYPE_RR:
      return is_of_flow (watch, gst_rtcp_packet_rr_get_ssrc (packet));
    case GST_RTCP_TYPE_SDES:
      return takes_sdes (watch, packet);
    default:
      return TRUE;
  }
}

static gboolean
takes_rtcp (Watch *watch, GstBuffer *buffer)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  /* as a whole, which begins with a report of somebody */
  gboolean takes =
      gst_rtcp_buffer_validate (buffer) && gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp);
  gboolean more = takes && gst_rtcp_buffer_get_first_packet (&rtcp, &packet);

  while (more && takes) {
    takes = takes_packet (watch, &packet);
    more = gst_rtcp_packet_move_to_next (&packet);
  }
  if (rtcp.buffer != NULL)
    gst_rtcp_buffer_unmap (&rtcp);
  if (!takes)
    watch->refused (FALSE, watch->data);
  return takes;
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
relay_flow_watch (GstElement *ristsrc, RelayFlowRefused refused, gpointer data)
{
  Watch *watch = g_new0 (Watch, 1);

  watch->ristsrc = ristsrc;
  watch->refused = refused;
  watch->data = data;
  g_mutex_init (&watch->lock);
  g_object_set_data_full (G_OBJECT (ristsrc), "relay-flow", watch, free_watch);
  add_probe (ristsrc, "rist_rtp_udpsrc0", on_rtp, watch);
  add_probe (ristsrc, "rist_rtcp_udpsrc0", on_rtcp, watch);
}
