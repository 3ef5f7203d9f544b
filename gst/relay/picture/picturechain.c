/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <gst/app/app.h>
#include "gstfaspcommon.h"
#include "picturechain.h"
#include "picturecodecs.h"
#include "pictureelements.h"

#define WIDTH 320      /* pixels, also of a picture that is higher than wide */
#define QUALITY 75     /* of JPEG, percent */
#define LEVEL_EACH 100 /* ms of sound that are measured together */
/* So many first spans are left out, as a decoder that begins in mid-stream fades in. */
#define LEVEL_SKIPPED 1

/* Elements that every stream needs. */
static const gchar *const basic[] = { "appsrc", "tsdemux", "videoscale", "videoconvert", "jpegenc",
  "appsink", "audioconvert", "level", "fakesink", "capsfilter" };

struct _PictureChain
{
  GstElement *pipeline, *source, *demux;
  GstAppSink *sink; /* gets the picture; NULL: not made yet */
  GstBus *bus;
  GMutex lock;            /* guards the following, which the pipeline's thread sets */
  gboolean video, audio;  /* the stream has video, or sound, that is decoded */
  gboolean all_known;     /* the demuxer will find no more streams */
  const gchar *undecoded; /* codec of video that cannot be decoded */
  gboolean unknown_video; /* video of a codec that is not in the table */
  /* used by the pipeline's thread */
  GstClockTime key;    /* PTS of the key frame */
  guint frames;        /* frames let through since the key frame */
  guint frames_wanted; /* 2 if these may be the fields of one picture */
  gboolean shown;      /* the picture was let through */
  GstBuffer *samples;  /* of the picture; the caller reads it once the picture has come */
  /* used by the caller's thread */
  GstBuffer *picture;
  gchar *error;
  guint channels, heard; /* `heard': spans of LEVEL_EACH that were measured */
  gdouble peaks[PICTURE_CHANNELS_MAX], powers[PICTURE_CHANNELS_MAX];
};

/* --- elements ---------------------------------------------------------------------------- */

void
picture_chain_load (void)
{
  guint n;
  const PictureCodec *codecs = picture_codec_list (&n);

  for (guint i = 0; i < G_N_ELEMENTS (basic); i++)
    picture_codec_load (basic[i]);
  for (guint i = 0; i < n; i++) {
    picture_codec_load (codecs[i].parser);
    picture_codec_load (picture_codec_get_decoder (&codecs[i]));
  }
}

gchar *
picture_chain_find_missing (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (basic); i++) {
    g_autoptr (GstElementFactory) factory = gst_element_factory_find (basic[i]);

    if (factory == NULL)
      return g_strdup_printf ("GStreamer has no element %s: install the package %s.", basic[i],
          picture_codec_get_package (basic[i]));
  }
  return NULL;
}

static GstElement *
add (PictureChain *chain, GstElement *before, const gchar *name)
{
  return picture_element_add (chain->pipeline, before, name);
}

static void
add_probe (PictureChain *chain, GstElement *element, GstPadProbeCallback func)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, func, chain, NULL);
}

/* Limits the decoder to one thread, which is enough for one picture. */
static void
be_modest (GstElement *decoder)
{
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (decoder), "max-threads") != NULL)
    g_object_set (decoder, "max-threads", 1, NULL);
}

/* --- video ---------------------------------------------------------------------------------- */

static gboolean
is_progressive (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const gchar *mode = caps != NULL ?
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "interlace-mode") :
      NULL;

  return mode == NULL || g_str_equal (mode, "progressive");
}

/* Before the decoder: lets only a key frame through. */
static GstPadProbeReturn
on_parsed (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  PictureChain *chain = data;
  GstBuffer *buffer = gst_pad_probe_info_get_buffer (info);

  if (chain->frames == 0) {
    if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT))
      return GST_PAD_PROBE_DROP;
    chain->key = GST_BUFFER_PTS (buffer);
    chain->frames_wanted = is_progressive (pad) ? 1 : 2;
  }
  if (chain->frames < chain->frames_wanted) {
    chain->frames++;
    return GST_PAD_PROBE_OK;
  }
  if (chain->frames == chain->frames_wanted) {
    chain->frames++;
    gst_pad_push_event (pad, gst_event_new_eos ());
  }
  return GST_PAD_PROBE_DROP;
}

