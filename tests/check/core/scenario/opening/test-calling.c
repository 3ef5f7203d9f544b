/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who calls again, and when, and where: after a refusal, after a session is lost, after the end of
 * a stream, at another address of the name.
 */
#include "faspcallingprivate.h"
#include "faspflow.h"
#include "vcast.h"

#define RTT VCAST_RTT

/* Who may redial only since the peer is gone does so at once, not when the session is given up. */
static void
test_reconnect_late (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  n->receiver.settings.reconnect = FALSE;
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  /* no call while the peer is there */
  vnet_configure (n->nodes[VNET_B].endpoint, vnet_get_time (n->net), reconnect, TRUE);
  vnet_configure (n->nodes[VNET_B].endpoint, vnet_get_time (n->net), reconnect, FALSE);
  g_assert_false (n->nodes[VNET_B].endpoint->calling->call.caller.active);
  vcast_leave (n, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_INTERRUPTED], ==, 1);
  g_assert_false (n->nodes[VNET_B].endpoint->calling->call.caller.active);
  vcast_join (n, VNET_A, VNET_B);
  vnet_configure (n->nodes[VNET_B].endpoint, vnet_get_time (n->net), reconnect, TRUE);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 2);
}

/* Who may not redial any more is answered before that matters: that the session is replaced is not
 * the end. */
static void
test_reconnect_answered (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  const VCastNode *caller = &n->nodes[VNET_A];

  vcast_let_call (n, VNET_A);
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  vnet_configure (caller->endpoint, vnet_get_time (n->net), reconnect, FALSE);
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (caller->events[FASP_EVENT_CONNECTED], ==, 2);
  g_assert_cmpint (caller->last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_REPLACED);
  g_assert_false (caller->last[FASP_EVENT_REMOVED].final);
  vcast_end (n);
  g_assert_true (n->nodes[VNET_B].eos);
}

/* Nor is a refusal, before the session is given up: anybody can send that, and the session may come
 * back. */
static void
test_reconnect_refused (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  const VCastNode *caller = &n->nodes[VNET_B];
  VCastNode away;

  n->receiver.streamid = "this";
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  /* somebody else at its place, who refuses all calls */
  away = n->nodes[VNET_A];
  n->sender.streamid = "other";
  vcast_join (n, VNET_A, VNET_B);
  vcast_run (n, 2500 * FASP_MSEC);
  g_assert_cmpuint (caller->events[FASP_EVENT_INTERRUPTED], ==, 1);
  vnet_configure (caller->endpoint, vnet_get_time (n->net), reconnect, FALSE);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (caller->events[FASP_EVENT_REJECTED], ==, 1);
  g_assert_false (caller->last[FASP_EVENT_REJECTED].final);
  vcast_leave (n, VNET_A);
  n->nodes[VNET_A] = away;
  vnet_attach (n->net, VNET_A, away.endpoint);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (caller->events[FASP_EVENT_RESUMED], ==, 1);
}

/* And who may not any more calls on until the session is given up, and then no more: the
 * application has been told that this was the end. */
