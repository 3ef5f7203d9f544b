/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When an outage of a flow is told, and its end.
 */
#include "faspoutage.h"

typedef struct
{
  gint at; /* ms */
  gboolean carries, tells;
  gint due; /* ms; -1: never */
} Look;

static const Look looks[] = {
  { 0, TRUE, FALSE, -1 },
  /* too short to be told */
  { 100, FALSE, FALSE, 2100 },
  { 2099, FALSE, FALSE, 2100 },
  { 2099, TRUE, FALSE, -1 },
  /* again, and this time it lasts */
  { 2100, FALSE, FALSE, 4100 },
  { 4100, FALSE, TRUE, -1 },
  { 9000, FALSE, FALSE, -1 },
  /* it carries, for too short a time to be told */
  { 9100, TRUE, FALSE, 11100 },
  { 10000, FALSE, FALSE, -1 },
  { 20000, TRUE, FALSE, 22000 },
  { 22000, TRUE, TRUE, -1 },
};

static void
test_looks (void)
{
  FaspOutage outage = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (looks); i++) {
    FaspTime now = looks[i].at * FASP_MSEC;

    g_assert_cmpint (fasp_outage_look (&outage, now, looks[i].carries, now - FASP_MSEC), ==,
        looks[i].tells);
    g_assert_cmpint (fasp_outage_get_timeout (&outage), ==,
        looks[i].due < 0 ? FASP_NEVER : looks[i].due * FASP_MSEC);
  }
  /* of the outage that was told, not of the last flicker */
  g_assert_cmpint (outage.last, ==, 2099 * FASP_MSEC);
  g_assert_cmpint (outage.since, ==, 20000 * FASP_MSEC);
}

/* While nothing can be seen, the delay does not run. */
static void
test_hold (void)
{
  FaspOutage outage = { 0 };

  g_assert_false (fasp_outage_look (&outage, 0, FALSE, 0));
  for (FaspTime now = 0; now <= 10 * FASP_SEC; now += FASP_SEC)
    fasp_outage_hold (&outage, now);
  g_assert_false (fasp_outage_look (&outage, 12 * FASP_SEC - 1, FALSE, 0));
  g_assert_true (fasp_outage_look (&outage, 12 * FASP_SEC, FALSE, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/outage/looks", test_looks);
  g_test_add_func ("/outage/hold", test_hold);
  return g_test_run ();
}
