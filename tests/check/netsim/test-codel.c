/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CoDel drops when RFC 8289 says so.
 */
#include <math.h>
#include "codel.h"

#define MS G_GINT64_CONSTANT (1000000)
#define TARGET (5 * MS)

/* Of packets each millisecond from @from to @to that have waited @sojourn; the time of the last
 * drop in @last. */
static guint
run (Codel *codel, gint64 from, gint64 to, gint64 sojourn, gboolean alone, gint64 *last)
{
  guint drops = 0;

  for (gint64 now = from; now < to; now += MS)
    if (codel_drops (codel, now, sojourn, TARGET, alone)) {
      drops++;
      *last = now;
    }
  return drops;
}

/* The first one interval after the queue became too long, the n-th after that one interval
 * over the root of n later. */
static void
test_law (void)
{
  Codel codel = { 0 };
  gint64 due = 10 * MS + CODEL_INTERVAL, last = 0;
  guint n = 1;

  for (gint64 now = 10 * MS; now < 3000 * MS; now += MS) {
    gboolean drops = codel_drops (&codel, now, 2 * TARGET, TARGET, FALSE);

    g_assert_true (drops == (now >= due));
    if (!drops)
      continue;
    last = now;
    due += (gint64) (CODEL_INTERVAL / sqrt (n++));
  }
  g_assert_cmpint (last, >, 2900 * MS);
  g_assert_cmpuint (n, >, 50);
}

/* A queue that is short, or that is but one packet, is nobody's; one that becomes short in
 * between begins anew. */
static void
test_good_queues (void)
{
  Codel codel = { 0 };
  gint64 last = 0;

  g_assert_cmpuint (run (&codel, 0, 1000 * MS, TARGET - 1, FALSE, &last), ==, 0);
  g_assert_cmpuint (run (&codel, 1000 * MS, 2000 * MS, 9 * TARGET, TRUE, &last), ==, 0);
  g_assert_cmpuint (run (&codel, 2000 * MS, 2090 * MS, 9 * TARGET, FALSE, &last), ==, 0);
  g_assert_cmpuint (run (&codel, 2090 * MS, 2091 * MS, 0, FALSE, &last), ==, 0);
  g_assert_cmpuint (run (&codel, 2091 * MS, 2191 * MS, 9 * TARGET, FALSE, &last), ==, 0);
  g_assert_cmpuint (run (&codel, 2191 * MS, 2192 * MS, 9 * TARGET, FALSE, &last), ==, 1);
}

/* What was so a moment ago goes on about where it was. */
static void
test_again (void)
{
  Codel codel = { 0 };
  gint64 last = 0;
  guint first = run (&codel, 0, 1000 * MS, 9 * TARGET, FALSE, &last), again;

  run (&codel, 1000 * MS, 1010 * MS, 0, FALSE, &last);
  again = run (&codel, 1010 * MS, 2010 * MS, 9 * TARGET, FALSE, &last);
  g_assert_cmpuint (again, >, first);
  /* much later it does not */
  run (&codel, 2010 * MS, 9000 * MS, 0, FALSE, &last);
  g_assert_cmpuint (run (&codel, 9000 * MS, 10000 * MS, 9 * TARGET, FALSE, &last), ==, first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/codel/law", test_law);
  g_test_add_func ("/codel/good-queues", test_good_queues);
  g_test_add_func ("/codel/again", test_again);
  return g_test_run ();
}
