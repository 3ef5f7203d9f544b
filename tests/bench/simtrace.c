/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simtrace: does a change that should change nothing change a packet?
 *
 *   simtrace --first 1 --seeds 50
 *
 * For each seed, a stream of 10 s over a network that chance has made up, with settings that chance
 * has chosen: rate control, flows, FEC, encryption, who calls, latency.  One seed in five has a
 * group instead. Prints a hash of all datagrams (when each arrived, from whom, its bytes) and of
 * when each block was read. Two builds that print the same lines have sent the same packets.
 */
#include <math.h>
#include <stdio.h>
#include "faspcredentials.h"
#include "options.h"
#include "vgroup.h"
#include "vstream.h"

#define DURATION (10 * FASP_SEC)
#define LEAD FASP_SEC

typedef struct
{
  GChecksum *sum;
  guint64 datagrams;
} Trace;

/* As likely to be between 1 and 2 as between 10 and 20. */
static gdouble
draw (GRand *rand, gdouble from, gdouble to)
{
  return exp (g_rand_double_range (rand, log (from), log (to)));
}

static gboolean
happens (GRand *rand, gdouble share)
{
  return g_rand_double (rand) < share;
}

static void
add (Trace *trace, guint64 number)
{
  guint64 bytes = GUINT64_TO_LE (number);

  g_checksum_update (trace->sum, (const guint8 *) &bytes, sizeof bytes);
}

static void
on_datagram (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Trace *trace = data;

  trace->datagrams++;
  add (trace, now);
  add (trace, from);
  g_checksum_update (trace->sum, bytes, size);
}

static void
on_read (gpointer data, guint32 size, FaspTime now)
{
  add (data, now);
  add (data, size);
}

static void
on_group_datagram (gpointer data, FaspTime now, guint8 *bytes, gsize size)
{
  on_datagram (data, VNET_A, now, bytes, size);
}

static void
make_network (GRand *rand, Vnet *net, guint64 bitrate, guint flows)
{
  for (guint link = 0; link < flows; link++)
    for (guint way = 0; way < 2; way++) {
      ImpairConfig *wire =
          vnet_get_link_wire (net, way ? VNET_B : VNET_A, way ? VNET_A : VNET_B, link);

      wire->delay = draw (rand, .002, .25) * FASP_SEC;
      if (happens (rand, .7))
        wire->loss = draw (rand, .001, .1);
      if (happens (rand, .4))
        wire->burst = draw (rand, 2, 20);
      if (happens (rand, .4))
        wire->jitter = draw (rand, .002, .05) * FASP_SEC;
      wire->keep_order = happens (rand, .6);
      if (happens (rand, .2))
        wire->stall = draw (rand, .02, .3) * FASP_SEC;
      if (happens (rand, .2))
        wire->duplicate = wire->corrupt = .01;
      if (!way && happens (rand, .6))
        wire->rate = bitrate * g_rand_double_range (rand, 1.1, 4);
      if (!way && happens (rand, .2))
        wire->codel = 5 * FASP_MSEC;
      if (!way && happens (rand, .3)) {
        wire->blackouts[0].start = g_rand_int_range (rand, 2, 8) * FASP_SEC;
        wire->blackouts[0].end = wire->blackouts[0].start + draw (rand, .05, 4) * FASP_SEC;
      }
      if (happens (rand, .2))
        wire->mtu = g_rand_int_range (rand, 1260, 1500);
    }
}

static struct _FaspCredentials *
make_credentials (FaspCipher cipher)
{
  static const guint8 psk[FASP_KEY_SIZE] = "as if stretched";
  FaspCredentials *credentials = fasp_credentials_new ();

  fasp_credentials_set_cipher (credentials, cipher);
  if (cipher != FASP_CIPHER_NONE)
    fasp_credentials_set_psk (credentials, psk);
  return credentials;
}

