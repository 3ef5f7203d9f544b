/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspfairqueue.h"

#define N 5

/* A row: of members 0 to N - 1, those that have something to send. Each turn one of them uses bytes
 * of its own size. */
typedef struct
{
  guint turns;
  gboolean wants[N];
  gsize bytes[N];
} Row;

static void
play (FaspFairQueue *queue, FaspFairMember *members, const Row *row, guint64 *used)
{
  for (guint i = 0; i < N; i++)
    if (row->wants[i])
      fasp_fair_queue_wait (queue, &members[i]);
    else
      fasp_fair_queue_leave (queue, &members[i]);
  for (guint turn = 0; turn < row->turns; turn++) {
    FaspFairMember *next = fasp_fair_queue_peek (queue);

    used[next - members] += row->bytes[next - members];
    fasp_fair_queue_used (queue, next, row->bytes[next - members]);
  }
}

static void
begin (FaspFairMember *members)
{
  for (guint i = 0; i < N; i++)
    members[i] = (FaspFairMember) { .item.owner = &members[i] };
}

/* Whatever the size of their datagrams, those that wait all the time use the same bytes. */
static void
test_equal (void)
{
  const Row row = { 10000, { TRUE, TRUE, TRUE, TRUE, FALSE }, { 100, 1500, 9000, 700, 1 } };
  FaspFairMember members[N];
  FaspFairQueue queue = { 0 };
  guint64 used[N] = { 0 };

  begin (members);
  play (&queue, members, &row, used);
  for (guint i = 1; i < 4; i++)
    g_assert_cmpint (ABS ((gint64) used[i] - (gint64) used[0]), <=, 9000);
  g_assert_cmpuint (used[4], ==, 0);
  fasp_fair_queue_clear (&queue);
}

/* One that comes back has saved up nothing, and nothing is held against one that sent alone. */
static void
test_back (void)
{
  const Row alone = { 1000, { TRUE }, { 1000 } }, both = { 2000, { TRUE, TRUE }, { 1000, 1000 } };
  FaspFairMember members[N];
  FaspFairQueue queue = { 0 };
  guint64 used[N] = { 0 };

  begin (members);
  for (guint i = 0; i < 3; i++) {
    guint64 before[2];

    play (&queue, members, &alone, used);
    memcpy (before, used, sizeof before);
    play (&queue, members, &both, used);
    g_assert_cmpuint (used[0] - before[0], <=, 1001 * 1000);
    g_assert_cmpuint (used[1] - before[1], <=, 1001 * 1000);
  }
  fasp_fair_queue_clear (&queue);
}

/* One that comes for a single turn each time does not pass another one that waits. */
static void
test_single_turns (void)
{
  FaspFairMember members[N];
  FaspFairQueue queue = { 0 };
  guint mine = 0;

  begin (members);
  fasp_fair_queue_wait (&queue, &members[0]);
  for (guint i = 0; i < 1000; i++) {
    FaspFairMember *next;

    fasp_fair_queue_wait (&queue, &members[1]);
    next = fasp_fair_queue_peek (&queue);
    mine += next == &members[0];
    fasp_fair_queue_used (&queue, next, 1000);
    fasp_fair_queue_leave (&queue, &members[1]);
  }
  g_assert_cmpuint (mine, >=, 499);
  fasp_fair_queue_clear (&queue);
}

/* Who may go before the one that is next, and by how much. */
static void
test_slack (void)
{
  FaspFairMember members[N];
  FaspFairQueue queue = { 0 };

  begin (members);
  g_assert_true (fasp_fair_queue_lets (&queue, &members[0], 0)); /* none waits */
  fasp_fair_queue_wait (&queue, &members[0]);
  fasp_fair_queue_used (&queue, &members[1], 1000);
  g_assert_true (fasp_fair_queue_lets (&queue, &members[0], 0));
  g_assert_false (fasp_fair_queue_lets (&queue, &members[1], 999));
  g_assert_true (fasp_fair_queue_lets (&queue, &members[1], 1000));
  fasp_fair_queue_leave (&queue, &members[0]);
  g_assert_null (fasp_fair_queue_peek (&queue));
  g_assert_true (fasp_fair_queue_lets (&queue, &members[1], 0));
  fasp_fair_queue_clear (&queue);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fair-queue/equal", test_equal);
  g_test_add_func ("/fair-queue/back", test_back);
  g_test_add_func ("/fair-queue/single-turns", test_single_turns);
  g_test_add_func ("/fair-queue/slack", test_slack);
  return g_test_run ();
}
