/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header of a stream: its parts, and when it is sent.
 */
#include <string.h>
#include "faspblock.h"
#include "faspstreamheader.h"
#include "faspposition.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspBlock, fasp_block_unref)

static GBytes *
make_header (gsize size)
{
  guint8 *bytes = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    bytes[i] = i * 7 + i / 256;
  return g_bytes_new_take (bytes, size);
}

static FaspBlock *
make_mark (const guint8 *bytes, gsize size, guint32 room, guint i)
{
  FaspBlock *block = fasp_block_new (room);

  block->flags = FASP_BLOCK_MARK;
  block->size = fasp_stream_header_write_part (block->data, room, bytes, size, i);
  return block;
}

/* Feeds part @i; the whole of it, or NULL. */
static FaspBlock *
feed (FaspStreamHeaderParts *parts, GBytes *header, guint32 room, guint i, guint8 flags)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (header, &size);
  FaspBlock *mark = make_mark (bytes, size, room, i), *whole;

  mark->flags |= flags;
  g_assert_cmpuint (mark->size, <=, room);
  whole = fasp_stream_header_parts_take (parts, mark);
  fasp_block_unref (mark);
  return whole;
}

static gboolean
is_whole (const FaspBlock *block, GBytes *header)
{
  gsize size;
  gconstpointer bytes = g_bytes_get_data (header, &size);

  return block->flags == FASP_BLOCK_HEADER && block->size == size
      && (size == 0 || memcmp (block->data, bytes, size) == 0);
}

static void
test_parts (void)
{
  static const gsize sizes[] = { 0, 1, 94, 95, 96, 190, 1000, FASP_STREAM_HEADER_MAX };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (GBytes) header = make_header (sizes[i]);
    guint n = fasp_stream_header_count_parts (sizes[i], 100);
    FaspStreamHeaderParts parts = { 0 };
    g_autoptr (FaspBlock) whole = NULL;

    g_assert_cmpuint (n, ==, MAX (1, (sizes[i] + 94) / 95));
    for (guint j = 0; j + 1 < n; j++)
      g_assert_null (feed (&parts, header, 100, j, 0));
    whole = feed (&parts, header, 100, n - 1, 0);
    g_assert_nonnull (whole);
    g_assert_true (is_whole (whole, header));
    fasp_stream_header_parts_clear (&parts);
  }
}

/* Of one of which a part did not come nothing comes; the next is whole again. */
static void
test_parts_missing (void)
{
  g_autoptr (GBytes) header = make_header (300), other = make_header (299);
  FaspStreamHeaderParts parts = { 0 };
  g_autoptr (FaspBlock) whole = NULL;

  g_assert_null (feed (&parts, header, 105, 1, 0));
  g_assert_null (feed (&parts, header, 105, 2, 0));
  g_assert_null (feed (&parts, header, 105, 0, 0));
  g_assert_null (feed (&parts, header, 105, 2, FASP_BLOCK_DISCONT));
  g_assert_null (feed (&parts, header, 105, 0, 0));
  g_assert_null (feed (&parts, header, 105, 1, 0));
  /* the last of another one, and the first two of that were lost */
  g_assert_null (feed (&parts, other, 105, 2, FASP_BLOCK_DISCONT));
  for (guint i = 0; i < 2; i++)
    g_assert_null (feed (&parts, other, 105, i, 0));
  whole = feed (&parts, other, 105, 2, 0);
  g_assert_nonnull (whole);
  g_assert_true (is_whole (whole, other));
  fasp_stream_header_parts_clear (&parts);
}

/* What nobody of good will sends: no more than the limit is kept. */
static void
test_parts_hostile (void)
{
  static const guint8 none[] = { FASP_MARK_HEADER, 0, 0, 0, 0 };
  static const guint8 beyond[] = { FASP_MARK_HEADER, 0, 5, 0, 3, 1 };
  static const guint8 cut[] = { FASP_MARK_HEADER, 0, 0, 1 };
  static const guint8 *const marks[] = { none, beyond, cut };
  static const guint32 sizes[] = { sizeof none, sizeof beyond, sizeof cut };
  FaspStreamHeaderParts parts = { 0 };
  FaspBlock *mark;

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++) {
    mark = fasp_block_new (sizes[i]);
    memcpy (mark->data, marks[i], mark->size = sizes[i]);
    g_assert_null (fasp_stream_header_parts_take (&parts, mark));
    g_assert_null (parts.bytes);
    fasp_block_unref (mark);
  }
  mark = fasp_block_new (1000);
  mark->size = 1000;
  for (guint i = 0; i < G_MAXUINT16; i++) {
    const guint8 begin[] = { FASP_MARK_HEADER, i >> 8, i, 0xff, 0xff };

    memcpy (mark->data, begin, sizeof begin);
    g_assert_null (fasp_stream_header_parts_take (&parts, mark));
    g_assert_true (parts.bytes == NULL || parts.bytes->len <= FASP_STREAM_HEADER_MAX);
  }
  fasp_block_unref (mark);
  fasp_stream_header_parts_clear (&parts);
}

static void
test_due (void)
{
  g_autoptr (GBytes) bytes = make_header (1000);
  FaspStreamHeader header = { 0 };
  FaspTime now = 5 * FASP_SEC;

  g_assert_false (fasp_stream_header_is_due (&header, now, TRUE));
  fasp_stream_header_set (&header, now, NULL);
  g_assert_false (fasp_stream_header_is_due (&header, now, TRUE));
  fasp_stream_header_set (&header, now, bytes);
  g_assert_true (fasp_stream_header_is_due (&header, now, FALSE));
  fasp_stream_header_was_written (&header, now, 0);
  header.passed = 90000; /* more than a hundredth it is not */
  g_assert_false (fasp_stream_header_is_due (&header, now + 60 * FASP_SEC, TRUE));
  header.passed = 200000;
  g_assert_true (fasp_stream_header_is_due (&header, now, TRUE));
  g_assert_false (fasp_stream_header_is_due (&header, now + 9 * FASP_SEC, FALSE));
  g_assert_true (fasp_stream_header_is_due (&header, now + 10 * FASP_SEC, FALSE));
  /* whoever lacks it, but not for all who come at once */
  header.passed = 0;
  fasp_stream_header_want (&header);
  g_assert_false (fasp_stream_header_is_due (&header, now + FASP_SEC - 1, TRUE));
  g_assert_true (fasp_stream_header_is_due (&header, now + FASP_SEC, FALSE));
  /* nobody waits for none */
  fasp_stream_header_set (&header, now, NULL);
  fasp_stream_header_want (&header);
  g_assert_false (fasp_stream_header_is_due (&header, now + FASP_SEC, TRUE));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/header/parts", test_parts);
  g_test_add_func ("/header/parts/missing", test_parts_missing);
  g_test_add_func ("/header/parts/hostile", test_parts_hostile);
  g_test_add_func ("/header/due", test_due);
  return g_test_run ();
}
