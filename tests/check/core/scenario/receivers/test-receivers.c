/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One sender at node A and several receivers: who joins, is slow, reads nothing, leaves, or dies,
 * and what the others notice of it.
 */
#include "vcast.h"

#define RTT VCAST_RTT

/* Three receivers on unlike paths; the third joins late, at the live edge. */
static void
test_receivers (void)
{
  g_autoptr (VCast) n = vcast_new (3);
  guint64 then;

  vnet_get_wire (n->net, VNET_A, VNET_C)->loss = .1;
  vnet_get_wire (n->net, VNET_A, VNET_D)->delay = 300 * FASP_MSEC;
  vcast_begin (n, VNET_C);
  vcast_run (n, 5 * FASP_SEC);
  then = n->written;
  vcast_join (n, VNET_D, VNET_A);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).sessions, ==, 3);
  vcast_end_whole (n, VNET_D);
  g_assert_cmpint (n->nodes[VNET_B].origin, ==, 0);
  g_assert_cmpint (n->nodes[VNET_D].origin, >=, then);
}

/* Each is told of once, in the order they came, though one goes while they are asked
 * for one by one. */
static void
test_statistics (void)
{
  g_autoptr (VCast) n = vcast_new (3);
  FaspEndpoint *sender;
  FaspSessionStats all[4], one;
  guint64 cursor = 0;

  vcast_join (n, VNET_A, VNET_B);
  sender = n->nodes[VNET_A].endpoint;
  for (VnetSide side = VNET_B; side <= VNET_D; side++) {
    g_assert_cmpuint (fasp_endpoint_get_sessions (sender, vnet_get_time (n->net), &(guint64) { 0 },
                          all, G_N_ELEMENTS (all)),
        ==, side - VNET_B);
    vcast_join (n, side, VNET_A);
    vcast_run (n, FASP_SEC);
  }
  g_assert_cmpuint (fasp_endpoint_get_sessions (sender, vnet_get_time (n->net), &(guint64) { 0 },
                        all, G_N_ELEMENTS (all)),
      ==, 3);
  g_assert_cmpuint (fasp_endpoint_get_sessions (sender, vnet_get_time (n->net), &cursor, &one, 1),
      ==, 1);
  g_assert_cmpuint (one.session, ==, all[0].session);
  vcast_leave (n, VNET_C);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).sessions, ==, 3);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).interrupted, ==, 1);
  vcast_run (n, 35 * FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).sessions, ==, 2);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).interrupted, ==, 0);
  g_assert_cmpuint (fasp_endpoint_get_sessions (sender, vnet_get_time (n->net), &cursor, &one, 1),
      ==, 1);
  g_assert_cmpuint (one.session, ==, all[2].session);
  g_assert_cmpuint (fasp_endpoint_get_sessions (sender, vnet_get_time (n->net), &cursor, &one, 1),
      ==, 0);
  cursor = G_MAXUINT64;
  g_assert_cmpuint (fasp_endpoint_get_sessions (sender, vnet_get_time (n->net), &cursor, &one, 1),
      ==, 0);
}

/* One receiver stops reading.  What becomes of it is the policy's; the other
 * one must not notice, unless the policy is to wait. */
static void
test_slow (gconstpointer data)
{
  FaspSlowPolicy policy = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = vcast_new (4);
  /* left behind more often than positions are kept */
  const gsize buffer = 1 << 18;
  gint64 joined;

  n->sender.settings.slow_policy = policy;
  n->sender.buffer_size = n->receiver.buffer_size = buffer;
  vcast_begin (n, VNET_C);
  vcast_run (n, 2 * FASP_SEC);
  joined = n->nodes[VNET_C].origin;
  n->nodes[VNET_C].stopped = TRUE;
  vcast_run (n, 20 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].max_buffer, <=, buffer);
  g_assert_cmpuint (n->nodes[VNET_C].max_buffer, <=, buffer);
  if (policy == FASP_SLOW_WAIT)
    g_assert_cmpuint (n->held, >, n->bitrate / 8 * 10); /* back-pressure */
  else
    g_assert_cmpuint (n->held, ==, 0);
  if (policy == FASP_SLOW_DROP_RECEIVER) {
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 1);
    g_assert_cmpint (n->nodes[VNET_A].last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_TOO_SLOW);
  } else {
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 0);
  }
  g_assert_true ((n->nodes[VNET_A].events[FASP_EVENT_SKIPPED] > 0) == (policy == FASP_SLOW_SKIP));
  n->nodes[VNET_C].stopped = FALSE;
  vcast_run (n, 20 * FASP_SEC);
  vcast_end_whole (n, VNET_B);
  g_assert_false (n->nodes[VNET_C].wrong);
  if (policy == FASP_SLOW_WAIT)
    vcast_assert_whole (n, VNET_C);
  if (policy == FASP_SLOW_SKIP) {
    g_assert_true (n->nodes[VNET_C].eos);
    g_assert_cmpuint (n->nodes[VNET_C].discontinuities, >=, 1);
    vcast_assert_gap_notified (n, VNET_C, joined, TRUE);
  }
}

