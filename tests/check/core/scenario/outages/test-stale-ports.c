/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A NAT has an entry for the caller's port that leads to a host which is gone.
 */
#include "faspstale.h"
#include "vcast.h"
#include "vstream.h"

/* The longest time until a caller leaves a port: the looks, and the time to the first of them. */
#define LEAVES_WITHIN (FASP_STALE_FIRST * FASP_STALE_LOOK + FASP_STALE_LOOK)

/* Nothing of @node passes until it leaves its port. */
static void
set_stale (VCast *n, VnetSide node, gboolean stale)
{
  vnet_get_wire (n->net, node, !node)->loss = stale;
  vnet_get_wire (n->net, !node, node)->loss = stale;
}

/* Runs until @node leaves its port, and returns how long that took.  By its new port it reaches its
 * peer. */
static FaspTime
await_new_port (VCast *n, VnetSide node)
{
  FaspTime begun = vnet_get_time (n->net);

  while (fasp_endpoint_take_stale_sockets (n->nodes[node].endpoint) == 0) {
    vcast_run (n, 100 * FASP_MSEC);
    g_assert_cmpint (vnet_get_time (n->net) - begun, <, 100 * FASP_SEC);
  }
  vnet_rebind (n->net, node, 8000);
  set_stale (n, node, FALSE);
  return vnet_get_time (n->net) - begun;
}

static void
assert_stays (VCast *n, VnetSide node, FaspTime time)
{
  vcast_run (n, time);
  g_assert_cmpuint (fasp_endpoint_take_stale_sockets (n->nodes[node].endpoint), ==, 0);
}

static VCast *
start (VnetSide caller)
{
  VCast *n = vcast_new (1);

  vcast_let_call (n, caller);
  vcast_begin (n, VNET_B);
  return n;
}

/* Nothing has answered yet. */
static void
test_calls (void)
{
  for (VnetSide caller = VNET_A; caller <= VNET_B; caller++) {
    g_autoptr (VCast) n = start (caller);

    set_stale (n, caller, TRUE);
    g_assert_cmpint (await_new_port (n, caller), <=, LEAVES_WITHIN);
    vcast_run (n, FASP_SEC);
    g_assert_cmpuint (n->nodes[caller].events[FASP_EVENT_CONNECTED], ==, 1);
    assert_stays (n, caller, 20 * FASP_SEC);
    vcast_end_whole (n, VNET_B);
  }
}

/* A session was there.  @replaced: another host is behind the NAT now; else it goes on. */
static void
test_session (gconstpointer replaced)
{
  for (VnetSide caller = VNET_A; caller <= VNET_B; caller++) {
    g_autoptr (VCast) n = start (caller);

    assert_stays (n, caller, 10 * FASP_SEC);
    set_stale (n, caller, TRUE);
    if (replaced) {
      vcast_leave (n, !caller);
      vcast_join (n, !caller, caller);
    }
    g_assert_cmpint (await_new_port (n, caller), <=, LEAVES_WITHIN);
    vcast_run (n, FASP_SEC);
    g_assert_cmpuint (n->nodes[caller].events[FASP_EVENT_CONNECTED], ==, replaced ? 2 : 1);
    g_assert_cmpuint (n->nodes[caller].events[FASP_EVENT_RESUMED], ==, replaced ? 0 : 1);
    assert_stays (n, caller, 20 * FASP_SEC);
  }
}

/* It does not call again, but its session may go on by another port. */
static void
test_no_reconnect (void)
{
  g_autoptr (VCast) n = start (VNET_A);

  vnet_configure (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), reconnect, FALSE);
  vcast_run (n, 5 * FASP_SEC);
  set_stale (n, VNET_A, TRUE);
  g_assert_cmpint (await_new_port (n, VNET_A), <=, 2 * LEAVES_WITHIN);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_RESUMED], ==, 1);
  vcast_end_whole (n, VNET_B);
}

/* The peer is not there for long: ports are left less and less often, and once it answers, however
 * late, no more. */
