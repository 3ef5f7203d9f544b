/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrschedule.h"

void
cbr_schedule_init (CbrSchedule *schedule, CbrMethod method, guint64 rate, gint64 now)
{
  schedule->method = method;
  fasp_rate_clock_init (&schedule->base, rate, now);
  schedule->last = 0;
  schedule->handed = G_MININT64;
  schedule->handing = 0;
  cbr_schedule_restart (schedule, now);
}

void
cbr_schedule_set_limits (CbrSchedule *schedule, guint32 max_burst, gint64 max_period,
    guint32 header)
{
  schedule->max_burst = max_burst;
  schedule->max_period = max_period;
  schedule->header = header;
}

gint64
cbr_schedule_get_due (const CbrSchedule *schedule)
{
  FaspRateClock due = schedule->base;

  fasp_rate_clock_advance (&due, schedule->pending);
  return due.ns;
}

/* Returns the bytes that leave in @ns, counted in whole µs.  As rate < 2^40, every
 * product is below 2^64 for up to 100 days. */
static guint64
bytes_in (guint64 rate, guint64 ns)
{
  guint64 us = ns / 1000, s = us / G_USEC_PER_SEC;

  return s * rate / 8 + us % G_USEC_PER_SEC * rate / (8 * G_USEC_PER_SEC);
}

gint64
cbr_schedule_set_method (CbrSchedule *schedule, CbrMethod method)
{
  gint64 deficit = method != schedule->method ? schedule->deficit : 0;

  schedule->method = method;
  schedule->deficit -= deficit;
  return deficit;
}

void
cbr_schedule_set_rate (CbrSchedule *schedule, guint64 rate, gint64 now)
{
  gint64 over = now - schedule->base.ns;

  if (rate != schedule->base.rate && over > 0) {
    guint64 gone = MIN (bytes_in (schedule->base.rate, over), schedule->pending);

    fasp_rate_clock_advance (&schedule->base, gone);
    schedule->pending -= gone;
  }
  fasp_rate_clock_set_rate (&schedule->base, rate);
}

guint64
cbr_schedule_get_burst (const CbrSchedule *schedule)
{
  guint64 rate = schedule->base.rate, burst = schedule->max_burst;

  if (burst == 0)
    burst = rate <= CBR_BURST_RATE ? CBR_BURST : bytes_in (rate, CBR_BURST_TIME);
  return MIN (burst, bytes_in (rate, schedule->max_period));
}

guint
cbr_schedule_get_datagrams (const CbrSchedule *schedule, guint payload)
{
  guint64 n = cbr_schedule_get_burst (schedule) / (payload + schedule->header);

  return CLAMP (n, 1, G_MAXINT);
}

void
cbr_schedule_restart (CbrSchedule *schedule, gint64 now)
{
  fasp_rate_clock_set (&schedule->base, now);
  schedule->pending = 0;
  schedule->deficit = 0;
}

gboolean
cbr_schedule_resume (CbrSchedule *schedule, gint64 now)
{
  if (now <= cbr_schedule_get_due (schedule))
    return FALSE;
  cbr_schedule_restart (schedule, now);
  return TRUE;
}

gboolean
cbr_schedule_is_lost (const CbrSchedule *schedule, gint64 now)
{
  return schedule->method == CBR_DEADLINE && now - cbr_schedule_get_due (schedule) > CBR_STALL;
}

static gint64
get_earliest (const CbrSchedule *schedule)
{
  gint64 period = fasp_rate_clock_span (schedule->base.rate, schedule->last);

  if (schedule->handed == G_MININT64)
    return schedule->base.ns;
  return schedule->handed + MAX (period - schedule->handing, 0) / 2;
}

CbrWait
cbr_schedule_get_wait (const CbrSchedule *schedule, gint64 latency, gint64 spin)
{
  gint64 due = cbr_schedule_get_due (schedule), earliest;
  CbrWait wait;

  switch (schedule->method) {
    case CBR_SEND_AND_COMPARE:
      /* Firebind's condition, rate so far < wanted rate, solved for the time */
      wait.sleep = G_MININT64;
      wait.leave = due;
      break;
    case CBR_SEND_AND_SLEEP:
      wait.sleep = wait.leave = due;
      break;
    default:
      earliest = get_earliest (schedule);
      if (spin > 0) {
        wait.leave = MAX (due, earliest);
        wait.sleep = wait.leave - MIN (latency, spin);
      } else {
        /* the thread will wake late: only the gap before a cycle that catches up allows for that */
        wait.leave = MAX (due, earliest - latency);
        wait.sleep = wait.leave;
      }
      break;
  }
  return wait;
}

void
cbr_schedule_departed (CbrSchedule *schedule, gint64 begin, gint64 end, guint64 bytes)
{
  gint64 period = fasp_rate_clock_span (schedule->base.rate, bytes);
  gint64 rest;

  if (schedule->method == CBR_SEND_AND_SLEEP) {
    /* sleeps for the rest of the period after sending, less the time by which
     * sending took too long before; how long the sleep really took is ignored */
    rest = period - (end - begin) - schedule->deficit;
    schedule->deficit = MAX (-rest, 0);
    fasp_rate_clock_set (&schedule->base, end + MAX (rest, 0));
    schedule->pending = 0;
  } else {
    fasp_rate_clock_advance (&schedule->base, schedule->pending);
    schedule->pending = bytes;
  }
  schedule->last = bytes;
  schedule->handed = end;
  /* bounded by the period, so that a stall does not count as usual */
  schedule->handing += (MIN (end - begin, period) - schedule->handing) / 16;
}
