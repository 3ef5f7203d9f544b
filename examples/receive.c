/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * receive: takes a programme from faspsrc, decodes it, and counts what arrives. An
 * example of an application that embeds the element, with gst_parse_launch and probes.
 * It takes the passphrase from the environment (FASP_PASSPHRASE).
 */
#include "gstfaspmonitor.h"
#include "programme.h"
#include "report.h"
#include "toolstd.h"

typedef struct
{
  GstFaspMonitor *ts;
  guint64 bytes, discontinuities;
  GMutex lock;
  gint frames, sound; /* decoded; atomic */
} Counters;

static gboolean
on_data (GstBuffer **buffer, guint index, gpointer data)
{
  Counters *n = data;

  if (GST_BUFFER_FLAG_IS_SET (*buffer, GST_BUFFER_FLAG_DISCONT) && n->bytes > 0)
    n->discontinuities++;
  n->bytes += gst_buffer_get_size (*buffer);
  gst_fasp_monitor_push (n->ts, *buffer, gst_fasp_monitor_get_time ());
  return TRUE;
}

static GstPadProbeReturn
on_stream (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Counters *n = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  g_mutex_lock (&n->lock);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    gst_buffer_list_foreach (GST_PAD_PROBE_INFO_BUFFER_LIST (info), on_data, n);
  else
    on_data (&buffer, 0, n);
  g_mutex_unlock (&n->lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_decoded (GstPad *pad, GstPadProbeInfo *info, gpointer count)
{
  g_atomic_int_inc ((gint *) count);
  return GST_PAD_PROBE_OK;
}

static void
print_counters (FILE *out, gpointer data)
{
  static const TsErrorKind kinds[] = { TS_ERROR_SYNC_LOSS, TS_ERROR_SYNC_BYTE,
    TS_ERROR_CONTINUITY };
  Counters *n = data;
  const TsMonitor *ts;
  guint64 errors = 0;

  g_mutex_lock (&n->lock);
  ts = gst_fasp_monitor_get (n->ts);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    errors += ts_monitor_get_error (ts, kinds[i])->count;
  fprintf (out,
      ", \"frames\": %d, \"sound-frames\": %d, \"bytes\": %" G_GUINT64_FORMAT
      ", \"ts-packets\": %" G_GUINT64_FORMAT ", \"ts-errors\": %" G_GUINT64_FORMAT
      ", \"discontinuities\": %" G_GUINT64_FORMAT,
      g_atomic_int_get (&n->frames), g_atomic_int_get (&n->sound), n->bytes,
      ts_monitor_get_packets (ts), errors, n->discontinuities);
  g_mutex_unlock (&n->lock);
}

static void
add_probe (GstElement *pipeline, const gchar *name, const gchar *pad_name, GstPadProbeType type,
    GstPadProbeCallback callback, gpointer data)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, pad_name);

  gst_pad_add_probe (pad, type, callback, data, NULL);
}

gint
main (gint argc, gchar **argv)
{
  static gchar *uri, *to;
  static gboolean display;
  static const GOptionEntry entries[] = {
    { "uri", 0, 0, G_OPTION_ARG_STRING, &uri,
        "Where from; required: fasp://:PORT listens, fasp://HOST:PORT dials", "URI" },
    { "to", 0, 0, G_OPTION_ARG_FILENAME, &to, "Keep the stream", "FILE" },
    { "display", 0, 0, G_OPTION_ARG_NONE, &display, "Show and play it", NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- receive a programme through faspsrc");
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = NULL;
  g_autofree gchar *line = NULL;
  Counters counters = { 0 };
  gint status;

  tool_begin_standard ();
  g_option_context_set_summary (context,
      "Receives H.264 and AAC in an MPEG transport stream, as fasp-send sends it, and decodes\n"
      "it. Prints the source's statistics, and what has arrived, twice a second as JSON.\n"
      "If FASP_PASSPHRASE is in the environment, it must be the same at both ends.");
  g_option_context_add_main_entries (context, entries, NULL);
  tool_add_version (context);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || uri == NULL) {
    fprintf (stderr, "%s\n",
        error ? error->message :
                "There is nothing to receive: add --uri fasp://:PORT to listen or "
                "fasp://HOST:PORT to dial.");
    return 2;
  }
  g_mutex_init (&counters.lock);
  counters.ts = gst_fasp_monitor_new ();
  line = g_strdup_printf ("faspsrc name=source ! tee name=t "
                          "t. ! queue ! tsdemux name=d "
                          "queue name=pictures ! h264parse ! avdec_h264 name=decoder ! %s "
                          "queue name=sound ! aacparse ! avdec_aac name=sounddecoder ! %s %s",
      display ? "videoconvert ! autovideosink" : "fakesink sync=true",
      display ? "audioconvert ! audioresample ! autoaudiosink" : "fakesink sync=true",
      to ? "t. ! queue ! filesink name=copy async=false" : "");
  pipeline = gst_parse_launch (line, &error);
  if (error != NULL) {
    fprintf (stderr, "Error: %s\n", error->message);
    return 1;
  }
  gst_child_proxy_set (GST_CHILD_PROXY (pipeline), "source::uri", uri, NULL);
  if (g_getenv ("FASP_PASSPHRASE") != NULL)
    gst_child_proxy_set (GST_CHILD_PROXY (pipeline), "source::passphrase",
        g_getenv ("FASP_PASSPHRASE"), NULL);
  if (to != NULL)
    gst_child_proxy_set (GST_CHILD_PROXY (pipeline), "copy::location", to, NULL);
  add_probe (pipeline, "source", "src", GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST,
      on_stream, &counters);
  add_probe (pipeline, "decoder", "src", GST_PAD_PROBE_TYPE_BUFFER, on_decoded, &counters.frames);
  add_probe (pipeline, "sounddecoder", "src", GST_PAD_PROBE_TYPE_BUFFER, on_decoded,
      &counters.sound);
  programme_follow (pipeline, "d", "video/", "pictures");
  programme_follow (pipeline, "d", "audio/", "sound");
  status = report_run (pipeline, "source", print_counters, &counters);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_fasp_monitor_free (counters.ts);
  return status;
}
