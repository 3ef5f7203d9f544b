/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is known of sources for the statistics: which leads, for how long, why, and how often that
 * changed.
 */
#include "faspsourcechanges.h"

static void
note (FaspSourceChanges *all, FaspTime now, FaspMergeEventType type, guint source, const gchar *why)
{
  const FaspMergeEvent event = { type, source, why };

  fasp_source_changes_note (all, now, &event);
}

static void
assert_lead (const FaspSourceChanges *all, FaspTime now, guint source, FaspTime leads,
    const gchar *why, guint64 changes)
{
  FaspLeadStats stats;

  fasp_source_changes_get_lead (all, now, &stats);
  g_assert_cmpuint (stats.number, ==, source);
  g_assert_cmpint (stats.leads, ==, leads);
  g_assert_cmpstr (stats.reason, ==, why);
  g_assert_cmpuint (stats.changes, ==, changes);
}

static void
assert_source (const FaspSourceChanges *all, FaspTime now, guint source, FaspTime age,
    const gchar *why, guint64 changes)
{
  FaspSourceChangeStats stats = { .name = "a:1", .is_connected = TRUE };

  fasp_source_changes_get_source (all, now, source, &stats);
  g_assert_cmpstr (stats.name, ==, "a:1");
  g_assert_true (stats.is_connected);
  g_assert_cmpint (stats.age, ==, age);
  g_assert_cmpstr (stats.reason, ==, why);
  g_assert_cmpuint (stats.changes, ==, changes);
}

static void
test_nothing (void)
{
  FaspSourceChanges changes;

  fasp_source_changes_init (&changes);
  assert_lead (&changes, 7, FASP_SOURCES_MAX, FASP_NEVER, "", 0);
  assert_source (&changes, 7, 1, FASP_NEVER, "", 0);
}

/* Another one leads: that is a change of both, and what happens to others is not one of the lead.
 */
static void
test_lead (void)
{
  FaspSourceChanges changes;

  fasp_source_changes_init (&changes);
  note (&changes, 100, FASP_MERGE_LEADS, 1, "first");
  note (&changes, 150, FASP_MERGE_RESTS, 0, "rests");
  assert_lead (&changes, 200, 1, 100, "first", 0);
  assert_source (&changes, 200, 0, 50, "rests", 1);
  note (&changes, 300, FASP_MERGE_LEFT, 1, "late");
  assert_lead (&changes, 310, 1, 210, "first", 0);
  assert_source (&changes, 310, 1, 10, "late", 2);
  note (&changes, 320, FASP_MERGE_LEADS, 0, "silent");
  assert_lead (&changes, 325, 0, 5, "silent", 1);
  assert_source (&changes, 325, 0, 5, "silent", 2);
  assert_source (&changes, 325, 1, 5, "silent", 3);
}

/* It leads anew, as its sender was started anew. */
static void
test_again (void)
{
  FaspSourceChanges changes;

  fasp_source_changes_init (&changes);
  note (&changes, 100, FASP_MERGE_LEADS, 0, "first");
  note (&changes, 200, FASP_MERGE_LEADS, 0, "anew");
  assert_lead (&changes, 200, 0, 0, "anew", 1);
  assert_source (&changes, 200, 0, 0, "anew", 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sourcechanges/nothing", test_nothing);
  g_test_add_func ("/sourcechanges/lead", test_lead);
  g_test_add_func ("/sourcechanges/again", test_again);
  return g_test_run ();
}
