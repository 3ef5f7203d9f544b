/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * srt://: MPEG-TS over SRT, of an end that dials, or that waits for callers.
 */
#include <string.h>
#include "gstfaspcommon.h"
#include "relaydial.h"
#include "relayfields.h"
#include "relayprotocol.h"

/* A passphrase has 10 to 79 bytes (SRTO_PASSPHRASE). */
#define PASSPHRASE_MIN 10
#define PASSPHRASE_MAX 79
#define STREAMID_MAX 512 /* bytes: SRTO_STREAMID */
#define POLL 100         /* ms */
/* A sender that is connected and has sent nothing for this long gives way to another one: as
 * encoders send several times a second, it is gone, and SRT will notice that seconds later. */
#define SILENCE (G_TIME_SPAN_SECOND / 2)
/* The element that dials has this figure only while it is connected. */
#define CONNECTED "negotiated-latency-ms"

static const RelayKey keys[] = {
  { "latency", RELAY_KEY_BOTH, NULL, 0, RELAY_LATENCY_MAX, "125",
      "ms for repairs; the larger value of both ends holds" },
  { "mode", RELAY_KEY_BOTH, "caller listener", 0, 0, "listener without HOST",
      "whether it dials, or waits for callers" },
  { "passphrase", RELAY_KEY_BOTH, NULL, 0, 0, "none", "10 to 79 characters" },
  { "pbkeylen", RELAY_KEY_BOTH, "16 24 32", 0, 0, "none", "bytes of the key: 16, 24 or 32" },
  { "streamid", RELAY_KEY_BOTH, NULL, 0, 0, "none",
      "given to the peer that is dialled; callers that give another one are refused" },
  { "second-caller", RELAY_KEY_INPUT, "replace refuse", 0, 0, "replace",
      "whether another caller replaces a sender that is silent for half a second" },
  RELAY_KEY_SYNC,
  RELAY_KEY_BUFFER_SIZE,
  { NULL },
};

static gboolean
is_listener (const RelayProtocolUri *protocol_uri)
{
  const gchar *mode = relay_protocol_uri_get (protocol_uri, "mode");

  return mode != NULL ? g_str_equal (mode, "listener") : relay_host_is_any (protocol_uri->host);
}

static guint
count_ports (const RelayProtocolUri *protocol_uri)
{
  return is_listener (protocol_uri);
}

static gboolean
check (const RelayProtocolUri *protocol_uri, GError **error)
{
  const gchar *passphrase = relay_protocol_uri_get (protocol_uri, "passphrase");
  const gchar *streamid = relay_protocol_uri_get (protocol_uri, "streamid");
  gsize size = passphrase != NULL ? strlen (passphrase) : PASSPHRASE_MIN;

  if (!is_listener (protocol_uri) && protocol_uri->host == NULL)
    RELAY_BAD (error, "a caller needs a host: write srt://HOST:PORT, or srt://:PORT to be called.");
  else if (size < PASSPHRASE_MIN || size > PASSPHRASE_MAX)
    RELAY_BAD (error, "a passphrase of SRT has %d to %d characters.", PASSPHRASE_MIN,
        PASSPHRASE_MAX);
  else if (streamid != NULL && strlen (streamid) > STREAMID_MAX)
    RELAY_BAD (error, "a streamid of SRT has at most %d bytes.", STREAMID_MAX);
  else
    return TRUE;
  return FALSE;
}

static GstElement *
make (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  gboolean listens = is_listener (protocol_uri);
  GstElement *element =
      relay_chain_add (chain, protocol_uri->sends ? "srtsink" : "srtsrc", RELAY_PLUGINS_BAD);
  g_autofree gchar *place = relay_host_with_port (protocol_uri->host, protocol_uri->port);
  g_autofree gchar *uri =
      g_strdup_printf ("srt://%s?mode=%s", place, listens ? "listener" : "caller");

  if (element == NULL)
    return NULL;
  /* poll-timeout: how often the element checks whether it must stop, as a silent caller would
   * otherwise block it. auto-reconnect: off, as the element would dial the same address again
   * without a pause */
  g_object_set (element, "uri", uri, "wait-for-connection", FALSE, "poll-timeout", POLL,
      "auto-reconnect", FALSE, NULL);
  if (protocol_uri->sends)
    relay_chain_set_unsynchronized (element);
  else
    g_object_set (element, "keep-listening", TRUE, NULL);
  relay_chain_set (element, "latency", protocol_uri, "latency");
  relay_chain_set (element, "pbkeylen", protocol_uri, "pbkeylen");
  if (relay_protocol_uri_get (protocol_uri, "passphrase") != NULL)
    g_object_set (element, "passphrase", relay_protocol_uri_get (protocol_uri, "passphrase"), NULL);
  if (!listens)
    g_object_set (element, "streamid", relay_protocol_uri_get (protocol_uri, "streamid"), NULL);
  return element;
}

/* --- callers ------------------------------------------------------------------------------- */

/* srtsrc reads from one caller until SRT has given that up, and then closes all.  So another one is
 * refused; if the first is silent, the element is replaced, and has room when the other one calls
 * again.  SRT compares passphrases later, so a caller without the passphrase can end a
 * connection, but only while it is silent. */
