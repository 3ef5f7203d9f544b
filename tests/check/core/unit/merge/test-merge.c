/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is taken of a stream that several sources bring.
 */
#include "faspmediaclock.h"
#include "made.h"

#define PROVEN 64 /* blocks, 64 KiB, after which a source is trusted */
#define TURN ((FaspTime) 1 << 32)

/* Each byte once, in order, whoever brings it, and whatever the pieces are. */
static void
test_each_once (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  guint64 at[3] = { 0 };
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 3);

  while (m->next < 1000 * MADE_SIZE) {
    guint i = g_rand_int_range (rand, 0, 3);
    guint32 size = g_rand_int_range (rand, 1, 3 * MADE_SIZE);

    m->now = MAX (m->now, MADE_START + (FaspTime) (at[i] / MADE_SIZE) * MADE_GAP);
    made_decide (m);
    if (made_bring (m, i, at[i], size))
      at[i] += size;
    made_take (m);
  }
  g_assert_false (m->wrong);
  g_assert_cmpuint (m->discontinuities, ==, 0);
  g_assert_cmpuint (m->begun, ==, 1);
  g_assert_cmpuint (m->missing, ==, 0);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (m->from[i], >, 0);
}

/* The others are taken from once 64 KiB of them were the same. */
static void
test_trust (void)
{
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

  made_run (m, 0, 1, 0, PROVEN - 1);
  g_assert_true (made_is_trusted (m, 0));
  g_assert_false (made_is_trusted (m, 1));
  made_arrive (m, 1, PROVEN - 1);
  g_assert_cmpuint (m->next, ==, (PROVEN - 1) * MADE_SIZE);
  made_arrive (m, 0, PROVEN - 1);
  g_assert_true (made_is_trusted (m, 1));
  g_assert_cmpuint (m->from[1], ==, 0);
  made_arrive (m, 1, PROVEN);
  g_assert_cmpuint (m->from[1], ==, 1);
  /* somebody else may answer there by now */
  m->states[1].session++;
  made_decide (m);
  g_assert_false (made_is_trusted (m, 1));
}

/* From the beginning, or later: nothing more is taken, it is told once, and the leader goes on. */
static void
test_differs (void)
{
  for (guint later = 0; later < 2; later++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

    m->delays[1] = 30 * FASP_MSEC;
    if (later)
      made_run (m, 0, 1, 0, 2 * PROVEN);
    g_assert_cmpint (made_is_trusted (m, 1), ==, later);
    m->forges[1] = 1;
    made_run (m, 0, 1, later * 2 * PROVEN, 4 * PROVEN);
    g_assert_false (made_is_trusted (m, 1));
    g_assert_cmpuint (m->events[FASP_MERGE_DIFFERS][1], ==, 1);
    g_assert_cmpuint (m->events[FASP_MERGE_DIFFERS][0], ==, 0);
    g_assert_false (m->wrong);
    g_assert_cmpuint (m->discontinuities, ==, 0);
    g_assert_cmpuint (m->next, ==, 4 * PROVEN * MADE_SIZE);
    /* where the leader lacks something, it is not asked */
    made_arrive (m, 1, 4 * PROVEN);
    g_assert_cmpuint (m->next, ==, 4 * PROVEN * MADE_SIZE);
    g_assert_true (fasp_merge_wants (m->merge, 1));
  }
}

/* One that was trusted lies where it is the first.  The leader's word stands as soon as it comes,
 * the reader is told that something is wrong, and a third one that is right is still believed. */
static void
test_leader_stands (void)
{
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 3);

  for (guint64 k = 0; k < 2 * PROVEN; k++)
    for (guint i = 0; i < 3; i++)
      made_arrive (m, i, k);
  m->forges[1] = 1;
  made_arrive (m, 1, 2 * PROVEN);
  g_assert_true (m->wrong);
  m->wrong = FALSE;
  made_arrive (m, 2, 2 * PROVEN);
  g_assert_cmpuint (m->events[FASP_MERGE_DIFFERS][1], ==, 0);
  g_assert_cmpuint (m->events[FASP_MERGE_DIFFERS][2], ==, 0);
  made_arrive (m, 0, 2 * PROVEN);
  g_assert_cmpuint (m->events[FASP_MERGE_DIFFERS][1], ==, 1);
  for (guint64 k = 2 * PROVEN + 1; k < 3 * PROVEN; k++)
    for (guint i = 0; i < 3; i++)
      made_arrive (m, (i + 1) % 3, k);
  g_assert_false (m->wrong);
  g_assert_cmpuint (m->discontinuities, ==, 1);
  g_assert_cmpuint (m->lacks, ==, 1);
  g_assert_cmpuint (m->missing, ==, 0);
  g_assert_true (made_is_trusted (m, 2));
  g_assert_cmpuint (m->events[FASP_MERGE_DIFFERS][0] + m->events[FASP_MERGE_DIFFERS][2], ==, 0);
  g_assert_cmpuint (m->next, ==, 3 * PROVEN * MADE_SIZE);
}

