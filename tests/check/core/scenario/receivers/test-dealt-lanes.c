/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender whose sessions are dealt out to several lanes, and receivers that are a
 * millisecond away.
 */
#include <string.h>
#include "faspendpoint.h"
#include "vflat.h"
#include "vnet.h"

#define LANES 3
#define RECEIVERS (2 * FASP_LANE_FULL + 12)
#define OVERHEAD 28
#define STEP FASP_MSEC
#define WRITE 1316

typedef struct
{
  GRand *rand;
  FaspTime now;
  FaspEndpoint *sender;
  FaspEndpoint *receivers[RECEIVERS];
  guint64 read[RECEIVERS];  /* bytes */
  guint lane[RECEIVERS];    /* that its datagrams come from, + 1 */
  gboolean stopped[LANES];  /* its thread is held up */
  gboolean waits_until_due; /* a lane is polled only when it is due */
} Net;

static void
random_bytes (gpointer data, guint8 *bytes, gsize size)
{
  Net *net = data;

  while (size-- > 0)
    *bytes++ = g_rand_int (net->rand);
}

/* The sender's is that of nobody. */
static FaspAddress
address (guint who)
{
  return (FaspAddress) { .len = 2, .overhead = OVERHEAD, .bytes = { who >> 8, who } };
}

