/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * adaptive alone on a road (vroad): what it finds, how soon, and what it leaves in the queue. The
 * road may lose, police, become another rate, and pause.
 */
#include "impair.h"
#include "road.h"
#include "vroad.h"

/* 90 % of the link, a queue of 10 ms at most, and what it takes a few round trips to
 * find. */
static void
test_alone (void)
{
  static const guint links[] = { 2, 10, 100 };
  static const gint64 rtts[] = { 20000, 100000, 400000 };
  static const gdouble losses[] = { 0, .01, .05 };
  const gint64 from = 8 * FASP_SEC, until = 24 * FASP_SEC;

  for (guint i = 0; i < 27; i++) {
    guint mbit = links[i % 3];
    gint64 rtt = rtts[i / 3 % 3], queue;
    gdouble loss = losses[i / 9], share;
    g_autoptr (Vroad) road = road_new (mbit, 200000, loss, i);

    vroad_add (road,
        &(VroadSender) {
            .kind = VROAD_ADAPTIVE,
            .rtt = rtt,
            .clock = i % 2 ? 1e-4 : -1e-4,
        });
    vroad_run (road, 10 * rtt + FASP_SEC / 2);
    g_assert_cmpuint (vroad_get_rate (road, 0), >, mbit * 800000);
    share = road_watch (road, from, until, &queue) / mbit / (1 - loss);
    g_test_message ("%u Mbit/s, %d ms, %g: %.3f, %.1f ms", mbit, (gint) (rtt / 1000), loss, share,
        queue / 1e3);
    g_assert_cmpfloat (share, >, .9);
    g_assert_cmpint (queue, <, 10.5 * FASP_MSEC);
  }
}

/* A fifth to a half is lost by chance, and what of the link that leaves is used. */
static void
test_lossy (void)
{
  static const gdouble losses[] = { .2, .3, .5 };
  const gint64 from = 15 * FASP_SEC, until = 40 * FASP_SEC;

  for (guint i = 0; i < 6; i++) {
    gdouble loss = losses[i / 2], share;
    gint64 rtt = i % 2 ? 100000 : 20000, queue;
    g_autoptr (Vroad) road = road_new (10, 200000, loss, i);

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtt });
    share = road_watch (road, from, until, &queue) / 10 / (1 - loss);
    g_test_message ("%d ms, %g: %.3f, %.1f ms", (gint) (rtt / 1000), loss, share, queue / 1e3);
    /* of so much loss it takes some for that of a policer */
    g_assert_cmpfloat (share, >, .7);
    g_assert_cmpint (queue, <, 10.5 * FASP_MSEC);
  }
}

/* A short way and a queue of a few packets, as of a slow interface nearby; round trips are so many
 * that a packet more for each of them, of what was told of together, would be any rate. */
static void
test_short (void)
{
  const guint n = 30;
  gdouble mean = 0;

  for (guint i = 0; i < n; i++) {
    ImpairConfig c = {
      .rate = 6000000,
      .queue = 6000,
      .jitter = i % 2 * 5 * FASP_MSEC,
      .stall = i % 2 ? 0 : 10 * FASP_MSEC,
      .keep_order = TRUE,
    };
    g_autoptr (Vroad) road = vroad_new (1 + i, &c);
    guint64 most = 0;

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = 200 });
    vroad_run (road, 2 * FASP_SEC);
    for (gint64 now = 2 * FASP_SEC; now < 30 * FASP_SEC; now += 50 * FASP_MSEC) {
      vroad_run (road, now);
      most = MAX (most, vroad_get_rate (road, 0));
    }
    g_test_message ("%u: %.1f Mbit/s, %.2f at most", i, vroad_get_delivered (road, 0) * 8 / 30e6,
        most / 1e6);
    mean += most / 1e6 / n;
    g_assert_cmpuint (most, <, 3 * c.rate);
    g_assert_cmpfloat (vroad_get_delivered (road, 0) * 8 / 30e6, >, 5);
  }
  g_test_message ("%.2f at most in the mean", mean);
  g_assert_cmpfloat (mean, <, 10.5);
}

/* Where more is not allowed, all of that is used: pulses that cannot be sent are not made
 * up for. */
