/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Endpoints in virtual time: opening, refusing, coming back, being slow,
 * being lied to.  One sender at node A, receivers at the others.
 */
#include <string.h>
#include "faspdial.h"
#include "fasppath.h"
#include "vcast.h"
#include "vspy.h"

#define RTT VCAST_RTT

/* --- opening ------------------------------------------------------------------ */

static void
test_open (void)
{
  VCast *n = vcast_new (1);

  vcast_join_default (n);
  vcast_run (n, RTT - 10 * FASP_MSEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 0);
  vcast_run (n, 20 * FASP_MSEC);        /* one round trip */
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_run (n, RTT);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_run (n, FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  g_assert_cmpint (n->nodes[VNET_B].origin, ==, 0);
  g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REMOVED].reason, ==,
      FASP_REASON_FINISHED);
  vcast_free (n);
}

static void
test_cookie (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.half_open_max = 0;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 2 * RTT + 10 * FASP_MSEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).handshakes_retried, ==, 1);
  vcast_run (n, FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

static void
inject_open (VCast * n, guint i, guint8 version, gsize size)
{
  guint8 data[FASP_OPEN_SIZE], nonce[FASP_NONCE_SIZE] = { 0 };
  FaspHello hello = {.role = FASP_ROLE_RECEIVER,.window = 64 };
  FaspAddress from = vnet_get_address (VNET_C);

  memcpy (nonce, &i, sizeof i);
  from.bytes[4] = i;
  from.bytes[5] = i >> 8;
  from.bytes[6] = i >> 16;
  vspy_make_open (n->net, i + 1, nonce, &hello, data);
  data[1] = version;
  vnet_inject (n->net, VNET_A, &from, data, MIN (size, sizeof data));
}

/* A flood of OPENs from addresses that do not exist: bounded state, answers
 * no longer than the questions, and who is real gets in. */
static void
test_flood (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  const ImpairCounters *out;

  vcast_join (n, VNET_A, &a, VNET_B);
  for (guint i = 0; i < 20000; i++) {
    inject_open (n, i, FASP_VERSION, FASP_OPEN_SIZE);
    if (i % 100 == 99)
      vcast_run (n, 10 * FASP_MSEC);
    if (i == 10000)
      vcast_join (n, VNET_B, &b, VNET_A);
  }
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  out = vnet_get_counters (n->net, VNET_A, VNET_C);
  g_assert_cmpuint (out->packets, >, 0);
  g_assert_cmpuint (out->bytes, <=, 20000 * (FASP_OPEN_SIZE + 28));
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).handshakes_retried, >, 10000);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* One that is too short to be answered, and one of another version. */
static void
test_versions (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);

  vcast_join (n, VNET_A, &a, VNET_B);
  inject_open (n, 1, FASP_VERSION, FASP_OPEN_SIZE - 1);
  inject_open (n, 2, 9, 300);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_C)->packets, ==, 0);
  inject_open (n, 3, 9, FASP_OPEN_SIZE);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_C)->packets, ==, 1);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).datagrams_version, >=, 1);
  vcast_free (n);
}

static void
test_same_role (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
  FaspEndpointConfig c = vcast_config (VNET_C, FASP_MODE_CALLER);

  vnet_get_wire (n->net, VNET_B, VNET_C)->delay = RTT / 2;
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_C, &c, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_C].events[FASP_EVENT_REJECTED], ==, 1);
  g_assert_cmpint (n->nodes[VNET_C].last[FASP_EVENT_REJECTED].reason, ==,
      FASP_REASON_SAME_ROLE);
  g_assert_true (n->nodes[VNET_C].last[FASP_EVENT_REJECTED].final);
  vcast_free (n);
}

/* While its session is interrupted, a caller gets such an answer from somebody who does not look at roles. The
 * receiver, which was restarted, is found all the same, long before the session is given up. */
static void
test_same_role_meanwhile (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
  FaspAgreement agreement = {.hello.role = FASP_ROLE_SENDER };
  FaspAddress from = vnet_get_address (VNET_B);
  FaspEndpoint *sender;

  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  sender = n->nodes[VNET_A].endpoint;
  vcast_leave (n, VNET_B);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, 1);
  g_assert_true (sender->caller.active);
  sender->caller.active = FALSE;
  fasp_dial_accepted (sender, vnet_get_time (n->net), &from, &agreement);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 2);
  vcast_free (n);
}

/* The reason stands behind the ids and the nonce. */
static void
say_silent (gpointer unused, VnetSide from, FaspTime now, guint8 * data,
    gsize size)
{
  const gsize at = 2 + 4 + 4 + FASP_NONCE_SIZE;

  if (from == VNET_B && size > at + 1)
    data[at + 1] = FASP_REASON_SILENT;
}

/* Who refuses may claim what only our own end can know. */
static void
test_refused_for_our_reason (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
  FaspEndpointConfig c = vcast_config (VNET_C, FASP_MODE_CALLER);

  vnet_set_tap (n->net, say_silent, NULL);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_C, &c, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_C].events[FASP_EVENT_REJECTED], ==, 1);
  g_assert_cmpint (n->nodes[VNET_C].last[FASP_EVENT_REJECTED].reason, ==,
      FASP_REASON_STOPPED);
  vcast_free (n);
}

/* The application is asked, with the streamid, after a proof of address. */
static void
test_ask (gconstpointer data)
{
  gboolean accept = GPOINTER_TO_INT (data);
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  FaspEvent *asked = &n->nodes[VNET_A].last[FASP_EVENT_CONNECTING];

  a.ask = TRUE;
  b.streamid = "studio 4";
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTING], ==, 1);
  g_assert_cmpstr (asked->streamid, ==, "studio 4");
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).handshakes_retried, ==, 1);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 0);
  fasp_endpoint_decide (n->nodes[VNET_A].endpoint, vnet_get_time (n->net),
      asked->session, accept);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==,
      accept ? 1 : 0);
  if (!accept)
    g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].reason, ==,
        FASP_REASON_REFUSED);
  vcast_free (n);
}

static void
test_latency (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.latency_ms = 700;
  b.latency_ms = 300;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++)
    g_assert_cmpuint (n->nodes[i].last[FASP_EVENT_CONNECTED].latency_ms, ==,
        700);
  vcast_free (n);
}

/* @data: who is there first, and hears that the other is not, once. */
static void
test_rendezvous (gconstpointer data)
{
  guint first = GPOINTER_TO_UINT (data), second = VNET_A + VNET_B - first;
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (first, FASP_MODE_RENDEZVOUS);
  FaspEndpointConfig b = vcast_config (second, FASP_MODE_RENDEZVOUS);

  vcast_join (n, first, &a, second);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[first].events[FASP_EVENT_UNANSWERED], ==, 1);
  vcast_join (n, second, &b, first);
  vcast_run (n, 3 * FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[first].events[FASP_EVENT_UNANSWERED], ==, 1);
  g_assert_cmpuint (n->nodes[second].events[FASP_EVENT_UNANSWERED], ==, 0);
  vcast_free (n);
}

/* Nobody answers: who must not redial gives up and says so. */
static void
test_unanswered (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  b.reconnect = FALSE;
  b.resume_timeout = 5 * FASP_SEC;
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_UNANSWERED], ==, 1);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_UNANSWERED], ==, 1);
  g_assert_true (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].final);
  g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].reason, ==,
      FASP_REASON_SILENT);
  vcast_free (n);
}

/* Who may redial only since the peer is gone does so at once, not when the session is given up. */
static void
test_reconnect_late (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  b.reconnect = FALSE;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  /* no call while the peer is there */
  fasp_endpoint_set_reconnect (n->nodes[VNET_B].endpoint,
      vnet_get_time (n->net), TRUE);
  fasp_endpoint_set_reconnect (n->nodes[VNET_B].endpoint,
      vnet_get_time (n->net), FALSE);
  g_assert_false (n->nodes[VNET_B].endpoint->caller.active);
  vcast_leave (n, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_INTERRUPTED], ==, 1);
  g_assert_false (n->nodes[VNET_B].endpoint->caller.active);
  vcast_join (n, VNET_A, &a, VNET_B);
  fasp_endpoint_set_reconnect (n->nodes[VNET_B].endpoint,
      vnet_get_time (n->net), TRUE);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 2);
  vcast_free (n);
}

/* Who may not redial any more is answered before that matters: that the session is replaced is not the end. */
static void
test_reconnect_answered (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
  const VCastNode *caller = &n->nodes[VNET_A];

  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  fasp_endpoint_set_reconnect (caller->endpoint, vnet_get_time (n->net), FALSE);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (caller->events[FASP_EVENT_CONNECTED], ==, 2);
  g_assert_cmpint (caller->last[FASP_EVENT_REMOVED].reason, ==,
      FASP_REASON_REPLACED);
  g_assert_false (caller->last[FASP_EVENT_REMOVED].final);
  vcast_end (n);
  g_assert_true (n->nodes[VNET_B].eos);
  vcast_free (n);
}

