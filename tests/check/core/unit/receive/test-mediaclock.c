/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspmediaclock.h"

static FaspMediaClock media_clock;

static gboolean
arrived (guint64 number, FaspTime media, FaspTime arrival)
{
  return fasp_media_clock_arrived (&media_clock, number, media, arrival);
}

static FaspTime
map (guint64 number, FaspTime media)
{
  return fasp_media_clock_map (&media_clock, number, media);
}

/* Whatever jitter the network adds, mapped times are as smooth as the media
 * times and at the smallest delay. */
static void
test_smooth (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  FaspTime before = 0;

  fasp_media_clock_init (&media_clock);
  for (guint i = 0; i < 20000; i++) {
    FaspTime media = i * FASP_MSEC;
    FaspTime jitter = i % 50 == 7 ? 0 : g_rand_int_range (rand, 0, 40000);

    arrived (i, media, media + 100000 + jitter);
    if (i >= 2000) {
      FaspTime mapped = map (0, media);

      g_assert_cmpint (ABS (mapped - (media + 100000)), <=, 1000);
      if (before != 0)
        g_assert_cmpint (ABS (mapped - before - FASP_MSEC), <=, 2);
      before = mapped;
    }
  }
  g_assert_cmpuint (media_clock.jumps, ==, 0);
}

/* A sender whose clock is fast or slow is followed, even by one block in half a minute. */
typedef struct
{
  gdouble drift;
  FaspTime interval, duration;
  FaspTime settled; /* since then, times are where they belong */
} Drift;

static void
test_drift (gconstpointer data)
{
  const Drift *c = data;

  for (gint sign = -1; sign <= 1; sign += 2) {
    guint64 n = 0;

    fasp_media_clock_init (&media_clock);
    for (FaspTime t = 0; t < c->duration; t += c->interval) {
      FaspTime media = t * (1 + sign * c->drift);

      arrived (n, media, t + 50000);
      /* within what the window of ten seconds may lag */
      if (t >= c->settled)
        g_assert_cmpint (ABS (map (n, media) - (t + 50000)), <=, 4000);
      n++;
    }
    g_assert_cmpuint (media_clock.jumps, ==, 0);
  }
}

/* Nothing but the path has changed: all is later by as much, for good. */
static void
test_longer_path (void)
{
  gboolean jumped = FALSE;
  FaspTime t, longer = 700 * FASP_MSEC;
  guint64 n = 0;

  fasp_media_clock_init (&media_clock);
  for (t = 0; t < 20 * FASP_SEC; t += 10 * FASP_MSEC)
    g_assert_false (arrived (n++, t, t + 1000));
  for (guint i = 0; i < 1200 && !jumped; i++) {
    t += 10 * FASP_MSEC;
    jumped = arrived (n++, t, t + 1000 + longer);
    /* believed when a whole window says so */
    if (i < 800)
      g_assert_false (jumped);
  }
  g_assert_true (jumped);
  g_assert_cmpint (map (n, t), ==, t + 1000 + longer);
  g_assert_cmpuint (media_clock.jumps, ==, 1);
}

/* What waits for 0.7 s at the sender, while that is let wait for 1 s, waits there only; and offset,
 * which has slowly gone that way, is back as soon as that is left out. */
static void
test_queue_there (void)
{
  FaspTime t, queue = 700 * FASP_MSEC;
  guint64 n = 0;

  fasp_media_clock_init (&media_clock);
  media_clock.tolerated = FASP_SEC;
  for (t = 0; t < 20 * FASP_SEC; t += 10 * FASP_MSEC)
    g_assert_false (arrived (n++, t, t + 1000));
  for (guint i = 0; i < 6000; i++, t += 10 * FASP_MSEC)
    g_assert_false (arrived (n++, t, t + 1000 + queue));
  g_assert_cmpint (map (n, t), >, t + 40 * FASP_MSEC);
  t += queue;
  fasp_media_clock_catch_up (&media_clock);
  g_assert_false (arrived (n++, t, t + 1000));
  g_assert_cmpint (map (n, t), ==, t + 1000);
  g_assert_cmpuint (media_clock.jumps, ==, 0);
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
    guint64 n = 0;

    fasp_media_clock_init (&media_clock);
    for (; n < 2000; n++, t += frame)
      g_assert_false (arrived (n, t, t + 1000));
    /* 2000, 2001: late; 2002: the first of the new time, late; 2003: tells */
    t += 3 * frame;
    g_assert_true (arrived (2003, t + jump, t + 1000));
    g_assert_cmpuint (media_clock.jumps, ==, 1);
    g_assert_cmpint (media_clock.jump, ==, jump);
    g_assert_false (arrived (2000, t - 3 * frame, t + 1000 + 300));
    g_assert_false (arrived (2002, t - frame + jump, t + 1000 + 400));
    g_assert_false (arrived (2001, t - 2 * frame, t + 1000 + 500));
    for (guint i = 0; i < 4; i++) {
      gboolean current = i >= 2;

      g_assert_true (fasp_media_clock_is_current (&media_clock, 2000 + i) == current);
      g_assert_cmpint (map (2000 + i, t - (3 - i) * frame + (current ? jump : 0)), ==,
          t - (3 - i) * frame + 1000);
    }
    /* one, and it goes on from there */
    for (n = 2004; n < 5000; n++) {
      t += frame;
      g_assert_false (arrived (n, t + jump, t + 1000));
      g_assert_cmpint (map (n, t + jump), ==, t + 1000);
    }
    g_assert_cmpuint (media_clock.jumps, ==, 1);
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

    fasp_media_clock_init (&media_clock);
    for (guint64 n = 0; n < 500; n++, t += frame, media += frame) {
      if (n == 50 || n == 80)
        media += jumps[j];
      g_assert_true (arrived (n, media, t + 1000) == (n == 50 || n == 151));
      if (n < 80 || n > 150)
        g_assert_cmpint (map (n, media), ==, t + 1000);
    }
    g_assert_cmpuint (media_clock.jumps, ==, 2);
  }
}

