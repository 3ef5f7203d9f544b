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

guint
gst_cbr_pacer_get_packets (GstEvent *event)
{
  GstStructure *s;
  GstCaps *caps;
  gint size;

  gst_event_parse_caps (event, &caps);
  s = gst_caps_get_structure (caps, 0);
  if (gst_structure_has_name (s, "video/mpegts") && gst_structure_get_int (s, "packetsize", &size)
      && size > 0 && cbr_sync_is_size (size))
    return size;
  return 0;
}

void
gst_cbr_pacer_look_at_caps (GstCbrPacer *self, GstEvent *event)
{
  guint size = gst_cbr_pacer_get_packets (event);
  CbrFormat *format = &self->input.format;
  gboolean was_ts = format->known && format->is_ts;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  format->is_ts = format->by_caps =
      gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/mpegts");
  /* caps without a size leave that to the bytes, or as the bytes have told before */
  format->known = !format->is_ts || size > 0 || was_ts;
  format->n = 0;
  if (size > 0 || !was_ts)
    self->input.packets.size = size > 0 ? size : CBR_TS_PACKET;
  self->input.packets.sure = format->is_ts;
}

void
gst_cbr_pacer_look_for_ts (GstCbrPacer *self, GstBuffer *buffer)
{
  CbrFormat *format = &self->input.format;
  guint size, n;

  if (format->known)
    return;
  if (GST_BUFFER_IS_DISCONT (buffer))
    format->n = 0;
  format->n += (guint) gst_buffer_extract (buffer, 0, format->bytes + format->n,
      sizeof format->bytes - format->n);
  size = cbr_sync_fit (format->bytes, format->n, &n);
  if (size == 0 && format->n <= cbr_sync_get_front (192))
    return; /* a sync byte may still come */
  format->is_ts = size > 0 || format->by_caps;
  self->input.packets.size = size > 0 ? size : CBR_TS_PACKET;
  self->input.packets.sure = n > 1 || format->by_caps;
  /* a single sync byte may be an accident: looks at the next buffer, too */
  format->known = size == 0 || n > 1;
}

static gboolean
is_stuffed (GstCbrPacer *self)
{
  return self->settings.stuffing == GST_CBR_PACER_STUFFING_NULL_TS;
}

guint
gst_cbr_pacer_get_payload (GstCbrPacer *self)
{
  guint payload = self->settings.payload_size, packet = self->input.packets.size;

  if (!self->input.format.is_ts && !is_stuffed (self))
    return payload;
  if (payload == 0)
    return CBR_TS_PACKETS * packet;
  /* as many whole packets as fit, if any does; with null packets nothing but whole ones will do */
  return payload < packet || is_stuffed (self) ? payload : payload - payload % packet;
}

/* Is the stream cut between packets? */
static gboolean
has_packets (GstCbrPacer *self)
{
  return (self->input.format.is_ts || is_stuffed (self))
      && gst_cbr_pacer_get_payload (self) % self->input.packets.size == 0;
}

CbrPiece
gst_cbr_pacer_look (GstCbrPacer *self, guint n)
{
  gsize most = (gsize) gst_cbr_pacer_get_payload (self) * n;
  CbrPiece piece = { 0 };

  if (has_packets (self))
    piece = cbr_packets_look (&self->input.packets, &self->queue, most,
        self->departure.stage == CBR_SHORT && !is_stuffed (self));
  else
    piece.size = cbr_queue_peek (&self->queue, (guint) most, &piece.whole);
  /* null packets leave while the rest of a packet has not come: no wait ends that */
  piece.doubt &= !is_stuffed (self);
  return piece;
}

gsize
gst_cbr_pacer_drop (GstCbrPacer *self)
{
  CbrPiece piece = gst_cbr_pacer_look (self, 1);

  /* what is left of a packet is none */
  piece.foreign |= piece.size == 0;
  cbr_packets_took (&self->input.packets, &piece);
  return cbr_queue_drop (&self->queue,
      piece.size > 0 ? (guint) piece.size : gst_cbr_pacer_get_payload (self));
}

gboolean
gst_cbr_pacer_check_stuffing (GstCbrPacer *self)
{
  guint payload = gst_cbr_pacer_get_payload (self);
  guint packet = self->input.packets.size;
  gboolean own;

  if (!is_stuffed (self) || (payload % CBR_TS_PACKET == 0 && packet == CBR_TS_PACKET))
    return TRUE;
  own = packet == CBR_TS_PACKET;
  g_mutex_unlock (&self->lock);
  if (own)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        ("stuffing=null-ts needs datagrams of whole MPEG-TS packets, not of %u "
         "bytes. Set payload-size to a multiple of %d, or to 0.",
            payload, CBR_TS_PACKET),
        (NULL));
  else
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        ("stuffing=null-ts needs MPEG-TS packets of %d bytes, and these have %u, "
         "as from a muxer with m2ts-mode. Leave out m2ts-mode, or set "
         "stuffing=none.",
            CBR_TS_PACKET, packet),
        (NULL));
  g_mutex_lock (&self->lock);
  return FALSE;
}
