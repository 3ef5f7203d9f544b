/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Streams that are spliced at each of their packets: what leaves has no error, and says what has
 * changed.
 */
#include <string.h>
#include "tsloop.h"
#include "tsmaker.h"
#include "tswriter.h"

#define SLOT (TS_PACKET * 8 * TS_SECOND / MAKER_RATE) /* ns */
#define SECOND (MAKER_RATE / (TS_PACKET * 8))         /* packets */

typedef struct
{
  TsSplice *splice;
  TsMonitor *monitor;
  GByteArray *out;
  gint64 now;
  guint announced; /* PCRs with the discontinuity_indicator */
  guint clocks;    /* that are to be announced */
  guint early;     /* PES packets that begin in front of the first PCR of their clock */
  guint64 pcr;     /* the last one */
  gint version[2]; /* of the PAT and the PMT */
} Bench;

static void
bench_init (Bench *bench)
{
  *bench = (Bench) { .splice = ts_splice_new (),
    .monitor = ts_monitor_new (NULL),
    .out = g_byte_array_new (),
    .now = TS_SECOND };
}

static void
bench_clear (Bench *bench)
{
  ts_splice_free (bench->splice);
  ts_monitor_free (bench->monitor);
  g_byte_array_unref (bench->out);
}

static void
look (Bench *bench, const guint8 *data)
{
  TsPacket packet;

  ts_packet_read (&packet, data, TS_PACKET);
  if (packet.has_pcr) {
    bench->announced += packet.announced;
    bench->pcr = packet.pcr;
  }
  bench->early += bench->announced < bench->clocks && packet.start && data[6] == 1;
  if (packet.pid == 0 || packet.pid == MAKER_PMT)
    bench->version[packet.pid != 0] = (data[10] & 0x3e) >> 1;
}

/* Measures the packets of bench->out from @before on. */
static void
look_at (Bench *bench, guint before)
{
  for (; before < bench->out->len; before += TS_PACKET) {
    look (bench, bench->out->data + before);
    ts_monitor_push (bench->monitor, bench->out->data + before, TS_PACKET, bench->now);
  }
}

/* Takes packets from @from on, @n of them, each in its time. */
static void
run (Bench *bench, const GByteArray *stream, guint from, guint n)
{
  for (guint i = from; i < from + n; i++, bench->now += SLOT) {
    guint before = bench->out->len;

    ts_splice_take (bench->splice, stream->data + i * TS_PACKET, bench->out);
    look_at (bench, before);
  }
  ts_monitor_update (bench->monitor, bench->now);
}

static void
assert_errors (const Bench *bench, guint continuity)
{
  for (guint kind = 0; kind < TS_ERRORS; kind++) {
    guint64 count = ts_monitor_get_error (bench->monitor, kind)->count;

    if (count != (kind == TS_ERROR_CONTINUITY ? continuity : 0))
      g_error ("%s: %u", ts_error_rows[kind].name, (guint) count);
  }
}

static gboolean
has_other_sound (Maker *maker, guint8 *packet)
{
  guint32 crc;

  if (maker_get_pid (packet) != MAKER_PMT)
    return TRUE;
  packet[5 + 17] = 0x03; /* the stream_type of the sound */
  crc = GUINT32_TO_BE (ts_section_add_crc (0xffffffff, packet + 5, 22));
  memcpy (packet + 5 + 22, &crc, 4);
  return TRUE;
}

/* Returns @seconds of a stream. @shift: of its clock, s. */
static GByteArray *
make (guint seconds, gint64 shift, gboolean (*change) (Maker *maker, guint8 *packet))
{
  Maker maker;

  maker_init (&maker, NULL);
  maker.bytes = g_byte_array_new ();
  maker.shift = shift * 27000000;
  maker.change = change;
  maker_run (&maker, seconds * TS_SECOND);
  return maker.bytes;
}

/* The first stream is as it came. */
static void
test_first (void)
{
  g_autoptr (GByteArray) a = make (2, 0, NULL);
  Bench bench;

  bench_init (&bench);
  ts_splice_begin (bench.splice);
  run (&bench, a, 0, a->len / TS_PACKET);
  g_assert_cmpmem (bench.out->data, bench.out->len, a->data, a->len);
  assert_errors (&bench, 0);
  bench_clear (&bench);
}

