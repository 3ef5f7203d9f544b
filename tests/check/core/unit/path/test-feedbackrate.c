/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What feedback may take of the way back, with a way back that is a queue.
 */
#include "faspfeedbackrate.h"

#define SIZE 100
#define RTT (60 * FASP_MSEC)

/* A way back that takes @takes bytes/s, on which @wants bytes/s would be said. */
typedef struct
{
  FaspFeedbackRate feedback_rate;
  FaspFeedbackPath back;
  FaspFeedbackBucket bucket;
  FaspTime now, free;
  guint64 takes, wants;
  FaspTime delay;  /* without a queue, between two clocks */
  FaspTime others; /* the queue that somebody else makes */
  gboolean deaf;   /* what the sender tells is lost */
  GRand *rand;
  FaspTime jitter, last; /* by which nothing is overtaken; the last arrival */
  guint64 bytes;
  FaspTime queue, queue_max; /* the last, and the worst */
} Way;

static void
say (Way *w)
{
  w->free = MAX (w->free, w->now) + SIZE * FASP_SEC / w->takes;
  w->queue = w->free - w->now + w->others;
  if (w->jitter > 0)
    w->queue += g_rand_double (w->rand) * w->jitter;
  w->last = MAX (w->last, w->now + w->queue);
  w->queue = w->last - w->now;
  w->bytes += SIZE;
  w->queue_max = MAX (w->queue_max, w->queue);
  fasp_feedback_rate_feedback (&w->feedback_rate, &w->back, w->now + w->delay + w->queue, w->now,
      SIZE, RTT, 0);
  if (!w->deaf)
    fasp_feedback_bucket_set (&w->bucket, w->feedback_rate.rate);
  fasp_feedback_bucket_spend (&w->bucket, w->now, SIZE);
}

static void
run (Way *w, FaspTime duration)
{
  FaspTime end = w->now + duration;

  w->queue_max = 0;
  while (w->now < end) {
    say (w);
    w->now = fasp_later (w->now + SIZE * FASP_SEC / w->wants,
        fasp_feedback_bucket_get_time (&w->bucket));
  }
}

static void
test_narrow (void)
{
  static const guint64 takes[] = { 2000, 8000, 14000 };

  for (guint i = 0; i < G_N_ELEMENTS (takes); i++) {
    Way w = { .now = FASP_SEC, .takes = takes[i], .wants = 50000, .delay = -7 * FASP_SEC };

    run (&w, 5 * FASP_SEC);
    run (&w, 60 * FASP_SEC);
    g_assert_cmpint (w.queue_max, <=, 150 * FASP_MSEC);
    g_assert_cmpuint (w.feedback_rate.rate, >=, takes[i] / 2);
    g_assert_cmpuint (w.feedback_rate.rate, <=, takes[i] * 3 / 2);
  }
}

/* Where there is room it is soon all that is wanted; and not more than could be shown
 * to be there. */
static void
test_wide (void)
{
  Way w = { .now = FASP_SEC, .takes = 10000000, .wants = 200000, .delay = 5 * FASP_SEC };

  run (&w, FASP_SEC);
  g_assert_cmpuint (w.feedback_rate.rate, >=, w.wants);
  run (&w, 60 * FASP_SEC);
  g_assert_cmpuint (w.feedback_rate.rate, <=, 4 * w.wants);
  g_assert_cmpint (w.queue_max, <, FASP_MSEC);
}

/* A longer route, or what others send: less feedback does not help, so it is as much as
 * before soon. */
static void
test_not_ours (void)
{
  Way w = { .now = FASP_SEC, .takes = 1000000, .wants = 12000 };

  run (&w, 5 * FASP_SEC);
  w.others = 300 * FASP_MSEC;
  run (&w, 2 * FASP_SEC);
  g_assert_cmpuint (w.feedback_rate.rate, >=, w.wants);
  run (&w, 30 * FASP_SEC);
  g_assert_cmpuint (w.feedback_rate.rate, >=, w.wants);
  w.others = 0;
  run (&w, 30 * FASP_SEC);
  g_assert_cmpuint (w.feedback_rate.rate, >=, w.wants);
}

