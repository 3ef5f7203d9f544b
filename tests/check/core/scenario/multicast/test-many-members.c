/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many members of one group, in virtual time: what they say together, who is waited for, and
 * how long it takes to see that one is gone.
 */
#include "fasprlc.h"
#include "members.h"

#define RTT (20 * FASP_MSEC)
#define BITRATE 5000000

/* @n members, all of them there, of a stream that has just begun; in a store that holds
 * @buffer. */
static Vgroup *
crowd_with (guint32 seed, guint n, gsize buffer, FaspSlowPolicy policy, guint64 channel)
{
  Vgroup *g = vgroup_new (seed);

  g->sender_config.settings.slow_policy = policy;
  g->sender_config.settings.max_bitrate = channel;
  g->sender_config.buffer_size = g->receiver_config.buffer_size = buffer;
  g->sender_config.resume_timeout = g->receiver_config.resume_timeout = 30 * FASP_SEC;
  vgroup_set_sender (g);
  for (guint i = 0; i < n; i++)
    vgroup_add (g, RTT / 2 + RTT / 2 * (i + 1) / n);
  members_assemble (g, 3 * FASP_SEC, BITRATE);
  return g;
}

static Vgroup *
crowd_of (guint32 seed, guint n, gsize buffer, FaspSlowPolicy policy)
{
  return crowd_with (seed, n, buffer, policy, 2 * BITRATE);
}

static guint64
count_up (Vgroup *g)
{
  guint64 wire = 0;

  for (guint i = 0; i < g->n; i++)
    wire += g->receivers[i].sent_wire;
  return wire;
}

static guint
count_events (Vgroup *g, FaspEventType type)
{
  guint n = g->events[type];

  for (guint i = 0; i < g->n; i++)
    n += g->receivers[i].events[type];
  return n;
}

static void
lose_words (Vgroup *g, gdouble loss)
{
  for (guint i = 0; i < g->n; i++)
    g->receivers[i].back.config.loss = loss;
}

static void
assert_whole (Vgroup *g, FaspTime limit)
{
  vgroup_end (g, limit);
  for (guint i = 0; i < g->n; i++)
    if (!g->receivers[i].gone)
      g_assert_true (vgroup_is_whole (g, i));
}

/* What all say regularly is a 64th of what the group sends, however many they are, and a
 * little for the speaker. */
static void
test_feedback_rate (void)
{
  static const guint members[] = { 20, 100 };

  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {
    g_autoptr (Vgroup) g = crowd_of (1, members[i], 64 << 20, FASP_SLOW_WAIT);
    guint64 up, down;

    lose_words (g, .01);
    vgroup_run (g, 5 * FASP_SEC);
    up = count_up (g);
    down = g->group_wire;
    vgroup_run (g, 10 * FASP_SEC);
    up = count_up (g) - up;
    down = g->group_wire - down;
    g_assert_cmpuint (vgroup_get_stats (g).members, ==, members[i]);
    g_assert_cmpuint (up, <, down / 64 * 5 / 4 + 10 * 1500);
    assert_whole (g, 3 * FASP_SEC);
  }
}

/* However seldom they speak, losses are asked for at once, by few. */
static void
test_prompt (void)
{
  g_autoptr (Vgroup) g = crowd_with (2, 50, 64 << 20, FASP_SLOW_WAIT, 3 * BITRATE);
  FaspGroupStats stats;

  for (guint i = 0; i < g->n; i++)
    g->receivers[i].branch.config.loss = .01;
  lose_words (g, .01);
  vgroup_run (g, 20 * FASP_SEC);
  stats = vgroup_get_stats (g);
  g_assert_cmpint (stats.clock, >, 400 * FASP_MSEC);
  g_assert_cmpuint (stats.losses, >, 1000);
  g_assert_cmpuint (stats.requests, <=, 3 * stats.losses);
  assert_whole (g, 3 * FASP_SEC);
}

/* Who says little is not taken for gone, though a tenth of that is lost; and who is gone
 * is known to be within five fourths of the clock and two seconds. */
