/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each error of TR 101 290, made once in a stream that is good otherwise: it is named and counted,
 * no other is, and it is over when the fault is.
 */
#include <math.h>
#include <string.h>
#include "tsfaults.h"

/* Runs the fault, and remembers which errors were there at some time. */
static void
run_fault (Maker *maker, const Fault *fault, gboolean seen[TS_ERRORS])
{
  fault_begin (maker, fault);
  for (gint64 i = 0; i < FAULT_STREAM; i += TS_SECOND / 10) {
    maker_run (maker, TS_SECOND / 10);
    for (guint kind = 0; kind < TS_ERRORS; kind++)
      seen[kind] |= ts_monitor_get_state (maker->monitor, kind) == TS_STATE_BAD;
  }
}

static void
assert_fault (const TsMonitor *monitor, const Fault *fault, const gboolean seen[TS_ERRORS])
{
  for (guint kind = 0; kind < TS_ERRORS; kind++) {
    const TsError *error = ts_monitor_get_error (monitor, kind);
    guint wanted = fault_get_wanted (fault, kind);

    if (wanted != FAULT_ANY && error->count != wanted)
      g_error ("%s: %s: %u, not %u", fault->name, ts_error_rows[kind].name, (guint) error->count,
          wanted);
    g_assert_cmpint (seen[kind], ==, error->count > 0);
    g_assert_cmpint (ts_monitor_get_state (monitor, kind), ==, TS_STATE_GOOD);
    if (wanted == 0)
      continue;
    g_assert_cmpuint (error->count, >, 0);
    g_assert_cmpint (error->first, >=, TS_SECOND + FAULT_BEGINS);
    g_assert_cmpint (error->last, >=, error->first);
    g_assert_cmpint (error->last, <=, TS_SECOND + FAULT_BEGINS + fault->duration + TS_ERROR_HOLD);
  }
}

/* In packets of each size, and cut anywhere: the same. */
static void
test_faults (void)
{
  static const struct
  {
    guint size, piece;
  } ways[] = { { 188, 0 }, { 188, 1 }, { 188, 7 }, { 188, 187 }, { 192, 0 }, { 204, 0 },
    { 204, 100 }, { 208, 0 } };

  for (guint i = 0; i < n_faults; i++)
    for (guint j = 0; j < G_N_ELEMENTS (ways); j++) {
      g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
      gboolean seen[TS_ERRORS] = { 0 };
      Maker maker;

      g_test_message ("%s, %u bytes, pieces of %u", faults[i].name, ways[j].size, ways[j].piece);
      maker_init (&maker, monitor);
      maker.size = ways[j].size;
      maker.piece = ways[j].piece;
      run_fault (&maker, &faults[i], seen);
      assert_fault (monitor, &faults[i], seen);
    }
}

/* --- what is known ------------------------------------------------------------ */

static const TsPid *
find_pid (const TsMonitor *monitor, guint16 pid)
{
  guint n;
  const TsPid *pids = ts_monitor_get_pids (monitor, &n);

  for (guint i = 0; i < n; i++)
    if (pids[i].pid == pid)
      return &pids[i];
  return NULL;
}

static void
test_figures (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  const TsProgramme *programmes;
  Maker maker;
  guint n;

  maker_init (&maker, monitor);
  maker_run (&maker, 10 * TS_SECOND);
  programmes = ts_monitor_get_programmes (monitor, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (programmes->number, ==, MAKER_PROGRAMME);
  g_assert_cmpuint (programmes->pcr_pid, ==, MAKER_VIDEO);
  g_assert_cmpstr (programmes->text, ==, "Caf\303\251 1");
  g_assert_cmpuint (ts_monitor_get_refused (monitor), ==, 0);
  g_assert_cmpuint (ts_monitor_get_bit_rate (monitor), >=, MAKER_RATE * 0.99);
  g_assert_cmpuint (ts_monitor_get_bit_rate (monitor), <=, MAKER_RATE * 1.01);
  /* 1000 packets of video and 33 of PCR, 125 of audio in a second */
  g_assert_cmpuint (find_pid (monitor, MAKER_VIDEO)->bit_rate / 1504, >=, 1020);
  g_assert_cmpuint (find_pid (monitor, MAKER_VIDEO)->bit_rate / 1504, <=, 1045);
  g_assert_cmpuint (find_pid (monitor, MAKER_AUDIO)->bit_rate / 1504, >=, 123);
  g_assert_cmpuint (find_pid (monitor, MAKER_AUDIO)->bit_rate / 1504, <=, 127);
  g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->role, ==, TS_ROLE_VIDEO);
  g_assert_cmpint (find_pid (monitor, MAKER_AUDIO)->role, ==, TS_ROLE_AUDIO);
  g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->accuracy, <=, 40);
  g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->accuracy, >=, 0);
  g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->jitter, >=, 0);
  g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->jitter, <=, 40);
  g_assert_null (find_pid (monitor, MAKER_AUDIO)->pcr);
  /* another stream: nothing is known, and counts stay */
  ts_monitor_begin (monitor);
  for (guint kind = 0; kind < TS_ERRORS; kind++)
    g_assert_cmpint (ts_monitor_get_state (monitor, kind), ==, TS_STATE_UNKNOWN);
  g_assert_cmpuint (ts_monitor_get_bit_rate (monitor), ==, G_MAXUINT64);
  ts_monitor_get_programmes (monitor, &n);
  g_assert_cmpuint (n, ==, 0);
}

