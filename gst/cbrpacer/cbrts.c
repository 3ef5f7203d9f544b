/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "cbrts.h"

/* A PCR comes every 100 ms (ISO/IEC 13818-1, 2.7.2).  One that is further than this
 * from the last one belongs to another clock. */
#define JUMP_MAX (10 * G_GINT64_CONSTANT (27000000))
/* If the PCR of another PID advances by this much while ours does not come, ours has ended: three
 * times the longest interval that is allowed. */
#define SILENCE (3 * G_GINT64_CONSTANT (2700000))
/* If as many PCRs of yet others come while that one does not, it has ended, too. There are fewer
 * programmes than that in a stream. */
#define STRANGERS_MAX 64
#define PCR_WRAP ((G_GUINT64_CONSTANT (1) << 33) * 300)

void
cbr_ts_init (CbrTs * ts, guint size)
{
  memset (ts, 0, sizeof *ts);
  cbr_sync_init (&ts->sync, size);
}

void
cbr_ts_set_size (CbrTs * ts, guint size)
{
  if (size == ts->sync.given)
    return;
  cbr_sync_init (&ts->sync, size);
  ts->phase = 0;
}

gboolean
cbr_ts_is_clock (const CbrTs * ts)
{
  return ts->sync.size > 0 && ts->packets < CBR_TS_PATIENCE;
}

static gboolean
read_pcr (const guint8 * header, guint64 * pcr)
{
  /* there must be no error (transport_error_indicator), and an adaptation field, long enough, with
   * the PCR flag */
  if ((header[1] & 0x80) || !(header[3] & 0x20) || header[4] < 7
      || !(header[5] & 0x10))
    return FALSE;
  *pcr = (((guint64) header[6] << 25) | ((guint64) header[7] << 17) |
      ((guint64) header[8] << 9) | ((guint64) header[9] << 1) |
      (header[10] >> 7)) * 300 + (((header[10] & 1) << 8) | header[11]);
  return TRUE;
}

static gint64
get_step (guint64 from, guint64 to)
{
  return (gint64) ((to + PCR_WRAP - from) % PCR_WRAP);
}

/* A PCR of another PID than ours.  TRUE: that PID is ours from now on, and its first PCR since our
 * last one takes the place of ours. */
static gboolean
take_over (CbrTs * ts, guint16 pid, guint64 raw)
{
  gint64 step = get_step (ts->other_raw, raw);

  if (ts->has_other && pid != ts->other_pid && ts->strangers++ < STRANGERS_MAX)
    return FALSE;
  ts->strangers = 0;
  if (!ts->has_other || pid != ts->other_pid || (ts->header[5] & 0x80)
      || step > JUMP_MAX) {
    ts->has_other = TRUE;
    ts->other_pid = pid;
    ts->other_raw = raw;
    return FALSE;
  }
  if (step < SILENCE)
    return FALSE;
  ts->raw = ts->other_raw;
  return TRUE;
}

/* A whole header was seen: does it have a PCR of the stream's clock? */
static gboolean
read_header (CbrTs * ts, CbrTsPcr * pcr)
{
  guint16 pid = ((ts->header[1] & 0x1f) << 8) | ts->header[2];
  gint64 step;
  guint64 raw;

  ts->packets++;
  if (ts->packets >= CBR_TS_PATIENCE)
    ts->has_pid = ts->has_pcr = FALSE;  /* takes the next PCR, of any PID */
  if (!read_pcr (ts->header, &raw) || (ts->has_pid && pid != ts->pid
          && !take_over (ts, pid, raw)))
    return FALSE;
  step = get_step (ts->raw, raw);
  pcr->jump = !ts->has_pcr || (ts->header[5] & 0x80) || step > JUMP_MAX;
  if (!pcr->jump)
    ts->ticks += step;
  pcr->time = ts->ticks / 27 * 1000 + ts->ticks % 27 * 1000 / 27;
  ts->has_pid = ts->has_pcr = TRUE;
  ts->pid = pid;
  ts->raw = raw;
  ts->has_other = FALSE;
  ts->packets = 0;
  return TRUE;
}

gboolean
cbr_ts_feed (CbrTs * ts, const guint8 * data, gsize size, gsize * done,
    CbrTsPcr * pcr)
{
  while (*done < size) {
    if (ts->sync.size == 0 && !cbr_sync_find (&ts->sync, data, size, done))
      return FALSE;
    if (ts->phase < CBR_TS_HEADER) {
      guint8 byte = data[*done];

      if (ts->phase == 0 && byte != CBR_TS_SYNC) {
        cbr_sync_lose (&ts->sync);
        continue;
      }
      ts->header[ts->phase++] = byte;
      ++*done;
      if (ts->phase == CBR_TS_HEADER && read_header (ts, pcr)) {
        pcr->offset = (gssize) * done - CBR_TS_HEADER;
        return TRUE;
      }
    } else {
      gsize part = MIN (ts->sync.size - ts->phase, size - *done);

      *done += part;
      ts->phase += part;
      if (ts->phase == ts->sync.size)
        ts->phase = 0;
    }
  }
  return FALSE;
}

void
cbr_ts_fill_null (guint8 * data, guint n)
{
  for (guint i = 0; i < n; i++, data += CBR_TS_PACKET) {
    memset (data, 0xff, CBR_TS_PACKET);
    data[0] = CBR_TS_SYNC;
    data[1] = 0x1f;
    data[2] = 0xff;
    data[3] = 0x10;             /* payload only */
  }
}
