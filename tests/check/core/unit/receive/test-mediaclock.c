/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspmediaclock.h"

/* Whatever jitter the network adds, mapped times are as smooth as the media
 * times and at the smallest delay. */
static void
test_smooth (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  FaspMediaClock clock;
  FaspTime before = 0;

  fasp_media_clock_init (&clock);
  for (guint i = 0; i < 20000; i++) {
    FaspTime media = i * FASP_MSEC;
    FaspTime jitter = i % 50 == 7 ? 0 : g_rand_int_range (rand, 0, 40000);

    fasp_media_clock_arrived (&clock, i, media, media + 100000 + jitter);
    if (i >= 2000) {
      FaspTime mapped = fasp_media_clock_map (&clock, 0, media);

      g_assert_cmpint (ABS (mapped - (media + 100000)), <=, 1000);
      if (before != 0)
        g_assert_cmpint (ABS (mapped - before - FASP_MSEC), <=, 2);
      before = mapped;
    }
  }
  g_assert_cmpuint (clock.jumps, ==, 0);
}

/* A sender whose clock runs 200 ppm fast or slow, for an hour. */
static void
test_drift (void)
{
  static const gdouble drifts[] = { 200e-6, -200e-6 };

  for (guint d = 0; d < G_N_ELEMENTS (drifts); d++) {
    FaspMediaClock clock;
    guint64 n = 0;

    fasp_media_clock_init (&clock);
    for (FaspTime t = 0; t < 3600 * FASP_SEC; t += 20 * FASP_MSEC) {
      FaspTime media = t * (1 + drifts[d]);

      fasp_media_clock_arrived (&clock, n++, media, t + 50000);
      /* within what the window of ten seconds may lag */
      if (t > 30 * FASP_SEC)
        g_assert_cmpint (ABS (fasp_media_clock_map (&clock, 0, media) - (t + 50000)), <=, 4000);
    }
    g_assert_cmpuint (clock.jumps, ==, 0);
  }
}

/* Nothing but the path has changed: all is later by as much, for good. */
static void
test_longer_path (void)
{
  FaspMediaClock clock;
  gboolean jumped = FALSE;
  FaspTime t, longer = 700 * FASP_MSEC;
  guint64 n = 0;

  fasp_media_clock_init (&clock);
  for (t = 0; t < 20 * FASP_SEC; t += 10 * FASP_MSEC)
    g_assert_false (fasp_media_clock_arrived (&clock, n++, t, t + 1000));
  for (guint i = 0; i < 1200 && !jumped; i++) {
    t += 10 * FASP_MSEC;
    jumped = fasp_media_clock_arrived (&clock, n++, t, t + 1000 + longer);
    /* believed when a whole window says so */
    if (i < 800)
      g_assert_false (jumped);
  }
  g_assert_true (jumped);
  g_assert_cmpint (fasp_media_clock_map (&clock, n, t), ==, t + 1000 + longer);
  g_assert_cmpuint (clock.jumps, ==, 1);
}

/* What waits for 0.7 s at the sender, while that is let wait for 1 s, waits there only; and offset,
 * which has slowly gone that way, is back as soon as that is left out. */
static void
test_queue_there (void)
{
  FaspMediaClock clock;
  FaspTime t, queue = 700 * FASP_MSEC;
  guint64 n = 0;

  fasp_media_clock_init (&clock);
  clock.tolerated = FASP_SEC;
  for (t = 0; t < 20 * FASP_SEC; t += 10 * FASP_MSEC)
    g_assert_false (fasp_media_clock_arrived (&clock, n++, t, t + 1000));
  for (guint i = 0; i < 6000; i++, t += 10 * FASP_MSEC)
    g_assert_false (fasp_media_clock_arrived (&clock, n++, t, t + 1000 + queue));
  g_assert_cmpint (fasp_media_clock_map (&clock, n, t), >, t + 40 * FASP_MSEC);
  t += queue;
  fasp_media_clock_catch_up (&clock);
  g_assert_false (fasp_media_clock_arrived (&clock, n++, t, t + 1000));
  g_assert_cmpint (fasp_media_clock_map (&clock, n, t), ==, t + 1000);
  g_assert_cmpuint (clock.jumps, ==, 0);
}

/* The sender's clock is set; two blocks before that are late, the first after it is
 * lost and comes last.  Each is mapped by its own time. */
