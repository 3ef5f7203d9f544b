/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspscheduler.h"

#define N 1000

/* Each that is due comes, the one due first before the others, and nobody else does. */
static void
test_due (void)
{
  FaspSchedulerEntry entries[3];
  FaspScheduler t;

  fasp_scheduler_init (&t);
  g_assert_null (fasp_scheduler_next (&t, 0));
  g_assert_cmpint (fasp_scheduler_get_time (&t), ==, FASP_NEVER);
  for (guint i = 0; i < 3; i++) {
    fasp_scheduler_add (&t, &entries[i], &entries[i]);
    fasp_scheduler_done (&t, &entries[i], 0, 100 * (3 - i), FALSE);
  }
  g_assert_null (fasp_scheduler_next (&t, 99));
  g_assert_true (fasp_scheduler_next (&t, 100) == &entries[2]);
  fasp_scheduler_done (&t, &entries[2], 100, FASP_NEVER, FALSE);
  g_assert_null (fasp_scheduler_next (&t, 100));
  /* of several not each for itself: on ticks of an eighth of the quantum */
  g_assert_cmpint (fasp_scheduler_get_time (&t), >=, 200);
  g_assert_cmpint (fasp_scheduler_get_time (&t), <, 200 + 2 * FASP_SCHEDULER_QUANTUM / 8);
  /* sooner, not later */
  fasp_scheduler_wake (&t, &entries[0], 144);
  fasp_scheduler_wake (&t, &entries[1], 500);
  g_assert_cmpint (fasp_scheduler_get_time (&t), ==, 144);
  fasp_scheduler_remove (&t, &entries[0]);
  fasp_scheduler_done (&t, &entries[2], 100, 201, FALSE);
  g_assert_cmpint (fasp_scheduler_get_time (&t), ==, 204);
  fasp_scheduler_remove (&t, &entries[1]);
  fasp_scheduler_remove (&t, &entries[2]);
  g_assert_null (fasp_scheduler_next (&t, FASP_NEVER));
  fasp_scheduler_clear (&t);
}

/* One that has much to send lets the others in, and goes on at once when it is alone. */
static void
test_fair (void)
{
  FaspSchedulerEntry entries[3];
  guint served[3] = { 0 };
  FaspScheduler t;

  fasp_scheduler_init (&t);
  for (guint i = 0; i < 3; i++)
    fasp_scheduler_add (&t, &entries[i], &entries[i]);
  for (FaspTime now = 10; now < 1010; now++) {
    FaspSchedulerEntry *entry = fasp_scheduler_next (&t, now);

    g_assert_nonnull (entry);
    served[entry - entries]++;
    fasp_scheduler_used (&t, entry, now, 1);
  }
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (served[i], >, 300);
  /* also when one is woken all the time, by its peer's doing */
  memset (served, 0, sizeof served);
  for (FaspTime now = 2000; now < 3000; now++) {
    FaspSchedulerEntry *entry = fasp_scheduler_next (&t, now);

    served[entry - entries]++;
    fasp_scheduler_used (&t, entry, now, 1);
    fasp_scheduler_wake (&t, &entries[1], 0);
  }
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (served[i], >, 200);
  fasp_scheduler_remove (&t, &entries[0]);
  fasp_scheduler_remove (&t, &entries[2]);
  for (guint i = 0; i < 100; i++) {
    g_assert_true (fasp_scheduler_next (&t, 4000) == &entries[1]);
    fasp_scheduler_used (&t, &entries[1], 4000, 1);
  }
  fasp_scheduler_remove (&t, &entries[1]);
  fasp_scheduler_clear (&t);
}

/* Turns that others share the machine with are as far apart as if these were theirs. */
static void
test_others (void)
{
  FaspSchedulerEntry entries[2];
  FaspScheduler t;

  fasp_scheduler_init (&t);
  fasp_scheduler_add (&t, &entries[0], &entries[0]);
  g_assert_cmpint (t.quantum, ==, 0);
  fasp_scheduler_set_others (&t, 64);
  g_assert_cmpint (t.quantum, ==, 64 * FASP_SCHEDULER_QUANTUM);
  fasp_scheduler_add (&t, &entries[1], &entries[1]);
  g_assert_cmpint (t.quantum, ==, 65 * FASP_SCHEDULER_QUANTUM);
  fasp_scheduler_set_others (&t, 10000);
  g_assert_cmpint (t.quantum, ==, FASP_SCHEDULER_QUANTUM_MAX);
  fasp_scheduler_set_others (&t, 0);
  fasp_scheduler_remove (&t, &entries[1]);
  g_assert_cmpint (t.quantum, ==, 0);
  fasp_scheduler_remove (&t, &entries[0]);
  fasp_scheduler_clear (&t);
}

