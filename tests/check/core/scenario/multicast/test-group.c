/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One sender and many receivers by multicast, in virtual time: losses, latency, history and the
 * end. Whoever is away for a while is in test-away.c.
 */
#include "faspendpointbase.h"
#include "faspmulticastsender.h"
#include "fasprlc.h"
#include "members.h"

#define RTT MEMBERS_RTT

/* Once for all of them, and nothing but that. */
static void
test_clean (void)
{
  g_autoptr (Vgroup) g = members_new (1, 20, FASP_SLOW_WAIT);
  FaspGroupStats stats;
  guint64 written, sent;

  vgroup_run (g, 2 * FASP_SEC);
  written = g->written;
  sent = g->sent_wire;
  vgroup_run (g, 5 * FASP_SEC);
  stats = vgroup_get_stats (g);
  g_assert_cmpuint (stats.members, ==, 20);
  g_assert_cmpuint (stats.losses, ==, 0);
  /* however long they wait before they speak */
  g_assert_cmpint (stats.rtt, <=, RTT + 5 * FASP_MSEC);
  g_assert_cmpuint (stats.blocks_resent, ==, 0);
  g_assert_cmpuint (members_count_alone (g), ==, 0);
  /* the stream once, 6 % of headers, and a little to each */
  g_assert_cmpuint (g->sent_wire - sent, <, (g->written - written) * 110 / 100);
  members_assert_whole (g);
}

/* What the group sent before a receiver knew its key is not lost, however little that was. */
static void
test_first_packets (void)
{
  g_autoptr (Vgroup) g = members_new (2, 2, FASP_SLOW_WAIT);

  g_assert_cmpuint (g->group_sent, <, 32);
  g->bitrate = 0;
  vgroup_add (g, RTT);
  vgroup_run (g, FASP_SEC);
  g->bitrate = 4000000;
  vgroup_run (g, 2 * FASP_SEC);
  for (guint i = 0; i < g->n; i++) {
    FaspSessionStats stats;

    g_assert_cmpuint (fasp_endpoint_get_sessions (g->receivers[i].endpoint, g->now,
                          &(guint64) { 0 }, &stats, 1),
        ==, 1);
    g_assert_true (stats.group.member);
    g_assert_cmpuint (stats.group.lost, ==, 0);
    g_assert_cmpuint (stats.received.bursts, ==, 0);
  }
  members_assert_whole (g);
}

/* What all lose goes again once, after few requests: 1.9 in the mean of 40 seeds, more than 3
 * in 2 of them. */
static void
test_correlated (void)
{
  guint64 requests = 0, losses = 0;

  for (guint seed = 2; seed <= 5; seed++) {
    g_autoptr (Vgroup) g = members_new (seed, 100, FASP_SLOW_WAIT);
    FaspGroupStats stats;

    g->trunk.config.loss = .03;
    for (guint i = 0; i < g->n; i++)
      g->receivers[i].back.config.loss = .02;
    vgroup_run (g, 5 * FASP_SEC);
    stats = vgroup_get_stats (g);
    g_assert_cmpuint (stats.losses, >, 40);
    g_assert_cmpuint (stats.blocks_resent + members_count_alone (g), <, stats.losses * 12 / 10);
    requests += stats.requests;
    losses += stats.losses;
    members_assert_whole (g);
  }
  g_assert_cmpuint (requests, <=, 3 * losses);
}

/* What each loses for itself goes to it alone, as far as that is rare. */
static void
test_independent (void)
{
  g_autoptr (Vgroup) g = members_new (3, 50, FASP_SLOW_WAIT);
  FaspGroupStats stats;
  guint64 lost = 0;

  for (guint i = 0; i < g->n; i++)
    g->receivers[i].branch.config.loss = .001;
  vgroup_run (g, 6 * FASP_SEC);
  stats = vgroup_get_stats (g);
  for (guint i = 0; i < g->n; i++)
    lost += g->receivers[i].branch.counters.lost;
  g_assert_cmpuint (lost, >, 100);
  g_assert_cmpuint (members_count_alone (g), >, 4 * stats.blocks_resent);
  g_assert_cmpuint (members_count_alone (g) + stats.blocks_resent, <, lost * 11 / 10);
  members_assert_whole (g);
}

