/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "relaychain.h"
#include "relayrtp.h"

#define ELEMENTS_MAX 5
#define RTP_HEADER 12   /* bytes (RFC 3550) */
#define IPV4_HEADERS 28 /* bytes: IP and UDP */
#define IPV6_HEADERS 48
#define UDP_BUFFER (2 * 1024 * 1024) /* bytes in the kernel: 160 ms at 100 Mbit/s */
#define SRT_POLL 100                 /* ms */
#define FILE_BLOCK (188 * 7 * 4)     /* bytes that are read at a time */

/* What Debian calls the package with an element of that name. */
static const struct
{
  const gchar *factory, *package;
} packages[] = {
  { "udpsrc", "gstreamer1.0-plugins-good" },
  { "udpsink", "gstreamer1.0-plugins-good" },
  { "rtpjitterbuffer", "gstreamer1.0-plugins-good" },
  { "rtpmp2tdepay", "gstreamer1.0-plugins-good" },
  { "srtsrc", "gstreamer1.0-plugins-bad" },
  { "srtsink", "gstreamer1.0-plugins-bad" },
  { "ristsrc", "gstreamer1.0-plugins-bad" },
  { "ristsink", "gstreamer1.0-plugins-bad" },
  { "tsparse", "gstreamer1.0-plugins-bad" },
  { "filesrc", "libgstreamer1.0-0" },
  { "clocksync", "libgstreamer1.0-0" },
  { "cbrpacer", "gstreamer1.0-fasp" },
};

/* The elements, in the order of the flow. */
typedef struct
{
  GstElement *elements[ELEMENTS_MAX];
  guint n;
  GError *error;
} Chain;

static const gchar *
find_package (const gchar *factory)
{
  for (guint i = 0; i < G_N_ELEMENTS (packages); i++)
    if (g_str_equal (packages[i].factory, factory))
      return packages[i].package;
  g_return_val_if_reached ("gstreamer1.0-plugins-base");
}

/* NULL: there is none, or one was missing before. */
static GstElement *
add (Chain *chain, const gchar *factory)
{
  GstElement *element;

  if (chain->error != NULL)
    return NULL;
  element = gst_element_factory_make (factory, NULL);
  if (element == NULL) {
    g_set_error (&chain->error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
        "GStreamer has no element %s: install the package %s.", factory, find_package (factory));
    return NULL;
  }
  chain->elements[chain->n++] = gst_object_ref_sink (element);
  return element;
}

static void
add_payloader (Chain *chain)
{
  if (chain->error == NULL)
    chain->elements[chain->n++] = gst_object_ref_sink (relay_rtp_new ());
}

static void
set_text (GstElement *element, const gchar *property, const gchar *value)
{
  if (value != NULL)
    gst_util_set_object_arg (G_OBJECT (element), property, value);
}

static gboolean
is_ipv6 (const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->host != NULL && strchr (protocol_uri->host, ':') != NULL;
}

static const gchar *
get_address (const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->host != NULL ? protocol_uri->host : "0.0.0.0";
}

/* --- udp and rtp --------------------------------------------------------------------------- */

static void
add_pacer (Chain *chain, const RelayProtocolUri *protocol_uri)
{
  guint header = is_ipv6 (protocol_uri) ? IPV6_HEADERS : IPV4_HEADERS;
  GstElement *pacer;

  if (relay_protocol_uri_get (protocol_uri, "bitrate") == NULL)
    return;
  pacer = add (chain, "cbrpacer");
  if (pacer == NULL)
    return;
  if (protocol_uri->scheme == RELAY_RTP)
    header += RTP_HEADER;
  g_object_set (pacer, "header-size", header, NULL);
  set_text (pacer, "bitrate", relay_protocol_uri_get (protocol_uri, "bitrate"));
  set_text (pacer, "stuffing", relay_protocol_uri_get (protocol_uri, "stuffing"));
}

