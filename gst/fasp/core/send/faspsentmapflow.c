/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the peer reports of each flow and what it should have reported: the flow's round trip,
 * its loss, and whether it is dead.
 */
#include <math.h>
#include "faspsentmapprivate.h"

/* On a flow without any report yet, packets count as lost after this time. */
#define UNMEASURED_DUE FASP_SEC
/* A run of losses that is less likely than this shows that the flow is dead. */
#define NO_CHANCE 1e-4
/* Bounds of the loss from which that likelihood is computed. */
#define LOSS_LEAST .001
#define LOSS_MOST .9
/* A flow's loss is averaged over this many datagrams. */
#define LOSS_OVER 256.
/* A flow's pauses are remembered for this long to twice as long (as fasppath.h does delays). */
#define GAPS_OVER (10 * FASP_SEC)

/* Counts all packets before @end as lost, though the peer did not report on them. */
static void
give_up (FaspSentMap *map, FaspTime now, FaspSentFlow *flow, guint64 end, const gchar *why,
    FaspSentMapResult *result)
{
  if (end <= flow->front)
    return;
  flow->given_up = fasp_sent_map_transmission (flow, end - 1)->sent;
  fasp_sent_map_settle (map, now, flow, end - 1, why, result);
}

FaspTime
fasp_sent_map_get_longest_wait (const FaspSentMap *map)
{
  FaspTime least = FASP_NEVER;

  for (guint i = 0, left = map->n_flows; left > 0 && i < FASP_FLOWS_MAX; i++) {
    left -= map->flows[i] != NULL;
    if (map->flows[i] != NULL && map->flows[i]->rtt.measured)
      least = fasp_sooner (least, map->flows[i]->rtt.smoothed);
  }
  return least < map->latency ? (least + map->latency) / 2 : FASP_NEVER;
}

/* Counts packets as lost on which the peer should have reported by now. */
static void
settle_overdue (FaspSentMap *map, FaspTime now, FaspSentFlow *flow, FaspTime most,
    FaspSentMapResult *result)
{
  FaspTime least = flow->rtt.smoothed + FASP_RTT_REPORT_MARGIN;
  FaspTime due = now
      - (flow->rtt.measured ?
              MAX (least, fasp_sooner (fasp_rtt_report_timeout (&flow->rtt), most)) :
              UNMEASURED_DUE);
  guint64 end = flow->front;

  /* up to `largest', the peer settles packets and holes by itself */
  if (flow->front < flow->largest)
    return;
  for (; end < flow->next && fasp_sent_map_transmission (flow, end)->sent <= due; end++)
    flow->silent += fasp_sent_map_transmission (flow, end)->block != FASP_PROBE;
  give_up (map, now, flow, end, "overdue", result);
}

/* Has the flow paused for longer than ever in the last GAPS_OVER?  A mobile link pauses for a tenth
 * of a second now and then, and then delivers what was under way. */
static gboolean
is_unusual (const FaspSentGaps *gaps)
{
  return gaps->now > MAX (gaps->longest, gaps->before);
}

static gboolean
is_dead (const FaspSentFlow *flow)
{
  return pow (CLAMP (flow->loss, LOSS_LEAST, LOSS_MOST), flow->silent) < NO_CHANCE
      && is_unusual (&flow->gaps);
}

/* A report ends a pause.  @delivered: the packets that were under way have arrived; otherwise the
 * flow was dead meanwhile, or has only begun, and that was no pause. */
static void
end_gap (FaspSentGaps *gaps, FaspTime now, gboolean delivered)
{
  if (now - gaps->since > GAPS_OVER) {
    gaps->since = now;
    gaps->before = gaps->longest;
    gaps->longest = 0;
  }
  if (delivered)
    gaps->longest = MAX (gaps->longest, gaps->now);
  gaps->now = 0;
  gaps->from = now;
}

void
fasp_sent_map_check_flow (FaspSentMap *map, FaspTime now, guint8 index, FaspTime most,
    FaspSentMapResult *result)
{
  FaspSentFlow *flow = map->flows[index];

  if (flow == NULL || flow->front == flow->next)
    return;
  if (flow->largest < flow->next)
    flow->gaps.now = MAX (0, now - flow->gaps.from);
  settle_overdue (map, now, flow, most, result);
  /* with a group, a member's own flow is not replaced by another one */
  if (flow->silent == 0 || map->log != NULL || !is_dead (flow))
    return;
  FASP_LOG (map->decisions, now, PATH_DEAD, index, flow->silent, FASP_LOG_SHARE (flow->loss),
      flow->rtt.measured ? flow->rtt.smoothed : FASP_LOG_UNKNOWN);
  give_up (map, now, flow, flow->next, "path_dead", result);
  flow->silent = 0;
  result->dead |= FASP_BIT (index);
}