/* Behind the decoder: lets the key frame's picture through. */
static GstPadProbeReturn
on_decoded (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  PictureChain *chain = data;
  GstBuffer *buffer = gst_pad_probe_info_get_buffer (info);
  gboolean before = GST_CLOCK_TIME_IS_VALID (chain->key) && GST_BUFFER_PTS_IS_VALID (buffer)
      && GST_BUFFER_PTS (buffer) < chain->key;

  if (before || chain->shown)
    return GST_PAD_PROBE_DROP;
  chain->shown = TRUE;
  return GST_PAD_PROBE_OK;
}

/* Before the encoder. */
static GstPadProbeReturn
on_shaped (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  PictureChain *chain = data;

  gst_buffer_replace (&chain->samples, gst_pad_probe_info_get_buffer (info));
  return GST_PAD_PROBE_OK;
}

/* Adds the elements that scale the picture to square pixels and convert it to RGB, from which the
 * encoder makes full-range YUV. Not every release of videoconvert expands the range of YUV. */
static GstElement *
add_shape (PictureChain *chain, GstElement *before)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "RGB",
      "width", G_TYPE_INT, WIDTH, "height", GST_TYPE_INT_RANGE, 1, PICTURE_SIDE_MAX,
      "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1, NULL);
  GstElement *filter = add (chain, before, "capsfilter");

  g_object_set (filter, "caps", caps, NULL);
  return filter;
}

static GstElement *
add_video (PictureChain *chain, const PictureCodec *codec)
{
  GstElement *parser = add (chain, NULL, codec->parser), *decoder, *last, *sink;

  if (parser == NULL)
    return NULL;
  decoder = add (chain, parser, picture_codec_get_decoder (codec));
  be_modest (decoder);
  add_probe (chain, parser, on_parsed);
  add_probe (chain, decoder, on_decoded);
  last = add (chain, decoder, "videoscale");
  last = add (chain, last, "videoconvert");
  last = add_shape (chain, last);
  add_probe (chain, last, on_shaped);
  last = add (chain, last, "jpegenc");
  g_object_set (last, "quality", QUALITY, NULL);
  sink = add (chain, last, "appsink");
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  g_mutex_lock (&chain->lock);
  chain->sink = gst_object_ref (sink);
  g_mutex_unlock (&chain->lock);
  return parser;
}

/* --- sound ---------------------------------------------------------------------------------- */

static GstElement *
add_audio (PictureChain *chain, const PictureCodec *codec)
{
  GstElement *parser = codec->parser != NULL ? add (chain, NULL, codec->parser) : NULL;
  GstElement *decoder, *last, *sink;

  if (codec->parser != NULL && parser == NULL)
    return NULL;
  decoder = add (chain, parser, picture_codec_get_decoder (codec));
  last = add (chain, decoder, "audioconvert");
  last = add (chain, last, "level");
  g_object_set (last, "interval", LEVEL_EACH * GST_MSECOND, NULL);
  sink = add (chain, last, "fakesink");
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  return parser != NULL ? parser : decoder;
}

static void
hear (PictureChain *chain, const GstStructure *s)
{
  const GValueArray *peaks = gst_fasp_value_get_array (gst_structure_get_value (s, "peak"));
  const GValueArray *rms = gst_fasp_value_get_array (gst_structure_get_value (s, "rms"));
  guint n;

  if (peaks == NULL || rms == NULL || chain->heard++ < LEVEL_SKIPPED)
    return;
  n = MIN (MIN (peaks->n_values, rms->n_values), PICTURE_CHANNELS_MAX);
  for (guint i = chain->channels; i < n; i++)
    chain->peaks[i] = -INFINITY;
  chain->channels = MAX (chain->channels, n);
  for (guint i = 0; i < n; i++) {
    chain->peaks[i] = MAX (chain->peaks[i], g_value_get_double (&peaks->values[i]));
    chain->powers[i] += pow (10, g_value_get_double (&rms->values[i]) / 10);
  }
}

