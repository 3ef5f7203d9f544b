/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is known of sources for the statistics: which leads, for how long, why, and how often that
 * changed.
 */
#include "faspstanding.h"

static void
note (FaspStandings *standings, FaspTime now, FaspMergeEventType type, guint source,
    const gchar *why)
{
  const FaspMergeEvent event = { type, source, why };

  fasp_standings_note (standings, now, &event);
}

static void
assert_lead (const FaspStandings *standings, FaspTime now, guint source, FaspTime leads,
    const gchar *why, guint64 changes)
{
  FaspLeadStats stats;

  fasp_standings_get_lead (standings, now, &stats);
  g_assert_cmpuint (stats.number, ==, source);
  g_assert_cmpint (stats.leads, ==, leads);
  g_assert_cmpstr (stats.reason, ==, why);
  g_assert_cmpuint (stats.changes, ==, changes);
}

static void
assert_source (const FaspStandings *standings, FaspTime now, guint source, FaspTime standing,
    const gchar *why, guint64 changes)
{
  FaspStandingStats stats = { .name = "a:1", .is_connected = TRUE };

  fasp_standings_get_source (standings, now, source, &stats);
  g_assert_cmpstr (stats.name, ==, "a:1");
  g_assert_true (stats.is_connected);
  g_assert_cmpint (stats.standing, ==, standing);
  g_assert_cmpstr (stats.reason, ==, why);
  g_assert_cmpuint (stats.changes, ==, changes);
}

static void
test_nothing (void)
{
  FaspStandings standings;

  fasp_standings_init (&standings);
  assert_lead (&standings, 7, FASP_SOURCES_MAX, FASP_NEVER, "", 0);
  assert_source (&standings, 7, 1, FASP_NEVER, "", 0);
}

/* Another one leads: that is a change of both, and what happens to others is not one of the lead.
 */
static void
test_lead (void)
{
  FaspStandings standings;

  fasp_standings_init (&standings);
  note (&standings, 100, FASP_MERGE_LEADS, 1, "first");
  note (&standings, 150, FASP_MERGE_RESTS, 0, "rests");
  assert_lead (&standings, 200, 1, 100, "first", 0);
  assert_source (&standings, 200, 0, 50, "rests", 1);
  note (&standings, 300, FASP_MERGE_LEFT, 1, "late");
  assert_lead (&standings, 310, 1, 210, "first", 0);
  assert_source (&standings, 310, 1, 10, "late", 2);
  note (&standings, 320, FASP_MERGE_LEADS, 0, "silent");
  assert_lead (&standings, 325, 0, 5, "silent", 1);
  assert_source (&standings, 325, 0, 5, "silent", 2);
  assert_source (&standings, 325, 1, 5, "silent", 3);
}

/* It leads anew, as its sender was started anew. */
static void
test_again (void)
{
  FaspStandings standings;

  fasp_standings_init (&standings);
  note (&standings, 100, FASP_MERGE_LEADS, 0, "first");
  note (&standings, 200, FASP_MERGE_LEADS, 0, "anew");
  assert_lead (&standings, 200, 0, 0, "anew", 1);
  assert_source (&standings, 200, 0, 0, "anew", 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/standing/nothing", test_nothing);
  g_test_add_func ("/standing/lead", test_lead);
  g_test_add_func ("/standing/again", test_again);
  return g_test_run ();
}
