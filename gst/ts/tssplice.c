/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tssplice.h"
#include "tswriter.h"

/* Tables: the PAT, and as many PMTs as are looked at elsewhere (tstables.h). */
#define PMTS_MAX 64
#define SECTIONS_SIZE (TS_PACKET - 5) /* bytes of sections in a packet that begins with one */

/* What is known of a PID. */
#define COUNTER 0x0f /* its last continuity_counter, if */
#define SENT 0x10    /* a packet of it went on */
#define BEGUN 0x20   /* of this stream, too: from a beginning on */
#define MARKED 0x40  /* this stream's first PCR of it went on */
#define PLAIN 0x80   /* nothing begins in its packets, as far as the last stream of it told */

typedef struct
{
  guint16 number; /* of the programme */
  gboolean kept;  /* its version_number is */
  TsVersion version;
} Table;

typedef struct
{
  guint16 pid;
  gboolean named; /* by the PAT that is being read */
  guint8 order;   /* of ts_packet_check_counter */
  TsSection section;
} Reader;

struct _TsSplice
{
  guint streams;         /* that have begun */
  gboolean jumps;        /* the clock of this stream is another one */
  gboolean doubted;      /* the next packets may be those of a stream that began anew */
  guint awaited;         /* PES packets that may be left out until its first PCR comes */
  guint64 shift;         /* 27 MHz */
  guint8 state[TS_PIDS]; /* bits, as above */
  guint8 delta[TS_PIDS]; /* added to the counters of this stream */
  TsVersion pat;
  Table pmts[PMTS_MAX];
  guint n; /* readers: the PAT's, and one of each PID of a PMT */
  Reader *readers[1 + PMTS_MAX];
  guint next;      /* section of the PAT, if all came in order */
  GByteArray *out; /* borrowed while a packet is taken */
};

static void
add_reader (TsSplice *self, guint16 pid)
{
  guint i = 0;

  while (i < self->n && self->readers[i]->pid != pid)
    i++;
  if (i == G_N_ELEMENTS (self->readers) || pid == TS_NULL_PID)
    return;
  if (i == self->n) {
    self->readers[self->n++] = g_new0 (Reader, 1);
    self->readers[i]->pid = pid;
  }
  self->readers[i]->named = TRUE;
}

static void
remove_reader (TsSplice *self, guint i)
{
  g_free (self->readers[i]);
  self->readers[i] = self->readers[--self->n];
}

static void
remove_readers (TsSplice *self)
{
  while (self->n > 0)
    remove_reader (self, 0);
}

TsSplice *
ts_splice_new (void)
{
  TsSplice *self = g_new0 (TsSplice, 1);

  add_reader (self, TS_PID_PAT);
  return self;
}

void
ts_splice_free (TsSplice *self)
{
  if (self == NULL)
    return;
  remove_readers (self);
  g_free (self);
}

void
ts_splice_follow (TsSplice *self, guint64 shift)
{
  self->streams++;
  self->jumps = self->doubted = FALSE;
  self->awaited = 0;
  self->shift = shift;
  for (guint pid = 0; pid < TS_PIDS; pid++)
    self->state[pid] &= COUNTER | SENT | PLAIN;
  memset (self->delta, 0, sizeof self->delta);
  remove_readers (self);
  add_reader (self, TS_PID_PAT);
}

void
ts_splice_begin (TsSplice *self)
{
  ts_splice_follow (self, 0);
  self->jumps = TRUE;
  self->awaited = TS_SPLICE_AWAITED;
}

/* --- tables ------------------------------------------------------------------------------------ */

/* Sends a section, or several that fit into one packet.  @packet: the one with their end. */
static void
send_sections (TsSplice *self, const guint8 *sections, guint size, const TsPacket *packet)
{
  guint8 packets[TS_SECTION_PACKETS][TS_PACKET];
  guint8 *state = &self->state[packet->pid];
  guint8 next = *state & SENT ? (*state + 1) & COUNTER : packet->counter;
  guint n = ts_section_write (sections, size, packet->pid, &next, packets);

  for (guint i = 0; i < n; i++)
    g_byte_array_append (self->out, packets[i], TS_PACKET);
  *state = SENT | BEGUN | (*state & MARKED) | ((next + COUNTER) & COUNTER);
}

