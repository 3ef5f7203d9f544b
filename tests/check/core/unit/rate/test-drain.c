/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose queue it is shows in what a drain does to it.
 */
#include "faspdrain.h"

#define PACKET 1250 /* bytes */
#define LINK 10e6   /* bit/s */
#define TARGET (2 * FASP_MSEC)
#define RTT (40 * FASP_MSEC)

/* A bottleneck with a queue, and what others send into it. */
typedef struct
{
  FaspDrain drain;
  FaspTime now;
  gdouble queue; /* µs that stand in it */
  guint64 bytes;
} Path;

typedef gdouble (*Others) (gdouble ours);

static gdouble
nobody (gdouble ours)
{
  return 0;
}

/* As much as we leave, as TCP that fills the queue. */
static gdouble
rest (gdouble ours)
{
  return LINK - ours;
}

/* Who goes on whatever the others do. */
static gdouble
steady (gdouble ours)
{
  return 8e6;
}

/* Ours and what others send pass at the bottleneck's rate; the queue takes what is too much. */
static void
pass (Path *path, gdouble rate, FaspTime time, Others others)
{
  FaspTime step = PACKET * 8. * FASP_SEC / rate;
  gdouble growth = (rate + others (rate)) / LINK - 1;

  for (FaspTime end = path->now + time; path->now < end; path->now += step) {
    FaspRateSample sample = { .sent = path->now, .bytes = path->bytes };

    sample.arrived = path->now + path->queue;
    fasp_drain_extend (&path->drain, &sample, path->queue, 0);
    path->queue = MAX (0, path->queue + growth * step);
    path->bytes += PACKET;
  }
}

static void
drain (Path *path, gdouble rate, FaspTime time, Others others)
{
  fasp_drain_begin (&path->drain, path->now, path->now + time);
  pass (path, rate / 2, time, others);
}

/* That becomes shorter, and nobody asks more. */
static void
test_ours (void)
{
  Path path = { .queue = 20000 };

  pass (&path, 10e6, 40 * FASP_MSEC, nobody);
  drain (&path, 10e6, 40 * FASP_MSEC, nobody);
  g_assert_cmpfloat (path.queue, <, 1000);
  g_assert_false (fasp_drain_is_in_vain (&path.drain, TARGET));
}

/* Somebody takes what is left to him. */
static void
test_rivals (void)
{
  Path path = { .queue = 40000 };

  pass (&path, 5e6, 60 * FASP_MSEC, rest);
  drain (&path, 5e6, 60 * FASP_MSEC, rest);
  /* who sends all that we leave cannot be told from a longer path but by how long it is */
  g_assert_true (fasp_drain_is_in_vain (&path.drain, TARGET));
  fasp_drain_suspect (&path.drain, path.now, RTT);
  g_assert_cmpint (path.drain.suspect_until, >, path.now);
  g_assert_cmpint (fasp_drain_judge (&path.drain, path.now, TARGET), ==, FASP_DRAIN_UNKNOWN);
  pass (&path, 5e6, 100 * FASP_MSEC, rest);
  g_assert_cmpint (fasp_drain_judge (&path.drain, path.now, TARGET), ==, FASP_DRAIN_RIVALS);
  g_assert_cmpint (path.drain.suspect_until, ==, 0);
}

/* Of 8 of 12 Mbit/s on 10 the queue grows, drain or not. */
static void
test_steady (void)
{
  Path path = { .queue = 30000 };

  pass (&path, 4e6, 60 * FASP_MSEC, steady);
  drain (&path, 4e6, 60 * FASP_MSEC, steady);
  g_assert_true (fasp_drain_is_in_vain (&path.drain, TARGET));
  fasp_drain_suspect (&path.drain, path.now, RTT);
  pass (&path, 4e6, 100 * FASP_MSEC, steady);
  g_assert_cmpint (fasp_drain_judge (&path.drain, path.now, TARGET), ==, FASP_DRAIN_RIVALS);
}

/* The same delay whatever is sent, below what the path has room for: so little is its own. */
static void
test_longer (void)
{
  static const struct
  {
    FaspTime by;
    FaspDrainVerdict verdict;
  } rows[] = {
    { 15 * FASP_MSEC, FASP_DRAIN_LONGER },
    /* that may be somebody's queue */
    { 40 * FASP_MSEC, FASP_DRAIN_RIVALS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Path path = { .queue = rows[i].by };

    pass (&path, 5e6, 60 * FASP_MSEC, rest);
    drain (&path, 5e6, 40 * FASP_MSEC, rest);
    g_assert_true (fasp_drain_is_in_vain (&path.drain, TARGET));
    fasp_drain_suspect (&path.drain, path.now, RTT);
    pass (&path, 5e6, 60 * FASP_MSEC, rest);
    g_assert_cmpint (fasp_drain_judge (&path.drain, path.now, TARGET), ==, rows[i].verdict);
    g_assert_cmpint (fasp_drain_get_longer (&path.drain), ==, rows[i].by);
  }
}

/* A queue that somebody made who is gone by then: nobody is there. */
static void
test_gone (void)
{
  Path path = { .queue = 30000 };

  pass (&path, 5e6, 60 * FASP_MSEC, rest);
  drain (&path, 5e6, 60 * FASP_MSEC, rest);
  g_assert_true (fasp_drain_is_in_vain (&path.drain, TARGET));
  fasp_drain_suspect (&path.drain, path.now, RTT);
  pass (&path, 2.4e6, 100 * FASP_MSEC, nobody);
  g_assert_cmpint (fasp_drain_judge (&path.drain, path.now, TARGET), ==, FASP_DRAIN_NOBODY);
}

/* Who has nothing to send waits no longer than he said. */
static void
test_silence (void)
{
  Path path = { .queue = 30000 };

  pass (&path, 5e6, 60 * FASP_MSEC, rest);
  drain (&path, 5e6, 60 * FASP_MSEC, rest);
  fasp_drain_suspect (&path.drain, path.now, RTT);
  g_assert_cmpint (fasp_drain_judge (&path.drain, path.drain.suspect_until - 1, TARGET), ==,
      FASP_DRAIN_UNKNOWN);
  g_assert_cmpint (fasp_drain_judge (&path.drain, path.drain.suspect_until, TARGET), ==,
      FASP_DRAIN_NOBODY);
}

/* Nothing is said of what was forgotten. */
static void
test_forget (void)
{
  Path path = { .queue = 30000 };

  g_assert_false (fasp_drain_is_in_vain (&path.drain, TARGET));
  pass (&path, 5e6, 60 * FASP_MSEC, rest);
  drain (&path, 5e6, 60 * FASP_MSEC, rest);
  g_assert_true (fasp_drain_is_in_vain (&path.drain, TARGET));
  fasp_drain_forget (&path.drain, path.now);
  g_assert_false (fasp_drain_is_in_vain (&path.drain, TARGET));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/drain/ours", test_ours);
  g_test_add_func ("/drain/rivals", test_rivals);
  g_test_add_func ("/drain/steady", test_steady);
  g_test_add_func ("/drain/longer", test_longer);
  g_test_add_func ("/drain/gone", test_gone);
  g_test_add_func ("/drain/silence", test_silence);
  g_test_add_func ("/drain/forget", test_forget);
  return g_test_run ();
}
