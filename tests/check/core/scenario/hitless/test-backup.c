/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two encoders, main and backup: the reader goes over to the other one at a key frame.
 */
#include "seeds.h"
#include "vcases.h"
#include "vhitless.h"

#define RTT (100 * FASP_MSEC)
#define LATENCY_MS 400
#define PAUSE (6 * FASP_SEC)

static VHitless *
make (guint32 seed, FaspRedundancy redundancy)
{
  VHitless *h = vhitless_new (seed, redundancy, 2, LATENCY_MS);

  h->own_origins = h->has_keys = h->forges[1] = TRUE;
  vhitless_wire (h, 0, RTT, .02);
  vhitless_wire (h, 1, RTT * 15 / 10, .02);
  vhitless_start (h, 0);
  vhitless_run (h, 2 * FASP_SEC);
  vhitless_start (h, 1);
  vhitless_run (h, PAUSE);
  g_assert_cmpuint (h->streams, ==, 1);
  g_assert_cmpuint (h->base, ==, 0);
  h->latest = 0;
  return h;
}

static void
assert_switched (VHitless *h, guint streams, guint to)
{
  g_assert_false (h->wrong);
  g_assert_cmpuint (h->missing, ==, 0);
  g_assert_cmpuint (h->streams, ==, streams);
  g_assert_cmpuint (h->discontinuities, ==, streams - 1);
  g_assert_cmpuint (h->base, ==, h->sources[to].started);
  /* it begins with a key frame */
  g_assert_cmpuint ((h->base + h->first_key) % (190 * VHITLESS_CHUNK), ==, 0);
}

/* The main one dies and comes back; the backup goes on until somebody asks for the main one. */
static void
test_main_dies (gconstpointer data)
{
  FaspRedundancy redundancy = GPOINTER_TO_UINT (data);
  g_autoptr (VHitless) h = make (redundancy, redundancy);

  vhitless_kill (h, 0);
  vhitless_run (h, 3 * FASP_SEC);
  assert_switched (h, 2, 1);
  vhitless_start (h, 0);
  vhitless_run (h, 20 * FASP_SEC);
  assert_switched (h, 2, 1);
  g_assert_true (fasp_merge_prefer (h->merge, vnet_get_time (h->net), 0));
  vhitless_run (h, 3 * FASP_SEC);
  assert_switched (h, 3, 0);
}

/* The main one is gone back to by itself once it has been good for so long; not if it fails again
 * meanwhile. */
static void
test_restored (gconstpointer data)
{
  FaspRedundancy redundancy = GPOINTER_TO_UINT (data);
  g_autoptr (VHitless) h = make (7 + redundancy, redundancy);

  fasp_merge_restore_after (h->merge, 15 * FASP_SEC);
  vhitless_kill (h, 0);
  vhitless_run (h, 3 * FASP_SEC);
  vhitless_start (h, 0);
  vhitless_run (h, 12 * FASP_SEC);
  vhitless_kill (h, 0);
  vhitless_run (h, 3 * FASP_SEC);
  vhitless_start (h, 0);
  vhitless_run (h, 15 * FASP_SEC);
  assert_switched (h, 2, 1);
  vhitless_run (h, 12 * FASP_SEC); /* it takes a while until it is called again */
  assert_switched (h, 3, 0);
}

/* The same with two senders of one stream: nobody notices. */
static void
test_restored_whole (gconstpointer data)
{
  g_autoptr (VHitless) h = vhitless_new (9, GPOINTER_TO_UINT (data), 2, 500);

  for (guint i = 0; i < 2; i++) {
    vhitless_wire (h, i, (1 + i) * RTT / 2, .02);
    vhitless_start (h, i);
  }
  fasp_merge_restore_after (h->merge, 15 * FASP_SEC);
  vhitless_run (h, PAUSE);
  h->latest = 0;
  g_assert_true (fasp_merge_prefer (h->merge, vnet_get_time (h->net), 0));
  vhitless_run (h, PAUSE);
  vhitless_black_out (h, 0, 5 * FASP_SEC);
  g_assert_cmpuint (vhitless_get_leader (h), ==, 1);
  vhitless_run (h, 10 * FASP_SEC);
  g_assert_cmpuint (vhitless_get_leader (h), ==, 1);
  vhitless_run (h, 15 * FASP_SEC);
  g_assert_cmpuint (vhitless_get_leader (h), ==, 0);
  vhitless_assert_whole (h);
}

/* An outage that is shorter than the latency is none. */
static void
test_short_outage (gconstpointer data)
{
  g_autoptr (VHitless) h = make (3, GPOINTER_TO_UINT (data));
  ImpairConfig *w = vnet_get_wire (h->net, VNET_A, VNET_E);

  impair_black_out (w, vnet_get_time (h->net), 150 * FASP_MSEC);
  vhitless_run (h, 5 * FASP_SEC);
  assert_switched (h, 1, 0);
}