/* Returns the versions of a PMT, or NULL if there is no room. */
static TsVersion *
find_version (TsSplice *self, guint16 number)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->pmts); i++) {
    Table *table = &self->pmts[i];

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
  TsItems left = ts_items_of (section, size, TS_LONG_HEADER);
  TsPatEntry entry;
  gboolean whole;

  for (guint i = 1; section[6] == 0 && i < self->n; i++)
    self->readers[i]->named = FALSE;
  while (ts_items_take_programme (&left, &entry))
    if (entry.number != 0)
      add_reader (self, entry.pmt_pid);
  whole = ts_pat_is_whole (section, &self->next);
  /* backwards, as the last one takes the place of one that goes */
  for (guint i = self->n; whole && i-- > 1;)
    if (!self->readers[i]->named)
      remove_reader (self, i);
}

/* Takes a whole section, and gives a table its version.  FALSE: it does not go on. */
static gboolean
take_section (TsSplice *self, TsSection *whole, guint16 pid)
{
  guint8 *section = whole->data;
  gboolean is_pat = pid == TS_PID_PAT, is_long = (section[1] & 0x80) != 0;
  gboolean is_table = is_pat || section[0] == TS_TABLE_PMT;
  TsVersion *version = NULL;

  if (whole->size > TS_SECTION_KEPT || (is_long && whole->crc != 0))
    return FALSE;
  if (is_table && (!is_long || whole->size < TS_LONG_HEADER + TS_SECTION_CRC))
    return FALSE;
  if (!is_table || (is_pat && section[0] != TS_TABLE_PAT) || (section[5] & TS_CURRENT) == 0)
    return TRUE;
  /* the sections of a table have one version */
  if (section[6] == 0 && section[7] == 0)
    version = is_pat ? &self->pat : find_version (self, ts_get_16 (section + 3));
  if (version != NULL)
    ts_section_seal (section, whole->size, version);
  if (is_pat)
    learn (self, section, whole->size);
  return TRUE;
}

/* Takes the payload of a packet of tables.  The sections that begin and end in it fit into a packet
 * again, so at most one leaves besides those that the section takes which began before it. */
