/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspframing.h"
#include "gstfaspheader.h"

#define RTP "Put rtpstreampay in front of faspsink, and rtpstreamdepay behind faspsrc."
#define START_CODES \
  "Set stream-format=byte-stream between encoder and faspsink, or " \
  "put a muxer between them, such as mpegtsmux."
#define AAC \
  "Put a muxer in front of faspsink, such as mpegtsmux, or aacparse and " \
  "audio/mpeg,stream-format=adts."
#define ANY \
  "Put a muxer in front of faspsink, such as matroskamux; or put gdppay in " \
  "front of faspsink, and gdpdepay behind faspsrc."

static const struct
{
  const gchar *name, *format; /* NULL: any format */
  const gchar *advice;
} framed[] = {
  { "application/x-rtp", NULL, RTP },
  { "application/x-rtcp", NULL, RTP },
  { "application/x-srtp", NULL, RTP },
  { "application/x-srtcp", NULL, RTP },
  { "video/x-h264", "avc", START_CODES },
  { "video/x-h264", "avc3", START_CODES },
  { "video/x-h265", "hvc1", START_CODES },
  { "video/x-h265", "hev1", START_CODES },
  { "audio/mpeg", "raw", AAC },
  { "audio/x-opus", NULL, ANY },
  { "audio/x-vorbis", NULL, ANY },
  { "video/x-vp8", NULL, ANY },
  { "video/x-vp9", NULL, ANY },
};

/* Formats that begin with a header which is not in their caps. */
static const gchar *const with_header[] = { "video/quicktime", "audio/x-m4a", "video/x-msvideo",
  "audio/x-wav", "application/x-yuv4mpeg", NULL };

gboolean
gst_fasp_framing_needs_header (const GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  return gst_fasp_header_is_in (caps) || g_strv_contains (with_header, gst_structure_get_name (s));
}

const gchar *
gst_fasp_framing_advise (const GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *format = gst_structure_get_string (s, "stream-format");

  for (guint i = 0; i < G_N_ELEMENTS (framed); i++)
    if (gst_structure_has_name (s, framed[i].name)
        && (framed[i].format == NULL || g_strcmp0 (format, framed[i].format) == 0))
      return framed[i].advice;
  return NULL;
}
