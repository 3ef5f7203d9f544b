/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When an output that has failed is opened again.
 */
#include "relayretry.h"

static void
test_delays (void)
{
  static const struct
  {
    guint delay;
    gboolean lasted;
    guint next;
  } steps[] = {
    { 0, FALSE, 100 },
    { 100, FALSE, 200 },
    { 6400, FALSE, 10000 },
    { 10000, FALSE, 10000 },
    { 10000, TRUE, 100 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    g_assert_cmpuint (relay_retry_next (steps[i].delay, steps[i].lasted), ==, steps[i].next);
}

typedef struct
{
  guint id, calls; /* of the last call; of all */
} Due;

/* The output cannot be opened at the first call. */
static gboolean
on_due (guint id, gpointer data)
{
  Due *due = data;

  due->id = id;
  return ++due->calls > 1;
}

/* It is called for each when its time has come, again after the same delay if the output could not
 * be opened, and for none that is forgotten. */
static void
test_due (void)
{
  Due due = { 0 };
  RelayRetry *retry = relay_retry_new (on_due, &due);

  g_assert_cmpuint (relay_retry_failed (retry, 7, FALSE), ==, 100);
  g_assert_true (relay_retry_waits (retry, 7) && !relay_retry_waits (retry, 8));
  g_assert_cmpuint (relay_retry_count (retry), ==, 1);
  while (due.calls < 2) {
    g_assert_true (relay_retry_waits (retry, 7));
    g_main_context_iteration (NULL, TRUE);
  }
  g_assert_cmpuint (due.id, ==, 7);
  g_assert_false (relay_retry_waits (retry, 7));
  /* it did not last */
  g_assert_cmpuint (relay_retry_failed (retry, 7, FALSE), ==, 200);
  g_assert_true (relay_retry_waits (retry, 7));
  relay_retry_forget (retry, 7);
  g_assert_cmpuint (relay_retry_count (retry), ==, 0);
  g_assert_cmpuint (relay_retry_failed (retry, 7, FALSE), ==, 100);
  relay_retry_forget_all (retry);
  g_assert_cmpuint (relay_retry_failed (retry, 7, FALSE), ==, 100);
  relay_retry_free (retry);
  g_assert_false (g_main_context_pending (NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/retry/delays", test_delays);
  g_test_add_func ("/relay/retry/due", test_due);
  return g_test_run ();
}
