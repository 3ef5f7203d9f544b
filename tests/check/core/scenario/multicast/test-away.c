/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Members of a group that do not hear it, or nobody hears, or that read nothing: who they hold up,
 * and how they come back.
 */
#include "faspendpointbase.h"
#include "members.h"

#define RTT MEMBERS_RTT

/* One that is gone, the speaker among them, holds nobody up. */
static void
test_vanished (void)
{
  g_autoptr (Vgroup) g = members_new (8, 10, FASP_SLOW_WAIT);
  guint64 read;

  g->trunk.config.loss = .01;
  vgroup_run (g, 3 * FASP_SEC);
  g->receivers[0].gone = g->receivers[7].gone = TRUE;
  vgroup_run (g, 4 * FASP_SEC);
  read = g->receivers[1].read;
  vgroup_run (g, FASP_SEC);
  g_assert_cmpuint (g->receivers[1].read - read, >, g->bitrate / 8 * 95 / 100);
  vgroup_run (g, 3 * FASP_SEC);
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 8);
  members_assert_whole (g);
}

/* One that reads nothing is moved ahead, or lets nobody go on. */
static void
test_stalled (void)
{
  g_autoptr (Vgroup) g = members_new (9, 10, FASP_SLOW_SKIP);
  guint64 read;

  vgroup_run (g, 2 * FASP_SEC);
  g->receivers[4].stopped = TRUE;
  vgroup_run (g, 8 * FASP_SEC);
  read = g->receivers[1].read;
  g_assert_cmpuint (read, >, g->bitrate / 8 * 8);
  g->receivers[4].stopped = FALSE;
  vgroup_run (g, 5 * FASP_SEC);
  g_assert_cmpuint (g->receivers[4].discontinuities, >, 0);
  g_assert_false (g->receivers[4].wrong);
  vgroup_end (g, 5 * FASP_SEC);
  for (guint i = 0; i < 10; i++)
    g_assert_true (i == 4 || vgroup_is_whole (g, i));
  g_assert_true (g->receivers[4].eos);
  vgroup_free (g);

  g = members_new (9, 10, FASP_SLOW_WAIT);
  vgroup_run (g, 2 * FASP_SEC);
  g->receivers[4].stopped = TRUE;
  vgroup_run (g, 6 * FASP_SEC);
  read = g->receivers[1].read;
  vgroup_run (g, 2 * FASP_SEC);
  g_assert_cmpuint (g->receivers[1].read, ==, read);
  g->receivers[4].stopped = FALSE;
  vgroup_run (g, 5 * FASP_SEC);
  members_assert_whole (g);
}

/* Whoever hears no multicast, from the first or from some time on, has it by unicast. */
static void
test_deaf (void)
{
  g_autoptr (Vgroup) g = members_new (10, 6, FASP_SLOW_WAIT);

  vgroup_run (g, 2 * FASP_SEC);
  g->receivers[2].no_multicast = TRUE;
  vgroup_run (g, 5 * FASP_SEC);
  g_assert_cmpuint (g->receivers[2].events[FASP_EVENT_DEAF], ==, 1);
  g_assert_cmpuint (g->receivers[1].events[FASP_EVENT_DEAF], ==, 0);
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 5);
  g_assert_cmpuint (vgroup_get_stats (g).deaf, ==, 1);
  members_assert_whole (g);
}

