/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whatever is sent through a policer, as much arrives.
 */
#include "fasppolicer.h"

#define ROUND (50 * FASP_MSEC)

typedef struct
{
  FaspPolicer policer;
  FaspTime now;
  guint64 seen;
  gdouble rate; /* that was found */
} Fixture;

/* Sends @sent bit/s for @rounds, of which @arrives arrive.  Returns how often a policer was found.
 */
static guint
run (Fixture *f, guint rounds, gdouble sent, gdouble arrives)
{
  guint found = 0;

  for (guint i = 0; i < rounds; i++) {
    gdouble packets = sent / 12000 * ROUND / FASP_SEC;

    f->now += ROUND;
    f->seen += packets * 1500;
    fasp_policer_add (&f->policer, packets, packets * (1 - MIN (1, arrives / sent)));
    found += fasp_policer_end_round (&f->policer, f->now, f->seen, &f->rate);
  }
  return found;
}

static void
test_found (void)
{
  Fixture f = { .now = FASP_SEC };

  g_assert_cmpuint (run (&f, 50, 5e6, 5e6), ==, 0);
  g_assert_cmpuint (run (&f, 30, 10e6, 6e6), ==, 1);
  g_assert_cmpfloat_with_epsilon (f.rate / 6e6, 1, .05);
  g_assert_true (fasp_policer_is_known (&f.policer));
  /* it is believed for 48 round trips, and then tried anew */
  g_assert_cmpuint (run (&f, 48, 6e6, 6e6), ==, 0);
  g_assert_false (fasp_policer_is_known (&f.policer));
  /* found again, it is believed for twice as long */
  g_assert_cmpuint (run (&f, 20, 9e6, 6e6), ==, 1);
  run (&f, 60, 6e6, 6e6);
  g_assert_true (fasp_policer_is_known (&f.policer));
}

/* What arrives changes with what is sent; or few are lost. */
static void
test_none (void)
{
  Fixture f = { .now = FASP_SEC };

  for (guint i = 0; i < 20; i++)
    g_assert_cmpuint (run (&f, 4, 10e6 * (1 + i % 2), 6e6 * (1 + i % 2)), ==, 0);
  f = (Fixture) { .now = FASP_SEC };
  g_assert_cmpuint (run (&f, 200, 10e6, 8.5e6), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/policer/found", test_found);
  g_test_add_func ("/rate/policer/none", test_none);
  return g_test_run ();
}