/* slow-policy=wait, and one of two receivers dies without a word: the other
 * one is not held up once it is clear that nothing is heard of the first. */
static void
test_dead_one (void)
{
  g_autoptr (VCast) n = vcast_new (4);

  n->sender.buffer_size = n->receiver.buffer_size = 1 << 20;
  vcast_begin (n, VNET_C);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_C);
  vcast_run (n, 20 * FASP_SEC);
  g_assert_cmpuint (n->held, ==, 0);
  g_assert_cmpuint (n->nodes[VNET_A].max_buffer, <=, 1 << 20);
  vcast_end (n);
  g_assert_false (n->nodes[VNET_B].wrong);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_cmpuint (n->nodes[VNET_B].discontinuities, ==, 0);
}

/* One of two is killed, and the stream ends.  With slow-policy=skip the end does not wait for
 * it longer than until nothing is heard of it; with wait until its place is lost. */
static void
test_end_of_dead (gconstpointer data)
{
  FaspSlowPolicy policy = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = vcast_new (4);
  FaspEndpointStats stats;

  n->sender.settings.slow_policy = policy;
  n->sender.resume_timeout = n->receiver.resume_timeout = 30 * FASP_SEC;
  vcast_begin (n, VNET_C);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_C);
  vcast_run (n, FASP_SEC / 2);
  n->finish = TRUE;
  vcast_run (n, 5 * FASP_SEC);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].wrong);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint)
      == (policy != FASP_SLOW_WAIT));
  vcast_run (n, 30 * FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  stats = vcast_get_stats (n, VNET_A);
  g_assert_cmpuint (stats.whole, ==, 1);
  g_assert_cmpuint (stats.bytes_unconfirmed, >, 0);
}

/* The only one is killed, and the stream ends: it is waited for as long as it may come
 * back, whatever the policy. */
static void
test_end_of_only (void)
{
  g_autoptr (VCast) n = vcast_new (4);

  n->sender.settings.slow_policy = FASP_SLOW_SKIP;
  n->sender.resume_timeout = n->receiver.resume_timeout = 30 * FASP_SEC;
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_B);
  vcast_run (n, FASP_SEC / 2);
  n->finish = TRUE;
  vcast_run (n, 25 * FASP_SEC);
  g_assert_false (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  vcast_run (n, 10 * FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).whole, ==, 0);
}

/* As far back as history goes: not to where somebody else stands still. */
static void
test_back_beside_slow (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  VCastNode *c = &n->nodes[VNET_C];

  n->sender.settings.slow_policy = FASP_SLOW_SKIP;
  n->sender.buffer_size = 64 << 20;
  n->sender.history = 2 * FASP_SEC;
  n->receiver.buffer_size = 1 << 20;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  n->nodes[VNET_B].stopped = TRUE;
  vcast_run (n, 20 * FASP_SEC);
  n->receiver.join = FASP_JOIN_BACK;
  vcast_join (n, VNET_C, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->written - c->origin, <, n->bitrate / 8 * 5);
  g_assert_cmpuint (n->written - c->origin, >, n->bitrate / 8 * 3);
}

