/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspposition.h"
#include "faspstore.h"
#include "vcases.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspBlock, fasp_block_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspStore, fasp_store_free)

static const guint8 bytes[100000];

static FaspStreamOffset
byte_at (guint8 stream, guint64 offset)
{
  FaspStreamOffset start = { .known = TRUE, .offset = offset };

  memset (start.origin.bytes, stream, FASP_ORIGIN_SIZE);
  return start;
}

static FaspBlock *
block_of (guint64 number, guint8 flags, guint32 size)
{
  FaspBlock *block = fasp_block_new (size);

  block->number = number;
  block->flags = flags;
  block->size = size;
  memset (block->data, 0, size);
  return block;
}

/* Its offset, or that of the next one where it is a mark. */
static guint64
take (FaspPosition *position, guint64 number, guint8 flags, guint32 size)
{
  g_autoptr (FaspBlock) block = block_of (number, flags, size);
  guint64 offset;

  g_assert_true (fasp_position_take (position, block));
  offset = block->offset;
  return offset;
}

static void
tell (FaspPosition *position, guint64 next, guint64 number, guint64 offset)
{
  FaspStreamOffset start = byte_at (1, offset);

  fasp_position_announce (position, next, number, &start);
}

static void
take_mark (FaspPosition *position, guint64 number, const FaspStreamOffset *start)
{
  g_autoptr (FaspBlock) block = block_of (number, FASP_BLOCK_MARK, FASP_MARK_SIZE);

  fasp_mark_write (block->data, start);
  g_assert_false (fasp_position_take (position, block));
}

static void
test_count (void)
{
  FaspStreamOffset first = byte_at (1, 1000), other = byte_at (2, 7);
  FaspPosition p;

  fasp_position_init (&p, &first);
  g_assert_cmpuint (take (&p, 5, 0, 100), ==, 1000);
  g_assert_cmpuint (take (&p, 6, 0, 1), ==, 1100);
  g_assert_cmpuint (p.next.offset, ==, 1101);
  take_mark (&p, 7, &other);
  g_assert_true (fasp_origin_equal (&p.next.origin, &other.origin));
  g_assert_cmpuint (take (&p, 8, 0, 10), ==, 7);
  /* a hole: nothing is known, ... */
  g_assert_cmpuint (take (&p, 10, FASP_BLOCK_DISCONT, 10), ==, FASP_OFFSET_UNKNOWN);
  g_assert_cmpuint (take (&p, 11, 0, 10), ==, FASP_OFFSET_UNKNOWN);
  /* ... until it is told, */
  tell (&p, 12, 13, 500);
  tell (&p, 12, 13, 600);
  tell (&p, 12, 11, 700);
  g_assert_cmpuint (take (&p, 12, 0, 10), ==, FASP_OFFSET_UNKNOWN);
  g_assert_cmpuint (take (&p, 13, 0, 10), ==, 500);
  /* which what was counted is believed rather than */
  tell (&p, 14, 14, 9999);
  g_assert_cmpuint (take (&p, 14, 0, 10), ==, 510);
  /* also of a block behind a hole */
  tell (&p, 15, 20, 1000);
  g_assert_cmpuint (take (&p, 20, FASP_BLOCK_DISCONT, 10), ==, 1000);
}

/* As many as there may be, in any order; the nearest are kept. */
static void
test_announced (void)
{
  FaspStreamOffset first = { .offset = FASP_OFFSET_UNKNOWN };
  FaspPosition p;

  fasp_position_init (&p, &first);
  for (guint i = 100; i > 0; i--)
    tell (&p, 0, i * 2, i * 1000);
  g_assert_cmpuint (p.n_announced, ==, FASP_POSITION_ANNOUNCED);
  for (guint i = 1; i <= FASP_POSITION_ANNOUNCED; i++)
    g_assert_cmpuint (take (&p, i * 2, FASP_BLOCK_DISCONT, 1), ==, i * 1000);
  g_assert_cmpuint (take (&p, 100, FASP_BLOCK_DISCONT, 1), ==, FASP_OFFSET_UNKNOWN);
  g_assert_cmpuint (p.n_announced, <=, 1);
}

