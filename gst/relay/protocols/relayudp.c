/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * udp:// and rtp://: datagrams of MPEG-TS, to or from a host or a multicast group.
 */
#include <gst/net/gstnetaddressmeta.h>
#include "relayfields.h"
#include "relaygroup.h"
#include "relayprotocol.h"

#define RTP_HEADER 12   /* bytes (RFC 3550) */
#define IPV4_HEADERS 28 /* bytes: IP and UDP */
#define IPV6_HEADERS 48
#define BUFFER (2 * 1024 * 1024)  /* bytes in the kernel: 160 ms at 100 Mbit/s */
#define BITRATE_MAX 1000000000000 /* bit/s: cbrpacer's */
#define JITTER_BUFFER "jitterbuffer"
#define RTP_CAPS "application/x-rtp, media=video, clock-rate=90000, encoding-name=MP2T"

#define OUTPUT_KEYS \
  { "bitrate", RELAY_KEY_OUTPUT, NULL, 0, BITRATE_MAX, "none", \
    "bit/s on the wire, kept by cbrpacer; 0: learned from the stream" }, \
      { "stuffing", RELAY_KEY_OUTPUT, "none null-ts", 0, 0, "none", \
        "with bitrate; null-ts: null packets fill up the rate" }

static const RelayKey udp_keys[] = { RELAY_KEY_INTERFACE, RELAY_KEY_TTL, OUTPUT_KEYS,
  RELAY_KEY_SYNC, RELAY_KEY_BUFFER_SIZE, { NULL } };

static const RelayKey rtp_keys[] = { RELAY_KEY_INTERFACE, RELAY_KEY_TTL, OUTPUT_KEYS,
  { "latency", RELAY_KEY_INPUT, NULL, 0, RELAY_LATENCY_MAX, "200",
      "ms in which datagrams are put in order" },
  RELAY_KEY_SYNC, RELAY_KEY_BUFFER_SIZE, { NULL } };

static gboolean
is_rtp (const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->protocol == &relay_protocol_rtp;
}

static gboolean
check (const RelayProtocolUri *protocol_uri, GError **error)
{
  if (!relay_group_check (protocol_uri, !protocol_uri->sends, error))
    return FALSE;
  if (relay_protocol_uri_get (protocol_uri, "stuffing") == NULL
      || relay_protocol_uri_get (protocol_uri, "bitrate") != NULL)
    return TRUE;
  RELAY_BAD (error, "stuffing fills up a constant rate: add bitrate, in bit/s, or leave it out.");
  return FALSE;
}

static guint
count_ports (const RelayProtocolUri *protocol_uri)
{
  return !protocol_uri->sends;
}

static void
add_pacer (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  guint header = relay_protocol_uri_is_ipv6 (protocol_uri) ? IPV6_HEADERS : IPV4_HEADERS;
  GstElement *pacer = relay_chain_add (chain, "cbrpacer", RELAY_PLUGINS_FASP);

  if (pacer == NULL)
    return;
  g_object_set (pacer, "header-size", header + (is_rtp (protocol_uri) ? RTP_HEADER : 0), NULL);
  relay_chain_set (pacer, "bitrate", protocol_uri, "bitrate");
  relay_chain_set (pacer, "stuffing", protocol_uri, "stuffing");
}

static GstElement *
make_output (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *sink;

  if (relay_protocol_uri_get (protocol_uri, "bitrate") != NULL)
    add_pacer (chain, protocol_uri);
  if (is_rtp (protocol_uri))
    relay_chain_add_payloader (chain);
  sink = relay_chain_add (chain, "udpsink", RELAY_PLUGINS_GOOD);
  if (sink == NULL)
    return NULL;
  relay_chain_set_unsynchronized (sink);
  g_object_set (sink, "host", protocol_uri->host, "port", (gint) protocol_uri->port, NULL);
  relay_chain_set (sink, "multicast-iface", protocol_uri, "interface");
  relay_chain_set (sink, relay_host_is_group (protocol_uri->host) ? "ttl-mc" : "ttl", protocol_uri,
      "ttl");
  return sink;
}

static void
add_depayloader (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *buffer = relay_chain_add (chain, "rtpjitterbuffer", RELAY_PLUGINS_GOOD);

  if (buffer != NULL) {
    /* the distance at which packets count as another sender's is given in packets (RFC 3550, A.1:
     * 3000 and 100), not in time: for a time, the element uses a packet rate that any sender can
     * fake, after which the next sender would be ignored for minutes */
    gst_object_set_name (GST_OBJECT (buffer), JITTER_BUFFER);
    g_object_set (buffer, "max-dropout-time", 0, "max-misorder-time", 0, NULL);
    relay_chain_set (buffer, "latency", protocol_uri, "latency");
  }
  relay_chain_add (chain, "rtpmp2tdepay", RELAY_PLUGINS_GOOD);
}

