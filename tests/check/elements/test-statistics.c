/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The structure `stats' of both elements against the core's table: the fields that the table has
 * for that end, all of them and no others, in its order, and of the types that it and the
 * documents say.
 */
#include "faspstatfields.h"
#include "gstfaspcommon.h"
#include "pair.h"

/* Walks through a structure's fields. */
typedef struct
{
  const GstStructure *s;
  gint at;
} Walk;

static const gchar *
get_name (const Walk *walk)
{
  return walk->at < gst_structure_n_fields (walk->s) ?
      gst_structure_nth_field_name (walk->s, walk->at) :
      NULL;
}

static void
expect (Walk *walk, const gchar *name, const gchar *type)
{
  g_assert_cmpstr (get_name (walk), ==, name);
  g_assert_cmpstr (g_type_name (gst_structure_get_field_type (walk->s, name)), ==, type);
  walk->at++;
}

/* The fields of one table; one that is shown under a condition may be absent. */
static void
expect_table (Walk *walk, FaspStatsOf of, FaspRole role)
{
  for (guint i = 0; i < fasp_stat_tables[of].n; i++) {
    const FaspStatField *field = &fasp_stat_tables[of].fields[i];
    g_autofree gchar *twin = g_strconcat (field->name, "-string", NULL);

    if ((field->roles & role) == 0
        || (field->is_shown != NULL && g_strcmp0 (get_name (walk), field->name) != 0))
      continue;
    expect (walk, field->name, fasp_stat_get_type_name (field->form));
    if (field->form == FASP_FORM_ADDRESS)
      expect (walk, twin, "gchararray");
  }
}

static void
expect_structures (const GstStructure *s, const gchar *name, guint n, FaspStatsOf of, FaspRole role)
{
  const GValueArray *array = gst_fasp_value_get_array (gst_structure_get_value (s, name));

  g_assert_cmpuint (array->n_values, ==, n);
  for (guint i = 0; i < n; i++) {
    Walk walk = { gst_value_get_structure (&array->values[i]), 0 };

    expect_table (&walk, of, role);
    g_assert_null (get_name (&walk));
  }
}

static void
check (GstElement *pipeline, const gchar *name, FaspRole role)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstStructure) stats = NULL;
  Walk walk = { 0 };

  g_object_get (element, "stats", &stats, NULL);
  walk.s = stats;
  expect_table (&walk, FASP_STATS_ENDPOINT, role);
  expect_table (&walk, FASP_STATS_SESSION, role);
  expect (&walk, "callers", "GValueArray");
  expect_table (&walk, FASP_STATS_SUMMARY, role);
  g_assert_null (get_name (&walk));
  expect_structures (stats, "callers", 1, FASP_STATS_SESSION, role);
  expect_structures (stats, "flow-list", 2, FASP_STATS_FLOW, role);
}

/* With several sources: what is known of the stream, of each peer, and of each source. */
static void
check_several (GstElement *pipeline, guint n)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstStructure) stats = NULL;
  const GValueArray *callers, *sources;
  Walk walk = { 0 };

  g_object_get (element, "stats", &stats, NULL);
  walk.s = stats;
  expect_table (&walk, FASP_STATS_ENDPOINT, FASP_ROLE_RECEIVER);
  expect_table (&walk, FASP_STATS_LEAD, FASP_ROLE_RECEIVER);
  expect (&walk, "callers", "GValueArray");
  expect (&walk, "source-list", "GValueArray");
  expect_table (&walk, FASP_STATS_SUMMARY, FASP_ROLE_RECEIVER);
  g_assert_null (get_name (&walk));
  callers = gst_fasp_value_get_array (gst_structure_get_value (stats, "callers"));
  sources = gst_fasp_value_get_array (gst_structure_get_value (stats, "source-list"));
  g_assert_cmpuint (callers->n_values, ==, n);
  g_assert_cmpuint (sources->n_values, ==, n);
  for (guint i = 0; i < n; i++) {
    Walk caller = { gst_value_get_structure (&callers->values[i]), 0 };
    Walk source = { gst_value_get_structure (&sources->values[i]), 0 };

    expect_table (&caller, FASP_STATS_SESSION, FASP_ROLE_RECEIVER);
    expect_table (&caller, FASP_STATS_SOURCE, FASP_ROLE_RECEIVER);
    g_assert_null (get_name (&caller));
    expect_table (&source, FASP_STATS_SOURCE, FASP_ROLE_RECEIVER);
    expect_table (&source, FASP_STATS_SOURCE_CHANGE, FASP_ROLE_RECEIVER);
    expect_table (&source, FASP_STATS_SUMMARY, FASP_ROLE_RECEIVER);
    g_assert_null (get_name (&source));
  }
}

static void
test_several (void)
{
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) receiver =
      pair_launch ("faspsrc name=source redundancy=hot " SECRET " uri=fasp://127.0.0.1:%u "
                   "fallback-addresses=127.0.0.1:%u ! fakesink",
          port, port);
  g_autoptr (PairPipeline) sender = pair_launch ("fakesrc is-live=true datarate=100000 "
                                                 "sizetype=fixed sizemax=1000 ! faspsink name=sink "
                                                 "uri=fasp://:%u?" SECRET,
      port);

  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  pair_wait_for_stat (sender, "sink", "connected-callers", 2);
  pair_wait_for_least (receiver, "source", "bytes-received-total", 10000);
  check_several (receiver, 2);
}

static void
test_fields (void)
{
  guint port = pair_get_ports (2);
  g_autoptr (PairPipeline) receiver =
      pair_launch ("faspsrc name=source flowlets=2 uri=fasp://127.0.0.1:%u?" SECRET " ! fakesink",
          port);
  g_autoptr (PairPipeline) sender =
      pair_launch ("fakesrc is-live=true datarate=100000 "
                   "sizetype=fixed sizemax=1000 ! faspsink name=sink flowlets=2 "
                   "uri=fasp://:%u?" SECRET,
          port);

  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  pair_wait_for_least (receiver, "source", "bytes-received-total", 10000);
  check (sender, "sink", FASP_ROLE_SENDER);
  check (receiver, "source", FASP_ROLE_RECEIVER);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fasp/statistics/fields", test_fields);
  g_test_add_func ("/fasp/statistics/several-sources", test_several);
  return g_test_run ();
}
