/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspmediaclock.h"

/* Whatever jitter the network adds, mapped times are as smooth as the media
 * times and at the smallest delay. */
static void
test_smooth (void)
{
  GRand *rand = g_rand_new_with_seed (1);
  FaspMediaClock clock;
  FaspTime before = 0;

  fasp_media_clock_init (&clock);
  for (guint i = 0; i < 20000; i++) {
    FaspTime media = i * FASP_MSEC;
    FaspTime jitter = i % 50 == 7 ? 0 : g_rand_int_range (rand, 0, 40000);

    fasp_media_clock_arrived (&clock, media, media + 100000 + jitter);
    if (i >= 2000) {
      FaspTime mapped = fasp_media_clock_map (&clock, media);

      g_assert_cmpint (ABS (mapped - (media + 100000)), <=, 1000);
      if (before != 0)
        g_assert_cmpint (ABS (mapped - before - FASP_MSEC), <=, 2);
      before = mapped;
    }
  }
  g_assert_cmpuint (clock.steps, ==, 0);
  g_rand_free (rand);
}

/* A sender whose clock runs 200 ppm fast or slow, for an hour. */
static void
test_drift (void)
{
  static const gdouble drifts[] = { 200e-6, -200e-6 };

  for (guint d = 0; d < G_N_ELEMENTS (drifts); d++) {
    FaspMediaClock clock;

    fasp_media_clock_init (&clock);
    for (FaspTime t = 0; t < 3600 * FASP_SEC; t += 20 * FASP_MSEC) {
      FaspTime media = t * (1 + drifts[d]);

      fasp_media_clock_arrived (&clock, media, t + 50000);
      /* within what the window of ten seconds may lag */
      if (t > 30 * FASP_SEC)
        g_assert_cmpint (ABS (fasp_media_clock_map (&clock, media)
                - (t + 50000)), <=, 4000);
    }
    g_assert_cmpuint (clock.steps, ==, 0);
  }
}

static void
test_step (void)
{
  FaspMediaClock clock;
  gboolean stepped = FALSE;
  FaspTime t;

  fasp_media_clock_init (&clock);
  for (t = 0; t < 20 * FASP_SEC; t += 10 * FASP_MSEC)
    g_assert_false (fasp_media_clock_arrived (&clock, t, t + 1000));
  /* the media clock jumps ahead: arrivals seem earlier, at once believed */
  g_assert_true (fasp_media_clock_arrived (&clock, t + 5 * FASP_SEC, t + 1000));
  g_assert_cmpint (fasp_media_clock_map (&clock, t + 5 * FASP_SEC), ==,
      t + 1000);
  /* and back: believed when a whole window says so */
  for (guint i = 0; i < 1200 && !stepped; i++) {
    t += 10 * FASP_MSEC;
    stepped = fasp_media_clock_arrived (&clock, t, t + 1000);
    if (i < 800)
      g_assert_false (stepped);
  }
  g_assert_true (stepped);
  g_assert_cmpuint (clock.steps, ==, 2);
}

/* Twelve seconds of nothing, and what waited comes at three times the rate:
 * late, but neither clock has changed. */
static void
test_outage (void)
{
  static const gdouble speeds[] = { 3, 1.2 };

  for (guint s = 0; s < G_N_ELEMENTS (speeds); s++) {
    FaspMediaClock clock;
    FaspTime media = 0, arrival;

    fasp_media_clock_init (&clock);
    for (; media < 20 * FASP_SEC; media += 10 * FASP_MSEC)
      fasp_media_clock_arrived (&clock, media, media + 50000);
    arrival = media + 50000 + 12 * FASP_SEC;
    while (arrival > media + 50000) {
      g_assert_false (fasp_media_clock_arrived (&clock, media, arrival));
      media += 10 * FASP_MSEC;
      arrival += 10 * FASP_MSEC / speeds[s];
      /* the slew is all that may have been misled */
      g_assert_cmpint (ABS (fasp_media_clock_map (&clock, media) - media
              - 50000), <=, 80 * FASP_MSEC);
    }
    g_assert_cmpuint (clock.steps, ==, 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/media-clock/smooth", test_smooth);
  g_test_add_func ("/media-clock/drift", test_drift);
  g_test_add_func ("/media-clock/outage", test_outage);
  g_test_add_func ("/media-clock/step", test_step);
  return g_test_run ();
}
