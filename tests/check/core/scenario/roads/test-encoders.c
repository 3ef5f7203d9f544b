/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources that follow what they are offered, and sources that do not, when the road (vroad) has
 * less than they send.
 */
#include "impair.h"
#include "road.h"
#include "vroad.h"

/* One that has never met the bottleneck, and then there is less than it has: what is told of
 * few packets says so, too. */
static void
test_source_falls (void)
{
  static const struct
  {
    guint link;
    guint64 source, then;
  } falls[] = {
    { 100, 4000000, 3000000 },
    { 50, 6000000, 4000000 },
    { 10, 1000000, 700000 },
    { 10, 500000, 300000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (falls); i++) {
    g_autoptr (Vroad) road = road_new (falls[i].link, 200000, 0, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);
    guint64 lost;

    vroad_add (road,
        &(VroadSender) {
            .kind = VROAD_ADAPTIVE,
            .rtt = 100000,
            .source = falls[i].source,
        });
    vroad_run (road, 10 * FASP_SEC);
    bottleneck->rate = falls[i].then;
    bottleneck->queue = falls[i].then / 8 / 5;
    vroad_run (road, 15 * FASP_SEC);
    lost = vroad_get_lost (road, 0);
    vroad_run (road, 40 * FASP_SEC);
    g_assert_cmpuint (vroad_get_rate (road, 0), <=, falls[i].then * 1.3);
    g_assert_cmpuint (vroad_get_lost (road, 0) - lost, <, .01 * 25 * falls[i].then / 8);
  }
}

/* Live sources whose line falls far below what they have: how much is lost until that is known, in
 * seconds of what the line carries, in the mean of a few moments. */
static void
test_source_falls_far (void)
{
  static const struct
  {
    guint64 link, source, then;
    gsize queue;
    gint64 rtt;
    gdouble lost;
  } falls[] = {
    { 15000000, 4200000, 2100000, 200000, 50000, 3 },
    { 15000000, 4200000, 2900000, 70000, 150000, 1.8 },
    { 15000000, 4200000, 1260000, 120000, 50000, 16 },
    { 10000000, 500000, 300000, 7500, 100000, 3.5 },
  };
  const guint n = 4;

  for (guint i = 0; i < G_N_ELEMENTS (falls); i++) {
    gdouble lost = 0;

    for (guint seed = 0; seed < n; seed++) {
      ImpairConfig config = { .rate = falls[i].link, .queue = falls[i].queue };
      g_autoptr (Vroad) road = vroad_new (seed, &config);
      gint64 at = 8 * FASP_SEC + seed * 37000;

      vroad_add (road,
          &(VroadSender) {
              .kind = VROAD_ADAPTIVE,
              .rtt = falls[i].rtt,
              .source = falls[i].source,
          });
      vroad_run (road, at);
      vroad_get_bottleneck (road)->rate = falls[i].then;
      lost -= vroad_get_lost (road, 0);
      vroad_run (road, at + 30 * FASP_SEC);
      lost += vroad_get_lost (road, 0);
    }
    lost *= 8. / falls[i].then / n;
    g_test_message ("%u: %.2f s", i, lost);
    g_assert_cmpfloat (lost, <, falls[i].lost);
  }
}

/* Wherever in its search an encoder on a long path is when the link falls, what it makes meanwhile
 * is gone within ten round trips and two seconds. */
static void
test_encoder_long (void)
{
  const gint64 rtt = 400000;
  gdouble mean = 0;

  for (guint i = 0; i < 30; i++) {
    g_autoptr (Vroad) road = road_new (10, 2 * FASP_SEC, 0, i);
    gint64 at = 20 * FASP_SEC + i * 146000, longest = 0;

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtt, .follow = .9 });
    vroad_run (road, at);
    vroad_get_bottleneck (road)->rate = 3000000;
    for (gint64 now = at; now < at + 2 * FASP_SEC + 10 * rtt; now += 10 * FASP_MSEC) {
      vroad_run (road, now);
      longest = MAX (longest, vroad_get_queue (road));
    }
    g_assert_cmpint (vroad_get_queue (road), <, 50 * FASP_MSEC);
    mean += longest / 30e6;
  }
  g_test_message ("%.2f s", mean);
  g_assert_cmpfloat (mean, <, 1.3);
}

/* An encoder that has 90 % of what is offered, over 10, 3, 8 Mbit/s: nothing is lost, no
 * queue ever lasts, and it gets there. */
