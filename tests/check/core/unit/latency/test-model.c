/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "faspmodel.h"

#define NEAR(a, b, share) g_assert_cmpfloat_with_epsilon (a, b, fabs ((b) * (share)))

/* --- the whitepaper's model (Aspera, FASPstream, 2015) ---------------------------------- */

/* One of @blocks, from the chance of each. */
static gdouble
any_of (gdouble chance, gdouble blocks)
{
  return chance >= 1 ? 1 : -expm1 (blocks * log1p (-chance));
}

/* P(M,N) = 1 - (1 - P^(M+1))^N: a chunk of @blocks has one that needs more than
 * @rounds rounds of retransmissions. */
static gdouble
chunk_late (gdouble loss, guint rounds, gdouble blocks)
{
  return any_of (pow (loss, rounds + 1.), blocks);
}

/* One round fails: none of @requests gets through, or none of @copies does.  The
 * paper asks once and sends one; with feedback as state every feedback of the round
 * is a request. */
static gdouble
round_fails (gdouble loss, gdouble back_loss, guint requests, guint copies)
{
  gdouble unasked = pow (back_loss, requests), lost = pow (loss, copies);

  /* 1 - (1 - unasked) (1 - lost), without losing the small ones */
  return unasked + lost - unasked * lost;
}

/* A block is not there after the @rounds rounds with @copies[i] each. */
static gdouble
block_late (gdouble loss, gdouble back_loss, guint requests, const guint *copies, guint rounds)
{
  gdouble late = loss;

  for (guint i = 0; i < rounds; i++)
    late *= round_fails (loss, back_loss, requests, copies[i]);
  return late;
}

/* Retransmissions per block, for the same; the first round is the most of it. */
static gdouble
overhead (gdouble loss, gdouble back_loss, guint requests, const guint *copies, guint rounds)
{
  gdouble retransmissions = 0, asked = 1 - pow (back_loss, requests);

  for (guint i = 0; i < rounds; i++)
    retransmissions += asked * copies[i] * block_late (loss, back_loss, requests, copies, i);
  return retransmissions;
}

/* Its table: 2 % loss, a chunk of one second.  Its formula has
 * the exponent M + 1 and its figures, for five round trips, M: so four of the
 * formula's rounds give the figures. */
