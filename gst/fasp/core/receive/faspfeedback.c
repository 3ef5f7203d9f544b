/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspfeedback.h"

/* The least time between two feedbacks, even if they are asked for. */
#define SPACING FASP_MSEC
#define TOKENS_MAX 8192
/* With fewer tokens than this the regular clock is slow, so that the rest is left for losses. */
#define CLOCK_SPARES (TOKENS_MAX * 3 / 4)
/* The factor by which the clock is slower while nothing is missing, unless the sender is eager. */
#define CALM 4
/* The clock is slowest while fewer bytes than this have arrived since the last feedback, as the
 * sender needs hardly any memory to keep so few. */
#define LITTLE 65536 /* bytes */
/* With fewer bytes than this the stream pauses: the sender's tail probe would ask for feedback
 * before the slow clock is due. */
#define SPARSE 6000 /* bytes */
/* Feedback is due when the window has opened by more than 1 / WINDOW_SHARE since the last feedback.
 */
#define WINDOW_SHARE 4
/* While the stream pauses, feedback is repeated after PAUSE, then after twice as long each time, up
 * to IDLE. */
#define PAUSE FASP_FEEDBACK_CLOCK_MAX
#define IDLE (500 * FASP_MSEC)
/* Feedback is repeated only while at least this many tokens are left: FRESH_SPARES for a new loss,
 * else REPEAT_SPARES. */
#define REPEAT_SPARES (TOKENS_MAX / 2)
#define FRESH_SPARES (TOKENS_MAX / 8)
/* A member repeats its request for missing blocks after ASK_AGAIN halves of a round trip, but not
 * before ASK_AGAIN_LEAST. */
#define ASK_AGAIN 3
#define ASK_AGAIN_LEAST (10 * FASP_MSEC)
/* How long a member is the speaker unless the sender says so again. */
#define SPEAKS_FOR (2 * FASP_SEC)

void
fasp_feedback_init (FaspFeedbackTracker *tracker, FaspTime now, const FaspReorder *reorder)
{
  memset (tracker, 0, sizeof (*tracker));
  tracker->reorder = reorder;
  tracker->least_from = tracker->due = now;
  tracker->sent = now - FASP_SEC;
  tracker->tokens = TOKENS_MAX;
  tracker->interval = tracker->interval_whole = FASP_FEEDBACK_CLOCK_MAX;
  tracker->pause = IDLE;
  tracker->backoff.time = FASP_NEVER;
}

void
fasp_feedback_opened (FaspFeedbackTracker *tracker, FaspTime now)
{
  tracker->due = now;
}

void
fasp_feedback_set_eager (FaspFeedbackTracker *tracker, gboolean eager)
{
  tracker->eager = eager;
}

void
fasp_feedback_set_member (FaspFeedbackTracker *tracker, gboolean member)
{
  tracker->member = member;
}

static gboolean
is_missing_any (const FaspFeedbackTracker *tracker)
{
  guint64 start, length;

  return fasp_reorder_next_gap (tracker->reorder, 0, &start, &length);
}

/* --- a member of a group ----------------------------------------------------------- */

void
fasp_feedback_join (FaspFeedbackTracker *tracker, guint64 seed, guint members, FaspTime back_off,
    guint clock_ms)
{
  tracker->member = TRUE;
  fasp_nack_backoff_init (&tracker->backoff, seed);
  fasp_nack_backoff_set (&tracker->backoff, members, back_off, clock_ms);
}

gboolean
fasp_feedback_backs_off (const FaspFeedbackTracker *tracker)
{
  return tracker->member && tracker->backoff.members > 1 && !tracker->speaks;
}

void
fasp_feedback_group (FaspFeedbackTracker *tracker, FaspTime now, guint64 members,
    guint64 back_off_us, guint64 clock_ms)
{
  FaspTime before = tracker->backoff.clock;

  fasp_nack_backoff_set (&tracker->backoff, members, back_off_us, clock_ms);
  if (tracker->backoff.clock < before)
    tracker->clock_since = now;
  /* scales the wait, so that members do not all report at once: RFC 3550, section 6.3.4 */
  if (fasp_feedback_backs_off (tracker) && tracker->backoff.clock < before && tracker->due > now)
    tracker->due = now + (tracker->due - now) * tracker->backoff.clock / before;
}

void
fasp_feedback_speak (FaspFeedbackTracker *tracker, FaspTime now)
{
  tracker->speaks_until = now + SPEAKS_FOR;
}

/* Schedules a request for missing blocks, which other members may lack, too. */
static void
ask (FaspFeedbackTracker *tracker, FaspTime now)
{
  fasp_nack_backoff_ask (&tracker->backoff, now, fasp_reorder_get_highest (tracker->reorder));
}

guint64
fasp_feedback_report_settled (FaspFeedbackTracker *tracker)
{
  if (!fasp_feedback_backs_off (tracker))
    tracker->backoff.time = FASP_NEVER; /* without back-off, losses are reported at once */
  return fasp_nack_backoff_report (&tracker->backoff,
      tracker->asks && fasp_feedback_backs_off (tracker));
}

