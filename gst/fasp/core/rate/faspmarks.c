/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspmarks.h"
#include "faspcubic.h"

/* The weight of a round in the averaged share of marked packets (g in RFC 8257, section 3.3). */
#define WEIGHT (1. / 16)
/* The least time of a round (Prague's reference round trip). */
#define ROUND_LEAST (25 * FASP_MSEC)
/* After ROUNDS rounds without a mark there is much more room: a growth of a packet a round meets
 * marks earlier on any path of some 1000 packets. From then on the step grows by a packet in each
 * round, to STEP_MOST of the rate at most. */
#define ROUNDS 24
#define STEP_MOST .1
/* If the encoder uses less than the rate, the rate grows to this many times the rate of arrival. */
#define UNUSED 1.25
/* The queueing delay at which RFC 3168 queues begin to mark (TARGET of CoDel, RFC 8289). */
#define CLASSIC (5 * FASP_MSEC)
/* This many packets in a row must have waited for longer; fewer may be due to varying delays. */
#define CLASSIC_PACKETS 16

gboolean
fasp_marks_lead (const FaspMarks *m, FaspTime now)
{
  return m->last > 0 && now - m->last < FASP_RATE_MEMORY;
}

static gdouble
get_share (const FaspMarks *m)
{
  return (gdouble) m->marked / MAX (m->reported, 1);
}

static void
begin_round (FaspMarks *m, FaspTime now, guint64 seen)
{
  m->from = seen;
  m->since = now;
  m->reported = m->marked = 0;
}

/* The rate after a @round that took @time, in which @passes bit/s were reported. */
static gdouble
grow (const FaspMarks *m, FaspTime round, FaspTime time, gdouble passes, gdouble rate)
{
  gdouble packet = FASP_RATE_PACKET * FASP_SEC / round * time / round;
  gdouble more = MIN (packet * MAX ((gint) m->unmarked - ROUNDS, 0), STEP_MOST * rate);

  return MAX (rate, MIN (rate + MAX (packet, more), UNUSED * (passes + packet)));
}

gdouble
fasp_marks_add (FaspMarks *m, const FaspRateFeedback *feedback, FaspTime least, FaspTime target,
    guint64 seen, guint64 sent, gdouble rate)
{
  FaspTime round = MAX (feedback->rtt, ROUND_LEAST), time = feedback->now - m->since;
  gboolean led = fasp_marks_lead (m, feedback->now);

  if (!led)
    begin_round (m, feedback->now, seen);
  m->late = least > MAX (target, CLASSIC) ? m->late + feedback->reported : 0;
  m->reported += feedback->reported;
  m->marked += feedback->marked;
  if (feedback->marked > 0) {
    m->last = feedback->now;
    if (!led)
      m->share = get_share (m);
    if (!led || (seen >= m->reacted && feedback->now - m->reaction >= round)) {
      rate *= m->late >= CLASSIC_PACKETS ? FASP_CUBIC_BETA : 1 - m->share / 2;
      m->reacted = sent;
      m->reaction = feedback->now;
    }
  }
  if (!led || m->reported == 0 || time < round)
    return rate;
  m->share += WEIGHT * (get_share (m) - m->share);
  m->unmarked = m->marked > 0 ? 0 : m->unmarked + 1;
  rate = grow (m, round, time, (seen - m->from) * 8. * FASP_SEC / time, rate);
  begin_round (m, feedback->now, seen);
  return rate;
}
