/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simlate: which live streams of constant rate come in time, in virtual time.
 *
 *   simlate --sender cubic --loss 2 --ratios 1,1.5,2 --delays 1,10
 *
 * As Wang, Kurose, Shenoy and Towsley ask it (Multimedia Streaming via TCP: An Analytic
 * Performance Study, 2004): T is what the sender gets through the path when it always has
 * something to send, µ the rate of the stream, and a stream is a success when less than
 * 10^-4 of it comes later than the start-up delay after it was made.  A line for each
 * T/µ and delay: how many of the streams were, and the share that was late.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "vroad.h"
#include "vstream.h"

#define MOST 32 /* ratios, delays */
#define SUCCESS 1e-4
#define LEAD FASP_SEC
/* T is the mean of so many streams, without their begin. */
#define MEASURED 5
#define SETTLE (10 * FASP_SEC)
#define PAYLOAD 1448 /* of a TCP's packet */

static gchar *sender = (gchar *) "adaptive", *ratios = (gchar *) "1,1.5,2";
static gchar *delays = (gchar *) "0.3,1,3,10";
static gdouble loss = 2, rtt = 45, link_rate = 15, buffer = 500;
static gdouble seconds = 200;
static gint streams = 20, seed = 1;
static FaspRateControl control;

/* Bytes of a stream that came later than each delay after they were made. */
typedef struct
{
  guint64 bitrate;
  gint64 started;        /* its first byte is made, µs */
  const gdouble *delays; /* s */
  guint n;
  guint64 came, settling, late[MOST]; /* settling: in the first SETTLE */
} Watch;

static void
watch (Watch *w, guint64 bytes, gint64 now)
{
  gint64 made;

  w->came += bytes;
  if (now - w->started < SETTLE)
    w->settling += bytes;
  made = w->started + w->came * 8e6 / w->bitrate;
  for (guint i = 0; i < w->n; i++)
    if (now - made > w->delays[i] * 1e6)
      w->late[i] += bytes;
}

static gboolean
is_tcp (void)
{
  return g_str_equal (sender, "reno") || g_str_equal (sender, "cubic");
}

/* --- one of TCP, one of fasp ------------------------------------------------------- */

static void
on_packet (gpointer data, guint64 n, gint64 now)
{
  watch (data, PAYLOAD, now);
}

static void
set_bottleneck (ImpairConfig *c)
{
  c->rate = link_rate * 1e6;
  c->queue = buffer * 1e3 / 8;
  c->loss = loss / 100;
  c->keep_order = TRUE;
}

static void
run_tcp (guint32 run, gint64 until, Watch *w)
{
  ImpairConfig c = { 0 };
  g_autoptr (Vroad) road = NULL;

  set_bottleneck (&c);
  road = vroad_new (run, &c);
  vroad_add (road,
      &(VroadSender) {
          .kind = g_str_equal (sender, "cubic") ? VROAD_CUBIC : VROAD_RENO,
          .rtt = rtt * 1e3,
          .source = w->bitrate * VROAD_PACKET / PAYLOAD,
          .delivered = on_packet,
          .data = w,
      });
  vroad_run (road, until);
}

static void
on_block (gpointer data, guint32 size, FaspTime now)
{
  watch (data, size, now);
}

static void
run_fasp (guint32 run, gint64 until, gint64 duration, guint latency, Watch *w)
{
  g_autoptr (Vnet) net = vnet_new (run);
  VstreamConfig c;
  g_autoptr (Vstream) stream = NULL;

  vnet_set_path (net, rtt * FASP_MSEC, (const gdouble[2]) { loss / 100, 0 },
      (const gdouble[2]) { 0, 0 }, link_rate * 1e6);
  vnet_get_wire (net, VNET_A, VNET_B)->queue = buffer * 1e3 / 8;
  vnet_get_wire (net, VNET_B, VNET_A)->rate = 0;
  vstream_config_init (&c);
  c.bitrate = w->bitrate;
  c.channel = 0;
  c.duration = duration;
  c.lead = LEAD;
  c.on_read = on_block;
  c.data = w;
  c.sender.settings.latency_ms = latency;
  c.sender.rate_control = control;
  stream = vstream_new (net, &c);
  w->started = stream->started + LEAD;
  vstream_run_until (stream, LEAD + until);
}

