/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What chance loses is known by what leaves slowly, and is nobody's fault.
 */
#include "faspchance.h"

#define RATE 4000000 /* bit/s */
#define PACKETS 10   /* of a report */

typedef struct
{
  FaspChance chance;
  GRand *rand;
  FaspRateSample newest;
} Watch;

/* Packets that leave at @speed times the rate. */
static void
report (Watch *w, gdouble speed, gdouble loss, gboolean queued)
{
  guint64 lost = 0;

  for (guint i = 0; i < PACKETS; i++)
    lost += g_rand_double (w->rand) < loss;
  w->newest.bytes += PACKETS * 1500;
  w->newest.sent += PACKETS * 12000 * FASP_SEC / (speed * RATE);
  fasp_chance_add (&w->chance, w->newest.sent, &w->newest, RATE, PACKETS, lost, queued);
}

/* Half of the time at half of the rate. */
static void
run (Watch *w, FaspTime length, gdouble loss, gdouble loss_slow, gboolean queued)
{
  FaspTime until = w->newest.sent + length;

  while (w->newest.sent < until) {
    report (w, 1, loss, FALSE);
    report (w, 1, loss, FALSE);
    report (w, .5, loss_slow, queued);
  }
}

/* As many lost as chance loses are no others', and all are. */
static void
test_chance (void)
{
  static const gdouble losses[] = { .02, .1, .3, .5, .5 };

  for (guint i = 0; i < 20; i++) {
    Watch w = { .rand = g_rand_new_with_seed (i), .newest.sent = FASP_SEC };
    gdouble loss = losses[i % 5];

    run (&w, 30 * FASP_SEC, loss, loss, FALSE);
    g_assert_cmpfloat (fasp_chance_get_others (&w.chance, 1000, 950 * loss), ==, 0);
    g_assert_cmpfloat (fasp_chance_get_others (&w.chance, 1000, 1000 * (.5 + loss / 2)), >, .3);
    g_assert_cmpfloat (fasp_chance_get_others (&w.chance, 100, 100), ==, 1);
    g_rand_free (w.rand);
  }
}

/* What only the fast, or who wait, lose is not chance's. */
static void
test_others (void)
{
  Watch policed = { .rand = g_rand_new_with_seed (1), .newest.sent = FASP_SEC };
  Watch waits = { .rand = g_rand_new_with_seed (2), .newest.sent = FASP_SEC };

  run (&policed, 20 * FASP_SEC, .3, 0, FALSE);
  g_assert_cmpfloat_with_epsilon (fasp_chance_get_others (&policed.chance, 10, 3), .3, 1e-9);
  run (&waits, 20 * FASP_SEC, .3, .3, TRUE);
  g_assert_cmpfloat_with_epsilon (fasp_chance_get_others (&waits.chance, 10, 3), .3, 1e-9);
  g_rand_free (policed.rand);
  g_rand_free (waits.rand);
}

/* Of few that left slowly it is not believed at once, and what was is forgotten. */
static void
test_time (void)
{
  Watch w = { .rand = g_rand_new_with_seed (3), .newest.sent = FASP_SEC };

  while (w.newest.sent < 2 * FASP_SEC)
    report (&w, 1, .5, FALSE);
  report (&w, .5, 1, FALSE);
  g_assert_cmpfloat (fasp_chance_get_others (&w.chance, 100, 90), >, .5);
  run (&w, 10 * FASP_SEC, .5, .5, FALSE);
  g_assert_cmpfloat (fasp_chance_get_others (&w.chance, 100, 50), ==, 0);
  run (&w, 50 * FASP_SEC, 0, 0, FALSE);
  g_assert_cmpfloat (fasp_chance_get_others (&w.chance, 100, 50), >, .45);
  g_rand_free (w.rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chance", test_chance);
  g_test_add_func ("/chance/others", test_others);
  g_test_add_func ("/chance/time", test_time);
  return g_test_run ();
}
