/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A second sender, which has the keys, and lies about the stream: what the first one delivers is
 * delivered.
 */
#include "vcases.h"
#include "vhitless.h"

#define RTT (100 * FASP_MSEC)
#define LATENCY_MS 500
#define CHUNK ((gint64) VHITLESS_CHUNK)
#define GIB ((gint64) 1 << 30)

typedef struct
{
  const gchar *name;
  gboolean has_other_origin, forges;
  gint64 ahead;
  gboolean is_told; /* where both have brought the same offset, bytes differ */
} Lie;

static const Lie LIES[] = {
  { "other-origin-and-bytes", .has_other_origin = TRUE, .forges = TRUE },
  { "bytes", .forges = TRUE, .is_told = TRUE },
  { "ahead", .ahead = 50 * CHUNK, .is_told = TRUE },
  { "far-ahead", .ahead = 3 * GIB / CHUNK * CHUNK },
  { "behind", .ahead = -50 * CHUNK, .is_told = TRUE },
  { "a-little-behind", .ahead = -1, .is_told = TRUE },
  { "a-turn-ahead", .ahead = 4 * GIB },
  { "eight-turns-ahead", .ahead = 32 * GIB },
};

/* The first sender is there before the second, and is read. */
static VHitless *
begin (FaspRedundancy redundancy, gdouble loss)
{
  VHitless *h = vhitless_new (1, redundancy, 2, LATENCY_MS);

  vhitless_wire (h, 0, RTT, loss);
  vhitless_wire (h, 1, RTT / 2, loss);
  vhitless_start (h, 0);
  vhitless_run (h, 3 * FASP_SEC);
  h->latest = 0;
  return h;
}

/* The second one is nearer, and the first one loses packets; it is even gone for a while, shorter
 * than what the reader has. */
static void
lie (FaspRedundancy redundancy, const Lie *lie)
{
  g_autoptr (VHitless) h = begin (redundancy, .02);
  VHitlessSource *liar = &h->sources[1];
  FaspSourceStats stats;

  liar->has_other_origin = lie->has_other_origin;
  liar->ahead = lie->ahead;
  h->forges[1] = lie->forges;
  vhitless_start (h, 1);
  vhitless_run (h, 10 * FASP_SEC);
  for (guint k = 0; k < 5; k++) {
    vhitless_black_out (h, 0, 200 * FASP_MSEC);
    vhitless_run (h, FASP_SEC);
  }
  vhitless_run (h, 10 * FASP_SEC);
  vhitless_assert_whole (h);
  fasp_merge_get_stats (h->merge, 1, &stats);
  g_assert_cmpuint (stats.bytes_used, ==, 0);
  g_assert_false (stats.is_trusted);
  g_assert_cmpint (h->events[FASP_MERGE_DIFFERS][1] > 0, ==, lie->is_told);
  g_assert_cmpuint (h->events[FASP_MERGE_DIFFERS][0], ==, 0);
  g_assert_cmpuint (h->events[FASP_MERGE_LEADS][1], ==, 0);
  vhitless_end (h);
}

static void
test_hot (gconstpointer data)
{
  lie (FASP_REDUNDANCY_HOT, data);
}

static void
test_standby (gconstpointer data)
{
  lie (FASP_REDUNDANCY_STANDBY, data);
}

/* It has shown that it has the stream, and brings other bytes from then on.  Where the first one is
 * nearer and loses nothing, nobody notices but the application, which is told. */
static void
test_later (gconstpointer data)
{
  g_autoptr (VHitless) h = begin (GPOINTER_TO_UINT (data), 0);
  FaspSourceStats stats;

  vhitless_wire (h, 1, 2 * RTT, .02);
  vhitless_start (h, 1);
  vhitless_run (h, 8 * FASP_SEC);
  fasp_merge_get_stats (h->merge, 1, &stats);
  g_assert_true (stats.is_trusted);
  h->sources[1].forges_from = h->due;
  h->forges[1] = TRUE;
  vhitless_run (h, 5 * FASP_SEC);
  /* one that stands by has to send to be found out */
  vhitless_black_out (h, 0, 200 * FASP_MSEC);
  vhitless_run (h, 5 * FASP_SEC);
  g_assert_cmpuint (h->events[FASP_MERGE_DIFFERS][1], ==, 1);
  vhitless_assert_whole (h);
  vhitless_end (h);
}

/* It is nearer, so that its bytes come first: wrong ones are delivered until the first one's come.
 * That is told, and what follows is marked; then nothing is wrong any more. */
