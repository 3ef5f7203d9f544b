/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole streams between two endpoints in virtual time: whatever the network
 * does, every byte arrives, in order, once, and both ends know.
 *
 * FASP_SEEDS sets how many seeds each network is tried with (default 10).
 */
#include "seeds.h"
#include "vcases.h"
#include "vstream.h"

typedef struct
{
  const gchar *name;
  gdouble loss, reverse_loss, burst, reorder, duplicate, corrupt;
  FaspTime blackout; /* length, from 3 s on, both ways */
  FaspTime rtt;
  FaspTime jitter;
} Network;

static const Network networks[] = {
  { "perfect", 0, 0, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0 },
  { "lan", 0, 0, 0, 0, 0, 0, 0, 200, 0 },
  { "loss-2", .02, .02, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0 },
  { "loss-10", .10, .10, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0 },
  { "loss-20", .20, .20, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0 },
  { "loss-40", .40, .40, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0 },
  { "bursts", .05, .05, 8, 0, 0, 0, 0, 100 * FASP_MSEC, 0 },
  { "reorder", 0, 0, 0, .10, 0, 0, 0, 100 * FASP_MSEC, 0 },
  { "jitter", .01, .01, 0, 0, 0, 0, 0, 100 * FASP_MSEC, 20 * FASP_MSEC },
  { "duplicates", 0, 0, 0, 0, .10, 0, 0, 100 * FASP_MSEC, 0 },
  { "corruption", 0, 0, 0, 0, 0, .01, 0, 100 * FASP_MSEC, 0 },
  { "reverse-50", .02, .50, 0, 0, 0, 0, 0, 200 * FASP_MSEC, 0 },
  { "blackout-1s", .02, .02, 0, 0, 0, 0, 1 * FASP_SEC, 200 * FASP_MSEC, 0 },
  { "blackout-10s", .02, .02, 0, 0, 0, 0, 10 * FASP_SEC, 200 * FASP_MSEC, 0 },
  { "everything", .20, .50, 4, .10, .10, .01, 1 * FASP_SEC, 200 * FASP_MSEC, 5 * FASP_MSEC },
};

/* The same there and back, without bursts. */
static void
set_path (Vnet *net, FaspTime rtt, gdouble loss, guint64 rate)
{
  vnet_set_path (net, rtt, (const gdouble[2]) { loss, loss }, (const gdouble[2]) { 0, 0 }, rate);
}

static void
set_network (Vnet *net, const Network *n)
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
      impair_black_out (d, vnet_get_time (net) + 3 * FASP_SEC, n->blackout);
    }
  }
}

static void
test_network (gconstpointer data)
{
  const Network *n = data;

  for (guint seed = 1; seed <= count_seeds (10); seed++) {
    g_autoptr (Vnet) net = vnet_new (seed);
    VstreamConfig config;
    g_autoptr (Vstream) stream = NULL;
    gboolean good;

    set_network (net, n);
    vstream_config_init (&config);
    config.bitrate = 2000000;
    config.channel = 8000000;
    config.duration = 6 * FASP_SEC;
    config.receiver_calls = seed % 2;
    stream = vstream_new (net, &config);
    good = vstream_run (stream);
    if (!good)
      g_test_message ("%s, seed %u: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                      " bytes, wrong %d eos %d drained %d",
          n->name, seed, stream->read, stream->written, stream->wrong, stream->eos,
          stream->drained);
    g_assert_true (good);
    g_assert_cmpuint (stream->written, ==, 1500000);
  }
}

/* What has come is told of ten times a second, of a fast stream 25 times: the sender keeps
 * it for so long.  Where there are pauses it is told of as they come, before the sender asks. */