static void
test_marks (void)
{
  FaspStreamOffset start = byte_at (3, FASP_OFFSET_MAX), read;
  guint8 mark[FASP_MARK_SIZE + 1] = { 0 };

  fasp_mark_write (mark, &start);
  g_assert_cmpint (fasp_mark_read (mark, FASP_MARK_SIZE, &read), ==, FASP_MARK_POSITION);
  g_assert_true (fasp_stream_offset_is_comparable (&start, &read));
  g_assert_cmpuint (read.offset, ==, FASP_OFFSET_MAX);
  for (guint i = 0; i <= FASP_MARK_SIZE + 1; i++)
    if (i != FASP_MARK_SIZE)
      g_assert_cmpint (fasp_mark_read (mark, i, &read), ==, FASP_MARK_UNKNOWN);
  mark[0] = FASP_MARK_KEY_FRAME;
  g_assert_cmpint (fasp_mark_read (mark, 1, &read), ==, FASP_MARK_KEY_FRAME);
  g_assert_cmpint (fasp_mark_read (mark, 2, &read), ==, FASP_MARK_UNKNOWN);
  mark[0] = FASP_MARK_HEADER;
  g_assert_cmpint (fasp_mark_read (mark, FASP_MARK_SIZE, &read), ==, FASP_MARK_HEADER);
  mark[0]++;
  g_assert_cmpint (fasp_mark_read (mark, FASP_MARK_SIZE, &read), ==, FASP_MARK_UNKNOWN);
  /* what no stream comes to is not known, nor what would be behind it */
  start.offset = FASP_OFFSET_MAX + 1;
  fasp_mark_write (mark, &start);
  g_assert_true (fasp_mark_read (mark, FASP_MARK_SIZE, &read));
  g_assert_cmpuint (read.offset, ==, FASP_OFFSET_UNKNOWN);
  g_assert_false (fasp_stream_offset_is_comparable (&start, &read));
  {
    FaspPosition p;

    start.offset = FASP_OFFSET_MAX;
    fasp_position_init (&p, &start);
    g_assert_cmpuint (take (&p, 0, 0, 10), ==, FASP_OFFSET_MAX);
    g_assert_cmpuint (take (&p, 1, 0, 10), ==, FASP_OFFSET_UNKNOWN);
  }
}

static void
test_previous (void)
{
  static const struct
  {
    guint64 previous, first;
    guint32 size;
    FaspStreamOffsetOrder result;
    guint64 bytes;
  } table[] = {
    { 100, 100, 10, FASP_STREAM_OFFSET_FOLLOWS, 0 },
    { 100, 101, 10, FASP_STREAM_OFFSET_ANEW, 1 },
    { 100, 90, 10, FASP_STREAM_OFFSET_OLD, 10 },
    { 100, 91, 10, FASP_STREAM_OFFSET_OVERLAPS, 9 },
    { 100, 0, 10, FASP_STREAM_OFFSET_OLD, 100 },
    { FASP_OFFSET_UNKNOWN, 100, 10, FASP_STREAM_OFFSET_ANEW, 0 },
    { 100, FASP_OFFSET_UNKNOWN, 10, FASP_STREAM_OFFSET_ANEW, 0 },
    { FASP_OFFSET_MAX, 0, 10, FASP_STREAM_OFFSET_OLD, FASP_OFFSET_MAX },
    { 0, FASP_OFFSET_MAX, 10, FASP_STREAM_OFFSET_ANEW, FASP_OFFSET_MAX },
  };
  FaspStreamOffset other = byte_at (9, 100);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    FaspStreamOffset previous = byte_at (1, table[i].previous);
    FaspStreamOffset first = byte_at (1, table[i].first);
    guint64 missing;

    g_assert_cmpint (fasp_stream_offset_compare (&previous, &first, table[i].size, &missing), ==,
        table[i].result);
    g_assert_cmpuint (missing, ==, table[i].bytes);
    g_assert_cmpint (fasp_stream_offset_compare (&other, &first, table[i].size, &missing), ==,
        FASP_STREAM_OFFSET_ANEW);
    g_assert_cmpuint (missing, ==, 0);
  }
}

/* One that others hold stays as it is. */
static void
test_cut (void)
{
  g_autoptr (FaspBlock) block = block_of (4, FASP_BLOCK_DISCONT, 100), rest = NULL;

  for (guint i = 0; i < 100; i++)
    block->data[i] = i;
  block->offset = 1000;
  block->media_time = 5;
  rest = fasp_block_cut (fasp_block_ref (block), 30);
  g_assert_cmpuint (rest->size, ==, 70);
  g_assert_cmpuint (rest->offset, ==, 1030);
  g_assert_cmpuint (rest->number, ==, 4);
  g_assert_cmpuint (rest->flags, ==, FASP_BLOCK_DISCONT);
  g_assert_cmpint (rest->media_time, ==, 5);
  g_assert_cmpuint (rest->data[0], ==, 30);
  g_assert_cmpuint (block->size, ==, 100);
}

/* --- the store ---------------------------------------------------------------------- */

/* Any stream of writes, jumps, other streams and trims: what is found is what a look at
 * every block finds. */