static Net *
net_new (void)
{
  FaspEndpointConfig config;
  Net *net = g_new0 (Net, 1);
  FaspAddress to = address (RECEIVERS);

  net->rand = g_rand_new_with_seed (5);
  net->now = FASP_SEC;
  fasp_endpoint_config_init (&config, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  config.settings.max_bitrate = 20000000;
  config.lanes = LANES;
  net->sender = fasp_endpoint_new (&config, random_bytes, net);
  g_assert_cmpuint (fasp_endpoint_count_lanes (net->sender), ==, LANES);
  fasp_endpoint_config_init (&config, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  for (guint i = 0; i < RECEIVERS; i++) {
    net->receivers[i] = fasp_endpoint_new (&config, random_bytes, net);
    fasp_endpoint_dial (net->receivers[i], net->now, &to);
  }
  return net;
}

static void
net_free (Net *net)
{
  fasp_endpoint_free (net->sender);
  for (guint i = 0; i < RECEIVERS; i++)
    fasp_endpoint_free (net->receivers[i]);
  g_rand_free (net->rand);
  g_free (net);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Net, net_free)

static void
poll_lane (Net *net, guint lane)
{
  static FaspDatagram datagram;
  FaspAddress from = address (RECEIVERS);

  while (fasp_endpoint_poll_lane (net->sender, lane, net->now, &datagram, 1)) {
    guint to = datagram.to.bytes[0] << 8 | datagram.to.bytes[1];

    /* what a session sends, not what is answered before there is one, is its lane's */
    if (datagram.seal.lock != NULL) {
      if (net->lane[to] == 0)
        net->lane[to] = lane + 1;
      g_assert_cmpuint (net->lane[to], ==, lane + 1);
    }
    fasp_datagram_seal (&datagram);
    vflat_datagram (&datagram);
    fasp_endpoint_receive (net->receivers[to], net->now, &from, datagram.data, datagram.size, NULL,
        FALSE);
  }
  g_assert_cmpint (fasp_endpoint_get_lane_timeout (net->sender, lane), >, net->now);
}

static void
poll_receiver (Net *net, guint i)
{
  static FaspDatagram datagram;
  FaspAddress from = address (i);
  FaspRead read;

  while (fasp_endpoint_read (net->receivers[i], net->now, &read)) {
    FaspBlock *block = read.block;

    net->read[i] += block->size;
    fasp_block_unref (block);
  }
  while (fasp_endpoint_poll (net->receivers[i], net->now, &datagram)) {
    vflat_datagram (&datagram);
    fasp_endpoint_receive (net->sender, net->now, &from, datagram.data, datagram.size, NULL, FALSE);
  }
}

static void
run (Net *net, FaspTime time, gboolean writes)
{
  static const guint8 bytes[WRITE];

  for (FaspTime end = net->now + time; net->now < end; net->now += STEP) {
    GPtrArray *forgotten;

    if (writes)
      g_assert_cmpuint (fasp_endpoint_write (net->sender, net->now, net->now, bytes, sizeof bytes,
                            NULL),
          ==, sizeof bytes);
    for (guint i = 0; i < LANES; i++)
      if (!net->stopped[i]
          && (!net->waits_until_due || fasp_endpoint_get_lane_timeout (net->sender, i) <= net->now))
        poll_lane (net, i);
    for (guint i = 0; i < RECEIVERS; i++)
      poll_receiver (net, i);
    forgotten = fasp_endpoint_take_forgotten (net->sender);
    g_clear_pointer (&forgotten, g_ptr_array_unref);
  }
}

static guint
count_sessions (Net *net)
{
  FaspEndpointStats stats;

  fasp_endpoint_get_stats (net->sender, &stats);
  return stats.sessions;
}

/* The first lanes are full before the next have any; each session is its lane's for
 * ever; a lane whose thread is held up holds nobody else up, and goes on. */
static void
test_dealt (void)
{
  g_autoptr (Net) net = net_new ();
  guint of_lane[LANES] = { 0 };
  guint64 before[RECEIVERS];

  run (net, 4 * FASP_SEC, FALSE);
  g_assert_cmpuint (count_sessions (net), ==, RECEIVERS);
  run (net, FASP_SEC, TRUE);
  for (guint i = 0; i < RECEIVERS; i++) {
    g_assert_cmpuint (net->lane[i], >, 0);
    of_lane[net->lane[i] - 1]++;
  }
  g_assert_cmpuint (of_lane[0], ==, FASP_LANE_FULL);
  g_assert_cmpuint (of_lane[1], ==, FASP_LANE_FULL);
  net->stopped[1] = TRUE;
  memcpy (before, net->read, sizeof before);
  run (net, FASP_SEC, TRUE);
  for (guint i = 0; i < RECEIVERS; i++)
    if (net->lane[i] == 2)
      g_assert_cmpuint (net->read[i], ==, before[i]);
    else
      g_assert_cmpuint (net->read[i] - before[i], >, 980 * WRITE);
  net->stopped[1] = FALSE;
  run (net, 3 * FASP_SEC, FALSE);
  for (guint i = 0; i < RECEIVERS; i++)
    g_assert_cmpuint (net->read[i], ==, 2000 * WRITE);
}

/* A receiver that leaves makes room in its lane, when its CLOSE is not answered any more. */
static void
test_room (void)
{
  g_autoptr (Net) net = net_new ();
  FaspSessionStats all[RECEIVERS];
  guint64 cursor = 0;
  guint first = 0;

  run (net, 4 * FASP_SEC, FALSE);
  run (net, FASP_SEC, TRUE);
  for (guint i = 0; i < RECEIVERS; i++)
    if (net->lane[i] == 1)
      fasp_endpoint_close (net->receivers[i], net->now, FASP_REASON_STOPPED);
  run (net, FASP_CLOSE_TIMEOUT_MAX, TRUE);
  g_assert_cmpuint (count_sessions (net), ==, RECEIVERS - FASP_LANE_FULL);
  for (guint i = 0; i < RECEIVERS; i++)
    if (net->lane[i] == 1) {
      FaspEndpointConfig config;
      FaspAddress to = address (RECEIVERS);

      fasp_endpoint_free (net->receivers[i]);
      fasp_endpoint_config_init (&config, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
      net->receivers[i] = fasp_endpoint_new (&config, random_bytes, net);
      net->lane[i] = 0;
      fasp_endpoint_dial (net->receivers[i], net->now, &to);
    }
  run (net, 4 * FASP_SEC, TRUE);
  g_assert_cmpuint (fasp_endpoint_get_sessions (net->sender, net->now, &cursor, all, RECEIVERS), ==,
      RECEIVERS);
  for (guint i = 0; i < RECEIVERS; i++)
    first += net->lane[i] == 1;
  g_assert_cmpuint (first, ==, FASP_LANE_FULL);
}

/* What was polled and is given up is sealed by nobody, and leaks nothing. */
static void
test_dropped (void)
{
  g_autoptr (Net) net = net_new ();
  FaspDatagram *datagram = g_new (FaspDatagram, 1);
  guint dropped = 0;

  run (net, 4 * FASP_SEC, FALSE);
  g_assert_cmpuint (fasp_endpoint_write (net->sender, net->now, net->now, (const guint8 *) "late",
                        4, NULL),
      ==, 4);
  net->now += 20 * FASP_MSEC;
  for (guint i = 0; i < LANES; i++)
    while (fasp_endpoint_poll_lane (net->sender, i, net->now, datagram, 1)) {
      dropped += datagram->seal.lock != NULL;
      fasp_datagram_release (datagram);
    }
  g_assert_cmpuint (dropped, >=, RECEIVERS);
  g_free (datagram);
}

static guint
count_bitrates (Net *net)
{
  FaspEvent event;
  guint n = 0;

  while (fasp_endpoint_poll_event (net->sender, &event))
    n += event.type == FASP_EVENT_BITRATE;
  return n;
}

/* The encoder hears of another rate, even if all sessions of the first lane have left,
 * and nobody has another reason to poll that. */
static void
test_first_empty (void)
{
  g_autoptr (Net) net = net_new ();

  run (net, 4 * FASP_SEC, FALSE);
  run (net, FASP_SEC, TRUE);
  for (guint i = 0; i < RECEIVERS; i++)
    if (net->lane[i] == 1)
      fasp_endpoint_close (net->receivers[i], net->now, FASP_REASON_STOPPED);
  run (net, FASP_CLOSE_TIMEOUT_MAX, TRUE);
  g_assert_cmpuint (count_sessions (net), ==, RECEIVERS - FASP_LANE_FULL);
  count_bitrates (net);
  net->waits_until_due = TRUE;
  vnet_configure (net->sender, net->now, max_bitrate, 40000000);
  run (net, 2 * FASP_SEC, TRUE);
  g_assert_cmpuint (count_bitrates (net), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lanes/dealt", test_dealt);
  g_test_add_func ("/lanes/room", test_room);
  g_test_add_func ("/lanes/dropped", test_dropped);
  g_test_add_func ("/lanes/first-empty", test_first_empty);
  return g_test_run ();
}
