/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * udp:// and rtp://: datagrams of MPEG-TS, to or from a host or a multicast group.
 */
#include <gst/net/gstnetaddressmeta.h>
#include <string.h>
#include "relayfields.h"
#include "relaygroup.h"
#include "relayguard.h"
#include "relaylegs.h"
#include "relayprotocol.h"

#define RTP_HEADER 12   /* bytes (RFC 3550) */
#define IPV4_HEADERS 28 /* bytes: IP and UDP */
#define IPV6_HEADERS 48
#define BUFFER (2 * 1024 * 1024)  /* bytes in the kernel: 160 ms at 100 Mbit/s */
#define BITRATE_MAX 1000000000000 /* bit/s: cbrpacer's */
#define JITTER_BUFFER "jitterbuffer"
#define FEC_SPAN (RELAY_FEC_STEP * (RELAY_FEC_PORTS - 1)) /* from the first port to the last */
#define RTP_CAPS "application/x-rtp, media=video, clock-rate=90000, encoding-name=MP2T"

#define OUTPUT_KEYS \
  { "bitrate", RELAY_KEY_OUTPUT, NULL, 0, BITRATE_MAX, "none", \
    "bit/s on the wire, kept by cbrpacer; 0: learned from the stream" }, \
      { "stuffing", RELAY_KEY_OUTPUT, "none null-ts", 0, 0, "none", \
        "with bitrate; null-ts: null packets fill up the rate" }

static const RelayKey udp_keys[] = { RELAY_KEY_INTERFACE, RELAY_KEY_TTL, OUTPUT_KEYS,
  RELAY_KEY_SYNC, RELAY_KEYS_SELECTION, RELAY_KEY_BUFFER_SIZE, { NULL } };

static const RelayKey rtp_keys[] = { RELAY_KEY_INTERFACE, RELAY_KEY_TTL, OUTPUT_KEYS,
  { "latency", RELAY_KEY_INPUT, NULL, 0, RELAY_LATENCY_MAX, G_STRINGIFY (RELAY_LEGS_LATENCY),
      "ms in which datagrams are put in order; by so much one of two legs may be later" },
  { "leg2", RELAY_KEY_BOTH, NULL, 0, 0, "none",
      "ADDRESS:PORT of a second leg with the same datagrams (SMPTE ST 2022-7)" },
  { "leg2-interface", RELAY_KEY_BOTH, NULL, 0, 0, "the system's choice",
      "network interface of the second leg's multicast group" },
  { "fec", RELAY_KEY_BOTH, NULL, 0, 0, "none",
      "COLUMNSxROWS of packets with repairs (SMPTE ST 2022-1) at PORT + 2 and PORT + 4, as 10x5" },
  RELAY_KEY_SYNC, RELAY_KEYS_SELECTION, RELAY_KEY_BUFFER_SIZE, { NULL } };

static gboolean
is_rtp (const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->protocol == &relay_protocol_rtp;
}

static gboolean
has_fec (const RelayProtocolUri *protocol_uri)
{
  return relay_protocol_uri_get (protocol_uri, "fec") != NULL;
}

