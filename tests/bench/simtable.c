/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simtable: all that rate-control=adaptive is to do, as one table, in virtual time.
 *
 *   simtable --seeds 5 --only alone,beside
 *
 * A line for each cell: its figures, each the median and the worst of the seeds, with a ! where the
 * worst is not what it is to be, and at the end how many cells of each group are.  So a change of
 * the controller is judged by all of it at once.  A seed draws what is lost, and moves by up to
 * half a second what happens when, so that also a road without loss differs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "values.h"
#include "vroad.h"

#define FIGURES 4
#define SEEDS_MOST 32
#define LOOK FASP_MSEC
#define MBIT 1e6
#define BIN .05 /* s */
#define HOST_INTERVAL (50 * FASP_MSEC)

typedef struct _Cell Cell;
typedef struct _Run Run;

/* One run of a cell. */
struct _Run
{
  const Cell *cell;
  guint32 seed;
  GRand *rand;
  gdouble figure[FIGURES];
};

struct _Cell
{
  const gchar *group;
  gdouble link, rtt, loss; /* Mbit/s, ms, percent */
  gdouble buffer;          /* ms */
  gdouble codel;           /* ms, 0: drop-tail */
  gdouble bucket;          /* kB: the link is a policer; 0: it is not */
  gboolean ecn;
  gboolean reorders; /* by jitter */
  VroadKind us, other;
  gdouble jitter, stall, follow, source; /* as of simrate */
  gdouble pause, hold; /* the sender's host stops, and the receiver's, ms at most */
  gdouble to;          /* the link is to become, Mbit/s */
  gdouble most;        /* Mbit/s that are allowed; 0: any */
  gdouble route;       /* the round trip is to become, ms */
  void (*run) (Run *run);
  GPtrArray *runs;
};

typedef struct
{
  const gchar *name;
  gdouble least, most; /* what is to be; 0: any */
} Figure;

typedef struct
{
  const gchar *name;
  void (*run) (Run *run);
  Figure figures[FIGURES];
} Group;

static const gchar *const kinds[] = { "pert", "adaptive", "fixed", "reno", "cubic", "bbr" };

static gint seeds = 5;
static gchar *only, *us = (gchar *) "adaptive";
static gboolean quiet;

/* --- a road ------------------------------------------------------------------------ */

static void
set_link (Vroad *road, const Cell *cell, gdouble mbit)
{
  ImpairConfig *c = vroad_get_bottleneck (road);

  if (cell->bucket > 0) {
    c->police = mbit * MBIT;
    c->bucket = cell->bucket * 1e3;
    return;
  }
  c->rate = mbit * MBIT;
  c->queue = MAX (c->rate / 8e3 * cell->buffer, VROAD_PACKET);
}

static Vroad *
make_road (const Run *run)
{
  const Cell *cell = run->cell;
  ImpairConfig c = {
    .loss = cell->loss / 100,
    .keep_order = !cell->reorders,
    .jitter = cell->jitter * 1e3,
    .stall = MAX (cell->stall, cell->hold) * 1e3,
    .stall_interval = cell->hold > 0 ? HOST_INTERVAL : 0,
    .codel = cell->codel * 1e3,
  };
  Vroad *road = vroad_new (run->seed, &c);

  set_link (road, cell, cell->link);
  return road;
}

static guint
add (Vroad *road, const Run *run, VroadKind kind, guint64 source, gdouble start)
{
  const Cell *cell = run->cell;

  return vroad_add (road,
      &(VroadSender) {
          .kind = kind,
          .rtt = cell->rtt * 1e3,
          .ecn = cell->ecn && kind != VROAD_BBR,
          .start = start * 1e6,
          .follow = cell->follow,
          .source = source,
          .pause = cell->pause * 1e3,
          .pause_interval = HOST_INTERVAL,
          .max = cell->most * MBIT,
      });
}

static void
add_ours (Vroad *road, const Run *run, gdouble start)
{
  add (road, run, run->cell->us, run->cell->source * MBIT, start);
}

/* Up to half a second. */
static gdouble
draw (const Run *run)
{
  return g_rand_double_range (run->rand, 0, .5);
}