static void
test_find (gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (GPOINTER_TO_UINT (data));
  g_autoptr (FaspStore) store = fasp_store_new (1 << 22, 1000);
  FaspStreamOffset at = byte_at (1, 0);

  fasp_store_set_offset (store, 0, 0, &at, FALSE);
  for (guint i = 0; i < 400; i++) {
    guint64 head, tail = fasp_store_get_tail (store), found, wanted = 0;
    guint size = g_rand_int_range (rand, 1, 3000);
    FaspStreamOffset start;
    gboolean any = FALSE, inside = FALSE;

    g_assert_cmpuint (fasp_store_write (store, i, i, bytes, size, NULL), ==, size);
    at.offset += size;
    switch (g_rand_int_range (rand, 0, 8)) {
      case 0:
        at.offset += g_rand_int_range (rand, 0, 5000);
        break;
      case 1:
        at = byte_at (g_rand_int_range (rand, 1, 4), at.offset);
        break;
      case 2:
        fasp_store_trim (store, tail + g_rand_int_range (rand, 0, 4));
        break;
      default:
        fasp_store_seal (store);
        break;
    }
    g_assert_true (fasp_store_set_offset (store, i, i, &at, FALSE));
    head = fasp_store_seal (store);
    tail = fasp_store_get_tail (store);
    start = fasp_store_get_stream_offset (store, head);
    g_assert_true (start.known == at.known && start.offset == at.offset
        && fasp_origin_equal (&start.origin, &at.origin));

    /* the first block of that stream that ends behind it */
    start = byte_at (g_rand_int_range (rand, 1, 5), g_rand_int_range (rand, 0, at.offset + 1000));
    for (guint64 n = tail; n < head; n++) {
      const FaspBlock *block = fasp_store_get (store, n);
      FaspStreamOffset here = fasp_store_get_stream_offset (store, n);

      if (!fasp_stream_offset_is_comparable (&here, &start))
        continue;
      any = TRUE;
      wanted = n + 1;
      /* offsets only rise, but another time they may be of the same stream */
      if (here.offset + fasp_block_get_payload (block) > start.offset) {
        wanted = n;
        inside = TRUE;
        break;
      }
    }
    if (!inside && fasp_stream_offset_is_comparable (&at, &start)) {
      any = TRUE;
      wanted = head; /* the next to come */
    }
    if (fasp_store_find (store, &start, &found) && any) {
      g_assert_cmpuint (found, <=, wanted);
      /* a mark, which has no byte, may be the block before */
      for (guint64 n = found; n < wanted; n++)
        g_assert_cmpuint (fasp_block_get_payload (fasp_store_get (store, n)), ==, 0);
    } else {
      g_assert_false (any);
    }
  }
}

static void
test_store_marks (void)
{
  g_autoptr (FaspStore) store = fasp_store_new (1 << 20, 1000);
  FaspStreamOffset start = byte_at (1, 50), told;

  /* before anything is there nobody needs a mark, unless somebody listens */
  g_assert_true (fasp_store_set_offset (store, 0, 0, &start, FALSE));
  g_assert_cmpuint (fasp_store_get_head (store), ==, 0);
  fasp_store_pass (store, 100);
  g_assert_cmpuint (fasp_store_get_next_offset (store).offset, ==, 150);
  fasp_store_write (store, 0, 7, bytes, 10, NULL);
  start.offset = 160;
  g_assert_true (fasp_store_set_offset (store, 0, 0, &start, TRUE));
  g_assert_cmpuint (fasp_store_get_head (store), ==, 1);
  fasp_store_write (store, 0, 8, bytes, 10, NULL);
  g_assert_cmpuint (fasp_store_get_head (store), ==, 1);
  start.offset = 1000;
  g_assert_true (fasp_store_set_offset (store, 0, 9, &start, TRUE));
  g_assert_cmpuint (fasp_store_get_head (store), ==, 2);
  g_assert_true (fasp_mark_read (fasp_store_get (store, 1)->data, fasp_store_get (store, 1)->size,
      &told));
  g_assert_cmpuint (told.offset, ==, 1000);
  fasp_store_write (store, 0, 9, bytes, 10, NULL);
  g_assert_cmpuint (fasp_store_get (store, 0)->offset, ==, 150);
  g_assert_cmpuint (fasp_store_get (store, 2)->offset, ==, 1000);
  g_assert_cmpuint (fasp_store_count_bytes (store, 0, 3), ==, 30);
  g_assert_cmpuint (fasp_store_get (store, 1)->flags, ==, FASP_BLOCK_MARK);
  g_assert_false (fasp_block_is_end (fasp_store_get (store, 1)));
}

static void
test_find_time (void)
{
  g_autoptr (FaspStore) store = fasp_store_new (1 << 20, 1000);

  g_assert_cmpuint (fasp_store_find_time (store, 5), ==, 0);
  for (guint i = 0; i < 10; i++)
    fasp_store_write (store, i * 10, 0, bytes, 1000, NULL);
  fasp_store_trim (store, 3);
  g_assert_cmpuint (fasp_store_find_time (store, 0), ==, 3);
  g_assert_cmpuint (fasp_store_find_time (store, 41), ==, 5);
  g_assert_cmpuint (fasp_store_find_time (store, 50), ==, 5);
  g_assert_cmpuint (fasp_store_find_time (store, 1000), ==, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/position/count", test_count);
  g_test_add_func ("/position/announced", test_announced);
  g_test_add_func ("/position/marks", test_marks);
  g_test_add_func ("/position/previous", test_previous);
  g_test_add_func ("/position/cut", test_cut);
  g_test_add_func ("/position/store-marks", test_store_marks);
  g_test_add_func ("/position/find-time", test_find_time);
  vcases_add_seeds ("/position/find", 20, test_find);
  return g_test_run ();
}
