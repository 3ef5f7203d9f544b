/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrdeparture.h"

void
cbr_departure_init (CbrDeparture *departure)
{
  *departure = (CbrDeparture) { .stage = CBR_EMPTY };
  cbr_schedule_init (&departure->schedule, CBR_DEADLINE, 1, 0);
  cbr_departure_reset (departure);
}

void
cbr_departure_reset (CbrDeparture *departure)
{
  cbr_departure_see_nothing (departure);
  departure->run = CBR_UNSTARTED;
  departure->fed_at = G_MININT64;
}

void
cbr_departure_see_nothing (CbrDeparture *departure)
{
  departure->stage = CBR_EMPTY;
  departure->since = -1;
}

gint64
cbr_departure_see_part (CbrDeparture *departure, gint64 now, gint64 max_period)
{
  if (departure->since < 0)
    departure->since = now;
  departure->stage = CBR_PARTIAL;
  if (now >= departure->since + max_period) {
    departure->stage = CBR_SHORT;
    departure->fed_at = now;
  }
  return departure->since + max_period;
}

void
cbr_departure_see_enough (CbrDeparture *departure)
{
  if (departure->stage != CBR_SHORT)
    departure->stage = CBR_WHOLE;
}

void
cbr_departure_feed (CbrDeparture *departure, gint64 now)
{
  departure->fed_at = now;
}

gboolean
cbr_departure_is_hungry (const CbrDeparture *departure)
{
  return departure->stage == CBR_EMPTY || departure->stage == CBR_PARTIAL;
}

gboolean
cbr_departure_is_due (const CbrDeparture *departure)
{
  return departure->stage == CBR_SHORT || departure->stage == CBR_WHOLE;
}

void
cbr_departure_set_method (CbrDeparture *departure, CbrMethod method)
{
  departure->lost += cbr_schedule_set_method (&departure->schedule, method);
}

void
cbr_departure_set_playing (CbrDeparture *departure, gboolean playing)
{
  if (departure->run != CBR_UNSTARTED)
    departure->run = playing ? CBR_RESUMED : CBR_RUNNING;
}

CbrGap
cbr_departure_follow (CbrDeparture *departure, gint64 now, gboolean stuffing)
{
  CbrSchedule *schedule = &departure->schedule;
  CbrRun before = departure->run;

  if (before == CBR_UNSTARTED) {
    /* the schedule begins anew, but data that had to wait behind an event is late already */
    departure->lost = cbr_departure_get_lag (departure, now);
    cbr_schedule_init (schedule, schedule->method, schedule->base.rate, now);
  }
  departure->run = CBR_RUNNING;
  if (before == CBR_UNSTARTED || (before == CBR_RESUMED && cbr_schedule_resume (schedule, now)))
    return CBR_GAP_START;
  if (!stuffing && cbr_schedule_resume (schedule, MIN (departure->fed_at, now)))
    return CBR_GAP_UNDERRUN;
  if (!cbr_schedule_is_lost (schedule, now))
    return CBR_GAP_NONE;
  /* only data can be late: the lag counts from when it came, if the cycle was due before */
  departure->lost = cbr_departure_get_lag (departure, now);
  cbr_schedule_restart (schedule, now);
  return CBR_GAP_STALL;
}

void
cbr_departure_leave (CbrDeparture *departure)
{
  departure->stage = CBR_LEAVING;
  departure->since = -1;
}

gint64
cbr_departure_get_lag (const CbrDeparture *departure, gint64 now)
{
  gint64 due = departure->fed_at, behind = departure->lost;

  if (departure->run != CBR_UNSTARTED) {
    due = MAX (due, cbr_schedule_get_due (&departure->schedule));
    /* CBR_SEND_AND_SLEEP is never due before the last cycle has left */
    behind += departure->schedule.deficit;
  } else if (due == G_MININT64) { /* no data has come on this clock */
    due = now;
  }
  return behind + MAX (now - due, 0);
}
