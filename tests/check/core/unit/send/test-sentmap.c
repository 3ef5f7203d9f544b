/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <sys/time.h>
#include "faspsentmap.h"
#include "faspsentmapprivate.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspSentMap, fasp_sent_map_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspLog, fasp_log_free)

static FaspSentMapResult result; /* of the last feedback */
static guint8 next_round;        /* of the last block that was to go */

static gboolean
feed_ranges (FaspSentMap *map, FaspTime now, FaspFeedback *f, const gint *missing)
{
  for (; *missing >= 0; missing++) {
    f->ranges[f->n_ranges].start = *missing;
    f->ranges[f->n_ranges++].length = 1;
  }
  return fasp_sent_map_feedback (map, now, f, &result);
}

/* What the receiver says, in a line: settled up to `settled', largest
 * packet, ack, end, and which blocks it lacks. */
static gboolean
feed (FaspSentMap *map, guint64 pn, guint64 settled, guint64 largest, guint64 ack, guint64 end,
    const gint *missing)
{
  FaspFeedback f = {
    .serial = pn,
    .ack = ack,
    .window = 1000,
    .n_flows = 1,
    .from = ack,
    .end = end,
    .tail = TRUE,
  };

  f.flows[0].largest = largest;
  f.flows[0].unsettled = largest - settled;
  f.flows[0].received = largest + 1;
  return feed_ranges (map, 1000, &f, missing);
}

#define NUMBERS(...) \
  (const gint[]) \
  { \
    __VA_ARGS__ \
  }

static void
send_new (FaspSentMap *map, guint n)
{
  for (guint i = 0; i < n; i++)
    fasp_sent_map_sent (map, 0, 0, map->next, FALSE);
}

/* More packets cannot have arrived than have left. */
static void
test_too_many (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);
  FaspFeedback f = { .n_flows = 1, .ack = 9, .from = 9, .end = 9 };

  send_new (map, 10);
  f.flows[0] = (FaspFeedbackFlow) { .largest = 8, .received = 9 };
  g_assert_true (fasp_sent_map_is_possible (map, &f));
  f.flows[0].received = 10;
  g_assert_false (fasp_sent_map_is_possible (map, &f));
}

static void
test_loss (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);

  send_new (map, 10); /* packet n carries block n */
  /* 3 and 5 did not come, but 5 may still be on its way */
  g_assert_true (feed (map, 0, 4, 8, 3, 9, NUMBERS (3, 5, -1)));
  g_assert_cmpuint (result.lost, ==, 1);
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, 3);
  g_assert_cmpuint (next_round, ==, 1);
  /* said again: not lost twice */
  g_assert_true (feed (map, 1, 4, 8, 3, 9, NUMBERS (3, 5, -1)));
  g_assert_cmpuint (result.lost, ==, 0);
  fasp_sent_map_sent (map, 10, 0, 3, FALSE); /* packet 10 */
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, FASP_NO_BLOCK);
  /* now 5 is settled, too; the retransmission of 3 is under way */
  g_assert_true (feed (map, 2, 9, 9, 3, 10, NUMBERS (3, 5, -1)));
  g_assert_cmpuint (result.lost, ==, 1);
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, 5);
  fasp_sent_map_sent (map, 20, 0, 5, FALSE); /* packet 11 */
  /* the retransmission of 3 is lost, the one of 5 arrived */
  g_assert_true (feed (map, 3, 11, 11, 3, 10, NUMBERS (3, -1)));
  g_assert_cmpuint (result.lost, ==, 1);
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, 3);
  g_assert_cmpuint (next_round, ==, 2);
  fasp_sent_map_sent (map, 30, 0, 3, FALSE); /* packet 12 */
  g_assert_true (feed (map, 4, 12, 12, 10, 10, NUMBERS (-1)));
  g_assert_cmpuint (map->base, ==, 10);
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, FASP_NO_BLOCK);
}