static void
test_gone (void)
{
  g_autoptr (Vgroup) g = crowd_of (3, 150, 64 << 20, FASP_SLOW_SKIP);
  FaspTime clock;

  g->bitrate = BITRATE / 5; /* it is about what the members say */
  lose_words (g, .1);
  for (guint i = 0; i < g->n; i++)
    g->receivers[i].branch.config.loss = .02;
  vgroup_run (g, 15 * FASP_SEC);
  clock = vgroup_get_stats (g).clock;
  g_assert_cmpint (clock, >, FASP_SEC);
  g_assert_cmpuint (count_events (g, FASP_EVENT_INTERRUPTED), ==, 0);
  g->receivers[7].gone = g->receivers[0].gone = TRUE;
  vgroup_run (g, clock * 5 / 4 + 2300 * FASP_MSEC);
  g_assert_cmpuint (g->events[FASP_EVENT_INTERRUPTED], ==, 2);
  g_assert_cmpuint (count_events (g, FASP_EVENT_INTERRUPTED), ==, 2);
  assert_whole (g, 5 * FASP_SEC);
}

/* A stream that stands still is no reason to think that anybody is gone, on either side; and
 * that the sender is gone shows within two seconds and as many clocks. */
static void
test_still (void)
{
  g_autoptr (Vgroup) g = crowd_of (4, 100, 64 << 20, FASP_SLOW_WAIT);

  vgroup_run (g, 2 * FASP_SEC);
  lose_words (g, .05);
  for (guint i = 0; i < g->n; i++)
    g->receivers[i].branch.config.loss = .05;
  g->bitrate = 0;
  vgroup_run (g, 90 * FASP_SEC);
  g_assert_cmpint (vgroup_get_stats (g).clock, >, 13 * FASP_SEC);
  g_assert_cmpuint (count_events (g, FASP_EVENT_INTERRUPTED), ==, 0);
  g->trunk.config.loss = 1;
  vgroup_run (g, 2300 * FASP_MSEC);
  for (guint i = 0; i < g->n; i++)
    g_assert_cmpuint (g->receivers[i].events[FASP_EVENT_INTERRUPTED], ==, 1);
}

/* The store has room for what is not said yet: nobody is moved ahead, where words are lost, and
 * where a stream goes on after a pause, of which members have learnt to say little. */
static void
test_store (void)
{
  g_autoptr (Vgroup) g = crowd_of (5, 100, 2 << 20, FASP_SLOW_SKIP);
  FaspEndpointStats stats;
  gsize most = 0;

  lose_words (g, .05);
  for (guint i = 0; i < 750; i++) {
    /* six seconds of stream, four of none */
    g->bitrate = i / 25 % 10 < 6 ? BITRATE : 0;
    vgroup_run (g, 40 * FASP_MSEC);
    fasp_endpoint_get_stats (g->sender, &stats);
    most = MAX (most, stats.buffer_bytes);
  }
  g_assert_cmpuint (most, >, 100000);
  g_assert_cmpuint (most, <, (2 << 20) / 2);
  g_assert_cmpuint (count_events (g, FASP_EVENT_SKIPPED), ==, 0);
  assert_whole (g, 3 * FASP_SEC);
}

/* A time that is shorter than before is kept from now on, and not by all at once. */
static void
test_shorter (void)
{
  g_autoptr (Vgroup) g = crowd_of (6, 100, 64 << 20, FASP_SLOW_WAIT);
  guint64 before[100], most = 0, spoken = 0;
  FaspTime end;

  g->bitrate = 0;
  vgroup_run (g, 30 * FASP_SEC);
  g_assert_cmpint (vgroup_get_stats (g).clock, >, 13 * FASP_SEC);
  for (guint i = 0; i < 100; i++)
    before[i] = g->receivers[i].sent;
  g->bitrate = BITRATE;
  /* the rate is that of the second before, and told four times a second */
  for (end = g->now + 5 * FASP_SEC / 2 + RTT; g->now < end;) {
    guint now = 0;

    vgroup_run (g, 50 * FASP_MSEC);
    for (guint i = 0; i < 100; i++)
      if (before[i] != 0 && g->receivers[i].sent > before[i]) {
        before[i] = 0;
        now++;
      }
    spoken += now;
    most = MAX (most, now);
  }
  g_assert_cmpint (vgroup_get_stats (g).clock, <, 3 * FASP_SEC / 2);
  g_assert_cmpuint (spoken, ==, 100);
  g_assert_cmpuint (most, <, 25);
}

