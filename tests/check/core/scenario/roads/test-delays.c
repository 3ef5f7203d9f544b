/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * adaptive on roads (vroad) whose delay changes without a queue: by another route, by jitter, by
 * packets that overtake each other, and by stalls.
 */
#include "impair.h"
#include "road.h"
#include "vroad.h"

/* What is live and more than the link will never be in time, so a host that holds packets now and
 * then is no reason to let a queue stand. */
static void
test_too_much (void)
{
  const gint64 from = 8 * FASP_SEC, until = 24 * FASP_SEC;

  for (guint i = 0; i < 6; i++) {
    gint64 rtt = 20000 << i % 3;
    g_autoptr (Vroad) road = road_new (10, 200000, i / 3 * .01, i);
    g_autoptr (GArray) queues = g_array_new (FALSE, FALSE, sizeof (gint64));
    gint64 queue;

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtt, .source = 13000000 });
    for (gint64 now = 0; now < until; now += FASP_MSEC) {
      vroad_get_bottleneck (road)->delay = now % 1700000 == 0 ? 24000 : 0;
      vroad_run (road, now);
      if (now >= from)
        vroad_note_queue (road, queues);
    }
    queue = vroad_get_p95 (queues);
    g_test_message ("%d ms: %.1f ms", (gint) (rtt / 1000), queue / 1e3);
    g_assert_cmpint (queue, <, 15 * FASP_MSEC);
  }
}

/* What comes in the 2 s after another route, of what would have come of the old one. */
static gdouble
get_share_of_route (const gint64 *rtt, guint source, gdouble loss, guint seed)
{
  Vroad *road = road_new (10, 200000, loss, seed);
  gint64 at = 10 * FASP_SEC + seed * 7000;
  gdouble got;

  vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtt[0], .source = source });
  vroad_run (road, at);
  vroad_set_rtt (road, 0, rtt[1]);
  got = road_watch (road, at + rtt[1], at + rtt[1] + 2 * FASP_SEC, NULL);
  vroad_free (road);
  return got / (source > 0 ? source / 1e6 : 10);
}

/* Another route, of the same rate: it takes two or three round trips to see that this is no queue.
 * In the mean of some moments: what a loss or a pulse makes of one differs. */
static void
test_route (void)
{
  static const gint64 rtts[][2] = { { 40000, 300000 }, { 300000, 40000 }, { 20000, 120000 },
    { 100000, 400000 }, { 40000, 75000 }, { 20000, 50000 }, { 60000, 85000 }, { 150000, 180000 } };
  const guint n = 8, m = G_N_ELEMENTS (rtts);

  for (guint i = 0; i < 4 * m; i++) {
    const gint64 *rtt = rtts[i % m];
    gdouble share = 0;

    for (guint seed = 0; seed < n; seed++)
      share += get_share_of_route (rtt, i / 2 / m ? 6000000 : 0, i / m % 2 ? .01 : 0, seed) / n;
    g_test_message ("%d to %d ms: %.3f", (gint) (rtt[0] / 1000), (gint) (rtt[1] / 1000), share);
    g_assert_cmpfloat (share, >, .45);
  }
}

/* Delays that spread by 20 ms without a queue are no slower path, and nobody else's
 * queue. */
static void
test_jitter (void)
{
  for (guint i = 0; i < 8; i++) {
    g_autoptr (Vroad) road = road_new (10, 200000, i & 4 ? .01 : 0, i);
    gdouble wanted = i & 2 ? 6 : 10, got;

    vroad_get_bottleneck (road)->jitter = 20000;
    vroad_add (road,
        &(VroadSender) {
            .kind = VROAD_ADAPTIVE,
            .rtt = i & 1 ? 100000 : 20000,
            .source = i & 2 ? 6000000 : 0,
        });
    got = road_watch (road, 0, 10 * FASP_SEC, NULL);
    g_test_message ("%u: %.3f", i, got / wanted);
    g_assert_cmpfloat (got, >, wanted * (i & 2 ? .95 : .8));
  }
}

/* Nor do they keep a search from finding what a stream needs: it is behind by more than 0.4 s for
 * a moment at most, in the mean, from its start on. */
static void
test_jitter_start (void)
{
  const gdouble mbit = 4;
  const guint n = 16;

  for (guint i = 0; i < 4; i++) {
    gdouble behind = 0;

    for (guint seed = 0; seed < n; seed++) {
      g_autoptr (Vroad) road = road_new (20, 200000, .005, seed);
      ImpairConfig *bottleneck = vroad_get_bottleneck (road);

      bottleneck->jitter = 40000 << i / 2;
      bottleneck->keep_order = i % 2;
      vroad_add (road,
          &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = 60000, .source = mbit * 1e6 });
      for (gint64 now = 0; now < 12 * FASP_SEC; now += FASP_SEC / 10) {
        gdouble all = mbit * (now - 400000) / 8;

        vroad_run (road, now);
        behind += vroad_get_delivered (road, 0) < all ? .1 / n : 0;
      }
    }
    g_test_message ("%d ms%s: %.2f s", 40 << i / 2, i % 2 ? "" : ", reordered", behind);
    g_assert_cmpfloat (behind, <, .6);
  }
}

/* Packets that overtake each other by up to 60 ms: those that are not there yet are not lost,
 * and what waits for them is no queue. */
static void
test_reordering (void)
{
  static const gdouble sources[] = { 0, 2, 6 };

  for (guint i = 0; i < 9; i++) {
    gdouble source = sources[i % 3], wanted = source > 0 ? source : 20, got;
    g_autoptr (Vroad) road = road_new (20, 200000, .005, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);

    bottleneck->jitter = 20000 * (1 + i / 3);
    bottleneck->keep_order = FALSE;
    vroad_add (road,
        &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = 60000, .source = source * 1e6 });
    got = road_watch (road, 5 * FASP_SEC, 25 * FASP_SEC, NULL);
    g_test_message ("%u: %.3f", i, got / wanted);
    g_assert_cmpfloat (got, >, wanted * .85);
  }
}

/* A host or a radio link that holds everything for up to 100 ms now and then has not become
 * slower, either. */
static void
test_stalls (void)
{
  for (guint i = 0; i < 16; i++) {
    g_autoptr (Vroad) road = road_new (10, 500000, 0, i);
    gdouble got;

    vroad_get_bottleneck (road)->stall = 100000;
    vroad_add (road,
        &(VroadSender) {
            .kind = VROAD_ADAPTIVE,
            .rtt = i & 1 ? 100000 : 20000,
            .follow = .9,
        });
    got = road_watch (road, 0, 60 * FASP_SEC, NULL);
    g_test_message ("%u: %.3f", i, got);
    g_assert_cmpfloat (got, >, 8.2);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/too-much", test_too_much);
  g_test_add_func ("/rate/route", test_route);
  g_test_add_func ("/rate/jitter", test_jitter);
  g_test_add_func ("/rate/jitter/start", test_jitter_start);
  g_test_add_func ("/rate/reordering", test_reordering);
  g_test_add_func ("/rate/stalls", test_stalls);
  return g_test_run ();
}