/* Nor is a refusal, before the session is given up: anybody can send that, and the session may come back. */
static void
test_reconnect_refused (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  FaspEndpointConfig other = vcast_config (VNET_A, FASP_MODE_LISTENER);
  const VCastNode *caller = &n->nodes[VNET_B];
  VCastNode away;

  other.streamid = "other";
  b.streamid = "this";
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  /* somebody else at its place, who refuses all calls */
  away = n->nodes[VNET_A];
  vcast_join (n, VNET_A, &other, VNET_B);
  vcast_run (n, 2500 * FASP_MSEC);
  g_assert_cmpuint (caller->events[FASP_EVENT_INTERRUPTED], ==, 1);
  fasp_endpoint_set_reconnect (caller->endpoint, vnet_get_time (n->net), FALSE);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (caller->events[FASP_EVENT_REJECTED], ==, 1);
  g_assert_false (caller->last[FASP_EVENT_REJECTED].final);
  vcast_leave (n, VNET_A);
  n->nodes[VNET_A] = away;
  vnet_attach (n->net, VNET_A, away.endpoint);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (caller->events[FASP_EVENT_RESUMED], ==, 1);
  vcast_free (n);
}

/* And who may not any more calls on until the session is given up, and then no more: the application has been told
 * that this was the end. */
static void
test_reconnect_no_more (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  const VCastNode *caller = &n->nodes[VNET_B];

  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_true (caller->endpoint->caller.active);
  fasp_endpoint_set_reconnect (caller->endpoint, vnet_get_time (n->net), FALSE);
  while (caller->events[FASP_EVENT_REMOVED] == 0)
    vcast_run (n, 10 * FASP_MSEC);
  g_assert_true (caller->last[FASP_EVENT_REMOVED].final);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (caller->events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (caller->events[FASP_EVENT_REJECTED], ==, 0);
  vcast_free (n);
}

/* One receiver takes one sender; the second is told and gets its turn, if there is one. */
static void
test_busy (gconstpointer keeps_listening)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
  FaspEndpoint *second;
  FaspAddress peer = vnet_get_address (VNET_B);
  FaspEvent event = { 0 };

  b.keep_listening = GPOINTER_TO_INT (keeps_listening);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, FASP_SEC);
  vnet_get_wire (n->net, VNET_B, VNET_C)->delay = RTT / 2;
  vnet_get_wire (n->net, VNET_C, VNET_B)->delay = RTT / 2;
  second = fasp_endpoint_new (&a, vnet_random, n->net);
  vnet_attach (n->net, VNET_C, second);
  fasp_endpoint_dial (second, vnet_get_time (n->net), &peer);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_true (fasp_endpoint_poll_event (second, &event));
  g_assert_cmpint (event.type, ==, FASP_EVENT_REJECTED);
  g_assert_cmpint (event.reason, ==, FASP_REASON_BUSY);
  g_assert_false (event.final);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  /* else what it sends would be taken, and confirmed, and read by nobody */
  g_assert_true (fasp_endpoint_poll_event (second, &event) == b.keep_listening);
  if (b.keep_listening)
    g_assert_cmpint (event.type, ==, FASP_EVENT_CONNECTED);
  vnet_attach (n->net, VNET_C, NULL);
  fasp_endpoint_free (second);
  vcast_free (n);
}

/* After the last of the stream no other address of the peer's name is called: it would be connected
 * once more, and the end waited for once more. */
static void
test_end_of_name (void)
{
  for (guint sends = 0; sends < 2; sends++) {
    VnetSide caller = sends ? VNET_A : VNET_B, listener = !caller;
    VCast *n = vcast_new (1);
    FaspEndpointConfig c = vcast_config (caller, FASP_MODE_CALLER);
    FaspEndpointConfig l = vcast_config (listener, FASP_MODE_LISTENER);
    FaspAddress peer = vnet_get_address (listener);

    vcast_join (n, listener, &l, caller);
    vcast_join (n, caller, &c, listener);
    vcast_run (n, FASP_SEC);
    vcast_end (n);
    fasp_endpoint_dial (n->nodes[caller].endpoint, vnet_get_time (n->net),
        &peer);
    vcast_run (n, FASP_SEC);
    g_assert_cmpuint (n->nodes[caller].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
    vcast_assert_whole (n, VNET_B);
    vcast_free (n);
  }
}

/* A receiver that dials and is to go on after the end gets the next stream,
 * and waits while the last one is still being drained. */
static void
test_keep_calling (void)
{
  VCast *n = vcast_new (17);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  b.keep_listening = TRUE;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, FASP_SEC);
  vcast_end (n);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].last[FASP_EVENT_REMOVED].final);
  vcast_leave (n, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  n->finish = FALSE;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 2);
  if (n->nodes[VNET_B].events[FASP_EVENT_REJECTED] > 0)
    g_assert_false (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].final);
  vcast_free (n);
}

/* It listened on, and is to take one more only: that one it takes. */
static void
test_keep_listening_no_more (void)
{
  VCast *n = vcast_new (17);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);

  b.keep_listening = TRUE;
  vcast_join (n, VNET_B, &b, VNET_A);
  for (guint i = 1; i <= 3; i++) {
    n->finish = FALSE;
    vcast_join (n, VNET_A, &a, VNET_B);
    vcast_run (n, 3 * FASP_SEC);
    vcast_end (n);
    g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==,
        MIN (i, 2));
    vcast_leave (n, VNET_A);
    vcast_run (n, 10 * FASP_SEC);
    fasp_endpoint_set_keep_listening (n->nodes[VNET_B].endpoint, FALSE);
  }
  vcast_free (n);
}

/* --- many receivers ------------------------------------------------------------- */

/* Three receivers on unlike paths; the third joins late, at the live edge. */
static void
test_receivers (void)
{
  VCast *n = vcast_new (3);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);
  guint64 then;

  vnet_get_wire (n->net, VNET_A, VNET_C)->loss = .1;
  vnet_get_wire (n->net, VNET_A, VNET_D)->delay = 300 * FASP_MSEC;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &r, VNET_A);
  vcast_join (n, VNET_C, &r, VNET_A);
  vcast_run (n, 5 * FASP_SEC);
  then = n->written;
  vcast_join (n, VNET_D, &r, VNET_A);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).sessions, ==, 3);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_assert_whole (n, VNET_C);
  vcast_assert_whole (n, VNET_D);
  g_assert_cmpint (n->nodes[VNET_B].origin, ==, 0);
  g_assert_cmpint (n->nodes[VNET_D].origin, >=, then);
  vcast_free (n);
}

/* Each is told of once, in the order they came, though one goes while they are asked
 * for one by one. */
static void
test_figures (void)
{
  VCast *n = vcast_new (3);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);
  FaspEndpoint *sender;
  FaspSessionStats all[4], one;
  guint64 place = 0;

  vcast_join (n, VNET_A, &a, VNET_B);
  sender = n->nodes[VNET_A].endpoint;
  for (VnetSide side = VNET_B; side <= VNET_D; side++) {
    g_assert_cmpuint (fasp_endpoint_get_sessions (sender,
            vnet_get_time (n->net), &(guint64) {
            0}
            , all, G_N_ELEMENTS (all)), ==, side - VNET_B);
    vcast_join (n, side, &r, VNET_A);
    vcast_run (n, FASP_SEC);
  }
  g_assert_cmpuint (fasp_endpoint_get_sessions (sender,
          vnet_get_time (n->net), &(guint64) {
          0}
          , all, G_N_ELEMENTS (all)), ==, 3);
  g_assert_cmpuint (fasp_endpoint_get_sessions (sender,
          vnet_get_time (n->net), &place, &one, 1), ==, 1);
  g_assert_cmpuint (one.session, ==, all[0].session);
  vcast_leave (n, VNET_C);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).sessions, ==, 3);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).interrupted, ==, 1);
  vcast_run (n, 35 * FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).sessions, ==, 2);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).interrupted, ==, 0);
  g_assert_cmpuint (fasp_endpoint_get_sessions (sender,
          vnet_get_time (n->net), &place, &one, 1), ==, 1);
  g_assert_cmpuint (one.session, ==, all[2].session);
  g_assert_cmpuint (fasp_endpoint_get_sessions (sender,
          vnet_get_time (n->net), &place, &one, 1), ==, 0);
  place = G_MAXUINT64;
  g_assert_cmpuint (fasp_endpoint_get_sessions (sender,
          vnet_get_time (n->net), &place, &one, 1), ==, 0);
  vcast_free (n);
}

/* Between the sender and the first receiver, both ways. */
static void
lose (VCast * n, gdouble loss)
{
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = loss;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = loss;
}

/* Of the first gap the application is told, not of each; how much is missing in all is
 * counted. */
static void
assert_gap_told (VCast * n, VnetSide side, gint64 joined, gboolean left_behind)
{
  const VCastNode *node = &n->nodes[side];
  guint64 missing = vcast_get_stats (n, side).bytes_missing;

  g_assert_cmpuint (node->events[FASP_EVENT_GAP], ==, 1);
  g_assert_true (node->last[FASP_EVENT_GAP].left_behind == left_behind);
  g_assert_cmpuint (missing, >, 0);
  /* what is missing moves it */
  g_assert_cmpuint (missing, ==, node->origin - joined);
}

/* One receiver stops reading.  What becomes of it is the policy's; the other
 * one must not notice, unless the policy is to wait. */