/* The end is confirmed by all of them soon, whatever is lost of it. */
static void
test_end (void)
{
  g_autoptr (Vgroup) g = crowd_of (7, 200, 64 << 20, FASP_SLOW_WAIT);
  FaspTime before;

  vgroup_run (g, 5 * FASP_SEC);
  lose_words (g, .05);
  for (guint i = 0; i < g->n; i++)
    g->receivers[i].branch.config.loss = .02;
  vgroup_run (g, FASP_SEC);
  g->bitrate = 0;
  vgroup_run (g, 10 * FASP_SEC);
  g_assert_cmpint (vgroup_get_stats (g).clock, >, 13 * FASP_SEC);
  before = g->now;
  assert_whole (g, 10 * FASP_SEC);
  g_assert_cmpint (g->now - before, <, 3 * FASP_SEC);
}

/* One that is far away does not make the others wait, and has the stream, too. */
static void
test_far (void)
{
  g_autoptr (Vgroup) g = crowd_of (8, 100, 64 << 20, FASP_SLOW_WAIT);
  FaspGroupStats stats;

  for (guint i = 0; i < 99; i++)
    g->receivers[i].branch.config.delay = g->receivers[i].back.config.delay = FASP_MSEC;
  g->receivers[99].branch.config.delay = 150 * FASP_MSEC;
  g->receivers[99].back.config.delay = 150 * FASP_MSEC;
  vgroup_run (g, 20 * FASP_SEC);
  g->trunk.config.loss = .01;
  vgroup_run (g, 10 * FASP_SEC);
  stats = vgroup_get_stats (g);
  /* 300 ms without the bound */
  g_assert_cmpint (stats.rtt, <, 16 * FASP_MSEC);
  g_assert_cmpint (stats.back_off, <, 200 * FASP_MSEC);
  g_assert_cmpuint (stats.requests, <=, 3 * stats.losses);
  assert_whole (g, 5 * FASP_SEC);
}

/* --- repairs in advance -------------------------------------------------------------------- */

/* @n members that lose @own each, and @common together; with a code as is worth it. */
static Vgroup *
crowd_with_code (guint n, gdouble own, gdouble common, FaspFecMode mode)
{
  Vgroup *g = vgroup_new (9);

  g->sender_config.fec = mode;
  g->receiver_config.fec = FASP_FEC_AUTO;
  g->sender_config.settings.max_bitrate = 8000000;
  g->sender_config.buffer_size = g->receiver_config.buffer_size = 16 << 20;
  vgroup_set_sender (g);
  for (guint i = 0; i < n; i++)
    vgroup_add (g, RTT / 2 + RTT / 2 * (i + 1) / n);
  members_assemble (g, 2 * FASP_SEC, 4000000);
  g->trunk.config.loss = common;
  for (guint i = 0; i < n; i++)
    g->receivers[i].branch.config.loss = own;
  return g;
}

/* Retransmissions to all and to one, and repairs. */
static guint64
count_more (Vgroup *g, guint64 *retransmissions)
{
  static FaspSessionStats sessions[VGROUP_MAX];
  FaspGroupStats stats = vgroup_get_stats (g);
  guint n = fasp_endpoint_get_sessions (g->sender, g->now, &(guint64) { 0 }, sessions, VGROUP_MAX);

  *retransmissions = stats.blocks_resent;
  for (guint i = 0; i < MIN (n, VGROUP_MAX); i++)
    *retransmissions += sessions[i].sent.blocks_rtx;
  return *retransmissions + stats.repairs_sent;
}

/* Where each loses by itself the code takes the place of retransmissions, and of more of them than
 * it costs; always within the channel. */
