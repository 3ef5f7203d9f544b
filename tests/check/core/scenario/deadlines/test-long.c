/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream that runs for longer than its media time on the wire, which wraps after 2^32 us (71.6
 * minutes), and than the secret that its keys come from, which is replaced each hour.  Packet and
 * block numbers have 64 bits and never wrap; that their low 24 bits on the wire do is not tested
 * here.
 */
#include "fasplifecycle.h"
#include "faspsessionprivate.h"
#include "vcast.h"

#define MEDIA_WRAP (G_GINT64_CONSTANT (1) << 32)

/* Blocks are lost and overtake each other before, while and after media time wraps. */
static void
test_media_time (void)
{
  g_autoptr (VCast) n = vcast_new (11);
  VCastNode *b = &n->nodes[VNET_B];
  FaspTime shift;

  n->bitrate = 40000;
  vcast_lose (n, 0.02);
  vnet_get_wire (n->net, VNET_A, VNET_B)->jitter = 30 * FASP_MSEC;
  vcast_begin (n, VNET_B);
  vcast_run (n, 10 * FASP_SEC);
  shift = b->shift;
  vcast_run (n, MEDIA_WRAP + FASP_SEC * 60);
  /* less than a second, as the receiver follows the sender's clock; a wrap is 71 minutes */
  g_assert_cmpint (ABS (b->shift - shift), <, FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, ==, 0);
  g_assert_cmpuint (
      fasp_endpoint_nth (n->nodes[VNET_A].endpoint, 0)->priv->rekeying.exchange.serial, ==, 1);
  vcast_end_whole (n, VNET_B);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/long/media-time", test_media_time);
  return g_test_run ();
}