/* From @from to @until, s; adds the queue, ms, of each millisecond. */
static void
watch (Vroad *road, gdouble from, gdouble until, GArray *queue)
{
  for (gint64 now = from * 1e6; now < until * 1e6;) {
    now += LOOK;
    vroad_run (road, now);
    if (queue != NULL)
      values_add (queue, vroad_get_queue (road) / 1e3);
  }
}

/* --- the cells' runs --------------------------------------------------------------- */

/* What there is for one alone, Mbit/s. */
static gdouble
get_room (const Cell *cell)
{
  gdouble room = cell->link * (1 - cell->loss / 100);

  if (cell->most > 0)
    room = MIN (room, cell->most * (1 - cell->loss / 100));
  return cell->source > 0 ? MIN (room, cell->source) : room;
}

/* Of the link, and its queue. */
static void
run_alone (Run *run)
{
  const Cell *cell = run->cell;
  gdouble from = 10 + draw (run), until = from + 40;
  g_autoptr (GArray) queue = values_new ();
  g_autoptr (Vroad) road = make_road (run);
  guint64 before, lost;

  add_ours (road, run, 0);
  watch (road, 0, from, NULL);
  before = vroad_get_delivered (road, 0);
  lost = vroad_get_lost (road, 0);
  watch (road, from, until, queue);
  run->figure[0] =
      (vroad_get_delivered (road, 0) - before) * 8 / MBIT / (until - from) / get_room (cell);
  run->figure[1] = values_percentile (queue, .95);
  run->figure[2] = values_percentile (queue, .5);
  run->figure[3] = (vroad_get_lost (road, 0) - lost) / (until - from) / cell->link * 8 / MBIT * 100;
}

/* What arrives in the 2 s in which another route is told from a queue. */
static void
run_route (Run *run)
{
  const Cell *cell = run->cell;
  gdouble from = 10 + draw (run), until;
  g_autoptr (Vroad) road = make_road (run);
  guint64 before;

  add_ours (road, run, 0);
  watch (road, 0, from, NULL);
  vroad_set_rtt (road, 0, cell->route * 1e3);
  from += cell->route / 1e3;
  watch (road, from, from, NULL);
  before = vroad_get_delivered (road, 0);
  until = from + 2;
  watch (road, from, until, NULL);
  run->figure[0] =
      (vroad_get_delivered (road, 0) - before) * 8 / MBIT / (until - from) / get_room (cell);
}

/* One begins, and 5 s later the other; which is which changes with the seed. */
static void
run_beside (Run *run)
{
  const Cell *cell = run->cell;
  gdouble start = 5 + draw (run), from = start + 15, until = from + 60;
  g_autoptr (GArray) queue = values_new ();
  gboolean second = run->seed & 1;
  g_autoptr (Vroad) road = make_road (run);
  guint64 before[2];
  gdouble came[2];

  add_ours (road, run, second ? start : 0);
  add (road, run, cell->other, 0, second ? 0 : start);
  watch (road, 0, from, NULL);
  for (guint i = 0; i < 2; i++)
    before[i] = vroad_get_delivered (road, i);
  watch (road, from, until, queue);
  for (guint i = 0; i < 2; i++)
    came[i] = vroad_get_delivered (road, i) - before[i];
  run->figure[0] = MAX (came[0], 1) / MAX (came[1], 1);
  run->figure[1] = (came[0] + came[1]) * 8 / MBIT / (until - from) / cell->link;
  run->figure[2] = values_percentile (queue, .95);
}

/* A stream that there is room for, and then a TCP that takes all it can get: by how much it is
 * behind, at most and most of the time. */
static void
run_guest (Run *run)
{
  const Cell *cell = run->cell;
  gdouble at = 10 + draw (run), before;
  g_autoptr (GArray) behind = values_new ();
  g_autoptr (Vroad) road = make_road (run);

  add_ours (road, run, 0);
  add (road, run, cell->other, 0, at);
  watch (road, 0, at, NULL);
  before = vroad_get_delivered (road, 0);
  for (gdouble now = at; now < at + 60; now += BIN) {
    watch (road, now, now + BIN, NULL);
    values_add (behind,
        (now + BIN - at)
            - (vroad_get_delivered (road, 0) - before) * 8 / MBIT / cell->source
                / (1 - cell->loss / 100));
  }
  run->figure[0] = values_percentile (behind, 1);
  run->figure[1] = values_percentile (behind, .5);
}