/* Goodbye in the middle: the other side gets what was sent, and is told. */
static void
test_stop (gconstpointer data)
{
  VnetSide side = GPOINTER_TO_INT (data), other = !side;
  g_autoptr (VCast) n = vcast_new (8);
  FaspTime before;

  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  vcast_close (n, side);
  before = vnet_get_time (n->net);
  n->bitrate = n->held = 0;
  while (!fasp_endpoint_is_closed (n->nodes[side].endpoint)
      && vnet_get_time (n->net) < before + FASP_SEC)
    vcast_run (n, 5 * FASP_MSEC);
  g_assert_cmpint (vnet_get_time (n->net) - before, <=, 2 * RTT);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[other].events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpint (n->nodes[other].last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_STOPPED);
  /* the end that stops does not blame its peer */
  g_assert_cmpuint (n->nodes[side].events[FASP_EVENT_REMOVED], >=, 1);
  g_assert_cmpint (n->nodes[side].last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_ENDED_HERE);
  g_assert_true (n->nodes[side].last[FASP_EVENT_REMOVED].end.is_ours);
  g_assert_false (n->nodes[VNET_B].wrong);
}

static guint64
get_told_bitrate (VCast *n)
{
  return n->nodes[VNET_A].last[FASP_EVENT_BITRATE].bitrate;
}

/* What an encoder may use is told until the last receiver has left, and again when another comes:
 * who is only not heard for a while is there. */
static void
test_available_bitrate (void)
{
  g_autoptr (VCast) n = vcast_new (14);

  n->sender.settings.wait_for_connection = FALSE;
  vcast_begin (n, VNET_C);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (get_told_bitrate (n), >, 8000000);
  vcast_close (n, VNET_C);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (get_told_bitrate (n), >, 8000000);
  vcast_lose (n, 1);
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).interrupted, ==, 1);
  g_assert_cmpuint (get_told_bitrate (n), >, 0);
  vcast_lose (n, 0);
  n->bitrate = n->held = 0;
  vcast_run (n, 5 * FASP_SEC);
  vcast_close (n, VNET_B);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 2);
  g_assert_cmpuint (get_told_bitrate (n), ==, 0);
  vcast_join (n, VNET_D, VNET_A);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (get_told_bitrate (n), >, 8000000);
  vnet_configure (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), max_bitrate, 0);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (get_told_bitrate (n), ==, 0);
}

/* Who leaves before the end has not confirmed it; as long as another one
 * does, that is its own affair. */
static void
test_unconfirmed (void)
{
  g_autoptr (VCast) n = vcast_new (12);

  vcast_begin (n, VNET_C);
  vcast_run (n, 2 * FASP_SEC);
  vcast_close (n, VNET_C);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, ==, 0);
  n->bitrate = 0;
  vcast_run (n, FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  fasp_endpoint_write (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), 0,
      (const guint8 *) "the end", 7, NULL);
  vcast_run (n, 100 * FASP_MSEC);
  vcast_close (n, VNET_B);
  vcast_run (n, FASP_SEC);
  fasp_endpoint_finish (n->nodes[VNET_A].endpoint, vnet_get_time (n->net));
  vcast_run (n, FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, ==, 7);
}

/* What the last receiver did not confirm is not at the end of the stream any more when that has
 * gone on without it, kept (history) or not. */
static void
test_unconfirmed_passed (gconstpointer data)
{
  g_autoptr (VCast) n = vcast_new (12);
  FaspEndpoint *sender;

  n->sender.settings.wait_for_connection = FALSE;
  n->sender.history = GPOINTER_TO_INT (data) * FASP_SEC;
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  sender = n->nodes[VNET_A].endpoint;
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  vcast_run (n, 100 * FASP_MSEC);
  n->bitrate = n->held = 0;
  vcast_close (n, VNET_B);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, >, 0);
  fasp_endpoint_write (sender, vnet_get_time (n->net), 0, (const guint8 *) "the end", 7, NULL);
  fasp_endpoint_finish (sender, vnet_get_time (n->net));
  g_assert_true (fasp_endpoint_is_drained (sender));
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, ==, 0);
}

/* A receiver that leaves and does not come back in time: what it lacked is not
 * passed off as delivered; one that comes back in time lacks nothing. */
