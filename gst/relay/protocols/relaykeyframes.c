/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaykeyframes.h"
#include "tsitems.h"

#define ADAPTATION 0x20
#define RANDOM_ACCESS 0x40 /* in the adaptation field */

/* Values of stream_type (2.4.4.9). */
#define MPEG1 0x01
#define MPEG2 0x02
#define H264 0x1b
#define H265 0x24

/* Takes a packet of tables.  TRUE: the first section of this one is whole, and in force. */
static gboolean
take_table (TsSection *section, guint8 table, const TsPacket *packet, const guint8 *data)
{
  gsize done = 0;

  while (ts_section_take (section, packet, data, &done))
    if (section->data[0] == table && ts_section_is_good (section) && section->data[6] == 0)
      return TRUE;
  return FALSE;
}

/* Finds the first programme; number 0 is the network's table. */
static void
read_pat (RelayKeyFrames *frames)
{
  TsItems left = ts_items_of (frames->pat.data, frames->pat.size, TS_LONG_HEADER);
  TsPatEntry entry;

  while (ts_items_take_programme (&left, &entry))
    if (entry.number != 0) {
      if (frames->map != entry.pmt_pid)
        frames->pmt_order = 0;
      frames->map = entry.pmt_pid;
      return;
    }
}

static void
read_pmt (RelayKeyFrames *frames)
{
  const guint8 *data = frames->pmt.data, *item;
  TsItems left = ts_items_of (data, frames->pmt.size, ts_pmt_get_streams (data));
  TsItems unused;

  frames->clock = ts_pmt_get_pcr_pid (data);
  frames->video = 0;
  while (frames->video == 0 && (item = ts_items_take (&left, TS_ENTRY_HEADER, &unused)) != NULL)
    if (ts_is_video (item[0])) {
      frames->codec = item[0];
      frames->video = ts_get_16 (item + 1) & TS_PID_MASK;
    }
}

/* Takes a packet of the PAT.  If a PAT begins in it, what has come of a PMT is dropped: a reader
 * that begins with this PAT would lack the beginning of that PMT. */
static RelayBegins
take_pat (RelayKeyFrames *frames, const TsPacket *packet, const guint8 *data)
{
  gsize first =
      packet->payload < TS_PACKET ? packet->payload + 1u + data[packet->payload] : TS_PACKET;
  gboolean begins = packet->start && first < TS_PACKET && data[first] == TS_TABLE_PAT;

  if (begins)
    ts_section_drop (&frames->pmt);
  if (take_table (&frames->pat, TS_TABLE_PAT, packet, data))
    read_pat (frames);
  return begins ? RELAY_BEGINS_PAT : RELAY_BEGINS_NOTHING;
}

static RelayBegins
take_pmt (RelayKeyFrames *frames, const TsPacket *packet, const guint8 *data)
{
  if (!take_table (&frames->pmt, TS_TABLE_PMT, packet, data)
      || frames->pmt.size < TS_PMT_HEADER + TS_SECTION_CRC)
    return RELAY_BEGINS_NOTHING;
  read_pmt (frames);
  return RELAY_BEGINS_PMT;
}

/* Is the unit behind a start code one that only key frames begin with? @unit: its first byte, whose
 * first bit is 0 in H.264 and H.265 (forbidden_zero_bit), and 1 if it is a stream_id of video. */
static gboolean
begins_key_frame (guint8 codec, guint8 unit)
{
  guint type = codec == H264 ? unit & 0x9f : unit >> 1;

  switch (codec) {
    case MPEG1:
    case MPEG2:
      return unit == 0xb3; /* sequence_header_code */
    case H264:
      return type == 5 || type == 7; /* an IDR picture, a sequence parameter set */
    case H265:
      return (type >= 16 && type <= 21) || type == 32 || type == 33; /* IRAP, VPS, SPS */
    default:
      return FALSE;
  }
}

static gboolean
is_key_frame (const RelayKeyFrames *frames, const TsPacket *packet, const guint8 *data)
{
  if ((data[3] & ADAPTATION) != 0 && data[4] > 0 && (data[5] & RANDOM_ACCESS) != 0)
    return TRUE;
  for (guint i = packet->payload; !packet->scrambled && i + 3 < TS_PACKET; i++)
    if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1
        && begins_key_frame (frames->codec, data[i + 3]))
      return TRUE;
  return FALSE;
}

RelayBegins
relay_key_frames_look (RelayKeyFrames *frames, const guint8 *data)
{
  TsPacket packet;
  guint8 *order;

  ts_packet_read (&packet, data, TS_PACKET);
  if (data[0] != TS_SYNC)
    return RELAY_BEGINS_NOTHING;
  order = packet.pid == TS_PID_PAT ? &frames->pat_order :
      packet.pid == frames->map    ? &frames->pmt_order :
                                     NULL;
  if (order != NULL && ts_packet_check_counter (&packet, order) == TS_ORDER_AGAIN)
    return RELAY_BEGINS_NOTHING;
  if (packet.pid == TS_PID_PAT)
    return take_pat (frames, &packet, data);
  if (packet.pid == frames->map)
    return take_pmt (frames, &packet, data);
  return packet.pid == frames->video && packet.start && is_key_frame (frames, &packet, data) ?
      RELAY_BEGINS_KEY_FRAME :
      RELAY_BEGINS_NOTHING;
}
