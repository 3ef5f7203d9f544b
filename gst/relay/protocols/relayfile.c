/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * file://: a file of MPEG-TS, that an input plays in a loop, or an output writes
 * (relayrecording.h).
 *
 * It is played in its own time, by its PCR, without an end: clock, time stamps and counters go on
 * when it begins anew (tsloop.h).  It is the file that was opened, though another one may get its
 * name.
 *
 * Packets leave together that are due together, seven at most.  (tsparse would fill up its last
 * buffer with null packets, and one of a slow stream leaves seconds before its last packet is due.)
 */
#include <stdio.h>
#include <string.h>
#include <gst/app/app.h>
#include "relaypackets.h"
#include "relayprotocol.h"
#include "relayrecording.h"
#include "tsloop.h"

#define PIECE_MAX (7 * 24 * 3600) /* s: a week */
#define KEEP_MAX (1000 * 1000 * 1000)
#define BLOCK (188 * 7 * 4) /* bytes that are read at a time */
#define BLOCKS 64           /* that are read at most until a packet is found */
/* Bytes without a PCR after which a file is given up, as tsparse keeps them, in five times their
 * size: a second at 128 Mbit/s, in which ISO/IEC 13818-1, 2.7.2, wants ten. */
#define CLOCKLESS_MAX (16 * 1000 * 1000)
#define PACKETS 7 /* as many as fit into an Ethernet frame behind IP, UDP and RTP */
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
  RELAY_KEYS_SELECTION,
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

/* --- a file that is read --------------------------------------------------------------------- */

/* Used in the thread of its appsrc. */
typedef struct
{
  FILE *file;
  RelayPackets *packets;
  TsLoop loop;
  gboolean any; /* this round has given a packet */
} Reader;

static void
free_reader (gpointer data)
{
  Reader *reader = data;

  fclose (reader->file);
  relay_packets_free (reader->packets);
  ts_loop_clear (&reader->loop);
  g_free (reader);
}

/* @last: the file ends. */
static void
take_packets (Reader *reader, gboolean last, GByteArray *out)
{
  GstBuffer *buffer;
  GstMapInfo map;

  while ((buffer = relay_packets_pop (reader->packets, last)) != NULL) {
    if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
      for (gsize at = 0; at + TS_PACKET <= map.size; at += TS_PACKET)
        ts_loop_take (&reader->loop, map.data + at, out);
      gst_buffer_unmap (buffer, &map);
    }
    gst_buffer_unref (buffer);
  }
  reader->any |= out->len > 0;
}

/* Reads a block. Returns why the file cannot be played; NULL: it can. */
static const gchar *
read_block (Reader *reader, GByteArray *out)
{
  guint8 block[BLOCK];
  gsize n = fread (block, 1, BLOCK, reader->file);

  if (n > 0)
    relay_packets_push (reader->packets, gst_buffer_new_memdup (block, n), 0);
  take_packets (reader, n < BLOCK, out);
  if (reader->loop.without * TS_PACKET > CLOCKLESS_MAX)
    return "The file has no clock (PCR), loses it or moves it to another PID: make it anew, as with ffmpeg -i OLD -c copy "
           "-f mpegts NEW.";
  if (n == BLOCK)
    return NULL;
  if (ferror (reader->file) != 0)
    return "The file cannot be read: look at its disk.";
  if (!reader->any)
    return "The file has no packet of MPEG-TS: name another one, or make it anew.";
  rewind (reader->file);
  reader->any = FALSE;
  relay_packets_free (reader->packets);
  reader->packets = relay_packets_new ();
  ts_loop_again (&reader->loop);
  return NULL;
}

static void
on_need_data (GstElement *source, guint size, gpointer data)
{
  GByteArray *out = g_byte_array_new ();
  const gchar *fault = NULL;

  for (guint i = 0; fault == NULL && out->len == 0 && i < BLOCKS; i++)
    fault = read_block (data, out);
  if (fault != NULL) {
    g_byte_array_unref (out);
    GST_ELEMENT_ERROR (source, STREAM, FORMAT, ("%s", fault), (NULL));
    gst_app_src_end_of_stream (GST_APP_SRC (source));
    return;
  }
  if (out->len == 0) {
    g_byte_array_set_size (out, TS_PACKET);
    ts_packet_write_null (out->data);
  }
  gst_app_src_push_buffer (GST_APP_SRC (source), relay_packets_wrap (out));
}

