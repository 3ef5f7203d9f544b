/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspheap.h"

#define N 200

/* Whatever is put in, moved and taken out: the first is always one of the least. */
static void
test_order (void)
{
  for (guint seed = 0; seed < 20; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    FaspHeapItem items[N] = { 0 };
    FaspHeap heap = { 0 };

    for (guint i = 0; i < N; i++)
      items[i].owner = &items[i];
    g_assert_null (fasp_heap_peek (&heap));
    for (guint step = 0; step < 5000; step++) {
      FaspHeapItem *item = &items[g_rand_int_range (rand, 0, N)];
      FaspHeapItem *first;
      gint64 least = G_MAXINT64;
      gboolean any = FALSE;

      if (g_rand_int_range (rand, 0, 3) == 0)
        fasp_heap_remove (&heap, item);
      else
        fasp_heap_set (&heap, item, g_rand_int_range (rand, -50, 50));
      for (guint i = 0; i < N; i++)
        if (items[i].index > 0) {
          any = TRUE;
          least = MIN (least, items[i].key);
        }
      first = fasp_heap_peek (&heap);
      g_assert_cmpint (first != NULL, ==, any);
      if (any) {
        g_assert_cmpint (first->key, ==, least);
        g_assert_true (first->owner == first);
      }
    }
    fasp_heap_clear (&heap);
  }
}

/* All in order of their keys, each once. */
static void
test_sorts (void)
{
  FaspHeapItem items[N] = { 0 }, *first;
  FaspHeap heap = { 0 };
  gint64 last = G_MININT64;
  guint n = 0;

  for (guint i = 0; i < N; i++)
    fasp_heap_set (&heap, &items[i], i * 7919 % N);
  for (; (first = fasp_heap_peek (&heap)) != NULL; n++) {
    g_assert_cmpint (first->key, >, last);
    last = first->key;
    fasp_heap_remove (&heap, first);
    fasp_heap_remove (&heap, first); /* it is not in it any more */
  }
  g_assert_cmpuint (n, ==, N);
  fasp_heap_clear (&heap);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/heap/order", test_order);
  g_test_add_func ("/heap/sorts", test_sorts);
  return g_test_run ();
}
