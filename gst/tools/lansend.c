/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasp-lan-send: sends pictures and sound of a card, or a test picture, to a player in
 * the same network, as soon as possible. docs/low-latency.md explains each setting. The
 * program prints the pipeline that it runs, so that you can use it elsewhere.
 *
 * Each picture carries a time code that fasp-lan-play reads (timecode.h).
 */
#include "lan.h"
#include "programme.h"
#include "timecode.h"

static gint width = 1280, height = 720, rate = 50, kbit = 8000, threads = 2;
static gint card = -1, channel;
static LanOptions options;
static gchar *preset = (gchar *) "superfast", *x264 = (gchar *) "";
static gchar *mux = (gchar *) "", *sink, *mode = (gchar *) "auto";
static gboolean plain;

static const GOptionEntry entries[] = {
  { "card", 'c', 0, G_OPTION_ARG_INT, &card,
      "Take pictures and sound from this DeckLink card (default: a test picture)", "0.." },
  { "mode", 0, 0, G_OPTION_ARG_STRING, &mode,
      "Mode of the card, as in decklinkvideosrc; auto: that of its input", "MODE" },
  { "width", 0, 0, G_OPTION_ARG_INT, &width, "Width of the test picture (1280)", "PIXELS" },
  { "height", 0, 0, G_OPTION_ARG_INT, &height, "Height of the test picture (720)", "PIXELS" },
  { "rate", 0, 0, G_OPTION_ARG_INT, &rate, "Pictures per second, also of a card (50)", "N" },
  { "kbit", 'b', 0, G_OPTION_ARG_INT, &kbit, "Bit rate of the pictures (8000)", "KBIT" },
  { "preset", 0, 0, G_OPTION_ARG_STRING, &preset, "speed-preset of x264enc (superfast)", "NAME" },
  { "slices", 0, 0, G_OPTION_ARG_INT, &threads, "Slices of a picture, each encoded by a thread (2)",
      "N" },
  { "no-time-code", 0, 0, G_OPTION_ARG_NONE, &plain, "Leave the pictures as they are", NULL },
  { "channel", 0, 0, G_OPTION_ARG_INT, &channel,
      "Rate of the network, at which a picture is sent (ten times --kbit)", "KBIT" },
  { "x264", 0, 0, G_OPTION_ARG_STRING, &x264,
      "Further properties of x264enc, which override those set here", "NAME=VALUE ..." },
  { "mux", 0, 0, G_OPTION_ARG_STRING, &mux,
      "Further properties of mpegtsmux, which override those set here", "NAME=VALUE ..." },
  { "sink", 0, 0, G_OPTION_ARG_STRING, &sink,
      "Use these elements instead of faspsink; one must have name=out", "ELEMENTS" },
  { NULL },
};

static const LanProgram program = {
  .name = "fasp-lan-send",
  .arguments = "HOST:PORT - send a live programme to a player in the same network",
  .summary = "Sends 720p50 by x264, a picture at a time, and sound by Opus, in "
             "an MPEG transport stream\nthrough faspsink. Start fasp-lan-play at the "
             "other end, before or after.\nIf FASP_PASSPHRASE is in the environment, it "
             "must be the same at both ends.",
  .description = "docs/low-latency.md tells why each setting is as it is, and what others cost.\n",
  .example = "say where to: fasp-lan-send HOST:PORT",
};

typedef struct
{
  GstVideoInfo info;
  gboolean has_info;
  guint32 pictures, encoded;
} Sender;

static void
stamp (Sender *s, GstBuffer *buffer, gint64 now)
{
  GstVideoFrame frame;

  if (plain || !s->has_info || !gst_video_frame_map (&frame, &s->info, buffer, GST_MAP_READWRITE))
    return;
  timecode_write (&frame, s->pictures, now);
  gst_video_frame_unmap (&frame);
}

