/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the listeners of a feed read, and which of them are dropped: in virtual time. */
#include <string.h>
#include "relayfeed.h"

#define SECOND G_USEC_PER_SEC
#define LATE (5 * SECOND)
#define PIECES(n) ((n) * (1 + RELAY_FEED_PIECE)) /* bytes that n pieces of one byte take */

static void
count (gpointer data)
{
  (*(guint *) data)++;
}

static const RelayListenerFuncs funcs = { count, count };

static void
publish (RelayFeed *feed, const gchar *text, gint64 now)
{
  relay_feed_publish (feed, g_bytes_new (text, strlen (text)), g_ascii_isupper (text[0]), now);
}

/* Reads up to @most pieces; they are joined. NULL: it was ended. */
static gchar *
read_pieces (RelayListener *listener, guint most)
{
  g_autoptr (GString) all = g_string_new (NULL);
  gboolean whole;
  gchar to[8];

  for (guint i = 0; i < most; i++) {
    gssize n = relay_listener_read (listener, to, sizeof to, &whole);

    if (n < 0)
      return NULL;
    if (n == 0)
      break;
    g_string_append_len (all, to, n);
  }
  return g_string_free (g_steal_pointer (&all), FALSE);
}

static void
assert_reads (RelayListener *listener, guint most, const gchar *text)
{
  g_autofree gchar *got = read_pieces (listener, most);

  g_assert_cmpstr (got, ==, text);
}

static RelayFeed *
make (guint most, gsize size)
{
  return relay_feed_new_of_all (g_bytes_new_static ("h", 1), most, size, LATE);
}

/* Pieces that a listener may begin with are upper-case here. */
static void
test_beginning (void)
{
  RelayFeed *feed = make (3, PIECES (100));
  guint called = 0;
  RelayListener *early = relay_listener_new (feed, &funcs, &called), *late;

  assert_reads (early, 9, "h");
  publish (feed, "a", SECOND);
  assert_reads (early, 9, "");
  publish (feed, "B", SECOND);
  publish (feed, "c", SECOND);
  publish (feed, "D", SECOND);
  publish (feed, "e", SECOND);
  late = relay_listener_new (feed, &funcs, &called);
  /* the first one waited when there was only `a', and begins with the newest beginning, too */
  assert_reads (early, 9, "De");
  assert_reads (late, 2, "hD");
  publish (feed, "F", SECOND);
  assert_reads (late, 9, "eF");
  assert_reads (early, 9, "F");
  relay_listener_free (early);
  relay_listener_free (late);
  relay_feed_unref (feed);
}

/* A listener that does not read is dropped after a time; one that waits for data never is. */
static void
test_stuck (void)
{
  RelayFeed *feed = make (3, PIECES (1000));
  guint called = 0;
  RelayListener *stuck = relay_listener_new (feed, &funcs, &called);
  RelayListener *good = relay_listener_new (feed, &funcs, &called);
  RelayListener *silent = relay_listener_new (feed, &funcs, &called);

  assert_reads (silent, 1, "h");
  publish (feed, "A", SECOND);
  assert_reads (stuck, 1, "h");
  for (guint i = 1; i <= 5; i++) {
    publish (feed, "b", (1 + i) * SECOND);
    assert_reads (good, i == 1 ? 9 : 1, i == 1 ? "hAb" : "b");
  }
  g_assert_cmpuint (relay_feed_count (feed), ==, 3);
  publish (feed, "c", 6 * SECOND + 1);
  g_assert_cmpuint (relay_feed_count (feed), ==, 1);
  g_assert_cmpuint (relay_feed_get_dropped (feed), ==, 2);
  g_assert_null (read_pieces (stuck, 1));
  g_assert_null (read_pieces (silent, 1));
  /* the stream pauses for longer */
  assert_reads (good, 9, "c");
  publish (feed, "d", 60 * SECOND);
  assert_reads (good, 9, "d");
  g_assert_cmpuint (relay_feed_get_dropped (feed), ==, 2);
  relay_listener_free (stuck);
  relay_listener_free (good);
  relay_listener_free (silent);
  relay_feed_unref (feed);
}

/* One that reads, but too slowly, is dropped when what it needs is not kept any more. */
static void
test_slow (void)
{
  RelayFeed *feed = make (3, PIECES (10));
  guint called = 0;
  RelayListener *slow = relay_listener_new (feed, &funcs, &called);
  guint published = 0;

  publish (feed, "A", 0);
  assert_reads (slow, 2, "hA");
  while (relay_feed_count (feed) > 0 && published < 100) {
    published++;
    publish (feed, "b", published);
    if (published % 2 == 0 && relay_feed_count (feed) > 0)
      assert_reads (slow, 1, "b");
  }
  g_assert_cmpuint (published, >=, 18);
  g_assert_cmpuint (published, <=, 24);
  g_assert_cmpuint (relay_feed_get_dropped (feed), ==, 1);
  relay_listener_free (slow);
  relay_feed_unref (feed);
}

/* What small pieces take besides their bytes counts, too; when a feed ends, nothing is kept for a
 * listener that does not go. */
static void
test_small (void)
{
  RelayFeed *feed = make (3, PIECES (10));
  guint called = 0, freed = 0;
  RelayListener *stuck = relay_listener_new (feed, &funcs, &called);

  for (guint i = 0; i < 25; i++)
    relay_feed_publish (feed, g_bytes_new_with_free_func ("A", 1, count, &freed), TRUE, 0);
  g_assert_cmpuint (freed, ==, 15);
  relay_feed_end (feed);
  g_assert_cmpuint (freed, ==, 25);
  relay_listener_free (stuck);
  relay_feed_unref (feed);
}

static void
test_most (void)
{
  RelayFeed *feed = make (2, PIECES (10));
  guint called = 0;
  RelayListener *all[2];

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    all[i] = relay_listener_new (feed, &funcs, &called);
  assert_reads (all[1], 1, "h");
  g_assert_null (relay_listener_new (feed, &funcs, &called));
  /* one that was ended gives its place up before it is gone */
  relay_listener_end (all[1]);
  relay_listener_free (relay_listener_new (feed, &funcs, &called));
  g_assert_cmpuint (relay_feed_get_dropped (feed), ==, 0);
  relay_feed_end (feed);
  g_assert_null (read_pieces (all[0], 1));
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    relay_listener_free (all[i]);
  g_assert_null (relay_listener_new (feed, &funcs, &called));
  relay_feed_unref (feed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/feed/beginning", test_beginning);
  g_test_add_func ("/relay/feed/stuck", test_stuck);
  g_test_add_func ("/relay/feed/slow", test_slow);
  g_test_add_func ("/relay/feed/small", test_small);
  g_test_add_func ("/relay/feed/most", test_most);
  return g_test_run ();
}
