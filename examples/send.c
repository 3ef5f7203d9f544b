/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * send: a live programme (720p50 H.264 and sound in MPEG-TS) through
 * faspsink, with gst_parse_launch.  Put decklinkvideosrc in the place of
 * videotestsrc and this is a contribution encoder.  The passphrase is taken from
 * the environment (FASP_PASSPHRASE), where other users do not see it.
 */
#include "report.h"

gint
main (gint argc, gchar ** argv)
{
  static gchar *uri, *copy;
  static gdouble mbit = 6, channel, seconds = 20;
  static const GOptionEntry entries[] = {
    {"uri", 0, 0, G_OPTION_ARG_STRING, &uri, "Where to", "fasp://HOST:PORT"},
    {"mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "Rate of the programme",
        "MBIT"},
    {"channel", 0, 0, G_OPTION_ARG_DOUBLE, &channel,
        "Rate of the channel; default 1.5 times as much", "MBIT"},
    {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "How long", "SECONDS"},
    {"copy", 0, 0, G_OPTION_ARG_FILENAME, &copy,
        "Keep what was sent, to compare", "FILE"},
    {NULL}
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("");
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = NULL;
  g_autofree gchar *line = NULL;
  guint frames;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || uri == NULL) {
    fprintf (stderr, "%s\n", error ? error->message :
        "There is nobody to send to: add --uri fasp://HOST:PORT.");
    return 2;
  }
  frames = seconds * 50;
  line = g_strdup_printf
      ("videotestsrc is-live=true num-buffers=%u pattern=smpte horizontal-speed=8 ! "
      "video/x-raw,format=I420,width=1280,height=720,framerate=50/1 ! "
      "queue ! x264enc tune=zerolatency "
      "speed-preset=superfast bitrate=%u key-int-max=50 ! "
      "video/x-h264,profile=high ! h264parse ! queue ! mux. "
      "audiotestsrc is-live=true num-buffers=%u samplesperbuffer=960 "
      "wave=ticks ! audio/x-raw,rate=48000,channels=2 ! audioconvert ! "
      "avenc_aac bitrate=128000 ! aacparse ! queue ! mux. "
      "mpegtsmux name=mux alignment=7 ! %s "
      "faspsink name=sink max-bitrate=%" G_GUINT64_FORMAT, frames,
      (guint) (mbit * 900), frames, copy ? "tee name=t ! queue ! "
      "filesink name=copy t. ! queue !" : "",
      (guint64) ((channel > 0 ? channel : 1.5 * mbit) * 1e6));
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
    gst_child_proxy_set (GST_CHILD_PROXY (pipeline), "copy::location", copy,
        NULL);
  return report_run (pipeline, "sink", NULL, NULL);
}
