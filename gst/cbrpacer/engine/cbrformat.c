/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrformat.h"
#include "cbrts.h"

void
cbr_format_init (CbrFormat *format)
{
  *format = (CbrFormat) { .packets.size = TS_PACKET };
}

static const GstStructure *
get_structure (GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  return gst_caps_get_structure (caps, 0);
}

guint
cbr_format_get_size (GstEvent *event)
{
  const GstStructure *s = get_structure (event);
  gint size;

  if (gst_structure_has_name (s, "video/mpegts") && gst_structure_get_int (s, "packetsize", &size)
      && size > 0 && ts_sync_is_size (size))
    return size;
  return 0;
}

void
cbr_format_take_caps (CbrFormat *format, GstEvent *event)
{
  guint size = cbr_format_get_size (event);
  gboolean was_ts = format->known && format->is_ts;

  format->is_ts = format->by_caps = gst_structure_has_name (get_structure (event), "video/mpegts");
  /* if the caps do not say the packet size, it is found from the bytes, or stays as it was found
   * before */
  format->known = !format->is_ts || size > 0 || was_ts;
  format->n = 0;
  if (size > 0 || !was_ts)
    format->packets.size = size > 0 ? size : TS_PACKET;
  format->packets.sure = format->is_ts;
}

void
cbr_format_take_buffer (CbrFormat *format, GstBuffer *buffer)
{
  guint size, n;

  if (format->known)
    return;
  if (GST_BUFFER_IS_DISCONT (buffer))
    format->n = 0;
  format->n += (guint) gst_buffer_extract (buffer, 0, format->bytes + format->n,
      sizeof format->bytes - format->n);
  size = ts_sync_fit (format->bytes, format->n, &n);
  if (size == 0 && format->n <= ts_sync_get_front (192))
    return; /* a sync byte may still come */
  format->is_ts = size > 0 || format->by_caps;
  format->packets.size = size > 0 ? size : TS_PACKET;
  format->packets.sure = n > 1 || format->by_caps;
  /* a single sync byte may be an accident: looks at the next buffer, too */
  format->known = size == 0 || n > 1;
}
