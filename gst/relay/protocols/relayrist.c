/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rist://: MPEG-TS in RTP with repairs (VSF TR-06-1, the simple profile).
 */
#include "gstfaspcommon.h"
#include "relayfields.h"
#include "relayflow.h"
#include "relaygroup.h"
#include "relayprotocol.h"

#define PORTS 2                    /* of media, and the next one of reports */
#define SILENCE G_TIME_SPAN_SECOND /* of a sender, after which another one is accepted */

static const RelayKey keys[] = { RELAY_KEY_INTERFACE,
  { "ttl", RELAY_KEY_OUTPUT, NULL, 0, 255, "64; 1 for groups",
      "to a group: how many routers may pass it on" },
  { "latency", RELAY_KEY_BOTH, NULL, 0, RELAY_LATENCY_MAX, "1000; outputs: 1200",
      "ms for repairs" },
  RELAY_KEY_SYNC, RELAY_KEYS_SELECTION, RELAY_KEY_BUFFER_SIZE, { NULL } };

static gboolean
check (const RelayProtocolUri *protocol_uri, GError **error)
{
  if (!relay_group_check (protocol_uri, FALSE, error))
    return FALSE;
  if (relay_protocol_uri_get (protocol_uri, "ttl") != NULL
      && !relay_host_is_group (protocol_uri->host))
    RELAY_BAD (error,
        "ttl of RIST is for a multicast group: leave it out, or write the group's address.");
  else if (protocol_uri->port % PORTS != 0)
    RELAY_BAD (error,
        "the port of RIST is even, as the next one is that of its reports: write another.");
  else
    return TRUE;
  return FALSE;
}

/* An output that sends to a group binds the ports of the reports. */
static guint
count_ports (const RelayProtocolUri *protocol_uri)
{
  return !protocol_uri->sends || relay_host_is_group (protocol_uri->host) ? PORTS : 0;
}

/* Keeps the output's SSRC. librist reports with the SSRC of the stream that it receives. GStreamer
 * would take that for a collision with another sender, and change its SSRC each time, so that the
 * receiver begins anew. Without the address of a report it does not check for collisions. */
static void
ignore_collisions (GstElement *sink)
{
  g_autoptr (GstElement) reports = gst_bin_get_by_name (GST_BIN (sink), RELAY_RIST_REPORTS);

  if (reports != NULL)
    g_object_set (reports, "retrieve-sender-address", FALSE, NULL);
}

static GstElement *
make (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  gboolean sends = protocol_uri->sends;
  const gchar *factory = sends ? "ristsink" : "ristsrc";
  GstElement *element = NULL;

  if (sends)
    relay_chain_add_payloader (chain);
  /* configurations are checked all the time, and each ristsink of GStreamer 1.22 leaks an element,
   * each ristsrc a pad template */
  if (chain->checks)
    relay_chain_need (chain, factory, RELAY_PLUGINS_BAD);
  else
    element = relay_chain_add (chain, factory, RELAY_PLUGINS_BAD);
  if (!sends)
    relay_chain_add (chain, "rtpmp2tdepay", RELAY_PLUGINS_GOOD);
  if (element == NULL)
    return NULL;
  g_object_set (element, "address", relay_protocol_uri_get_address (protocol_uri), "port",
      protocol_uri->port, NULL);
  if (sends)
    ignore_collisions (element);
  relay_chain_set (element, "multicast-iface", protocol_uri, "interface");
  relay_chain_set (element, sends ? "sender-buffer" : "receiver-buffer", protocol_uri, "latency");
  relay_chain_set (element, "multicast-ttl", protocol_uri, "ttl");
  return element;
}

static void
on_flow (RelayFlowVerdict verdict, GSocketAddress *from, gpointer pipeline)
{
  if (verdict == RELAY_FLOW_REFUSED)
    relay_protocol_pipeline_count (pipeline, RELAY_DATAGRAMS_REFUSED);
  else if (verdict == RELAY_FLOW_FOREIGN)
    relay_protocol_pipeline_refuse (pipeline, RELAY_DATAGRAMS_REFUSED, from, NULL,
        "it sends no MPEG-TS of RIST's simple profile: set that profile there");
  else if (verdict == RELAY_FLOW_SECOND)
    relay_protocol_pipeline_refuse (pipeline, RELAY_CALLERS_REFUSED, from, NULL,
        "another sender of RIST was here first, and still sends: give each an input, with a port "
        "of its own");
  else if (verdict == RELAY_FLOW_TAKES_OVER)
    relay_protocol_pipeline_note_takeover (pipeline, from, NULL);
}

