/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream with a header, from two senders: who has the header from one of them does not wait for
 * that of the other.
 */
#include "vhitless.h"

#define RTT (100 * FASP_MSEC)
#define LATENCY_MS 500

/* The second one is called when the stream is under way. */
static void
test_later (gconstpointer data)
{
  g_autoptr (VHitless) h = vhitless_new (1, GPOINTER_TO_UINT (data), 2, LATENCY_MS);
  FaspSourceStats stats;

  h->has_keys = h->has_header = TRUE;
  for (guint i = 0; i < 2; i++)
    vhitless_wire (h, i, RTT, .02);
  vhitless_start (h, 0);
  vhitless_run (h, 3 * FASP_SEC);
  h->latest = 0;
  vhitless_start (h, 1);
  for (guint k = 0; k < 2; k++) {
    vhitless_call (h, 1);
    vhitless_run (h, k == 0 ? 8 * FASP_SEC : 2 * FASP_SEC);
    fasp_merge_get_stats (h->merge, 1, &stats);
    g_assert_true (stats.is_trusted);
  }
  vhitless_kill (h, 0);
  vhitless_run (h, 8 * FASP_SEC);
  vhitless_assert_whole (h);
  /* and the first one, when it is back */
  vhitless_start (h, 0);
  vhitless_run (h, 8 * FASP_SEC);
  vhitless_kill (h, 1);
  vhitless_run (h, 8 * FASP_SEC);
  vhitless_assert_whole (h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/several-headers/hot", GUINT_TO_POINTER (FASP_REDUNDANCY_HOT), test_later);
  g_test_add_data_func ("/several-headers/standby", GUINT_TO_POINTER (FASP_REDUNDANCY_STANDBY),
      test_later);
  return g_test_run ();
}