static void
test_at_most (void)
{
  static const guint64 most[] = { 4000000, 11000000, 19000000 };
  static const gint64 rtts[] = { 20000, 60000, 200000 };

  for (guint i = 0; i < 9; i++) {
    guint64 max = most[i % 3];
    g_autoptr (Vroad) road = road_new (20, 200000, .01, i);
    gdouble share;

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtts[i / 3], .max = max });
    share = road_watch (road, 3 * FASP_SEC, 13 * FASP_SEC, NULL) * 1e6 / max;
    g_test_message ("%u of 20 Mbit/s, %d ms: %.3f", (guint) (max / 1000000),
        (gint) (rtts[i / 3] / 1000), share);
    g_assert_cmpfloat (share, >, .95);
  }
}

/* A stream begins, and 10 Mbit/s are found in three round trips and a little; it is not
 * kept waiting by a queue that the search made itself. */
static void
test_start (void)
{
  static const gint64 rtts[] = { 20000, 100000, 200000 };

  for (guint i = 0; i < 3; i++) {
    g_autoptr (Vroad) road = road_new (10, 200000, 0, i);
    guint64 before;

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtts[i], .source = 9000000 });
    vroad_run (road, 3 * rtts[i] + 150 * FASP_MSEC);
    /* the source has less, too */
    g_assert_cmpuint (vroad_get_rate (road, 0), >, .87 * 10e6);
    before = vroad_get_delivered (road, 0);
    vroad_run (road, 3 * rtts[i] + 250 * FASP_MSEC);
    g_assert_cmpfloat ((vroad_get_delivered (road, 0) - before) * 8 / .1, >, 8.5e6);
    g_assert_cmpuint (vroad_get_lost (road, 0), ==, 0);
  }
}

/* Nor does it take its own queue for somebody else's, now and then, and compete with itself. */
static void
test_alone_long (void)
{
  for (guint i = 0; i < 4; i++) {
    g_autoptr (Vroad) road = road_new (10, 200000, .001, i);
    gdouble share;

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = 20000 });
    share = road_watch (road, 10 * FASP_SEC, 70 * FASP_SEC, NULL) / 10;
    g_test_message ("%u: %.3f", i, share);
    g_assert_cmpfloat (share, >, .95);
  }
}

/* On a short path it is known soon that a pulse has found room, and what has found room is not made
 * up for: a stream of four times the first rate is behind by a picture at most. */
static void
test_start_near (void)
{
  static const gint64 rtts[] = { 1000, 5000 };

  for (guint i = 0; i < 2; i++) {
    g_autoptr (Vroad) road = road_new (100, 200000, 0, i);
    gdouble behind = 0;

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtts[i], .source = 8000000 });
    for (gint64 now = 0; now < 5 * FASP_SEC; now += FASP_MSEC) {
      vroad_run (road, now);
      behind = MAX (behind, now / 1e3 - vroad_get_delivered (road, 0) / 1e3);
    }
    g_test_message ("%u: %.1f ms", i, behind);
    g_assert_cmpfloat (behind, <, 20);
  }
}

/* 80000 packets are under way: when each of them left is remembered, and the link is followed
 * when it has half the rate. */
static void
test_many_under_way (void)
{
  g_autoptr (Vroad) road = road_new (3000, 200000, 0, 1);

  vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = 300 * FASP_MSEC });
  vroad_run (road, 5 * FASP_SEC);
  g_assert_cmpuint (vroad_get_rate (road, 0), >, 2800000000);
  vroad_get_bottleneck (road)->rate = 1500000000;
  vroad_run (road, 8 * FASP_SEC);
  g_assert_cmpuint (vroad_get_rate (road, 0), <, 1500000000);
  g_assert_cmpuint (vroad_get_rate (road, 0), >, 1300000000);
  g_assert_cmpint (vroad_get_queue (road), <, 20 * FASP_MSEC);
}

/* Half and twice the rate, in five round trips; the queue that comes of the first is
 * gone in ten. */
static void
test_steps (void)
{
  static const gint64 rtts[] = { 50000, 100000, 400000 };

  for (guint i = 0; i < 3; i++) {
    gint64 rtt = rtts[i], at = 10 * FASP_SEC;
    g_autoptr (Vroad) road = road_new (10, 2 * FASP_SEC, 0, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtt });
    vroad_run (road, at);
    bottleneck->rate = 5000000;
    vroad_run (road, at + 5 * rtt);
    g_assert_cmpuint (vroad_get_rate (road, 0), <=, 5000000);
    g_assert_cmpuint (vroad_get_rate (road, 0), >=, 4000000);
    vroad_run (road, at + 10 * rtt);
    g_assert_cmpint (vroad_get_queue (road), <, 20 * FASP_MSEC);
    g_assert_cmpuint (vroad_get_lost (road, 0), ==, 0);
    at += 10 * FASP_SEC;
    vroad_run (road, at);
    bottleneck->rate = 10000000;
    vroad_run (road, at + 5 * rtt + 100 * FASP_MSEC);
    g_assert_cmpuint (vroad_get_rate (road, 0), >, 8500000);
  }
}