/* Two of ours: by how much of the mean the one is off it. */
static void
run_two (Run *run)
{
  run_beside (run);
  run->figure[0] = fabs (run->figure[0] - 1) / (run->figure[0] + 1);
}

/* Round trips until the rate is first within a sixth of @mbit of the link. */
static gdouble
follow (Vroad *road, const Cell *cell, gdouble *now, gdouble mbit)
{
  gdouble start = *now, rate;

  for (gint64 t = start * 1e6; t < (start + 15) * 1e6; t += LOOK) {
    vroad_run (road, t);
    rate = vroad_get_rate (road, 0) / MBIT;
    *now = t / 1e6;
    if (rate >= mbit * 5 / 6 && rate <= mbit * 7 / 6)
      break;
  }
  return (*now - start) * 1e3 / cell->rtt;
}

/* The link falls, and rises again. */
static void
run_steps (Run *run)
{
  const Cell *cell = run->cell;
  gdouble at = 10 + draw (run), now = at;
  g_autoptr (GArray) queue = values_new ();
  g_autoptr (Vroad) road = make_road (run);
  guint64 lost;

  add_ours (road, run, 0);
  watch (road, 0, at, NULL);
  lost = vroad_get_lost (road, 0);
  set_link (road, cell, cell->to);
  run->figure[0] = follow (road, cell, &now, cell->to);
  while (vroad_get_queue (road) > 20 * FASP_MSEC && now < at + 40)
    vroad_run (road, (now += .001) * 1e6);
  run->figure[1] = now - at;
  watch (road, now, now + 10, queue);
  run->figure[3] = values_percentile (queue, .95);
  now = at = now + 10 + draw (run);
  watch (road, now, at, NULL);
  set_link (road, cell, cell->link);
  run->figure[2] = follow (road, cell, &now, cell->link);
  if (vroad_get_lost (road, 0) > lost)
    run->figure[1] += 1000;
}

/* An encoder that takes a part of what it is offered: of the link before, in and after a
 * fall, the last ten seconds of each; and the queue, but for 2 s after the fall. */
static void
run_encoder (Run *run)
{
  const Cell *cell = run->cell;
  gdouble now = 0, least = G_MAXDOUBLE;
  g_autoptr (GArray) queue = values_new ();
  g_autoptr (Vroad) road = make_road (run);

  add_ours (road, run, 0);
  for (guint i = 0; i < 3; i++) {
    gdouble link = (const gdouble[]) { cell->link, cell->to, cell->link * .8 }[i];
    gdouble from = now + 10 + draw (run), until = from + 10;
    guint64 before;

    set_link (road, cell, link);
    watch (road, now, now + 2, NULL);
    watch (road, now + 2, from, queue);
    before = vroad_get_delivered (road, 0);
    watch (road, from, until, queue);
    least = MIN (least,
        (vroad_get_delivered (road, 0) - before) * 8 / MBIT / (until - from) / link
            / MIN (1, cell->follow));
    now = until;
  }
  run->figure[0] = least;
  run->figure[1] = values_percentile (queue, .95);
  run->figure[2] = values_percentile (queue, 1);
  run->figure[3] = vroad_get_lost (road, 0) / VROAD_PACKET;
}

/* A source that has all that there is room for, then for 15 s little or nothing, and then all
 * again, of a link that may have become slower meanwhile: how long until what arrives is 0.8
 * of it, and what is lost by then. */
