/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What some carriers' networks do: send what comes from a host from two addresses in turn, drop
 * short datagrams, give a host another port.
 */
#include "faspcredentials.h"
#include "vflat.h"
#include "vstream.h"

#define IP_UDP 28 /* bytes of both headers */

/* The number of datagrams that a network has dropped, as their payload has less than 32 bytes. */
typedef struct
{
  Vnet *net;
  guint dropped;
} Carrier;

/* The receiver's datagrams come from two addresses in turn, each of which leads to it. */
static void
test_two_addresses (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
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
}

static void
drop_short (gpointer data, gpointer packet, gsize bytes, guint8 ecn)
{
  Carrier *carrier = data;
  gboolean is_short = bytes - IP_UDP < 32;

  carrier->dropped += is_short;
  vnet_release (carrier->net, packet, is_short, FALSE, vnet_get_time (carrier->net));
}

static void
carry (Carrier *carrier, VnetSide a, VnetSide b)
{
  vnet_set_outlet (carrier->net, a, b, 0, drop_short, carrier);
  vnet_set_outlet (carrier->net, b, a, 0, drop_short, carrier);
}

/* A stream with losses, marks and retransmissions in small blocks, each way of sealing it: nothing
 * that the carrier drops is sent, and both ends know of the end at once. */
static void
test_short (gconstpointer data)
{
  static const gdouble loss[2] = { .02, .02 }, burst[2] = { 0, 0 };
  FaspCipher cipher = GPOINTER_TO_UINT (data);
  g_autoptr (Vnet) net = vnet_new (1);
  Carrier carrier = { net };
  FaspCredentials *credentials = fasp_credentials_new ();
  VstreamConfig config;
  g_autoptr (Vstream) stream = NULL;

  fasp_credentials_set_cipher (credentials, cipher);
  carry (&carrier, VNET_A, VNET_B);
  vnet_set_path (carrier.net, 50 * FASP_MSEC, loss, burst, 0);
  vstream_config_init (&config);
  config.sender.mode = config.receiver.mode = FASP_MODE_RENDEZVOUS;
  config.sender.fec = FASP_FEC_FIXED;
  config.sender.fec_share = .2;
  config.sender.credentials = config.receiver.credentials = credentials;
  config.bitrate = 800;
  config.chunk = 1;
  config.duration = 10 * FASP_SEC;
  stream = vstream_new (carrier.net, &config);
  g_assert_true (vstream_run (stream));
  vstream_run_until (stream, vnet_get_time (carrier.net) - stream->started + 200 * FASP_MSEC);
  g_assert_cmpuint (stream->events[FASP_EVENT_REMOVED][0], ==, 1);
  g_assert_cmpuint (stream->events[FASP_EVENT_REMOVED][1], ==, 1);
  g_test_message ("%u dropped, %u ms after the last byte", carrier.dropped,
      (guint) ((vnet_get_time (carrier.net) - stream->last_read) / 1000));
  g_assert_cmpuint (carrier.dropped, ==, 0);
  fasp_credentials_unref (credentials);
}

/* When a datagram of the sender last came, and the longest time without one. */
typedef struct
{
  FaspTime last, longest;
} Silence;

static void
watch_silence (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Silence *silence = data;

  if (from != VNET_A)
    return;
  silence->longest = MAX (silence->longest, now - silence->last);
  silence->last = now;
}

/* A NAT gives the receiver another port @phase into the stream.  Returns for how long the receiver
 * hears nothing. */
static FaspTime
rebind_at (guint64 bitrate, FaspTime rtt, FaspTime phase)
{
  static const gdouble none[2] = { 0, 0 };
  g_autoptr (Vnet) net = vnet_new (1);
  Silence silence;
  VstreamConfig config;
  g_autoptr (Vstream) stream = NULL;

  vnet_set_path (net, rtt, none, none, 0);
  vstream_config_init (&config);
  config.receiver_calls = TRUE;
  config.bitrate = bitrate;
  config.channel = 4 * bitrate;
  config.duration = 3 * FASP_SEC;
  stream = vstream_new (net, &config);
  vstream_run_until (stream, phase);
  vnet_rebind (net, VNET_B, 8000);
  silence = (Silence) { .last = vnet_get_time (net) };
  vnet_set_tap (net, watch_silence, &silence);
  g_assert_true (vstream_run (stream));
  return silence.longest;
}

/* The sender learns of it soon, even if all that has arrived was reported just before. */
static void
test_rebind (void)
{
  static const FaspTime rtts[] = { 10 * FASP_MSEC, 100 * FASP_MSEC, 200 * FASP_MSEC };
  static const guint64 bitrates[] = { 100000, 500000, 4000000 };

  for (guint i = 0; i < G_N_ELEMENTS (rtts) * G_N_ELEMENTS (bitrates); i++) {
    FaspTime rtt = rtts[i / G_N_ELEMENTS (bitrates)], most = 0;
    guint64 bitrate = bitrates[i % G_N_ELEMENTS (bitrates)];

    for (guint phase = 0; phase < 25; phase++)
      most = MAX (most, rebind_at (bitrate, rtt, 2 * FASP_SEC + phase * 4070));
    g_test_message ("%" G_GUINT64_FORMAT " bit/s, %d ms: %d ms", bitrate, (gint) (rtt / FASP_MSEC),
        (gint) (most / FASP_MSEC));
    g_assert_cmpint (most, <=, 200 * FASP_MSEC + rtt);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/carriers/two-addresses", test_two_addresses);
  g_test_add_data_func ("/carriers/short/sealed", GUINT_TO_POINTER (FASP_CIPHER_AES_128_GCM),
      test_short);
  g_test_add_data_func ("/carriers/short/clear", GUINT_TO_POINTER (FASP_CIPHER_NONE), test_short);
  g_test_add_func ("/carriers/rebind", test_rebind);
  return g_test_run ();
}
