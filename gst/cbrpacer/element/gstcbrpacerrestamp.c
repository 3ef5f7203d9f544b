/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The PCRs of what leaves: each gets the time of its packet's place in the cycle.
 *
 * The time of a cycle is when it is due, not when the thread woke up. Behind the first datagram of
 * a cycle, each byte takes its time at the rate, headers included; in a datagram the headers are
 * spread evenly, as a receiver that forwards the packets at a constant rate has it.
 */
#include "gstcbrpacer.h"

gboolean
gst_cbr_pacer_is_restamping (GstCbrPacer *self)
{
  return self->settings.restamp && gst_cbr_pacer_is_stuffed (self);
}

void
gst_cbr_pacer_break_clocks (GstCbrPacer *self)
{
  if (self->restamp != NULL)
    cbr_restamp_break (self->restamp);
}

/* When byte @at of the datagrams of @payload bytes leaves that follow @before bytes on the wire. */
static gint64
get_time (GstCbrPacer *self, guint payload, guint64 before, gsize at)
{
  const CbrSchedule *schedule = &self->departure.schedule;
  guint64 header = self->settings.header_size, bytes = before + at + at / payload * header;

  return cbr_schedule_get_due (schedule) + fasp_rate_clock_span (schedule->base.rate, bytes)
      + fasp_rate_clock_span (schedule->base.rate, at % payload * header) / payload;
}

/* ns of the PCRs' delay that are left to the time of a cycle, and to PCRs that are put in. */
#define HOLD_LESS (10 * GST_MSECOND)

static CbrRestamp *
get_restamp (GstCbrPacer *self)
{
  if (self->restamp == NULL)
    self->restamp = cbr_restamp_new ();
  return self->restamp;
}

void
gst_cbr_pacer_note_burst (GstCbrPacer *self, gint64 now, gsize size)
{
  if (!gst_cbr_pacer_is_restamping (self))
    return;
  cbr_restamp_came (get_restamp (self), now,
      fasp_rate_clock_span (gst_cbr_pacer_get_rate (self),
          gst_cbr_pacer_get_wire_bytes (self, size, 1)));
}

gboolean
gst_cbr_pacer_is_holding (GstCbrPacer *self, guint payload, guint64 before)
{
  gint64 hold;

  /* where the rate is learned, half of the window is held (gst_cbr_pacer_choose_entry) */
  if (self->restamp == NULL || self->settings.bitrate == 0 || self->queue.buffers == 0
      || !gst_cbr_pacer_is_restamping (self) || !gst_cbr_pacer_is_stuffing (self)
      || cbr_queue_has_other (&self->queue))
    return FALSE;
  hold = cbr_restamp_get_hold (self->restamp, (gint64) self->settings.max_delay)
      - (gint64) HOLD_LESS
      - 2 * fasp_rate_clock_span (self->settings.bitrate, payload + self->settings.header_size);
  return get_time (self, payload, before, 0) < cbr_queue_get_mark (&self->queue).entered + hold;
}

GstMemory *
gst_cbr_pacer_insert_pcr (GstCbrPacer *self, guint payload, guint n, guint64 before)
{
  guint8 *packet;

  /* an event at the head of the queue leaves before more packets do */
  if (self->restamp == NULL || !gst_cbr_pacer_is_restamping (self)
      || !gst_cbr_pacer_is_stuffing (self) || payload <= TS_PACKET
      || cbr_queue_has_other (&self->queue))
    return NULL;
  packet = g_malloc (TS_PACKET);
  if (!cbr_restamp_insert (self->restamp, get_time (self, payload, before, 0),
          get_time (self, payload, before, (gsize) n * payload), packet)) {
    g_free (packet);
    return NULL;
  }
  return gst_memory_new_wrapped (0, packet, TS_PACKET, 0, TS_PACKET, packet, g_free);
}

GstBuffer *
gst_cbr_pacer_prepend_pcr (GstBuffer *datagram, GstMemory *pcr)
{
  datagram = gst_buffer_make_writable (datagram);
  gst_buffer_prepend_memory (datagram, pcr);
  GST_BUFFER_FLAG_UNSET (datagram, CBR_QUEUE_IGNORABLE);
  return datagram;
}

/* Writes the first bytes of a packet at byte @at of *data, which may share its memory: the first
 * time, a copy takes its place.  Without memory for that, the packet stays as it is. */
static void
write_header (GstBuffer **data, gboolean *copied, gsize at, const guint8 *header)
{
  GstBuffer *copy = *copied ? NULL : gst_buffer_copy_deep (*data);

  if (copy != NULL) {
    gst_buffer_unref (*data);
    *data = copy;
    *copied = TRUE;
  }
  if (*copied)
    gst_buffer_fill (*data, at, header, TS_HEADER);
}

/* A packet leaves whose first bytes are @header.  TRUE: they have changed. */
static gboolean
restamp (GstCbrPacer *self, guint8 *header, gint64 now, gint64 waited, const TsPacket *packet)
{
  gboolean announced;
  guint64 pcr;

  if (!cbr_restamp_take (get_restamp (self), packet, now, waited, &pcr, &announced))
    return FALSE;
  ts_packet_write_pcr (header, pcr);
  if (announced)
    ts_packet_announce (header);
  return TRUE;
}

GstBuffer *
gst_cbr_pacer_restamp (GstCbrPacer *self, GstBuffer *data, guint payload, guint64 before,
    gsize from)
{
  gsize size = gst_buffer_get_size (data);
  gboolean copied = FALSE;

  if (!gst_cbr_pacer_is_restamping (self))
    return data;
  for (gsize at = 0; at + TS_PACKET <= size; at += TS_PACKET) {
    guint8 header[TS_HEADER];
    gint64 now = 0, waited = 0;
    TsPacket packet;

    if (gst_buffer_extract (data, at, header, sizeof header) < sizeof header)
      continue; /* it cannot be read */
    ts_packet_read (&packet, header, sizeof header);
    if (packet.has_pcr) {
      now = get_time (self, payload, before, from + at);
      waited = now - cbr_queue_get_entry (&self->queue, at);
    }
    if (restamp (self, header, now, waited, &packet))
      write_header (&data, &copied, at, header);
  }
  return data;
}