static void
run_burst (Run *run)
{
  const Cell *cell = run->cell;
  gdouble at = 23 + draw (run), took = 99;
  gdouble link = cell->to > 0 ? cell->to : cell->link;
  g_autoptr (GArray) queue = values_new ();
  g_autoptr (Vroad) road = make_road (run);
  guint64 lost;

  add_ours (road, run, 0);
  vroad_set_source (road, 0, cell->link * 1.1 * MBIT);
  watch (road, 0, at - 15, NULL);
  vroad_set_source (road, 0, cell->source * MBIT);
  watch (road, at - 15, at - 8, NULL);
  set_link (road, cell, link);
  watch (road, at - 8, at, NULL);
  lost = vroad_get_lost (road, 0);
  vroad_set_source (road, 0, link * 1.1 * MBIT);
  for (gdouble now = at; now < at + 5; now += BIN) {
    guint64 before = vroad_get_delivered (road, 0);

    watch (road, now, now + BIN, queue);
    if (took == 99 && (vroad_get_delivered (road, 0) - before) * 8 / MBIT / BIN >= .8 * link)
      took = (now - at) * 1e3 / cell->rtt;
  }
  run->figure[0] = took;
  run->figure[1] = values_percentile (queue, .95);
  run->figure[2] = values_percentile (queue, 1);
  run->figure[3] = (vroad_get_lost (road, 0) - lost) / VROAD_PACKET;
}

/* --- the table --------------------------------------------------------------------- */

static const Group groups[] = {
  { "alone", run_alone, { { "of link", .9, 0 }, { "p95 ms", 0, 10 }, { "p50 ms", 0, 0 } } },
  { "host", run_alone, { { "of link", .85, 0 }, { "p95 ms", 0, 10 }, { "p50 ms", 0, 0 } } },
  { "narrow", run_alone,
      { { "of link", .9, 0 }, { "p95 ms", 0, 0 }, { "p50 ms", 0, 0 }, { "lost %", 0, 1 } } },
  { "steps", run_steps,
      { { "down, rtt", 0, 5 }, { "queue gone, s", 0, 999 }, { "up, rtt", 0, 5 },
          { "p95 ms", 0, 0 } } },
  { "deep", run_steps,
      { { "down, rtt", 0, 5 }, { "queue gone, s", 0, 30 }, { "up, rtt", 0, 0 },
          { "p95 ms", 0, 80 } } },
  { "beside", run_beside, { { "ratio", 1. / 3, 3 }, { "both", .8, 0 }, { "p95 ms", 0, 0 } } },
  { "shallow", run_beside, { { "ratio", 1. / 3, 3 }, { "both", .8, 0 }, { "p95 ms", 0, 0 } } },
  { "codel", run_beside, { { "ratio", 1. / 3, 3 }, { "both", .8, 0 }, { "p95 ms", 0, 0 } } },
  { "guest", run_guest, { { "behind, s", 0, 1 }, { "p50 s", 0, 0 } } },
  { "two", run_two, { { "off", 0, .2 }, { "both", .9, 0 }, { "p95 ms", 0, 0 } } },
  { "jitter", run_alone, { { "of wanted", .9, 0 }, { "p95 ms", 0, 0 }, { "p50 ms", 0, 0 } } },
  { "reorder", run_alone, { { "of wanted", .9, 0 }, { "p95 ms", 0, 0 }, { "p50 ms", 0, 0 } } },
  { "most", run_alone, { { "of that", .9, 0 }, { "p95 ms", 0, 10 }, { "p50 ms", 0, 0 } } },
  { "route", run_route, { { "of wanted", .9, 0 } } },
  { "encoder", run_encoder,
      { { "of link", .8, 0 }, { "p95 ms", 0, 50 }, { "max ms", 0, 0 }, { "lost", 0, 0 } } },
  { "burst", run_burst,
      { { "found, rtt", 0, 5 }, { "p95 ms", 0, 0 }, { "max ms", 0, 0 }, { "lost", 0, 0 } } },
  { "policer", run_alone,
      { { "of link", .8, 0 }, { "p95 ms", 0, 0 }, { "p50 ms", 0, 0 }, { "lost %", 0, 5 } } },
  { "policed", run_beside, { { "ratio", 1. / 3, 3 }, { "both", .7, 0 }, { "p95 ms", 0, 0 } } },
  { "pert", run_alone, { { "of link", .9, 0 }, { "p95 ms", 0, 0 }, { "p50 ms", 0, 0 } } },
  { "pertcubic", run_beside, { { "ratio", 1. / 3, 3 }, { "both", .8, 0 }, { "p95 ms", 0, 0 } } },
};

static const Group *
find_group (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (g_str_equal (groups[i].name, name))
      return &groups[i];
  return NULL;
}

static gboolean
is_wanted (const gchar *name)
{
  g_auto (GStrv) names = only != NULL ? g_strsplit (only, ",", -1) : NULL;

  return names == NULL || g_strv_contains ((const gchar *const *) names, name);
}

