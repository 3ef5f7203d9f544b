/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspfeedbackrate.h"

#define PERIOD (10 * FASP_SEC)
#define LOOK_COUNT 4
#define QUEUE_SHORT (15 * FASP_MSEC)
#define QUEUE_LONG (50 * FASP_MSEC)
#define QUEUE_HUGE (150 * FASP_MSEC)
#define NOISE_MOST (50 * FASP_MSEC)
#define NOISE_GAIN .125 /* weight of a new value in the smoothed noise */
#define NOISES 2
/* The longest wait for the effect of a change: by the peer's clock, and by ours. */
#define WAIT_MOST FASP_SEC
#define WAIT_END (4 * FASP_SEC)
/* A larger step is not a queue: one of the clocks was set. */
#define TRANSIT_STEP (10 * FASP_SEC)
/* A receiver obeys the rate if it sends at up to this many times the rate. */
#define OBEYS 1.25
/* Feedback lengthens the queue if it leaves at this many times the rate at which it arrives. */
#define HELD_UP 1.1
#define SHORTER .875
#define NEAR .75 /* the rate doubles only below this share of a rate that made a queue */

static void
look_again (FaspFeedbackRate *f)
{
  f->look_least = FASP_NEVER;
  f->look_count = 0;
  f->look_bytes = 0;
}

/* The queueing delay of this feedback, µs. */
static FaspTime
measure (FaspFeedbackPath *w, FaspTime now, guint32 clock)
{
  guint32 transit = (guint32) now - clock;

  w->transit += (gint32) (transit - (guint32) w->transit);
  if (!w->measured || ABS (w->transit - w->least) > TRANSIT_STEP) {
    *w = (FaspFeedbackPath) { TRUE, w->transit, w->transit, w->transit, now };
  } else if (now - w->period_from > PERIOD) {
    w->least_before = w->least;
    w->least = w->transit;
    w->period_from = now;
  }
  w->least = MIN (w->least, w->transit);
  return w->transit - MIN (w->least, w->least_before);
}

/* A change was made: sets when its effect can show in feedback. */
static void
wait_for (FaspFeedbackRate *f, FaspTime now, guint32 clock, FaspTime rtt, FaspTime queue)
{
  f->wait_clock = clock + (guint32) MIN (rtt + queue, WAIT_MOST);
  f->wait_until = now + WAIT_END;
}

/* Lowers the rate. @passes: bytes/s that arrive. */
static void
cut (FaspFeedbackRate *f, guint64 passes, gboolean huge, guint64 sent)
{
  guint64 rate = MIN (f->rate, passes);
  guint64 least = MAX (FASP_FEEDBACK_RATE_LEAST, sent / 8 / FASP_FEEDBACK_RATE_LEAST_SHARE);

  f->rate_before = f->rate;
  f->passes = rate;
  rate = huge ? rate / 2 : rate * 3 / 4;
  f->rate = MAX (rate, MIN (least, f->rate));
  f->queue = 0;
}

/* Judges a queue that stays after a cut that the receiver obeys. */
static void
watch_queue (FaspFeedbackRate *f, FaspTime queue)
{
  /* it has not become shorter, so feedback does not cause it */
  if (f->queue > 0 && queue > SHORTER * f->queue) {
    f->rate = f->rate_before;
    f->rate_before = 0;
    f->others += queue;
    return;
  }
  f->queue = queue;
}

static void
grow (FaspFeedbackRate *f)
{
  if (f->passes == 0)
    f->rate *= 2;
  else
    f->rate = MAX (f->rate * 9 / 8, MIN (f->rate * 2, NEAR * f->passes));
  f->rate = MIN (f->rate, FASP_FEEDBACK_RATE_MOST);
}

/* Judges the queue of this look, and changes the rate. TRUE: more feedback arrives than the rate
 * allows, so the receiver does not know the rate. */
static gboolean
judge (FaspFeedbackRate *f, FaspTime now, guint32 clock, FaspTime rtt, guint64 sent)
{
  FaspTime spoke = fasp_later ((gint32) (clock - f->look_clock), 1), queue;
  guint64 passes = f->look_bytes * FASP_SEC / (now - f->look_from);
  guint64 said = f->look_bytes * FASP_SEC / spoke;
  /* a receiver that sends at the longest interval obeys, even if its feedback is large */
  gboolean obeys =
      said <= OBEYS * f->rate || spoke / (f->look_count - 1) >= FASP_FEEDBACK_RATE_WAIT * 3 / 4;
  gboolean held_up = said > HELD_UP * passes;
  FaspTime margin = NOISES * f->noise;

  f->others = MIN (f->others, f->look_least);
  queue = f->look_least - f->others;
  if (f->rate_before == 0 && !held_up)
    f->noise += NOISE_GAIN * (MIN (ABS (f->look_least - f->last_least), NOISE_MOST) - f->noise);
  f->last_least = f->look_least;
  if (queue > QUEUE_LONG + margin) {
    gboolean disobeyed = f->rate_before > 0 && !obeys;

    if (f->rate_before == 0 || (obeys && held_up))
      cut (f, passes, queue > QUEUE_HUGE + margin, sent);
    else if (obeys)
      watch_queue (f, queue);
    wait_for (f, now, clock, rtt, queue);
    return disobeyed;
  }
  f->rate_before = 0;
  if (queue > QUEUE_SHORT + margin || passes < f->rate / 2)
    return FALSE;
  grow (f);
  wait_for (f, now, clock, rtt, 0);
  return FALSE;
}

gboolean
fasp_feedback_rate_feedback (FaspFeedbackRate *f, FaspFeedbackPath *path, FaspTime now,
    guint32 clock, gsize size, FaspTime rtt, guint64 sent)
{
  FaspTime queue = measure (path, now, clock);
  gboolean disobeyed = FALSE;
  guint64 before = f->rate;

  if (f->rate == 0) {
    f->rate = CLAMP (sent / 8 / FASP_FEEDBACK_RATE_FIRST_SHARE, FASP_FEEDBACK_RATE_FIRST,
        FASP_FEEDBACK_RATE_MOST);
    f->wait_clock = clock;
    f->wait_until = now;
    look_again (f);
  }
  if (f->look_count++ == 0) {
    f->look_from = now;
    f->look_clock = clock;
  } else {
    f->look_bytes += size;
  }
  f->look_least = MIN (f->look_least, queue);
  if (f->look_count < LOOK_COUNT || now - f->look_from < FASP_FEEDBACK_RATE_LOOK)
    return f->rate != before;
  if ((gint32) (f->look_clock - f->wait_clock) >= 0 || now >= f->wait_until)
    disobeyed = judge (f, now, clock, rtt, sent);
  look_again (f);
  return f->rate != before || disobeyed;
}

void
fasp_feedback_bucket_set (FaspFeedbackBucket *b, guint64 rate)
{
  if (rate > 0)
    b->rate = CLAMP (rate, FASP_FEEDBACK_RATE_LEAST, FASP_FEEDBACK_RATE_MOST);
}

void
fasp_feedback_bucket_spend (FaspFeedbackBucket *b, FaspTime now, gsize size)
{
  if (b->rate == 0)
    return;
  b->paid = MAX (b->paid, now) + size * FASP_SEC / b->rate;
  b->paid = MIN (b->paid, now + FASP_FEEDBACK_RATE_DEPTH + FASP_FEEDBACK_RATE_WAIT);
}

FaspTime
fasp_feedback_bucket_get_time (const FaspFeedbackBucket *b)
{
  return b->paid - FASP_FEEDBACK_RATE_DEPTH;
}