/* The oldest packet under way: it leaves with a report of it, or when it is taken as lost. */
static void
test_oldest (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);

  g_assert_cmpint (fasp_sent_map_get_oldest_time (map, 0), ==, FASP_NEVER);
  for (guint i = 0; i < 10; i++)
    fasp_sent_map_sent (map, 100 + i, 0, i, FALSE);
  g_assert_cmpint (fasp_sent_map_get_oldest_time (map, 0), ==, 100);
  /* 3 may still come, and is overtaken: what is newer counts */
  g_assert_true (feed (map, 0, 2, 6, 3, 7, NUMBERS (3, -1)));
  g_assert_cmpint (fasp_sent_map_get_oldest_time (map, 0), ==, 107);
  g_assert_true (feed (map, 1, 9, 9, 3, 10, NUMBERS (3, -1)));
  g_assert_cmpint (fasp_sent_map_get_oldest_time (map, 0), ==, FASP_NEVER);
}

/* One feedback after an outage is one event, however much it tells of. */
static void
test_logged (void)
{
  g_autoptr (FaspLog) log = fasp_log_new (4), part = fasp_log_new_session (log, 7);
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);
  FaspLogEntry e;

  fasp_sent_map_set_log (map, part);
  send_new (map, 1000);
  g_assert_true (feed (map, 0, 999, 999, 2, 2, NUMBERS (-1)));
  g_assert_cmpuint (result.lost, ==, 998);
  g_assert_cmpuint (fasp_log_fetch (log, &e, 1, NULL), ==, 1);
  g_assert_cmpuint (e.event, ==, FASP_LOG_PACKETS_LOST);
  g_assert_cmpint (e.values[0], ==, 0);
  g_assert_cmpint (e.values[1], ==, 2);
  g_assert_cmpint (e.values[2], ==, 999);
  g_assert_cmpint (e.values[3], ==, 998);
  g_assert_cmpint (e.values[4], ==, 2);
  g_assert_cmpint (e.values[5], ==, 999);
  g_assert_cmpint (e.values[6], ==, 0);
  g_assert_cmpint (e.values[7], ==, 1000);
  g_assert_cmpuint (fasp_log_fetch (log, &e, 1, NULL), ==, 0);
  fasp_sent_map_sent (map, 20, 0, 2, FALSE);
  g_assert_true (feed (map, 1, 1000, 1000, 2, 2, NUMBERS (-1)));
  g_assert_cmpuint (fasp_log_fetch (log, &e, 1, NULL), ==, 1);
  g_assert_cmpint (e.values[1], ==, 1000);
  g_assert_cmpint (e.values[3], ==, 1);
  g_assert_cmpint (e.values[4], ==, 2);
  g_assert_cmpint (e.values[6], ==, 1);
  g_assert_cmpint (e.values[7], ==, 980);
}

/* Earliest first, whatever the order in which they are found lost. */
static void
test_urgency (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);

  send_new (map, 100);
  feed (map, 0, 99, 99, 7, 100, NUMBERS (7, 20, 50, 51, 90, -1));
  g_assert_cmpuint (result.lost, ==, 5);
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, 7);
  fasp_sent_map_sent (map, 1, 0, 7, FALSE);
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, 20);
  fasp_sent_map_advance (map, 51); /* nobody wants the earlier ones */
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, 51);
}

static void
test_stale (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);

  send_new (map, 10);
  g_assert_true (feed (map, 5, 9, 9, 10, 10, NUMBERS (-1)));
  g_assert_false (feed (map, 5, 9, 9, 10, 10, NUMBERS (-1)));
  g_assert_false (feed (map, 4, 9, 9, 10, 10, NUMBERS (-1)));
  /* of packets and blocks that were never sent */
  g_assert_false (feed (map, 6, 10, 10, 10, 10, NUMBERS (-1)));
  g_assert_false (feed (map, 7, 9, 9, 11, 11, NUMBERS (-1)));
  g_assert_cmpuint (map->base, ==, 10);
}

