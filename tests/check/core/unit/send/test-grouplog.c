/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a group has sent: what is sent again, to whom, and what a hostile FEEDBACK makes of it.
 */
#include "faspgrouplog.h"
#include "faspsentmap.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspGroupLog, fasp_group_log_free)

#define RTT (20 * FASP_MSEC)

static FaspGroupLog *
log_with (guint blocks, guint members)
{
  FaspGroupLog *log = fasp_group_log_new ();

  fasp_group_log_start (log, 1000);
  for (guint i = 0; i < blocks; i++)
    fasp_group_log_sent (log, i + 1, 1000 + i);
  fasp_group_log_set_window (log, RTT, members);
  return log;
}

static void
test_log_alone (void)
{
  g_autoptr (FaspGroupLog) log = log_with (10, 100);
  guint8 asked = 0, other = 0, late = 0, round;

  /* not settled yet: on its way */
  g_assert_false (fasp_group_log_ask (log, 0, log, 1003, 3, &asked));
  g_assert_true (fasp_group_log_ask (log, 0, log, 1003, 4, &asked));
  g_assert_cmpuint (fasp_group_log_peek (log, &round), ==, FASP_NO_BLOCK);
  /* the same one again, its own retransmission was lost: nobody else's affair */
  g_assert_true (fasp_group_log_ask (log, 1, log, 1003, 4, &asked));
  /* a second one: for all */
  g_assert_false (fasp_group_log_ask (log, 2, log, 1003, 9, &other));
  g_assert_cmpuint (fasp_group_log_peek (log, &round), ==, 1003);
  g_assert_cmpuint (round, ==, 1);
  g_assert_true (fasp_group_log_is_in_flight (log, 1003, 9));
  fasp_group_log_sent (log, 5, 1003);
  g_assert_cmpuint (fasp_group_log_peek (log, &round), ==, FASP_NO_BLOCK);
  g_assert_true (fasp_group_log_is_in_flight (log, 1003, 10));
  g_assert_false (fasp_group_log_is_in_flight (log, 1003, 11));
  /* who asks while it is on its way is counted, and gets that one */
  g_assert_false (fasp_group_log_ask (log, 6, log, 1003, 10, &late));
  g_assert_cmpuint (fasp_group_log_get_losses (log).requests, ==, 3);
  g_assert_cmpuint (fasp_group_log_get_losses (log).events, ==, 1);
}

static void
test_log_window (void)
{
  g_autoptr (FaspGroupLog) log = log_with (10, 100);
  guint8 a = 0, b = 0, round;

  /* nine that are nobody else's */
  for (guint i = 1; i < 10; i++) {
    guint8 other = 0;

    g_assert_true (fasp_group_log_ask (log, 0, log, 1000 + i, 10, &other));
  }
  g_assert_true (fasp_group_log_ask (log, 0, log, 1000, 10, &a));
  g_assert_true (fasp_group_log_ask (log, RTT + 1, log, 1000, 10, &b));
  g_assert_cmpuint (fasp_group_log_peek (log, &round), ==, FASP_NO_BLOCK);
}

/* What the speaker lacks goes to all, as long as it has a part in most losses. */
static void
test_log_speaker (void)
{
  g_autoptr (FaspGroupLog) log = log_with (200, 100);
  guint8 asked[200] = { 0 }, round;
  gint me = 0, other = 0; /* their addresses are who they are */

  fasp_group_log_set_speaker (log, &me);
  g_assert_false (fasp_group_log_ask (log, 0, &me, 1000, 200, &asked[0]));
  g_assert_cmpuint (fasp_group_log_peek (log, &round), ==, 1000);
  fasp_group_log_sent (log, 1, 1000);
  for (guint i = 1; i < 100; i++)
    g_assert_true (fasp_group_log_ask (log, 2, &other, 1000 + i, 200, &asked[i]));
  g_assert_true (fasp_group_log_ask (log, 3, &me, 1100, 200, &asked[100]));
}

/* Losses that are shared are answered by one for all, at once. */
static void
test_log_shared (void)
{
  g_autoptr (FaspGroupLog) log = log_with (200, 100);
  guint8 asked[2][201] = { 0 }, round;

  for (guint i = 0; i < 100; i++)
    for (guint j = 0; j < 2; j++)
      fasp_group_log_ask (log, i, log, 1000 + i, 200, &asked[j][i]);
  for (guint64 n; (n = fasp_group_log_peek (log, &round)) != FASP_NO_BLOCK;)
    fasp_group_log_sent (log, 100, n);
  g_assert_false (fasp_group_log_ask (log, 101, log, 1150, 200, &asked[0][150]));
  g_assert_cmpuint (fasp_group_log_peek (log, &round), ==, 1150);
  /* but the third time for one member is its own affair */
  fasp_group_log_sent (log, 102, 1150);
  g_assert_false (fasp_group_log_ask (log, 103, log, 1150, 1000, &asked[0][150]));
  fasp_group_log_sent (log, 104, 1150);
  g_assert_true (fasp_group_log_ask (log, 105, log, 1150, 1000, &asked[0][150]));
  /* nothing is asked for that is not there */
  g_assert_false (fasp_group_log_ask (log, 105, log, 1200, 1000, &asked[0][200]));
  fasp_group_log_trim (log, 1200);
  g_assert_cmpuint (fasp_group_log_peek (log, &round), ==, FASP_NO_BLOCK);
}

