/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When a receiver plays, whatever the wall clocks say.
 */
#include "fasppresentation.h"

#define DELAY (800 * FASP_MSEC)
#define LATENCY (300 * FASP_MSEC)
#define PATH (100 * FASP_MSEC)
/* The receiver's clock less the sender's media time. */
#define SHIFT (7 * FASP_SEC)
#define EVERY (5 * FASP_MSEC)

/* A block written at @media, by a wall clock that is off by @error. */
static FaspTime
choose (FaspPresentation *p, FaspTime media, FaspTime error)
{
  FaspPresentationBlock block = {
    .media = media,
    .captured = media + SHIFT + error,
    .arrival = media + SHIFT + PATH,
    .usual = media + SHIFT + PATH + LATENCY,
    .known = FASP_PRESENTATION_IN_TIME,
  };
  FaspTime time = fasp_presentation_choose (p, &block);

  /* never before it can have come, nor held for longer */
  g_assert_cmpint (time, >=, block.arrival);
  g_assert_cmpint (time, <=, block.arrival + p->delay + FASP_PRESENTATION_AHEAD);
  return time - media - SHIFT;
}

static void
test_in_time (void)
{
  FaspPresentation p = { .delay = DELAY };

  for (FaspTime t = 0; t < FASP_SEC; t += EVERY)
    g_assert_cmpint (choose (&p, t, 0), ==, DELAY);
  g_assert_cmpint (p.state, ==, FASP_PRESENTATION_IN_TIME);
  g_assert_cmpint (p.least, ==, PATH + LATENCY);
}

/* A step of 50 ms is slewed: no two blocks are farther apart than half a hundredth more or less,
 * and after ten seconds it is over.  One beyond half a second is made at once. */
static void
test_step (void)
{
  FaspPresentation p = { .delay = DELAY };
  FaspTime before = choose (&p, 0, 0), after = 0;

  for (FaspTime t = EVERY; t <= 10 * FASP_SEC; t += EVERY) {
    after = choose (&p, t, -50 * FASP_MSEC);
    g_assert_cmpint (ABS (after - before), <=, EVERY * FASP_PRESENTATION_SLEW_PPM / 1000000 + 1);
    before = after;
    g_assert_cmpint (p.error, ==, ABS (after - (DELAY - 50 * FASP_MSEC)));
    g_assert_true (fasp_presentation_is_in_time (&p) == (p.error <= FASP_PRESENTATION_NEAR));
  }
  g_assert_cmpint (after, ==, DELAY - 50 * FASP_MSEC);
  g_assert_cmpint (choose (&p, 11 * FASP_SEC, -50 * FASP_MSEC), ==, DELAY - 50 * FASP_MSEC);
  g_assert_cmpint (p.state, ==, FASP_PRESENTATION_IN_TIME);
  p.delay += FASP_SEC;
  g_assert_cmpint (choose (&p, 12 * FASP_SEC, 0), ==, DELAY + FASP_SEC);
}

/* The delay is too short, and a little too short for one that was in time. */
static void
test_too_short (void)
{
  FaspPresentation p = { .delay = PATH + LATENCY - 1 };

  g_assert_cmpint (choose (&p, 0, 0), ==, PATH + LATENCY);
  g_assert_cmpint (p.state, ==, FASP_PRESENTATION_TOO_SHORT);
  g_assert_cmpint (p.least, ==, PATH + LATENCY);
  p.delay += 1;
  g_assert_cmpint (choose (&p, EVERY, 0), ==, PATH + LATENCY);
  g_assert_cmpint (p.state, ==, FASP_PRESENTATION_IN_TIME);
  p.delay -= FASP_PRESENTATION_SLACK;
  choose (&p, 2 * EVERY, 0);
  g_assert_cmpint (p.state, ==, FASP_PRESENTATION_MOVING);
  p.delay -= 1;
  choose (&p, 3 * EVERY, 0);
  g_assert_cmpint (p.state, ==, FASP_PRESENTATION_TOO_SHORT);
}

/* A wall clock that was never set: no delay that could be set is told. */
static void
test_wrong (void)
{
  FaspPresentation p = { .delay = DELAY };

  choose (&p, 0, -G_GINT64_CONSTANT (1800000000) * FASP_SEC);
  g_assert_cmpint (p.state, ==, FASP_PRESENTATION_LONG_AGO);
  g_assert_cmpint (p.least, ==, FASP_NEVER);
  choose (&p, EVERY, FASP_SEC);
  g_assert_cmpint (p.state, ==, FASP_PRESENTATION_AHEAD_OF);
  g_assert_cmpint (p.least, ==, FASP_NEVER);
}

