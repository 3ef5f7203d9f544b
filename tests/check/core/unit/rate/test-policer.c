/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whatever is sent through a policer, as much arrives; of what is sent at its rate, all.
 */
#include "fasppolicer.h"

#define ROUND (50 * FASP_MSEC)
#define SENT 10e6 /* bit/s */

typedef struct
{
  FaspPolicer policer;
  FaspChance chance;
  FaspTime now;
  guint64 seen;
  guint believed, refuted; /* how often a policer was */
} Fixture;

/* Sends SENT, or what the policer limits that to, for @rounds.  @police bit/s of it pass, and of
 * these chance loses the share @loss. */
static void
run (Fixture *f, guint rounds, gdouble police, gdouble loss)
{
  for (guint i = 0; i < rounds; i++) {
    gdouble sent = f->policer.state == FASP_POLICER_BELIEVING ?
        f->policer.rate :
        fasp_policer_limit (&f->policer, SENT);
    guint packets = sent / 12000 * ROUND / FASP_SEC;
    gdouble arrives = MIN (1, police / sent) * (1 - loss);

    f->now += ROUND;
    f->seen += packets * 1500;
    if (fasp_policer_add (&f->policer, packets, packets * (1 - arrives) + .5, &f->chance)) {
      fasp_chance_set (&f->chance, f->policer.reported, f->policer.lost);
      f->refuted++;
    }
    f->believed += fasp_policer_end_round (&f->policer, f->now, f->seen, &f->chance, SENT);
  }
}

/* Less is sent, and all of it arrives; more is sent again, and is lost again. */
static void
test_found (void)
{
  Fixture f = { .now = FASP_SEC };

  run (&f, 50, 2 * SENT, 0);
  g_assert_false (fasp_policer_is_suspected (&f.policer));
  run (&f, 9, 6e6, 0);
  g_assert_cmpint (f.policer.state, ==, FASP_POLICER_TRYING);
  g_assert_cmpfloat_with_epsilon (f.policer.rate / 6e6, 1, .05);
  run (&f, 3, 6e6, 0);
  g_assert_cmpint (f.policer.state, ==, FASP_POLICER_WATCHING);
  g_assert_cmpuint (f.believed, ==, 0);
  run (&f, 6, 6e6, 0);
  g_assert_cmpuint (f.believed, ==, 1);
  g_assert_cmpfloat_with_epsilon (f.policer.rate / 6e6, 1, .05);
  /* it is believed for 48 round trips, and then tried anew */
  run (&f, 40, 6e6, 0);
  g_assert_cmpint (f.policer.state, ==, FASP_POLICER_BELIEVING);
  run (&f, 6, 6e6, 0);
  g_assert_cmpint (f.policer.state, ==, FASP_POLICER_WATCHING);
  g_assert_cmpuint (f.refuted, ==, 0);
}

/* Chance loses as large a share of less: that is known after a trial, and nothing more is tried. */
static void
test_chance (void)
{
  static const gdouble losses[] = { .25, .3, .4, .5 };

  for (guint i = 0; i < G_N_ELEMENTS (losses); i++) {
    Fixture f = { .now = FASP_SEC };

    run (&f, 100, 2 * SENT, losses[i]);
    g_assert_cmpuint (f.refuted, ==, 1);
    g_assert_cmpuint (f.believed, ==, 0);
    g_assert_cmpint (f.policer.state, ==, FASP_POLICER_WATCHING);
    g_assert_cmpfloat_with_epsilon (fasp_chance_get_share (&f.chance), losses[i], .1);
  }
}

/* A policer that is believed is so no longer when its rate is lost from, too. */
static void
test_refuted (void)
{
  Fixture f = { .now = FASP_SEC };

  run (&f, 30, 6e6, 0);
  g_assert_cmpint (f.policer.state, ==, FASP_POLICER_BELIEVING);
  run (&f, 3, 2 * SENT, .3);
  g_assert_cmpuint (f.refuted, ==, 1);
  g_assert_cmpint (f.policer.state, ==, FASP_POLICER_WATCHING);
  g_assert_cmpfloat (f.policer.before, ==, SENT);
}

/* What stopped by itself when it was tried, and comes again much later, is tried again. */
static void
test_stopped (void)
{
  Fixture f = { .now = FASP_SEC };

  run (&f, 1, 2 * SENT, 0);
  for (guint i = 0; i < 3; i++) {
    run (&f, 9, 6e6, 0);
    g_assert_cmpint (f.policer.state, ==, FASP_POLICER_TRYING);
    run (&f, 60, 2 * SENT, 0);
  }
  g_assert_cmpuint (f.believed, ==, 0);
}

/* What arrives changes with what is sent; or few are lost. */
static void
test_none (void)
{
  Fixture f = { .now = FASP_SEC };

  for (guint i = 0; i < 20; i++)
    run (&f, 4, i % 2 ? 7e6 : 4e6, 0);
  g_assert_cmpint (f.policer.state, ==, FASP_POLICER_WATCHING);
  run (&f, 200, 8.5e6, 0);
  g_assert_cmpint (f.policer.state, ==, FASP_POLICER_WATCHING);
  g_assert_cmpuint (f.believed, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/policer/found", test_found);
  g_test_add_func ("/rate/policer/chance", test_chance);
  g_test_add_func ("/rate/policer/refuted", test_refuted);
  g_test_add_func ("/rate/policer/stopped", test_stopped);
  g_test_add_func ("/rate/policer/none", test_none);
  return g_test_run ();
}
