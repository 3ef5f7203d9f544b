/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsrc with monitor-ts: it counts the errors of the stream that goes downstream, and knows when
 * that has ended.  Only errors that no time can cause are looked at: the stream comes as fast as it
 * can.
 */
#include "pair.h"
#include "tsfaults.h"

static GstStructure *
read_stats (Pair *pair)
{
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
  GstStructure *stats;

  g_object_get (source, "stats", &stats, NULL);
  return stats;
}

static void
assert_error (const GstStructure *stats, TsErrorKind kind, guint64 wanted, const gchar *state)
{
  const GstStructure *monitor =
      gst_value_get_structure (gst_structure_get_value (stats, "transport-stream"));
  const GstStructure *error =
      gst_value_get_structure (gst_structure_get_value (monitor, ts_error_rows[kind].name));
  guint64 count = 0;

  g_test_message ("%s", ts_error_rows[kind].name);
  g_assert_true (gst_structure_get_uint64 (error, "count", &count));
  g_assert_cmpuint (count, ==, wanted);
  if (state != NULL)
    g_assert_cmpstr (gst_structure_get_string (error, "state"), ==, state);
}

static void
assert_stream (const GstStructure *stats, gboolean lost, const gchar *state)
{
  assert_error (stats, TS_ERROR_SYNC_LOSS, 0, state);
  assert_error (stats, TS_ERROR_SYNC_BYTE, 0, state);
  assert_error (stats, TS_ERROR_CONTINUITY, lost, lost && state != NULL ? NULL : state);
  assert_error (stats, TS_ERROR_TRANSPORT, 0, state);
  assert_error (stats, TS_ERROR_CRC, 0, state);
  assert_error (stats, TS_ERROR_PCR_DISCONTINUITY, 0, state);
}

static void
test_stream (gconstpointer name)
{
  g_autoptr (Pair) pair =
      pair_new ("uri=fasp://127.0.0.1:PORT", "uri=fasp://:PORT?monitor-ts=true");
  g_autoptr (GBytes) stream = fault_make_stream (fault_find (name));
  gboolean lost = g_str_equal (name, "continuity");
  g_autoptr (GstStructure) before = NULL;
  g_autoptr (GstStructure) after = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, g_bytes_get_size (stream), 16 * 1316);
  pair_wait_for_size (pair, g_bytes_get_size (stream));
  before = read_stats (pair);
  assert_stream (before, lost, "good");
  pair_finish (pair, stream);
  after = read_stats (pair);
  assert_stream (after, lost, "unknown");
}

/* Without the property it is not there. */
static void
test_off (void)
{
  g_autoptr (Pair) pair = pair_new ("uri=fasp://127.0.0.1:PORT", "uri=fasp://:PORT");
  g_autoptr (GBytes) stream = fault_make_stream (fault_find ("none"));
  g_autoptr (GstStructure) stats = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 1316, 1316);
  pair_wait_for_size (pair, 1316);
  stats = read_stats (pair);
  g_assert_false (gst_structure_has_field (stats, "transport-stream"));
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/monitor/clean", "none", test_stream);
  g_test_add_data_func ("/monitor/continuity", "continuity", test_stream);
  g_test_add_func ("/monitor/off", test_off);
  return g_test_run ();
}
