/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Links that send at rates or at opportunities, drop-tail and dual queues before them, and mobile
 * links that are drawn.
 */
#include <glib/gstdio.h>
#include "bottleneck.h"
#include "cellular.h"
#include "vhops.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Capacity, capacity_free)

#define SECOND G_GINT64_CONSTANT (1000000)

static GArray *
make_times (const gint64 *times, guint n)
{
  GArray *array = g_array_new (FALSE, FALSE, sizeof (gint64));

  g_array_append_vals (array, times, n);
  return array;
}

/* --- links --------------------------------------------------------------------------- */

/* 1250 bytes take 10 ms at 1 Mbit/s, and 5 ms at 2 Mbit/s. */
static void
test_rate (void)
{
  g_autoptr (Capacity) c = capacity_new_rate (1000000);

  capacity_add_step (c, 25000, 2000000);
  g_assert_cmpint (capacity_send (c, 0, 1250), ==, 10000);
  g_assert_cmpint (capacity_send (c, 10000, 1250), ==, 20000);
  /* half of it before the step */
  g_assert_cmpint (capacity_send (c, 20000, 1250), ==, 27500);
  g_assert_cmpint (capacity_send (c, 100000, 1250), ==, 105000);
  g_assert_cmpfloat (capacity_get_bytes (c, 0, 50000), ==, 25000 / 8 + 2 * 25000 / 8);
}

/* What an opportunity has left serves what waits by then, and nothing that comes later. */
static void
test_opportunities (void)
{
  const gint64 times[] = { 1000, 1000, 3000, 7000 };
  g_autoptr (Capacity) c = capacity_new_times (make_times (times, 4), 10000, 1500);

  g_assert_cmpint (capacity_send (c, 0, 1000), ==, 1000);
  g_assert_cmpint (capacity_send (c, 1000, 500), ==, 1000);
  g_assert_cmpint (capacity_send (c, 1000, 1400), ==, 1000);
  g_assert_cmpint (capacity_send (c, 1000, 200), ==, 3000);
  g_assert_cmpint (capacity_send (c, 4000, 100), ==, 7000);
  /* the next period, and two opportunities for one packet */
  g_assert_cmpint (capacity_send (c, 7001, 3001), ==, 13000);
  g_assert_cmpint (capacity_send (c, 13000, 1499), ==, 13000);
  g_assert_cmpfloat (capacity_get_bytes (c, 0, 10000), ==, 6000);
  g_assert_cmpfloat (capacity_get_bytes (c, 2000, 12000), ==, 6000);
}