static void
test_slow (gconstpointer data)
{
  FaspSlowPolicy policy = GPOINTER_TO_INT (data);
  VCast *n = vcast_new (4);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);
  /* left behind more often than positions are kept */
  const gsize buffer = 1 << 18;
  gint64 joined;

  a.slow_policy = policy;
  a.buffer_size = r.buffer_size = buffer;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &r, VNET_A);
  vcast_join (n, VNET_C, &r, VNET_A);
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
    g_assert_cmpint (n->nodes[VNET_A].last[FASP_EVENT_REMOVED].reason, ==,
        FASP_REASON_TOO_SLOW);
  } else {
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 0);
  }
  g_assert_true ((n->nodes[VNET_A].events[FASP_EVENT_SKIPPED] > 0) ==
      (policy == FASP_SLOW_SKIP));
  n->nodes[VNET_C].stopped = FALSE;
  vcast_run (n, 20 * FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  g_assert_false (n->nodes[VNET_C].wrong);
  if (policy == FASP_SLOW_WAIT)
    vcast_assert_whole (n, VNET_C);
  if (policy == FASP_SLOW_SKIP) {
    g_assert_true (n->nodes[VNET_C].eos);
    g_assert_cmpuint (n->nodes[VNET_C].discontinuities, >=, 1);
    assert_gap_told (n, VNET_C, joined, TRUE);
  }
  vcast_free (n);
}

/* slow-policy=wait, and one of two receivers dies without a word: the other
 * one is not held up once it is clear that nothing is heard of the first. */
static void
test_dead_one (void)
{
  VCast *n = vcast_new (4);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.buffer_size = r.buffer_size = 1 << 20;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &r, VNET_A);
  vcast_join (n, VNET_C, &r, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_C);
  vcast_run (n, 20 * FASP_SEC);
  g_assert_cmpuint (n->held, ==, 0);
  g_assert_cmpuint (n->nodes[VNET_A].max_buffer, <=, 1 << 20);
  vcast_end (n);
  g_assert_false (n->nodes[VNET_B].wrong);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_cmpuint (n->nodes[VNET_B].discontinuities, ==, 0);
  vcast_free (n);
}

/* One of two is killed, and the stream ends.  With slow-policy=skip the end does not wait for
 * it longer than until nothing is heard of it; with wait until its place is lost. */
static void
test_end_of_dead (gconstpointer data)
{
  FaspSlowPolicy policy = GPOINTER_TO_INT (data);
  VCast *n = vcast_new (4);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);
  FaspEndpointStats stats;

  a.slow_policy = policy;
  a.resume_timeout = r.resume_timeout = 30 * FASP_SEC;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &r, VNET_A);
  vcast_join (n, VNET_C, &r, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_C);
  vcast_run (n, FASP_SEC / 2);
  n->finish = TRUE;
  vcast_run (n, 5 * FASP_SEC);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].wrong);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint) ==
      (policy != FASP_SLOW_WAIT));
  vcast_run (n, 30 * FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  stats = vcast_get_stats (n, VNET_A);
  g_assert_cmpuint (stats.whole, ==, 1);
  g_assert_cmpuint (stats.bytes_unconfirmed, >, 0);
  vcast_free (n);
}

/* The only one is killed, and the stream ends: it is waited for as long as it may come
 * back, whatever the policy. */
static void
test_end_of_only (void)
{
  VCast *n = vcast_new (4);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.slow_policy = FASP_SLOW_SKIP;
  a.resume_timeout = r.resume_timeout = 30 * FASP_SEC;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &r, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_B);
  vcast_run (n, FASP_SEC / 2);
  n->finish = TRUE;
  vcast_run (n, 25 * FASP_SEC);
  g_assert_false (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  vcast_run (n, 10 * FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).whole, ==, 0);
  vcast_free (n);
}

/* Who gives up sooner calls for a session of its own, and not for that which it does not know any
 * more and the other end still does. */
static void
test_sooner (void)
{
  VCast *n = vcast_new (4);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);

  a.resume_timeout = 5 * FASP_SEC;
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = 1;
  vcast_run (n, a.resume_timeout + FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 1);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 0;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = 0;
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 2);
  vcast_end (n);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].wrong);
  vcast_free (n);
}

static void
keep_open (gpointer data, VnetSide from, FaspTime now, guint8 * bytes,
    gsize size)
{
  GBytes **open = data;

  if (from != VNET_A || bytes[0] != (0x40 | FASP_HANDSHAKE_OPEN))
    return;
  g_clear_pointer (open, g_bytes_unref);
  *open = g_bytes_new (bytes, size);
}

/* The name has another address, whose turn it is by the time that the first one answers: the session
 * is where the call was answered. */
static void
test_answered_late (void)
{
  VCast *n = vcast_new (4);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
  FaspAddress elsewhere = vnet_get_address (VNET_D);

  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, VCAST_RTT / 2);
  fasp_endpoint_dial (n->nodes[VNET_A].endpoint, vnet_get_time (n->net),
      &elsewhere);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_D)->packets, ==, 0);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* A caller whose answers are lost, so that it asks whether its session is still known.  @moves: from
 * another port.  @open: its newest call. */
static VCast *
lose_answers (GBytes ** open, gboolean moves)
{
  VCast *n = vcast_new (4);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);

  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
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
  VCast *n = lose_answers (&open, FALSE);
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
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_free (n);
}

/* It was heard from another address, which does not answer, and then calls from a third one. */
static void
test_asked_from_third (void)
{
  g_autoptr (GBytes) open = NULL;
  VCast *n = lose_answers (&open, TRUE);
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
  data = g_bytes_get_data (open, &size);        /* it has called again meanwhile */
  vnet_inject (n->net, VNET_B, &elsewhere, data, size);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (there->packets, ==, FASP_CHALLENGES);
  /* nor does it when the peer is heard there again */
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 0;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = 0;
  vcast_run (n, 2 * FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_free (n);
}

/* Processes that are stopped, or machines, for longer than resume-timeout: they were not there to
 * hear anybody, and nobody was silent.  @data: a bit for each node. */
static void
test_standstill (gconstpointer data)
{
  const guint who = GPOINTER_TO_UINT (data);
  VCast *n = vcast_new (4);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
  FaspEndpoint *still[VNET_NODES] = { NULL };
  const VCastNode *receiver = &n->nodes[VNET_B];

  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++)
    if (who >> i & 1) {
      still[i] = n->nodes[i].endpoint;
      n->nodes[i].endpoint = NULL;
      vnet_attach (n->net, i, NULL);
    }
  vcast_run (n, a.resume_timeout + 10 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++)
    if (still[i] != NULL) {
      n->nodes[i].endpoint = still[i];
      vnet_attach (n->net, i, still[i]);
    }
  vcast_run (n, 5 * FASP_SEC);
  if (still[VNET_A] != NULL) {
    for (guint i = VNET_A; i <= VNET_B; i++) {
      g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_INTERRUPTED], ==, 0);
      g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_REMOVED], ==, 0);
    }
    vcast_end (n);
    vcast_assert_whole (n, VNET_B);
  } else {
    /* the sender has given it up, and calls: that is no end, and it has kept what was not confirmed */
    g_assert_cmpuint (receiver->events[FASP_EVENT_CONNECTED], ==, 2);
    g_assert_cmpint (receiver->last[FASP_EVENT_REMOVED].reason, ==,
        FASP_REASON_REPLACED);
    vcast_run (n, a.resume_timeout);    /* it catches up */
    vcast_end (n);
    vcast_assert_whole (n, VNET_B);
  }
  vcast_free (n);
}

/* A path that takes small packets alone by now: the peer is heard, and nothing arrives. So it is
 * of one that lets nothing through. @data: bytes of a packet. */
static void
test_stuck (gconstpointer data)
{
  VCast *n = vcast_new (4);
  ImpairConfig *wire;
  FaspAddress where;

  vcast_join_default (n);
  wire = vnet_get_wire (n->net, VNET_A, VNET_B);
  for (guint second = 0; second < 40; second++) {
    gboolean stuck = fasp_endpoint_look_for_stuck (n->nodes[VNET_A].endpoint,
        vnet_get_time (n->net), 5, &where);

    /* the first look after that may still see what came before */
    if (second < 15 || second > 31)
      g_assert_false (stuck);
    else if (second > 16 && second <= 30)
      g_assert_true (stuck);
    wire->mtu = second >= 10 && second < 30 ? GPOINTER_TO_UINT (data) : 0;
    vcast_run (n, FASP_SEC);
  }
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, 0);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* Nobody listens: hold the stream, or let it pass. */
static void
test_wait (gconstpointer data)
{
  gboolean wait = GPOINTER_TO_INT (data);
  VCast *n = vcast_new (4);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.wait_for_connection = wait;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_true ((n->written == 0) == wait);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_dropped, ==, n->written);
  vcast_join (n, VNET_B, &r, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  g_assert_true ((n->nodes[VNET_B].origin == 0) == wait);
  vcast_free (n);
}

/* --- outages ----------------------------------------------------------------------- */

/* The NAT of one side gives it another port, again and again. */
static void
test_rebind (gconstpointer data)
{
  VnetSide side = GPOINTER_TO_INT (data);
  VCast *n = vcast_new (5);
  FaspEndpointConfig a = vcast_config (VNET_A,
      side == VNET_A ? FASP_MODE_CALLER : FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B,
      side == VNET_A ? FASP_MODE_LISTENER : FASP_MODE_CALLER);

  lose (n, .02);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  for (guint i = 1; i <= 5; i++) {
    vcast_run (n, 2 * FASP_SEC);
    vnet_rebind (n->net, side, 8000 + i);
  }
  vcast_run (n, 2 * FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  for (guint i = VNET_A; i <= VNET_B; i++) {
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_REMOVED], ==, 1);
  }
  vcast_free (n);
}

