/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What comes too late, or not at all: what is given up (too-late=skip), what is counted, and what
 * is told.
 */
#include "vcast.h"

/* Nothing is sent for longer than the low bits of a time tell, also by another connection then:
 * times are right from the first block on, and nobody's clock was set. */
static void
test_pause (gconstpointer anew)
{
  static const FaspTime minutes[] = { 30, 40, 60, 80, 150 };

  for (guint i = 0; i < G_N_ELEMENTS (minutes); i++) {
    g_autoptr (VCast) n = vcast_new (i + 1);
    VCastNode *b = &n->nodes[VNET_B];
    guint64 bitrate = n->bitrate, read;
    FaspSenderClock clock;

    vcast_begin (n, VNET_B);
    vcast_run (n, 15 * FASP_SEC);
    n->bitrate = 0;
    vcast_run (n, minutes[i] * 60 * FASP_SEC);
    if (anew) {
      vcast_lose (n, 1);
      vcast_run (n, n->receiver.resume_timeout + 60 * FASP_SEC);
      vcast_lose (n, 0);
      vcast_run (n, 60 * FASP_SEC);
      g_assert_cmpuint (b->events[FASP_EVENT_CONNECTED], ==, 2);
    }
    read = b->read;
    n->bitrate = bitrate;
    for (guint k = 0; k < 1000; k++) {
      vcast_run (n, 10 * FASP_MSEC);
      if (b->read > read)
        g_assert_cmpint (ABS (b->play - vnet_get_time (n->net)), <, 50 * FASP_MSEC);
    }
    g_assert_cmpuint (b->read, >, read);
    fasp_endpoint_get_sender_clock (b->endpoint, &clock);
    g_assert_cmpuint (clock.jumps, ==, 0);
  }
}

/* What waits for a receiver that reads nothing is late by more than that, too. */
static void
test_paused (void)
{
  static const FaspTime minutes[] = { 20, 41, 60 };

  for (guint i = 0; i < G_N_ELEMENTS (minutes); i++) {
    g_autoptr (VCast) n = vcast_new (i + 1);
    VCastNode *b = &n->nodes[VNET_B];
    FaspSenderClock clock;

    n->bitrate = 1000000;
    vcast_begin (n, VNET_B);
    vcast_run (n, 15 * FASP_SEC);
    b->stopped = TRUE;
    vcast_run (n, minutes[i] * 60 * FASP_SEC);
    b->stopped = FALSE;
    vcast_run (n, 30 * FASP_SEC);
    fasp_endpoint_get_sender_clock (b->endpoint, &clock);
    g_assert_cmpuint (clock.jumps, ==, 0);
  }
}

/* too-late=skip: what is not there in time is given up, told, counted, and
 * everything else is delivered. */
static void
test_too_late (void)
{
  g_autoptr (VCast) n = vcast_new (9);
  ImpairConfig *wire = vnet_get_wire (n->net, VNET_A, VNET_B);
  FaspSessionStats stats;
  gint64 joined;

  n->sender.settings.latency_ms = n->receiver.settings.latency_ms = 300;
  n->receiver.settings.too_late_skip = TRUE;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  joined = n->nodes[VNET_B].origin;
  wire->loss = 1;
  vcast_run (n, 600 * FASP_MSEC);
  wire->loss = 0;
  vcast_run (n, 5 * FASP_SEC);
  stats = vcast_get_session (n, VNET_B);
  g_assert_cmpuint (stats.received.too_late, >, 0);
  g_assert_cmpuint (n->nodes[VNET_B].discontinuities, >=, 1);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_SKIPPED], ==, 0);
  /* for the one who joined, and for the gap */
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_KEY_FRAME], >=, 2);
  vcast_end (n);
  vcast_assert_gap_notified (n, VNET_B, joined, FALSE);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].wrong);
}

typedef struct
{
  gboolean skip;
  guint seconds;
} Outage;

static const Outage outages[] = {
  { FALSE, 6 },
  { TRUE, 6 },
  { FALSE, 3 },
  { TRUE, 3 },
};

