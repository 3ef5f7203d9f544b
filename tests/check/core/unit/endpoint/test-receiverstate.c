/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a receiver is to its sender, walked as the drawing in the header has it.
 */
#include "faspreceiverstate.h"

/* What the drawing calls them. */
static const gchar *const STATES[] = { "READS", "BEGINS", "LACKS", "HELD", "GETS" };
static const gchar *const EVENTS[] = { "FIRST", "LACK", "HOLD", "RELEASE", "WRITTEN", "ARRIVED" };

/* The drawing: its lines that begin with a state. */
static gchar **
read_row (const gchar *state)
{
  g_autofree gchar *text = NULL, *pattern = g_strdup_printf ("^ \\*     %s +(.*)$", state);
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_MULTILINE, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree gchar *row = NULL;

  g_assert_true (g_file_get_contents (g_getenv ("FASP_RECEIVER_STATE"), &text, NULL, NULL));
  g_assert_true (g_regex_match (regex, text, 0, &match));
  row = g_match_info_fetch (match, 1);
  return g_regex_split_simple (" +", row, 0, 0);
}

static void
test_drawn (void)
{
  for (guint state = 0; state < FASP_RECEIVER_STATES; state++) {
    g_auto (GStrv) row = read_row (STATES[state]);

    g_assert_cmpuint (g_strv_length (row), ==, FASP_RECEIVER_EVENTS);
    for (guint event = 0; event < FASP_RECEIVER_EVENTS; event++) {
      guint next = fasp_receiver_next (state, event);

      g_test_message ("%s %s", STATES[state], EVENTS[event]);
      g_assert_cmpstr (row[event], ==, next == state ? "." : STATES[next]);
    }
  }
}

/* A receiver that is held is sent the stream again by RELEASE alone; and from each state, a header
 * that is written and arrives lets it read. */
static void
test_walked (void)
{
  for (guint state = 0; state < FASP_RECEIVER_STATES; state++) {
    FaspReceiverState at = state;

    for (guint event = 0; event < FASP_RECEIVER_EVENTS; event++)
      if (event != FASP_RECEIVER_RELEASE)
        g_assert_cmpint (fasp_receiver_next (FASP_RECEIVER_HELD, event), ==, FASP_RECEIVER_HELD);
    at = fasp_receiver_next (at, FASP_RECEIVER_RELEASE);
    at = fasp_receiver_next (at, FASP_RECEIVER_WRITTEN);
    at = fasp_receiver_next (at, FASP_RECEIVER_ARRIVED);
    g_assert_cmpint (at, ==, FASP_RECEIVER_READS);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/receiverstate/drawn", test_drawn);
  g_test_add_func ("/receiverstate/walked", test_walked);
  return g_test_run ();
}
