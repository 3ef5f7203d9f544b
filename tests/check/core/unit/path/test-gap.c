/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspgap.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspGap, fasp_gap_free)

typedef struct
{
  FaspTime now;
  guint64 pn;
  FaspGapResult result;
  gint64 settled; /* at that time, -1: nothing */
} Step;

static void
run (const Step *steps, guint n)
{
  g_autoptr (FaspGap) gap = fasp_gap_new ();

  for (guint i = 0; i < n; i++) {
    guint64 settled;

    g_assert_cmpint (fasp_gap_receive (gap, steps[i].now, steps[i].pn), ==, steps[i].result);
    if (steps[i].settled < 0) {
      g_assert_false (fasp_gap_get_settled (gap, steps[i].now, &settled));
    } else {
      g_assert_true (fasp_gap_get_settled (gap, steps[i].now, &settled));
      g_assert_cmpuint (settled, ==, steps[i].settled);
    }
  }
}

static void
test_in_order (void)
{
  static const Step steps[] = {
    { 0, 0, FASP_GAP_NEXT, 0 },
    { 10, 1, FASP_GAP_NEXT, 1 },
    { 20, 2, FASP_GAP_NEXT, 2 },
    { 30, 1, FASP_GAP_REFUSED, 2 },
  };

  run (steps, G_N_ELEMENTS (steps));
}

static void
test_hole (void)
{
  static const Step steps[] = {
    { 0, 0, FASP_GAP_NEXT, 0 },
    { 10, 3, FASP_GAP_HOLE, 0 },
    { 500, 2, FASP_GAP_LATE, 0 }, /* 1 is still awaited */
    { 900, 4, FASP_GAP_NEXT, 0 },
    { 1009, 5, FASP_GAP_NEXT, 0 },
    { 1700, 6, FASP_GAP_NEXT, 6 }, /* 1 is taken as lost */
    { 1800, 1, FASP_GAP_SPURIOUS, 6 },
    { 1900, 1, FASP_GAP_REFUSED, 6 },
  };

  run (steps, G_N_ELEMENTS (steps));
}

/* The first packets of a flow may be the ones that are lost. */
static void
test_first_missing (void)
{
  static const Step steps[] = {
    { 0, 2, FASP_GAP_HOLE, -1 },
    { 999, 3, FASP_GAP_NEXT, -1 },
    { 1000, 4, FASP_GAP_NEXT, 4 },
  };

  run (steps, G_N_ELEMENTS (steps));
}

static void
test_timeout (void)
{
  g_autoptr (FaspGap) gap = fasp_gap_new ();
  guint64 settled;

  fasp_gap_receive (gap, 0, 0);
  g_assert_cmpint (fasp_gap_get_timeout (gap), ==, FASP_NEVER);
  fasp_gap_receive (gap, 100, 2);
  g_assert_cmpint (fasp_gap_get_timeout (gap), ==, 100 + FASP_GAP_DELAY_MIN);
  g_assert_true (fasp_gap_get_settled (gap, 100 + FASP_GAP_DELAY_MIN, &settled));
  g_assert_cmpuint (settled, ==, 2);
  g_assert_cmpint (fasp_gap_get_timeout (gap), ==, FASP_NEVER);
}

/* A hole whose time is over when the next packet comes counts like one that
 * was waited for. */
static void
test_settled_by_packet (void)
{
  g_autoptr (FaspGap) gap = fasp_gap_new ();

  fasp_gap_receive (gap, 0, 0);
  fasp_gap_receive (gap, 1000, 2);
  g_assert_cmpuint (fasp_gap_count_settled (gap), ==, 0);
  fasp_gap_receive (gap, 2000, 3);
  g_assert_cmpuint (fasp_gap_count_settled (gap), ==, 1);
  g_assert_cmpint (fasp_gap_get_timeout (gap), ==, FASP_NEVER);
}

/* What was settled too soon comes in any order: in the end nothing is lost, and
 * there are no holes. */
