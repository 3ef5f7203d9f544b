/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Any bytes as a transport stream, cut anywhere, and as sections of its tables: what the monitor
 * keeps is bounded, and fits together, and what the filter lets pass is whole packets, as is what
 * becomes one stream of several.
 */
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include "tsfilter.h"
#include "tsloop.h"
#include "tsmonitor.h"
#include "tsselection.h"

static void
check_pids (const TsPid *pids, guint n)
{
  guint8 seen[TS_PIDS] = { 0 };

  if (n > TS_PIDS_MAX)
    abort ();
  for (guint i = 0; i < n; i++)
    if (pids[i].pid >= TS_PIDS || seen[pids[i].pid]++ > 0)
      abort ();
}

static void
check_programmes (const TsProgramme *programmes, guint n)
{
  if (n > TS_PROGRAMMES_MAX)
    abort ();
  for (guint i = 0; i < n; i++)
    if (!g_utf8_validate (programmes[i].text, -1, NULL) || programmes[i].pmt_pid >= TS_PIDS
        || programmes[i].pcr_pid >= TS_PIDS)
      abort ();
}

/* The first byte tells how long the pieces are, and how fast time goes. */
static void
fuzz_stream (const guint8 *data, gsize size)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  gsize piece = 1 + data[0] % 16 * 40;
  gint64 now = 0;
  const TsProgramme *programmes;
  const TsPid *pids;
  guint n;

  for (guint round = 0; round < 3; round++) {
    for (gsize at = 1; at < size; at += piece, now += data[0] * TS_MSECOND)
      ts_monitor_push (monitor, data + at, MIN (piece, size - at), now);
    ts_monitor_update (monitor, now);
    for (guint kind = 0; kind < TS_ERRORS; kind++)
      if (ts_monitor_get_error (monitor, kind)->count > 3 * size + 1000)
        abort ();
    pids = ts_monitor_get_pids (monitor, &n);
    check_pids (pids, n);
    programmes = ts_monitor_get_programmes (monitor, &n);
    check_programmes (programmes, n);
  }
}

/* Sections whose CRC is good: PID (2 bytes), size (2 bytes), bytes. */
static void
fuzz_sections (const guint8 *data, gsize size)
{
  TsPids *pids = g_new0 (TsPids, 1);
  TsTables *tables = g_new0 (TsTables, 1);
  TsSection *section = g_new0 (TsSection, 1);
  TsErrors errors;

  ts_errors_init (&errors);
  ts_tables_init (tables, pids);
  while (size >= 4) {
    gsize wanted = ts_get_16 (data + 2) % (TS_SECTION_MAX + 1);
    gsize have = MIN (MIN (size - 4, wanted), TS_SECTION_KEPT);

    section->size = section->have = MAX (wanted, 3);
    memset (section->data, 0, sizeof section->data);
    memcpy (section->data, data + 4, have);
    errors.now += 50 * TS_MSECOND;
    ts_tables_take (tables, pids, &errors, ts_get_16 (data) % TS_PIDS, section);
    ts_tables_check (tables, pids, &errors);
    ts_pids_end_second (pids, errors.now, 1);
    ts_tables_end_second (tables);
    check_pids (pids->list, pids->n);
    check_programmes (tables->list, tables->n);
    data += 4 + have;
    size -= 4 + have;
  }
  ts_pids_clear (pids);
  g_free (section);
  g_free (tables);
  g_free (pids);
}

/* @choice: what is chosen.  @piece: bytes that are pushed at once. */
static GByteArray *
filter (guint8 choice, const GByteArray *bytes, gsize piece)
{
  g_autoptr (TsFilter) self = ts_filter_new ();
  GByteArray *out = g_byte_array_new ();
  gint64 now = 0;

  if (choice & 1)
    ts_filter_choose_programme (self, 1);
  if (choice & 2)
    ts_filter_choose_pid (self, 0x100);
  for (gsize at = 0; at < bytes->len; at += piece, now += TS_SECOND)
    ts_filter_push (self, bytes->data + at, MIN (piece, bytes->len - at), now, out);
  return out;
}

