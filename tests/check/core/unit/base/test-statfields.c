/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of the statistics' fields: every row is of its struct, and can be shown, named and
 * explained.
 */
#include <string.h>
#include "faspstatfields.h"

static const gsize table_sizes[FASP_STAT_TABLES] = {
  [FASP_STATS_ENDPOINT] = sizeof (FaspEndpointStats),
  [FASP_STATS_GROUP] = sizeof (FaspGroupStats),
  [FASP_STATS_SESSION] = sizeof (FaspSessionStats),
  [FASP_STATS_FLOW] = sizeof (FaspFlowStats),
  [FASP_STATS_PATH] = sizeof (FaspPathStats),
  [FASP_STATS_SOURCE] = sizeof (FaspSourceStats),
  [FASP_STATS_SOURCE_CHANGE] = sizeof (FaspSourceChangeStats),
  [FASP_STATS_LEAD] = sizeof (FaspLeadStats),
  [FASP_STATS_PRESENTATION] = sizeof (FaspPresentationStats),
  [FASP_STATS_SUMMARY] = sizeof (FaspSummaryStats),
};

static const gsize form_sizes[FASP_FORMS] = {
  [FASP_FORM_UINT64] = sizeof (guint64),
  [FASP_FORM_UINT] = sizeof (guint),
  [FASP_FORM_INT] = sizeof (guint),
  [FASP_FORM_BOOLEAN] = sizeof (gboolean),
  [FASP_FORM_DOUBLE] = sizeof (gdouble),
  [FASP_FORM_TIME] = sizeof (FaspTime),
  [FASP_FORM_RATE] = sizeof (guint64),
  [FASP_FORM_INTERVAL] = sizeof (guint64),
  [FASP_FORM_INTERVAL_IF_ANY] = sizeof (guint64),
  [FASP_FORM_CIPHER] = sizeof (FaspCipher),
  [FASP_FORM_KEY] = sizeof (((FaspIdentity *) NULL)->key),
  [FASP_FORM_TEXT] = sizeof (((FaspIdentity *) NULL)->name),
  [FASP_FORM_WORDS] = sizeof (const gchar *),
  [FASP_FORM_ADDRESS] = sizeof (FaspAddress),
  [FASP_FORM_ROUNDS] = FASP_ROUNDS * sizeof (guint64),
  [FASP_FORM_FLOWS] = sizeof (guint),
  [FASP_FORM_PATHS] = sizeof (guint),
};

static void
check_row (const FaspStatField *field, gsize table_size)
{
  g_test_message ("%s", field->name);
  g_assert_cmpuint (strspn (field->name, "abcdefghijklmnopqrstuvwxyz0123456789-."), ==,
      strlen (field->name));
  g_assert_cmpuint (field->roles, >=, FASP_ROLE_SENDER);
  g_assert_cmpuint (field->roles, <=, FASP_ROLE_SENDER | FASP_ROLE_RECEIVER);
  g_assert_cmpuint (field->offset + form_sizes[field->form], <=, table_size);
  g_assert_cmpuint (strlen (fasp_stat_get_type_name (field->form)), >, 0);
  /* a cell of a table in Markdown */
  g_assert_cmpuint (strlen (field->meaning), >, 0);
  g_assert_cmpuint (strcspn (field->meaning, "|\n\t"), ==, strlen (field->meaning));
}

static void
test_rows (void)
{
  for (guint i = 0; i < FASP_STAT_TABLES; i++)
    for (guint j = 0; j < fasp_stat_tables[i].n; j++)
      check_row (&fasp_stat_tables[i].fields[j], table_sizes[i]);
}

/* Of what an end of a role shows in one structure, no two fields have one name: flows, ways and the
 * list of sources have structures of their own. */
static void
test_names (void)
{
  for (guint role = FASP_ROLE_SENDER; role <= FASP_ROLE_RECEIVER; role++) {
    g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

    for (guint i = 0; i < FASP_STAT_TABLES; i++)
      for (guint j = 0; j < fasp_stat_tables[i].n; j++) {
        const FaspStatField *field = &fasp_stat_tables[i].fields[j];

        if (i != FASP_STATS_FLOW && i != FASP_STATS_PATH && i != FASP_STATS_SOURCE_CHANGE
            && (field->roles & role) != 0)
          g_assert_true (g_hash_table_add (names, (gpointer) field->name));
      }
    g_assert_cmpuint (g_hash_table_size (names), >, 60);
  }
}

static void
test_find (void)
{
  const FaspStatField *field = fasp_stat_find ("rtt-ms");

  g_assert_cmpuint (field->offset, ==, G_STRUCT_OFFSET (FaspSessionStats, path.rtt));
  g_assert_cmpint (field->unit, ==, FASP_UNIT_MS);
  /* of a flow, whose figures are in structures of their own */
  g_assert_null (fasp_stat_find ("weight"));
  g_assert_null (fasp_stat_find ("novelty"));
  field = fasp_stat_find_in (FASP_STATS_PATH, "rtt-ms");
  g_assert_cmpuint (field->offset, ==, G_STRUCT_OFFSET (FaspPathStats, rtt));
  g_assert_null (fasp_stat_find_in (FASP_STATS_PATH, "weight"));
}

/* Percentiles are in the order of those of a histogram. */
static void
test_lateness (void)
{
  static const gchar *const formats[] = { "lateness-%s-ms", "lateness-in-order-%s-ms" };
  static const gsize offsets[] = { G_STRUCT_OFFSET (FaspSummaryStats, lateness),
    G_STRUCT_OFFSET (FaspSummaryStats, lateness_in_order) };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint j = 0; j < FASP_HIST_POINTS; j++) {
      g_auto (GStrv) around = g_strsplit (formats[i], "%s", 2);
      g_autofree gchar *name = g_strconcat (around[0], fasp_hist_points[j].name, around[1], NULL);

      g_assert_cmpuint (fasp_stat_find (name)->offset, ==, offsets[i] + j * sizeof (FaspTime));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/statfields/rows", test_rows);
  g_test_add_func ("/statfields/names", test_names);
  g_test_add_func ("/statfields/find", test_find);
  g_test_add_func ("/statfields/lateness", test_lateness);
  return g_test_run ();
}
