/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of a session when the network does not help: goodbyes that nobody answers, or hears.
 */
#include "faspendpointbase.h"
#include "vcast.h"

static guint
count_sessions (VCast *n)
{
  return n->nodes[VNET_A].endpoint->sessions->len;
}

/* What B, C ... say does not arrive at A, or does again. */
static void
set_way_back (VCast *n, VnetSide from, gdouble loss)
{
  vnet_get_wire (n->net, from, VNET_A)->loss = loss;
}

/* A listening sender that drops who is slow, with room for half a second, and receivers at B and
 * C. */
static VCast *
setup (gsize buffer)
{
  VCast *n = vcast_new (7);

  n->sender.settings.slow_policy = FASP_SLOW_DROP_RECEIVER;
  n->sender.buffer_size = buffer;
  vcast_begin (n, VNET_C);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (count_sessions (n), ==, 2);
  return n;
}

/* Who is dropped and does not answer is forgotten, though nothing else happens at the sender. */
static void
test_unanswered (void)
{
  g_autoptr (VCast) n = setup (1 << 18);

  vcast_leave (n, VNET_C);
  vcast_run (n, 1900 * FASP_MSEC); /* less than it takes to be interrupted */
  g_assert_cmpint (n->nodes[VNET_A].last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_TOO_SLOW);
  vcast_run (n, FASP_CLOSE_TIMEOUT);
  g_assert_cmpuint (count_sessions (n), ==, 1);
  vcast_end_whole (n, VNET_B);
}

/* A receiver that stops tells its application that it is over, whether the sender answers or
 * not. */
static void
test_receiver_stops (void)
{
  g_autoptr (VCast) n = setup (1 << 24);

  set_way_back (n, VNET_C, 1);
  vcast_close (n, VNET_C);
  vcast_run (n, FASP_CLOSE_TIMEOUT + 10 * FASP_MSEC);
  g_assert_true (fasp_endpoint_is_closed (n->nodes[VNET_C].endpoint));
  g_assert_cmpuint (n->nodes[VNET_C].events[FASP_EVENT_REMOVED], ==, 1);
}

/* The receiver's thread is late: the time for the goodbye is over before the session is. */
static void
test_ended (void)
{
  g_autoptr (VCast) n = setup (1 << 24);
  VCastNode *node = &n->nodes[VNET_C];

  set_way_back (n, VNET_C, 1);
  fasp_endpoint_close (node->endpoint, vnet_get_time (n->net), FASP_REASON_STOPPED);
  vcast_run (n, FASP_CLOSE_TIMEOUT / 2);
  g_assert_false (fasp_endpoint_is_closed (node->endpoint));
  g_assert_cmpuint (node->events[FASP_EVENT_REMOVED], ==, 0);
  fasp_endpoint_end (node->endpoint, vnet_get_time (n->net));
  g_assert_true (fasp_endpoint_is_closed (node->endpoint));
  vcast_run (n, FASP_CLOSE_TIMEOUT);
  g_assert_cmpuint (node->events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpint (node->last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_ENDED_HERE);
}

/* Of a sender that stops while it hears nothing of a receiver that hears it: one goodbye leaves,
 * however late the thread that sends is. */
static void
test_heard_by_the_other (void)
{
  g_autoptr (VCast) n = setup (1 << 24);

  set_way_back (n, VNET_B, 1);
  set_way_back (n, VNET_C, 1);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, 2);
  fasp_endpoint_close (n->nodes[VNET_A].endpoint, vnet_get_time (n->net) - 3 * FASP_MSEC,
      FASP_REASON_STOPPED);
  vcast_run (n, VCAST_RTT);
  g_assert_true (fasp_endpoint_is_closed (n->nodes[VNET_A].endpoint));
  for (VnetSide side = VNET_B; side <= VNET_C; side++) {
    g_assert_cmpuint (n->nodes[side].events[FASP_EVENT_REMOVED], ==, 1);
    g_assert_cmpint (n->nodes[side].last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_STOPPED);
  }
}

/* One that was interrupted, and dropped then, is heard again: it does not come back from the
 * dead. */
static void
test_heard_too_late (void)
{
  VCast *n = setup (1 << 21); /* more than it takes to be interrupted */

  set_way_back (n, VNET_C, 1);
  while (n->nodes[VNET_A].events[FASP_EVENT_REMOVED] == 0)
    vcast_run (n, 5 * FASP_MSEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, 1);
  g_assert_cmpint (n->nodes[VNET_A].last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_TOO_SLOW);
  set_way_back (n, VNET_C, 0);
  vcast_run (n, VCAST_RTT);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_RESUMED], ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).interrupted, ==, 0);
  vcast_free (n);
}

