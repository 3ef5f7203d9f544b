/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What has arrived, for as long as a report may tell of it.
 */
#include "fasptimestamps.h"

static void
test_arrivals (void)
{
  FaspTimestamps arrivals;

  fasp_timestamps_init (&arrivals);
  for (guint round = 0; round < 20; round++) {
    guint per = round < 10 ? 1000 : 3; /* a fast stream becomes a slow one */

    for (guint i = 0; i < per; i++)
      fasp_timestamps_add (&arrivals, 10 * i, i);
    g_assert_cmpuint (arrivals.n, <=, FASP_TIMESTAMPS);
    if (round < 10)
      g_assert_cmpuint (arrivals.n, >=, FASP_TIMESTAMPS / 2 - 1);
    else if (round > 18)
      g_assert_cmpuint (arrivals.n, ==, 3);
    for (guint i = 1; i < arrivals.n; i++) {
      g_assert_cmpuint (arrivals.list[i].pn, >, arrivals.list[i - 1].pn);
      g_assert_cmpint (arrivals.list[i].time, ==, 10 * (gint) arrivals.list[i].pn);
    }
    fasp_timestamps_reset (&arrivals);
    g_assert_cmpuint (arrivals.n, ==, 0);
  }
}

/* Reports tell of as much in the same time, whatever their clock. */
static void
test_arrivals_told (void)
{
  FaspTimestamps arrivals;

  fasp_timestamps_init (&arrivals);
  for (guint i = 0; i < 1000; i++)
    fasp_timestamps_add (&arrivals, 10 * i, i);
  for (FaspTime since = 200 * FASP_MSEC; since > 0; since -= 7 * FASP_MSEC) {
    guint most = fasp_timestamps_choose (since);
    FaspTimestamps told = arrivals;

    g_assert_cmpuint (most, ==, CLAMP (since * 16 / (25 * FASP_MSEC), 16, 64));
    fasp_timestamps_thin_out (&told, most);
    g_assert_cmpuint (told.n, <=, most);
    g_assert_cmpuint (told.n, >=, most / 2);
    for (guint i = 2; i < told.n; i++)
      g_assert_cmpuint (told.list[i].pn - told.list[i - 1].pn, ==,
          told.list[1].pn - told.list[0].pn);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/arrivals", test_arrivals);
  g_test_add_func ("/rate/arrivals/told", test_arrivals_told);
  return g_test_run ();
}
