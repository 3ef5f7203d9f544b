/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <sys/time.h>
#include "faspreorder.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspReorder, fasp_reorder_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspBlock, fasp_block_unref)

static FaspReorderResult
insert (FaspReorder *reorder, guint64 number, guint8 byte)
{
  guint8 data[3] = { byte, byte, byte };
  FaspReorderPiece piece = { .number = number, .count = 1, .total = 3, .data = data, .size = 3 };

  return fasp_reorder_insert (reorder, 0, &piece);
}

static void
test_order (void)
{
  g_autoptr (FaspReorder) reorder = fasp_reorder_new (64, 100);
  FaspBlock *block;

  g_assert_null (fasp_reorder_take (reorder));
  g_assert_cmpint (insert (reorder, 102, 2), ==, FASP_REORDER_STORED);
  g_assert_cmpint (insert (reorder, 101, 1), ==, FASP_REORDER_STORED);
  g_assert_null (fasp_reorder_take (reorder));
  g_assert_cmpuint (fasp_reorder_get_ack (reorder), ==, 100);
  g_assert_cmpint (insert (reorder, 100, 0), ==, FASP_REORDER_STORED);
  g_assert_cmpuint (fasp_reorder_get_ack (reorder), ==, 103);
  for (guint i = 0; i < 3; i++) {
    block = fasp_reorder_take (reorder);
    g_assert_nonnull (block);
    g_assert_cmpuint (block->number, ==, 100 + i);
    g_assert_cmpuint (block->data[2], ==, i);
    fasp_block_unref (block);
  }
  g_assert_null (fasp_reorder_take (reorder));
  g_assert_cmpuint (fasp_reorder_get_bytes (reorder), ==, 0);
}

/* Large blocks count as several: what is held is bounded whatever their size. */
static void
test_units (void)
{
  g_autoptr (FaspReorder) reorder = fasp_reorder_new (64, 0);
  static const guint8 data[3 * FASP_BLOCK_UNIT];
  FaspReorderPiece piece = { .count = 1, .total = sizeof data, .data = data, .size = sizeof data };

  g_assert_cmpuint (fasp_reorder_get_window (reorder), ==, 64);
  for (piece.number = 1; piece.number < 22; piece.number++)
    g_assert_cmpint (fasp_reorder_insert (reorder, 0, &piece), ==, FASP_REORDER_STORED);
  g_assert_cmpint (fasp_reorder_insert (reorder, 0, &piece), ==, FASP_REORDER_OUTSIDE);
  /* counted from ack on: nothing of that is deliverable yet */
  g_assert_cmpuint (fasp_reorder_get_window (reorder), ==, 64);
  /* nor is that got around by a part of something small */
  piece = (FaspReorderPiece) { .number = 22, .count = 2, .total = 2, .data = data, .size = 1 };
  g_assert_cmpint (fasp_reorder_insert (reorder, 0, &piece), ==, FASP_REORDER_PARTIAL);
  piece.total = sizeof data;
  piece.size = sizeof data / 2;
  g_assert_cmpint (fasp_reorder_insert (reorder, 0, &piece), ==, FASP_REORDER_OUTSIDE);
  /* what all the others wait for is taken */
  piece =
      (FaspReorderPiece) { .count = 1, .total = sizeof data, .data = data, .size = sizeof data };
  g_assert_cmpint (fasp_reorder_insert (reorder, 0, &piece), ==, FASP_REORDER_STORED);
  g_assert_cmpuint (fasp_reorder_get_ack (reorder), ==, 22);
  g_assert_cmpuint (fasp_reorder_get_window (reorder), ==, 0);
  for (guint i = 1; i <= 22; i++) {
    fasp_block_unref (fasp_reorder_take (reorder));
    g_assert_cmpuint (fasp_reorder_get_taken (reorder), ==, 3 * i);
    g_assert_cmpuint (fasp_reorder_get_window (reorder), ==, 64 - 3 * (22 - i));
  }
}

/* Blocks stay where they came in, and let go of it. */
static void
test_memory (void)
{
  FaspReorder *reorder = fasp_reorder_new (64, 0);
  static const guint8 data[100];
  FaspReorderPiece piece = { .count = 1, .total = sizeof data, .data = data, .size = sizeof data };
  FaspMemory memory;
  FaspBlock *block;

  fasp_memory_init (&memory, NULL);
  piece.memory = &memory;
  fasp_reorder_insert (reorder, 0, &piece);
  g_assert_cmpint (fasp_reorder_insert (reorder, 0, &piece), ==, FASP_REORDER_DUPLICATE);
  g_assert_cmpint (memory.refs, ==, 2);
  block = fasp_reorder_take (reorder);
  g_assert_true (block->data == data);
  fasp_block_unref (block);
  g_assert_cmpint (memory.refs, ==, 1);
  piece.number = 2;
  fasp_reorder_insert (reorder, 0, &piece);
  fasp_reorder_free (reorder);
  g_assert_cmpint (memory.refs, ==, 1);
  fasp_memory_clear (&memory);
}

