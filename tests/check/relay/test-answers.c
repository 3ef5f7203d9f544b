/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The answers about callers that are kept: for how long, and whose go when there is no more room.
 */
#include "relayanswers.h"

static void
keep (RelayAnswers *answers, guint64 network, guint n, gint64 until)
{
  g_autofree gchar *question = g_strdup_printf ("%" G_GUINT64_FORMAT "-%u", network, n);

  relay_answers_keep (answers, question, network, 200 + n % 2, until);
}

/* Number of answers that are kept of the questions @from to @to of a network. */
static guint
count (RelayAnswers *answers, guint64 network, guint from, guint to)
{
  guint found = 0;

  for (guint n = from; n < to; n++) {
    g_autofree gchar *question = g_strdup_printf ("%" G_GUINT64_FORMAT "-%u", network, n);
    guint status = relay_answers_find (answers, question, 0);

    g_assert_true (status == 0 || status == 200 + n % 2);
    found += status != 0;
  }
  return found;
}

/* An answer holds for its time, and the same question does not renew it. */
static void
test_time (void)
{
  RelayAnswers *answers = relay_answers_new ();

  g_assert_cmpuint (relay_answers_find (answers, "a", 0), ==, 0);
  relay_answers_keep (answers, "a", 1, 204, 10);
  relay_answers_keep (answers, "b", 1, 401, 15);
  relay_answers_keep (answers, "a", 1, 401, 20);
  g_assert_cmpuint (relay_answers_find (answers, "a", 9), ==, 204);
  g_assert_cmpuint (relay_answers_find (answers, "a", 10), ==, 0);
  g_assert_cmpuint (relay_answers_find (answers, "b", 14), ==, 401);
  g_assert_cmpuint (relay_answers_find (answers, "b", 15), ==, 0);
  relay_answers_free (answers);
}

/* A network that asks without end pushes out no other's answers. */
static void
test_share (void)
{
  RelayAnswers *answers = relay_answers_new ();

  for (guint network = 1; network <= 100; network++)
    keep (answers, network, 0, 1);
  for (guint n = 0; n < 2 * RELAY_ANSWERS_MOST; n++)
    keep (answers, 1000, n, 1);
  for (guint network = 1; network <= 100; network++)
    g_assert_cmpuint (count (answers, network, 0, 1), ==, 1);
  /* its newest ones are there */
  g_assert_cmpuint (count (answers, 1000, 0, 2 * RELAY_ANSWERS_MOST), ==, RELAY_ANSWERS_MOST - 100);
  g_assert_cmpuint (count (answers, 1000, RELAY_ANSWERS_MOST + 100, 2 * RELAY_ANSWERS_MOST), ==,
      RELAY_ANSWERS_MOST - 100);
  /* two networks that ask without end share what is left */
  for (guint n = 0; n < RELAY_ANSWERS_MOST; n++)
    keep (answers, 2000, n, 1);
  g_assert_cmpuint (count (answers, 1000, 0, 2 * RELAY_ANSWERS_MOST), >=,
      (RELAY_ANSWERS_MOST - 100) / 2 - 1);
  for (guint network = 1; network <= 100; network++)
    g_assert_cmpuint (count (answers, network, 0, 1), ==, 1);
  relay_answers_free (answers);
}

/* Where each network has one answer, the oldest goes. */
static void
test_equal (void)
{
  RelayAnswers *answers = relay_answers_new ();

  for (guint network = 0; network < RELAY_ANSWERS_MOST + 10; network++)
    keep (answers, network, 0, 1);
  for (guint network = 0; network < RELAY_ANSWERS_MOST + 10; network++)
    g_assert_cmpuint (count (answers, network, 0, 1), ==, network >= 10);
  relay_answers_free (answers);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/answers/time", test_time);
  g_test_add_func ("/relay/answers/share", test_share);
  g_test_add_func ("/relay/answers/equal", test_equal);
  return g_test_run ();
}