static void
test_file (void)
{
  g_autofree gchar *file = NULL;
  g_autoptr (GError) error = NULL;
  Capacity *c;
  gint fd = g_file_open_tmp (NULL, &file, NULL);

  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (file, "2\n2\n5\n10\n", -1, NULL));
  c = capacity_new_file (file, 4000, &error);
  g_assert_no_error (error);
  g_assert_cmpint (capacity_send (c, 0, 1504), ==, 1000);
  g_assert_cmpint (capacity_send (c, 1000, 1504), ==, 5999);
  g_assert_cmpint (capacity_send (c, 5999, 3008), ==, 8000);
  capacity_free (c);
  g_assert_true (g_file_set_contents (file, "2\n1\n", -1, NULL));
  g_assert_null (capacity_new_file (file, 0, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_clear_error (&error);
  g_unlink (file);
  g_assert_null (capacity_new_file (file, 0, &error));
  g_assert_nonnull (error);
}

/* --- queues --------------------------------------------------------------------------- */

typedef struct
{
  guint left, dropped, marked;
  gint64 last;
} Seen;

static void
on_leave (gpointer data, gpointer packet, gsize bytes, gboolean dropped, BottleneckEcn ecn,
    gint64 now)
{
  Seen *seen = data;

  seen->left += !dropped;
  seen->dropped += dropped;
  seen->marked += ecn == BOTTLENECK_CE;
  seen->last = now;
}

static void
test_drop_tail (void)
{
  g_autoptr (Bottleneck) b = bottleneck_new (capacity_new_rate (1000000), 5000);
  Seen seen = { 0 };
  BottleneckUser user = { on_leave, &seen };

  for (guint i = 0; i < 6; i++)
    bottleneck_push (b, 0, &user, NULL, 1250, BOTTLENECK_NOT_ECT);
  g_assert_cmpuint (seen.dropped, ==, 2);
  g_assert_cmpint (bottleneck_get_due (b), ==, 10000);
  bottleneck_run (b, 25000);
  g_assert_cmpuint (seen.left, ==, 2);
  g_assert_cmpint (seen.last, ==, 20000);
  g_assert_cmpint (bottleneck_get_wait (b, 25000), ==, 25000);
  bottleneck_run (b, SECOND);
  g_assert_cmpuint (seen.left, ==, 4);
  g_assert_cmpint (bottleneck_get_due (b), ==, G_MAXINT64);
  g_assert_cmpint (g_array_index (bottleneck_get_waits (b, FALSE), gint64, 3), ==, 40000);
}

/* One after the other; what the second one has no room for is dropped. */
static void
test_hops (void)
{
  Bottleneck *b[VHOPS] = { bottleneck_new (capacity_new_rate (2000000), 100000),
    bottleneck_new (capacity_new_rate (1000000), 2500) };
  Seen seen = { 0 };
  Vhops hops;

  vhops_init (&hops, b, on_leave, &seen);
  for (guint i = 0; i < 4; i++)
    vhops_push (&hops, 0, NULL, 1250, BOTTLENECK_NOT_ECT);
  for (gint64 now = 0; now < SECOND; now += 1000) {
    bottleneck_run (b[0], now);
    bottleneck_run (b[1], now);
  }
  g_assert_cmpuint (seen.left, ==, 3);
  g_assert_cmpuint (seen.dropped, ==, 1);
  g_assert_cmpint (seen.last, ==, 35000);
  bottleneck_free (b[0]);
  bottleneck_free (b[1]);
}

/* 10 Mbit/s for so long, of which each sender has @share. */
static void
load (Bottleneck *b, gint64 from, gint64 to, const BottleneckUser *user, gdouble share,
    BottleneckEcn ecn)
{
  gint64 every = 1250 * 8 / 10. / share;

  for (gint64 now = from; now < to; now += every) {
    bottleneck_run (b, now);
    bottleneck_push (b, now, user, NULL, 1250, ecn);
  }
}

/* An L4S sender of 1 % too much is marked, and nothing is dropped.  The other queue does not delay
 * it. */
static void
test_dual (void)
{
  g_autoptr (Bottleneck) b = bottleneck_new_dual (capacity_new_rate (10000000), 312000);
  Seen l4s = { 0 }, classic = { 0 };
  BottleneckUser users[] = { { on_leave, &l4s }, { on_leave, &classic } };
  GArray *waits;
  gint64 most = 0;

  load (b, 0, 5 * SECOND, &users[0], .9, BOTTLENECK_ECT1);
  g_assert_cmpuint (l4s.marked, ==, 0);
  load (b, 5 * SECOND, 6 * SECOND, &users[0], 1.01, BOTTLENECK_ECT1);
  g_assert_cmpuint (l4s.marked, >, 500);
  g_assert_cmpuint (l4s.dropped, ==, 0);

  /* the classic queue is overloaded; of the other one some is dropped, as the RFC has it, but
   * nothing waits for longer than two packets take */
  bottleneck_run (b, 7 * SECOND);
  waits = bottleneck_get_waits (b, TRUE);
  g_array_set_size (waits, 0);
  for (gint64 now = 7 * SECOND; now < 12 * SECOND; now += 1000) {
    bottleneck_run (b, now);
    bottleneck_push (b, now, &users[1], NULL, 1250, BOTTLENECK_ECT0);
    if (now / 1000 % 5 == 0)
      bottleneck_push (b, now, &users[0], NULL, 1250, BOTTLENECK_ECT1);
  }
  for (guint i = 0; i < waits->len; i++)
    most = MAX (most, g_array_index (waits, gint64, i));
  g_assert_cmpuint (waits->len, >, 700);
  g_assert_cmpint (most, <=, 3000);
  g_assert_cmpuint (classic.marked, >, 0);
}

/* A sender that ignores everything keeps the classic queue from being endless: it is dropped. */
static void
test_overload (void)
{
  g_autoptr (Bottleneck) b = bottleneck_new_dual (capacity_new_rate (10000000), 312000);
  Seen seen = { 0 };
  BottleneckUser user = { on_leave, &seen };

  load (b, 0, 20 * SECOND, &user, 2, BOTTLENECK_ECT0);
  g_assert_cmpuint (seen.dropped, >, .4 * 20 * 2000);
  g_assert_cmpint (bottleneck_get_wait (b, 20 * SECOND), <, 100000);
}

/* --- mobile links ---------------------------------------------------------------------- */

/* The same for a seed, within the paper's rate, and sometimes without a packet for 0.4 s. */
static void
test_cellular (void)
{
  const gint64 duration = 60 * SECOND;
  guint64 packets = 0, silent = 0;

  for (guint seed = 1; seed <= 100; seed++) {
    g_autoptr (GArray) times = cellular_draw (seed, duration, 1);
    g_autoptr (GArray) again = cellular_draw (seed, duration, 1);
    gint64 last = 0;

    g_assert_cmpuint (times->len, ==, again->len);
    for (guint i = 0; i < times->len; i++) {
      gint64 time = g_array_index (times, gint64, i);

      g_assert_cmpint (time, >=, last);
      g_assert_cmpint (time, ==, g_array_index (again, gint64, i));
      if (time - last > 400000)
        silent += time - last;
      last = time;
    }
    g_assert_cmpint (last, <, duration);
    packets += times->len;
  }
  /* 0.4 to 0.6 of 1000 a second */
  g_assert_cmpuint (packets, >, 100 * 60 * 400);
  g_assert_cmpuint (packets, <, 100 * 60 * 600);
  g_assert_cmpuint (silent, >, 100 * duration / 100);
  g_assert_cmpuint (silent, <, 100 * duration / 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bottleneck/rate", test_rate);
  g_test_add_func ("/bottleneck/opportunities", test_opportunities);
  g_test_add_func ("/bottleneck/file", test_file);
  g_test_add_func ("/bottleneck/drop-tail", test_drop_tail);
  g_test_add_func ("/bottleneck/hops", test_hops);
  g_test_add_func ("/bottleneck/dual", test_dual);
  g_test_add_func ("/bottleneck/overload", test_overload);
  g_test_add_func ("/bottleneck/cellular", test_cellular);
  return g_test_run ();
}