/* Nothing comes any more: what has to come again is missing, the rest becomes unknown. */
static void
test_silence (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  Maker maker;

  for (guint kind = 0; kind < TS_ERRORS; kind++)
    g_assert_cmpint (ts_monitor_get_state (monitor, kind), ==, TS_STATE_UNKNOWN);
  maker_init (&maker, monitor);
  maker_run (&maker, 5 * TS_SECOND);
  for (guint i = 0; i < 20; i++)
    ts_monitor_update (monitor, maker.now += TS_SECOND);
  for (guint kind = 0; kind < TS_ERRORS; kind++) {
    gboolean repeats = kind == TS_ERROR_PAT || kind == TS_ERROR_PMT || kind == TS_ERROR_PID
        || kind == TS_ERROR_PCR_REPETITION || kind == TS_ERROR_PTS;
    TsState wanted = repeats ? TS_STATE_BAD :
        kind == TS_ERROR_CAT ? TS_STATE_GOOD :
                               TS_STATE_UNKNOWN;

    g_test_message ("%s", ts_error_rows[kind].name);
    g_assert_cmpint (ts_monitor_get_state (monitor, kind), ==, wanted);
    g_assert_cmpuint (ts_monitor_get_error (monitor, kind)->count, <=, 2);
  }
  g_assert_cmpuint (ts_monitor_get_bit_rate (monitor), ==, 0);
}

static gboolean
drop_pictures (Maker *maker, guint8 *packet)
{
  return maker_get_pid (packet) != MAKER_VIDEO || maker_is_pcr (packet);
}

/* The PCRs of a PID are no video. */
static void
test_no_video (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  Maker maker;

  g_assert_cmpint (ts_monitor_get_video (monitor), ==, TS_STATE_UNKNOWN);
  maker_init (&maker, monitor);
  for (guint round = 0; round < 2; round++) {
    maker.change = NULL;
    maker_run (&maker, TS_SECOND);
    g_assert_cmpint (ts_monitor_get_video (monitor), ==, TS_STATE_GOOD);
    maker.change = drop_pictures;
    maker_run (&maker, TS_ERROR_HOLD + TS_SECOND / 10);
    g_assert_cmpint (ts_monitor_get_video (monitor), ==, TS_STATE_BAD);
  }
}

/* Without null packets, the accuracy is unknown. */
static gboolean
drop_null (Maker *maker, guint8 *packet)
{
  return maker->monitor != NULL && maker_get_pid (packet) != TS_NULL_PID;
}

static void
test_variable (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  Maker maker;

  maker_init (&maker, monitor);
  maker.change = drop_null;
  maker_run (&maker, 60 * TS_SECOND);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_PCR_ACCURACY), ==, TS_STATE_UNKNOWN);
  g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->accuracy, ==, TS_NEVER);
  g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->jitter, >=, 0);
  g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->jitter, <=, 40);
  for (guint kind = 0; kind < TS_ERRORS; kind++)
    g_assert_cmpuint (ts_monitor_get_error (monitor, kind)->count, ==, 0);
}

/* Each second has other null packets, but never none: the rate is variable, so that the PCRs are
 * off the places that the bytes give them, which means nothing. */
