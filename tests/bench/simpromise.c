/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simpromise: is what latency=auto promises kept, and was so much latency
 * needed? On networks drawn at random, in virtual time:
 *
 *  - streams of a week each with latency=auto: their skips against the one in
 *    so many hours that was asked for. Those of the first ten minutes, when the
 *    path is being learnt, are told apart, and so is the latency;
 *  - the same with the longest latency of that, shorter by --factor, given: if
 *    it does not keep the promise, the one found was never longer than the
 *    smallest times the factor.
 *
 * A line of JSON for each network.
 */
#include <math.h>
#include <stdio.h>
#include "options.h"
#include "vstream.h"

#define HOUR (3600 * FASP_SEC)
#define SAMPLE FASP_SEC
#define START (600 * FASP_SEC)
/* As surely broken: the chance of so many skips, if it was kept. */
#define BROKEN_CHANCE 1e-4

typedef struct
{
  gdouble rtt;               /* ms */
  gdouble loss[2], burst[2]; /* there and back */
} Network;

typedef struct
{
  guint64 skips, first_skips, wrong, shortfalls;
  gdouble hours; /* without the first ten minutes of each */
  gdouble wire, back, payload;
  guint first, first_most; /* latency, ms: in the first ten minutes, */
  guint least, most;       /* and then */
  gdouble sum, samples;
} Sum;

static gdouble mbit = .5, channel = 1, hours = 168, stream_hours = 168;
static gdouble interval_hours = 168, factor = 1.5;
static gint draw = 1, networks = 6, only = 0, first_seed = 1;

static gdouble
between (GRand *rand, gdouble from, gdouble to)
{
  return g_rand_double_range (rand, from, to);
}

/* The @index-th (from 1 on) of this draw. */
static Network
draw_network (gint index)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (draw);
  Network n = { 0 };

  for (gint i = 0; i < index; i++) {
    n.rtt = exp (between (rand, log (5), log (400)));
    for (guint side = 0; side < 2; side++) {
      n.loss[side] = between (rand, 0, .1);
      n.burst[side] = g_rand_boolean (rand) ? between (rand, 2, 10) : 0;
    }
  }
  return n;
}

/* The chance of at least @n where @mean are expected (Poisson). */
static gdouble
chance_of_at_least (guint64 n, gdouble mean)
{
  gdouble below = 0;

  if (mean <= 0)
    return n == 0;
  for (guint64 i = 0; i < n; i++)
    below += exp (i * log (mean) - mean - lgamma (i + 1.));
  return MAX (0, 1 - below);
}

static gboolean
is_broken (const Sum *sum)
{
  return sum->skips >= 3
      && chance_of_at_least (sum->skips, sum->hours / interval_hours) < BROKEN_CHANCE;
}

static void
sample (const Vstream *stream, gboolean learning, Sum *sum)
{
  guint latency = stream->sender_stats.latency.ms;

  if (latency == 0) /* not found yet */
    return;
  if (sum->first == 0)
    sum->first = latency;
  if (learning) {
    sum->first_most = MAX (sum->first_most, latency);
    return;
  }
  sum->least = sum->least == 0 ? latency : MIN (sum->least, latency);
  sum->most = MAX (sum->most, latency);
  sum->sum += latency;
  sum->samples++;
}

/* A stream of that many hours, or, with a given latency, until the promise is
 * surely broken. */
static void
run (const Network *network, gint seed, gdouble length, gint latency, Sum *sum)
{
  guint64 first = 0;
  VstreamConfig config;
  g_autoptr (Vnet) net = vnet_new (seed);
  FaspTime lead = FASP_SEC, at = lead;
  guint64 before = sum->skips;
  gdouble hours_before = sum->hours;
  g_autoptr (Vstream) stream = NULL;

  vnet_set_path (net, network->rtt * FASP_MSEC, network->loss, network->burst, channel * 1e6);
  vstream_config_init (&config);
  config.bitrate = mbit * 1e6;
  config.channel = channel * 1e6;
  config.duration = length * HOUR;
  config.lead = lead;
  config.sender.settings.latency_ms = latency < 0 ? FASP_LATENCY_AUTO : (guint) latency;
  config.sender.settings.glitch_interval = interval_hours * 3600;
  stream = vstream_new (net, &config);
  while (at < lead + config.duration && (latency < 0 || !is_broken (sum))) {
    at += SAMPLE;
    vstream_run_until (stream, at);
    sample (stream, at <= lead + START, sum);
    if (at <= lead + START)
      first = stream->receiver_stats.latency.skips;
    sum->skips = before + stream->receiver_stats.latency.skips - first;
    sum->hours = hours_before + MAX (0, at - lead - START) / (gdouble) HOUR;
  }
  sum->first_skips += first;
  sum->wrong += !vstream_is_right (stream);
  sum->shortfalls += stream->shortfalls;
  sum->payload += stream->read;
  sum->wire += vnet_get_counters (net, VNET_A, VNET_B)->bytes;
  sum->back += vnet_get_counters (net, VNET_B, VNET_A)->bytes;
}

