/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * throughput: pushes bytes into the end of a pipeline as fast as it takes them,
 * or takes them out of the beginning of one, and says how many a second.
 *
 *   throughput send [--seconds S] [--write BYTES] "faspsink uri=..."
 *   throughput receive [--idle S] "faspsrc uri=..."
 *
 * The stream is stamped: each 4096 bytes begin with where they are in it, so the
 * receiver sees what is missing or in the wrong place.  (A protocol of
 * datagrams that loses some only counts.)  It ends when the stream does, or
 * when nothing has come for a while.  A line of JSON at the end.
 */
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>
#include "options.h"
#include "ratereport.h"

#define STAMP_EVERY 4096
#define POOL 64 /* buffers used over and over */

static gint seconds = 10, idle = 3, size = 1 << 20;
static guint64 bytes, stamps, wrong;
static gint64 first, last;

/* --- the stream ------------------------------------------------------------ */

/* Writes the stamps that lie in [position, position + n). */
static void
stamp (guint8 *data, gsize n, guint64 position)
{
  guint64 at = (position + STAMP_EVERY - 1) / STAMP_EVERY * STAMP_EVERY;

  for (; at + sizeof at <= position + n; at += STAMP_EVERY)
    memcpy (data + (at - position), &at, sizeof at);
}

static void
check (const guint8 *data, gsize n, guint64 position)
{
  guint64 at = (position + STAMP_EVERY - 1) / STAMP_EVERY * STAMP_EVERY;

  for (; at + sizeof at <= position + n; at += STAMP_EVERY) {
    guint64 value;

    memcpy (&value, data + (at - position), sizeof value);
    stamps++;
    wrong += value != at;
  }
}

/* --- sending ----------------------------------------------------------------- */

static GstBufferPool *
make_pool (void)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, NULL, size, POOL, 0);
  gst_buffer_pool_set_config (pool, config);
  gst_buffer_pool_set_active (pool, TRUE);
  return pool;
}

static gpointer
feed (gpointer data)
{
  GstAppSrc *source = data;
  GstBufferPool *pool = make_pool ();
  gint64 start = g_get_monotonic_time ();

  first = start;
  while (g_get_monotonic_time () - start < seconds * G_USEC_PER_SEC) {
    GstBuffer *buffer;
    GstMapInfo map;

    if (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL) != GST_FLOW_OK
        || !gst_buffer_map (buffer, &map, GST_MAP_WRITE))
      break;
    stamp (map.data, map.size, bytes);
    gst_buffer_unmap (buffer, &map);
    if (gst_app_src_push_buffer (source, buffer) != GST_FLOW_OK)
      break;
    bytes += size;
  }
  last = g_get_monotonic_time ();
  gst_app_src_end_of_stream (source);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  return NULL;
}

/* --- receiving ------------------------------------------------------------------ */

static GstPadProbeReturn
count_buffer (GstBuffer *buffer)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstMapInfo map;

    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      continue;
    check (map.data, map.size, bytes);
    bytes += map.size;
    gst_memory_unmap (memory, &map);
  }
  last = g_get_monotonic_time ();
  if (first == 0)
    first = last;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    return count_buffer (GST_PAD_PROBE_INFO_BUFFER (info));
  for (guint i = 0; i < gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info)); i++)
    count_buffer (gst_buffer_list_get (GST_PAD_PROBE_INFO_BUFFER_LIST (info), i));
  return GST_PAD_PROBE_OK;
}

/* --- both -------------------------------------------------------------------------- */

static GstElement *
launch (gboolean sends, const gchar *rest)
{
  g_autofree gchar *text = sends ?
      g_strdup_printf ("appsrc name=source format=bytes block=true max-bytes=%u ! %s", 4 * size,
          rest) :
      g_strdup_printf ("%s ! fakesink name=sink sync=false async=false", rest);
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);

  if (error != NULL)
    options_refuse ("%s", error->message);
  if (!sends) {
    g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_data,
        NULL, NULL);
  }
  return pipeline;
}

/* To the end of the stream, an error, or a silence after something came. */
static gboolean
wait_for_end (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gint64 began = g_get_monotonic_time ();

  for (;;) {
    g_autoptr (GstMessage) message =
        gst_bus_timed_pop_filtered (bus, GST_SECOND / 10, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    gint64 now = g_get_monotonic_time ();

    if (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      g_autoptr (GError) error = NULL;

      gst_message_parse_error (message, &error, NULL);
      fprintf (stderr, "throughput: %s\n", error->message);
      return FALSE;
    }
    if (message != NULL || (last > 0 && now - last > idle * G_USEC_PER_SEC)
        || now - began > (seconds + 60) * G_USEC_PER_SEC)
      return TRUE;
  }
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "Sends for so long", "SECONDS" },
    { "write", 0, 0, G_OPTION_ARG_INT, &size, "Bytes in a buffer", "BYTES" },
    { "idle", 0, 0, G_OPTION_ARG_INT, &idle, "Ends when nothing has come for so long", "SECONDS" },
    { NULL },
  };
  GstElement *pipeline;
  gboolean sends, good;

  gst_init (&argc, &argv);
  options_parse (&argc, &argv, entries, "send|receive PIPELINE");
  if (argc != 3 || size < (gint) STAMP_EVERY / 8 || seconds < 1)
    options_refuse ("say send or receive, and the rest of the pipeline");
  sends = strcmp (argv[1], "send") == 0;
  pipeline = launch (sends, argv[2]);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  if (sends) {
    g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
    GThread *thread = g_thread_new ("feed", feed, source);

    idle = G_MAXINT / G_USEC_PER_SEC; /* the end of the stream is its end */
    good = wait_for_end (pipeline);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    g_thread_join (thread);
  } else {
    good = wait_for_end (pipeline);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
  gst_object_unref (pipeline);
  rate_report (bytes, first, last, "stamps", stamps, "wrong", wrong, NULL);
  return good ? 0 : 1;
}