static void
test_far (void)
{
  g_autoptr (VCast) n = start (VNET_B);
  FaspEndpoint *caller = n->nodes[VNET_B].endpoint;
  guint left = 0;

  set_stale (n, VNET_B, TRUE);
  for (guint i = 0; i < 3000; i++) {
    vcast_run (n, 100 * FASP_MSEC);
    left += fasp_endpoint_take_stale_sockets (caller) != 0;
  }
  /* after 3, 9, 21, 45, 93, 141, 189, 237 and 285 looks of 300 */
  g_assert_cmpuint (left, ==, 9);
  set_stale (n, VNET_B, FALSE);
  vnet_get_wire (n->net, VNET_A, VNET_B)->delay = 5 * FASP_SEC;
  assert_stays (n, VNET_B, 6 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
}

/* The process stood still meanwhile, and what came is still to be read. */
static void
test_paused (void)
{
  g_autoptr (VCast) n = start (VNET_B);

  vcast_run (n, 5 * FASP_SEC);
  vnet_pause (n->net, VNET_B, vnet_get_time (n->net) + 20 * FASP_SEC);
  assert_stays (n, VNET_B, 30 * FASP_SEC);
}

/* A refusal is an answer. */
static void
test_refused (void)
{
  g_autoptr (VCast) n = start (VNET_A);
  FaspAddress peer = vnet_get_address (VNET_B);
  FaspEndpoint *second;

  vcast_let_call (n, VNET_A);
  vcast_run (n, FASP_SEC);
  second = vnet_add_endpoint (n->net, VNET_C, &n->sender);
  fasp_endpoint_dial (second, vnet_get_time (n->net), &peer);
  vcast_run (n, 20 * FASP_SEC);
  g_assert_cmpuint (fasp_endpoint_take_stale_sockets (second), ==, 0);
  vnet_attach (n->net, VNET_C, NULL);
  fasp_endpoint_free (second);
}

/* Of several links, only the one that is mute leaves its port. */
static void
test_one_of_several (void)
{
  for (guint receiver_calls = 0; receiver_calls < 2; receiver_calls++) {
    g_autoptr (Vnet) net = vnet_new (1);
    g_autoptr (Vstream) stream = NULL;
    VstreamConfig config;
    FaspEndpoint *caller;

    vstream_config_init (&config);
    config.bitrate = 2000000;
    config.channel = 8000000;
    config.lead = FASP_SEC;
    config.duration = 60 * FASP_SEC;
    config.flows = 3;
    config.receiver_calls = receiver_calls;
    vnet_set_path (net, 40 * FASP_MSEC, (gdouble[]) { 0, 0 }, (gdouble[]) { 0, 0 }, 0);
    stream = vstream_new (net, &config);
    caller = receiver_calls ? stream->receiver : stream->sender;
    vstream_run_until (stream, 10 * FASP_SEC);
    g_assert_cmpuint (fasp_endpoint_take_stale_sockets (caller), ==, 0);
    vnet_get_link_wire (net, VNET_A, VNET_B, 1)->loss = 1;
    vnet_get_link_wire (net, VNET_B, VNET_A, 1)->loss = 1;
    vstream_run_until (stream, 10 * FASP_SEC + LEAVES_WITHIN);
    g_assert_cmpuint (fasp_endpoint_take_stale_sockets (caller), ==, FASP_BIT (1));
    vnet_get_link_wire (net, VNET_A, VNET_B, 1)->loss = 0;
    vnet_get_link_wire (net, VNET_B, VNET_A, 1)->loss = 0;
    vstream_run_until (stream, 50 * FASP_SEC);
    g_assert_cmpuint (fasp_endpoint_take_stale_sockets (caller), ==, 0);
    g_assert_true (vstream_is_right (stream));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stale-ports/calls", test_calls);
  g_test_add_data_func ("/stale-ports/session/resumed", GINT_TO_POINTER (FALSE), test_session);
  g_test_add_data_func ("/stale-ports/session/replaced", GINT_TO_POINTER (TRUE), test_session);
  g_test_add_func ("/stale-ports/no-reconnect", test_no_reconnect);
  g_test_add_func ("/stale-ports/far", test_far);
  g_test_add_func ("/stale-ports/paused", test_paused);
  g_test_add_func ("/stale-ports/refused", test_refused);
  g_test_add_func ("/stale-ports/one-of-several", test_one_of_several);
  return g_test_run ();
}