/* too-late=skip after an outage: what was written meanwhile is of no use any more, and is not
 * sent, nor sent again (for 5 s it goes on); with wait it is, and all is late until it is caught
 * up with. */
static void
test_outage_late (gconstpointer data)
{
  const Outage *outage = data;
  gboolean skip = outage->skip;
  g_autoptr (VCast) n = vcast_new (9);
  guint64 missing, behind; /* bytes */
  gint64 joined;

  n->sender.settings.latency_ms = n->receiver.settings.latency_ms = 300;
  n->receiver.settings.too_late_skip = skip;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  joined = n->nodes[VNET_B].origin;
  vcast_lose (n, 1);
  vcast_run (n, outage->seconds * FASP_SEC);
  vcast_lose (n, 0);
  /* heard by its TAIL, every 100 ms, one late block, and what the sender knows then */
  vcast_run (n, 700 * FASP_MSEC);
  behind = n->written - n->nodes[VNET_B].origin - n->nodes[VNET_B].read;
  g_assert_true ((behind < 500000 * 3 / 10) == skip);
  g_assert_true ((vcast_get_session (n, VNET_A).delivery.skipped > 0) == skip);
  vcast_end (n);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].wrong);
  missing = vcast_get_stats (n, VNET_B).bytes_missing;
  if (skip) {
    vcast_assert_gap_notified (n, VNET_B, joined, FALSE);
    /* 4 Mbit/s; the last 0.3 s of the outage are in time still */
    g_assert_cmpuint (missing, >, 500000 * (outage->seconds - 2));
    g_assert_cmpuint (missing, <, 500000 * outage->seconds);
  } else {
    vcast_assert_whole (n, VNET_B);
  }
}

/* The path is longer by more than the latency, from now on: all comes too late, and comes; there
 * is nothing that the sender could leave out. */
static void
test_longer_path (void)
{
  g_autoptr (VCast) n = vcast_new (9);
  FaspSessionStats stats;

  n->sender.settings.latency_ms = n->receiver.settings.latency_ms = 300;
  n->receiver.settings.too_late_skip = TRUE;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay += 350 * FASP_MSEC;
  vcast_run (n, 5 * FASP_SEC);
  stats = vcast_get_session (n, VNET_A);
  g_assert_cmpuint (stats.latency.skips, >, 0);
  g_assert_cmpuint (stats.delivery.skipped, ==, 0);
  vcast_end_whole (n, VNET_B);
}

/* A skip in the first second of a session is one in a second, not one in no time. */
static void
test_skip_at_first (void)
{
  g_autoptr (VCast) n = vcast_new (9);

  n->sender.settings.latency_ms = n->receiver.settings.latency_ms = 100;
  vcast_begin (n, VNET_B);
  vcast_run (n, 400 * FASP_MSEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, ==, 0);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.observed_interval, ==, 0);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay += 150 * FASP_MSEC;
  vcast_run (n, 500 * FASP_MSEC);
  for (VnetSide side = VNET_A; side <= VNET_B; side++) {
    g_assert_cmpuint (vcast_get_session (n, side).latency.skips, ==, 1);
    g_assert_cmpuint (vcast_get_session (n, side).latency.observed_interval, ==, 1);
  }
  vcast_run (n, 4 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).latency.observed_interval, ==, 4);
}

/* Everything comes too late, for twenty seconds: that is a skip in each of them for who plays it,
 * and one row for the sender, whose encoder need not make a key frame for each. */
static void
test_late_for_long (void)
{
  g_autoptr (VCast) n = vcast_new (9);

  n->sender.settings.latency_ms = n->receiver.settings.latency_ms = 300;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, ==, 0);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay += 350 * FASP_MSEC;
  vcast_run (n, 20 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, >=, 18);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, <=, 20);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay -= 350 * FASP_MSEC;
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, <=, 20);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).latency.skips, ==, 1);
  /* one for the join, one for the row */
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_KEY_FRAME], ==, 2);
}

