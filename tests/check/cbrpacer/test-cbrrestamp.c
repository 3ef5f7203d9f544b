/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The clocks that give PCRs new values, without the element: a stream whose packets wait for
 * different times leaves at a constant rate, and gst/ts measures what comes out.
 */
#include <math.h>
#include <string.h>
#include "cbrrestamp.h"
#include "tspcr.h"

#define NS G_GINT64_CONSTANT (1000000000)
#define MS (NS / 1000)
#define DELAY CBR_RESTAMP_DELAY
#define JITTER (5 * MS)     /* by which packets come late */
#define PACKET_TIME 3008000 /* ns of a packet: 0.5 Mbit/s */
#define PID 0x100

typedef struct
{
  CbrRestamp *restamp;
  TsErrors errors;
  TsPcr *pcr;
  gint64 worst; /* accuracy, ns */
  guint8 counter_state;
  GRand *rand;
  gdouble drift;           /* of the source's clock against the output's */
  guint64 first;           /* PCR at time 0, 27 MHz */
  gint64 now;              /* of the next packet of the output, ns */
  gint64 next_pcr;         /* when the source's next PCR leaves at the earliest, ns */
  gint64 most_wait, delay; /* of packets, and that of the clock, ns */
  guint8 counter;
  gboolean wrong_once, announced;
  gint64 least, most; /* by which the source was ahead of where the clock should have it, ns */
} Stream;

static void
stream_init (Stream *s, guint64 first, gdouble drift)
{
  *s = (Stream) {
    .restamp = cbr_restamp_new (),
    .pcr = ts_pcr_new (0),
    .rand = g_rand_new_with_seed (1),
    .drift = drift,
    .first = first,
    .most_wait = DELAY,
    .delay = DELAY,
    .least = G_MAXINT64,
    .most = G_MININT64,
  };
  ts_errors_init (&s->errors);
}

static void
stream_clear (Stream *s)
{
  cbr_restamp_free (s->restamp);
  g_free (s->pcr);
  g_rand_free (s->rand);
}

static guint64
get_source_pcr (Stream *s, gint64 time)
{
  return (s->first + TS_PCR_WRAP + (guint64) (gint64) floor (time * 0.027 * (1 + s->drift)))
      % TS_PCR_WRAP;
}

static void
make_packet (guint8 *packet, guint pid, guint8 counter, const guint64 *pcr)
{
  memset (packet, 0xff, TS_PACKET);
  packet[0] = TS_SYNC;
  packet[1] = pid >> 8;
  packet[2] = pid & 0xff;
  packet[3] = 0x10 | counter;
  if (pcr == NULL)
    return;
  packet[3] |= 0x20;
  packet[4] = 7;
  packet[5] = 0x10;
  ts_packet_write_pcr (packet, *pcr);
}

static void
note_error (Stream *s, guint64 source, guint64 given, gint64 wait)
{
  gint64 lead = ts_pcr_get_step (given, source);

  if (lead > (gint64) TS_PCR_WRAP / 2)
    lead -= TS_PCR_WRAP;
  lead = lead * 1000 / 27 - (s->delay - wait);
  s->least = MIN (s->least, lead);
  s->most = MAX (s->most, lead);
}

/* A packet of the source with a PCR leaves now: it came before, and waited. */
static void
send_pcr (Stream *s, guint8 *packet)
{
  gint64 wait = g_rand_double (s->rand) * s->most_wait;
  guint64 source = get_source_pcr (s, s->now - wait - g_rand_int_range (s->rand, 0, JITTER)), pcr;
  guint8 was[TS_PACKET];
  TsPacket header;

  if (s->wrong_once)
    source = (source + 3 * TS_PCR_WRAP / 4) % TS_PCR_WRAP;
  make_packet (packet, PID, s->counter++ & 0x0f, &source);
  memcpy (was, packet, sizeof was);
  ts_packet_read (&header, packet, TS_PACKET);
  g_assert_true (cbr_restamp_take (s->restamp, &header, s->now, wait, &pcr, &s->announced));
  ts_packet_write_pcr (packet, pcr);
  if (s->announced)
    ts_packet_announce (packet);
  if (!s->wrong_once)
    note_error (s, source, pcr, wait);
  s->wrong_once = FALSE;
  /* all that is not the PCR is as it was */
  g_assert_cmpmem (packet + 12, TS_PACKET - 12, was + 12, TS_PACKET - 12);
  g_assert_cmpmem (packet, 5, was, 5);
}