/* The source was silent, for 5 s, at any packet: what follows leaves as it came; a stream that
 * began anew is another one. */
static void
test_doubt (gconstpointer anew)
{
  g_autoptr (GByteArray) a = make (2, 0, NULL), b = make (2, 5000, NULL);

  for (guint cut = SECOND; cut < SECOND + 400; cut += 7) {
    Bench bench;

    bench_init (&bench);
    ts_splice_begin (bench.splice);
    run (&bench, a, 0, cut);
    bench.now += 5 * TS_SECOND;
    ts_monitor_begin (bench.monitor);
    ts_splice_doubt (bench.splice);
    run (&bench, anew != NULL ? b : a, anew != NULL ? 0 : cut, SECOND / 2);
    if (anew == NULL)
      g_assert_cmpmem (bench.out->data, bench.out->len, a->data, (cut + SECOND / 2) * TS_PACKET);
    g_assert_cmpuint (bench.announced, ==, anew != NULL);
    bench_clear (&bench);
  }
}

/* From any packet of one stream to any of another, and back; the tables of the second differ. */
static void
test_everywhere (gconstpointer differs)
{
  g_autoptr (GByteArray) a = make (4, 0, NULL);
  g_autoptr (GByteArray) b = make (4, 5000, differs != NULL ? has_other_sound : NULL);

  for (guint cut = 1; cut < SECOND / 4; cut += 7) {
    guint n = 2 * SECOND;
    Bench bench;

    bench_init (&bench);
    ts_splice_begin (bench.splice);
    run (&bench, a, 0, SECOND + cut);
    bench.clocks++;
    ts_splice_begin (bench.splice);
    run (&bench, b, 7 * cut % SECOND, n);
    g_assert_cmpuint (bench.announced, ==, 1);
    g_assert_cmpint (bench.version[0], ==, 0);
    g_assert_cmpint (bench.version[1], ==, differs != NULL);
    bench.clocks++;
    ts_splice_begin (bench.splice);
    run (&bench, a, SECOND + 3 * cut % SECOND, SECOND);
    g_assert_cmpuint (bench.announced, ==, 2);
    g_assert_cmpint (bench.version[1], ==, differs != NULL ? 2 : 0);
    g_assert_cmpuint (bench.early, ==, 0);
    assert_errors (&bench, 0);
    bench_clear (&bench);
  }
}

/* A stream that is repeated: no PCR, PTS or counter jumps. */
static void
test_again (void)
{
  g_autoptr (GByteArray) a = make (2, 0, NULL);
  TsLoop loop;
  Bench bench;

  bench_init (&bench);
  ts_loop_init (&loop);
  for (guint i = 0; i < 20 * SECOND; i++, bench.now += SLOT) {
    if (i % SECOND == 0 && i > 0)
      ts_loop_again (&loop);
    g_byte_array_set_size (bench.out, 0);
    ts_loop_take (&loop, a->data + i % SECOND * TS_PACKET, bench.out);
    look_at (&bench, 0);
  }
  ts_loop_clear (&loop);
  g_assert_cmpuint (bench.announced, ==, 0);
  g_assert_cmpuint (bench.pcr / 27000000, ==, 19);
  g_assert_cmpint (bench.version[1], ==, 0);
  assert_errors (&bench, 0);
  bench_clear (&bench);
}

/* PTS and DTS move as the PCR does, also where they wrap. */
static void
test_stamps (void)
{
  static const guint8 head[] = { TS_SYNC, 0x41, 0, 0x10, 0, 0, 1, 0xe0, 0, 0, 0x80, 0xc0, 10, 0x3f,
    0xff, 0xff, 0xff, 0xff, 0x11, 0, 1, 0, 1 };
  static const guint8 wanted[] = { 0x31, 0, 5, 0xbf, 0x1f, 0x11, 0, 5, 0xbf, 0x21 };
  guint8 packet[TS_PACKET] = { 0 };
  Bench bench;

  memcpy (packet, head, sizeof head);
  bench_init (&bench);
  ts_splice_follow (bench.splice, 27000000); /* 90000 is 0x15f90 */
  ts_splice_take (bench.splice, packet, bench.out);
  g_assert_cmpmem (bench.out->data + 13, 10, wanted, sizeof wanted);
  bench_clear (&bench);
}

