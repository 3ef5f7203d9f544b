/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionways.c: the ways of a sender: which flow is of which, what each may send, and what
 * they may send together.
 */
#include "faspsessionprivate.h"

/* A change of the rate that is worth an event, in percent: as that for which WebRTC sends a new
 * estimate at once (kSendThresholdPercent). Some controllers have a new rate for each feedback. */
#define RATE_STEP 3

/* --- which flow is of which way ------------------------------------------------------- */

static FaspWay *
add_way (FaspSession *session, FaspTime now)
{
  FaspSessionWays *ways = &session->ways;
  FaspWay *way;

  if (ways->n == 1) /* that of the session until now */
    ways->list[0].rtt = session->rtt;
  ways->list = g_renew (FaspWay, ways->list, ways->n + 1);
  way = &ways->list[ways->n++];
  fasp_way_init (way);
  way->rate = fasp_rate_new (ways->control, 0, ways->max, now);
  return way;
}

void
fasp_session_assign_way (FaspSession *session, FaspTime now, guint8 number)
{
  FaspSessionWays *ways = &session->ways;
  FaspFlow *flow = &session->flows[number];
  guint local = flow->address.link / MAX (ways->flowlets, 1);
  FaspWay *way = &ways->list[flow->way];
  guint i = 0;

  if ((way->flows & FASP_BIT (number)) != 0) {
    if (way->flows == FASP_BIT (number))
      way->address = flow->address;
    return;
  }
  while (i < ways->n && ways->list[i].flows != 0
      && !fasp_way_has (&ways->list[i], local, &flow->address))
    i++;
  way = i < ways->n ? &ways->list[i] : add_way (session, now);
  if (way->flows == 0) {
    way->local = local;
    way->address = flow->address;
  }
  way->flows |= FASP_BIT (number);
  if (flow->way != i) /* what left before was counted as another way's */
    fasp_sent_log_forget (&flow->sent, flow->next_pn);
  flow->way = i;
}

gboolean
fasp_session_uses_way (const FaspSession *session, const FaspWay *way)
{
  return session->ways.n == 1
      || (way->flows & fasp_multipath_get_candidates (&session->multipath)) != 0;
}

guint8
fasp_session_pick_flow (FaspSession *session, const FaspWay *way, guint64 avoid)
{
  return session->ways.n == 1 ? fasp_multipath_pick (&session->multipath, avoid) :
                                fasp_multipath_pick_among (&session->multipath, way->flows, avoid);
}

gboolean
fasp_session_needs_flow (const FaspSession *session, guint8 flow)
{
  return session->ways.n > 1 && session->multipath.usable == FASP_BIT (flow);
}

void
fasp_session_set_usable (FaspSession *session, FaspTime now, guint8 flow, gboolean usable)
{
  guint64 flows;

  fasp_multipath_set_usable (&session->multipath, flow, usable);
  if (session->ways.n == 1)
    return;
  flows = session->multipath.usable;
  fasp_sent_map_set_only (session->tx.sent_map,
      __builtin_popcountll (flows) == 1 ? __builtin_ctzll (flows) : FASP_FLOWS_MAX);
  /* the others have a part of its rate, or give it back */
  if (!fasp_session_is_controlled (session))
    return;
  for (guint i = 0; i < session->ways.n; i++)
    session->ways.list[i].until = now;
  session->ways.until = now;
}

/* --- rates ---------------------------------------------------------------------------- */

static guint32
choose_burst (const FaspWay *way, guint64 rate, FaspTime quantum)
{
  return way->rate != NULL && way->rate->even ? fasp_pacer_choose_short_burst (rate) :
                                                fasp_pacer_choose_burst (rate, quantum);
}

/* Several ways have a pacer each, so this one need not be even. */
void
fasp_session_set_pace (FaspSession *session, FaspTime now, guint64 rate)
{
  fasp_pacer_set_rate (&session->pacer, now, rate,
      session->ways.n > 1 ? fasp_pacer_choose_burst (rate, session->pacer.quantum) :
                            choose_burst (session->ways.list, rate, session->pacer.quantum));
}

