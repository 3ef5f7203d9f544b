/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Streams with repair symbols in virtual time: what is lost is there before it
 * could be sent again.
 */
#include "faspcredentials.h"
#include "vcases.h"
#include "vstream.h"

#define RTT (200 * FASP_MSEC)

typedef struct
{
  FaspFecMode mode;
  gdouble share;
  guint latency; /* ms */
  guint flows;
  gboolean clear; /* no cipher */
} Fec;

static Vstream *
start (Vnet *net, VstreamConfig *config, const Fec *fec)
{
  FaspCredentials *clear = NULL;
  Vstream *stream;

  config->sender.settings.latency_ms = config->receiver.settings.latency_ms = fec->latency;
  config->sender.fec = fec->mode;
  config->sender.fec_share = fec->share;
  config->receiver.fec = FASP_FEC_AUTO;
  config->sender.flows = config->sender.flowlets = config->receiver.flows =
      config->receiver.flowlets = MAX (fec->flows, 1);
  if (fec->clear) {
    clear = fasp_credentials_new ();
    fasp_credentials_set_cipher (clear, FASP_CIPHER_NONE);
  }
  config->sender.credentials = config->receiver.credentials = clear;
  stream = vstream_new (net, config);
  g_clear_pointer (&clear, fasp_credentials_unref);
  return stream;
}

/* Bytes on the wire for each of the stream. */
static gdouble
get_overhead (const Vstream *stream)
{
  return (gdouble) stream->sender_stats.sent.wire_bytes / stream->written;
}

/* The stream of the whitepaper at half a round trip: 6 Mbit/s, 2 % both ways. */
static void
test_half_rtt (gconstpointer data)
{
  const Fec *fec = data;
  guint64 skips = 0;

  for (guint seed = 1; seed <= 5; seed++) {
    g_autoptr (Vnet) net = vnet_new (seed);
    VstreamConfig config;
    g_autoptr (Vstream) stream = NULL;

    vnet_set_path (net, RTT, (gdouble[]) { .02, .02 }, (gdouble[]) { 0, 0 }, 0);
    vstream_config_init (&config);
    config.lead = FASP_SEC;
    config.duration = 60 * FASP_SEC;
    config.channel = 8000000;
    stream = start (net, &config, fec);
    g_assert_true (vstream_run (stream));
    skips += stream->sender_stats.latency.skips;
    g_test_message ("seed %u: skips %" G_GUINT64_FORMAT
                    ", on the wire %.3f, share %.3f, resent %" G_GUINT64_FORMAT
                    ", recovered %" G_GUINT64_FORMAT ", repairs %" G_GUINT64_FORMAT
                    ", latest %" G_GINT64_FORMAT,
        seed, stream->sender_stats.latency.skips, get_overhead (stream),
        stream->sender_stats.sent.fec_share, stream->sender_stats.sent.blocks_rtx,
        stream->receiver_stats.received.recovered, stream->receiver_stats.received.repairs,
        fasp_hist_percentile (fasp_endpoint_get_lateness (stream->receiver, TRUE), 1));
    g_assert_cmpfloat (get_overhead (stream), <, fec->mode == FASP_FEC_AUTO ? 1.3 : 1.2);
  }
  g_assert_cmpuint (skips, ==, 0);
}

/* Where the channel has no room for as many repairs as the losses want, the stream goes first. */
static void
test_no_room (void)
{
  static const Fec fec = { FASP_FEC_AUTO, 0, 100, 1 };

  for (guint seed = 1; seed <= 4; seed++) {
    g_autoptr (Vnet) net = vnet_new (seed);
    VstreamConfig config;
    g_autoptr (Vstream) stream = NULL;

    vnet_set_path (net, 100 * FASP_MSEC, (gdouble[]) { .03, .03 }, (gdouble[]) { 0, 0 }, 0);
    vstream_config_init (&config);
    config.lead = FASP_SEC;
    config.duration = 30 * FASP_SEC;
    config.bitrate = 4000000;
    config.channel = 5000000;
    stream = start (net, &config, &fec);
    g_assert_true (vstream_run (stream));
    g_test_message ("seed %u: share %.3f, p95 %" G_GINT64_FORMAT ", skips %" G_GUINT64_FORMAT, seed,
        stream->sender_stats.sent.fec_share,
        fasp_hist_percentile (fasp_endpoint_get_lateness (stream->receiver, TRUE), .95),
        stream->sender_stats.latency.skips);
    g_assert_cmpint (fasp_hist_percentile (fasp_endpoint_get_lateness (stream->receiver, TRUE),
                         .95),
        <, 100 * FASP_MSEC);
  }
}