static void
test_reconnect_no_more (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  const VCastNode *caller = &n->nodes[VNET_B];

  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_true (caller->endpoint->calling->call.caller.active);
  vnet_configure (caller->endpoint, vnet_get_time (n->net), reconnect, FALSE);
  while (caller->events[FASP_EVENT_REMOVED] == 0)
    vcast_run (n, 10 * FASP_MSEC);
  g_assert_true (caller->last[FASP_EVENT_REMOVED].final);
  vcast_join (n, VNET_A, VNET_B);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (caller->events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (caller->events[FASP_EVENT_REJECTED], ==, 0);
}

/* One receiver takes one sender; the second is told and gets its turn, if there is one. */
static void
test_busy (gconstpointer keeps_listening)
{
  g_autoptr (VCast) n = vcast_new (1);
  FaspEndpoint *second;
  FaspAddress peer = vnet_get_address (VNET_B);
  FaspEvent event = { 0 };

  vcast_let_call (n, VNET_A);
  n->receiver.settings.keep_listening = GPOINTER_TO_INT (keeps_listening);
  vcast_begin (n, VNET_B);
  vcast_run (n, FASP_SEC);
  vnet_get_wire (n->net, VNET_B, VNET_C)->delay = RTT / 2;
  vnet_get_wire (n->net, VNET_C, VNET_B)->delay = RTT / 2;
  second = vnet_add_endpoint (n->net, VNET_C, &n->sender);
  fasp_endpoint_dial (second, vnet_get_time (n->net), &peer);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_true (fasp_endpoint_poll_event (second, &event));
  g_assert_cmpint (event.type, ==, FASP_EVENT_REJECTED);
  g_assert_cmpint (event.reason, ==, FASP_REASON_BUSY);
  g_assert_false (event.final);
  vcast_end_whole (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  /* else what it sends would be taken, and confirmed, and read by nobody */
  g_assert_true (fasp_endpoint_poll_event (second, &event) == n->receiver.settings.keep_listening);
  if (n->receiver.settings.keep_listening)
    g_assert_cmpint (event.type, ==, FASP_EVENT_CONNECTED);
  vnet_attach (n->net, VNET_C, NULL);
  fasp_endpoint_free (second);
}

/* After the last of the stream no other address of the peer's name is called: it would be connected
 * once more, and the end waited for once more. */
static void
test_end_of_name (void)
{
  for (guint sends = 0; sends < 2; sends++) {
    VnetSide caller = sends ? VNET_A : VNET_B, listener = !caller;
    g_autoptr (VCast) n = vcast_new (1);
    FaspAddress peer = vnet_get_address (listener);

    vcast_let_call (n, caller);
    vcast_begin (n, VNET_B);
    vcast_run (n, FASP_SEC);
    vcast_end (n);
    fasp_endpoint_dial (n->nodes[caller].endpoint, vnet_get_time (n->net), &peer);
    vcast_run (n, FASP_SEC);
    g_assert_cmpuint (n->nodes[caller].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
    vcast_assert_whole (n, VNET_B);
  }
}

/* A receiver that dials and is to go on after the end gets the next stream,
 * and waits while the last one is still being drained. */
static void
test_keep_calling (void)
{
  g_autoptr (VCast) n = vcast_new (17);

  n->receiver.settings.keep_listening = TRUE;
  vcast_begin (n, VNET_B);
  vcast_run (n, FASP_SEC);
  vcast_end (n);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].last[FASP_EVENT_REMOVED].final);
  vcast_leave (n, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  n->finish = FALSE;
  vcast_join (n, VNET_A, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 2);
  if (n->nodes[VNET_B].events[FASP_EVENT_REJECTED] > 0)
    g_assert_false (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].final);
}

/* It listened on, and is to take one more only: that one it takes. */
static void
test_keep_listening_no_more (void)
{
  g_autoptr (VCast) n = vcast_new (17);

  vcast_let_call (n, VNET_A);
  n->receiver.settings.keep_listening = TRUE;
  vcast_join (n, VNET_B, VNET_A);
  for (guint i = 1; i <= 3; i++) {
    n->finish = FALSE;
    vcast_join (n, VNET_A, VNET_B);
    vcast_run (n, 3 * FASP_SEC);
    vcast_end (n);
    g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, MIN (i, 2));
    vcast_leave (n, VNET_A);
    vcast_run (n, 10 * FASP_SEC);
    vnet_configure (n->nodes[VNET_B].endpoint, vnet_get_time (n->net), keep_listening, FALSE);
  }
}

/* Who gives up sooner calls for a session of its own, and not for that which it does not know any
 * more and the other end still does. */
static void
test_sooner (void)
{
  g_autoptr (VCast) n = vcast_new (4);

  vcast_let_call (n, VNET_A);
  n->sender.resume_timeout = 5 * FASP_SEC;
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = 1;
  vcast_run (n, n->sender.resume_timeout + FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 1);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 0;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = 0;
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 2);
  vcast_end (n);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].wrong);
}

