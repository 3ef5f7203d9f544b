/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspmultipath.h"

#define BIT(flow) (G_GUINT64_CONSTANT (1) << (flow))

static void
use (FaspMultipath *multipath, FaspAssignment assignment, guint n)
{
  fasp_multipath_init (multipath, assignment, n, 42, 0);
  for (guint i = 0; i < n; i++)
    fasp_multipath_set_usable (multipath, i, TRUE);
}

static void
count (FaspMultipath *multipath, guint64 avoid, guint times, guint *counts)
{
  memset (counts, 0, FASP_FLOWS_MAX * sizeof *counts);
  for (guint i = 0; i < times; i++)
    counts[fasp_multipath_pick (multipath, avoid)]++;
}

static void
test_robin (void)
{
  guint counts[FASP_FLOWS_MAX];
  FaspMultipath multipath;

  use (&multipath, FASP_ASSIGNMENT_ROUND_ROBIN, 5);
  for (guint i = 0; i < 25; i++)
    g_assert_cmpuint (fasp_multipath_pick (&multipath, 0), ==, i % 5);
  multipath.shares[3].weight = .5;
  count (&multipath, 0, 450, counts);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (ABS ((gint) counts[i] - (i == 3 ? 50 : 100)), <=, 1);
}

static void
test_random (void)
{
  guint counts[FASP_FLOWS_MAX];
  FaspMultipath multipath;

  use (&multipath, FASP_ASSIGNMENT_RANDOM, 64);
  multipath.shares[7].weight = 4;
  count (&multipath, 0, 67000, counts);
  for (guint i = 0; i < 64; i++) /* within six standard deviations */
    g_assert_cmpfloat (ABS (counts[i] - (i == 7 ? 4000. : 1000.)), <, i == 7 ? 380 : 190);
}

/* What is not usable or to be avoided is not taken, as long as there is another. */
static void
test_avoid (void)
{
  static const FaspAssignment both[] = { FASP_ASSIGNMENT_RANDOM, FASP_ASSIGNMENT_ROUND_ROBIN };
  guint counts[FASP_FLOWS_MAX];

  for (guint i = 0; i < 2; i++) {
    FaspMultipath multipath;

    use (&multipath, both[i], 4);
    fasp_multipath_set_usable (&multipath, 2, FALSE);
    g_assert_cmpuint (fasp_multipath_count (&multipath), ==, 3);
    count (&multipath, BIT (0), 100, counts);
    g_assert_cmpuint (counts[1] + counts[3], ==, 100);
    g_assert_cmpuint (counts[1], >, 20);
    g_assert_cmpuint (counts[3], >, 20);
    count (&multipath, BIT (0) | BIT (1) | BIT (3), 100, counts);
    g_assert_cmpuint (counts[2], ==, 0);
    for (guint flow = 0; flow < 4; flow++)
      fasp_multipath_set_usable (&multipath, flow, FALSE);
    count (&multipath, 0, 100, counts);
    g_assert_cmpuint (counts[2], >, 10); /* they are all we have */
  }
  {
    FaspMultipath multipath;

    /* never known: not even then */
    fasp_multipath_init (&multipath, FASP_ASSIGNMENT_RANDOM, 4, 1, 0);
    fasp_multipath_set_usable (&multipath, 0, TRUE);
    fasp_multipath_set_usable (&multipath, 0, FALSE);
    count (&multipath, 0, 100, counts);
    g_assert_cmpuint (counts[0], ==, 100);
  }
}

/* A flow that comes back has to earn its share again. */
static void
test_back (void)
{
  FaspMultipath multipath;

  use (&multipath, FASP_ASSIGNMENT_RANDOM, 2);
  multipath.shares[1].reported = 1000;
  fasp_multipath_set_usable (&multipath, 1, FALSE);
  fasp_multipath_set_usable (&multipath, 1, TRUE);
  g_assert_cmpfloat (multipath.shares[1].weight, ==, .25);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/multipath/robin", test_robin);
  g_test_add_func ("/multipath/random", test_random);
  g_test_add_func ("/multipath/avoid", test_avoid);
  g_test_add_func ("/multipath/back", test_back);
  return g_test_run ();
}
