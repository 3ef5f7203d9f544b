/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Streams that are spliced at each of their packets: what leaves has no error, and says what has
 * changed.
 */
#include <string.h>
#include "tsloop.h"
#include "tsmaker.h"

#define SLOT (TS_PACKET * 8 * TS_SECOND / MAKER_RATE) /* ns */
#define SECOND (MAKER_RATE / (TS_PACKET * 8))         /* packets */

typedef struct
{
  TsSplice *splice;
  TsMonitor *monitor;
  GByteArray *out;
  gint64 now;
  guint announced; /* PCRs with the discontinuity_indicator */
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
    ts_splice_begin (bench.splice);
    run (&bench, b, 7 * cut % SECOND, n);
    g_assert_cmpuint (bench.announced, ==, 1);
    g_assert_cmpint (bench.version[0], ==, 0);
    g_assert_cmpint (bench.version[1], ==, differs != NULL);
    ts_splice_begin (bench.splice);
    run (&bench, a, SECOND + 3 * cut % SECOND, SECOND);
    g_assert_cmpuint (bench.announced, ==, 2);
    g_assert_cmpint (bench.version[1], ==, differs != NULL ? 2 : 0);
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
  g_test_add_data_func ("/ts/splice/everywhere/same", NULL, test_everywhere);
  g_test_add_data_func ("/ts/splice/everywhere/differs", "", test_everywhere);
  g_test_add_func ("/ts/splice/again", test_again);
  g_test_add_func ("/ts/splice/stamps", test_stamps);
  g_test_add_func ("/ts/splice/loss", test_loss);
  g_test_add_func ("/ts/splice/chance", test_chance);
  return g_test_run ();
}
