/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * file://: a file of MPEG-TS, that an input plays in a loop, or an output writes
 * (relayrecording.h).
 *
 * It is played in its own time, by its PCR.  When it begins anew, this clock steps back: the first
 * PCR of each PID gets the discontinuity_indicator (ISO/IEC 13818-1, 2.4.3.5).  No other bit is
 * changed, and nothing is added.
 *
 * Packets leave together that are due together, seven at most.  (tsparse would fill up its last
 * buffer with null packets, and one of a slow stream leaves seconds before its last packet is due.)
 */
#include <string.h>
#include "relaycue.h"
#include "relayprotocol.h"
#include "relayrecording.h"

#define PIECE_MAX (7 * 24 * 3600) /* s: a week */
#define KEEP_MAX (1000 * 1000 * 1000)
#define BLOCK (188 * 7 * 4) /* bytes that are read at a time */
#define PACKETS 7           /* as many as fit into an Ethernet frame behind IP, UDP and RTP */
/* A packet may leave so much before its time, to fill a datagram. Seven packets take this long at
 * 2.1 Mbit/s; slower streams have fewer in a datagram. */
#define TOGETHER (5 * GST_MSECOND)

static const RelayKey keys[] = {
  { "piece", RELAY_KEY_OUTPUT, NULL, 1, PIECE_MAX, "none",
      "s; begins a new file at each multiple of this (UTC): 3600 at each full hour" },
  { "keep-seconds", RELAY_KEY_OUTPUT, NULL, 1, KEEP_MAX, "all",
      "s; with piece: a piece is removed so long after its last packet" },
  { "keep-mbytes", RELAY_KEY_OUTPUT, NULL, 1, KEEP_MAX, "all",
      "10^6 bytes; with piece: the oldest pieces are removed when all together have more" },
  { "keep-free-mbytes", RELAY_KEY_OUTPUT, NULL, 1, KEEP_MAX, "none",
      "10^6 bytes; with piece: the oldest pieces are removed when less is free on the disk" },
  RELAY_KEY_BUFFER_SIZE,
  { NULL },
};

/* Can it be told which files are pieces of this recording? */
static gboolean
knows_pieces (const RelayProtocolUri *protocol_uri)
{
  g_autoptr (GRegex) pattern = relay_retention_make_pattern (protocol_uri->path);

  return pattern != NULL && relay_protocol_uri_get (protocol_uri, "piece") != NULL;
}

static gboolean
check (const RelayProtocolUri *protocol_uri, GError **error)
{
  const gchar *path = protocol_uri->path;
  RelayRetention retention;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree gchar *name = g_date_time_format (now, path);

  if (path[0] != '/' || g_str_has_suffix (path, "/"))
    RELAY_BAD (error, "write the whole path of a file: file:///var/lib/video/news.ts.");
  else if (protocol_uri->sends && name == NULL)
    RELAY_BAD (error,
        "the name has a %% that is no date: write e.g. %%F-%%H%%M%%S, or %%%% for a %%.");
  else if (relay_protocol_uri_get (protocol_uri, "piece") != NULL && strchr (path, '%') == NULL)
    RELAY_BAD (error,
        "with piece, the name needs a date, or all pieces have the same name: write e.g. "
        "news-%%F-%%H%%M%%S.ts.");
  else if (relay_recording_get_retention (protocol_uri, &retention) && !knows_pieces (protocol_uri))
    RELAY_BAD (error,
        "what is kept is for pieces whose date is in the file's name, in digits: write piece, too, "
        "and %%F, %%Y, %%m, %%d, %%j, %%V, %%H, %%M, %%S or %%s.");
  else
    return TRUE;
  return FALSE;
}

