/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <glib-unix.h>
#include <stdlib.h>
#include <string.h>
#include "lan.h"
#include "toolstd.h"

#define PACKET 188
#define SYNC 0x47
#define END_WITHIN 2000    /* ms */
#define LATENCY_MAX 600000 /* ms, the limit of the elements */

/* --- the command line ------------------------------------------------------------------- */

static FILE *
open_log (const gchar *path)
{
  FILE *log = path != NULL ? fopen (path, "w") : NULL;

  if (path != NULL && log == NULL) {
    fprintf (stderr, "%s: %s\n", path, g_strerror (errno));
    exit (1);
  }
  return log;
}

static gboolean
check (const LanOptions *options)
{
  const ToolRange ranges[] = {
    { "latency", options->latency, -1, LATENCY_MAX },
    { "seconds", options->seconds, 0, G_MAXUINT / 1000 },
  };

  return tool_check_ranges (ranges, G_N_ELEMENTS (ranges));
}

LanOptions
lan_parse (const LanProgram *program, const GOptionEntry *entries, gchar **instead, int *argc,
    char ***argv)
{
  LanOptions options = { .address = "", .latency = 20 };
  g_autofree gchar *log_path = NULL;
  const GOptionEntry common[] = {
    { "latency", 'l', 0, G_OPTION_ARG_INT, &options.latency,
        "Time in which losses are repaired, ms (20)", "MS" },
    { "no-sound", 0, 0, G_OPTION_ARG_NONE, &options.silent, "Only pictures, no sound", NULL },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options.seconds, "End after this time", "SECONDS" },
    { "log", 0, 0, G_OPTION_ARG_FILENAME, &log_path, "Log when each picture passes each stage",
        "FILE" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (program->arguments);
  g_autoptr (GError) error = NULL;

  tool_begin_standard ();
  g_option_context_set_summary (context, program->summary);
  g_option_context_set_description (context, program->description);
  g_option_context_add_main_entries (context, entries, NULL);
  tool_add_version (context);
  g_option_context_add_main_entries (context, common, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, argc, argv, &error) || (*argc != 2 && *instead == NULL)) {
    fprintf (stderr, "%s: %s\n", program->name, error ? error->message : program->example);
    exit (2);
  }
  if (!check (&options))
    exit (2);
  if (*argc == 2)
    options.address = (*argv)[1];
  options.log = open_log (log_path);
  return options;
}

GstElement *
lan_launch (const LanProgram *program, const gchar *line, const gchar *end)
{
  const gchar *passphrase = g_getenv ("FASP_PASSPHRASE");
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GError) error = NULL;

  printf ("gst-launch-1.0 %s\n", line);
  fflush (stdout);
  pipeline = gst_parse_launch (line, &error);
  if (error != NULL) {
    fprintf (stderr, "%s: %s\n", program->name, error->message);
    return NULL;
  }
  if (end != NULL && passphrase != NULL) {
    g_autofree gchar *name = g_strdup_printf ("%s::passphrase", end);

    gst_child_proxy_set (GST_CHILD_PROXY (pipeline), name, passphrase, NULL);
  }
  return g_steal_pointer (&pipeline);
}

gboolean
lan_take_event (GstPadProbeInfo *probe, GstVideoInfo *info, gboolean *has_info)
{
  GstEvent *event;
  GstCaps *caps;

  if (!(probe->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM))
    return FALSE;
  event = GST_PAD_PROBE_INFO_EVENT (probe);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    *has_info = gst_video_info_from_caps (info, caps);
  }
  return TRUE;
}

/* --- logging when pictures pass ----------------------------------------- */

/* The log could not be written; atomic. */
static gint log_failed;

/* Prints the failure once. The program goes on, as its stream may have viewers. */
static void
tell_log_failed (gint why)
{
  if (g_atomic_int_compare_and_exchange (&log_failed, FALSE, TRUE))
    fprintf (stderr, "%s: the log cannot be written: %s. It is incomplete.\n", g_get_prgname (),
        g_strerror (why));
}