static gboolean
drop_some_null (Maker *maker, guint8 *packet)
{
  guint64 second = (maker->now - maker->begin) / TS_SECOND;

  return drop_null (maker, packet) || maker->slots % 20 < 2 + second * 7 % 10;
}

static void
test_few_null (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  Maker maker;

  maker_init (&maker, monitor);
  maker.change = drop_some_null;
  maker_run (&maker, 60 * TS_SECOND);
  g_assert_cmpuint (ts_monitor_get_error (monitor, TS_ERROR_PCR_ACCURACY)->count, ==, 0);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_PCR_ACCURACY), ==, TS_STATE_UNKNOWN);
  g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->accuracy, ==, TS_NEVER);
  /* the rate is constant from now on */
  maker.change = NULL;
  maker_run (&maker, 8 * TS_SECOND);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_PCR_ACCURACY), ==, TS_STATE_GOOD);
  g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->accuracy, <=, 40);
}

/* Pictures stand still for ten seconds, and the rate with them; then they move for three. */
static gboolean
drop_null_in_motion (Maker *maker, guint8 *packet)
{
  gboolean moves = (maker->now - maker->begin) % (13370 * TS_MSECOND) > 10 * TS_SECOND;

  return !moves || drop_null (maker, packet) || maker->slots % 5 == 0;
}

static void
test_stills (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  Maker maker;

  maker_init (&maker, monitor);
  maker.change = drop_null_in_motion;
  maker_run (&maker, 9 * TS_SECOND);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_PCR_ACCURACY), ==, TS_STATE_GOOD);
  maker_run (&maker, 60 * TS_SECOND);
  g_assert_cmpuint (ts_monitor_get_error (monitor, TS_ERROR_PCR_ACCURACY)->count, ==, 0);
}

/* The limits are the user's. */
static void
test_limits (void)
{
  static const TsLimits limits = { TS_SECOND, 20 * TS_MSECOND };
  g_autoptr (TsMonitor) monitor = ts_monitor_new (&limits);
  Fault fault = *fault_find ("pid");
  gboolean seen[TS_ERRORS] = { 0 };
  Maker maker;

  fault.duration = 2 * TS_SECOND;
  maker_init (&maker, monitor);
  run_fault (&maker, &fault, seen);
  g_assert_cmpuint (ts_monitor_get_error (monitor, TS_ERROR_PID)->count, ==, 1);
  g_assert_cmpuint (ts_monitor_get_error (monitor, TS_ERROR_PCR_REPETITION)->count, >, 400);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_PCR_REPETITION), ==, TS_STATE_BAD);
}

/* --- jitter ------------------------------------------------------------ */

static gint64 delay; /* ns */
static gboolean
hold_pcr (Maker *maker, guint8 *packet)
{
  if (!maker_is_pcr (packet) || maker->slots % 5 != 0)
    return TRUE;
  ts_monitor_update (maker->monitor, maker->now + delay);
  maker->now += delay;
  return TRUE;
}

/* The sender's clock is 30 ppm fast, as TR 101 290 lets it be: the PCRs grow by so much more. */
static gboolean
drift (Maker *maker, guint8 *packet)
{
  maker->shift = (gint64) ((maker->now - maker->begin) * 27 / 1000 * 30 / 1000000);
  return TRUE;
}

static void
test_drift (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  Maker maker;

  maker_init (&maker, monitor);
  maker.change = drift;
  maker_run (&maker, 60 * TS_SECOND);
  for (guint i = 0; i < 60; i++) {
    maker_run (&maker, TS_SECOND);
    g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->jitter, >=, 0);
    g_assert_cmpint (find_pid (monitor, MAKER_VIDEO)->pcr->jitter, <=, 100);
  }
  for (guint kind = 0; kind < TS_ERRORS; kind++)
    g_assert_cmpuint (ts_monitor_get_error (monitor, kind)->count, ==, 0);
}

