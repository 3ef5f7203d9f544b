/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tssplice.h"
#include "tswriter.h"

/* Tables: the PAT, and as many PMTs as are looked at elsewhere (tstables.h). */
#define PMTS_MAX 64
#define PAT_PID 0
#define PAT_ID 0
#define PMT_ID 2
#define LONG_HEADER 8 /* bytes of a section, up to the last_section_number */

/* What is known of a PID. */
#define COUNTER 0x0f /* its last continuity_counter, if */
#define SENT 0x10    /* a packet of it went on */
#define BEGUN 0x20   /* of this stream, too: from a beginning on */
#define MARKED 0x40  /* this stream's first PCR of it went on */

typedef struct
{
  guint16 number; /* of the programme; 0: the PAT */
  gboolean kept;  /* its version_number is */
  TsVersion version;
} Table;

typedef struct
{
  guint16 pid;
  TsSection section;
} Reader;

struct _TsSplice
{
  guint streams;         /* that have begun */
  gboolean jumps;        /* the clock of this stream is another one */
  guint64 shift;         /* 27 MHz */
  guint8 state[TS_PIDS]; /* bits, as above */
  guint8 delta[TS_PIDS]; /* added to the counters of this stream */
  Table tables[1 + PMTS_MAX];
  guint n; /* readers: the PAT's, and one of each PID of a PMT */
  Reader *readers[1 + PMTS_MAX];
  GByteArray *out; /* borrowed while a packet is taken */
};

static void
add_reader (TsSplice *self, guint16 pid)
{
  for (guint i = 0; i < self->n; i++)
    if (self->readers[i]->pid == pid)
      return;
  if (self->n == G_N_ELEMENTS (self->readers) || pid == TS_NULL_PID)
    return;
  self->readers[self->n] = g_new0 (Reader, 1);
  self->readers[self->n++]->pid = pid;
}

/* Forgets all readers from @first on. */
static void
drop_readers (TsSplice *self, guint first)
{
  while (self->n > first)
    g_clear_pointer (&self->readers[--self->n], g_free);
}

TsSplice *
ts_splice_new (void)
{
  TsSplice *self = g_new0 (TsSplice, 1);

  add_reader (self, PAT_PID);
  return self;
}

void
ts_splice_free (TsSplice *self)
{
  if (self == NULL)
    return;
  drop_readers (self, 0);
  g_free (self);
}

void
ts_splice_follow (TsSplice *self, guint64 shift)
{
  self->streams++;
  self->jumps = FALSE;
  self->shift = shift;
  for (guint pid = 0; pid < TS_PIDS; pid++)
    self->state[pid] &= COUNTER | SENT;
  memset (self->delta, 0, sizeof self->delta);
  drop_readers (self, 0);
  add_reader (self, PAT_PID);
}

void
ts_splice_begin (TsSplice *self)
{
  ts_splice_follow (self, 0);
  self->jumps = TRUE;
}

/* --- tables ------------------------------------------------------------------------------------ */

/* @packet: the one with its end. */
static void
send_section (TsSplice *self, const guint8 *section, guint size, const TsPacket *packet)
{
  guint8 packets[TS_SECTION_PACKETS][TS_PACKET];
  guint8 *state = &self->state[packet->pid];
  guint8 next = *state & SENT ? (*state + 1) & COUNTER : packet->counter;
  guint n = ts_section_write (section, size, packet->pid, &next, packets);

  for (guint i = 0; i < n; i++)
    g_byte_array_append (self->out, packets[i], TS_PACKET);
  *state = SENT | BEGUN | (*state & MARKED) | ((next + COUNTER) & COUNTER);
}

/* Returns the versions of a table, or NULL if there is no room. */
static TsVersion *
find_version (TsSplice *self, guint16 number)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->tables); i++) {
    Table *table = &self->tables[i];

    if (table->kept && table->number != number)
      continue;
    table->kept = TRUE;
    table->number = number;
    return &table->version;
  }
  return NULL;
}

/* Learns from a PAT which PIDs carry PMTs. */
static void
learn (TsSplice *self, const guint8 *section, guint size)
{
  if (section[6] == 0)
    drop_readers (self, 1);
  for (guint at = LONG_HEADER; at + 4 + TS_SECTION_CRC <= size; at += 4)
    if (ts_get_16 (section + at) != 0)
      add_reader (self, ts_get_16 (section + at + 2) & (TS_PIDS - 1));
}

/* Takes a whole section, which it may change. */
static void
take_section (TsSplice *self, guint8 *section, guint size, const TsPacket *packet)
{
  gboolean is_pat = packet->pid == PAT_PID && section[0] == PAT_ID;
  gboolean is_table = (is_pat || (packet->pid != PAT_PID && section[0] == PMT_ID))
      && size >= LONG_HEADER + TS_SECTION_CRC && (section[1] & 0x80) != 0;
  gboolean is_current = is_table && (section[5] & 1) != 0;
  TsVersion *version = NULL;

  /* the sections of a table have one version */
  if (is_current && section[6] == 0 && section[7] == 0)
    version = find_version (self, is_pat ? 0 : ts_get_16 (section + 3));
  if (version != NULL)
    ts_section_seal (section, size, version);
  send_section (self, section, size, packet);
  if (is_current && is_pat)
    learn (self, section, size);
}

