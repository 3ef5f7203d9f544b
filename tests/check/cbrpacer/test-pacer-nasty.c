/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Streams whose PCRs, or whose arrival, are wrong in one way each, through cbrpacer
 * stuffing=null-ts: restamped.h says what holds for each of them.  A row says besides how often the
 * clock begins anew, which is announced, and which errors of TR 101 290 the source has that a pacer
 * cannot mend.
 */
#include "restamped.h"
#include "tsmaker.h"

#define SECONDS 25
#define RATE 6000000
#define TICKS(ms) (27000 * (gint64) (ms)) /* of 27 MHz */
#define PCR_EACH 30                       /* ms, of the maker */

typedef struct _Row Row;

typedef struct
{
  Maker maker;
  const Row *row;
  GRand *rand;
  guint pcrs;        /* so far */
  gint64 shift;      /* of the source's clock, 27 MHz */
  GstBuffer *buffer; /* of the packets that leave next */
  guint n;           /* packets in it */
  gint64 arrived;    /* when the last buffer came, ns */
  GPtrArray *stream;
} Source;

struct _Row
{
  const gchar *name;
  gint64 begin;  /* ms, the PCR at first */
  gint64 step;   /* ms, of the clock after ten seconds */
  gdouble drift; /* of the clock */
  /* Changes a packet with a PCR of value @pcr.  FALSE: it is not sent. */
  gboolean (*change_pcr) (Source *source, guint8 *packet, gint64 pcr);
  /* Changes any packet.  FALSE: it is not sent. */
  gboolean (*change) (Source *source, guint8 *packet);
  /* Returns by how much a buffer comes late, ns. */
  gint64 (*delay) (Source *source, gint64 now);
  guint begun_min, begun_max; /* clocks that begin anew */
  guint errors;               /* 1 << TsErrorKind, of those that have to be there */
  gboolean even; /* its PCRs are right, and it comes evenly: so it comes to a decoder, too */
};

static gint64
get_passed (const Source *source)
{
  return source->maker.now - source->maker.begin;
}

static gboolean
is_after (const Source *source, guint seconds)
{
  return get_passed (source) >= seconds * TS_SECOND;
}

/* Is it the first PCR after this time? */
static gboolean
is_first_after (const Source *source, guint seconds)
{
  return is_after (source, seconds)
      && get_passed (source) < seconds * TS_SECOND + PCR_EACH * TS_MSECOND;
}

static gboolean
write_pcr (guint8 *packet, gint64 pcr)
{
  ts_packet_write_pcr (packet, (guint64) (pcr + (gint64) TS_PCR_WRAP) % TS_PCR_WRAP);
  return TRUE;
}

/* --- values ---------------------------------------------------------------------------------- */

static gboolean
announce (Source *source, guint8 *packet, gint64 pcr)
{
  if (is_first_after (source, 10))
    ts_packet_announce (packet);
  return TRUE;
}

/* The packet before that with the PCR tells of another clock. */
static gboolean
announce_before (Source *source, guint8 *packet, gint64 pcr)
{
  if (is_first_after (source, 10))
    packet[5] = 0x80;
  return TRUE;
}

static gboolean
one_wrong (Source *source, guint8 *packet, gint64 pcr)
{
  return write_pcr (packet, pcr + (is_first_after (source, 10) ? TICKS (60000) : 0));
}

static gboolean
some_wrong (Source *source, guint8 *packet, gint64 pcr)
{
  return write_pcr (packet, source->pcrs % 10 == 9 ? (gint64) g_rand_int (source->rand) * 27 : pcr);
}

static gboolean
all_wrong (Source *source, guint8 *packet, gint64 pcr)
{
  return write_pcr (packet, (gint64) (g_rand_double (source->rand) * TS_PCR_WRAP));
}

static gboolean
stand_still (Source *source, guint8 *packet, gint64 pcr)
{
  return write_pcr (packet, is_after (source, 10) ? TICKS (10000) : pcr);
}

static gboolean
run_back (Source *source, guint8 *packet, gint64 pcr)
{
  return write_pcr (packet, TICKS (100000) - pcr);
}

static gboolean
run_twice_as_fast (Source *source, guint8 *packet, gint64 pcr)
{
  return write_pcr (packet, 2 * pcr);
}

static gboolean
without_extension (Source *source, guint8 *packet, gint64 pcr)
{
  return write_pcr (packet, pcr - pcr % 300);
}

/* Above 299, which no clock can have. */
static gboolean
wrong_extension (Source *source, guint8 *packet, gint64 pcr)
{
  packet[10] |= 1;
  packet[11] = 0xff;
  return TRUE;
}

static gboolean
inexact (Source *source, guint8 *packet, gint64 pcr)
{
  return write_pcr (packet, pcr + g_rand_int_range (source->rand, -TICKS (5), TICKS (5)));
}

