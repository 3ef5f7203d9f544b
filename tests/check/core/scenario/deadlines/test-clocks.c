/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole endpoints, and a sender whose clock is not ours: a player on a clock that
 * follows it (faspclockdiscipline.h) has what it needs when it needs it.
 */
#include <string.h>
#include "vnet.h"

#define FRAME (20 * FASP_MSEC)
#define SIZE 4000 /* bytes of a picture: a few blocks */
#define PPM 1e-6
#define SETTLED (120 * FASP_SEC)
#define LATENCY (1500 * FASP_MSEC)
#define START (1000 * FASP_SEC) /* of the sender's clock */

typedef struct
{
  Vnet *net;
  FaspEndpoint *sender, *receiver;
  FaspTime rtt;
  gdouble ppm;
  FaspTime set; /* the sender's clock was set by so much */
  FaspClockDiscipline discipline;
  guint64 written, read; /* bytes */
  gint64 last_pts;       /* ns on the disciplined clock */
  guint jumps, backwards, skips;
  FaspTime worst; /* what the buffer is off by, at most */
} Line;

static void
start (Line *line, guint32 seed, FaspTime rtt, gdouble loss)
{
  static const gdouble burst[2] = { 1, 1 };
  FaspEndpointConfig a, b;
  FaspAddress peer = vnet_get_address (VNET_B);

  line->net = vnet_new (seed);
  line->rtt = rtt;
  vnet_set_path (line->net, rtt, (gdouble[2]) { loss, loss }, burst, 10000000);
  fasp_endpoint_config_init (&a, FASP_ROLE_SENDER, FASP_MODE_CALLER);
  fasp_endpoint_config_init (&b, FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);
  a.settings.max_bitrate = 8000000;
  a.settings.wait_for_connection = FALSE;
  a.settings.latency_ms = b.settings.latency_ms = LATENCY / FASP_MSEC;
  line->sender = fasp_endpoint_new (&a, vnet_random, line->net);
  line->receiver = fasp_endpoint_new (&b, vnet_random, line->net);
  vnet_attach (line->net, VNET_A, line->sender);
  vnet_attach (line->net, VNET_B, line->receiver);
  fasp_endpoint_dial (line->sender, vnet_get_time (line->net), &peer);
  fasp_clock_discipline_init (&line->discipline, vnet_get_time (line->net) * 1000);
  vnet_run (line->net, FASP_SEC);
}

static void
stop (Line *line)
{
  vnet_attach (line->net, VNET_A, NULL);
  vnet_attach (line->net, VNET_B, NULL);
  fasp_endpoint_free (line->sender);
  fasp_endpoint_free (line->receiver);
  vnet_free (line->net);
}

static FaspTime
get_media (const Line *line, FaspTime time)
{
  return START + line->set + time + (FaspTime) (time * line->ppm * PPM);
}

/* When the sender wrote what it says it wrote then. */
static FaspTime
get_written (const Line *line, FaspTime media)
{
  return (media - START - line->set) / (1 + line->ppm * PPM);
}

static void
judge (Line *line, const FaspRead *read, FaspTime now)
{
  gint64 pts = fasp_clock_discipline_get (&line->discipline, read->arrival * 1000);
  gint64 shown = fasp_clock_discipline_get (&line->discipline, now * 1000);
  FaspTime written = get_written (line, read->block->media_time);

  /* but for what the slew makes up for between two blocks */
  line->backwards += pts < line->last_pts - FASP_MSEC * 1000;
  line->last_pts = pts;
  line->skips += shown > pts + LATENCY * 1000;
  if (now > SETTLED)
    line->worst = MAX (line->worst, ABS (read->arrival - written - line->rtt / 2));
}

static void
read_all (Line *line)
{
  FaspTime now = vnet_get_time (line->net);
  FaspRead read;

  while (fasp_endpoint_read (line->receiver, now, &read)) {
    FaspBlock *block = read.block;
    FaspSenderClock sender;

    fasp_endpoint_get_sender_clock (line->receiver, &sender);
    fasp_clock_discipline_look (&line->discipline, now * 1000, &sender);
    line->jumps += (block->flags & FASP_BLOCK_CLOCK_JUMP) != 0;
    g_assert_false (block->flags & FASP_BLOCK_DISCONT);
    judge (line, &read, now);
    line->read += block->size;
    fasp_block_unref (block);
  }
}

static void
run (Line *line, FaspTime until)
{
  static const guint8 picture[SIZE] = { 0 };
  FaspTime now;

  while ((now = vnet_get_time (line->net)) < until) {
    FaspEvent event;

    line->written +=
        fasp_endpoint_write (line->sender, now, get_media (line, now), picture, SIZE, NULL);
    for (guint i = 0; i < 10; i++) {
      vnet_run (line->net, now + (i + 1) * FRAME / 10);
      read_all (line);
    }
    while (fasp_endpoint_poll_event (line->sender, &event)
        || fasp_endpoint_poll_event (line->receiver, &event))
      ;
  }
}

static void
test_drift (void)
{
  static const struct
  {
    gdouble ppm;
    FaspTime rtt;
    gdouble loss;
  } cases[] = {
    { 100, 200 * FASP_MSEC, .02 },
    { -100, 200 * FASP_MSEC, .02 },
    { 100, FASP_MSEC, 0 },
    { -100, FASP_MSEC, 0 },
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    Line line = { .ppm = cases[c].ppm };
    FaspSessionStats stats;

    start (&line, c, cases[c].rtt, cases[c].loss);
    run (&line, 600 * FASP_SEC);
    g_assert_cmpuint (line.written - line.read, <, 100 * SIZE);
    g_assert_cmpuint (line.jumps, ==, 0);
    g_assert_cmpuint (line.backwards, ==, 0);
    g_assert_cmpuint (line.skips, ==, 0);
    g_assert_cmpint (line.worst, <=, 5 * FASP_MSEC);
    fasp_endpoint_get_sessions (line.receiver, vnet_get_time (line.net), &(guint64) { 0 }, &stats,
        1);
    g_assert_cmpfloat_with_epsilon (stats.clock.ppm, cases[c].ppm, 2);
    g_assert_cmpuint (stats.clock.jumps, ==, 0);
    stop (&line);
  }
}

/* Set ahead and back while packets are lost: told of once, where it is in the
 * stream; what is played does not feel it. */
static void
test_set (void)
{
  static const FaspTime sets[] = { 3 * FASP_SEC, -3 * FASP_SEC, -900 * FASP_SEC, 900 * FASP_SEC };

  for (guint32 seed = 0; seed < 20; seed++) {
    FaspTime set = sets[seed % G_N_ELEMENTS (sets)], off;
    FaspSenderClock sender;
    Line line = { .ppm = 50 };

    start (&line, seed, 100 * FASP_MSEC, .05);
    run (&line, 20 * FASP_SEC);
    g_assert_cmpuint (line.jumps, ==, 0);
    line.set = set;
    run (&line, 40 * FASP_SEC);
    g_assert_cmpuint (line.jumps, ==, 1);
    g_assert_cmpuint (line.backwards, ==, 0);
    g_assert_cmpuint (line.skips, ==, 0);
    fasp_endpoint_get_sender_clock (line.receiver, &sender);
    off = ABS (sender.jump - set);
    /* the first of the new time may itself have been late */
    g_assert_cmpint (off, <=, 500 * FASP_MSEC);
    stop (&line);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clocks/drift", test_drift);
  g_test_add_func ("/clocks/set", test_set);
  return g_test_run ();
}
