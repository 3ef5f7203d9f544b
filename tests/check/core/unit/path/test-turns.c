/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspscheduler.h"

#define N 1000

/* Each that is due comes, the one due first before the others, and nobody else does. */
static void
test_due (void)
{
  FaspTurn turns[3];
  FaspTurns t;

  fasp_turns_init (&t);
  g_assert_null (fasp_turns_next (&t, 0));
  g_assert_cmpint (fasp_turns_get_time (&t), ==, FASP_NEVER);
  for (guint i = 0; i < 3; i++) {
    fasp_turns_add (&t, &turns[i], &turns[i]);
    fasp_turns_done (&t, &turns[i], 0, 100 * (3 - i), FALSE);
  }
  g_assert_null (fasp_turns_next (&t, 99));
  g_assert_true (fasp_turns_next (&t, 100) == &turns[2]);
  fasp_turns_done (&t, &turns[2], 100, FASP_NEVER, FALSE);
  g_assert_null (fasp_turns_next (&t, 100));
  /* of several not each for itself: on ticks of an eighth of the quantum */
  g_assert_cmpint (fasp_turns_get_time (&t), >=, 200);
  g_assert_cmpint (fasp_turns_get_time (&t), <, 200 +
      2 * FASP_TURNS_QUANTUM / 8);
  /* sooner, not later */
  fasp_turns_wake (&t, &turns[0], 144);
  fasp_turns_wake (&t, &turns[1], 500);
  g_assert_cmpint (fasp_turns_get_time (&t), ==, 144);
  fasp_turns_remove (&t, &turns[0]);
  fasp_turns_done (&t, &turns[2], 100, 201, FALSE);
  g_assert_cmpint (fasp_turns_get_time (&t), ==, 204);
  fasp_turns_remove (&t, &turns[1]);
  fasp_turns_remove (&t, &turns[2]);
  g_assert_null (fasp_turns_next (&t, FASP_NEVER));
  fasp_turns_clear (&t);
}

/* One that has much to send lets the others in, and goes on at once when it is alone. */
static void
test_fair (void)
{
  FaspTurn turns[3];
  guint served[3] = { 0 };
  FaspTurns t;

  fasp_turns_init (&t);
  for (guint i = 0; i < 3; i++)
    fasp_turns_add (&t, &turns[i], &turns[i]);
  for (FaspTime now = 10; now < 1010; now++) {
    FaspTurn *turn = fasp_turns_next (&t, now);

    g_assert_nonnull (turn);
    served[turn - turns]++;
    fasp_turns_used (&t, turn, now);
  }
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (served[i], >, 300);
  /* also when one is woken all the time, by its peer's doing */
  memset (served, 0, sizeof served);
  for (FaspTime now = 2000; now < 3000; now++) {
    FaspTurn *turn = fasp_turns_next (&t, now);

    served[turn - turns]++;
    fasp_turns_used (&t, turn, now);
    fasp_turns_wake (&t, &turns[1], 0);
  }
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (served[i], >, 200);
  fasp_turns_remove (&t, &turns[0]);
  fasp_turns_remove (&t, &turns[2]);
  for (guint i = 0; i < 100; i++) {
    g_assert_true (fasp_turns_next (&t, 4000) == &turns[1]);
    fasp_turns_used (&t, &turns[1], 4000);
  }
  fasp_turns_remove (&t, &turns[1]);
  fasp_turns_clear (&t);
}

/* Turns that others share the machine with are as far apart as if these were theirs. */
static void
test_elsewhere (void)
{
  FaspTurn turns[2];
  FaspTurns t;

  fasp_turns_init (&t);
  fasp_turns_add (&t, &turns[0], &turns[0]);
  g_assert_cmpint (t.quantum, ==, 0);
  fasp_turns_set_elsewhere (&t, 64);
  g_assert_cmpint (t.quantum, ==, 64 * FASP_TURNS_QUANTUM);
  fasp_turns_add (&t, &turns[1], &turns[1]);
  g_assert_cmpint (t.quantum, ==, 65 * FASP_TURNS_QUANTUM);
  fasp_turns_set_elsewhere (&t, 10000);
  g_assert_cmpint (t.quantum, ==, FASP_TURNS_QUANTUM_MAX);
  fasp_turns_set_elsewhere (&t, 0);
  fasp_turns_remove (&t, &turns[1]);
  g_assert_cmpint (t.quantum, ==, 0);
  fasp_turns_remove (&t, &turns[0]);
  fasp_turns_clear (&t);
}