static void
test_nearer (void)
{
  g_autoptr (VHitless) h = begin (FASP_REDUNDANCY_HOT, 0);

  vhitless_start (h, 1);
  vhitless_run (h, 8 * FASP_SEC);
  h->sources[1].forges_from = h->due;
  h->forges[1] = TRUE;
  vhitless_run (h, RTT);
  g_assert_true (h->wrong);
  g_assert_cmpuint (h->events[FASP_MERGE_DIFFERS][1], ==, 1);
  h->wrong = FALSE;
  vhitless_run (h, 10 * FASP_SEC);
  g_assert_false (h->wrong);
  g_assert_cmpuint (h->missing, ==, 0);
  g_assert_cmpuint (h->discontinuities, ==, 1);
  vhitless_end (h);
}

/* It behaves for longer than its sender keeps the stream, connects anew, and then behaves for long
 * enough to be trusted. */
static void
behave (VHitless *h)
{
  h->forges[1] = FALSE;
  vhitless_run (h, 12 * FASP_SEC);
  vhitless_call (h, 1);
  vhitless_run (h, 6 * FASP_SEC);
}

/* Returns whether any wrong byte is taken. */
static gboolean
deceives (VHitless *h)
{
  guint64 wrong = h->wrong;

  h->sources[1].forges_from = h->due;
  h->forges[1] = TRUE;
  vhitless_black_out (h, 0, 200 * FASP_MSEC); /* one that stands by sends only then */
  vhitless_run (h, 2 * FASP_SEC);
  return h->wrong > wrong;
}

/* It connects anew, and is known again: by its address here. */
static void
test_again (gconstpointer data)
{
  g_autoptr (VHitless) h = begin (GPOINTER_TO_UINT (data), 0);

  vhitless_start (h, 1);
  vhitless_run (h, 8 * FASP_SEC);
  g_assert_true (deceives (h));
  for (guint i = 0; i < 2; i++) { /* of 20 s each */
    behave (h);
    g_assert_false (vhitless_is_trusted (h, 1));
    g_assert_false (deceives (h));
  }
  /* after a minute it gets one more chance, and after that none for two */
  behave (h);
  vhitless_run (h, 10 * FASP_SEC);
  g_assert_true (vhitless_is_trusted (h, 1));
  g_assert_true (deceives (h));
  for (guint i = 0; i < 5; i++) {
    behave (h);
    g_assert_false (vhitless_is_trusted (h, 1));
    g_assert_false (deceives (h));
  }
  vhitless_end (h);
}

/* It ends while the first one goes on: then, and later when that one pauses, nothing is over. */
static void
test_ends (gconstpointer data)
{
  g_autoptr (VHitless) h = begin (GPOINTER_TO_UINT (data), .02);

  vhitless_start (h, 1);
  vhitless_run (h, 8 * FASP_SEC);
  fasp_endpoint_finish (h->sources[1].sender, vnet_get_time (h->net));
  h->sources[1].has_ended = TRUE;
  vhitless_run (h, 5 * FASP_SEC);
  g_assert_false (h->eos);
  h->is_paused = TRUE;
  vhitless_run (h, 5 * FASP_SEC);
  h->is_paused = FALSE;
  g_assert_false (h->eos);
  vhitless_run (h, 5 * FASP_SEC);
  g_assert_false (h->wrong);
  g_assert_cmpuint (h->missing, ==, 0);
  g_assert_cmpuint (h->discontinuities, ==, 0);
  vhitless_end (h);
}

int
main (int argc, char **argv)
{
  static const FaspRedundancy WAYS[] = { FASP_REDUNDANCY_HOT, FASP_REDUNDANCY_STANDBY };

  g_test_init (&argc, &argv, NULL);
  vcases_add ("/lies/hot", LIES, sizeof *LIES, G_N_ELEMENTS (LIES), test_hot);
  vcases_add ("/lies/standby", LIES, sizeof *LIES, G_N_ELEMENTS (LIES), test_standby);
  for (guint i = 0; i < G_N_ELEMENTS (WAYS); i++) {
    const gchar *way = i == 0 ? "hot" : "standby";
    g_autofree gchar *later = g_strdup_printf ("/lies/later/%s", way);
    g_autofree gchar *ends = g_strdup_printf ("/lies/ends/%s", way);

    g_autofree gchar *again = g_strdup_printf ("/lies/again/%s", way);

    g_test_add_data_func (again, GUINT_TO_POINTER (WAYS[i]), test_again);
    g_test_add_data_func (later, GUINT_TO_POINTER (WAYS[i]), test_later);
    g_test_add_data_func (ends, GUINT_TO_POINTER (WAYS[i]), test_ends);
  }
  g_test_add_func ("/lies/nearer", test_nearer);
  return g_test_run ();
}
