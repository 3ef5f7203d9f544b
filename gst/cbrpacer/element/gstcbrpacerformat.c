/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the stream is cut into datagrams, by its format and by the settings.
 */
#include "gstcbrpacer.h"

gboolean
gst_cbr_pacer_is_stuffed (GstCbrPacer *self)
{
  return self->settings.stuffing == GST_CBR_PACER_STUFFING_NULL_TS;
}

gboolean
gst_cbr_pacer_is_stuffing (GstCbrPacer *self)
{
  return gst_cbr_pacer_is_stuffed (self) && self->begun && self->playing
      && self->demand == CBR_WANTED;
}

guint
gst_cbr_pacer_get_payload (GstCbrPacer *self)
{
  guint payload = self->settings.payload_size, packet = self->input.format.packets.size;

  if (!self->input.format.is_ts && !gst_cbr_pacer_is_stuffed (self))
    return payload;
  if (payload == 0)
    return CBR_TS_PACKETS * packet;
  /* as many whole packets as fit, if any does; with null packets nothing but whole ones will do */
  return payload < packet || gst_cbr_pacer_is_stuffed (self) ? payload : payload - payload % packet;
}

/* Is the stream cut between packets? */
static gboolean
has_packets (GstCbrPacer *self)
{
  return (self->input.format.is_ts || gst_cbr_pacer_is_stuffed (self))
      && gst_cbr_pacer_get_payload (self) % self->input.format.packets.size == 0;
}

CbrPiece
gst_cbr_pacer_look (GstCbrPacer *self, guint n, gsize taken)
{
  gsize most = (gsize) gst_cbr_pacer_get_payload (self) * n - taken;
  CbrPiece piece = { 0 };

  if (has_packets (self))
    piece = cbr_packets_look (&self->input.format.packets, &self->queue, most,
        self->departure.stage == CBR_SHORT && !gst_cbr_pacer_is_stuffed (self));
  else
    piece.size = cbr_queue_peek (&self->queue, (guint) most, &piece.whole);
  /* while the rest of a packet has not come, null packets leave: the wait for it never ends */
  piece.doubt &= !gst_cbr_pacer_is_stuffed (self);
  return piece;
}

gsize
gst_cbr_pacer_drop (GstCbrPacer *self)
{
  CbrPiece piece = gst_cbr_pacer_look (self, 1, 0);

  /* if no piece may leave, a packet is cut: its remaining bytes are in no packet */
  piece.foreign |= piece.size == 0;
  cbr_packets_took (&self->input.format.packets, &piece);
  return cbr_queue_drop (&self->queue,
      piece.size > 0 ? (guint) piece.size : gst_cbr_pacer_get_payload (self));
}

gboolean
gst_cbr_pacer_check_stuffing (GstCbrPacer *self)
{
  guint payload = gst_cbr_pacer_get_payload (self);
  guint packet = self->input.format.packets.size;
  gboolean own;

  if (!gst_cbr_pacer_is_stuffed (self) || (payload % TS_PACKET == 0 && packet == TS_PACKET))
    return TRUE;
  own = packet == TS_PACKET;
  g_mutex_unlock (&self->lock);
  if (own)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        ("stuffing=null-ts needs datagrams of whole MPEG-TS packets, not of %u "
         "bytes. Set payload-size to a multiple of %d, or to 0.",
            payload, TS_PACKET),
        (NULL));
  else
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        ("stuffing=null-ts needs MPEG-TS packets of %d bytes, and these have %u, "
         "as from a muxer with m2ts-mode. Leave out m2ts-mode, or set "
         "stuffing=none.",
            TS_PACKET, packet),
        (NULL));
  g_mutex_lock (&self->lock);
  return FALSE;
}