/* Takes a round-trip sample from a packet that left at @sent. @longer: only if it is longer than
 * the smoothed one. */
static void
note_rtt (FaspSentFlow *flow, FaspTime now, FaspTime sent, const FaspFeedbackFlow *reported,
    gboolean longer, FaspSentMapResult *result)
{
  FaspTime rtt = now - sent;
  FaspTime delay = MIN (reported->delay, (guint64) rtt);

  if (longer && rtt - delay <= flow->rtt.smoothed)
    return;
  flow->sample = rtt;
  flow->delay = delay;
  fasp_rtt_sample (&flow->rtt, rtt, delay);
  if (rtt - delay >= result->rtt - result->ack_delay) {
    result->rtt = rtt;
    result->ack_delay = delay;
  }
}

void
fasp_sent_map_note_feedback (FaspSentFlow *flow, FaspTime now, const FaspFeedbackFlow *reported,
    guint64 largest, FaspTime sent, FaspSentMapResult *result)
{
  if (largest + 1 > flow->largest) {
    gdouble n = largest + 1 - flow->largest;
    gdouble here = MIN (n, reported->received - MIN (reported->received, flow->received));

    flow->loss += (1 - here / n - flow->loss) * MIN (1, n / LOSS_OVER);
    end_gap (&flow->gaps, now, flow->largest > 0 && 2 * here >= n);
    flow->largest = largest + 1;
    flow->silent = 0;
    if (sent > 0)
      note_rtt (flow, now, sent, reported, FALSE, result);
    else if (flow->given_up > 0)
      /* the packet was counted as lost too early. It left at given_up or before, so the round trip
       * is at least that long. Without this sample, each packet would be sent twice from now on. */
      note_rtt (flow, now, flow->given_up, reported, TRUE, result);
  }
  flow->received = MAX (flow->received, reported->received);
  flow->holes = reported->holes;
}

void
fasp_sent_map_flow_feedback (FaspSentMap *map, FaspTime now, const FaspFeedbackFlow *reported,
    guint64 largest, FaspSentMapResult *result)
{
  FaspSentFlow *flow = map->flows[reported->flow];

  flow->sample = flow->delay = 0;
  fasp_sent_map_note_feedback (flow, now, reported, largest,
      largest >= flow->front ? fasp_sent_map_transmission (flow, largest)->sent : 0, result);
  /* unsettled = largest + 1: nothing is settled yet */
  if (reported->unsettled <= largest)
    fasp_sent_map_settle (map, now, flow, largest - reported->unsettled, "reported", result);
}

/* --- totals ----------------------------------------------------------------------------- */

FaspFlowTotals
fasp_sent_map_get_totals (const FaspSentMap *map, guint8 index)
{
  const FaspSentFlow *flow = map->flows[index];
  FaspFlowTotals totals = { 0 };

  if (flow != NULL)
    totals = (FaspFlowTotals) { flow->largest - flow->base, flow->received, flow->holes,
      flow->rtt.measured ? flow->rtt.smoothed : 0, flow->sample, flow->delay };
  return totals;
}

FaspFlowTotals
fasp_sent_map_get_all_totals (const FaspSentMap *map)
{
  FaspFlowTotals all = { 0 };

  for (guint i = 0, left = map->n_flows; left > 0; i++) {
    if (map->flows[i] == NULL)
      continue;
    left--;
    all.reported += map->flows[i]->largest - map->flows[i]->base;
    all.received += map->flows[i]->received;
    all.holes += map->flows[i]->holes;
  }
  return all;
}

FaspTime
fasp_sent_map_get_oldest_time (const FaspSentMap *map, guint8 index)
{
  const FaspSentFlow *flow = map->flows[index];
  guint64 oldest = flow != NULL ? MAX (flow->front, flow->largest) : 0;

  return flow != NULL && oldest < flow->next ? fasp_sent_map_transmission (flow, oldest)->sent :
                                               FASP_NEVER;
}

guint
fasp_sent_map_count_flows (const FaspSentMap *map)
{
  return map->n_flows;
}

guint64
fasp_sent_map_get_unreported (const FaspSentMap *map)
{
  guint64 unreported = 0;

  for (guint i = 0; i < FASP_FLOWS_MAX; i++) {
    const FaspSentFlow *flow = map->flows[i];

    if (flow != NULL && flow->largest < flow->next)
      unreported |= FASP_BIT (i);
  }
  return unreported;
}