static void
test_limits (void)
{
  g_autoptr (FaspReorder) reorder = fasp_reorder_new (64, 0);
  FaspReorderPiece piece = { .number = 1, .count = 1, .total = 70000 };

  g_assert_cmpuint (fasp_reorder_get_limit (reorder), ==, 64);
  g_assert_cmpint (insert (reorder, 64, 0), ==, FASP_REORDER_OUTSIDE);
  g_assert_cmpint (insert (reorder, G_MAXUINT64, 0), ==, FASP_REORDER_OUTSIDE);
  g_assert_cmpint (insert (reorder, 63, 0), ==, FASP_REORDER_STORED);
  g_assert_cmpint (insert (reorder, 63, 0), ==, FASP_REORDER_DUPLICATE);
  g_assert_cmpint (fasp_reorder_insert (reorder, 0, &piece), ==, FASP_REORDER_INVALID);
  /* a tail probe can say what it likes: the window holds */
  fasp_reorder_note_highest (reorder, G_MAXUINT64);
  g_assert_cmpuint (fasp_reorder_get_highest (reorder), ==, 64);
}

static void
test_gaps (void)
{
  static const guint64 here[] = { 1, 2, 5, 9, 70, 128 };
  static const guint64 gaps[][2] = {
    { 0, 1 },
    { 3, 2 },
    { 6, 3 },
    { 10, 60 },
    { 71, 57 },
    { 129, 3 },
  };
  g_autoptr (FaspReorder) reorder = fasp_reorder_new (256, 0);
  guint64 from = 0, start, length;

  for (guint i = 0; i < G_N_ELEMENTS (here); i++)
    insert (reorder, here[i], 0);
  fasp_reorder_note_highest (reorder, 132);
  for (guint i = 0; i < G_N_ELEMENTS (gaps); i++) {
    g_assert_true (fasp_reorder_next_gap (reorder, from, &start, &length));
    g_assert_cmpuint (start, ==, gaps[i][0]);
    g_assert_cmpuint (length, ==, gaps[i][1]);
    from = start + length;
  }
  g_assert_false (fasp_reorder_next_gap (reorder, from, &start, &length));
}

static void
insert_fragment (FaspReorder *reorder, guint64 number, const guint8 *whole, guint total,
    guint index, guint count, FaspReorderResult expected)
{
  guint each = (total + count - 1) / count, at = each * index;
  FaspReorderPiece piece = {
    .number = number,
    .index = index,
    .count = count,
    .total = total,
    .data = whole + at,
    .size = MIN (each, total - at),
  };

  g_assert_cmpint (fasp_reorder_insert (reorder, 0, &piece), ==, expected);
}

static void
test_fragments (void)
{
  g_autoptr (FaspReorder) reorder = fasp_reorder_new (64, 0);
  FaspReorderPiece wrong = {
    .number = 1,
    .index = 0,
    .count = 2,
    .total = 10,
    .data = (const guint8 *) "1234567",
    .size = 7,
  };
  guint8 whole[1001];
  g_autoptr (FaspBlock) block = NULL;

  for (guint i = 0; i < sizeof whole; i++)
    whole[i] = i * 7;
  insert_fragment (reorder, 0, whole, 1001, 2, 3, FASP_REORDER_PARTIAL);
  insert_fragment (reorder, 0, whole, 1001, 2, 3, FASP_REORDER_DUPLICATE);
  insert_fragment (reorder, 0, whole, 1001, 0, 3, FASP_REORDER_PARTIAL);
  /* another division: the path narrowed further */
  insert_fragment (reorder, 0, whole, 1001, 0, 4, FASP_REORDER_PARTIAL);
  insert_fragment (reorder, 0, whole, 1001, 1, 4, FASP_REORDER_PARTIAL);
  insert_fragment (reorder, 0, whole, 1001, 3, 4, FASP_REORDER_PARTIAL);
  g_assert_null (fasp_reorder_take (reorder));
  insert_fragment (reorder, 0, whole, 1001, 2, 4, FASP_REORDER_STORED);
  g_assert_cmpint (fasp_reorder_insert (reorder, 0, &wrong), ==, FASP_REORDER_INVALID);
  block = fasp_reorder_take (reorder);
  g_assert_cmpmem (block->data, block->size, whole, sizeof whole);
}