/* --- which packets --------------------------------------------------------------------------- */

static gboolean
rare (Source *source, guint8 *packet, gint64 pcr)
{
  return source->pcrs % 3 == 0;
}

static gboolean
pause_one (Source *source, guint8 *packet, gint64 pcr)
{
  return !is_after (source, 10) || is_after (source, 11);
}

static gboolean
pause_long (Source *source, guint8 *packet, gint64 pcr)
{
  return !is_after (source, 5) || is_after (source, 20);
}

static void
move_to_sound (Source *source, guint8 *packet)
{
  packet[2] = MAKER_AUDIO & 0xff;
  packet[3] = (packet[3] & 0xf0) | (source->maker.counters[MAKER_AUDIO] & 0x0f);
}

/* Another clock, which is not locked to the first one. */
static gboolean
two_clocks (Source *source, guint8 *packet, gint64 pcr)
{
  if (source->pcrs % 2 == 0)
    return TRUE;
  move_to_sound (source, packet);
  return write_pcr (packet, TICKS (5000000) + pcr - pcr * 30 / 1000000);
}

static gboolean
two_pids (Source *source, guint8 *packet, gint64 pcr)
{
  if (is_after (source, 10))
    move_to_sound (source, packet);
  return TRUE;
}

/* From then on, the PMT says that the sound's PID has the PCRs. */
static gboolean
change_pmt (Source *source, guint8 *packet)
{
  static const guint8 pmt[] = { 2, 0, 0, 0, MAKER_PROGRAMME, 0xc3, 0, 0, 0xe1, 0x01, 0xf0, 0, 0x1b,
    0xe1, 0x00, 0xf0, 0, 0x0f, 0xe1, 0x01, 0xf0, 0 };
  guint8 counter = packet[3];

  if (is_after (source, 10) && maker_get_pid (packet) == MAKER_PMT) {
    maker_put_section (packet, MAKER_PMT, pmt, sizeof pmt);
    packet[3] = counter;
  }
  return TRUE;
}

static gboolean
damage (Source *source, guint8 *packet, gint64 pcr)
{
  if (source->pcrs % 5 == 4)
    packet[1] |= 0x80;
  return TRUE;
}

static gboolean
scramble (Source *source, guint8 *packet)
{
  if (maker_get_pid (packet) == MAKER_VIDEO && (packet[3] & 0x10))
    packet[3] |= 0x80;
  return TRUE;
}

static gboolean
lose (Source *source, guint8 *packet)
{
  return g_rand_int_range (source->rand, 0, 10) > 0;
}

/* --- when they come -------------------------------------------------------------------------- */

static gint64
jitter (Source *source, gint64 now)
{
  return g_rand_int_range (source->rand, 0, 60) * TS_MSECOND;
}

/* All that is made in 250 ms comes at their end: it has been repaired. */
static gint64
bursts (Source *source, gint64 now)
{
  return 250 * TS_MSECOND - now % (250 * TS_MSECOND);
}

static gint64
stall (Source *source, gint64 now)
{
  return MAX (0, now < 10 * TS_SECOND ? 0 : 10200 * TS_MSECOND - now);
}

/* The line becomes slower, and has another delay from then on. */
static gint64
other_delay (Source *source, gint64 now)
{
  return now < 10 * TS_SECOND ? 0 : 80 * TS_MSECOND;
}