static void
test_calm (void)
{
  static const struct
  {
    guint64 bitrate;
    guint least, most; /* in a second */
  } streams[] = { { 150000, 13, 15 }, { 260000, 22, 26 }, { 2000000, 9, 11 }, { 5000000, 9, 12 },
    { 8000000, 14, 17 }, { 40000000, 23, 26 } };

  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    g_autoptr (Vnet) net = vnet_new (i + 1);
    VstreamConfig config;
    g_autoptr (Vstream) stream = NULL;

    set_path (net, 20 * FASP_MSEC, 0, 0);
    vstream_config_init (&config);
    config.bitrate = streams[i].bitrate;
    config.channel = 2 * config.bitrate;
    config.duration = 10 * FASP_SEC;
    stream = vstream_new (net, &config);
    g_assert_true (vstream_run (stream));
    g_assert_cmpuint (stream->receiver_stats.received.feedback, >=, 10 * streams[i].least);
    g_assert_cmpuint (stream->receiver_stats.received.feedback, <=, 10 * streams[i].most);
  }
}

/* Lateness as blocks arrive: 99.9 % within one round trip and 15 ms, whatever
 * the interval of the packets (1 ms is that of the reorder delay). */
static void
test_lateness (void)
{
  static const guint64 rates[] = { 6000000, 10000000, 10528000, 40000000 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    g_autoptr (Vnet) net = vnet_new (i + 1);
    VstreamConfig config;
    const FaspHist *hist;
    g_autoptr (Vstream) stream = NULL;

    set_network (net, &networks[2]);
    vstream_config_init (&config);
    config.bitrate = rates[i];
    config.channel = rates[i] * 3 / 2;
    config.lead = FASP_SEC;
    stream = vstream_new (net, &config);
    g_assert_true (vstream_run (stream));
    hist = fasp_endpoint_get_lateness (stream->receiver, FALSE);
    g_assert_cmpint (fasp_hist_percentile (hist, .5), <, FASP_MSEC);
    g_assert_cmpint (fasp_hist_percentile (hist, .999), <=, 215 * FASP_MSEC);
  }
}

/* For 4 s nothing comes back (0), or nothing passes at all (1).  What goes there goes on; and
 * an outage is no reason to take the path for narrower. */
static void
test_silence (void)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (Vnet) net = vnet_new (i + 1);
    VstreamConfig config;
    const FaspHist *hist;
    g_autoptr (Vstream) stream = NULL;
    FaspTime from;

    set_network (net, &networks[2]);
    vstream_config_init (&config);
    config.bitrate = 4000000;
    config.channel = 8000000;
    config.lead = FASP_SEC;
    config.duration = 20 * FASP_SEC;
    stream = vstream_new (net, &config);
    from = vnet_get_time (net) + 9 * FASP_SEC;
    for (guint side = 0; side <= i; side++) {
      ImpairConfig *wire =
          vnet_get_wire (net, side == 0 ? VNET_B : VNET_A, side == 0 ? VNET_A : VNET_B);

      impair_black_out (wire, from, 4 * FASP_SEC);
    }
    for (guint k = 1; k <= 20; k++) {
      vstream_run_until (stream, k * FASP_SEC);
      if (k > 2)
        g_assert_cmpuint (stream->sender_stats.path.datagram_size, ==, 1472);
    }
    g_assert_true (vstream_run (stream));
    hist = fasp_endpoint_get_lateness (stream->receiver, FALSE);
    g_assert_cmpint (fasp_hist_percentile (hist, i == 0 ? .97 : .5), <, 10 * FASP_MSEC);
  }
}

/* Jumbo frames: found by a fast stream, lost in the middle of it (blocks of 9000
 * bytes go on in fragments), and not used by a slow one. @data: bit/s. */