/* A sender's clock that is wrong by any amount, at any moment: choose() checks the bounds. */
static void
test_hostile (void)
{
  static const FaspTime errors[] = { 0, PATH, FASP_SEC, -FASP_SEC, 3600 * FASP_SEC,
    -3600 * FASP_SEC, (FaspTime) 1 << 59, -((FaspTime) 1 << 59), 150 * FASP_MSEC };
  FaspPresentation p = { .delay = DELAY };
  FaspTime t = 0;

  for (guint i = 0; i < 20000; i++) {
    guint at = (i * 2654435761u) >> 24;

    t += i % 100 == 99 ? -FASP_SEC : EVERY;
    choose (&p, t, errors[at % G_N_ELEMENTS (errors)]);
  }
  choose (&p, t, FASP_SEC);
  g_assert_cmpint (p.state, ==, FASP_PRESENTATION_AHEAD_OF);
}

/* The sender's media clock jumps: what is played goes on. */
/* What the sinks add is guessed: how far off it is, and what would be enough, is not known. */
static void
test_guessed (void)
{
  FaspPresentation p = { .delay = DELAY };
  FaspPresentationBlock block = { .captured = SHIFT,
    .arrival = SHIFT + PATH,
    .usual = SHIFT + PATH + LATENCY,
    .known = FASP_PRESENTATION_NO_LATENCY };

  g_assert_cmpint (fasp_presentation_choose (&p, &block), ==, SHIFT + DELAY);
  g_assert_false (fasp_presentation_is_in_time (&p));
  g_assert_cmpint (p.error, ==, FASP_NEVER);
  g_assert_cmpint (p.least, ==, FASP_NEVER);
}

static void
test_jump (void)
{
  FaspPresentation p = { .delay = DELAY };
  FaspPresentationBlock block = { .captured = SHIFT,
    .arrival = SHIFT + PATH,
    .usual = SHIFT + PATH + LATENCY,
    .known = FASP_PRESENTATION_UNSURE };

  g_assert_cmpint (fasp_presentation_choose (&p, &block), ==, SHIFT + DELAY);
  g_assert_cmpint (p.state, ==, FASP_PRESENTATION_UNSURE);
  block.media += 400 * FASP_MSEC;
  block.jumped = TRUE;
  g_assert_cmpint (fasp_presentation_choose (&p, &block), ==, SHIFT + DELAY);
  block.known = FASP_PRESENTATION_NO_TIME;
  g_assert_cmpint (fasp_presentation_choose (&p, &block), ==, block.usual);
  g_assert_false (fasp_presentation_is_in_time (&p));
}

/* Capture times are missing for a while: what is played goes on, for ten seconds, unless it goes on
 * by another clock. */
static void
test_kept (gconstpointer data)
{
  gboolean other = GPOINTER_TO_INT (data);
  FaspPresentation p = { .delay = DELAY };
  FaspPresentationBlock block = { .known = FASP_PRESENTATION_NO_TIME };

  choose (&p, 0, 0);
  for (FaspTime t = EVERY; t <= 11 * FASP_SEC; t += EVERY) {
    gboolean kept = !other && t <= FASP_PRESENTATION_KEEPS;

    block.media = t;
    block.arrival = t + SHIFT + PATH + (other ? FASP_SEC : 0);
    block.usual = block.arrival + LATENCY;
    g_assert_cmpint (fasp_presentation_choose (&p, &block), ==,
        kept ? t + SHIFT + DELAY : block.usual);
    g_assert_cmpint (p.state, ==, kept ? FASP_PRESENTATION_KEPT : FASP_PRESENTATION_NO_TIME);
    g_assert_false (fasp_presentation_is_in_time (&p));
  }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/presentation/in-time", test_in_time);
  g_test_add_func ("/presentation/step", test_step);
  g_test_add_func ("/presentation/too-short", test_too_short);
  g_test_add_func ("/presentation/wrong", test_wrong);
  g_test_add_func ("/presentation/hostile", test_hostile);
  g_test_add_func ("/presentation/guessed", test_guessed);
  g_test_add_func ("/presentation/jump", test_jump);
  g_test_add_data_func ("/presentation/kept", GINT_TO_POINTER (FALSE), test_kept);
  g_test_add_data_func ("/presentation/kept/other-clock", GINT_TO_POINTER (TRUE), test_kept);
  return g_test_run ();
}