static void
measure (Stream *s, const guint8 *data)
{
  TsPcrPlace place = { (guint64) (s->now / PACKET_TIME) * TS_PACKET, 40 * MS, TRUE };
  TsPacket packet;

  ts_packet_read (&packet, data, TS_PACKET);
  if (packet.pid != PID)
    return;
  g_assert_cmpint (ts_packet_check_counter (&packet, &s->counter_state), ==, TS_ORDER_NEXT);
  if (!packet.has_pcr)
    return;
  s->errors.now = s->now;
  ts_pcr_take (s->pcr, &s->errors, &packet, &place);
  s->worst = MAX (s->worst, s->pcr->accuracy);
}

/* One packet leaves; every 20 to 60 ms one with a PCR of the source. */
static void
step (Stream *s)
{
  guint8 packet[TS_PACKET];

  if (s->now >= s->next_pcr) {
    send_pcr (s, packet);
    s->next_pcr = s->now + g_rand_int_range (s->rand, 20, 60) * MS;
  } else if (!cbr_restamp_insert (s->restamp, s->now, s->now + PACKET_TIME, packet)) {
    make_packet (packet, TS_NULL_PID, 0, NULL);
  }
  measure (s, packet);
  s->now += PACKET_TIME;
}

static void
run (Stream *s, gint64 time)
{
  for (gint64 end = s->now + time; s->now < end;)
    step (s);
}

/* The accuracy is judged when the rate has been constant for some seconds. */
static void
assert_clean (Stream *s)
{
  static const TsErrorKind kinds[] = { TS_ERROR_PCR_ACCURACY, TS_ERROR_PCR_DISCONTINUITY,
    TS_ERROR_PCR_REPETITION };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_assert_cmpuint (s->errors.errors[kinds[i]].count, ==, 0);
    g_assert_cmpint (s->errors.errors[kinds[i]].examined, >=, s->now - 2 * NS);
  }
}

/* For two days, with clocks that drift, waits of up to the delay, packets that come late, and a PCR
 * that wraps: the new ones are exact, and the clock follows that of the source. */
static void
test_days (gconstpointer data)
{
  gdouble drift = *(const gdouble *) data;
  Stream s;

  stream_init (&s, TS_PCR_WRAP - 27000000, drift);
  run (&s, 48 * 3600 * NS);
  assert_clean (&s);
  g_test_message ("drift %g: %g to %g ms off; accuracy %" G_GINT64_FORMAT " ns", drift,
      s.least / 1e6, s.most / 1e6, s.worst);
  g_assert_cmpuint (cbr_restamp_get_counts (s.restamp).begun_anew, ==, 0);
  g_assert_cmpint (s.least, >=, -2 * JITTER - (gint64) (fabs (drift) * 15e3 * NS));
  g_assert_cmpint (s.most, <=, 2 * JITTER + (gint64) (fabs (drift) * 15e3 * NS));
  s.least = G_MAXINT64;
  s.most = G_MININT64;
  run (&s, 100 * NS);
  g_test_message ("then %g to %g ms off", s.least / 1e6, s.most / 1e6);
  g_assert_cmpint (s.least, >=, -30 * MS);
  g_assert_cmpint (s.most, <=, 30 * MS);
  stream_clear (&s);
}

/* A packet waits for longer than any before: the clock begins anew with a longer delay, announced,
 * and no PCR is later than its packet came and waited. */
static void
test_longer_wait (void)
{
  Stream s;

  stream_init (&s, 0, 0);
  run (&s, 10 * NS);
  s.most_wait = s.delay = 4 * DELAY;
  run (&s, NS);
  g_assert_cmpuint (cbr_restamp_get_counts (s.restamp).begun_anew, >, 0);
  g_assert_cmpuint (cbr_restamp_get_counts (s.restamp).begun_anew, <=, 2);
  s.least = G_MAXINT64;
  s.most = G_MININT64;
  run (&s, 100 * NS);
  g_assert_cmpint (s.least, >=, -2 * JITTER);
  g_assert_cmpint (s.most, <=, 2 * JITTER);
  g_assert_cmpuint (cbr_restamp_get_counts (s.restamp).begun_anew, <=, 2);
  assert_clean (&s);
  stream_clear (&s);
}