/* Where many lose something of their own, all are sent it: fewer than one for each. */
static void
test_independent_much (void)
{
  g_autoptr (Vgroup) g = members_new (4, 30, FASP_SLOW_WAIT);
  FaspGroupStats before, stats;
  guint64 alone;

  for (guint i = 0; i < g->n; i++)
    g->receivers[i].branch.config.loss = .05;
  vgroup_run (g, 2 * FASP_SEC); /* it finds out how losses are */
  before = vgroup_get_stats (g);
  alone = members_count_alone (g);
  vgroup_run (g, 4 * FASP_SEC);
  stats = vgroup_get_stats (g);
  stats.blocks_sent -= before.blocks_sent;
  stats.blocks_resent -= before.blocks_resent;
  alone = members_count_alone (g) - alone;
  /* until all have a block: 1.86 times, the mean of the largest of 30 */
  g_assert_cmpuint (stats.blocks_sent + stats.blocks_resent + alone, <,
      stats.blocks_sent * 195 / 100);
  members_assert_whole (g);
}

/* The pace is that of the group and its members together. */
static void
test_pace (void)
{
  g_autoptr (Vgroup) g = members_new (5, 30, FASP_SLOW_WAIT);
  guint64 before;

  for (guint i = 0; i < g->n; i++)
    g->receivers[i].branch.config.loss = .03;
  g->bitrate = 9000000; /* of 10, with what is lost too much */
  vgroup_run (g, 2 * FASP_SEC);
  before = g->sent_wire;
  vgroup_run (g, 2 * FASP_SEC);
  /* and what is said to each, PROMISE, PONG */
  g_assert_cmpuint ((g->sent_wire - before) * 8 / 2, <, 10000000 + 30 * 10000);
}

static void
test_repairs (void)
{
  g_autoptr (Vgroup) g = vgroup_new (6);
  FaspSessionStats stats;

  g->sender_config.fec = FASP_FEC_FIXED;
  g->sender_config.fec_share = .1;
  g->receiver_config.fec = FASP_FEC_AUTO;
  vgroup_set_sender (g);
  for (guint i = 0; i < 10; i++) {
    vgroup_add (g, RTT);
    g->receivers[i].branch.config.loss = .02;
  }
  vgroup_run (g, 5 * FASP_SEC);
  g_assert_cmpuint (vgroup_get_stats (g).repairs_sent, >, 150);
  fasp_endpoint_get_sessions (g->receivers[3].endpoint, g->now, &(guint64) { 0 }, &stats, 1);
  g_assert_cmpuint (stats.received.recovered, >, 10);
  members_assert_whole (g);
}

/* No time for a retransmission.  What is promised to members counts on the repairs that the group
 * sends: it sends none if retransmissions cost less, though each member alone would get some. */
static void
test_repairs_promised (void)
{
  for (guint i = 0; i < 2; i++) {
    FaspSessionStats at_sender, at_receiver;
    g_autoptr (Vgroup) g = vgroup_new (6);

    g->sender_config.fec = g->receiver_config.fec = FASP_FEC_AUTO;
    g->sender_config.settings.latency_ms = 60;
    if (i == 1) {
      g->sender_config.fec = FASP_FEC_FIXED;
      g->sender_config.fec_share = .2;
    }
    vgroup_set_sender (g);
    g->trunk.config.loss = .01;
    for (guint j = 0; j < 3; j++)
      vgroup_add (g, 50 * FASP_MSEC);
    vgroup_run (g, 30 * FASP_SEC);
    fasp_endpoint_get_sessions (g->sender, g->now, &(guint64) { 0 }, &at_sender, 1);
    fasp_endpoint_get_sessions (g->receivers[0].endpoint, g->now, &(guint64) { 0 }, &at_receiver,
        1);
    g_assert_cmpfloat (vgroup_get_stats (g).fec_share, ==, i == 0 ? 0 : .2);
    if (i == 0) {
      g_assert_cmpuint (at_receiver.latency.skips, >, 0);
      g_assert_cmpuint (at_sender.latency.promised_interval, <, 20);
    } else {
      g_assert_cmpuint (at_receiver.latency.skips, ==, 0);
      g_assert_cmpuint (at_sender.latency.promised_interval, >, 20);
    }
    /* none of its own */
    g_assert_cmpfloat (at_sender.sent.fec_share, ==, 0);
    /* and an encoder need not leave room for such */
    g_assert_cmpuint (fasp_endpoint_get_available_bitrate (g->sender), >,
        i == 0 ? 8500000 : 6800000);
    g_assert_cmpuint (fasp_endpoint_get_available_bitrate (g->sender), <,
        i == 0 ? 9300000 : 7800000);
  }
}