/* --- whole streams ------------------------------------------------------------------- */

typedef struct
{
  const gchar *name;
  Fec fec;
  gdouble loss, burst, reorder;
  guint64 bitrate;
  FaspTime rtt, blackout;
  gboolean jumbo;
} Case;

static const Case cases[] = {
  { "clean", { FASP_FEC_FIXED, .1, 50, 1 }, 0, 0, 0, 2000000, 40000, 0, FALSE },
  { "loss", { FASP_FEC_FIXED, .1, 50, 1 }, .05, 0, 0, 2000000, 40000, 0, FALSE },
  { "much", { FASP_FEC_FIXED, 1, 50, 1 }, .3, 0, 0, 2000000, 40000, 0, FALSE },
  { "bursts", { FASP_FEC_FIXED, .2, 200, 1 }, .05, 6, 0, 4000000, 40000, 0, FALSE },
  { "reorder", { FASP_FEC_FIXED, .1, 50, 1 }, .02, 0, .2, 2000000, 40000, 0, FALSE },
  { "flows", { FASP_FEC_FIXED, .2, 50, 8 }, .05, 0, 0, 8000000, 40000, 0, FALSE },
  { "auto", { FASP_FEC_AUTO, 0, 30, 4 }, .02, 0, 0, 8000000, 40000, 0, FALSE },
  { "blackout", { FASP_FEC_FIXED, .2, 50, 1 }, .02, 0, 0, 4000000, 40000, 2 * FASP_SEC, FALSE },
  { "jumbo", { FASP_FEC_FIXED, .05, 20, 1 }, .01, 0, 0, 400000000, 4000, 0, TRUE },
  { "jumbo-clear", { FASP_FEC_FIXED, .05, 20, 1, TRUE }, .01, 0, 0, 400000000, 4000, 0, TRUE },
};

static void
test_whole (gconstpointer data)
{
  const Case *c = data;

  for (guint seed = 1; seed <= (c->jumbo ? 1 : 6); seed++) {
    g_autoptr (Vnet) net = vnet_new (seed);
    VstreamConfig config;
    g_autoptr (Vstream) stream = NULL;

    vnet_set_path (net, c->rtt, (gdouble[]) { c->loss, c->loss },
        (gdouble[]) { c->burst, c->burst }, 0);
    for (guint side = 0; side < 2; side++)
      for (guint link = 0; link < MAX (c->fec.flows, 1); link++) {
        ImpairConfig *wire = vnet_get_link_wire (net, side, !side, link);

        wire->reorder = c->reorder;
        impair_black_out (wire, vnet_get_time (net) + 3 * FASP_SEC, c->blackout);
        if (c->jumbo)
          wire->mtu = 9000;
      }
    vstream_config_init (&config);
    config.bitrate = c->bitrate;
    config.channel = c->bitrate * 5 / 2;
    config.chunk = c->jumbo ? 50000 : 1316;
    config.duration = c->jumbo ? FASP_SEC : 6 * FASP_SEC;
    config.receiver_calls = seed % 2;
    stream = start (net, &config, &c->fec);
    g_assert_true (vstream_run (stream));
    if (c->loss > 0)
      g_assert_cmpuint (stream->receiver_stats.received.recovered, >, 3);
    g_assert_cmpuint (stream->receiver_stats.received.recovered, <=,
        stream->receiver_stats.received.lost + stream->receiver_stats.received.reordered);
  }
}

/* Where there is time for a retransmission, repairs take none of it away. */
static void
test_with_retransmissions (void)
{
  static const guint latencies[] = { 60, 80 };

  for (guint i = 0; i < 6; i++) {
    Fec fec = { FASP_FEC_FIXED, .05, latencies[i % 2], 1 };
    g_autoptr (Vnet) net = vnet_new (i + 1);
    VstreamConfig config;
    g_autoptr (Vstream) stream = NULL;

    vnet_set_path (net, 30 * FASP_MSEC, (gdouble[]) { .02, .02 }, (gdouble[]) { 0, 0 }, 0);
    vstream_config_init (&config);
    config.lead = FASP_SEC;
    config.channel = 10000000;
    stream = start (net, &config, &fec);
    g_assert_true (vstream_run (stream));
    g_assert_cmpuint (stream->sender_stats.latency.skips, ==, 0);
    g_assert_cmpuint (stream->sender_stats.sent.blocks_rtx, >, 0);
    g_assert_cmpuint (stream->receiver_stats.received.recovered, >, 0);
    g_assert_cmpuint (stream->shortfalls, ==, 0);
  }
}