/* A member has its share of the pace, and all together a part of what was idle. */
static void
test_log_share (void)
{
  const FaspTime at = FASP_SEC;
  g_autoptr (FaspGroupLog) log = log_with (10, 100);
  FaspTime one = 0, other = 0;
  guint granted = 0;
  FaspPacer pacer;

  /* without a pace there is no share of it */
  for (guint i = 0; i < 1000; i++)
    g_assert_true (fasp_group_log_grants (log, at, &one));
  g_assert_cmpint (one, ==, 0);
  /* 1000 datagrams a second, of which a member has ten; nothing is idle */
  fasp_pacer_init (&pacer, 8000000, 8000);
  fasp_pacer_sent (&pacer, at, 2000000);
  fasp_pacer_use (&pacer, fasp_pacer_get_unused (&pacer, at));
  fasp_group_log_set_share (log, &pacer, 1000, .01);
  for (FaspTime t = at; t < at + FASP_SEC; t += FASP_MSEC)
    granted += fasp_group_log_grants (log, t, &one);
  g_assert_cmpuint (granted, >=, 10);
  g_assert_cmpuint (granted, <=, 20);
  g_assert_true (fasp_group_log_grants (log, at + FASP_SEC, &other));
  /* all is idle */
  granted = 0;
  for (FaspTime t = at + 5 * FASP_SEC; t < at + 6 * FASP_SEC; t += FASP_MSEC)
    granted += fasp_group_log_grants (log, t, &one);
  g_assert_cmpuint (granted, >, 200);
  g_assert_cmpuint (granted, <, 290);
}

/* Of a fast stream, a loss is recent for as long as of a slow one, however many packets have left
 * since. */
static void
test_log_fast (void)
{
  const FaspTime sent = 100 * FASP_SEC;
  g_autoptr (FaspGroupLog) log = fasp_group_log_new ();
  guint8 a = 0, b = 0, late = 0, later = 0, round;

  fasp_group_log_start (log, 0);
  for (guint i = 0; i < 100000; i++)
    fasp_group_log_sent (log, sent + 2 * i, i);
  fasp_group_log_set_clock (log, sent, 100 * FASP_MSEC);
  fasp_group_log_set_window (log, RTT, 100);
  g_assert_true (fasp_group_log_ask (log, sent + 300 * FASP_MSEC, &a, 5, 100000, &a));
  g_assert_false (fasp_group_log_ask (log, sent + 301 * FASP_MSEC, &b, 5, 100000, &b));
  g_assert_cmpuint (fasp_group_log_peek (log, &round), ==, 5);
  /* what was sent long ago is lacked by few, who were away */
  g_assert_true (fasp_group_log_ask (log, sent + 2 * FASP_SEC, &a, 6, 100000, &late));
  g_assert_true (fasp_group_log_ask (log, sent + 2 * FASP_SEC, &b, 6, 100000, &later));
}

/* A FEEDBACK that speaks of what was never sent, or of too much, is bounded. */
static void
test_hostile_feedback (void)
{
  g_autoptr (FaspGroupLog) log = log_with (100, 10);
  FaspSentMap *map = fasp_sent_map_new (1000);
  FaspSentMapResult result;
  FaspFeedback f = {
    .serial = 1,
    .ack = 1000,
    .window = FASP_VARINT_MAX,
    .from = 1000,
    .end = 1100,
    .tail = TRUE,
    .n_flows = 1,
    .n_ranges = 1,
  };
  guint8 round;

  fasp_sent_map_join (map, 0, log);
  f.ranges[0] = (FaspRange) { 1000, 100 };
  f.flows[0] = (FaspFeedbackFlow) { .flow = FASP_GROUP_FLOW, .largest = 99, .received = 1 };
  g_assert_true (fasp_sent_map_feedback (map, 10, &f, &result));
  g_assert_cmpuint (result.lost, ==, 100);
  g_assert_cmpuint (fasp_sent_map_peek (map, &round), ==, 1000);
  g_assert_cmpuint (round, ==, 1);
  /* packets that were never sent */
  f.serial = 2;
  f.flows[0].largest = 100;
  g_assert_false (fasp_sent_map_feedback (map, 11, &f, &result));
  /* more settled than there is */
  f.flows[0].largest = 99;
  f.flows[0].unsettled = 101;
  g_assert_false (fasp_sent_map_feedback (map, 11, &f, &result));
  /* blocks that were never sent */
  f.flows[0].unsettled = 0;
  f.end = 1200;
  g_assert_false (fasp_sent_map_feedback (map, 11, &f, &result));
  f.end = f.ranges[0].start = 1000;
  f.n_ranges = 0;
  /* the same again is nothing new */
  g_assert_true (fasp_sent_map_feedback (map, 11, &f, &result));
  g_assert_cmpuint (result.lost, ==, 0);
  /* of a group that it has left, it says nothing, whatever it says */
  fasp_sent_map_leave (map);
  f.serial = 3;
  f.flows[0].largest = 5000;
  g_assert_true (fasp_sent_map_feedback (map, 12, &f, &result));
  g_assert_cmpuint (result.lost, ==, 0);
  /* and where it comes back, it has not got more than was sent */
  f.serial = 4;
  f.flows[0].largest = 99;
  f.flows[0].received = FASP_VARINT_MAX;
  g_assert_true (fasp_sent_map_feedback (map, 13, &f, &result));
  fasp_sent_map_join (map, 14, log);
  g_assert_cmpuint (fasp_sent_map_get_totals (map, FASP_GROUP_FLOW).reported, <=, 100);
  fasp_sent_map_free (map);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/group/log/alone", test_log_alone);
  g_test_add_func ("/group/log/window", test_log_window);
  g_test_add_func ("/group/log/speaker", test_log_speaker);
  g_test_add_func ("/group/log/shared", test_log_shared);
  g_test_add_func ("/group/log/share", test_log_share);
  g_test_add_func ("/group/log/fast", test_log_fast);
  g_test_add_func ("/group/hostile-feedback", test_hostile_feedback);
  return g_test_run ();
}
