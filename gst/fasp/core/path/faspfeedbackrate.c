/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspfeedbackrate.h"

#define PERIOD (10 * FASP_SEC)
#define LOOK_COUNT 4
#define QUEUE_SHORT (15 * FASP_MSEC)
#define QUEUE_LONG (50 * FASP_MSEC)
#define QUEUE_HUGE (150 * FASP_MSEC)
#define NOISE_MOST (50 * FASP_MSEC)
#define NOISE_GAIN .125 /* of the smoothing */
#define NOISES 2
/* The longest wait for the effect of a change: by the peer's clock, and by ours. */
#define WAIT_MOST FASP_SEC
#define WAIT_END (4 * FASP_SEC)
/* No queue is that long: one of the clocks was set. */
#define WAY_STEP (10 * FASP_SEC)
/* A receiver that sends up to this many times the rate obeys it. */
#define OBEYS 1.25
/* If feedback left by this factor faster than it arrives, it makes the queue longer. */
#define HELD_UP 1.1
#define SHORTER .875
#define NEAR .75 /* of what was too much */

static void
look_again (FaspFeedbackRate *b)
{
  b->look_least = FASP_NEVER;
  b->look_count = 0;
  b->look_bytes = 0;
}

/* The queue that this feedback has met, µs. */
static FaspTime
measure (FaspWayBack *w, FaspTime now, guint32 clock)
{
  guint32 way = (guint32) now - clock;

  w->way += (gint32) (way - (guint32) w->way);
  if (!w->measured || ABS (w->way - w->least) > WAY_STEP) {
    *w = (FaspWayBack) { TRUE, w->way, w->way, w->way, now };
  } else if (now - w->period_from > PERIOD) {
    w->least_before = w->least;
    w->least = w->way;
    w->period_from = now;
  }
  w->least = MIN (w->least, w->way);
  return w->way - MIN (w->least, w->least_before);
}

/* A change was made: sets when its effect can show in feedback. */
static void
wait_for (FaspFeedbackRate *b, FaspTime now, guint32 clock, FaspTime rtt, FaspTime queue)
{
  b->wait_clock = clock + (guint32) MIN (rtt + queue, WAIT_MOST);
  b->wait_until = now + WAIT_END;
}

/* Lowers the rate.  @passes: bytes/s that come. */
static void
cut (FaspFeedbackRate *b, guint64 passes, gboolean huge, guint64 sent)
{
  guint64 rate = MIN (b->rate, passes);
  guint64 least = MAX (FASP_FEEDBACK_RATE_LEAST, sent / 8 / FASP_FEEDBACK_RATE_LEAST_SHARE);

  b->rate_before = b->rate;
  b->passes = rate;
  rate = huge ? rate / 2 : rate * 3 / 4;
  b->rate = MAX (rate, MIN (least, b->rate));
  b->queue = 0;
}

/* There still is a queue after a cut that the receiver obeys. */
static void
watch_queue (FaspFeedbackRate *b, FaspTime queue)
{
  /* it has not become shorter, so it is not ours */
  if (b->queue > 0 && queue > SHORTER * b->queue) {
    b->rate = b->rate_before;
    b->rate_before = 0;
    b->others += queue;
    return;
  }
  b->queue = queue;
}

static void
grow (FaspFeedbackRate *b)
{
  if (b->passes == 0)
    b->rate *= 2;
  else
    b->rate = MAX (b->rate * 9 / 8, MIN (b->rate * 2, NEAR * b->passes));
  b->rate = MIN (b->rate, FASP_FEEDBACK_RATE_MOST);
}

static void
judge (FaspFeedbackRate *b, FaspTime now, guint32 clock, FaspTime rtt, guint64 sent)
{
  FaspTime spoke = fasp_later ((gint32) (clock - b->look_clock), 1), queue;
  guint64 passes = b->look_bytes * FASP_SEC / (now - b->look_from);
  guint64 said = b->look_bytes * FASP_SEC / spoke;
  /* a receiver that sends as seldom as is allowed obeys, however large the feedback is */
  gboolean obeys =
      said <= OBEYS * b->rate || spoke / (b->look_count - 1) >= FASP_FEEDBACK_RATE_WAIT * 3 / 4;
  gboolean held_up = said > HELD_UP * passes;
  FaspTime margin = NOISES * b->noise;

  b->others = MIN (b->others, b->look_least);
  queue = b->look_least - b->others;
  if (b->rate_before == 0 && !held_up)
    b->noise += NOISE_GAIN * (MIN (ABS (b->look_least - b->last_least), NOISE_MOST) - b->noise);
  b->last_least = b->look_least;
  if (queue > QUEUE_LONG + margin) {
    b->disobeyed = b->rate_before > 0 && !obeys;
    if (b->rate_before == 0 || (obeys && held_up))
      cut (b, passes, queue > QUEUE_HUGE + margin, sent);
    else if (obeys)
      watch_queue (b, queue);
    wait_for (b, now, clock, rtt, queue);
    return;
  }
  b->rate_before = 0;
  if (queue > QUEUE_SHORT + margin || passes < b->rate / 2)
    return;
  grow (b);
  wait_for (b, now, clock, rtt, 0);
}

void
fasp_feedback_rate_feedback (FaspFeedbackRate *b, FaspWayBack *way, FaspTime now, guint32 clock,
    gsize size, FaspTime rtt, guint64 sent)
{
  FaspTime queue = measure (way, now, clock);

  if (b->rate == 0) {
    b->rate = CLAMP (sent / 8 / FASP_FEEDBACK_RATE_FIRST_SHARE, FASP_FEEDBACK_RATE_FIRST,
        FASP_FEEDBACK_RATE_MOST);
    b->wait_clock = clock;
    b->wait_until = now;
    look_again (b);
  }
  if (b->look_count++ == 0) {
    b->look_from = now;
    b->look_clock = clock;
  } else {
    b->look_bytes += size;
  }
  b->look_least = MIN (b->look_least, queue);
  if (b->look_count < LOOK_COUNT || now - b->look_from < FASP_FEEDBACK_RATE_LOOK)
    return;
  if ((gint32) (b->look_clock - b->wait_clock) >= 0 || now >= b->wait_until)
    judge (b, now, clock, rtt, sent);
  look_again (b);
}

void
fasp_allowance_set (FaspAllowance *a, guint64 rate)
{
  if (rate > 0)
    a->rate = CLAMP (rate, FASP_FEEDBACK_RATE_LEAST, FASP_FEEDBACK_RATE_MOST);
}

void
fasp_allowance_spend (FaspAllowance *a, FaspTime now, gsize size)
{
  if (a->rate == 0)
    return;
  a->paid = MAX (a->paid, now) + size * FASP_SEC / a->rate;
  a->paid = MIN (a->paid, now + FASP_FEEDBACK_RATE_DEPTH + FASP_FEEDBACK_RATE_WAIT);
}

FaspTime
fasp_allowance_get_time (const FaspAllowance *a)
{
  return a->paid - FASP_FEEDBACK_RATE_DEPTH;
}
