/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Marks and overflows are answered once a round trip, until that is in vain.
 */
#include "faspcongestion.h"

#define START (100 * FASP_SEC)
#define RTT (50 * FASP_MSEC)
#define RATE 1e7

static void
test_once (void)
{
  FaspCongestion congestion = { 0 };
  guint yields = 0;

  for (FaspTime t = 0; t < 10 * FASP_SEC; t += FASP_MSEC) {
    /* some every half second, for 200 ms: four round trips */
    if (t % (FASP_SEC / 2) >= 200 * FASP_MSEC)
      continue;
    switch (fasp_congestion_answer (&congestion, START + t, RTT, RATE)) {
      case FASP_CONGESTION_NOTHING:
        break;
      case FASP_CONGESTION_YIELD:
        yields++;
        break;
      case FASP_CONGESTION_CONTEST:
        g_assert_not_reached ();
    }
  }
  g_assert_cmpuint (yields, ==, 20 * 4);
}

/* Marked whatever is answered. */
static void
test_vain (void)
{
  FaspCongestion congestion = { 0 };
  guint yields = 0;
  FaspTime t = 0;

  while (fasp_congestion_answer (&congestion, START + t, RTT, RATE) != FASP_CONGESTION_CONTEST) {
    yields++;
    t += RTT;
    g_assert_cmpuint (yields, <, 20);
  }
  g_assert_cmpuint (yields, ==, 6);
  /* and then from the start */
  g_assert_cmpint (fasp_congestion_answer (&congestion, START + t + RTT, RTT, RATE), ==,
      FASP_CONGESTION_YIELD);
}

static void
test_new (void)
{
  FaspCongestion congestion = { 0 };

  g_assert_true (fasp_congestion_is_new (&congestion, START, RTT));
  g_assert_false (fasp_congestion_is_new (&congestion, START + RTT - 1, RTT));
  g_assert_true (fasp_congestion_is_new (&congestion, START + RTT, RTT));
  /* whichever way it was answered */
  g_assert_cmpint (fasp_congestion_answer (&congestion, START + RTT + 1, RTT, RATE), ==,
      FASP_CONGESTION_NOTHING);
}

/* As long as half of the rate takes others, by a packet a round trip or as CUBIC, whichever is
 * sooner; within bounds. */
static void
test_polite (void)
{
  static const struct
  {
    gdouble rate;
    FaspTime rtt, polite;
  } table[] = {
    /* 10 Mbit/s: 83 packets in 100 ms, half of which are 41.7 round trips */
    { 1e7, 100 * FASP_MSEC, 4166666 },
    { 1e7, 50 * FASP_MSEC, 2 * FASP_SEC },
    /* 333 packets in 400 ms, half of which CUBIC has again after the cube root of 167 / 0.4 s */
    { 1e7, 400 * FASP_MSEC, 7469007 },
    { 1e5, 20 * FASP_MSEC, 2 * FASP_SEC },
    { 1e9, 100 * FASP_MSEC, 20 * FASP_SEC },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    FaspCongestion congestion = { 0 };
    FaspTime until = START + table[i].polite;

    g_assert_false (fasp_congestion_is_polite (&congestion, START));
    fasp_congestion_answer (&congestion, START, table[i].rtt, table[i].rate);
    g_assert_true (fasp_congestion_is_polite (&congestion, until - 1));
    g_assert_false (fasp_congestion_is_polite (&congestion, until + 1));
  }
  /* a packet in 100 ms is 120 kbit/s, seven tenths of it each 100 ms */
  g_assert_cmpfloat_with_epsilon (fasp_congestion_grow (10e6, 100 * FASP_MSEC, FASP_SEC), 10840000,
      1);
  /* by half for up to four of them, by a fifth for ten, by a tenth for any */
  g_assert_cmpfloat_with_epsilon (fasp_congestion_grow (1e5, 100 * FASP_MSEC, FASP_SEC / 5), 150000,
      1);
  g_assert_cmpfloat_with_epsilon (fasp_congestion_grow (1e6, 100 * FASP_MSEC, FASP_SEC), 1200000,
      1);
  g_assert_cmpfloat_with_epsilon (fasp_congestion_grow (1e6, 200, 50 * FASP_MSEC), 1100000, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/congestion/once", test_once);
  g_test_add_func ("/congestion/vain", test_vain);
  g_test_add_func ("/congestion/new", test_new);
  g_test_add_func ("/congestion/polite", test_polite);
  return g_test_run ();
}