static void
test_set (void)
{
  static const FaspTime jumps[] = { 5 * FASP_SEC, -5 * FASP_SEC, -200 * FASP_MSEC,
    -3600 * FASP_SEC };
  static const FaspTime frame = 10 * FASP_MSEC;

  for (guint j = 0; j < G_N_ELEMENTS (jumps); j++) {
    FaspTime jump = jumps[j], t = 0;
    FaspMediaClock clock;
    guint64 n = 0;

    fasp_media_clock_init (&clock);
    for (; n < 2000; n++, t += frame)
      g_assert_false (fasp_media_clock_arrived (&clock, n, t, t + 1000));
    /* 2000, 2001: late; 2002: the first of the new time, late; 2003: tells */
    t += 3 * frame;
    g_assert_true (fasp_media_clock_arrived (&clock, 2003, t + jump, t + 1000));
    g_assert_cmpuint (clock.jumps, ==, 1);
    g_assert_cmpint (clock.jump, ==, jump);
    g_assert_false (fasp_media_clock_arrived (&clock, 2000, t - 3 * frame, t + 1000 + 300));
    g_assert_false (fasp_media_clock_arrived (&clock, 2002, t - frame + jump, t + 1000 + 400));
    g_assert_false (fasp_media_clock_arrived (&clock, 2001, t - 2 * frame, t + 1000 + 500));
    for (guint i = 0; i < 4; i++) {
      gboolean current = i >= 2;

      g_assert_true (fasp_media_clock_is_current (&clock, 2000 + i) == current);
      g_assert_cmpint (fasp_media_clock_map (&clock, 2000 + i,
                           t - (3 - i) * frame + (current ? jump : 0)),
          ==, t - (3 - i) * frame + 1000);
    }
    /* one, and it goes on from there */
    for (n = 2004; n < 5000; n++) {
      t += frame;
      g_assert_false (fasp_media_clock_arrived (&clock, n, t + jump, t + 1000));
      g_assert_cmpint (fasp_media_clock_map (&clock, n, t + jump), ==, t + 1000);
    }
    g_assert_cmpuint (clock.jumps, ==, 1);
  }
}

/* It is set back in the first second, and again 0.3 s later: the first is followed at once, the
 * second as soon as another may be, a second behind the first. */
static void
test_set_soon (void)
{
  static const FaspTime jumps[] = { -200 * FASP_MSEC, -3600 * FASP_SEC };
  static const FaspTime frame = 10 * FASP_MSEC;

  for (guint j = 0; j < G_N_ELEMENTS (jumps); j++) {
    FaspTime media = 0, t = 0;
    FaspMediaClock clock;

    fasp_media_clock_init (&clock);
    for (guint64 n = 0; n < 500; n++, t += frame, media += frame) {
      if (n == 50 || n == 80)
        media += jumps[j];
      g_assert_true (fasp_media_clock_arrived (&clock, n, media, t + 1000)
          == (n == 50 || n == 151));
      if (n < 80 || n > 150)
        g_assert_cmpint (fasp_media_clock_map (&clock, n, media), ==, t + 1000);
    }
    g_assert_cmpuint (clock.jumps, ==, 2);
  }
}

/* The second fall is followed by what was sent since, not by what was sent before it and is
 * late. */
static void
test_set_soon_late (void)
{
  static const FaspTime frame = 10 * FASP_MSEC, fall = 10 * FASP_SEC;
  FaspTime media = 0, lost = 0, t = 0;
  FaspMediaClock clock;

  fasp_media_clock_init (&clock);
  for (guint64 n = 0; n < 500; n++, t += frame, media += frame) {
    if (n == 50 || n == 148)
      media -= fall;
    if (n == 147) {
      lost = media;
      continue;
    }
    /* the first one when another jump may be */
    if (n == 151)
      g_assert_false (fasp_media_clock_arrived (&clock, 147, lost, t + 500));
    g_assert_true (fasp_media_clock_arrived (&clock, n, media, t + 1000) == (n == 50 || n == 151));
    if (n > 150)
      g_assert_cmpint (fasp_media_clock_map (&clock, n, media), ==, t + 1000);
  }
  g_assert_cmpuint (clock.jumps, ==, 2);
}

