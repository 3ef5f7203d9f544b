/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Any bytes as a transport stream, cut anywhere, and as sections of its tables: what the monitor
 * keeps is bounded, and fits together.
 */
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include "tsmonitor.h"

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
  for (guint i = 0; i < n; i++) {
    gchar name[TS_TEXT_MAX];

    ts_programme_get_name (&programmes[i], name);
    if (!g_utf8_validate (name, -1, NULL) || programmes[i].pmt_pid >= TS_PIDS
        || programmes[i].pcr_pid >= TS_PIDS)
      abort ();
  }
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

/* The first byte tells what the others are. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size < 2)
    return 0;
  if (data[0] % 2 == 0)
    fuzz_stream (data + 1, size - 1);
  else
    fuzz_sections (data + 1, size - 1);
  return 0;
}