static GstElement *
make_input (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *source = relay_chain_add (chain, "udpsrc", RELAY_PLUGINS_GOOD);
  g_autoptr (GstCaps) caps = gst_caps_from_string (is_rtp (protocol_uri) ? RTP_CAPS : RELAY_MEDIA);

  if (source == NULL)
    return NULL;
  /* without `reuse' unless it is a group's port, as another program at the same port would take
   * this one's datagrams */
  g_object_set (source, "address", relay_protocol_uri_get_address (protocol_uri), "port",
      (gint) protocol_uri->port, "caps", caps, "buffer-size", BUFFER, "reuse",
      relay_host_is_group (protocol_uri->host), NULL);
  relay_chain_set (source, "multicast-iface", protocol_uri, "interface");
  if (is_rtp (protocol_uri))
    add_depayloader (chain, protocol_uri);
  return source;
}

static GstElement *
make (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->sends ? make_output (chain, protocol_uri) : make_input (chain, protocol_uri);
}

/* --- figures ------------------------------------------------------------------------------- */

/* Key of the element's data: address of the last datagram's sender. */
#define SENDER "relay-sender"

static gboolean
is_same (GInetSocketAddress *a, GInetSocketAddress *b)
{
  return g_inet_socket_address_get_port (a) == g_inet_socket_address_get_port (b)
      && g_inet_address_equal (g_inet_socket_address_get_address (a),
          g_inet_socket_address_get_address (b));
}

static GstPadProbeReturn
on_datagram (GstPad *pad, GstPadProbeInfo *info, gpointer element)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (info->data);
  gpointer last = g_object_get_data (element, SENDER);

  if (meta != NULL && G_IS_INET_SOCKET_ADDRESS (meta->addr)
      && (last == NULL || !is_same (last, G_INET_SOCKET_ADDRESS (meta->addr))))
    g_object_set_data_full (element, SENDER, g_object_ref (meta->addr), g_object_unref);
  return GST_PAD_PROBE_OK;
}

static void
watch (GstElement *element, RelayProtocolPipeline *pipeline, gpointer *kept)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");

  if (pad != NULL) /* an input */
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_datagram, element, NULL);
}

/* Adds what an RTP input's jitter buffer has counted. RTP repairs nothing, so each lost packet is
 * missing. */
static void
add_rtp_figures (GstElement *element, GstStructure *peer)
{
  static const gchar *const theirs[] = { "num-pushed", "num-lost", "num-lost", "num-late",
    "num-duplicates", "avg-jitter", NULL };
  static const gchar *const ours[] = { "packets-received", "packets-received-lost",
    "packets-missing", "packets-received-dropped", "packets-received-duplicate", "jitter-ms",
    NULL };
  g_autoptr (GstObject) chain = gst_object_get_parent (GST_OBJECT (element));
  g_autoptr (GstElement) buffer =
      chain != NULL ? gst_bin_get_by_name (GST_BIN (chain), JITTER_BUFFER) : NULL;
  g_autoptr (GstStructure) all = NULL;

  if (buffer == NULL)
    return;
  g_object_get (buffer, "stats", &all, NULL);
  relay_fields_copy (all, theirs, ours, peer);
}

static gpointer
ref_address (gpointer address, gpointer unused)
{
  return address != NULL ? g_object_ref (address) : NULL;
}

/* Adds the sender of an input, once a datagram came. */
static void
add_figures (RelayProtocolPipeline *pipeline, GstElement *element, GstStructure *stats,
    GPtrArray *peers)
{
  g_autoptr (GSocketAddress) address =
      element != NULL ? g_object_dup_data (G_OBJECT (element), SENDER, ref_address, NULL) : NULL;
  GstStructure *peer;

  if (relay_protocol_pipeline_get_uri (pipeline)->allowed != NULL)
    gst_structure_set (stats, "datagrams-refused", G_TYPE_UINT64,
        relay_protocol_pipeline_get_count (pipeline, RELAY_DATAGRAMS_REFUSED), NULL);
  if (address == NULL)
    return;
  peer = gst_structure_new_empty (RELAY_PEER);
  relay_fields_set_address (peer, address);
  add_rtp_figures (element, peer);
  g_ptr_array_add (peers, peer);
}

const RelayProtocol relay_protocol_udp = {
  .scheme = "udp",
  .keys = udp_keys,
  .check = check,
  .count_ports = count_ports,
  .make = make,
  .watch = watch,
  .add_figures = add_figures,
  .does = "sends",
  .sender = "udpsink",
  .receivers = { "udpsrc" },
};

const RelayProtocol relay_protocol_rtp = {
  .scheme = "rtp",
  .keys = rtp_keys,
  .check = check,
  .count_ports = count_ports,
  .make = make,
  .watch = watch,
  .add_figures = add_figures,
  .does = "sends",
  .sender = "udpsink",
  .receivers = { "udpsrc" },
};