/* A peer that has its clock jump with every block is followed once in a second. */
static void
test_nonsense (void)
{
  FaspMediaClock clock;

  fasp_media_clock_init (&clock);
  for (guint64 n = 0; n < 10000; n++)
    fasp_media_clock_arrived (&clock, n, 1000000 - 100 * (FaspTime) n, n * FASP_MSEC);
  g_assert_cmpuint (clock.jumps, <=, 10);
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
    guint64 n = 0;

    fasp_media_clock_init (&clock);
    for (; media < 20 * FASP_SEC; media += 10 * FASP_MSEC)
      fasp_media_clock_arrived (&clock, n++, media, media + 50000);
    arrival = media + 50000 + 12 * FASP_SEC;
    while (arrival > media + 50000) {
      g_assert_false (fasp_media_clock_arrived (&clock, n++, media, arrival));
      media += 10 * FASP_MSEC;
      arrival += 10 * FASP_MSEC / speeds[s];
      /* the slew is all that may have been misled */
      g_assert_cmpint (ABS (fasp_media_clock_map (&clock, 0, media) - media - 50000), <=,
          80 * FASP_MSEC);
    }
    g_assert_cmpuint (clock.jumps, ==, 0);
  }
}

/* Who joined ten seconds in the past catches up, at twice the stream's rate and at a
 * twentieth more: nobody's clock has jumped, and media times are where they belong as
 * soon as that is done. */
static void
test_catching_up (void)
{
  static const gint gains[] = { 20, 1 }; /* blocks fewer between two, of 20 */

  for (guint g = 0; g < G_N_ELEMENTS (gains); g++) {
    FaspMediaClock clock;
    FaspTime arrival = 10 * FASP_SEC, media = 0, live = 100000;
    guint64 n = 0;

    fasp_media_clock_init (&clock);
    while (media + live < arrival) {
      g_assert_false (fasp_media_clock_arrived (&clock, n++, media, arrival));
      media += FASP_MSEC;
      arrival += FASP_MSEC * 20 / (20 + gains[g]);
    }
    for (guint i = 0; i < 20000; i++, media += FASP_MSEC) {
      g_assert_false (fasp_media_clock_arrived (&clock, n++, media, media + live));
      g_assert_cmpint (ABS (fasp_media_clock_map (&clock, n, media) - media - live), <=,
          2 * FASP_MSEC);
    }
    g_assert_cmpuint (clock.jumps, ==, 0);
  }
}

/* A stream that sends one block in half a minute, from a clock 100 ppm slow or fast, for a day:
 * it is followed nevertheless. */
static void
test_sparse (void)
{
  static const gdouble drifts[] = { 100e-6, -100e-6 };

  for (guint d = 0; d < G_N_ELEMENTS (drifts); d++) {
    FaspMediaClock clock;
    guint64 n = 0;

    fasp_media_clock_init (&clock);
    for (FaspTime t = 0; t < 86400 * FASP_SEC; t += 30 * FASP_SEC) {
      FaspTime media = t * (1 + drifts[d]);

      fasp_media_clock_arrived (&clock, n, media, t + 50000);
      g_assert_cmpint (ABS (fasp_media_clock_map (&clock, n++, media) - (t + 50000)), <=, 4000);
    }
    g_assert_cmpuint (clock.jumps, ==, 0);
  }
}

/* An hour of nothing, as nothing was written, and a clock 100 ppm slow: then times are where they
 * belong at once, even if the first block is late. */
static void
test_pause (void)
{
  static const FaspTime before = 20 * FASP_SEC, pause = 3600 * FASP_SEC;
  static const FaspTime lates[] = { 0, 80 * FASP_MSEC };

  for (guint l = 0; l < G_N_ELEMENTS (lates); l++) {
    FaspMediaClock clock;
    guint64 n = 0;

    fasp_media_clock_init (&clock);
    for (FaspTime t = 0; t < pause + 2 * before; t += 10 * FASP_MSEC) {
      FaspTime media = t * (1 - 100e-6);
      FaspTime late = t == pause + before ? lates[l] : 0;

      if (t >= before && t < pause + before)
        continue;
      g_assert_false (fasp_media_clock_arrived (&clock, n, media, t + 50000 + late));
      g_assert_cmpint (ABS (fasp_media_clock_map (&clock, n++, media) - (t + 50000)), <=,
          4000 + late);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/media-clock/smooth", test_smooth);
  g_test_add_func ("/media-clock/drift", test_drift);
  g_test_add_func ("/media-clock/sparse", test_sparse);
  g_test_add_func ("/media-clock/pause", test_pause);
  g_test_add_func ("/media-clock/outage", test_outage);
  g_test_add_func ("/media-clock/longer-path", test_longer_path);
  g_test_add_func ("/media-clock/queue-there", test_queue_there);
  g_test_add_func ("/media-clock/set", test_set);
  g_test_add_func ("/media-clock/set-soon", test_set_soon);
  g_test_add_func ("/media-clock/set-soon/late", test_set_soon_late);
  g_test_add_func ("/media-clock/catching-up", test_catching_up);
  g_test_add_func ("/media-clock/nonsense", test_nonsense);
  return g_test_run ();
}
