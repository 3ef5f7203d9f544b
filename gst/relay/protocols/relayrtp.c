/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/rtp/rtp.h>
#include "relayrtp.h"

#define CLOCK_RATE 90000 /* Hz (RFC 2250, 2) */

#define RELAY_TYPE_RTP (relay_rtp_get_type ())
G_DECLARE_FINAL_TYPE (RelayRtp, relay_rtp, RELAY, RTP, GstRTPBasePayload)

struct _RelayRtp
{
  GstRTPBasePayload parent;
};

G_DEFINE_TYPE (RelayRtp, relay_rtp, GST_TYPE_RTP_BASE_PAYLOAD)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK,
    GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/mpegts, systemstream=true, packetsize=188"));

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("application/x-rtp, media=video, payload=" GST_RTP_PAYLOAD_MP2T_STRING
                         ", clock-rate=90000, encoding-name=MP2T"));

static gboolean
set_caps (GstRTPBasePayload *payload, GstCaps *caps)
{
  gst_rtp_base_payload_set_options (payload, "video", FALSE, "MP2T", CLOCK_RATE);
  return gst_rtp_base_payload_set_outcaps (payload, NULL);
}

static GstFlowReturn
handle_buffer (GstRTPBasePayload *payload, GstBuffer *buffer)
{
  GstBuffer *datagram = gst_rtp_base_payload_allocate_output_buffer (payload, 0, 0, 0);

  GST_BUFFER_PTS (datagram) = GST_BUFFER_PTS (buffer);
  return gst_rtp_base_payload_push (payload, gst_buffer_append (datagram, buffer));
}

static void
relay_rtp_class_init (RelayRtpClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstRTPBasePayloadClass *payload_class = GST_RTP_BASE_PAYLOAD_CLASS (klass);

  payload_class->set_caps = set_caps;
  payload_class->handle_buffer = handle_buffer;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
}

static void
relay_rtp_init (RelayRtp *rtp)
{
  GST_RTP_BASE_PAYLOAD_PT (rtp) = GST_RTP_PAYLOAD_MP2T;
}

GstElement *
relay_rtp_new (void)
{
  return g_object_new (RELAY_TYPE_RTP, NULL);
}
