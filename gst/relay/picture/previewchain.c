/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "previewchain.h"
#include <string.h>
#include <gst/app/app.h>
#include <gst/pbutils/pbutils.h>
#include "picturecodecs.h"
#include "pictureelements.h"
#include "pictureio.h"
#include "previewboxes.h"

#define JUMP_MAX (3 * GST_SECOND) /* from one frame to the next */
/* Sound that waits for its picture: demuxer, parser and muxer each hold one until the next comes.
 */
#define APART_MAX (4 * JUMP_MAX)
/* A time of the demuxer counts from the first PCR, modulo 2^33 / 90 kHz: one in the upper half is
 * of a frame from before that. */
#define BEFORE ((GST_SECOND << 32) / 90000)
#define FIND_LIMIT (1500 * 1000)  /* µs from the first track until the last */
#define FRAGMENT 250              /* ms */
#define BOX_MAX (8 * 1024 * 1024) /* bytes: 250 ms at 250 Mbit/s */
#define TIMESCALE 90000           /* of MPEG-TS, Hz */

/* What MP4 and browsers have; a browser may lack one of them. */
static const gchar *const playable[] = { "H.264", "H.265", "AAC", "Opus" };

static const gchar *const basic[] = { "appsrc", "tsdemux", "queue", "mp4mux", "appsink",
  "h264parse", "h265parse", "aacparse", "opusparse" };

typedef struct
{
  PreviewChain *chain;
  GstPad *pad; /* of the queue; NULL: there is no such track */
  gulong block;
  gboolean is_h264;
  GstPad *mux;
  GstClockTime first, key, last; /* DTS and PTS of the first frame, PTS of the last */
} Track;

struct _PreviewChain
{
  GstElement *pipeline, *source, *mux;
  GstAppSink *sink;
  GstBus *bus;
  gint ended;  /* atomic */
  GMutex lock; /* guards the following, which the pipeline's threads set */
  Track tracks[PREVIEW_TRACKS];
  GString *left_out; /* names of codecs */
  gint64 found;      /* when the first track was: g_get_monotonic_time, µs; 0: none yet */
  gboolean all_known, started;
  /* used by the caller's thread */
  GByteArray *box, *init;
  PreviewTracks placed;
  gboolean begun;
  gchar *error;
};

void
preview_chain_load (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (basic); i++)
    picture_codec_load (basic[i]);
}

static GstElement *
add (PreviewChain *chain, GstElement *before, const gchar *name)
{
  return picture_element_add (chain->pipeline, before, name);
}

/* --- frames, in the demuxer's thread --------------------------------------------------------- */

/* May the frame be passed on? Under the lock. */
static gboolean
begins (PreviewChain *chain, PreviewKind kind, const GstBuffer *buffer)
{
  const Track *video = &chain->tracks[PREVIEW_VIDEO];

  if (chain->tracks[kind].first != GST_CLOCK_TIME_NONE)
    return TRUE;
  if (!GST_BUFFER_PTS_IS_VALID (buffer) || GST_BUFFER_PTS (buffer) >= BEFORE)
    return FALSE;
  if (kind == PREVIEW_VIDEO)
    return !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  if (video->pad != NULL)
    return video->first != GST_CLOCK_TIME_NONE && GST_BUFFER_PTS (buffer) >= video->key;
  return chain->started;
}

/* Is there an IDR picture of H.264 in it?  Browsers begin with no other, whatever MP4 says. */
static gboolean
has_idr (GstBuffer *buffer)
{
  gboolean found;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  found = preview_sample_has_idr (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return found;
}

/* Unmarks what the parser takes for a key frame, and a browser does not. */
static void
unmark (GstPadProbeInfo *info)
{
  GstBuffer *buffer = gst_pad_probe_info_get_buffer (info);

  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT) || has_idr (buffer))
    return;
  info->data = gst_buffer_make_writable (buffer);
  GST_BUFFER_FLAG_SET (GST_BUFFER (info->data), GST_BUFFER_FLAG_DELTA_UNIT);
}