static void
test_jumbo (gconstpointer data)
{
  guint64 bitrate = GPOINTER_TO_SIZE (data);
  gboolean fast = bitrate > FASP_JUMBO_FROM;
  g_autoptr (Vnet) net = vnet_new (1);
  VstreamConfig config;
  g_autoptr (Vstream) stream = NULL;

  set_path (net, 10 * FASP_MSEC, .002, 0);
  for (guint side = VNET_A; side <= VNET_B; side++)
    vnet_get_wire (net, side, !side)->mtu = 9000;
  vstream_config_init (&config);
  config.bitrate = bitrate;
  config.channel = bitrate * 3 / 2;
  config.chunk = 60000;
  config.duration = 5 * FASP_SEC;
  config.receiver.buffer_size = 8 << 20;
  stream = vstream_new (net, &config);
  vstream_run_until (stream, 3 * FASP_SEC);
  g_assert_cmpuint (stream->sender_stats.path.datagram_size, ==, fast ? 8972 : 1472);
  for (guint side = VNET_A; side <= VNET_B; side++)
    vnet_get_wire (net, side, !side)->mtu = 1500;
  g_assert_true (vstream_run (stream));
  g_assert_cmpuint (stream->sender_stats.path.datagram_size, ==, 1472);
  g_assert_cmpuint (stream->max_buffer[VNET_B], <=, 8 << 20);
}

/* A machine that does not run the sender half of the time: what always waits misses so much, but
 * for what a burst makes up for; what has room does not. */
static void
test_missed (void)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (Vnet) net = vnet_new (1);
    VstreamConfig config;
    g_autoptr (Vstream) stream = NULL;
    FaspTime missed, at = 2 * FASP_SEC;

    set_network (net, &networks[1]);
    vstream_config_init (&config);
    config.bitrate = i == 0 ? 20000000 : 5000000;
    config.channel = 10000000;
    config.duration = 10 * FASP_SEC;
    stream = vstream_new (net, &config);
    vstream_run_until (stream, at);
    fasp_endpoint_look_at_missed (stream->sender);
    for (; at < 3 * FASP_SEC; at += 20 * FASP_MSEC) {
      vnet_attach (net, VNET_A, NULL);
      vstream_run_until (stream, at + 10 * FASP_MSEC);
      vnet_attach (net, VNET_A, stream->sender);
      vstream_run_until (stream, at + 20 * FASP_MSEC);
    }
    missed = fasp_endpoint_look_at_missed (stream->sender);
    g_test_message ("missed %" G_GINT64_FORMAT " ms of 1000", missed / 1000);
    g_assert_cmpint (missed, >, i == 0 ? 250 * FASP_MSEC : -1);
    g_assert_cmpint (missed, <, i == 0 ? 500 * FASP_MSEC : 50 * FASP_MSEC);
    g_assert_cmpint (fasp_endpoint_look_at_missed (stream->sender), ==, 0);
  }
}

/* --- copies and promises -------------------------------------------------------- */

static Vstream *
new_promised (Vnet *net, guint64 bitrate, guint64 channel, guint latency_ms, FaspTime duration)
{
  VstreamConfig config;

  vstream_config_init (&config);
  config.bitrate = bitrate;
  config.channel = channel;
  config.lead = FASP_SEC;
  config.duration = duration;
  config.sender.settings.latency_ms = latency_ms;
  return vstream_new (net, &config);
}

/* The whitepaper's test with 0.3 s where it has 1 s: one round of several
 * copies, inside the channel. */
static void
test_copies (void)
{
  static const guint64 rates[] = { 6, 10, 6, 10, 15, 10, 40, 50, 40 };

  for (guint i = 0; i < 3; i++) {
    g_autoptr (Vnet) net = vnet_new (i + 1);
    FaspTime duration = rates[i * 3 + 2] * FASP_SEC;
    g_autoptr (Vstream) stream = NULL;
    const FaspHist *hist;
    gdouble wire;

    set_network (net, &networks[2]);
    stream = new_promised (net, rates[i * 3] * 1000000, rates[i * 3 + 1] * 1000000, 300, duration);
    g_assert_true (vstream_run (stream));
    g_assert_cmpuint (stream->receiver_stats.latency.ms, ==, 300);
    g_assert_cmpuint (stream->receiver_stats.latency.skips, ==, 0);
    g_assert_cmpuint (stream->receiver_stats.latency.promised_interval, >=,
        FASP_GLITCH_INTERVAL_DEFAULT * 9 / 10);
    g_assert_cmpuint (stream->sender_stats.sent.copies, >, stream->sender_stats.sent.lost * 2);
    hist = fasp_endpoint_get_lateness (stream->receiver, TRUE);
    g_assert_cmpint (fasp_hist_percentile (hist, .9999), <=, 260 * FASP_MSEC);
    wire = vnet_get_counters (net, VNET_A, VNET_B)->bytes / (gdouble) stream->read;
    g_assert_cmpfloat (wire, <, 1.17);
  }
}