static void
test_encoder (void)
{
  static const gint64 rtts[] = { 20000, 100000, 400000 };

  for (guint i = 0; i < 3; i++) {
    g_autoptr (Vroad) road = road_new (10, 2 * FASP_SEC, 0, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);
    gint64 settled = 22 * FASP_SEC + 10 * rtts[i], queue;

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtts[i], .follow = .9 });
    vroad_run (road, 20 * FASP_SEC);
    g_assert_cmpuint (vroad_get_delivered (road, 0), >, 18 * 8500000 / 8);
    bottleneck->rate = 3000000;
    vroad_run (road, settled);
    g_assert_cmpint (vroad_get_queue (road), <, 50 * FASP_MSEC);
    g_assert_cmpfloat (road_watch (road, settled, 40 * FASP_SEC, &queue), >, 2.5);
    g_assert_cmpint (queue, <, 80 * FASP_MSEC);
    bottleneck->rate = 8000000;
    vroad_run (road, 55 * FASP_SEC);
    g_assert_cmpuint (vroad_get_rate (road, 0), >, 7000000);
    g_assert_cmpuint (vroad_get_lost (road, 0), ==, 0);
  }
}

/* One that has all that it can do with on the path as it was is told as soon that there is less: no
 * more is in the queue than was under way. */
static void
test_full_encoder (void)
{
  static const gint64 rtts[] = { 20000, 100000, 200000 };

  for (guint i = 0; i < 3; i++) {
    g_autoptr (Vroad) road = road_new (10, FASP_SEC, .001, i);

    vroad_add (road,
        &(VroadSender) {
            .kind = VROAD_ADAPTIVE,
            .rtt = rtts[i],
            .follow = .9,
            .follow_most = 6000000,
        });
    vroad_run (road, 15 * FASP_SEC);
    vroad_get_bottleneck (road)->rate = 3000000;
    g_assert_cmpint (vroad_watch (road, 15 * FASP_SEC, 17 * FASP_SEC), <,
        100 * FASP_MSEC + 3 * rtts[i] / 2);
    g_assert_cmpint (vroad_watch (road, 17 * FASP_SEC, 30 * FASP_SEC), <, 300 * FASP_MSEC);
  }
}

/* One that has less of it gets there, too, and is not pushed back for ever by a queue that is
 * its own. */
static void
test_modest_encoder (void)
{
  static const gdouble shares[] = { .6, .7, .8 };

  for (guint i = 0; i < 9; i++) {
    gint64 rtt = (const gint64[]) { 20000, 100000, 400000 }[i / 3];
    g_autoptr (Vroad) road = road_new (10, 2 * FASP_SEC, 0, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);
    gdouble got;
    gint64 queue;

    vroad_add (road,
        &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtt, .follow = shares[i % 3] });
    vroad_run (road, 30 * FASP_SEC);
    bottleneck->rate = 3000000;
    vroad_run (road, 60 * FASP_SEC);
    bottleneck->rate = 8000000;
    got = road_watch (road, 80 * FASP_SEC, 100 * FASP_SEC, &queue);
    g_test_message ("%u: %.3f", i, got);
    g_assert_cmpint (queue, <, 200 * FASP_MSEC);
    g_assert_cmpfloat (got, >, 4.5);
    g_assert_cmpuint (vroad_get_lost (road, 0), ==, 0);
  }
}

/* Two encoders do not take what each does to the other for a way that wanders, but now and
 * then. */
static void
test_two_encoders (void)
{
  guint slow = 0;

  for (guint i = 0; i < 8; i++) {
    g_autoptr (Vroad) road = road_new (10, 500000, .0005, i);
    gint64 queue;

    for (guint sender = 0; sender < 2; sender++)
      vroad_add (road,
          &(VroadSender) {
              .kind = VROAD_ADAPTIVE,
              .rtt = i & 1 ? 60000 : 20000,
              .start = sender * (3 + i) * FASP_SEC,
              .follow = .9,
          });
    vroad_run (road, 20 * FASP_SEC);
    queue = vroad_watch (road, 20 * FASP_SEC, 80 * FASP_SEC);
    g_test_message ("%u: %d ms", i, (gint) (queue / 1000));
    slow += queue > 80 * FASP_MSEC;
  }
  g_assert_cmpuint (slow, <, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/source-falls", test_source_falls);
  g_test_add_func ("/rate/source-falls/far", test_source_falls_far);
  g_test_add_func ("/rate/encoder", test_encoder);
  g_test_add_func ("/rate/encoder/long", test_encoder_long);
  g_test_add_func ("/rate/full-encoder", test_full_encoder);
  g_test_add_func ("/rate/modest-encoder", test_modest_encoder);
  g_test_add_func ("/rate/two-encoders", test_two_encoders);
  return g_test_run ();
}