static GstPadProbeReturn
on_parsed (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Track *track = data;
  PreviewChain *chain = track->chain;
  GstBuffer *buffer;
  gboolean passes;

  if (track->is_h264)
    unmark (info);
  buffer = gst_pad_probe_info_get_buffer (info);
  g_mutex_lock (&chain->lock);
  passes = begins (chain, track - chain->tracks, buffer);
  if (passes && track->first == GST_CLOCK_TIME_NONE) {
    track->first = GST_BUFFER_DTS_OR_PTS (buffer);
    track->key = track->last = GST_BUFFER_PTS (buffer);
  }
  if (passes && GST_BUFFER_PTS_IS_VALID (buffer)) {
    if (ABS (GST_CLOCK_DIFF (track->last, GST_BUFFER_PTS (buffer))) > (gint64) JUMP_MAX)
      g_atomic_int_set (&chain->ended, TRUE);
    track->last = GST_BUFFER_PTS (buffer);
  }
  g_mutex_unlock (&chain->lock);
  return passes ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

/* Has all times of a track count. The demuxer's segment begins with its first frame: if that is
 * from before the first PCR, parser and muxer would drop all that follow. */
static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  guint32 number = gst_event_get_seqnum (info->data);
  GstSegment all;

  if (GST_EVENT_TYPE (info->data) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_event_unref (info->data);
  gst_segment_init (&all, GST_FORMAT_TIME);
  info->data = gst_event_new_segment (&all);
  gst_event_set_seqnum (info->data, number);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_held (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

/* Makes a track. Under the lock. */
static void
add_track (PreviewChain *chain, const PictureCodec *codec, GstPad *from)
{
  Track *track = &chain->tracks[codec->is_video ? PREVIEW_VIDEO : PREVIEW_AUDIO];
  GstElement *parser = add (chain, NULL, codec->parser), *queue = add (chain, parser, "queue");
  g_autoptr (GstPad) parsed = gst_element_get_static_pad (parser, "src");
  g_autoptr (GstPad) to = gst_element_get_static_pad (parser, "sink");

  g_object_set (queue, "max-size-buffers", 0, "max-size-bytes", PICTURE_WAITING_MAX,
      "max-size-time", APART_MAX, NULL);
  track->is_h264 = g_str_equal (codec->parser, "h264parse");
  track->pad = gst_element_get_static_pad (queue, "src");
  track->mux =
      gst_element_request_pad_simple (chain->mux, codec->is_video ? "video_%u" : "audio_%u");
  g_object_set (track->mux, "trak-timescale", TIMESCALE, NULL);
  gst_pad_add_probe (to, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, NULL, NULL);
  gst_pad_add_probe (parsed, GST_PAD_PROBE_TYPE_BUFFER, on_parsed, track, NULL);
  track->block =
      gst_pad_add_probe (track->pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, on_held, NULL, NULL);
  gst_pad_link (track->pad, track->mux);
  gst_element_sync_state_with_parent (queue);
  gst_element_sync_state_with_parent (parser);
  gst_pad_link (from, to);
}

static void
on_pad (GstElement *demux, GstPad *pad, PreviewChain *chain)
{
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, NULL);
  const gchar *type =
      gst_caps_is_empty (caps) ? "" : gst_structure_get_name (gst_caps_get_structure (caps, 0));
  const PictureCodec *codec = picture_codec_find (caps);
  gboolean plays = FALSE;

  for (guint i = 0; codec != NULL && i < G_N_ELEMENTS (playable); i++)
    plays |= g_str_equal (codec->name, playable[i]);
  g_mutex_lock (&chain->lock);
  if (chain->started)
    g_atomic_int_set (&chain->ended, TRUE);
  else if (plays && chain->tracks[codec->is_video ? PREVIEW_VIDEO : PREVIEW_AUDIO].pad == NULL)
    add_track (chain, codec, pad);
  else if (!plays && (g_str_has_prefix (type, "video/") || g_str_has_prefix (type, "audio/")))
    g_string_append_printf (chain->left_out, "%s%s", chain->left_out->len > 0 ? ", " : "",
        codec != NULL ? codec->name : type);
  if (chain->found == 0)
    chain->found = g_get_monotonic_time ();
  g_mutex_unlock (&chain->lock);
}

static void
on_no_more (GstElement *demux, PreviewChain *chain)
{
  g_mutex_lock (&chain->lock);
  chain->all_known = TRUE;
  g_mutex_unlock (&chain->lock);
}

static void
on_pad_gone (GstElement *demux, GstPad *pad, PreviewChain *chain)
{
  g_atomic_int_set (&chain->ended, TRUE);
}

/* --- together --------------------------------------------------------------------------------- */

PreviewChain *
preview_chain_new (void)
{
  PreviewChain *chain = g_new0 (PreviewChain, 1);
  GstElement *demux;

  g_mutex_init (&chain->lock);
  chain->left_out = g_string_new (NULL);
  chain->box = g_byte_array_new ();
  chain->init = g_byte_array_new ();
  for (guint i = 0; i < PREVIEW_TRACKS; i++)
    chain->tracks[i] = (Track) { .chain = chain, .first = GST_CLOCK_TIME_NONE };
  chain->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  chain->bus = gst_element_get_bus (chain->pipeline);
  chain->source = picture_element_add_source (chain->pipeline);
  demux = add (chain, chain->source, "tsdemux");
  chain->mux = add (chain, NULL, "mp4mux");
  chain->sink = GST_APP_SINK (add (chain, chain->mux, "appsink"));
  g_object_set (chain->mux, "fragment-duration", FRAGMENT, "streamable", TRUE, NULL);
  g_object_set (chain->sink, "sync", FALSE, "async", FALSE, NULL);
  g_signal_connect (demux, "pad-added", G_CALLBACK (on_pad), chain);
  g_signal_connect (demux, "pad-removed", G_CALLBACK (on_pad_gone), chain);
  g_signal_connect (demux, "no-more-pads", G_CALLBACK (on_no_more), chain);
  gst_element_set_state (chain->pipeline, GST_STATE_PLAYING);
  return chain;
}

gboolean
preview_chain_push (PreviewChain *chain, const guint8 *data, gsize size)
{
  return picture_element_push (chain->source, data, size);
}

/* Lets the tracks through once all are there. */
static void
start (PreviewChain *chain)
{
  g_mutex_lock (&chain->lock);
  if (!chain->started && chain->found != 0
      && (chain->all_known || g_get_monotonic_time () - chain->found > FIND_LIMIT)) {
    chain->started = TRUE;
    for (guint i = 0; i < PREVIEW_TRACKS; i++)
      if (chain->tracks[i].pad != NULL)
        gst_pad_remove_probe (chain->tracks[i].pad, chain->tracks[i].block);
  }
  g_mutex_unlock (&chain->lock);
}

/* Returns the type of the MP4 with its codecs, as a browser wants it. NULL: a codec is not known.
 */
static gchar *
describe (const PreviewChain *chain)
{
  g_autoptr (GString) type = g_string_new (NULL);

  g_string_printf (type, "%s/mp4; codecs=\"",
      chain->tracks[PREVIEW_VIDEO].pad != NULL ? "video" : "audio");
  for (guint i = 0; i < PREVIEW_TRACKS; i++) {
    g_autoptr (GstCaps) caps =
        chain->tracks[i].pad != NULL ? gst_pad_get_current_caps (chain->tracks[i].mux) : NULL;
    g_autofree gchar *codec = caps != NULL ? gst_codec_utils_caps_get_mime_codec (caps) : NULL;

    if (chain->tracks[i].pad == NULL)
      continue;
    if (codec == NULL)
      return NULL;
    g_string_append_printf (type, "%s%s", g_str_has_suffix (type->str, "\"") ? "" : ", ", codec);
  }
  return g_strconcat (type->str, "\"", NULL);
}

/* FALSE: the head is not complete, or too long. */
static gboolean
tell_head (PreviewChain *chain)
{
  g_autofree gchar *type = describe (chain);

  if (type == NULL || strlen (type) > PICTURE_MEDIA_MAX || chain->init->len == 0
      || chain->init->len > PICTURE_INIT_MAX)
    return FALSE;
  picture_tell_text (PICTURE_MEDIA, type);
  picture_tell (PICTURE_INIT, chain->init->data, chain->init->len);
  chain->begun = TRUE;
  return TRUE;
}

static void
tell_pieces (const guint8 *data, gsize size, gboolean key)
{
  for (gsize at = 0; at < size; at += PICTURE_PIECE_MAX)
    picture_tell (key && at == 0 ? PICTURE_KEY : PICTURE_PIECE, data + at,
        MIN (size - at, PICTURE_PIECE_MAX));
}

/* Handles a complete box. FALSE: it is not as the muxer writes it. */
static gboolean
take_box (PreviewChain *chain, guint8 *box, gsize size, const gchar *type)
{
  /* the video's DTS is the smallest of all times */
  GstClockTime base = chain->tracks[PREVIEW_VIDEO].pad != NULL ?
      chain->tracks[PREVIEW_VIDEO].first :
      chain->tracks[PREVIEW_AUDIO].first;
  gint64 first[PREVIEW_TRACKS];
  gboolean key;

  if (g_str_equal (type, "ftyp") || g_str_equal (type, "moov")) {
    if (chain->init->len + size > PICTURE_INIT_MAX || chain->begun)
      return FALSE;
    if (g_str_equal (type, "moov"))
      preview_tracks_read (&chain->placed, box, size);
    g_byte_array_append (chain->init, box, size);
    return TRUE;
  }
  if (g_str_equal (type, "mdat") && chain->begun)
    tell_pieces (box, size, FALSE);
  if (!g_str_equal (type, "moof"))
    return TRUE;
  g_mutex_lock (&chain->lock);
  for (guint i = 0; i < PREVIEW_TRACKS; i++)
    first[i] = GST_CLOCK_DIFF (base, chain->tracks[i].first);
  g_mutex_unlock (&chain->lock);
  if (!preview_tracks_place (&chain->placed, box, size, first, &key))
    return FALSE;
  /* a fragment of sound may end before the first of pictures does */
  if (!chain->begun && !key)
    return TRUE;
  if (!chain->begun && !tell_head (chain))
    return FALSE;
  tell_pieces (box, size, key);
  return TRUE;
}

/* Takes bytes of the muxer. FALSE: they are not as it writes them. */
static gboolean
take_bytes (PreviewChain *chain, GstBuffer *buffer)
{
  GstMapInfo map;
  gchar type[5];
  gsize size;

  if (chain->box->len + gst_buffer_get_size (buffer) > BOX_MAX
      || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  g_byte_array_append (chain->box, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  while ((size = preview_box_measure (chain->box->data, chain->box->len, type)) != 0
      && size <= chain->box->len) {
    if (!take_box (chain, chain->box->data, size, type))
      return FALSE;
    g_byte_array_remove_range (chain->box, 0, size);
  }
  return size != PREVIEW_BAD;
}

static void
take_error (PreviewChain *chain)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (chain->bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message == NULL)
    return;
  gst_message_parse_error (message, &error, NULL);
  chain->error = g_strdup (error->message);
}

gboolean
preview_chain_run (PreviewChain *chain)
{
  GstSample *sample;
  gboolean good = TRUE;

  start (chain);
  while (good && (sample = gst_app_sink_try_pull_sample (chain->sink, 0)) != NULL) {
    good = take_bytes (chain, gst_sample_get_buffer (sample));
    gst_sample_unref (sample);
  }
  take_error (chain);
  return good && chain->error == NULL && !g_atomic_int_get (&chain->ended)
      && (!chain->started || chain->tracks[PREVIEW_VIDEO].pad != NULL
          || chain->tracks[PREVIEW_AUDIO].pad != NULL);
}

gboolean
preview_chain_has_begun (const PreviewChain *chain)
{
  return chain->begun;
}

gchar *
preview_chain_get_problem (const PreviewChain *chain)
{
  GMutex *lock = (GMutex *) &chain->lock;
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locked = g_mutex_locker_new (lock);

  if (chain->found == 0)
    return g_strdup ("No programme was found: it has to be MPEG-TS that is not scrambled.");
  if (chain->tracks[PREVIEW_VIDEO].pad == NULL && chain->tracks[PREVIEW_AUDIO].pad == NULL)
    return g_strdup_printf ("Browsers do not play %s.",
        chain->left_out->len > 0 ? chain->left_out->str : "what is in it");
  if (chain->error != NULL)
    return g_strdup_printf ("It could not be put into MP4: %s", chain->error);
  if (g_atomic_int_get (&chain->ended))
    return NULL;
  if (chain->tracks[PREVIEW_VIDEO].pad != NULL
      && chain->tracks[PREVIEW_VIDEO].first == GST_CLOCK_TIME_NONE)
    return g_strdup (
        "No IDR picture came, with which a browser can begin: have the encoder send one "
        "every two seconds (no intra refresh, no open GOP).");
  return g_strdup ("Not all of its tracks carry data.");
}