/* What arrives late is jitter, and no error of the stream. */
static void
test_jitter (void)
{
  for (delay = 0; delay <= 100 * 1000; delay += 100 * 1000) {
    g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
    gint64 most = 0, least = G_MAXINT64;
    Maker maker;

    maker_init (&maker, monitor);
    maker.change = hold_pcr;
    for (guint i = 0; i < 120; i++) {
      maker_run (&maker, TS_SECOND);
      if (i < 60)
        continue;
      most = MAX (most, find_pid (monitor, MAKER_VIDEO)->pcr->jitter);
      least = MIN (least, find_pid (monitor, MAKER_VIDEO)->pcr->jitter);
    }
    g_test_message ("%d ns: %d to %d ns", (gint) delay, (gint) least, (gint) most);
    g_assert_cmpint (most, <=, delay + 1000);
    g_assert_cmpint (least, >=, delay / 2);
    for (guint kind = 0; kind < TS_ERRORS; kind++)
      g_assert_cmpuint (ts_monitor_get_error (monitor, kind)->count, ==, 0);
  }
}

/* Time of arrival stands still for minutes, then goes on: the jitter is a number. */
static void
test_still (void)
{
  TsClock clock = { 0 };

  for (guint i = 0; i < 100; i++)
    ts_clock_take (&clock, 1e6, 27000);
  for (guint i = 0; i < 100000; i++)
    g_assert_true (isfinite (ts_clock_take (&clock, 0, 27000)));
  for (guint i = 0; i < 100; i++)
    g_assert_true (isfinite (ts_clock_take (&clock, 1e6, 27000)));
}

/* PCRs come every 5 ms, then every 100 ms: the line remembers no more than its span. */
static void
test_interval (void)
{
  TsClock clock = { 0 };

  for (guint i = 0; i < 20000; i++)
    ts_clock_take (&clock, 5e6, 135000);
  g_assert_cmpuint (clock.n, ==, (guint) (TS_CLOCK_SPAN / 135000));
  for (guint i = 0; i < 1000; i++)
    ts_clock_take (&clock, 100e6, 2700000);
  g_assert_cmpuint (clock.n, ==, (guint) (TS_CLOCK_SPAN / 2700000));
}

/* --- hostile ------------------------------------------------------------ */

/* Every PID, then a PAT of more programmes than are looked at: what is kept stays bounded, and the
 * programmes that the stream names later are found. */
static void
test_crowd (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  guint8 packet[TS_PACKET] = { TS_SYNC };
  guint8 pat[8 + 40 * 4] = { 0, 0, 0, 0, 1, 0xc1, 0, 7 };
  Maker maker;
  guint n;

  maker_init (&maker, monitor);
  for (guint pid = 1; pid < TS_NULL_PID; pid++) {
    packet[1] = pid >> 8;
    packet[2] = pid;
    packet[3] = 0x10;
    maker_push (&maker, packet);
  }
  ts_monitor_get_pids (monitor, &n);
  g_assert_cmpuint (n, ==, TS_PIDS_SEEN);
  for (guint s = 0; s < 8; s++) {
    pat[6] = s;
    for (guint i = 0; i < 40; i++) {
      guint8 *entry = pat + 8 + i * 4;

      entry[0] = 1 + s;
      entry[1] = i;
      entry[2] = 0x10 + s;
      entry[3] = i;
    }
    maker_put_section (packet, 0, pat, sizeof pat);
    packet[3] |= s;
    maker_push (&maker, packet);
  }
  ts_monitor_get_programmes (monitor, &n);
  g_assert_cmpuint (n, ==, TS_PROGRAMMES_MAX);
  g_assert_cmpuint (ts_monitor_get_refused (monitor), ==, 8 - TS_PROGRAMMES_MAX / 40);
  ts_monitor_get_pids (monitor, &n);
  g_assert_cmpuint (n, <=, TS_PIDS_MAX);
  maker_run (&maker, 15 * TS_SECOND);
  ts_monitor_get_programmes (monitor, &n);
  g_assert_cmpuint (n, ==, 1);
  ts_monitor_get_pids (monitor, &n);
  g_assert_cmpuint (n, <, 12);
  g_assert_nonnull (find_pid (monitor, MAKER_AUDIO));
}

/* A PAT names nearly as many programmes as are looked at, and each packet has a PMT that is another
 * one than before: no more of them are read at a time than the bound, the others are counted, and
 * none counts as missing. */
