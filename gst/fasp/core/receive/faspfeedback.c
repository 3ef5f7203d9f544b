/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspfeedback.h"

/* The least time between two feedbacks, even if they are asked for. */
#define SPACING FASP_MSEC
#define ALLOWANCE_MAX 8192
/* With less allowance than this the regular clock goes slow, to leave the rest to losses. */
#define CLOCK_SPARES (ALLOWANCE_MAX * 3 / 4)
/* How much slower the clock is while nothing is missing, if nobody is eager. */
#define CALM 4
/* It is slowest while less than this has come since the last feedback: the sender can easily
 * keep that little. */
#define LITTLE 65536            /* bytes */
/* But if less than this comes, in pauses, the sender would ask before the slow clock is due. */
#define SPARSE 6000             /* bytes */
/* The receiver tells its window anew when more than this part of it has opened. */
#define WINDOW_SHARE 4
/* Feedback as a sign of life while there is nothing to report. */
#define IDLE (500 * FASP_MSEC)
/* The allowance that repetitions leave alone; those of a new loss leave less. */
#define REPEAT_SPARES (ALLOWANCE_MAX / 2)
#define FRESH_SPARES (ALLOWANCE_MAX / 8)
/* A member asks again for what is missing after ASK_AGAIN halves of a round trip, and no sooner
 * than ASK_AGAIN_LEAST. */
#define ASK_AGAIN 3
#define ASK_AGAIN_LEAST (10 * FASP_MSEC)
/* How long a member is the speaker unless the sender says so again. */
#define SPEAKS_FOR (2 * FASP_SEC)

void
fasp_report_init (FaspReport * report, FaspTime now,
    const FaspReorder * reorder)
{
  memset (report, 0, sizeof (*report));
  report->reorder = reorder;
  report->least_from = report->due = now;
  report->sent = now - FASP_SEC;
  report->allowance = ALLOWANCE_MAX;
  report->interval = report->interval_whole = FASP_FEEDBACK_CLOCK_MAX;
  report->damp.time = FASP_NEVER;
}

static gboolean
is_missing_any (const FaspReport * report)
{
  guint64 start, length;

  return fasp_reorder_next_gap (report->reorder, 0, &start, &length);
}

/* --- one of many ------------------------------------------------------------------- */

void
fasp_report_join (FaspReport * report, guint64 seed, guint members,
    FaspTime back_off, guint clock_ms)
{
  report->member = TRUE;
  fasp_damp_init (&report->damp, seed);
  fasp_damp_set (&report->damp, members, back_off, clock_ms);
}

gboolean
fasp_report_is_damped (const FaspReport * report)
{
  return report->member && report->damp.members > 1 && !report->speaks;
}

void
fasp_report_group (FaspReport * report, FaspTime now, guint64 members,
    guint64 back_off_us, guint64 clock_ms)
{
  FaspTime before = report->damp.clock;

  fasp_damp_set (&report->damp, members, back_off_us, clock_ms);
  if (report->damp.clock < before)
    report->clock_since = now;
  /* scaling the wait keeps members from speaking all at once: RFC 3550, section 6.3.4 */
  if (fasp_report_is_damped (report) && report->damp.clock < before
      && report->due > now)
    report->due = now + (report->due - now) * report->damp.clock / before;
}

void
fasp_report_speak (FaspReport * report, FaspTime now)
{
  report->speaks_until = now + SPEAKS_FOR;
}

/* Something is missing, perhaps for other members, too. */
static void
ask (FaspReport * report, FaspTime now)
{
  fasp_damp_ask (&report->damp, now,
      fasp_reorder_get_highest (report->reorder));
}

guint64
fasp_report_tell_settled (FaspReport * report)
{
  if (!fasp_report_is_damped (report))
    report->damp.time = FASP_NEVER;     /* it keeps nothing back any more */
  return fasp_damp_tell (&report->damp,
      report->asks && fasp_report_is_damped (report));
}

/* Is anything still missing that the request was for? */
static gboolean
is_missing_asked (const FaspReport * report)
{
  guint64 start, length;

  return fasp_reorder_next_gap (report->reorder, 0, &start, &length)
      && start < report->damp.end;
}