/* With time enough there is one copy of each retransmission, and the blocks that need
 * so many rounds are as many as the model says: chi-square, at a chance of
 * one in a thousand to be wrong. */
static void
test_rounds (void)
{
  static const gdouble limit[] = { 10.83, 13.82, 16.27, 18.47, 20.52 };
  g_autoptr (Vnet) net = vnet_new (7);
  g_autoptr (Vstream) stream = NULL;
  gdouble left, chi2 = 0;
  guint cells = 0;
  guint64 n;

  set_network (net, &networks[3]);
  stream = new_promised (net, 10000000, 20000000, 5000, 300 * FASP_SEC);
  g_assert_true (vstream_run (stream));
  n = stream->receiver_stats.received.blocks;
  g_assert_cmpuint (n, >, 250000);
  left = n;
  for (guint round = 0; left > 5 && round < FASP_ROUNDS; round++) {
    gdouble expected = left * (round + 1 < FASP_ROUNDS && left * .1 > 5 ? .9 : 1);

    chi2 += (stream->receiver_stats.rounds[round] - expected)
        * (stream->receiver_stats.rounds[round] - expected) / expected;
    left -= expected;
    cells++;
  }
  g_test_message ("chi-square %.2f with %u cells", chi2, cells);
  g_assert_cmpuint (cells, >=, 4);
  g_assert_cmpfloat (chi2, <, limit[cells - 2]);
}

/* latency=auto: found, told, kept. */
static void
test_auto (void)
{
  for (guint i = 2; i <= 6; i++) {
    FaspTime rtt = networks[i].rtt;
    guint64 early;
    Vstream *stream;
    guint kept = 0;
    g_autoptr (Vnet) net = NULL;

    if (i == 5) /* 40 %: nothing to promise there */
      continue;
    net = vnet_new (i);
    set_network (net, &networks[i]);
    stream = new_promised (net, 2000000, 6000000, FASP_LATENCY_AUTO, 60 * FASP_SEC);
    /* the path is learnt from what is lost: on a bad one that costs a skip or
     * two in the beginning */
    vstream_run_until (stream, 20 * FASP_SEC);
    early = stream->receiver_stats.latency.skips;
    g_assert_cmpuint (early, <=, i <= 3 ? 0 : 3);
    for (guint k = 21; k <= 60; k++) {
      vstream_run_until (stream, k * FASP_SEC);
      kept +=
          stream->sender_stats.latency.promised_interval >= FASP_GLITCH_INTERVAL_DEFAULT * 9 / 10;
    }
    g_assert_true (vstream_run (stream));
    g_assert_cmpuint (stream->events[FASP_EVENT_PROMISE][0], >=, 1);
    g_assert_cmpuint (stream->events[FASP_EVENT_PROMISE][1], >=, 1);
    g_test_message ("%s: %u ms", networks[i].name, stream->receiver_stats.latency.ms);
    g_assert_cmpuint (stream->receiver_stats.latency.ms, >, rtt / FASP_MSEC);
    /* known to fall short of the promise where losses come in bursts: of 30
     * seeds 2 or 3 have one more skip */
    g_assert_cmpuint (stream->receiver_stats.latency.skips - early, <=, i == 6 ? 1 : 0);
    /* less for as long as it takes to see that the path is worse than it was; and bursts are too
     * seldom to be known well in a minute: of 25 seeds one has 26, the others 40 */
    g_assert_cmpuint (kept, >=, i == 6 ? 20 : 36);
    g_assert_cmpuint (stream->shortfalls, ==, 0);
    vstream_free (stream);
  }
}