/* Times that go back, as the rate has changed: the PCR does not. */
static void
test_back (void)
{
  CbrRestamp *restamp = cbr_restamp_new ();
  TsPacket packet = { .pid = PID, .has_pcr = TRUE, .pcr = 27000000 };
  guint64 before, after;
  gboolean announced;

  cbr_restamp_take (restamp, &packet, 100 * MS, 0, &before, &announced);
  packet.pcr -= 27000;
  cbr_restamp_take (restamp, &packet, 99 * MS, 0, &after, &announced);
  g_assert_cmpuint (after, ==, before);
  g_assert_false (announced);
  packet.pcr += 54000;
  cbr_restamp_take (restamp, &packet, 101 * MS, 0, &after, &announced);
  g_assert_cmpuint (after, >, before + 26990);
  g_assert_cmpuint (after, <=, before + 27000);
  cbr_restamp_free (restamp);
}

/* No PCR comes more than 40 ms after the one before it. */
static void
test_repetition (void)
{
  Stream s;

  stream_init (&s, 0, 0);
  run (&s, 60 * NS);
  assert_clean (&s);
  /* the source's stay away for five seconds */
  s.next_pcr = s.now + 5 * NS;
  run (&s, 10 * NS);
  assert_clean (&s);
  g_assert_cmpuint (cbr_restamp_get_counts (s.restamp).inserted, >, 120);
  stream_clear (&s);
}

/* Two PIDs, where a datagram takes longer than a PCR may: both get as many. */
static void
test_low_rate (void)
{
  CbrRestamp *restamp = cbr_restamp_new ();
  guint8 data[TS_PACKET];
  guint n[2] = { 0 };
  gboolean announced;
  guint64 pcr;

  for (guint i = 0; i < 2; i++)
    cbr_restamp_take (restamp, &(TsPacket) { .pid = PID + i, .has_pcr = TRUE }, 0, 0, &pcr,
        &announced);
  for (gint64 now = 60 * MS; now < 6 * NS; now += 60 * MS) {
    g_assert_true (cbr_restamp_insert (restamp, now, now + 60 * MS, data));
    n[data[2] & 1]++;
  }
  g_assert_cmpint (ABS ((gint) n[0] - (gint) n[1]), <=, 1);
  cbr_restamp_free (restamp);
}

/* The source's PCRs have ended: no more are made after CBR_RESTAMP_GONE. */
static void
test_gone (void)
{
  guint64 inserted;
  Stream s;

  stream_init (&s, 0, 0);
  run (&s, NS);
  s.next_pcr = G_MAXINT64;
  run (&s, 11 * NS);
  inserted = cbr_restamp_get_counts (s.restamp).inserted;
  run (&s, 60 * NS);
  g_assert_cmpuint (cbr_restamp_get_counts (s.restamp).inserted, ==, inserted);
  stream_clear (&s);
}

/* A single PCR that is far off is wrong; two of another clock begin it, announced. */
static void
test_jump (void)
{
  Stream s;

  stream_init (&s, 0, 0);
  run (&s, 10 * NS);
  s.wrong_once = TRUE;
  run (&s, 10 * NS);
  assert_clean (&s);
  g_assert_cmpuint (cbr_restamp_get_counts (s.restamp).begun_anew, ==, 0);
  s.first = TS_PCR_WRAP / 3;
  run (&s, 10 * NS);
  assert_clean (&s);
  g_assert_cmpuint (cbr_restamp_get_counts (s.restamp).begun_anew, ==, 1);
  stream_clear (&s);
}

/* Behind a break, the first PCR is announced, and none of those behind it. */
static void
test_break (void)
{
  Stream s;

  stream_init (&s, 0, 0);
  run (&s, 6 * NS);
  g_assert_false (s.announced);
  cbr_restamp_break (s.restamp);
  s.next_pcr = s.now;
  run (&s, PACKET_TIME);
  g_assert_true (s.announced);
  run (&s, 6 * NS);
  g_assert_false (s.announced);
  assert_clean (&s);
  stream_clear (&s);
}

/* More PIDs with PCRs than there are clocks: those of the others stay, and are counted.  They get a
 * clock when others are gone. */