/* The store is full before it is known that a receiver does not hear the group: it is not slow. */
static void
test_deaf_soon (gconstpointer data)
{
  FaspSlowPolicy policy = GPOINTER_TO_UINT (data);

  for (guint i = 0; i < 3; i++) {
    g_autoptr (Vgroup) g = vgroup_new (10 + i);
    guint64 read;

    g->sender_config.settings.slow_policy = policy;
    g->sender_config.settings.max_bitrate = 20000000;
    g->sender_config.buffer_size = 200000 << i; /* 0.3, 0.7 and 1.3 s */
    vgroup_set_sender (g);
    for (guint j = 0; j < 4; j++)
      vgroup_add (g, RTT);
    members_assemble (g, FASP_SEC, 4000000);
    g->receivers[2].no_multicast = TRUE;
    vgroup_run (g, 10 * FASP_SEC);
    g_assert_cmpuint (g->events[FASP_EVENT_REMOVED], ==, 0);
    g_assert_cmpuint (vgroup_get_stats (g).deaf, ==, 1);
    read = g->receivers[2].read;
    vgroup_run (g, 5 * FASP_SEC);
    g_assert_cmpuint (g->receivers[2].read - read, >=, g->bitrate / 8 * 5 * 99 / 100);
    /* this one hears it, and is slow */
    g->receivers[3].stopped = TRUE;
    vgroup_run (g, 5 * FASP_SEC);
    g_assert_cmpuint (g->events[FASP_EVENT_REMOVED] > 0, ==, policy == FASP_SLOW_DROP_RECEIVER);
    g_assert_cmpuint (vgroup_get_stats (g).deaf, ==, 1);
  }
}

/* Who hears the group again comes back to it, not at once. */
static void
test_rejoin (void)
{
  g_autoptr (Vgroup) g = members_new (12, 6, FASP_SLOW_WAIT);
  guint64 alone;

  vgroup_run (g, 2 * FASP_SEC);
  g->receivers[2].no_multicast = TRUE;
  vgroup_run (g, 5 * FASP_SEC);
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 5);
  g->receivers[2].no_multicast = FALSE;
  vgroup_run (g, 4 * FASP_SEC);
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 5);
  g_assert_cmpuint (g->receivers[2].events[FASP_EVENT_HEARING], ==, 0);
  g->trunk.config.loss = .01;
  vgroup_run (g, 3 * FASP_SEC);
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 6);
  g_assert_cmpuint (vgroup_get_stats (g).returned, ==, 1);
  g_assert_cmpuint (g->receivers[2].events[FASP_EVENT_HEARING], ==, 1);
  /* what goes to one is not the stream any more */
  alone = g->sent_wire - g->group_wire;
  vgroup_run (g, 4 * FASP_SEC);
  g_assert_cmpuint (g->sent_wire - g->group_wire - alone, <, g->bitrate / 8 * 4 / 20);
  /* and it can be lost from there again */
  g->receivers[2].no_multicast = TRUE;
  vgroup_run (g, 5 * FASP_SEC);
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 5);
  g_assert_cmpuint (g->receivers[2].events[FASP_EVENT_DEAF], ==, 2);
  members_assert_whole (g);
}

/* The group sends so many packets that none of those here hears. */
static void
send_unheard (Vgroup *g, guint64 packets)
{
  FaspMulticastSender *group = g->sender->group;

  for (; packets > 0; packets--)
    fasp_group_log_sent (group->log, g->now, FASP_NO_BLOCK);
  for (; group->phase < fasp_group_log_get_pn (group->log) >> FASP_GROUP_PHASE_BITS; group->phase++)
    fasp_seal_next_key (group->key);
  fasp_sealer_free (group->sealer);
  group->sealer = fasp_sealer_new (group->cipher, group->key);
}

/* It is back after hours: the numbers of its packets, and with them its keys, are others. */
static void
test_rejoin_late (void)
{
  static const guint64 packets[] = { 5000000, 9000000, 15000000, 20000000 };

  for (guint i = 0; i < G_N_ELEMENTS (packets); i++) {
    g_autoptr (Vgroup) g = members_new (12, 2, FASP_SLOW_WAIT);

    g->receivers[0].no_multicast = TRUE;
    g->receivers[1].no_multicast = TRUE;
    vgroup_run (g, 5 * FASP_SEC);
    g_assert_cmpuint (vgroup_get_stats (g).members, ==, 0);
    send_unheard (g, packets[i]);
    g->receivers[0].no_multicast = FALSE;
    vgroup_run (g, 10 * FASP_SEC);
    g_assert_cmpuint (vgroup_get_stats (g).members, ==, 1);
    g_assert_cmpuint (g->receivers[0].events[FASP_EVENT_HEARING], ==, 1);
    members_assert_whole (g);
  }
}

