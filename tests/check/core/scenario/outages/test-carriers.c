/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A network sends what comes from a host from two addresses in turn.
 */
#include "vflat.h"
#include "vnet.h"

/* The receiver's datagrams come from two addresses in turn, each of which leads to it. */
static void
test_two_addresses (void)
{
  Vnet *net = vnet_new (1);
  FaspAddress at[2] = { vnet_get_address (VNET_B), vnet_get_address (VNET_C) };
  FaspAddress here = vnet_get_address (VNET_A);
  static const guint8 data[1000];
  FaspEndpointConfig s, r;
  FaspEndpoint *sender, *receiver;
  FaspDatagram datagram;
  FaspTime now = FASP_SEC;
  guint64 written = 0, bytes = 0;
  guint turn = 0;
  FaspRead read;

  fasp_endpoint_config_init (&s, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  fasp_endpoint_config_init (&r, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  sender = fasp_endpoint_new (&s, vnet_random, net);
  receiver = fasp_endpoint_new (&r, vnet_random, net);
  fasp_endpoint_dial (receiver, now, &here);
  for (FaspTime end = now + 10 * FASP_SEC; now < end; now += FASP_MSEC) {
    written += fasp_endpoint_write (sender, now, now, data, sizeof data, NULL);
    while (fasp_endpoint_poll (sender, now, &datagram)) {
      vflat_datagram (&datagram);
      fasp_endpoint_receive (receiver, now, &here, datagram.data, datagram.size, NULL, FALSE);
    }
    while (fasp_endpoint_poll (receiver, now, &datagram)) {
      vflat_datagram (&datagram);
      fasp_endpoint_receive (sender, now, &at[turn++ % 2], datagram.data, datagram.size, NULL,
          FALSE);
    }
    while (fasp_endpoint_read (receiver, now, &read)) {
      bytes += fasp_block_get_payload (read.block);
      fasp_block_unref (read.block);
    }
  }
  g_test_message ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " bytes", bytes, written);
  g_assert_cmpuint (bytes, >, 9 * 1000 * sizeof data);
  fasp_endpoint_free (sender);
  fasp_endpoint_free (receiver);
  vnet_free (net);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/carriers/two-addresses", test_two_addresses);
  return g_test_run ();
}
