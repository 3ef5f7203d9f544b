/* GStreamer CBR pacer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the stream is made of, by its caps or by its bytes, and hence how it is cut into
 * datagrams.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcbrpacer.h"

/* As many bytes as tell that a buffer begins with packets. */
#define LOOK (3 * CBR_SYNC_SIZE_MAX + 1)

guint
gst_cbr_pacer_get_packets (GstEvent * event)
{
  GstStructure *s;
  GstCaps *caps;
  gint size;

  gst_event_parse_caps (event, &caps);
  s = gst_caps_get_structure (caps, 0);
  if (gst_structure_has_name (s, "video/mpegts")
      && gst_structure_get_int (s, "packetsize", &size) && size > 0
      && cbr_sync_is_size (size))
    return size;
  return 0;
}

void
gst_cbr_pacer_look_at_caps (GstCbrPacer * self, GstEvent * event)
{
  guint size = gst_cbr_pacer_get_packets (event);
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  self->ts_known = TRUE;
  self->is_ts = gst_structure_has_name (gst_caps_get_structure (caps, 0),
      "video/mpegts");
  self->ts_payload = CBR_TS_PACKETS * (size > 0 ? size : CBR_TS_PACKET);
}

void
gst_cbr_pacer_look_for_ts (GstCbrPacer * self, GstBuffer * buffer)
{
  gboolean is_first = !self->is_ts;
  guint8 bytes[LOOK];
  guint size;
  gsize n;

  if (self->ts_known)
    return;
  n = gst_buffer_extract (buffer, 0, bytes, sizeof bytes);
  size = cbr_sync_guess (bytes, n);
  self->is_ts = size > 0;
  self->ts_payload = CBR_TS_PACKETS * (size > 0 ? size : CBR_TS_PACKET);
  /* a single packet may be an accident: looks at the next buffer, too */
  self->ts_known = !(self->is_ts && n == size && is_first);
}

guint
gst_cbr_pacer_get_payload (GstCbrPacer * self)
{
  if (self->settings.payload_size > 0)
    return self->settings.payload_size;
  if (self->is_ts || self->settings.stuffing == GST_CBR_PACER_STUFFING_NULL_TS)
    return self->ts_payload;
  return 0;
}
