/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaykeyframes.h"

#define SYNC 0x47
#define PID_MASK 0x1fff
#define START 0x40 /* payload_unit_start_indicator, in the second byte */
#define ADAPTATION 0x20
#define PAYLOAD 0x10
#define RANDOM_ACCESS 0x40 /* in the adaptation field */

/* Sections begin with their table_id and 12 bits of length; their entries end before the CRC. */
#define TABLE_PAT 0
#define TABLE_PMT 2
#define SECTION_HEADER 3
#define PAT_ENTRIES 8
#define PAT_ENTRY 4
#define PMT_CLOCK 8
#define PMT_INFO_LENGTH 10
#define PMT_ENTRIES 12
#define PMT_ENTRY 5
#define CRC 4
#define LENGTH_MASK 0x0fff

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

/* At any address, which GStreamer's macro does not read without undefined behaviour. */
static guint16
read_16 (const guint8 *at)
{
  return at[0] << 8 | at[1];
}

static Span
get_payload (const guint8 *packet)
{
  gsize at = 4 + ((packet[3] & ADAPTATION) != 0 ? 1u + packet[4] : 0u);

  return (packet[3] & PAYLOAD) != 0 && at < RELAY_TS_PACKET ?
      (Span) { packet + at, RELAY_TS_PACKET - at } :
      (Span) { packet, 0 };
}

/* Returns the section that begins in a packet, as far as it is in there, without its CRC. Empty:
 * none of this table does. */
static Span
get_section (const guint8 *packet, guint8 table)
{
  Span s = get_payload (packet);
  gsize at = s.size > 0 ? 1u + s.data[0] : 0; /* behind the pointer_field */
  gsize length;

  if ((packet[1] & START) == 0 || at + SECTION_HEADER > s.size || s.data[at] != table)
    return (Span) { packet, 0 };
  length = SECTION_HEADER + (read_16 (s.data + at + 1) & LENGTH_MASK);
  length = length > CRC ? length - CRC : 0;
  return (Span) { s.data + at, MIN (length, s.size - at) };
}

/* Finds the first program; number 0 is the network's table. */
static void
read_pat (RelayKeyFrames *frames, Span s)
{
  for (gsize i = PAT_ENTRIES; i + PAT_ENTRY <= s.size; i += PAT_ENTRY)
    if (read_16 (s.data + i) != 0) {
      frames->map = read_16 (s.data + i + 2) & PID_MASK;
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

  if (s.size < PMT_ENTRIES)
    return;
  at = PMT_ENTRIES + (read_16 (s.data + PMT_INFO_LENGTH) & LENGTH_MASK);
  frames->clock = read_16 (s.data + PMT_CLOCK) & PID_MASK;
  frames->video = 0;
  while (at + PMT_ENTRY <= s.size) {
    if (is_video (s.data[at])) {
      frames->codec = s.data[at];
      frames->video = read_16 (s.data + at + 1) & PID_MASK;
      return;
    }
    at += PMT_ENTRY + (read_16 (s.data + at + 3) & LENGTH_MASK);
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
is_key_frame (const RelayKeyFrames *frames, const guint8 *packet)
{
  Span s = get_payload (packet);

  if ((packet[3] & ADAPTATION) != 0 && packet[4] > 0 && (packet[5] & RANDOM_ACCESS) != 0)
    return TRUE;
  for (gsize i = 0; i + 3 < s.size; i++)
    if (s.data[i] == 0 && s.data[i + 1] == 0 && s.data[i + 2] == 1
        && begins_key_frame (frames->codec, s.data[i + 3]))
      return TRUE;
  return FALSE;
}

RelayBegins
relay_key_frames_look (RelayKeyFrames *frames, const guint8 *packet)
{
  guint16 pid = read_16 (packet + 1) & PID_MASK;
  Span s;

  if (packet[0] != SYNC || (packet[1] & START) == 0)
    return RELAY_BEGINS_NOTHING;
  if (pid == 0) {
    s = get_section (packet, TABLE_PAT);
    read_pat (frames, s);
    return s.size > 0 ? RELAY_BEGINS_PAT : RELAY_BEGINS_NOTHING;
  }
  if (pid == frames->map) {
    s = get_section (packet, TABLE_PMT);
    read_pmt (frames, s);
    return s.size > 0 ? RELAY_BEGINS_PMT : RELAY_BEGINS_NOTHING;
  }
  return pid == frames->video && is_key_frame (frames, packet) ? RELAY_BEGINS_KEY_FRAME :
                                                                 RELAY_BEGINS_NOTHING;
}
