/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An end's counters go on when its element is made anew.
 */
#include "relaycounters.h"

/* What an end tells after it has passed the counters: bytes received, and callers refused. */
static void
assert_follows (RelayCounters *counters, guint id, guint64 serial, guint64 bytes, guint64 refused,
    guint64 all_bytes, guint64 all_refused)
{
  RelayEndStats stats = { .id = id, .serial = serial, .refused = refused };
  guint64 followed = 0, level = 0;

  stats.stats = gst_structure_new ("stats", "bytes-received-total", G_TYPE_UINT64, bytes,
      "buffer-level", G_TYPE_UINT64, bytes, NULL);
  relay_counters_follow (counters, &stats);
  gst_structure_get_uint64 (stats.stats, "bytes-received-total", &followed);
  gst_structure_get_uint64 (stats.stats, "buffer-level", &level);
  g_assert_cmpuint (followed, ==, all_bytes);
  g_assert_cmpuint (stats.refused, ==, all_refused);
  /* what goes up and down is as it is */
  g_assert_cmpuint (level, ==, bytes);
  gst_structure_free (stats.stats);
}

static void
test_anew (void)
{
  RelayCounters *counters = relay_counters_new ();

  assert_follows (counters, 0, 1, 100, 2, 100, 2);
  assert_follows (counters, 0, 1, 150, 2, 150, 2);
  /* one that has stopped says 0 */
  assert_follows (counters, 0, 1, 0, 0, 150, 2);
  assert_follows (counters, 0, 2, 10, 0, 160, 2);
  assert_follows (counters, 0, 2, 400, 1, 550, 3);
  assert_follows (counters, 0, 5, 7, 1, 557, 4);
  /* the one before is there still, and changes nothing */
  assert_follows (counters, 0, 2, 999, 9, 999, 9);
  assert_follows (counters, 0, 5, 8, 1, 558, 4);
  relay_counters_free (counters);
}

/* Each end has its own, and an output that is gone has none. */
static void
test_ends (void)
{
  RelayCounters *counters = relay_counters_new ();
  RelayEnd second = { .id = 2 };
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();

  g_ptr_array_add (outputs, &second);
  for (guint id = 0; id < 3; id++)
    assert_follows (counters, id, id + 1, 100 * id, 0, 100 * id, 0);
  relay_counters_keep (counters, outputs);
  assert_follows (counters, 0, 11, 1, 0, 1, 0);
  assert_follows (counters, 1, 12, 1, 0, 1, 0);
  assert_follows (counters, 2, 13, 1, 0, 201, 0);
  relay_counters_free (counters);
}

/* An error of the transport stream, as an element counts it, and as it is told. */
static void
assert_error (RelayCounters *counters, guint64 serial, guint64 count, guint64 first, guint64 last,
    guint64 all, guint64 all_first, guint64 all_last)
{
  RelayEndStats stats = { .serial = serial };
  g_autoptr (GstStructure) error = gst_structure_new ("error", "count", G_TYPE_UINT64, count, NULL);
  g_autoptr (GstStructure) measured = NULL;
  const GstStructure *told;
  guint64 value = 0;

  if (count > 0)
    gst_structure_set (error, "first", G_TYPE_UINT64, first, "last", G_TYPE_UINT64, last, NULL);
  measured = gst_structure_new ("measured", "packets", G_TYPE_UINT64, count, "pat",
      GST_TYPE_STRUCTURE, error, NULL);
  stats.stats = gst_structure_new ("stats", "transport-stream", GST_TYPE_STRUCTURE, measured, NULL);
  relay_counters_follow (counters, &stats);
  told = gst_value_get_structure (gst_structure_get_value (stats.stats, "transport-stream"));
  told = gst_value_get_structure (gst_structure_get_value (told, "pat"));
  gst_structure_get_uint64 (told, "count", &value);
  g_assert_cmpuint (value, ==, all);
  g_assert_cmpint (gst_structure_has_field (told, "first"), ==, all > 0);
  if (all > 0) {
    gst_structure_get_uint64 (told, "first", &value);
    g_assert_cmpuint (value, ==, all_first);
    gst_structure_get_uint64 (told, "last", &value);
    g_assert_cmpuint (value, ==, all_last);
  }
  gst_structure_free (stats.stats);
}

/* The errors of a transport stream go on, with the time of the first one, and of the last. */
static void
test_errors (void)
{
  RelayCounters *counters = relay_counters_new ();

  assert_error (counters, 1, 0, 0, 0, 0, 0, 0);
  assert_error (counters, 1, 2, 100, 200, 2, 100, 200);
  assert_error (counters, 2, 0, 0, 0, 2, 100, 200);
  assert_error (counters, 2, 1, 500, 600, 3, 100, 600);
  assert_error (counters, 3, 4, 700, 800, 7, 100, 800);
  relay_counters_free (counters);
}

/* Elements that are stopped have no statistics. */
static void
test_none (void)
{
  RelayCounters *counters = relay_counters_new ();
  RelayEndStats stats = { .serial = 1, .refused = 1 };

  relay_counters_follow (counters, &stats);
  g_assert_null (stats.stats);
  g_assert_cmpuint (stats.refused, ==, 1);
  relay_counters_free (counters);
}

/* The counts of an end stay while it has no element. */
static void
test_waiting (void)
{
  RelayCounters *counters = relay_counters_new ();
  RelayEndStats stats = { .id = 1 };

  relay_counters_follow (counters, &stats);
  g_assert_cmpuint (stats.refused, ==, 0);
  assert_follows (counters, 1, 7, 100, 2, 100, 2);
  relay_counters_follow (counters, &stats);
  g_assert_cmpuint (stats.refused, ==, 2);
  assert_follows (counters, 1, 8, 10, 1, 110, 3);
  relay_counters_free (counters);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/relay/counters/anew", test_anew);
  g_test_add_func ("/relay/counters/ends", test_ends);
  g_test_add_func ("/relay/counters/errors", test_errors);
  g_test_add_func ("/relay/counters/none", test_none);
  g_test_add_func ("/relay/counters/waiting", test_waiting);
  return g_test_run ();
}