static void
test_late (void)
{
  g_autoptr (Vgroup) g = members_new (7, 5, FASP_SLOW_WAIT);

  g->trunk.config.loss = .01;
  vgroup_run (g, 3 * FASP_SEC);
  for (guint i = 0; i < 5; i++) {
    vgroup_add (g, RTT);
    vgroup_run (g, 500 * FASP_MSEC);
  }
  vgroup_run (g, FASP_SEC);
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 10);
  for (guint i = 5; i < 10; i++)
    g_assert_cmpint (g->receivers[i].origin, >, 0);
  members_assert_whole (g);
}

/* The nearest one speaks for all, whoever joined first. */
static void
test_speaker (void)
{
  g_autoptr (Vgroup) g = vgroup_new (8);

  vgroup_set_sender (g);
  vgroup_add (g, 300 * FASP_MSEC);
  vgroup_add (g, 280 * FASP_MSEC);
  vgroup_run (g, 2 * FASP_SEC);
  g_assert_nonnull (g->sender->group->speaker);
  for (guint i = 0; i < 8; i++)
    vgroup_add (g, 10 * FASP_MSEC);
  vgroup_run (g, 4 * FASP_SEC);
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 10);
  g_assert_cmpint (g->sender->group->speaker->rtt, <, 20 * FASP_MSEC);
  g_assert_cmpint (g->sender->group->speaker->speak_time, >, g->now);
  /* so what all lack comes again after its round trip */
  g->trunk.config.loss = .01;
  vgroup_run (g, 20 * FASP_SEC);
  for (guint i = 2; i < 10; i++)
    g_assert_cmpint (
        fasp_hist_percentile (fasp_endpoint_get_lateness (g->receivers[i].endpoint, TRUE), .99), <,
        50 * FASP_MSEC);
  members_assert_whole (g);
}

/* The speaker vanishes: the next one is told at once, though nobody else says a word for
 * seconds. */
static void
test_next_speaker (void)
{
  for (guint i = 0; i < 10; i++) {
    g_autoptr (Vgroup) g = vgroup_new (30 + i);
    const FaspMember *first;
    FaspTime chosen;
    guint next;

    g->bitrate = 80000;
    g->sender_config.resume_timeout = g->receiver_config.resume_timeout = 30 * FASP_SEC;
    vgroup_set_sender (g);
    vgroup_add (g, 10 * FASP_MSEC);
    for (guint j = 0; j < 5; j++)
      vgroup_add (g, (60 + j) * FASP_MSEC);
    vgroup_run (g, 20 * FASP_SEC + i * 77 * FASP_MSEC);
    first = g->sender->group->speaker;
    g_assert_nonnull (first);
    g->receivers[0].gone = TRUE;
    do
      vgroup_run (g, 5 * FASP_MSEC);
    while (g->sender->group->speaker == NULL || g->sender->group->speaker == first);
    chosen = g->now;
    do {
      vgroup_run (g, 5 * FASP_MSEC);
      for (next = 1; next < 6; next++)
        if (fasp_rx_get_feedback (fasp_endpoint_nth (g->receivers[next].endpoint, 0)->rx)
                ->speaks_until
            > g->now)
          break;
    } while (next == 6);
    g_assert_cmpint (g->now - chosen, <, 50 * FASP_MSEC);
  }
}