/* Delays that spread are no queue: what is wanted can be said. */
static void
test_jitter (void)
{
  for (guint i = 0; i < 9; i++) {
    Way w = {
      .now = FASP_SEC,
      .takes = 1000000,
      .wants = 8000 << i % 3,
      .jitter = (30 + 45 * (i / 3)) * FASP_MSEC,
    };

    w.rand = g_rand_new_with_seed (i);
    run (&w, 5 * FASP_SEC);
    w.bytes = 0;
    run (&w, 120 * FASP_SEC);
    g_test_message ("%u bytes/s, %d ms: %u", (guint) w.wants, (gint) (w.jitter / 1000),
        (guint) (w.bytes / 120));
    g_assert_cmpuint (w.bytes / 120, >, w.wants * 3 / 4);
    g_rand_free (w.rand);
  }
}

/* It narrows, and nobody is told of it for a while: that is not taken for the queue of
 * others. */
static void
test_not_sent (void)
{
  Way w = { .now = FASP_SEC, .takes = 100000, .wants = 15000 };

  run (&w, 5 * FASP_SEC);
  g_assert_cmpuint (w.feedback_rate.rate, >=, w.wants);
  w.takes = 8000;
  w.deaf = TRUE;
  run (&w, FASP_SEC);
  g_assert_cmpuint (w.feedback_rate.rate, <, 8000);
  g_assert_cmpint (w.queue, >, 500 * FASP_MSEC);
  w.deaf = FALSE;
  run (&w, 5 * FASP_SEC);
  run (&w, 30 * FASP_SEC);
  g_assert_cmpint (w.queue_max, <=, 150 * FASP_MSEC);
}

/* The low bits of two clocks that do not run alike. */
static void
test_clocks (void)
{
  FaspFeedbackRate feedback_rate = { 0 };
  FaspFeedbackPath back = { 0 };
  gdouble clock = 0xfff00000;
  FaspTime now = 0;

  for (guint i = 0; i < 400000; i++) {
    now += 20 * FASP_MSEC;
    clock += 20 * FASP_MSEC * 1.0002;
    fasp_feedback_rate_feedback (&feedback_rate, &back, now, (guint64) clock, SIZE, RTT, 0);
    g_assert_cmpuint (feedback_rate.rate, ==, FASP_FEEDBACK_RATE_FIRST);
  }
}

static void
test_hostile (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  FaspFeedbackRate feedback_rate = { 0 };
  FaspFeedbackPath back = { 0 };
  FaspTime now = 0;

  for (guint i = 0; i < 100000; i++) {
    now += g_rand_int_range (rand, 0, 4) * g_rand_int_range (rand, 0, 100000);
    fasp_feedback_rate_feedback (&feedback_rate, &back, now,
        g_rand_int (rand) >> g_rand_int_range (rand, 0, 32), g_rand_int_range (rand, 20, 1500),
        g_rand_int_range (rand, 0, 10000000), g_rand_int (rand));
    g_assert_cmpuint (feedback_rate.rate, >=, FASP_FEEDBACK_RATE_LEAST);
    g_assert_cmpuint (feedback_rate.rate, <=, FASP_FEEDBACK_RATE_MOST);
    if (i % 1000 == 0)
      now += 100 * FASP_SEC;
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/feedback-rate/narrow", test_narrow);
  g_test_add_func ("/feedback-rate/wide", test_wide);
  g_test_add_func ("/feedback-rate/not-ours", test_not_ours);
  g_test_add_func ("/feedback-rate/jitter", test_jitter);
  g_test_add_func ("/feedback-rate/not-sent", test_not_sent);
  g_test_add_func ("/feedback-rate/clocks", test_clocks);
  g_test_add_func ("/feedback-rate/hostile", test_hostile);
  return g_test_run ();
}
