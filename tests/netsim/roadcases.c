/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "roadcases.h"
#include "cellular.h"

/* The second of two bonded paths is so much longer. */
#define LONGER (15 * FASP_MSEC)
/* What is in flight at the end may still arrive. */
#define AFTER (3 * FASP_SEC)
/* RFC 8868, 5.1: downloads and the mean pause between them. */
#define BRIEF_LEAST 30000
#define BRIEF_MOST 50000
#define BRIEF_PAUSE (10 * FASP_SEC)
/* Between larger ones, so that they take about half of the time. */
#define DOWNLOAD_PAUSE (8 * FASP_SEC)
/* RFC 8867, 5.7: so many of these begin at once, the others with a pause. */
#define BRIEF_AT_ONCE 2

/* The rate of a satellite, and nothing of it while the next one takes over. */
#define HANDOVER(at, mbit) \
  { (at), .01 }, \
  { \
    (at) + .15, (mbit) \
  }
/* Two carriers: own fades of two seconds each ten, and common ones. */
#define CARRIER(n, rate) \
  { .fading = { 500, (rate) / 2., (rate), (rate) / 20., .05, .25, .seed = (n), .common = 1 }, \
    .queue = 300 }

/* RFC 8867, 4.2 and 4.3.  Its jitter is that of RFC 8868, 4.5.3, in that the standard deviation is
 * 5 ms, and without reordering; here it is uniform.  Its sound is a part of the stream. */
#define RFC .begin = .15, .most = 1.5, .jitter = 17.3
/* Of the queue of 300 ms, at the reference capacity of 1, 2, 3.5 and 4 Mbit/s, kB. */
#define QUEUE(mbit) .queue = 300 * (mbit) / 8.
#define ONE_LIVE(ms) \
  { \
    { \
      .end = 99, .delay = (ms), .there = ROAD_FIRST \
    } \
  }
#define STEPS_5_1 .steps = { { 0, 1 }, { 40, 2.5 }, { 60, .6 }, { 80, 1 } }
#define FORWARD(from, to, ms) { .start = (from), .end = (to), .delay = (ms), .there = ROAD_FIRST }