static void
test_hold (gconstpointer data)
{
  gboolean back = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = vcast_new (13);

  vcast_let_call (n, VNET_A);
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vcast_close (n, VNET_B);
  vcast_run (n, 200 * FASP_MSEC);
  vcast_leave (n, VNET_B);
  n->bitrate = n->held = 0;
  n->finish = TRUE;
  vcast_run (n, FASP_SEC);
  g_assert_false (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  if (back)
    vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, 40 * FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  if (back) {
    vcast_assert_whole (n, VNET_B);
    g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, ==, 0);
  } else {
    g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, >, 0);
  }
}

/* What is told of a peer that has gone: the bytes that it had, and how long it was there. */
static void
test_removed (void)
{
  g_autoptr (VCast) n = vcast_new (16);

  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  vcast_end (n);
  vcast_run (n, 10 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
  for (VnetSide side = VNET_A; side <= VNET_B; side++) {
    const FaspEvent *event = &n->nodes[side].last[FASP_EVENT_REMOVED];

    g_assert_cmpuint (n->nodes[side].events[FASP_EVENT_REMOVED], ==, 1);
    g_assert_cmpuint (event->end.bytes, ==, n->written);
    g_assert_cmpint (event->end.lasted, >, 2 * FASP_SEC);
    g_assert_cmpint (event->end.lasted, <, 5 * FASP_SEC);
  }
}

/* A receiver connects at the very moment at which the stream ends: it is told,
 * and does not wait for ever. */
static void
test_join_at_end (void)
{
  for (guint ms = 0; ms < 200; ms += 5) {
    g_autoptr (VCast) n = vcast_new (15);

    n->receiver.settings.reconnect = FALSE;
    vcast_begin (n, VNET_B);
    vcast_run (n, FASP_SEC);
    vcast_join (n, VNET_C, VNET_A);
    vcast_run (n, ms * FASP_MSEC);
    n->bitrate = n->held = 0;
    n->finish = TRUE;
    vcast_run (n, 8 * FASP_SEC);
    vcast_assert_whole (n, VNET_B);
    g_assert_true (n->nodes[VNET_C].eos || n->nodes[VNET_C].events[FASP_EVENT_REJECTED] > 0
        || (n->nodes[VNET_C].events[FASP_EVENT_REMOVED] > 0
            && n->nodes[VNET_C].last[FASP_EVENT_REMOVED].reason == FASP_REASON_STOPPED));
  }
}

/* Unpaced, one receiver that loses everything must not starve the other. */
static void
test_turns (void)
{
  g_autoptr (VCast) n = vcast_new (16);

  n->sender.settings.max_bitrate = 0;
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .5;
  n->bitrate = 50000000;
  vcast_begin (n, VNET_C);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_C].read, >, n->written * 8 / 10);
  vcast_end_whole (n, VNET_C);
}

/* Half an hour at 10 % loss, the reader held up now and then: the buffers
 * keep below their limits and come back to nothing. */
static void
test_memory (void)
{
  g_autoptr (VCast) n = vcast_new (11);

  n->sender.buffer_size = n->receiver.buffer_size = 2 << 20;
  n->bitrate = 2000000;
  vcast_lose (n, .1);
  vcast_begin (n, VNET_B);
  for (guint i = 0; i < 30; i++) {
    vcast_run (n, 40 * FASP_SEC);
    n->nodes[VNET_B].stopped = TRUE;
    vcast_run (n, (i % 4) * 10 * FASP_SEC);
    n->nodes[VNET_B].stopped = FALSE;
  }
  vcast_end (n);
  vcast_run (n, 30 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
  g_assert_cmpuint (n->nodes[VNET_A].max_buffer, <=, 2 << 20);
  g_assert_cmpuint (n->nodes[VNET_B].max_buffer, <=, 2 << 20);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).buffer_bytes, ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).buffer_bytes, ==, 0);
}

/* One that is far away joins while what it was promised at first is forgotten already, as the
 * other confirms it: it gets the stream from what there is. */