/* And where an answer is a long time under way: challenges are remembered until then. */
static void
test_rebind_far (gconstpointer data)
{
  VnetSide side = GPOINTER_TO_INT (data);
  VCast *n = vcast_new (6);

  for (guint i = VNET_A; i <= VNET_B; i++) {
    vnet_get_wire (n->net, i, !i)->delay = 1500 * FASP_MSEC;
    vnet_get_wire (n->net, i, !i)->loss = .02;
  }
  vcast_join_default (n);
  vcast_run (n, 20 * FASP_SEC);
  for (guint i = 1; i <= 3; i++) {
    guint64 read = n->nodes[VNET_B].read;

    vnet_rebind (n->net, side, 8000 + i);
    vcast_run (n, 20 * FASP_SEC);
    g_assert_cmpuint (n->nodes[VNET_B].read, >, read);
  }
  vcast_end (n);
  vcast_run (n, 20 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
  for (guint i = VNET_A; i <= VNET_B; i++)
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_free (n);
}

/* Nothing is sent for longer than the low bits of a time tell, also by another connection then:
 * times are right from the first block on, and nobody's clock was set. */
static void
test_pause (gconstpointer anew)
{
  static const FaspTime minutes[] = { 30, 40, 60, 80, 150 };

  for (guint i = 0; i < G_N_ELEMENTS (minutes); i++) {
    VCast *n = vcast_new (i + 1);
    VCastNode *b = &n->nodes[VNET_B];
    guint64 bitrate = n->bitrate, read;
    FaspSenderClock clock;

    vcast_join_default (n);
    vcast_run (n, 15 * FASP_SEC);
    n->bitrate = 0;
    vcast_run (n, minutes[i] * 60 * FASP_SEC);
    if (anew) {
      lose (n, 1);
      vcast_run (n, vcast_config (VNET_B, FASP_MODE_CALLER).resume_timeout +
          60 * FASP_SEC);
      lose (n, 0);
      vcast_run (n, 60 * FASP_SEC);
      g_assert_cmpuint (b->events[FASP_EVENT_CONNECTED], ==, 2);
    }
    read = b->read;
    n->bitrate = bitrate;
    for (guint k = 0; k < 1000; k++) {
      vcast_run (n, 10 * FASP_MSEC);
      if (b->read > read)
        g_assert_cmpint (ABS (b->play - vnet_get_time (n->net)), <,
            50 * FASP_MSEC);
    }
    g_assert_cmpuint (b->read, >, read);
    fasp_endpoint_get_sender_clock (b->endpoint, &clock);
    g_assert_cmpuint (clock.jumps, ==, 0);
    vcast_free (n);
  }
}

/* 20 s of nothing: said, and then it goes on where it stood. */
static void
test_outage (void)
{
  VCast *n = vcast_new (6);

  vcast_join_default (n);
  vcast_run (n, 2 * FASP_SEC);
  lose (n, 1);
  vcast_run (n, 20 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++)
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_INTERRUPTED], ==, 1);
  lose (n, 0);
  vcast_run (n, 20 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++) {
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_RESUMED], ==, 1);
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
  }
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* Hours of nothing, forth or both ways, as long as the peer keeps its place: what is asked meanwhile is
 * not held against it. */
static void
test_outage_hours (gconstpointer both)
{
  for (guint i = 0; i < 2; i++) {
    VCast *n = vcast_new (7);
    FaspEndpointConfig a = vcast_config (VNET_A, i == 0 ? FASP_MODE_LISTENER :
        FASP_MODE_CALLER);
    FaspEndpointConfig b = vcast_config (VNET_B, i == 0 ? FASP_MODE_CALLER :
        FASP_MODE_LISTENER);

    a.resume_timeout = b.resume_timeout = 24 * 3600 * FASP_SEC;
    vcast_join (n, VNET_A, &a, VNET_B);
    vcast_join (n, VNET_B, &b, VNET_A);
    vcast_run (n, 2 * FASP_SEC);
    vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
    if (both)
      lose (n, 1);
    vcast_run (n, FASP_SEC);
    n->bitrate = 0;
    vcast_run (n, 3 * 3600 * FASP_SEC);
    lose (n, 0);
    vcast_run (n, 5 * FASP_SEC);
    for (guint side = VNET_A; side <= VNET_B; side++) {
      g_assert_cmpuint (n->nodes[side].events[FASP_EVENT_CONNECTED], ==, 1);
      g_assert_cmpuint (n->nodes[side].events[FASP_EVENT_REMOVED], ==, 0);
    }
    vcast_end (n);
    vcast_assert_whole (n, VNET_B);
    vcast_free (n);
  }
}

/* Dead for longer than the resume timeout: both say so; the memory of the
 * session goes. */
static void
test_death (void)
{
  VCast *n = vcast_new (6);

  vcast_join_default (n);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_B);      /* as by kill -9 */
  vcast_run (n, 40 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpint (n->nodes[VNET_A].last[FASP_EVENT_REMOVED].reason, ==,
      FASP_REASON_SILENT);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).sessions, ==, 0);
  vcast_free (n);
}

/* As far back as history goes: not to where somebody else stands still. */
static void
test_back_beside_slow (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  VCastNode *c = &n->nodes[VNET_C];

  a.slow_policy = FASP_SLOW_SKIP;
  a.buffer_size = 64 << 20;
  a.history = 2 * FASP_SEC;
  b.buffer_size = 1 << 20;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  n->nodes[VNET_B].stopped = TRUE;
  vcast_run (n, 20 * FASP_SEC);
  b.join = FASP_JOIN_BACK;
  vcast_join (n, VNET_C, &b, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->written - c->origin, <, n->bitrate / 8 * 5);
  g_assert_cmpuint (n->written - c->origin, >, n->bitrate / 8 * 3);
  vcast_free (n);
}

/* What waits for a receiver that reads nothing is late by more than that, too. */
static void
test_paused (void)
{
  static const FaspTime minutes[] = { 20, 41, 60 };

  for (guint i = 0; i < G_N_ELEMENTS (minutes); i++) {
    VCast *n = vcast_new (i + 1);
    VCastNode *b = &n->nodes[VNET_B];
    FaspSenderClock clock;

    n->bitrate = 1000000;
    vcast_join_default (n);
    vcast_run (n, 15 * FASP_SEC);
    b->stopped = TRUE;
    vcast_run (n, minutes[i] * 60 * FASP_SEC);
    b->stopped = FALSE;
    vcast_run (n, 30 * FASP_SEC);
    fasp_endpoint_get_sender_clock (b->endpoint, &clock);
    g_assert_cmpuint (clock.jumps, ==, 0);
    vcast_free (n);
  }
}

/* Out for longer than it is waited for: whoever dials, both ends know that there is a gap, and how
 * large it is; where enough is kept there is none. */
static void
test_back_too_late (void)
{
  for (guint i = 0; i < 4; i++) {
    gboolean sender_dials = i % 2, kept = i / 2;
    VCast *n = vcast_new (i + 1);
    FaspEndpointConfig a = vcast_config (VNET_A, sender_dials ?
        FASP_MODE_CALLER : FASP_MODE_LISTENER);
    FaspEndpointConfig b = vcast_config (VNET_B, sender_dials ?
        FASP_MODE_LISTENER : FASP_MODE_CALLER);
    VCastNode *nodes = n->nodes;
    guint64 missing;

    if (kept)
      a.history = 2 * a.resume_timeout;
    a.wait_for_connection = FALSE;
    b.keep_listening = TRUE;
    vcast_join (n, VNET_A, &a, VNET_B);
    vcast_join (n, VNET_B, &b, VNET_A);
    vcast_run (n, 2 * FASP_SEC);
    lose (n, 1);
    vcast_run (n, a.resume_timeout + 10 * FASP_SEC);
    lose (n, 0);
    vcast_run (n, 20 * FASP_SEC);
    g_assert_cmpuint (nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 2);
    missing = vcast_get_stats (n, VNET_A).bytes_missing;
    g_assert_cmpuint (nodes[VNET_A].events[FASP_EVENT_BEHIND], ==, !kept);
    g_assert_cmpuint (nodes[VNET_A].last[FASP_EVENT_BEHIND].bytes_lost, ==,
        missing);
    g_assert_cmpuint (nodes[VNET_B].last[FASP_EVENT_MOVED].bytes_lost, ==,
        vcast_get_stats (n, VNET_B).bytes_missing);
    if (kept)
      g_assert_cmpuint (missing, ==, 0);
    else
      g_assert_cmpuint (missing, >, n->bitrate / 8 * 30);
    /* the sender that dials knows what the receiver had of what it has heard */
    if (sender_dials)
      g_assert_cmpuint (missing - vcast_get_stats (n, VNET_B).bytes_missing, <,
          n->bitrate / 8 * RTT / FASP_SEC * 2);
    else
      g_assert_cmpuint (vcast_get_stats (n, VNET_B).bytes_missing, ==, missing);
    vcast_free (n);
  }
}

/* A stream goes on into the silence for a while; not to where it is known that nobody is, as soon as
 * who is there could have answered. */
static void
test_closed_port (void)
{
  for (guint told = 0; told < 2; told++) {
    VCast *n = vcast_new (6);
    FaspAddress b = vnet_get_address (VNET_B);
    guint64 before;

    vcast_join_default (n);
    vcast_run (n, 2 * FASP_SEC);
    vcast_leave (n, VNET_B);
    vcast_run (n, FASP_SEC / 5);
    if (told)
      fasp_endpoint_unreachable (n->nodes[VNET_A].endpoint,
          vnet_get_time (n->net), &b);
    vcast_run (n, 2 * RTT);
    before = vnet_get_counters (n->net, VNET_A, VNET_B)->packets;
    vcast_run (n, 2 * FASP_SEC);
    before = vnet_get_counters (n->net, VNET_A, VNET_B)->packets - before;
    if (told)
      g_assert_cmpuint (before, <, 30);
    else
      g_assert_cmpuint (before, >, 100);
    vcast_free (n);
  }
}

