/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * together: receives a stream and writes down when each of its buffers is to be presented, on the
 * machine's monotonic clock: what the timestamps say, not when a thread woke.
 *
 *   together "faspsrc OPTIONS" [--seconds S] [--step MS --from US --until US]
 *
 * The wall clock of this process is wrong by --step between two moments of the monotonic clock, as
 * if it had been set, and set back.  Lines: media time, moment, ns.  The last one has the state.
 */
#include <gmodule.h>
#include <gst/gst.h>
#include <stdio.h>
#include <time.h>
#include "options.h"

static gint seconds = 60, step_ms;
static gint64 from_us, until_us;

/* In place of GLib's, by which faspsrc asks for the wall clock. */
G_MODULE_EXPORT gint64
g_get_real_time (void)
{
  gint64 monotonic = g_get_monotonic_time ();
  struct timespec t;

  clock_gettime (CLOCK_REALTIME, &t);
  return t.tv_sec * G_USEC_PER_SEC + t.tv_nsec / 1000
      + (monotonic >= from_us && monotonic < until_us ? step_ms * G_TIME_SPAN_MILLISECOND : 0);
}

typedef struct
{
  GstClockTime media, pts;
} Seen;

static GMutex lock;
static GArray *all; /* of Seen; under the lock */

static GstPadProbeReturn
note (GstPad *pad, GstPadProbeInfo *info, gpointer reference)
{
  GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta (info->data, reference);
  Seen seen = { meta != NULL ? meta->timestamp : 0, GST_BUFFER_PTS (info->data) };

  if (meta == NULL)
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&lock);
  g_array_append_val (all, seen);
  g_mutex_unlock (&lock);
  return GST_PAD_PROBE_OK;
}

/* With which the sink plays: the source's and its own. */
static GstClockTime
get_latency (GstElement *pipeline)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime latency = 0;

  if (gst_element_query (pipeline, query))
    gst_query_parse_latency (query, NULL, &latency, NULL);
  return latency;
}

static void
print (GstElement *pipeline, GstElement *source)
{
  GstClockTime more = gst_element_get_base_time (pipeline) + get_latency (pipeline);
  g_autoptr (GstStructure) stats = NULL;

  g_mutex_lock (&lock);
  for (guint i = 0; i < all->len; i++) {
    const Seen *seen = &g_array_index (all, Seen, i);

    printf ("%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "\n", seen->media, seen->pts + more);
  }
  g_mutex_unlock (&lock);
  g_object_get (source, "stats", &stats, NULL);
  printf ("%s\n", gst_structure_get_string (stats, "presentation"));
}

int
main (int argc, char **argv)
{
  GOptionEntry options[] = {
    { "seconds", 's', 0, G_OPTION_ARG_INT, &seconds, "so long (60)", "S" },
    { "step", 0, 0, G_OPTION_ARG_INT, &step_ms, "the wall clock is set by this, ms", "MS" },
    { "from", 0, 0, G_OPTION_ARG_INT64, &from_us, "then, on the monotonic clock", "US" },
    { "until", 0, 0, G_OPTION_ARG_INT64, &until_us, "and is set back then", "US" },
    { NULL },
  };
  g_autofree gchar *text = NULL;
  g_autoptr (GstElement) pipeline = NULL, source = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstCaps) reference = NULL;
  g_autoptr (GError) error = NULL;

  options_parse (&argc, &argv, options, "\"faspsrc OPTIONS\"");
  gst_init (NULL, NULL);
  text = g_strdup_printf ("%s name=source ! fakesink sync=true", argc == 2 ? argv[1] : "");
  pipeline = gst_parse_launch (text, &error);
  if (pipeline == NULL || error != NULL)
    g_error ("no such pipeline: %s", error->message);
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  pad = gst_element_get_static_pad (source, "src");
  reference = gst_caps_new_empty_simple ("timestamp/x-fasp");
  all = g_array_new (FALSE, FALSE, sizeof (Seen));
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note, reference, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_usleep (seconds * G_USEC_PER_SEC);
  print (pipeline, source);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_array_unref (all);
  return 0;
}