static void
test_skip (void)
{
  g_autoptr (FaspReorder) reorder = fasp_reorder_new (64, 0);
  FaspBlock *block;

  insert (reorder, 0, 0);
  insert (reorder, 3, 3);
  insert (reorder, 6, 6);
  g_assert_cmpuint (fasp_reorder_skip_to (reorder, 5), ==, 3); /* 1 2 4 */
  block = fasp_reorder_take (reorder);
  g_assert_cmpuint (block->number, ==, 0);
  g_assert_false (block->flags & FASP_BLOCK_DISCONT);
  fasp_block_unref (block);
  block = fasp_reorder_take (reorder);
  g_assert_cmpuint (block->number, ==, 3);
  g_assert_true (block->flags & FASP_BLOCK_DISCONT);
  fasp_block_unref (block);
  g_assert_null (fasp_reorder_take (reorder));
  insert (reorder, 5, 5);
  block = fasp_reorder_take (reorder);
  g_assert_cmpuint (block->number, ==, 5);
  g_assert_true (block->flags & FASP_BLOCK_DISCONT);
  fasp_block_unref (block);
  /* what was given up is not wanted any more */
  g_assert_cmpint (insert (reorder, 4, 4), ==, FASP_REORDER_DUPLICATE);
}

/* A skip beyond the window while something is unread: what lies between is
 * refused, and the stream goes on behind it. */
static void
test_skip_far (void)
{
  g_autoptr (FaspReorder) reorder = fasp_reorder_new (64, 0);
  g_autoptr (FaspBlock) block = NULL;

  for (guint i = 0; i < 10; i++)
    insert (reorder, i, i);
  fasp_reorder_skip_to (reorder, 640);
  for (guint i = 0; i < 5; i++)
    fasp_block_unref (fasp_reorder_take (reorder));
  /* there is room for these now, but nobody wants them */
  g_assert_cmpint (insert (reorder, 65, 65), ==, FASP_REORDER_OUTSIDE);
  fasp_reorder_note_highest (reorder, 68);
  g_assert_cmpuint (fasp_reorder_skip_to (reorder, 66), <=, 2);
  for (guint i = 5; i < 10; i++)
    fasp_block_unref (fasp_reorder_take (reorder));
  g_assert_null (fasp_reorder_take (reorder));
  g_assert_cmpuint (fasp_reorder_get_read (reorder), ==, 640);
  g_assert_cmpint (insert (reorder, 640, 1), ==, FASP_REORDER_STORED);
  block = fasp_reorder_take (reorder);
  g_assert_cmpuint (block->number, ==, 640);
  g_assert_true (block->flags & FASP_BLOCK_DISCONT);
}

/* A sender may say in each datagram more than a hundred times that what a whole window is
 * long will not come. That costs what is here, and not what is not. */
static void
test_skip_often (void)
{
  const guint32 window = 1 << 20;
  g_autoptr (FaspReorder) reorder = fasp_reorder_new (window, 0);
  static const guint8 data[2];
  FaspReorderPiece half = { .count = 2, .total = 2, .data = data, .size = 1 };

  /* against hanging */
  setitimer (ITIMER_VIRTUAL, &(struct itimerval) { .it_value.tv_sec = 60 }, NULL);
  for (guint64 i = 0; i < 10000; i++) {
    guint64 first = fasp_reorder_get_read (reorder);

    fasp_reorder_note_highest (reorder, first + window);
    /* something whole, or half of it, at its end every now and then */
    half.number = first + window - 1;
    if (i % 100 == 50)
      fasp_reorder_insert (reorder, 0, &half);
    if (i % 100 == 0)
      insert (reorder, half.number, 0);
    g_assert_cmpuint (fasp_reorder_skip_to (reorder, first + window), ==, window - (i % 100 == 0));
    if (i % 100 == 0)
      fasp_block_unref (fasp_reorder_take (reorder));
    g_assert_null (fasp_reorder_take (reorder));
    g_assert_cmpuint (fasp_reorder_get_read (reorder), ==, first + window);
    g_assert_cmpuint (fasp_reorder_get_ack (reorder), ==, first + window);
    g_assert_cmpuint (fasp_reorder_get_taken (reorder), ==, first + window);
    g_assert_cmpuint (fasp_reorder_get_bytes (reorder), ==, 0);
  }
  setitimer (ITIMER_VIRTUAL, &(struct itimerval) { 0 }, NULL);
}

