/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tspacket.h"

/* The adaptation_field_control: 1 is payload, 2 an adaptation field, 3 both, 0 reserved. */
#define FIELD 0x20
#define PAYLOAD 0x10

/* The state of a PID: the counter is in the lower bits. */
#define COUNTER 0x0f
#define KNOWN 0x10
#define TWICE 0x20    /* the last packet was the second with its counter */
#define RESERVED 0xff /* of a packet: its adaptation_field_control is */

void
ts_packet_read (TsPacket *packet, const guint8 *data, gsize size)
{
  guint field = data[3] & FIELD ? 1 + data[4] : 0;

  *packet = (TsPacket) {
    .pid = (data[1] & 0x1f) << 8 | data[2],
    .counter = data[3] & (FIELD | PAYLOAD) ? data[3] & COUNTER : RESERVED,
    .step = data[3] & PAYLOAD ? 1 : 0,
    .payload = data[3] & PAYLOAD ? MIN (4 + field, TS_PACKET) : TS_PACKET,
    .damaged = (data[1] & 0x80) != 0,
    .start = (data[1] & 0x40) != 0,
    .scrambled = (data[3] & 0xc0) != 0,
    .announced = field > 1 && (data[5] & 0x80) != 0,
    .has_pcr = field > 7 && size >= TS_HEADER && (data[5] & 0x10) != 0,
  };
  if (packet->has_pcr)
    packet->pcr = (((guint64) data[6] << 25) | (data[7] << 17) | (data[8] << 9) | (data[9] << 1)
                      | (data[10] >> 7))
            * 300
        + ((data[10] & 1) << 8 | data[11]);
}

void
ts_packet_write_pcr (guint8 *data, guint64 pcr)
{
  guint64 base = pcr / 300 % (G_GUINT64_CONSTANT (1) << 33);
  guint extension = pcr % 300;

  data[6] = base >> 25;
  data[7] = base >> 17;
  data[8] = base >> 9;
  data[9] = base >> 1;
  data[10] = (base & 1) << 7 | 0x7e | extension >> 8; /* six reserved bits are 1 */
  data[11] = extension & 0xff;
}

void
ts_packet_write_null (guint8 *data)
{
  memset (data, 0xff, TS_PACKET);
  data[0] = TS_SYNC;
  data[1] = TS_NULL_PID >> 8;
  data[2] = TS_NULL_PID & 0xff;
  data[3] = PAYLOAD;
}

void
ts_packet_announce (guint8 *data)
{
  data[5] |= 0x80;
}

void
ts_packet_strip (TsPacket *packet, guint8 *data)
{
  if (packet->step == 0)
    return;
  memset (data + packet->payload, 0xff, TS_PACKET - packet->payload);
  data[1] &= 0xbf;
  data[3] = (data[3] & 0x0f) | FIELD;
  data[4] = TS_PACKET - 5;
  packet->payload = TS_PACKET;
  packet->step = 0;
  packet->start = packet->scrambled = FALSE;
}

TsOrder
ts_packet_check_counter (const TsPacket *packet, guint8 *state)
{
  guint8 last = *state, counter = packet->counter;
  gboolean follows = counter == ((last + packet->step) & COUNTER);

  if (packet->pid == TS_NULL_PID || packet->damaged || counter == RESERVED)
    return TS_ORDER_NEXT;
  *state = counter | KNOWN;
  if ((last & KNOWN) == 0)
    return TS_ORDER_NEXT;
  if (packet->announced)
    return follows ? TS_ORDER_NEXT : TS_ORDER_JUMP;
  if (counter != (last & COUNTER))
    return follows ? TS_ORDER_NEXT : TS_ORDER_LOST;
  if (packet->step == 0) {
    *state = last;
    return TS_ORDER_NEXT;
  }
  *state |= TWICE;
  return last & TWICE ? TS_ORDER_LOST : TS_ORDER_AGAIN;
}

gint64
ts_pcr_get_step (guint64 from, guint64 to)
{
  return (gint64) ((to % TS_PCR_WRAP + TS_PCR_WRAP - from % TS_PCR_WRAP) % TS_PCR_WRAP);
}