gboolean
fasp_report_is_missing_unasked (const FaspReport * report)
{
  guint64 start, length;

  return fasp_report_is_damped (report) && report->damp.time == FASP_NEVER
      && fasp_reorder_next_gap (report->reorder, report->damp.end, &start,
      &length);
}

/* --- when it is due ------------------------------------------------------------------ */

static void
due (FaspReport * report, FaspTime when)
{
  when = MAX (when, report->sent + SPACING);
  report->due = MIN (report->due, when);
}

/* Feedback is due.  @insist: it is repeated from now on. */
static void
speak (FaspReport * report, FaspTime now, gboolean insist)
{
  if (insist)
    report->repeats = 1;
  report->owed = report->allowance < 0;
  due (report, report->owed ? report->sent + report->interval : now);
}

void
fasp_report_now (FaspReport * report, FaspTime now)
{
  speak (report, now, FALSE);
}

/* Was a loss settled just now?  The block may not be known to exist yet, so that nothing seems to
 * be missing. */
static gboolean
is_fresh (const FaspReport * report)
{
  return report->repeats > 0 && report->repeats < FASP_FEEDBACK_FRESH;
}

/* Plans to repeat the last feedback, as far as there is allowance for it. */
static void
repeat (FaspReport * report)
{
  gint64 spare = report->repeats <= FASP_FEEDBACK_FRESH ? FRESH_SPARES :
      REPEAT_SPARES;

  if (report->repeats > 0 && report->allowance >= spare
      && !fasp_report_is_damped (report))
    due (report, report->sent + FASP_FEEDBACK_REPEAT (MAX (report->repeats,
                2) - 2));
}

/* The regular clock while nothing is missing. */
static FaspTime
choose_calm_interval (const FaspReport * report, FaspTime now, gsize size)
{
  FaspTime calm = MIN (CALM * report->interval, FASP_FEEDBACK_CLOCK_MAX);
  gboolean is_sparse = report->came < SPARSE && now - report->sent >= calm;

  if (report->allowance < CLOCK_SPARES || report->speaks)
    return FASP_FEEDBACK_CLOCK_MAX;
  if (report->eager)
    return report->interval;
  return is_sparse
      || report->came + size >= LITTLE ? calm : FASP_FEEDBACK_CLOCK_MAX;
}

void
fasp_report_datagram (FaspReport * report, FaspTime now, gsize size,
    FaspTime smoothed_rtt)
{
  FaspTime elapsed = now - report->least_from;
  gint64 least = MIN (elapsed * FASP_FEEDBACK_LEAST / FASP_SEC,
      (gint64) size / FASP_FEEDBACK_SHARE_MOST);
  gint64 allowance = MAX (least, (gint64) size / FASP_FEEDBACK_SHARE);

  report->speaks = now < report->speaks_until;
  /* what a small datagram does not use up is there for the next */
  report->least_from = CLAMP (report->least_from + allowance * FASP_SEC /
      FASP_FEEDBACK_LEAST, now - FASP_SEC, now + FASP_SEC);
  report->allowance = MIN (report->allowance + allowance, ALLOWANCE_MAX);
  if (report->owed && report->allowance >= 0) {
    report->owed = FALSE;
    due (report, now);
  }
  repeat (report);
  report->rtt = smoothed_rtt;
  report->interval = FASP_FEEDBACK_CLOCK (smoothed_rtt);
  report->interval_whole = choose_calm_interval (report, now, size);
  report->came += size;
}

void
fasp_report_data (FaspReport * report)
{
  if (!fasp_report_is_damped (report))
    due (report, report->sent + (is_missing_any (report) ?
            report->interval : report->interval_whole));
}

void
fasp_report_settled (FaspReport * report, FaspTime now)
{
  if (fasp_report_is_damped (report))
    ask (report, now);
  else
    speak (report, now, TRUE);
}

void
fasp_report_asked (FaspReport * report, FaspTime now, gboolean all)
{
  if (!all || !fasp_report_is_damped (report))
    speak (report, now, FALSE);
  else if (is_missing_any (report))
    ask (report, now);
}