/* Who has sent since then, the last one first, each once. */
static void
test_senders (void)
{
  FaspSchedulerEntry entries[4];
  FaspScheduler t;

  fasp_scheduler_init (&t);
  for (guint i = 0; i < 4; i++)
    fasp_scheduler_add (&t, &entries[i], &entries[i]);
  g_assert_null (fasp_scheduler_get_sender (&t, 0, NULL));
  for (guint i = 0; i < 3; i++)
    fasp_scheduler_used (&t, &entries[i], 10 * i, 1);
  fasp_scheduler_used (&t, &entries[1], 30, 1);
  fasp_scheduler_used (&t, &entries[1], 40, 1);
  g_assert_true (fasp_scheduler_get_sender (&t, 20, NULL) == &entries[1]);
  g_assert_true (fasp_scheduler_get_sender (&t, 20, &entries[1]) == &entries[2]);
  g_assert_null (fasp_scheduler_get_sender (&t, 20, &entries[2]));
  g_assert_true (fasp_scheduler_get_sender (&t, 0, &entries[2]) == &entries[0]);
  g_assert_null (fasp_scheduler_get_sender (&t, 0, &entries[0]));
  g_assert_null (fasp_scheduler_get_sender (&t, 41, NULL));
  /* who has left is none of them, and nobody's successor */
  fasp_scheduler_remove (&t, &entries[1]);
  g_assert_true (fasp_scheduler_get_sender (&t, 0, NULL) == &entries[2]);
  fasp_scheduler_remove (&t, &entries[3]);
  fasp_scheduler_remove (&t, &entries[0]);
  g_assert_null (fasp_scheduler_get_sender (&t, 0, &entries[2]));
  fasp_scheduler_add (&t, &entries[1], &entries[1]);
  fasp_scheduler_used (&t, &entries[1], 50, 1);
  g_assert_true (fasp_scheduler_get_sender (&t, 50, NULL) == &entries[1]);
  fasp_scheduler_remove (&t, &entries[1]);
  fasp_scheduler_remove (&t, &entries[2]);
  fasp_scheduler_clear (&t);
}

static void
end_by_wake (FaspScheduler *t, FaspSchedulerEntry *entries)
{
  fasp_scheduler_wake (t, &entries[1], 0);
}

static void
end_by_write (FaspScheduler *t, FaspSchedulerEntry *entries)
{
  fasp_scheduler_written (t, 0);
}

static void
end_by_rest (FaspScheduler *t, FaspSchedulerEntry *entries)
{
  fasp_scheduler_done (t, &entries[0], 100, 200, FALSE);
}

static void
end_by_removal (FaspScheduler *t, FaspSchedulerEntry *entries)
{
  fasp_scheduler_remove (t, &entries[0]);
}

static void
end_by_arrival (FaspScheduler *t, FaspSchedulerEntry *entries)
{
  fasp_scheduler_add (t, &entries[2], &entries[2]);
}

static void
end_by_other_datagram (FaspScheduler *t, FaspSchedulerEntry *entries)
{
  fasp_scheduler_used (t, &entries[0], 100, 1);
}

/* A turn lasts as long as its time, and ends when anything changes, or when its session yields. */
static void
test_turn (void)
{
  static void (*const ends[]) (FaspScheduler *, FaspSchedulerEntry *) = { end_by_wake, end_by_write,
    end_by_rest, end_by_removal, end_by_arrival, end_by_other_datagram };

  for (guint i = 0; i <= G_N_ELEMENTS (ends); i++) {
    FaspSchedulerEntry entries[3];
    guint n = 0;
    FaspScheduler t;

    fasp_scheduler_init (&t);
    fasp_scheduler_add (&t, &entries[0], &entries[0]);
    fasp_scheduler_add (&t, &entries[1], &entries[1]);
    g_assert_null (fasp_scheduler_get_turn (&t, 100));
    g_assert_true (fasp_scheduler_next (&t, 100) == &entries[0]);
    do {
      fasp_scheduler_used (&t, &entries[0], 100, 1);
      fasp_scheduler_begin_turn (&t, 100);
      g_assert_null (fasp_scheduler_get_turn (&t, 101));
      n++;
    } while (i == G_N_ELEMENTS (ends) && fasp_scheduler_get_turn (&t, 100) == &entries[0]);
    if (i == G_N_ELEMENTS (ends)) {
      g_assert_cmpuint (n, ==, 16);
      g_assert_true (fasp_scheduler_next (&t, 100) == &entries[1]);
    } else {
      g_assert_true (fasp_scheduler_get_turn (&t, 100) == &entries[0]);
      ends[i](&t, entries);
    }
    g_assert_null (fasp_scheduler_get_turn (&t, 100));
    fasp_scheduler_clear (&t);
  }
}