static Sum
run_hours (const Network *network, gint latency)
{
  Sum sum = { 0 };
  gdouble done = 0;

  for (gint seed = first_seed; done < hours && (latency < 0 || !is_broken (&sum)); seed++) {
    run (network, seed, MIN (stream_hours, hours - done), latency, &sum);
    done += stream_hours;
    fprintf (stderr,
        "latency %d: %.0f of %.0f h, %" G_GUINT64_FORMAT " skips and %" G_GUINT64_FORMAT
        " at first, %u to %u ms\n",
        latency, sum.hours, hours, sum.skips, sum.first_skips, sum.least, sum.most);
  }
  return sum;
}

static void
print_sum (const gchar *name, const Sum *sum)
{
  gdouble expected = sum->hours / interval_hours;

  printf (", \"%s\": {\"hours\": %.2f, \"skips\": %" G_GUINT64_FORMAT
          ", \"first_skips\": %" G_GUINT64_FORMAT
          ", \"allowed\": %.2f, \"chance\": %.4g, \"broken\": %s, \"wrong\": %" G_GUINT64_FORMAT
          ", \"shortfalls\": %" G_GUINT64_FORMAT
          ", \"first_ms\": %u, \"first_most_ms\": %u, \"least_ms\": %u"
          ", \"mean_ms\": %.1f, \"most_ms\": %u"
          ", \"wire\": %.4f, \"back\": %.4f}",
      name, sum->hours, sum->skips, sum->first_skips, expected,
      chance_of_at_least (sum->skips, expected), is_broken (sum) ? "true" : "false", sum->wrong,
      sum->shortfalls, sum->first, sum->first_most, sum->least, sum->sum / MAX (1, sum->samples),
      sum->most, sum->wire / sum->payload, sum->back / sum->payload);
}

static void
judge (gint index)
{
  Network n = draw_network (index);
  Sum found, shorter;

  found = run_hours (&n, -1);
  shorter = run_hours (&n, found.most / factor);
  printf ("{\"draw\": %d, \"network\": %d, \"rtt\": %.1f, \"loss\": [%.4f, "
          "%.4f], \"burst\": [%.1f, %.1f], \"interval_hours\": %g",
      draw, index, n.rtt, n.loss[0], n.loss[1], n.burst[0], n.burst[1], interval_hours);
  print_sum ("auto", &found);
  print_sum ("shorter", &shorter);
  printf ("}\n");
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "draw", 0, 0, G_OPTION_ARG_INT, &draw, "Seed of the networks", "N" },
    { "networks", 0, 0, G_OPTION_ARG_INT, &networks, "How many", "N" },
    { "only", 0, 0, G_OPTION_ARG_INT, &only, "This one of them", "N" },
    { "hours", 0, 0, G_OPTION_ARG_DOUBLE, &hours, "Virtual, for each", "HOURS" },
    { "stream-hours", 0, 0, G_OPTION_ARG_DOUBLE, &stream_hours,
        "Of one stream; then another begins", "HOURS" },
    { "interval", 0, 0, G_OPTION_ARG_DOUBLE, &interval_hours, "Wanted between skips", "HOURS" },
    { "factor", 0, 0, G_OPTION_ARG_DOUBLE, &factor,
        "The latency that has to be too short is shorter by this", "F" },
    { "mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "Rate of the stream", "MBIT" },
    { "channel", 0, 0, G_OPTION_ARG_DOUBLE, &channel, "And of the channel", "MBIT" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &first_seed, "Of the first stream", "N" },
    { NULL },
  };

  options_parse (&argc, &argv, entries, NULL);
  if (hours <= 0 || stream_hours <= 0 || interval_hours <= 0 || factor <= 0)
    options_refuse ("hours and factors are more than 0");
  for (gint i = only > 0 ? only : 1; i <= (only > 0 ? only : networks); i++)
    judge (i);
  return 0;
}
