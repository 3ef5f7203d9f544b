/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A policer is told from chance, and from an outage.
 */
#include "fasppolicer.h"
#include "impair.h"

/* Packets of 9 Mbit/s, told of each 20 ms: through a policer of 6, which is found, to a seventh;
 * where chance loses a fifth, which is none. */
static void
test_policer (void)
{
  for (guint seed = 0; seed < 20; seed++)
    for (guint police = 0; police < 2; police++) {
      Impair impair = { .config = { .police = police * 6000000, .loss = police ? .02 : .2 } };
      GRand *rand = g_rand_new_with_seed (seed);
      FaspPolicer policer = { 0 };
      guint told = 0, lost = 0;
      guint64 bytes = 0;

      for (FaspTime now = 0; now < 3 * FASP_SEC; now += 1333) {
        gboolean arrives = impair_packet (&impair, rand, now, 1500, FALSE).copies > 0;

        bytes += 1500;
        told++;
        lost += !arrives;
        if (!arrives || told < 15)
          continue;
        fasp_policer_add (&policer, now, 40000, &(FaspRateSample) { now, now, bytes }, told, lost,
            FALSE);
        told = lost = 0;
      }
      if (police)
        g_assert_cmpfloat (ABS (policer.rate / 6e6 - 1), <, .15);
      else
        g_assert_cmpfloat (policer.rate, ==, 0);
      g_rand_free (rand);
    }
}

/* A stream of 0.43 Mbit/s, of which bursts are lost, and then nearly all for 0.6 s: a policer would
 * have let through what passed before. */
static void
test_policer_outage (void)
{
  static const FaspTime out[][2] = { { 6360, 6440 }, { 10030, 10070 }, { 10180, 10800 },
    { 10810, 10830 } };
  FaspPolicer policer = { 0 };
  guint64 bytes = 0;
  guint lost = 0;

  for (FaspTime now = 0; now < 14 * FASP_SEC; now += 12 * FASP_MSEC) {
    gboolean is_out = FALSE;

    bytes += 643;
    for (guint i = 0; i < G_N_ELEMENTS (out); i++)
      is_out |= now >= out[i][0] * FASP_MSEC && now < out[i][1] * FASP_MSEC;
    if (is_out) {
      lost++;
      continue;
    }
    fasp_policer_add (&policer, now, 290000, &(FaspRateSample) { now, now, bytes }, lost + 1, lost,
        FALSE);
    lost = 0;
    g_assert_cmpfloat (fasp_policer_get_most (&policer, now), >, 350000);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/policer", test_policer);
  g_test_add_func ("/rate/policer/outage", test_policer_outage);
  return g_test_run ();
}
