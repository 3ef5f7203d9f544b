/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An encoder whose host is busy makes less than it is told, and its pictures come out bit by bit,
 * so that no pulse tells what the link carries.  What it does not use is not known to be there: it
 * is not told much more than the link carries.
 */
#include "vtraffic.h"

#define MBIT 1000000
#define SEEDS 16
#define LOAD .7 /* of the hosts at most, and half of that at least */
#define THIRD (20 * FASP_SEC)
#define START FASP_SEC
/* The controller has found the link by then. */
#define SETTLED (5 * FASP_SEC)
#define SAMPLE (10 * FASP_MSEC)

typedef struct
{
  gdouble over;      /* share of the time in which it was told more than the link carries */
  gdouble announced; /* what was announced at most, in times what the link carries, */
  gdouble rate;      /* and the channel rate at most */
} Figures;

static const guint64 links[] = { 10 * MBIT, 3 * MBIT, 8 * MBIT };

static Vlive *
new_live (Vtraffic *traffic, guint seed)
{
  Capacity *capacity = capacity_new_rate (links[0]);
  VliveConfig c;

  for (guint i = 1; i < G_N_ELEMENTS (links); i++)
    capacity_add_step (capacity, START + i * THIRD, links[i]);
  vlive_config_init (&c);
  c.seed = seed;
  c.latency_ms = 1000;
  c.start = START;
  c.end = START + 3 * THIRD;
  c.load = LOAD;
  c.paths[0].there[0] = bottleneck_new (capacity, links[0] / 8 / 5);
  c.paths[0].delay = 50 * FASP_MSEC;
  c.paths[0].loss = .001;
  vtraffic_add_bottleneck (traffic, c.paths[0].there[0]);
  return vlive_new (&c);
}

static void
run (guint seed, Figures *figures)
{
  g_autoptr (Vtraffic) traffic = vtraffic_new ();
  Vlive *live = new_live (traffic, seed);
  guint n = 0, over = 0;

  *figures = (Figures) { 0 };
  vtraffic_add_live (traffic, live);
  for (gint64 now = 0; now < START + 3 * THIRD; now += SAMPLE) {
    guint third = CLAMP ((now - START) / THIRD, 0, 2);
    FaspSessionStats stats = { 0 };
    gdouble announced;

    vtraffic_run (traffic, now);
    if (now < START + third * THIRD + SETTLED || !vlive_get_stats (live, &stats))
      continue;
    announced = (gdouble) vlive_get_announced (live) / links[third];
    figures->announced = MAX (figures->announced, announced);
    figures->rate = MAX (figures->rate, (gdouble) stats.pacing.rate / links[third]);
    over += announced > 1;
    n++;
  }
  figures->over = (gdouble) over / n;
}

static void
test_announced (void)
{
  Figures mean = { 0 };

  for (guint seed = 1; seed <= SEEDS; seed++) {
    Figures f;

    run (seed, &f);
    g_test_message ("%2u: told more than the link %4.1f %% of the time, %.2f times at most; "
                    "rate %.2f times at most",
        seed, f.over * 100, f.announced, f.rate);
    mean.over += f.over / SEEDS;
    mean.announced += f.announced / SEEDS;
    mean.rate += f.rate / SEEDS;
  }
  g_test_message ("mean: %.1f %%, %.2f; %.2f", mean.over * 100, mean.announced, mean.rate);
  g_assert_cmpfloat (mean.over, <, .15);
  g_assert_cmpfloat (mean.announced, <, 1.6);
  g_assert_cmpfloat (mean.rate, <, 1.9);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/busy/announced", test_announced);
  return g_test_run ();
}
