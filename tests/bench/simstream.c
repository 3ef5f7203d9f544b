/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simstream: a stream between two endpoints of the core in virtual time, and
 * what came of it. `simstream --loss 20 --seconds 3600' is an hour.
 */
#include <stdio.h>
#include "options.h"
#include "vstream.h"

static void
print_lateness (FaspEndpoint *receiver, const gchar *name, gboolean in_order)
{
  const FaspHist *hist = fasp_endpoint_get_lateness (receiver, in_order);
  static const gdouble points[] = { .5, .9, .99, .999, .9999, 1 };

  printf ("%s, ms: p50 p90 p99 p99.9 p99.99 max", name);
  for (guint i = 0; i < G_N_ELEMENTS (points); i++)
    printf (" %.1f", fasp_hist_percentile (hist, points[i]) / 1e3);
  printf ("\n");
}

static void
print_promise (const FaspSessionStats *receiver, const FaspSessionStats *sender)
{
  printf ("latency %u ms, %" G_GUINT64_FORMAT " skips, one in %.4g h promised\n",
      receiver->latency.ms, receiver->latency.skips, receiver->latency.promised_interval / 3600.);
  printf ("blocks %" G_GUINT64_FORMAT ", lost %" G_GUINT64_FORMAT
          ", retransmissions %" G_GUINT64_FORMAT ", copies of them %" G_GUINT64_FORMAT
          "; loss planned for %.4f, %.4f back\n",
      sender->sent.blocks, sender->sent.lost, sender->sent.blocks_rtx, sender->sent.copies,
      sender->path.loss, sender->path.back_loss);
}

int
main (int argc, char **argv)
{
  static gdouble mbit = 10, channel = 20, loss = 2, rtt = 200, seconds = 60;
  static gdouble burst = 0, stall, interval = FASP_GLITCH_INTERVAL_DEFAULT;
  static gchar *control = (gchar *) "fixed";
  static gint seed = 1, chunk = 1316, latency = 1000;
  static const GOptionEntry entries[] = {
    { "mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "Rate of the stream", "MBIT" },
    { "channel", 0, 0, G_OPTION_ARG_DOUBLE, &channel, "And of the channel", "MBIT" },
    { "rate-control", 0, 0, G_OPTION_ARG_STRING, &control, "fixed, or what has to find it",
        "NAME" },
    { "loss", 0, 0, G_OPTION_ARG_DOUBLE, &loss, "Each way", "PERCENT" },
    { "loss-burst", 0, 0, G_OPTION_ARG_DOUBLE, &burst, "Mean length", "N" },
    { "stall", 0, 0, G_OPTION_ARG_DOUBLE, &stall,
        "Each second or so nothing arrives for up to so long, each way", "MS" },
    { "rtt", 0, 0, G_OPTION_ARG_DOUBLE, &rtt, "Round trip time", "MS" },
    { "latency", 0, 0, G_OPTION_ARG_INT, &latency, "-1: to be found", "MS" },
    { "interval", 0, 0, G_OPTION_ARG_DOUBLE, &interval, "Wanted between skips", "SECONDS" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Virtual", "SECONDS" },
    { "chunk", 0, 0, G_OPTION_ARG_INT, &chunk, "Bytes per write", "BYTES" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Of all chance", "N" },
    { NULL },
  };
  VstreamConfig config;
  g_autoptr (Vnet) net = NULL;
  g_autoptr (Vstream) stream = NULL;
  gint64 before;
  gboolean good;

  vstream_config_init (&config);
  options_parse (&argc, &argv, entries, NULL);
  if (!vstream_parse_rate_control (control, &config.sender.rate_control))
    options_refuse ("there is no rate control %s", control);
  net = vnet_new (seed);
  vnet_set_path (net, rtt * FASP_MSEC, (const gdouble[2]) { loss / 100, loss / 100 },
      (const gdouble[2]) { burst, burst }, channel * 1e6);
  vnet_get_wire (net, VNET_A, VNET_B)->stall = stall * FASP_MSEC;
  vnet_get_wire (net, VNET_B, VNET_A)->stall = stall * FASP_MSEC;
  config.bitrate = mbit * 1e6;
  config.chunk = chunk;
  config.duration = seconds * FASP_SEC;
  config.lead = FASP_SEC;
  before = g_get_monotonic_time ();
  config.sender.settings.latency_ms = latency < 0 ? FASP_LATENCY_AUTO : (guint) latency;
  config.sender.settings.glitch_interval = interval;
  config.channel = config.sender.rate_control == FASP_RATE_CONTROL_FIXED ? channel * 1e6 : 0;
  stream = vstream_new (net, &config);
  good = vstream_run (stream);
  printf ("%s: %" G_GUINT64_FORMAT " bytes, %g s in %.1f s\n", good ? "byte-exact" : "NOT EXACT",
      stream->read, seconds, (g_get_monotonic_time () - before) / 1e6);
  print_lateness (stream->receiver, "arrival", FALSE);
  print_lateness (stream->receiver, "in order", TRUE);
  printf ("wire over payload: %.4f there, %.4f back\n",
      vnet_get_counters (net, VNET_A, VNET_B)->bytes / (gdouble) stream->read,
      vnet_get_counters (net, VNET_B, VNET_A)->bytes / (gdouble) stream->read);
  printf ("channel %.3f Mbit/s\n", stream->sender_stats.pacing.rate / 1e6);
  print_promise (&stream->receiver_stats, &stream->sender_stats);
  return good ? 0 : 1;
}