static void
run_stream (guint seed, Trace *trace)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (Vnet) net = vnet_new (seed);
  VstreamConfig config;
  g_autoptr (Vstream) stream = NULL;

  vstream_config_init (&config);
  config.bitrate = draw (rand, 5e5, 2e7);
  config.flows = happens (rand, .3) ? g_rand_int_range (rand, 2, 4) : 1;
  config.assignment = g_rand_int_range (rand, 0, FASP_ASSIGNMENT_DUPLICATE + 1);
  config.receiver_calls = happens (rand, .5);
  config.key = happens (rand, .3) ? 8 : 0;
  config.chunk = happens (rand, .5) ? 1316 : g_rand_int_range (rand, 188, 9000);
  config.duration = DURATION;
  config.lead = LEAD;
  config.limit = 20 * FASP_SEC;
  config.on_read = on_read;
  config.data = trace;
  config.sender.rate_control = g_rand_int_range (rand, 0, FASP_RATE_CONTROL_ADAPTIVE + 1);
  config.channel = config.sender.rate_control == FASP_RATE_CONTROL_FIXED ? config.bitrate * 1.5 : 0;
  config.sender.settings.latency_ms = config.receiver.settings.latency_ms =
      happens (rand, .3) ? FASP_LATENCY_AUTO : (guint) g_rand_int_range (rand, 100, 2000);
  if (happens (rand, .3)) {
    config.sender.fec = config.receiver.fec = FASP_FEC_AUTO;
    if (happens (rand, .5)) {
      config.sender.fec = FASP_FEC_FIXED;
      config.sender.fec_share = .1;
    }
  }
  config.receiver.settings.too_late_skip = happens (rand, .3);
  config.sender.credentials = config.receiver.credentials =
      make_credentials (g_rand_int_range (rand, 0, FASP_CIPHERS));
  if (happens (rand, .5))
    config.sender.rekey_interval = config.receiver.rekey_interval = 2 * FASP_SEC;
  make_network (rand, net, config.bitrate, config.flows);
  vnet_set_tap (net, on_datagram, trace);
  stream = vstream_new (net, &config);
  vstream_run (stream);
  add (trace, stream->read);
  add (trace, stream->last_read);
  for (guint i = 0; i <= FASP_EVENT_REMOVED; i++) {
    add (trace, stream->events[i][0]);
    add (trace, stream->events[i][1]);
  }
  fasp_credentials_unref (config.sender.credentials);
}

static void
run_group (guint seed, Trace *trace)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  guint receivers = g_rand_int_range (rand, 2, 12);
  g_autoptr (Vgroup) g = vgroup_new (seed);

  g->sender_config.fec = happens (rand, .5) ? FASP_FEC_AUTO : FASP_FEC_OFF;
  g->receiver_config.fec = g->sender_config.fec;
  vgroup_set_sender (g);
  g->bitrate = draw (rand, 5e5, 5e6);
  g->tap = on_group_datagram;
  g->tap_data = trace;
  g->trunk.config.loss = draw (rand, .001, .02);
  for (guint i = 0; i < receivers; i++) {
    guint n = vgroup_add (g, draw (rand, .005, .2) * FASP_SEC);

    g->receivers[n].branch.config.loss = draw (rand, .001, .05);
    g->receivers[n].back.config.loss = draw (rand, .001, .05);
    g->receivers[n].no_multicast = happens (rand, .1);
  }
  for (FaspTime t = 0; t < DURATION; t += 100 * FASP_MSEC) {
    vgroup_run (g, 100 * FASP_MSEC);
    add (trace, g->sent_wire);
    for (guint i = 0; i < receivers; i++) {
      add (trace, g->receivers[i].read);
      add (trace, g->receivers[i].sent_wire);
    }
  }
  vgroup_end (g, 10 * FASP_SEC);
  add (trace, g->sent);
}

int
main (int argc, char **argv)
{
  static gint first = 1, seeds = 50;
  static const GOptionEntry entries[] = {
    { "first", 0, 0, G_OPTION_ARG_INT, &first, "Seed", "N" },
    { "seeds", 0, 0, G_OPTION_ARG_INT, &seeds, "How many", "N" },
    { NULL },
  };

  options_parse (&argc, &argv, entries, NULL);
  for (gint seed = first; seed < first + seeds; seed++) {
    Trace trace = { g_checksum_new (G_CHECKSUM_SHA256) };

    (seed % 5 == 0 ? run_group : run_stream) (seed, &trace);
    printf ("%d %s %" G_GUINT64_FORMAT "\n", seed, g_checksum_get_string (trace.sum),
        trace.datagrams);
    fflush (stdout);
    g_checksum_free (trace.sum);
  }
  return 0;
}
