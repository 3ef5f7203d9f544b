/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspencoder.h"

/* The share of the stream that an MPEG-TS takes for itself: 4 of 188 bytes, and headers of PES. The
 * rest (a last packet that is not full) is small or, at low rates, seen by the rate control. */
#define MULTIPLEX (1 / 32.)
/* The video gets at least this share, as audio may be told a higher rate than it makes. */
#define VIDEO_LEAST .5
/* No codec makes audio of less than this, bit/s: a smaller number is in kbit/s. */
#define AUDIO_LEAST 1000
/* How much of its rate, in ms, an encoder may make at once (VBV): a picture that is twice as large
 * as others, at 25 a second.  x264enc's default, 600, makes 2.1 to 2.7 times the rate in the first
 * half second after the rate has fallen to an eighth; 100 makes 1.2 times (docs/results.md). */
#define BUFFER_MS 100

/* How the rate of an encoder is set. */
typedef struct
{
  const gchar *factory; /* a pattern; the first one that matches counts */
  const gchar *bitrate; /* the property with the rate */
  guint unit;           /* unit of that, bit/s */
  const gchar *buffer;  /* the property with the size of its VBV; NULL: not set */
  gboolean in_kbit;     /* that is in kbit, and has to follow the rate; else in ms */
} Kind;

static const Kind kinds[] = {
  { "x264enc", "bitrate", 1000, "vbv-buf-capacity", FALSE },
  { "x265enc", "bitrate", 1000, NULL, FALSE },
  { "openh264enc", "bitrate", 1, NULL, FALSE },
  { "vp?enc", "target-bitrate", 1, NULL, FALSE },
  { "av1enc", "target-bitrate", 1000, NULL, FALSE },
  { "nvv4l2*enc", "bitrate", 1, NULL, FALSE },
  { "nv*enc", "bitrate", 1000, "vbv-buffer-size", TRUE },
  { "vaapi*enc", "bitrate", 1000, NULL, FALSE },
  { "va*enc", "bitrate", 1000, "cpb-size", TRUE },
  { "qsv*enc", "bitrate", 1000, NULL, FALSE },
  { "vpuenc_*", "bitrate", 1000, NULL, FALSE },
};

/* What is upstream of a pad. */
typedef struct
{
  GHashTable *seen; /* pads, each with a reference */
  GPtrArray *video; /* encoders, each with a reference */
  guint64 audio;    /* bit/s of all audio encoders */
} Search;

/* The audio encoder's rate, bit/s; 0: it is not known. */
static guint64
get_audio_rate (GstElement *encoder)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (encoder), "bitrate");
  g_auto (GValue) value = G_VALUE_INIT;
  gint64 rate;

  g_value_init (&value, G_TYPE_INT64);
  if (spec == NULL || !g_value_type_transformable (spec->value_type, G_TYPE_INT64))
    return 0;
  g_object_get_property (G_OBJECT (encoder), "bitrate", &value);
  rate = MAX (g_value_get_int64 (&value), 0);
  return rate < AUDIO_LEAST ? rate * 1000 : rate;
}

static gboolean
is_kind (GstElement *element, GstElementFactoryListType type)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && gst_element_factory_list_is_type (factory, type);
}

static void look_upstream (GstPad *pad, Search *search);

static void
look_at_link (const GValue *pad, gpointer search)
{
  look_upstream (g_value_get_object (pad), search);
}

/* Looks at what is linked to @pad, and at the pads from which that gets its data. */
static void
look_upstream (GstPad *pad, Search *search)
{
  GstPad *peer = gst_pad_get_peer (pad);
  g_autoptr (GstElement) element = NULL;
  g_autoptr (GstIterator) links = NULL;

  if (peer == NULL || !g_hash_table_add (search->seen, peer))
    return;
  element = gst_pad_get_parent_element (peer);
  if (element != NULL && is_kind (element, GST_ELEMENT_FACTORY_TYPE_VIDEO_ENCODER)) {
    g_ptr_array_add (search->video, g_steal_pointer (&element));
    return;
  }
  if (element != NULL && is_kind (element, GST_ELEMENT_FACTORY_TYPE_AUDIO_ENCODER)) {
    search->audio += get_audio_rate (element);
    return;
  }
  links = gst_pad_iterate_internal_links (peer);
  /* after a resync, pads that were seen are passed over */
  while (links != NULL && gst_iterator_foreach (links, look_at_link, search) == GST_ITERATOR_RESYNC)
    gst_iterator_resync (links);
}

