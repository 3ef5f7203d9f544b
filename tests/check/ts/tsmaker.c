/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tsmaker.h"

enum
{
  PAT,
  PMT,
  SDT,
  PCR,
  VIDEO,
  AUDIO,
  PICTURE,
  SOUND
};

/* ns between two of each */
static const gint64 intervals[] = { 100 * TS_MSECOND, 100 * TS_MSECOND, TS_SECOND, 30 * TS_MSECOND,
  TS_MSECOND, 8 * TS_MSECOND, 40 * TS_MSECOND, 24 * TS_MSECOND };

void
maker_init (Maker *maker, TsMonitor *monitor)
{
  *maker = (Maker) { .monitor = monitor, .size = TS_PACKET, .now = TS_SECOND, .begin = TS_SECOND };
}

void
maker_push (Maker *maker, const guint8 *packet)
{
  guint8 whole[TS_SYNC_SIZE_MAX];
  guint piece = maker->piece > 0 ? maker->piece : maker->size;

  memset (whole, 0xee, sizeof whole);
  memcpy (whole + ts_sync_get_front (maker->size), packet, TS_PACKET);
  if (maker->bytes != NULL)
    g_byte_array_append (maker->bytes, whole, maker->size);
  for (guint at = 0; maker->monitor != NULL && at < maker->size; at += piece)
    ts_monitor_push (maker->monitor, whole + at, MIN (piece, maker->size - at), maker->now);
}

static void
put_header (guint8 *packet, guint pid, gboolean start)
{
  memset (packet, 0xff, TS_PACKET);
  packet[0] = TS_SYNC;
  packet[1] = (start ? 0x40 : 0) | pid >> 8;
  packet[2] = pid;
  packet[3] = 0x10;
}

void
maker_put_section (guint8 *packet, guint pid, const guint8 *section, guint size)
{
  guint32 crc;

  put_header (packet, pid, TRUE);
  packet[4] = 0;
  memcpy (packet + 5, section, size);
  packet[6] = 0xb0;
  packet[7] = size + 4 - 3;
  crc = GUINT32_TO_BE (ts_section_add_crc (0xffffffff, packet + 5, size));
  memcpy (packet + 5 + size, &crc, 4);
}

static void
put_pes (guint8 *packet, guint8 id)
{
  static const guint8 pes[] = { 0, 0, 1, 0, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1 };

  packet[1] |= 0x40;
  memcpy (packet + 4, pes, sizeof pes);
  packet[7] = id;
}

static void
put_pcr (Maker *maker, guint8 *packet)
{
  guint64 pcr = (maker->slots * TS_PACKET * 8 * 27000000 / MAKER_RATE + maker->shift) % TS_PCR_WRAP;
  guint64 base = pcr / 300;

  put_header (packet, MAKER_VIDEO, FALSE);
  packet[3] = 0x20; /* no payload */
  packet[4] = 183;
  packet[5] = 0x10 | (maker->announce ? 0x80 : 0);
  packet[6] = base >> 25;
  packet[7] = base >> 17;
  packet[8] = base >> 9;
  packet[9] = base >> 1;
  packet[10] = (base & 1) << 7 | 0x7e | pcr % 300 >> 8;
  packet[11] = pcr % 300;
  maker->announce = FALSE;
}

static gboolean
is_due (Maker *maker, guint what)
{
  if (maker->now - maker->begin < maker->due[what])
    return FALSE;
  maker->due[what] += intervals[what];
  return TRUE;
}

static void
put_packet (Maker *maker, guint8 *packet)
{
  static const guint8 pat[] = { 0, 0, 0, 0, 1, 0xc1, 0, 0, 0, MAKER_PROGRAMME, 0xe0, MAKER_PMT };
  static const guint8 pmt[] = { 2, 0, 0, 0, MAKER_PROGRAMME, 0xc1, 0, 0, 0xe1, 0x00, 0xf0, 0, 0x1b,
    0xe1, 0x00, 0xf0, 0, 0x0f, 0xe1, 0x01, 0xf0, 0 };
  static const guint8 sdt[] = { 0x42, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xff, 0, MAKER_PROGRAMME, 0xfc,
    0x80, 13, 0x48, 11, 1, 1, 'X', 7, 0x0b, 'C', 'a', 'f', 0xe9, ' ', '1' };

  if (is_due (maker, PAT)) {
    maker_put_section (packet, 0, pat, sizeof pat);
  } else if (is_due (maker, PMT)) {
    maker_put_section (packet, MAKER_PMT, pmt, sizeof pmt);
  } else if (is_due (maker, SDT)) {
    maker_put_section (packet, 0x11, sdt, sizeof sdt);
  } else if (is_due (maker, PCR)) {
    put_pcr (maker, packet);
  } else if (is_due (maker, VIDEO)) {
    put_header (packet, MAKER_VIDEO, FALSE);
    if (is_due (maker, PICTURE))
      put_pes (packet, 0xe0);
  } else if (is_due (maker, AUDIO)) {
    put_header (packet, MAKER_AUDIO, FALSE);
    if (is_due (maker, SOUND))
      put_pes (packet, 0xc0);
  } else {
    put_header (packet, TS_NULL_PID, FALSE);
  }
}

void
maker_run (Maker *maker, gint64 duration)
{
  gint64 end = maker->now + duration;

  while (maker->now < end) {
    guint8 packet[TS_PACKET];
    guint pid;

    put_packet (maker, packet);
    pid = maker_get_pid (packet);
    if (packet[3] & 0x10)
      maker->counters[pid]++;
    packet[3] |= maker->counters[pid] & 0x0f;
    if (maker->change == NULL || maker->change (maker, packet))
      maker_push (maker, packet);
    maker->slots++;
    maker->now = maker->begin
        + (gint64) (maker->slots * TS_PACKET * 8 * (TS_SECOND / 1000) / (MAKER_RATE / 1000));
  }
  if (maker->monitor != NULL)
    ts_monitor_update (maker->monitor, maker->now);
}
