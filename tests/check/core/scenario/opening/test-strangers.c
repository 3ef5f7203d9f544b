/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A listener that is not called, and ports to which another protocol comes.
 */
#include "faspstrangers.h"
#include "vcast.h"
#include <string.h>

#define TS_DATAGRAM (7 * 188)

static FaspEndpoint *
listen (VCast *n, FaspRole role)
{
  VnetSide side = role == FASP_ROLE_SENDER ? VNET_A : VNET_B;

  vcast_let_call (n, !side);
  vcast_join (n, side, !side);
  fasp_endpoint_expect (n->nodes[side].endpoint, vnet_get_time (n->net));
  return n->nodes[side].endpoint;
}

/* Both ends listen: each says so once. */
static void
test_uncalled (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  listen (n, FASP_ROLE_SENDER);
  listen (n, FASP_ROLE_RECEIVER);
  vcast_run (n, FASP_UNCALLED_AFTER - 100 * FASP_MSEC);
  for (VnetSide side = VNET_A; side <= VNET_B; side++)
    g_assert_cmpuint (n->nodes[side].events[FASP_EVENT_UNCALLED], ==, 0);
  vcast_run (n, 100 * FASP_SEC);
  for (VnetSide side = VNET_A; side <= VNET_B; side++)
    g_assert_cmpuint (n->nodes[side].events[FASP_EVENT_UNCALLED], ==, 1);
}

/* A caller came, even if it has left since, or was refused. */
static void
test_called (gconstpointer refused)
{
  g_autoptr (VCast) n = vcast_new (1);

  listen (n, FASP_ROLE_SENDER);
  if (refused)
    n->receiver.streamid = "another";
  vcast_run (n, FASP_UNCALLED_AFTER - FASP_SEC);
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, FASP_SEC / 2);
  vcast_leave (n, VNET_B);
  vcast_run (n, 60 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_UNCALLED], ==, 0);
}

/* --- other protocols -------------------------------------------------------------------- */

static gsize
make_ts (guint8 *data, guint number)
{
  memset (data, number, TS_DATAGRAM);
  for (guint i = 0; i < TS_DATAGRAM; i += 188)
    data[i] = 0x47;
  return TS_DATAGRAM;
}

/* As libsrt 1.5 sends it: the first handshake of a caller. */
static gsize
make_srt (guint8 *data, guint number)
{
  static const guint8 handshake[] = { 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc8, 0, 0, 0, 0, 0, 0, 0,
    4, 0, 0, 0, 2, 0x56, 0x43, 0x72, 0x96, 0, 0, 5, 0xdc, 0, 0, 0x20, 0, 0, 0, 0, 1, 0x3b, 0x43,
    0xea, 0x23, 0, 0, 0, 0, 1, 0, 0, 0x7f };

  memset (data, 0, 64);
  memcpy (data, handshake, sizeof handshake);
  data[11] = number;
  return 64;
}

/* Each fifth one is lost. */
static gsize
make_rtp (guint8 *data, guint number)
{
  guint16 sequence = 0xfff0 + number + number / 4;
  guint8 header[] = { 0x80, 33 | (number % 3 == 0 ? 0x80 : 0), sequence >> 8, sequence, 0, 0,
    number >> 1, number << 7, 0xde, 0xad, 0xbe, 0xef };

  make_ts (data + sizeof header, number);
  memcpy (data, header, sizeof header);
  return sizeof header + TS_DATAGRAM;
}

static const struct
{
  FaspProtocol protocol;
  gsize (*make) (guint8 *data, guint number);
  guint needed; /* datagrams before it is recognised */
} strangers[] = {
  { FASP_PROTOCOL_MPEG_TS, make_ts, 1 },
  { FASP_PROTOCOL_SRT, make_srt, 1 },
  { FASP_PROTOCOL_RTP, make_rtp, 2 },
};

/* Each is named once, at either end, and all are counted. */
static void
test_protocols (void)
{
  FaspAddress from = vnet_get_address (VNET_C);
  guint8 data[TS_DATAGRAM + 12];
  FaspEndpointStats stats;

  for (FaspRole role = FASP_ROLE_SENDER; role <= FASP_ROLE_RECEIVER; role++) {
    g_autoptr (VCast) n = vcast_new (1);
    FaspEndpoint *endpoint = listen (n, role);
    VCastNode *node = &n->nodes[role == FASP_ROLE_SENDER ? VNET_A : VNET_B];
    guint64 foreign = 0;

    for (guint i = 0; i < G_N_ELEMENTS (strangers); i++) {
      for (guint k = 0; k < 50; k++) {
        gsize size = strangers[i].make (data, k);

        fasp_endpoint_receive (endpoint, vnet_get_time (n->net), &from, data, size, NULL, FALSE);
        vcast_run (n, FASP_MSEC);
        g_assert_cmpuint (node->events[FASP_EVENT_STRANGER], ==,
            i + (k + 1 >= strangers[i].needed));
      }
      g_assert_cmpint (node->last[FASP_EVENT_STRANGER].protocol, ==, strangers[i].protocol);
      g_assert_true (fasp_address_equal (&node->last[FASP_EVENT_STRANGER].address, &from));
      foreign += 51 - strangers[i].needed;
    }
    fasp_endpoint_get_stats (endpoint, &stats);
    g_assert_cmpuint (stats.datagrams_foreign, ==, foreign);
  }
}

/* Datagrams of sessions that this end does not know any more, and fasp with another version or
 * damaged: none of these is another protocol. */
static void
test_own (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  FaspEndpoint *endpoint = listen (n, FASP_ROLE_RECEIVER);
  FaspAddress from = vnet_get_address (VNET_C);
  FaspEndpointStats stats;
  guint8 data[1200];

  for (guint i = 0; i < 100000; i++) {
    FaspWriter w = { data, sizeof data };
    FaspSessionHeader header = { .cid = 0x21000000 + i / 50000, .pn = i };

    vnet_random (n->net, data, sizeof data);
    fasp_wire_write_session (&w, &header);
    fasp_endpoint_receive (endpoint, vnet_get_time (n->net), &from, data, sizeof data, NULL, FALSE);
    vnet_random (n->net, data, sizeof data);
    data[0] = 0x40 | (i & 0xf);
    fasp_endpoint_receive (endpoint, vnet_get_time (n->net), &from, data, i % sizeof data, NULL,
        FALSE);
  }
  vcast_run (n, FASP_SEC);
  fasp_endpoint_get_stats (endpoint, &stats);
  g_assert_cmpuint (stats.datagrams_foreign, ==, 0);
  g_assert_cmpuint (stats.datagrams_unknown, >=, 100000);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_STRANGER], ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/strangers/uncalled", test_uncalled);
  g_test_add_data_func ("/strangers/called", GINT_TO_POINTER (FALSE), test_called);
  g_test_add_data_func ("/strangers/refused", GINT_TO_POINTER (TRUE), test_called);
  g_test_add_func ("/strangers/protocols", test_protocols);
  g_test_add_func ("/strangers/own", test_own);
  return g_test_run ();
}