static gboolean
loses_video (Maker *maker, guint8 *packet)
{
  guint64 at = maker->slots - SECOND;

  return at >= 8 || maker_get_pid (packet) != MAKER_VIDEO || maker_is_pcr (packet);
}

/* What a stream itself lacks is seen behind it. */
static void
test_loss (void)
{
  g_autoptr (GByteArray) a = make (2, 0, NULL);
  g_autoptr (GByteArray) b = make (2, 7, loses_video);
  Bench bench;

  bench_init (&bench);
  ts_splice_begin (bench.splice);
  run (&bench, a, 0, SECOND);
  ts_splice_begin (bench.splice);
  run (&bench, b, 0, b->len / TS_PACKET);
  assert_errors (&bench, 1);
  g_assert_cmpuint (b->len, <, a->len);
  bench_clear (&bench);
}

/* Takes packets, one by one.  Returns how many leave for them. */
static guint
take (Bench *bench, const guint8 *packets, guint n)
{
  guint before = bench->out->len;

  for (guint i = 0; i < n; i++)
    ts_splice_take (bench->splice, packets + i * TS_PACKET, bench->out);
  return (bench->out->len - before) / TS_PACKET;
}

/* Writes the packets of a PAT that names MAKER_PMT, and of a PMT with descriptors of @size bytes.
 */
static guint
put_tables (guint8 pat[TS_PACKET], guint8 pmt[TS_SECTION_PACKETS][TS_PACKET], guint size)
{
  static const TsPatEntry entry = { MAKER_PROGRAMME, MAKER_PMT };
  guint8 section[TS_SECTION_KEPT] = { 0 }, packets[TS_SECTION_PACKETS][TS_PACKET];
  guint8 counters[2] = { 0, 0 };
  TsVersion versions[2] = { { FALSE } };
  guint n = ts_pat_write (section, 1, &entry, 1);

  ts_section_seal (section, n, &versions[0]);
  ts_section_write (section, n, 0, &counters[0], packets);
  memcpy (pat, packets[0], TS_PACKET);
  memset (section, 0, sizeof section);
  memcpy (section, (guint8[]) { 2, 0, 0, 0, MAKER_PROGRAMME, 0xc1, 0, 0, 0xe1, 0, 0xf0, size }, 12);
  ts_section_seal (section, 12 + size + TS_SECTION_CRC, &versions[1]);
  return ts_section_write (section, 12 + size + TS_SECTION_CRC, MAKER_PMT, &counters[1], pmt);
}

/* A PMT of two packets goes on, though a PAT comes between them, and though each is sent twice. */
static void
test_between (void)
{
  guint8 pat[TS_PACKET], pmt[TS_SECTION_PACKETS][TS_PACKET];
  Bench bench;

  g_assert_cmpuint (put_tables (pat, pmt, 200), ==, 2);
  bench_init (&bench);
  ts_splice_begin (bench.splice);
  take (&bench, pat, 1);
  g_assert_cmpuint (take (&bench, pmt[0], 1), ==, 0);
  g_assert_cmpuint (take (&bench, pmt[0], 1), ==, 0);
  pat[3]++;
  g_assert_cmpuint (take (&bench, pat, 1), ==, 1);
  g_assert_cmpuint (take (&bench, pmt[1], 1), ==, 2);
  g_assert_cmpuint (take (&bench, pmt[1], 1), ==, 0);
  g_assert_cmpmem (bench.out->data + 2 * TS_PACKET + 4, TS_PACKET - 4, pmt[0] + 4, TS_PACKET - 4);
  g_assert_cmpmem (bench.out->data + 3 * TS_PACKET + 4, TS_PACKET - 4, pmt[1] + 4, TS_PACKET - 4);
  bench_clear (&bench);
}

/* A PID that a whole PAT names no more carries no tables; one of which a section is missing tells
 * nothing. */
