/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tsfilter.h"
#include "tsselection.h"

#define SYNC_FOUND 3 /* sync bytes in a row that find packets, and wrong ones that lose them */
#define SYNC_LOST 2

/* A packet of a PID came in this, and in the last span of TS_FILTER_AWAY. */
enum
{
  CAME = 1,
  CAME_BEFORE = 2
};

struct _TsFilter
{
  TsSelection selection;
  TsSync sync;
  TsPart part;
  gboolean synced;
  gboolean skip;        /* the sync byte of this packet is wrong */
  guint wrong;          /* sync bytes in a row */
  gboolean fed;         /* data came */
  gboolean began;       /* a packet came */
  guint8 seen[TS_PIDS]; /* of ts_packet_check_counter() */
  guint8 came[TS_PIDS]; /* CAME, CAME_BEFORE */
  gint64 span;          /* when this span of TS_FILTER_AWAY began, with data, ns */
  guint empty;          /* spans since the last packet, with this one; its own is none */
  guint spans;          /* that have ended */
};

/* --- a packet ------------------------------------------------------------ */

static void
take_table (TsFilter *self, const TsPacket *packet, const guint8 *data, TsSection *section)
{
  TsOrder order = ts_packet_check_counter (packet, &self->seen[packet->pid]);
  gsize done = 0;

  if (order == TS_ORDER_LOST || order == TS_ORDER_JUMP)
    ts_section_drop (section);
  if (packet->damaged || packet->scrambled || packet->payload == TS_PACKET
      || order == TS_ORDER_AGAIN)
    return;
  while (ts_section_take (section, packet, data, &done))
    ts_selection_take (&self->selection, packet->pid, section);
}

static void
take_packet (TsFilter *self, const guint8 *data)
{
  TsSelection *selection = &self->selection;
  TsSection *section;
  TsPacket packet;

  ts_packet_read (&packet, data, TS_PACKET);
  self->began = TRUE;
  self->empty = 0;
  self->came[packet.pid] |= CAME;
  ts_selection_allow (selection);
  section = ts_selection_find (selection, packet.pid);
  if (section != NULL)
    take_table (self, &packet, data, section);
  if (!ts_selection_pass (selection, &packet, data) && section != NULL && packet.has_pcr
      && packet.step == 0)
    ts_selection_write_clock (selection, packet.pid, data);
}

/* --- sync ------------------------------------------------------------ */

/* The byte where a packet begins. */
static void
check_sync (TsFilter *self, guint8 byte)
{
  self->skip = byte != TS_SYNC;
  self->wrong = self->skip ? self->wrong + 1 : 0;
  if (self->wrong < SYNC_LOST)
    return;
  self->synced = FALSE;
  self->wrong = 0;
  ts_sync_lose (&self->sync);
}

static gsize
take_bytes (TsFilter *self, const guint8 *data, gsize size)
{
  const guint8 *packet;
  gsize n = ts_sync_take (&self->sync, &self->part, data, size, &packet);

  if (packet != NULL && !self->skip)
    take_packet (self, packet);
  return n;
}

/* Ends a span in which each chosen PID came, or did not. */
static void
end_span (TsFilter *self, gint64 now)
{
  for (guint i = 0; i < TS_PIDS; i++)
    self->came[i] = self->came[i] & CAME ? CAME_BEFORE : 0;
  self->empty++;
  self->span = now;
  self->spans++;
}

void
ts_filter_push (TsFilter *self, const guint8 *data, gsize size, gint64 now, GByteArray *out)
{
  if (!self->fed)
    self->span = now;
  else if (now - self->span >= TS_FILTER_AWAY)
    end_span (self, now);
  self->fed = TRUE;
  self->selection.out = out;
  for (gsize done = 0; done < size;) {
    if (!self->synced) {
      self->synced = ts_sync_find (&self->sync, data, size, &done);
      self->part.phase = 0;
    }
    if (self->synced && done < size && self->part.phase == 0)
      check_sync (self, data[done]);
    if (self->synced && done < size)
      done += take_bytes (self, data + done, size - done);
  }
}

/* --- all ------------------------------------------------------------ */

TsFilter *
ts_filter_new (void)
{
  TsFilter *self = g_new0 (TsFilter, 1);

  self->empty = 1;
  ts_sync_init (&self->sync, 0, SYNC_FOUND);
  ts_selection_init (&self->selection);
  return self;
}

void
ts_filter_free (TsFilter *self)
{
  ts_selection_clear (&self->selection);
  g_free (self);
}

gboolean
ts_filter_choose_programme (TsFilter *self, guint16 number)
{
  if (self->selection.n == TS_FILTER_PROGRAMMES)
    return FALSE;
  ts_selection_choose_programme (&self->selection, number);
  return TRUE;
}

void
ts_filter_choose_pid (TsFilter *self, guint16 pid)
{
  ts_selection_choose_pid (&self->selection, pid);
}

void
ts_filter_begin (TsFilter *self)
{
  if (self->synced)
    ts_sync_lose (&self->sync);
  self->synced = self->fed = self->began = FALSE;
  self->empty = 1;
  self->wrong = self->spans = 0;
  memset (self->seen, 0, sizeof self->seen);
  memset (self->came, 0, sizeof self->came);
  ts_selection_begin (&self->selection);
}

guint16
ts_filter_get_missing_programme (const TsFilter *self, guint *i)
{
  while (self->began && *i < self->selection.n) {
    const TsSelected *programme = self->selection.list[(*i)++];

    if (programme->chosen && (!programme->present || programme->size == 0))
      return programme->number;
  }
  return 0;
}

gboolean
ts_filter_lacks_packets (const TsFilter *self)
{
  return self->empty > 1;
}

gboolean
ts_filter_lacks_pids (const TsFilter *self)
{
  for (guint i = 0; i < TS_PIDS; i++)
    if (self->selection.pids[i].chosen && self->came[i] != 0)
      return FALSE;
  return self->selection.by_pid && self->spans > 0;
}
