/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rate controllers beside each other, beside TCPs, and where queues are marked, on one road
 * (vroad).
 */
#include "road.h"
#include "vroad.h"

/* What each gets once both are settled.  @ecn: both can do with marks.  @n: another time, at
 * another moment. */
static void
share (Vroad *road, VroadKind a, VroadKind b, gint64 rtt, gboolean ecn, guint n, gdouble *first,
    gdouble *second)
{
  guint64 before[2];

  vroad_add (road, &(VroadSender) { .kind = a, .rtt = rtt, .ecn = ecn });
  vroad_add (road,
      &(VroadSender) {
          .kind = b,
          .rtt = rtt,
          .ecn = ecn,
          .start = 5 * FASP_SEC + n * 37000,
      });
  vroad_run (road, 20 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    before[i] = vroad_get_delivered (road, i);
  vroad_run (road, 100 * FASP_SEC);
  *first = vroad_get_delivered (road, 0) - before[0];
  *second = vroad_get_delivered (road, 1) - before[1];
}

/* Neither starves beside one CUBIC, where the buffer is 50 or 200 ms: half a bandwidth-delay
 * product to ten of them. */
static void
test_beside_tcp (void)
{
  for (guint i = 0; i < 8; i++) {
    g_autoptr (Vroad) road = road_new (i & 1 ? 50 : 10, i & 2 ? 200000 : 50000, 0, i);
    gdouble ours, theirs;

    share (road, VROAD_ADAPTIVE, VROAD_CUBIC, i & 4 ? 100000 : 20000, FALSE, 0, &ours, &theirs);
    g_test_message ("%u: %.3f", i, ours / theirs);
    g_assert_cmpfloat (ours / theirs, >, 1. / 3);
    g_assert_cmpfloat (ours / theirs, <, 3);
  }
}

/* ... or beside one CUBIC or BBR, where it is one bandwidth-delay product. */
static void
test_beside_tcp_one_bdp (void)
{
  for (guint i = 0; i < 8; i++) {
    gint64 rtt = i & 2 ? 100000 : 20000;
    g_autoptr (Vroad) road = road_new (i & 1 ? 50 : 10, rtt, 0, i);
    gdouble ours, theirs;

    share (road, VROAD_ADAPTIVE, i & 4 ? VROAD_BBR : VROAD_CUBIC, rtt, FALSE, 0, &ours, &theirs);
    g_test_message ("%u: %.3f", i, ours / theirs);
    g_assert_cmpfloat (ours / theirs, >, 1. / 3);
    g_assert_cmpfloat (ours / theirs, <, 3);
  }
}

static void
test_two (void)
{
  for (guint i = 0; i < 6; i++) {
    g_autoptr (Vroad) road = road_new (i & 1 ? 100 : 10, 200000, 0, i);
    gdouble first, second;

    share (road, VROAD_ADAPTIVE, VROAD_ADAPTIVE,
        i < 2     ? 20000 :
            i < 4 ? 100000 :
                    400000,
        FALSE, 0, &first, &second);
    g_test_message ("%u: %.3f", i, first / second);
    g_assert_cmpfloat (ABS (first - second) / (first + second), <, .2);
  }
}

/* They take each other for somebody who fills the queue now and then: for an eighth of the time
 * it is long. */
static void
test_two_queue (void)
{
  static const guint links[] = { 5, 10, 20 };
  static const gint64 rtts[] = { 10000, 20000, 40000 };
  guint long_ms = 0;

  for (guint i = 0; i < 90; i++) {
    g_autoptr (Vroad) road = road_new (links[i % 3], 500000, .001, i);

    for (guint k = 0; k < 2; k++)
      vroad_add (road,
          &(VroadSender) {
              .kind = VROAD_ADAPTIVE,
              .rtt = rtts[i / 3 % 3],
              .start = k * 5 * FASP_SEC,
          });
    for (gint64 now = 0; now < 60 * FASP_SEC; now += 10 * FASP_MSEC) {
      vroad_run (road, now);
      long_ms += vroad_get_queue (road) > 30 * FASP_MSEC ? 10 : 0;
    }
  }
  g_test_message ("%.1f %%", long_ms / 90. / 600);
  g_assert_cmpuint (long_ms, <, 90 * 60000 * .16);
}

/* Two of PERT share the slides' link: 15 Mbit/s, 45 ms, 500 kbit. */
static void
test_pert (void)
{
  g_autoptr (Vroad) road = road_new (15, 33000, 0, 1);
  gdouble first, second;

  share (road, VROAD_PERT, VROAD_PERT, 45000, FALSE, 0, &first, &second);
  g_assert_cmpfloat (first + second, >, .9 * 15e6 / 8 * 80);
  g_assert_cmpfloat (ABS (first - second) / (first + second), <, .2);
}

/* Where there is room for few packets: none runs away, whatever it takes the delay of a full
 * queue for, as the second does that begins with one. */
static void
test_pert_narrow (void)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (Vroad) road = road_new (4, 33000, 0, i);
    gdouble first, second;

    share (road, VROAD_PERT, VROAD_PERT, i ? 45000 : 20000, FALSE, 0, &first, &second);
    g_assert_cmpfloat (first / second, >, 1. / 3);
    g_assert_cmpfloat (first / second, <, 3);
    g_assert_cmpuint (vroad_get_rate (road, 0), <, 16000000);
    g_assert_cmpuint (vroad_get_rate (road, 1), <, 16000000);
  }
}