static void
test_paper (void)
{
  static const struct
  {
    gdouble blocks, late, skips, days;
  } rows[] = {
    { 547, .00000175, .00525, 6.6 },
    { 911, .00000292, .00875, 3.96 },
    { 3641, .00001165, .03495, .99 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    gdouble late = chunk_late (.02, 4, rows[i].blocks);

    /* as exact as they are printed */
    NEAR (late, rows[i].late, .004);
    NEAR (late * 100 * 30, rows[i].skips, .004);
    NEAR (1 / late / 86400, rows[i].days, .007);
    /* what the formula itself says for five */
    NEAR (chunk_late (.02, 5, rows[i].blocks), rows[i].blocks * pow (.02, 6), 1e-6);
  }
}

/* Of 2500 blocks 2450 come at once, 48 a round trip later and 2 after two:
 * the request may be lost, too. */
static void
test_example (void)
{
  static const guint copies[] = { 1, 1 };
  gdouble late[3];

  for (guint rounds = 0; rounds < 3; rounds++)
    late[rounds] = 2500 * block_late (.02, .02, 1, copies, rounds);
  g_assert_cmpfloat (round (2500 - late[0]), ==, 2450);
  g_assert_cmpfloat (round (late[0] - late[1]), ==, 48);
  g_assert_cmpfloat (round (late[1] - late[2]), ==, 2);
}

static void
test_copies (void)
{
  static const guint four[] = { 4 }, ones[] = { 1, 1, 1, 1, 1 };

  /* one round of four is as good as four rounds of one, if every feedback of
   * the round asks for it, */
  NEAR (block_late (.02, .02, 40, four, 1), pow (.02, 5), 1e-9);
  NEAR (block_late (.02, 0, 1, ones, 4), pow (.02, 5), 1e-9);
  /* and costs four times as much */
  NEAR (overhead (.02, 0, 1, four, 1), .08, 1e-9);
  NEAR (overhead (.02, 0, 1, ones, 5), .020408, 1e-4);
  /* a request that nobody hears is a round lost */
  NEAR (round_fails (.02, .02, 1, 1), .0396, 1e-9);
  NEAR (round_fails (.02, 1, 1, 1), 1, 1e-9);
  /* small ones stay exact */
  NEAR (any_of (1e-18, 1000), 1e-15, 1e-9);
  g_assert_cmpfloat (any_of (1, 5), ==, 1);
  g_assert_cmpfloat (any_of (0, 5), ==, 0);
}

/* --- ours ----------------------------------------------------------------------- */

/* Copies against a chain that is really run. */
static void
test_bursts (void)
{
  FaspModelPath path = {
    .loss = .02,
    .stay = .875,
    .interval = 2 * FASP_MSEC,
    .round = 200 * FASP_MSEC,
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gdouble enter = path.loss / (1 - path.loss) * (1 - path.stay), model;
  guint64 both = 0, n = 4000000;
  gboolean lost = FALSE;
  guint32 history = 0;

  for (guint64 i = 0; i < n; i++) {
    lost = g_rand_double (rand) < (lost ? path.stay : enter);
    history = history << 1 | lost;
    both += (history & 1) && (history >> 10 & 1);
  }
  /* two copies, ten datagrams apart */
  model = fasp_model_copies_lost (&path, 2, 20 * FASP_MSEC);
  NEAR ((gdouble) both / n, model, .08);
  /* far apart and without bursts they have nothing to do with each other */
  path.round = 2 * FASP_SEC;
  NEAR (fasp_model_copies_lost (&path, 3, 2 * FASP_SEC), pow (.02, 3), 1e-6);
  path.stay = path.loss;
  NEAR (fasp_model_copies_lost (&path, 4, 0), pow (.02, 4), 1e-6);
  g_assert_cmpfloat (fasp_model_copies_lost (&path, 1, 0), ==, .02);
}

/* A retransmission leaves a round after something got through: on a short path where
 * losses come in bursts it is lost less often than what comes at any time. */
static void
test_after_good (void)
{
  FaspModelPath path = {
    .loss = .02,
    .stay = .875,
    .interval = 2 * FASP_MSEC,
    .round = 10 * FASP_MSEC,
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  gdouble enter = path.loss / (1 - path.loss) * (1 - path.stay);
  guint64 good = 0, then_lost = 0;
  gboolean lost = FALSE;
  guint32 history = 0;

  for (guint64 i = 0; i < 4000000; i++) {
    lost = g_rand_double (rand) < (lost ? path.stay : enter);
    history = history << 1 | lost;
    good += !(history >> 5 & 1);
    then_lost += !(history >> 5 & 1) && lost;
  }
  NEAR ((gdouble) then_lost / good, fasp_model_copies_lost (&path, 1, 0), .05);
}

static void
test_round_time (void)
{
  FaspModelPath path = {
    .loss = .1,
    .stay = .1,
    .back_loss = .2,
    .back_stay = .2,
    .round = 100 * FASP_MSEC,
    .interval = 10 * FASP_MSEC,
  };
  gdouble chance[1000], sum = 0, mean = 0;
  guint used = fasp_model_round_time (&path, FASP_MSEC, chance, G_N_ELEMENTS (chance));

  for (guint i = 0; i < used; i++) {
    sum += chance[i];
    mean += i * chance[i];
  }
  NEAR (sum, 1, 1e-9);
  /* at once, the next feedback 2 ms later, or the next datagram 10 ms later */
  NEAR (chance[100], .9 * .8, 1e-9);
  NEAR (chance[102], .9 * .8 * .2, 1e-9);
  NEAR (chance[110], .9 * .8 * (.1 + pow (.2, 5)), 1e-9);
  NEAR (mean, 100 + 10 * .1 / .9 + 2 * .2 / .8, 1e-4);
  /* what is beyond the end is in the last */
  used = fasp_model_round_time (&path, FASP_MSEC, chance, 105);
  g_assert_cmpuint (used, ==, 105);
  NEAR (chance[104], 1 - .9 * .8 * 1.2, 1e-9);
  /* a feedback that is held up by its share of the rate */
  path.feedback = 30 * FASP_MSEC;
  fasp_model_round_time (&path, FASP_MSEC, chance, G_N_ELEMENTS (chance));
  g_assert_cmpfloat (chance[102], ==, 0);
  NEAR (chance[130], .9 * .8 * (.2 + pow (.1, 3)), 1e-9);
  /* but not the first of them */
  path.unlimited = 1;
  fasp_model_round_time (&path, FASP_MSEC, chance, G_N_ELEMENTS (chance));
  NEAR (chance[102], .9 * .8 * .2, 1e-9);
  NEAR (chance[132], .9 * .8 * (.04 + .2 * pow (.1, 3)), .05);
  /* so little of it that the first waits, too */
  path.unlimited = 0;
  path.first = 30 * FASP_MSEC;
  fasp_model_round_time (&path, FASP_MSEC, chance, G_N_ELEMENTS (chance));
  g_assert_cmpfloat (chance[100], ==, 0);
  NEAR (chance[130], .9 * .8, 1e-9 + .001);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/paper", test_paper);
  g_test_add_func ("/model/example", test_example);
  g_test_add_func ("/model/copies", test_copies);
  g_test_add_func ("/model/bursts", test_bursts);
  g_test_add_func ("/model/after-good", test_after_good);
  g_test_add_func ("/model/round-time", test_round_time);
  return g_test_run ();
}
