/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "cbrts.h"

/* If the PCR of another PID advances by this much while ours does not come, ours has ended. */
#define SILENCE CBR_TS_NEAR
/* If this many PCRs of further PIDs come while that other PID sends none, it has ended, too. A
 * stream has fewer programmes than that. */
#define STRANGERS_MAX 64

void
cbr_ts_init (CbrTs *ts, guint size)
{
  memset (ts, 0, sizeof *ts);
  ts_sync_init (&ts->sync, size, CBR_TS_RUN);
}

void
cbr_ts_set_size (CbrTs *ts, guint size)
{
  if (size == ts->sync.given)
    return;
  ts_sync_init (&ts->sync, size, CBR_TS_RUN);
  ts->phase = 0;
}

gboolean
cbr_ts_is_clock (const CbrTs *ts)
{
  return ts->sync.size > 0 && ts->packets < CBR_TS_SILENCE_MAX;
}

/* Takes a PCR of another PID than ours.  TRUE: that PID is ours from now on, and its first PCR
 * since our last one takes the place of our last one. */
static gboolean
take_over (CbrTs *ts, const TsPacket *packet)
{
  guint64 raw = packet->pcr;
  guint16 pid = packet->pid;
  gint64 step = ts_pcr_get_step (ts->other_raw, raw);

  if (ts->has_other && pid != ts->other_pid && ts->strangers++ < STRANGERS_MAX)
    return FALSE;
  ts->strangers = 0;
  if (!ts->has_other || pid != ts->other_pid || packet->announced || step > CBR_TS_PAUSE) {
    ts->has_other = TRUE;
    ts->other_pid = pid;
    ts->other_raw = raw;
    return FALSE;
  }
  if (step < SILENCE)
    return FALSE;
  ts->last.raw = ts->other_raw;
  ts->has_before = FALSE;
  ts->doubts = 0;
  return TRUE;
}

/* The clock goes on from @from by @step. */
static void
go_on (CbrTs *ts, CbrTsTime from, guint64 raw, gint64 step)
{
  ts->before = from;
  ts->has_before = TRUE;
  ts->last = (CbrTsTime) { raw, from.ticks + step };
  ts->doubts = 0;
}

/* Another clock begins. */
static void
begin (CbrTs *ts, guint64 raw)
{
  ts->last.raw = raw;
  ts->has_pcr = TRUE;
  ts->has_before = FALSE;
  ts->doubts = 0;
}

/* Does @raw follow the PCR in doubt? The step from it may be as long as the doubtful one: PCRs may
 * be far apart, or come in a pause. */
static gboolean
is_confirmed (CbrTs *ts, gint64 doubtful, guint64 raw)
{
  gint64 most = doubtful <= CBR_TS_PAUSE ? MAX (doubtful, CBR_TS_NEAR) : CBR_TS_NEAR;

  return ts->doubts > 0 && ts_pcr_get_step (ts->doubt, raw) <= most;
}

/* Did time pass in the doubtful step, if the step behind it is @further long? The first PCR of a
 * clock may be wrong, so behind it only a step not much longer than the next one counts as time. */
static gboolean
is_pause (CbrTs *ts, gint64 doubtful, gint64 further)
{
  return doubtful <= CBR_TS_PAUSE && (ts->has_before || doubtful <= 2 * MAX (further, CBR_TS_NEAR));
}

static CbrTsPcr
make_pcr (CbrTs *ts, guint64 at, gboolean jump)
{
  ts->returned = MAX (ts->returned, ts->last.ticks);
  return (CbrTsPcr) { (gssize) at, ts->returned / 27 * 1000 + ts->returned % 27 * 1000 / 27, jump };
}

/* Takes a PCR of the stream's clock, whose packet is at byte @at of the stream. FALSE: it is in
 * doubt. */
