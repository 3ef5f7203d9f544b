/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tsmonitor.h"

/* TR 101 290 (V1.4.1), 1.1: sync bytes in a row that find and lose sync. */
#define SYNC_FOUND 5
#define SYNC_LOST 2
/* Bytes without a packet after which the stream has no sync: so many hold SYNC_FOUND packets. */
#define SYNC_NEVER (2 * SYNC_FOUND * TS_SYNC_SIZE_MAX)
/* 2.5, ns */
#define PTS_LIMIT (700 * TS_MSECOND)
/* Between two checks whether tables, PCRs and PTSs have come within their limits, ns. */
#define TICK (20 * TS_MSECOND)
/* Bytes of a PES packet's header that tell whether it has a PTS. */
#define PES_HEADER 8
#define HAS_PTS 0x80

typedef enum
{
  SYNC_SEARCHED, /* not found yet */
  SYNC_HELD,
  SYNC_GONE, /* lost, or not found for long */
} SyncState;

struct _TsMonitor
{
  TsLimits limits;
  TsErrors errors;
  TsPids pids;
  TsTables tables;

  SyncState state;
  TsSync sync;
  TsPart part;
  guint wrong;    /* sync bytes in a row */
  gboolean skip;  /* its sync byte is wrong */
  guint64 bytes;  /* of the stream */
  guint64 missed; /* bytes since the stream began, until sync is found */

  gint64 null_seen; /* when the last null packet came; TS_NEVER: none did */
  gint64 tick;      /* when time was looked at last; TS_NEVER: no data came */
  gint64 second;    /* when this second began; TS_NEVER: no packet came */
  guint64 packets;  /* in this second */
  guint64 all;      /* packets since the monitor was made */
  guint64 refused;  /* sections of the streams before this one */
  guint64 bit_rate;
};

static void
forget_stream (TsMonitor *self)
{
  ts_pids_clear (&self->pids);
  self->refused += self->tables.refused;
  ts_tables_init (&self->tables, &self->pids);
  ts_errors_forget (&self->errors);
  ts_sync_init (&self->sync, 0, SYNC_FOUND);
  self->state = SYNC_SEARCHED;
  self->wrong = self->part.phase = 0;
  self->bytes = self->missed = self->packets = 0;
  self->null_seen = self->tick = self->second = TS_NEVER;
  self->bit_rate = G_MAXUINT64;
}

TsMonitor *
ts_monitor_new (const TsLimits *limits)
{
  TsMonitor *self = g_new0 (TsMonitor, 1);

  self->limits = limits != NULL ? *limits : (TsLimits) { TS_LIMIT_PID, TS_LIMIT_PCR };
  ts_errors_init (&self->errors);
  forget_stream (self);
  return self;
}

void
ts_monitor_free (TsMonitor *self)
{
  ts_pids_clear (&self->pids);
  g_free (self);
}

TsMonitor *
ts_monitor_copy (const TsMonitor *self)
{
  TsMonitor *copy = g_memdup2 (self, sizeof *self);

  for (guint i = 0; i < copy->pids.n; i++) {
    TsPid *entry = &copy->pids.list[i];

    entry->section = NULL;
    entry->pcr = entry->pcr != NULL ? g_memdup2 (entry->pcr, sizeof *entry->pcr) : NULL;
  }
  return copy;
}

void
ts_monitor_begin (TsMonitor *self)
{
  forget_stream (self);
}

/* --- a packet ------------------------------------------------------------ */

/* The bytes do not tell the time until the PCRs made another line. */
static void
break_clocks (TsMonitor *self)
{
  for (guint i = 0; i < self->pids.n; i++)
    if (self->pids.list[i].pcr != NULL)
      ts_pcr_break (self->pids.list[i].pcr);
}

static void
take_null (TsMonitor *self)
{
  gint64 now = self->errors.now;

  if (self->null_seen == TS_NEVER || now - self->null_seen > TS_SECOND)
    break_clocks (self); /* it may have had another rate */
  self->null_seen = now;
}

static void
take_pes (TsMonitor *self, TsPid *entry, const TsPacket *packet, const guint8 *data)
{
  guint size = TS_PACKET - packet->payload;
  const guint8 *pes = data + packet->payload;

  if (!packet->start || size == 0)
    return;
  /* a header that goes on in the next packet is taken for one with a PTS */
  if (size >= PES_HEADER && (pes[0] != 0 || pes[1] != 0 || pes[2] != 1 || (pes[7] & HAS_PTS) == 0))
    return;
  ts_repeat_arrive (&entry->pts, &self->errors, TS_ERROR_PTS, PTS_LIMIT);
}