static GstPadProbeReturn
on_picture (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Sender *s = data;
  gint64 now = g_get_real_time ();
  GstBuffer *buffer;

  if (lan_take_event (info, &s->info, &s->has_info))
    return GST_PAD_PROBE_OK;
  buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  lan_log (options.log, "source", s->pictures, now);
  stamp (s, buffer, now);
  s->pictures++;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_encoded (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Sender *s = data;

  lan_log (options.log, "encoded", s->encoded++, g_get_real_time ());
  return GST_PAD_PROBE_OK;
}

static gchar *
describe_video (void)
{
  if (card >= 0)
    return g_strdup_printf ("decklinkvideosrc name=source device-number=%d "
                            "mode=%s connection=auto video-format=8bit-yuv drop-no-signal-frames="
                            "true buffer-size=2 ! videoconvert n-threads=2 ! ",
        card, mode);
  return g_strdup_printf ("videotestsrc name=source is-live=true "
                          "pattern=smpte horizontal-speed=4 ! video/x-raw,format=I420,width=%d,"
                          "height=%d,framerate=%d/1 ! ",
      width, height, rate);
}

static gchar *
describe_sound (void)
{
  g_autofree gchar *source = card >= 0 ?
      g_strdup_printf ("decklinkaudiosrc device-number=%d", card) :
      g_strdup ("audiotestsrc is-live=true wave=ticks samplesperbuffer=120");

  if (options.silent)
    return g_strdup ("");
  return g_strdup_printf (" %s ! audio/x-raw,rate=48000,channels=2 ! "
                          "audioconvert ! opusenc frame-size=2.5 audio-type=restricted-lowdelay "
                          "bitrate=192000 ! queue name=sound max-size-time=200000000 ! mux.",
      source);
}

/* The multiplexer sends a picture only when it has sound of a later time, and a frame of sound
 * takes 2.5 ms. The sound's timestamps are made later by this, so that it is there when the picture
 * is encoded. */
#define SOUND_OFFSET (3 * GST_MSECOND)

static void
set_sound_back (GstElement *pipeline)
{
  g_autoptr (GstElement) sound = gst_bin_get_by_name (GST_BIN (pipeline), "sound");
  g_autoptr (GstPad) pad = NULL;

  if (sound == NULL)
    return;
  pad = gst_element_get_static_pad (sound, "src");
  gst_pad_set_offset (pad, SOUND_OFFSET);
}

static gchar *
describe_sink (const gchar *to)
{
  if (sink != NULL)
    return g_strdup (sink);
  return g_strdup_printf (
      "faspsink name=out uri=\"fasp://%s\" latency=%d wait-for-connection=false "
      "max-bitrate=%" G_GUINT64_FORMAT,
      to, options.latency, (channel > 0 ? channel : 10 * kbit) * G_GUINT64_CONSTANT (1000));
}

/* The rate control buffer of the encoder holds one picture. */
static gchar *
describe (const gchar *to)
{
  g_autofree gchar *video = describe_video ();
  g_autofree gchar *sound = describe_sound ();
  g_autofree gchar *out = describe_sink (to);

  return g_strdup_printf ("%sx264enc name=encoder "
                          "tune=zerolatency speed-preset=%s bitrate=%d intra-refresh=true "
                          "key-int-max=%d bframes=0 sliced-threads=true threads=%d "
                          "vbv-buf-capacity=%d aud=true %s ! video/x-h264,profile=high ! mux. "
                          "mpegtsmux name=mux alignment=0 latency=" PROGRAMME_WAIT " %s ! %s%s",
      video, preset, kbit, rate, threads, 1000 / rate, x264, mux, out, sound);
}

/* Checks the options against the limits of the elements. The rate control buffer is in whole ms. */
static gboolean
check (void)
{
  const ToolRange ranges[] = {
    { "card", card, -1, 255 },
    { "width", width, 16, 16384 },
    { "height", height, 16, 16384 },
    { "rate", rate, 1, 1000 },
    { "kbit", kbit, 1, 2048000 },
    { "slices", threads, 0, 128 },
    { "channel", channel, 0, G_MAXINT },
  };

  return tool_check_ranges (ranges, G_N_ELEMENTS (ranges));
}

int
main (int argc, char **argv)
{
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstPad) source = NULL, encoder = NULL, out = NULL;
  g_autofree gchar *line = NULL;
  Sender sender = { 0 };
  gint status;

  options = lan_parse (&program, entries, &sink, &argc, &argv);
  if (!check ())
    return 2;
  line = describe (options.address);
  pipeline = lan_launch (&program, line, sink == NULL ? "out" : NULL);
  if (pipeline == NULL)
    return 1;
  set_sound_back (pipeline);
  source = lan_get_pad (pipeline, "source", "src");
  encoder = lan_get_pad (pipeline, "encoder", "src");
  out = lan_get_pad (pipeline, "out", "sink");
  gst_pad_add_probe (source, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_picture, &sender, NULL);
  gst_pad_add_probe (encoder, GST_PAD_PROBE_TYPE_BUFFER, on_encoded, &sender, NULL);
  lan_log_stream (out, "sent", options.log);
  status = lan_run (pipeline, options.seconds, NULL);
  return lan_end_log (options.log, status);
}
