/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What several sources promise together.
 */
#include "made.h"

#define PROVEN 64 /* blocks, 64 KiB, after which a source is trusted */
#define HOUR 3600
#define LONGEST G_GUINT64_CONSTANT (18000000000)

static Made *
make (FaspRedundancy redundancy, guint n)
{
  Made *m = made_new (redundancy, n);

  for (guint i = 0; i < n; i++)
    m->states[i].promised = HOUR;
  for (guint64 k = 0; k < 2 * PROVEN; k++)
    for (guint i = 0; i < n; i++)
      made_arrive (m, i, k);
  return m;
}

static guint64
get (Made *m)
{
  made_decide (m);
  return fasp_merge_get_promise (m->merge);
}

/* Hot: the chance of a skip is that of all at once. */
static void
test_hot (void)
{
  for (guint n = 1; n <= 3; n++) {
    guint64 all = 1;
    g_autoptr (Made) m = make (FASP_REDUNDANCY_HOT, n);

    for (guint i = 0; i < n; i++)
      all *= HOUR;
    g_assert_cmpuint (get (m), ==, MIN (all, LONGEST));
  }
}

/* What is not known, not there or not right promises nothing; the others do. */
static void
test_counts (void)
{
  g_autoptr (Made) m = make (FASP_REDUNDANCY_HOT, 2);

  m->states[1].promised = 0;
  g_assert_cmpuint (get (m), ==, HOUR);
  m->states[0].promised = 0;
  g_assert_cmpuint (get (m), ==, 0);
  for (guint i = 0; i < 2; i++)
    m->states[i].promised = 2;
  g_assert_cmpuint (get (m), ==, 4);
  m->states[1].is_connected = FALSE;
  g_assert_cmpuint (get (m), ==, 2);
  m->states[1].is_connected = TRUE;
  m->forges[1] = 1;
  made_run (m, 0, 1, 2 * PROVEN, 3 * PROVEN);
  g_assert_cmpuint (get (m), ==, 2);
}

/* Standby: of the other one counts what is left of its latency once it has been asked: 150 ms, less
 * the round trip of 50 ms, of 400. */
static void
test_standby (void)
{
  g_autoptr (Made) m = make (FASP_REDUNDANCY_STANDBY, 2);

  g_assert_cmpuint (get (m), ==, 27885); /* 3600 to the power of 1.25 */
  /* there is no time to ask it */
  m->states[1].latency = 2 * MADE_RTT;
  g_assert_cmpuint (get (m), ==, HOUR);
  m->states[1].latency = 0;
  g_assert_cmpuint (get (m), ==, HOUR);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mergepromise/hot", test_hot);
  g_test_add_func ("/mergepromise/counts", test_counts);
  g_test_add_func ("/mergepromise/standby", test_standby);
  return g_test_run ();
}
