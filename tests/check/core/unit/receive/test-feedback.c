/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspfeedback.h"
#include "vcases.h"

#define CAPACITY 1024
#define BLOCK 100 /* bytes */
#define START FASP_SEC

typedef struct
{
  FaspReorder *reorder;
  FaspFeedbackTracker report;
} Fixture;

/* Something was said just now. */
static void
begin (Fixture *f)
{
  f->reorder = fasp_reorder_new (CAPACITY, 0);
  fasp_feedback_init (&f->report, START, f->reorder);
  fasp_feedback_sent (&f->report, START, 0);
}

static void
end (Fixture *f)
{
  fasp_reorder_free (f->reorder);
}

static void
put (Fixture *f, guint64 number)
{
  static const guint8 data[BLOCK];
  FaspReorderPiece piece = {
    .number = number,
    .count = 1,
    .total = BLOCK,
    .data = data,
    .size = BLOCK,
  };

  g_assert_cmpint (fasp_reorder_insert (f->reorder, START, &piece), ==, FASP_REORDER_STORED);
}

/* --- when ------------------------------------------------------------------------- */

typedef enum
{
  NOTHING,
  DATA,
  DATA_BEHIND_HOLE,
  SETTLED,
  ASKED,
  COMPLETE,
  TAKEN,
  NEWS
} Event;

typedef struct
{
  const gchar *name;
  Event event;
  FaspTime at; /* after the last feedback */
  FaspTime rtt;
  guint bytes; /* that come with it */
  gboolean eager;
  FaspTime due; /* after the last feedback */
} Case;

static void
happen (Fixture *f, const Case *c)
{
  FaspTime now = START + c->at;

  f->report.eager = c->eager;
  if (c->bytes > 0)
    fasp_feedback_datagram (&f->report, now, c->bytes, c->rtt);
  switch (c->event) {
    case NOTHING:
      break;
    case DATA_BEHIND_HOLE:
      put (f, 1);
      fasp_feedback_data (&f->report);
      break;
    case DATA:
      put (f, 0);
      fasp_feedback_data (&f->report);
      break;
    case SETTLED:
      fasp_feedback_settled (&f->report, now);
      break;
    case ASKED:
      fasp_feedback_asked (&f->report, now, FALSE);
      break;
    case COMPLETE:
      fasp_feedback_complete (&f->report, now);
      break;
    case TAKEN:
      for (guint i = 0; i <= CAPACITY / 4; i++) {
        put (f, i);
        fasp_block_unref (fasp_reorder_take (f->reorder));
        /* a quarter is not worth a word, more is */
        g_assert_cmpint (fasp_feedback_get_timeout (&f->report), >, now);
        fasp_feedback_taken (&f->report, now);
      }
      break;
    case NEWS:
      fasp_feedback_now (&f->report, now);
      break;
  }
}

static void
test_when (gconstpointer data)
{
  const Case *c = data;
  Fixture f;

  begin (&f);
  happen (&f, c);
  g_assert_cmpint (fasp_feedback_get_timeout (&f.report) - START, ==, c->due);
  g_assert_false (fasp_feedback_is_due (&f.report, START + c->due - 1));
  g_assert_true (fasp_feedback_is_due (&f.report, START + c->due));
  end (&f);
}

/* What is missing is said again and again, with longer and longer pauses, until half of
 * what may be said in advance is left; and then by the clock. */
static void
test_again (void)
{
  const FaspTime rtt = 200 * FASP_MSEC;
  guint n = 0, said = 0;
  FaspTime now = START + 10 * FASP_MSEC;
  Fixture f;

  begin (&f);
  fasp_feedback_datagram (&f.report, now, 1, rtt);
  put (&f, 1);
  fasp_feedback_settled (&f.report, now);
  for (; said <= 4096; n++) {
    FaspTime due = fasp_feedback_get_timeout (&f.report);

    g_assert_cmpint (due - now, ==,
        n == 0      ? 0 :
            n <= 16 ? 2 * FASP_MSEC :
            n <= 32 ? 4 * FASP_MSEC :
                      8 * FASP_MSEC);
    now = due;
    fasp_feedback_sent (&f.report, now, BLOCK);
    said += BLOCK;
  }
  g_assert_cmpint (fasp_feedback_get_timeout (&f.report) - now, ==, rtt / 4);
  /* all is here: a sign of life, now and then */
  put (&f, 0);
  now += rtt / 4;
  fasp_feedback_sent (&f.report, now, BLOCK);
  g_assert_cmpint (fasp_feedback_get_timeout (&f.report), ==, now + FASP_SEC / 2);
  end (&f);
}

/* Nothing comes any more: it is said soon, as the address may have changed, and then less and less
 * often. */
static void
test_pause (void)
{
  static const guint waits[] = { 100, 200, 400, 500, 500 }; /* ms */
  FaspTime now = START;
  Fixture f;

  begin (&f);
  put (&f, 0);
  fasp_feedback_data (&f.report);
  for (guint i = 0; i < G_N_ELEMENTS (waits); i++) {
    fasp_feedback_sent (&f.report, now, BLOCK);
    g_assert_cmpint (fasp_feedback_get_timeout (&f.report) - now, ==, waits[i] * FASP_MSEC);
    now = fasp_feedback_get_timeout (&f.report);
  }
  /* not beyond its share of what came */
  fasp_feedback_data (&f.report);
  fasp_feedback_sent (&f.report, now, 8192);
  g_assert_cmpint (fasp_feedback_get_timeout (&f.report) - now, ==, 500 * FASP_MSEC);
  end (&f);
}