/* The path becomes four times as long, and short again: the latency follows
 * without a step in the times of playing. */
static void
test_auto_changes (void)
{
  g_autoptr (Vnet) net = vnet_new (3);
  Network n = networks[2];
  guint before, longer;
  g_autoptr (Vstream) stream = NULL;

  n.rtt = 50 * FASP_MSEC;
  set_network (net, &n);
  stream = new_promised (net, 2000000, 4000000, FASP_LATENCY_AUTO, 2000 * FASP_SEC);
  vstream_run_until (stream, 60 * FASP_SEC);
  before = stream->receiver_stats.latency.ms;
  g_assert_cmpuint (before, >, 50);
  g_assert_cmpuint (before, <, 200);
  n.rtt = 200 * FASP_MSEC;
  set_network (net, &n);
  vstream_run_until (stream, 120 * FASP_SEC);
  longer = stream->receiver_stats.latency.ms;
  g_assert_cmpuint (longer, >, MAX (200, before + 100));
  n.rtt = 50 * FASP_MSEC;
  set_network (net, &n);
  vstream_run_until (stream, 600 * FASP_SEC);
  g_assert_cmpuint (stream->receiver_stats.latency.ms, <, longer * 3 / 4);
  g_assert_true (vstream_is_right (stream));
  /* a hundredth of the time between blocks, and what the media clock does
   * by itself when the path gets shorter */
  g_assert_cmpint (stream->max_jump, <, 2 * FASP_MSEC);
}

/* Nothing arrives until then; afterwards all does again. */
static void
cut_until (Vstream *stream, const Network *n, FaspTime until)
{
  Network none = *n;

  none.loss = none.reverse_loss = 1;
  set_network (stream->net, &none);
  vstream_run_until (stream, until);
  set_network (stream->net, n);
}

/* Nothing arrives for a while, on a line that loses nothing else: that says nothing of
 * what is lost at other times, nor of how long it takes to hear of it. */
static void
test_outage (gconstpointer latency)
{
  static const guint64 rates[] = { 100000, 1000000, 20000000 };
  static const FaspTime outages[] = { 1, 4, 12 };

  for (guint i = 0; i < 9; i++) {
    g_autoptr (Vnet) net = vnet_new (i + 1);
    Network n = { .rtt = 20 * FASP_MSEC };
    FaspTime end = (120 + outages[i / 3]) * FASP_SEC;
    FaspSessionStats before;
    g_autoptr (Vstream) stream = NULL;

    set_network (net, &n);
    stream = new_promised (net, rates[i % 3], rates[i % 3] * 2, GPOINTER_TO_UINT (latency),
        2000 * FASP_SEC);
    vstream_run_until (stream, 120 * FASP_SEC);
    before = stream->sender_stats;
    cut_until (stream, &n, end);
    for (guint k = 1; k <= 60; k++) {
      vstream_run_until (stream, end + k * FASP_SEC);
      /* where feedback is rare it jitters for some seconds */
      g_assert_cmpuint (stream->sender_stats.latency.ms, <, 4 * before.latency.ms);
    }
    g_assert_cmpuint (stream->sender_stats.latency.ms, <, before.latency.ms * 5 / 4);
    g_assert_cmpuint (stream->sender_stats.latency.promised_interval, >,
        MIN (before.latency.promised_interval, FASP_GLITCH_INTERVAL_DEFAULT) * 9 / 10);
  }
}