static void
take_table (TsSplice *self, Reader *reader, const TsPacket *packet, const guint8 *data)
{
  TsSection *section = &reader->section;
  TsOrder order = ts_packet_check_counter (packet, &reader->order);
  guint8 sections[TS_SECTION_KEPT];
  guint size = 0;
  gsize done = 0;

  if (order == TS_ORDER_LOST || order == TS_ORDER_JUMP)
    ts_section_drop (section);
  if (order == TS_ORDER_AGAIN || packet->payload == TS_PACKET)
    return;
  while (ts_section_take (section, packet, data, &done)) {
    if (!take_section (self, section, packet->pid))
      continue;
    if (size > 0 && size + section->size > SECTIONS_SIZE) {
      send_sections (self, sections, size, packet);
      size = 0;
    }
    memcpy (sections + size, section->data, section->size);
    size += section->size;
  }
  if (size > 0)
    send_sections (self, sections, size, packet);
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

/* Have PES packets with this stream_id bytes of data where others have flags and time stamps?
 * (ISO/IEC 13818-1, 2.4.3.7) */
static gboolean
is_bare (guint8 id)
{
  static const guint8 ids[] = { 0xbc, 0xbe, 0xbf, 0xf0, 0xf1, 0xf2, 0xf8, 0xff };

  return memchr (ids, id, sizeof ids) != NULL;
}

/* Moves the PTS and the DTS of a PES packet that begins with @pes. */
static void
move_pes (guint8 *pes, guint size, guint64 shift)
{
  if (size < 14 || pes[0] != 0 || pes[1] != 0 || pes[2] != 1 || is_bare (pes[3])
      || (pes[6] & 0xc0) != 0x80 || (pes[7] & 0x80) == 0)
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

/* Makes a null packet of it, so that packets behind it leave in their time. */
static void
make_null (TsPacket *packet, guint8 *data)
{
  ts_packet_write_null (data);
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
  if (packet->step != 0 && packet->start)
    *state &= ~PLAIN;
  else if (packet->step != 0 && (*state & BEGUN) == 0)
    *state |= PLAIN;
  if (packet->step != 0)
    *state |= BEGUN;
  *state = (*state & ~COUNTER) | SENT | ((packet->counter + *delta) & COUNTER);
  data[3] = (data[3] & 0xf0) | (*state & COUNTER);
}

/* Is the payload of the packet to be left out, as its PID has not begun? */
static gboolean
is_early (TsSplice *self, const TsPacket *packet, const guint8 *data)
{
  const guint8 *pes = data + packet->payload;
  guint8 state = self->state[packet->pid];

  if (self->streams < 2 || packet->step == 0 || (state & BEGUN) != 0)
    return FALSE;
  if (!packet->start)
    return (state & PLAIN) == 0;
  if (packet->has_pcr || self->awaited == 0)
    return FALSE;
  if (!packet->scrambled
      && (packet->payload + 3 > TS_PACKET || pes[0] != 0 || pes[1] != 0 || pes[2] != 1))
    return FALSE;
  self->awaited--;
  return TRUE;
}

/* Changes a packet that is not one of tables. */
static void
change (TsSplice *self, TsPacket *packet, guint8 *data)
{
  guint8 *state = &self->state[packet->pid];

  if (is_early (self, packet, data)) {
    if (!packet->has_pcr) {
      make_null (packet, data);
      return;
    }
    ts_packet_strip (packet, data);
  }
  count (self, packet, data);
  if (packet->has_pcr)
    self->awaited = 0;
  if (packet->has_pcr && self->jumps && self->streams > 1 && (*state & MARKED) == 0) {
    ts_packet_announce (data);
    *state |= MARKED;
  }
  if (self->shift != 0)
    move (self, packet, data);
}

/* The packets of a PID of tables are written anew, so its counters go on from the last one of them.
 */
static void
keep_up (TsSplice *self, const TsPacket *packet)
{
  guint8 state = self->state[packet->pid];

  if ((state & SENT) != 0)
    self->delta[packet->pid] = (state & COUNTER) - packet->counter;
}

/* Sends the PCR of a packet of tables, which goes on alone. */
static void
send_clock (TsSplice *self, TsPacket packet, const guint8 *from)
{
  guint8 data[TS_PACKET];

  memcpy (data, from, TS_PACKET);
  ts_packet_strip (&packet, data);
  keep_up (self, &packet);
  change (self, &packet, data);
  g_byte_array_append (self->out, data, TS_PACKET);
}

void
ts_splice_doubt (TsSplice *self)
{
  self->doubted = TRUE;
}

/* Another stream begins if the packet's counter does not follow.  Else a PCR ends the doubt. */
static void
resolve (TsSplice *self, const TsPacket *packet)
{
  guint8 state = self->state[packet->pid];
  guint8 step = (packet->counter + self->delta[packet->pid] - state) & COUNTER;

  if ((state & BEGUN) != 0 && !packet->announced && step != 0 && step != packet->step)
    ts_splice_begin (self);
  else if (packet->has_pcr)
    self->doubted = FALSE;
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
  if (self->doubted && packet.pid != TS_NULL_PID && !packet.damaged && packet.counter <= COUNTER)
    resolve (self, &packet);
  while (reader < self->n && self->readers[reader]->pid != packet.pid)
    reader++;
  if (reader < self->n && !packet.scrambled && !packet.damaged && packet.counter <= COUNTER) {
    if (packet.has_pcr)
      send_clock (self, packet, data);
    take_table (self, self->readers[reader], &packet, data);
    keep_up (self, &packet);
    return;
  }
  if (packet.pid != TS_NULL_PID && !packet.damaged && packet.counter <= COUNTER)
    change (self, &packet, data);
  g_byte_array_append (out, data, TS_PACKET);
}
