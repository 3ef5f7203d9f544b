/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole streams between two endpoints in virtual time: whatever the network
 * does, every byte arrives, in order, once, and both ends know.
 *
 * FASP_SEEDS sets how many seeds each network is tried with (default 10).
 */
#include <stdlib.h>
#include "vstream.h"

typedef struct
{
  const gchar *name;
  gdouble loss, reverse_loss, burst, reorder, duplicate, corrupt;
  FaspTime blackout;            /* length, from 3 s on, both ways */
  FaspTime rtt;
  FaspTime jitter;
} Network;

static const Network networks[] = {
  {"perfect", 0, 0, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0},
  {"lan", 0, 0, 0, 0, 0, 0, 0, 200, 0},
  {"loss-2", .02, .02, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0},
  {"loss-10", .10, .10, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0},
  {"loss-20", .20, .20, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0},
  {"loss-40", .40, .40, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0},
  {"bursts", .05, .05, 8, 0, 0, 0, 0, 100 * FASP_MSEC, 0},
  {"reorder", 0, 0, 0, .10, 0, 0, 0, 100 * FASP_MSEC, 0},
  {"jitter", .01, .01, 0, 0, 0, 0, 0, 100 * FASP_MSEC, 20 * FASP_MSEC},
  {"duplicates", 0, 0, 0, 0, .10, 0, 0, 100 * FASP_MSEC, 0},
  {"corruption", 0, 0, 0, 0, 0, .01, 0, 100 * FASP_MSEC, 0},
  {"reverse-50", .02, .50, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0},
  {"blackout-1s", .02, .02, 0, 0, 0, 0, 1 * FASP_SEC, 200 * FASP_MSEC, 0},
  {"blackout-10s", .02, .02, 0, 0, 0, 0, 10 * FASP_SEC, 200 * FASP_MSEC, 0},
  {"everything", .20, .50, 4, .10, .10, .01, 1 * FASP_SEC, 200 * FASP_MSEC,
      5 * FASP_MSEC},
};

static guint
seeds (void)
{
  const gchar *set = g_getenv ("FASP_SEEDS");

  return set != NULL ? MAX (1, atoi (set)) : 10;
}

static void
set_network (Vnet * net, const Network * n)
{
  for (guint side = 0; side < 2; side++) {
    ImpairConfig *d = vnet_get_wire (net, side, !side);

    d->delay = n->rtt / 2;
    d->jitter = n->jitter;
    d->loss = side == VNET_A ? n->loss : n->reverse_loss;
    d->burst = n->burst;
    d->reorder = n->reorder;
    d->duplicate = n->duplicate;
    d->corrupt = n->corrupt;
    if (n->blackout > 0) {
      d->blackouts[0].start = vnet_get_time (net) + 3 * FASP_SEC;
      d->blackouts[0].end = d->blackouts[0].start + n->blackout;
    }
  }
}

static void
test_network (gconstpointer data)
{
  const Network *n = data;

  for (guint seed = 1; seed <= seeds (); seed++) {
    Vnet *net = vnet_new (seed);
    VstreamConfig config;
    Vstream *stream;
    gboolean good;

    set_network (net, n);
    vstream_config_init (&config);
    config.bitrate = 2000000;
    config.channel = 8000000;
    config.duration = 6 * FASP_SEC;
    config.receiver_calls = seed % 2;
    stream = vstream_new (net, &config, NULL, NULL);
    good = vstream_run (stream);
    if (!good)
      g_test_message ("%s, seed %u: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
          " bytes, wrong %d eos %d drained %d", n->name, seed, stream->read,
          stream->written, stream->wrong, stream->eos, stream->drained);
    g_assert_true (good);
    g_assert_cmpuint (stream->written, ==, 1500000);
    vstream_free (stream);
    vnet_free (net);
  }
}

/* Lateness as blocks arrive: 99.9 % within one round trip and 15 ms, whatever
 * the interval of the packets (1 ms is that of the reorder delay). */
static void
test_lateness (void)
{
  static const guint64 rates[] = { 6000000, 10000000, 10528000, 40000000 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    Vnet *net = vnet_new (i + 1);
    VstreamConfig config;
    const FaspHist *hist;
    Vstream *stream;

    set_network (net, &networks[2]);
    vstream_config_init (&config);
    config.bitrate = rates[i];
    config.channel = rates[i] * 3 / 2;
    config.lead = FASP_SEC;
    stream = vstream_new (net, &config, NULL, NULL);
    g_assert_true (vstream_run (stream));
    hist = fasp_endpoint_get_lateness (stream->receiver, FALSE);
    g_assert_cmpint (fasp_hist_percentile (hist, .5), <, FASP_MSEC);
    g_assert_cmpint (fasp_hist_percentile (hist, .999), <=, 215 * FASP_MSEC);
    vstream_free (stream);
    vnet_free (net);
  }
}

/* The same seed gives the same run, to the packet. */
static void
test_deterministic (void)
{
  guint64 packets[2], bytes[2];

  for (guint i = 0; i < 2; i++) {
    Vnet *net = vnet_new (42);
    VstreamConfig config;
    Vstream *stream;

    set_network (net, &networks[G_N_ELEMENTS (networks) - 1]);
    vstream_config_init (&config);
    config.duration = 5 * FASP_SEC;
    stream = vstream_new (net, &config, NULL, NULL);
    g_assert_true (vstream_run (stream));
    packets[i] = vnet_get_counters (net, VNET_A, VNET_B)->packets;
    bytes[i] = vnet_get_counters (net, VNET_B, VNET_A)->bytes;
    vstream_free (stream);
    vnet_free (net);
  }
  g_assert_cmpuint (packets[0], ==, packets[1]);
  g_assert_cmpuint (bytes[0], ==, bytes[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (networks); i++) {
    g_autofree gchar *path = g_strdup_printf ("/sim/network/%s",
        networks[i].name);

    g_test_add_data_func (path, &networks[i], test_network);
  }
  g_test_add_func ("/sim/lateness", test_lateness);
  g_test_add_func ("/sim/deterministic", test_deterministic);
  return g_test_run ();
}
