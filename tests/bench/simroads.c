/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simroads: a live encoder that follows the rate it is told, over mobile links, in virtual time.
 *
 *   simroads --control adaptive --seeds 20
 *   simroads --trace UP [--skip 20] [--trace2 OTHER.UP]
 *   simroads --bonded --dark 15,8
 *
 * Links are drawn (cellular.h), or recorded ones in mahimahi's format.  A line for each, and one
 * for the mean of all.  --series writes what happened every 0.1 s.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cellular.h"
#include "options.h"
#include "roadfigures.h"
#include "vstream.h"
#include "vtraffic.h"

#define PATHS_MOST 3
/* Each further path is so much longer (ms), and drawn so much narrower. */
#define LONGER 15
#define NARROWER .6
/* The links begin so much before the encoder, as a link that was there already. */
#define LEAD FASP_SEC
#define AFTER (3 * FASP_SEC)
#define SAMPLE (100 * FASP_MSEC)
/* A link that was dark is in use again when it sends this share of what it could. */
#define BACK .25
/* Between the seeds of bonded links. */
#define SEED_STEP 1000000

static gchar *control_name = (gchar *) "adaptive";
static gchar *traces[PATHS_MOST], *dark, *series;
static gdouble skips[PATHS_MOST], seconds = 65, delay = 20, loss, queue = 300, most;
static gint first = 1, seeds = 20, latency = 400;
static gint paths = 1;
static gboolean bonded;
static FaspRateControl control;
static FILE *out;

static Capacity *
make_link (guint n, guint32 seed)
{
  g_autoptr (GError) error = NULL;
  Capacity *c;
  gint64 duration = LEAD + seconds * 1e6 + AFTER;

  if (traces[n] == NULL)
    return capacity_new_times (cellular_draw (seed + n * SEED_STEP, duration, pow (NARROWER, n)),
        duration, CAPACITY_MAHIMAHI);
  c = capacity_new_file (traces[n], skips[n] * 1e6, &error);
  if (c == NULL)
    options_refuse ("%s", error->message);
  return c;
}

static void
configure (VliveConfig *c, guint32 seed)
{
  gdouble at[2];

  vlive_config_init (c);
  c->control = control;
  c->seed = seed;
  c->latency_ms = latency;
  c->start = LEAD;
  c->end = LEAD + seconds * 1e6;
  c->most = most * 1e6;
  c->n_paths = paths;
  for (guint i = 0; i < c->n_paths; i++)
    c->paths[i] = (VlivePath) {
      .delay = (delay + i * LONGER) * FASP_MSEC,
      .loss = loss / 100,
    };
  if (dark != NULL && options_parse_numbers (dark, at, 2) == 2) {
    c->paths[c->n_paths - 1].dark = LEAD + at[0] * 1e6;
    c->paths[c->n_paths - 1].dark_end = LEAD + (at[0] + at[1]) * 1e6;
  }
}

/* --- what happens ------------------------------------------------------------------------- */

static void
write_sample (guint32 seed, Vlive *live, gint64 now, guint64 *before)
{
  const VliveConfig *c = vlive_get_config (live);
  FaspSessionStats stats = { 0 };

  vlive_get_stats (live, &stats);
  fprintf (out,
      "%u,%.1f,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
      ",%" G_GUINT64_FORMAT,
      seed, (now - c->start) / 1e6, vlive_get_announced (live), stats.pacing.rate,
      stats.delivery.in_flight, vlive_get_arrived (live));
  for (guint i = 0; i < c->n_paths; i++) {
    const Bottleneck *b = c->paths[i].there[0];
    guint64 bytes = bottleneck_get_counters (b)->bytes;

    fprintf (out, ",%.0f,%" G_GUINT64_FORMAT ",%.1f,%" G_GUINT64_FORMAT,
        capacity_get_bytes (bottleneck_get_capacity (b), now - SAMPLE, now), bytes - before[i],
        bottleneck_get_wait (b, now) / 1e3, bottleneck_get_counters (b)->dropped);
    before[i] = bytes;
  }
  fprintf (out, "\n");
}

/* How soon after the last link was dark a second began in which it sent at least BACK of what it
 * could, s; -1: it did not. */