static void
take_payload (TsMonitor *self, TsPid *entry, const TsPacket *packet, const guint8 *data)
{
  gsize done = 0;
  guint16 pid = packet->pid;

  /* tables may remove their own entry */
  while (entry != NULL && entry->section != NULL
      && ts_section_take (entry->section, packet, data, &done)) {
    ts_tables_take (&self->tables, &self->pids, &self->errors, pid, entry->section);
    entry = ts_pids_find (&self->pids, pid);
  }
  if (entry != NULL && (entry->role == TS_ROLE_VIDEO || entry->role == TS_ROLE_AUDIO))
    take_pes (self, entry, packet, data);
}

static void
take_order (TsMonitor *self, TsPid *entry, TsOrder order)
{
  ts_errors_judge (&self->errors, TS_ERROR_CONTINUITY, order != TS_ORDER_LOST);
  if (order == TS_ORDER_LOST)
    break_clocks (self);
  if ((order == TS_ORDER_LOST || order == TS_ORDER_JUMP) && entry != NULL && entry->section != NULL)
    ts_section_drop (entry->section);
}

static void
take_entry (TsMonitor *self, TsPid *entry, const TsPacket *packet, TsOrder order, guint64 at)
{
  gint64 now = self->errors.now;
  TsPcrPlace place = { at, self->limits.pcr,
    self->null_seen != TS_NEVER && now - self->null_seen <= TS_SECOND };

  entry->packets++;
  entry->seen = now;
  if (packet->payload < TS_PACKET)
    entry->filled = now;
  if (entry->presence.since != TS_NEVER)
    ts_repeat_arrive (&entry->presence, &self->errors, TS_ERROR_PID, self->limits.pid);
  if (packet->has_pcr && order != TS_ORDER_AGAIN && entry->pcr != NULL)
    ts_pcr_take (entry->pcr, &self->errors, packet, &place);
  if (packet->scrambled)
    ts_repeat_forget (&entry->pts);
}

/* Takes a packet that begins at byte @at of the stream. */
static void
take_packet (TsMonitor *self, const guint8 *data, guint64 at)
{
  TsPacket packet;
  TsPid *entry;
  TsOrder order;

  ts_packet_read (&packet, data, TS_PACKET);
  if (self->second == TS_NEVER)
    self->second = self->errors.now;
  self->packets++;
  self->all++;
  ts_errors_judge (&self->errors, TS_ERROR_TRANSPORT, !packet.damaged);
  if (packet.damaged)
    return;
  entry = ts_pids_need (&self->pids, packet.pid, FALSE);
  order = ts_packet_check_counter (&packet, &self->pids.counters[packet.pid]);
  take_order (self, entry, order);
  if (entry != NULL)
    take_entry (self, entry, &packet, order, at);
  if (packet.pid == TS_NULL_PID)
    take_null (self);
  else if (packet.scrambled)
    ts_tables_take_scrambled (&self->tables, &self->errors, packet.pid);
  else if (order != TS_ORDER_AGAIN && packet.payload < TS_PACKET)
    take_payload (self, entry, &packet, data);
}

/* --- sync ------------------------------------------------------------ */

static void
lose_sync (TsMonitor *self)
{
  ts_errors_judge (&self->errors, TS_ERROR_SYNC_LOSS, FALSE);
  self->state = SYNC_GONE;
  self->wrong = 0;
  break_clocks (self);
  ts_sync_lose (&self->sync);
}

static void
find_sync (TsMonitor *self, const guint8 *data, gsize size, gsize *done)
{
  gsize from = *done;
  gboolean found;

  /* not past the byte that loses sync, so that it is the same however the data is cut */
  if (self->state == SYNC_SEARCHED)
    size = MIN (size, from + (gsize) (SYNC_NEVER + 1 - self->missed));
  found = ts_sync_find (&self->sync, data, size, done);
  self->bytes += *done - from;
  self->missed += *done - from;
  if (found)
    self->state = SYNC_HELD;
  else if (self->state == SYNC_SEARCHED && self->missed > SYNC_NEVER)
    lose_sync (self);
}

/* The byte where a packet begins. */
static void
check_sync (TsMonitor *self, guint8 byte)
{
  gboolean good = byte == TS_SYNC;

  ts_errors_judge (&self->errors, TS_ERROR_SYNC_BYTE, good);
  ts_errors_judge (&self->errors, TS_ERROR_SYNC_LOSS, TRUE);
  self->skip = !good;
  self->wrong = good ? 0 : self->wrong + 1;
  if (self->wrong == SYNC_LOST)
    lose_sync (self);
}

