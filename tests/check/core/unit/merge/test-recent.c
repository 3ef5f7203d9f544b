/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What was delivered lately, and whether something else is the same.
 */
#include <string.h>
#include "fasprecent.h"

#define SIZE 100 /* bytes of a block */

static guint8 bytes[100 * SIZE];

static void
add (FaspRecent *recent, guint64 offset, guint32 size, guint source)
{
  FaspBlock *block = fasp_block_new (size);

  block->offset = offset;
  block->size = size;
  memcpy (block->data, bytes + offset, size);
  fasp_recent_add (recent, block, source);
  fasp_block_unref (block);
}

static FaspRecentResult
compare (const FaspRecent *recent, guint64 offset, guint32 size, FaspRecentFound *found)
{
  return fasp_recent_compare (recent, offset, bytes + offset, size, found);
}

/* Whatever pieces both are cut into. */
static void
test_pieces (void)
{
  FaspRecentFound found;
  FaspRecent recent;

  fasp_recent_init (&recent, sizeof bytes);
  g_assert_cmpint (compare (&recent, 0, SIZE, &found), ==, FASP_RECENT_GONE);
  for (guint32 at = 0, size = 1; at + size <= 5000; at += size, size = size % 97 + 1)
    add (&recent, at, size, 3);
  for (guint32 at = 0; at < 4800; at += 61) {
    g_assert_cmpint (compare (&recent, at, 150, &found), ==, FASP_RECENT_SAME);
    g_assert_cmpuint (found.compared, ==, 150);
    bytes[at + 149] ^= 1;
    g_assert_cmpint (compare (&recent, at, 150, &found), ==, FASP_RECENT_DIFFERS);
    g_assert_cmpuint (found.source, ==, 3);
    bytes[at + 149] ^= 1;
  }
  fasp_recent_clear (&recent);
}

/* What is kept is compared, and nothing else; it is let go by bytes, and the last block stays. */
static void
test_kept (void)
{
  FaspRecentFound found;
  FaspRecent recent;

  fasp_recent_init (&recent, 10 * SIZE);
  for (guint k = 0; k < 50; k++)
    add (&recent, k * SIZE, SIZE, k);
  g_assert_cmpuint (recent.bytes, ==, 10 * SIZE);
  g_assert_cmpint (compare (&recent, 39 * SIZE, SIZE, &found), ==, FASP_RECENT_GONE);
  g_assert_cmpint (compare (&recent, 50 * SIZE, SIZE, &found), ==, FASP_RECENT_GONE);
  g_assert_cmpint (compare (&recent, 39 * SIZE + 1, SIZE, &found), ==, FASP_RECENT_SAME);
  g_assert_cmpuint (found.compared, ==, 1);
  g_assert_cmpint (compare (&recent, 49 * SIZE + 1, SIZE, &found), ==, FASP_RECENT_SAME);
  g_assert_cmpuint (found.compared, ==, SIZE - 1);
  add (&recent, 50 * SIZE, 20 * SIZE, 0);
  g_assert_cmpuint (recent.bytes, ==, 20 * SIZE);
  g_assert_cmpint (compare (&recent, 49 * SIZE, SIZE, &found), ==, FASP_RECENT_GONE);
  fasp_recent_forget (&recent);
  g_assert_cmpint (compare (&recent, 50 * SIZE, SIZE, &found), ==, FASP_RECENT_GONE);
  fasp_recent_clear (&recent);
}

/* It is said who brought the bytes that differ. */
static void
test_source (void)
{
  FaspRecentFound found;
  FaspRecent recent;

  fasp_recent_init (&recent, sizeof bytes);
  for (guint k = 0; k < 4; k++)
    add (&recent, k * SIZE, SIZE, k);
  bytes[2 * SIZE + 5] ^= 1;
  g_assert_cmpint (compare (&recent, 0, 4 * SIZE, &found), ==, FASP_RECENT_DIFFERS);
  g_assert_cmpuint (found.source, ==, 2);
  g_assert_cmpint (compare (&recent, 0, 2 * SIZE, &found), ==, FASP_RECENT_SAME);
  bytes[2 * SIZE + 5] ^= 1;
  fasp_recent_clear (&recent);
}

int
main (int argc, char **argv)
{
  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = i * 31 + i / 256;
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recent/pieces", test_pieces);
  g_test_add_func ("/recent/kept", test_kept);
  g_test_add_func ("/recent/source", test_source);
  return g_test_run ();
}
