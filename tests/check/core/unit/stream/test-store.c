/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspstore.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspStore, fasp_store_free)

static const guint8 bytes[100000];

static void
test_blocks (void)
{
  g_autoptr (FaspStore) store = fasp_store_new (1 << 20, 1000);

  g_assert_cmpuint (fasp_store_write (store, 0, 1, bytes, 300, NULL), ==, 300);
  g_assert_cmpuint (fasp_store_write (store, 0, 2, bytes, 300, NULL), ==, 300);
  g_assert_cmpuint (fasp_store_get_head (store), ==, 1);
  /* asked for: sealed; more bytes begin another */
  g_assert_cmpuint (fasp_store_get (store, 0)->size, ==, 600);
  g_assert_cmpint (fasp_store_get (store, 0)->media_time, ==, 1);
  g_assert_cmpuint (fasp_store_write (store, 0, 3, bytes, 2500, NULL), ==, 2500);
  g_assert_cmpuint (fasp_store_get_head (store), ==, 4);
  g_assert_cmpuint (fasp_store_get (store, 1)->size, ==, 1000);
  g_assert_cmpuint (fasp_store_get (store, 3)->size, ==, 500);
  g_assert_cmpint (fasp_store_get (store, 3)->media_time, ==, 3);
  g_assert_cmpuint (fasp_store_count_bytes (store, 0, 4), ==, 3100);
  fasp_store_trim (store, 3);
  g_assert_cmpuint (fasp_store_get_tail (store), ==, 3);
  g_assert_cmpuint (fasp_store_count_bytes (store, 0, 100), ==, 500);
}

/* Back-pressure: never above the limit, and room again after a trim. */
static void
test_limit (void)
{
  const gsize limit = 64 * 1024;
  g_autoptr (FaspStore) store = fasp_store_new (limit, 1200);
  gsize taken = 0, n;

  while ((n = fasp_store_write (store, 0, 0, bytes, 1316, NULL)) > 0) {
    taken += n;
    g_assert_cmpuint (fasp_store_get_bytes (store), <=, limit);
  }
  g_assert_true (fasp_store_is_full (store));
  g_assert_cmpuint (taken, >, limit / 2);
  fasp_store_trim (store, fasp_store_get_head (store) / 2);
  g_assert_false (fasp_store_is_full (store));
  g_assert_cmpuint (fasp_store_write (store, 0, 0, bytes, 1316, NULL), ==, 1316);
}

/* Many tiny writes, each asked for at once, must not cost a datagram's
 * memory each. */
static void
test_tiny (void)
{
  const gsize limit = 64 * 1024;
  g_autoptr (FaspStore) store = fasp_store_new (limit, 1400);
  guint n = 0;

  while (n < 100000 && fasp_store_write (store, 0, n, bytes, 1, NULL) == 1)
    fasp_store_get (store, n++);
  g_assert_cmpuint (n, <, 100000); /* overheads count, too */
  g_assert_cmpuint (fasp_store_get_bytes (store), <=, limit);
}

/* Whole blocks lie in the memory that is written; what is left over is copied. */
static void
test_memory (void)
{
  FaspStore *store = fasp_store_new (1 << 20, 1000);
  FaspMemory memory;

  fasp_memory_init (&memory, NULL);
  fasp_store_write (store, 0, 0, bytes, 300, NULL);
  g_assert_cmpuint (fasp_store_write (store, 0, 0, bytes, 3000, &memory), ==, 3000);
  g_assert_cmpuint (fasp_store_get_head (store), ==, 4);
  g_assert_cmpint (memory.refs, ==, 3);
  g_assert_true (fasp_store_get (store, 1)->data == bytes + 700);
  g_assert_true (fasp_store_get (store, 2)->data == bytes + 1700);
  g_assert_cmpuint (fasp_store_get (store, 3)->size, ==, 300);
  g_assert_null (fasp_store_get (store, 3)->memory);
  fasp_store_trim (store, 2);
  g_assert_cmpint (memory.refs, ==, 3);
  g_ptr_array_unref (fasp_store_take_forgotten (store));
  g_assert_null (fasp_store_take_forgotten (store));
  g_assert_cmpint (memory.refs, ==, 2);
  fasp_store_free (store);
  g_assert_cmpint (memory.refs, ==, 1);
  fasp_memory_clear (&memory);
}

