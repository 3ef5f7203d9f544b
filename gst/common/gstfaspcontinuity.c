/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspcontinuity.h"
#include <string.h>

GstFaspContinuity *
gst_fasp_continuity_new (void)
{
  return g_new0 (GstFaspContinuity, 1);
}

void
gst_fasp_continuity_begin (GstFaspContinuity *self)
{
  self->synced = FALSE;
  self->phase = 0;
  self->header[0] = 0;
  memset (self->pids, 0, sizeof self->pids);
}

/* Looks at the packet whose header is complete. */
static void
take_packet (GstFaspContinuity *self)
{
  TsPacket packet;

  ts_packet_read (&packet, self->header, sizeof self->header);
  self->packets++;
  self->errors += ts_packet_check_counter (&packet, &self->pids[packet.pid]) == TS_ORDER_LOST;
}

/* Looks for a packet in data that begins where a sync byte should be.  Returns how many bytes
 * belong to none. */
static gsize
find_start (GstFaspContinuity *self, const guint8 *data, gsize size)
{
  const guint8 *found;
  gboolean waited = self->header[0] == TS_SYNC;

  if (data[0] == TS_SYNC) {
    /* the packet before it was the first one, and was waiting for this byte */
    if (!self->synced && waited)
      take_packet (self);
    self->synced = waited;
    return 0;
  }
  self->synced = FALSE;
  self->header[0] = 0;
  found = memchr (data, TS_SYNC, size);
  return found != NULL ? (gsize) (found - data) : size;
}

/* Takes bytes of a packet.  Returns how many. */
static gsize
take_bytes (GstFaspContinuity *self, const guint8 *data, gsize size)
{
  gboolean in_header = self->phase < GST_FASP_CONTINUITY_HEADER;
  gsize n = MIN (size, (in_header ? GST_FASP_CONTINUITY_HEADER : TS_PACKET) - self->phase);

  if (in_header)
    memcpy (self->header + self->phase, data, n);
  self->phase += n;
  if (in_header && self->phase == GST_FASP_CONTINUITY_HEADER && self->synced)
    take_packet (self);
  if (self->phase == TS_PACKET)
    self->phase = 0;
  return n;
}

void
gst_fasp_continuity_push (GstFaspContinuity *self, const guint8 *data, gsize size)
{
  while (size > 0) {
    gsize n = self->phase == 0 ? find_start (self, data, size) : 0;

    self->stray += n;
    n += n < size ? take_bytes (self, data + n, size - n) : 0;
    data += n;
    size -= n;
  }
}

void
gst_fasp_continuity_push_buffer (GstFaspContinuity *self, GstBuffer *buffer)
{
  GstMapInfo map;

  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      continue;
    gst_fasp_continuity_push (self, map.data, map.size);
    gst_memory_unmap (memory, &map);
  }
}

void
gst_fasp_continuity_add_figure (const GstFaspContinuity *self, GstStructure *stats)
{
  if (self->packets > 0)
    gst_structure_set (stats, "continuity-errors", G_TYPE_UINT64, self->errors, NULL);
}
