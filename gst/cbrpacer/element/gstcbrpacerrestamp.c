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
  return self->settings.restamp && self->settings.stuffing == GST_CBR_PACER_STUFFING_NULL_TS;
}

void
gst_cbr_pacer_break_clocks (GstCbrPacer *self)
{
  if (self->restamp != NULL)
    cbr_restamp_break (self->restamp);
}

/* When byte @at of a datagram leaves. */
static gint64
get_time (GstCbrPacer *self, guint payload, guint64 before, gsize at)
{
  const CbrSchedule *schedule = &self->departure.schedule;
  guint64 headers = at * self->settings.header_size;

  return cbr_schedule_get_due (schedule) + fasp_rate_clock_span (schedule->base.rate, before + at)
      + fasp_rate_clock_span (schedule->base.rate, headers) / payload;
}

GstMemory *
gst_cbr_pacer_insert_pcr (GstCbrPacer *self, guint payload, guint64 before)
{
  guint8 packet[TS_PACKET];

  /* an event at the head of the queue leaves before more packets do */
  if (self->restamp == NULL || !gst_cbr_pacer_is_restamping (self)
      || !gst_cbr_pacer_is_stuffing (self) || payload <= TS_PACKET
      || cbr_queue_has_other (&self->queue)
      || !cbr_restamp_insert (self->restamp, get_time (self, payload, before, 0),
          get_time (self, payload, before, payload), packet))
    return NULL;
  return gst_memory_new_wrapped (0, g_memdup2 (packet, sizeof packet), sizeof packet, 0,
      sizeof packet, NULL, NULL);
}

/* Writes the first bytes of a packet at byte @at of @data, which may share its memory. */
static GstBuffer *
write_header (GstBuffer *data, gboolean *copied, gsize at, const guint8 *header)
{
  if (!*copied) {
    GstBuffer *copy = gst_buffer_copy_deep (data);

    gst_buffer_unref (data);
    data = copy;
    *copied = TRUE;
  }
  gst_buffer_fill (data, at, header, TS_HEADER);
  return data;
}

GstBuffer *
gst_cbr_pacer_restamp (GstCbrPacer *self, GstBuffer *data, guint payload, guint64 before,
    gsize from)
{
  gint64 delay = (gint64) gst_cbr_pacer_get_max_delay (self);
  gsize size = gst_buffer_get_size (data);
  gboolean copied = FALSE;

  if (!gst_cbr_pacer_is_restamping (self))
    return data;
  if (self->restamp == NULL)
    self->restamp = cbr_restamp_new ();
  for (gsize at = 0; at + TS_PACKET <= size; at += TS_PACKET) {
    guint8 header[TS_HEADER];
    gboolean announced;
    TsPacket packet;
    guint64 pcr;

    gst_buffer_extract (data, at, header, sizeof header);
    ts_packet_read (&packet, header, sizeof header);
    if (!cbr_restamp_take (self->restamp, &packet, get_time (self, payload, before, from + at),
            delay, &pcr, &announced))
      continue;
    ts_packet_write_pcr (header, pcr);
    if (announced)
      ts_packet_announce (header);
    data = write_header (data, &copied, at, header);
  }
  return data;
}