/* A link that pauses for a moment: what waited for it does not stay, and the rate is there again
 * soon. (A queue of as much as the pause goes on for twice as long; the more of them, the sooner
 * the rate was there again before the pause.) */
static void
test_pauses (void)
{
  static const gint64 pauses[][2] = { { 40000, 2000000 }, { 100000, 5000000 },
    { 200000, 10000000 } };

  for (guint i = 0; i < 9; i++) {
    gint64 length = pauses[i % 3][0], every = pauses[i % 3][1];
    gint64 from = 20 * FASP_SEC, until = 50 * FASP_SEC, now = 3 * FASP_SEC;
    g_autoptr (Vroad) road = road_new (10, FASP_SEC, 0, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);
    gdouble queue = 0, delivered = 0;

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = 20000 << i / 3 * 2 });
    vroad_run (road, now);
    for (; now < until; now += 1000) {
      if (now % every == 0)
        /* a packet that takes so long */
        bottleneck->rate = 12000 * FASP_SEC / length;
      else if (now % every == 3000)
        bottleneck->rate = 10000000;
      vroad_run (road, now);
      if (now >= from)
        queue += vroad_get_queue (road) / (gdouble) ((until - from) / 1000);
      else
        delivered = vroad_get_delivered (road, 0);
    }
    delivered = vroad_get_delivered (road, 0) - delivered;
    delivered /= 1.25 * (until - from);
    g_test_message ("%d ms every %d s, %d ms: %.1f ms, %.2f", (gint) (length / 1000),
        (gint) (every / FASP_SEC), 20 << i / 3 * 2, queue / 1000, delivered);
    g_assert_cmpfloat (queue, <, 90 * FASP_MSEC);
    g_assert_cmpfloat (delivered, >, .65);
  }
}

/* A tenth is found, to a fifth, in three round trips and 0.1 s, and what has piled up meanwhile
 * goes. */
static void
test_deep_step (void)
{
  for (guint i = 0; i < 8; i++) {
    gint64 rtt = 50000 << i % 3, at = 10 * FASP_SEC + i * 7000;
    g_autoptr (Vroad) road = road_new (10, 20 * FASP_SEC, 0, i);

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = rtt });
    vroad_run (road, at);
    vroad_get_bottleneck (road)->rate = 1000000;
    vroad_run (road, at + 3 * rtt + 100 * FASP_MSEC);
    g_assert_cmpuint (vroad_get_rate (road, 0), <=, 1200000);
    g_assert_cmpuint (vroad_get_rate (road, 0), >=, 700000);
    vroad_run (road, at + 60 * rtt + 2 * FASP_SEC);
    g_assert_cmpint (vroad_get_queue (road), <, 80 * FASP_MSEC);
  }
}

/* Also one that takes more than ten seconds to drain goes, and is not taken for the path. */
static void
test_deepest_step (void)
{
  for (guint i = 0; i < 4; i++) {
    gint64 at = 10 * FASP_SEC + i * 130000;
    g_autoptr (Vroad) road = road_new (10, 20 * FASP_SEC, 0, i);

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = 400000 });
    vroad_run (road, at);
    vroad_get_bottleneck (road)->rate = 1000000;
    vroad_run (road, at + 2 * FASP_SEC);
    g_assert_cmpint (vroad_get_queue (road), >, 2 * FASP_SEC);
    vroad_run (road, at + 25 * FASP_SEC);
    g_assert_cmpint (vroad_get_queue (road), <, 80 * FASP_MSEC);
    g_assert_cmpuint (vroad_get_rate (road, 0), >=, 700000);
  }
}

/* What the source has is all that is known to fit; it is not kept waiting. */
static void
test_slow_source (void)
{
  g_autoptr (Vroad) road = road_new (10, 200000, 0, 1);
  gdouble got;
  gint64 queue;

  vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = 100000, .source = 4000000 });
  got = road_watch (road, 5 * FASP_SEC, 15 * FASP_SEC, &queue);
  g_assert_cmpint (queue, <, 5 * FASP_MSEC);
  g_assert_cmpfloat (ABS (got - 4), <, .05);
}