static GstElement *
add_udp_output (Chain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *sink;

  add_pacer (chain, protocol_uri);
  if (protocol_uri->scheme == RELAY_RTP)
    add_payloader (chain);
  sink = add (chain, "udpsink");
  if (sink == NULL)
    return NULL;
  g_object_set (sink, "host", protocol_uri->host, "port", (gint) protocol_uri->port, "sync", FALSE,
      "async", FALSE, NULL);
  set_text (sink, "multicast-iface", relay_protocol_uri_get (protocol_uri, "interface"));
  set_text (sink, relay_protocol_uri_is_multicast (protocol_uri) ? "ttl-mc" : "ttl",
      relay_protocol_uri_get (protocol_uri, "ttl"));
  return sink;
}

static GstElement *
add_udp_input (Chain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *source = add (chain, "udpsrc"), *buffer;
  g_autoptr (GstCaps) caps = gst_caps_from_string (protocol_uri->scheme == RELAY_RTP ?
          "application/x-rtp, media=video, clock-rate=90000, encoding-name=MP2T" :
          "video/mpegts, systemstream=true");

  if (source == NULL)
    return NULL;
  /* a port of its own: another program at it would take what comes to this one */
  g_object_set (source, "address", get_address (protocol_uri), "port", (gint) protocol_uri->port,
      "caps", caps, "buffer-size", UDP_BUFFER, "reuse",
      relay_protocol_uri_is_multicast (protocol_uri), NULL);
  set_text (source, "multicast-iface", relay_protocol_uri_get (protocol_uri, "interface"));
  if (protocol_uri->scheme != RELAY_RTP)
    return source;
  buffer = add (chain, "rtpjitterbuffer");
  if (buffer != NULL) {
    /* what is too far away to be of the same sender is counted in packets (RFC 3550, A.1: 3000 and
     * 100), not in time: the rate by which it would be counted is one that any sender can claim,
     * and the next one would not be heard for minutes */
    g_object_set (buffer, "max-dropout-time", 0, "max-misorder-time", 0, NULL);
    set_text (buffer, "latency", relay_protocol_uri_get (protocol_uri, "latency"));
  }
  add (chain, "rtpmp2tdepay");
  return source;
}

/* --- srt ------------------------------------------------------------------------------------- */

static GstElement *
add_srt (Chain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *end = add (chain, protocol_uri->sends ? "srtsink" : "srtsrc");
  g_autofree gchar *uri = NULL;

  if (end == NULL)
    return NULL;
  uri = g_strdup_printf (is_ipv6 (protocol_uri) ? "srt://[%s]:%u?mode=%s" : "srt://%s:%u?mode=%s",
      protocol_uri->host != NULL ? protocol_uri->host : "", protocol_uri->port,
      relay_protocol_uri_listens (protocol_uri) ? "listener" : "caller");
  /* it looks that often whether it is to end; without, a caller that is silent would keep it.  By
   * itself it would dial again without a pause, and the same address */
  g_object_set (end, "uri", uri, "wait-for-connection", FALSE, "poll-timeout", SRT_POLL,
      "auto-reconnect", FALSE, NULL);
  if (protocol_uri->sends)
    g_object_set (end, "sync", FALSE, "async", FALSE, NULL);
  else
    g_object_set (end, "keep-listening", TRUE, NULL);
  set_text (end, "latency", relay_protocol_uri_get (protocol_uri, "latency"));
  set_text (end, "pbkeylen", relay_protocol_uri_get (protocol_uri, "pbkeylen"));
  if (relay_protocol_uri_get (protocol_uri, "passphrase") != NULL)
    g_object_set (end, "passphrase", relay_protocol_uri_get (protocol_uri, "passphrase"), NULL);
  if (!relay_protocol_uri_listens (protocol_uri))
    g_object_set (end, "streamid", relay_protocol_uri_get (protocol_uri, "streamid"), NULL);
  return end;
}

/* --- rist ------------------------------------------------------------------------------------ */