static gboolean
has_room (GstElement *element, GSocketAddress *address, const gchar *streamid,
    RelayProtocolPipeline *pipeline)
{
  const RelayProtocolUri *protocol_uri = relay_protocol_pipeline_get_uri (pipeline);
  gint64 silence = relay_protocol_pipeline_get_silence (pipeline);
  gboolean replaces =
      g_strcmp0 (relay_protocol_uri_get (protocol_uri, "second-caller"), "refuse") != 0;

  if (protocol_uri->sends || silence < 0)
    return TRUE;
  if (!replaces || silence < SILENCE) {
    relay_protocol_pipeline_refuse (pipeline, RELAY_CALLERS_REFUSED, address, streamid,
        "another sender is connected: stop that one, or give each an input, with a port of its "
        "own");
  } else {
    relay_protocol_pipeline_refuse (pipeline, RELAY_CALLERS_REFUSED, address, streamid,
        "another sender is connected, and silent: the input starts anew, and hears it when it "
        "calls again");
    gst_element_post_message (element,
        gst_message_new_application (GST_OBJECT (element),
            gst_structure_new_empty ("another-sender")));
  }
  return FALSE;
}

static gboolean
on_connecting (GstElement *element, GSocketAddress *address, const gchar *streamid,
    RelayProtocolPipeline *pipeline)
{
  const gchar *wanted =
      relay_protocol_uri_get (relay_protocol_pipeline_get_uri (pipeline), "streamid");

  if (wanted == NULL || g_strcmp0 (wanted, streamid) == 0)
    return has_room (element, address, streamid, pipeline)
        && relay_protocol_pipeline_admits (pipeline, address, streamid);
  relay_protocol_pipeline_refuse (pipeline, RELAY_CALLERS_REFUSED, address, streamid,
      "it gives another streamid than this end has: set the same one there");
  return FALSE;
}

static void
on_added (GstElement *element, gint unused, GSocketAddress *address,
    RelayProtocolPipeline *pipeline)
{
  relay_protocol_pipeline_note_caller (pipeline, address, TRUE);
}

static void
on_removed (GstElement *element, gint unused, GSocketAddress *address,
    RelayProtocolPipeline *pipeline)
{
  relay_protocol_pipeline_note_caller (pipeline, address, FALSE);
}

static void
watch (GstElement *element, RelayProtocolPipeline *pipeline, gpointer *kept)
{
  if (!is_listener (relay_protocol_pipeline_get_uri (pipeline)))
    return;
  /* the signal is emitted only if this is set, whatever the documented default of the property */
  g_object_set (element, "authentication", TRUE, NULL);
  g_signal_connect (element, "caller-connecting", G_CALLBACK (on_connecting), pipeline);
  g_signal_connect (element, "caller-added", G_CALLBACK (on_added), pipeline);
  g_signal_connect (element, "caller-removed", G_CALLBACK (on_removed), pipeline);
}

static gboolean
is_connected (GstElement *element)
{
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (element, "stats", &stats, NULL);
  return stats != NULL && gst_structure_has_field (stats, CONNECTED);
}

static guint64
get_sent (GstElement *element)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 sent = 0;

  g_object_get (element, "stats", &stats, NULL);
  if (stats != NULL)
    gst_structure_get_uint64 (stats, "bytes-sent-total", &sent);
  return sent;
}

/* --- figures ------------------------------------------------------------------------------- */

/* The element has the figures of both directions, those of the other one are 0. */
static const gchar *const received[] = { "packets-received", "packets-received-lost",
  "bytes-received", "receive-rate-mbps", "rtt-ms", "negotiated-latency-ms", NULL };
static const gchar *const sent[] = { "packets-sent", "packets-sent-lost", "packets-sent-dropped",
  "packets-retransmitted", "bytes-sent", "bytes-retransmitted", "send-rate-mbps", "rtt-ms",
  "negotiated-latency-ms", NULL };

static void
add_peer (const RelayProtocolUri *protocol_uri, const GstStructure *from, GPtrArray *peers)
{
  const gchar *const *names = protocol_uri->sends ? sent : received;
  GstStructure *peer = gst_structure_new_empty (RELAY_PEER);
  g_autoptr (GSocketAddress) address = NULL;
  g_autofree gchar *text = NULL;

  relay_fields_copy (from, names, names, peer);
  if (gst_structure_get (from, "caller-address", G_TYPE_SOCKET_ADDRESS, &address, NULL)) {
    relay_fields_set_address (peer, address);
  } else { /* the peer that is dialled */
    text = relay_host_with_port (protocol_uri->host, protocol_uri->port);
    gst_structure_set (peer, "caller-address-string", G_TYPE_STRING, text, NULL);
  }
  g_ptr_array_add (peers, peer);
}

static void
add_figures (RelayProtocolPipeline *pipeline, GstElement *element, GstStructure *stats,
    GPtrArray *peers)
{
  const RelayProtocolUri *protocol_uri = relay_protocol_pipeline_get_uri (pipeline);
  g_autoptr (GstStructure) all = NULL;
  const GValueArray *callers;

  if (element == NULL)
    return;
  g_object_get (element, "stats", &all, NULL);
  callers = gst_fasp_value_get_array (gst_structure_get_value (all, "callers"));
  for (guint i = 0; callers != NULL && i < callers->n_values; i++)
    add_peer (protocol_uri, gst_value_get_structure (&callers->values[i]), peers);
  if (gst_structure_has_field (all, CONNECTED))
    add_peer (protocol_uri, all, peers);
}

const RelayProtocol relay_protocol_srt = {
  .scheme = "srt",
  .keys = keys,
  .check = check,
  .count_ports = count_ports,
  .make = make,
  .watch = watch,
  .is_connected = is_connected,
  .answers = relay_dial_srt_answers,
  .get_sent = get_sent,
  .add_figures = add_figures,
};