static gint16
to_level (gdouble decibel)
{
  gdouble level = decibel * 100;

  /* the minimum also for NaN */
  return level > PICTURE_LEVEL_MIN ? MIN (level, PICTURE_LEVEL_MAX) : PICTURE_LEVEL_MIN;
}

guint
picture_chain_get_levels (const PictureChain *chain, PictureLevel *levels)
{
  for (guint i = 0; levels != NULL && i < chain->channels; i++)
    levels[i] = (PictureLevel) { to_level (chain->peaks[i]),
      to_level (10 * log10 (chain->powers[i] / (chain->heard - LEVEL_SKIPPED))) };
  return chain->channels;
}

guint
picture_chain_get_heard (const PictureChain *chain)
{
  return chain->heard * LEVEL_EACH;
}

/* --- streams of the programme ------------------------------------------------------------------ */

/* Takes the first video and the first sound. */
static void
on_pad (GstElement *demux, GstPad *pad, PictureChain *chain)
{
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, NULL);
  const gchar *type =
      gst_caps_is_empty (caps) ? "" : gst_structure_get_name (gst_caps_get_structure (caps, 0));
  const PictureCodec *codec = picture_codec_find (caps);
  gboolean decodes = codec != NULL && picture_codec_get_decoder (codec) != NULL;
  g_autoptr (GstIterator) all = NULL;
  g_autoptr (GstPad) to = NULL;
  GstElement *first;
  gboolean wanted;

  g_mutex_lock (&chain->lock);
  wanted = decodes && !(codec->is_video ? chain->video : chain->audio);
  if (codec != NULL && codec->is_video && !decodes)
    chain->undecoded = codec->name;
  chain->unknown_video |= codec == NULL && g_str_has_prefix (type, "video/");
  if (wanted && codec->is_video)
    chain->video = TRUE;
  else if (wanted)
    chain->audio = TRUE;
  g_mutex_unlock (&chain->lock);
  if (!wanted)
    return;
  first = codec->is_video ? add_video (chain, codec) : add_audio (chain, codec);
  if (first == NULL)
    return;
  /* from sink to source, so that each element runs before the one that feeds it */
  all = gst_bin_iterate_sorted (GST_BIN (chain->pipeline));
  {
    g_auto (GValue) item = G_VALUE_INIT;

    while (gst_iterator_next (all, &item) == GST_ITERATOR_OK) {
      GstElement *element = g_value_get_object (&item);

      if (element != chain->source && element != chain->demux)
        gst_element_sync_state_with_parent (element);
      g_value_reset (&item);
    }
  }
  to = gst_element_get_static_pad (first, "sink");
  gst_pad_link (pad, to);
}

static void
on_no_more (GstElement *demux, PictureChain *chain)
{
  g_mutex_lock (&chain->lock);
  chain->all_known = TRUE;
  g_mutex_unlock (&chain->lock);
}

/* --- together -------------------------------------------------------------------------------- */

PictureChain *
picture_chain_new (void)
{
  g_autofree gchar *missing = picture_chain_find_missing ();
  PictureChain *chain;

  if (missing != NULL)
    return NULL;
  chain = g_new0 (PictureChain, 1);
  g_mutex_init (&chain->lock);
  chain->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  chain->bus = gst_element_get_bus (chain->pipeline);
  chain->source = picture_element_add_source (chain->pipeline);
  chain->demux = add (chain, chain->source, "tsdemux");
  g_signal_connect (chain->demux, "pad-added", G_CALLBACK (on_pad), chain);
  g_signal_connect (chain->demux, "no-more-pads", G_CALLBACK (on_no_more), chain);
  gst_element_set_state (chain->pipeline, GST_STATE_PLAYING);
  return chain;
}

