/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simtests: the whitepaper's test, many times over, between two endpoints of
 * the core in virtual time: skips, and how late how many blocks were, beside
 * what the model says. A line of JSON at the end.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "options.h"
#include "vstream.h"

#define TRACE (1 << 20)
#define CELLS 5
#define PASSES 6 /* bands told of */

typedef struct
{
  guint64 tests, bad_tests, skips, blocks, bytes, wire, back;
  /* by what brought it: the original, the first retransmission, its copies, the rest */
  guint64 cells[CELLS];
  /* by lateness in round trips, and those outside of a band */
  guint64 bands[PASSES], outside;
  FaspTime latest;
} Sum;

static gdouble mbit = 6, channel = 10, loss = 2, rtt = 200, seconds = 30;
static gdouble burst = 0;
static gint latency = 300, tests = 100, first_seed = 1, width = 105;
static FaspTraceEntry *trace;

static guint
cell_of (const FaspTraceEntry *e)
{
  return e->round == 0 ? 0 : e->round == 1 && e->copy < 3 ? 1 + e->copy : CELLS - 1;
}

static void
look (Vstream *stream, Sum *sum)
{
  guint n = fasp_endpoint_fetch_trace (stream->receiver, trace, TRACE, NULL);
  FaspTime round = rtt * FASP_MSEC;

  for (guint i = 0; i < n; i++) {
    const FaspTraceEntry *e = &trace[i];
    FaspTime late = e->time - e->media_time - round / 2;
    guint band;

    if (!e->fresh)
      continue;
    band = late / round;
    sum->blocks++;
    sum->cells[cell_of (e)]++;
    sum->bands[MIN (band, PASSES - 1)]++;
    if (late - band * round > width * FASP_MSEC) {
      sum->outside++;
      g_debug ("block %" G_GUINT64_FORMAT " of %g s: %g ms late, round %u, copy %u", e->block,
          (e->media_time - trace[0].media_time) / 1e6, late / 1e3, e->round, e->copy);
    }
    sum->latest = MAX (sum->latest, late);
  }
}

static void
run (gint seed, Sum *sum)
{
  VstreamConfig config;
  g_autoptr (Vnet) net = vnet_new (seed);
  g_autoptr (Vstream) stream = NULL;

  vnet_set_path (net, rtt * FASP_MSEC, (const gdouble[2]) { loss / 100, loss / 100 },
      (const gdouble[2]) { burst, burst }, channel * 1e6);
  vstream_config_init (&config);
  config.bitrate = mbit * 1e6;
  config.channel = channel * 1e6;
  config.chunk = 1416; /* 1464 on the wire */
  config.duration = seconds * FASP_SEC;
  config.lead = FASP_SEC;
  config.sender.settings.latency_ms = latency;
  stream = vstream_new (net, &config);
  fasp_endpoint_set_trace (stream->receiver, TRACE);
  sum->bad_tests += !vstream_run (stream);
  look (stream, sum);
  sum->tests++;
  sum->skips += stream->receiver_stats.latency.skips;
  if (stream->receiver_stats.latency.skips > 0)
    fprintf (stderr, "seed %d: %" G_GUINT64_FORMAT " skips\n", seed,
        stream->receiver_stats.latency.skips);
  sum->bytes += stream->read;
  sum->wire += vnet_get_counters (net, VNET_A, VNET_B)->bytes;
  sum->back += vnet_get_counters (net, VNET_B, VNET_A)->bytes;
}

/* The chance of at least @chi2 with @degrees of freedom. */
static gdouble
chance_of (gdouble chi2, guint degrees)
{
  gdouble x = chi2 / 2, a = degrees % 2 ? .5 : 1;
  gdouble q = degrees % 2 ? erfc (sqrt (x)) : exp (-x);

  /* the incomplete gamma function, upwards */
  for (; a < degrees / 2.; a++)
    q += exp (a * log (MAX (x, 1e-300)) - x - lgamma (a + 1));
  return q;
}

/* How far the cells are from the model's: an original comes with 1 - p, the
 * first retransmission with p (1 - p), and so on. Cells that expect fewer than five are
 * one with those before. */