static const RoadCase cases[] = {
  /* --- RFC 8867.  6.1 (priorities) is missing: a stream has no priority. --- */
  { "5.1", "Variable capacity, 50 ms", 100, RFC, { { STEPS_5_1, QUEUE (1) } }, ONE_LIVE (50) },
  { "5.1-100", "Variable capacity, 100 ms", 100, RFC, { { STEPS_5_1, QUEUE (1) } },
      ONE_LIVE (100) },
  { "5.2", "Variable capacity, two streams", 125, RFC,
      { { .steps = { { 0, 4 }, { 25, 2 }, { 50, 3.5 }, { 75, 1 }, { 100, 2 } }, QUEUE (2) } },
      { FORWARD (0, 124, 50), FORWARD (0, 124, 50) } },
  { "5.3", "Congested feedback, streams both ways", 100, RFC,
      { { .steps = { { 0, 2 }, { 20, 1 }, { 40, .5 }, { 60, 2 } }, QUEUE (1) },
          { .steps = { { 0, 2 }, { 35, .8 }, { 70, 2 } }, QUEUE (1) } },
      { { .end = 99, .delay = 50, .there = ROAD_FIRST, .back = ROAD_SECOND },
          { .end = 99, .delay = 50, .there = ROAD_SECOND, .back = ROAD_FIRST } } },
  { "5.4", "Three streams", 120, RFC, { { .steps = { { 0, 3.5 } }, QUEUE (3.5) } },
      { FORWARD (0, 119, 50), FORWARD (20, 119, 50), FORWARD (40, 119, 50) } },
  { "5.5", "Round trips of 20 to 300 ms", 300, RFC, { { .steps = { { 0, 4 } }, QUEUE (4) } },
      { FORWARD (0, 299, 10), FORWARD (10, 299, 25), FORWARD (20, 299, 50), FORWARD (30, 299, 100),
          FORWARD (40, 299, 150) } },
  { "5.6", "A long TCP, queue 300 ms", 120, RFC, { { .steps = { { 0, 2 } }, QUEUE (2) } },
      { FORWARD (5, 119, 50) }, { 1, VTCP_RENO } },
  { "5.6-1000", "A long TCP, queue 1000 ms", 120, RFC,
      { { .steps = { { 0, 2 } }, .queue = 1000 * 2 / 8. } }, { FORWARD (5, 119, 50) },
      { 1, VTCP_RENO } },
  { "5.7", "Ten short TCPs", 300, RFC, { { .steps = { { 0, 2 } }, QUEUE (2) } },
      { FORWARD (5, 299, 50), FORWARD (5, 299, 50) }, { 10, VTCP_RENO, TRUE } },
  { "5.8", "Three streams, one pauses", 120, RFC, { { .steps = { { 0, 3.5 } }, QUEUE (3.5) } },
      { FORWARD (0, 119, 50),
          { .end = 119, .pause = 40, .resume = 60, .delay = 50, .there = ROAD_FIRST },
          FORWARD (0, 119, 50) } },
  { "6.2-5.1", "5.1 with ECN: a dual queue", 100, RFC, { { STEPS_5_1, QUEUE (1), .dual = TRUE } },
      ONE_LIVE (50) },
  { "6.2-5.4", "5.4 with ECN: a dual queue", 120, RFC,
      { { .steps = { { 0, 3.5 } }, QUEUE (3.5), .dual = TRUE } },
      { FORWARD (0, 119, 50), FORWARD (20, 119, 50), FORWARD (40, 119, 50) } },
  { "6.2-5.6", "5.6 with ECN: a dual queue", 120, RFC,
      { { .steps = { { 0, 2 } }, QUEUE (2), .dual = TRUE } }, { FORWARD (5, 119, 50) },
      { 1, VTCP_CUBIC, .ecn = TRUE } },
  /* between the bottlenecks is a link of 8 Mbit/s, which is none */
  { "6.3", "Two bottlenecks: S1 passes both", 300, RFC,
      { { .steps = { { 0, 2 } }, QUEUE (2) }, { .steps = { { 0, 1.5 } }, QUEUE (2) } },
      { { .end = 299, .delay = 100, .there = ROAD_BOTH },
          { .end = 299, .delay = 40, .there = ROAD_FIRST },
          { .end = 299, .delay = 40, .there = ROAD_SECOND } } },

  /* --- a dual queue of 250 ms (RFC 9332, figure 2) --- */
  { "dual", "A dual queue, 10 Mbit/s, 20 ms", 65,
      .links = { { .steps = { { 0, 10 } }, .queue = 312, .dual = TRUE } },
      .lives = { FORWARD (0, 65, 10) } },
  { "dual-steps", "A dual queue, 10, 3, 8 Mbit/s", 65,
      .links = { { .steps = { { 0, 10 }, { 20, 3 }, { 40, 8 } }, .queue = 312, .dual = TRUE } },
      .lives = { FORWARD (0, 65, 10) } },
  { "dual-cubic", "A dual queue, 10 Mbit/s, beside Cubic", 65,
      .links = { { .steps = { { 0, 10 } }, .queue = 312, .dual = TRUE } },
      .lives = { FORWARD (5, 65, 10) }, .tcp = { 1, VTCP_CUBIC, .ecn = TRUE } },

  /* --- hosts that build something, too --- */
  { "busy", "10, 3, 8 Mbit/s, 100 ms, busy hosts", 65,
      .links = { { .steps = { { 0, 10 }, { 20, 3 }, { 40, 8 } }, .queue = 250 } },
      .lives = { FORWARD (1, 65, 50) }, .load = .7 },

  /* --- mobile links, each with a queue of 300 kB --- */
  { "cell-1", "Mobile", 65, .links = { { .cellular = 1, .scale = 1, .queue = 300 } },
      .lives = { FORWARD (1, 65, 20) } },
  { "cell-15", "Mobile", 65, .links = { { .cellular = 15, .scale = 1, .queue = 300 } },
      .lives = { FORWARD (1, 65, 20) } },
  { "cell-19", "Mobile, queue 60 kB", 65, .links = { { .cellular = 19, .scale = 1, .queue = 60 } },
      .lives = { FORWARD (1, 65, 20) } },
  { "bonded-1", "Two mobile links, bonded", 65,
      .links = { { .cellular = 2, .scale = 1, .queue = 300 },
          { .cellular = 1002, .scale = .6, .queue = 300 } },
      .lives = { { .start = 1, .end = 65, .delay = 20, .bonded = TRUE } } },
  { "bonded-2", "Two mobile links, bonded, unequal", 65,
      .links = { { .cellular = 3, .scale = 1, .queue = 300 },
          { .cellular = 1003, .scale = .25, .queue = 300 } },
      .lives = { { .start = 1, .end = 65, .delay = 20, .bonded = TRUE } } },
  { "bonded-dark", "Two mobile links, bonded, one dark for 8 s", 65,
      .links = { { .cellular = 4, .scale = 1, .queue = 300 },
          { .cellular = 1004, .scale = .6, .queue = 300 } },
      .lives = { { .start = 1,
          .end = 65,
          .delay = 20,
          .bonded = TRUE,
          .dark = 16,
          .light = 24 } } },

  /* --- the shapes of other links that were recorded, of which the figures are only like them --- */
  { "mmwave", "5G mmWave, dips to nothing", 65, .most = 80,
      .links = { { .fading = { 100, 20, 120, .01, .04, .3, .seed = 1 }, .queue = 1000 } },
      .lives = { FORWARD (1, 65, 20) } },
  /* Starlink assigns satellites anew every 15 s */
  { "leo", "Satellites, another one each 15 s", 65,
      .links = { { .steps = { { 0, 12 }, HANDOVER (12, 6), HANDOVER (27, 15), HANDOVER (42, 4),
                       HANDOVER (57, 12) },
          .queue = 300 } },
      .lives = { FORWARD (1, 65, 30) } },
  { "carriers", "Two carriers, bonded, fade together and apart", 65,
      .links = { CARRIER (1, 10), CARRIER (2, 6) },
      .lives = { { .start = 1, .end = 65, .delay = 20, .bonded = TRUE } } },
  { "download", "A download comes and goes, queue 200 ms", 125,
      .links = { { .steps = { { 0, 10 } }, .queue = 250 } }, .lives = { FORWARD (1, 125, 20) },
      .tcp = { 1, VTCP_CUBIC, .mbyte = 8 } },
};