/* Again and again: that is the line, and planned for. */
static void
test_outages (void)
{
  static const guint64 rates[] = { 4000000, 20000000 };
  static const FaspTime lengths[] = { 400 * FASP_MSEC, 150 * FASP_MSEC };

  for (guint i = 0; i < 2; i++) {
    g_autoptr (Vnet) net = vnet_new (1);
    Network n = { .rtt = 20 * FASP_MSEC };
    g_autoptr (Vstream) stream = NULL;

    set_network (net, &n);
    stream = new_promised (net, rates[i], rates[i] * 2, FASP_LATENCY_AUTO, 2000 * FASP_SEC);
    for (FaspTime k = 1; k <= 24; k++) {
      vstream_run_until (stream, k * 15 * FASP_SEC);
      cut_until (stream, &n, k * 15 * FASP_SEC + lengths[i]);
    }
    g_assert_cmpuint (stream->receiver_stats.latency.ms, >, lengths[i] / FASP_MSEC);
    g_assert_cmpuint (stream->receiver_stats.latency.skips, <, 6);
  }
}

/* A promise that cannot be kept is told, once. */
static void
test_shortfall (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  g_autoptr (Vstream) stream = NULL;

  set_network (net, &networks[3]);
  stream = new_promised (net, 2000000, 2400000, 250, 60 * FASP_SEC);
  g_assert_true (vstream_run (stream));
  g_assert_cmpuint (stream->shortfalls, ==, 1);
  g_assert_cmpuint (stream->receiver_stats.latency.skips, >, 0);
  g_assert_cmpuint (stream->sender_stats.latency.skips, >, 0);
}

/* What a path may lose, for all that is known of a slow stream, is nothing to warn of: what it
 * loses is. */
static void
test_no_shortfall (void)
{
  for (guint loses = 0; loses < 2; loses++) {
    Network n = { .rtt = 100 * FASP_MSEC, .loss = loses * .05 };
    g_autoptr (Vnet) net = vnet_new (1);
    g_autoptr (Vstream) stream = NULL;

    set_network (net, &n);
    stream = new_promised (net, 130000, 300000, 120, 60 * FASP_SEC);
    g_assert_true (vstream_run (stream));
    g_assert_cmpuint (stream->shortfalls, ==, loses);
  }
}

/* Sound: after each block there is a pause, and it is said that it has come before anybody asks.
 * Nothing is lost. */
static void
test_sound (void)
{
  VstreamConfig config;
  g_autoptr (Vnet) net = vnet_new (1);
  g_autoptr (Vstream) stream = NULL;

  set_path (net, 50 * FASP_MSEC, .01, 2000000);
  vstream_config_init (&config);
  config.bitrate = 64000;
  config.chunk = 752;
  config.channel = 0;
  config.lead = FASP_SEC;
  config.duration = 120 * FASP_SEC;
  config.sender.settings.latency_ms = 1000;
  config.sender.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
  stream = vstream_new (net, &config);
  g_assert_true (vstream_run (stream));
  g_assert_cmpuint (vnet_get_counters (net, VNET_A, VNET_B)->bytes, <, stream->read * 1.14);
  g_assert_cmpuint (vnet_get_counters (net, VNET_B, VNET_A)->bytes, <, stream->read * .16);
}

/* The path takes smaller packets from now on, and what is too late is given up: that is no sign
 * that the large ones pass, though it is acknowledged. */
static void
test_narrower (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  VstreamConfig config;
  g_autoptr (Vstream) stream = NULL;
  guint64 read;

  set_path (net, 50 * FASP_MSEC, 0, 20000000);
  vstream_config_init (&config);
  config.bitrate = 2000000;
  config.key = 1;
  config.chunk = 5000; /* pictures, whose last block is small */
  config.channel = 6000000;
  config.lead = FASP_SEC;
  config.sender.settings.latency_ms = config.receiver.settings.latency_ms = 100;
  config.receiver.settings.too_late_skip = TRUE;
  stream = vstream_new (net, &config);
  vstream_run_until (stream, 9 * FASP_SEC);
  g_assert_true (vstream_is_right (stream));
  vnet_get_wire (net, VNET_A, VNET_B)->mtu = 1400;
  vstream_run_until (stream, 21 * FASP_SEC);
  read = stream->read;
  vstream_run_until (stream, 29 * FASP_SEC);
  g_assert_cmpuint (stream->read - read, >, 8 * 245000);
}

