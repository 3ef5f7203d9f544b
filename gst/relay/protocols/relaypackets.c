/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrpackets.h"
#include "relaypackets.h"

/* How many packets of 188 bytes fit into an Ethernet frame behind IP, UDP and RTP. */
#define PACKETS 7
#define PACKET_SIZE 188

struct _RelayPackets
{
  CbrQueue queue;
  CbrPackets packets;
  guint64 stray; /* bytes that belonged to no packet */
};

RelayPackets *
relay_packets_new (void)
{
  RelayPackets *p = g_new0 (RelayPackets, 1);

  cbr_queue_init (&p->queue);
  p->packets = (CbrPackets) { .size = PACKET_SIZE, .sure = TRUE };
  return p;
}

void
relay_packets_free (RelayPackets *p)
{
  cbr_queue_finalize (&p->queue);
  g_free (p);
}

void
relay_packets_push (RelayPackets *p, GstBuffer *buffer, GstClockTime now)
{
  cbr_queue_push_buffer (&p->queue, buffer, (CbrMark) { 0, (gint64) now });
}

gboolean
relay_packets_wait (RelayPackets *p)
{
  return !cbr_queue_is_empty (&p->queue);
}

GstClockTime
relay_packets_get_since (RelayPackets *p)
{
  return (GstClockTime) cbr_queue_get_mark (&p->queue).entered;
}

GstBuffer *
relay_packets_pop (RelayPackets *p, gboolean last)
{
  while (!cbr_queue_is_empty (&p->queue)) {
    CbrPiece piece = cbr_packets_look (&p->packets, &p->queue, PACKETS * PACKET_SIZE, last);
    GstBuffer *buffer;

    if (piece.size == 0 || (!piece.foreign && !piece.whole && !last))
      return NULL;
    buffer = cbr_queue_cut (&p->queue, piece.size);
    cbr_packets_took (&p->packets, &piece);
    if (!piece.foreign)
      return buffer;
    p->stray += piece.size;
    gst_buffer_unref (buffer);
  }
  return NULL;
}

GstBuffer *
relay_packets_wrap (GByteArray *bytes)
{
  gsize size = bytes->len;

  return gst_buffer_new_wrapped (g_byte_array_free (bytes, FALSE), size);
}

guint64
relay_packets_get_stray (const RelayPackets *p)
{
  return p->stray;
}
