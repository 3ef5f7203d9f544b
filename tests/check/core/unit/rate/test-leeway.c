/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Of which sources it is believed that the path's delay is what wanders.
 */
#include "faspleeway.h"
#include "faspwander.h"

/* A delay that has fallen by 20 ms, with no queue. */
static void
make_fall (FaspLeeway *leeway, FaspTime now)
{
  for (FaspTime sent = now - FASP_SEC; sent < now; sent += 10 * FASP_MSEC) {
    FaspTime to_top = ABS (sent - (now - FASP_SEC / 2));
    FaspRateSample sample = { .sent = sent, .bytes = sent / 100 };

    sample.arrived = sent + 50 * FASP_MSEC - to_top / 25;
    fasp_leeway_add (leeway, 0, &sample, 0);
  }
  g_assert_cmpfloat (fasp_wander_get (&leeway->ways[0], now), >, 15 * FASP_MSEC);
}

static void
assert_believed (const FaspLeeway *leeway, FaspTime now, gboolean believed)
{
  g_assert_cmpint (fasp_leeway_is_believed (leeway, now), ==, believed);
  g_assert_cmpint (fasp_leeway_get (leeway, now) > 0, ==, believed);
}

static void
test_leeway (void)
{
  FaspLeeway leeway = { 0 };
  FaspTime now = FASP_SEC;

  fasp_leeway_init (&leeway, now);
  make_fall (&leeway, now);
  assert_believed (&leeway, now + FASP_LEEWAY_FIRST - 1, TRUE);
  now += FASP_LEEWAY_FIRST;
  assert_believed (&leeway, now, FALSE);
  fasp_leeway_limited (&leeway, now);
  assert_believed (&leeway, now + FASP_LEEWAY_LIMITED - 1, TRUE);
  assert_believed (&leeway, now + FASP_LEEWAY_LIMITED, FALSE);
  fasp_leeway_forget (&leeway);
  assert_believed (&leeway, now, FALSE);
}

/* By what a source writes, is offered, and the path has carried. */
static void
test_leeway_unmoved (void)
{
  FaspLeeway leeway = { 0 };
  FaspTime now = FASP_SEC;

  fasp_leeway_init (&leeway, now);
  now += FASP_LEEWAY_FIRST;
  make_fall (&leeway, now);
  fasp_leeway_look (&leeway, now, 0, 10000000, 10000000);
  fasp_leeway_look (&leeway, now, 8000000, 8000000, 7000000);
  assert_believed (&leeway, now, FALSE);
  fasp_leeway_look (&leeway, now, 11000000, 7000000, 7000000);
  assert_believed (&leeway, now, FALSE);
  fasp_leeway_look (&leeway, now, 8000000, 7000000, 7000000);
  assert_believed (&leeway, now + FASP_SEC, TRUE);
  assert_believed (&leeway, now + 3 * FASP_SEC, FALSE);
  /* what it carried before is forgotten, but not at once */
  now += FASP_LEEWAY_WINDOW;
  fasp_leeway_look (&leeway, now, 8000000, 7000000, 7000000);
  assert_believed (&leeway, now, TRUE);
  now += FASP_LEEWAY_WINDOW;
  fasp_leeway_look (&leeway, now, 8000000, 7000000, 7000000);
  assert_believed (&leeway, now, FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/source/leeway", test_leeway);
  g_test_add_func ("/source/leeway/unmoved", test_leeway_unmoved);
  return g_test_run ();
}