/* Adds the packets of a section with a good CRC, and up to @more copies of it that its packet has
 * room for; of a few bytes, a packet that begins with them. */
static void
add_packets (GByteArray *bytes, guint16 pid, const guint8 *data, gsize size, guint more,
    guint8 *counter)
{
  guint8 section[TS_SECTION_KEPT] = { 0 }, packets[TS_SECTION_PACKETS][TS_PACKET] = { 0 };
  TsVersion version = { FALSE };
  guint n = 1;

  memcpy (section, data, size);
  memcpy (packets[0] + 1, data, MIN (size, TS_PACKET - 1));
  packets[0][0] = TS_SYNC;
  if (size >= TS_LONG_HEADER + TS_SECTION_CRC) {
    ts_section_seal (section, size, &version);
    n = ts_section_write (section, size, pid, counter, packets);
  }
  for (gsize at = 5 + size; n == 1 && more > 0 && at + size <= TS_PACKET; at += size, more--)
    memcpy (packets[0] + at, section, size);
  g_byte_array_append (bytes, packets[0], n * TS_PACKET);
}

/* Returns the packets of sections as in fuzz_sections(), with the number of copies before the PID.
 */
static GByteArray *
make_packets (const guint8 *data, gsize size)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 counters[TS_PIDS] = { 0 };

  while (size >= 4) {
    gsize have = MIN (size - 4, ts_get_16 (data + 2) % (TS_SECTION_KEPT + 1));
    guint16 pid = ts_get_16 (data) % TS_PIDS;

    add_packets (bytes, pid, data + 4, have, data[0] >> 5, &counters[pid]);
    data += 4 + have;
    size -= 4 + have;
  }
  return bytes;
}

/* What is written are whole packets, the same ones however the stream is cut.  The first byte tells
 * what is chosen, and how the stream is cut. */
static void
fuzz_filter (const guint8 *data, gsize size)
{
  g_autoptr (GByteArray) bytes = make_packets (data + 1, size - 1);
  g_autoptr (GByteArray) whole = filter (data[0], bytes, 7 * TS_PACKET);
  g_autoptr (GByteArray) cut = filter (data[0], bytes, 1 + data[0]);

  if (whole->len % TS_PACKET != 0 || whole->len > 2 * bytes->len + TS_SELECTION_AHEAD * TS_PACKET
      || whole->len != cut->len || (cut->len > 0 && memcmp (whole->data, cut->data, cut->len) != 0))
    abort ();
}

/* What leaves are whole packets, and no more than a few for each.  The first byte tells after how
 * many of them another stream begins, and whether its clock goes on. */
static void
fuzz_splice (const guint8 *data, gsize size)
{
  g_autoptr (GByteArray) bytes = make_packets (data + 1, size - 1);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  gsize taken = 0;
  TsLoop loop;

  ts_loop_init (&loop);
  for (guint round = 0; round < 3; round++)
    for (gsize at = 0; at < bytes->len; at += TS_PACKET) {
      guint before = out->len;

      ts_loop_take (&loop, bytes->data + at, out);
      if (out->len - before > (2 + TS_SECTION_PACKETS) * TS_PACKET)
        abort ();
      if (++taken % (1 + data[0]) != 0)
        continue;
      if (data[0] & 1)
        ts_splice_begin (loop.splice);
      else
        ts_loop_again (&loop);
    }
  ts_loop_clear (&loop);
  if (out->len % TS_PACKET != 0 || out->len > 4 * taken * TS_PACKET)
    abort ();
  for (gsize at = 0; at < out->len; at += TS_PACKET)
    if (out->data[at] != TS_SYNC)
      abort ();
}

/* The first byte tells what the others are. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size < 2)
    return 0;
  if (data[0] % 4 == 2)
    fuzz_filter (data + 1, size - 1);
  else if (data[0] % 4 == 3)
    fuzz_splice (data + 1, size - 1);
  else if (data[0] % 2 == 0)
    fuzz_stream (data + 1, size - 1);
  else
    fuzz_sections (data + 1, size - 1);
  return 0;
}
