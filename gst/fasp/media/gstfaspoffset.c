/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspoffset.h"

#define TYPE_META_API (get_api_type ())

typedef struct
{
  GstMeta meta;
  FaspStreamOffset position;
  FaspTime media_time;
  FaspCapture capture;
  gsize size;
  gboolean header; /* the buffer is a header, which has no stream offset */
} OffsetMeta;

static GType
get_api_type (void)
{
  static GType type = 0;
  static const gchar *tags[] = { GST_META_TAG_MEMORY_STR, NULL };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, gst_meta_api_type_register ("GstFaspPlaceMetaAPI", tags));
  return type;
}

static gboolean
init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  ((OffsetMeta *) meta)->header = FALSE;
  return TRUE;
}

static gboolean transform (GstBuffer *to, GstMeta *meta, GstBuffer *buffer, GQuark type,
    gpointer data);

static const GstMetaInfo *
get_info (void)
{
  static const GstMetaInfo *info = NULL;

  if (g_once_init_enter ((GstMetaInfo **) &info))
    g_once_init_leave ((GstMetaInfo **) &info,
        (GstMetaInfo *) gst_meta_register (TYPE_META_API, "GstFaspPlaceMeta", sizeof (OffsetMeta),
            init, NULL, transform));
  return info;
}

static GstCaps *
get_reference (void)
{
  static GstCaps *caps = NULL;

  if (g_once_init_enter (&caps)) {
    GstCaps *made = gst_caps_new_empty_simple ("timestamp/x-fasp");

    GST_MINI_OBJECT_FLAG_SET (made, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED);
    g_once_init_leave (&caps, made);
  }
  return caps;
}

static OffsetMeta *
attach (GstBuffer *buffer)
{
  OffsetMeta *meta = (OffsetMeta *) gst_buffer_add_meta (buffer, get_info (), NULL);

  meta->size = gst_buffer_get_size (buffer);
  /* an element that writes to the buffer gets a copy of the memory, which sets TAG_MEMORY */
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++)
    GST_MINI_OBJECT_FLAG_SET (gst_buffer_peek_memory (buffer, i), GST_MEMORY_FLAG_READONLY);
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_TAG_MEMORY);
  return meta;
}

void
gst_fasp_offset_attach (GstBuffer *buffer, const FaspStreamOffset *position, FaspTime media_time,
    const FaspCapture *capture)
{
  OffsetMeta *meta;

  gst_buffer_add_reference_timestamp_meta (buffer, get_reference (), media_time * GST_USECOND,
      GST_CLOCK_TIME_NONE);
  if (!position->known)
    return;
  meta = attach (buffer);
  meta->position = *position;
  meta->media_time = media_time;
  meta->capture = *capture;
  if (position->offset != FASP_OFFSET_UNKNOWN) {
    GST_BUFFER_OFFSET (buffer) = position->offset;
    GST_BUFFER_OFFSET_END (buffer) = position->offset + meta->size;
  }
}

void
gst_fasp_offset_attach_header (GstBuffer *buffer)
{
  attach (buffer)->header = TRUE;
}

/* Returns NULL unless this is the very buffer that faspsrc made, unchanged. */
static const OffsetMeta *
get_meta (GstBuffer *buffer)
{
  const OffsetMeta *meta = (const OffsetMeta *) gst_buffer_get_meta (buffer, TYPE_META_API);

  return meta == NULL || GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_TAG_MEMORY)
          || gst_buffer_get_size (buffer) != meta->size ?
      NULL :
      meta;
}

static gboolean
has_same_memory (GstBuffer *a, GstBuffer *b)
{
  guint n = gst_buffer_n_memory (a);
  gboolean same = n == gst_buffer_n_memory (b);

  for (guint i = 0; i < n && same; i++)
    same = gst_buffer_peek_memory (a, i) == gst_buffer_peek_memory (b, i);
  return same;
}

/* A copy gets the meta if it consists of the same memory: an element that sets a flag of a buffer
 * with other references makes such a copy. */
static gboolean
transform (GstBuffer *to, GstMeta *meta, GstBuffer *buffer, GQuark type, gpointer data)
{
  const OffsetMeta *from = get_meta (buffer);
  OffsetMeta *copy;

  if (!GST_META_TRANSFORM_IS_COPY (type) || ((const GstMetaTransformCopy *) data)->region
      || from == NULL || !has_same_memory (to, buffer))
    return FALSE;
  copy = (OffsetMeta *) gst_buffer_add_meta (to, get_info (), NULL);
  GST_BUFFER_FLAG_UNSET (to, GST_BUFFER_FLAG_TAG_MEMORY);
  copy->size = from->size;
  copy->position = from->position;
  copy->media_time = from->media_time;
  copy->capture = from->capture;
  copy->header = from->header;
  return TRUE;
}

gboolean
gst_fasp_offset_is_header (GstBuffer *buffer)
{
  const OffsetMeta *meta = get_meta (buffer);

  return meta != NULL && meta->header;
}

gboolean
gst_fasp_offset_get (GstBuffer *buffer, FaspStreamOffset *position, FaspTime *media_time,
    FaspCapture *capture)
{
  const OffsetMeta *meta = get_meta (buffer);

  if (meta == NULL || meta->header)
    return FALSE;
  *position = meta->position;
  *media_time = meta->media_time;
  *capture = meta->capture;
  return TRUE;
}

gchar *
gst_fasp_origin_to_string (const FaspOrigin *origin)
{
  GString *text = g_string_sized_new (2 * FASP_ORIGIN_SIZE + 1);

  for (guint i = 0; i < FASP_ORIGIN_SIZE; i++)
    g_string_append_printf (text, "%02x", origin->bytes[i]);
  return g_string_free (text, FALSE);
}

GstEvent *
gst_fasp_offset_make_event (const FaspOrigin *origin, const gchar *streamid, GstBuffer *header)
{
  g_autofree gchar *text = gst_fasp_origin_to_string (origin);
  GstStructure *s = gst_structure_new (GST_FASP_OFFSET_EVENT, "origin", G_TYPE_STRING, text,
      "streamid", G_TYPE_STRING, streamid, NULL);

  if (header != NULL)
    gst_structure_set (s, "streamheader", GST_TYPE_BUFFER, header, NULL);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s);
}