/* The listening receiver is killed and started anew: the sender, who calls,
 * finds out and goes on with the first byte that was not acknowledged. */
static void
test_restart (void)
{
  VCast *n = vcast_new (7);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
  guint64 read;

  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  read = n->nodes[VNET_B].read;
  vcast_leave (n, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 10 * FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  /* nothing is missing between the two; what was under way may come twice */
  g_assert_cmpint (n->nodes[VNET_B].origin, <=, read);
  g_assert_cmpint (n->nodes[VNET_B].origin, >, read - n->written / 10);
  vcast_free (n);
}

/* The same at once, and that its port was closed was said in between, when it had just been heard:
 * it is found out as soon as nothing comes any more. Of a receiver that lives that may be said as
 * often as one likes. */
static void
test_restart_told (void)
{
  for (guint dies = 0; dies < 2; dies++) {
    VCast *n = vcast_new (7);
    FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
    FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
    FaspAddress at = vnet_get_address (VNET_B);
    FaspTime before;

    vcast_join (n, VNET_B, &b, VNET_A);
    vcast_join (n, VNET_A, &a, VNET_B);
    vcast_run (n, 3 * FASP_SEC);
    if (dies) {
      vcast_leave (n, VNET_B);
      vcast_join (n, VNET_B, &b, VNET_A);
    }
    before = vnet_get_time (n->net);
    while (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED] == 0
        && vnet_get_time (n->net) < before + FASP_SEC) {
      if (!dies || vnet_get_time (n->net) == before)
        fasp_endpoint_unreachable (n->nodes[VNET_A].endpoint,
            vnet_get_time (n->net), &at);
      vcast_run (n, 20 * FASP_MSEC);
    }
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==,
        dies);
    if (dies) {
      g_assert_cmpint (vnet_get_time (n->net) - before, <, RTT + FASP_SEC / 5);
      g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
      vcast_run (n, 3 * RTT);
      g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 2);
    }
    vcast_end (n);
    vcast_assert_whole (n, VNET_B);
    vcast_free (n);
  }
}

/* Nor is it believed of who lives and has nothing to say, whenever it is said: it is asked. */
static void
test_refused_idle (void)
{
  for (guint phase = 0; phase < 20; phase++) {
    VCast *n = vcast_new (7);
    FaspAddress at = vnet_get_address (VNET_B);

    vcast_join_default (n);
    n->bitrate = 0;
    vcast_run (n, 3 * FASP_SEC + phase * 27 * FASP_MSEC);
    fasp_endpoint_unreachable (n->nodes[VNET_A].endpoint,
        vnet_get_time (n->net), &at);
    vcast_run (n, FASP_SEC);
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, 0);
    vcast_free (n);
  }
}

/* Goodbye in the middle: the other side gets what was sent, and is told. */
static void
test_stop (gconstpointer data)
{
  VnetSide side = GPOINTER_TO_INT (data), other = !side;
  VCast *n = vcast_new (8);
  FaspTime before;

  vcast_join_default (n);
  vcast_run (n, 3 * FASP_SEC);
  fasp_endpoint_close (n->nodes[side].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  before = vnet_get_time (n->net);
  n->bitrate = n->held = 0;
  while (!fasp_endpoint_is_closed (n->nodes[side].endpoint)
      && vnet_get_time (n->net) < before + FASP_SEC)
    vcast_run (n, 5 * FASP_MSEC);
  g_assert_cmpint (vnet_get_time (n->net) - before, <=, 2 * RTT);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[other].events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpint (n->nodes[other].last[FASP_EVENT_REMOVED].reason, ==,
      FASP_REASON_STOPPED);
  g_assert_false (n->nodes[VNET_B].wrong);
  vcast_free (n);
}

static guint64
get_told_bitrate (VCast * n)
{
  return n->nodes[VNET_A].last[FASP_EVENT_BITRATE].bitrate;
}

/* What an encoder may use is told until the last receiver has left, and again when another comes:
 * who is only not heard for a while is there. */
static void
test_available_bitrate (void)
{
  VCast *n = vcast_new (14);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.wait_for_connection = FALSE;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &r, VNET_A);
  vcast_join (n, VNET_C, &r, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (get_told_bitrate (n), >, 8000000);
  fasp_endpoint_close (n->nodes[VNET_C].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (get_told_bitrate (n), >, 8000000);
  lose (n, 1);
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).interrupted, ==, 1);
  g_assert_cmpuint (get_told_bitrate (n), >, 0);
  lose (n, 0);
  n->bitrate = n->held = 0;
  vcast_run (n, 5 * FASP_SEC);
  fasp_endpoint_close (n->nodes[VNET_B].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 2);
  g_assert_cmpuint (get_told_bitrate (n), ==, 0);
  vcast_join (n, VNET_D, &r, VNET_A);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (get_told_bitrate (n), >, 8000000);
  fasp_endpoint_set_bitrates (n->nodes[VNET_A].endpoint,
      vnet_get_time (n->net), 0, 0);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (get_told_bitrate (n), ==, 0);
  vcast_free (n);
}

/* Who leaves before the end has not confirmed it; as long as another one
 * does, that is its own affair. */
static void
test_unconfirmed (void)
{
  VCast *n = vcast_new (12);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);

  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &r, VNET_A);
  vcast_join (n, VNET_C, &r, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  fasp_endpoint_close (n->nodes[VNET_C].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, ==, 0);
  n->bitrate = 0;
  vcast_run (n, FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  fasp_endpoint_write (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), 0,
      (const guint8 *) "the end", 7, NULL);
  vcast_run (n, 100 * FASP_MSEC);
  fasp_endpoint_close (n->nodes[VNET_B].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  vcast_run (n, FASP_SEC);
  fasp_endpoint_finish (n->nodes[VNET_A].endpoint, vnet_get_time (n->net));
  vcast_run (n, FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, ==, 7);
  vcast_free (n);
}

/* What the last receiver did not confirm is not at the end of the stream any more when that has
 * gone on without it, kept (history) or not. */
static void
test_unconfirmed_passed (gconstpointer data)
{
  VCast *n = vcast_new (12);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);
  FaspEndpoint *sender;

  a.wait_for_connection = FALSE;
  a.history = GPOINTER_TO_INT (data) * FASP_SEC;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &r, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  sender = n->nodes[VNET_A].endpoint;
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  vcast_run (n, 100 * FASP_MSEC);
  n->bitrate = n->held = 0;
  fasp_endpoint_close (n->nodes[VNET_B].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, >, 0);
  fasp_endpoint_write (sender, vnet_get_time (n->net), 0,
      (const guint8 *) "the end", 7, NULL);
  fasp_endpoint_finish (sender, vnet_get_time (n->net));
  g_assert_true (fasp_endpoint_is_drained (sender));
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, ==, 0);
  vcast_free (n);
}

/* A receiver that leaves and does not come back in time: what it lacked is not
 * passed off as delivered; one that comes back in time lacks nothing. */
static void
test_hold (gconstpointer data)
{
  gboolean back = GPOINTER_TO_INT (data);
  VCast *n = vcast_new (13);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);

  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  fasp_endpoint_close (n->nodes[VNET_B].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  vcast_run (n, 200 * FASP_MSEC);
  vcast_leave (n, VNET_B);
  n->bitrate = n->held = 0;
  n->finish = TRUE;
  vcast_run (n, FASP_SEC);
  g_assert_false (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  if (back)
    vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 40 * FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  if (back) {
    vcast_assert_whole (n, VNET_B);
    g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, ==, 0);
  } else {
    g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, >, 0);
  }
  vcast_free (n);
}

/* The listener is killed and started anew while the end is on its way. */
static void
test_restart_at_end (void)
{
  VCast *n = vcast_new (14);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);

  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_B);
  n->bitrate = n->held = 0;
  n->finish = TRUE;
  vcast_run (n, FASP_SEC);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 10 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, ==, 0);
  vcast_free (n);
}

/* What is told of a peer that has gone: the bytes that it had, and how long it was there. */
static void
test_removed (void)
{
  VCast *n = vcast_new (16);

  vcast_join_default (n);
  vcast_run (n, 3 * FASP_SEC);
  vcast_end (n);
  vcast_run (n, 10 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
  for (VnetSide side = VNET_A; side <= VNET_B; side++) {
    const FaspEvent *event = &n->nodes[side].last[FASP_EVENT_REMOVED];

    g_assert_cmpuint (n->nodes[side].events[FASP_EVENT_REMOVED], ==, 1);
    g_assert_cmpuint (event->bytes, ==, n->written);
    g_assert_cmpint (event->lasted, >, 2 * FASP_SEC);
    g_assert_cmpint (event->lasted, <, 5 * FASP_SEC);
  }
  vcast_free (n);
}

/* A receiver connects at the very moment at which the stream ends: it is told,
 * and does not wait for ever. */
static void
test_join_at_end (void)
{
  for (guint ms = 0; ms < 200; ms += 5) {
    VCast *n = vcast_new (15);
    FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
    FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);

    r.reconnect = FALSE;
    vcast_join (n, VNET_A, &a, VNET_B);
    vcast_join (n, VNET_B, &r, VNET_A);
    vcast_run (n, FASP_SEC);
    vcast_join (n, VNET_C, &r, VNET_A);
    vcast_run (n, ms * FASP_MSEC);
    n->bitrate = n->held = 0;
    n->finish = TRUE;
    vcast_run (n, 8 * FASP_SEC);
    vcast_assert_whole (n, VNET_B);
    g_assert_true (n->nodes[VNET_C].eos
        || n->nodes[VNET_C].events[FASP_EVENT_REJECTED] > 0
        || (n->nodes[VNET_C].events[FASP_EVENT_REMOVED] > 0
            && n->nodes[VNET_C].last[FASP_EVENT_REMOVED].reason ==
            FASP_REASON_STOPPED));
    vcast_free (n);
  }
}