/* A buffer of 5 ms is short for pulses: what they lose is bounded. */
static void
test_narrow (void)
{
  for (guint i = 0; i < 4; i++) {
    guint mbit = i & 1 ? 50 : 10;
    g_autoptr (Vroad) road = road_new (mbit, 5000, i & 2 ? .005 : 0, i);
    guint64 lost;
    gdouble share;

    vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = 100000 });
    vroad_run (road, 10 * FASP_SEC);
    lost = vroad_get_lost (road, 0);
    share = road_watch (road, 10 * FASP_SEC, 40 * FASP_SEC, NULL) / mbit;
    lost = vroad_get_lost (road, 0) - lost;
    g_test_message ("%u: %.3f, %.4f lost", i, share,
        road_mbit_between (0, lost, 30 * FASP_SEC) / mbit);
    g_assert_cmpfloat (share, >, .8);
    g_assert_cmpfloat (road_mbit_between (0, lost, 30 * FASP_SEC), <, .2 * mbit);
  }
}

/* A dual queue of 250 ms. */
static Vroad *
new_dual (guint mbit, guint seed)
{
  ImpairConfig config = { .rate = mbit * 1000000, .queue = mbit * 1000000 / 8 / 4 };

  return vroad_new_dual (seed, &config);
}

static gint64
get_p99 (GArray *waits)
{
  vroad_get_p95 (waits); /* sorts them */
  return g_array_index (waits, gint64, waits->len * 99 / 100);
}

/* Alone behind a dual queue: hardly a queue, and the link is used.  Of these 6 ms, 1.2 are those in
 * which the packet itself leaves, at 10 Mbit/s. */
static void
test_dual (void)
{
  for (guint i = 0; i < 12; i++) {
    guint mbit = i & 1 ? 50 : 10;
    g_autoptr (Vroad) road = new_dual (mbit, i);
    GArray *waits = bottleneck_get_waits (vroad_get_dual (road), TRUE);
    gdouble used;

    vroad_add (road,
        &(VroadSender) {
            .kind = VROAD_ADAPTIVE,
            .rtt = (const gint64[]) { 10000, 40000, 100000 }[i / 2 % 3],
            .ecn = TRUE,
            .follow = i / 6 ? .95 : 0,
        });
    vroad_run (road, 20 * FASP_SEC);
    g_array_set_size (waits, 0);
    used = road_watch (road, 20 * FASP_SEC, 65 * FASP_SEC, NULL) / mbit;
    g_test_message ("%u: %.3f used, %.1f ms", i, used, get_p99 (waits) / 1e3);
    g_assert_cmpfloat (used, >, .9);
    g_assert_cmpint (get_p99 (waits), <, 6 * FASP_MSEC);
  }
}

/* Behind it, beside CUBIC in the other queue, or another of ours. */
static void
test_beside_dual (void)
{
  for (guint i = 0; i < 12; i++) {
    g_autoptr (Vroad) road = new_dual (i & 1 ? 50 : 10, i);
    gboolean alike = i >= 6;
    gdouble ours, theirs;

    share (road, VROAD_ADAPTIVE, alike ? VROAD_ADAPTIVE : VROAD_CUBIC,
        (const gint64[]) { 10000, 40000, 100000 }[i / 2 % 3], TRUE, 0, &ours, &theirs);
    g_test_message ("%u: %.3f", i, ours / theirs);
    g_assert_cmpfloat (ours / theirs, >, 1. / 3);
    g_assert_cmpfloat (ours / theirs, <, 3);
    g_assert_cmpfloat (ABS (ours - theirs) / (ours + theirs), <, alike ? .2 : 1);
  }
}