const RoadCase *
road_case_get (guint n)
{
  return n < G_N_ELEMENTS (cases) ? &cases[n] : NULL;
}

const RoadCase *
road_case_find (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (g_str_equal (cases[i].name, name))
      return &cases[i];
  return NULL;
}

gint64
road_case_get_end (const RoadCase *road)
{
  return road->seconds * FASP_SEC + AFTER;
}

/* --- its traffic ------------------------------------------------------------------------- */

/* Does a fade go on, or begin? */
static gboolean
fades (const RoadFading *fading, GRand *rand, gboolean faded)
{
  return g_rand_double (rand) < (faded ? 1 - fading->ends : fading->begins);
}

static Capacity *
draw_fading (const RoadFading *fading, gint64 end)
{
  g_autoptr (GRand) own = g_rand_new_with_seed (fading->seed);
  g_autoptr (GRand) common = g_rand_new_with_seed (fading->common);
  Capacity *capacity = capacity_new_rate (fading->most * 1e6);
  gboolean alone = FALSE, together = FALSE;

  for (gint64 at = fading->step * FASP_MSEC; at < end; at += fading->step * FASP_MSEC) {
    gdouble rate = g_rand_double_range (own, fading->least, fading->most);

    alone = fades (fading, own, alone);
    together = fading->common > 0 && fades (fading, common, together);
    capacity_add_step (capacity, at, (alone || together ? fading->low : rate) * 1e6);
  }
  return capacity;
}