/* It hears the group again, and by that more than was sent to it alone, as there is little
 * room beside the stream: what it says of that is believed. */
static void
test_rejoin_narrow (void)
{
  g_autoptr (Vgroup) g = vgroup_new (3);

  g->sender_config.settings.max_bitrate = 5500000;
  g->sender_config.buffer_size = g->receiver_config.buffer_size = 16 << 20;
  vgroup_set_sender (g);
  for (guint i = 0; i < 4; i++)
    vgroup_add (g, RTT);
  members_assemble (g, 3 * FASP_SEC, 5000000);
  vgroup_run (g, 5 * FASP_SEC);
  g->receivers[0].no_multicast = TRUE;
  vgroup_run (g, 10 * FASP_SEC);
  g->receivers[0].no_multicast = FALSE;
  for (guint i = 0; i < 10; i++) {
    guint64 read = g->receivers[1].read;

    vgroup_run (g, 6 * FASP_SEC);
    g_assert_cmpuint (g->receivers[1].read, >, read);
  }
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 4);
  members_assert_whole (g);
}

/* Nobody hears it for a while: who is to come back hears that it is there. */
static void
test_rejoin_all (void)
{
  for (guint n = 1; n <= 4; n += 3) {
    g_autoptr (Vgroup) g = members_new (14, n, FASP_SLOW_WAIT);

    vgroup_run (g, 2 * FASP_SEC);
    for (guint i = 0; i < n; i++)
      g->receivers[i].no_multicast = TRUE;
    vgroup_run (g, 5 * FASP_SEC);
    g_assert_cmpuint (vgroup_get_stats (g).members, ==, 0);
    for (guint i = 0; i < n; i++)
      g->receivers[i].no_multicast = FALSE;
    vgroup_run (g, 20 * FASP_SEC);
    g_assert_cmpuint (vgroup_get_stats (g).members, ==, n);
    g_assert_cmpuint (vgroup_get_stats (g).returned, ==, n);
    members_assert_whole (g);
  }
}

/* One that hears it now and then is not moved to and fro. */
static void
test_rejoin_flapping (void)
{
  g_autoptr (Vgroup) g = members_new (13, 4, FASP_SLOW_WAIT);

  for (guint i = 0; i < 300; i++) {
    g->receivers[2].no_multicast = i % 10 < 3;
    vgroup_run (g, FASP_SEC);
  }
  /* once after 5 s, and not within 10 */
  g_assert_cmpuint (vgroup_get_stats (g).returned, <=, 6);
  g_assert_cmpuint (g->receivers[2].events[FASP_EVENT_DEAF], <=, 7);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpuint (g->receivers[i].events[FASP_EVENT_INTERRUPTED], ==, 0);
  members_assert_whole (g);
}

/* Over 6 Mbit/s, with room for all that anybody misses for a while; 20 ms away, and each so much
 * further @apart. */
static Vgroup *
roomy_group (guint32 seed, guint n, FaspTime apart)
{
  Vgroup *g = vgroup_new (seed);

  g->sender_config.settings.slow_policy = FASP_SLOW_SKIP;
  g->sender_config.buffer_size = g->receiver_config.buffer_size = 64 << 20;
  g->sender_config.resume_timeout = g->receiver_config.resume_timeout = 30 * FASP_SEC;
  g->sender_config.settings.max_bitrate = 6000000;
  vgroup_set_sender (g);
  for (guint i = 0; i < n; i++)
    vgroup_add (g, 20 * FASP_MSEC + i * apart);
  members_assemble (g, 2 * FASP_SEC, 4000000);
  vgroup_run (g, 3 * FASP_SEC);
  return g;
}

