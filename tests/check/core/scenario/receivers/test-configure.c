/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Settings that change while a stream runs: those that are as they were change nothing.
 */
#include "vcast.h"

typedef struct
{
  FaspSessionStats sender, receiver;
  guint64 read;
} Result;

/* A stream with losses. @again: each 10 ms both ends are given the settings that they have. */
static Result
run (gboolean again)
{
  g_autoptr (VCast) n = vcast_new (46);
  Result result;

  vcast_begin (n, VNET_B);
  vcast_lose (n, .05);
  for (guint i = 0; i < 1000; i++) {
    for (VnetSide side = VNET_A; again && side <= VNET_B; side++) {
      FaspEndpoint *endpoint = n->nodes[side].endpoint;
      FaspEndpointSettings same = *fasp_endpoint_get_settings (endpoint);

      fasp_endpoint_configure (endpoint, vnet_get_time (n->net), &same);
    }
    vcast_run (n, 10 * FASP_MSEC);
  }
  result = (Result) { vcast_get_session (n, VNET_A), vcast_get_session (n, VNET_B),
    n->nodes[VNET_B].read };
  return result;
}

static void
test_same (void)
{
  Result once = run (FALSE), again = run (TRUE);

  g_assert_cmpuint (once.sender.sent.blocks_rtx, >, 0);
  g_assert_cmpuint (again.sender.sent.datagrams, ==, once.sender.sent.datagrams);
  g_assert_cmpuint (again.sender.sent.wire_bytes, ==, once.sender.sent.wire_bytes);
  g_assert_cmpuint (again.sender.sent.blocks_rtx, ==, once.sender.sent.blocks_rtx);
  g_assert_cmpuint (again.receiver.sent.datagrams, ==, once.receiver.sent.datagrams);
  g_assert_cmpuint (again.receiver.received.lost, ==, once.receiver.received.lost);
  g_assert_cmpuint (again.read, ==, once.read);
}

/* What differs is in force at once, and nothing else changes. */
static void
test_other (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  const FaspEndpointSettings *settings;

  vcast_begin (n, VNET_B);
  vcast_run (n, FASP_SEC);
  settings = fasp_endpoint_get_settings (n->nodes[VNET_A].endpoint);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).pacing.rate, ==, settings->max_bitrate);
  vnet_configure (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), max_bitrate, 3000000);
  g_assert_cmpuint (settings->max_bitrate, ==, 3000000);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).pacing.rate, ==, 3000000);
  vnet_configure (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), slow_policy, FASP_SLOW_SKIP);
  g_assert_cmpint (settings->slow_policy, ==, FASP_SLOW_SKIP);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).pacing.rate, ==, 3000000);
  vcast_end_whole (n, VNET_B);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/configure/same", test_same);
  g_test_add_func ("/configure/other", test_other);
  return g_test_run ();
}