/* Unpaced, one receiver that loses everything must not starve the other. */
static void
test_turns (void)
{
  VCast *n = vcast_new (16);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.max_bitrate = 0;
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .5;
  n->bitrate = 50000000;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &r, VNET_A);
  vcast_join (n, VNET_C, &r, VNET_A);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_C].read, >, n->written * 8 / 10);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_assert_whole (n, VNET_C);
  vcast_free (n);
}

/* --- deadlines, paths ------------------------------------------------------------------ */

/* too-late=skip: what is not there in time is given up, told, counted, and
 * everything else is delivered. */
static void
test_too_late (void)
{
  VCast *n = vcast_new (9);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  ImpairConfig *wire = vnet_get_wire (n->net, VNET_A, VNET_B);
  FaspSessionStats stats;
  gint64 joined;

  a.latency_ms = b.latency_ms = 300;
  b.too_late_skip = TRUE;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  joined = n->nodes[VNET_B].origin;
  wire->loss = 1;
  vcast_run (n, 600 * FASP_MSEC);
  wire->loss = 0;
  vcast_run (n, 5 * FASP_SEC);
  stats = vcast_get_session (n, VNET_B);
  g_assert_cmpuint (stats.blocks_too_late, >, 0);
  g_assert_cmpuint (n->nodes[VNET_B].discontinuities, >=, 1);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_SKIPPED], ==, 0);
  /* for the one who joined, and for the gap */
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_KEY_FRAME], >=, 2);
  vcast_end (n);
  assert_gap_told (n, VNET_B, joined, FALSE);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].wrong);
  vcast_free (n);
}

typedef struct
{
  gboolean skip;
  guint seconds;
} Outage;

static const Outage outages[] = {
  {FALSE, 6}, {TRUE, 6}, {FALSE, 3}, {TRUE, 3}
};

/* too-late=skip after an outage: what was written meanwhile is of no use any more, and is not
 * sent, nor sent again (for 5 s it goes on); with wait it is, and all is late until it is caught
 * up with. */
static void
test_outage_late (gconstpointer data)
{
  const Outage *outage = data;
  gboolean skip = outage->skip;
  VCast *n = vcast_new (9);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  guint64 missing, behind;      /* bytes */
  gint64 joined;

  a.latency_ms = b.latency_ms = 300;
  b.too_late_skip = skip;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  joined = n->nodes[VNET_B].origin;
  lose (n, 1);
  vcast_run (n, outage->seconds * FASP_SEC);
  lose (n, 0);
  /* heard by its TAIL, every 100 ms, one late block, and what the sender knows then */
  vcast_run (n, 700 * FASP_MSEC);
  behind = n->written - n->nodes[VNET_B].origin - n->nodes[VNET_B].read;
  g_assert_true ((behind < 500000 * 3 / 10) == skip);
  g_assert_true ((vcast_get_session (n, VNET_A).blocks_skipped > 0) == skip);
  vcast_end (n);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].wrong);
  missing = vcast_get_stats (n, VNET_B).bytes_missing;
  if (skip) {
    assert_gap_told (n, VNET_B, joined, FALSE);
    /* 4 Mbit/s; the last 0.3 s of the outage are in time still */
    g_assert_cmpuint (missing, >, 500000 * (outage->seconds - 2));
    g_assert_cmpuint (missing, <, 500000 * outage->seconds);
  } else {
    vcast_assert_whole (n, VNET_B);
  }
  vcast_free (n);
}

/* The path is longer by more than the latency, from now on: all comes too late, and comes; there
 * is nothing that the sender could leave out. */
static void
test_longer_path (void)
{
  VCast *n = vcast_new (9);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  FaspSessionStats stats;

  a.latency_ms = b.latency_ms = 300;
  b.too_late_skip = TRUE;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay += 350 * FASP_MSEC;
  vcast_run (n, 5 * FASP_SEC);
  stats = vcast_get_session (n, VNET_A);
  g_assert_cmpuint (stats.skips, >, 0);
  g_assert_cmpuint (stats.blocks_skipped, ==, 0);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* A skip in the first second of a session is one in a second, not one in no time. */
static void
test_skip_at_first (void)
{
  VCast *n = vcast_new (9);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.latency_ms = b.latency_ms = 100;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 400 * FASP_MSEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, ==, 0);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).observed_interval, ==, 0);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay += 150 * FASP_MSEC;
  vcast_run (n, 500 * FASP_MSEC);
  for (VnetSide side = VNET_A; side <= VNET_B; side++) {
    g_assert_cmpuint (vcast_get_session (n, side).skips, ==, 1);
    g_assert_cmpuint (vcast_get_session (n, side).observed_interval, ==, 1);
  }
  vcast_run (n, 4 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).observed_interval, ==, 4);
  vcast_free (n);
}

/* Everything comes too late, for twenty seconds: that is a skip in each of them for who plays it, and one row for
 * the sender, whose encoder need not make a key frame for each. */
static void
test_late_for_long (void)
{
  VCast *n = vcast_new (9);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.latency_ms = b.latency_ms = 300;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, ==, 0);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay += 350 * FASP_MSEC;
  vcast_run (n, 20 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, >=, 18);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, <=, 20);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay -= 350 * FASP_MSEC;
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, <=, 20);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).skips, ==, 1);
  /* one for the join, one for the row */
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_KEY_FRAME], ==, 2);
  vcast_free (n);
}

/* An outage of four seconds, after which all that it held up comes at once, or is left out. */
static void
test_late_at_once (gconstpointer skips)
{
  VCast *n = vcast_new (9);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  ImpairConfig *wire = vnet_get_wire (n->net, VNET_A, VNET_B);

  a.latency_ms = b.latency_ms = 300;
  a.max_bitrate = 100000000;
  b.too_late_skip = GPOINTER_TO_INT (skips);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  wire->blackouts[0].start = vnet_get_time (n->net);
  wire->blackouts[0].end = vnet_get_time (n->net) + 4 * FASP_SEC;
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, >=, 4);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, <=, 6);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).skips, ==, 1);
  vcast_free (n);
}

/* An outage that is longer than the sender keeps the stream: each second of the gap counts. But of a
 * pause nothing is missing if some blocks are lost at its end. */
static void
test_gap (gconstpointer pauses)
{
  VCast *n = vcast_new (9);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  ImpairConfig *wire = vnet_get_wire (n->net, VNET_A, VNET_B);
  guint64 skips;

  a.latency_ms = b.latency_ms = 300;
  a.max_bitrate = 100000000;
  a.buffer_size = 100000;
  a.slow_policy = FASP_SLOW_SKIP;
  a.no_rex = GPOINTER_TO_INT (pauses);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  if (pauses) {
    n->bitrate = 0;
    vcast_run (n, 6 * FASP_SEC);
    n->bitrate = 4000000;
  }
  wire->blackouts[0].start = vnet_get_time (n->net);
  wire->blackouts[0].end = vnet_get_time (n->net) +
      (pauses ? 30 * FASP_MSEC : 8 * FASP_SEC);
  vcast_run (n, 15 * FASP_SEC);
  skips = vcast_get_session (n, VNET_B).skips;
  g_assert_cmpuint (skips, >=, pauses ? 1 : 8);
  g_assert_cmpuint (skips, <=, pauses ? 1 : 10);
  vcast_free (n);
}

/* What the sender does not send again is missing, and that is no better than late. */
static void
test_missing (void)
{
  VCast *n = vcast_new (9);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.no_rex = TRUE;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, ==, 0);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .05;
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, >=, 9);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, <=, 11);
  vcast_free (n);
}

/* Where everything comes seconds too late and some of it is missing, no second counts twice. */
static void
test_missing_late (void)
{
  VCast *n = vcast_new (9);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  guint64 before;

  a.latency_ms = b.latency_ms = 300;
  a.no_rex = TRUE;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay += 1800 * FASP_MSEC;
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .05;
  vcast_run (n, 3 * FASP_SEC);
  before = vcast_get_session (n, VNET_B).skips;
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, >=, before + 9);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).skips, <=, before + 11);
  vcast_free (n);
}

/* too-late=skip where the channel takes less than the stream, for long, by a quarter or by little: of what is
 * left out the rest is in time, and the stream stays live. */