/* Against the plainest thing that does the same: arrays of flags. */
static void
test_skip_model (void)
{
  const guint n = 3000, window = 128;

  for (guint seed = 0; seed < 100; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_autoptr (FaspReorder) reorder = fasp_reorder_new (window, 0);
    g_autofree gboolean *here = g_new0 (gboolean, n + 4 * window);
    guint read = 0, ack = 0, skip = 0, expected = 0;

    while (read < n) {
      guint number = read + g_rand_int_range (rand, 0, window);
      guint64 start, length;
      FaspBlock *block;

      if (g_rand_int_range (rand, 0, 8) == 0) {
        guint to = read + g_rand_int_range (rand, 0, 2 * window);

        expected = 0;
        for (guint i = MAX (skip, ack); i < to; i++)
          expected += !here[i];
        g_assert_cmpuint (fasp_reorder_skip_to (reorder, to), ==, expected);
        skip = MAX (skip, to);
      } else if (number >= ack && number >= skip && !here[number]) {
        g_assert_cmpint (insert (reorder, number, number), ==, FASP_REORDER_STORED);
        here[number] = TRUE;
      } else {
        g_assert_cmpint (insert (reorder, number, number), !=, FASP_REORDER_STORED);
      }
      if (g_rand_boolean (rand)) {
        guint next = read;

        while (next < skip && !here[next])
          next++;
        block = fasp_reorder_take (reorder);
        g_assert_true ((block != NULL) == here[next]);
        if (block != NULL) {
          g_assert_cmpuint (block->number, ==, next);
          g_assert_true (!!(block->flags & FASP_BLOCK_DISCONT) == (next > 0 && !here[next - 1]));
          fasp_block_unref (block);
        }
      }
      read = fasp_reorder_get_read (reorder);
      ack = fasp_reorder_get_ack (reorder);
      g_assert_true (here[read] || read >= skip);
      for (guint i = read; i < ack; i++)
        g_assert_true (here[i] || i < skip);
      g_assert_true (!here[ack]);
      if (fasp_reorder_next_gap (reorder, 0, &start, &length))
        for (guint i = start; i < start + length; i++)
          g_assert_true (!here[i] && i >= skip);
    }
  }
}

/* Against the plainest thing that does the same: an array of flags. */
static void
test_model (void)
{
  const guint first = 1000, n = 4000, window = 128;

  for (guint seed = 0; seed < 50; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_autoptr (FaspReorder) reorder = fasp_reorder_new (window, first);
    g_autofree gboolean *here = g_new0 (gboolean, n + window);
    guint read = 0, ack = 0, highest = 0;

    while (read < n - window) {
      guint number = read + g_rand_int_range (rand, 0, window + 20);

      if (g_rand_int_range (rand, 0, 3) == 0 && number > 30)
        number -= 30;
      if (number < read)
        g_assert_cmpint (insert (reorder, first + number, number), ==, FASP_REORDER_DUPLICATE);
      else if (number >= read + window)
        g_assert_cmpint (insert (reorder, first + number, number), ==, FASP_REORDER_OUTSIDE);
      else {
        g_assert_cmpint (insert (reorder, first + number, number), ==,
            here[number] ? FASP_REORDER_DUPLICATE : FASP_REORDER_STORED);
        here[number] = TRUE;
        highest = MAX (highest, number + 1);
      }
      while (here[ack])
        ack++;
      g_assert_cmpuint (fasp_reorder_get_ack (reorder), ==, first + ack);
      g_assert_cmpuint (fasp_reorder_get_highest (reorder), ==, first + highest);
      if (g_rand_boolean (rand)) {
        FaspBlock *block = fasp_reorder_take (reorder);

        g_assert_true ((block != NULL) == (read < ack));
        if (block != NULL) {
          g_assert_cmpuint (block->number, ==, first + read);
          g_assert_cmpuint (block->data[0], ==, read & 0xff);
          fasp_block_unref (block);
          read++;
        }
      } else if (ack < read + window && g_rand_int_range (rand, 0, 3) == 0) {
        insert (reorder, first + ack, ack); /* the retransmission of the oldest */
        here[ack] = TRUE;
        highest = MAX (highest, ack + 1);
      }
      while (here[ack])
        ack++;
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reorder/order", test_order);
  g_test_add_func ("/reorder/limits", test_limits);
  g_test_add_func ("/reorder/units", test_units);
  g_test_add_func ("/reorder/memory", test_memory);
  g_test_add_func ("/reorder/gaps", test_gaps);
  g_test_add_func ("/reorder/fragments", test_fragments);
  g_test_add_func ("/reorder/skip", test_skip);
  g_test_add_func ("/reorder/skip-far", test_skip_far);
  g_test_add_func ("/reorder/skip-often", test_skip_often);
  g_test_add_func ("/reorder/skip-model", test_skip_model);
  g_test_add_func ("/reorder/model", test_model);
  return g_test_run ();
}