/* The way becomes shorter: what is not repaired any more is not waited for. */
static void
test_shorter (void)
{
  for (guint seed = 1; seed <= 3; seed++) {
    Fec fec = { FASP_FEC_AUTO, 0, 100, 1 };
    g_autoptr (Vnet) net = vnet_new (seed);
    guint64 before, repairs;
    VstreamConfig config;
    g_autoptr (Vstream) stream = NULL;

    vnet_set_path (net, 140 * FASP_MSEC, (gdouble[]) { .02, .02 }, (gdouble[]) { 0, 0 }, 0);
    vstream_config_init (&config);
    config.lead = FASP_SEC;
    config.duration = 60 * FASP_SEC;
    stream = start (net, &config, &fec);
    vstream_run_until (stream, 15 * FASP_SEC);
    g_assert_cmpuint (stream->sender_stats.sent.repairs, >, 500);
    vnet_get_wire (net, VNET_A, VNET_B)->delay = 20 * FASP_MSEC;
    vnet_get_wire (net, VNET_B, VNET_A)->delay = 20 * FASP_MSEC;
    vstream_run_until (stream, 40 * FASP_SEC);
    before = stream->sender_stats.latency.skips;
    repairs = stream->sender_stats.sent.repairs;
    g_assert_true (vstream_run (stream));
    g_assert_cmpuint (stream->sender_stats.latency.skips, ==, before);
    g_assert_cmpuint (stream->sender_stats.sent.repairs, ==, repairs);
  }
}

/* Nothing is sent again: what is not recovered is given up, and told; the rest is
 * there, in order, within the latency of the code. */
static void
test_alone (void)
{
  guint gaps = 0;

  for (guint seed = 1; seed <= 4; seed++) {
    VstreamConfig config;
    g_autoptr (Vnet) net = vnet_new (seed);
    g_autoptr (Vstream) stream = NULL;

    vnet_set_path (net, RTT, (gdouble[]) { .05, .05 }, (gdouble[]) { 0, 0 }, 0);
    vstream_config_init (&config);
    config.lead = FASP_SEC;
    config.duration = 20 * FASP_SEC;
    config.limit = 5 * FASP_SEC;
    config.sender.settings.latency_ms = config.receiver.settings.latency_ms = 100;
    config.sender.fec = config.receiver.fec = FASP_FEC_FIXED;
    config.sender.fec_share = .1;
    config.sender.no_rtx = TRUE;
    config.sender.flows = config.sender.flowlets = config.receiver.flows =
        config.receiver.flowlets = seed;
    stream = vstream_new (net, &config);
    vstream_run (stream);
    g_assert_true (stream->eos);
    g_assert_true (stream->drained);
    /* but for the end, that nobody would know of else */
    g_assert_cmpuint (stream->sender_stats.sent.blocks_rtx, <=, 1);
    g_assert_cmpuint (stream->receiver_stats.received.recovered, >, 300);
    g_test_message ("seed %u: %" G_GUINT64_FORMAT " given up, %u gaps", seed,
        stream->receiver_stats.received.too_late, stream->discontinuities);
    gaps += stream->discontinuities;
    /* of 600 lost ones */
    g_assert_cmpuint (stream->receiver_stats.received.too_late, <, 100);
    g_assert_cmpuint (stream->receiver_stats.received.too_late, >=, stream->discontinuities);
    g_assert_cmpint (fasp_hist_percentile (fasp_endpoint_get_lateness (stream->receiver, TRUE),
                         .99),
        <, 400 * FASP_MSEC);
  }
  g_assert_cmpuint (gaps, >, 3);
}

typedef struct
{
  FaspFecMode fec;
  guint latency_ms;
  guint recovered, skips_least, skips_most;
  gdouble promised_least, promised_most; /* seconds between skips */
} NoRtx;

static const NoRtx no_rtx[] = {
  { FASP_FEC_OFF, 1000, 0, 15, 25, 0, 1 },
  { FASP_FEC_AUTO, 1000, 150, 0, 3, 60, 1e12 },
  { FASP_FEC_AUTO, FASP_LATENCY_AUTO, 150, 0, 3, 60, 1e12 },
};

/* There would be time for a retransmission, but there is none: the code has to do, and what is
 * promised is what it keeps. */
