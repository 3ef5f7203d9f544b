/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasp-lan-play: shows what fasp-lan-send sends, as soon as possible.
 * docs/low-latency.md explains each setting. The program prints the pipeline that it
 * runs, so that you can use it elsewhere. With --measure it shows nothing, and prints
 * how old the pictures are.
 */
#include "programme.h"
#include "lan.h"
#include "timecode.h"

#define DEADLINE_MAX 10000 /* ms */

static gint deadline = 10;
static gboolean measure, foreign_clock;
static LanOptions options;
static gchar *source, *demux = (gchar *) "latency=1 ignore-pcr=true";
static gchar *aligned =
    (gchar *) "capssetter join=true caps=video/x-h264,stream-format=byte-stream,alignment=au ! ";
static gchar *decoder = (gchar *) "avdec_h264 max-threads=2 thread-type=slice";
static gchar *sink = (gchar *) "autovideosink";

static const GOptionEntry entries[] = {
  { "deadline", 'd', 0, G_OPTION_ARG_INT, &deadline, "Time that decoding may take, ms (10)", "MS" },
  { "measure", 'm', 0, G_OPTION_ARG_NONE, &measure,
      "Show nothing; print how old the pictures are, by their time code", NULL },
  { "own-clock", 0, 0, G_OPTION_ARG_NONE, &foreign_clock,
      "Play by this machine's clock, not the sender's", NULL },
  { "source", 0, 0, G_OPTION_ARG_STRING, &source,
      "Use these elements instead of faspsrc; one must have name=in", "ELEMENTS" },
  { "demux", 0, 0, G_OPTION_ARG_STRING, &demux, "Properties of tsdemux (latency=1 ignore-pcr=true)",
      "NAME=VALUE ..." },
  { "aligned", 0, 0, G_OPTION_ARG_STRING, &aligned,
      "Elements that tell h264parse that each buffer is a picture (a capssetter)", "ELEMENTS !" },
  { "decoder", 0, 0, G_OPTION_ARG_STRING, &decoder,
      "Decoder (avdec_h264 max-threads=2 thread-type=slice)", "ELEMENT" },
  { "sink", 0, 0, G_OPTION_ARG_STRING, &sink, "Where pictures go (autovideosink)", "ELEMENT" },
  { NULL },
};

static const LanProgram program = {
  .name = "fasp-lan-play",
  .arguments = "[HOST]:PORT - show what fasp-lan-send sends, as soon as possible",
  .summary = "Listens at :PORT for a sender, or calls one that listens at "
             "HOST:PORT. Plays by a\nclock that runs at the rate of the sender's "
             "clock.\nIf FASP_PASSPHRASE is in the environment, it must be the same at "
             "both ends.",
  .description = "docs/low-latency.md tells why each setting is as it is, and "
                 "what others cost.\n--measure compares with the sender's time code: "
                 "on one machine, or on two whose\nclocks are the same (PTP).\n",
  .example = "say where it comes from: fasp-lan-play :PORT",
};

typedef struct
{
  GstVideoInfo info;
  gboolean has_info;
  GArray *ages; /* µs; age of each picture when it was due to be shown */
  guint unreadable;
} Player;

static gboolean
read_code (Player *p, GstBuffer *buffer, guint32 *number, guint32 *code)
{
  GstVideoFrame frame;
  gboolean ok;

  if (!p->has_info || !gst_video_frame_map (&frame, &p->info, buffer, GST_MAP_READ))
    return FALSE;
  ok = timecode_read (&frame, number, code);
  gst_video_frame_unmap (&frame);
  return ok;
}

static GstPadProbeReturn
on_decoded (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gint64 now = g_get_real_time ();
  Player *p = data;
  guint32 number, code;

  if (lan_take_event (info, &p->info, &p->has_info))
    return GST_PAD_PROBE_OK;
  if (read_code (p, GST_PAD_PROBE_INFO_BUFFER (info), &number, &code))
    lan_log_code (options.log, "decoded", number, now, code);
  else
    p->unreadable++;
  return GST_PAD_PROBE_OK;
}

/* The picture is due to be shown. */
static void
on_shown (GstElement *element, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  gint64 now = g_get_real_time ();
  Player *p = data;
  guint32 number, code;
  gint32 age;

  if (!read_code (p, buffer, &number, &code))
    return;
  age = (guint32) now - code;
  g_array_append_val (p->ages, age);
  lan_log_code (options.log, "shown", number, now, code);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  return *(const gint32 *) a - *(const gint32 *) b;
}

