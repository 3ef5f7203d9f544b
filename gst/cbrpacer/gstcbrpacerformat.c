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

void
gst_cbr_pacer_look_at_caps (GstCbrPacer * self, GstEvent * event)
{
  GstStructure *s;
  GstCaps *caps;
  gint size;

  gst_event_parse_caps (event, &caps);
  s = gst_caps_get_structure (caps, 0);
  self->ts_known = TRUE;
  self->is_ts = gst_structure_has_name (s, "video/mpegts");
  /* 192: with a time code; 204, 208: with Reed-Solomon bytes; else standard packets */
  if (!gst_structure_get_int (s, "packetsize", &size)
      || (size != 192 && size != 204 && size != 208))
    size = CBR_TS_PACKET;
  self->ts_payload = CBR_TS_PACKETS * size;
}

void
gst_cbr_pacer_look_for_ts (GstCbrPacer * self, GstBuffer * buffer)
{
  guint8 bytes[CBR_TS_PACKET + 1];
  gboolean is_first = !self->is_ts;
  gsize n;

  if (self->ts_known)
    return;
  n = gst_buffer_extract (buffer, 0, bytes, sizeof bytes);
  self->is_ts = cbr_ts_is_sync (bytes, n);
  /* a single packet may be an accident: looks at the next buffer, too */
  self->ts_known = !(self->is_ts && n == CBR_TS_PACKET && is_first);
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