void
lan_log (FILE *log, const gchar *what, guint64 number, gint64 time)
{
  if (log != NULL
      && fprintf (log, "%s %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT "\n", what, number, time) < 0)
    tell_log_failed (errno);
}

void
lan_log_code (FILE *log, const gchar *what, guint64 number, gint64 time, guint32 code)
{
  if (log != NULL
      && fprintf (log, "%s %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %u\n", what, number, time,
             code)
          < 0)
    tell_log_failed (errno);
}

gint
lan_end_log (FILE *log, gint status)
{
  if (log != NULL && fclose (log) != 0)
    tell_log_failed (errno);
  return status == 0 && log_failed ? 1 : status;
}

/* --- the transport stream (ISO/IEC 13818-1) ------------------------------------------ */

typedef struct
{
  const gchar *what;
  FILE *log;
  guint8 packet[PACKET];
  guint held;
  gint64 pts; /* of the last picture; it may pass twice: a list that the pad does not
                 take passes again as buffers */
} Stream;

/* The PTS of a packet in which a PES packet of video begins; else -1. */
static gint64
get_pts (const guint8 *p)
{
  guint at = 4 + (p[3] & 0x20 ? 1 + p[4] : 0);

  if (!(p[1] & 0x40) || !(p[3] & 0x10) || at + 14 > PACKET)
    return -1;
  p += at;
  if (p[0] != 0 || p[1] != 0 || p[2] != 1 || (p[3] & 0xf0) != 0xe0 || !(p[7] & 0x80))
    return -1;
  return (gint64) (p[9] & 0x0e) << 29 | p[10] << 22 | (p[11] & 0xfe) << 14 | p[12] << 7
      | p[13] >> 1;
}

static void
add_bytes (Stream *s, const guint8 *data, gsize size, gint64 time)
{
  while (size > 0) {
    gsize n = MIN (size, PACKET - s->held);

    if (s->held == 0 && *data != SYNC) {
      data++;
      size--;
      continue;
    }
    memcpy (s->packet + s->held, data, n);
    s->held += n;
    data += n;
    size -= n;
    if (s->held == PACKET) {
      gint64 pts = get_pts (s->packet);

      if (pts >= 0 && pts != s->pts)
        lan_log (s->log, s->what, s->pts = pts, time);
      s->held = 0;
    }
  }
}

static gboolean
add_buffer (GstBuffer **buffer, guint i, gpointer stream)
{
  gint64 time = g_get_real_time ();
  GstMapInfo map;

  if (gst_buffer_map (*buffer, &map, GST_MAP_READ)) {
    add_bytes (stream, map.data, map.size, time);
    gst_buffer_unmap (*buffer, &map);
  }
  return TRUE;
}

static GstPadProbeReturn
on_stream (GstPad *pad, GstPadProbeInfo *info, gpointer stream)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    gst_buffer_list_foreach (GST_PAD_PROBE_INFO_BUFFER_LIST (info), add_buffer, stream);
  else
    add_buffer (&buffer, 0, stream);
  return GST_PAD_PROBE_OK;
}

void
lan_log_stream (GstPad *pad, const gchar *what, FILE *log)
{
  Stream *stream = g_new0 (Stream, 1);

  stream->what = what;
  stream->log = log;
  stream->pts = -1;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_stream,
      stream, g_free);
}

/* --- running ---------------------------------------------------------------------------- */

GstPad *
lan_get_pad (GstElement *pipeline, const gchar *element, const gchar *name)
{
  g_autoptr (GstElement) e = gst_bin_get_by_name (GST_BIN (pipeline), element);
  GstPad *pad = e != NULL ? gst_element_get_static_pad (e, name) : NULL;

  if (pad == NULL) {
    fprintf (stderr, "The pipeline has no element with name=%s and a pad %s.\n", element, name);
    exit (2);
  }
  return pad;
}

typedef struct
{
  GstElement *pipeline;
  GMainLoop *loop;
  gint status;
} Run;

static gboolean
end_at_once (gpointer data)
{
  g_main_loop_quit (((Run *) data)->loop);
  return G_SOURCE_REMOVE;
}

/* Ends the stream, so that data on its way is still sent or played. If no peer is connected, the
 * end is never confirmed. */
static gboolean
end (gpointer data)
{
  gst_element_send_event (((Run *) data)->pipeline, gst_event_new_eos ());
  g_timeout_add (END_WITHIN, end_at_once, data);
  return G_SOURCE_REMOVE;
}

static void
print_problem (GstMessage *message, gboolean is_error)
{
  g_autoptr (GError) error = NULL;

  if (is_error)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  fprintf (stderr, "%s: %s\n", GST_OBJECT_NAME (GST_MESSAGE_SRC (message)), error->message);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Run *run = data;
  gint64 jump;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      print_problem (message, TRUE);
      run->status = 1;
      g_main_loop_quit (run->loop);
      break;
    case GST_MESSAGE_WARNING:
      print_problem (message, FALSE);
      break;
    case GST_MESSAGE_EOS:
      g_main_loop_quit (run->loop);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (run->pipeline));
      break;
    case GST_MESSAGE_CLOCK_LOST:
      gst_element_set_state (run->pipeline, GST_STATE_PAUSED);
      gst_element_set_state (run->pipeline, GST_STATE_PLAYING);
      break;
    case GST_MESSAGE_ELEMENT:
      if (gst_message_has_name (message, "fasp-clock-jump")
          && gst_structure_get_int64 (gst_message_get_structure (message), "jump", &jump))
        fprintf (stderr, "The sender's clock was set, by %+.3f s.\n", jump / 1e9);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* Tells why the pipeline does not start: an element's error is on the bus. The element of a card
 * posts none. */
static void
tell_failure (Run *run)
{
  while (run->status == 0 && g_main_context_iteration (NULL, FALSE))
    ;
  if (run->status == 0)
    fprintf (stderr,
        "%s: the pipeline does not start, and no element says why. "
        "If it uses a card: are card and driver there? GST_DEBUG=2 tells more.\n",
        g_get_prgname ());
  run->status = 1;
}

gint
lan_run (GstElement *pipeline, gdouble seconds, void (*at_end) (GstElement *pipeline))
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  Run run = { pipeline, g_main_loop_new (NULL, FALSE), 0 };

  gst_bus_add_watch (bus, on_message, &run);
  g_unix_signal_add (SIGINT, end, &run);
  g_unix_signal_add (SIGTERM, end, &run);
  if (seconds > 0)
    g_timeout_add (seconds * 1000, end, &run);
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE)
    g_main_loop_run (run.loop);
  else
    tell_failure (&run);
  if (at_end != NULL)
    at_end (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  g_main_loop_unref (run.loop);
  return run.status;
}