/* A sender, a lossy pipe each way and an honest receiver, in rounds: whatever
 * is lost, in the end everything is there, and what is sent beyond the losses
 * is nothing. */
static void
test_model (void)
{
  for (guint seed = 0; seed < 200; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);
    const guint blocks = 300;
    gboolean here[300] = { FALSE };
    guint64 sent = 0, lost = 0, fpn = 0, ack = 0, highest = 0;
    gint64 largest = -1;
    gdouble loss = g_rand_double_range (rand, 0, .5);
    guint rounds = 0;

    while (ack < blocks && rounds++ < 10000) {
      FaspFeedback f = { 0 };

      for (guint i = 0; i < 20; i++) {
        guint64 block = fasp_sent_map_peek (map, &next_round);

        if (block == FASP_NO_BLOCK)
          block = map->next;
        if (block >= blocks)
          block = FASP_NO_BLOCK; /* a tail probe */
        fasp_sent_map_sent (map, rounds, 0, block, FALSE);
        sent += block != FASP_NO_BLOCK;
        if (g_rand_double (rand) < loss) {
          lost += block != FASP_NO_BLOCK;
          continue;
        }
        largest = map->flows[0]->next - 1;
        if (block != FASP_NO_BLOCK) {
          g_assert_false (here[block]); /* nothing goes twice for nothing */
          here[block] = TRUE;
          highest = MAX (highest, block + 1);
        } else {
          highest = map->next;
        }
      }
      if (largest < 0 || g_rand_double (rand) < loss)
        continue; /* the feedback is lost */
      while (ack < blocks && here[ack])
        ack++;
      f.ack = f.from = ack;
      f.end = highest;
      f.tail = TRUE;
      f.window = 1000;
      f.serial = fpn++;
      f.n_flows = 1;
      f.flows[0].largest = largest;
      f.flows[0].received = largest + 1;
      for (guint64 b = ack; b < highest; b++)
        if (!here[b]) {
          if (f.n_ranges > 0
              && f.ranges[f.n_ranges - 1].start + f.ranges[f.n_ranges - 1].length == b)
            f.ranges[f.n_ranges - 1].length++;
          else {
            f.ranges[f.n_ranges].start = b;
            f.ranges[f.n_ranges++].length = 1;
          }
        }
      g_assert_true (fasp_sent_map_feedback (map, rounds, &f, &result));
    }
    g_assert_cmpuint (ack, ==, blocks);
    g_assert_cmpuint (sent, ==, blocks + lost);
  }
}

/* All packets up to the last one are settled; of the blocks it says that from @from to before
 * @end all are there but the first @missing. */
static void
feed_part (FaspSentMap *map, guint64 serial, guint64 from, guint64 end, guint missing)
{
  guint64 largest = map->flows[0]->next - 1;
  FaspFeedback f = { .serial = serial, .window = 1000, .n_flows = 1, .from = from, .end = end };

  f.flows[0].largest = largest;
  f.flows[0].received = largest + 1;
  f.n_ranges = missing > 0;
  f.ranges[0].start = from;
  f.ranges[0].length = missing;
  g_assert_true (fasp_sent_map_feedback (map, 1000, &f, &result));
}

/* What is missing is told in parts, in any order, and each of them counts once. */
static void
test_parts (void)
{
  static const guint parts[] = { 70, 30, 30, 0, 90, 10, 80, 20, 40, 60, 50 };
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);
  gboolean told[10] = { FALSE };

  send_new (map, 100);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    guint part = parts[i] / 10;

    feed_part (map, i, parts[i], parts[i] + 10, 3);
    g_assert_cmpuint (result.lost, ==, told[part] ? 0 : 3);
    told[part] = TRUE;
  }
  for (guint i = 0; i < 30; i++) {
    guint64 block = fasp_sent_map_peek (map, &next_round);

    /* the newest speaks of 50 to 59; the others are as they were told of before */
    g_assert_cmpuint (block, ==, i / 3 * 10 + i % 3);
    fasp_sent_map_sent (map, 1, 0, block, FALSE);
  }
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, FASP_NO_BLOCK);
}