static void
on_report (gpointer pipeline)
{
  relay_protocol_pipeline_note_report (pipeline);
}

static void
watch (GstElement *element, RelayProtocolPipeline *pipeline, gpointer *kept)
{
  const RelayProtocolUri *protocol_uri = relay_protocol_pipeline_get_uri (pipeline);
  gint64 latency =
      relay_protocol_uri_get_uint (protocol_uri, "latency", 0) * G_TIME_SPAN_MILLISECOND;

  if (protocol_uri->sends) {
    relay_flow_guard (element, on_report, pipeline);
    return;
  }
  if (*kept == NULL)
    *kept = g_new0 (RelayFlow, 1);
  /* a pause within the latency is not silence */
  relay_flow_watch (element, *kept, MAX (SILENCE, latency), on_flow, pipeline);
}

/* Adds the sender of an input, whose address is known once media came. */
static void
add_sender (const GstStructure *all, const GstStructure *session, GPtrArray *peers)
{
  static const gchar *const theirs[] = { "received", "recovered", "permanently-lost", "duplicates",
    "rtx-roundtrip-time", NULL };
  static const gchar *const ours[] = { "packets-received", "packets-received-retransmitted",
    "packets-missing", "packets-received-duplicate", "rtt-ms", NULL };
  const gchar *from = gst_structure_get_string (session, "rtp-from");
  GstStructure *peer = gst_structure_new_empty (RELAY_PEER);
  guint64 recovered = 0, missing = 0;

  if (from == NULL || from[0] == '\0') {
    gst_structure_free (peer);
    return;
  }
  relay_fields_copy (all, theirs, ours, peer);
  gst_structure_get (all, "recovered", G_TYPE_UINT64, &recovered, "permanently-lost", G_TYPE_UINT64,
      &missing, NULL);
  gst_structure_set (peer, "packets-received-lost", G_TYPE_UINT64, recovered + missing,
      "caller-address-string", G_TYPE_STRING, from, NULL);
  g_ptr_array_add (peers, peer);
}

/* An output does not know its receivers: their round trip, which reports tell, is its own. */
static void
add_figures (RelayProtocolPipeline *pipeline, GstElement *element, GstStructure *stats,
    GPtrArray *peers)
{
  static const gchar *const theirs[] = { "sent-original-packets", "sent-retransmitted-packets",
    "round-trip-time", NULL };
  static const gchar *const ours[] = { "packets-sent", "packets-retransmitted", "rtt-ms", NULL };
  gboolean sends = relay_protocol_pipeline_get_uri (pipeline)->sends;
  g_autoptr (GstStructure) all = NULL;
  const GValueArray *sessions;

  if (!sends)
    gst_structure_set (stats, "datagrams-refused", G_TYPE_UINT64,
        relay_protocol_pipeline_get_count (pipeline, RELAY_DATAGRAMS_REFUSED), "source-changes",
        G_TYPE_UINT64, relay_protocol_pipeline_get_count (pipeline, RELAY_SOURCE_CHANGES), NULL);
  if (element == NULL)
    return;
  g_object_get (element, "stats", &all, NULL);
  sessions = gst_fasp_value_get_array (gst_structure_get_value (all, "session-stats"));
  if (sessions == NULL || sessions->n_values == 0)
    return;
  if (sends)
    relay_fields_copy (gst_value_get_structure (sessions->values), theirs, ours, stats);
  else
    add_sender (all, gst_value_get_structure (sessions->values), peers);
}

const RelayProtocol relay_protocol_rist = {
  .scheme = "rist",
  .keys = keys,
  .check = check,
  .count_ports = count_ports,
  .make = make,
  .watch = watch,
  .free_kept = g_free,
  .add_figures = add_figures,
  .does = "sends",
  .is_reported = TRUE,
  .sender = "rist_rtp_udpsink0",
  .receivers = { RELAY_RIST_MEDIA, RELAY_RIST_REPORTS },
};
