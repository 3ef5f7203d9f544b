/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * send: sends a live programme (720p50 H.264 and sound in MPEG-TS) through faspsink,
 * with gst_parse_launch. Replace videotestsrc by decklinkvideosrc, and this is a
 * contribution encoder. With --adaptive, faspsink finds the channel's rate and sets
 * the encoder's. The program takes the passphrase from the environment
 * (FASP_PASSPHRASE), where other users do not see it.
 */
#include "programme.h"
#include "report.h"
#include "toolrange.h"
#include "toolstd.h"

#define FRAMES 50 /* per second */

/* Prints the bit rate that the encoder is set to, next to the sink's statistics. */
static void
print_encoder (FILE *out, gpointer encoder)
{
  guint kbit;

  g_object_get (encoder, "bitrate", &kbit, NULL);
  fprintf (out, ", \"encoder-bitrate\": %u", kbit * 1000);
}

/* The programme has at least one frame, and no more than can be counted. */
static gboolean
check (gdouble mbit, gdouble channel, gdouble seconds)
{
  const ToolRange ranges[] = {
    { "mbit", mbit, .1, 2000 },
    { "channel", channel, 0, 1e6 },
    { "seconds", seconds, 1. / FRAMES, G_MAXINT / FRAMES },
  };

  return tool_check_ranges (ranges, G_N_ELEMENTS (ranges));
}

gint
main (gint argc, gchar **argv)
{
  static gchar *uri, *copy;
  static gdouble mbit = 6, channel, seconds = 20;
  static gboolean adaptive;
  static const GOptionEntry entries[] = {
    { "uri", 0, 0, G_OPTION_ARG_STRING, &uri, "Where to; required", "fasp://HOST:PORT" },
    { "mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "Rate of the programme (6)", "MBIT" },
    { "channel", 0, 0, G_OPTION_ARG_DOUBLE, &channel, "Rate of the channel (1.5 times as much)",
        "MBIT" },
    { "adaptive", 0, 0, G_OPTION_ARG_NONE, &adaptive,
        "Find the rate of the channel, --channel at most, and have the encoder follow it", NULL },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "How long (20)", "SECONDS" },
    { "copy", 0, 0, G_OPTION_ARG_FILENAME, &copy, "Keep what was sent, to compare", "FILE" },
    { NULL },
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- send a live programme through faspsink");
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = NULL, encoder = NULL;
  g_autofree gchar *line = NULL;
  guint64 most;             /* bit/s; 0: no limit */
  guint64 encoder_most = 0; /* bit/s; 0: the encoder keeps its rate */
  guint frames;

  tool_begin_standard ();
  g_option_context_set_summary (context,
      "Sends a test picture, 720p50 by x264, and sound in an MPEG transport stream to fasp-receive\n"
      "or any other faspsrc. Prints the sink's statistics twice a second, as JSON.\n"
      "If FASP_PASSPHRASE is in the environment, it must be the same at both ends.");
  g_option_context_add_main_entries (context, entries, NULL);
  tool_add_version (context);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || uri == NULL) {
    fprintf (stderr, "%s\n",
        error ? error->message : "There is no receiver to send to: add --uri fasp://HOST:PORT.");
    return 2;
  }
  if (!check (mbit, channel, seconds))
    return 2;
  frames = seconds * FRAMES;
  most = (channel > 0 || adaptive ? channel : 1.5 * mbit) * 1e6;
  if (adaptive)
    encoder_most = most > 0 ? most : G_MAXINT;
  line = g_strdup_printf (
      "videotestsrc is-live=true num-buffers=%u pattern=smpte horizontal-speed=8 ! "
      "video/x-raw,format=I420,width=1280,height=720,framerate=" G_STRINGIFY (
          FRAMES) "/1 ! "
                  "queue ! x264enc name=encoder tune=zerolatency "
                  "speed-preset=superfast bitrate=%u key-int-max=" G_STRINGIFY (
                      FRAMES) " ! "
                              "video/x-h264,profile=high ! h264parse ! queue ! mux. "
                              "audiotestsrc is-live=true num-buffers=%u samplesperbuffer=960 "
                              "wave=ticks ! audio/x-raw,rate=48000,channels=2 ! audioconvert ! "
                              "avenc_aac bitrate=128000 ! aacparse ! queue ! mux. "
                              "mpegtsmux name=mux alignment=7 latency=" PROGRAMME_WAIT
                              " ! %s faspsink name=sink rate-control=%s "
                              "max-bitrate=%" G_GUINT64_FORMAT
                              " max-encoder-bitrate=%" G_GUINT64_FORMAT,
      frames, (guint) (mbit * 900), frames,
      copy ? "tee name=t ! queue ! filesink name=copy t. ! queue !" : "",
      adaptive ? "adaptive" : "auto", most, encoder_most);
  pipeline = gst_parse_launch (line, &error);
  if (error != NULL) {
    fprintf (stderr, "Error: %s\n", error->message);
    return 1;
  }
  gst_child_proxy_set (GST_CHILD_PROXY (pipeline), "sink::uri", uri, NULL);
  if (g_getenv ("FASP_PASSPHRASE") != NULL)
    gst_child_proxy_set (GST_CHILD_PROXY (pipeline), "sink::passphrase",
        g_getenv ("FASP_PASSPHRASE"), NULL);
  if (copy != NULL)
    gst_child_proxy_set (GST_CHILD_PROXY (pipeline), "copy::location", copy, NULL);
  if (adaptive) {
    encoder = gst_bin_get_by_name (GST_BIN (pipeline), "encoder");
    return report_run (pipeline, "sink", print_encoder, encoder);
  }
  return report_run (pipeline, "sink", NULL, NULL);
}