/* The only other one has the same origin and other bytes: it is not used until nobody else is
 * there, and then it is told that the stream does not go on. */
static void
test_last_resort (void)
{
  g_autoptr (VHitless) h = vhitless_new (5, FASP_REDUNDANCY_HOT, 2, LATENCY_MS);
  guint64 read;

  h->forges[1] = TRUE;
  for (guint i = 0; i < 2; i++)
    vhitless_wire (h, i, (1 + i) * RTT, 0);
  vhitless_start (h, 0);
  vhitless_run (h, PAUSE);
  vhitless_start (h, 1);
  vhitless_run (h, PAUSE);
  g_assert_false (h->wrong);
  g_assert_cmpuint (h->events[FASP_MERGE_DIFFERS][1], >, 0);
  vhitless_kill (h, 0);
  vhitless_run (h, PAUSE);
  read = h->read;
  vhitless_run (h, PAUSE);
  g_assert_cmpuint (h->read, >, read);
  g_assert_cmpuint (h->discontinuities, ==, 1);
}

/* Two encoders whose bytes are the same now and then: in tables, empty packets, and whole seconds
 * in which the picture stands still.  Nobody fails: the reader gets what the main one sends. */
static void
test_alike (gconstpointer data)
{
  guint32 seed = GPOINTER_TO_UINT (data);
  g_autoptr (VHitless) h = vhitless_new (seed, FASP_REDUNDANCY_HOT, 2, LATENCY_MS);

  h->own_origins = h->has_keys = h->forges[1] = h->forges_partly = TRUE;
  for (guint i = 0; i < 2; i++) {
    vhitless_wire (h, i, g_rand_int_range (h->rand, RTT / 10, RTT), .02);
    vhitless_start (h, i);
    vhitless_run (h, g_rand_int_range (h->rand, 1, 3 * FASP_SEC));
  }
  vhitless_run (h, 60 * FASP_SEC);
  g_assert_cmpuint (h->wrong, ==, 0);
  g_assert_cmpuint (h->streams, ==, 1);
  g_assert_cmpuint (h->discontinuities, ==, 0);
  g_assert_cmpuint (h->missing, ==, 0);
  g_assert_cmpuint (h->events[FASP_MERGE_LEADS][0], ==, 1);
  g_assert_cmpuint (h->events[FASP_MERGE_LEADS][1], ==, 0);
  /* every four seconds they are the same; the time until that is looked at again doubles */
  g_assert_cmpuint (h->events[FASP_MERGE_DIFFERS][1], <=, 5);
}

/* Both encoders pause, as what feeds them does, and the backup is the first to go on. */
static void
test_pause (void)
{
  g_autoptr (VHitless) h = vhitless_new (2, FASP_REDUNDANCY_HOT, 2, LATENCY_MS);

  h->own_origins = h->has_keys = h->forges[1] = TRUE;
  vhitless_wire (h, 0, RTT, 0);
  vhitless_wire (h, 1, RTT / 10, 0);
  vhitless_start (h, 0);
  vhitless_run (h, FASP_SEC);
  vhitless_start (h, 1);
  for (guint i = 0; i < 5; i++) {
    vhitless_run (h, PAUSE);
    h->is_paused = TRUE;
    vhitless_run (h, FASP_SEC);
    h->is_paused = FALSE;
  }
  vhitless_run (h, PAUSE);
  assert_switched (h, 1, 0);
  g_assert_cmpuint (h->events[FASP_MERGE_LEADS][1], ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add_seeds ("/backup/alike", count_seeds (10), test_alike);
  g_test_add_data_func ("/backup/main-dies/hot", GUINT_TO_POINTER (FASP_REDUNDANCY_HOT),
      test_main_dies);
  g_test_add_data_func ("/backup/main-dies/standby", GUINT_TO_POINTER (FASP_REDUNDANCY_STANDBY),
      test_main_dies);
  g_test_add_data_func ("/backup/restored/hot", GUINT_TO_POINTER (FASP_REDUNDANCY_HOT),
      test_restored);
  g_test_add_data_func ("/backup/restored/standby", GUINT_TO_POINTER (FASP_REDUNDANCY_STANDBY),
      test_restored);
  g_test_add_data_func ("/backup/restored-whole/hot", GUINT_TO_POINTER (FASP_REDUNDANCY_HOT),
      test_restored_whole);
  g_test_add_data_func ("/backup/restored-whole/standby",
      GUINT_TO_POINTER (FASP_REDUNDANCY_STANDBY), test_restored_whole);
  g_test_add_data_func ("/backup/short-outage", GUINT_TO_POINTER (FASP_REDUNDANCY_HOT),
      test_short_outage);
  g_test_add_func ("/backup/pause", test_pause);
  g_test_add_func ("/backup/last-resort", test_last_resort);
  return g_test_run ();
}