static void
test_narrow_late (void)
{
  static const guint channels[] = { 3200000, 4100000 };

  for (guint i = 0; i < G_N_ELEMENTS (channels); i++) {
    VCast *n = vcast_new (11);
    FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
    FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
    VCastNode *node = &n->nodes[VNET_B];
    guint64 in_time = 0, late = 0, before = 0;
    FaspTime latest = 0, shift;

    a.latency_ms = b.latency_ms = 1000;
    a.max_bitrate = channels[i];
    b.too_late_skip = TRUE;
    vcast_join (n, VNET_A, &a, VNET_B);
    vcast_join (n, VNET_B, &b, VNET_A);
    vcast_run (n, 500 * FASP_MSEC);
    shift = fasp_endpoint_map_media_time (node->endpoint, 0);
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
    shift = fasp_endpoint_map_media_time (node->endpoint, 0) - shift;
    g_test_message ("%u: %.3f in time, %.4f late, %u gaps, %d ms, %d ms off",
        channels[i], in_time * 8. / 2.4e8, late * 8. / 2.4e8,
        node->discontinuities, (gint) (latest / 1000), (gint) (shift / 1000));
    g_assert_cmpint (ABS (shift), <, 60 * FASP_MSEC);
    g_assert_cmpint (latest, <, 1100 * FASP_MSEC);
    g_assert_cmpuint (node->discontinuities, >, 0);
    g_assert_cmpuint (node->discontinuities, <, 50);
    g_assert_cmpuint (in_time, >, 60 * (guint64) channels[i] / 8 * .9);
    g_assert_cmpuint (late, <, in_time / 40);
    vcast_end (n);
    g_assert_false (node->wrong);
    vcast_free (n);
  }
}

/* The path narrows in the middle of the stream. */
static void
test_narrow (void)
{
  VCast *n = vcast_new (10);

  vcast_join_default (n);
  vnet_get_wire (n->net, VNET_A, VNET_B)->mtu = 1500;
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).datagram_size, ==, 1472);
  vnet_get_wire (n->net, VNET_A, VNET_B)->mtu = 1300;
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).datagram_size, ==, 1252);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* --- hostility --------------------------------------------------------------------------- */

typedef struct
{
  VCast *n;
  GPtrArray *seen;              /* GBytes */
  GArray *sides;
} Tap;

static void
on_datagram (gpointer data, VnetSide from, FaspTime now, guint8 * bytes,
    gsize size)
{
  Tap *tap = data;

  if (tap->seen->len >= 4000 || size == 0)
    return;
  g_ptr_array_add (tap->seen, g_bytes_new (bytes, size));
  g_array_append_val (tap->sides, from);
}

/* Everything that was ever on the wire comes again, from the right and from
 * wrong addresses, whole and damaged; and noise. */
static void
test_hostile (void)
{
  for (guint seed = 1; seed <= 5; seed++) {
    VCast *n = vcast_new (seed);
    GRand *rand = g_rand_new_with_seed (seed);
    Tap tap = { n, g_ptr_array_new_with_free_func ((GDestroyNotify)
          g_bytes_unref), g_array_new (FALSE, FALSE, sizeof (VnetSide))
    };

    vcast_join_default (n);
    vnet_set_tap (n->net, on_datagram, &tap);
    for (guint i = 0; i < 400; i++) {
      vcast_run (n, 10 * FASP_MSEC);
      for (guint j = 0; j < 20 && tap.seen->len > 0; j++) {
        guint which = g_rand_int_range (rand, 0, tap.seen->len);
        VnetSide from = g_array_index (tap.sides, VnetSide, which);
        gsize size = 0;
        gconstpointer bytes = g_bytes_get_data (g_ptr_array_index (tap.seen,
                which), &size);
        g_autofree guint8 *copy = g_memdup2 (bytes, size);
        FaspAddress address = vnet_get_address (from);

        switch (j % 5) {
          case 0:              /* a replay */
            break;
          case 1:              /* from somewhere else */
            address = vnet_get_address (VNET_D);
            break;
          case 2:              /* damaged */
            copy[g_rand_int_range (rand, 0, size)] ^= 1 <<
                g_rand_int_range (rand, 0, 8);
            break;
          case 3:              /* cut */
            size = g_rand_int_range (rand, 0, size);
            break;
          case 4:              /* noise behind a good start, yet to come */
            if (size > 7)
              copy[6] += 128;   /* of the packet number */
            for (gsize k = 9; k < size; k++)
              copy[k] = g_rand_int (rand);
            break;
        }
        vnet_inject (n->net, from == VNET_A ? VNET_B : VNET_A, &address,
            copy, size);
      }
    }
    vnet_set_tap (n->net, NULL, NULL);
    vcast_run (n, 3 * FASP_SEC);
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_REMOVED], ==, 0);
    g_assert_cmpuint (vcast_get_stats (n, VNET_B).datagrams_forged, >, 0);
    g_assert_cmpuint (vcast_get_stats (n, VNET_B).datagrams_malformed, >, 0);
    g_assert_cmpuint (vcast_get_session (n, VNET_B).datagrams_duplicate, >, 0);
    vcast_end (n);
    vcast_assert_whole (n, VNET_B);
    g_ptr_array_unref (tap.seen);
    g_array_unref (tap.sides);
    g_rand_free (rand);
    vcast_free (n);
  }
}

/* Half an hour at 10 % loss, the reader held up now and then: the buffers
 * keep below their limits and come back to nothing. */
static void
test_memory (void)
{
  VCast *n = vcast_new (11);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.buffer_size = b.buffer_size = 2 << 20;
  n->bitrate = 2000000;
  lose (n, .1);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
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
  vcast_free (n);
}

/* One that is far away joins while what it was promised at first is forgotten already, as the
 * other confirms it: it gets the stream from what there is. */
static void
test_late_joiner (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig c = vcast_config (VNET_C, FASP_MODE_CALLER);

  vcast_join_default (n);
  for (guint i = 0; i < 2; i++) {
    vnet_get_wire (n->net, i ? VNET_A : VNET_B, i ? VNET_B : VNET_A)->delay =
        2000;
    vnet_get_wire (n->net, i ? VNET_A : VNET_C, i ? VNET_C : VNET_A)->delay =
        50000;
  }
  vcast_run (n, FASP_SEC);
  vcast_join (n, VNET_C, &c, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  vcast_end (n);
  g_assert_true (n->nodes[VNET_C].eos);
  g_assert_false (n->nodes[VNET_C].wrong);
  g_assert_cmpint (n->nodes[VNET_C].origin, >, 0);
  g_assert_cmpuint (n->nodes[VNET_C].origin + n->nodes[VNET_C].read, ==,
      n->written);
  vcast_free (n);
}

/* A stream pauses before its end is said: nobody waited for that, and nothing was late. */
static void
test_late_end (void)
{
  VCast *n = vcast_new (1);

  vcast_join_default (n);
  vcast_run (n, 3 * FASP_SEC);
  n->bitrate = n->held = 0;
  vcast_run (n, 5 * FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  g_assert_cmpint (fasp_hist_percentile (fasp_endpoint_get_lateness (n->nodes
              [VNET_B].endpoint, TRUE), 1), <, FASP_SEC);
  g_assert_cmpint (fasp_hist_percentile (fasp_endpoint_get_lateness (n->nodes
              [VNET_B].endpoint, FALSE), 1), <, FASP_SEC);
  vcast_free (n);
}

/* By two satellites: who dials repeats the call before it is answered, and does not know the round
 * trip when it is connected. Nobody is taken for gone meanwhile. */
static void
test_far (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);

  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i ? VNET_A : VNET_B, i ? VNET_B : VNET_A)->delay =
        1200 * FASP_MSEC;
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 20 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++) {
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_INTERRUPTED], ==, 0);
  }
  vcast_end (n);
  vcast_run (n, 10 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* Probes for larger datagrams do not hold up a stream that has little room. */
static void
test_slow_channel (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.max_bitrate = 20000;
  n->bitrate = 8000;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].read, >, 0);
  vcast_run (n, 30 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).datagram_size, ==, 1200);
  fasp_endpoint_set_bitrates (n->nodes[VNET_A].endpoint,
      vnet_get_time (n->net), 0, 2000000);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).datagram_size, ==, 1472);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* On a short path the first block is as wide as the path, whatever waits to be written; a long
 * one is not waited for. */
static void
test_wide_at_once (void)
{
  static const FaspTime delays[] = { 200, 2 * FASP_MSEC, 50 * FASP_MSEC };

  for (guint i = 0; i < G_N_ELEMENTS (delays); i++) {
    VCast *n = vcast_new (1);
    FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
    FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
    FaspTime calls = 4 * delays[i];
    FaspSessionStats stats;

    a.wait_for_connection = TRUE;
    a.max_bitrate = 1000000000;
    n->bitrate = 400000000;
    for (guint j = 0; j < 2; j++) {
      ImpairConfig *wire = vnet_get_wire (n->net, j ? VNET_A : VNET_B,
          j ? VNET_B : VNET_A);

      wire->mtu = 9000;
      wire->delay = delays[i];
    }
    vcast_join (n, VNET_B, &b, VNET_A);
    vcast_join (n, VNET_A, &a, VNET_B);
    vcast_run (n, calls + 10 * FASP_MSEC + 2 * delays[i] + FASP_MSEC);
    stats = vcast_get_session (n, VNET_A);
    g_test_message ("%.1f ms: %" G_GUINT64_FORMAT " blocks of %"
        G_GUINT64_FORMAT " bytes", delays[i] / 1e3, stats.blocks_sent,
        stats.payload_bytes_sent);
    g_assert_cmpuint (stats.blocks_sent, >, 0);
    if (delays[i] < 5 * FASP_MSEC)
      g_assert_cmpuint (stats.payload_bytes_sent / stats.blocks_sent, >, 8000);
    vcast_end (n);
    vcast_assert_whole (n, VNET_B);
    vcast_free (n);
  }
}

/* On a long path with time for several round trips, the end of what was written is asked
 * for once in a round trip, and not before an answer could be there. */
