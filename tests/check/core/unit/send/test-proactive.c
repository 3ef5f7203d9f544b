/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspproactive.h"

static void
test_order (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  FaspProactive copies = { 0 };
  FaspTime last = 0;

  g_assert_null (fasp_proactive_peek (&copies));
  for (guint i = 0; i < 1000; i++) {
    FaspCopy copy = { .due = g_rand_int_range (rand, 0, 300), .number = i };

    g_assert_true (fasp_proactive_push (&copies, &copy));
    if (i % 3 == 2)
      fasp_proactive_pop (&copies);
  }
  for (guint i = 0; i < 1000 - 333; i++) {
    g_assert_cmpint (fasp_proactive_peek (&copies)->due, >=, last);
    last = fasp_proactive_peek (&copies)->due;
    fasp_proactive_pop (&copies);
  }
  g_assert_null (fasp_proactive_peek (&copies));
  fasp_proactive_clear (&copies);
}

static void
test_bounded (void)
{
  FaspCopy copy = { 0 };
  FaspProactive copies = { 0 };

  for (guint i = 0; i < FASP_PROACTIVE_WAITING_MAX; i++)
    g_assert_true (fasp_proactive_push (&copies, &copy));
  g_assert_false (fasp_proactive_push (&copies, &copy));
  fasp_proactive_pop (&copies);
  g_assert_true (fasp_proactive_push (&copies, &copy));
  fasp_proactive_clear (&copies);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/proactive/order", test_order);
  g_test_add_func ("/proactive/bounded", test_bounded);
  return g_test_run ();
}
