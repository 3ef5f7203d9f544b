/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A cycle: the datagrams that leave at once, cut from the queue and filled up with null
 * packets.
 */
#include "gstcbrpacer.h"

GST_DEBUG_CATEGORY (gst_cbr_pacer_debug);
#define GST_CAT_DEFAULT gst_cbr_pacer_debug

/* If skipped bytes exceed bytes in packets by this number, the stream is taken not to
 * be a transport stream. */
#define SKIP_MAX 65536

/* Appends null packets of @size bytes to @datagram (NULL: to a new one). */
static GstBuffer *
stuff (GstCbrPacer *self, GstBuffer *datagram, gsize size)
{
  if (self->nulls == NULL || gst_memory_get_sizes (self->nulls, NULL, NULL) < size) {
    GstMapInfo map;

    if (self->nulls != NULL)
      gst_memory_unref (self->nulls);
    self->nulls = gst_allocator_alloc (NULL, size, NULL);
    gst_memory_map (self->nulls, &map, GST_MAP_WRITE);
    cbr_ts_fill_null (map.data, size / TS_PACKET);
    gst_memory_unmap (self->nulls, &map);
    GST_MINI_OBJECT_FLAG_SET (self->nulls, GST_MEMORY_FLAG_READONLY);
  }
  if (datagram == NULL) {
    datagram = gst_buffer_new ();
    GST_BUFFER_FLAG_SET (datagram, GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DELTA_UNIT);
  } else {
    datagram = gst_buffer_make_writable (datagram);
  }
  gst_buffer_append_memory (datagram, gst_memory_share (self->nulls, 0, size));
  return datagram;
}

/* Null packets must go between packets: this drops bytes that are in no packet. Returns what may
 * leave next, as gst_cbr_pacer_look(). *wrong: there are no packets. */
static CbrPiece
skip_foreign (GstCbrPacer *self, guint n, gsize taken, gboolean *wrong)
{
  CbrPiece piece = gst_cbr_pacer_look (self, n, taken);

  while (piece.foreign && self->skipped < SKIP_MAX) {
    /* a DISCONT of the dropped bytes passes on to the data behind them */
    gsize dropped = cbr_queue_drop (&self->queue, (guint) piece.size);

    cbr_packets_took (&self->input.format.packets, &piece);
    cbr_stats_dropped (self->stats, dropped);
    self->skipped += dropped;
    GST_WARNING_OBJECT (self, "skipped %" G_GSIZE_FORMAT " bytes that are no packet", dropped);
    piece = gst_cbr_pacer_look (self, n, taken);
  }
  *wrong = self->skipped >= SKIP_MAX;
  return piece;
}

/* Returns what may leave next in this cycle. */
static CbrPiece
look (GstCbrPacer *self, guint n, gsize taken, guint payload, const CbrCycle *cycle,
    gboolean *wrong)
{
  if (gst_cbr_pacer_is_holding (self, payload, cycle->bytes))
    return (CbrPiece) { 0 };
  return gst_cbr_pacer_is_stuffed (self) ? skip_foreign (self, n, taken, wrong) :
                                           gst_cbr_pacer_look (self, n, taken);
}

/* Cuts the first @size bytes of @piece off the queue, for the datagram of which @taken bytes are
 * there. */
static GstBuffer *
cut (GstCbrPacer *self, const CbrPiece *piece, gsize size, guint payload, const CbrCycle *cycle,
    gsize taken)
{
  GstBuffer *buffer = cbr_queue_cut (&self->queue, size);

  cbr_packets_took (&self->input.format.packets, piece);
  self->skipped -= MIN (self->skipped, size);
  return gst_cbr_pacer_restamp (self, buffer, payload, cycle->bytes, taken);
}

/* Returns up to @n more datagrams of @payload bytes in one buffer. NULL: there is nothing
 * more to send in this cycle. *wrong: it is not a transport stream. */
static GstBuffer *
make_datagrams (GstCbrPacer *self, guint payload, guint n, CbrCycle *cycle, gboolean *wrong)
{
  GstMemory *pcr = gst_cbr_pacer_insert_pcr (self, payload, n, cycle->bytes);
  gsize taken = pcr != NULL ? TS_PACKET : 0;
  CbrPiece piece = look (self, n, taken, payload, cycle, wrong);
  gsize size = piece.size, rest = payload > 0 ? (taken + size) % payload : 0, fill = 0;
  GstBuffer *buffer = NULL;

  if (*wrong) {
    g_clear_pointer (&pcr, gst_memory_unref);
    return NULL;
  }
  self->begun |= size > 0;
  if (gst_cbr_pacer_is_stuffing (self)) {
    if (rest > 0 || (size == 0 && !cbr_queue_has_other (&self->queue)))
      fill = payload - rest;
  } else if (rest > 0 && !piece.whole) {
    if (size > rest)
      size -= rest;
    else if (self->departure.stage != CBR_SHORT)
      return NULL;
  }
  if (size == 0 && fill == 0)
    return NULL;
  if (size > 0)
    buffer = cut (self, &piece, size, payload, cycle, taken);
  if (fill > 0)
    buffer = stuff (self, buffer, fill);
  if (pcr != NULL)
    buffer = gst_cbr_pacer_prepend_pcr (buffer, pcr);
  fill += taken;
  n = payload > 0 ? (size + fill + payload - 1) / payload : 1;
  cycle->datagrams += n;
  cycle->payload += size;
  cycle->stuffed += fill;
  cycle->bytes += size + fill + n * self->settings.header_size;
  return buffer;
}

GstBufferList *
gst_cbr_pacer_make_cycle (GstCbrPacer *self, CbrCycle *cycle, gboolean *wrong)
{
  guint payload = gst_cbr_pacer_get_payload (self);
  guint64 burst = cbr_schedule_get_burst (&self->departure.schedule);
  guint room =
      payload > 0 ? cbr_schedule_get_datagrams (&self->departure.schedule, payload) : G_MAXUINT;
  GstBufferList *list = gst_buffer_list_new_sized (MIN (room, 64));
  guint most = 1;

  if (self->offload.payload > 0 && self->offload.payload == payload)
    most = MAX (MIN (CBR_OFFLOAD_DATAGRAMS, CBR_OFFLOAD_BYTES / payload), 1);
  /* an event that has come to the head leaves before the data behind it */
  while (cycle->datagrams < room && !*wrong
      && (cycle->datagrams == 0 || !cbr_queue_has_other (&self->queue))) {
    GstBuffer *buffer;
    gboolean whole;

    if (payload == 0 && cycle->datagrams > 0
        && cycle->bytes + cbr_queue_peek (&self->queue, 0, &whole) + self->settings.header_size
            > burst)
      break;
    buffer = make_datagrams (self, payload, MIN (most, room - cycle->datagrams), cycle, wrong);
    if (buffer == NULL)
      break;
    gst_buffer_list_add (list, buffer);
  }
  return list;
}