/* Whatever comes, and whatever is asked: what is not said by the clock is a share of
 * what comes, and nothing is later than the clock. */
static void
test_share (void)
{
  for (guint seed = 0; seed < 20; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    const FaspTime rtt = g_rand_int_range (rand, 1, 500) * FASP_MSEC;
    guint64 came = 0, said = 0, feedbacks = 0;
    FaspTime now = START, last = START;
    Fixture f;

    begin (&f);
    put (&f, 1);
    for (guint i = 0; i < 10000; i++) {
      guint size = g_rand_int_range (rand, 60, 1500);

      now += g_rand_int_range (rand, 0, 4 * FASP_MSEC);
      came += size;
      fasp_feedback_datagram (&f.report, now, size, rtt);
      fasp_feedback_data (&f.report);
      if (g_rand_int_range (rand, 0, 3) == 0)
        fasp_feedback_settled (&f.report, now);
      if (g_rand_int_range (rand, 0, 5) == 0)
        fasp_feedback_asked (&f.report, now, FALSE);
      g_assert_cmpint (now - last, <=, MAX (f.report.interval, FASP_MSEC) + 4 * FASP_MSEC);
      if (!fasp_feedback_is_due (&f.report, now))
        continue;
      g_assert_cmpint (now - last, >=, FASP_MSEC);
      size = g_rand_int_range (rand, 60, 300);
      if (now - last < f.report.interval)
        said += size;
      feedbacks++;
      fasp_feedback_sent (&f.report, now, size);
      last = now;
    }
    g_assert_cmpuint (f.report.count, ==, feedbacks + 1);
    /* the last may take more than there was */
    g_assert_cmpuint (said, <=,
        8192 + 300 + came / FASP_FEEDBACK_SHARE + (now - START) * FASP_FEEDBACK_LEAST / FASP_SEC);
    g_assert_cmpuint (said, >, 0);
    end (&f);
  }
}

/* --- what --------------------------------------------------------------------------- */

/* A list that is too long goes out in parts, of which each is about what it covers. */
static void
test_parts (void)
{
  enum
  {
    HOLES = 300,
    ROOM = 100
  };
  FaspTime now = START + FASP_SEC;
  guint64 covered = 0;
  guint holes = 0, parts = 0;
  FaspFeedback feedback;
  Fixture f;

  begin (&f);
  for (guint i = 1; i <= HOLES; i++)
    put (&f, 2 * i);
  put (&f, 0);
  do {
    guint size = 0;
    guint64 at;

    fasp_feedback_fill (&f.report, &feedback, ROOM);
    g_assert_cmpuint (feedback.ack, ==, 1);
    g_assert_cmpuint (feedback.from, ==, MAX (covered, 1));
    at = feedback.from;
    for (guint i = 0; i < feedback.n_ranges; i++) {
      const FaspRange *range = &feedback.ranges[i];

      g_assert_cmpuint (range->start, ==, 2 * holes + 1);
      g_assert_cmpuint (range->length, ==, 1);
      size += fasp_wire_range_size (range->start - at, range->length);
      at = range->start + range->length;
      holes++;
    }
    g_assert_cmpuint (size, <=, ROOM);
    covered = feedback.end;
    fasp_feedback_sent (&f.report, now, size);
    /* the rest does not wait for the clock */
    if (!feedback.tail)
      g_assert_cmpint (fasp_feedback_get_timeout (&f.report), ==, now + FASP_MSEC);
    now += FASP_MSEC;
  } while (!feedback.tail && ++parts < HOLES);
  g_assert_cmpuint (holes, ==, HOLES);
  g_assert_cmpuint (parts, >, 1);
  g_assert_cmpuint (covered, ==, fasp_reorder_get_highest (f.reorder));
  end (&f);
}

int
main (int argc, char **argv)
{
  static const Case cases[] = {
    { "silence", NOTHING, 0, 0, 0, FALSE, 500000 },
    { "little", DATA, 0, 40000, 1000, FALSE, 100000 },
    { "sparse", DATA, 90000, 40000, 1000, FALSE, 40000 },
    { "much", DATA, 0, 40000, 70000, FALSE, 40000 },
    { "far", DATA, 0, 300000, 70000, FALSE, 100000 },
    { "eager", DATA, 0, 40000, 1000, TRUE, 10000 },
    { "eager-far", DATA, 0, 200000, 1000, TRUE, 50000 },
    { "hole", DATA_BEHIND_HOLE, 0, 40000, 1000, FALSE, 10000 },
    { "lost", SETTLED, 5000, 40000, 1000, FALSE, 5000 },
    { "lost-again", SETTLED, 200, 40000, 1000, FALSE, 1000 },
    { "asked", ASKED, 20000, 0, 0, FALSE, 20000 },
    { "complete", COMPLETE, 20000, 0, 0, FALSE, 20000 },
    { "taken", TAKEN, 20000, 0, 0, FALSE, 20000 },
    { "news", NEWS, 20000, 0, 0, FALSE, 20000 },
  };

  g_test_init (&argc, &argv, NULL);
  vcases_add ("/feedback/when", cases, sizeof *cases, G_N_ELEMENTS (cases), test_when);
  g_test_add_func ("/feedback/again", test_again);
  g_test_add_func ("/feedback/pause", test_pause);
  g_test_add_func ("/feedback/share", test_share);
  g_test_add_func ("/feedback/parts", test_parts);
  return g_test_run ();
}
