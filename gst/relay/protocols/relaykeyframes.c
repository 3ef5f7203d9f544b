/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaykeyframes.h"
#include "tsitems.h"

#define ADAPTATION 0x20
#define RANDOM_ACCESS 0x40 /* in the adaptation field */

/* Sections begin with their table_id and 12 bits of length; their entries end before the CRC. */
#define SECTION_HEADER 3
#define PAT_ENTRY 4
#define PMT_CLOCK 8
#define PMT_INFO_LENGTH 10

/* Values of stream_type (2.4.4.9). */
#define MPEG1 0x01
#define MPEG2 0x02
#define MPEG4 0x10
#define H264 0x1b
#define JPEG2000 0x21
#define H265 0x24
#define JPEG_XS 0x32
#define H266 0x33

/* The part of a packet that is looked at. */
typedef struct
{
  const guint8 *data;
  gsize size;
} Span;

/* Returns the section that a payload begins with, as far as it is in there, without its CRC. Empty:
 * it is of another table. */
static Span
get_section (Span s, guint8 table)
{
  gsize at = s.size > 0 ? 1u + s.data[0] : 0; /* behind the pointer_field */
  gsize length;

  if (at + SECTION_HEADER > s.size || s.data[at] != table)
    return (Span) { s.data, 0 };
  length = SECTION_HEADER + (ts_get_16 (s.data + at + 1) & TS_LENGTH_MASK);
  length = length > TS_SECTION_CRC ? length - TS_SECTION_CRC : 0;
  return (Span) { s.data + at, MIN (length, s.size - at) };
}

/* Finds the first program; number 0 is the network's table. */
static void
read_pat (RelayKeyFrames *frames, Span s)
{
  for (gsize i = TS_LONG_HEADER; i + PAT_ENTRY <= s.size; i += PAT_ENTRY)
    if (ts_get_16 (s.data + i) != 0) {
      frames->map = ts_get_16 (s.data + i + 2) & TS_PID_MASK;
      return;
    }
}

static gboolean
is_video (guint8 codec)
{
  static const guint8 all[] = { MPEG1, MPEG2, MPEG4, H264, JPEG2000, H265, JPEG_XS, H266 };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (all[i] == codec)
      return TRUE;
  return FALSE;
}

static void
read_pmt (RelayKeyFrames *frames, Span s)
{
  gsize at;

  if (s.size < TS_PMT_HEADER)
    return;
  at = TS_PMT_HEADER + (ts_get_16 (s.data + PMT_INFO_LENGTH) & TS_LENGTH_MASK);
  frames->clock = ts_get_16 (s.data + PMT_CLOCK) & TS_PID_MASK;
  frames->video = 0;
  while (at + TS_ENTRY_HEADER <= s.size) {
    if (is_video (s.data[at])) {
      frames->codec = s.data[at];
      frames->video = ts_get_16 (s.data + at + 1) & TS_PID_MASK;
      return;
    }
    at += TS_ENTRY_HEADER + (ts_get_16 (s.data + at + 3) & TS_LENGTH_MASK);
  }
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
is_key_frame (const RelayKeyFrames *frames, const guint8 *packet, Span s)
{
  if ((packet[3] & ADAPTATION) != 0 && packet[4] > 0 && (packet[5] & RANDOM_ACCESS) != 0)
    return TRUE;
  for (gsize i = 0; i + 3 < s.size; i++)
    if (s.data[i] == 0 && s.data[i + 1] == 0 && s.data[i + 2] == 1
        && begins_key_frame (frames->codec, s.data[i + 3]))
      return TRUE;
  return FALSE;
}

RelayBegins
relay_key_frames_look (RelayKeyFrames *frames, const guint8 *data)
{
  TsPacket packet;
  Span payload, s;

  ts_packet_read (&packet, data, TS_PACKET);
  if (data[0] != TS_SYNC || !packet.start)
    return RELAY_BEGINS_NOTHING;
  payload = (Span) { data + packet.payload, TS_PACKET - packet.payload };
  if (packet.pid == 0) {
    s = get_section (payload, TS_TABLE_PAT);
    read_pat (frames, s);
    return s.size > 0 ? RELAY_BEGINS_PAT : RELAY_BEGINS_NOTHING;
  }
  if (packet.pid == frames->map) {
    s = get_section (payload, TS_TABLE_PMT);
    read_pmt (frames, s);
    return s.size > 0 ? RELAY_BEGINS_PMT : RELAY_BEGINS_NOTHING;
  }
  return packet.pid == frames->video && is_key_frame (frames, data, payload) ?
      RELAY_BEGINS_KEY_FRAME :
      RELAY_BEGINS_NOTHING;
}
