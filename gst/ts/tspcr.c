/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "tspcr.h"

TsPcr *
ts_pcr_new (gint64 now)
{
  TsPcr *pcr = g_new0 (TsPcr, 1);

  pcr->repeat.since = now;
  pcr->accuracy = pcr->jitter = pcr->this_jitter = pcr->held.worst = TS_NEVER;
  return pcr;
}

/* The running second begins anew. */
static void
begin_second (TsPcr *pcr)
{
  pcr->ticks = pcr->size = 0;
  pcr->held = (TsPcrHeld) { TS_NEVER, 0 };
}

void
ts_pcr_break (TsPcr *pcr)
{
  pcr->bytes = (TsClock) { 0 };
  begin_second (pcr);
  pcr->broken = TRUE;
}

void
ts_pcr_end_second (TsPcr *pcr)
{
  if (pcr->unjudged++ >= TS_PCR_UNJUDGED)
    pcr->accuracy = TS_NEVER;
  pcr->jitter = pcr->this_jitter;
  pcr->this_jitter = TS_NEVER;
}

/* Draws the PCR over @x.  Returns its distance from the line, ns; TS_NEVER: unknown. */
static gint64
measure (TsClock *clock, gdouble x, gdouble step)
{
  gboolean settled = ts_clock_is_settled (clock);
  gdouble distance = fabs (ts_clock_take (clock, x, step)) * 1000 / 27;

  return settled ? (gint64) MIN (distance, 1e18) : TS_NEVER;
}

/* The rate was the same all the time, so the PCRs of the second that ends can be judged. */
static void
judge_second (TsPcr *pcr, TsErrors *errors)
{
  if (pcr->held.worst == TS_NEVER)
    return;
  pcr->accuracy = pcr->held.worst;
  pcr->unjudged = 0;
  ts_errors_add (errors, TS_ERROR_PCR_ACCURACY, pcr->held.bad);
}

/* Has the second that ends the rate of those before it?  If not, they made the line for nothing. */
static void
follow_rate (TsPcr *pcr, TsErrors *errors, gint64 step, guint64 bytes)
{
  gdouble rate;

  pcr->ticks += step;
  pcr->size += bytes;
  if (pcr->ticks < TS_RATE_SECOND)
    return;
  rate = pcr->size / pcr->ticks;
  if (fabs (rate - pcr->rate) <= TS_RATE_SAME * pcr->rate) {
    if (pcr->steady == TS_RATE_STEADY)
      judge_second (pcr, errors);
    pcr->steady = MIN (pcr->steady + 1, TS_RATE_STEADY);
  } else {
    pcr->rate = rate;
    pcr->steady = 0;
    pcr->bytes = (TsClock) { 0 };
  }
  begin_second (pcr);
}

/* Another rate may come. */
static void
forget_rate (TsPcr *pcr)
{
  pcr->rate = 0;
  pcr->steady = 0;
}

static void
take_step (TsPcr *pcr, TsErrors *errors, gint64 step, const TsPcrPlace *place)
{
  guint64 bytes = place->at - pcr->last_at;
  gint64 jitter = measure (&pcr->arrival, errors->now - pcr->last_time, step);
  gint64 accuracy;

  pcr->this_jitter = MAX (pcr->this_jitter, jitter);
  if (!place->stuffed)
    forget_rate (pcr);
  if (pcr->broken)
    return;
  accuracy = measure (&pcr->bytes, bytes, step);
  pcr->held.worst = MAX (pcr->held.worst, accuracy);
  pcr->held.bad += accuracy > TS_PCR_ACCURACY;
  follow_rate (pcr, errors, step, bytes);
}

void
ts_pcr_take (TsPcr *pcr, TsErrors *errors, const TsPacket *packet, const TsPcrPlace *place)
{
  gint64 step = ts_pcr_get_step (pcr->last, packet->pcr);
  gboolean follows = step <= TS_PCR_STEP_MAX;

  ts_repeat_arrive (&pcr->repeat, errors, TS_ERROR_PCR_REPETITION, place->limit);
  if (pcr->has_last)
    ts_errors_judge (errors, TS_ERROR_PCR_DISCONTINUITY, follows || packet->announced);
  if (pcr->has_last && follows && !packet->announced) {
    take_step (pcr, errors, step, place);
  } else {
    ts_pcr_break (pcr);
    forget_rate (pcr);
    pcr->arrival = (TsClock) { 0 };
  }
  pcr->has_last = TRUE;
  pcr->broken = FALSE;
  pcr->last = packet->pcr;
  pcr->last_at = place->at;
  pcr->last_time = errors->now;
}