/* A session that nothing is written to. */
static void
test_idle (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  guint64 bytes[2];
  VstreamConfig config;
  g_autoptr (Vstream) stream = NULL;

  set_network (net, &networks[0]);
  vstream_config_init (&config);
  config.lead = 200 * FASP_SEC;
  stream = vstream_new (net, &config);
  vstream_run_until (stream, 10 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    bytes[i] = vnet_get_counters (net, i, !i)->bytes;
  vstream_run_until (stream, 110 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    bytes[i] = vnet_get_counters (net, i, !i)->bytes - bytes[i];
  g_test_message ("%u B/s there, %u back", (guint) bytes[0] / 100, (guint) bytes[1] / 100);
  g_assert_cmpuint (bytes[0], <, 100 * 140);
  g_assert_cmpuint (bytes[1], <, 100 * 200);
}

/* Where nothing is lost, it is promised that for longer than anybody asks: how much longer is
 * no news. */
static void
test_no_news (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  g_autoptr (Vstream) stream = NULL;

  set_network (net, &networks[1]);
  stream = new_promised (net, 2000000, 8000000, 1000, 60 * FASP_SEC);
  g_assert_true (vstream_run (stream));
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint (stream->events[FASP_EVENT_PROMISE][i], ==, 1);
}

/* To a receiver that plays with the latency that is found. */
static Vstream *
new_found (Vnet *net, VstreamConfig *config, gboolean skips)
{
  config->receiver.settings.latency_ms = FASP_LATENCY_AUTO;
  config->receiver.settings.too_late_skip = skips;
  return vstream_new (net, config);
}

/* A sender that never tells the latency: read all the same after a while. */
static void
test_auto_unheard (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  VstreamConfig config;
  g_autoptr (Vstream) stream = NULL;

  set_network (net, &networks[0]);
  vstream_config_init (&config);
  config.bitrate = 10000; /* too little to judge by, but something */
  config.chunk = 100;
  config.duration = 20 * FASP_SEC;
  stream = new_found (net, &config, FALSE);
  vstream_run_until (stream, 300 * FASP_MSEC);
  g_assert_cmpuint (stream->read, ==, 0);
  g_assert_true (vstream_run (stream));
  g_assert_cmpuint (stream->receiver_stats.latency.ms, >, 0);
}

/* What is to be found is not yet known: nothing is too late for it. */
static void
test_auto_skip (void)
{
  g_autoptr (Vnet) net = vnet_new (2);
  VstreamConfig config;
  g_autoptr (Vstream) stream = NULL;

  set_network (net, &networks[3]);
  vstream_config_init (&config);
  config.bitrate = 2000000;
  config.channel = 6000000;
  config.duration = 10 * FASP_SEC;
  stream = new_found (net, &config, TRUE);
  for (FaspTime t = 100 * FASP_MSEC; stream->receiver_stats.latency.ms == 0; t += 10 * FASP_MSEC) {
    g_assert_cmpint (t, <, 10 * FASP_SEC);
    vstream_run_until (stream, t);
  }
  g_assert_cmpuint (stream->receiver_stats.received.too_late, ==, 0);
  /* nor is what came in the meantime */
  vstream_run_until (stream, 2 * FASP_SEC);
  g_assert_true (vstream_is_right (stream));
  g_assert_cmpuint (stream->receiver_stats.received.too_late, ==, 0);
}

/* Both ends of a lossy stream: every block leaves as an original once and is
 * fresh once at the other end; retransmissions and copies have their numbers. */
static void
test_stream (void)
{
  g_autofree FaspTraceEntry *out = g_new (FaspTraceEntry, 65536);
  guint originals = 0, fresh = 0, retransmissions = 0, copies = 0, n;
  g_autoptr (Vnet) net = vnet_new (5);
  VstreamConfig config;
  g_autoptr (Vstream) stream = NULL;
  FaspTime last = 0;

  for (guint side = 0; side < 2; side++) {
    vnet_get_wire (net, side, !side)->delay = 100 * FASP_MSEC;
    vnet_get_wire (net, side, !side)->loss = .05;
  }
  vstream_config_init (&config);
  config.duration = 10 * FASP_SEC;
  stream = vstream_new (net, &config);
  fasp_endpoint_set_trace (stream->sender, 65536);
  fasp_endpoint_set_trace (stream->receiver, 65536);
  g_assert_true (vstream_run (stream));

  n = fasp_endpoint_fetch_trace (stream->sender, out, 65536, NULL);
  g_assert_cmpuint (n, ==, stream->sender_stats.sent.blocks + stream->sender_stats.sent.blocks_rtx);
  for (guint i = 0; i < n; i++) {
    originals += out[i].round == 0 && out[i].fresh;
    retransmissions += out[i].round > 0 && out[i].copy == 0;
    copies += out[i].copy > 0;
    g_assert_cmpint (out[i].time, >=, last);
    g_assert_cmpint (out[i].time, >=, out[i].media_time);
    g_assert_cmpuint (out[i].full, ==, out[i].payload + 60);
    last = out[i].time;
  }
  g_assert_cmpuint (originals, ==, stream->sender_stats.sent.blocks);
  g_assert_cmpuint (retransmissions + copies, ==, stream->sender_stats.sent.blocks_rtx);
  g_assert_cmpuint (copies, ==, stream->sender_stats.sent.copies);
  g_assert_cmpuint (retransmissions, >, 100);

  n = fasp_endpoint_fetch_trace (stream->receiver, out, 65536, NULL);
  for (guint i = 0; i < n; i++) {
    fresh += out[i].fresh;
    g_assert_cmpint (out[i].time - out[i].media_time, >=, 100 * FASP_MSEC);
  }
  g_assert_cmpuint (fresh, ==, originals);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/sim/network", networks, sizeof *networks, G_N_ELEMENTS (networks), test_network);
  g_test_add_func ("/sim/calm", test_calm);
  g_test_add_func ("/sim/lateness", test_lateness);
  g_test_add_func ("/sim/silence", test_silence);
  g_test_add_data_func ("/sim/jumbo/fast", GSIZE_TO_POINTER (300000000), test_jumbo);
  g_test_add_data_func ("/sim/jumbo/slow", GSIZE_TO_POINTER (50000000), test_jumbo);
  g_test_add_func ("/sim/missed", test_missed);
  g_test_add_func ("/sim/copies", test_copies);
  g_test_add_func ("/sim/rounds", test_rounds);
  g_test_add_func ("/sim/auto", test_auto);
  g_test_add_func ("/sim/auto-changes", test_auto_changes);
  g_test_add_func ("/sim/auto-unheard", test_auto_unheard);
  g_test_add_func ("/sim/auto-skip", test_auto_skip);
  g_test_add_data_func ("/sim/outage/auto", GUINT_TO_POINTER (FASP_LATENCY_AUTO), test_outage);
  g_test_add_data_func ("/sim/outage/given", GUINT_TO_POINTER (500), test_outage);
  g_test_add_func ("/sim/outages", test_outages);
  g_test_add_func ("/sim/shortfall", test_shortfall);
  g_test_add_func ("/sim/no-shortfall", test_no_shortfall);
  g_test_add_func ("/sim/sound", test_sound);
  g_test_add_func ("/sim/narrower", test_narrower);
  g_test_add_func ("/sim/idle", test_idle);
  g_test_add_func ("/sim/no-news", test_no_news);
  g_test_add_func ("/trace/stream", test_stream);
  return g_test_run ();
}