static gdouble
find_back (const VlivePath *path, const GArray *sent)
{
  const Capacity *capacity = bottleneck_get_capacity (path->there[0]);
  const guint second = FASP_SEC / SAMPLE;

  for (guint i = (path->dark_end + SAMPLE - 1) / SAMPLE; i + second < sent->len; i++) {
    guint64 bytes = g_array_index (sent, guint64, i + second) - g_array_index (sent, guint64, i);

    if (bytes >= BACK * capacity_get_bytes (capacity, i * SAMPLE, (i + second) * SAMPLE)
        && bytes > 0)
      return (i * SAMPLE - path->dark_end) / 1e6;
  }
  return -1;
}

/* Returns how soon the last link was back. */
static gdouble
run_sampled (Vtraffic *traffic, guint32 seed, Vlive *live, gint64 end)
{
  const VliveConfig *c = vlive_get_config (live);
  const VlivePath *last = &c->paths[c->n_paths - 1];
  g_autoptr (GArray) sent = g_array_new (FALSE, FALSE, sizeof (guint64));
  guint64 before[VLIVE_PATHS] = { 0 };

  for (gint64 now = 0; now <= end; now += SAMPLE) {
    vtraffic_run (traffic, now);
    g_array_append_val (sent, bottleneck_get_counters (last->there[0])->bytes);
    if (out != NULL && now > 0)
      write_sample (seed, live, now, before);
  }
  return find_back (last, sent);
}

/* --- the figures ---------------------------------------------------------------------------- */

static void
print (const gchar *name, const RoadFigures *f, const RoadFigures *floor, gdouble again,
    guint64 dropped)
{
  printf ("%-8s %6.2f %6.2f %5.1f%% %6.2f %6.2f %6.2f %6.2f %6.1f%% %6.1f%% %5.1f%% %6.1f%% %6.1f%%"
          " %5.1f%% %6" G_GUINT64_FORMAT "\n",
      name, f->link, f->rate, f->used * 100, f->p50, f->p95, f->p99, f->most, f->late04 * 100,
      f->late1 * 100, f->lost * 100, floor->late04 * 100, floor->late1 * 100, again * 100, dropped);
  fflush (stdout);
}

static void
add (RoadFigures *sum, const RoadFigures *f)
{
  sum->frames += f->frames;
  sum->link += f->link / seeds;
  sum->rate += f->rate / seeds;
  sum->used += f->used / seeds;
  sum->p50 += f->p50 / seeds;
  sum->p95 += f->p95 / seeds;
  sum->p99 += f->p99 / seeds;
  sum->most = MAX (sum->most, f->most);
  sum->late04 += f->late04 / seeds;
  sum->late1 += f->late1 / seeds;
  sum->lost += f->lost / seeds;
}

static void
get_floor (const VliveConfig *c, guint32 seed, RoadFigures *floor)
{
  Capacity *alone[VLIVE_PATHS];

  for (guint i = 0; i < c->n_paths; i++)
    alone[i] = make_link (i, seed);
  road_floor (c, alone, floor);
  for (guint i = 0; i < c->n_paths; i++)
    capacity_free (alone[i]);
}