static const Row rows[] = {
  { .name = "clean", .even = TRUE },
  { .name = "wrap", .begin = -10000, .even = TRUE },
  { .name = "announced", .step = 3600000, .change_pcr = announce },
  { .name = "announced-before",
      .step = 3600000,
      .change_pcr = announce_before,
      .errors = 1 << TS_ERROR_PCR_REPETITION },
  { .name = "step-on", .step = 10000, .begun_min = 1, .begun_max = 1 },
  { .name = "step-back", .step = -5000, .begun_min = 1, .begun_max = 1 },
  /* by so little, it may be the same clock, which has drifted */
  { .name = "step-little", .step = 300 },
  { .name = "one-wrong", .change_pcr = one_wrong },
  { .name = "some-wrong", .change_pcr = some_wrong },
  { .name = "all-wrong", .change_pcr = all_wrong },
  { .name = "stand-still", .change_pcr = stand_still, .begun_min = 10, .begun_max = 40 },
  { .name = "run-back", .change_pcr = run_back, .begun_min = 50, .begun_max = 150 },
  { .name = "twice-as-fast", .change_pcr = run_twice_as_fast, .begun_min = 20, .begun_max = 60 },
  { .name = "without-extension", .change_pcr = without_extension },
  { .name = "wrong-extension", .change_pcr = wrong_extension },
  { .name = "inexact", .change_pcr = inexact },
  { .name = "drift-on", .drift = 30e-6 },
  { .name = "drift-back", .drift = -30e-6 },
  { .name = "drift-far", .drift = 1e-3 },
  { .name = "rare", .change_pcr = rare, .even = TRUE },
  { .name = "pause-of-a-second", .change_pcr = pause_one, .even = TRUE },
  { .name = "long-pause",
      .change_pcr = pause_long,
      .begun_min = 1,
      .begun_max = 1,
      .errors = 1 << TS_ERROR_PCR_REPETITION },
  { .name = "two-clocks", .change_pcr = two_clocks },
  { .name = "another-pid", .change_pcr = two_pids, .change = change_pmt },
  { .name = "damaged", .change_pcr = damage, .errors = 1 << TS_ERROR_TRANSPORT, .even = TRUE },
  { .name = "scrambled", .change = scramble, .errors = 1 << TS_ERROR_CAT, .even = TRUE },
  { .name = "lost", .change = lose, .errors = 1 << TS_ERROR_CONTINUITY, .even = TRUE },
  { .name = "jitter", .delay = jitter },
  { .name = "bursts", .delay = bursts, .begun_min = 2, .begun_max = 2 },
  { .name = "stall", .delay = stall, .begun_min = 1, .begun_max = 1 },
  { .name = "other-delay", .delay = other_delay },
};

static void
add_packet (Source *source, const guint8 *packet)
{
  gint64 at;

  if (source->buffer == NULL)
    source->buffer = gst_buffer_new_allocate (NULL, 7 * TS_PACKET, NULL);
  gst_buffer_fill (source->buffer, source->n++ * TS_PACKET, packet, TS_PACKET);
  if (source->n < 7)
    return;
  at = get_passed (source);
  if (source->row->delay != NULL)
    at += source->row->delay (source, at);
  source->arrived = MAX (source->arrived, at);
  GST_BUFFER_PTS (source->buffer) = source->arrived;
  g_ptr_array_add (source->stream, g_steal_pointer (&source->buffer));
  source->n = 0;
}

static gboolean
on_packet (Maker *maker, guint8 *data)
{
  Source *source = (Source *) maker;
  const Row *row = source->row;
  TsPacket packet;
  gboolean sent = TRUE;

  ts_packet_read (&packet, data, TS_PACKET);
  if (packet.has_pcr) {
    gint64 pcr = (gint64) packet.pcr + TICKS (row->begin) + (gint64) (packet.pcr * row->drift)
        + (is_after (source, 10) ? TICKS (row->step) : 0);

    write_pcr (data, pcr);
    if (row->change_pcr != NULL)
      sent = row->change_pcr (source, data, pcr);
  }
  source->pcrs += packet.has_pcr;
  if (row->change != NULL)
    sent &= row->change (source, data);
  if (sent)
    add_packet (source, data);
  return FALSE; /* it is not pushed into a monitor */
}

static GPtrArray *
make_stream (const Row *row)
{
  Source source = { .row = row, .rand = g_rand_new_with_seed (1) };

  maker_init (&source.maker, NULL);
  source.maker.change = on_packet;
  source.stream = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  maker_run (&source.maker, SECONDS * TS_SECOND);
  gst_clear_buffer (&source.buffer);
  g_rand_free (source.rand);
  return source.stream;
}

static void
test_nasty (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (GPtrArray) stream = make_stream (row);
  TsLimits limits = { TS_LIMIT_PID, 40 * MS };
  Restamped out = { .rate = RATE, .limits = &limits };

  restamped_run (&out, stream);
  for (TsErrorKind kind = 0; kind < TS_ERRORS; kind++)
    if ((out.errors[kind] > 0) != ((row->errors & 1u << kind) != 0))
      g_error ("%" G_GUINT64_FORMAT " errors: %s", out.errors[kind], ts_error_rows[kind].name);
  g_test_message ("begun anew %" G_GUINT64_FORMAT ", announced %" G_GUINT64_FORMAT, out.begun_anew,
      out.announced);
  if (row->even) {
    g_assert_cmpint (out.least_early, >=, 0);
    g_assert_cmpint (out.most_early, <=, 20 * MS);
    g_assert_cmpint (out.most_waited, <=, 100 * MS);
  }
  g_assert_cmpuint (out.begun_anew, >=, row->begun_min);
  g_assert_cmpuint (out.begun_anew, <=, row->begun_max);
  g_assert_cmpuint (out.restamped, ==, out.pcrs);
}

int
main (int argc, char *argv[])
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *path = g_strconcat ("/pacer/nasty/", rows[i].name, NULL);

    g_test_add_data_func (path, &rows[i], test_nasty);
  }
  return g_test_run ();
}