/* A leader whose bytes are not those that it sent before is not silenced by that. */
static void
test_leader_repeats (void)
{
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 1);

  made_arrive (m, 0, 0);
  m->forges[0] = 1;
  made_bring_block (m, 0, 0);
  m->forges[0] = 0;
  made_arrive (m, 0, 1);
  g_assert_cmpuint (m->events[FASP_MERGE_DIFFERS][0], ==, 0);
  g_assert_cmpuint (m->next, ==, 2 * MADE_SIZE);
}

/* What the leader lacks is waited for as long as somebody may bring it, and not beyond the time
 * when what is behind it is played. */
static void
test_gap (void)
{
  for (guint brings = 0; brings < 2; brings++) {
    FaspTime played;
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

    made_run (m, 0, 1, 0, 2 * PROVEN);
    made_arrive (m, 0, 2 * PROVEN + 1);
    g_assert_cmpuint (m->next, ==, 2 * PROVEN * MADE_SIZE);
    played = MADE_START + (2 * PROVEN + 1) * MADE_GAP + m->delays[0] + MADE_LATENCY;
    g_assert_cmpint (fasp_merge_get_timeout (m->merge, m->now), ==, played);
    m->now = played - 1;
    made_decide (m);
    g_assert_cmpuint (made_take (m), ==, 0);
    if (brings) {
      made_bring_block (m, 1, 2 * PROVEN);
      g_assert_cmpuint (made_take (m), ==, 2);
    } else {
      m->now++;
      g_assert_cmpuint (made_take (m), ==, 1);
    }
    g_assert_cmpuint (m->discontinuities, ==, !brings);
    g_assert_cmpuint (m->lacks, ==, !brings);
    g_assert_cmpuint (m->missing, ==, brings ? 0 : MADE_SIZE);
    g_assert_cmpuint (m->next, ==, (2 * PROVEN + 2) * MADE_SIZE);
  }
}

/* Nobody waits for one that is not there, or holds something behind the gap itself. */
static void
test_gap_of_all (void)
{
  for (guint there = 0; there < 2; there++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

    made_run (m, 0, 1, 0, 2 * PROVEN);
    m->states[1].is_connected = there;
    if (there)
      made_arrive (m, 1, 2 * PROVEN + 5);
    made_arrive (m, 0, 2 * PROVEN + 1);
    g_assert_cmpuint (m->next, ==, (2 * PROVEN + 2) * MADE_SIZE);
    g_assert_cmpuint (m->discontinuities, ==, 1);
  }
}

/* Each lacks something: no more than both lack is missing. */
static void
test_gap_of_both (void)
{
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 3);

  for (guint64 k = 0; k < 2 * PROVEN; k++)
    for (guint i = 0; i < 3; i++)
      made_arrive (m, i, k);
  made_arrive (m, 0, 2 * PROVEN + 9);
  made_arrive (m, 1, 2 * PROVEN + 2);
  g_assert_cmpuint (m->missing, ==, 0);
  made_arrive (m, 2, 2 * PROVEN + 6);
  g_assert_cmpuint (m->missing, ==, 2 * MADE_SIZE);
  for (guint64 k = 2 * PROVEN + 3; k < 2 * PROVEN + 9; k++)
    made_arrive (m, 1, k);
  g_assert_cmpuint (m->next, ==, (2 * PROVEN + 10) * MADE_SIZE);
  g_assert_cmpuint (m->missing, ==, 2 * MADE_SIZE);
  g_assert_cmpuint (m->discontinuities, ==, 1);
}

/* The only source begins another stream: that is no gap.  A header that comes again in a stream is
 * not needed in it. */
static void
test_begins (void)
{
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 1);

  for (guint64 k = 0; k < 20; k++) {
    m->origins[0] = 1 + k / 10;
    made_bring_mark (m, 0, FASP_BLOCK_HEADER | FASP_BLOCK_ENTER);
    made_take (m);
    made_arrive (m, 0, k);
    g_assert_cmpuint (m->begun, ==, m->origins[0]);
  }
  g_assert_cmpuint (m->enters, ==, 2);
  g_assert_cmpuint (m->discontinuities, ==, 1);
  g_assert_cmpuint (m->missing, ==, 0);
}

