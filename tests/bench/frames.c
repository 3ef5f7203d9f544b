/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frames: runs a pipeline and writes down every buffer that passes an element of
 * it named "frames": presentation time, bytes, CRC-32C, and when it passed.
 *
 *   frames LOG [--seconds S] [--card CAPS] "PIPELINE"
 *
 * With a card, what its appsrc named "card" gives are pictures of these caps, made
 * beforehand and shown again and again: as those of a capture card, which writes them into
 * memory itself, they cost no processor anything when they come.
 *
 * LOG: comma-separated, a line for each; times in ns, the last one on the
 * machine's monotonic clock.  Ends with the stream, S seconds after which it is
 * ended, or at a signal.
 */
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <isa-l/crc.h>
#include <glib-unix.h>
#include <errno.h>
#include <stdio.h>
#include "options.h"

#define PICTURES 48 /* of a card; no two are alike */
#define FRAME_TIMEOUT (5 * GST_SECOND)
#define QUEUED 4 /* a card has no room for more */

static gint seconds;
static gchar *card_caps;

/* --- the card ---------------------------------------------------------------- */

typedef struct
{
  GPtrArray *pictures;
  GstCaps *caps;
  GstClockTime duration;
  GstAppSrc *source;
  GThread *thread;
  gint stop; /* atomic */
} Card;

static GPtrArray *
make_pictures (const gchar *caps)
{
  g_autofree gchar *text = g_strdup_printf (
      "videotestsrc num-buffers=%u pattern=ball ! %s ! appsink name=sink sync=false", PICTURES,
      caps);
  g_autoptr (GstElement) pipeline = gst_parse_launch (text, NULL);
  g_autoptr (GstElement) sink = NULL;
  GPtrArray *pictures = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  GstSample *sample;

  if (pipeline == NULL)
    return pictures;
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), FRAME_TIMEOUT)) != NULL) {
    g_ptr_array_add (pictures, gst_buffer_ref (gst_sample_get_buffer (sample)));
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return pictures;
}

static gpointer
show (gpointer data)
{
  Card *card = data;
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockTime start = gst_clock_get_time (clock);

  for (guint i = 0; !g_atomic_int_get (&card->stop); i++) {
    GstClockID id = gst_clock_new_single_shot_id (clock, start + i * card->duration);
    GstBuffer *picture =
        gst_buffer_copy (g_ptr_array_index (card->pictures, i % card->pictures->len));

    gst_clock_id_wait (id, NULL);
    gst_clock_id_unref (id);
    GST_BUFFER_PTS (picture) = GST_CLOCK_TIME_NONE;
    GST_BUFFER_DURATION (picture) = card->duration;
    if (gst_app_src_push_buffer (card->source, picture) != GST_FLOW_OK)
      break;
  }
  return NULL;
}

/* Before it plays.  FALSE: there is none in the pipeline, or none that makes such pictures. */
static gboolean
card_prepare (Card *card, GstElement *pipeline)
{
  GstVideoInfo info;

  card->source = (GstAppSrc *) gst_bin_get_by_name (GST_BIN (pipeline), "card");
  card->caps = gst_caps_from_string (card_caps);
  card->pictures = make_pictures (card_caps);
  if (card->source == NULL || card->pictures->len < PICTURES
      || !gst_video_info_from_caps (&info, card->caps) || info.fps_n <= 0)
    return FALSE;
  card->duration = gst_util_uint64_scale (GST_SECOND, info.fps_d, info.fps_n);
  g_object_set (card->source, "caps", card->caps, "format", GST_FORMAT_TIME, "is-live", TRUE,
      "do-timestamp", TRUE, "max-bytes", G_GUINT64_CONSTANT (0), "max-buffers", (guint64) QUEUED,
      "leaky-type", GST_APP_LEAKY_TYPE_UPSTREAM, NULL);
  return TRUE;
}

static void
card_end (Card *card)
{
  g_atomic_int_set (&card->stop, TRUE);
  g_clear_pointer (&card->thread, g_thread_join);
  gst_clear_object (&card->source);
  gst_clear_caps (&card->caps);
  g_clear_pointer (&card->pictures, g_ptr_array_unref);
}

/* --- what passes --------------------------------------------------------------- */

static GstPadProbeReturn
note (GstPad *pad, GstPadProbeInfo *info, gpointer log)
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
  fprintf (log, "%" G_GUINT64_FORMAT ",%" G_GSIZE_FORMAT ",%08x,%" G_GINT64_FORMAT "\n",
      GST_BUFFER_PTS (buffer), gst_buffer_get_size (buffer), crc, now);
  return GST_PAD_PROBE_OK;
}

static gboolean
end (gpointer pipeline)
{
  gst_element_send_event (pipeline, gst_event_new_eos ());
  return G_SOURCE_REMOVE;
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer loop)
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
print_stats (GstElement *pipeline)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), "end");
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
    { "seconds", 's', 0, G_OPTION_ARG_INT, &seconds, "end the stream then", "S" },
    { "card", 0, 0, G_OPTION_ARG_STRING, &card_caps,
        "pictures made beforehand, from the appsrc named \"card\"", "CAPS" },
    { NULL },
  };
  g_autoptr (GMainLoop) loop = NULL;
  g_autoptr (GstElement) pipeline = NULL, element = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GError) error = NULL;
  Card card = { 0 };
  gint status = 0;
  FILE *log;

  gst_init (&argc, &argv);
  options_parse (&argc, &argv, options,
      "LOG PIPELINE - note all that passes its element named \"frames\"");
  if (argc != 3)
    options_refuse ("a log and a pipeline are wanted");
  pipeline = gst_parse_launch (argv[2], &error);
  if (error != NULL)
    options_refuse ("%s", error->message);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "frames");
  log = fopen (argv[1], "w");
  if (element == NULL || log == NULL)
    options_refuse ("%s", element == NULL ? "no element is named frames" : g_strerror (errno));
  pad = gst_element_get_static_pad (element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note, log, NULL);
  loop = g_main_loop_new (NULL, FALSE);
  bus = gst_element_get_bus (pipeline);
  gst_bus_add_watch (bus, on_message, loop);
  g_unix_signal_add (SIGINT, end, pipeline);
  g_unix_signal_add (SIGTERM, end, pipeline);
  if (card_caps != NULL && !card_prepare (&card, pipeline)) {
    g_printerr ("frames: no appsrc is named card, or `%s' are no pictures\n", card_caps);
    status = 2;
  } else {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    if (card.source != NULL)
      card.thread = g_thread_new ("card", show, &card);
    if (seconds > 0)
      g_timeout_add_seconds (seconds, end, pipeline);
    g_main_loop_run (loop);
    print_stats (pipeline);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  card_end (&card);
  gst_bus_remove_watch (bus);
  fclose (log);
  return status;
}
