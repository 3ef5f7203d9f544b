/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ring of a stream's bytes: all of them in order, no more than fit, whatever the reader does.
 */
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include "picturering.h"

#define BYTES (8 * PICTURE_RING_SIZE + 12345) /* of a stream */

static guint8
make_byte (gsize at)
{
  return at * 2654435761u >> 13;
}

typedef struct
{
  PictureRing *writer, *reader;
  gint fd;
  gint wakes; /* atomic */
} Pair;

static void
begin (Pair *pair)
{
  pair->writer = picture_ring_new (&pair->fd);
  g_assert_nonnull (pair->writer);
  pair->reader = picture_ring_open (pair->fd);
  g_assert_nonnull (pair->reader);
}

static void
end (Pair *pair)
{
  picture_ring_free (pair->writer);
  picture_ring_free (pair->reader);
  close (pair->fd);
}

static gpointer
write_all (gpointer data)
{
  Pair *pair = data;
  guint8 piece[7 * 188];
  gsize at = 0;

  while (at < BYTES) {
    gsize size = MIN (sizeof piece, BYTES - at);
    gboolean wake = FALSE;

    for (gsize i = 0; i < size; i++)
      piece[i] = make_byte (at + i);
    if (picture_ring_write (pair->writer, piece, size, &wake))
      at += size;
    else
      g_thread_yield ();
    if (wake)
      g_atomic_int_inc (&pair->wakes);
  }
  return NULL;
}

/* A reader that finds nothing and sleeps is woken: else this hangs. */
static void
test_order (void)
{
  Pair pair = { 0 };
  g_autofree guint8 *data = g_malloc (PICTURE_RING_SIZE);
  GThread *thread;

  begin (&pair);
  thread = g_thread_new ("writer", write_all, &pair);
  for (gsize at = 0; at < BYTES;) {
    gint wakes = g_atomic_int_get (&pair.wakes);
    gsize n = picture_ring_read (pair.reader, data, 1 + at % PICTURE_RING_SIZE);

    for (gsize i = 0; i < n; i++)
      g_assert_cmpuint (data[i], ==, make_byte (at + i));
    at += n;
    while (n == 0 && g_atomic_int_get (&pair.wakes) == wakes)
      g_thread_yield ();
  }
  g_thread_join (thread);
  g_assert_cmpuint (picture_ring_read (pair.reader, data, 1), ==, 0);
  end (&pair);
}

static void
test_full (void)
{
  Pair pair = { 0 };
  g_autofree guint8 *data = g_malloc0 (PICTURE_RING_SIZE + 1);
  gboolean wake = FALSE;

  begin (&pair);
  g_assert_false (picture_ring_write (pair.writer, data, PICTURE_RING_SIZE + 1, &wake));
  g_assert_true (picture_ring_write (pair.writer, data, PICTURE_RING_SIZE - 1, &wake) && wake);
  wake = FALSE;
  g_assert_false (picture_ring_write (pair.writer, data, 2, &wake));
  g_assert_true (picture_ring_write (pair.writer, data, 1, &wake));
  g_assert_true (picture_ring_write (pair.writer, data, 0, &wake));
  g_assert_false (picture_ring_write (pair.writer, data, 1, &wake) || wake);
  g_assert_cmpuint (picture_ring_read (pair.reader, data, 7), ==, 7);
  g_assert_false (picture_ring_write (pair.writer, data, 8, &wake));
  g_assert_true (picture_ring_write (pair.writer, data, 7, &wake) && !wake);
  end (&pair);
}

/* A reader can neither have the writer write elsewhere, nor take the memory away. */
static void
test_hostile (void)
{
  static const guint counters[] = { 0, 1, PICTURE_RING_SIZE - 1, PICTURE_RING_SIZE,
    PICTURE_RING_SIZE + 1, G_MAXINT, 1u << 31, G_MAXUINT - 1, G_MAXUINT };
  g_autofree guint8 *data = g_malloc0 (PICTURE_RING_SIZE);
  Pair pair = { 0 };
  gboolean wake = FALSE;

  begin (&pair);
  for (guint i = 0; i < G_N_ELEMENTS (counters); i++)
    for (guint k = 0; k < G_N_ELEMENTS (counters); k++)
      for (guint size = 0; size < G_N_ELEMENTS (counters); size++) {
        guint both[] = { counters[i], counters[k] };

        memcpy (pair.reader, both, sizeof both);
        picture_ring_write (pair.writer, data, MIN (counters[size], PICTURE_RING_SIZE), &wake);
      }
  g_assert_cmpint (ftruncate (pair.fd, 0), !=, 0);
  g_assert_cmpint (ftruncate (pair.fd, 16 * PICTURE_RING_SIZE), !=, 0);
  end (&pair);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/picturering/order", test_order);
  g_test_add_func ("/relay/picturering/full", test_full);
  g_test_add_func ("/relay/picturering/hostile", test_hostile);
  return g_test_run ();
}