/* Bytes that the first one lacks at most, for so long. */
static guint64
watch_behind (Vgroup *g, FaspTime time)
{
  const FaspTime step = 50 * FASP_MSEC;
  guint64 behind = 0;

  for (; time > 0; time -= step) {
    vgroup_run (g, step);
    behind = MAX (behind, g->written - g->receivers[0].origin - g->receivers[0].read);
  }
  return behind;
}

/* One that lacks much vanishes in the middle of its retransmissions: the others get theirs, none
 * waits for a turn that it cannot use. */
static void
test_rejoin_vanished (void)
{
  for (guint seed = 1; seed <= 4; seed++) {
    g_autoptr (Vgroup) g = roomy_group (seed, 2, 20 * FASP_MSEC);

    g->receivers[0].branch.config.loss = .01;
    g->receivers[0].back.config.loss = .01;
    g->receivers[1].gone = TRUE;
    vgroup_run (g, 8 * FASP_SEC);
    g->receivers[1].gone = FALSE;
    vgroup_run (g, FASP_SEC);
    g->receivers[1].gone = TRUE;
    g_assert_cmpuint (watch_behind (g, 10 * FASP_SEC), <, g->bitrate / 8);
  }
}

/* Its line is out while the group sends so much that what it told of last is half of all packet
 * numbers ago, and when it is back it does not hear the group: it has its stream all the same. */
static void
test_rejoin_long_gone (void)
{
  static const guint64 packets[] = { 5000000, 9000000, 16000000, 20000000 };

  for (guint i = 0; i < G_N_ELEMENTS (packets); i++) {
    g_autoptr (Vgroup) g = roomy_group (i + 1, 1, 0);

    g->receivers[0].gone = TRUE;
    vgroup_run (g, 4 * FASP_SEC);
    send_unheard (g, packets[i]);
    g->receivers[0].gone = FALSE;
    g->receivers[0].no_multicast = TRUE;
    vgroup_run (g, 20 * FASP_SEC);
    g_assert_cmpuint (vgroup_get_stats (g).deaf, ==, 1);
    g_assert_cmpuint (watch_behind (g, FASP_SEC), <, g->bitrate / 8 / 2);
    g->receivers[0].no_multicast = FALSE;
    vgroup_run (g, 10 * FASP_SEC);
    g_assert_cmpuint (vgroup_get_stats (g).members, ==, 1);
    members_assert_whole (g);
  }
}

/* What several lack who were away is not sent to all before anything new. */
static void
test_rejoin_several (void)
{
  for (guint away = 1; away <= 4; away++) {
    g_autoptr (Vgroup) g = roomy_group (away, 6, FASP_MSEC);

    for (guint i = 1; i <= away; i++)
      g->receivers[i].gone = TRUE;
    vgroup_run (g, 8 * FASP_SEC);
    for (guint i = 1; i <= away; i++)
      g->receivers[i].gone = FALSE;
    g_assert_cmpuint (watch_behind (g, 15 * FASP_SEC), <, g->bitrate / 8 / 2);
  }
}

/* Two whose way takes none of the blocks, but all that is smaller: whatever they ask for, the
 * others have their stream. */
static void
test_narrow (void)
{
  for (guint i = 0; i < 4; i++) {
    g_autoptr (Vgroup) g = roomy_group (i + 1, 10, 20 * FASP_MSEC);

    for (guint k = 8; k < 10; k++) {
      g->receivers[k].branch.config.mtu = i < 2 ? 1000 : 0;
      g->receivers[k].branch.config.loss = i < 2 ? 0 : .6;
    }
    g_assert_cmpuint (watch_behind (g, 20 * FASP_SEC), <, g->bitrate / 8 / 5);
    g_assert_cmpuint (g->receivers[0].discontinuities, ==, 0);
  }
}

/* The sender is killed and is there again before anybody has missed it, at the same address: it
 * is another group then, and all come back to it. */