/* Has @source read the file. */
static void
open_file (RelayChain *chain, GstElement *source, const gchar *path)
{
  FILE *file = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? fopen (path, "rbe") : NULL;
  Reader *reader;

  if (file == NULL) {
    RELAY_BAD (&chain->error,
        "there is no file %s that can be read: name one that is there, or make it first.", path);
    return;
  }
  reader = g_new0 (Reader, 1);
  reader->file = file;
  reader->packets = relay_packets_new ();
  ts_loop_init (&reader->loop);
  g_signal_connect_data (source, "need-data", G_CALLBACK (on_need_data), reader,
      (GClosureNotify) (void (*) (void)) free_reader, 0);
}

/* Makes the elements. If the disk is away, only this end waits for it. */
static GstElement *
make (RelayChain *chain, const RelayProtocolUri *protocol_uri)
{
  GstElement *source, *parse;

  if (protocol_uri->sends)
    return relay_chain_add_writer (chain, protocol_uri->path);
  source = relay_chain_add (chain, "appsrc", RELAY_PLUGINS_BASE);
  parse = relay_chain_add (chain, "tsparse", RELAY_PLUGINS_BAD);
  relay_chain_add (chain, "clocksync", RELAY_CORE);
  if (source == NULL || parse == NULL)
    return NULL;
  if (chain->error == NULL)
    open_file (chain, source, protocol_uri->path);
  g_object_set (parse, "set-timestamps", TRUE, "alignment", 1, NULL);
  return parse;
}

/* --- an input -------------------------------------------------------------------------------- */

typedef struct
{
  GstBuffer *group; /* packets that wait for others which leave together with them; NULL: none */
  guint packets;    /* in the group */
} Groups;

static void
free_groups (gpointer data)
{
  Groups *groups = data;

  gst_clear_buffer (&groups->group);
  g_free (groups);
}

/* May @packet leave with the group? */
static gboolean
is_due (const Groups *groups, GstBuffer *packet)
{
  GstClockTime begins = GST_BUFFER_PTS (groups->group), at = GST_BUFFER_PTS (packet);

  return groups->packets < PACKETS
      && (!GST_CLOCK_TIME_IS_VALID (begins) || !GST_CLOCK_TIME_IS_VALID (at)
          || (at >= begins && at - begins < TOGETHER));
}

static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Groups *groups = data;
  GstBuffer *packet = info->data, *group = NULL;

  if (groups->group != NULL && is_due (groups, packet)) {
    groups->group = gst_buffer_append (groups->group, packet);
    groups->packets++;
  } else {
    group = groups->group;
    groups->group = packet;
    groups->packets = 1;
  }
  info->data = group;
  return group != NULL ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

/* Sends the last group before EOS. */
static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Groups *groups = data;
  g_autoptr (GstPad) peer = NULL;

  if (GST_EVENT_TYPE (info->data) != GST_EVENT_EOS || groups->group == NULL)
    return GST_PAD_PROBE_OK;
  peer = gst_pad_get_peer (pad);
  gst_pad_chain (peer, g_steal_pointer (&groups->group));
  return GST_PAD_PROBE_OK;
}

/* @tsparse: gives out single packets, with their times. */
static void
watch_packets (GstElement *tsparse)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (tsparse, "src");
  Groups *groups = g_new0 (Groups, 1);

  g_object_set_data_full (G_OBJECT (tsparse), "relay-groups", groups, free_groups);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet, groups, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, groups, NULL);
}

/* --- both ------------------------------------------------------------------------------------ */

static void
watch (GstElement *element, RelayProtocolPipeline *pipeline, gpointer *kept)
{
  const RelayProtocolUri *protocol_uri = relay_protocol_pipeline_get_uri (pipeline);

  if (!protocol_uri->sends) {
    watch_packets (element);
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