static gdouble
chi_square (const Sum *sum, gdouble expected[CELLS], guint *degrees)
{
  gdouble p = loss / 100, left = sum->blocks, chi2 = 0, wanted = 0, got = 0;

  for (guint i = 0; i < CELLS; i++) {
    expected[i] = i < CELLS - 1 ? left * (1 - p) : left;
    left -= expected[i];
  }
  *degrees = 0;
  for (gint i = CELLS - 1; i >= 0; i--) {
    wanted += expected[i];
    got += sum->cells[i];
    if (wanted < 5)
      continue;
    chi2 += (got - wanted) * (got - wanted) / wanted;
    wanted = got = 0;
    *degrees += i > 0;
  }
  return chi2;
}

static void
print_list (const gchar *name, const guint64 *values, guint n)
{
  printf ("\"%s\": [", name);
  for (guint i = 0; i < n; i++)
    printf ("%s%" G_GUINT64_FORMAT, i > 0 ? ", " : "", values[i]);
  printf ("], ");
}

static void
print_sum (const Sum *sum)
{
  guint degrees;
  gdouble expected[CELLS], chi2 = chi_square (sum, expected, &degrees);

  printf ("{\"mbit\": %g, \"channel\": %g, \"rtt\": %g, \"loss\": %g, "
          "\"latency\": %d, \"seconds\": %g, \"tests\": %" G_GUINT64_FORMAT
          ", \"not_exact\": %" G_GUINT64_FORMAT ", \"skips\": %" G_GUINT64_FORMAT
          ", \"blocks\": %" G_GUINT64_FORMAT ", ",
      mbit, channel, rtt, loss, latency, seconds, sum->tests, sum->bad_tests, sum->skips,
      sum->blocks);
  print_list ("cells", sum->cells, CELLS);
  printf ("\"expected\": [");
  for (guint i = 0; i < CELLS; i++)
    printf ("%s%.1f", i > 0 ? ", " : "", expected[i]);
  printf ("], \"chi_square\": %.2f, \"p_value\": %.4f, ", chi2, chance_of (chi2, degrees));
  print_list ("bands", sum->bands, PASSES);
  printf ("\"outside\": %" G_GUINT64_FORMAT
          ", \"band_ms\": %d, \"latest_ms\": %.1f, \"wire\": %.4f, \"back\": %.4f}\n",
      sum->outside, width, sum->latest / 1e3, sum->wire / (gdouble) sum->bytes,
      sum->back / (gdouble) sum->bytes);
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "Rate of the stream", "MBIT" },
    { "channel", 0, 0, G_OPTION_ARG_DOUBLE, &channel, "And of the channel", "MBIT" },
    { "loss", 0, 0, G_OPTION_ARG_DOUBLE, &loss, "Each way", "PERCENT" },
    { "loss-burst", 0, 0, G_OPTION_ARG_DOUBLE, &burst,
        "Mean length; the model's shares are of losses one by one", "N" },
    { "rtt", 0, 0, G_OPTION_ARG_DOUBLE, &rtt, "Round trip time", "MS" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Of each test", "SECONDS" },
    { "latency", 0, 0, G_OPTION_ARG_INT, &latency, "Buffer", "MS" },
    { "tests", 0, 0, G_OPTION_ARG_INT, &tests, "How many", "N" },
    { "band", 0, 0, G_OPTION_ARG_INT, &width,
        "How long a band is behind a multiple of the round trip", "MS" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &first_seed, "Of the first test", "N" },
    { NULL },
  };
  Sum sum = { 0 };

  options_parse (&argc, &argv, entries, NULL);
  trace = g_new (FaspTraceEntry, TRACE);
  for (gint i = 0; i < tests; i++) {
    run (first_seed + i, &sum);
    if ((i + 1) % 1000 == 0)
      fprintf (stderr, "%d of %d, %" G_GUINT64_FORMAT " skips\n", i + 1, tests, sum.skips);
  }
  print_sum (&sum);
  g_free (trace);
  return sum.bad_tests > 0;
}