/* Another origin, or offsets that are not true, while the leader is there: nothing of it is taken,
 * and the leader loses nothing. */
static void
test_another_stream (void)
{
  static const struct
  {
    guint8 origin;
    gint64 shift; /* of its offsets, blocks */
  } cases[] = { { 2, 0 }, { 2, 1 << 20 }, { 1, 1 << 20 }, { 1, 1 << 22 }, { 1, -100 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

    m->origins[1] = cases[i].origin;
    for (guint64 k = 0; k < 3 * PROVEN; k++) {
      made_arrive (m, 0, k);
      if ((gint64) k + cases[i].shift >= 0)
        made_bring (m, 1, (k + cases[i].shift) * MADE_SIZE, MADE_SIZE);
      made_take (m);
    }
    g_assert_cmpuint (m->from[1], ==, 0);
    g_assert_cmpuint (m->next, ==, 3 * PROVEN * MADE_SIZE);
    g_assert_false (m->wrong);
    g_assert_cmpuint (m->discontinuities, ==, 0);
  }
}

/* The stream is over when all say so that are there, or when one does and the others bring nothing
 * any more.  A sender that is stopped alone ends nothing, then or later. */
static void
test_end (void)
{
  for (guint who = 0; who < 2; who++) {
    guint64 k = 2 * PROVEN;
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

    made_run (m, 0, 1, 0, k);
    made_bring_mark (m, who, FASP_BLOCK_EOS);
    g_assert_cmpuint (made_take (m), ==, 0);
    for (guint n = 0; n < 100; n++)
      made_arrive (m, 1 - who, k++);
    g_assert_false (m->eos);
    m->now += 10 * MADE_LATENCY;
    made_decide (m);
    g_assert_cmpuint (made_take (m), ==, 0);
    g_assert_true (fasp_merge_wants (m->merge, who));
    g_assert_cmpuint (m->next, ==, k * MADE_SIZE);
    made_arrive (m, 1 - who, k++);
    made_bring_mark (m, 1 - who, FASP_BLOCK_EOS);
    made_bring_mark (m, who, FASP_BLOCK_EOS);
    g_assert_cmpuint (made_take (m), >=, 1);
    g_assert_true (m->eos);
  }
}

/* The others are there, and bring nothing, or are gone. */
static void
test_end_of_one (void)
{
  for (guint gone = 0; gone < 2; gone++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

    made_run (m, 0, 1, 0, 2 * PROVEN);
    made_bring_mark (m, 1, FASP_BLOCK_EOS);
    g_assert_cmpuint (made_take (m), ==, 0);
    m->states[0].is_connected = !gone;
    m->now += gone ? 0 : MADE_LATENCY + 2 * MADE_GAP;
    made_decide (m);
    g_assert_cmpuint (made_take (m), ==, 1);
    g_assert_true (m->eos);
  }
}

/* The second source stamped what it brings earlier than the first one did: media times do not fall
 * when it goes on alone, unless its clock was set back. */
static void
test_rises (void)
{
  static const struct
  {
    FaspTime turn;
    guint8 flags;
    gboolean falls;
  } cases[] = {
    { -3 * MADE_GAP, 0, FALSE },
    { -3 * MADE_GAP, FASP_BLOCK_CLOCK_JUMP, TRUE },
    { -FASP_MEDIA_CLOCK_STEP - MADE_GAP, 0, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);
    FaspTime before;

    m->turns[1] = cases[i].turn;
    made_run (m, 0, 1, 0, 2 * PROVEN);
    before = cases[i].falls ? G_MININT64 : m->media;
    m->states[0].is_connected = FALSE;
    m->flags[1] = cases[i].flags;
    for (gint64 k = 2 * PROVEN; k < 2 * PROVEN + 5; k++) {
      made_arrive (m, 1, k);
      g_assert_cmpint (m->media, ==, MAX (before, k * MADE_GAP + cases[i].turn));
      m->flags[1] = 0;
    }
    g_assert_cmpuint (m->from[1], ==, 5);
    g_assert_cmpuint (m->discontinuities, ==, 0);
  }
}

/* The same with two sources that go on in turn: one stamped earlier, one later. */
static void
test_rises_in_turn (void)
{
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 3);
  FaspTime before;

  m->turns[1] = -3 * MADE_GAP;
  m->turns[2] = 3 * MADE_GAP;
  made_run (m, 0, 1, 0, 2 * PROVEN);
  made_run (m, 0, 2, 2 * PROVEN, 4 * PROVEN);
  m->states[0].is_connected = FALSE;
  before = m->media;
  for (gint64 k = 4 * PROVEN; k < 4 * PROVEN + 20; k++) {
    made_arrive (m, 1 + k % 2, k);
    before = MAX (before, k * MADE_GAP + m->turns[1 + k % 2]);
    g_assert_cmpint (m->media, ==, before);
  }
  g_assert_cmpuint (m->from[1], ==, 10);
  g_assert_cmpuint (m->from[2], ==, 10);
  g_assert_cmpuint (m->discontinuities, ==, 0);
}