static void
test_code (void)
{
  guint64 more[2], retransmissions[2], before, first;

  for (guint i = 0; i < 2; i++) {
    g_autoptr (Vgroup) g = crowd_with_code (40, .01, 0, i == 0 ? FASP_FEC_OFF : FASP_FEC_AUTO);

    vgroup_run (g, 5 * FASP_SEC);
    before = count_more (g, &first);
    for (guint k = 0; k < 80; k++) {
      guint64 sent = g->sent_wire;

      vgroup_run (g, 100 * FASP_MSEC);
      /* and little that is neither a block nor a repair */
      g_assert_cmpuint (g->sent_wire - sent, <, 8000000 / 8 / 10 * 105 / 100 + 8192);
    }
    more[i] = count_more (g, &retransmissions[i]) - before;
    retransmissions[i] -= first;
    g_assert_true ((vgroup_get_stats (g).fec_share > 0) == (i == 1));
    assert_whole (g, 5 * FASP_SEC);
  }
  g_assert_cmpuint (retransmissions[1] * 5, <, retransmissions[0]);
  g_assert_cmpuint (more[1] * 3, <, more[0]);
}

/* What all lose is sent again once, which costs less; what one loses, or says that it does, is
 * its own affair; and what nobody loses any more needs no code. */
static void
test_code_worth (void)
{
  g_autoptr (Vgroup) g = crowd_with_code (20, 0, .03, FASP_FEC_AUTO);

  vgroup_run (g, 8 * FASP_SEC);
  g_assert_cmpfloat (vgroup_get_stats (g).fec_share, ==, 0);
  assert_whole (g, 5 * FASP_SEC);
  vgroup_free (g);

  g = crowd_with_code (20, .005, 0, FASP_FEC_AUTO);
  g->receivers[3].branch.config.loss = .2;
  vgroup_run (g, 8 * FASP_SEC);
  g_assert_cmpfloat (vgroup_get_stats (g).fec_share, >, 0);
  g_assert_cmpfloat (vgroup_get_stats (g).fec_share, <, .08);
  assert_whole (g, 5 * FASP_SEC);
  vgroup_free (g);

  g = crowd_with_code (8, .01, 0, FASP_FEC_AUTO);
  vgroup_run (g, 6 * FASP_SEC);
  g_assert_cmpfloat (vgroup_get_stats (g).fec_share, >, 0);
  for (guint i = 0; i < g->n; i++)
    g->receivers[i].branch.config.loss = 0;
  vgroup_run (g, 150 * FASP_SEC);
  g_assert_cmpfloat (vgroup_get_stats (g).fec_share, ==, 0);
  assert_whole (g, 5 * FASP_SEC);
}

/* With room for 1.5 s at each, and some of what they say lost: the stream goes on. */
static void
test_window (void)
{
  g_autoptr (Vgroup) g = vgroup_new (1);
  FaspTime since;
  guint64 read = 0;

  g->sender_config.settings.slow_policy = FASP_SLOW_WAIT;
  g->sender_config.settings.max_bitrate = 2 * BITRATE;
  g->sender_config.buffer_size = 64 << 20;
  g->receiver_config.buffer_size = BITRATE / 8 * 3 / 2;
  vgroup_set_sender (g);
  for (guint i = 0; i < 100; i++)
    vgroup_add (g, RTT / 2 + RTT / 2 * (i + 1) / 100);
  members_assemble (g, 3 * FASP_SEC, BITRATE);
  vgroup_run (g, 3 * FASP_SEC);
  for (guint i = 0; i < g->n; i++)
    g->receivers[i].back.config.loss = .01;
  since = g->now;
  for (guint i = 0; i < 1200; i++) {
    vgroup_run (g, 10 * FASP_MSEC);
    if (g->receivers[0].read > read)
      since = g->now;
    read = g->receivers[0].read;
    g_assert_cmpint (g->now - since, <, 300 * FASP_MSEC);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/crowd/feedback-rate", test_feedback_rate);
  g_test_add_func ("/crowd/prompt", test_prompt);
  g_test_add_func ("/crowd/gone", test_gone);
  g_test_add_func ("/crowd/still", test_still);
  g_test_add_func ("/crowd/store", test_store);
  g_test_add_func ("/crowd/window", test_window);
  g_test_add_func ("/crowd/shorter", test_shorter);
  g_test_add_func ("/crowd/end", test_end);
  g_test_add_func ("/crowd/far", test_far);
  if (fasp_rlc_is_built ()) {
    g_test_add_func ("/crowd/code", test_code);
    g_test_add_func ("/crowd/code/worth", test_code_worth);
  }
  return g_test_run ();
}
