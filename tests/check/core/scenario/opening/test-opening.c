/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A session opens, or is refused: between two endpoints in virtual time, near and far, whoever
 * calls, with a proof of address or without one.
 */
#include "faspcallingprivate.h"
#include "faspanswer.h"
#include "vcast.h"

#define RTT VCAST_RTT

static void
test_open (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  vcast_begin (n, VNET_B);
  vcast_run (n, RTT - 10 * FASP_MSEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 0);
  vcast_run (n, 20 * FASP_MSEC); /* one round trip */
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_run (n, RTT);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_run (n, FASP_SEC);
  vcast_end_whole (n, VNET_B);
  g_assert_cmpint (n->nodes[VNET_B].origin, ==, 0);
  g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_FINISHED);
}

static void
test_cookie (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  n->sender.half_open_max = 0;
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * RTT + 10 * FASP_MSEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).handshakes_retried, ==, 1);
  vcast_run (n, FASP_SEC);
  vcast_end_whole (n, VNET_B);
}

static void
test_same_role (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  vnet_get_wire (n->net, VNET_B, VNET_C)->delay = RTT / 2;
  vcast_let_call (n, VNET_A);
  vcast_join (n, VNET_B, VNET_A);
  vcast_let_call (n, VNET_B);
  vcast_join (n, VNET_C, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_C].events[FASP_EVENT_REJECTED], ==, 1);
  g_assert_cmpint (n->nodes[VNET_C].last[FASP_EVENT_REJECTED].reason, ==, FASP_REASON_SAME_ROLE);
  g_assert_true (n->nodes[VNET_C].last[FASP_EVENT_REJECTED].final);
}

/* While its session is interrupted, a caller gets such an answer from somebody who does not look at
 * roles. The receiver, which was restarted, is found all the same, long before the session is given
 * up. */
static void
test_same_role_meanwhile (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  FaspAgreement agreement = { .hello.role = FASP_ROLE_SENDER };
  FaspAddress from = vnet_get_address (VNET_B);
  FaspEndpoint *sender;

  vcast_let_call (n, VNET_A);
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  sender = n->nodes[VNET_A].endpoint;
  vcast_leave (n, VNET_B);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, 1);
  g_assert_true (sender->calling->call.caller.active);
  sender->calling->call.caller.active = FALSE;
  fasp_answer_accepted (sender, vnet_get_time (n->net), &from, &agreement);
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 2);
}

/* The reason stands behind the ids and the nonce. */
static void
say_silent (gpointer unused, VnetSide from, FaspTime now, guint8 *data, gsize size)
{
  const gsize at = 2 + 4 + 4 + FASP_NONCE_SIZE;

  if (from == VNET_B && size > at + 1)
    data[at + 1] = FASP_REASON_SILENT;
}

/* Who refuses may claim what only our own end can know. */
static void
test_refused_for_our_reason (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  vnet_set_tap (n->net, say_silent, NULL);
  vcast_let_call (n, VNET_A);
  vcast_join (n, VNET_B, VNET_A);
  vcast_let_call (n, VNET_B);
  vcast_join (n, VNET_C, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_C].events[FASP_EVENT_REJECTED], ==, 1);
  g_assert_cmpint (n->nodes[VNET_C].last[FASP_EVENT_REJECTED].reason, ==, FASP_REASON_STOPPED);
}

/* The application is asked, with the streamid, after a proof of address. */
static void
test_ask (gconstpointer data)
{
  gboolean accept = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = vcast_new (1);
  FaspEvent *asked = &n->nodes[VNET_A].last[FASP_EVENT_CONNECTING];

  n->sender.ask = TRUE;
  n->receiver.streamid = "studio 4";
  vcast_begin (n, VNET_B);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTING], ==, 1);
  g_assert_cmpstr (asked->streamid, ==, "studio 4");
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).handshakes_retried, ==, 1);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 0);
  fasp_endpoint_decide (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), asked,
      accept ? FASP_REASON_NONE : FASP_REASON_REFUSED, "not paid", "not now");
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, accept ? 1 : 0);
  if (!accept)
    g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].reason, ==, FASP_REASON_REFUSED);
  for (guint node = VNET_A; !accept && node <= VNET_B; node++)
    g_assert_cmpstr (n->nodes[node].last[FASP_EVENT_REJECTED].text, ==,
        node == VNET_A ? "not paid" : "not now");
}

static void
test_latency (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  n->sender.settings.latency_ms = 700;
  n->receiver.settings.latency_ms = 300;
  vcast_begin (n, VNET_B);
  vcast_run (n, FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++)
    g_assert_cmpuint (n->nodes[i].last[FASP_EVENT_CONNECTED].terms.latency_ms, ==, 700);
}

/* @data: who is there first, and hears that the other is not, once. */
static void
test_rendezvous (gconstpointer data)
{
  guint first = GPOINTER_TO_UINT (data), second = VNET_A + VNET_B - first;
  g_autoptr (VCast) n = vcast_new (1);

  n->sender.mode = n->receiver.mode = FASP_MODE_RENDEZVOUS;
  vcast_join (n, first, second);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[first].events[FASP_EVENT_UNANSWERED], ==, 1);
  vcast_join (n, second, first);
  vcast_run (n, 3 * FASP_SEC);
  vcast_end_whole (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[first].events[FASP_EVENT_UNANSWERED], ==, 1);
  g_assert_cmpuint (n->nodes[second].events[FASP_EVENT_UNANSWERED], ==, 0);
}

