/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspstreamheader.h"
#include "gstfaspheader.h"

void
gst_fasp_header_clear (GstFaspHeader *header)
{
  g_clear_pointer (&header->of_caps, g_bytes_unref);
  g_clear_pointer (&header->of_source, g_bytes_unref);
  g_clear_pointer (&header->given, g_bytes_unref);
  *header = (GstFaspHeader) { 0 };
}

/* Takes @bytes, which may be NULL. */
static void
replace (GstFaspHeader *header, GBytes **slot, GBytes *bytes)
{
  g_clear_pointer (slot, g_bytes_unref);
  *slot = bytes;
  header->changed = TRUE;
}

/* Returns all @buffers joined.  NULL: they have no bytes, or more than @most. */
static GBytes *
join (const GValue *buffers, gsize most)
{
  GByteArray *all = g_byte_array_new ();
  guint n =
      buffers != NULL && GST_VALUE_HOLDS_ARRAY (buffers) ? gst_value_array_get_size (buffers) : 0;

  for (guint i = 0; i < n; i++) {
    const GValue *value = gst_value_array_get_value (buffers, i);
    GstBuffer *buffer = GST_VALUE_HOLDS_BUFFER (value) ? gst_value_get_buffer (value) : NULL;
    GstMapInfo map;

    if (buffer == NULL || !gst_buffer_map (buffer, &map, GST_MAP_READ))
      continue;
    g_byte_array_append (all, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  if (all->len > 0 && all->len <= most)
    return g_byte_array_free_to_bytes (all);
  g_byte_array_unref (all);
  return NULL;
}

/* MPEG-TS does not need its header repeated: its tables come again and again. */
gboolean
gst_fasp_header_is_in (const GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  return gst_structure_has_field (s, "streamheader") && !gst_structure_has_name (s, "video/mpegts");
}

gboolean
gst_fasp_header_set_caps (GstFaspHeader *header, const GstCaps *caps, guint64 buffer)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  replace (header, &header->of_caps,
      gst_fasp_header_is_in (caps) ?
          join (gst_structure_get_value (s, "streamheader"), fasp_stream_header_get_most (buffer)) :
          NULL);
  header->has_deltas = FALSE;
  return header->of_caps != NULL;
}

void
gst_fasp_header_set_event (GstFaspHeader *header, GstEvent *event)
{
  const GValue *value = gst_structure_get_value (gst_event_get_structure (event), "streamheader");
  GstBuffer *buffer =
      value != NULL && GST_VALUE_HOLDS_BUFFER (value) ? gst_value_get_buffer (value) : NULL;
  gpointer data = NULL;
  gsize size = 0;

  if (buffer != NULL
      && (gst_buffer_get_size (buffer) == 0
          || gst_buffer_get_size (buffer) > FASP_STREAM_HEADER_MAX))
    buffer = NULL; /* this header is not from a faspsrc */
  if (buffer != NULL)
    gst_buffer_extract_dup (buffer, 0, -1, &data, &size);
  replace (header, &header->of_source, buffer != NULL ? g_bytes_new_take (data, size) : NULL);
}

static gboolean
is_equal (GBytes *a, GBytes *b)
{
  return a == b || (a != NULL && b != NULL && g_bytes_equal (a, b));
}

/* Gives the endpoint the header.  If the stream was changed on its way, the header that its
 * faspsrc announced is ignored. */
static void
give (GstFaspHeader *header, FaspIo *io, gboolean relayed)
{
  GBytes *bytes = relayed && header->of_source != NULL ? header->of_source : header->of_caps;

  header->changed = FALSE;
  if (is_equal (bytes, header->given))
    return;
  fasp_endpoint_set_header (fasp_io_lock (io), g_get_monotonic_time (), bytes);
  fasp_io_unlock (io, FALSE);
  g_clear_pointer (&header->given, g_bytes_unref);
  header->given = bytes != NULL ? g_bytes_ref (bytes) : NULL;
}

/* Does the stream itself begin with the header? */
static gboolean
is_written (GstFaspHeader *header, GstBuffer *buffer)
{
  gsize size = MIN (gst_buffer_get_size (buffer), g_bytes_get_size (header->given));

  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER)
      || gst_buffer_memcmp (buffer, 0, g_bytes_get_data (header->given, NULL), size) == 0;
}

GBytes *
gst_fasp_header_begin (GstFaspHeader *header, FaspIo *io, GstBuffer *buffer, gboolean relayed)
{
  gboolean first = !header->begun;

  header->begun = TRUE;
  if (header->changed)
    give (header, io, relayed);
  /* an element passed on the header unchanged, but changes the stream */
  if (header->enters && !relayed)
    return header->of_source;
  /* the header may have passed before the sink was linked to a tee */
  return first && !relayed && header->given != NULL && !is_written (header, buffer) ?
      header->given :
      NULL;
}

static gboolean
contains (const guint8 *all, gsize size, const guint8 *part, gsize length)
{
  for (gsize at = 0; at + length <= size; at++)
    if (memcmp (all + at, part, length) == 0)
      return TRUE;
  return FALSE;
}

/* Is the buffer a part of the header that receivers get in front of a key frame? */
static gboolean
is_part (const GstFaspHeader *header, GstBuffer *buffer)
{
  gsize size;
  gconstpointer all;
  GstMapInfo map;
  gboolean part;

  if (header->given == NULL || !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER)
      || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  all = g_bytes_get_data (header->given, &size);
  part = contains (all, size, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return part;
}

/* A key frame begins with the first buffer that is not a delta unit: headers, then the picture.
 * If these headers are the header of the whole stream, the key frame begins behind them, as a
 * receiver that joins there gets the stream's header first. */
void
gst_fasp_header_pass (GstFaspHeader *header)
{
  header->enters = TRUE;
}

FaspIoKey
gst_fasp_header_get_key (GstFaspHeader *header, GstBuffer *buffer, gboolean relayed)
{
  gboolean delta = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  gboolean begins = (header->delta && !delta) || header->enters;

  if (begins && !header->enters && !relayed && is_part (header, buffer))
    return FASP_IO_NO_KEY;
  header->delta = delta;
  header->enters = FALSE;
  if (begins)
    return FASP_IO_KEY_FRAME;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER))
    return FASP_IO_NO_KEY;
  header->has_deltas |= delta;
  return header->given != NULL && !relayed && !header->has_deltas ? FASP_IO_KEY_EACH :
                                                                    FASP_IO_NO_KEY;
}