static void
test_holes_close (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autoptr (FaspGap) gap = fasp_gap_new ();
  FaspGapCounters counters;
  guint64 missing[8], settled;

  for (guint i = 0; i < G_N_ELEMENTS (missing); i++)
    missing[i] = 1 + i;
  fasp_gap_receive (gap, 0, 0);
  fasp_gap_receive (gap, 0, 1 + G_N_ELEMENTS (missing));
  g_assert_true (fasp_gap_get_settled (gap, FASP_SEC, &settled));
  fasp_gap_get_counters (gap, &counters);
  g_assert_cmpuint (counters.lost, ==, G_N_ELEMENTS (missing));
  g_assert_cmpuint (counters.holes, ==, 1);
  for (guint left = G_N_ELEMENTS (missing); left > 0; left--) {
    guint i = g_rand_int_range (rand, 0, left);

    fasp_gap_receive (gap, FASP_SEC, missing[i]);
    missing[i] = missing[left - 1];
    fasp_gap_get_counters (gap, &counters);
    g_assert_cmpuint (counters.lost, ==, left - 1);
    g_assert_cmpuint (counters.holes, <=, left - 1);
    g_assert_true ((counters.holes > 0) == (left > 1));
  }
}

/* A path that reorders by 8 ms: the delay learns it and nothing is spurious
 * any more; then it forgets, within limits. */
static void
test_adapts (void)
{
  g_autoptr (FaspGap) gap = fasp_gap_new ();
  FaspGapCounters counters;
  FaspTime now = 0;
  guint64 pn = 0;

  fasp_gap_receive (gap, now, pn++);
  for (guint i = 0; i < 20; i++) {
    guint64 late = pn++, settled;

    now += 20 * FASP_MSEC;
    fasp_gap_receive (gap, now, pn++);
    now += 8 * FASP_MSEC;
    fasp_gap_get_settled (gap, now, &settled);
    g_assert_cmpint (fasp_gap_receive (gap, now, late), ==,
        i == 0 ? FASP_GAP_SPURIOUS : FASP_GAP_LATE);
  }
  g_assert_cmpint (fasp_gap_get_delay (gap), >=, 8 * FASP_MSEC);
  g_assert_cmpint (fasp_gap_get_delay (gap), <=, FASP_GAP_DELAY_MOST);
  fasp_gap_get_counters (gap, &counters);
  g_assert_cmpuint (counters.reordered, ==, 20);
  g_assert_cmpuint (counters.lost, ==, 0);
  for (guint i = 0; i < 100; i++) {
    now += FASP_SEC;
    fasp_gap_receive (gap, now, pn++);
  }
  g_assert_cmpint (fasp_gap_get_delay (gap), ==, FASP_GAP_DELAY_MIN);
}

/* The delay becomes as long as packets are late, but leaves half of the time to repair; it is not
 * forgotten while they are as late. */
static void
test_bound (void)
{
  static const FaspTime spares[] = { 0, 400 * FASP_MSEC, FASP_SEC };

  for (guint i = 0; i < G_N_ELEMENTS (spares); i++) {
    FaspTime late = 300 * FASP_MSEC, most = MAX (spares[i] / 2, FASP_GAP_DELAY_MOST), now = 0;
    g_autoptr (FaspGap) gap = fasp_gap_new ();
    guint spurious = 0;
    guint64 pn = 0;

    fasp_gap_set_spare (gap, spares[i]);
    fasp_gap_receive (gap, now, pn++);
    for (guint k = 0; k < 100; k++) {
      guint64 overtaken = pn++;

      now += FASP_SEC;
      fasp_gap_receive (gap, now, pn++);
      now += late;
      spurious += fasp_gap_receive (gap, now, overtaken) == FASP_GAP_SPURIOUS;
      g_assert_cmpint (fasp_gap_get_delay (gap), ==, MIN (late * 5 / 4, most));
    }
    g_assert_cmpuint (spurious, ==, most > late ? 1 : 100);
    fasp_gap_set_spare (gap, 0);
    g_assert_cmpint (fasp_gap_get_delay (gap), ==, FASP_GAP_DELAY_MOST);
  }
}