/* Nothing is announced: that is said. */
static void
test_silence (void)
{
  g_autoptr (Vgroup) g = members_new (11, 1, FASP_SLOW_WAIT);

  vgroup_add (g, RTT);
  g->receivers[1].no_multicast = TRUE;
  vgroup_run (g, 5 * FASP_SEC);
  g_assert_cmpuint (g->receivers[0].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (g->receivers[1].events[FASP_EVENT_UNANSWERED], ==, 1);
}

static void
test_bad_network (void)
{
  /* 33: the speaker changed while it was one that waited */
  const guint32 seeds[] = { 20, 33, 50 };

  for (guint s = 0; s < G_N_ELEMENTS (seeds); s++) {
    g_autoptr (Vgroup) g = members_new (seeds[s], 20, FASP_SLOW_WAIT);

    g->trunk.config.loss = .02;
    g->trunk.config.burst = 4;
    g->trunk.config.reorder = .02;
    g->trunk.config.duplicate = .01;
    g->trunk.config.corrupt = .01;
    for (guint i = 0; i < g->n; i++) {
      ImpairConfig *down = &g->receivers[i].branch.config;
      ImpairConfig *up = &g->receivers[i].back.config;

      down->loss = up->loss = .02;
      down->jitter = up->jitter = 5 * FASP_MSEC;
      down->corrupt = up->corrupt = .005;
      down->truncate = .002;
      down->duplicate = .01;
    }
    g->bitrate = 3000000;
    vgroup_run (g, 5 * FASP_SEC);
    g_assert_cmpuint (vgroup_get_stats (g).members, ==, 20);
    members_assert_whole (g);
  }
}

/* The whole road is gone for a while. */
static void
test_blackout (void)
{
  g_autoptr (Vgroup) g = members_new (30, 20, FASP_SLOW_WAIT);

  vgroup_run (g, 2 * FASP_SEC);
  impair_black_out (&g->trunk.config, g->now, FASP_SEC / 2);
  vgroup_run (g, 4 * FASP_SEC);
  /* all lack the same: it goes once */
  g_assert_cmpuint (vgroup_get_stats (g).blocks_resent + members_count_alone (g), <,
      2 * g->bitrate / 8 / 1100);
  members_assert_whole (g);
}

/* With history; @n live receivers of 4 Mbit/s in a channel of 5.6, or a total of that. */
static Vgroup *
group_with_history (guint n, gboolean total)
{
  Vgroup *g = vgroup_new (7);
  FaspEndpointSettings *settings = &g->sender_config.settings;

  *(total ? &settings->max_total_bitrate : &settings->max_bitrate) = 5600000;
  g->sender_config.settings.slow_policy = FASP_SLOW_SKIP;
  g->sender_config.history = 30 * FASP_SEC;
  g->sender_config.settings.wait_for_connection = FALSE;
  g->sender_config.buffer_size = g->receiver_config.buffer_size = 64 << 20;
  vgroup_set_sender (g);
  for (guint i = 0; i < n; i++)
    vgroup_add (g, 20 * FASP_MSEC);
  members_assemble (g, 1500 * FASP_MSEC, 4000000);
  return g;
}

/* One joins ten seconds back: it catches up in what the others leave. */
static void
test_join_back (void)
{
  g_autoptr (Vgroup) g = group_with_history (3, FALSE);
  guint64 read;

  vgroup_run (g, 12 * FASP_SEC);
  g->receiver_config.join = FASP_JOIN_BACK;
  g->receiver_config.join_back_ms = 10000;
  vgroup_add (g, 20 * FASP_MSEC);
  for (guint i = 0; i < 10; i++) {
    read = g->receivers[0].read;
    vgroup_run (g, FASP_SEC);
    g_assert_cmpuint (g->receivers[0].read - read, >, 3900000 / 8);
  }
  g_assert_cmpuint (g->receivers[3].read, >, 9 * 1000000 / 8);
  g_assert_cmpuint (g->receivers[3].events[FASP_EVENT_DEAF], ==, 0);
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 4);
}

/* Nothing is written any more: who joins the past of it has it all the same. */
static void
test_join_pause (gconstpointer total)
{
  g_autoptr (Vgroup) g = group_with_history (0, GPOINTER_TO_INT (total));

  vgroup_run (g, 5 * FASP_SEC);
  g->bitrate = 0;
  vgroup_run (g, FASP_SEC);
  vgroup_add (g, 20 * FASP_MSEC);
  vgroup_run (g, 2 * FASP_SEC);
  g->receiver_config.join = FASP_JOIN_BACK;
  vgroup_add (g, 20 * FASP_MSEC);
  vgroup_run (g, 15 * FASP_SEC);
  g_assert_cmpuint (g->receivers[1].read, ==, g->written);
}

/* What receivers say is held up for 2.5 s, and nothing else: all hear the group. */
static void
test_back_blackout (void)
{
  for (guint seed = 1; seed <= 3; seed++) {
    g_autoptr (Vgroup) g = members_new (seed, 20, FASP_SLOW_SKIP);

    vgroup_run (g, 3 * FASP_SEC);
    for (guint i = 0; i < 20; i++) {
      impair_black_out (&g->receivers[i].back.config, g->now, 2500 * FASP_MSEC);
    }
    vgroup_run (g, 8 * FASP_SEC);
    g_assert_cmpuint (vgroup_get_stats (g).deaf, ==, 0);
    g_assert_cmpuint (vgroup_get_stats (g).members, ==, 20);
  }
}

/* One holds up the end for half a minute: those that have it are not called back by
 * announcements. */