static Capacity *
make_capacity (const RoadCase *road, const RoadLink *link)
{
  gint64 end = road_case_get_end (road);
  Capacity *capacity;

  if (link->cellular > 0)
    return capacity_new_times (cellular_draw (link->cellular, end, link->scale), end,
        CAPACITY_MAHIMAHI);
  if (link->fading.seed > 0)
    return draw_fading (&link->fading, end);
  capacity = capacity_new_rate (link->steps[0].mbit * 1e6);
  for (guint i = 1; i < ROAD_STEPS && link->steps[i].mbit > 0; i++)
    capacity_add_step (capacity, link->steps[i].at * FASP_SEC, link->steps[i].mbit * 1e6);
  return capacity;
}

static void
choose_hops (RoadHops hops, Bottleneck *const links[ROAD_LINKS], Bottleneck *chosen[VHOPS])
{
  guint n = 0;

  for (guint i = 0; i < ROAD_LINKS; i++)
    if (hops & 1 << i)
      chosen[n++] = links[i];
}

static void
add_live (Vtraffic *traffic, const RoadCase *road, const RoadLive *live,
    Bottleneck *const links[ROAD_LINKS], VliveConfig *c)
{
  c->start = live->start * FASP_SEC;
  c->end = live->end * FASP_SEC;
  c->pause = live->pause * FASP_SEC;
  c->resume = live->resume * FASP_SEC;
  c->begin = road->begin * 1e6;
  c->most = road->most * 1e6;
  c->load = road->load;
  c->n_paths = live->bonded ? 2 : 1;
  for (guint i = 0; i < c->n_paths; i++) {
    VlivePath *path = &c->paths[i];

    *path = (VlivePath) {
      .delay = live->delay * FASP_MSEC + i * LONGER,
      .jitter = road->jitter * FASP_MSEC,
    };
    choose_hops (live->bonded ? (RoadHops) (ROAD_FIRST << i) : live->there, links, path->there);
    choose_hops (live->back, links, path->back);
  }
  c->paths[c->n_paths - 1].dark = live->dark * FASP_SEC;
  c->paths[c->n_paths - 1].dark_end = live->light * FASP_SEC;
  vtraffic_add_live (traffic, vlive_new (c));
}

static void
add_tcp (Vtraffic *traffic, const RoadCase *road, guint n, Bottleneck *link)
{
  VrivalConfig c = {
    .kind = road->tcp.kind,
    .seed = n + 1,
    .end = (road->seconds - 1) * FASP_SEC,
    .delay = road->lives[0].delay * FASP_MSEC,
    .ecn = road->tcp.ecn,
    .there = { link },
  };

  if (road->tcp.mbyte > 0) {
    c.least = c.most = road->tcp.mbyte * 1e6;
    c.pause = DOWNLOAD_PAUSE;
  } else if (road->tcp.brief) {
    c.least = BRIEF_LEAST;
    c.most = BRIEF_MOST;
    c.pause = BRIEF_PAUSE;
    c.starts_pausing = n >= BRIEF_AT_ONCE;
  }
  vtraffic_add_rival (traffic, vrival_new (&c));
}

Vtraffic *
road_case_build (const RoadCase *road, FaspRateControl control)
{
  Vtraffic *traffic = vtraffic_new ();
  Bottleneck *links[ROAD_LINKS] = { NULL };

  for (guint i = 0; i < ROAD_LINKS && road->links[i].queue > 0; i++) {
    Capacity *capacity = make_capacity (road, &road->links[i]);
    gsize limit = road->links[i].queue * 1000;

    links[i] = road->links[i].dual ? bottleneck_new_dual (capacity, limit) :
                                     bottleneck_new (capacity, limit);
    vtraffic_add_bottleneck (traffic, links[i]);
  }
  for (guint i = 0; i < ROAD_LIVES && road->lives[i].end > 0; i++) {
    VliveConfig c;

    vlive_config_init (&c);
    c.control = control;
    c.seed = i + 1;
    add_live (traffic, road, &road->lives[i], links, &c);
  }
  for (guint i = 0; i < road->tcp.n; i++)
    add_tcp (traffic, road, i, links[0]);
  return traffic;
}