static void
print_ages (Player *p)
{
  static const gdouble at[] = { .5, .99, 1 };

  g_array_sort (p->ages, compare);
  printf ("%u pictures, %u without a time code; ms from the source to when they are due:",
      p->ages->len, p->unreadable);
  for (guint i = 0; i < G_N_ELEMENTS (at) && p->ages->len > 0; i++)
    printf (" %s %.1f",
        i == 0     ? "median" :
            i == 1 ? "p99" :
                     "most",
        g_array_index (p->ages, gint32, (guint) (at[i] * (p->ages->len - 1))) / 1e3);
  printf ("\n");
}

/* Prints the pipeline's latency: how long its sinks wait for late data. */
static void
print_latency (GstElement *pipeline)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime least = 0;

  if (gst_element_query (pipeline, query))
    gst_query_parse_latency (query, NULL, &least, NULL);
  printf ("latency of the pipeline: %.1f ms\n", least / 1e6);
}

static gchar *
describe_source (const gchar *from)
{
  if (source != NULL)
    return g_strdup (source);
  return g_strdup_printf ("faspsrc name=in uri=\"fasp://%s\" latency=%d provide-clock=%s", from,
      options.latency, foreign_clock ? "false" : "true");
}

static gchar *
describe_sound (void)
{
  if (options.silent)
    return g_strdup ("");
  return g_strdup_printf (" demux. ! audio/x-opus ! queue name=sound ! opusdec ! "
                          "audioconvert ! audioresample ! %s",
      measure ? "fakesink sync=true async=false" : "autoaudiosink");
}

static gchar *
describe (const gchar *from)
{
  g_autofree gchar *in = describe_source (from);
  g_autofree gchar *sound = describe_sound ();
  const gchar *out =
      measure ? "fakesink name=show sync=true async=false signal-handoffs=true" : sink;

  return g_strdup_printf (
      "%s ! tsdemux name=demux %s "
      "demux. ! video/x-h264 ! queue name=pictures max-size-buffers=4 max-size-time=0 "
      "max-size-bytes=0 ! %sh264parse ! %s ! identity name=decoded silent=true "
      "! queue max-size-buffers=2 max-size-time=0 max-size-bytes=0 ! videoconvert ! "
      "%s%s",
      in, demux, aligned, decoder, out, sound);
}

/* All sinks wait for the slowest of them. */
static void
set_deadline (GstElement *element)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);

  if (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK)
      && g_object_class_find_property (klass, "processing-deadline") != NULL)
    g_object_set (element, "processing-deadline", deadline * GST_MSECOND, NULL);
}

/* Sets the deadline of each sink, also of those that autovideosink and autoaudiosink choose. */
static void
on_element (GstBin *bin, GstBin *in, GstElement *element, gpointer unused)
{
  set_deadline (element);
}

static void
on_own_element (const GValue *value, gpointer unused)
{
  set_deadline (g_value_get_object (value));
}

static void
set_deadlines (GstElement *pipeline)
{
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (pipeline));

  gst_iterator_foreach (elements, on_own_element, NULL);
  gst_iterator_free (elements);
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (on_element), NULL);
}

int
main (int argc, char **argv)
{
  g_autoptr (GstElement) pipeline = NULL, show = NULL;
  g_autoptr (GstPad) in = NULL, decoded = NULL;
  g_autofree gchar *line = NULL;
  Player player = { 0 };
  gint status;

  options = lan_parse (&program, entries, &source, &argc, &argv);
  if (!tool_check_ranges (&(ToolRange) { "deadline", deadline, 0, DEADLINE_MAX }, 1))
    return 2;
  line = describe (options.address);
  pipeline = lan_launch (&program, line, source == NULL ? "in" : NULL);
  if (pipeline == NULL)
    return 1;
  set_deadlines (pipeline);
  programme_follow (pipeline, "demux", "video/", "pictures");
  if (!options.silent)
    programme_follow (pipeline, "demux", "audio/", "sound");
  player.ages = g_array_new (FALSE, FALSE, sizeof (gint32));
  in = lan_get_pad (pipeline, "in", "src");
  lan_log_stream (in, "came", options.log);
  decoded = lan_get_pad (pipeline, "decoded", "src");
  gst_pad_add_probe (decoded, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_decoded, &player, NULL);
  show = gst_bin_get_by_name (GST_BIN (pipeline), "show");
  if (show != NULL)
    g_signal_connect (show, "handoff", G_CALLBACK (on_shown), &player);
  status = lan_run (pipeline, options.seconds, measure ? print_latency : NULL);
  if (measure)
    print_ages (&player);
  return lan_end_log (options.log, status);
}