/* An outage of four seconds, after which all that it held up comes at once, or is left out. */
static void
test_late_at_once (gconstpointer skips)
{
  g_autoptr (VCast) n = vcast_new (9);
  ImpairConfig *wire = vnet_get_wire (n->net, VNET_A, VNET_B);

  n->sender.settings.latency_ms = n->receiver.settings.latency_ms = 300;
  n->sender.settings.max_bitrate = 100000000;
  n->receiver.settings.too_late_skip = GPOINTER_TO_INT (skips);
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  impair_black_out (wire, vnet_get_time (n->net), 4 * FASP_SEC);
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, >=, 4);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, <=, 6);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).latency.skips, ==, 1);
}

/* An outage that is longer than the sender keeps the stream: each second of the gap counts. But of
 * a pause nothing is missing if some blocks are lost at its end. */
static void
test_gap (gconstpointer pauses)
{
  g_autoptr (VCast) n = vcast_new (9);
  ImpairConfig *wire = vnet_get_wire (n->net, VNET_A, VNET_B);
  guint64 skips;

  n->sender.settings.latency_ms = n->receiver.settings.latency_ms = 300;
  n->sender.settings.max_bitrate = 100000000;
  n->sender.buffer_size = 100000;
  n->sender.settings.slow_policy = FASP_SLOW_SKIP;
  n->sender.no_rtx = GPOINTER_TO_INT (pauses);
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  if (pauses) {
    n->bitrate = 0;
    vcast_run (n, 6 * FASP_SEC);
    n->bitrate = 4000000;
  }
  impair_black_out (wire, vnet_get_time (n->net), pauses ? 30 * FASP_MSEC : 8 * FASP_SEC);
  vcast_run (n, 15 * FASP_SEC);
  skips = vcast_get_session (n, VNET_B).latency.skips;
  g_assert_cmpuint (skips, >=, pauses ? 1 : 8);
  g_assert_cmpuint (skips, <=, pauses ? 1 : 10);
}

/* What the sender does not send again is missing, and that is no better than late. */
static void
test_missing (void)
{
  g_autoptr (VCast) n = vcast_new (9);

  n->sender.no_rtx = TRUE;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, ==, 0);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .05;
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, >=, 9);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, <=, 11);
}

/* Where everything comes seconds too late and some of it is missing, no second counts twice. */
static void
test_missing_late (void)
{
  g_autoptr (VCast) n = vcast_new (9);
  guint64 before;

  n->sender.settings.latency_ms = n->receiver.settings.latency_ms = 300;
  n->sender.no_rtx = TRUE;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay += 1800 * FASP_MSEC;
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .05;
  vcast_run (n, 3 * FASP_SEC);
  before = vcast_get_session (n, VNET_B).latency.skips;
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, >=, before + 9);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, <=, before + 11);
}

/* too-late=skip where the channel takes less than the stream, for long, by a quarter or by little:
 * of what is left out the rest is in time, and the stream stays live. */
static void
test_narrow_late (void)
{
  static const guint channels[] = { 3200000, 4100000 };

  for (guint i = 0; i < G_N_ELEMENTS (channels); i++) {
    g_autoptr (VCast) n = vcast_new (11);
    VCastNode *node = &n->nodes[VNET_B];
    guint64 in_time = 0, late = 0, before = 0;
    FaspTime latest = 0, shift;

    n->sender.settings.latency_ms = n->receiver.settings.latency_ms = 1000;
    n->sender.settings.max_bitrate = channels[i];
    n->receiver.settings.too_late_skip = TRUE;
    vcast_begin (n, VNET_B);
    vcast_run (n, 500 * FASP_MSEC);
    shift = node->shift;
    while (vnet_get_time (n->net) < 60 * FASP_SEC) {
      FaspTime lateness;

      vcast_run (n, 5 * FASP_MSEC);
      lateness = vnet_get_time (n->net) - node->play;
      latest = MAX (latest, lateness);
      if (lateness <= 1000 * FASP_MSEC)
        in_time += node->read - before;
      else
        late += node->read - before;
      before = node->read;
    }
    shift = node->shift - shift;
    g_test_message ("%u: %.3f in time, %.4f late, %u gaps, %d ms, %d ms off", channels[i],
        in_time * 8. / 2.4e8, late * 8. / 2.4e8, node->discontinuities, (gint) (latest / 1000),
        (gint) (shift / 1000));
    g_assert_cmpint (ABS (shift), <, 60 * FASP_MSEC);
    g_assert_cmpint (latest, <, 1100 * FASP_MSEC);
    g_assert_cmpuint (node->discontinuities, >, 0);
    g_assert_cmpuint (node->discontinuities, <, 50);
    g_assert_cmpuint (in_time, >, 60 * (guint64) channels[i] / 8 * .9);
    g_assert_cmpuint (late, <, in_time / 40);
    vcast_end (n);
    g_assert_false (node->wrong);
  }
}

