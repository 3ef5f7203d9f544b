/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two legs of RTP are merged, in virtual time: what is missing, and what a leg has lost.
 */
#include <glib.h>
#include <string.h>
#include "relaychain.h"
#include "relaygroup.h"
#include "relaymerge.h"
#include "relaylegs.h"
#include "relayprotocol.h"
#include "relaywatch.h"

#define MS G_TIME_SPAN_MILLISECOND
#define HOLD (500 * MS)
#define STEP MS /* from one packet to the next: 10 Mbit/s */
#define SIZE 1328
#define MOST (8 * 1024 * 1024)
#define SSRC 7

/* A packet's number in the stream, as its data; none is NULL. */
#define DATA(n) GUINT_TO_POINTER ((n) + 1)

static guint freed;

static void
free_data (gpointer data)
{
  freed++;
}

static RelayMergeResult
push (RelayMerge *merge, guint leg, guint32 ssrc, guint n, gint64 now)
{
  return relay_merge_push (merge, leg, &(RelayMergePacket) { ssrc, n, SIZE, DATA (n) }, now);
}

static guint
pop (RelayMerge *merge, gint64 now)
{
  return GPOINTER_TO_UINT (relay_merge_pop (merge, now)) - 1;
}

#define assert_next(merge, n, now) g_assert_cmpuint (pop (merge, now), ==, n)
#define assert_none(merge, now) g_assert_null (relay_merge_pop (merge, now))

/* What two legs do. */
typedef struct
{
  guint loss[RELAY_MERGE_LEGS];   /* percent */
  gint64 delay[RELAY_MERGE_LEGS]; /* µs */
  gint64 jitter;                  /* µs: a datagram is later by up to this */
  guint dies;                     /* the number of the packet at which the leg 0 dies; 0: none */
} Legs;

#define PACKETS 140000 /* more than two wraps */
#define FIRST 65000

typedef struct
{
  gint64 at; /* when it arrives */
  guint leg, n;
} Arrival;

static gint
by_time (gconstpointer a, gconstpointer b)
{
  gint64 x = ((const Arrival *) a)->at, y = ((const Arrival *) b)->at;

  return (x > y) - (x < y);
}

/* @brought: a flag for each packet. */
static GArray *
send (const Legs *legs, GRand *rand, guint8 *brought, guint64 *lost)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Arrival));

  for (guint n = 0; n < PACKETS; n++)
    for (guint leg = 0; leg < RELAY_MERGE_LEGS; leg++) {
      gint64 late = n > 0 && legs->jitter > 0 ? g_rand_int_range (rand, 0, legs->jitter) : 0;
      Arrival one = { n * STEP + legs->delay[leg] + late, leg, n };
      gboolean dead = leg == 0 && legs->dies != 0 && n >= legs->dies;

      /* both bring the first one, with which the stream begins */
      if (n > 0 && (dead || (guint) g_rand_int_range (rand, 0, 100) < legs->loss[leg])) {
        lost[leg]++;
        continue;
      }
      brought[n] = TRUE;
      g_array_append_val (all, one);
    }
  g_array_sort (all, by_time);
  return all;
}