static gboolean
check_fec (const RelayProtocolUri *protocol_uri, GError **error)
{
  const gchar *fec = relay_protocol_uri_get (protocol_uri, "fec");
  guint columns, rows;

  if (!g_hash_table_contains (protocol_uri->keys, "fec"))
    return TRUE;
  if (fec == NULL || !relay_fec_read (fec, &columns, &rows)) {
    RELAY_BAD (error,
        "fec is COLUMNSxROWS, 1 to 20 columns and 4 to 20 rows, of 100 packets at most: write fec=10x5.");
    return FALSE;
  }
  for (const RelayProtocolUri *leg = protocol_uri; leg != NULL; leg = leg->second)
    if (leg->port > G_MAXUINT16 - FEC_SPAN) {
      RELAY_BAD (error, "fec takes two ports more, up to PORT + %u: write a smaller port.",
          FEC_SPAN);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check (const RelayProtocolUri *protocol_uri, GError **error)
{
  for (const RelayProtocolUri *leg = protocol_uri; leg != NULL; leg = leg->second)
    if (!relay_group_check (leg, !protocol_uri->sends, error))
      return FALSE;
  if (relay_legs_merges (protocol_uri) && relay_legs_get_latency (protocol_uri) == 0) {
    RELAY_BAD (error,
        "with latency=0, neither a leg nor a repair can bring what was lost: write how many ms they "
        "may be later.");
    return FALSE;
  }
  if (!check_fec (protocol_uri, error))
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
  return protocol_uri->sends ? 0 : has_fec (protocol_uri) ? FEC_SPAN + 1 : 1;
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

/* Makes an element of a leg that sends.  A floating reference; NULL: it is missing. */
static GstElement *
make_sink (RelayChain *chain, const RelayProtocolUri *leg, guint port,
    const RelayProtocolUri *first)
{
  GstElement *sink = relay_chain_make_part (chain, "udpsink", RELAY_PLUGINS_GOOD);

  if (sink == NULL)
    return NULL;
  relay_chain_set_unsynchronized (sink);
  g_object_set (sink, "host", leg->host, "port", (gint) port, NULL);
  relay_chain_set (sink, "multicast-iface", leg, "interface");
  relay_chain_set (sink, relay_host_is_group (leg->host) ? "ttl-mc" : "ttl", first, "ttl");
  return sink;
}

static void
add_depayloader (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *buffer = relay_legs_merges (protocol_uri) ?
      NULL :
      relay_chain_add (chain, "rtpjitterbuffer", RELAY_PLUGINS_GOOD);

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

/* Makes an element of a leg that receives.  A floating reference; NULL: it is missing. */
static GstElement *
make_source (RelayChain *chain, const RelayProtocolUri *leg, guint port, const gchar *text)
{
  GstElement *source = relay_chain_make_part (chain, "udpsrc", RELAY_PLUGINS_GOOD);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  if (source == NULL)
    return NULL;
  /* without `reuse' unless it is a group's port, as another program at the same port would take
   * this one's datagrams */
  g_object_set (source, "address", relay_protocol_uri_get_address (leg), "port", (gint) port,
      "caps", caps, "buffer-size", BUFFER, "reuse", relay_host_is_group (leg->host), NULL);
  relay_chain_set (source, "multicast-iface", leg, "interface");
  return source;
}

/* Makes the elements of a leg: floating references, RELAY_FEC_PORTS; NULL: there is none, or it is
 * missing. */
static void
make_leg (RelayChain *chain, const RelayProtocolUri *leg, const RelayProtocolUri *first,
    GstElement **parts)
{
  const gchar *const *receivers = first->protocol->receivers;
  const gchar *const names[] = { first->sends ? first->protocol->sender : receivers[0],
    RELAY_LEGS_COLUMNS, RELAY_LEGS_ROWS };
  const gchar *fec = relay_protocol_uri_get (first, "fec");
  GstElement *made[RELAY_FEC_PORTS] = { NULL };

  for (guint i = 0; i < (fec != NULL ? RELAY_FEC_PORTS : 1); i++) {
    g_autofree gchar *name = relay_chain_name (leg, names[i]);
    guint port = leg->port + i * RELAY_FEC_STEP;

    made[i] = first->sends ?
        make_sink (chain, leg, port, first) :
        make_source (chain, leg, port, is_rtp (first) ? RTP_CAPS : RELAY_MEDIA);
    if (made[i] != NULL)
      gst_object_set_name (GST_OBJECT (made[i]), name);
  }
  if (first->sends && fec != NULL)
    parts[0] = relay_legs_repair (chain, made, fec);
  else
    memcpy (parts, made, sizeof made);
}

static GstElement *
add_network (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *parts[RELAY_LEGS_PARTS] = { NULL };

  for (const RelayProtocolUri *leg = protocol_uri; leg != NULL; leg = leg->second)
    make_leg (chain, leg, protocol_uri, parts + leg->is_second * RELAY_FEC_PORTS);
  if (protocol_uri->second == NULL && !relay_legs_merges (protocol_uri))
    return relay_chain_add_made (chain, parts[0]);
  return relay_legs_new (chain, parts, protocol_uri->sends ? NULL : RTP_CAPS);
}

static GstElement *
make (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *network, *payloader;

  if (!protocol_uri->sends) {
    network = add_network (chain, protocol_uri);
    if (is_rtp (protocol_uri))
      add_depayloader (chain, protocol_uri);
    return network;
  }
  if (relay_protocol_uri_get (protocol_uri, "bitrate") != NULL)
    add_pacer (chain, protocol_uri);
  if (is_rtp (protocol_uri) && (payloader = relay_chain_add_payloader (chain)) != NULL
      && has_fec (protocol_uri))
    g_object_set (payloader, "ssrc", 0, NULL); /* as the encoder wants it (SMPTE ST 2022-1, 7.1) */
  return add_network (chain, protocol_uri);
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

static gboolean
note_sender (gpointer element, GstBuffer *datagram)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (datagram);
  gpointer last = g_object_get_data (element, SENDER);

  if (meta != NULL && G_IS_INET_SOCKET_ADDRESS (meta->addr)
      && (last == NULL || !is_same (last, G_INET_SOCKET_ADDRESS (meta->addr))))
    g_object_set_data_full (element, SENDER, g_object_ref (meta->addr), g_object_unref);
  return TRUE;
}

static void
on_refused (gpointer pipeline)
{
  relay_protocol_pipeline_count (pipeline, RELAY_DATAGRAMS_REFUSED);
}

static void
watch (GstElement *element, RelayProtocolPipeline *pipeline, gpointer *kept)
{
  const RelayProtocolUri *protocol_uri = relay_protocol_pipeline_get_uri (pipeline);

  if (protocol_uri->sends)
    return;
  for (const RelayProtocolUri *leg = protocol_uri; leg != NULL; leg = leg->second) {
    g_autoptr (GstElement) source = relay_chain_get_receiver (leg, element, 0);

    relay_guard_watch (source, note_sender, source, NULL);
  }
  if (relay_legs_merges (protocol_uri))
    relay_legs_watch (element, protocol_uri, on_refused, pipeline);
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

/* Returns the sender of the first leg that has one; NULL: no datagram came. */
static GSocketAddress *
find_sender (const RelayProtocolUri *protocol_uri, GstElement *element)
{
  GSocketAddress *address = NULL;

  for (const RelayProtocolUri *leg = protocol_uri; leg != NULL && address == NULL;
      leg = leg->second) {
    g_autoptr (GstElement) source = relay_chain_get_receiver (leg, element, 0);

    if (source != NULL)
      address = g_object_dup_data (G_OBJECT (source), SENDER, ref_address, NULL);
  }
  return address;
}

/* Adds the sender of an input, once a datagram came. */
static void
add_figures (RelayProtocolPipeline *pipeline, GstElement *element, GstStructure *stats,
    GPtrArray *peers)
{
  const RelayProtocolUri *protocol_uri = relay_protocol_pipeline_get_uri (pipeline);
  gboolean receives = element != NULL && !protocol_uri->sends;
  g_autoptr (GSocketAddress) address = receives ? find_sender (protocol_uri, element) : NULL;
  g_autoptr (GstStructure) peer = gst_structure_new_empty (RELAY_PEER);

  if (protocol_uri->allowed != NULL || relay_legs_merges (protocol_uri))
    gst_structure_set (stats, "datagrams-refused", G_TYPE_UINT64,
        relay_protocol_pipeline_get_count (pipeline, RELAY_DATAGRAMS_REFUSED), NULL);
  if (receives && relay_legs_merges (protocol_uri))
    relay_legs_add_figures (element, protocol_uri, stats, peer);
  if (address == NULL)
    return;
  relay_fields_set_address (peer, address);
  if (!relay_legs_merges (protocol_uri))
    add_rtp_figures (element, peer);
  g_ptr_array_add (peers, g_steal_pointer (&peer));
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
  .receivers = { "udpsrc", RELAY_LEGS_COLUMNS, RELAY_LEGS_ROWS },
  .port_step = RELAY_FEC_STEP,
};