/* A stream pauses before its end is said: nobody waited for that, and nothing was late. */
static void
test_late_end (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  n->bitrate = n->held = 0;
  vcast_run (n, 5 * FASP_SEC);
  vcast_end_whole (n, VNET_B);
  g_assert_cmpint (
      fasp_hist_percentile (fasp_endpoint_get_lateness (n->nodes[VNET_B].endpoint, TRUE), 1), <,
      FASP_SEC);
  g_assert_cmpint (
      fasp_hist_percentile (fasp_endpoint_get_lateness (n->nodes[VNET_B].endpoint, FALSE), 1), <,
      FASP_SEC);
}

/* On a long path with time for several round trips, the end of what was written is asked
 * for once in a round trip, and not before an answer could be there. */
static void
test_tail_far (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  ImpairConfig *out = vnet_get_wire (n->net, VNET_A, VNET_B);
  guint64 before;

  out->delay = vnet_get_wire (n->net, VNET_B, VNET_A)->delay = 300 * FASP_MSEC;
  n->sender.settings.latency_ms = 5000;
  vcast_begin (n, VNET_B);
  vcast_run (n, 10 * FASP_SEC);
  out->loss = 1;
  vcast_run (n, 10 * FASP_MSEC);
  n->bitrate = n->held = 0;
  vcast_run (n, FASP_SEC);
  before = vnet_get_counters (n->net, VNET_A, VNET_B)->packets;
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_B)->packets, <=, before + 8);
  out->loss = 0;
  vcast_end_whole (n, VNET_B);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/endpoint/late-end", test_late_end);
  g_test_add_func ("/endpoint/paused", test_paused);
  g_test_add_data_func ("/endpoint/pause/connected", NULL, test_pause);
  g_test_add_data_func ("/endpoint/pause/anew", "anew", test_pause);
  g_test_add_func ("/endpoint/too-late", test_too_late);
  g_test_add_func ("/endpoint/too-late/narrow", test_narrow_late);
  g_test_add_data_func ("/endpoint/outage/wait", &outages[0], test_outage_late);
  g_test_add_data_func ("/endpoint/outage/skip", &outages[1], test_outage_late);
  g_test_add_data_func ("/endpoint/outage/short/wait", &outages[2], test_outage_late);
  g_test_add_data_func ("/endpoint/outage/short/skip", &outages[3], test_outage_late);
  g_test_add_func ("/endpoint/longer-path", test_longer_path);
  g_test_add_func ("/endpoint/skip-at-first", test_skip_at_first);
  g_test_add_func ("/endpoint/late-for-long", test_late_for_long);
  g_test_add_data_func ("/endpoint/late-at-once", GINT_TO_POINTER (FALSE), test_late_at_once);
  g_test_add_data_func ("/endpoint/late-at-once/skip", GINT_TO_POINTER (TRUE), test_late_at_once);
  g_test_add_data_func ("/endpoint/gap", GINT_TO_POINTER (FALSE), test_gap);
  g_test_add_data_func ("/endpoint/gap/pause", GINT_TO_POINTER (TRUE), test_gap);
  g_test_add_func ("/endpoint/missing", test_missing);
  g_test_add_func ("/endpoint/missing/late", test_missing_late);
  g_test_add_func ("/endpoint/tail-far", test_tail_far);
  return g_test_run ();
}