typedef struct
{
  guint8 data[FASP_DATAGRAM_MAX];
  gsize size;
} Copied;

static void
copy_open (gpointer copied, VnetSide from, FaspTime now, guint8 *data, gsize size)
{
  Copied *c = copied;

  if (from != VNET_C || c->size > 0)
    return;
  memcpy (c->data, data, size);
  c->size = size;
}

/* A receiver whose call came from two addresses is gone before it has proved any: it holds up the
 * others no longer than any that falls silent. */
static void
test_gone_unproved (void)
{
  g_autoptr (VCast) n = vcast_new (7);
  FaspAddress from = vnet_get_address (VNET_H);
  Copied copied = { { 0 }, 0 };
  guint64 read;

  n->sender.buffer_size = 1 << 18;
  vcast_begin (n, VNET_B);
  vcast_run (n, FASP_SEC);
  vnet_set_tap (n->net, copy_open, &copied);
  vcast_join (n, VNET_C, VNET_A);
  while (copied.size == 0)
    vcast_run (n, 5 * FASP_MSEC);
  vnet_inject (n->net, VNET_A, &from, copied.data, copied.size);
  while (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED] < 2)
    vcast_run (n, 5 * FASP_MSEC);
  vcast_leave (n, VNET_C);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, 1);
  read = n->nodes[VNET_B].read;
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].read - read, >, n->bitrate / 8 / 2);
}

/* A session that was given up, and of which something is still to be read, is heard again: that is
 * over. */
static void
test_given_up_unread (void)
{
  g_autoptr (VCast) n = vcast_new (7);
  VCastNode *node = &n->nodes[VNET_B];

  n->sender.resume_timeout = 60 * FASP_SEC;
  vcast_begin (n, VNET_B);
  vcast_run (n, FASP_SEC);
  node->stopped = TRUE;
  vcast_run (n, FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  vcast_run (n, 31 * FASP_SEC);
  g_assert_cmpuint (node->events[FASP_EVENT_INTERRUPTED], ==, 1);
  g_assert_cmpuint (node->events[FASP_EVENT_REMOVED], ==, 0);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 0;
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (node->events[FASP_EVENT_RESUMED], ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).interrupted, ==, 1);
  node->stopped = FALSE;
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (node->events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpuint (node->events[FASP_EVENT_CONNECTED], ==, 2);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).interrupted, ==, 0);
}

/* The name of the peer of a rendezvous is resolved once more when it is over: nothing is due
 * then. */
static void
test_dialled_when_closed (void)
{
  g_autoptr (VCast) n = vcast_new (7);
  FaspEndpoint *endpoint;
  FaspAddress peer = vnet_get_address (VNET_A);
  static FaspDatagram datagram;

  n->receiver.mode = FASP_MODE_RENDEZVOUS;
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, FASP_SEC);
  endpoint = n->nodes[VNET_B].endpoint;
  fasp_endpoint_close (endpoint, vnet_get_time (n->net), FASP_REASON_STOPPED);
  fasp_endpoint_dial (endpoint, vnet_get_time (n->net), &peer);
  g_assert_false (fasp_endpoint_poll (endpoint, vnet_get_time (n->net), &datagram));
  g_assert_cmpint (fasp_endpoint_get_timeout (endpoint), ==, FASP_NEVER);
}

/* A sender that ends and comes back again and again, to a receiver whose application stands still:
 * what is kept for that has a bound, much or little in each session, and it goes on when the
 * application does. */
static void
test_unread (gconstpointer much)
{
  g_autoptr (VCast) n = vcast_new (7);
  VCastNode *node = &n->nodes[VNET_B];

  vcast_let_call (n, VNET_A);
  n->receiver.buffer_size = 1 << 18;
  n->receiver.settings.keep_listening = TRUE;
  vcast_join (n, VNET_B, VNET_A);
  node->stopped = TRUE;
  if (!much)
    n->bitrate = 100000;
  for (guint i = 0; i < 30; i++) {
    vcast_join (n, VNET_A, VNET_B);
    vcast_run (n, FASP_SEC);
    vcast_close (n, VNET_A);
    vcast_run (n, VCAST_RTT);
    vcast_leave (n, VNET_A);
    vcast_run (n, VCAST_RTT);
    n->held = 0;
  }
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).buffer_bytes, <, 2 * n->receiver.buffer_size);
  g_assert_cmpuint (node->endpoint->sessions->len, <, 20);
  node->stopped = FALSE;
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).buffer_bytes, ==, 0);
  vcast_join (n, VNET_A, VNET_B);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
}

#define UNREAD_BUFFER (1 << 18)

/* A receiver that calls, and whose application stands still while its sender is started anew again
 * and again. */