void
picture_chain_free (PictureChain *chain)
{
  gst_element_set_state (chain->pipeline, GST_STATE_NULL);
  gst_clear_object (&chain->sink);
  gst_object_unref (chain->bus);
  gst_object_unref (chain->pipeline);
  gst_clear_buffer (&chain->picture);
  gst_clear_buffer (&chain->samples);
  g_mutex_clear (&chain->lock);
  g_free (chain->error);
  g_free (chain);
}

gboolean
picture_chain_push (PictureChain *chain, const guint8 *data, gsize size)
{
  return picture_element_push (chain->source, data, size);
}

static void
take_picture (PictureChain *chain)
{
  g_autoptr (GstSample) sample = NULL;
  GstAppSink *sink;

  g_mutex_lock (&chain->lock);
  sink = chain->sink;
  g_mutex_unlock (&chain->lock);
  if (chain->picture != NULL || sink == NULL)
    return;
  sample = gst_app_sink_try_pull_sample (sink, 0);
  if (sample != NULL)
    chain->picture = gst_buffer_ref (gst_sample_get_buffer (sample));
}

gboolean
picture_chain_run (PictureChain *chain)
{
  GstMessage *message;

  take_picture (chain);
  while ((message = gst_bus_pop_filtered (chain->bus, GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT))
      != NULL) {
    const GstStructure *s = gst_message_get_structure (message);

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && chain->error == NULL) {
      g_autoptr (GError) error = NULL;

      gst_message_parse_error (message, &error, NULL);
      chain->error = g_strdup (error->message);
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
        && gst_structure_has_name (s, "level")) {
      hear (chain, s);
    }
    gst_message_unref (message);
  }
  return chain->error == NULL;
}

GstBuffer *
picture_chain_get_picture (const PictureChain *chain)
{
  return chain->picture;
}

GstBuffer *
picture_chain_get_samples (const PictureChain *chain)
{
  return chain->picture != NULL ? chain->samples : NULL;
}

static gboolean
may_come (const PictureChain *chain, const gboolean *there)
{
  GMutex *lock = (GMutex *) &chain->lock;
  gboolean may;

  g_mutex_lock (lock);
  may = *there || !chain->all_known;
  g_mutex_unlock (lock);
  return may;
}

gboolean
picture_chain_may_see (const PictureChain *chain)
{
  return may_come (chain, &chain->video);
}

gboolean
picture_chain_may_hear (const PictureChain *chain)
{
  return may_come (chain, &chain->audio);
}

/* Returns a sentence that names the packages with a decoder for this codec, any of which is
 * enough. */
static gchar *
describe_undecoded (const gchar *name)
{
  guint n;
  const PictureCodec *codecs = picture_codec_list (&n);

  for (guint i = 0; i < n; i++)
    if (g_str_equal (codecs[i].name, name))
      return g_strdup_printf ("%s cannot be decoded here: install the package %s.", name,
          picture_codec_get_package (codecs[i].decoders[0]));
  g_return_val_if_reached (NULL);
}

gchar *
picture_chain_get_problem (const PictureChain *chain)
{
  GMutex *lock = (GMutex *) &chain->lock;
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locked = g_mutex_locker_new (lock);

  if (chain->undecoded != NULL && !chain->video)
    return describe_undecoded (chain->undecoded);
  if (chain->unknown_video && !chain->video)
    return g_strdup ("Its video is neither H.264, H.265 nor MPEG-2.");
  if (chain->all_known && !chain->video)
    return g_strdup ("There is no video in it.");
  if (chain->error != NULL)
    return g_strdup_printf ("It could not be decoded: %s", chain->error);
  if (!chain->video)
    return g_strdup ("No programme was found: it has to be MPEG-TS that is not scrambled.");
  return g_strdup ("No key frame came: the encoder should send one every few seconds.");
}