/* @w: all but what it counts. */
static void
run (guint32 number, gint64 duration, gint64 until, guint latency, Watch *w)
{
  if (is_tcp ())
    run_tcp (number, until, w);
  else
    run_fasp (number, until, duration, latency, w);
}

/* --- all of them ------------------------------------------------------------------ */

/* What comes of a stream that is always more than the path takes, bit/s. */
static gdouble
measure (void)
{
  guint64 bytes = 0;

  for (gint i = 0; i < MEASURED; i++) {
    gint64 duration = seconds * 1e6;
    Watch w = { .bitrate = link_rate * 1e6 };

    run (seed + i, duration, duration, 1000, &w);
    bytes += w.came - w.settling;
  }
  return bytes * 8 / (seconds - SETTLE / 1e6) / MEASURED;
}

/* A latency of the session for delays from @first on: all from 1 s on have the same,
 * those below one of their own. */
static guint
count_alike (const gdouble *delay, guint n)
{
  guint alike = 1;

  while (alike < n && (is_tcp () || delay[0] >= 1))
    alike++;
  return alike;
}

static void
look_at (gdouble goodput, gdouble ratio, const gdouble *delay, guint n)
{
  guint successes[MOST] = { 0 };
  gdouble late[MOST] = { 0 };

  for (gint i = 0; i < streams; i++) {
    gint64 duration = seconds * 1e6, until = duration + delay[n - 1] * 1e6;
    guint64 bitrate = goodput / ratio;
    gdouble all = bitrate / 8. * seconds;
    /* a TCP's source does not end: what it makes later is not asked for */
    Watch w = { .bitrate = bitrate, .delays = delay, .n = n };

    run (1000 * seed + i, duration, is_tcp () ? duration : until, MIN (delay[0], 1) * 1e3, &w);
    for (guint d = 0; d < n; d++) {
      gdouble share;

      /* what had not come in time at the end, either */
      if (is_tcp ())
        all = MAX (0, bitrate / 8. * (seconds - delay[d]));
      share = (w.late[d] + MAX (0, all - w.came)) / MAX (all, 1);
      late[d] += share / streams;
      successes[d] += share < SUCCESS;
    }
  }
  for (guint d = 0; d < n; d++)
    printf ("%s,%g,%.0f,%g,%g,%d,%g,%.3g\n", sender, loss, goodput, ratio, delay[d], streams,
        (gdouble) successes[d] / streams, late[d]);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "sender", 0, 0, G_OPTION_ARG_STRING, &sender, "pert, adaptive, reno, cubic", "NAME" },
    { "link", 0, 0, G_OPTION_ARG_DOUBLE, &link_rate, "Bottleneck", "MBIT" },
    { "buffer", 0, 0, G_OPTION_ARG_DOUBLE, &buffer, "Before it", "KBIT" },
    { "rtt", 0, 0, G_OPTION_ARG_DOUBLE, &rtt, "Round trip", "MS" },
    { "loss", 0, 0, G_OPTION_ARG_DOUBLE, &loss, "At random, on the way there", "PERCENT" },
    { "ratios", 0, 0, G_OPTION_ARG_STRING, &ratios, "T/µ", "A,B,..." },
    { "delays", 0, 0, G_OPTION_ARG_STRING, &delays, "Start-up, growing", "SECONDS,..." },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Of each stream", "SECONDS" },
    { "streams", 0, 0, G_OPTION_ARG_INT, &streams, "For each", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "", "N" },
    { NULL },
  };
  gdouble ratio[MOST], delay[MOST], goodput;
  guint n_ratios, n_delays;

  options_parse (&argc, &argv, entries, NULL);
  if (!is_tcp ()
      && (!vstream_parse_rate_control (sender, &control) || control == FASP_RATE_CONTROL_FIXED))
    options_refuse ("there is no sender %s", sender);
  n_ratios = options_parse_numbers (ratios, ratio, MOST);
  n_delays = options_parse_numbers (delays, delay, MOST);
  if (seconds * 1e6 <= 2 * SETTLE || n_ratios * n_delays == 0 || seconds <= delay[n_delays - 1])
    options_refuse ("--seconds must be more than 20, and than every delay");
  printf ("sender,loss,T,ratio,delay,streams,successful,late\n");
  goodput = measure ();
  for (guint r = 0; r < n_ratios; r++)
    for (guint d = 0, alike; d < n_delays; d += alike) {
      alike = count_alike (&delay[d], n_delays - d);
      look_at (goodput, ratio[r], &delay[d], alike);
    }
  return 0;
}