/* --- several flows ---------------------------------------------------------------- */

/* What the receiver says of flows that have brought everything up to
 * `largest' (-1: nothing), and which blocks it lacks. */
static gboolean
feed_flows (FaspSentMap *map, FaspTime now, guint64 serial, const gint *largest, guint flows,
    guint64 ack, guint64 end, const gint *missing)
{
  FaspFeedback f = {
    .serial = serial,
    .ack = ack,
    .window = 1000,
    .n_flows = flows,
    .from = ack,
    .end = end,
    .tail = TRUE,
  };

  for (guint i = 0; i < flows; i++) {
    f.flows[i].flow = i;
    f.flows[i].largest = MAX (largest[i], 0);
    f.flows[i].received = largest[i] + 1;
  }
  return feed_ranges (map, now, &f, missing);
}

/* Blocks 0, 2, 4 ... on flow 0, the others on flow 1; one each ms. */
static void
send_on_two (FaspSentMap *map, guint n)
{
  for (guint i = 0; i < n; i++)
    fasp_sent_map_sent (map, i * FASP_MSEC, i % 2, map->next, FALSE);
}

/* A flow that is behind the other has not lost anything yet; when a round trip
 * and some time have passed it has. */
static void
test_overdue (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);

  send_on_two (map, 10);
  /* 10 ms round trip: all that was sent up to 2 ms ago, but block 9 */
  g_assert_true (feed_flows (map, 12 * FASP_MSEC, 0, NUMBERS (1, 1), 2, 4, 4, NUMBERS (-1)));
  g_assert_true (feed_flows (map, 19 * FASP_MSEC, 1, NUMBERS (4, 3), 2, 9, 9, NUMBERS (-1)));
  g_assert_cmpuint (result.lost, ==, 0);
  g_assert_true (feed_flows (map, 30 * FASP_MSEC, 2, NUMBERS (4, 3), 2, 9, 9, NUMBERS (-1)));
  g_assert_cmpuint (result.lost, ==, 0);
  g_assert_true (feed_flows (map, 60 * FASP_MSEC, 3, NUMBERS (4, 3), 2, 9, 9, NUMBERS (-1)));
  g_assert_cmpuint (result.lost, ==, 1);
  g_assert_cmpuint (result.dead, ==, 0); /* one is chance */
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, 9);
  g_assert_cmphex (fasp_sent_map_get_carriers (map, 9), ==, 2);
  fasp_sent_map_sent (map, 61 * FASP_MSEC, 0, 9, FALSE);
  g_assert_cmphex (fasp_sent_map_get_carriers (map, 9), ==, 3);
  /* it came after all, and is told of once */
  g_assert_true (feed_flows (map, 70 * FASP_MSEC, 4, NUMBERS (5, 4), 2, 10, 10, NUMBERS (-1)));
  g_assert_cmpuint (result.lost, ==, 0);
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, FASP_NO_BLOCK);
  g_assert_cmpuint (fasp_sent_map_get_totals (map, 1).reported, ==, 5);
  g_assert_cmpuint (fasp_sent_map_get_all_totals (map).received, ==, 11);
}

/* Several in a row: everything that is under way there goes again, also what left just now.
 * Not so of the only flow that is left: nothing is taken as lost before it is told of. */