#define CROWD (TS_PROGRAMMES_MAX - 1)
static void
test_storm (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  guint8 pat[8 + 40 * 4] = { 0, 0, 0, 0, 1, 0xc1, 0, 1 }, packet[TS_PACKET];
  guint packets = 10 * TS_SECTIONS_MAX;
  Maker maker;

  maker_init (&maker, monitor);
  maker_run (&maker, TS_SECOND);
  for (pat[6] = 0; pat[6] < 2; pat[6]++) {
    guint n = pat[6] == 0 ? 40 : CROWD - 40;

    for (guint i = 0; i < n; i++)
      memcpy (pat + 8 + i * 4, (guint8[]) { 1, i + 40 * pat[6], 0xf0, i + 40 * pat[6] }, 4);
    maker_put_section (packet, 0, pat, 8 + 4 * n);
    packet[3] |= ++maker.counters[0] % 16;
    maker_push (&maker, packet);
  }
  ts_monitor_update (monitor, maker.now += TS_TABLES_EACH);
  for (guint i = 0; i < packets; i++) {
    guint8 n = i % CROWD;
    guint8 pmt[] = { 2, 0, 0, 1, n, 0xc1, 0, 0, 0xff, 0xff, 0xf0, 0, 0x1b, 0xe0 | i >> 8, i, 0xf0,
      0 };

    maker_put_section (packet, 0x1000 | n, pmt, sizeof pmt);
    packet[3] |= i / CROWD % 16;
    maker_push (&maker, packet);
  }
  g_assert_cmpuint (ts_monitor_get_refused (monitor), ==, packets - TS_SECTIONS_MAX);
  g_assert_cmpuint (ts_monitor_get_error (monitor, TS_ERROR_PMT)->count, ==, 0);
  g_assert_cmpuint (ts_monitor_get_error (monitor, TS_ERROR_CONTINUITY)->count, ==, 0);
  /* an honest stream follows, and is read */
  maker_run (&maker, TS_SECOND);
  g_assert_nonnull (find_pid (monitor, MAKER_AUDIO));
}

/* Bytes that are no packets, then a stream. */
static void
test_rubbish (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  guint8 rubbish[8000] = { 0 };
  Maker maker;

  ts_monitor_push (monitor, rubbish, 500, 0);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_SYNC_LOSS), ==, TS_STATE_UNKNOWN);
  ts_monitor_push (monitor, rubbish, sizeof rubbish, 0);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_SYNC_LOSS), ==, TS_STATE_BAD);
  ts_monitor_update (monitor, 60 * TS_SECOND);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_SYNC_LOSS), ==, TS_STATE_BAD);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_PAT), ==, TS_STATE_UNKNOWN);
  maker_init (&maker, monitor);
  maker.begin = maker.now = 60 * TS_SECOND;
  maker_run (&maker, 5 * TS_SECOND);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_SYNC_LOSS), ==, TS_STATE_GOOD);
  g_assert_cmpuint (ts_monitor_get_error (monitor, TS_ERROR_SYNC_LOSS)->count, ==, 1);
}

/* Junk before a stream: it has lost sync once, however the bytes are cut, and the rate counts from
 * the first packet on. */
static void
test_junk (void)
{
  static const gsize pieces[] = { 1, 1000, 1 << 20 };

  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++) {
    g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
    g_autofree guint8 *data = g_malloc0 (8000 + 100 * TS_PACKET);
    gsize size = 8000 + 100 * TS_PACKET;

    for (guint p = 0; p < 100; p++) {
      guint8 *packet = data + 8000 + p * TS_PACKET;

      packet[0] = TS_SYNC;
      packet[1] = 0x1f;
      packet[2] = 0xff;
      packet[3] = 0x10;
    }
    ts_monitor_push (monitor, data, 100, 0);
    for (gsize at = 100; at < size; at += pieces[i])
      ts_monitor_push (monitor, data + at, MIN (pieces[i], size - at), 9 * TS_SECOND);
    ts_monitor_update (monitor, 10 * TS_SECOND);
    g_assert_cmpuint (ts_monitor_get_error (monitor, TS_ERROR_SYNC_LOSS)->count, ==, 1);
    g_assert_cmpuint (ts_monitor_get_bit_rate (monitor), >=, 96 * TS_PACKET * 8);
  }
}

static gboolean
drop_video_often (Maker *maker, guint8 *packet)
{
  return maker_get_pid (packet) != MAKER_VIDEO || maker_is_pcr (packet) || maker_has_pes (packet)
      || maker->slots % 7 != 0;
}

