/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picturecodecs.h"

static const PictureCodec codecs[] = {
  { "H.264", "video/x-h264", "h264parse", { "avdec_h264", "openh264dec" }, TRUE },
  { "H.265", "video/x-h265", "h265parse", { "avdec_h265", "libde265dec" }, TRUE },
  { "MPEG-2", "video/mpeg, mpegversion=(int)[1, 2]", "mpegvideoparse",
      { "avdec_mpeg2video", "mpeg2dec" }, TRUE },
  { "MPEG audio", "audio/mpeg, mpegversion=(int)1", "mpegaudioparse",
      { "mpg123audiodec", "avdec_mp3" }, FALSE },
  /* avdec_aac takes LATM only with another name */
  { "AAC", "audio/mpeg, mpegversion=(int){2, 4}, stream-format=(string)adts", "aacparse",
      { "avdec_aac", "faad" }, FALSE },
  { "AAC", "audio/mpeg, mpegversion=(int){2, 4}, stream-format=(string)loas", "aacparse",
      { "avdec_aac_latm", "faad" }, FALSE },
  { "AC-3", "audio/x-ac3", "ac3parse", { "avdec_ac3", "a52dec" }, FALSE },
  { "E-AC-3", "audio/x-eac3", "ac3parse", { "avdec_eac3" }, FALSE },
  { "Opus", "audio/x-opus", "opusparse", { "opusdec", "avdec_opus" }, FALSE },
  { "SMPTE 302M", "audio/x-smpte-302m", NULL, { "avdec_s302m" }, FALSE },
};

static const struct
{
  const gchar *begin, *package;
} packages[] = {
  { "avdec_", "gstreamer1.0-libav" },
  { "app", "gstreamer1.0-plugins-base" },
  { "video", "gstreamer1.0-plugins-base" },
  { "audioconvert", "gstreamer1.0-plugins-base" },
  { "level", "gstreamer1.0-plugins-good" },
  { "jpegenc", "gstreamer1.0-plugins-good" },
  { "mpegaudioparse", "gstreamer1.0-plugins-good" },
  { "aacparse", "gstreamer1.0-plugins-good" },
  { "ac3parse", "gstreamer1.0-plugins-good" },
};

const PictureCodec *
picture_codec_find (const GstCaps *caps)
{
  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++) {
    g_autoptr (GstCaps) its = gst_caps_from_string (codecs[i].caps);

    if (gst_caps_can_intersect (caps, its))
      return &codecs[i];
  }
  return NULL;
}

const PictureCodec *
picture_codec_list (guint *n)
{
  *n = G_N_ELEMENTS (codecs);
  return codecs;
}

static gboolean
is_there (const gchar *element)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (element);

  return factory != NULL;
}

const gchar *
picture_codec_get_decoder (const PictureCodec *codec)
{
  for (guint i = 0; codec->decoders[i] != NULL; i++)
    if (is_there (codec->decoders[i]))
      return codec->decoders[i];
  return NULL;
}

const gchar *
picture_codec_get_package (const gchar *element)
{
  for (guint i = 0; i < G_N_ELEMENTS (packages); i++)
    if (g_str_has_prefix (element, packages[i].begin))
      return packages[i].package;
  return "gstreamer1.0-plugins-bad";
}

void
picture_codec_load (const gchar *name)
{
  GstElement *element = name != NULL ? gst_element_factory_make (name, NULL) : NULL;

  if (element == NULL)
    return;
  gst_object_ref_sink (element);
  gst_element_set_state (element, GST_STATE_READY);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}