static void
test_too_many (void)
{
  CbrRestamp *restamp = cbr_restamp_new ();
  gboolean announced;
  guint64 pcr;

  for (guint i = 0; i < 2 * CBR_RESTAMP_PIDS; i++) {
    TsPacket packet = { .pid = 1 + i, .has_pcr = TRUE, .pcr = i };

    g_assert_true (cbr_restamp_take (restamp, &packet, i, DELAY, &pcr, &announced)
        == (i < CBR_RESTAMP_PIDS));
  }
  g_assert_cmpuint (cbr_restamp_get_counts (restamp).unchanged, ==, CBR_RESTAMP_PIDS);
  g_assert_true (cbr_restamp_take (restamp, &(TsPacket) { .pid = 500, .has_pcr = TRUE, .pcr = 7 },
      CBR_RESTAMP_GONE + 100, DELAY, &pcr, &announced));
  g_assert_cmpuint (pcr, ==, 7);
  cbr_restamp_free (restamp);
}

/* Nothing is held before there is a clock; then for the delay, less what the largest burst took. */
static void
test_hold (void)
{
  TsPacket packet = { .pid = PID, .has_pcr = TRUE };
  CbrRestamp *restamp = cbr_restamp_new ();
  gboolean announced;
  guint64 pcr;

  cbr_restamp_came (restamp, 0, 5 * MS);
  g_assert_cmpint (cbr_restamp_get_hold (restamp, NS), ==, 0);
  g_assert_true (cbr_restamp_take (restamp, &packet, 0, 0, &pcr, &announced));
  g_assert_cmpint (cbr_restamp_get_hold (restamp, NS), ==, DELAY - 5 * MS);
  g_assert_cmpint (cbr_restamp_get_hold (restamp, 50 * MS), ==, 45 * MS);
  g_assert_cmpint (cbr_restamp_get_hold (restamp, 4 * MS), ==, 0);
  /* two at once are one burst of 8 ms; one more is none, when the line is free again */
  cbr_restamp_came (restamp, 10 * MS, 4 * MS);
  cbr_restamp_came (restamp, 10 * MS, 4 * MS);
  cbr_restamp_came (restamp, 18 * MS, 4 * MS);
  g_assert_cmpint (cbr_restamp_get_hold (restamp, NS), ==, DELAY - 8 * MS);
  cbr_restamp_came (restamp, 30 * MS, NS);
  g_assert_cmpint (cbr_restamp_get_hold (restamp, NS), ==, 0);
  /* that is forgotten when as large a one has not come for long, not at once */
  cbr_restamp_came (restamp, CBR_RESTAMP_BURSTS, MS);
  g_assert_cmpint (cbr_restamp_get_hold (restamp, NS), ==, 0);
  cbr_restamp_came (restamp, 2 * CBR_RESTAMP_BURSTS, 2 * MS);
  g_assert_cmpint (cbr_restamp_get_hold (restamp, NS), ==, DELAY - 2 * MS);
  /* a break ends the clock, not the bursts; another clock may be behind */
  cbr_restamp_break (restamp);
  g_assert_cmpint (cbr_restamp_get_hold (restamp, NS), ==, 0);
  g_assert_true (cbr_restamp_take (restamp, &packet, 2 * NS, 0, &pcr, &announced));
  g_assert_cmpint (cbr_restamp_get_hold (restamp, NS), ==, DELAY - 2 * MS);
  cbr_restamp_came (restamp, 0, 3 * MS);
  g_assert_cmpint (cbr_restamp_get_hold (restamp, NS), ==, DELAY - 3 * MS);
  cbr_restamp_free (restamp);
}

int
main (int argc, char *argv[])
{
  static const gdouble drifts[] = { 0, 5e-6, 30e-6, -30e-6 };
  static const gchar *const names[] = { "none", "5e-6", "30e-6", "minus-30e-6" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (drifts); i++) {
    g_autofree gchar *path = g_strconcat ("/cbrrestamp/days/", names[i], NULL);

    g_test_add_data_func (path, &drifts[i], test_days);
  }
  g_test_add_func ("/cbrrestamp/repetition", test_repetition);
  g_test_add_func ("/cbrrestamp/low-rate", test_low_rate);
  g_test_add_func ("/cbrrestamp/gone", test_gone);
  g_test_add_func ("/cbrrestamp/jump", test_jump);
  g_test_add_func ("/cbrrestamp/break", test_break);
  g_test_add_func ("/cbrrestamp/longer-wait", test_longer_wait);
  g_test_add_func ("/cbrrestamp/hold", test_hold);
  g_test_add_func ("/cbrrestamp/back", test_back);
  g_test_add_func ("/cbrrestamp/too-many", test_too_many);
  return g_test_run ();
}