static VroadKind
parse_kind (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (name, kinds[i]))
      return i;
  options_refuse ("there is no %s", name);
}

static void
add_cell (GPtrArray *cells, Cell cell)
{
  Cell *c = g_memdup2 (&cell, sizeof cell);

  if (!is_wanted (cell.group)) {
    g_free (c);
    return;
  }
  c->run = find_group (cell.group)->run;
  c->buffer = c->buffer > 0 ? c->buffer : 200;
  c->us = g_str_has_prefix (c->group, "pert") ? VROAD_PERT : parse_kind (us);
  c->runs = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (cells, c);
}

static void
make_cells (GPtrArray *cells)
{
  static const gdouble links[] = { 2, 10, 100 };
  static const gdouble rtts[] = { 20, 100, 400 };
  static const gdouble losses[] = { 0, .1, 1, 5 };
  static const gdouble jitters[] = { 5, 20, 40 };
  static const gdouble reorderings[] = { 20, 40, 80 };
  static const gdouble sources[] = { 0, 2, 6 };
  static const VroadKind others[] = { VROAD_RENO, VROAD_CUBIC, VROAD_BBR };
  static const gdouble shares[] = { .9, .6 };
  static const gdouble routes[][2] = { { 40, 300 }, { 300, 40 }, { 20, 120 }, { 100, 400 },
    { 40, 75 }, { 20, 50 }, { 60, 85 }, { 150, 180 } };
  static const gdouble deep[] = { 50, 200, 1000 };
  static const gdouble shallow[] = { 5, 10, 20 };
  static const gdouble buckets[] = { 10, 50, 500 };
  static const gdouble guests[] = { 40, 200, 400 };

  for (guint i = 0; i < 36; i++)
    add_cell (cells,
        (Cell) { "alone", .link = links[i / 12], .rtt = rtts[i / 4 % 3], .loss = losses[i % 4] });
  for (guint i = 0; i < 18; i++)
    add_cell (cells,
        (Cell) { "host", .link = i / 9 ? 100 : 10, .rtt = rtts[i / 3 % 3],
            .pause = i % 3 == 1 ? 0 :
                i / 9           ? 10 :
                                  5,
            .hold = i % 3 == 0 ? 0 :
                i / 9          ? 10 :
                                 5 });
  for (guint i = 0; i < 12; i++)
    add_cell (cells,
        (Cell) { "narrow", .link = i / 6 ? 50 : 10, .rtt = rtts[i / 3 % 2],
            .buffer = shallow[i % 3] });
  for (guint i = 0; i < 6; i++)
    add_cell (cells,
        (Cell) { "steps", .link = i / 3 ? 100 : 10, .to = i / 3 ? 50 : 5, .rtt = rtts[i % 3],
            .buffer = 2000 });
  for (guint i = 0; i < 3; i++)
    add_cell (cells, (Cell) { "deep", .link = 10, .to = 1, .rtt = rtts[i], .buffer = 20000 });
  for (guint i = 0; i < 36; i++)
    add_cell (cells,
        (Cell) { "beside", .other = others[i / 12], .link = i / 6 % 2 ? 50 : 10,
            .rtt = rtts[i / 3 % 2], .buffer = deep[i % 3] });
  for (guint i = 0; i < 36; i++)
    add_cell (cells,
        (Cell) { "shallow", .other = others[i / 12], .link = i / 6 % 2 ? 50 : 10,
            .rtt = rtts[i / 3 % 2], .buffer = shallow[i % 3] });
  for (guint i = 0; i < 24; i++)
    add_cell (cells,
        (Cell) { "codel", .other = others[i / 8], .link = i / 4 % 2 ? 50 : 10,
            .rtt = rtts[i / 2 % 2], .codel = 5, .ecn = i % 2 });
  for (guint i = 0; i < 36; i++)
    add_cell (cells,
        (Cell) { "guest", .other = others[i / 12], .link = 10, .rtt = rtts[i / 6 % 2],
            .loss = i % 2, .buffer = guests[i / 2 % 3], .source = 4 });
  for (guint i = 0; i < 12; i++)
    add_cell (cells,
        (Cell) { "guest", .other = VROAD_CUBIC, .link = 10, .rtt = rtts[i / 6],
            .buffer = guests[i / 2 % 3], .source = 4, .most = i % 2 ? 6 : 8 });
  for (guint i = 0; i < 8; i++)
    add_cell (cells,
        (Cell) { "two", .other = VROAD_ADAPTIVE, .link = i % 2 ? 100 : 10, .rtt = rtts[i / 2 % 3],
            .codel = i / 6 * 5, .ecn = i / 6 });
  for (guint i = 0; i < 12; i++)
    add_cell (cells,
        (Cell) { "jitter", .link = 10, .rtt = rtts[i % 2], .jitter = jitters[i / 2 % 3],
            .source = i / 6 * 6 });
  for (guint i = 0; i < 4; i++)
    add_cell (cells,
        (Cell) { "jitter", .link = 10, .rtt = rtts[i % 2], .loss = 1, .jitter = jitters[i / 2] });
  for (guint i = 0; i < 2; i++)
    add_cell (cells, (Cell) { "jitter", .link = 10, .rtt = rtts[i % 2], .stall = 150 });
  for (guint i = 0; i < 18; i++)
    add_cell (cells,
        (Cell) { "reorder", .link = i / 9 ? 20 : 10, .rtt = i / 9 ? 60 : 100, .loss = .5,
            .jitter = reorderings[i % 3], .reorders = TRUE, .source = sources[i / 3 % 3] });
  for (guint i = 0; i < 12; i++)
    add_cell (cells,
        (Cell) { "most", .link = 20, .rtt = rtts[i % 3], .loss = i / 3 % 2,
            .most = i / 6 ? 15 : 5 });
  for (guint i = 0; i < 32; i++)
    add_cell (cells,
        (Cell) { "route", .link = 10, .rtt = routes[i % 8][0], .route = routes[i % 8][1],
            .source = i / 8 % 2 * 6, .jitter = i / 16 * 10, .loss = i / 16 });
  for (guint i = 0; i < 6; i++)
    add_cell (cells,
        (Cell) { "encoder", .link = 10, .to = 3, .rtt = rtts[i % 3], .follow = shares[i / 3],
            .buffer = 2000 });
  for (guint i = 0; i < 9; i++)
    add_cell (cells,
        (Cell) { "burst", .link = 10, .rtt = rtts[i % 3],
            .source = (const gdouble[]) { .01, 1, 5 }[i / 3], .buffer = 1000 });
  for (guint i = 0; i < 3; i++)
    add_cell (cells,
        (Cell) { "burst", .link = 10, .to = 3, .rtt = rtts[i], .source = 1, .buffer = 2000 });
  for (guint i = 0; i < 36; i++)
    add_cell (cells,
        (Cell) { "policer", .link = i / 3 % 2 ? 30 : 6, .rtt = rtts[i / 6 % 2],
            .bucket = buckets[i % 3], .loss = i / 12 % 2 * 2, .follow = i / 24 * .9 });
  for (guint i = 0; i < 24; i++)
    add_cell (cells,
        (Cell) { "policed", .other = i / 6 < 3 ? others[i / 6] : VROAD_ADAPTIVE, .link = 10,
            .rtt = rtts[i / 3 % 2], .bucket = buckets[i % 3] });
  add_cell (cells, (Cell) { "pert", .link = 15, .rtt = 45, .buffer = 33 });
  for (guint i = 0; i < 2; i++)
    add_cell (cells,
        (Cell) { "pertcubic", .link = 15, .rtt = i ? 100 : 45, .buffer = 33,
            .other = VROAD_CUBIC });
}