/* Who has sent since then, the last one first, each once. */
static void
test_senders (void)
{
  FaspTurn turns[4];
  FaspTurns t;

  fasp_turns_init (&t);
  for (guint i = 0; i < 4; i++)
    fasp_turns_add (&t, &turns[i], &turns[i]);
  g_assert_null (fasp_turns_get_sender (&t, 0, NULL));
  for (guint i = 0; i < 3; i++)
    fasp_turns_used (&t, &turns[i], 10 * i);
  fasp_turns_used (&t, &turns[1], 30);
  fasp_turns_used (&t, &turns[1], 40);
  g_assert_true (fasp_turns_get_sender (&t, 20, NULL) == &turns[1]);
  g_assert_true (fasp_turns_get_sender (&t, 20, &turns[1]) == &turns[2]);
  g_assert_null (fasp_turns_get_sender (&t, 20, &turns[2]));
  g_assert_true (fasp_turns_get_sender (&t, 0, &turns[2]) == &turns[0]);
  g_assert_null (fasp_turns_get_sender (&t, 0, &turns[0]));
  g_assert_null (fasp_turns_get_sender (&t, 41, NULL));
  /* who has left is none of them, and nobody's successor */
  fasp_turns_remove (&t, &turns[1]);
  g_assert_true (fasp_turns_get_sender (&t, 0, NULL) == &turns[2]);
  fasp_turns_remove (&t, &turns[3]);
  fasp_turns_remove (&t, &turns[0]);
  g_assert_null (fasp_turns_get_sender (&t, 0, &turns[2]));
  fasp_turns_add (&t, &turns[1], &turns[1]);
  fasp_turns_used (&t, &turns[1], 50);
  g_assert_true (fasp_turns_get_sender (&t, 50, NULL) == &turns[1]);
  fasp_turns_remove (&t, &turns[1]);
  fasp_turns_remove (&t, &turns[2]);
  fasp_turns_clear (&t);
}

/* Who waits for more is due when it is written, but not each time when there are many:
 * alone at once, a thousand once in 10 ms. */
static void
test_written (void)
{
  static FaspTurn turns[N];
  FaspTurn *turn;
  guint looks = 0, others = 0;
  FaspTurns t;

  fasp_turns_init (&t);
  fasp_turns_add (&t, &turns[0], &turns[0]);
  fasp_turns_done (&t, &turns[0], 1000, FASP_NEVER, TRUE);
  fasp_turns_written (&t, 1000);
  g_assert_true (fasp_turns_next (&t, 1000) == &turns[0]);
  for (guint i = 1; i < N; i++)
    fasp_turns_add (&t, &turns[i], &turns[i]);
  /* the last one is paced: it waits for its time, not for more */
  for (FaspTime now = 2000; now < 1002000; now += 500) {
    fasp_turns_written (&t, now);
    while ((turn = fasp_turns_next (&t, now)) != NULL) {
      gboolean last = turn == &turns[N - 1];

      looks += !last;
      others += last;
      fasp_turns_done (&t, turn, now, last ? now + 2000 : FASP_NEVER, !last);
    }
  }
  /* 2000 writes in a second */
  g_assert_cmpuint (looks, >=, 98 * (N - 1));
  g_assert_cmpuint (looks, <=, 101 * (N - 1));
  g_assert_cmpuint (others, ==, 500);
  for (guint i = 0; i < N; i++)
    fasp_turns_remove (&t, &turns[i]);
  fasp_turns_written (&t, FASP_NEVER);
  g_assert_null (fasp_turns_next (&t, FASP_NEVER));
  fasp_turns_clear (&t);
}

/* Who was woken by something else while it waited, and sends much: whether alone, or while
 * another waits as well, or is not waiting at all. */
static void
test_woken (void)
{
  FaspTurn turns[2];
  FaspTurns t;

  fasp_turns_init (&t);
  fasp_turns_add (&t, &turns[0], &turns[0]);
  fasp_turns_done (&t, &turns[0], 10, FASP_NEVER, TRUE);
  fasp_turns_written (&t, 20);
  fasp_turns_wake (&t, &turns[0], 15);
  for (guint i = 0; i < 100; i++) {
    g_assert_true (fasp_turns_next (&t, 30) == &turns[0]);
    fasp_turns_used (&t, &turns[0], 30);
  }
  fasp_turns_done (&t, &turns[0], 40, FASP_NEVER, TRUE);
  fasp_turns_add (&t, &turns[1], &turns[1]);
  fasp_turns_done (&t, &turns[1], 41, FASP_NEVER, TRUE);
  g_assert_null (fasp_turns_next (&t, 1000));
  fasp_turns_written (&t, 1000);
  fasp_turns_wake (&t, &turns[1], 900);
  for (guint i = 0; i < 100; i++) {
    FaspTurn *turn = fasp_turns_next (&t, 1001 + i);

    g_assert_nonnull (turn);
    fasp_turns_used (&t, turn, 1001 + i);
  }
  /* both have been looked at: nothing new */
  fasp_turns_done (&t, &turns[0], 2000, FASP_NEVER, TRUE);
  fasp_turns_done (&t, &turns[1], 2000, FASP_NEVER, FALSE);
  g_assert_cmpint (fasp_turns_get_time (&t), ==, FASP_NEVER);
  fasp_turns_written (&t, 2001);
  g_assert_true (fasp_turns_next (&t, 3000) == &turns[0]);
  fasp_turns_remove (&t, &turns[0]);
  fasp_turns_remove (&t, &turns[1]);
  fasp_turns_clear (&t);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/turns/due", test_due);
  g_test_add_func ("/turns/fair", test_fair);
  g_test_add_func ("/turns/elsewhere", test_elsewhere);
  g_test_add_func ("/turns/senders", test_senders);
  g_test_add_func ("/turns/written", test_written);
  g_test_add_func ("/turns/woken", test_woken);
  return g_test_run ();
}
