/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frames: runs a pipeline and writes down every buffer that passes an element of
 * it named "frames": presentation time, bytes, CRC-32C, and when it passed.
 *
 *   frames LOG [--seconds S] "PIPELINE"
 *
 * LOG: comma-separated, a line for each; times in ns, the last one on the
 * machine's monotonic clock.  Ends with the stream, S seconds after which it is
 * ended, or at a signal.
 */
#include <gst/gst.h>
#include <isa-l/crc.h>
#include <glib-unix.h>
#include <errno.h>
#include <stdio.h>

static gint seconds;

static GstPadProbeReturn
note (GstPad * pad, GstPadProbeInfo * info, gpointer log)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gint64 now = g_get_monotonic_time () * 1000;
  guint32 crc = 0;

  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstMapInfo map;

    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      continue;
    crc = crc32_iscsi (map.data, map.size, crc);
    gst_memory_unmap (memory, &map);
  }
  fprintf (log, "%" G_GUINT64_FORMAT ",%" G_GSIZE_FORMAT ",%08x,%"
      G_GINT64_FORMAT "\n", GST_BUFFER_PTS (buffer),
      gst_buffer_get_size (buffer), crc, now);
  return GST_PAD_PROBE_OK;
}

static gboolean
end (gpointer pipeline)
{
  gst_element_send_event (pipeline, gst_event_new_eos ());
  return G_SOURCE_REMOVE;
}

static gboolean
on_message (GstBus * bus, GstMessage * message, gpointer loop)
{
  g_autoptr (GError) error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      g_printerr ("frames: %s\n", error->message);
      g_main_loop_quit (loop);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      g_printerr ("frames: %s\n", error->message);
      break;
    case GST_MESSAGE_EOS:
      g_main_loop_quit (loop);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* The figures that the element "end" has of itself, in a line. */
static void
print_stats (GstElement * pipeline)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline),
      "end");
  g_autoptr (GstStructure) stats = NULL;
  g_autofree gchar *text = NULL;

  if (element == NULL)
    return;
  g_object_get (element, "stats", &stats, NULL);
  text = gst_structure_to_string (stats);
  g_print ("%s\n", text);
}

int
main (int argc, char **argv)
{
  GOptionEntry options[] = {
    {"seconds", 's', 0, G_OPTION_ARG_INT, &seconds, "end the stream then", "S"},
    {NULL}
  };
  g_autoptr (GOptionContext) context = g_option_context_new
      ("LOG PIPELINE - note all that passes its element named \"frames\"");
  g_autoptr (GMainLoop) loop = NULL;
  g_autoptr (GstElement) pipeline = NULL, element = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GError) error = NULL;
  FILE *log;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 3) {
    g_printerr ("frames: %s\n", error ? error->message :
        "a log and a pipeline are wanted");
    return 2;
  }
  pipeline = gst_parse_launch (argv[2], &error);
  if (error != NULL) {
    g_printerr ("frames: %s\n", error->message);
    return 2;
  }
  element = gst_bin_get_by_name (GST_BIN (pipeline), "frames");
  log = fopen (argv[1], "w");
  if (element == NULL || log == NULL) {
    g_printerr ("frames: %s\n", element == NULL ?
        "no element is named frames" : g_strerror (errno));
    return 2;
  }
  pad = gst_element_get_static_pad (element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note, log, NULL);
  loop = g_main_loop_new (NULL, FALSE);
  bus = gst_element_get_bus (pipeline);
  gst_bus_add_watch (bus, on_message, loop);
  g_unix_signal_add (SIGINT, end, pipeline);
  g_unix_signal_add (SIGTERM, end, pipeline);
  if (seconds > 0)
    g_timeout_add_seconds (seconds, end, pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_main_loop_run (loop);
  print_stats (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  fclose (log);
  return 0;
}