static void
test_gone (void)
{
  guint8 pat[TS_PACKET], pmt[TS_SECTION_PACKETS][TS_PACKET], other[TS_PACKET];
  guint8 section[] = { 0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 8, 0xe0, 0x30 };
  Bench bench;

  for (guint last = 0; last < 2; last++) {
    put_tables (pat, pmt, 200);
    section[6] = section[7] = 0;
    if (last == 1)
      section[6] = section[7] = 2; /* number 1 does not come */
    maker_put_section (other, 0, section, sizeof section);
    other[3] |= 1;
    bench_init (&bench);
    take (&bench, pat, 1);
    take (&bench, other, 1);
    g_assert_cmpuint (take (&bench, pmt[0], 1), ==, last == 0 ? 1 : 0);
    bench_clear (&bench);
  }
}

/* Sections without a body fill a packet: on the PIDs of the PAT and of a PMT, none goes on that has
 * to have one; the others leave in one packet. */
static void
test_crowd (void)
{
  static const struct
  {
    guint16 pid;
    guint8 id;
    guint wanted;
  } rows[] = { { 0, 0, 0 }, { 0, 0x40, 0 }, { MAKER_PMT, 2, 0 }, { MAKER_PMT, 0xc0, 1 } };
  guint8 pat[TS_PACKET], pmt[TS_SECTION_PACKETS][TS_PACKET];

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint8 packet[TS_PACKET] = { TS_SYNC, 0x40 | rows[i].pid >> 8, rows[i].pid & 0xff, 0x11 };
    Bench bench;

    for (guint at = 5; at + 3 <= TS_PACKET; at += 3)
      packet[at] = rows[i].id;
    put_tables (pat, pmt, 20);
    bench_init (&bench);
    take (&bench, pat, 1);
    take (&bench, pmt[0], 1);
    g_assert_cmpuint (take (&bench, packet, 1), ==, rows[i].wanted);
    if (rows[i].wanted > 0)
      g_assert_cmpmem (bench.out->data + 2 * TS_PACKET, TS_PACKET, packet, TS_PACKET);
    bench_clear (&bench);
  }
}

/* Gives a packet that is taken a counter.  Returns the order of those of its PID that leave. */
static TsOrder
take_counted (Bench *bench, guint8 *packet, guint counter, guint8 *state)
{
  guint at = bench->out->len;
  TsOrder worst = TS_ORDER_NEXT;

  packet[3] = (packet[3] & 0xf0) | (counter & 0x0f);
  for (take (bench, packet, 1); at < bench->out->len; at += TS_PACKET) {
    TsPacket left;
    TsOrder order;

    ts_packet_read (&left, bench->out->data + at, TS_PACKET);
    order = ts_packet_check_counter (&left, state);
    worst = MAX (worst, order);
  }
  return worst;
}

/* A PID whose packets are written anew once it is known that they are a PMT's, and are not while
 * they are scrambled: its counters go on. */
static void
test_ways (void)
{
  guint8 pat[TS_PACKET], pmt[TS_SECTION_PACKETS][TS_PACKET], scrambled[TS_PACKET];
  guint8 stuffing[TS_PACKET] = { TS_SYNC, MAKER_PMT >> 8, MAKER_PMT, 0x10 }, state = 0;
  Bench bench;

  put_tables (pat, pmt, 20);
  memset (stuffing + 4, 0xff, TS_PACKET - 4);
  memcpy (scrambled, pmt[0], TS_PACKET);
  scrambled[3] |= 0x80;
  bench_init (&bench);
  for (guint round = 0; round < 3; round++) {
    guint at = 7 * round;

    ts_splice_begin (bench.splice);
    g_assert_cmpint (take_counted (&bench, pmt[0], at++, &state), ==, TS_ORDER_NEXT);
    take (&bench, pat, 1);
    g_assert_cmpint (take_counted (&bench, pmt[0], at++, &state), ==, TS_ORDER_NEXT);
    g_assert_cmpint (take_counted (&bench, stuffing, at++, &state), ==, TS_ORDER_NEXT);
    g_assert_cmpint (take_counted (&bench, scrambled, at++, &state), ==, TS_ORDER_NEXT);
    g_assert_cmpint (take_counted (&bench, pmt[0], at++, &state), ==, TS_ORDER_NEXT);
  }
  g_assert_cmpint (state & 0x0f, ==, 11); /* 12 packets */
  bench_clear (&bench);
}