static void
test_replay (void)
{
  g_autoptr (FaspGap) gap = fasp_gap_new ();

  for (guint64 pn = 0; pn < 3 * FASP_GAP_WINDOW; pn += 2)
    fasp_gap_receive (gap, pn, pn);
  for (guint64 pn = 0; pn < 3 * FASP_GAP_WINDOW; pn += 2)
    g_assert_true (fasp_gap_is_refused (gap, pn));
  /* odd ones: only those within the window */
  g_assert_true (fasp_gap_is_refused (gap, 1));
  g_assert_false (fasp_gap_is_refused (gap, 3 * FASP_GAP_WINDOW - 3));
  g_assert_cmpint (fasp_gap_receive (gap, 100000, 1), ==, FASP_GAP_REFUSED);
}

/* A jump far ahead: everything between is one hole, at no cost. */
static void
test_jump (void)
{
  g_autoptr (FaspGap) gap = fasp_gap_new ();
  FaspGapCounters counters;
  guint64 settled;

  fasp_gap_receive (gap, 0, 0);
  g_assert_cmpint (fasp_gap_receive (gap, 1, 1u << 22), ==, FASP_GAP_HOLE);
  g_assert_true (fasp_gap_get_settled (gap, 10 * FASP_MSEC, &settled));
  g_assert_cmpuint (settled, ==, 1u << 22);
  fasp_gap_get_counters (gap, &counters);
  g_assert_cmpuint (counters.lost, ==, (1u << 22) - 1);
}

/* Whatever comes in whatever order: settled <= largest, never goes back, and
 * every packet is accepted once at most. */
static void
test_model (void)
{
  for (guint seed = 0; seed < 100; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_autoptr (FaspGap) gap = fasp_gap_new ();
    g_autofree guint8 *seen = g_malloc0 (20000);
    guint64 settled, before = 0, largest = 0;
    FaspGapCounters counters;
    FaspTime now = 0;
    guint64 distinct = 0;

    for (guint i = 0; i < 5000; i++) {
      guint64 pn = largest + g_rand_int_range (rand, 0, 4);
      FaspGapResult result;

      if (g_rand_int_range (rand, 0, 5) == 0) {
        guint64 back = g_rand_int_range (rand, 0, 40);

        pn -= MIN (pn, back);
      }
      now += g_rand_int_range (rand, 0, 400);
      result = fasp_gap_receive (gap, now, pn);
      g_assert_true (result == FASP_GAP_REFUSED || !seen[pn]);
      if (seen[pn])
        g_assert_cmpint (result, ==, FASP_GAP_REFUSED);
      distinct += result != FASP_GAP_REFUSED;
      seen[pn] |= result != FASP_GAP_REFUSED;
      largest = MAX (largest, pn);
      g_assert_cmpuint (fasp_gap_get_largest (gap), ==, largest);
      if (fasp_gap_get_settled (gap, now, &settled)) {
        g_assert_cmpuint (settled, >=, before);
        g_assert_cmpuint (settled, <=, largest);
        before = settled;
      }
      g_assert_cmpint (fasp_gap_get_timeout (gap), >, now);
    }
    fasp_gap_get_counters (gap, &counters);
    g_assert_cmpuint (counters.received, ==, distinct);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gap/in-order", test_in_order);
  g_test_add_func ("/gap/hole", test_hole);
  g_test_add_func ("/gap/first-missing", test_first_missing);
  g_test_add_func ("/gap/timeout", test_timeout);
  g_test_add_func ("/gap/settled-by-packet", test_settled_by_packet);
  g_test_add_func ("/gap/holes-close", test_holes_close);
  g_test_add_func ("/gap/adapts", test_adapts);
  g_test_add_func ("/gap/bound", test_bound);
  g_test_add_func ("/gap/replay", test_replay);
  g_test_add_func ("/gap/jump", test_jump);
  g_test_add_func ("/gap/model", test_model);
  return g_test_run ();
}
