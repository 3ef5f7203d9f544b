/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * By how much a path's delay wanders by itself.
 */
#include "faspwander.h"

/* Packets every ms.  The delay goes up and down by 50 ms each second whatever is sent; or as a link
 * of 9 packets a time has it that gets 12 and then 6. */
static void
test_wander (void)
{
  for (guint queue = 0; queue < 2; queue++) {
    FaspWander wander = { 0 };
    gdouble delay = 0;
    guint64 bytes = 0;

    for (FaspTime now = 0; now < 5 * FASP_SEC; now += FASP_MSEC) {
      gboolean grows = now % FASP_SEC < FASP_SEC / 2;
      guint n = grows ? 12 : 6;
      FaspRateSample sample = { .sent = now, .bytes = bytes += queue ? n : 9 };

      delay = queue ?
          MAX (0, delay + FASP_MSEC * (n / 9. - 1)) :
          100. * (grows ? now % FASP_SEC : FASP_SEC - now % FASP_SEC) / FASP_SEC * FASP_MSEC;
      sample.arrived = now + delay;
      fasp_wander_add (&wander, &sample, 0);
      if (now > 4 * FASP_SEC)
        g_assert_cmpfloat (ABS (fasp_wander_get (&wander, now) - (queue ? 0 : 49000)), <=, 3000);
    }
    g_assert_cmpfloat (fasp_wander_get (&wander, 65 * FASP_SEC), <, 3000);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/wander", test_wander);
  return g_test_run ();
}