/* Nobody answers: who must not redial gives up and says so. */
static void
test_unanswered (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  n->receiver.settings.reconnect = FALSE;
  n->receiver.resume_timeout = 5 * FASP_SEC;
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_UNANSWERED], ==, 1);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_UNANSWERED], ==, 1);
  g_assert_true (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].final);
  g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].reason, ==, FASP_REASON_SILENT);
}

/* Nobody listens: hold the stream, or let it pass. */
static void
test_wait (gconstpointer data)
{
  gboolean wait = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = vcast_new (4);

  n->sender.settings.wait_for_connection = wait;
  vcast_join (n, VNET_A, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_true ((n->written == 0) == wait);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_dropped, ==, n->written);
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  vcast_end_whole (n, VNET_B);
  g_assert_true ((n->nodes[VNET_B].origin == 0) == wait);
}

/* By two satellites: who dials repeats the call before it is answered, and does not know the round
 * trip when it is connected. Nobody is taken for gone meanwhile. */
static void
test_far (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  vcast_let_call (n, VNET_A);
  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i ? VNET_A : VNET_B, i ? VNET_B : VNET_A)->delay = 1200 * FASP_MSEC;
  vcast_begin (n, VNET_B);
  vcast_run (n, 20 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++) {
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_INTERRUPTED], ==, 0);
  }
  vcast_end (n);
  vcast_run (n, 10 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
}

/* Probes for larger datagrams do not hold up a stream that has little room. */
static void
test_slow_channel (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  n->sender.settings.max_bitrate = 20000;
  n->bitrate = 8000;
  vcast_begin (n, VNET_B);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].read, >, 0);
  vcast_run (n, 30 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).path.datagram_size, ==, 1200);
  vnet_configure (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), max_bitrate, 2000000);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).path.datagram_size, ==, 1472);
  vcast_end_whole (n, VNET_B);
}

/* On a short path the first block is as wide as the path, whatever waits to be written; a long
 * one is not waited for. */
static void
test_wide_at_once (void)
{
  static const FaspTime delays[] = { 200, 2 * FASP_MSEC, 50 * FASP_MSEC };

  for (guint i = 0; i < G_N_ELEMENTS (delays); i++) {
    g_autoptr (VCast) n = vcast_new (1);
    FaspTime calls = 4 * delays[i];
    FaspSessionStats stats;

    vcast_let_call (n, VNET_A);
    n->sender.settings.wait_for_connection = TRUE;
    n->sender.settings.max_bitrate = 1000000000;
    n->bitrate = 400000000;
    for (guint j = 0; j < 2; j++) {
      ImpairConfig *wire = vnet_get_wire (n->net, j ? VNET_A : VNET_B, j ? VNET_B : VNET_A);

      wire->mtu = 9000;
      wire->delay = delays[i];
    }
    vcast_begin (n, VNET_B);
    vcast_run (n, calls + 10 * FASP_MSEC + 2 * delays[i] + FASP_MSEC);
    stats = vcast_get_session (n, VNET_A);
    g_test_message ("%.1f ms: %" G_GUINT64_FORMAT " blocks of %" G_GUINT64_FORMAT " bytes",
        delays[i] / 1e3, stats.sent.blocks, stats.sent.bytes);
    g_assert_cmpuint (stats.sent.blocks, >, 0);
    if (delays[i] < 5 * FASP_MSEC)
      g_assert_cmpuint (stats.sent.bytes / stats.sent.blocks, >, 8000);
    vcast_end_whole (n, VNET_B);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/endpoint/wide-at-once", test_wide_at_once);
  g_test_add_func ("/endpoint/far", test_far);
  g_test_add_func ("/endpoint/slow-channel", test_slow_channel);
  g_test_add_func ("/endpoint/open", test_open);
  g_test_add_func ("/endpoint/cookie", test_cookie);
  g_test_add_func ("/endpoint/same-role", test_same_role);
  g_test_add_func ("/endpoint/same-role/meanwhile", test_same_role_meanwhile);
  g_test_add_func ("/endpoint/refused-for-our-reason", test_refused_for_our_reason);
  g_test_add_data_func ("/endpoint/ask/accept", GINT_TO_POINTER (TRUE), test_ask);
  g_test_add_data_func ("/endpoint/ask/refuse", GINT_TO_POINTER (FALSE), test_ask);
  g_test_add_func ("/endpoint/latency", test_latency);
  g_test_add_data_func ("/endpoint/rendezvous/sender", GUINT_TO_POINTER (VNET_A), test_rendezvous);
  g_test_add_data_func ("/endpoint/rendezvous/receiver", GUINT_TO_POINTER (VNET_B),
      test_rendezvous);
  g_test_add_func ("/endpoint/unanswered", test_unanswered);
  g_test_add_data_func ("/endpoint/wait-for-connection", GINT_TO_POINTER (TRUE), test_wait);
  g_test_add_data_func ("/endpoint/pass-unheard", GINT_TO_POINTER (FALSE), test_wait);
  return g_test_run ();
}