/* Everything that a leg has brought comes, once and in order, and no later than by `hold'. */
static void
check (const Legs *legs, guint32 seed)
{
  RelayMerge *merge = relay_merge_new (HOLD, MOST, free_data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autofree guint8 *brought = g_new0 (guint8, PACKETS);
  guint64 lost[RELAY_MERGE_LEGS] = { 0 }, missing = 0, n_missing = 0;
  g_autoptr (GArray) all = send (legs, rand, brought, lost);
  const RelayMergeStats *stats;
  gint64 now = 0;
  guint next = 0, n;

  for (guint i = 0; i <= all->len; i++) {
    const Arrival *one = i < all->len ? &g_array_index (all, Arrival, i) : NULL;
    gint64 until = one != NULL ? one->at : G_MAXINT64 - 1;

    /* what is due before it comes, and then itself */
    while ((now = MIN (relay_merge_get_deadline (merge), until)) <= until) {
      if (now == until && one != NULL)
        g_assert_true (relay_merge_push (merge, one->leg,
            &(RelayMergePacket) { SSRC, FIRST + one->n, SIZE, DATA (one->n) }, now));
      while ((n = pop (merge, now)) != G_MAXUINT) {
        for (; next < n; next++)
          g_assert_false (brought[next]);
        g_assert_cmpuint (n, ==, next);
        g_assert_true (brought[n]);
        /* a hole behind another one is waited for anew */
        g_assert_cmpint (now, <=,
            n * STEP + MAX (legs->delay[0], legs->delay[1]) + legs->jitter + 2 * HOLD);
        next++;
      }
      if (now == until)
        break;
    }
  }
  for (n = 0; n < PACKETS; n++)
    missing += !brought[n];
  for (n = next; n < PACKETS; n++)
    n_missing += !brought[n]; /* at the end, which nothing follows */
  g_assert_cmpuint (next + n_missing, ==, PACKETS);
  stats = relay_merge_get_stats (merge, G_MAXINT64 / 2);
  g_assert_cmpuint (stats->missing, ==, missing - n_missing);
  g_assert_cmpuint (stats->dropped, ==, 0);
  for (guint leg = 0; leg < RELAY_MERGE_LEGS; leg++) {
    g_assert_cmpuint (stats->legs[leg].lost, ==, lost[leg] - n_missing);
    g_assert_cmpuint (stats->legs[leg].received + lost[leg], ==, PACKETS);
  }
  g_assert_cmpuint (stats->legs[0].used + stats->legs[1].used, ==, PACKETS - missing);
  g_test_message ("missing %" G_GUINT64_FORMAT ", lost %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                  ", used %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
      missing, lost[0], lost[1], stats->legs[0].used, stats->legs[1].used);
  relay_merge_free (merge);
}

static void
test_random (void)
{
  static const Legs legs[] = {
    { { 0, 0 }, { 0, 0 } },
    { { 10, 10 }, { 0, 0 } },
    { { 10, 10 }, { 0, 10 * MS }, 20 * MS },
    { { 10, 10 }, { 450 * MS, 0 } },
    { { 10, 10 }, { 0, 450 * MS }, 20 * MS },
    { { 10, 0 }, { 0, 450 * MS }, 20 * MS, PACKETS / 2 },
    { { 0, 10 }, { 0, 450 * MS }, 0, 2 },
    { { 100, 10 }, { 0, 0 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (legs); i++)
    for (guint32 seed = 1; seed <= 3; seed++)
      check (&legs[i], seed);
}

/* What waits for a packet leaves without it at the deadline, though nothing more comes. */
static void
test_deadline (void)
{
  RelayMerge *merge = relay_merge_new (HOLD, MOST, free_data);

  g_assert_cmpint (relay_merge_get_deadline (merge), ==, G_MAXINT64);
  push (merge, 0, SSRC, 10, 0);
  assert_next (merge, 10, 0);
  g_assert_cmpint (relay_merge_get_deadline (merge), ==, G_MAXINT64);
  push (merge, 0, SSRC, 12, 5 * MS);
  assert_none (merge, 5 * MS);
  g_assert_cmpint (relay_merge_get_deadline (merge), ==, 5 * MS + HOLD);
  assert_none (merge, 5 * MS + HOLD - 1);
  assert_next (merge, 12, 5 * MS + HOLD);
  g_assert_cmpuint (relay_merge_get_stats (merge, 5 * MS + HOLD)->missing, ==, 1);
  /* it comes too late, which is seen */
  push (merge, 1, SSRC, 11, 6 * MS + HOLD);
  assert_none (merge, 6 * MS + HOLD);
  g_assert_cmpuint (relay_merge_get_stats (merge, 6 * MS + HOLD)->dropped, ==, 1);
  relay_merge_free (merge);
}

/* Another stream is refused while the first one comes, on whichever leg, and begins after it; so
 * does the same sender with other numbers. */
static void
test_restart (void)
{
  RelayMerge *merge = relay_merge_new (HOLD, MOST, free_data);
  gint64 over;

  for (guint n = 0; n < 3000; n++) {
    gint64 now = n * MS;

    g_assert_true (push (merge, 0, SSRC, n, now));
    assert_next (merge, n, now);
    g_assert_false (push (merge, 1, SSRC + 1, 100 + n, now));
    g_assert_false (push (merge, 1, SSRC, n + 30000, now));
    assert_none (merge, now);
  }
  g_assert_cmpint (relay_merge_get_stats (merge, 0)->legs[1].refused, ==, 2999 * MS);
  g_assert_cmpint (relay_merge_get_stats (merge, 0)->legs[1].heard, ==, RELAY_MERGE_NEVER);
  over = 2999 * MS + RELAY_MERGE_SILENCE;
  g_assert_false (push (merge, 1, SSRC + 1, 5, over - 1));
  g_assert_true (push (merge, 1, SSRC + 1, 5, over));
  assert_next (merge, 5, over);
  over += RELAY_MERGE_SILENCE;
  g_assert_true (push (merge, 1, SSRC + 1, 3, over));
  assert_next (merge, 3, over);
  g_assert_cmpuint (relay_merge_get_stats (merge, over)->missing, ==, 0);
  relay_merge_free (merge);
}

/* After a silence, the same sender has gone on if its number is one that it can have reached in
 * this time; else it has begun anew, and nothing is missing. */
static void
test_silence (void)
{
  static const struct
  {
    gint64 silence;
    guint left_out, missing; /* packets */
  } rows[] = { { 2000 * MS, 0, 0 }, { 2000 * MS, 1999, 1999 }, { 2000 * MS, 3500, 3500 },
    { 2000 * MS, 4500, 0 }, { 2000 * MS, 12000, 0 }, { 60000 * MS, 1999, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RelayMerge *merge = relay_merge_new (HOLD, MOST, free_data);
    gint64 now = 0;
    guint n;

    for (n = 0; n < 1000; n++, now += STEP) {
      push (merge, 0, 0, n, now);
      assert_next (merge, n, now);
    }
    now += rows[i].silence;
    n += rows[i].left_out;
    g_assert_cmpint (push (merge, 0, 0, n, now), ==,
        rows[i].left_out == rows[i].missing ? RELAY_MERGE_GOES_ON : RELAY_MERGE_BEGINS);
    assert_next (merge, n, now + HOLD);
    g_assert_cmpuint (relay_merge_get_stats (merge, now + HOLD)->missing, ==, rows[i].missing);
    relay_merge_free (merge);
  }
}

/* Packets that a stranger puts ahead of the stream, as many as it likes, neither end it nor take
 * more memory than `most'. */
static void
test_flood (void)
{
  RelayMerge *merge = relay_merge_new (HOLD, 100 * SIZE, free_data);
  guint pushed = 0, passed = 0, popped;

  freed = 0;
  for (guint n = 0; n < 20000; n++) {
    gint64 now = n * MS;

    push (merge, 0, SSRC, n, now);
    for (guint i = 0; i < 20; i++)
      g_assert_cmpint (push (merge, 1, SSRC, n + 1000 + 700 * i, now), ==,
          i < 17 ? RELAY_MERGE_GOES_ON : RELAY_MERGE_AHEAD);
    pushed += 21;
    while ((popped = pop (merge, now)) != G_MAXUINT)
      g_assert_cmpuint (popped, ==, passed++);
    g_assert_cmpuint (passed, >, n);
    g_assert_cmpuint (pushed - passed - freed, <=, 100);
  }
  relay_merge_free (merge);
  g_assert_cmpuint (pushed - passed, ==, freed);
}

/* A leg is heard only while its packets are in time, as copies, too; else it says why not. */
static void
test_heard (void)
{
  static const struct
  {
    gint64 delay; /* of the second leg, in steps */
    gboolean heard;
  } rows[] = { { 0, TRUE }, { 499, TRUE }, { 501, FALSE }, { 5000, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RelayMerge *merge = relay_merge_new (HOLD, MOST, free_data);
    const RelayMergeLeg *second = &relay_merge_get_stats (merge, 0)->legs[1];

    for (guint n = 0; n < 10000; n++) {
      push (merge, 0, SSRC, n, n * STEP);
      assert_next (merge, n, n * STEP);
      if (n >= rows[i].delay)
        push (merge, 1, SSRC, n - rows[i].delay, n * STEP);
      assert_none (merge, n * STEP);
    }
    g_assert_cmpint (second->heard, ==, rows[i].heard ? 9999 * STEP : RELAY_MERGE_NEVER);
    g_assert_cmpint (second->refused, ==, rows[i].heard ? RELAY_MERGE_NEVER : 9999 * STEP);
    g_assert_true (rows[i].heard || second->fault == RELAY_MERGE_LATE);
    relay_merge_refuse (merge, 1, 10000 * STEP);
    g_assert_cmpint (second->refused, ==, 10000 * STEP);
    g_assert_cmpint (second->fault, ==, RELAY_MERGE_NO_RTP);
    relay_merge_free (merge);
  }
}

/* One packet that both legs lose is all that is missing, though `hold' lasts for more packets than
 * there is room for, in bytes or in numbers. */
static void
test_room (void)
{
  static const struct
  {
    gint64 hold;
    gsize most;
  } rooms[] = { { 1000 * STEP, 100 * SIZE }, { 20000 * STEP, 1024 * 1024 * 1024 } };

  for (guint i = 0; i < G_N_ELEMENTS (rooms); i++) {
    RelayMerge *merge = relay_merge_new (rooms[i].hold, rooms[i].most, free_data);
    guint next = 0, n;

    for (guint m = 0; m < 60000; m++) {
      if (m != 100)
        for (guint leg = 0; leg < RELAY_MERGE_LEGS; leg++)
          g_assert_true (push (merge, leg, SSRC, m, m * STEP));
      for (; (n = pop (merge, m * STEP)) != G_MAXUINT; next = n + 1)
        g_assert_cmpuint (n, ==, next == 100 ? 101 : next);
    }
    g_assert_cmpuint (next, ==, 60000);
    g_assert_cmpuint (relay_merge_get_stats (merge, 60000 * STEP)->missing, ==, 1);
    g_assert_cmpuint (relay_merge_get_stats (merge, 60000 * STEP)->dropped, ==, 0);
    relay_merge_free (merge);
  }
}

/* A packet that is recovered fills a gap, is lost by the leg, and begins no stream; one that comes
 * by a leg, too, or too late, does not count as recovered. */
static void
test_recovered (void)
{
  RelayMerge *merge = relay_merge_new (HOLD, MOST, free_data);
  const RelayMergeStats *stats;
  gint64 now = 0;

  g_assert_false (push (merge, RELAY_MERGE_RECOVERED, SSRC, 10, now));
  assert_none (merge, now);
  for (guint n = 10; n < 16; n++)
    if (n != 11 && n != 13)
      push (merge, 0, SSRC, n, now);
  assert_next (merge, 10, now);
  assert_none (merge, now);
  push (merge, RELAY_MERGE_RECOVERED, SSRC, 11, now);
  push (merge, RELAY_MERGE_RECOVERED, SSRC, 12, now);
  assert_next (merge, 11, now);
  assert_next (merge, 12, now);
  push (merge, RELAY_MERGE_RECOVERED, SSRC, 13, now);
  push (merge, 0, SSRC, 13, now);
  push (merge, 0, SSRC, 17, now);
  for (guint n = 13; n < 16; n++)
    assert_next (merge, n, now);
  now += HOLD;
  assert_next (merge, 17, now);
  push (merge, RELAY_MERGE_RECOVERED, SSRC, 16, now);
  stats = relay_merge_get_stats (merge, now + HOLD);
  g_assert_cmpuint (stats->recovered, ==, 1);
  g_assert_cmpuint (stats->missing, ==, 1);
  g_assert_cmpuint (stats->legs[0].lost, ==, 2);
  /* 10, 12 to 15, and 17 */
  g_assert_cmpuint (stats->legs[0].used, ==, 6);
  relay_merge_free (merge);
}

/* What is no pair of legs, or has no such repairs, is refused. */
static void
test_uris (void)
{
  static const struct
  {
    const gchar *uri;
    gboolean sends, good;
  } uris[] = {
    { "rtp://239.1.2.3:5000?leg2=192.0.2.1@232.1.2.3:5000&leg2-interface=eth1", FALSE, TRUE },
    { "rtp://:5000?leg2=:5002", FALSE, TRUE },
    { "rtp://h:5000?leg2=[::1]:5000", TRUE, TRUE },
    { "rtp://:5000?leg2=:5000", FALSE },
    { "rtp://:5000?latency=1&leg2=:5002", FALSE, TRUE },
    { "rtp://:5000?latency=0&leg2=:5002", FALSE },
    { "rtp://:5000?latency=0", FALSE, TRUE },
    { "rtp://:5000?leg2", FALSE },
    { "rtp://:5000?leg2=name:5000", FALSE },
    { "rtp://:5000?leg2=[::1]:5000/x", FALSE },
    { "rtp://:5000?leg2-interface=eth1", FALSE },
    { "rtp://:5000?leg2=:5002&leg2-interface=eth1", FALSE },
    { "rtp://192.0.2.1:5000?leg2=:5002", TRUE },
    { "udp://:5000?leg2=:5002", FALSE },
    { "rtp://:5000?fec=5x10", FALSE, TRUE },
    { "rtp://h:5000?fec=20x5", TRUE, TRUE },
    { "rtp://:5000?leg2=:6000&fec=5x10", FALSE, TRUE },
    { "rtp://:5000?fec=5x3", FALSE },
    { "rtp://:5000?fec", FALSE },
    { "rtp://:5000?latency=0&fec=5x10", FALSE },
    { "rtp://:65531?fec=5x10", FALSE, TRUE },
    { "rtp://:65532?fec=5x10", FALSE },
    { "rtp://:5000?leg2=:65534&fec=5x10", FALSE },
    { "udp://:5000?fec=5x10", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (uris); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (RelayProtocolUri) uri =
        relay_protocol_uri_parse (uris[i].uri, uris[i].sends, NULL, &error);
    g_autofree gchar *told = uri != NULL ? relay_protocol_uri_describe (uri) : NULL;

    g_assert_cmpstr (told, ==, uris[i].good ? uris[i].uri : NULL);
    g_assert_true ((error == NULL) == uris[i].good);
  }
}

/* A group whose interface is missing is not joined at another one: an end of one leg fails, an end
 * of two goes on without that leg, and says why. */
static void
test_interface (void)
{
  static const gchar *const uris[] = { "rtp://239.255.77.5:5000?interface=nowhere",
    "rtp://239.255.77.5:5000?interface=lo&leg2=239.255.77.6:5000&leg2-interface=nowhere" };

  for (guint i = 0; i < G_N_ELEMENTS (uris); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (RelayProtocolUri) uri = relay_protocol_uri_parse (uris[i], FALSE, NULL, &error);
    const RelayProtocolUri *last = uri->second != NULL ? uri->second : uri;
    g_autoptr (GstElement) end = NULL;
    GstElement *chain = gst_object_ref_sink (relay_chain_make (uri, &end, &error));
    g_autofree gchar *why = NULL, *first = NULL;

    g_assert_no_error (error);
    g_assert_true (uri == last || relay_group_join (uri, end, NULL));
    g_assert_true (relay_group_join (last, end, &error) == (uri != last));
    g_assert_true (error == NULL || strstr (error->message, "network interface nowhere") != NULL);
    relay_group_join_again (last, end);
    why = relay_group_get_error (last, end);
    first = relay_group_get_error (uri, end);
    g_assert_cmpstr (why, ==, "there is no network interface nowhere");
    g_assert_cmpstr (first, ==, uri == last ? why : NULL);
    gst_object_unref (chain);
  }
}

/* What an output's udpsinks cannot send is no warning of its own, be it media or repairs. */
static void
test_unsent (void)
{
  static const gchar *const names[] = { "udpsink", RELAY_LEGS_COLUMNS, RELAY_LEGS_ROWS };
  g_autoptr (RelayProtocolUri) uri =
      relay_protocol_uri_parse ("rtp://127.0.0.1:9?fec=5x10", TRUE, NULL, NULL);
  g_autoptr (GError) unsent =
      g_error_new_literal (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, "unreachable");
  g_autoptr (GstElement) end = NULL;
  GstElement *chain = gst_object_ref_sink (relay_chain_make (uri, &end, NULL));
  RelayWatch *watch = relay_watch_new (uri, uri->host, end);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (chain), names[i]);
    g_autoptr (GstMessage) warning = gst_message_new_warning (GST_OBJECT (sink), unsent, NULL);
    g_autoptr (GstMessage) other = gst_message_new_warning (GST_OBJECT (chain), unsent, NULL);

    g_assert_nonnull (sink);
    g_assert_true (relay_watch_takes (watch, warning, "unreachable"));
    g_assert_false (relay_watch_takes (watch, other, "unreachable"));
  }
  relay_watch_free (watch);
  gst_object_unref (chain);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rtpmerge/random", test_random);
  g_test_add_func ("/rtpmerge/deadline", test_deadline);
  g_test_add_func ("/rtpmerge/restart", test_restart);
  g_test_add_func ("/rtpmerge/silence", test_silence);
  g_test_add_func ("/rtpmerge/flood", test_flood);
  g_test_add_func ("/rtpmerge/heard", test_heard);
  g_test_add_func ("/rtpmerge/room", test_room);
  g_test_add_func ("/rtpmerge/recovered", test_recovered);
  g_test_add_func ("/rtpmerge/uris", test_uris);
  g_test_add_func ("/rtpmerge/interface", test_interface);
  g_test_add_func ("/rtpmerge/unsent", test_unsent);
  return g_test_run ();
}
