/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fixed rate over two paths: each path gets what it carries, and all together max-bitrate.
 */
#include "roadfigures.h"
#include "vcases.h"
#include "vtraffic.h"

#define MBIT 1000000
#define QUEUE 150000
#define START FASP_SEC
#define SECONDS 40

/* A path of this rate from a time on, s after the start. */
typedef struct
{
  guint path, from;
  gdouble mbit;
} Step;

typedef struct
{
  const gchar *name;
  gdouble links[2], stream, max; /* Mbit/s */
  FaspTime delays[2];            /* ms */
  gdouble loss;                  /* of the second path */
  guint dark_path, dark;         /* s after the start, for 8 s; 0: none is dark */
  Step steps[6];
  gdouble late; /* at most this share of the pictures is later than 0.4 s */
  gdouble sent; /* and at most so many bytes leave for each of the stream */
} Case;

static const Case cases[] = {
  { "quick-first", { 8, 2 }, 8, 9, { 10, 40 }, .late = .01, .sent = 1.06 },
  { "slow-first", { 2, 8 }, 8, 9, { 10, 40 }, .late = .04, .sent = 1.06 },
  { "unlike", { 6, 6 }, 8, 9, { 20, 120 }, .loss = .03, .late = .02, .sent = 1.07 },
  { "fades", { 8, 8 }, 7.5, 9, { 20, 40 }, .steps = { { 1, 12, .5 }, { 1, 25, 8 } }, .late = .02,
      .sent = 1.06 },
  { "comes-back", { 8, 8 }, 8, 9, { 20, 40 },
      .steps = { { 0, 10, 4 }, { 0, 11, 2 }, { 0, 12, 1 }, { 0, 20, 2 }, { 0, 22, 4 },
          { 0, 24, 8 } },
      .late = .01, .sent = 1.06 },
  { "dark/quick", { 8, 8 }, 7, 9, { 20, 40 }, .dark_path = 0, .dark = 15, .late = .01,
      .sent = 1.06 },
  { "dark/slow", { 8, 8 }, 7, 9, { 20, 40 }, .dark_path = 1, .dark = 15, .late = .01,
      .sent = 1.06 },
};

static guint64
add_up (const GArray *frames)
{
  guint64 bytes = 0;

  for (guint i = 0; i < frames->len; i++)
    bytes += g_array_index (frames, VliveFrame, i).size;
  return bytes;
}

/* Adds the links to @traffic and to the paths. */
static void
add_links (const Case *t, Vtraffic *traffic, VliveConfig *c)
{
  for (guint i = 0; i < 2; i++) {
    Capacity *capacity = capacity_new_rate (t->links[i] * MBIT);

    for (guint k = 0; k < G_N_ELEMENTS (t->steps) && t->steps[k].from > 0; k++)
      if (t->steps[k].path == i)
        capacity_add_step (capacity, START + t->steps[k].from * FASP_SEC, t->steps[k].mbit * MBIT);
    c->paths[i].there[0] = bottleneck_new (capacity, QUEUE);
    c->paths[i].delay = t->delays[i] * FASP_MSEC;
    vtraffic_add_bottleneck (traffic, c->paths[i].there[0]);
  }
}

/* No second carries more than max-bitrate, the pictures come in time, and little is sent twice. */
static void
test_fixed (gconstpointer data)
{
  const Case *t = data;
  g_autoptr (Vtraffic) traffic = vtraffic_new ();
  FaspSessionStats stats;
  RoadFigures figures;
  guint64 before = 0;
  VliveConfig c;
  gdouble sent;
  Vlive *live;

  vlive_config_init (&c);
  c.control = FASP_RATE_CONTROL_FIXED;
  c.max = t->max * MBIT;
  c.latency_ms = 1000;
  c.start = START;
  c.end = START + SECONDS * FASP_SEC;
  c.begin = c.most = t->stream * MBIT;
  c.steady = TRUE;
  c.n_paths = 2;
  c.paths[1].loss = t->loss;
  c.paths[t->dark_path].dark = START + t->dark * FASP_SEC;
  c.paths[t->dark_path].dark_end = t->dark > 0 ? START + (t->dark + 8) * FASP_SEC : 0;
  add_links (t, traffic, &c);
  live = vlive_new (&c);
  vtraffic_add_live (traffic, live);
  for (FaspTime now = START + FASP_SEC; now < c.end; now += FASP_SEC) {
    vtraffic_run (traffic, now);
    g_assert_true (vlive_get_stats (live, &stats));
    g_assert_cmpuint (stats.sent.wire_bytes - before, <=, c.max / 8 + 8192);
    before = stats.sent.wire_bytes;
  }
  vtraffic_run (traffic, c.end + 10 * FASP_SEC);
  road_figures (live, &figures);
  g_assert_true (vlive_get_stats (live, &stats));
  sent = (gdouble) stats.sent.wire_bytes / add_up (vlive_get_frames (live));
  g_test_message ("%.4f later than 0.4 s, %.2f s at most, %.3f sent", figures.late04, figures.most,
      sent);
  g_assert_cmpfloat (figures.lost, ==, 0);
  g_assert_cmpfloat (figures.late1, ==, 0);
  g_assert_cmpfloat (figures.late04, <=, t->late);
  g_assert_cmpfloat (sent, <=, t->sent);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/fixed-paths", cases, sizeof *cases, G_N_ELEMENTS (cases), test_fixed);
  return g_test_run ();
}