static void
test_end_once (void)
{
  g_autoptr (Vgroup) g = group_with_history (0, FALSE);

  g->receiver_config.buffer_size = 1 << 20;
  g->receiver_config.settings.reconnect = FALSE;
  for (guint i = 0; i < 3; i++)
    vgroup_add (g, 20 * FASP_MSEC);
  vgroup_run (g, 3 * FASP_SEC);
  g->receivers[2].stopped = TRUE;
  vgroup_run (g, 2 * FASP_SEC);
  vgroup_end (g, 30 * FASP_SEC);
  for (guint i = 0; i < 2; i++) {
    g_assert_true (g->receivers[i].eos);
    g_assert_cmpuint (g->receivers[i].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpuint (g->receivers[i].events[FASP_EVENT_REMOVED], ==, 1);
  }
}

/* latency=auto, and so many members that each speaks every few seconds: the latency is found and
 * told before they give up waiting for it. */
static void
test_auto_latency (void)
{
  g_autoptr (Vgroup) g = vgroup_new (61);
  guint64 alone;

  g->sender_config.settings.latency_ms = FASP_LATENCY_AUTO;
  g->sender_config.buffer_size = 1 << 26;
  g->sender_config.resume_timeout = g->receiver_config.resume_timeout = 60 * FASP_SEC;
  vgroup_set_sender (g);
  for (guint i = 0; i < 50; i++)
    vgroup_add (g, RTT + i * FASP_MSEC / 4);
  members_assemble (g, 5 * FASP_SEC, 1000000);
  alone = g->sent - g->group_sent;
  vgroup_run (g, 5 * FASP_SEC);
  g_assert_cmpint (vgroup_get_stats (g).clock, >, 3 * FASP_SEC);
  for (guint i = 0; i < g->n; i++) {
    FaspSessionStats stats;

    g_assert_cmpuint (fasp_endpoint_get_sessions (g->receivers[i].endpoint, g->now,
                          &(guint64) { 0 }, &stats, 1),
        ==, 1);
    g_assert_cmpuint (stats.latency.ms, >, 0);
    g_assert_cmpuint (stats.latency.ms, <, 600);
  }
  /* ten a second at most */
  g_assert_cmpuint (g->sent - g->group_sent - alone, <, 50 * 5 * 10);
}

/* A latency that is found leaves time for the wait before members ask. */
static void
test_auto_wait (void)
{
  g_autoptr (Vgroup) g = vgroup_new (61);
  guint64 skips = 0;

  g->sender_config.settings.latency_ms = FASP_LATENCY_AUTO;
  vgroup_set_sender (g);
  for (guint i = 0; i < 8; i++) {
    vgroup_add (g, RTT + i * FASP_MSEC);
    g->receivers[i].branch.config.loss = .001;
    g->receivers[i].back.config.loss = .01;
  }
  g->trunk.config.loss = .01;
  members_assemble (g, 3 * FASP_SEC / 2, 2000000);
  vgroup_run (g, 240 * FASP_SEC);
  for (guint i = 0; i < g->n; i++) {
    FaspSessionStats stats;

    g_assert_cmpuint (fasp_endpoint_get_sessions (g->receivers[i].endpoint, g->now,
                          &(guint64) { 0 }, &stats, 1),
        ==, 1);
    g_assert_cmpuint (stats.latency.ms, <, 400);
    skips += stats.latency.skips;
  }
  g_test_message ("%" G_GUINT64_FORMAT " skips", skips);
  g_assert_cmpuint (skips, <=, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/group/clean", test_clean);
  g_test_add_func ("/group/first-packets", test_first_packets);
  g_test_add_func ("/group/correlated", test_correlated);
  g_test_add_func ("/group/independent", test_independent);
  g_test_add_func ("/group/independent-much", test_independent_much);
  g_test_add_func ("/group/pace", test_pace);
  if (fasp_rlc_is_built ()) {
    g_test_add_func ("/group/repairs", test_repairs);
    g_test_add_func ("/group/repairs/promised", test_repairs_promised);
  }
  g_test_add_func ("/group/late", test_late);
  g_test_add_func ("/group/speaker", test_speaker);
  g_test_add_func ("/group/speaker/next", test_next_speaker);
  g_test_add_func ("/group/silence", test_silence);
  g_test_add_func ("/group/bad-network", test_bad_network);
  g_test_add_func ("/group/blackout", test_blackout);
  g_test_add_func ("/group/join-back", test_join_back);
  g_test_add_data_func ("/group/join-pause", NULL, test_join_pause);
  g_test_add_data_func ("/group/join-pause/total", GINT_TO_POINTER (TRUE), test_join_pause);
  g_test_add_func ("/group/back-blackout", test_back_blackout);
  g_test_add_func ("/group/end-once", test_end_once);
  g_test_add_func ("/group/auto-latency", test_auto_latency);
  g_test_add_func ("/group/auto-wait", test_auto_wait);
  return g_test_run ();
}