/* A PMT in a packet that has a PCR: both go on, and the table has its version. */
static void
test_pmt_with_pcr (void)
{
  static const guint8 field[] = { 7, 0x10, 0, 0, 0, 0, 0x7e, 0 };
  guint8 pat[TS_PACKET], pmt[TS_SECTION_PACKETS][TS_PACKET], state = 0;
  TsPacket left;
  Bench bench;

  bench_init (&bench);
  for (guint size = 20; size < 22; size++) {
    put_tables (pat, pmt, size);
    memmove (pmt[0] + 4 + sizeof field, pmt[0] + 4, TS_PACKET - 4 - sizeof field);
    memcpy (pmt[0] + 4, field, sizeof field);
    pmt[0][3] |= 0x20;
    ts_splice_begin (bench.splice);
    take (&bench, pat, 1);
    g_assert_cmpint (take_counted (&bench, pmt[0], 5, &state), ==, TS_ORDER_NEXT);
    ts_packet_read (&left, bench.out->data + bench.out->len - 2 * TS_PACKET, TS_PACKET);
    g_assert_true (left.has_pcr && left.step == 0);
    look_at (&bench, bench.out->len - TS_PACKET);
    g_assert_cmpint (bench.version[1], ==, size - 20);
  }
  bench_clear (&bench);
}

/* A PMT of the programme 0, which is no programme, does not change the version of the PAT. */
static void
test_programme_0 (void)
{
  guint8 pat[TS_PACKET], pmt[TS_SECTION_PACKETS][TS_PACKET], packet[TS_PACKET];
  guint8 section[] = { 2, 0, 0, 0, 0, 0xc1, 0, 0, 0xff, 0xff, 0xf0, 0 };
  Bench bench;

  put_tables (pat, pmt, 20);
  maker_put_section (packet, MAKER_PMT, section, sizeof section);
  bench_init (&bench);
  for (guint i = 0; i < 4; i++) {
    guint before = bench.out->len;

    pat[3] = packet[3] = 0x10 | i;
    take (&bench, pat, 1);
    take (&bench, packet, 1);
    look_at (&bench, before);
    g_assert_cmpint (bench.version[0], ==, 0);
  }
  bench_clear (&bench);
}

/* Bytes of PES packets that have no time stamps are not moved. */
static void
test_bare (void)
{
  static const guint8 ids[] = { 0xbc, 0xbe, 0xbf, 0xf0, 0xf1, 0xf2, 0xf8, 0xff };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++) {
    guint8 packet[TS_PACKET] = { TS_SYNC, 0x41, 0, 0x10, 0, 0, 1, ids[i], 0, 0, 0x80, 0xc0, 10 };
    Bench bench;

    bench_init (&bench);
    ts_splice_follow (bench.splice, 27000000);
    take (&bench, packet, 1);
    g_assert_cmpmem (bench.out->data, bench.out->len, packet, TS_PACKET);
    bench_clear (&bench);
  }
}

/* A PID in which nothing begins goes on behind the first stream, too; one that is new waits. */
static void
test_plain (void)
{
  guint8 packet[TS_PACKET] = { TS_SYNC, 0x01, 0x30, 0x10 };
  guint8 other[TS_PACKET] = { TS_SYNC, 0x01, 0x31, 0x10 };
  Bench bench;

  bench_init (&bench);
  for (guint i = 0; i < 3; i++) {
    ts_splice_begin (bench.splice);
    packet[3] = 0x10 | 5 * i;
    take (&bench, packet, 1);
    g_assert_cmpmem (bench.out->data + bench.out->len - TS_PACKET, 3, packet, 3);
    g_assert_cmpint (bench.out->data[bench.out->len - TS_PACKET + 3] & 0x0f, ==, i);
  }
  take (&bench, other, 1);
  g_assert_cmpint (maker_get_pid (bench.out->data + bench.out->len - TS_PACKET), ==, TS_NULL_PID);
  bench_clear (&bench);
}

/* A file with one PCR, or with two that are too far apart, does not tell how long a round is: the
 * clock jumps, and this is announced. */