/* The second fall is followed by what was sent since, not by what was sent before it and is
 * late. */
static void
test_set_soon_late (void)
{
  static const FaspTime frame = 10 * FASP_MSEC, fall = 10 * FASP_SEC;
  FaspTime media = 0, lost = 0, t = 0;

  fasp_media_clock_init (&media_clock);
  for (guint64 n = 0; n < 500; n++, t += frame, media += frame) {
    if (n == 50 || n == 148)
      media -= fall;
    if (n == 147) {
      lost = media;
      continue;
    }
    /* the first one when another jump may be */
    if (n == 151)
      g_assert_false (arrived (147, lost, t + 500));
    g_assert_true (arrived (n, media, t + 1000) == (n == 50 || n == 151));
    if (n > 150)
      g_assert_cmpint (map (n, media), ==, t + 1000);
  }
  g_assert_cmpuint (media_clock.jumps, ==, 2);
}

/* A peer that has its clock jump with every block is followed once in a second. */
static void
test_nonsense (void)
{
  fasp_media_clock_init (&media_clock);
  for (guint64 n = 0; n < 10000; n++)
    arrived (n, 1000000 - 100 * (FaspTime) n, n * FASP_MSEC);
  g_assert_cmpuint (media_clock.jumps, <=, 10);
}

/* Twelve seconds of nothing, and what waited comes at three times the rate:
 * late, but neither clock has changed. */
static void
test_outage (void)
{
  static const gdouble speeds[] = { 3, 1.2 };

  for (guint s = 0; s < G_N_ELEMENTS (speeds); s++) {
    FaspTime media = 0, arrival;
    guint64 n = 0;

    fasp_media_clock_init (&media_clock);
    for (; media < 20 * FASP_SEC; media += 10 * FASP_MSEC)
      arrived (n++, media, media + 50000);
    arrival = media + 50000 + 12 * FASP_SEC;
    while (arrival > media + 50000) {
      g_assert_false (arrived (n++, media, arrival));
      media += 10 * FASP_MSEC;
      arrival += 10 * FASP_MSEC / speeds[s];
      /* the slew is all that may have been misled */
      g_assert_cmpint (ABS (map (0, media) - media - 50000), <=, 80 * FASP_MSEC);
    }
    g_assert_cmpuint (media_clock.jumps, ==, 0);
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
    FaspTime arrival = 10 * FASP_SEC, media = 0, live = 100000;
    guint64 n = 0;

    fasp_media_clock_init (&media_clock);
    while (media + live < arrival) {
      g_assert_false (arrived (n++, media, arrival));
      media += FASP_MSEC;
      arrival += FASP_MSEC * 20 / (20 + gains[g]);
    }
    for (guint i = 0; i < 20000; i++, media += FASP_MSEC) {
      g_assert_false (arrived (n++, media, media + live));
      g_assert_cmpint (ABS (map (n, media) - media - live), <=, 2 * FASP_MSEC);
    }
    g_assert_cmpuint (media_clock.jumps, ==, 0);
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
    guint64 n = 0;

    fasp_media_clock_init (&media_clock);
    for (FaspTime t = 0; t < pause + 2 * before; t += 10 * FASP_MSEC) {
      FaspTime media = t * (1 - 100e-6);
      FaspTime late = t == pause + before ? lates[l] : 0;

      if (t >= before && t < pause + before)
        continue;
      g_assert_false (arrived (n, media, t + 50000 + late));
      g_assert_cmpint (ABS (map (n++, media) - (t + 50000)), <=, 4000 + late);
    }
  }
}

int
main (int argc, char **argv)
{
  static const Drift drift = { 200e-6, 20 * FASP_MSEC, 3600 * FASP_SEC, 30 * FASP_SEC };
  static const Drift sparse = { 100e-6, 30 * FASP_SEC, 86400 * FASP_SEC, 0 };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/media-clock/smooth", test_smooth);
  g_test_add_data_func ("/media-clock/drift", &drift, test_drift);
  g_test_add_data_func ("/media-clock/sparse", &sparse, test_drift);
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