static void
run_one (gpointer data, gpointer unused)
{
  Run *run = data;

  run->rand = g_rand_new_with_seed (run->seed);
  run->cell->run (run);
  g_rand_free (run->rand);
}

static void
describe (const Cell *c)
{
  printf ("%-9s %3g M %3g ms", c->group, c->link, c->rtt);
  if (c->loss > 0)
    printf (" loss %g%%", c->loss);
  if (c->other > 0)
    printf (" %s", kinds[c->other]);
  if (c->bucket > 0)
    printf (" policer %g kB", c->bucket);
  else if (c->codel > 0)
    printf (" codel%s", c->ecn ? "+ecn" : "");
  else if (c->buffer != 200)
    printf (" buffer %g", c->buffer);
  if (c->jitter > 0)
    printf (" jitter %g%s", c->jitter, c->reorders ? "+reordering" : "");
  if (c->stall > 0)
    printf (" stall %g", c->stall);
  if (c->pause > 0)
    printf (" pauses %g", c->pause);
  if (c->hold > 0)
    printf (" holds %g", c->hold);
  if (c->follow > 0)
    printf (" follow %g", c->follow);
  if (c->source > 0)
    printf (" source %g", c->source);
  if (c->to > 0)
    printf (" to %g", c->to);
  if (c->most > 0)
    printf (" at most %g", c->most);
  if (c->route > 0)
    printf (" route of %g ms", c->route);
}