/* Makes the elements. If the disk is away, only this end waits for it. */
static GstElement *
make (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *source, *parse;

  if (protocol_uri->sends)
    return relay_chain_add_writer (chain, protocol_uri->path);
  source = relay_chain_add (chain, "filesrc", RELAY_CORE);
  parse = relay_chain_add (chain, "tsparse", RELAY_PLUGINS_BAD);
  relay_chain_add (chain, "clocksync", RELAY_CORE);
  if (source == NULL || parse == NULL)
    return NULL;
  if (!g_file_test (protocol_uri->path, G_FILE_TEST_IS_REGULAR) && chain->error == NULL)
    RELAY_BAD (&chain->error, "there is no file %s: name one that is there, or make it first.",
        protocol_uri->path);
  g_object_set (source, "location", protocol_uri->path, "blocksize", BLOCK, NULL);
  g_object_set (parse, "set-timestamps", TRUE, "alignment", 1, NULL);
  return parse;
}

/* --- an input -------------------------------------------------------------------------------- */

typedef struct
{
  GstBuffer *group; /* packets that wait for others which leave together with them; NULL: none */
  guint packets;    /* in the group */
  guint8 *marked;   /* by PID: TRUE: a packet is marked already; NULL: no packet has to be */
} Loop;

static void
free_loop (gpointer data)
{
  Loop *loop = data;

  gst_clear_buffer (&loop->group);
  g_free (loop->marked);
  g_free (loop);
}

/* May @packet leave with the group? */
static gboolean
is_due (const Loop *loop, GstBuffer *packet)
{
  GstClockTime begins = GST_BUFFER_PTS (loop->group), at = GST_BUFFER_PTS (packet);

  return loop->packets < PACKETS
      && (!GST_CLOCK_TIME_IS_VALID (begins) || !GST_CLOCK_TIME_IS_VALID (at)
          || (at >= begins && at - begins < TOGETHER));
}

static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Loop *loop = data;
  GstBuffer *packet = info->data, *group = NULL;

  if (loop->marked != NULL)
    packet = relay_cue_mark (loop->marked, packet, 0);
  if (loop->group != NULL && is_due (loop, packet)) {
    loop->group = gst_buffer_append (loop->group, packet);
    loop->packets++;
  } else {
    group = loop->group;
    loop->group = packet;
    loop->packets = 1;
  }
  info->data = group;
  return group != NULL ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

/* Sends the last group before EOS. */
static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Loop *loop = data;
  g_autoptr (GstPad) peer = NULL;

  if (GST_EVENT_TYPE (info->data) != GST_EVENT_EOS || loop->group == NULL)
    return GST_PAD_PROBE_OK;
  peer = gst_pad_get_peer (pad);
  gst_pad_chain (peer, g_steal_pointer (&loop->group));
  return GST_PAD_PROBE_OK;
}

/* @tsparse: gives out single packets, with their times.  @again: the file was played before. */
static void
watch_loop (GstElement *tsparse, gboolean again)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (tsparse, "src");
  Loop *loop = g_new0 (Loop, 1);

  loop->marked = again ? g_malloc0 (RELAY_MARK_PIDS) : NULL;
  g_object_set_data_full (G_OBJECT (tsparse), "relay-loop", loop, free_loop);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet, loop, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, loop, NULL);
}

/* --- both ------------------------------------------------------------------------------------ */

static void
watch (GstElement *element, RelayProtocolPipeline *pipeline, gpointer *kept)
{
  const RelayProtocolUri *protocol_uri = relay_protocol_pipeline_get_uri (pipeline);

  if (!protocol_uri->sends) {
    watch_loop (element, relay_protocol_pipeline_has_played (pipeline));
    return;
  }
  if (*kept == NULL)
    *kept = relay_recording_new (protocol_uri);
  relay_recording_follow (*kept, pipeline, element);
}

static void
free_kept (gpointer recording)
{
  relay_recording_free (recording);
}

const RelayProtocol relay_protocol_file = {
  .scheme = "file",
  .keys = keys,
  .is_path = TRUE,
  .whole_packets = TRUE,
  .check = check,
  .make = make,
  .watch = watch,
  .free_kept = free_kept,
  .does = "records",
};