static void
test_sender_anew (void)
{
  /* ms; 0: at once, which receivers are told by ICMP before they hear it announced */
  static const FaspTime away[] = { 0, 50, 600, 1400, 2400 };

  for (guint i = 0; i < G_N_ELEMENTS (away); i++) {
    g_autoptr (Vgroup) g = members_new (i + 1, 5, FASP_SLOW_SKIP);
    guint64 bitrate = g->bitrate;

    vgroup_run (g, 5 * FASP_SEC);
    g_assert_cmpuint (vgroup_get_stats (g).members, ==, 5);
    /* what is under way is read before its stream is another */
    if (away[i] == 0)
      g->bitrate = 0;
    vgroup_run (g, 500 * FASP_MSEC);
    g->bitrate = bitrate;
    fasp_endpoint_free (g->sender);
    g->sender_config.settings.slow_policy = FASP_SLOW_SKIP;
    g->sender_config.settings.wait_for_connection = FALSE;
    vgroup_set_sender (g);
    g->trunk.config.loss = 1;
    vgroup_run (g, away[i] * FASP_MSEC);
    g->trunk.config.loss = 0;
    fasp_endpoint_free (g->sender);
    vgroup_set_sender (g);
    for (guint k = 0; k < 5; k++) {
      if (away[i] == 0)
        vgroup_refuse (g, k);
      g->receivers[k].no_multicast = away[i] == 0;
      g->receivers[k].origin = -1;
      g->receivers[k].read = 0;
    }
    g->written = g->held = 0;
    g_byte_array_set_size (g->stream, 0);
    vgroup_run (g, 500 * FASP_MSEC);
    for (guint k = 0; k < 5; k++)
      g->receivers[k].no_multicast = FALSE;
    vgroup_run (g, 20 * FASP_SEC);
    g_assert_cmpuint (vgroup_get_stats (g).members, ==, 5);
  }
}

/* Who does not hear the group any more keeps the latency that was found. */
static void
test_deaf_latency (void)
{
  FaspSessionStats sessions[3];
  g_autoptr (Vgroup) g = vgroup_new (7);

  g->receiver_config.settings.latency_ms = FASP_LATENCY_AUTO;
  vgroup_set_sender (g);
  for (guint i = 0; i < 3; i++)
    vgroup_add (g, 20 * FASP_MSEC);
  members_assemble (g, 1500 * FASP_MSEC, 4000000);
  g->trunk.config.loss = .005;
  vgroup_run (g, 10 * FASP_SEC);
  g->receivers[2].no_multicast = TRUE;
  vgroup_run (g, 20 * FASP_SEC);
  g_assert_cmpuint (vgroup_get_stats (g).deaf, ==, 1);
  g_assert_cmpuint (fasp_endpoint_get_sessions (g->sender, g->now, &(guint64) { 0 }, sessions, 3),
      ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (sessions[i].latency.ms, <, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/group/vanished", test_vanished);
  g_test_add_func ("/group/stalled", test_stalled);
  g_test_add_func ("/group/deaf", test_deaf);
  g_test_add_data_func ("/group/deaf/drop", GUINT_TO_POINTER (FASP_SLOW_DROP_RECEIVER),
      test_deaf_soon);
  g_test_add_data_func ("/group/deaf/skip", GUINT_TO_POINTER (FASP_SLOW_SKIP), test_deaf_soon);
  g_test_add_func ("/group/rejoin", test_rejoin);
  g_test_add_func ("/group/rejoin/late", test_rejoin_late);
  g_test_add_func ("/group/rejoin/narrow", test_rejoin_narrow);
  g_test_add_func ("/group/rejoin/all", test_rejoin_all);
  g_test_add_func ("/group/rejoin/flapping", test_rejoin_flapping);
  g_test_add_func ("/group/rejoin/vanished", test_rejoin_vanished);
  g_test_add_func ("/group/rejoin/long-gone", test_rejoin_long_gone);
  g_test_add_func ("/group/narrow", test_narrow);
  g_test_add_func ("/group/rejoin/several", test_rejoin_several);
  g_test_add_func ("/group/sender-anew", test_sender_anew);
  g_test_add_func ("/group/deaf-latency", test_deaf_latency);
  return g_test_run ();
}
