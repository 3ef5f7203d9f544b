/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspring.h"

/* Whatever is taken from the front and put at the end, from a number on that wraps the
 * ring: each thing is where its number says, and there is room for one more. */
static void
test_keeps (void)
{
  for (guint seed = 0; seed < 20; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    guint64 mask = 3, from = g_rand_int_range (rand, 0, 1000), to = from;
    guint64 most = 0;
    guint64 *ring = g_new (guint64, mask + 1);

    for (guint step = 0; step < 3000; step++) {
      if (to > from && g_rand_int_range (rand, 0, 5) < 2) {
        from++;
      } else {
        ring = fasp_ring_make_room (ring, sizeof *ring, &mask, from, to);
        ring[to & mask] = to;
        to++;
      }
      most = MAX (most, to - from);
      g_assert_cmpuint (to - from, <=, mask + 1);
      for (guint64 n = from; n < to; n++)
        g_assert_cmpuint (ring[n & mask], ==, n);
    }
    /* no larger than it had to be */
    g_assert_cmpuint (mask + 1, <, 2 * most);
    g_free (ring);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ring/keeps", test_keeps);
  return g_test_run ();
}