static void
test_dead (gconstpointer only)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);

  send_on_two (map, 60);
  if (only != NULL)
    fasp_sent_map_set_only (map, 1);
  g_assert_true (feed_flows (map, 30 * FASP_MSEC, 0, NUMBERS (9, 9), 2, 20, 20, NUMBERS (-1)));
  g_assert_true (feed_flows (map, 65 * FASP_MSEC, 1, NUMBERS (26, 9), 2, 21, 53,
      NUMBERS (21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, -1)));
  g_assert_cmpuint (result.dead, ==, only != NULL ? 0 : 2);
  for (guint i = 21; i < 60 && only == NULL; i += 2) {
    g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, i);
    g_assert_cmpuint (next_round, ==, 1);
    fasp_sent_map_sent (map, 70 * FASP_MSEC, 0, i, FALSE);
  }
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, FASP_NO_BLOCK);
}

/* Sends a block each ms, on two flows in turn, from @from until @to, with FEEDBACK each 10 ms. The
 * round trip is 10 ms. What goes on flow 1 after @pause arrives at @arrive, or never if that is
 * later than @to. Returns the flows that were found dead. */
static guint64
run_two (FaspSentMap *map, guint from, guint to, guint pause, guint arrive)
{
  guint64 dead = 0;

  for (guint ms = from; ms < to; ms++) {
    gint here = ms >= 10 ? (gint) ms - 10 : -1;
    gint second = here > (gint) pause && ms < arrive ? (gint) pause : here;
    gint missing[1000], n = 0;

    fasp_sent_map_sent (map, ms * FASP_MSEC, ms % 2, map->next, FALSE);
    if (ms % 10 != 0 || ms < 20)
      continue;
    for (gint i = second + 1; i <= here; i++)
      if (i % 2 == 1)
        missing[n++] = i;
    missing[n] = -1;
    feed_flows (map, ms * FASP_MSEC, ms, NUMBERS (here / 2, (second - 1) / 2), 2,
        n > 0 ? missing[0] : here + 1, here + 1, missing);
    dead |= result.dead;
  }
  return dead;
}

/* A flow that pauses as it did before, and then delivers what was under way, is not dead; one that
 * pauses for longer is. */
static void
test_pauses (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);

  g_assert_cmpuint (run_two (map, 0, 200, 100, 180), ==, 2);
  g_assert_cmpuint (run_two (map, 200, 400, 300, 380), ==, 0);
  g_assert_cmpuint (run_two (map, 400, 600, 500, 700), ==, 2);
}

/* Nothing has ever come on it: that is told, too. */
static void
test_never_there (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);

  send_on_two (map, 10);
  g_assert_true (feed_flows (map, 20 * FASP_MSEC, 0, NUMBERS (4, -1), 2, 1, 9,
      NUMBERS (1, 3, 5, 7, -1)));
  g_assert_cmpuint (result.lost, ==, 0);
  g_assert_true (feed_flows (map, 1100 * FASP_MSEC, 1, NUMBERS (4, -1), 2, 1, 9,
      NUMBERS (1, 3, 5, 7, -1)));
  g_assert_cmpuint (result.lost, ==, 5);
  g_assert_cmpuint (result.dead, ==, 2);
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, 1);
}

/* A block that left twice is lost when both are. */
static void
test_double (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);

  for (guint i = 0; i < 4; i++)
    for (guint flow = 0; flow < 2; flow++)
      fasp_sent_map_sent (map, i * FASP_MSEC, flow, i, flow > 0);
  g_assert_true (feed_flows (map, 20 * FASP_MSEC, 0, NUMBERS (3, 0), 2, 2, 4, NUMBERS (2, -1)));
  g_assert_cmpuint (result.lost, ==, 1);
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, FASP_NO_BLOCK);
  g_assert_true (feed_flows (map, 30 * FASP_MSEC, 1, NUMBERS (3, 3), 2, 2, 4, NUMBERS (2, -1)));
  g_assert_cmpuint (fasp_sent_map_peek (map, &next_round), ==, 2);
  g_assert_cmpuint (next_round, ==, 1);
}

