/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simclock: the sender's clock as a receiver sees it, for a day of virtual time.
 *
 *   simclock [--hours H] [--trace FILE]
 *
 * A live stream of 50 pictures a second, two packets each, over the networks of the
 * table; what is lost comes a round trip later.  The sender's clock is wrong by so
 * much, and wanders around that, up and down in two hours.  A line for each:
 *
 *   rate     how far the estimated rate is from the true one, once it is known, ppm
 *   PTS      when a picture is to be played (provide-clock=false), less when it would
 *            have come on a path without loss and jitter: what a player's buffer is
 *            off by
 *   20 ms, 1 s   by how much two PTS so far apart are wrong
 *   clock    the same as PTS, of a player whose clock is the provided one: what that
 *            is off the sender's media time
 *   skips    pictures that were not there when it was their turn
 *
 * The trace: case, second, PTS off and clock off in µs, rate in ppm, a line a minute.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "faspclockdiscipline.h"
#include "faspmediaclock.h"
#include "faspskew.h"
#include "options.h"
#include "values.h"

#define FRAME (20 * FASP_MSEC)
#define PACKET FASP_MSEC         /* between the two of a picture */
#define PERIOD 7200.             /* s, of the wander */
#define SETTLED (300 * FASP_SEC) /* nothing is judged before */
#define SECOND_FRAMES 50

typedef struct
{
  const gchar *name;
  gdouble ppm, wander; /* of the sender's clock; by how much it wanders */
  FaspTime rtt, jitter, latency;
  gdouble loss;
  FaspTime queue; /* stands for the first 10 minutes of each hour */
} Case;

static const Case cases[] = {
  { "LAN, +100 ppm", 100, 0, 200, 50, 5 * FASP_MSEC, 0, 0 },
  { "LAN, -100 ppm", -100, 0, 200, 50, 5 * FASP_MSEC, 0, 0 },
  { "LAN, +100 ppm, wander 10", 100, 10, 200, 50, 5 * FASP_MSEC, 0, 0 },
  { "jitter 5 ms, +100 ppm", 100, 0, 20000, 5000, 20 * FASP_MSEC, 0, 0 },
  { "jitter 5 ms, -100 ppm", -100, 0, 20000, 5000, 20 * FASP_MSEC, 0, 0 },
  { "the same, 2 %, 200 ms, +100", 100, 10, 200000, 5000, 1500 * FASP_MSEC, .02, 0 },
  { "the same, 2 %, 200 ms, -100", -100, 10, 200000, 5000, 1500 * FASP_MSEC, .02, 0 },
  { "and a queue of 30 ms, +100", 100, 10, 200000, 5000, 1500 * FASP_MSEC, .02, 30000 },
};

static gdouble hours = 24;
static gchar *trace_file;

typedef struct
{
  gdouble min, max;
} Range;

static void
widen (Range *range, gdouble value)
{
  range->min = MIN (range->min, value);
  range->max = MAX (range->max, value);
}

/* What the sender's clock shows at @t, µs. */
static gdouble
get_media (const Case *c, gdouble t)
{
  gdouble turn = 2 * G_PI / PERIOD / 1e6;

  return t + c->ppm * 1e-6 * t + c->wander * 1e-6 * (1 - cos (turn * t)) / turn;
}

/* By how much it is faster than ours. */
static gdouble
get_rate (const Case *c, gdouble t)
{
  return c->ppm + c->wander * sin (2 * G_PI * t / PERIOD / 1e6);
}

static FaspTime
get_arrival (const Case *c, FaspTime sent, GRand *rand)
{
  FaspTime arrival = sent + c->rtt / 2 + g_rand_int_range (rand, 0, c->jitter);

  if (c->queue > 0 && sent / FASP_SEC % 3600 < 600)
    arrival += c->queue;
  while (g_rand_double (rand) < c->loss)
    arrival += c->rtt;
  return arrival;
}

