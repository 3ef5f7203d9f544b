/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tsfaults.h"

static gint64 fault_end; /* ns */
static guint fault_left; /* packets to change */

/* Is the fault on, and @is one of the packets to change? */
static gboolean
hits (Maker *maker, gboolean is)
{
  if (!is || maker->now - maker->begin < FAULT_BEGINS || maker->now > fault_end || fault_left == 0)
    return FALSE;
  fault_left--;
  return TRUE;
}

static gboolean
is_video (const guint8 *packet)
{
  return maker_get_pid (packet) == MAKER_VIDEO && !maker_is_pcr (packet) && !maker_has_pes (packet);
}

static gboolean
break_sync_byte (Maker *maker, guint8 *packet)
{
  if (hits (maker, is_video (packet)))
    packet[0] = 0x46;
  return TRUE;
}

static gboolean
break_sync (Maker *maker, guint8 *packet)
{
  if (hits (maker, TRUE))
    memset (packet, 0, TS_PACKET);
  return TRUE;
}

static gboolean
drop_video (Maker *maker, guint8 *packet)
{
  return !hits (maker, is_video (packet));
}

/* These leave the continuity, and the rate, as they are: what should go becomes a null packet. */
static gboolean
hide (Maker *maker, guint8 *packet, gboolean is)
{
  if (hits (maker, is)) {
    if (packet[3] & 0x10)
      maker->counters[maker_get_pid (packet)]--;
    packet[1] = 0x1f;
    packet[2] = 0xff;
  }
  return TRUE;
}

static gboolean
hide_pat (Maker *maker, guint8 *packet)
{
  return hide (maker, packet, maker_get_pid (packet) == 0);
}

static gboolean
hide_pmt (Maker *maker, guint8 *packet)
{
  return hide (maker, packet, maker_get_pid (packet) == MAKER_PMT);
}

static gboolean
hide_audio (Maker *maker, guint8 *packet)
{
  return hide (maker, packet, maker_get_pid (packet) == MAKER_AUDIO);
}

static gboolean
hide_pcr (Maker *maker, guint8 *packet)
{
  return hide (maker, packet, maker_is_pcr (packet));
}

static gboolean
scramble (Maker *maker, guint8 *packet, gboolean is)
{
  if (hits (maker, is))
    packet[3] |= 0x80;
  return TRUE;
}

static gboolean
scramble_pat (Maker *maker, guint8 *packet)
{
  return scramble (maker, packet, maker_get_pid (packet) == 0);
}

static gboolean
scramble_pmt (Maker *maker, guint8 *packet)
{
  return scramble (maker, packet, maker_get_pid (packet) == MAKER_PMT);
}

static gboolean
scramble_video (Maker *maker, guint8 *packet)
{
  return scramble (maker, packet, maker_get_pid (packet) == MAKER_VIDEO && !maker_is_pcr (packet));
}

/* A packet every 2 s or so. */
static gboolean
scramble_rarely (Maker *maker, guint8 *packet)
{
  return maker->slots % 6649 < 6 ? scramble_video (maker, packet) : TRUE;
}

/* Another table, with a good CRC, in place of a null packet. */
static gboolean
put_table (Maker *maker, guint8 *packet, guint pid, guint8 table)
{
  guint8 section[] = { table, 0, 0, 0, 1, 0xc1, 0, 0 };

  if (!hits (maker, maker_get_pid (packet) == TS_NULL_PID))
    return TRUE;
  maker_put_section (packet, pid, section, sizeof section);
  packet[3] |= ++maker->counters[pid] & 0x0f;
  return TRUE;
}

static gboolean
put_wrong_pat (Maker *maker, guint8 *packet)
{
  return put_table (maker, packet, 0, 0x99);
}

static gboolean
put_wrong_cat (Maker *maker, guint8 *packet)
{
  return put_table (maker, packet, 1, 0x99);
}

/* A CAT every 100 ms, and scrambled video all the time. */
static gboolean
scramble_with_cat (Maker *maker, guint8 *packet)
{
  if (maker->slots % 333 == 0 && maker_get_pid (packet) == TS_NULL_PID)
    return put_table (maker, packet, 1, 1);
  return scramble_video (maker, packet);
}

static gboolean
damage (Maker *maker, guint8 *packet)
{
  if (hits (maker, maker_get_pid (packet) == TS_NULL_PID))
    packet[1] |= 0x80;
  return TRUE;
}

static gboolean
damage_sdt (Maker *maker, guint8 *packet)
{
  if (hits (maker, maker_get_pid (packet) == 0x11))
    packet[20] ^= 1;
  return TRUE;
}

/* From now on, in the packets that are made after this one. */
static gboolean
jump (Maker *maker, guint8 *packet)
{
  if (hits (maker, maker_get_pid (packet) == TS_NULL_PID))
    maker->shift += 27000000;
  return TRUE;
}

static gboolean
jump_announced (Maker *maker, guint8 *packet)
{
  gint64 before = maker->shift;

  jump (maker, packet);
  maker->announce |= before != maker->shift;
  return TRUE;
}

static gboolean
shift_pcr (Maker *maker, guint8 *packet, gint ticks)
{
  if (hits (maker, maker_is_pcr (packet)))
    packet[11] = packet[11] >= ticks ? packet[11] - ticks : packet[11] + ticks;
  return TRUE;
}

/* 27 are 1 us, 8 are 0.3 us. */
static gboolean
shift_pcr_far (Maker *maker, guint8 *packet)
{
  return shift_pcr (maker, packet, 27);
}