static const Kind *
find_kind (GstElement *encoder)
{
  const gchar *name = gst_plugin_feature_get_name (gst_element_get_factory (encoder));

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_pattern_match_simple (kinds[i].factory, name))
      return &kinds[i];
  return NULL;
}

/* Sets a property of any numeric type to the nearest value that it can have, if it has another. */
static void
set_number (GObject *encoder, GParamSpec *spec, guint64 number)
{
  g_auto (GValue) wanted = G_VALUE_INIT, value = G_VALUE_INIT, now = G_VALUE_INIT;

  g_value_init (&wanted, G_TYPE_INT);
  g_value_init (&value, spec->value_type);
  g_value_init (&now, spec->value_type);
  g_value_set_int (&wanted, MIN (number, G_MAXINT));
  if (!g_value_transform (&wanted, &value))
    return;
  g_param_value_validate (spec, &value);
  g_object_get_property (encoder, spec->name, &now);
  if (g_param_values_cmp (spec, &value, &now) != 0)
    g_object_set_property (encoder, spec->name, &value);
}

/* Does the property have its default value, as if the user had not set it? */
static gboolean
is_default (GObject *encoder, GParamSpec *spec)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  g_object_get_property (encoder, spec->name, &value);
  return g_param_value_defaults (spec, &value);
}

/* What this file knows of an encoder that it has set before. */
enum
{
  NEW,
  SET,
  SET_WITH_BUFFER, /* the size of the buffer is not the user's */
};

static const gchar *
set_encoder (GstElement *sink, GstElement *encoder, guint64 bitrate)
{
  static const gchar mark[] = "gst-fasp-encoder";
  const Kind *kind = find_kind (encoder);
  GObjectClass *klass = G_OBJECT_GET_CLASS (encoder);
  GParamSpec *rate = kind ? g_object_class_find_property (klass, kind->bitrate) : NULL;
  GParamSpec *buffer =
      kind && kind->buffer ? g_object_class_find_property (klass, kind->buffer) : NULL;
  guint state = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (encoder), mark));

  if (rate == NULL)
    return "The rate of this video encoder cannot be set by max-encoder-bitrate (its documentation "
           "has a list). Let a program set it as available-bitrate says, or leave "
           "max-encoder-bitrate out.";
  if (state == NEW) {
    state = buffer != NULL && is_default (G_OBJECT (encoder), buffer) ? SET_WITH_BUFFER : SET;
    g_object_set_data (G_OBJECT (encoder), mark, GUINT_TO_POINTER (state));
    GST_ELEMENT_INFO (sink, RESOURCE, SETTINGS,
        ("%s of %s follows available-bitrate.", kind->bitrate, GST_OBJECT_NAME (encoder)),
        /* gst-launch-1.0 prints only this part of an INFO */
        ("%s of %s follows available-bitrate", kind->bitrate, GST_OBJECT_NAME (encoder)));
  }
  if (state == SET_WITH_BUFFER)
    set_number (G_OBJECT (encoder), buffer,
        kind->in_kbit ? bitrate * BUFFER_MS / 1000000 : BUFFER_MS);
  set_number (G_OBJECT (encoder), rate, bitrate / kind->unit);
  return NULL;
}

const gchar *
gst_fasp_encoder_set_bitrate (GstElement *sink, guint64 bitrate, guint64 max)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (NULL, NULL, gst_object_unref, NULL);
  g_autoptr (GPtrArray) video = g_ptr_array_new_with_free_func (gst_object_unref);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  Search search = { seen, video, 0 };
  gdouble rest;

  look_upstream (pad, &search);
  if (video->len == 0)
    return "max-encoder-bitrate is set, and there is no video encoder upstream of this element whose "
           "rate it could set. Leave it out, or put the encoder into the same pipeline.";
  if (video->len > 1)
    return "max-encoder-bitrate is set, and there are several video encoders upstream of this "
           "element: it sets the rate of none. Let a program divide available-bitrate among them.";
  rest = bitrate * (1 - MULTIPLEX) - search.audio;
  return set_encoder (sink, g_ptr_array_index (video, 0),
      MIN (MAX (rest, bitrate * VIDEO_LEAST), max));
}