static void
test_no_rtx (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (no_rtx); i++) {
    const NoRtx *c = &no_rtx[i];
    VstreamConfig config;
    g_autoptr (Vnet) net = vnet_new (i + 1);
    g_autoptr (Vstream) stream = NULL;

    vnet_set_path (net, RTT, (gdouble[]) { .02, 0 }, (gdouble[]) { 0, 0 }, 0);
    vstream_config_init (&config);
    config.lead = FASP_SEC;
    config.duration = 21 * FASP_SEC;
    config.sender.settings.latency_ms = c->latency_ms;
    config.sender.fec = config.receiver.fec = c->fec;
    config.sender.no_rtx = TRUE;
    stream = vstream_new (net, &config);
    vstream_run_until (stream, 20 * FASP_SEC);
    g_assert_cmpuint (stream->receiver_stats.received.recovered, >=, c->recovered);
    g_assert_cmpuint (stream->receiver_stats.latency.skips, >=, c->skips_least);
    g_assert_cmpuint (stream->receiver_stats.latency.skips, <=, c->skips_most);
    g_assert_cmpfloat (stream->sender_stats.latency.promised_interval, >=, c->promised_least);
    g_assert_cmpfloat (stream->sender_stats.latency.promised_interval, <=, c->promised_most);
    /* more than the repairs take is of no use */
    g_assert_cmpuint (stream->sender_stats.latency.ms, <=,
        c->latency_ms == FASP_LATENCY_AUTO ? 150 : c->latency_ms);
  }
}

/* Nothing arrives for two seconds: what was lost is given up in one word, not in one for each. */
static void
test_alone_outage (void)
{
  VstreamConfig config;
  g_autoptr (Vnet) net = vnet_new (1);
  ImpairConfig *wire = vnet_get_wire (net, VNET_A, VNET_B);
  g_autoptr (Vstream) stream = NULL;

  vnet_set_path (net, RTT, (gdouble[]) { 0, 0 }, (gdouble[]) { 0, 0 }, 0);
  impair_black_out (wire, 3 * FASP_SEC, 2 * FASP_SEC);
  vstream_config_init (&config);
  config.bitrate = 20000000;
  config.channel = 30000000;
  config.lead = FASP_SEC;
  config.duration = 8 * FASP_SEC;
  config.limit = 5 * FASP_SEC;
  config.sender.no_rtx = TRUE;
  stream = vstream_new (net, &config);
  vstream_run (stream);
  g_assert_true (stream->drained);
  g_assert_cmpuint (stream->sender_stats.sent.lost, >, 3000);
  g_assert_cmpuint (stream->sender_stats.sent.datagrams, <, stream->sender_stats.sent.blocks + 300);
}

/* That it ends is heard all the same. */
static void
test_alone_end (void)
{
  for (guint seed = 1; seed <= 10; seed++) {
    VstreamConfig config;
    g_autoptr (Vnet) net = vnet_new (seed);
    g_autoptr (Vstream) stream = NULL;

    vnet_set_path (net, RTT, (gdouble[]) { .5, .5 }, (gdouble[]) { 0, 0 }, 0);
    vstream_config_init (&config);
    config.lead = 5 * FASP_SEC;
    config.duration = FASP_SEC;
    config.sender.no_rtx = TRUE;
    stream = vstream_new (net, &config);
    vstream_run (stream);
    g_assert_true (stream->drained);
    g_assert_true (stream->eos);
  }
}

/* Who does not take repairs gets none. */
static void
test_refused (void)
{
  VstreamConfig config;
  g_autoptr (Vnet) net = vnet_new (1);
  g_autoptr (Vstream) stream = NULL;

  vstream_config_init (&config);
  config.duration = FASP_SEC;
  config.sender.fec = FASP_FEC_FIXED;
  config.sender.fec_share = .5;
  stream = vstream_new (net, &config);
  g_assert_true (vstream_run (stream));
  g_assert_cmpuint (stream->sender_stats.sent.repairs, ==, 0);
}

static const Fec half_fixed = { FASP_FEC_FIXED, .14, 100, 1 };
static const Fec half_auto = { FASP_FEC_AUTO, 0, 100, 1 };

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fec/alone/outage", test_alone_outage);
  g_test_add_func ("/fec/alone/end", test_alone_end);
  g_test_add_data_func ("/fec/half-rtt/fixed", &half_fixed, test_half_rtt);
  g_test_add_data_func ("/fec/half-rtt/auto", &half_auto, test_half_rtt);
  vcases_add ("/fec/whole", cases, sizeof *cases, G_N_ELEMENTS (cases), test_whole);
  g_test_add_func ("/fec/no-room", test_no_room);
  g_test_add_func ("/fec/alone", test_alone);
  g_test_add_func ("/fec/no-retransmission", test_no_rtx);
  g_test_add_func ("/fec/refused", test_refused);
  g_test_add_func ("/fec/with-retransmissions", test_with_retransmissions);
  g_test_add_func ("/fec/shorter", test_shorter);
  return g_test_run ();
}
