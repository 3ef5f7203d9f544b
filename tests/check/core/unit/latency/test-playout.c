/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspplayout.h"

static void
test_agree (void)
{
  static const struct
  {
    guint a, b;
    gboolean find;
    guint latency;
  } rows[] = {
    { FASP_LATENCY_ANY, FASP_LATENCY_ANY, FALSE, 1000 },
    { FASP_LATENCY_ANY, 300, FALSE, 300 },
    { 700, 300, FALSE, 700 },
    { 0, FASP_LATENCY_ANY, FALSE, 0 },
    { 0, 0, FALSE, 0 },
    { FASP_LATENCY_AUTO, FASP_LATENCY_ANY, TRUE, 0 },
    { FASP_LATENCY_AUTO, FASP_LATENCY_AUTO, TRUE, 0 },
    { FASP_LATENCY_AUTO, 300, TRUE, 300 },
    /* a hostile peer */
    { FASP_LATENCY_AUTO - 2, 300, FALSE, 600000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    FaspLatency there = fasp_latency_agree (rows[i].a, rows[i].b);
    FaspLatency back = fasp_latency_agree (rows[i].b, rows[i].a);

    g_assert_true (there.find == rows[i].find && back.find == rows[i].find);
    g_assert_cmpint (there.latency, ==, rows[i].latency * FASP_MSEC);
    g_assert_cmpint (back.latency, ==, there.latency);
  }
}

static void
test_given (void)
{
  FaspLatency agreed = { FALSE, 300 * FASP_MSEC };
  FaspPlayout playout;

  fasp_playout_init (&playout, &agreed);
  g_assert_false (fasp_playout_is_unknown (&playout));
  /* nobody tells it what was agreed on */
  g_assert_false (fasp_playout_set (&playout, 5, FASP_SEC));
  g_assert_cmpint (fasp_playout_get (&playout, FASP_SEC), ==, 300 * FASP_MSEC);
}

static void
test_announced (void)
{
  FaspLatency agreed = { TRUE, 0 };
  FaspPlayout playout;

  fasp_playout_init (&playout, &agreed);
  g_assert_true (fasp_playout_is_unknown (&playout));
  g_assert_cmpint (fasp_playout_get (&playout, 0), ==, 0);
  /* no latency at all, or a hostile one */
  g_assert_false (fasp_playout_set (&playout, 0, 0));
  g_assert_false (fasp_playout_set (&playout, 0, 601 * FASP_SEC));
  g_assert_true (fasp_playout_is_unknown (&playout));
  g_assert_true (fasp_playout_set (&playout, FASP_SEC, 300 * FASP_MSEC));
  g_assert_cmpint (fasp_playout_get (&playout, FASP_SEC), ==, 300 * FASP_MSEC);
  /* up: 10 ms in a second */
  g_assert_false (fasp_playout_set (&playout, 2 * FASP_SEC, 400 * FASP_MSEC));
  g_assert_cmpint (fasp_playout_get (&playout, 2 * FASP_SEC), ==, 300 * FASP_MSEC);
  g_assert_cmpint (fasp_playout_get (&playout, 3 * FASP_SEC), ==, 310 * FASP_MSEC);
  /* told the same again: it goes on from where it is */
  fasp_playout_set (&playout, 3 * FASP_SEC, 400 * FASP_MSEC);
  g_assert_cmpint (fasp_playout_get (&playout, 4 * FASP_SEC), ==, 320 * FASP_MSEC);
  g_assert_cmpint (fasp_playout_get (&playout, 60 * FASP_SEC), ==, 400 * FASP_MSEC);
  /* down: 1 ms in a second */
  fasp_playout_set (&playout, 60 * FASP_SEC, 200 * FASP_MSEC);
  g_assert_cmpint (fasp_playout_get (&playout, 70 * FASP_SEC), ==, 390 * FASP_MSEC);
  g_assert_cmpint (fasp_playout_get (&playout, 360 * FASP_SEC), ==, 200 * FASP_MSEC);
  g_assert_cmpint (playout.first, ==, 300 * FASP_MSEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/playout/agree", test_agree);
  g_test_add_func ("/playout/given", test_given);
  g_test_add_func ("/playout/announced", test_announced);
  return g_test_run ();
}