void
fasp_report_wish (FaspReport * report, FaspTime now)
{
  if (fasp_report_is_damped (report))
    due (report, now + fasp_damp_draw_turn (&report->damp));
  else
    speak (report, now, FALSE);
}

void
fasp_report_complete (FaspReport * report, FaspTime now)
{
  if (fasp_report_is_damped (report))
    due (report, now + fasp_damp_draw_turn (&report->damp));
  else
    speak (report, now, TRUE);
}

/* A sender whose window is closed waits for this. */
void
fasp_report_taken (FaspReport * report, FaspTime now)
{
  guint64 opened = fasp_reorder_get_taken (report->reorder) -
      report->told_taken;

  if (opened > fasp_reorder_get_capacity (report->reorder) / WINDOW_SHARE)
    speak (report, now, TRUE);
}

/* When feedback is due, as the return path allows. */
static FaspTime
get_due (const FaspReport * report)
{
  return fasp_later (report->due, fasp_allowance_get_time (&report->budget));
}

FaspTime
fasp_report_get_timeout (const FaspReport * report)
{
  return fasp_sooner (get_due (report), report->damp.time);
}

gboolean
fasp_report_is_due (FaspReport * report, FaspTime now)
{
  FaspDamp *damp = &report->damp;

  if (damp->time <= now) {
    damp->time = FASP_NEVER;
    if (is_missing_asked (report)) {
      report->asks = TRUE;
      speak (report, now, FALSE);
    } else {
      fasp_damp_tell (damp, TRUE);      /* all of it has come meanwhile */
      if (is_missing_any (report))
        ask (report, now);
    }
  }
  return get_due (report) <= now;
}

/* --- one is sent --------------------------------------------------------------------- */

void
fasp_report_fill (FaspReport * report, FaspFeedback * feedback, gsize room)
{
  guint64 ack = fasp_reorder_get_ack (report->reorder);
  guint64 at = MAX (ack, report->part_from), start, length;

  feedback->ack = ack;
  feedback->window = fasp_reorder_get_window (report->reorder);
  feedback->from = at;
  feedback->end = fasp_reorder_get_highest (report->reorder);
  feedback->tail = TRUE;
  feedback->n_ranges = 0;
  report->part_from = 0;
  while (fasp_reorder_next_gap (report->reorder, at, &start, &length)) {
    guint size = fasp_wire_range_size (start - at, length);

    if (size > room || feedback->n_ranges == FASP_RANGES_MAX) {
      /* report what fits; the rest follows in a part of its own */
      feedback->end = at;
      feedback->tail = FALSE;
      report->part_from = at;
      return;
    }
    room -= size;
    feedback->ranges[feedback->n_ranges++] = (FaspRange) {
    start, length};
    at = start + length;
  }
}

/* Plans the next feedback of a member. */
static void
plan_damped (FaspReport * report, FaspTime now)
{
  FaspDamp *damp = &report->damp;

  report->due = now + fasp_damp_draw_clock (damp);
  if (damp->time == FASP_NEVER && is_missing_asked (report))
    fasp_damp_ask_again (damp, now + MAX (ASK_AGAIN * report->rtt / 2,
            ASK_AGAIN_LEAST));
  /* and for what was lost since, after a wait of its own */
  if (damp->known > damp->told)
    ask (report, now);
}

void
fasp_report_sent (FaspReport * report, FaspTime now, gsize size)
{
  report->count++;
  report->sent = now;
  report->came = 0;
  report->owed = FALSE;
  report->allowance = MAX (report->allowance - (gint64) size, -ALLOWANCE_MAX);
  fasp_allowance_spend (&report->budget, now, size);
  report->told_taken = fasp_reorder_get_taken (report->reorder);
  if (report->part_from > 0 && report->allowance >= 0) {
    report->due = now + SPACING;        /* the list goes on */
  } else if (fasp_report_is_damped (report)) {
    plan_damped (report, now);
  } else if (is_missing_any (report) || is_fresh (report)) {
    report->due = now + report->interval;
    report->repeats += report->repeats > 0;
    repeat (report);
  } else {
    report->repeats = 0;
    report->due = now + IDLE;
  }
  report->asks = FALSE;
}