static void
assert_has_all (FaspSentMap *map, guint until)
{
  for (guint end = 0; end <= 20; end++)
    g_assert_true (fasp_sent_map_has_all (map, end) == (end <= until));
}

/* Is everything below a block there, as far as is known? */
static void
test_has_all (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);

  send_new (map, 20);
  g_assert_false (fasp_sent_map_has_all (map, 1)); /* nothing is known */
  feed (map, 0, 19, 19, 3, 15, NUMBERS (5, 6, 9, -1));
  assert_has_all (map, 5);
  fasp_sent_map_advance (map, 6);
  assert_has_all (map, 6);
  fasp_sent_map_advance (map, 7);
  assert_has_all (map, 9);
  fasp_sent_map_advance (map, 10);
  assert_has_all (map, 15);
  fasp_sent_map_advance (map, 17);
  assert_has_all (map, 17);
}

/* A receiver may say that it has what it lacked and the other way round, so that the sender asks so
 * each time before it sends something: it does not count through a window for that. */
static void
test_has_all_often (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);
  const guint n = 1 << 20;

  send_new (map, n);
  feed (map, 0, n - 1, n - 1, 0, n, NUMBERS (n - 2, -1));
  feed (map, 1, n - 1, n - 1, 0, n, NUMBERS (n - 3, n - 2, -1));
  /* against hanging */
  setitimer (ITIMER_VIRTUAL, &(struct itimerval) { .it_value.tv_sec = 60 }, NULL);
  for (guint i = 0; i < 20000; i++)
    g_assert_false (fasp_sent_map_has_all (map, n - 2));
  setitimer (ITIMER_VIRTUAL, &(struct itimerval) { 0 }, NULL);
}

/* A member of a group may have some thousands of blocks looked up at once, but not with each
 * FEEDBACK. */
static void
test_looks (void)
{
  g_autoptr (FaspSentMap) map = fasp_sent_map_new (0);
  FaspTime now = 10 * FASP_SEC;
  guint64 all = 0;

  g_assert_cmpuint (fasp_sent_map_get_looks (map, now), ==, FASP_SENT_MAP_NEWS);
  for (guint i = 0; i < 10000; i++, now += 100) {
    guint looks = fasp_sent_map_get_looks (map, now);

    g_assert_cmpuint (looks, >=, FASP_RANGES_MAX);
    all += looks - FASP_RANGES_MAX;
    fasp_sent_map_looked (map, now, looks);
  }
  /* in a second, ten times what may be looked up in a tenth, and what was saved */
  g_assert_cmpuint (all, <=, 11 * (FASP_SENT_MAP_NEWS - FASP_RANGES_MAX));
  g_assert_cmpuint (all, >, 9 * (FASP_SENT_MAP_NEWS - FASP_RANGES_MAX));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sent-map/loss", test_loss);
  g_test_add_func ("/sent-map/too-many", test_too_many);
  g_test_add_func ("/sent-map/oldest", test_oldest);
  g_test_add_func ("/sent-map/logged", test_logged);
  g_test_add_func ("/sent-map/urgency", test_urgency);
  g_test_add_func ("/sent-map/stale", test_stale);
  g_test_add_func ("/sent-map/model", test_model);
  g_test_add_func ("/sent-map/parts", test_parts);
  g_test_add_func ("/sent-map/overdue", test_overdue);
  g_test_add_data_func ("/sent-map/only", "only", test_dead);
  g_test_add_data_func ("/sent-map/dead", NULL, test_dead);
  g_test_add_func ("/sent-map/pauses", test_pauses);
  g_test_add_func ("/sent-map/never-there", test_never_there);
  g_test_add_func ("/sent-map/double", test_double);
  g_test_add_func ("/sent-map/has-all", test_has_all);
  g_test_add_func ("/sent-map/has-all-often", test_has_all_often);
  g_test_add_func ("/attack/looks", test_looks);
  return g_test_run ();
}