static gboolean
take_pcr (CbrTs *ts, guint64 at, guint64 raw, gboolean announced, CbrTsPcr *pcr)
{
  gint64 step = ts_pcr_get_step (ts->last.raw, raw);
  gint64 doubtful = ts_pcr_get_step (ts->last.raw, ts->doubt);
  gboolean jump = !ts->has_pcr || announced;

  if (jump) {
    begin (ts, raw);
  } else if (step <= CBR_TS_NEAR) {
    go_on (ts, ts->last, raw, step);
  } else if (is_confirmed (ts, doubtful, raw)) {
    gint64 further = ts_pcr_get_step (ts->doubt, raw);

    jump = !is_pause (ts, doubtful, further);
    if (jump)
      begin (ts, ts->doubt);
    else
      go_on (ts, ts->last, ts->doubt, doubtful);
    *pcr = make_pcr (ts, ts->doubt_at, jump);
    go_on (ts, ts->last, raw, further);
    ts->next = make_pcr (ts, at, FALSE);
    ts->has_next = TRUE;
    return TRUE;
  } else if (ts->has_before
      && ts_pcr_get_step (ts->before.raw, raw) < ts_pcr_get_step (ts->before.raw, ts->last.raw)) {
    /* it is between the last two PCRs: the last one was wrong */
    go_on (ts, ts->before, raw, ts_pcr_get_step (ts->before.raw, raw));
  } else if (ts->doubts + 1 < CBR_TS_DOUBTS) {
    ts->doubts++;
    ts->doubt = raw;
    ts->doubt_at = at;
    return FALSE;
  } else {
    jump = TRUE;
    begin (ts, raw);
  }
  *pcr = make_pcr (ts, at, jump);
  return TRUE;
}

/* A whole header was seen, at byte @at of the stream: does it have a PCR of the stream's clock? */
static gboolean
read_header (CbrTs *ts, guint64 at, CbrTsPcr *pcr)
{
  TsPacket packet;

  ts_packet_read (&packet, ts->header, sizeof ts->header);
  ts->packets++;
  if (ts->packets >= CBR_TS_SILENCE_MAX)
    ts->has_pid = ts->has_pcr = FALSE; /* takes the next PCR, of any PID */
  if (!packet.has_pcr || packet.damaged
      || (ts->has_pid && packet.pid != ts->pid && !take_over (ts, &packet)))
    return FALSE;
  ts->has_pid = TRUE;
  ts->pid = packet.pid;
  ts->has_other = FALSE;
  ts->packets = 0;
  return take_pcr (ts, at, packet.pcr, packet.announced, pcr);
}

/* Finds the next PCR in @data. @begin: position of byte 0 of @data in the stream. */
static gboolean
find_pcr (CbrTs *ts, const guint8 *data, gsize size, gsize *done, guint64 begin, CbrTsPcr *pcr)
{
  while (*done < size) {
    if (ts->sync.size == 0 && !ts_sync_find (&ts->sync, data, size, done))
      return FALSE;
    if (ts->phase < TS_HEADER) {
      guint8 byte = data[*done];

      if (ts->phase == 0 && byte != TS_SYNC) {
        ts_sync_lose (&ts->sync);
        continue;
      }
      ts->header[ts->phase++] = byte;
      ++*done;
      if (ts->phase == TS_HEADER && read_header (ts, begin + *done - TS_HEADER, pcr))
        return TRUE;
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

gboolean
cbr_ts_feed (CbrTs *ts, const guint8 *data, gsize size, gsize *done, CbrTsPcr *pcr)
{
  guint64 begin = ts->bytes - *done;
  gsize from = *done;

  if (ts->has_next) {
    *pcr = ts->next;
    ts->has_next = FALSE;
  } else {
    gboolean found = find_pcr (ts, data, size, done, begin, pcr);

    ts->bytes += *done - from;
    if (!found)
      return FALSE;
  }
  pcr->offset -= (gssize) begin;
  return TRUE;
}

void
cbr_ts_fill_null (guint8 *data, guint n)
{
  for (guint i = 0; i < n; i++)
    ts_packet_write_null (data + i * TS_PACKET);
}