static void
keep_open (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  GBytes **open = data;

  if (from != VNET_A || bytes[0] != (0x40 | FASP_HANDSHAKE_OPEN))
    return;
  g_clear_pointer (open, g_bytes_unref);
  *open = g_bytes_new (bytes, size);
}

/* The name has another address, whose turn it is by the time that the first one answers: the
 * session is where the call was answered. */
static void
test_answered_late (void)
{
  g_autoptr (VCast) n = vcast_new (4);
  FaspAddress elsewhere = vnet_get_address (VNET_D);

  vcast_let_call (n, VNET_A);
  vcast_begin (n, VNET_B);
  vcast_run (n, VCAST_RTT / 2);
  fasp_endpoint_dial (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), &elsewhere);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_D)->packets, ==, 0);
  vcast_end_whole (n, VNET_B);
}

/* A caller whose answers are lost, so that it asks whether its session is still known.  @moves:
 * from another port.  @open: its newest call. */
static VCast *
lose_answers (GBytes **open, gboolean moves)
{
  VCast *n = vcast_new (4);

  vcast_let_call (n, VNET_A);
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vnet_set_tap (n->net, keep_open, open);
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = 1;
  if (moves)
    vnet_rebind (n->net, VNET_A, 8000);
  vcast_run (n, 4 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, 1);
  return n;
}

/* Who asks whether its session is still known is answered where it asks, too: its way to where it
 * was may be broken. */
static void
test_asked_elsewhere (void)
{
  g_autoptr (GBytes) open = NULL;
  g_autoptr (VCast) n = lose_answers (&open, FALSE);
  const ImpairCounters *there = vnet_get_counters (n->net, VNET_B, VNET_D);
  FaspAddress elsewhere = vnet_get_address (VNET_D);
  gsize size;
  gconstpointer data = g_bytes_get_data (open, &size);

  g_assert_cmpuint (there->packets, ==, 0);
  vnet_inject (n->net, VNET_B, &elsewhere, data, size);
  vcast_run (n, FASP_SEC);
  /* it may be heard where it was all the time, and not hear the answers; but who has copied what
   * it said gets less than that was */
  g_assert_cmpuint (there->packets, ==, FASP_CHALLENGES);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (there->bytes, <, size);
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = 0;
  vcast_run (n, FASP_SEC);
  vcast_end_whole (n, VNET_B);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
}

/* It was heard from another address, which does not answer, and then calls from a third one. */
static void
test_asked_from_third (void)
{
  g_autoptr (GBytes) open = NULL;
  g_autoptr (VCast) n = lose_answers (&open, TRUE);
  const ImpairCounters *there = vnet_get_counters (n->net, VNET_B, VNET_D);
  FaspAddress elsewhere = vnet_get_address (VNET_D);
  gsize size;
  gconstpointer data = g_bytes_get_data (open, &size);

  /* who is heard there may yet answer: a copied call does not take its place */
  vnet_inject (n->net, VNET_B, &elsewhere, data, size);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (there->packets, ==, 0);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  vcast_run (n, 3 * FASP_SEC);
  data = g_bytes_get_data (open, &size); /* it has called again meanwhile */
  vnet_inject (n->net, VNET_B, &elsewhere, data, size);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (there->packets, ==, FASP_CHALLENGES);
  /* nor does it when the peer is heard there again */
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 0;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = 0;
  vcast_run (n, 2 * FASP_SEC);
  vcast_end_whole (n, VNET_B);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
}

