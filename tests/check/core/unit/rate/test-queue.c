/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which part of a delay is a queue, and which the path.
 */
#include "faspqueue.h"

static void
test_queue (void)
{
  FaspQueue queue = { 0 };

  /* clocks differ by any number */
  g_assert_cmpint (fasp_queue_add (&queue, 1000, -5000000), ==, 0);
  g_assert_cmpint (fasp_queue_add (&queue, 2000, -4996000), ==, 3000);
  g_assert_cmpint (fasp_queue_add (&queue, 3000, -4998500), ==, 0);
  g_assert_cmpint (fasp_queue_add (&queue, 4000, -4997000), ==, 500);
  /* a longer path that nobody saw becoming longer is believed in ten seconds */
  for (FaspTime t = FASP_SEC; t < 12 * FASP_SEC; t += FASP_SEC / 2) {
    FaspTime delay = fasp_queue_add (&queue, t, t - 4901500);

    if (t < 10 * FASP_SEC)
      g_assert_cmpint (delay, ==, 100000);
    else if (t > 11 * FASP_SEC)
      g_assert_cmpint (delay, ==, 0);
  }
}

/* One that drains for longer than that is no longer path. */
static void
test_queue_drains (void)
{
  FaspQueue queue = { 0 };
  FaspTime left = 0;

  fasp_queue_add (&queue, 0, 50000);
  for (FaspTime t = FASP_SEC; t < 31 * FASP_SEC; t += FASP_SEC / 10) {
    left = MAX (0, 6 * FASP_SEC - t / 5);
    g_assert_cmpint (fasp_queue_add (&queue, t, t + 50000 + left), ==, left);
  }
  g_assert_cmpint (left, <, 20000);
}

/* Packets every 2 ms, whose delay is more by 100 ms at once: for good, for as long as it takes
 * to send again what was held up, and by a queue that grows. */
static void
test_queue_jumps (void)
{
  for (guint kind = 0; kind < 3; kind++) {
    FaspQueue queue = { 0 };
    FaspTime now, last = 0;

    for (now = 0; now < 3 * FASP_SEC; now += 2 * FASP_MSEC) {
      FaspTime since = MAX (0, now - FASP_SEC), more = 0;

      if (since > 0)
        more = kind == 0 ? 100 * FASP_MSEC :
            kind == 1    ? MAX (0, 100 * FASP_MSEC - since) :
                           MIN (since * 3, 100 * FASP_MSEC);
      last = fasp_queue_add (&queue, now, now + 50000 + more);
      g_assert_cmpint (last, ==, more);
      if (since > 50 * FASP_MSEC)
        g_assert_cmpint (fasp_queue_get_jump (&queue, now), ==, kind == 0 ? 100 * FASP_MSEC : 0);
    }
    g_assert_cmpint (fasp_queue_get_jump (&queue, FASP_SEC), ==, 0);
    if (kind == 0) {
      g_assert_cmpint (fasp_queue_take_jump (&queue), ==, 0);
      g_assert_cmpint (fasp_queue_add (&queue, now, now + 151000), ==, 1000);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/queue", test_queue);
  g_test_add_func ("/rate/queue/drains", test_queue_drains);
  g_test_add_func ("/rate/queue/jumps", test_queue_jumps);
  return g_test_run ();
}