/* How far @value is from what is to be; 0 or less: it is that. */
static gdouble
get_excess (const Figure *f, gdouble value)
{
  gdouble low = f->least > 0 ? f->least / MAX (value, 1e-9) : 0;
  gdouble high = f->most > 0 ? value / f->most : 0;

  return MAX (low, high) - 1;
}

/* FALSE: a figure is not what it is to be. */
static gboolean
judge (const Cell *cell)
{
  const Group *group = find_group (cell->group);
  gboolean good = TRUE;

  if (!quiet)
    describe (cell);
  for (guint f = 0; f < FIGURES && group->figures[f].name != NULL; f++) {
    const Figure *figure = &group->figures[f];
    g_autoptr (GArray) values = values_new ();
    gdouble worst = 0;
    gboolean met;

    for (guint i = 0; i < cell->runs->len; i++) {
      const Run *run = g_ptr_array_index (cell->runs, i);

      values_add (values, run->figure[f]);
      if (i == 0
          || (figure->least > 0 || figure->most > 0 ?
                  get_excess (figure, run->figure[f]) > get_excess (figure, worst) :
                  run->figure[f] > worst))
        worst = run->figure[f];
    }
    met = get_excess (figure, worst) <= 0;
    good = good && met;
    if (!quiet)
      printf ("; %s %.3g %.3g%s", figure->name, values_percentile (values, .5), worst,
          met ? "" : "!");
  }
  if (!quiet)
    printf ("\n");
  return good;
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "seeds", 0, 0, G_OPTION_ARG_INT, &seeds, "Runs of each cell", "N" },
    { "only", 0, 0, G_OPTION_ARG_STRING, &only, "Groups", "A,B,..." },
    { "us", 0, 0, G_OPTION_ARG_STRING, &us,
        "In the place of adaptive, beside others: reno, cubic, bbr", "NAME" },
    { "quiet", 0, 0, G_OPTION_ARG_NONE, &quiet, "Only how many", NULL },
    { NULL },
  };
  g_autoptr (GPtrArray) cells = g_ptr_array_new ();
  guint good[G_N_ELEMENTS (groups)] = { 0 }, all[G_N_ELEMENTS (groups)] = { 0 };
  GThreadPool *pool;

  options_parse (&argc, &argv, entries, NULL);
  seeds = CLAMP (seeds, 1, SEEDS_MOST);
  make_cells (cells);
  pool = g_thread_pool_new (run_one, NULL, 2, FALSE, NULL);
  for (guint i = 0; i < cells->len; i++) {
    Cell *cell = g_ptr_array_index (cells, i);

    for (gint seed = 1; seed <= seeds; seed++) {
      Run *run = g_new0 (Run, 1);

      run->cell = cell;
      run->seed = seed;
      g_ptr_array_add (cell->runs, run);
      g_thread_pool_push (pool, run, NULL);
    }
  }
  g_thread_pool_free (pool, FALSE, TRUE);
  for (guint i = 0; i < cells->len; i++) {
    Cell *cell = g_ptr_array_index (cells, i);
    gsize group = find_group (cell->group) - groups;

    all[group]++;
    good[group] += judge (cell);
    g_ptr_array_unref (cell->runs);
    g_free (cell);
  }
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (all[i] > 0)
      printf ("%s %u of %u; ", groups[i].name, good[i], all[i]);
  printf ("\n");
  return 0;
}
