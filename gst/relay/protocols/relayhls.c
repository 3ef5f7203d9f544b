/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hls://: an output that writes segments of MPEG-TS, and the live list that names them
 * (relayhlscut.h, relayhlslist.h), for a web server to give to viewers.
 *
 * The segments have the stream's packets as they came.  (hlssink2 makes new ones from the
 * elementary streams, and its lists have neither discontinuities nor dates.)
 */
#include <string.h>
#include <gst/app/app.h>
#include "relayhlslist.h"
#include "relaykeyframes.h"
#include "relayprotocol.h"

#define SEGMENT 6 /* s; what Apple's authoring specification has players expect */
#define SEGMENT_MAX 30
#define KEEP 6
#define KEEP_MIN 3 /* target durations; RFC 8216, 6.2.2 */

static const RelayKey keys[] = {
  { "segment", RELAY_KEY_OUTPUT, NULL, 1, SEGMENT_MAX, "6",
      "s; no segment is longer: a multiple of the encoder's time between key frames" },
  { "keep", RELAY_KEY_OUTPUT, NULL, KEEP_MIN, RELAY_HLS_KEEP_MAX, "6",
      "segments in the list; viewers can go back so far" },
  RELAY_KEYS_SELECTION,
  RELAY_KEY_BUFFER_SIZE,
  { NULL },
};

static gboolean
check (const RelayProtocolUri *protocol_uri, GError **error)
{
  const gchar *path = protocol_uri->path;
  g_autofree gchar *base = g_path_get_basename (path);

  if (!protocol_uri->sends)
    RELAY_BAD (error, "HLS can only be an output.");
  else if (path[0] != '/' || !g_str_has_suffix (base, RELAY_HLS_ENDING)
      || g_str_equal (base, RELAY_HLS_ENDING))
    RELAY_BAD (error, "write the whole path of a list: hls:///var/www/html/news/live.m3u8.");
  else
    return TRUE;
  return FALSE;
}

static GstElement *
make (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  return relay_chain_add_writer (chain, protocol_uri->path);
}

/* The state of the output, which outlives an appsink. */
typedef struct
{
  RelayProtocolPipeline *pipeline; /* with the appsink */
  RelayHlsCut *cut;
  RelayHlsList *list;
} Hls;

static void
free_hls (gpointer data)
{
  Hls *hls = data;

  relay_hls_cut_free (hls->cut);
  relay_hls_list_free (hls->list);
  g_free (hls);
}

/* @segment: NULL: none is whole. */
static gboolean
write_segment (Hls *hls, const RelayHlsSegment *segment, GError **error)
{
  if (segment == NULL)
    return TRUE;
  if (!relay_hls_list_add (hls->list, segment, error)) {
    relay_hls_cut_lose (hls->cut);
    return FALSE;
  }
  relay_protocol_pipeline_note_work (hls->pipeline);
  return TRUE;
}

static gboolean
write_packets (GstElement *sink, const guint8 *data, gsize size, gpointer writer, GError **error)
{
  Hls *hls = writer;
  gint64 now = g_get_real_time ();
  const gchar *complaint, *fault;
  gboolean good = TRUE;

  for (gsize at = 0; good && at + TS_PACKET <= size; at += TS_PACKET)
    good = write_segment (hls, relay_hls_cut_push (hls->cut, data + at, now), error);
  complaint = relay_hls_cut_complain (hls->cut);
  if (complaint != NULL)
    GST_ELEMENT_WARNING (sink, STREAM, FORMAT, ("%s", complaint), (NULL));
  fault = good ? relay_hls_cut_find_fault (hls->cut) : NULL;
  if (fault != NULL)
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, fault);
  return good && fault == NULL;
}

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer hls)
{
  return relay_chain_write (GST_ELEMENT (sink), write_packets, hls);
}

/* The appsink has ended. */
static void
on_gone (gpointer data)
{
  Hls *hls = data;

  write_segment (hls, relay_hls_cut_flush (hls->cut), NULL);
}

static void
watch (GstElement *sink, RelayProtocolPipeline *pipeline, gpointer *kept)
{
  const RelayProtocolUri *protocol_uri = relay_protocol_pipeline_get_uri (pipeline);
  guint segment = relay_protocol_uri_get_uint (protocol_uri, "segment", SEGMENT);
  guint keep = relay_protocol_uri_get_uint (protocol_uri, "keep", KEEP);
  GstAppSinkCallbacks functions = { .new_sample = on_sample };
  Hls *hls = *kept;

  if (hls == NULL) {
    *kept = hls = g_new0 (Hls, 1);
    hls->pipeline = pipeline;
    hls->cut = relay_hls_cut_new (segment);
    hls->list = relay_hls_list_new (protocol_uri->path, segment, keep);
  }
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &functions, hls, on_gone);
}

static gchar *
get_files (const RelayProtocolUri *protocol_uri)
{
  return relay_hls_list_get_names (protocol_uri->path);
}

const RelayProtocol relay_protocol_hls = {
  .scheme = "hls",
  .keys = keys,
  .is_path = TRUE,
  .check = check,
  .make = make,
  .watch = watch,
  .free_kept = free_hls,
  .get_files = get_files,
  .does = "publishes",
};