static void
test_tail_far (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  ImpairConfig *out = vnet_get_wire (n->net, VNET_A, VNET_B);
  guint64 before;

  out->delay = vnet_get_wire (n->net, VNET_B, VNET_A)->delay = 300 * FASP_MSEC;
  a.latency_ms = 5000;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 10 * FASP_SEC);
  out->loss = 1;
  vcast_run (n, 10 * FASP_MSEC);
  n->bitrate = n->held = 0;
  vcast_run (n, FASP_SEC);
  before = vnet_get_counters (n->net, VNET_A, VNET_B)->packets;
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_B)->packets, <=,
      before + 8);
  out->loss = 0;
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/endpoint/wide-at-once", test_wide_at_once);
  g_test_add_func ("/endpoint/late-joiner", test_late_joiner);
  g_test_add_func ("/endpoint/late-end", test_late_end);
  g_test_add_func ("/endpoint/far", test_far);
  g_test_add_func ("/endpoint/slow-channel", test_slow_channel);
  g_test_add_func ("/endpoint/open", test_open);
  g_test_add_func ("/endpoint/cookie", test_cookie);
  g_test_add_func ("/endpoint/flood", test_flood);
  g_test_add_func ("/endpoint/versions", test_versions);
  g_test_add_func ("/endpoint/same-role", test_same_role);
  g_test_add_func ("/endpoint/same-role/meanwhile", test_same_role_meanwhile);
  g_test_add_func ("/endpoint/refused-for-our-reason",
      test_refused_for_our_reason);
  g_test_add_data_func ("/endpoint/ask/accept", GINT_TO_POINTER (TRUE),
      test_ask);
  g_test_add_data_func ("/endpoint/ask/refuse", GINT_TO_POINTER (FALSE),
      test_ask);
  g_test_add_func ("/endpoint/latency", test_latency);
  g_test_add_data_func ("/endpoint/rendezvous/sender",
      GUINT_TO_POINTER (VNET_A), test_rendezvous);
  g_test_add_data_func ("/endpoint/rendezvous/receiver",
      GUINT_TO_POINTER (VNET_B), test_rendezvous);
  g_test_add_func ("/endpoint/unanswered", test_unanswered);
  g_test_add_func ("/endpoint/reconnect-late", test_reconnect_late);
  g_test_add_func ("/endpoint/reconnect-no-more", test_reconnect_no_more);
  g_test_add_func ("/endpoint/reconnect-refused", test_reconnect_refused);
  g_test_add_func ("/endpoint/reconnect-answered", test_reconnect_answered);
  g_test_add_data_func ("/endpoint/busy/listens-on", GINT_TO_POINTER (TRUE),
      test_busy);
  g_test_add_data_func ("/endpoint/busy/had-its-stream",
      GINT_TO_POINTER (FALSE), test_busy);
  g_test_add_func ("/endpoint/end-of-name", test_end_of_name);
  g_test_add_func ("/endpoint/keep-calling", test_keep_calling);
  g_test_add_func ("/endpoint/keep-listening-no-more",
      test_keep_listening_no_more);
  g_test_add_data_func ("/endpoint/end-of-dead/wait",
      GINT_TO_POINTER (FASP_SLOW_WAIT), test_end_of_dead);
  g_test_add_data_func ("/endpoint/end-of-dead/skip",
      GINT_TO_POINTER (FASP_SLOW_SKIP), test_end_of_dead);
  g_test_add_data_func ("/endpoint/end-of-dead/drop",
      GINT_TO_POINTER (FASP_SLOW_DROP_RECEIVER), test_end_of_dead);
  g_test_add_func ("/endpoint/end-of-only", test_end_of_only);
  g_test_add_func ("/endpoint/sooner", test_sooner);
  g_test_add_func ("/endpoint/answered-late", test_answered_late);
  g_test_add_func ("/endpoint/asked-elsewhere", test_asked_elsewhere);
  g_test_add_func ("/endpoint/asked-from-third", test_asked_from_third);
  g_test_add_data_func ("/endpoint/stuck/large", GUINT_TO_POINTER (1000),
      test_stuck);
  g_test_add_data_func ("/endpoint/stuck/all", GUINT_TO_POINTER (1),
      test_stuck);
  g_test_add_data_func ("/endpoint/standstill/both", GUINT_TO_POINTER (3),
      test_standstill);
  g_test_add_data_func ("/endpoint/standstill/receiver", GUINT_TO_POINTER (2),
      test_standstill);
  g_test_add_func ("/endpoint/receivers", test_receivers);
  g_test_add_func ("/endpoint/figures", test_figures);
  g_test_add_data_func ("/endpoint/slow/wait",
      GINT_TO_POINTER (FASP_SLOW_WAIT), test_slow);
  g_test_add_data_func ("/endpoint/slow/drop-receiver",
      GINT_TO_POINTER (FASP_SLOW_DROP_RECEIVER), test_slow);
  g_test_add_data_func ("/endpoint/slow/skip",
      GINT_TO_POINTER (FASP_SLOW_SKIP), test_slow);
  g_test_add_func ("/endpoint/slow/dead-one", test_dead_one);
  g_test_add_data_func ("/endpoint/wait-for-connection",
      GINT_TO_POINTER (TRUE), test_wait);
  g_test_add_data_func ("/endpoint/pass-unheard", GINT_TO_POINTER (FALSE),
      test_wait);
  g_test_add_data_func ("/endpoint/rebind/receiver",
      GINT_TO_POINTER (VNET_B), test_rebind);
  g_test_add_data_func ("/endpoint/rebind/sender", GINT_TO_POINTER (VNET_A),
      test_rebind);
  g_test_add_func ("/endpoint/back-too-late", test_back_too_late);
  g_test_add_func ("/endpoint/back-beside-slow", test_back_beside_slow);
  g_test_add_func ("/endpoint/paused", test_paused);
  g_test_add_data_func ("/endpoint/pause/connected", NULL, test_pause);
  g_test_add_data_func ("/endpoint/pause/anew", "anew", test_pause);
  g_test_add_data_func ("/endpoint/rebind/receiver-far",
      GINT_TO_POINTER (VNET_B), test_rebind_far);
  g_test_add_data_func ("/endpoint/rebind/sender-far",
      GINT_TO_POINTER (VNET_A), test_rebind_far);
  g_test_add_func ("/endpoint/outage/long", test_outage);
  g_test_add_data_func ("/endpoint/outage/hours", NULL, test_outage_hours);
  g_test_add_data_func ("/endpoint/outage/hours-both", "both",
      test_outage_hours);
  g_test_add_func ("/endpoint/death", test_death);
  g_test_add_func ("/endpoint/closed-port", test_closed_port);
  g_test_add_func ("/endpoint/restart", test_restart);
  g_test_add_func ("/endpoint/restart-told", test_restart_told);
  g_test_add_func ("/endpoint/refused-idle", test_refused_idle);
  g_test_add_data_func ("/endpoint/stop/sender", GINT_TO_POINTER (VNET_A),
      test_stop);
  g_test_add_data_func ("/endpoint/stop/receiver", GINT_TO_POINTER (VNET_B),
      test_stop);
  g_test_add_func ("/endpoint/unconfirmed", test_unconfirmed);
  g_test_add_data_func ("/endpoint/unconfirmed/passed", GINT_TO_POINTER (0),
      test_unconfirmed_passed);
  g_test_add_data_func ("/endpoint/unconfirmed/kept", GINT_TO_POINTER (60),
      test_unconfirmed_passed);
  g_test_add_data_func ("/endpoint/hold/back", GINT_TO_POINTER (TRUE),
      test_hold);
  g_test_add_data_func ("/endpoint/hold/gone", GINT_TO_POINTER (FALSE),
      test_hold);
  g_test_add_func ("/endpoint/available-bitrate", test_available_bitrate);
  g_test_add_func ("/endpoint/restart-at-end", test_restart_at_end);
  g_test_add_func ("/endpoint/removed", test_removed);
  g_test_add_func ("/endpoint/join-at-end", test_join_at_end);
  g_test_add_func ("/endpoint/turns", test_turns);
  g_test_add_func ("/endpoint/too-late", test_too_late);
  g_test_add_func ("/endpoint/too-late/narrow", test_narrow_late);
  g_test_add_data_func ("/endpoint/outage/wait", &outages[0], test_outage_late);
  g_test_add_data_func ("/endpoint/outage/skip", &outages[1], test_outage_late);
  g_test_add_data_func ("/endpoint/outage/short/wait", &outages[2],
      test_outage_late);
  g_test_add_data_func ("/endpoint/outage/short/skip", &outages[3],
      test_outage_late);
  g_test_add_func ("/endpoint/longer-path", test_longer_path);
  g_test_add_func ("/endpoint/skip-at-first", test_skip_at_first);
  g_test_add_func ("/endpoint/late-for-long", test_late_for_long);
  g_test_add_data_func ("/endpoint/late-at-once", GINT_TO_POINTER (FALSE),
      test_late_at_once);
  g_test_add_data_func ("/endpoint/late-at-once/skip", GINT_TO_POINTER (TRUE),
      test_late_at_once);
  g_test_add_data_func ("/endpoint/gap", GINT_TO_POINTER (FALSE), test_gap);
  g_test_add_data_func ("/endpoint/gap/pause", GINT_TO_POINTER (TRUE),
      test_gap);
  g_test_add_func ("/endpoint/missing", test_missing);
  g_test_add_func ("/endpoint/missing/late", test_missing_late);
  g_test_add_func ("/endpoint/narrow", test_narrow);
  g_test_add_func ("/endpoint/hostile", test_hostile);
  g_test_add_func ("/endpoint/memory", test_memory);
  g_test_add_func ("/endpoint/tail-far", test_tail_far);
  return g_test_run ();
}