/* One peer refuses, the other is not there yet: that is not to be refused by both. */
static void
test_refused_and_silent (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  guint serial = 0, now;

  vnet_get_wire (n->net, VNET_B, VNET_C)->delay = vnet_get_wire (n->net, VNET_C, VNET_B)->delay =
      VCAST_RTT / 2;
  vcast_let_call (n, VNET_A);
  vcast_join (n, VNET_C, VNET_B);
  vcast_let_call (n, VNET_B);
  n->receiver.peers = 2;
  vcast_join (n, VNET_B, VNET_C);
  for (guint i = 0; i < 400; i++) {
    guint peer = fasp_endpoint_get_wanted_peer (n->nodes[VNET_B].endpoint, &now);

    if (now != serial) {
      FaspAddress address = vnet_get_address (peer == 0 ? VNET_C : VNET_A);

      serial = now;
      fasp_endpoint_dial (n->nodes[VNET_B].endpoint, vnet_get_time (n->net), &address);
    }
    if (i == 160)
      vcast_join (n, VNET_A, VNET_B);
    vcast_run (n, 50 * FASP_MSEC);
  }
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
}

/* None of several peers answers, and the network may say so of each: that is reported once, and
 * each time that the stream is lost. */
static void
test_none_answers (gconstpointer refused)
{
  g_autoptr (VCast) n = vcast_new (1);
  VCastNode *node = &n->nodes[VNET_B];
  FaspAddress peers[] = { vnet_get_address (VNET_A), vnet_get_address (VNET_C) };
  guint serial = 0, now;

  n->receiver.peers = 2;
  n->receiver.resume_timeout = 5 * FASP_SEC;
  vcast_join (n, VNET_B, VNET_A);
  for (guint i = 0; i < 500; i++) {
    guint peer = fasp_endpoint_get_wanted_peer (node->endpoint, &now);

    if (now != serial)
      fasp_endpoint_dial (node->endpoint, vnet_get_time (n->net), &peers[peer]);
    serial = now;
    vcast_run (n, 50 * FASP_MSEC);
    if (refused && n->nodes[VNET_A].endpoint == NULL)
      fasp_endpoint_unreachable (node->endpoint, vnet_get_time (n->net), &peers[peer]);
    if (i == 38) /* nearly two seconds */
      g_assert_cmpuint (node->events[FASP_EVENT_UNANSWERED], ==, 0);
    if (i == 100) {
      g_assert_cmpuint (node->events[FASP_EVENT_UNANSWERED], ==, 1);
      g_assert_cmpuint (node->last[FASP_EVENT_UNANSWERED].address.len, >, 0);
      vcast_join (n, VNET_A, VNET_B);
    }
    if (i == 200) {
      g_assert_cmpuint (node->events[FASP_EVENT_CONNECTED], ==, 1);
      g_assert_cmpuint (node->events[FASP_EVENT_UNANSWERED], ==, 1);
      vcast_leave (n, VNET_A);
    }
  }
  g_assert_cmpuint (node->events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpuint (node->events[FASP_EVENT_UNANSWERED], ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/endpoint/reconnect-late", test_reconnect_late);
  g_test_add_func ("/endpoint/reconnect-no-more", test_reconnect_no_more);
  g_test_add_func ("/endpoint/reconnect-refused", test_reconnect_refused);
  g_test_add_func ("/endpoint/reconnect-answered", test_reconnect_answered);
  g_test_add_data_func ("/endpoint/busy/listens-on", GINT_TO_POINTER (TRUE), test_busy);
  g_test_add_data_func ("/endpoint/busy/had-its-stream", GINT_TO_POINTER (FALSE), test_busy);
  g_test_add_func ("/endpoint/end-of-name", test_end_of_name);
  g_test_add_func ("/endpoint/keep-calling", test_keep_calling);
  g_test_add_func ("/endpoint/keep-listening-no-more", test_keep_listening_no_more);
  g_test_add_func ("/endpoint/sooner", test_sooner);
  g_test_add_func ("/endpoint/answered-late", test_answered_late);
  g_test_add_func ("/endpoint/asked-elsewhere", test_asked_elsewhere);
  g_test_add_func ("/endpoint/asked-from-third", test_asked_from_third);
  g_test_add_data_func ("/past/none-answers/silent", NULL, test_none_answers);
  g_test_add_data_func ("/past/none-answers/refused", GINT_TO_POINTER (TRUE), test_none_answers);
  g_test_add_func ("/past/refused-and-silent", test_refused_and_silent);
  return g_test_run ();
}