/* Behind a slow one, where a packet takes longer than the threshold: two or three of ours that
 * begin one after the other get the same within a factor of two, with or without an end to their
 * data. */
static void
test_dual_slow (void)
{
  for (guint i = 0; i < 12; i++) {
    g_autoptr (Vroad) road =
        vroad_new_dual (i, &(ImpairConfig) { .rate = 3500000, .queue = 109375 });
    guint64 most = 0, least = G_MAXUINT64, before[3];
    guint n = 2 + i / 6;

    for (guint k = 0; k < n; k++)
      vroad_add (road,
          &(VroadSender) {
              .kind = VROAD_ADAPTIVE,
              .rtt = (const gint64[]) { 10000, 20000, 40000 }[i % 3],
              .ecn = TRUE,
              .follow = i / 3 % 2 ? .95 : 0,
              .start = k * 20 * FASP_SEC,
          });
    vroad_run (road, (n + 1) * 20 * FASP_SEC);
    for (guint k = 0; k < n; k++)
      before[k] = vroad_get_delivered (road, k);
    vroad_run (road, (n + 3) * 20 * FASP_SEC);
    for (guint k = 0; k < n; k++) {
      guint64 got = vroad_get_delivered (road, k) - before[k];

      most = MAX (most, got);
      least = MIN (least, got);
    }
    g_test_message ("%u: %.2f", i, (gdouble) most / least);
    g_assert_cmpuint (most, <, 2 * least);
  }
}

/* CoDel with marks in the place of losses: nobody starves who goes by them. */
static void
test_codel (void)
{
  static const VroadKind others[] = { VROAD_CUBIC, VROAD_RENO, VROAD_ADAPTIVE };

  for (guint i = 0; i < 12; i++) {
    g_autoptr (Vroad) road = road_new (i & 1 ? 50 : 10, 200000, 0, i);
    gdouble ours, theirs;

    vroad_get_bottleneck (road)->codel = 5000;
    share (road, VROAD_ADAPTIVE, others[i / 2 % 3], i / 6 ? 100000 : 20000, TRUE, 0, &ours,
        &theirs);
    g_test_message ("%u: %.3f", i, ours / theirs);
    g_assert_cmpfloat (ours / theirs, >, 1. / 3);
    g_assert_cmpfloat (ours / theirs, <, 3);
  }
}

/* Beside others that fill the queue, a sender at its own limit does not save up a window: when the
 * queue overflows, it gives way at once. */
static void
test_limited (void)
{
  ImpairConfig config = { .rate = 10000000, .queue = 10000000 / 8 * 2 };
  g_autoptr (Vroad) road = vroad_new (3, &config);
  const guint64 most = 3000000;
  gint64 now = 5 * FASP_SEC, overflow = 0;

  vroad_add (road, &(VroadSender) { .kind = VROAD_ADAPTIVE, .rtt = 20000, .max = most });
  vroad_add (road,
      &(VroadSender) { .kind = VROAD_FIXED, .rtt = 20000, .start = now, .max = 8000000 });
  vroad_run (road, now);
  do {
    vroad_run (road, now += 100 * FASP_MSEC);
    if (overflow == 0 && vroad_get_lost (road, 0) > 0)
      overflow = now;
    g_assert_cmpint (now, <, 60 * FASP_SEC);
  } while (overflow == 0 || vroad_get_rate (road, 0) > .75 * most);
  /* a round trip takes two seconds then */
  g_test_message ("%.1f s", (now - overflow) / 1e6);
  g_assert_cmpint (now - overflow, <, 8 * FASP_SEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/beside-tcp", test_beside_tcp);
  g_test_add_func ("/rate/limited", test_limited);
  g_test_add_func ("/rate/beside-tcp/one-bdp", test_beside_tcp_one_bdp);
  g_test_add_func ("/rate/narrow", test_narrow);
  g_test_add_func ("/rate/two", test_two);
  g_test_add_func ("/rate/two-queue", test_two_queue);
  g_test_add_func ("/rate/dual", test_dual);
  g_test_add_func ("/rate/beside-dual", test_beside_dual);
  g_test_add_func ("/rate/dual-slow", test_dual_slow);
  g_test_add_func ("/rate/codel", test_codel);
  g_test_add_func ("/rate/pert", test_pert);
  g_test_add_func ("/rate/pert-narrow", test_pert_narrow);
  return g_test_run ();
}
