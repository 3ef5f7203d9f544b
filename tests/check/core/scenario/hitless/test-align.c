/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two senders that are fed the same transport stream, and know nothing of each other.
 */
#include "vhitless.h"

#define RTT (100 * FASP_MSEC)
#define LATENCY_MS 500
#define PAUSE (6 * FASP_SEC)

/* The second one is started 7 s after the first. */
static VHitless *
make (guint32 seed, FaspRedundancy redundancy)
{
  VHitless *h = vhitless_new (seed, redundancy, 2, LATENCY_MS);

  h->own_origins = TRUE;
  vhitless_wire (h, 0, RTT, .02);
  vhitless_wire (h, 1, g_rand_int_range (h->rand, RTT / 10, RTT), .02);
  vhitless_start (h, 0);
  vhitless_run (h, 7 * FASP_SEC);
  vhitless_start (h, 1);
  vhitless_run (h, PAUSE);
  h->latest = 0;
  return h;
}

static void
finish (VHitless *h)
{
  h->finished = TRUE;
  vhitless_run (h, 2 * FASP_SEC);
  g_assert_true (h->eos);
  g_assert_cmpuint (h->base + h->end.offset, ==, h->due / VHITLESS_CHUNK * VHITLESS_CHUNK);
  vhitless_free (h);
}

static void
test_align (FaspRedundancy redundancy, guint32 seed)
{
  VHitless *h = make (seed, redundancy);
  FaspSourceStats stats;

  for (guint i = 0; i < 2; i++) {
    fasp_merge_get_stats (h->merge, i, &stats);
    g_assert_true (stats.is_trusted);
  }
  vhitless_harm (h, 4, PAUSE);
  vhitless_assert_whole (h);
  finish (h);
}

static void
test_hot (gconstpointer data)
{
  test_align (FASP_REDUNDANCY_HOT, GPOINTER_TO_UINT (data));
}

static void
test_standby (gconstpointer data)
{
  test_align (FASP_REDUNDANCY_STANDBY, GPOINTER_TO_UINT (data));
}

int
main (int argc, char **argv)
{
  guint seeds;

  g_test_init (&argc, &argv, NULL);
  seeds = g_test_slow () ? 1000 : 10;
  for (guint seed = 1; seed <= seeds; seed++) {
    g_autofree gchar *hot = g_strdup_printf ("/align/hot/%u", seed);
    g_autofree gchar *standby = g_strdup_printf ("/align/standby/%u", seed);

    g_test_add_data_func (hot, GUINT_TO_POINTER (seed), test_hot);
    g_test_add_data_func (standby, GUINT_TO_POINTER (seed), test_standby);
  }
  return g_test_run ();
}