/* Takes a packet of tables. */
static void
take_table (TsSplice *self, guint reader, const TsPacket *packet, const guint8 *data)
{
  TsSection *section = &self->readers[reader]->section;
  gsize done = 0;

  /* a PAT may remove the others' readers, not its own */
  while (ts_section_take (section, packet, data, &done)) {
    gboolean has_crc = (section->data[1] & 0x80) != 0;

    if (section->size <= TS_SECTION_KEPT && (!has_crc || section->crc == 0))
      take_section (self, section->data, section->size, packet);
  }
}

/* --- other packets --------------------------------------------------------------------------- */

/* Adds the shift to 33 bits of a PES packet's header. */
static void
move_stamp (guint8 *at, guint64 shift)
{
  guint64 time =
      (guint64) (at[0] >> 1 & 7) << 30 | at[1] << 22 | at[2] >> 1 << 15 | at[3] << 7 | at[4] >> 1;

  time += shift / 300;
  at[0] = (at[0] & 0xf1) | (time >> 30 & 7) << 1;
  at[1] = time >> 22;
  at[2] = (time >> 15 & 0x7f) << 1 | 1;
  at[3] = time >> 7;
  at[4] = (time & 0x7f) << 1 | 1;
}

/* Moves the PTS and the DTS of a PES packet that begins with @pes. */
static void
move_pes (guint8 *pes, guint size, guint64 shift)
{
  if (size < 14 || pes[0] != 0 || pes[1] != 0 || pes[2] != 1 || (pes[6] & 0xc0) != 0x80
      || (pes[7] & 0x80) == 0)
    return;
  move_stamp (pes + 9, shift);
  if ((pes[7] & 0x40) != 0 && size >= 19)
    move_stamp (pes + 14, shift);
}

static void
move (const TsSplice *self, const TsPacket *packet, guint8 *data)
{
  if (packet->has_pcr)
    ts_packet_write_pcr (data, packet->pcr + self->shift);
  if (packet->start && !packet->scrambled && packet->payload < TS_PACKET)
    move_pes (data + packet->payload, TS_PACKET - packet->payload, self->shift);
}

/* Leaves the adaptation field alone, up to the end of the packet. */
static void
strip (TsPacket *packet, guint8 *data)
{
  memset (data + packet->payload, 0xff, TS_PACKET - packet->payload);
  data[1] &= 0xbf;
  data[3] = (data[3] & 0x0f) | 0x20;
  data[4] = TS_PACKET - 5;
  packet->payload = TS_PACKET;
  packet->step = 0;
  packet->start = packet->scrambled = FALSE;
}

/* Makes a null packet of it, so that packets behind it leave in their time. */
static void
make_null (TsPacket *packet, guint8 *data)
{
  static const guint8 head[] = { TS_SYNC, TS_NULL_PID >> 8, TS_NULL_PID & 0xff, 0x10 };

  memset (data, 0xff, TS_PACKET);
  memcpy (data, head, sizeof head);
  packet->pid = TS_NULL_PID;
}

/* Gives the packet a counter that follows on the last one of its PID. */
static void
count (TsSplice *self, const TsPacket *packet, guint8 *data)
{
  guint8 *state = &self->state[packet->pid];
  guint8 *delta = &self->delta[packet->pid];

  /* the first one of this stream, or a packet between the streams, which has no payload */
  if ((*state & SENT) != 0 && (*state & BEGUN) == 0)
    *delta = (*state & COUNTER) + packet->step - packet->counter;
  if (packet->step != 0)
    *state |= BEGUN;
  *state = (*state & ~COUNTER) | SENT | ((packet->counter + *delta) & COUNTER);
  data[3] = (data[3] & 0xf0) | (*state & COUNTER);
}

/* Changes a packet that is not one of tables. */
static void
change (TsSplice *self, TsPacket *packet, guint8 *data)
{
  guint8 *state = &self->state[packet->pid];

  if (self->streams > 1 && (*state & BEGUN) == 0 && packet->step != 0 && !packet->start) {
    if (!packet->has_pcr) {
      make_null (packet, data);
      return;
    }
    strip (packet, data);
  }
  count (self, packet, data);
  if (packet->has_pcr && self->jumps && self->streams > 1 && (*state & MARKED) == 0) {
    ts_packet_announce (data);
    *state |= MARKED;
  }
  if (self->shift != 0)
    move (self, packet, data);
}

void
ts_splice_take (TsSplice *self, const guint8 from[TS_PACKET], GByteArray *out)
{
  guint8 data[TS_PACKET];
  TsPacket packet;
  guint reader = 0;

  memcpy (data, from, TS_PACKET);
  ts_packet_read (&packet, data, TS_PACKET);
  self->out = out;
  while (reader < self->n && self->readers[reader]->pid != packet.pid)
    reader++;
  if (reader < self->n && !packet.has_pcr && !packet.scrambled && !packet.damaged) {
    take_table (self, reader, &packet, data);
    return;
  }
  if (packet.pid != TS_NULL_PID && !packet.damaged && packet.counter <= COUNTER)
    change (self, &packet, data);
  g_byte_array_append (out, data, TS_PACKET);
}
