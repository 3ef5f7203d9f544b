/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What has arrived, for as long as a report may tell of it.
 */
#include "fasptimestamps.h"

static void
test_timestamps (void)
{
  FaspTimestamps timestamps;

  fasp_timestamps_init (&timestamps);
  for (guint round = 0; round < 20; round++) {
    guint per = round < 10 ? 1000 : 3; /* a fast stream becomes a slow one */

    for (guint i = 0; i < per; i++)
      fasp_timestamps_add (&timestamps, 10 * i, i);
    g_assert_cmpuint (timestamps.n, <=, FASP_TIMESTAMPS);
    if (round < 10)
      g_assert_cmpuint (timestamps.n, >=, FASP_TIMESTAMPS / 2 - 1);
    else if (round > 18)
      g_assert_cmpuint (timestamps.n, ==, 3);
    for (guint i = 1; i < timestamps.n; i++) {
      g_assert_cmpuint (timestamps.list[i].pn, >, timestamps.list[i - 1].pn);
      g_assert_cmpint (timestamps.list[i].time, ==, 10 * (gint) timestamps.list[i].pn);
    }
    fasp_timestamps_reset (&timestamps);
    g_assert_cmpuint (timestamps.n, ==, 0);
  }
}

/* Reports tell of as much in the same time, whatever their clock. */
static void
test_timestamps_sent (void)
{
  FaspTimestamps timestamps;

  fasp_timestamps_init (&timestamps);
  for (guint i = 0; i < 1000; i++)
    fasp_timestamps_add (&timestamps, 10 * i, i);
  for (FaspTime since = 200 * FASP_MSEC; since > 0; since -= 7 * FASP_MSEC) {
    guint most = fasp_timestamps_choose (since);
    FaspTimestamps told = timestamps;

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
  g_test_add_func ("/timestamps", test_timestamps);
  g_test_add_func ("/timestamps/sent", test_timestamps_sent);
  return g_test_run ();
}