/* Who began more than 71 minutes later counts media times from another turn. */
static void
test_turns (void)
{
  static const gint turns[] = { 0, 1, -1, 5, -3 };

  for (guint i = 0; i < G_N_ELEMENTS (turns); i++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

    m->turns[1] = turns[i] * TURN;
    made_run (m, 0, 1, 0, 2 * PROVEN);
    for (guint64 k = 2 * PROVEN; k < 3 * PROVEN; k++)
      made_arrive (m, k % 2, k);
    g_assert_cmpuint (m->from[1], >, 0);
    g_assert_cmpuint (m->discontinuities, ==, 0);
    g_assert_cmpint (m->delay, ==, MADE_START + m->delays[0]);
  }
}

/* The play time moves to that of the slowest one that counts, by a thousandth of the time, and what
 * was read before is not played later than what follows. */
static void
test_slew (void)
{
  FaspTime last, before;
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

  m->delays[1] = 25 * FASP_MSEC;
  made_run (m, 0, 1, 0, 2 * PROVEN);
  last = m->delay;
  before = m->now;
  for (guint64 k = 2 * PROVEN; k < 2 * PROVEN + 1000; k += 100) {
    made_run (m, 0, 1, k, k + 100);
    g_assert_cmpint (m->delay - last, <=, (m->now - before) / 1000 + 10);
    g_assert_cmpint (m->delay, >=, last);
    last = m->delay;
    before = m->now;
  }
  g_assert_cmpint (m->delay, ==, MADE_START + m->delays[1]);
}

/* A sender that counts from another beginning, and has a clock of its own, is started anew while a
 * block of it is held, that was written by a clock which had drifted.  What is known of its clock
 * begins anew, too. */
static void
test_new_session_of_another_clock (void)
{
  const guint64 far = 8 * PROVEN, further = 2 * far; /* blocks */

  for (gint drift = -1; drift <= 1; drift++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

    m->origins[1] = 2;
    made_run (m, 0, 1, 0, far);
    g_assert_true (made_is_trusted (m, 1));
    m->turns[1] = drift * FASP_MSEC;
    g_assert_true (made_bring_block (m, 1, far + 1));
    g_assert_false (fasp_merge_wants (m->merge, 1));
    m->states[1].session++;
    made_decide (m);
    g_assert_false (made_is_trusted (m, 1));
    made_run (m, 0, 1, far, further);
    g_assert_true (made_is_trusted (m, 1));
    g_assert_cmpuint (m->events[FASP_MERGE_LEFT][1], ==, 0);
    /* only this one has the next block: it is taken once the other one should have brought it, even
     * if that was lost, and is played when it should be */
    made_arrive (m, 1, further);
    g_assert_cmpuint (m->next, ==, further * MADE_SIZE);
    m->now = fasp_merge_get_timeout (m->merge, m->now);
    g_assert_cmpint (m->now, <=, MADE_START + further * MADE_GAP + m->delays[1] + MADE_LATENCY / 2);
    made_take (m);
    g_assert_cmpuint (m->next, ==, (further + 1) * MADE_SIZE);
    g_assert_cmpint (ABS (m->media - (FaspTime) further * MADE_GAP), <=, FASP_MSEC);
    g_assert_cmpint (ABS (m->delay - (MADE_START + m->delays[0])), <=, FASP_MSEC);
    g_assert_false (m->wrong);
  }
}

/* A sender of other bytes is replaced by one of the same, while a block of it is held: the new one
 * does not answer for that. */
static void
test_new_session_is_not_the_old_one (void)
{
  const guint64 far = 2 * PROVEN; /* blocks */
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

  made_run (m, 0, 1, 0, far);
  m->forges[1] = 1;
  g_assert_true (made_bring_block (m, 1, far + 1));
  m->states[1].session++;
  m->forges[1] = 0;
  made_decide (m);
  made_arrive (m, 0, far);
  made_arrive (m, 0, far + 1);
  made_run (m, 0, 1, far + 2, 2 * far);
  g_assert_cmpuint (m->events[FASP_MERGE_DIFFERS][1], ==, 0);
  g_assert_true (made_is_trusted (m, 1));
  g_assert_false (m->wrong);
  g_assert_cmpuint (m->next, ==, 2 * far * MADE_SIZE);
}