/* Is a block still missing that the last request asked for? */
static gboolean
is_missing_asked (const FaspFeedbackTracker *tracker)
{
  guint64 start, length;

  return fasp_reorder_next_gap (tracker->reorder, 0, &start, &length)
      && start < tracker->backoff.end;
}

gboolean
fasp_feedback_is_missing_unasked (const FaspFeedbackTracker *tracker)
{
  guint64 start, length;

  return fasp_feedback_backs_off (tracker) && tracker->backoff.time == FASP_NEVER
      && fasp_reorder_next_gap (tracker->reorder, tracker->backoff.end, &start, &length);
}

/* --- when feedback is due ------------------------------------------------------------ */

static void
due (FaspFeedbackTracker *tracker, FaspTime when)
{
  when = MAX (when, tracker->sent + SPACING);
  tracker->due = MIN (tracker->due, when);
}

/* Makes feedback due. @insist: it is also repeated. */
static void
speak (FaspFeedbackTracker *tracker, FaspTime now, gboolean insist)
{
  if (insist)
    tracker->repeats = 1;
  tracker->owed = tracker->tokens < 0;
  due (tracker, tracker->owed ? tracker->sent + tracker->interval : now);
}

void
fasp_feedback_now (FaspFeedbackTracker *tracker, FaspTime now)
{
  speak (tracker, now, FALSE);
}

void
fasp_feedback_insist (FaspFeedbackTracker *tracker, FaspTime now)
{
  tracker->tokens = MAX (tracker->tokens, REPEAT_SPARES);
  speak (tracker, now, TRUE);
}

/* Was a loss settled just now? This counts even if no block is known to be missing, as the lost
 * block may not be known to exist yet. */
static gboolean
is_fresh (const FaspFeedbackTracker *tracker)
{
  return tracker->repeats > 0 && tracker->repeats < FASP_FEEDBACK_FRESH;
}

/* Plans to repeat the last feedback, as far as there are tokens for it. */
static void
repeat (FaspFeedbackTracker *tracker)
{
  gint64 spare = tracker->repeats <= FASP_FEEDBACK_FRESH ? FRESH_SPARES : REPEAT_SPARES;

  if (tracker->repeats > 0 && tracker->tokens >= spare && !fasp_feedback_backs_off (tracker))
    due (tracker, tracker->sent + FASP_FEEDBACK_REPEAT (MAX (tracker->repeats, 2) - 2));
}

/* The interval of the regular clock while nothing is missing. */
static FaspTime
choose_calm_interval (const FaspFeedbackTracker *tracker, FaspTime now, gsize size)
{
  FaspTime calm = MIN (CALM * tracker->interval, FASP_FEEDBACK_CLOCK_MAX);
  gboolean is_sparse = tracker->came < SPARSE && now - tracker->sent >= calm;

  if (tracker->tokens < CLOCK_SPARES || tracker->speaks)
    return FASP_FEEDBACK_CLOCK_MAX;
  if (tracker->eager)
    return tracker->interval;
  return is_sparse || tracker->came + size >= LITTLE ? calm : FASP_FEEDBACK_CLOCK_MAX;
}

void
fasp_feedback_datagram (FaspFeedbackTracker *tracker, FaspTime now, gsize size,
    FaspTime smoothed_rtt)
{
  FaspTime elapsed = now - tracker->least_from;
  gint64 least =
      MIN (elapsed * FASP_FEEDBACK_LEAST / FASP_SEC, (gint64) size / FASP_FEEDBACK_SHARE_MOST);
  gint64 earned = MAX (least, (gint64) size / FASP_FEEDBACK_SHARE);

  tracker->speaks = now < tracker->speaks_until;
  /* bytes that a small datagram did not use remain for the next one */
  tracker->least_from = CLAMP (tracker->least_from + earned * FASP_SEC / FASP_FEEDBACK_LEAST,
      now - FASP_SEC, now + FASP_SEC);
  tracker->tokens = MIN (tracker->tokens + earned, TOKENS_MAX);
  if (tracker->owed && tracker->tokens >= 0) {
    tracker->owed = FALSE;
    due (tracker, now);
  }
  repeat (tracker);
  tracker->rtt = smoothed_rtt;
  tracker->interval = FASP_FEEDBACK_CLOCK (smoothed_rtt);
  tracker->interval_whole = choose_calm_interval (tracker, now, size);
  tracker->came += size;
}

void
fasp_feedback_data (FaspFeedbackTracker *tracker)
{
  tracker->pause = PAUSE;
  if (!fasp_feedback_backs_off (tracker))
    due (tracker,
        tracker->sent + (is_missing_any (tracker) ? tracker->interval : tracker->interval_whole));
}

void
fasp_feedback_settled (FaspFeedbackTracker *tracker, FaspTime now)
{
  if (fasp_feedback_backs_off (tracker))
    ask (tracker, now);
  else
    speak (tracker, now, TRUE);
}

void
fasp_feedback_asked (FaspFeedbackTracker *tracker, FaspTime now, gboolean all)
{
  if (!all || !fasp_feedback_backs_off (tracker))
    speak (tracker, now, FALSE);
  else if (is_missing_any (tracker))
    ask (tracker, now);
}

