/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two senders that are fed the same transport stream, and know nothing of each other.
 */
#include "seeds.h"
#include "vcases.h"
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
test_align (FaspRedundancy redundancy, guint32 seed)
{
  g_autoptr (VHitless) h = make (seed, redundancy);

  for (guint i = 0; i < 2; i++)
    g_assert_true (vhitless_is_trusted (h, i));
  vhitless_harm (h, 4, PAUSE);
  vhitless_assert_whole (h);
  vhitless_end_whole (h);
}

/* Both have been there for a while when the reader begins: it has something of the two at the same
 * time. */
static void
test_at_once (gconstpointer data)
{
  guint32 seed = GPOINTER_TO_UINT (data);
  g_autoptr (VHitless) h = vhitless_new (seed, FASP_REDUNDANCY_HOT, 2, LATENCY_MS);

  h->own_origins = TRUE;
  for (guint i = 0; i < 2; i++) {
    vhitless_wire (h, i, RTT, 1);
    vhitless_start (h, i);
    vhitless_run (h, g_rand_int_range (h->rand, 1, 3 * FASP_SEC));
  }
  for (guint i = 0; i < 2; i++) {
    vhitless_wire (h, i, RTT, .02);
    vhitless_call (h, i);
  }
  vhitless_run (h, PAUSE);
  for (guint i = 0; i < 2; i++)
    g_assert_true (vhitless_is_trusted (h, i));
  vhitless_assert_whole (h);
  vhitless_end_whole (h);
}

/* The second one begins with what it has kept, which the reader has had for seconds. */
static void
test_behind (void)
{
  g_autoptr (VHitless) h = vhitless_new (1, FASP_REDUNDANCY_HOT, 2, LATENCY_MS);
  FaspTime began;

  h->own_origins = h->joins_back = TRUE;
  vhitless_wire (h, 0, RTT, 0);
  vhitless_wire (h, 1, RTT, 1);
  for (guint i = 0; i < 2; i++)
    vhitless_start (h, i);
  vhitless_run (h, PAUSE);
  vhitless_wire (h, 1, RTT, 0);
  vhitless_call (h, 1);
  began = vnet_get_time (h->net);
  while (!vhitless_is_trusted (h, 1))
    vhitless_step (h);
  g_assert_cmpint (vnet_get_time (h->net) - began, <, FASP_SEC);
  vhitless_run (h, PAUSE);
  vhitless_end_whole (h);
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
  g_test_init (&argc, &argv, NULL);
  vcases_add_seeds ("/align/hot", count_seeds (10), test_hot);
  vcases_add_seeds ("/align/standby", count_seeds (10), test_standby);
  vcases_add_seeds ("/align/at-once", count_seeds (10), test_at_once);
  g_test_add_func ("/align/behind", test_behind);
  return g_test_run ();
}
