/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * srt://: MPEG-TS over SRT, of an end that dials, or that waits for callers.
 */
#include <string.h>
#include <gst/app/app.h>
#include "relaydial.h"
#include "relayprotocol.h"
#include "relaysrtcall.h"
#include "relaysrtname.h"
#include "relaysrtport.h"
#include "relaysrtsocket.h"
#include "relaysrtthread.h"

/* A passphrase has 10 to 79 bytes (SRTO_PASSPHRASE). */
#define PASSPHRASE_MIN 10
#define PASSPHRASE_MAX 79
#define END "relay-srt-end" /* data of the element */

static const RelayKey keys[] = {
  { "latency", RELAY_KEY_BOTH, NULL, 0, RELAY_LATENCY_MAX, "125",
      "ms for repairs; the larger value of both ends holds" },
  { "mode", RELAY_KEY_BOTH, "caller listener rendezvous", 0, 0, "listener without HOST",
      "whether it dials, or waits for callers; rendezvous: both sides dial" },
  { "localport", RELAY_KEY_BOTH, NULL, 1, G_MAXUINT16, "any; of a rendezvous: PORT",
      "UDP port from which it dials" },
  { "interface", RELAY_KEY_BOTH, NULL, 0, 0, "the system's choice",
      "network interface of all its datagrams" },
  { "maxbw", RELAY_KEY_OUTPUT, NULL, 1, G_MAXINT64, "no limit",
      "bytes/s, with retransmissions and headers" },
  { "passphrase", RELAY_KEY_BOTH, NULL, 0, 0, "none", "10 to 79 characters" },
  { "pbkeylen", RELAY_KEY_BOTH, "16 24 32", 0, 0, "none", "bytes of the key: 16, 24 or 32" },
  { "streamid", RELAY_KEY_BOTH, NULL, 0, 0, "none",
      "given to the peer that is dialled; or the name by which callers choose this end" },
  { "second-caller", RELAY_KEY_INPUT, "replace refuse standby", 0, 0, "replace",
      "another caller replaces a sender that is silent for half a second; is refused; or stands by "
      "until then" },
  RELAY_KEY_SYNC,
  RELAY_KEYS_SELECTION,
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
  else if (is_listener (protocol_uri) && relay_protocol_uri_get (protocol_uri, "localport") != NULL)
    RELAY_BAD (error, "localport is for an end that dials: leave it out.");
  else if (size < PASSPHRASE_MIN || size > PASSPHRASE_MAX)
    RELAY_BAD (error, "a passphrase of SRT has %d to %d characters.", PASSPHRASE_MIN,
        PASSPHRASE_MAX);
  else if (streamid != NULL && strlen (streamid) > RELAY_SRT_STREAMID_MAX)
    RELAY_BAD (error, "a streamid of SRT has at most %d bytes.", RELAY_SRT_STREAMID_MAX);
  else
    return TRUE;
  return FALSE;
}

static GstElement *
make (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *element =
      relay_chain_add (chain, protocol_uri->sends ? "appsink" : "appsrc", RELAY_PLUGINS_BASE);

  if (element != NULL && protocol_uri->sends)
    relay_chain_set_unsynchronized (element);
  else if (element != NULL)
    relay_chain_set_live (element);
  return element;
}

/* --- the element and SRT ---------------------------------------------------------------------- */

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer end)
{
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);

  if (sample != NULL)
    relay_srt_end_send (end, gst_sample_get_buffer (sample));
  return GST_FLOW_OK;
}

static void
close_end (gpointer data)
{
  RelaySrtEnd *end = data;
  RelaySrtPort *left;

  relay_srt_end_flush (end);
  relay_srt_begin_work ();
  left = relay_srt_port_leave (end);
  relay_srt_call_end_all (end);
  relay_srt_end_work ();
  if (left != NULL)
    relay_srt_port_close (left);
  relay_srt_end_close (end);
  relay_srt_end_unref (end);
}

/* Dials, if the end does, and waits until it is connected, has failed, or is cancelled.  @uri: the
 * pipeline's, with an address as host. */
static gpointer
open_end (RelayProtocolPipeline *pipeline, const RelayProtocolUri *uri, GCancellable *cancellable,
    GError **error)
{
  RelaySrtEnd *end = relay_srt_end_new (pipeline);
  gboolean dials = relay_protocol_uri_dials (uri);
  gboolean good = !dials || relay_srt_socket_is_bound (uri)
      || relay_dial_srt_answers (uri->host, uri->port, cancellable, error);

  relay_srt_begin_work ();
  good = good && relay_srt_call_start (error) && (!dials || relay_srt_call_dial (end, uri, error));
  relay_srt_end_work ();
  if (good && (!dials || relay_srt_end_wait (end, cancellable, error)))
    return end;
  if (good)
    close_end (end);
  else
    relay_srt_end_unref (end);
  return NULL;
}

/* Begins to listen, or to receive. */
static gboolean
start_end (gpointer data, GstElement *element, GError **error)
{
  GstAppSinkCallbacks functions = { .new_sample = on_sample };
  RelaySrtEnd *end = data;
  gboolean good;

  g_object_set_data_full (G_OBJECT (element), END, relay_srt_end_ref (end),
      (GDestroyNotify) relay_srt_end_unref);
  if (GST_IS_APP_SINK (element))
    gst_app_sink_set_callbacks (GST_APP_SINK (element), &functions, end, NULL);
  relay_srt_begin_work ();
  good = relay_srt_end_start (end, element, error)
      && (relay_protocol_uri_dials (end->uri) || relay_srt_port_join (end, error));
  relay_srt_end_work ();
  return good;
}

static void
add_figures (RelayProtocolPipeline *pipeline, GstElement *element, GstStructure *stats,
    GPtrArray *peers)
{
  RelaySrtEnd *end = element != NULL ? g_object_get_data (G_OBJECT (element), END) : NULL;
  guint standby;

  if (!relay_protocol_pipeline_get_uri (pipeline)->sends)
    gst_structure_set (stats, "datagrams-refused", G_TYPE_UINT64,
        relay_protocol_pipeline_get_count (pipeline, RELAY_DATAGRAMS_REFUSED), NULL);
  if (end != NULL && relay_srt_end_has_standby (end, &standby))
    gst_structure_set (stats, "callers-standing-by", G_TYPE_UINT, standby, "source-changes",
        G_TYPE_UINT64, relay_protocol_pipeline_get_count (pipeline, RELAY_SOURCE_CHANGES), NULL);
  if (end != NULL)
    relay_srt_end_add_peers (end, peers);
}

const RelayProtocol relay_protocol_srt = {
  .scheme = "srt",
  .keys = keys,
  .has_connections = TRUE,
  .shares_ports = TRUE,
  .check = check,
  .count_ports = count_ports,
  .get_local_port = relay_srt_socket_get_local_port,
  .make = make,
  .open = open_end,
  .start = start_end,
  .close = close_end,
  .decide = relay_srt_call_decide,
  .add_figures = add_figures,
};