static void
test_seldom (void)
{
  for (guint seconds = 0; seconds <= 2; seconds += 2) {
    guint8 packet[TS_PACKET] = { TS_SYNC, 0x01, 0, 0x20, 183, 0x10 };
    TsLoop loop;
    Bench bench;

    bench_init (&bench);
    ts_loop_init (&loop);
    for (guint i = 0; i < 4; i++) {
      if (i > 0)
        ts_loop_again (&loop);
      for (guint k = 0; k <= seconds; k += 2) {
        ts_packet_write_pcr (packet, (1 + k) * 27000000);
        ts_loop_take (&loop, packet, bench.out);
      }
    }
    ts_loop_clear (&loop);
    for (guint at = 0; at < bench.out->len; at += TS_PACKET)
      look (&bench, bench.out->data + at);
    g_assert_cmpuint (bench.announced, ==, 3);
    bench_clear (&bench);
  }
}

/* A stream that has no PCR at all goes on, a bit later. */
static void
test_no_clock (void)
{
  guint8 packet[TS_PACKET] = { TS_SYNC, 0x41, 0x30, 0x10, 0, 0, 1, 0xc0 };
  guint left_out = 0;
  Bench bench;

  bench_init (&bench);
  ts_splice_begin (bench.splice);
  take (&bench, packet, 1);
  ts_splice_begin (bench.splice);
  for (guint i = 0; i < 2 * TS_SPLICE_AWAITED; i++) {
    take (&bench, packet, 1);
    left_out += maker_get_pid (bench.out->data + bench.out->len - TS_PACKET) == TS_NULL_PID;
  }
  g_assert_cmpuint (left_out, ==, TS_SPLICE_AWAITED);
  bench_clear (&bench);
}

/* Whatever comes, whole packets leave, and not many more than came. */
static void
test_chance (void)
{
  g_autoptr (GRand) chance = g_rand_new_with_seed (3);
  g_autoptr (GByteArray) a = make (2, 0, NULL);
  Bench bench;

  bench_init (&bench);
  for (guint i = 0; i < 100000; i++) {
    guint8 packet[TS_PACKET];

    memcpy (packet, a->data + i % (a->len / TS_PACKET) * TS_PACKET, TS_PACKET);
    for (guint k = g_rand_int_range (chance, 0, 4); k > 0; k--)
      packet[g_rand_int_range (chance, 1, g_rand_boolean (chance) ? 12 : TS_PACKET)] =
          g_rand_int (chance);
    if (g_rand_int_range (chance, 0, 500) == 0)
      ts_splice_follow (bench.splice, g_rand_int (chance));
    ts_splice_take (bench.splice, packet, bench.out);
    g_assert_cmpuint (bench.out->len % TS_PACKET, ==, 0);
    g_assert_cmpuint (bench.out->len, <=, (i + 1) * 2 * TS_PACKET);
  }
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ts/splice/first", test_first);
  g_test_add_data_func ("/ts/splice/silent/goes-on", NULL, test_doubt);
  g_test_add_data_func ("/ts/splice/silent/anew", "", test_doubt);
  g_test_add_data_func ("/ts/splice/everywhere/same", NULL, test_everywhere);
  g_test_add_data_func ("/ts/splice/everywhere/differs", "", test_everywhere);
  g_test_add_func ("/ts/splice/again", test_again);
  g_test_add_func ("/ts/splice/stamps", test_stamps);
  g_test_add_func ("/ts/splice/loss", test_loss);
  g_test_add_func ("/ts/splice/between", test_between);
  g_test_add_func ("/ts/splice/gone", test_gone);
  g_test_add_func ("/ts/splice/crowd", test_crowd);
  g_test_add_func ("/ts/splice/ways", test_ways);
  g_test_add_func ("/ts/splice/pmt-with-pcr", test_pmt_with_pcr);
  g_test_add_func ("/ts/splice/programme-0", test_programme_0);
  g_test_add_func ("/ts/splice/bare", test_bare);
  g_test_add_func ("/ts/splice/plain", test_plain);
  g_test_add_func ("/ts/splice/seldom", test_seldom);
  g_test_add_func ("/ts/splice/no-clock", test_no_clock);
  g_test_add_func ("/ts/splice/chance", test_chance);
  return g_test_run ();
}