/* Adds what came of it to @sums: figures and floor; to @again and @dropped. */
static void
run (guint32 seed, RoadFigures sums[2], gdouble *again, guint64 *dropped)
{
  g_autoptr (Vtraffic) traffic = vtraffic_new ();
  FaspSessionStats stats = { 0 };
  RoadFigures figures, floor;
  guint64 lost = 0;
  gchar name[16];
  VliveConfig c;
  gdouble share, back;
  Vlive *live;

  configure (&c, seed);
  for (guint i = 0; i < c.n_paths; i++) {
    c.paths[i].there[0] = bottleneck_new (make_link (i, seed), queue * 1000);
    vtraffic_add_bottleneck (traffic, c.paths[i].there[0]);
  }
  live = vlive_new (&c);
  vtraffic_add_live (traffic, live);
  back = run_sampled (traffic, seed, live, c.end + AFTER);
  road_figures (live, &figures);
  get_floor (&c, seed, &floor);
  vlive_get_stats (live, &stats);
  share = (gdouble) stats.sent.bytes_rtx / MAX (stats.sent.bytes, 1);
  for (guint i = 0; i < c.n_paths; i++)
    lost += bottleneck_get_counters (c.paths[i].there[0])->dropped;
  g_snprintf (name, sizeof name, "%u", seed);
  print (name, &figures, &floor, share, lost);
  if (dark != NULL && back < 0)
    printf ("         the dark link is not in use again\n");
  else if (dark != NULL)
    printf ("         the dark link is in use again after %.1f s\n", back);
  add (&sums[0], &figures);
  add (&sums[1], &floor);
  *again += share / seeds;
  *dropped += lost;
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "control", 0, 0, G_OPTION_ARG_STRING, &control_name, "adaptive, pert", "NAME" },
    { "first", 0, 0, G_OPTION_ARG_INT, &first, "Seed of the first link", "N" },
    { "seeds", 0, 0, G_OPTION_ARG_INT, &seeds, "How many links, or runs of a recorded one", "N" },
    { "bonded", 0, 0, G_OPTION_ARG_NONE, &bonded, "Two links, the second narrower", NULL },
    { "ways", 0, 0, G_OPTION_ARG_INT, &paths, "Or so many, up to 3", "N" },
    { "trace", 0, 0, G_OPTION_ARG_FILENAME, &traces[0], "A recorded link instead", "FILE" },
    { "skip", 0, 0, G_OPTION_ARG_DOUBLE, &skips[0], "It begins there", "SECONDS" },
    { "trace2", 0, 0, G_OPTION_ARG_FILENAME, &traces[1], "And a second one, bonded", "FILE" },
    { "skip2", 0, 0, G_OPTION_ARG_DOUBLE, &skips[1], "", "SECONDS" },
    { "trace3", 0, 0, G_OPTION_ARG_FILENAME, &traces[2], "And a third", "FILE" },
    { "skip3", 0, 0, G_OPTION_ARG_DOUBLE, &skips[2], "", "SECONDS" },
    { "dark", 0, 0, G_OPTION_ARG_STRING, &dark, "The last link is dark from then on, so long",
        "AT,SECONDS" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Of each stream", "SECONDS" },
    { "delay", 0, 0, G_OPTION_ARG_DOUBLE, &delay, "In each direction, without queue", "MS" },
    { "queue", 0, 0, G_OPTION_ARG_DOUBLE, &queue, "Drop-tail, of each link", "KB" },
    { "loss", 0, 0, G_OPTION_ARG_DOUBLE, &loss, "At random, in each direction", "PERCENT" },
    { "most", 0, 0, G_OPTION_ARG_DOUBLE, &most, "Of the encoder; 0: 20", "MBIT" },
    { "latency", 0, 0, G_OPTION_ARG_INT, &latency, "", "MS" },
    { "series", 0, 0, G_OPTION_ARG_FILENAME, &series, "Write what happens, as CSV", "FILE" },
    { NULL },
  };
  RoadFigures sums[2] = { 0 };
  guint64 dropped = 0;
  gdouble again = 0;

  options_parse (&argc, &argv, entries, NULL);
  if (!vstream_parse_rate_control (control_name, &control))
    options_refuse ("there is no rate control %s", control_name);
  if (traces[0] != NULL)
    seeds = 1;
  if (bonded || traces[1] != NULL)
    paths = MAX (paths, 2);
  if (traces[2] != NULL)
    paths = PATHS_MOST;
  paths = CLAMP (paths, 1, PATHS_MOST);
  seeds = MAX (seeds, 1);
  out = series != NULL ? fopen (series, "w") : NULL;
  if (out != NULL)
    fprintf (out,
        "seed,t,told,channel,in_flight,arrived,{carries,sent,queue_ms,dropped} of each link\n");
  printf ("seed     link,Mb/s  rate   used p50, s    p95    p99   most  >0.4 s    >1 s  lost "
          " floor>0.4    >1  again   drops\n");
  for (gint i = 0; i < seeds; i++)
    run (first + i, sums, &again, &dropped);
  print ("all", &sums[0], &sums[1], again, dropped);
  if (out != NULL)
    fclose (out);
  return 0;
}