static void
run (const Case *c, FILE *trace)
{
  FaspTime end = hours * 3600 * FASP_SEC;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GArray) rate = values_new (), frame = values_new (), second = values_new ();
  Range pts = { G_MAXDOUBLE, -G_MAXDOUBLE }, own = pts;
  FaspSenderClock sender = { .known = TRUE, .epoch = 1 };
  gdouble before[SECOND_FRAMES] = { 0 };
  FaspClockDiscipline discipline;
  FaspMediaClock clock;
  FaspSkew skew = { 0 };
  guint64 n = 0, skips = 0;
  gdouble constant = 0;

  fasp_media_clock_init (&clock);
  fasp_clock_discipline_init (&discipline, 0);
  for (FaspTime t = 0; t < end; t += FRAME, n++) {
    FaspTime media = get_media (c, t), last = 0, mapped;
    gdouble off, clock_off, *then = &before[n % SECOND_FRAMES];

    for (guint p = 0; p < 2; p++) {
      FaspTime arrival = get_arrival (c, t + p * PACKET, rand);

      fasp_media_clock_arrived (&clock, 2 * n + p, media, arrival);
      fasp_skew_arrived (&skew, media, arrival);
      last = MAX (last, arrival);
    }
    sender.offset = clock.offset;
    sender.skew_known = skew.known;
    sender.skew = skew.skew;
    fasp_clock_discipline_look (&discipline, last * 1000, &sender);
    mapped = fasp_media_clock_map (&clock, 2 * n, media);
    /* get_media() is exact, media is cut to µs */
    off = mapped - t - c->rtt / 2 + (get_media (c, t) - media);
    clock_off = fasp_clock_discipline_get (&discipline, mapped * 1000) / 1e3 - get_media (c, t);
    if (t <= SETTLED)
      constant = clock_off;
    if (t > SETTLED) {
      widen (&pts, off);
      widen (&own, clock_off - constant);
      if (n % 5 == 0) {
        values_add (frame, fabs (off - before[(n - 1) % SECOND_FRAMES]));
        values_add (second, fabs (off - *then));
      }
      skips += last > mapped + c->latency;
      if (n % SECOND_FRAMES == 0)
        values_add (rate, fabs (-skew.skew * 1e6 - get_rate (c, t)));
    }
    *then = off;
    if (trace != NULL && n % (60 * SECOND_FRAMES) == 0)
      fprintf (trace, "%s;%" G_GINT64_FORMAT ";%.1f;%.1f;%.3f\n", c->name, t / FASP_SEC, off,
          clock_off - constant, -skew.skew * 1e6);
  }
  printf ("%-28s%7.2f%7.2f%8.2f%7.2f%8.3f%7.3f%8.3f%7.3f%8.2f%7.2f%6" G_GUINT64_FORMAT "\n",
      c->name, values_percentile (rate, .99), values_percentile (rate, 1), pts.min / 1e3,
      pts.max / 1e3, values_percentile (frame, .99) / 1e3, values_percentile (frame, 1) / 1e3,
      values_percentile (second, .99) / 1e3, values_percentile (second, 1) / 1e3, own.min / 1e3,
      own.max / 1e3, skips);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "hours", 0, 0, G_OPTION_ARG_DOUBLE, &hours, "of virtual time", "H" },
    { "trace", 0, 0, G_OPTION_ARG_FILENAME, &trace_file, "written there", "FILE" },
    { NULL },
  };
  FILE *trace = NULL;

  options_parse (&argc, &argv, entries, NULL);
  if (trace_file != NULL && (trace = fopen (trace_file, "w")) == NULL) {
    perror (trace_file);
    return 1;
  }
  printf ("%g h; rate: ppm, all else: ms\n%-28s%14s%15s%15s%15s%15s\n%-28s"
          "%7s%7s%8s%7s%8s%7s%8s%7s%8s%7s%6s\n",
      hours, "", "rate", "PTS", "20 ms", "1 s", "clock", "", "p99", "max", "min", "max", "p99",
      "max", "p99", "max", "min", "max", "skips");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    run (&cases[i], trace);
  if (trace != NULL)
    fclose (trace);
  return 0;
}