/* Where blocks begin and end in units of the peer's window. */
static void
test_offsets (void)
{
  g_autoptr (FaspStore) store = fasp_store_new (1 << 20, 2 * FASP_BLOCK_UNIT + 1);

  fasp_store_write (store, 0, 0, bytes, 4 * FASP_BLOCK_UNIT + 12, NULL);
  g_assert_cmpuint (fasp_store_get_head (store), ==, 3);
  g_assert_cmpuint (fasp_store_get_units (store, 0), ==, 0);
  g_assert_cmpuint (fasp_store_get_units (store, 1), ==, 3);
  g_assert_cmpuint (fasp_store_get_units (store, 2), ==, 6);
  g_assert_false (fasp_store_ends_by (store, 2, 6));
  g_assert_true (fasp_store_ends_by (store, 2, 7));
  /* it was not sealed by that */
  fasp_store_write (store, 0, 0, bytes, FASP_BLOCK_UNIT, NULL);
  g_assert_cmpuint (fasp_store_get_head (store), ==, 3);
  g_assert_false (fasp_store_ends_by (store, 2, 7));
  g_assert_cmpuint (fasp_store_get_units (store, 3), ==, 8);
  fasp_store_finish (store, 0, 0);
  g_assert_cmpuint (fasp_store_get_units (store, 4), ==, 9);
  fasp_store_trim (store, 2);
  g_assert_cmpuint (fasp_store_get_units (store, 0), ==, 6);
}

static void
test_end (void)
{
  g_autoptr (FaspStore) store = fasp_store_new (1 << 20, 1000);

  fasp_store_write (store, 0, 0, bytes, 10, NULL);
  fasp_store_finish (store, 0, 5);
  fasp_store_finish (store, 0, 6);
  g_assert_true (fasp_store_is_finished (store));
  g_assert_cmpuint (fasp_store_get_head (store), ==, 2);
  g_assert_cmpuint (fasp_store_get (store, 0)->flags & FASP_BLOCK_MARK, ==, 0);
  g_assert_cmpuint (fasp_store_get (store, 1)->flags & FASP_BLOCK_MARK, ==, FASP_BLOCK_MARK);
  g_assert_cmpuint (fasp_store_get (store, 1)->size, ==, 0);
}

/* Another stream begins where nothing of the one before is kept: nobody finds that. */
static void
test_other_stream (void)
{
  g_autoptr (FaspStore) store = fasp_store_new (1 << 20, 1000);
  FaspStreamOffset a = { .known = TRUE }, b = { .known = TRUE };
  guint8 data[4000] = { 0 };
  guint64 number;

  memset (a.origin.bytes, 1, sizeof a.origin.bytes);
  memset (b.origin.bytes, 2, sizeof b.origin.bytes);
  fasp_store_set_offset (store, 0, 0, &a, FALSE);
  fasp_store_write (store, 1, 1, data, sizeof data, NULL);
  fasp_store_trim (store, 4);
  fasp_store_set_offset (store, 2, 2, &b, FALSE);
  fasp_store_write (store, 3, 3, data, sizeof data, NULL);
  b.offset = 2000;
  g_assert_true (fasp_store_find (store, &b, &number));
  a.offset = sizeof data;
  g_assert_false (fasp_store_find (store, &a, &number));
}

/* Writes that nearly fill a block are a block each, whole; smaller ones are put together,
 * and cut. */
static void
test_alike (void)
{
  const struct
  {
    gsize write;
    guint writes, blocks;
    guint32 first;
  } table[] = {
    { 1316, 22, 22, 1316 },
    { 1260, 22, 22, 1260 },
    { 1259, 22, 20, 1440 },
    { 188, 70, 10, 1316 },
    { 1440, 22, 22, 1440 },
    { 4096, 22, 63, 1440 },
  };
  static const guint8 data[4096];

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    g_autoptr (FaspStore) store = fasp_store_new (1 << 20, 1440);

    for (guint n = 0; n < table[i].writes; n++)
      g_assert_cmpuint (fasp_store_write (store, 0, 0, data, table[i].write, NULL), ==,
          table[i].write);
    fasp_store_seal (store);
    g_assert_cmpuint (fasp_store_get_head (store), ==, table[i].blocks);
    g_assert_cmpuint (fasp_store_get (store, 0)->size, ==, table[i].first);
    g_assert_cmpuint (fasp_store_count_bytes (store, 0, fasp_store_get_head (store)), ==,
        table[i].write * table[i].writes);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/store/blocks", test_blocks);
  g_test_add_func ("/store/alike", test_alike);
  g_test_add_func ("/store/limit", test_limit);
  g_test_add_func ("/store/tiny", test_tiny);
  g_test_add_func ("/store/memory", test_memory);
  g_test_add_func ("/store/offsets", test_offsets);
  g_test_add_func ("/store/end", test_end);
  g_test_add_func ("/store/other-stream", test_other_stream);
  return g_test_run ();
}