/* A member waits for a random time, as other members may report the same. */
static void
speak_spread (FaspFeedbackTracker *tracker, FaspTime now, gboolean insist)
{
  if (fasp_feedback_backs_off (tracker))
    due (tracker, now + fasp_nack_backoff_draw_spread (&tracker->backoff));
  else
    speak (tracker, now, insist);
}

void
fasp_feedback_wish (FaspFeedbackTracker *tracker, FaspTime now)
{
  speak_spread (tracker, now, FALSE);
}

void
fasp_feedback_complete (FaspFeedbackTracker *tracker, FaspTime now)
{
  speak_spread (tracker, now, TRUE);
}

void
fasp_feedback_taken (FaspFeedbackTracker *tracker, FaspTime now)
{
  guint64 opened = fasp_reorder_get_taken (tracker->reorder) - tracker->taken_reported;

  if (opened > fasp_reorder_get_capacity (tracker->reorder) / WINDOW_SHARE)
    speak (tracker, now, TRUE);
}

/* When feedback is due and the return path allows it. */
static FaspTime
get_due (const FaspFeedbackTracker *tracker)
{
  return fasp_later (tracker->due, fasp_feedback_bucket_get_time (&tracker->bucket));
}

FaspTime
fasp_feedback_get_timeout (const FaspFeedbackTracker *tracker)
{
  return fasp_sooner (get_due (tracker), tracker->backoff.time);
}

gboolean
fasp_feedback_is_due (FaspFeedbackTracker *tracker, FaspTime now)
{
  FaspNackBackoff *backoff = &tracker->backoff;

  if (backoff->time <= now) {
    backoff->time = FASP_NEVER;
    if (is_missing_asked (tracker)) {
      tracker->asks = TRUE;
      speak (tracker, now, FALSE);
    } else {
      fasp_nack_backoff_report (backoff, TRUE); /* all blocks of the request have arrived
                                                   meanwhile */
      if (is_missing_any (tracker))
        ask (tracker, now);
    }
  }
  return get_due (tracker) <= now;
}

/* --- sending it ------------------------------------------------------------------------ */

void
fasp_feedback_fill (FaspFeedbackTracker *tracker, FaspFeedback *feedback, gsize room)
{
  guint64 ack = fasp_reorder_get_ack (tracker->reorder);
  guint64 at = MAX (ack, tracker->part_from), start, length;

  feedback->ack = ack;
  feedback->window = fasp_reorder_get_window (tracker->reorder);
  feedback->from = at;
  feedback->end = fasp_reorder_get_highest (tracker->reorder);
  feedback->tail = TRUE;
  feedback->n_ranges = 0;
  tracker->part_from = 0;
  while (fasp_reorder_next_gap (tracker->reorder, at, &start, &length)) {
    guint size = fasp_wire_range_size (start - at, length);

    if (size > room || feedback->n_ranges == FASP_RANGES_MAX) {
      /* reports as many ranges as fit; the rest follows in a FEEDBACK of its own */
      feedback->end = at;
      feedback->tail = FALSE;
      tracker->part_from = at;
      return;
    }
    room -= size;
    feedback->ranges[feedback->n_ranges++] = (FaspRange) { start, length };
    at = start + length;
  }
}

/* Plans the next feedback of a member. */
static void
plan_with_backoff (FaspFeedbackTracker *tracker, FaspTime now)
{
  FaspNackBackoff *backoff = &tracker->backoff;

  tracker->due = now + fasp_nack_backoff_draw_clock (backoff);
  if (backoff->time == FASP_NEVER && is_missing_asked (tracker))
    fasp_nack_backoff_ask_again (backoff,
        now + MAX (ASK_AGAIN * tracker->rtt / 2, ASK_AGAIN_LEAST));
  /* newer losses get a request of their own */
  if (backoff->known > backoff->reported)
    ask (tracker, now);
}

void
fasp_feedback_sent (FaspFeedbackTracker *tracker, FaspTime now, gsize size)
{
  tracker->count++;
  tracker->sent = now;
  tracker->came = 0;
  tracker->owed = FALSE;
  tracker->tokens = MAX (tracker->tokens - (gint64) size, -TOKENS_MAX);
  fasp_feedback_bucket_spend (&tracker->bucket, now, size);
  tracker->taken_reported = fasp_reorder_get_taken (tracker->reorder);
  if (tracker->part_from > 0 && tracker->tokens >= 0) {
    tracker->due = now + SPACING; /* the rest of the list follows */
  } else if (fasp_feedback_backs_off (tracker)) {
    plan_with_backoff (tracker, now);
  } else if (is_missing_any (tracker) || is_fresh (tracker)) {
    tracker->due = now + tracker->interval;
    tracker->repeats += tracker->repeats > 0;
    repeat (tracker);
  } else {
    tracker->repeats = 0;
    tracker->due = now + (tracker->tokens >= 0 ? tracker->pause : IDLE);
    tracker->pause = MIN (2 * tracker->pause, IDLE);
  }
  tracker->asks = FALSE;
}