/* Who waits for more is due when it is written, but not each time when there are many:
 * alone at once, a thousand once in 10 ms. */
static void
test_written (void)
{
  static FaspSchedulerEntry entries[N];
  FaspSchedulerEntry *entry;
  guint looks = 0, others = 0;
  FaspScheduler t;

  fasp_scheduler_init (&t);
  fasp_scheduler_add (&t, &entries[0], &entries[0]);
  fasp_scheduler_done (&t, &entries[0], 1000, FASP_NEVER, TRUE);
  fasp_scheduler_written (&t, 1000);
  g_assert_true (fasp_scheduler_next (&t, 1000) == &entries[0]);
  for (guint i = 1; i < N; i++)
    fasp_scheduler_add (&t, &entries[i], &entries[i]);
  /* the last one is paced: it waits for its time, not for more */
  for (FaspTime now = 2000; now < 1002000; now += 500) {
    fasp_scheduler_written (&t, now);
    while ((entry = fasp_scheduler_next (&t, now)) != NULL) {
      gboolean last = entry == &entries[N - 1];

      looks += !last;
      others += last;
      fasp_scheduler_done (&t, entry, now, last ? now + 2000 : FASP_NEVER, !last);
    }
  }
  /* 2000 writes in a second */
  g_assert_cmpuint (looks, >=, 98 * (N - 1));
  g_assert_cmpuint (looks, <=, 101 * (N - 1));
  g_assert_cmpuint (others, ==, 500);
  for (guint i = 0; i < N; i++)
    fasp_scheduler_remove (&t, &entries[i]);
  fasp_scheduler_written (&t, FASP_NEVER);
  g_assert_null (fasp_scheduler_next (&t, FASP_NEVER));
  fasp_scheduler_clear (&t);
}

/* Who was woken by something else while it waited, and sends much: whether alone, or while
 * another waits as well, or is not waiting at all. */
static void
test_woken (void)
{
  FaspSchedulerEntry entries[2];
  FaspScheduler t;

  fasp_scheduler_init (&t);
  fasp_scheduler_add (&t, &entries[0], &entries[0]);
  fasp_scheduler_done (&t, &entries[0], 10, FASP_NEVER, TRUE);
  fasp_scheduler_written (&t, 20);
  fasp_scheduler_wake (&t, &entries[0], 15);
  for (guint i = 0; i < 100; i++) {
    g_assert_true (fasp_scheduler_next (&t, 30) == &entries[0]);
    fasp_scheduler_used (&t, &entries[0], 30, 1);
  }
  fasp_scheduler_done (&t, &entries[0], 40, FASP_NEVER, TRUE);
  fasp_scheduler_add (&t, &entries[1], &entries[1]);
  fasp_scheduler_done (&t, &entries[1], 41, FASP_NEVER, TRUE);
  g_assert_null (fasp_scheduler_next (&t, 1000));
  fasp_scheduler_written (&t, 1000);
  fasp_scheduler_wake (&t, &entries[1], 900);
  for (guint i = 0; i < 100; i++) {
    FaspSchedulerEntry *entry = fasp_scheduler_next (&t, 1001 + i);

    g_assert_nonnull (entry);
    fasp_scheduler_used (&t, entry, 1001 + i, 1);
  }
  /* both have been looked at: nothing new */
  fasp_scheduler_done (&t, &entries[0], 2000, FASP_NEVER, TRUE);
  fasp_scheduler_done (&t, &entries[1], 2000, FASP_NEVER, FALSE);
  g_assert_cmpint (fasp_scheduler_get_time (&t), ==, FASP_NEVER);
  fasp_scheduler_written (&t, 2001);
  g_assert_true (fasp_scheduler_next (&t, 3000) == &entries[0]);
  fasp_scheduler_remove (&t, &entries[0]);
  fasp_scheduler_remove (&t, &entries[1]);
  fasp_scheduler_clear (&t);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scheduler/due", test_due);
  g_test_add_func ("/scheduler/fair", test_fair);
  g_test_add_func ("/scheduler/others", test_others);
  g_test_add_func ("/scheduler/senders", test_senders);
  g_test_add_func ("/scheduler/turn", test_turn);
  g_test_add_func ("/scheduler/written", test_written);
  g_test_add_func ("/scheduler/woken", test_woken);
  return g_test_run ();
}