/* Takes bytes of a packet, whose sync byte was looked at.  Returns how many. */
static gsize
take_bytes (TsMonitor *self, const guint8 *data, gsize size)
{
  guint64 at = self->bytes - self->part.phase;
  const guint8 *packet;
  gsize n = ts_sync_take (&self->sync, &self->part, data, size, &packet);

  if (packet != NULL && !self->skip)
    take_packet (self, packet, at);
  self->bytes += n;
  return n;
}

/* --- time ------------------------------------------------------------ */

static void
end_second (TsMonitor *self)
{
  gint64 elapsed = self->errors.now - self->second;

  ts_pids_end_second (&self->pids, self->errors.now, elapsed);
  ts_tables_end_second (&self->tables);
  self->bit_rate = self->packets * TS_PACKET * 8 * TS_SECOND / elapsed;
  self->packets = 0;
  self->second = self->errors.now;
}

static void
look (TsMonitor *self)
{
  TsErrors *errors = &self->errors;

  self->tick = errors->now;
  if (self->state == SYNC_GONE)
    ts_errors_hold (errors, TS_ERROR_SYNC_LOSS);
  if (self->second == TS_NEVER)
    return;
  ts_tables_check (&self->tables, &self->pids, errors);
  for (guint i = 0; i < self->pids.n; i++) {
    TsPid *entry = &self->pids.list[i];

    ts_repeat_check (&entry->presence, errors, TS_ERROR_PID, self->limits.pid);
    ts_repeat_check (&entry->pts, errors, TS_ERROR_PTS, PTS_LIMIT);
    if (entry->pcr != NULL)
      ts_repeat_check (&entry->pcr->repeat, errors, TS_ERROR_PCR_REPETITION, self->limits.pcr);
  }
  if (errors->now - self->second >= TS_SECOND)
    end_second (self);
}

void
ts_monitor_update (TsMonitor *self, gint64 now)
{
  self->errors.now = MAX (self->errors.now, now);
  if (self->tick != TS_NEVER)
    look (self);
}

void
ts_monitor_push (TsMonitor *self, const guint8 *data, gsize size, gint64 now)
{
  self->errors.now = MAX (self->errors.now, now);
  if (self->tick == TS_NEVER)
    self->tick = self->errors.now;
  for (gsize done = 0; done < size;) {
    if (self->state != SYNC_HELD)
      find_sync (self, data, size, &done);
    if (self->state == SYNC_HELD && done < size && self->part.phase == 0)
      check_sync (self, data[done]);
    if (self->state == SYNC_HELD && done < size)
      done += take_bytes (self, data + done, size - done);
  }
  if (self->errors.now - self->tick >= TICK)
    look (self);
}

/* --- figures ------------------------------------------------------------ */

const TsError *
ts_monitor_get_error (const TsMonitor *self, TsErrorKind kind)
{
  return &self->errors.errors[kind];
}

TsState
ts_monitor_get_state (const TsMonitor *self, TsErrorKind kind)
{
  return ts_errors_get_state (&self->errors, kind);
}

TsState
ts_monitor_get_priority_1 (const TsMonitor *self)
{
  TsState worst = TS_STATE_UNKNOWN;

  for (guint kind = 0; kind < TS_ERRORS; kind++)
    if (ts_error_rows[kind].priority == 1)
      worst = MAX (worst, ts_monitor_get_state (self, kind));
  return worst;
}

TsState
ts_monitor_get_video (const TsMonitor *self)
{
  TsState state = TS_STATE_UNKNOWN;

  for (guint i = 0; i < self->pids.n; i++) {
    const TsPid *entry = &self->pids.list[i];

    if (entry->role == TS_ROLE_VIDEO && entry->filled != TS_NEVER
        && self->errors.now - entry->filled < TS_ERROR_HOLD)
      return TS_STATE_GOOD;
    if (entry->role != TS_ROLE_UNNAMED)
      state = TS_STATE_BAD;
  }
  return state;
}

guint64
ts_monitor_get_packets (const TsMonitor *self)
{
  return self->all;
}

guint64
ts_monitor_get_refused (const TsMonitor *self)
{
  return self->refused + self->tables.refused;
}

guint64
ts_monitor_get_bit_rate (const TsMonitor *self)
{
  return self->bit_rate;
}

const TsPid *
ts_monitor_get_pids (const TsMonitor *self, guint *n)
{
  *n = self->pids.n;
  return self->pids.list;
}

const TsProgramme *
ts_monitor_get_programmes (const TsMonitor *self, guint *n)
{
  *n = self->tables.n;
  return self->tables.list;
}