static void
test_late_joiner (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  vcast_begin (n, VNET_B);
  for (guint i = 0; i < 2; i++) {
    vnet_get_wire (n->net, i ? VNET_A : VNET_B, i ? VNET_B : VNET_A)->delay = 2000;
    vnet_get_wire (n->net, i ? VNET_A : VNET_C, i ? VNET_C : VNET_A)->delay = 50000;
  }
  vcast_run (n, FASP_SEC);
  vcast_join (n, VNET_C, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  vcast_end (n);
  g_assert_true (n->nodes[VNET_C].eos);
  g_assert_false (n->nodes[VNET_C].wrong);
  g_assert_cmpint (n->nodes[VNET_C].origin, >, 0);
  g_assert_cmpuint (n->nodes[VNET_C].origin + n->nodes[VNET_C].read, ==, n->written);
}

/* A receiver goes, by a goodbye or without one, while the sink waits for it with a full
 * store; it comes back and goes on where it stood: without history nobody is in the past. */
static void
test_come_back (gconstpointer data)
{
  g_autoptr (VCast) n = vcast_new (1);
  guint64 got;

  vcast_let_call (n, VNET_A);
  n->sender.buffer_size = 1 << 20;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  if (GPOINTER_TO_INT (data))
    vcast_close (n, VNET_B);
  vcast_run (n, FASP_SEC);
  got = n->nodes[VNET_B].read;
  vcast_leave (n, VNET_B);
  vcast_run (n, 6 * FASP_SEC);
  g_assert_cmpuint (n->held, >, 0);
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).delivery.skipped, ==, 0);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_SKIPPED], ==, 0);
  /* not behind what was delivered; what was on its way back may come again */
  g_assert_cmpint (n->nodes[VNET_B].origin, <=, got);
  g_assert_cmpint (n->nodes[VNET_B].origin, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/endpoint/late-joiner", test_late_joiner);
  g_test_add_data_func ("/endpoint/end-of-dead/wait", GINT_TO_POINTER (FASP_SLOW_WAIT),
      test_end_of_dead);
  g_test_add_data_func ("/endpoint/end-of-dead/skip", GINT_TO_POINTER (FASP_SLOW_SKIP),
      test_end_of_dead);
  g_test_add_data_func ("/endpoint/end-of-dead/drop", GINT_TO_POINTER (FASP_SLOW_DROP_RECEIVER),
      test_end_of_dead);
  g_test_add_func ("/endpoint/end-of-only", test_end_of_only);
  g_test_add_func ("/endpoint/receivers", test_receivers);
  g_test_add_func ("/endpoint/statistics", test_statistics);
  g_test_add_data_func ("/endpoint/slow/wait", GINT_TO_POINTER (FASP_SLOW_WAIT), test_slow);
  g_test_add_data_func ("/endpoint/slow/drop-receiver", GINT_TO_POINTER (FASP_SLOW_DROP_RECEIVER),
      test_slow);
  g_test_add_data_func ("/endpoint/slow/skip", GINT_TO_POINTER (FASP_SLOW_SKIP), test_slow);
  g_test_add_func ("/endpoint/slow/dead-one", test_dead_one);
  g_test_add_func ("/endpoint/back-beside-slow", test_back_beside_slow);
  g_test_add_data_func ("/endpoint/stop/sender", GINT_TO_POINTER (VNET_A), test_stop);
  g_test_add_data_func ("/endpoint/stop/receiver", GINT_TO_POINTER (VNET_B), test_stop);
  g_test_add_func ("/endpoint/unconfirmed", test_unconfirmed);
  g_test_add_data_func ("/endpoint/unconfirmed/passed", GINT_TO_POINTER (0),
      test_unconfirmed_passed);
  g_test_add_data_func ("/endpoint/unconfirmed/kept", GINT_TO_POINTER (60),
      test_unconfirmed_passed);
  g_test_add_data_func ("/endpoint/hold/back", GINT_TO_POINTER (TRUE), test_hold);
  g_test_add_data_func ("/endpoint/hold/gone", GINT_TO_POINTER (FALSE), test_hold);
  g_test_add_func ("/endpoint/available-bitrate", test_available_bitrate);
  g_test_add_func ("/endpoint/removed", test_removed);
  g_test_add_func ("/endpoint/join-at-end", test_join_at_end);
  g_test_add_func ("/endpoint/turns", test_turns);
  g_test_add_func ("/endpoint/memory", test_memory);
  g_test_add_data_func ("/past/come-back/goodbye", GINT_TO_POINTER (TRUE), test_come_back);
  g_test_add_data_func ("/past/come-back/silent", GINT_TO_POINTER (FALSE), test_come_back);
  return g_test_run ();
}