gboolean
fasp_session_is_controlled (const FaspSession *session)
{
  return session->ways.list[0].rate != NULL;
}

void
fasp_session_control (FaspSession *session, FaspTime now, FaspRateControl control, guint64 min,
    guint64 max)
{
  FaspSessionWays *ways = &session->ways;
  FaspWay *way = &ways->list[0];

  ways->control = control;
  ways->min = min;
  ways->max = max;
  way->rate = fasp_rate_new (control, min, max, now);
  ways->until = way->until = way->rate != NULL ? now : FASP_NEVER;
}

void
fasp_session_set_bitrates (FaspSession *session, FaspTime now, guint64 min, guint64 max)
{
  FaspSessionWays *ways = &session->ways;

  ways->min = min;
  ways->max = max;
  if (!fasp_session_is_controlled (session)) {
    fasp_session_set_pace (session, now, max);
    return;
  }
  for (guint i = 0; i < ways->n; i++) {
    fasp_rate_set_bounds (ways->list[i].rate, ways->n == 1 ? min : 0, max);
    ways->list[i].until = now;
  }
  ways->until = now;
}

static guint64
bound (const FaspSession *session, guint64 rate)
{
  return session->ways.max > 0 ? MIN (rate, session->ways.max) : rate;
}

/* What the ways in use send together, but for @except. */
static guint64
add_up (const FaspSession *session, const FaspWay *except)
{
  guint64 sum = 0;

  for (guint i = 0; i < session->ways.n; i++) {
    const FaspWay *way = &session->ways.list[i];

    if (way != except && fasp_session_uses_way (session, way))
      sum += way->pace;
  }
  return sum;
}

void
fasp_session_log_rate (const FaspSession *session, FaspTime now, FaspWay *way)
{
  const FaspRate *rate = way->rate;
  gint64 old = way->logged, new = rate->rate;

  if (ABS (new - old) * 100 < old * RATE_STEP)
    return;
  FASP_LOG (session->notes.log, now, RATE_CHANGED, FASP_LOG_OR_UNKNOWN (old, 0), new,
      FASP_LOG_WORD (rate->why), rate->standing,
      way->rtt.measured ? way->rtt.smoothed : FASP_LOG_UNKNOWN,
      session->ways.n > 1 ? way - session->ways.list : FASP_LOG_UNKNOWN);
  way->logged = new;
}

/* Asks the controller of one way. */
static void
follow_way (FaspSession *session, FaspTime now, FaspWay *way)
{
  const FaspSessionWays *ways = &session->ways;

  if (ways->n > 1 && ways->min > 0)
    fasp_rate_set_bounds (way->rate, ways->min - MIN (ways->min, add_up (session, way)), ways->max);
  way->pace = fasp_rate_get (way->rate, now, way->wire_sent, &way->until);
  if (ways->n > 1) {
    way->pacer.quantum = session->pacer.quantum;
    fasp_pacer_set_rate (&way->pacer, now, way->pace,
        choose_burst (way, way->pace, way->pacer.quantum));
  }
  if (session->notes.log != NULL)
    fasp_session_log_rate (session, now, way);
}

void
fasp_session_follow_ways (FaspSession *session, FaspTime now)
{
  FaspSessionWays *ways = &session->ways;

  ways->until = FASP_NEVER;
  for (guint i = 0; i < ways->n; i++) {
    FaspWay *way = &ways->list[i];

    if (now >= way->until)
      follow_way (session, now, way);
    ways->until = fasp_sooner (ways->until, way->until);
  }
  fasp_session_set_pace (session, now, bound (session, add_up (session, NULL)));
}