/* librist reports with the SSRC of the stream that it receives.  GStreamer would take that for
 * another sender that has chosen the same one, and change its own, again and again: the receiver
 * begins anew each time.  It cannot tell if it does not know where reports come from. */
static void
ignore_collisions (GstElement *sink)
{
  g_autoptr (GstElement) reports = gst_bin_get_by_name (GST_BIN (sink), "rist_rtcp_udpsrc0");

  if (reports != NULL)
    g_object_set (reports, "retrieve-sender-address", FALSE, NULL);
}

static GstElement *
add_rist (Chain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *end;

  if (protocol_uri->sends)
    add_payloader (chain);
  end = add (chain, protocol_uri->sends ? "ristsink" : "ristsrc");
  if (!protocol_uri->sends)
    add (chain, "rtpmp2tdepay");
  if (end == NULL)
    return NULL;
  g_object_set (end, "address", get_address (protocol_uri), "port", protocol_uri->port, NULL);
  if (protocol_uri->sends)
    ignore_collisions (end);
  set_text (end, "multicast-iface", relay_protocol_uri_get (protocol_uri, "interface"));
  set_text (end, protocol_uri->sends ? "sender-buffer" : "receiver-buffer",
      relay_protocol_uri_get (protocol_uri, "latency"));
  set_text (end, "multicast-ttl", relay_protocol_uri_get (protocol_uri, "ttl"));
  return end;
}

/* --- files ----------------------------------------------------------------------------------- */

/* A file that is played in the stream's own time, by its PCR: single packets. */
static GstElement *
add_file_input (Chain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *source = add (chain, "filesrc"), *parse = add (chain, "tsparse");

  add (chain, "clocksync");
  if (source == NULL || parse == NULL)
    return NULL;
  g_object_set (source, "location", protocol_uri->path, "blocksize", FILE_BLOCK, NULL);
  g_object_set (parse, "set-timestamps", TRUE, "alignment", 1, NULL);
  return parse;
}

/* --- together --------------------------------------------------------------------------------- */

static GstElement *
add_end (Chain *chain, const RelayProtocolUri *protocol_uri)
{
  if (relay_protocol_uri_is_timed (protocol_uri))
    add (chain, "clocksync");
  switch (protocol_uri->scheme) {
    case RELAY_SRT:
      return add_srt (chain, protocol_uri);
    case RELAY_RIST:
      return add_rist (chain, protocol_uri);
    case RELAY_FILE:
      return add_file_input (chain, protocol_uri);
    default:
      return protocol_uri->sends ? add_udp_output (chain, protocol_uri) :
                                   add_udp_input (chain, protocol_uri);
  }
}

static GstElement *
put_together (Chain *chain, gboolean sends)
{
  GstElement *bin = gst_bin_new (NULL);
  g_autoptr (GstPad) pad = NULL;

  for (guint i = 0; i < chain->n; i++) {
    gst_bin_add (GST_BIN (bin), chain->elements[i]);
    if (i > 0)
      gst_element_link (chain->elements[i - 1], chain->elements[i]);
  }
  pad = sends ? gst_element_get_static_pad (chain->elements[0], "sink") :
                gst_element_get_static_pad (chain->elements[chain->n - 1], "src");
  gst_element_add_pad (bin, gst_ghost_pad_new (sends ? "sink" : "src", pad));
  return bin;
}

GstElement *
relay_chain_make (const RelayProtocolUri *protocol_uri, GstElement **end, GError **error)
{
  Chain chain = { .n = 0 };
  GstElement *found, *bin = NULL;

  g_return_val_if_fail (protocol_uri->scheme != RELAY_FILE || !protocol_uri->sends, NULL);
  found = add_end (&chain, protocol_uri);
  if (chain.error == NULL)
    bin = put_together (&chain, protocol_uri->sends);
  else
    g_propagate_error (error, chain.error);
  if (end != NULL)
    *end = bin != NULL ? gst_object_ref (found) : NULL;
  for (guint i = 0; i < chain.n; i++)
    gst_object_unref (chain.elements[i]);
  return bin;
}