static VCast *
setup_unread_caller (void)
{
  VCast *n = vcast_new (7);

  n->receiver.buffer_size = UNREAD_BUFFER;
  vcast_begin (n, VNET_B);
  n->nodes[VNET_B].stopped = TRUE;
  for (guint i = 0; i < 12; i++) {
    vcast_run (n, 2 * FASP_SEC);
    vcast_leave (n, VNET_A);
    vcast_run (n, 3 * FASP_SEC);
    n->held = 0;
    vcast_join (n, VNET_A, VNET_B);
  }
  return n;
}

/* The same for a receiver that calls. */
static void
test_unread_by_caller (void)
{
  g_autoptr (VCast) n = setup_unread_caller ();
  VCastNode *node = &n->nodes[VNET_B];

  g_assert_cmpuint (vcast_get_stats (n, VNET_B).buffer_bytes, <, 2 * UNREAD_BUFFER);
  node->stopped = FALSE;
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (node->endpoint->sessions->len, ==, 1);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).buffer_bytes, <, 1 << 16);
}

/* A receiver that does not call because its application stands still does not say that nobody
 * answers; when the application goes on, it calls and is answered. */
static void
test_unread_and_unasked (void)
{
  g_autoptr (VCast) n = setup_unread_caller ();
  VCastNode *node = &n->nodes[VNET_B];

  vcast_run (n, 40 * FASP_SEC);
  g_assert_null (fasp_endpoint_get_open (node->endpoint));
  g_assert_cmpuint (node->events[FASP_EVENT_UNANSWERED], ==, 0);
  node->stopped = FALSE;
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (node->events[FASP_EVENT_UNANSWERED], ==, 0);
}

/* A NAT gives a sender that calls another port near the end of the stream; the old port leads
 * nowhere from then on.  The receiver closes once it has read the end, as an element that is
 * stopped then. */
static FaspReason
end_while_moving (guint32 seed, FaspTime rtt, FaspTime moves_after)
{
  g_autoptr (VCast) n = vcast_new (seed);
  VCastNode *a = &n->nodes[VNET_A], *b = &n->nodes[VNET_B];
  FaspTime until;

  vnet_get_wire (n->net, VNET_A, VNET_B)->delay = rtt / 2;
  vnet_get_wire (n->net, VNET_B, VNET_A)->delay = rtt / 2;
  vcast_lose (n, 0.05);
  vcast_let_call (n, VNET_A);
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  n->bitrate = n->held = 0;
  n->finish = TRUE;
  until = vnet_get_time (n->net) + 20 * FASP_SEC;
  vcast_run (n, moves_after);
  vnet_rebind (n->net, VNET_A, 8000);
  while (a->events[FASP_EVENT_REMOVED] == 0 && vnet_get_time (n->net) < until) {
    vcast_run (n, 5 * FASP_MSEC);
    if (b->eos && !b->endpoint->closing)
      vcast_close (n, VNET_B);
  }
  g_assert_true (b->eos);
  return a->events[FASP_EVENT_REMOVED] > 0 ? a->last[FASP_EVENT_REMOVED].reason : FASP_REASON_NONE;
}

/* The sender learns that the receiver has all of the stream. */
static void
test_moved_at_the_end (void)
{
  static const FaspTime rtts[] = { 10 * FASP_MSEC, VCAST_RTT, 600 * FASP_MSEC };
  guint lost = 0, runs = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rtts); i++)
    for (guint phase = 0; phase < 40; phase++, runs++)
      lost += end_while_moving (1 + phase, rtts[i], phase * rtts[i] / 20) != FASP_REASON_FINISHED;
  g_test_message ("%u of %u senders are not told of the end", lost, runs);
  g_assert_cmpuint (lost, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/goodbye/unanswered", test_unanswered);
  g_test_add_func ("/goodbye/receiver-stops", test_receiver_stops);
  g_test_add_func ("/goodbye/ended", test_ended);
  g_test_add_func ("/goodbye/heard-by-the-other", test_heard_by_the_other);
  g_test_add_func ("/goodbye/heard-too-late", test_heard_too_late);
  g_test_add_func ("/goodbye/gone-unproved", test_gone_unproved);
  g_test_add_func ("/goodbye/given-up-unread", test_given_up_unread);
  g_test_add_func ("/goodbye/dialled-when-closed", test_dialled_when_closed);
  g_test_add_data_func ("/goodbye/unread/much", GINT_TO_POINTER (TRUE), test_unread);
  g_test_add_data_func ("/goodbye/unread/little", NULL, test_unread);
  g_test_add_func ("/goodbye/unread/by-caller", test_unread_by_caller);
  g_test_add_func ("/goodbye/unread/unasked", test_unread_and_unasked);
  g_test_add_func ("/goodbye/moved-at-the-end", test_moved_at_the_end);
  return g_test_run ();
}