guint64
fasp_session_get_channel_rate (const FaspSession *session)
{
  guint64 sum = 0;

  if (!fasp_session_is_controlled (session))
    return session->pacer.ready.rate;
  for (guint i = 0; i < session->ways.n; i++)
    if (fasp_session_uses_way (session, &session->ways.list[i]))
      sum += session->ways.list[i].rate->rate;
  return bound (session, sum);
}

guint
fasp_session_get_times (const FaspSession *session)
{
  return session->flow_choice.duplicates ? MAX (1, fasp_multipath_count (&session->multipath)) : 1;
}

guint64
fasp_session_get_offer (const FaspSession *session)
{
  guint64 sum = 0, least = G_MAXUINT64;

  if (!fasp_session_is_controlled (session))
    return fasp_session_get_channel_rate (session);
  for (guint i = 0; i < session->ways.n; i++) {
    const FaspWay *way = &session->ways.list[i];

    if (!fasp_session_uses_way (session, way))
      continue;
    sum += way->rate->offer;
    least = MIN (least, way->rate->offer / MAX (__builtin_popcountll (way->flows), 1));
  }
  /* each flow carries all: as much as the weakest way lets through, on each of them */
  if (session->flow_choice.duplicates && session->ways.n > 1)
    sum = MIN (sum, least * fasp_session_get_times (session));
  return bound (session, sum);
}

guint64
fasp_session_get_excess (const FaspSession *session)
{
  guint64 sum = 0;

  for (guint i = 0; fasp_session_is_controlled (session) && i < session->ways.n; i++) {
    const FaspWay *way = &session->ways.list[i];

    if (fasp_session_uses_way (session, way))
      sum += fasp_rate_get_excess (way->rate, way->wire_sent);
  }
  return sum;
}

FaspTime
fasp_session_get_overdue (const FaspSession *session, FaspTime now)
{
  const FaspWay *only = NULL;

  for (guint i = 0; fasp_session_is_controlled (session) && i < session->ways.n; i++) {
    const FaspWay *way = &session->ways.list[i];

    if (!fasp_session_uses_way (session, way))
      continue;
    if (only != NULL)
      return 0;
    only = way;
  }
  return only != NULL ? fasp_rate_get_overdue (only->rate, now) : 0;
}

void
fasp_session_set_enough (FaspSession *session, gboolean enough)
{
  for (guint i = 0; fasp_session_is_controlled (session) && i < session->ways.n; i++)
    fasp_rate_set_enough (session->ways.list[i].rate, enough);
}

FaspTime
fasp_session_get_standing (const FaspSession *session)
{
  FaspTime most = 0;

  for (guint i = 0; fasp_session_is_controlled (session) && i < session->ways.n; i++)
    if (fasp_session_uses_way (session, &session->ways.list[i]))
      most = MAX (most, session->ways.list[i].rate->standing);
  return most;
}

void
fasp_session_left_late (FaspSession *session, FaspTime from, FaspTime until)
{
  fasp_pacer_late (&session->pacer, from, until);
  for (guint i = 0; i < session->ways.n; i++)
    fasp_pacer_late (&session->ways.list[i].pacer, from, until);
}

/* --- what the peer reports ------------------------------------------------------------ */

void
fasp_session_note_round_trips (FaspSession *session, const FaspFeedback *feedback)
{
  FaspSessionWays *ways = &session->ways;

  if (ways->n == 1) {
    ways->list[0].rtt = session->rtt;
    return;
  }
  for (guint i = 0; i < ways->n; i++) {
    FaspTime rtt = 0, delay = 0;

    for (guint j = 0; j < feedback->n_flows; j++) {
      FaspFlowTotals totals;

      if ((ways->list[i].flows >> feedback->flows[j].flow & 1) == 0)
        continue;
      totals = fasp_sent_map_get_totals (session->tx.sent_map, feedback->flows[j].flow);
      if (totals.sample - totals.delay > rtt - delay) {
        rtt = totals.sample;
        delay = totals.delay;
      }
    }
    if (rtt > 0)
      fasp_rtt_sample (&ways->list[i].rtt, rtt, delay);
  }
}