/* A stream that follows a bad one is not bad. */
static void
test_begin_after_bad (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  Maker maker;

  maker_init (&maker, monitor);
  maker.change = drop_video_often;
  maker_run (&maker, TS_SECOND);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_CONTINUITY), ==, TS_STATE_BAD);
  ts_monitor_begin (monitor);
  maker.change = NULL;
  maker_run (&maker, TS_SECOND / 10);
  g_assert_cmpint (ts_monitor_get_state (monitor, TS_ERROR_CONTINUITY), ==, TS_STATE_GOOD);
  g_assert_cmpuint (ts_monitor_get_error (monitor, TS_ERROR_CONTINUITY)->count, >, 0);
}

/* A minute with a wrap of the PCR, which comes every 26.5 h, in its middle. */
static void
test_wrap (void)
{
  g_autoptr (TsMonitor) monitor = ts_monitor_new (NULL);
  Maker maker;

  maker_init (&maker, monitor);
  maker.shift = TS_PCR_WRAP - G_GINT64_CONSTANT (27000000) * 30;
  maker_run (&maker, 60 * TS_SECOND);
  for (guint kind = 0; kind < TS_ERRORS; kind++) {
    g_assert_cmpuint (ts_monitor_get_error (monitor, kind)->count, ==, 0);
    g_assert_cmpint (ts_monitor_get_state (monitor, kind), ==, TS_STATE_GOOD);
  }
}

static void
take_section (TsTables *tables, TsPids *pids, guint16 pid, const guint8 *data, gsize size)
{
  TsErrors errors;
  TsSection section = { .size = size, .have = size };

  ts_errors_init (&errors);
  memcpy (section.data, data, size);
  ts_tables_take (tables, pids, &errors, pid, &section);
}

/* A private stream is sound if it is registered as such. */
static void
test_registered (void)
{
  static const struct
  {
    gchar id[5];
    TsRole role;
  } rows[] = { { "BSSD", TS_ROLE_AUDIO }, { "Opus", TS_ROLE_AUDIO }, { "DTS2", TS_ROLE_AUDIO },
    { "KLVA", TS_ROLE_OTHER }, { "CUEI", TS_ROLE_OTHER } };
  /* of programme 1, whose PMT is on PID 0x20; the four last bytes are a CRC, which is not looked at
   */
  static const guint8 pat[] = { 0, 0xb0, 13, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0, 0x20, 0, 0, 0, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint8 pmt[] = { 2, 0xb0, 24, 0, 1, 0xc1, 0, 0, 0xff, 0xff, 0xf0, 0, 0x06, 0xe0, 0x30, 0xf0, 6,
      5, 4, 0, 0, 0, 0, 0, 0, 0, 0 };
    TsTables *tables = g_new0 (TsTables, 1);
    TsPids *pids = g_new0 (TsPids, 1);

    memcpy (pmt + 19, rows[i].id, 4);
    ts_tables_init (tables, pids);
    take_section (tables, pids, 0, pat, sizeof pat);
    take_section (tables, pids, 0x20, pmt, sizeof pmt);
    g_assert_cmpint (ts_pids_find (pids, 0x30)->role, ==, rows[i].role);
    ts_pids_clear (pids);
    g_free (pids);
    g_free (tables);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tsmonitor/faults", test_faults);
  g_test_add_func ("/tsmonitor/figures", test_figures);
  g_test_add_func ("/tsmonitor/silence", test_silence);
  g_test_add_func ("/tsmonitor/no-video", test_no_video);
  g_test_add_func ("/tsmonitor/variable", test_variable);
  g_test_add_func ("/tsmonitor/few-null", test_few_null);
  g_test_add_func ("/tsmonitor/stills", test_stills);
  g_test_add_func ("/tsmonitor/limits", test_limits);
  g_test_add_func ("/tsmonitor/jitter", test_jitter);
  g_test_add_func ("/tsmonitor/drift", test_drift);
  g_test_add_func ("/tsmonitor/still", test_still);
  g_test_add_func ("/tsmonitor/interval", test_interval);
  g_test_add_func ("/tsmonitor/junk", test_junk);
  g_test_add_func ("/tsmonitor/begin-after-bad", test_begin_after_bad);
  g_test_add_func ("/tsmonitor/crowd", test_crowd);
  g_test_add_func ("/tsmonitor/storm", test_storm);
  g_test_add_func ("/tsmonitor/rubbish", test_rubbish);
  g_test_add_func ("/tsmonitor/wrap", test_wrap);
  g_test_add_func ("/tsmonitor/registered", test_registered);
  return g_test_run ();
}