/* When the leader is gone, who brings another stream leads from its first block on. */
static void
test_successor (void)
{
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

  m->origins[1] = 2;
  made_run (m, 0, 0, 0, PROVEN);
  m->states[0].is_connected = FALSE;
  made_arrive (m, 1, 2 * PROVEN);
  g_assert_cmpuint (m->begun, ==, 2);
  g_assert_cmpuint (m->next, ==, (2 * PROVEN + 1) * MADE_SIZE);
}

/* Two sources of another sender, whose clock is ahead or behind, take over when the first one is
 * gone.  They are one stream, which goes on by the same clock, also when one of them is called
 * again. */
static void
test_pair_of_another_clock (void)
{
  for (gint ahead = -1; ahead <= 1; ahead++) {
    guint64 k = PROVEN; /* block */
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 3);

    for (guint i = 1; i < 3; i++) {
      m->origins[i] = 2;
      m->forges[i] = 1;
      m->turns[i] = ahead * 1000 * FASP_SEC;
    }
    made_run (m, 0, 0, 0, k);
    m->states[0].is_connected = FALSE;
    for (guint i = 1; i < 3; i++) {
      made_run (m, 1, 2, k, k + 2 * PROVEN);
      k += 2 * PROVEN;
      g_assert_cmpuint (m->begun, ==, 2);
      /* each of them brings a block that the other one has not */
      for (guint from = 1; from < 3; from++) {
        g_assert_true (made_is_trusted (m, from));
        made_arrive (m, from, k++);
        g_assert_cmpuint (m->next, ==, k * MADE_SIZE);
        g_assert_cmpint (ABS (m->media - (FaspTime) (k - 1) * MADE_GAP), <=, FASP_MSEC);
      }
      m->states[i].session++;
    }
    g_assert_cmpuint (m->events[FASP_MERGE_LEFT][1] + m->events[FASP_MERGE_LEFT][2], ==, 0);
  }
}

/* A source that counts from another beginning has a place in the stream.  When another stream
 * begins, which the reader was not told is the same, that place is none any more. */
static void
test_place_in_the_stream_before (void)
{
  const guint64 base = 100, silent = 10 * PROVEN, from = 14 * PROVEN, to = 16 * PROVEN; /* blocks */
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 3);

  for (guint i = 1; i < 3; i++) {
    m->origins[i] = 1 + i;
    m->begins[1 + i] = i * base * MADE_SIZE;
  }
  made_run (m, 0, 1, base, silent);
  g_assert_true (made_is_trusted (m, 1));
  /* both fall silent, and a third one brings what comes later */
  made_run (m, 2, 2, from, to);
  g_assert_cmpuint (m->begun, ==, 2);
  g_assert_false (made_is_trusted (m, 1));
  m->wrong = FALSE;
  /* this would seem to be what comes next */
  made_arrive (m, 1, to - 2 * base);
  g_assert_cmpuint (m->next, ==, to * MADE_SIZE);
  g_assert_false (m->wrong);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/merge/successor", test_successor);
  g_test_add_func ("/merge/each-once", test_each_once);
  g_test_add_func ("/merge/trust", test_trust);
  g_test_add_func ("/merge/differs", test_differs);
  g_test_add_func ("/merge/leader-stands", test_leader_stands);
  g_test_add_func ("/merge/leader-repeats", test_leader_repeats);
  g_test_add_func ("/merge/gap", test_gap);
  g_test_add_func ("/merge/gap-of-all", test_gap_of_all);
  g_test_add_func ("/merge/gap-of-both", test_gap_of_both);
  g_test_add_func ("/merge/begins", test_begins);
  g_test_add_func ("/merge/another-stream", test_another_stream);
  g_test_add_func ("/merge/end", test_end);
  g_test_add_func ("/merge/end-of-one", test_end_of_one);
  g_test_add_func ("/merge/rises", test_rises);
  g_test_add_func ("/merge/rises-in-turn", test_rises_in_turn);
  g_test_add_func ("/merge/turns", test_turns);
  g_test_add_func ("/merge/slew", test_slew);
  g_test_add_func ("/merge/new-session-of-another-clock", test_new_session_of_another_clock);
  g_test_add_func ("/merge/new-session-is-not-the-old-one", test_new_session_is_not_the_old_one);
  g_test_add_func ("/merge/pair-of-another-clock", test_pair_of_another_clock);
  g_test_add_func ("/merge/place-in-the-stream-before", test_place_in_the_stream_before);
  return g_test_run ();
}