static gboolean
shift_pcr_little (Maker *maker, guint8 *packet)
{
  return shift_pcr (maker, packet, 8);
}

static gboolean
hide_pts (Maker *maker, guint8 *packet)
{
  if (hits (maker, maker_get_pid (packet) == MAKER_AUDIO && maker_has_pes (packet)))
    packet[4 + 7] &= 0x3f;
  return TRUE;
}

/* A second packet of tables, in place of the null packet that comes next. */
static gboolean
send_twice (Maker *maker, guint8 *packet)
{
  static guint8 again[TS_PACKET];

  if (hits (maker, maker_get_pid (packet) == 0 || maker_get_pid (packet) == MAKER_PMT)) {
    memcpy (again, packet, TS_PACKET);
  } else if (again[0] == TS_SYNC && maker_get_pid (packet) == TS_NULL_PID) {
    memcpy (packet, again, TS_PACKET);
    again[0] = 0;
  }
  return TRUE;
}

const Fault faults[] = {
  { "none", NULL, 0, 0, { { 0 } } },
  { "sync-byte", break_sync_byte, TS_SECOND, 1,
      { { TS_ERROR_SYNC_BYTE, 1 }, { TS_ERROR_CONTINUITY, 1 } } },
  { "sync-loss", break_sync, TS_SECOND, 4,
      { { TS_ERROR_SYNC_LOSS, 1 }, { TS_ERROR_SYNC_BYTE, 2 },
          { TS_ERROR_CONTINUITY, FAULT_ANY } } },
  { "continuity", drop_video, TS_SECOND, 1, { { TS_ERROR_CONTINUITY, 1 } } },
  { "twice", send_twice, TS_SECOND, FAULT_ANY, { { 0 } } },
  { "pat", hide_pat, TS_SECOND, FAULT_ANY, { { TS_ERROR_PAT, 1 } } },
  { "pat-short", hide_pat, 300 * TS_MSECOND, FAULT_ANY, { { 0 } } },
  { "pat-table", put_wrong_pat, TS_SECOND, 1, { { TS_ERROR_PAT, 1 } } },
  { "pat-scrambled", scramble_pat, TS_SECOND, 1, { { TS_ERROR_PAT, 1 } } },
  { "pmt", hide_pmt, TS_SECOND, FAULT_ANY, { { TS_ERROR_PMT, 1 } } },
  { "pmt-scrambled", scramble_pmt, TS_SECOND, 1, { { TS_ERROR_PMT, 1 } } },
  { "pid", hide_audio, 7 * TS_SECOND, FAULT_ANY, { { TS_ERROR_PID, 1 }, { TS_ERROR_PTS, 1 } } },
  { "transport", damage, TS_SECOND, 1, { { TS_ERROR_TRANSPORT, 1 } } },
  { "crc", damage_sdt, 2 * TS_SECOND, 1, { { TS_ERROR_CRC, 1 } } },
  { "pcr-repetition", hide_pcr, TS_SECOND, 4,
      { { TS_ERROR_PCR_REPETITION, 1 }, { TS_ERROR_PCR_DISCONTINUITY, 1 } } },
  { "pcr-repetition-short", hide_pcr, TS_SECOND, 2, { { 0 } } },
  { "pcr-discontinuity", jump, TS_SECOND, 1, { { TS_ERROR_PCR_DISCONTINUITY, 1 } } },
  { "pcr-announced", jump_announced, TS_SECOND, 1, { { 0 } } },
  { "pcr-accuracy", shift_pcr_far, TS_SECOND, 1, { { TS_ERROR_PCR_ACCURACY, 1 } } },
  { "pcr-accuracy-short", shift_pcr_little, TS_SECOND, 1, { { 0 } } },
  { "pts", hide_pts, TS_SECOND, FAULT_ANY, { { TS_ERROR_PTS, 1 } } },
  { "pts-short", hide_pts, TS_SECOND / 2, FAULT_ANY, { { 0 } } },
  { "cat", scramble_video, 7 * TS_SECOND, FAULT_ANY, { { TS_ERROR_CAT, 1 } } },
  { "cat-rare", scramble_rarely, 8 * TS_SECOND, FAULT_ANY, { { TS_ERROR_CAT, 1 } } },
  { "cat-there", scramble_with_cat, 7 * TS_SECOND, FAULT_ANY, { { 0 } } },
  { "cat-table", put_wrong_cat, TS_SECOND, 1, { { TS_ERROR_CAT, 1 } } },
};

const guint n_faults = G_N_ELEMENTS (faults);

const Fault *
fault_find (const gchar *name)
{
  guint i = 0;

  while (!g_str_equal (faults[i].name, name))
    i++;
  return &faults[i];
}

void
fault_begin (Maker *maker, const Fault *fault)
{
  fault_end = maker->begin + FAULT_BEGINS + fault->duration;
  fault_left = fault->packets;
  maker->change = fault->change;
}

guint
fault_get_wanted (const Fault *fault, TsErrorKind kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (fault->wanted) && fault->wanted[i].count > 0; i++)
    if (fault->wanted[i].kind == kind)
      return fault->wanted[i].count;
  return 0;
}

GBytes *
fault_make_stream (const Fault *fault)
{
  Maker maker;

  maker_init (&maker, NULL);
  maker.bytes = g_byte_array_new ();
  fault_begin (&maker, fault);
  maker_run (&maker, FAULT_STREAM);
  return g_byte_array_free_to_bytes (maker.bytes);
}