/* From the least rate, where few packets leave, it is up again at once. */
static void
test_from_least (void)
{
  for (guint i = 0; i < 20; i++) {
    g_autoptr (Vroad) road = road_new (10, 200000, 0, i);
    gint64 start = 9 * FASP_SEC + i * 50000;
    guint sender = vroad_add (road,
        &(VroadSender) {
            .kind = VROAD_ADAPTIVE,
            .rtt = 5000 + 10000 * i,
            .max = FASP_RATE_LEAST,
        });

    vroad_run (road, 5 * FASP_SEC + i * 50000);
    vroad_set_max (road, sender, 0);
    g_assert_cmpfloat (road_watch (road, start, start + FASP_SEC, NULL), >, 9);
  }
}

/* A policer has no queue that would tell of it: who takes all there is, and an encoder that
 * follows, have most of its rate.  To try more costs what it loses; that is bounded. */
static void
test_policed (void)
{
  gdouble mean = 0;

  for (guint i = 0; i < 24; i++) {
    gdouble mbit = i / 3 % 2 ? 30 : 6;
    ImpairConfig c = {
      .police = mbit * 1e6,
      .bucket = (const guint[]) { 10000, 50000, 500000 }[i % 3],
      .keep_order = TRUE,
    };
    g_autoptr (Vroad) road = vroad_new (i, &c);
    guint64 lost;
    gdouble share;

    vroad_add (road,
        &(VroadSender) {
            .kind = VROAD_ADAPTIVE,
            .rtt = i / 6 % 2 ? 100000 : 20000,
            .follow = i / 12 * .9,
        });
    vroad_run (road, 10 * FASP_SEC);
    lost = vroad_get_lost (road, 0);
    share = road_watch (road, 10 * FASP_SEC, 50 * FASP_SEC, NULL) / mbit;
    lost = vroad_get_lost (road, 0) - lost;
    mean += i < 12 ? road_mbit_between (0, lost, 40 * FASP_SEC) / mbit / 12 : 0;
    g_test_message ("%u: %.3f, %.4f lost", i, share,
        road_mbit_between (0, lost, 40 * FASP_SEC) / mbit);
    g_assert_cmpfloat (share, >, .85);
    g_assert_cmpfloat (road_mbit_between (0, lost, 40 * FASP_SEC), <, 1.5 * mbit);
  }
  g_assert_cmpfloat (mean, <, .6);
}

/* Chance that loses in bursts is no policer, also where pictures do: in the mean of some runs a
 * stream is hardly behind. */
static void
test_bursts (void)
{
  static const gdouble bursts[] = { 4, 8, 30 };
  const guint n = 6;

  for (guint i = 0; i < 6; i++) {
    gdouble behind = 0;

    for (guint seed = 0; seed < n; seed++) {
      g_autoptr (Vroad) road = road_new (100, 200000, .05, seed);
      gdouble most = 0;

      vroad_get_bottleneck (road)->burst = bursts[i % 3];
      vroad_add (road,
          &(VroadSender) {
              .kind = VROAD_ADAPTIVE,
              .rtt = 60000,
              .source = 4000000,
              .key = i / 3 * 10,
          });
      for (gint64 now = 0; now < 40 * FASP_SEC; now += FASP_SEC / 50) {
        vroad_run (road, now);
        most = MAX (most,
            now / 1e6 - (vroad_get_delivered (road, 0) + vroad_get_lost (road, 0)) * 8 / 4e6);
      }
      behind += most / n;
    }
    g_test_message ("%u: %.2f s", i, behind);
    g_assert_cmpfloat (behind, <, 1);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/alone", test_alone);
  g_test_add_func ("/rate/alone/long", test_alone_long);
  g_test_add_func ("/rate/lossy", test_lossy);
  g_test_add_func ("/rate/short", test_short);
  g_test_add_func ("/rate/at-most", test_at_most);
  g_test_add_func ("/rate/start", test_start);
  g_test_add_func ("/rate/start/near", test_start_near);
  g_test_add_func ("/rate/many-under-way", test_many_under_way);
  g_test_add_func ("/rate/steps", test_steps);
  g_test_add_func ("/rate/pauses", test_pauses);
  g_test_add_func ("/rate/deep-step", test_deep_step);
  g_test_add_func ("/rate/deepest-step", test_deepest_step);
  g_test_add_func ("/rate/slow-source", test_slow_source);
  g_test_add_func ("/rate/from-least", test_from_least);
  g_test_add_func ("/rate/policed", test_policed);
  g_test_add_func ("/rate/bursts", test_bursts);
  return g_test_run ();
}
